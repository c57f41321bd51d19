"""The window in which knowledge bases are made, filled and looked into."""
