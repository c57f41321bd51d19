"""Word 97 to 2003: text, headings and tables of a .doc file.

Follows [MS-DOC] (2.4.1 Retrieving Text, 2.4.6.1 Direct Paragraph Formatting): the text is stored in pieces of
one or two bytes per character, and the properties of paragraphs on separate pages.
"""

import re
import struct
from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

from desktop.errors import CorruptFile
from desktop.knowledge.loaders.csv import markdown_table
from desktop.knowledge.loaders.document import (
    Document,
    DocumentPart,
    HeadingPath,
    LoaderContext,
    add_heading,
    document_of,
    section_of,
)
from desktop.knowledge.loaders.docx import load_word
from desktop.knowledge.loaders.kreuzberg import load_office
from desktop.knowledge.loaders.markup import load_html, load_mhtml
from desktop.phrases import translatable
from desktop.text.decode import decode

_olefile: Any = import_module("olefile")  # it has no type hints

_WORD = 0xA5EC
_FIRST_UNICODE = 0xC1
"""The `nFib` of Word 97; before it, the text was in a national code page and in one piece."""
_ENCRYPTED, _SECOND_TABLE = 0x0100, 0x0200
_TEXT_BEGIN, _LENGTHS, _PAPERS, _PIECES = 0x18, 0x4C, 0x102, 0x1A2
_NARROW = 0x40000000
_PAGE = 512
_HEADINGS = range(1, 10)
"""Style ids that are headings of levels 1 to 9 in every document ([MS-DOC] 2.9.271)."""
_IN_TABLE, _ROW_END = 0x2416, 0x2417
_MAX_COLUMNS = 64
_PARAGRAPH_END = re.compile("[\r\x07\x0c]")
_OPERAND_BYTES = (1, 1, 2, 4, 2, 2, 0, 3)
_MAX_PIECES = 1_000_000
_DAMAGED = (struct.error, IndexError, ValueError, OverflowError, OSError, KeyError, TypeError, AttributeError)
"""Exceptions that are raised for invalid offsets."""
_UNREADABLE = translatable("it is not a readable {kind} file")

_DISGUISES: tuple[tuple[bytes, Callable[[Path, LoaderContext], Document]], ...] = (
    (b"PK\x03\x04", load_word),
    (b"{\\rtf", load_office),
    (b"MIME-Version", load_mhtml),
    (b"<", load_html),
)
"""Other formats that programs save with the suffix .doc."""


@dataclass(frozen=True)
class _DocFormat:
    style: int = 0
    is_in_table: bool = False
    is_row_end: bool = False


@dataclass(frozen=True)
class _Paragraph:
    text: str
    look: _DocFormat


def load_word_binary(path: Path, context: LoaderContext) -> Document:
    """Load a .doc file, or a file of another format with this suffix.

    Raises:
        CorruptFile: it is not a Word file, is damaged, or needs a password.
    """
    with path.open("rb") as file:
        head = file.read(64).lstrip(b"\xef\xbb\xbf \r\n\t")
    for magic, loader in _DISGUISES:
        if head.startswith(magic):
            return loader(path, context)
    try:
        return document_of(*_title_and_parts(path))
    except _DAMAGED as error:
        raise CorruptFile(name=path.name, detail=_UNREADABLE.format(kind="doc")) from error


def _title_and_parts(path: Path) -> tuple[str, list[DocumentPart]]:
    with _olefile.OleFileIO(path) as ole:
        word = ole.openstream("WordDocument").read()
        magic, version = struct.unpack_from("<HH", word)
        (flags,) = struct.unpack_from("<H", word, 0x0A)
        if magic != _WORD and version >= _FIRST_UNICODE:
            raise ValueError(magic)
        if flags & _ENCRYPTED:
            raise CorruptFile(name=path.name, detail=translatable("it needs a password"))
        title = _title(ole)
        if version < _FIRST_UNICODE:
            begin, end = struct.unpack_from("<II", word, _TEXT_BEGIN)
            text = decode(word[begin:end])
            return title, [DocumentPart(_replace_characters(text).replace("\r", "\n\n").replace("\x07", " "))]
        table = ole.openstream("1Table" if flags & _SECOND_TABLE else "0Table").read()
    return title, list(_parts(_paragraphs(word, table)))


def _title(ole: Any) -> str:
    title = ole.get_metadata().title
    return decode(title) if isinstance(title, bytes) else ""


def _paragraphs(word: bytes, table: bytes) -> Iterator[_Paragraph]:
    """Yield the paragraphs in order; table cells and rows each end in a BEL character."""
    look_at = _looks(word, table)
    text, place = "", 0
    for piece, offset, width in _pieces(word, table):
        begin = 0
        for mark in _PARAGRAPH_END.finditer(piece):
            place = offset + mark.start() * width
            yield _Paragraph(text + piece[begin : mark.end()], look_at(place))
            text, begin = "", mark.end()
        text += piece[begin:]
    if text:
        yield _Paragraph(text, look_at(place))


