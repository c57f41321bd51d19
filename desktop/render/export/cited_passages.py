"""What the marks of an answer refer to, for formats that write the passages into notes."""

from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

from desktop.domain.citation_check import CheckedMark, CitationCheck
from desktop.domain.messages import Message
from desktop.domain.sources import Source
from desktop.render.export.common_parts import one_line
from desktop.render.labels import Labels
from desktop.render.page.cited_sentence import citing_sentences, excerpt_of
from desktop.render.page.source_cards import is_found, reasons_of

MOST_CHARS: Final = 400
"""The longest passage of a note; pages and cards show more."""


@dataclass(frozen=True)
class CitedPassage:
    """The words of a source that a mark refers to, and the result of the check if there is one.

    Where no words are found, `words` is empty and `beginning` is that of the source.
    """

    words: str
    beginning: str
    checked: CheckedMark | None


class CitedPassages:
    """Finds the passage of each mark of an answer; the marks of each number are taken in the order of the text."""

    def __init__(self, message: Message, known: Collection[int]) -> None:
        self._sentences = citing_sentences(message.text, known)
        self._check = message.check or CitationCheck()
        self._count: Counter[int] = Counter()

    def next(self, source: Source) -> CitedPassage:
        """Return the passage of the next mark of a source."""
        place = (source.number, self._count[source.number])
        self._count[source.number] += 1
        checked = self._check.mark(*place)
        sentence = (checked and checked.words) or self._sentences.get(place, "")
        shown = excerpt_of(source.text, sentence)
        beginning = "" if shown.words else shown.before
        return CitedPassage(_cut(one_line(shown.words)), _cut(one_line(beginning)), checked)


def verdict_line(checked: CheckedMark, labels: Labels) -> str:
    """Return the result of a check as one line."""
    title = () if is_found(checked) else (labels.support_titles[checked.support],)
    return one_line(labels.sentence_gap.join((*title, *reasons_of(checked, labels))))


def _cut(words: str) -> str:
    return words if len(words) <= MOST_CHARS else f"{words[:MOST_CHARS].rstrip()} …"
