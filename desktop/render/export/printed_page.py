"""A conversation as it is printed to PDF: its notes, and its outline, as the web engine writes none.

Each mark leads to a note at the end, which quotes its passage and leads back.
"""

import itertools
import re
from collections import defaultdict
from dataclasses import dataclass, field
from typing import Final

from desktop.domain.messages import Conversation, Message
from desktop.render.export.cited_passages import CitedPassages, verdict_line
from desktop.render.export.html import HtmlPage, links_back
from desktop.render.labels import Labels
from desktop.text.html_element import EMPTY, Html, element, fragment

HEADING_ID: Final = "heading-"
"""How the ids of headings begin in the page that is printed."""
_TITLE_CHARS: Final = 200
_END = re.compile(rb"trailer\s*<<(.*?)>>\s*startxref\s+(\d+)\s+%%EOF\s*\Z", re.DOTALL)
_ROOT = re.compile(rb"/Root (\d+) 0 R")
_SIZE = re.compile(rb"/Size (\d+)")


@dataclass
class _OutlineEntry:
    """A heading; `number` is that of its object."""

    level: int
    title: str
    place: str
    number: int = 0
    inner: list["_OutlineEntry"] = field(default_factory=list)

    @property
    def count(self) -> int:
        """How many headings are below it."""
        return sum(1 + each.count for each in self.inner)


def add_outline(pdf: bytes, page: bytes) -> bytes:
    """Return a PDF with the headings of the page that was printed; unchanged if there are none, or it is built otherwise."""
    end = _END.search(pdf)
    root = end and _ROOT.search(end[1])
    size = end and _SIZE.search(end[1])
    if not (end and root and size):
        return pdf
    catalogue = re.search(rb"(?:\A|\n)%d 0 obj\s*<<(.*?)>>\s*endobj" % int(root[1]), pdf, re.DOTALL)
    entries = [entry for entry in _headings(page) if re.search(rb"/%s\b" % entry.place.encode(), pdf)]
    if catalogue is None or not entries or b"/Outlines" in catalogue[1]:
        return pdf
    first = int(size[1])
    for number, entry in enumerate(entries, first + 1):
        entry.number = number
    outline = _OutlineEntry(0, "", "", first, _nest(entries))
    objects = {int(root[1]): b"<<%s\n/Outlines %d 0 R\n/PageMode /UseOutlines>>" % (catalogue[1], first)}
    _write(outline, objects)
    return pdf + _update(objects, len(pdf), end[1], first + len(entries) + 1, int(end[2]))


def _headings(page: bytes) -> list[_OutlineEntry]:
    from lxml import html  # noqa: PLC0415 - with the first PDF

    found = []
    # Without `huge_tree`, a large picture or deep nesting ends the page for the parser.
    document = html.document_fromstring(page, parser=html.HTMLParser(huge_tree=True, encoding="utf-8"))
    for heading in document.iter("h1", "h2", "h3", "h4", "h5", "h6"):
        place = heading.get("id") or ""
        title = " ".join(str(heading.text_content()).split())[:_TITLE_CHARS]
        if place.startswith(HEADING_ID) and title:
            found.append(_OutlineEntry(int(str(heading.tag)[1]), title, place))
    return found


def _nest(entries: list[_OutlineEntry]) -> list[_OutlineEntry]:
    """Return the headings of the highest level, each with those below it."""
    top: list[_OutlineEntry] = []
    open_ones: list[_OutlineEntry] = []
    for entry in entries:
        while open_ones and open_ones[-1].level >= entry.level:
            open_ones.pop()
        (open_ones[-1].inner if open_ones else top).append(entry)
        open_ones.append(entry)
    return top


