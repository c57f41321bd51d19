"""Plain text in any encoding, and source code."""

from pathlib import Path

from desktop.errors import UnsupportedFile
from desktop.knowledge.loaders.document import Desk, Document, Part, document_of
from desktop.phrases import phrase
from desktop.text.decode import decode

MAX_TEXT_BYTES = 64 * 1024 * 1024
_SNIFFED_BYTES = 8_192
_TOO_LARGE = phrase("text larger than {size} MB")
_UTF16_OR_32_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


def read_text(path: Path) -> str:
    """Return the decoded text of a file.

    Raises:
        UnsupportedFile: the file is larger than any text that a person wrote.
    """
    if path.stat().st_size > MAX_TEXT_BYTES:
        raise UnsupportedFile(name=path.name, detail=_TOO_LARGE.format(size=MAX_TEXT_BYTES // 2**20))
    return decode(path.read_bytes())


def load_plain(path: Path, _desk: Desk) -> Document:
    """Load a file as it stands."""
    return document_of("", [Part(read_text(path))])


def looks_like_text(path: Path) -> bool:
    """Say whether the beginning of a file of unknown kind is text."""
    with path.open("rb") as file:
        head = file.read(_SNIFFED_BYTES)
    return head.startswith(_UTF16_OR_32_MARKS) or b"\x00" not in head
