"""Checks the claims of a text from elsewhere: against the pages that it cites, then bases, then the web.

A place that supports or contradicts a claim decides; otherwise the next one is asked, and the best verdict counts.
Passages become sources of the ledger only if a verdict rests on them. `EvidenceSearch` finds passages in each place.
"""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Final

from desktop.chat.api.engine import Question
from desktop.chat.checking.checker import WORDS_ALONE, ClaimJudges, check_claim
from desktop.chat.checking.claims import extract_claims, find_all_claims
from desktop.chat.checking.references import mark_references
from desktop.chat.emit import EmitStep
from desktop.chat.source_lookup import GatherRequest, SelectedModel, SourceLookup
from desktop.domain.citation_check import CheckedMark, CitationCheck, SupportLevel, UnreadReason
from desktop.domain.events import StepFinished, StepStarted
from desktop.domain.knowledge import Retriever
from desktop.domain.models import QUOTES_MODEL
from desktop.domain.procedures import EvidencePlace, TextClaim
from desktop.domain.search import WEB_OFF, PageStatus, WebPage
from desktop.domain.sources import TEXT_JOIN, Ledger, Passage, SourceKind
from desktop.phrases import pluralize, translatable
from desktop.render.markdown.tree import Cleaner
from desktop.search.intent import without_links
from desktop.search.web_gatherer import ReadWebPage
from desktop.settings import egress
from desktop.text.passages import judge_passages, merge_kept_spans

MOST_CLAIMS: Final = 500
MOST_WEB_CLAIMS: Final = 60
"""How many claims are checked of a text that is searched on the web: each takes a search and its pages."""
_PAGES_AT_ONCE = 6
_EXCERPT_TOKENS = 900
"""Of a cited page, a claim is compared with as much as its closest passages have."""
_MOST_TOGETHER = 3
"""Sources that are shown for a claim which only several passages together decide."""
_DECISIVE = frozenset({SupportLevel.SUPPORTED, SupportLevel.CONTRADICTED})
_RANK = {
    SupportLevel.SUPPORTED: 5,
    SupportLevel.CONTRADICTED: 4,
    SupportLevel.WEAK: 3,
    SupportLevel.UNREAD: 2,
    SupportLevel.UNCOMPARED: 1,
    SupportLevel.NOT_FOUND: 0,
}
_REASONS = {
    PageStatus.NOT_FOUND: UnreadReason.GONE,
    PageStatus.BLOCKED: UnreadReason.FORBIDDEN,
    PageStatus.REFUSED: UnreadReason.REFUSED,
    PageStatus.TIMED_OUT: UnreadReason.UNREACHABLE,
    PageStatus.OFFLINE: UnreadReason.UNREACHABLE,
    PageStatus.FAILED: UnreadReason.UNREACHABLE,
    PageStatus.UNSUPPORTED: UnreadReason.UNSUPPORTED,
    PageStatus.EMPTY: UnreadReason.EMPTY,
    PageStatus.READ: UnreadReason.EMPTY,
}
_FULL_STOP = re.compile(r"[\s.!?。！？…*_\"”’」』)）]*\Z")
_REACH_CHARS = 40
_BUDGET_TOKENS = 6_000
_PASSAGES_OF_CLAIM = 6
_QUERY_CHARS = 500

TOO_MANY = translatable("Only the first {most} of {count} claims were checked.")
_NO_ADDRESS = (
    translatable("{count} reference has no address and can’t be opened."),
    translatable("{count} references have no address and can’t be opened."),
)
_IS_CUT = translatable("The text is very long, so only its beginning was checked.")


@dataclass(frozen=True)
class FoundPassages:
    """Passages that may support or contradict a claim, best first, and what went wrong in finding them."""

    passages: tuple[Passage, ...] = ()
    notes: tuple[str, ...] = ()


FindPassages = Callable[[str], Awaitable[FoundPassages]]


@dataclass(frozen=True)
class EvidencePlaces:
    """Where claims are looked up; without `read`, cited pages are not opened, which is told of each claim."""

    read: Callable[[str], Awaitable[WebPage]] | None = None
    search_bases: FindPassages | None = None
    search_web: FindPassages | None = None
    judges: ClaimJudges = WORDS_ALONE


@dataclass(frozen=True)
class PreparedText:
    """A text with its references as marks, and its claims; `notes` tell what is left out."""

    text: str
    claims: tuple[TextClaim, ...]
    notes: tuple[str, ...] = ()


def prepare_text(text: str, ledger: Ledger, most: int = MOST_CLAIMS) -> PreparedText:
    """Find references and the first `most` claims of a text; cited addresses become sources without a text."""

    def number_of(address: str, title: str) -> int:
        (number,) = ledger.register([Passage(SourceKind.WEB, title, "", address)])
        return number

    marked = mark_references(Cleaner().clean(text), number_of)
    titles = {source.number: source.title for source in ledger.sources}
    found = find_all_claims(marked.text, titles)
    notes = (
        _IS_CUT if marked.is_cut else "",
        pluralize(_NO_ADDRESS, marked.unopenable) if marked.unopenable else "",
        TOO_MANY.format(most=most, count=len(found)) if len(found) > most else "",
    )
    claims = tuple(TextClaim(claim.text, claim.end, claim.numbers, claim.context) for claim in found[:most])
    return PreparedText(marked.text, claims, tuple(filter(None, notes)))


