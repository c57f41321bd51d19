"""A conversation as it is printed to PDF: each mark leads to a note at the end, which quotes its passage and leads back.

The web engine that prints it has no footnotes at the foot of the page.
"""

import itertools
import re
from collections import defaultdict

from desktop.domain.messages import Conversation, Message
from desktop.render.export.cited_passages import CitedPassages, verdict_line
from desktop.render.export.html import HtmlPage, links_back
from desktop.render.export.pdf_outline import HEADING_ID
from desktop.render.labels import Labels
from desktop.text.html.element import EMPTY, Html, element, fragment

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
        return Html(_HEADING.sub(lambda heading: _linked(heading, next(count)), super().write()))

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


def _linked(heading: re.Match[str], number: int) -> str:
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
