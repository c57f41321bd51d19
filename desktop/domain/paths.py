"""Paths as text that can be stored, sent and shown."""

import re
from pathlib import Path

_MARK = "\ufffd"
"""What programs show for a character that is none; it is doubled where a name itself holds it."""
_ODD = re.compile(f"{_MARK}|[\ud800-\udfff]")
_WRITTEN = re.compile(f"{_MARK}(?:({_MARK})|([89a-f][0-9a-f])|u(d[89a-f][0-9a-f]{{2}}))")
_BYTES = 0xDC00
"""Python's names hold a byte that is no text as this and the byte."""


def path_text(path: Path) -> str:
    """Return a path as text. The bytes of a name that are no text on this system are written with hex digits."""
    return _ODD.sub(lambda found: _written(found[0]), str(path))


def path_of(text: str) -> Path:
    """Return the path that `path_text` made `text` of."""
    return Path(_WRITTEN.sub(_read, text))


def _written(letter: str) -> str:
    if letter == _MARK:
        return _MARK * 2
    byte = ord(letter) - _BYTES
    return f"{_MARK}{byte:02x}" if 0x80 <= byte <= 0xFF else f"{_MARK}u{ord(letter):04x}"  # noqa: PLR2004 - see PEP 383


def _read(found: re.Match[str]) -> str:
    if found[1]:
        return _MARK
    return chr(_BYTES + int(found[2], 16) if found[2] else int(found[3], 16))
