"""PDF through PDFium: text page by page, sections from the bookmarks."""

import re
from importlib import import_module
from pathlib import Path
from typing import Any

from desktop.errors import CorruptFile, NothingToRead
from desktop.knowledge.loaders.document import SECTION_JOIN, Document, Part, Report, clean, document_of
from desktop.phrases import phrase

_pdfium: Any = import_module("pypdfium2")  # it ships no types
PdfiumError: type[RuntimeError] = _pdfium.PdfiumError

_PICTURES = phrase("Its pages ({total}) are images without a text layer.")

_SENTENCE_END = re.compile(r"[.!?:。！？：；…][\"'”’」』）)\]]*$")
_CJK_END = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]$")
_CJK_START = re.compile(r"[\u2e80-\u9fff\uff00-\uffef]")
_ITEM_START = re.compile(r"(?:[-•◦▪●*·–]|\(?\d{1,3}[.)、]|[（(]?[一二三四五六七八九十]+[、）)])\s*\S")
_FULL_LINE = 0.75
"""A line at least this long, against the longest of its page, was broken for want of room."""


def load_pdf(path: Path, report: Report) -> Document:
    """Load the text layer of a PDF.

    Raises:
        CorruptFile: PDFium cannot open it, or it needs a password.
        NothingToRead: no page has a text layer.
    """
    try:
        pdf = _pdfium.PdfDocument(path)
    except PdfiumError as error:
        raise CorruptFile(name=path.name, detail=_reason(error)) from error
    try:
        return _document(pdf, path, report)
    finally:
        pdf.close()


def _document(pdf: Any, path: Path, report: Report) -> Document:
    total = len(pdf)
    sections = _sections(pdf, total)
    parts: list[Part] = []
    broken = 0
    for index in range(total):
        try:
            parts.append(Part(_page_text(pdf, index), index + 1, sections[index]))
        except PdfiumError:  # one damaged page must not cost the others
            broken += 1
        report(index + 1, total)
    document = document_of(_title(pdf), parts, total)
    if broken and not document.parts:
        raise CorruptFile(name=path.name, detail=phrase("none of its pages can be opened"))
    if not document.parts:
        raise NothingToRead(name=path.name, detail=_PICTURES.format(total=total))
    return document


def _reason(error: Exception) -> str:
    if "password" in str(error).lower():
        return phrase("it needs a password")
    return phrase("it is not a readable PDF")


def _page_text(pdf: Any, index: int) -> str:
    page = pdf[index]
    try:
        text_page = page.get_textpage()
        try:
            return reflow(str(text_page.get_text_bounded()))
        finally:
            text_page.close()
    finally:
        page.close()


def _title(pdf: Any) -> str:
    try:
        return str(pdf.get_metadata_value("Title"))
    except (PdfiumError, UnicodeDecodeError):
        return ""


def _sections(pdf: Any, total: int) -> list[str]:
    """Return the path of bookmarks that each page stands under."""
    starts: dict[int, str] = {}
    path: list[str] = []
    try:
        for bookmark in pdf.get_toc(max_depth=4):
            title, target = clean(bookmark.get_title()).strip(), bookmark.get_dest()
            path = [*path[: bookmark.level], title]
            page = target.get_index() if target is not None else None
            if page is not None and title:
                starts[page] = SECTION_JOIN.join(name for name in path if name)
    except (PdfiumError, UnicodeDecodeError):  # bookmarks are a help, not the text
        return [""] * total
    sections: list[str] = []
    for page in range(total):
        sections.append(starts.get(page, sections[-1] if sections else ""))
    return sections


def reflow(text: str) -> str:
    """Join the lines of a page that were broken only because the page was not wider."""
    lines = [line.strip() for line in clean(text).split("\n")]
    full = _FULL_LINE * max((len(line) for line in lines), default=0)
    joined: list[str] = []
    previous = ""
    for line in lines:
        if previous and line and _goes_on(previous, line, full):
            joined[-1] = _join(joined[-1], line)
        else:
            joined.append(line)
        previous = line
    return "\n".join(joined)


def _goes_on(previous: str, line: str, full: float) -> bool:
    if _ITEM_START.match(line):
        return False
    if line[0].islower() and not _SENTENCE_END.search(previous):
        return True
    return len(previous) >= full and not (
        _SENTENCE_END.search(previous) and len(previous) < full / _FULL_LINE
    )


def _join(left: str, right: str) -> str:
    if left.endswith(("\u00ad", "\ufffe")):
        return left[:-1] + right
    if left.endswith("-") and right[0].islower() and left[-2:-1].isalpha():
        return left[:-1] + right
    if _CJK_END.search(left) and _CJK_START.match(right):
        return left + right
    return f"{left} {right}"