class TextChecker:
    """Checks claims, several at once; pages are read once each. Close it to stop reading."""

    def __init__(self, places: EvidencePlaces, ledger: Ledger) -> None:
        self._places = places
        self._ledger = ledger
        self._pages: dict[str, asyncio.Task[WebPage]] = {}
        self._slots = asyncio.Semaphore(_PAGES_AT_ONCE)
        self.notes: dict[str, None] = {}
        """What went wrong in searching, each once."""

    async def check(self, claims: Sequence[TextClaim]) -> tuple[TextClaim, ...]:
        """Return the claims with their verdicts.

        Raises:
            KnowledgeError: the bases are not available.
        """
        checks = [asyncio.create_task(self._check(claim)) for claim in claims]
        try:
            return tuple(await asyncio.gather(*checks))
        finally:
            for check in checks:
                check.cancel()
            await asyncio.gather(*checks, return_exceptions=True)

    async def aclose(self) -> None:
        """Stop reading pages."""
        for page in self._pages.values():
            page.cancel()
        await asyncio.gather(*self._pages.values(), return_exceptions=True)

    async def _check(self, claim: TextClaim) -> TextClaim:
        judged: list[tuple[EvidencePlace, CheckedMark]] = []
        if claim.cited:
            judged += [(EvidencePlace.CITED, mark) for mark in await self._against_cited(claim)]
        for place, find in (
            (EvidencePlace.BASES, self._places.search_bases),
            (EvidencePlace.WEB, self._places.search_web),
        ):
            if find is None or any(mark.support in _DECISIVE for _, mark in judged):
                continue
            found = await find(f"{claim.context} {claim.text}".strip())
            self.notes |= dict.fromkeys(found.notes)
            judged += [(place, mark) for mark in await self._against(claim, found.passages)]
        judged.sort(key=lambda each: -_RANK[each[1].support])
        best: dict[int, CheckedMark] = {}
        for _, mark in judged:  # a cited page may be found on the web, too
            best.setdefault(mark.number, mark)
        return replace(
            claim,
            judged=tuple(best.values()),
            place=judged[0][0] if judged else None,
            is_checked=True,
        )

    async def _against_cited(self, claim: TextClaim) -> list[CheckedMark]:
        """Compare a claim with each page that it cites, and if none supports it with all of them together."""
        read: dict[int, tuple[str, str]] = {}
        marks: dict[int, CheckedMark] = {}
        for number in claim.cited:
            source = self._ledger.get(number)
            if source is None:
                continue
            if self._places.read is None:
                marks[number] = CheckedMark(
                    number, 0, SupportLevel.UNREAD, claim.text, unread=UnreadReason.KEPT_BACK
                )
                continue
            page = await self._page(source.url)
            if page.status is not PageStatus.READ or not page.text.strip():
                marks[number] = CheckedMark(
                    number, 0, SupportLevel.UNREAD, claim.text, unread=_REASONS[page.status]
                )
                continue
            excerpt = await asyncio.to_thread(closest_passages, page.text, claim)
            title = page.title or source.title
            self._ledger.register(
                [Passage(SourceKind.WEB, title, excerpt, source.url, published=page.published)]
            )
            read[number] = (title, excerpt)
            marks[number] = await self._judge(claim, number, [read[number]])
        best = max((mark.support for mark in marks.values()), key=_RANK.__getitem__, default=None)
        if len(read) > 1 and best is not SupportLevel.SUPPORTED:
            together = await self._judge(claim, 0, list(read.values()))
            for number in read:
                if _RANK[together.support] > _RANK[marks[number].support]:
                    marks[number] = replace(together, number=number)
        return list(marks.values())

    async def _judge(self, claim: TextClaim, number: int, sources: list[tuple[str, str]]) -> CheckedMark:
        mark = await self._compare(claim, sources)
        if mark is None:
            return CheckedMark(number, 0, SupportLevel.NOT_FOUND, claim.text)
        return replace(mark, number=number, occurrence=0)

    async def _compare(self, claim: TextClaim, sources: Sequence[tuple[str, str]]) -> CheckedMark | None:
        judges = self._places.judges
        return await check_claim(claim.text, sources, judges, self._note, doubts_foreign=False)

    def _note(self, problem: str) -> None:
        self.notes[problem] = None

    async def _against(self, claim: TextClaim, passages: Sequence[Passage]) -> list[CheckedMark]:
        """Compare a claim with passages; those that the verdict rests on become sources."""
        sources = [(each.title, each.text) for each in passages]
        mark = await self._compare(claim, sources)
        if mark is None or mark.support is SupportLevel.UNCOMPARED:
            return []  # what is only in another language is no evidence
        if mark.support is SupportLevel.NOT_FOUND:
            return [replace(mark, number=0)]
        alone = mark.number <= len(passages)
        used = [passages[mark.number - 1]] if alone else passages[:_MOST_TOGETHER]
        return [replace(mark, number=number) for number in dict.fromkeys(self._ledger.register(used))]

    async def _page(self, address: str) -> WebPage:
        if address not in self._pages:
            self._pages[address] = asyncio.create_task(self._read(address))
        return await asyncio.shield(self._pages[address])

    async def _read(self, address: str) -> WebPage:
        assert self._places.read is not None
        async with self._slots:
            return await self._places.read(address)


