"""An answer as one page to hand on: its marks show the cards of the window, with frozen passages and the check.

The page is that of the HTML export, with cards and one small script that its policy allows by hash. Without scripts,
and on paper, the marks lead to the list, which has the passages as well. Nothing is loaded from anywhere.
"""

from collections.abc import Collection
from dataclasses import replace
from typing import ClassVar

from desktop.domain.citation_check import CheckedMark, CitationCheck
from desktop.domain.messages import Conversation
from desktop.domain.sources import Source
from desktop.render.export.common_parts import clean, one_line, with_claims
from desktop.render.export.html import HtmlPage
from desktop.render.export.private_sources import cited_numbers, leave_out
from desktop.render.export.source_list import web_address
from desktop.render.labels import Labels
from desktop.render.page.cited_sentence import citing_sentence, excerpt_of
from desktop.render.page.source_cards import (
    check_html,
    cut_title,
    dates_of,
    dispute_html,
    kind_and_place,
    note_html,
    title_of,
)
from desktop.text.html_element import EMPTY, Html, element, fragment

_PASSAGES_BYTES = 110_000
_CARDS_BYTES = 120_000
"""What all passages, and all excerpts of cards, may take together; a page of 20 sources stays below 300 KB."""
_WITH_FORMULAS = 0.6
"""The share of these that remains where the answer brings a font for formulas."""
_MOST_BYTES = 300_000
_LEAST_PASSAGE_BYTES = 600
_MOST_PASSAGE_BYTES = 12_000


def shared_page_of(conversation: Conversation, labels: Labels, left_out: Collection[int] = ()) -> bytes:
    """Return the page of the only answer of a conversation, without the passages of the sources in `left_out`.

    Sources that the answer does not cite are not part of the page.
    """
    conversation = with_claims(leave_out(conversation, left_out, labels), labels)
    cited = cited_numbers(conversation)
    known = tuple(source for source in conversation.sources if source.number in cited)
    return (
        _SharedPage(replace(conversation, sources=known), labels, frozenset(left_out))
        .write()
        .encode(errors="replace")
    )


class _SharedPage(HtmlPage):
    style: ClassVar[tuple[str, ...]] = ("page/export.css", "page/code.css", "page/shared.css")
    script: ClassVar[str] = "page/shared.js"
    most_bytes: ClassVar[int] = _MOST_BYTES

    def __init__(self, conversation: Conversation, labels: Labels, left_out: frozenset[int]) -> None:
        super().__init__(conversation, labels)
        (self._message,) = conversation.messages
        self._check = self._message.check or CitationCheck()
        self._left_out = left_out
        self._sources = {source.number: source for source in conversation.sources}
        self._cards: list[Html] = []
        self._excerpt_bytes = 0
        has_formulas = any(sign in self._message.text for sign in ("$", "\\(", "\\["))
        self._share = _WITH_FORMULAS if has_formulas else 1.0

    def _lists(self) -> Html:
        day = self._labels.clock.day_of(self._message.created_at)
        return fragment(
            check_html(self._message.check, self._labels, has_buttons=False),
            self._list(self._labels.sources, self._used.cited),
            element("p", self._labels.frozen.format(date=day), class_="frozen"),
            "\n",
            element("div", "\n", *self._cards, id="cards"),
            "\n",
        )

    def _mark_extras(self, number: int, count: int) -> dict[str, str]:
        checked = self._check.mark(number, count - 1)
        place = f"card-{number}-{count}"
        source = self._sources.get(number)
        if source is None:
            return {}
        card = self._card(source, count - 1, checked)
        self._cards.append(fragment(element("div", card, class_="card", id=place, role="tooltip"), "\n"))
        support = {"data_support": checked.support.value} if checked else {}
        return {"aria_describedby": place, **support}

    def _card(self, source: Source, occurrence: int, checked: CheckedMark | None) -> Html:
        title = one_line(cut_title(title_of(source, self._labels)))
        if source.number in self._left_out:
            return fragment(_head(source, title, ""), element("p", self._labels.left_out_note))
        facts = [kind_and_place(source, self._labels, web_address(source)), *dates_of(source, self._labels)]
        head = _head(source, title, one_line(" · ".join(facts)))
        result = note_html(checked, self._labels) if checked else EMPTY
        sentence = (checked and checked.words) or citing_sentence(
            self._message.text, source.number, occurrence
        )
        shown = excerpt_of(clean(source.text), sentence)
        around = (shown.before, shown.after) if self._excerpt_bytes < self._share * _CARDS_BYTES else ("", "")
        words = element("mark", shown.words) if shown.words else EMPTY
        passage = fragment(around[0], words, around[1])
        self._excerpt_bytes += len(passage.encode(errors="replace"))
        sides = dispute_html(self._check, checked, self._sources, self._labels) if checked else EMPTY
        return fragment(head, result, element("blockquote", passage, dir="auto"), sides)

    def _passage(self, source: Source) -> Html:
        if source.number in self._left_out:
            return element("span", self._labels.left_out_note, class_="facts")
        share = int(self._share * _PASSAGES_BYTES) // max(1, len(self._sources))
        most = min(max(share, _LEAST_PASSAGE_BYTES), _MOST_PASSAGE_BYTES)
        text = clean(source.text)
        shown = text.encode(errors="replace")[:most].decode(errors="ignore")
        more = " …" if len(shown) < len(text) else ""
        return element(
            "blockquote",
            shown,
            more,
            class_="frozen-passage",
            dir="auto",
            tabindex=0,
            aria_label=f"{self._labels.source} {source.number}",
        )


def _head(source: Source, title: str, facts: str) -> Html:
    number = element("span", f"[{source.number}]", class_="number")
    place = element("span", facts, class_="card-place") if facts else None
    return element("p", number, " ", element("strong", title, dir="auto"), place, class_="card-head")
