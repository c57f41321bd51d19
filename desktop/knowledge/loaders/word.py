"""Word documents: headings by style, tables as Markdown.

One is read from its beginning and held piece by piece: how long it is tells nothing of how far it unpacks.
"""

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from zipfile import BadZipFile, ZipFile

from lxml.etree import LxmlError, iterwalk

from desktop.errors import CorruptFile
from desktop.knowledge.loaders.document import SECTION_JOIN, Desk, Document, Part, clean, document_of
from desktop.knowledge.loaders.table import markdown_table
from desktop.knowledge.loaders.word_archive import attribute, child, forget, local, part_of, steps
from desktop.phrases import phrase

_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_TITLE = "title"
_MAX_STYLE_DEPTH = 10
_MAX_SPAN = 63
"""So many columns a table of Word has at most."""
_PART_CHARS = 100_000
"""Text without a heading is passed on in parts of about this length."""
_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n"}
_LEFT_OUT = frozenset({"Fallback", "pPr", "rPr", "tcPr", "sectPr"})
"""The same text again for old programs, and how it looks; tab stops are named like tabs."""
_OLE_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_BROKEN = (
    BadZipFile,
    LxmlError,
    KeyError,
    ValueError,
    NotImplementedError,
    RuntimeError,
    EOFError,
    zlib.error,
)
"""What archives and XML raise that are not what they say."""


@dataclass(frozen=True)
class _Block:
    """A paragraph, or a table, which has no style."""

    text: str
    style: str = ""


@dataclass(frozen=True)
class _Style:
    name: str
    made_from: str


def load_word(path: Path, desk: Desk) -> Document:
    """Load a docx.

    Raises:
        CorruptFile: it is no docx, or a locked one, which is an OLE container instead of an archive.
    """
    try:
        with ZipFile(path) as archive:
            return _document(archive, desk)
    except _BROKEN as error:
        with path.open("rb") as file:
            is_locked = file.read(len(_OLE_MAGIC)) == _OLE_MAGIC
        detail = phrase("it needs a password") if is_locked else phrase("it is not a readable docx file")
        raise CorruptFile(name=path.name, detail=detail) from error


def _document(archive: ZipFile, desk: Desk) -> Document:
    body = part_of(archive, "officeDocument") or "word/document.xml"
    styles = _styles(archive, part_of(archive, "styles", body))
    titles: list[str] = []
    document = document_of("", _parts(_blocks(archive, body), styles, titles), is_late=desk.is_late)
    title = _core_title(archive) or next(iter(titles), "")
    return replace(document, title=clean(title).strip())


def _core_title(archive: ZipFile) -> str:
    part = part_of(archive, "core-properties")
    if part not in archive.namelist():
        return ""
    return next(
        (element.text or "" for event, element in steps(archive, part, "title") if event == "end"), ""
    )


def _styles(archive: ZipFile, part: str) -> dict[str, _Style]:
    styles: dict[str, _Style] = {}
    if part not in archive.namelist():
        return styles
    for event, style in steps(archive, part, "style"):
        if event == "start":
            continue
        name, made_from = child(style, "name"), child(style, "basedOn")
        styles[attribute(style, "styleId")] = _Style(
            attribute(name, "val") if name is not None else "",
            attribute(made_from, "val") if made_from is not None else "",
        )
        forget(style)
    return styles


def _level(styles: dict[str, _Style], style_id: str) -> int | None:
    """Return the level of a heading, by its style or the styles that this one is made from."""
    for _ in range(_MAX_STYLE_DEPTH):
        style = styles.get(style_id)
        if style is None:
            return None
        if found := _HEADING.fullmatch(style.name):
            return int(found[1])
        style_id = style.made_from
    return None


def _parts(blocks: Iterator[_Block], styles: dict[str, _Style], titles: list[str]) -> Iterator[Part]:
    """Yield what stands under each heading, and note in `titles` what is in the style of a title."""
    path: list[tuple[int, str]] = []
    texts: list[str] = []
    size = 0
    for block in blocks:
        level = _level(styles, block.style)
        if level is not None or size > _PART_CHARS:
            yield Part("\n\n".join(texts), section=_section(path))
            texts, size = [], 0
        if level is not None:
            path = [(above, name) for above, name in path if above < level]
            path.append((level, " ".join(block.text.split())))
        elif block.style in styles and styles[block.style].name.lower() == _TITLE:
            titles.append(block.text)
        texts.append(block.text)
        size += len(block.text)
    yield Part("\n\n".join(texts), section=_section(path))


def _section(path: list[tuple[int, str]]) -> str:
    return SECTION_JOIN.join(name for _, name in path if name)


def _blocks(archive: ZipFile, body: str) -> Iterator[_Block]:
    """Yield the paragraphs and tables that hold any text and stand in no other, in whatever else they stand."""
    depth = 0
    rows: list[list[str]] = []
    for event, element in steps(archive, body, "p", "tbl", "tr"):
        kind = local(element)
        if event == "start":
            depth += kind != "tr"
            continue
        depth -= kind != "tr"
        if kind == "tr" and depth == 1:
            rows.append(_row(element, rows[-1] if rows else []))
            forget(element)
        elif kind != "tr" and depth == 0:
            block = _paragraph(element) if kind == "p" else _Block(markdown_table(rows))
            rows = []
            forget(element)
            if block.text.strip():
                yield block


def _paragraph(element: Any) -> _Block:
    style = child(element, "pPr/pStyle")
    return _Block(_plain(element), attribute(style, "val") if style is not None else "")


def _row(element: Any, above: list[str]) -> list[str]:
    """Return a row of cells; one that spans several is in each of them."""
    row = [""] * _count(child(element, "trPr/gridBefore"), 0)
    for cell in element.iterchildren("{*}tc"):
        text = " ".join(_plain(cell).split())
        merged = child(cell, "tcPr/vMerge")
        if merged is not None and attribute(merged, "val") != "restart" and len(row) < len(above):
            text = above[len(row)]
        row.extend([text] * _count(child(cell, "tcPr/gridSpan"), 1))
    return row


def _count(element: Any, otherwise: int) -> int:
    text = attribute(element, "val") if element is not None else ""
    return min(int(text), _MAX_SPAN) if text.isdecimal() else otherwise


def _plain(element: Any) -> str:
    """Return all text inside of an element, formulas and text boxes included, each once."""
    texts: list[str] = []
    walk = iterwalk(element, events=("start", "end"))
    for event, inner in walk:
        name = local(inner)
        if event == "end":
            if name == "p" and inner is not element:
                texts.append("\n")
        elif name in _LEFT_OUT:
            walk.skip_subtree()
        elif name == "t":
            texts.append(inner.text or "")
        elif name in _SIGNS:
            texts.append(_SIGNS[name])
    return "".join(texts)
