"""PDF through PDFium: text by page, links as Markdown, sections from bookmarks; pages without text are read as pictures."""

import ctypes
import re
import unicodedata
from bisect import bisect_right
from dataclasses import dataclass, replace
from importlib import import_module
from pathlib import Path
from typing import Any, Final, NamedTuple

from desktop.domain.sources import SECTION_JOIN
from desktop.errors import CorruptFile, NothingToRead
from desktop.knowledge.loaders.document import (
    MAX_TEXT_BYTES,
    Document,
    DocumentPart,
    LoaderContext,
    Pixels,
    clean,
    document_of,
    reflow,
    shows_something,
    size_of,
)
from desktop.phrases import translatable

_pdfium: Any = import_module("pypdfium2")  # it has no type hints
_raw: Any = import_module("pypdfium2.raw")
PdfiumError: type[RuntimeError] = _pdfium.PdfiumError

_MAX_PAGES = 10_000
_MAX_SCANS = 2_000
"""Maximum number of scanned pages, because a small file can repeat a page any number of times."""

_PICTURES = translatable("Its pages ({total}) are images without a text layer.")
_ILLEGIBLE = translatable("No text was recognized on its pages ({total}).")
SIDE = 2_200
"""Longer side in pixels: 190 dpi on A4, enough to read the smallest print."""
_FEW_LETTERS = 8
"""A text layer with no more letters than this is only a page number, or empty."""
_FULL_LAYER = 120
"""A text layer with more letters than this is that of the whole page, even above a picture."""
_PAGE_SHARE = 0.5
_GARBAGE_SHARE = 0.2
_MAX_OBJECTS = 400
_UNREADABLE = frozenset({"Co", "Cn", "Cc", "Cs"})
"""Unicode categories of characters that come from fonts without a character map."""

_MOST_LINKS: Final = 500
"""Of one page."""
_MOST_CHARS: Final = 200_000
_MOST_ADDRESS_BYTES: Final = 4_000
_OPEN, _CLOSE, _END = "\ue010", "\ue011", "\ue012"
"""Signs around linked words until the lines of the page are joined: addresses are no part of their length."""
_SIGNS = re.compile("[\ue010-\ue012]")
_LINKED = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}{_END}]*){_CLOSE}(\\d+){_END}")
_RAISED = re.compile(
    rf"\r?\n((?:{_OPEN}?[\[［【]?\d{{1,3}}(?:\s?[,–-]\s?\d{{1,3}})*[\]］】]?(?:{_CLOSE}\d+{_END})?)+)(?=\r?\n|$)"
)
"""A mark above the line, which PDFium puts on a line of its own; a number without brackets only if it is linked."""
_BEFORE_PUNCTUATION = re.compile(r"(?<=[\]］】\ue012])[ \r\n]{1,4}(?=[.,;:!?。，；：！？])")


@dataclass(frozen=True)
class _PdfPage:
    """The result of reading a page.

    If it `is_scanned`, the text was read from its picture; if it `is_wordless`, it shows something without
    text; if it `is_drawn`, it was rendered, whatever the result.
    """

    text: str
    is_drawn: bool = False
    is_scanned: bool = False
    is_wordless: bool = False


def load_pdf(path: Path, context: LoaderContext) -> Document:
    """Load the text layer of a PDF, and read pages without one as pictures.

    Raises:
        CorruptFile: PDFium cannot open it, or it needs a password.
        NothingToRead: no page has a text layer, and none could be read as a picture.
        NeedsScan: as `LoaderContext.read_picture` does.
    """
    try:
        pdf = _pdfium.PdfDocument(path)
    except PdfiumError as error:
        raise CorruptFile(name=path.name, detail=_reason(error)) from error
    try:
        return _document(pdf, path, context)
    finally:
        pdf.close()


def draw_page(path: Path, page: int | None) -> "Pixels | None":
    """Return a page as a picture, or None if it was read from its text layer.

    Raises:
        PdfiumError: PDFium cannot open it, or it has no such page.
    """
    pdf = _pdfium.PdfDocument(path)
    try:
        drawn = pdf[(page or 1) - 1]
        try:
            return picture_of(drawn) if needs_scan(drawn, _text_layer(drawn)) else None
        finally:
            drawn.close()
    finally:
        pdf.close()


