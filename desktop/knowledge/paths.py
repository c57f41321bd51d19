"""Paths as they are sent and stored."""

from pathlib import Path


def path_text(path: Path) -> str:
    """Return a path as text that can be stored and sent.

    A name that is no text on this system is written with escapes: its file is then not found, and
    fails by itself under a name that the person recognises.
    """
    return str(path).encode("utf-8", "backslashreplace").decode("utf-8")
