"""Footnote: a desktop chat client whose answers carry their sources."""

__version__ = "0.1.0"
