"""The one place where an address found in a message may become something that is opened."""

from PySide6.QtCore import QUrl

_SCHEMES = frozenset({"http", "https", "mailto"})


def checked_address(url: QUrl) -> str:
    """Return the address of a web page or a mailbox, fully encoded; empty for anything else."""
    if not url.isValid() or url.scheme().lower() not in _SCHEMES:
        return ""
    if url.scheme().lower() != "mailto" and not url.host():
        return ""
    return bytes(url.toEncoded().data()).decode("ascii")
