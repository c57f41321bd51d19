"""What the page shows, as values that the window's thread can read while the page model works in another one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from desktop.domain.messages import Message
from desktop.domain.sources import Source
from desktop.render.labels import Labels
from desktop.render.page.source_cards import card_html


class SourceCard(NamedTuple):
    """The HTML of a card, and the sentence whose words it highlights in the source."""

    html: str
    sentence: str


@dataclass(frozen=True)
class PageSnapshot:
    """What the page showed after a batch of operations."""

    labels: Labels
    messages: Mapping[str, Message] = field(default_factory=dict)
    sources: Mapping[int, Source] = field(default_factory=dict)
    is_whole: bool = True
    """Whether all messages are rendered completely."""
    has_work: bool = False
    """Whether the page model has work left that no event starts."""

    def card(self, message_id: str, number: int, occurrence: int) -> SourceCard | None:
        """Return the card for the `occurrence`th mark (from 0) of a number in a message."""
        source, message = self.sources.get(number), self.messages.get(message_id)
        if source is None or message is None or not message.knows(number):
            return None
        from desktop.render.page.cited_sentence import citing_sentence  # noqa: PLC0415 - the page is drawn before any card

        mark = message.check.mark(number, occurrence) if message.check else None
        closest = mark.words if mark else ""
        sentence = closest or citing_sentence(message.text, number, occurrence)
        return SourceCard(card_html(source, self.labels, sentence, mark), sentence)

    def words_behind(self, number: int, sentence: str) -> str:
        """Return the words of a source that support a sentence, for opening the source there."""
        from desktop.render.page.cited_sentence import excerpt_of  # noqa: PLC0415 - the page is drawn before any card

        source = self.sources.get(number)
        return excerpt_of(source.text, sentence).words if source and sentence else ""
