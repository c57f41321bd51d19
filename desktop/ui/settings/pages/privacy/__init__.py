"""The pages of the group “Privacy and data”."""
