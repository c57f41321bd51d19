"""From ranked passages to excerpts: removal of duplicates, joining, extension within sections."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import nsmallest
from itertools import chain

from desktop.domain.trace import SourceUse
from desktop.knowledge.index.passages import FoundPassage
from desktop.phrases import translatable
from desktop.text.markdown import begins_within_table
from desktop.text.tokens import estimate_tokens

SECTION_TOKENS = 500
"""Approximate size to which an excerpt is extended within its section."""
SECTION_REACH = 8
"""Number of passages before and after that can be in the same section and still fit."""
FIRST_REACH = 3
"""As many as fit if they are not short."""

_LIKENESS = 0.9
"""Passages that share at least this much of their terms are duplicates."""
_MAX_JOINED_CHARS = 4_000
_GAP = 2
"""Two passages are joined with up to one passage between them, which is included."""

_JOINED_SHARE = 0.5
"""A neighbour with a lower share of the best one's score is not joined."""

_SAME = translatable("It says the same as a passage of “{name}”.")
_BEYOND = translatable("Only the best {count} are used.")
_BEYOND_OF_BASE = translatable("Only the best {count} of its knowledge base are used.")
_TOO_WEAK = translatable("Its reranker score, {score}, is below {threshold}.")
_BELOW_FLOOR = translatable("Its score is {score} of the best, below the limit of {floor}.")


@dataclass(frozen=True)
class Ranked:
    """A passage with its score and the limits of its base: at most `limit` excerpts, and a minimum score.

    With a reranker score, that score must reach `threshold`; otherwise, `share`, the share of the best score,
    must reach `floor`.
    """

    passage: FoundPassage
    score: float
    base_id: str
    limit: int
    reranked: float | None = None
    threshold: float = 0.0
    share: float = 1.0
    floor: float = 0.0

    @property
    def is_too_weak(self) -> bool:
        """Whether its reranker score or, without a reranker, its share of the best score is too low."""
        return self.share < self.floor if self.reranked is None else self.reranked < self.threshold


@dataclass(frozen=True)
class Excerpt:
    """Neighbouring passages joined; `best` is the one found first and determines the score."""

    best: FoundPassage
    base_id: str
    first: int
    last: int
    start: int
    end: int
    score: float

    @classmethod
    def of(cls, ranked: Ranked) -> "Excerpt":
        """Return an excerpt that consists of this passage only."""
        best = ranked.passage
        return cls(best, ranked.base_id, best.ordinal, best.ordinal, best.start, best.end, ranked.score)

    def is_beside(self, passage: FoundPassage) -> bool:
        """Say whether `passage` is on the same page of the same document, under the same heading."""
        here = self.best
        return (here.document, here.page, here.section) == (passage.document, passage.page, passage.section)

    def takes(self, ranked: Ranked) -> bool:
        """Say whether a passage is in or near this excerpt, with a similar score."""
        passage = ranked.passage
        # Most passages are far away, and this is asked of each pair.
        if not self.first - _GAP <= passage.ordinal <= self.last + _GAP:
            return False
        if ranked.score < _JOINED_SHARE * self.score or not self.is_beside(passage):
            return False
        return max(self.end, passage.end) - min(self.start, passage.start) <= _MAX_JOINED_CHARS

    def with_neighbour(self, passage: FoundPassage) -> "Excerpt":
        """Return the excerpt extended by `passage`."""
        return replace(
            self,
            first=min(self.first, passage.ordinal),
            last=max(self.last, passage.ordinal),
            start=min(self.start, passage.start),
            end=max(self.end, passage.end),
        )


@dataclass(frozen=True)
class Dropped:
    """A passage that was found but is not shown, and the reason, also in words."""

    ranked: Ranked
    source_use: SourceUse
    reason: str


@dataclass(frozen=True)
class ExcerptSelection:
    """The selected excerpts, best first, and the other passages in the order in which they were found."""

    excerpts: tuple[Excerpt, ...]
    dropped: tuple[Dropped, ...]


def select(found: Iterable[Ranked], terms: Mapping[int, Iterable[str]], count: int) -> ExcerptSelection:
    """Return the `count` best excerpts, without duplicates and with neighbours in a document joined.

    `found` is sorted best first; `terms` are the index terms of each passage. A passage is a duplicate if it
    repeats one that is shown.
    """
    sets = {passage: frozenset(words) for passage, words in terms.items()}
    holders = Counter(chain.from_iterable(sets.values()))
    rare: set[str] = set()  # of all that are shown
    chosen: list[Excerpt] = []
    dropped: list[Dropped] = []
    shown: list[FoundPassage] = []
    beyond = _BEYOND.format(
        count=count
    )  # most of a pool is: filling it in for each would take longer than choosing
    for ranked in found:
        passage = ranked.passage
        if ranked.is_too_weak:
            dropped.append(Dropped(ranked, SourceUse.IRRELEVANT, _weakness(ranked)))
            continue
        own = sets[passage.id]
        twin = None
        if not own.isdisjoint(rare):
            twin = next((other for other in shown if _say_the_same(own, sets[other.id])), None)
        if twin is not None:
            dropped.append(Dropped(ranked, SourceUse.DUPLICATE, _SAME.format(name=twin.name)))
            continue
        place = next((index for index, excerpt in enumerate(chosen) if excerpt.takes(ranked)), None)
        if place is not None:
            chosen[place] = chosen[place].with_neighbour(passage)
        elif len(chosen) >= count:
            dropped.append(Dropped(ranked, SourceUse.NOT_NEEDED, beyond))
            continue
        elif sum(excerpt.base_id == ranked.base_id for excerpt in chosen) >= ranked.limit:
            dropped.append(Dropped(ranked, SourceUse.NOT_NEEDED, _BEYOND_OF_BASE.format(count=ranked.limit)))
            continue
        else:
            chosen.append(Excerpt.of(ranked))
        shown.append(passage)
        rare.update(_rarest(own, holders))
    return ExcerptSelection(tuple(chosen), tuple(dropped))


