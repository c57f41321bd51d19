"""The pages of the group “Help”."""