def _pieces(word: bytes, table: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield each piece of the text with its position in the stream and its bytes per character."""
    position, size = struct.unpack_from("<II", word, _PIECES)
    end = position + size
    while table[position] == 1:  # properties left over from a fast save
        position += 3 + struct.unpack_from("<H", table, position + 1)[0]
    position += 5
    count = (end - position - 4) // 12
    if not 0 <= count <= _MAX_PIECES:
        raise ValueError(count)
    borders = struct.unpack_from(f"<{count + 1}I", table, position)
    left = sum(struct.unpack_from("<8i", word, _LENGTHS))
    for index in range(count):
        (place,) = struct.unpack_from("<I", table, position + 4 * (count + 1) + 8 * index + 2)
        chars = min(borders[index + 1] - borders[index], left)
        left -= chars
        if place & _NARROW:
            offset = (place & ~_NARROW) // 2
            yield word[offset : offset + chars].decode("cp1252", "replace"), offset, 1
        else:
            yield word[place : place + 2 * chars].decode("utf-16-le", "replace"), place, 2


def _looks(word: bytes, table: bytes) -> Callable[[int], _DocFormat]:
    """Return a function that returns the format of the paragraph ending at a position."""
    position, size = struct.unpack_from("<II", word, _PAPERS)
    count = max(0, (size - 4) // 8)
    pages = struct.unpack_from(f"<{count}I", table, position + 4 * (count + 1))
    begins: list[int] = []
    found: list[_DocFormat] = []
    for page in pages:
        sheet = word[(page & 0x3FFFFF) * _PAGE :][:_PAGE]
        runs = sheet[_PAGE - 1]
        begins.extend(struct.unpack_from(f"<{runs}I", sheet))
        found.extend(_look(sheet, sheet[4 * (runs + 1) + 13 * run] * 2) for run in range(runs))

    def look_at(place: int) -> _DocFormat:
        index = bisect_right(begins, place) - 1
        return found[index] if index >= 0 else _DocFormat()

    return look_at


def _look(sheet: bytes, position: int) -> _DocFormat:
    if not position:
        return _DocFormat()
    half = sheet[position]
    begin, size = (position + 1, 2 * half - 1) if half else (position + 2, 2 * sheet[position + 1])
    properties = sheet[begin : begin + size]
    style = int.from_bytes(properties[:2], "little")
    set_names = {name for name, value in _modifiers(properties[2:]) if value}
    return _DocFormat(style, _IN_TABLE in set_names, _ROW_END in set_names)


def _modifiers(properties: bytes) -> Iterator[tuple[int, int]]:
    """Yield the id and first byte of every property ([MS-DOC] 2.2.5.1)."""
    position = 0
    while position + 2 < len(properties):
        name = int.from_bytes(properties[position : position + 2], "little")
        yield name, properties[position + 2]
        size = _OPERAND_BYTES[name >> 13] or properties[position + 2] + 1
        position += 2 + size


def _parts(paragraphs: Iterator[_Paragraph]) -> Iterator[DocumentPart]:
    path: HeadingPath = ()
    blocks: list[str] = []
    table = _Table()
    for paragraph, text in _without_fields(paragraphs):
        if table.takes(paragraph, text):
            continue
        blocks.extend(table.blocks())
        table = _Table()
        style = paragraph.look.style
        if style in _HEADINGS and text.strip():
            yield _part(blocks, path)
            path = add_heading(path, style, " ".join(text.split()))
            blocks = []
        blocks.append(text.strip())
    yield _part([*blocks, *table.blocks()], path)


def _part(blocks: list[str], path: HeadingPath) -> DocumentPart:
    text = "\n\n".join(block for block in blocks if block)
    return DocumentPart(text, section=section_of(path))


class _Table:
    """Collects the cells of a table until a paragraph outside the table follows."""

    def __init__(self) -> None:
        self._rows: list[list[str]] = []
        self._cells: list[str] = []
        self._begun = ""

    def takes(self, paragraph: _Paragraph, text: str) -> bool:
        """Add a paragraph if it belongs to a table; return whether it does."""
        is_cell_end = paragraph.text.endswith("\x07")
        if is_cell_end and paragraph.look.is_row_end:
            self._rows.append(self._cells)
            self._cells = []
        elif is_cell_end:
            self._cells.append(" ".join(f"{self._begun} {text}".split()))
            self._begun = ""
        elif paragraph.look.is_in_table:
            self._begun += f" {text}"
        else:
            return False
        return True

    def blocks(self) -> list[str]:
        """Return the table, followed by cells that do not fit into any row."""
        guessed = [] if self._rows else _rows_of(self._cells)
        rows = [row for row in self._rows or guessed if any(row)]
        loose = [] if guessed else self._cells
        return [markdown_table(rows) if rows else "", *loose, self._begun.strip()]


def _rows_of(cells: list[str]) -> list[list[str]]:
    """Split cells into rows at the empty cell after each row, if the end of rows is not marked otherwise."""
    for columns in range(1, _MAX_COLUMNS):
        step = columns + 1
        if len(cells) % step == 0 and not any(cells[columns::step]):
            return [cells[begin : begin + columns] for begin in range(0, len(cells), step)]
    return []


def _without_fields(paragraphs: Iterator[_Paragraph]) -> Iterator[tuple[_Paragraph, str]]:
    """Remove field codes and keep the field results; fields can span paragraphs."""
    hidden: list[bool] = []
    for paragraph in paragraphs:
        kept: list[str] = []
        for char in paragraph.text:
            if char == "\x13":
                hidden.append(True)
            elif char == "\x14" and hidden:
                hidden[-1] = False
            elif char == "\x15" and hidden:
                hidden.pop()
            elif not any(hidden):
                kept.append(char)
        yield paragraph, _replace_characters("".join(kept))


def _replace_characters(text: str) -> str:
    """Return text as displayed, replacing Word's characters for breaks and hyphens."""
    return text.translate(
        {0x0B: "\n", 0x0C: "\n", 0x0D: None, 0x07: None, 0x1E: "-", 0x1F: None, 0x01: None, 0x08: None}
    )