def within_section(
    excerpt: Excerpt, around: Sequence[FoundPassage], others: Iterable[Excerpt]
) -> tuple[int, int]:
    """Return start and end of an excerpt extended within its section, up to the maximum size.

    `around` are passages of its document. The excerpt grows evenly on both sides by whole passages, never into
    one of the `others`. Table rows first grow up to the table's header, however long they are, as they mean
    little without it.
    """
    taken = {
        ordinal
        for other in others
        if other.best.document == excerpt.best.document
        for ordinal in range(other.first, other.last + 1)
    }
    beside = {
        passage.ordinal: passage
        for passage in around
        if excerpt.is_beside(passage) and passage.ordinal not in taken
    }
    budget = SECTION_TOKENS - sum(
        estimate_tokens(passage.text)
        for passage in around
        if excerpt.first <= passage.ordinal <= excerpt.last
    )
    start, end = excerpt.start, excerpt.end
    up_to_head = _up_to_head(excerpt, around, beside)
    if up_to_head:
        start = up_to_head[-1].start
        budget -= sum(estimate_tokens(passage.text) for passage in up_to_head)
    edges = {1: excerpt.last + 1, -1: excerpt.first - 1 - len(up_to_head)}
    while edges:
        for direction, ordinal in tuple(edges.items()):
            passage = beside.get(ordinal)
            cost = estimate_tokens(passage.text) if passage else 0
            if passage is None or cost > budget:
                del edges[direction]
                continue
            budget -= cost
            start, end = min(start, passage.start), max(end, passage.end)
            edges[direction] = ordinal + direction
    return start, end


def may_reach_further(
    excerpt: Excerpt, around: Sequence[FoundPassage], reach: int, extended: tuple[int, int]
) -> bool:
    """Say whether an excerpt that `within_section` extended could change if `around` had more than `reach` passages.

    It can if it took all of them on one side, or begins with table rows, whose header may be further away.
    """
    first, last = around[0], around[-1]
    start, end = extended
    if first.ordinal == excerpt.first - reach > 0 and (
        start == first.start or begins_within_table(_text_at(around, excerpt.first))
    ):
        return True
    return last.ordinal == excerpt.last + reach and end == last.end


def _text_at(around: Iterable[FoundPassage], ordinal: int) -> str:
    return next(passage.text for passage in around if passage.ordinal == ordinal)


def _up_to_head(
    excerpt: Excerpt, around: Iterable[FoundPassage], beside: Mapping[int, FoundPassage]
) -> list[FoundPassage]:
    """Return the passages between an excerpt that begins with table rows and the table's header.

    The header is last. Empty if the excerpt begins otherwise, or if the header is out of reach, because a part
    of the rows is of no use.
    """
    text = _text_at(around, excerpt.first)
    between: list[FoundPassage] = []
    budget = SECTION_TOKENS
    while begins_within_table(text):
        before = beside.get(excerpt.first - 1 - len(between))
        if before is None or (budget := budget - estimate_tokens(before.text)) < 0:
            return []
        between.append(before)
        text = before.text
    return between


def _weakness(ranked: Ranked) -> str:
    if ranked.reranked is None:
        return _BELOW_FLOOR.format(score=f"{ranked.share:.2f}", floor=f"{ranked.floor:.2f}")
    return _TOO_WEAK.format(score=f"{ranked.reranked:.2f}", threshold=f"{ranked.threshold:.2f}")


def _rarest(terms: frozenset[str], holders: Mapping[str, int]) -> list[str]:
    """Return a few terms, the rarest, of which every duplicate has one, since it lacks a tenth of all at most."""
    return nsmallest(int((1 - _LIKENESS) * len(terms)) + 2, terms, key=holders.__getitem__)


def _say_the_same(left: frozenset[str], right: frozenset[str]) -> bool:
    """Say whether two passages share nearly all terms (Jaccard index) and contain the same numbers.

    Numbers matter because the rows of a table may differ in nothing else.
    """
    fewer, more = len(left), len(right)
    if fewer > more:
        fewer, more = more, fewer
    if not fewer or fewer < _LIKENESS * more:  # avoids comparing the terms of most pairs
        return False
    shared = len(left & right)
    return shared >= _LIKENESS * (fewer + more - shared) and _numbers(left) == _numbers(right)


def _numbers(terms: Iterable[str]) -> frozenset[str]:
    return frozenset(term for term in terms if term[0].isdigit())
