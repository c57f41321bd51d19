"""The pages of the group “Sources”."""