def _document(pdf: Any, path: Path, context: LoaderContext) -> Document:
    total = len(pdf)
    sections = _sections(pdf, total)
    parts: list[DocumentPart] = []
    wordless: list[int | None] = []
    broken = drawn = scanned = size = 0
    is_cut = total > _MAX_PAGES
    context.report(0, total)
    for index in range(min(total, _MAX_PAGES)):
        if size > MAX_TEXT_BYTES or drawn >= _MAX_SCANS or context.is_late():
            is_cut = True
            break
        try:
            page = _read(pdf, index, context)
            parts.append(DocumentPart(page.text, index + 1, sections[index]))
            drawn += page.is_drawn
            scanned += page.is_scanned
            wordless += [index + 1] * page.is_wordless
            size += size_of(page.text)
        except (PdfiumError, ValueError):  # a damaged page should not affect the others
            broken += 1
        context.report(index + 1, total)
    document = document_of(_title(pdf), parts, total, scanned, is_cut=is_cut)
    if broken and not document.parts:
        raise CorruptFile(name=path.name, detail=translatable("none of its pages can be opened"))
    if not document.parts and not wordless:
        detail = _ILLEGIBLE if context.read_picture else _PICTURES
        raise NothingToRead(name=path.name, detail=detail.format(total=total))
    return replace(document, wordless=tuple(wordless))


def _reason(error: Exception) -> str:
    if "password" in str(error).lower():
        return translatable("it needs a password")
    return translatable("it is not a readable PDF")


def _read(pdf: Any, index: int, context: LoaderContext) -> _PdfPage:
    page = pdf[index]
    try:
        layer = _text_layer(page)
        if context.read_picture is None or not needs_scan(page, layer):
            return _PdfPage(text_with_links(pdf, page, layer) if context.keeps_links else reflow(layer))
        picture = picture_of(page)
        if text := context.read_picture(picture):
            return _PdfPage(text, is_drawn=True, is_scanned=True)
        is_wordless = context.describes and shows_something(picture)
        return _PdfPage(reflow(layer), is_drawn=True, is_wordless=is_wordless)
    finally:
        page.close()


def _text_layer(page: Any) -> str:
    text_page = page.get_textpage()
    try:
        return str(text_page.get_text_bounded())
    finally:
        text_page.close()


def _title(pdf: Any) -> str:
    try:
        return str(pdf.get_metadata_value("Title"))
    except (PdfiumError, UnicodeDecodeError):
        return ""


def _sections(pdf: Any, total: int) -> list[str]:
    """Return the bookmark path of each page."""
    starts: dict[int, str] = {}
    path: list[str] = []
    try:
        for bookmark in pdf.get_toc(max_depth=4):
            title, target = clean(bookmark.get_title()).strip(), bookmark.get_dest()
            path = [*path[: bookmark.level], title]
            page = target.get_index() if target is not None else None
            if page is not None and title:
                starts[page] = SECTION_JOIN.join(name for name in path if name)
    except (PdfiumError, UnicodeDecodeError):  # bookmarks are optional
        return [""] * total
    sections: list[str] = []
    for page in range(total):
        sections.append(starts.get(page, sections[-1] if sections else ""))
    return sections


def needs_scan(page: Any, layer: str) -> bool:
    """Say whether a page has content but no usable text layer."""
    letters = _letters(layer)
    if letters > _FULL_LAYER:
        return False
    if letters > _FEW_LETTERS:
        return _picture_share(page) >= _PAGE_SHARE
    return bool(_raw.FPDFPage_CountObjects(page) > 0)


def picture_of(page: Any) -> Pixels:
    """Render a page with a limited size, whatever its declared size.

    Raises:
        ValueError: its declared size is empty.
    """
    scale = SIDE / max(*page.get_size(), 1.0)
    bitmap = page.render(scale=scale, rev_byteorder=False)
    try:
        pixels: Pixels = bitmap.to_numpy()[:, :, :3].copy()
    finally:
        bitmap.close()
    return pixels


def _letters(layer: str) -> int:
    """Count the readable letters; a layer that is largely garbage counts as 0."""
    seen = [char for char in layer if not char.isspace()]
    garbage = sum(char == "\ufffd" or unicodedata.category(char) in _UNREADABLE for char in seen)
    if garbage > _GARBAGE_SHARE * len(seen):
        return 0
    return sum(char.isalnum() for char in seen)


def _picture_share(page: Any) -> float:
    """Return the share of a page that its largest picture covers."""
    width, height = page.get_size()
    shares = [0.0]
    for found in page.get_objects(filter=[_raw.FPDF_PAGEOBJ_IMAGE], max_depth=2):
        left, bottom, right, top = found.get_bounds()
        shares.append((right - left) * (top - bottom) / max(width * height, 1.0))
        if len(shares) > _MAX_OBJECTS:
            break
    return max(shares)


