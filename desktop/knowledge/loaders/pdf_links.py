"""The text of a PDF page with the web addresses of its link annotations, as Markdown."""

import ctypes
import re
from bisect import bisect_right
from importlib import import_module
from typing import Any, Final, NamedTuple

from desktop.knowledge.loaders.document import reflow

_raw: Any = import_module("pypdfium2.raw")  # it has no type hints

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
            layer = _marked(text_page, links)
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


def _marked(text_page: Any, links: list[_Link]) -> str:
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
