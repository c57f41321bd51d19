"""Typed settings on disk, and secrets in the keyring of the operating system."""