def closest_passages(text: str, claim: TextClaim) -> str:
    """Return the passages of a page that have most of the words of a claim, in their order."""
    judged = judge_passages(text, [f"{claim.context} {claim.text}"], limit_tokens=_EXCERPT_TOKENS)
    return TEXT_JOIN.join(text[span.start : span.end] for span in merge_kept_spans(judged))


def write_marks(
    text: str, claims: Sequence[TextClaim], titles: Mapping[int, str]
) -> tuple[str, CitationCheck]:
    """Return a text with a mark behind each claim for every source of its verdict, and the verdicts of all marks."""
    pieces: list[str] = []
    ends: dict[int, TextClaim] = {}
    at = length = 0
    for claim in sorted(claims, key=lambda each: each.end):
        numbers = [mark.number for mark in claim.judged if mark.number and mark.number not in claim.cited]
        marks = "".join(f"[{number}]" for number in numbers)
        end = (
            claim.end
            if claim.cited
            else _before_full_stop(text, max(at, claim.end - _REACH_CHARS), claim.end)
        )
        if marks and not claim.cited:
            marks = f" {marks}"
        pieces += [text[at:end], marks]
        length += end - at + len(marks)
        at = end
        ends[length] = claim
    written = "".join([*pieces, text[at:]])
    judged: list[CheckedMark] = []
    for group in extract_claims(written, titles):
        found = ends.get(group.end)
        for number, occurrence in group.marks if found else ():
            verdict = next((mark for mark in found.judged if mark.number == number), None) if found else None
            if found and verdict:
                judged.append(replace(verdict, occurrence=occurrence, claim=found.text))
    return written, CitationCheck(tuple(judged))


def _before_full_stop(text: str, start: int, end: int) -> int:
    ending = _FULL_STOP.search(text, start, end)
    return ending.start() if ending else end


async def _show_nothing(_event: StepStarted | StepFinished) -> None:
    """Show no step."""


class EvidenceSearch:
    """Builds the places where claims are looked up.

    `judges` returns the models that judge claims.
    """

    def __init__(
        self,
        *,
        knowledge: Retriever,
        lookup: SourceLookup,
        read: ReadWebPage,
        pick_model: Callable[[str], Awaitable[SelectedModel]],
        judges: Callable[[], ClaimJudges],
    ) -> None:
        self._knowledge = knowledge
        self._lookup = lookup
        self._read = read
        self._pick_model = pick_model
        self._judges = judges

    def places(self, scopes: tuple[str, ...], web: str, *, opens_pages: bool = True) -> EvidencePlaces:
        """Return the places for a text; `scopes` are keys, `web` is off, auto or an engine's id.

        Cited pages are not opened where the conversation stays on this machine.
        """
        opens_pages = opens_pages and not egress.current().stays_here
        return EvidencePlaces(
            read=self._read if opens_pages else None,
            search_bases=partial(self._search_bases, scopes) if scopes else None,
            search_web=partial(self._search_web, web) if web != WEB_OFF else None,
            judges=self._judges(),
        )

    async def look_up(self, query: str, web: str, emit: EmitStep = _show_nothing) -> FoundPassages:
        """Search the web for a query, and read the pages found."""
        query = without_links(query)  # a page is only read as a reference
        question = Question(query, "", web=web, queries=(query,), uses_memory=False)
        request = GatherRequest(question, (), await self._pick_model(QUOTES_MODEL), _BUDGET_TOKENS)
        found = await self._lookup.gather(request, emit)
        errors = () if found.passages else (outcome.error for outcome in found.outcomes if outcome.error)
        return FoundPassages(tuple(found.passages), tuple(dict.fromkeys((*errors, *found.notes))))

    async def _search_web(self, web: str, claim: str) -> FoundPassages:
        return await self.look_up(claim[:_QUERY_CHARS], web)

    async def _search_bases(self, scopes: Sequence[str], claim: str) -> FoundPassages:
        """Find passages, also weak ones: a claim that is wrong is not worded as in its source."""
        found = await self._knowledge.retrieve([claim], scopes, _PASSAGES_OF_CLAIM)
        near = found.passages or tuple(left.passage for left in found.left_out[:_PASSAGES_OF_CLAIM])
        return FoundPassages(near, () if found.is_unanswered else found.notes)
