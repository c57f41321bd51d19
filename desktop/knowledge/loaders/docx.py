"""Word documents: headings by style, tables as Markdown.

The file is read as a stream, because its size does not limit how much it unpacks to.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from desktop.knowledge.loaders.csv import markdown_table
from desktop.knowledge.loaders.document import (
    Document,
    DocumentPart,
    HeadingPath,
    LoaderContext,
    add_heading,
    clean,
    document_of,
    section_of,
)
from desktop.knowledge.loaders.ooxml import (
    BROKEN,
    attribute,
    child,
    core_title,
    corrupt,
    forget,
    has,
    links_of,
    local,
    part_of,
    plain,
    steps,
)

_HEADING = re.compile(r"heading (\d)", re.IGNORECASE)
_TITLE = "title"
_MAX_STYLE_DEPTH = 10
_MAX_SPAN = 63
"""Maximum number of columns in a Word table."""
_PART_CHARS = 100_000
"""Approximate size of parts for text without headings, in characters."""


@dataclass(frozen=True)
class _DocxBlock:
    """A paragraph with its style, or a table, which has no style."""

    text: str
    style: str = ""


@dataclass(frozen=True)
class _Style:
    name: str
    made_from: str


def load_word(path: Path, context: LoaderContext) -> Document:
    """Load a docx file.

    Raises:
        CorruptFile: it is not a docx file, or it is locked, and therefore an OLE container instead of a zip
            archive.
    """
    try:
        with ZipFile(path) as archive:
            return _document(archive, context)
    except BROKEN as error:
        raise corrupt(path) from error


def _document(archive: ZipFile, context: LoaderContext) -> Document:
    body = part_of(archive, "officeDocument") or "word/document.xml"
    styles = _styles(archive, part_of(archive, "styles", body))
    titles: list[str] = []
    links = links_of(archive, body) if context.keeps_links else None
    parts = _parts(_blocks(archive, body, links), styles, titles)
    if links is not None:
        parts = chain(parts, _notes(archive, body))
    document = document_of("", parts, is_late=context.is_late)
    title = core_title(archive) or next(iter(titles), "")
    return replace(document, title=clean(title).strip())


def _notes(archive: ZipFile, body: str) -> Iterator[DocumentPart]:
    """Yield the foot- and endnotes as definitions of Markdown, one a part."""
    for kind, element, sign in (("footnotes", "footnote", "^"), ("endnotes", "endnote", "^e")):
        part = part_of(archive, kind, body)
        if not has(archive, part):
            continue
        links = links_of(archive, part)
        for event, note in steps(archive, part, element):
            if event == "end" and not attribute(note, "type"):  # the others are separators
                text = " ".join(plain(note, links).split())
                yield DocumentPart(f"[{sign}{attribute(note, 'id')}]: {text}" if text else "")
                forget(note)


def _styles(archive: ZipFile, part: str) -> dict[str, _Style]:
    styles: dict[str, _Style] = {}
    if not has(archive, part):
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
    """Return the heading level of a style or of the styles that it is based on."""
    for _ in range(_MAX_STYLE_DEPTH):
        style = styles.get(style_id)
        if style is None:
            return None
        if found := _HEADING.fullmatch(style.name):
            return int(found[1])
        style_id = style.made_from
    return None


def _parts(
    blocks: Iterator[_DocxBlock], styles: dict[str, _Style], titles: list[str]
) -> Iterator[DocumentPart]:
    """Yield the parts under each heading, and add paragraphs with a title style to `titles`."""
    path: HeadingPath = ()
    texts: list[str] = []
    size = 0
    for block in blocks:
        level = _level(styles, block.style)
        if level is not None or size > _PART_CHARS:
            yield DocumentPart("\n\n".join(texts), section=section_of(path))
            texts, size = [], 0
        if level is not None:
            path = add_heading(path, level, " ".join(block.text.split()))
        elif block.style in styles and styles[block.style].name.lower() == _TITLE:
            titles.append(block.text)
        texts.append(block.text)
        size += len(block.text)
    yield DocumentPart("\n\n".join(texts), section=section_of(path))


def _blocks(archive: ZipFile, body: str, links: Mapping[str, str] | None) -> Iterator[_DocxBlock]:
    """Yield non-empty paragraphs and tables that are not nested in another one, at any depth."""
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
            block = _paragraph(element, links) if kind == "p" else _DocxBlock(markdown_table(rows))
            rows = []
            forget(element)
            if block.text.strip():
                yield block


def _paragraph(element: Any, links: Mapping[str, str] | None) -> _DocxBlock:
    style = child(element, "pPr/pStyle")
    return _DocxBlock(plain(element, links), attribute(style, "val") if style is not None else "")


def _row(element: Any, above: list[str]) -> list[str]:
    """Return the cells of a row; a cell that spans several columns or rows is repeated in each."""
    row = [""] * _count(child(element, "trPr/gridBefore"), 0)
    for cell in element.iterchildren("{*}tc"):
        text = " ".join(plain(cell).split())
        merged = child(cell, "tcPr/vMerge")
        if merged is not None and attribute(merged, "val") != "restart" and len(row) < len(above):
            text = above[len(row)]
        row.extend([text] * _count(child(cell, "tcPr/gridSpan"), 1))
    return row


def _count(element: Any, otherwise: int) -> int:
    text = attribute(element, "val") if element is not None else ""
    return min(int(text), _MAX_SPAN) if text.isdecimal() else otherwise
