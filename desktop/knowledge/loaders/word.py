"""Word documents: headings by style, tables as Markdown."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import docx
from docx.document import Document as WordDocument
from docx.opc.exceptions import PackageNotFoundError
from docx.oxml.ns import qn
from docx.table import Table
from docx.text.paragraph import Paragraph
from lxml.etree import LxmlError

from desktop.errors import CorruptFile
from desktop.knowledge.loaders.document import SECTION_JOIN, Desk, Document, Part, document_of
from desktop.knowledge.loaders.table import markdown_table
from desktop.phrases import phrase

_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_MAX_STYLE_DEPTH = 10
_FORMULA_TEXT = "{http://schemas.openxmlformats.org/officeDocument/2006/math}t"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_TEXT = {qn("w:t"): None, _FORMULA_TEXT: None, qn("w:tab"): "\t", qn("w:br"): "\n", qn("w:cr"): "\n"}
_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BROKEN = (
    PackageNotFoundError,
    BadZipFile,
    LxmlError,
    KeyError,
    ValueError,
    AttributeError,
    NotImplementedError,
)
"""What python-docx has been seen to raise at files that are not what they say."""


def load_word(path: Path, _desk: Desk) -> Document:
    """Load a docx.

    Raises:
        CorruptFile: it is no docx, or a locked one, which is an OLE container instead of an archive.
    """
    try:
        word = docx.Document(str(path))
        return document_of(word.core_properties.title or _title(word), list(_parts(word)))
    except _BROKEN as error:
        with path.open("rb") as file:
            is_locked = file.read(len(_OLE_MAGIC)) == _OLE_MAGIC
        detail = phrase("it needs a password") if is_locked else phrase("it is not a readable docx file")
        raise CorruptFile(name=path.name, detail=detail) from error


def _parts(word: WordDocument) -> Iterator[Part]:
    path: list[tuple[int, str]] = []
    lines: list[str] = []
    for block in word.iter_inner_content():
        level = _level(block) if isinstance(block, Paragraph) else None
        if level is not None:
            yield Part("\n\n".join(lines), section=_section(path))
            name = " ".join(_text(block).split())
            path = [(above, other) for above, other in path if above < level] + [(level, name)]
            lines = []
        lines.append(_text(block))
    yield Part("\n\n".join(lines), section=_section(path))


def _section(path: list[tuple[int, str]]) -> str:
    return SECTION_JOIN.join(name for _, name in path if name)


def _level(paragraph: Paragraph) -> int | None:
    """Return the level of a heading, by its style or the styles that this one is made from."""
    style: Any = paragraph.style
    for _ in range(_MAX_STYLE_DEPTH):
        if style is None:
            return None
        found = _HEADING.fullmatch(style.name or "")
        if found:
            return int(found[1]) if _text(paragraph).strip() else None
        style = style.base_style
    return None


def _title(word: WordDocument) -> str:
    """Return the first paragraph in the style of a title."""
    return next((item.text for item in word.paragraphs if item.style and item.style.name == "Title"), "")


def _text(block: Paragraph | Table) -> str:
    if isinstance(block, Table):
        rows = [[" ".join(_plain(cell._tc).split()) for cell in row.cells] for row in block.rows]  # noqa: SLF001 - python-docx offers no way to formulas
        return markdown_table(rows)
    return _plain(block._p)  # noqa: SLF001 - same


def _plain(element: Any) -> str:
    """Return all text inside of an element, formulas and text boxes included, each once."""
    if element.tag == _FALLBACK:  # the text of its sibling again, for old programs
        return ""
    if element.tag in _TEXT:
        return _TEXT[element.tag] or element.text or ""
    inner = "".join(map(_plain, element))
    return f"{inner}\n" if element.tag == qn("w:p") and element.getparent().tag == qn("w:tc") else inner