class _Link(NamedTuple):
    left: float
    bottom: float
    right: float
    top: float
    address: str


def text_with_links(pdf: Any, page: Any, layer: str) -> str:
    """Return the text of a page, of which `layer` is the text, with its links as Markdown and its marks in their lines."""
    links = _links_of(pdf, page)
    if links:
        text_page = page.get_textpage()
        try:
            layer = _mark_links(text_page, links)
        finally:
            text_page.close()
    return _LINKED.sub(lambda match: _markdown(match, links), reflow(_with_raised_marks(layer)))


def _with_raised_marks(text: str) -> str:
    joined = _RAISED.sub(lambda mark: mark[1] if _is_mark(mark[1]) else mark[0], text)
    return _BEFORE_PUNCTUATION.sub("", joined)


def _is_mark(words: str) -> bool:
    return words[0] in "[［【" or _OPEN in words


def _links_of(pdf: Any, page: Any) -> list[_Link]:
    found: list[_Link] = []
    position, link = ctypes.c_int(0), _raw.FPDF_LINK()
    while len(found) < _MOST_LINKS and _raw.FPDFLink_Enumerate(page, position, link):
        address = _address_of(pdf, link)
        rectangle = _raw.FS_RECTF()
        if address and _raw.FPDFLink_GetAnnotRect(link, rectangle):
            low, high = sorted((rectangle.bottom, rectangle.top))
            left, right = sorted((rectangle.left, rectangle.right))
            found.append(_Link(left, low, right, high, address))
    return found


def _address_of(pdf: Any, link: Any) -> str:
    action = _raw.FPDFLink_GetAction(link)
    if not action or _raw.FPDFAction_GetType(action) != _raw.PDFACTION_URI:
        return ""
    size = _raw.FPDFAction_GetURIPath(pdf, action, None, 0)
    if not 0 < size <= _MOST_ADDRESS_BYTES:
        return ""
    buffer = ctypes.create_string_buffer(size)
    _raw.FPDFAction_GetURIPath(pdf, action, buffer, size)
    address = buffer.value.decode("utf-8", "replace").strip()
    is_web = address.lower().startswith(("http://", "https://")) and not re.search(r"\s", address)
    return address if is_web else ""


def _mark_links(text_page: Any, links: list[_Link]) -> str:
    """Return the characters of a page with signs around those that lie in a link."""
    rows = sorted(range(len(links)), key=lambda index: links[index].bottom)
    bottoms = [links[index].bottom for index in rows]
    pieces: list[str] = []
    within = -1
    for index in range(min(_raw.FPDFText_CountChars(text_page), _MOST_CHARS)):
        char = chr(_raw.FPDFText_GetUnicode(text_page, index))
        if not char.isspace():  # a link that goes on in the next line, or between its words
            x, y = _middle(text_page, index)
            here = _link_at(x, y, links, rows[: bisect_right(bottoms, y)])
            if within >= 0 and (here < 0 or links[here].address != links[within].address):
                _close(pieces, within)
                within = -1
            if here >= 0 and within < 0:
                pieces.append(_OPEN)
                within = here
        pieces.append(_SIGNS.sub("", char))
    if within >= 0:
        _close(pieces, within)
    return "".join(pieces).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _close(pieces: list[str], link: int) -> None:
    """End a link behind its last word."""
    end = len(pieces)
    while pieces[end - 1].isspace() or not pieces[end - 1]:
        end -= 1
    pieces.insert(end, f"{_CLOSE}{link}{_END}")


def _middle(text_page: Any, index: int) -> tuple[float, float]:
    left, right, bottom, top = (ctypes.c_double() for _ in range(4))
    _raw.FPDFText_GetCharBox(text_page, index, left, right, bottom, top)
    return (left.value + right.value) / 2, (bottom.value + top.value) / 2


def _link_at(x: float, y: float, links: list[_Link], candidates: list[int]) -> int:
    inside = (
        each for each in candidates if links[each].left <= x <= links[each].right and y <= links[each].top
    )
    return next(inside, -1)


def _markdown(match: re.Match[str], links: list[_Link]) -> str:
    words = " ".join(match[1].split())
    address = (
        links[int(match[2])]
        .address.replace("(", "%28")
        .replace(")", "%29")
        .replace("<", "%3C")
        .replace(">", "%3E")
    )
    return f"[{words}]({address})" if words else ""
