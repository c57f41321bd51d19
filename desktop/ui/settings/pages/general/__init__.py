"""The pages of the group “General”."""
