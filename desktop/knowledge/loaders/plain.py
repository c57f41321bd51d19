"""Plain text in any encoding."""

import re
from pathlib import Path

from desktop.errors import ReadingFailed, UnsupportedFile
from desktop.knowledge.loaders.document import Document, DocumentPart, LoaderContext, document_of, first_of
from desktop.phrases import translatable
from desktop.text.decode import decode

MAX_BYTES = 64 * 1024 * 1024
_SNIFFED_BYTES = 8_192
_SNIFFED_CHARS = 65_536
_GARBAGE_SHARE = 0.05
_NO_TEXT = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x84\x86-\x9f\ufffd\ufdd0-\ufdef\ufffe\uffff]")
"""Characters that are not typed. Escape (0x1b) colours logs; 0x85 ends lines on mainframes."""
_TOO_LARGE = translatable("it is longer than {size} MB of text")
_UTF16_OR_32_MARKS = (b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff")


def read_bytes(path: Path) -> bytes:
    """Return the bytes of a text file.

    Raises:
        ReadingFailed: the file exceeds the maximum size of texts.
    """
    if path.stat().st_size > MAX_BYTES:
        raise ReadingFailed(name=path.name, detail=_TOO_LARGE.format(size=MAX_BYTES // 2**20))
    return path.read_bytes()


def read_text(path: Path) -> tuple[str, bool]:
    """Return the decoded text of a file, and whether it was cut off.

    Raises:
        UnsupportedFile: it is not text.
        ReadingFailed: it exceeds the maximum size of texts.
    """
    text = decode(read_bytes(path))
    if _is_garbage(text):
        raise UnsupportedFile(name=path.name, detail=translatable("it contains data, not text"))
    return first_of(text)


def load_plain(path: Path, _context: LoaderContext) -> Document:
    """Load a text file unchanged."""
    text, is_cut = read_text(path)
    return document_of("", [DocumentPart(text)], is_cut=is_cut)


def _is_garbage(text: str) -> bool:
    """Say whether decoded text is binary data, such as a picture, a program or an archive."""
    sample = text[:_SNIFFED_CHARS]
    return len(_NO_TEXT.findall(sample)) > _GARBAGE_SHARE * len(sample)


def looks_like_text(path: Path) -> bool:
    """Say whether a file of unknown type starts with text."""
    with path.open("rb") as file:
        head = file.read(_SNIFFED_BYTES)
    return head.startswith(_UTF16_OR_32_MARKS) or b"\x00" not in head
