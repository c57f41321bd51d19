"""Memory that was freed, given back to the system."""

import sys


def release_memory() -> None:
    """Return freed heap memory that lies between pieces in use to the system; needed for glibc only."""
    import ctypes  # noqa: PLC0415 - the start does not need it

    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
