"""A conversation as it is printed to PDF: each mark leads to a note at the end, which quotes its passage and leads back.

The web engine that prints it has no footnotes at the foot of the page.
"""

from collections import defaultdict

from desktop.domain.messages import Conversation, Message
from desktop.render.export.cited_passages import CitedPassages, verdict_line
from desktop.render.export.html import HtmlPage, links_back
from desktop.render.labels import Labels
from desktop.text.html.element import EMPTY, Html, element, fragment


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


def _quote(words: str) -> Html:
    return fragment(" ", element("q", words, dir="auto")) if words else EMPTY


def _verdict(verdict: str) -> Html:
    return fragment(" ", element("em", verdict)) if verdict else EMPTY