def _write(parent: _OutlineEntry, objects: dict[int, bytes]) -> None:
    """Write the entries below an entry, and the entry itself."""
    own = b"/Type /Outlines"
    if parent.place:
        title = f"\ufeff{parent.title}".encode("utf-16-be", "replace").hex().upper().encode()
        own = b"/Title <%s>\n/Dest /%s\n%s" % (title, parent.place.encode(), objects.pop(parent.number))
    if parent.inner:
        ends = (parent.inner[0].number, parent.inner[-1].number, parent.count)
        own += b"\n/First %d 0 R\n/Last %d 0 R\n/Count %d" % ends
    objects[parent.number] = b"<<%s>>" % own
    for place, entry in enumerate(parent.inner):
        links = b"/Parent %d 0 R" % parent.number
        if place:
            links += b"\n/Prev %d 0 R" % parent.inner[place - 1].number
        if place + 1 < len(parent.inner):
            links += b"\n/Next %d 0 R" % parent.inner[place + 1].number
        objects[entry.number] = links
        _write(entry, objects)


def _update(objects: dict[int, bytes], at: int, trailer: bytes, size: int, before: int) -> bytes:
    """Return objects with the table of where they are, for a file that is `at` bytes long until then."""
    body = b"\n"
    table = b"xref\n"
    for number, content in sorted(objects.items()):
        table += b"%d 1\n%010d 00000 n \n" % (number, at + len(body))
        body += b"%d 0 obj\n%s\nendobj\n" % (number, content)
    kept = re.sub(rb"/(?:Size|Prev) \d+\s*", b"", trailer).strip()
    return (
        body
        + table
        + b"trailer\n<</Size %d\n/Prev %d\n%s>>\nstartxref\n%d\n%%%%EOF\n"
        % (size, before, kept, at + len(body))
    )


# Matches the output of our own renderer; text from a message contains no unescaped <.
_HEADING = re.compile(r"<h([1-6])((?: [^>]*)?)>(.*?)</h\1>", re.DOTALL)


def printed_page_of(conversation: Conversation, labels: Labels) -> Html:
    """Return a conversation as the HTML document that is printed to PDF."""
    return _PrintedPage(conversation, labels).write()


class _PrintedPage(HtmlPage):
    def __init__(self, conversation: Conversation, labels: Labels) -> None:
        super().__init__(conversation, labels)
        self._passages: CitedPassages
        self._sources = {source.number: source for source in conversation.sources}
        self._notes: defaultdict[int, dict[tuple[str, str], list[int]]] = defaultdict(dict)
        """By source number: the marks of each quotation and its verdict."""

    def write(self) -> Html:
        """Return the page, whose headings `add_outline` finds in the PDF by links to themselves."""
        count = itertools.count(1)
        return Html(_HEADING.sub(lambda heading: _link_heading(heading, next(count)), super().write()))

    def _answer(self, index: int, message: Message) -> Html:
        known = (source.number for source in message.sources_among(self._used.sources))
        self._passages = CitedPassages(message, frozenset(known))
        return super()._answer(index, message)

    def _mark_extras(self, number: int, count: int) -> dict[str, str]:
        source = self._sources[number]
        cited = self._passages.next(source)
        notes = self._notes[number]
        verdict = verdict_line(cited.checked, self._labels) if cited.checked and source.text else ""
        words = cited.words or ("" if notes else cited.beginning)
        notes.setdefault((words, verdict), []).append(count)
        return {}

    def _ways_back(self, number: int) -> Html:
        rows = [
            element("li", links_back(number, counts), _quote(words), _verdict(verdict))
            for (words, verdict), counts in self._notes[number].items()
        ]
        return element("ul", *rows, class_="quotations") if rows else EMPTY


def _link_heading(heading: re.Match[str], number: int) -> str:
    """Give a heading an id, and a link to it: the web engine names only places in the PDF to which a link leads."""
    level, attributes, words = heading.groups()
    attributes = re.sub(r' id="[^"]*"', "", attributes)
    place = f"{HEADING_ID}{number}"
    link = element("a", "\xa0", class_="here", href=f"#{place}")
    return f'<h{level} id="{place}"{attributes}>{link}{words}</h{level}>'


def _quote(words: str) -> Html:
    return fragment(" ", element("q", words, dir="auto")) if words else EMPTY


def _verdict(verdict: str) -> Html:
    return fragment(" ", element("em", verdict)) if verdict else EMPTY
