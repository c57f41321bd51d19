"""Selects passages of pages, files and memories within the token budget, and records them in the trace."""

import re
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from types import MappingProxyType

from desktop.domain.search import PageStatus, SearchOutcome, SearchResult, WebPage
from desktop.domain.sources import (
    TEXT_JOIN,
    Locator,
    Passage,
    SourceKind,
    address_for_model,
    canonical_url,
    core_of,
    cut,
    source_key,
)
from desktop.domain.trace import EngineHit, EngineTrace, SourceTrace, SourceUse, TextSpan
from desktop.phrases import pluralize, shorten_message, translatable
from desktop.text.passages import JudgedSpan, Likeness, judge_passages, merge_kept_spans
from desktop.text.tokens import cost_of_source, estimate_tokens, label_tokens, source_tokens, whole_sentences

_RUN_TERMS = 5
_SKETCH_SIZE = 300
_SKETCH_CHARS = 60_000
_FEWEST_RUNS = 12
_SAME_SHARE = 0.6
"""Resemblance from which two texts count as the same article in different page frames."""
_SIMILAR_SIZE = 0.5
_TERM = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]|[^\W_]+")
_LEAST_TOKENS = 80
"""A smaller budget holds no useful passage."""

_MERGED = (
    translatable("{count} page was merged with an identical one."),
    translatable("{count} pages were merged with identical ones."),
)
_SHORTENED = (
    translatable("{count} page shortened to the relevant passages."),
    translatable("{count} pages shortened to the relevant passages."),
)
_LEFT_OUT = (
    translatable("{count} page left out for lack of space."),
    translatable("{count} pages left out for lack of space."),
)


class PassageMode(StrEnum):
    """How much of a page goes to the model: all of it, its beginning, or the matching passages.

    WHOLE takes entire pages, best first, as long as they fit. CUT gives each page its share of the budget.
    """

    WHOLE = "off"
    CUT = "cut"
    PASSAGES = "passages"


@dataclass(frozen=True)
class Candidate:
    """A page, or the snippet of an unreadable page, that may become a passage."""

    url: str
    title: str
    text: str
    published: str = ""
    is_snippet: bool = False


@dataclass(frozen=True)
class SelectionResult:
    """The result for a candidate. `same_as` is the address of the duplicate that is used instead."""

    source_use: SourceUse
    same_as: str = ""
    tokens: int = 0
    spans: tuple[JudgedSpan, ...] = ()


@dataclass(frozen=True)
class PassageSelection:
    """The passages within the budget, one per page, and notes for the user about omissions.

    `verdicts` has one entry per candidate, in their order.
    """

    passages: tuple[Passage, ...] = ()
    used_tokens: int = 0
    notes: tuple[str, ...] = ()
    left_out: int = 0
    verdicts: tuple[SelectionResult, ...] = ()


def tag_tokens(page: Candidate) -> int:
    """Return the approximate number of tokens of a page without its text."""
    return source_tokens(page.title or page.url, address_for_model(SourceKind.WEB, page.url))


def select(
    candidates: Sequence[Candidate],
    queries: Sequence[str],
    *,
    limit_tokens: int,
    mode: PassageMode,
    likenesses: Mapping[str, Likeness] = MappingProxyType({}),
) -> PassageSelection:
    """Return the passages of `candidates`, which are sorted best first, within `limit_tokens`.

    Every candidate gets an equal share, except in mode WHOLE; unused tokens go to longer pages. `likenesses`
    maps a text to the known similarities of its passages.
    """
    groups = _groups(candidates)
    pages = [group.page for group in groups]
    shares = _shares([estimate_tokens(page.text) for page in pages], limit_tokens)
    used = 0
    shortened = left_out = 0
    passages: list[Passage] = []
    verdicts: dict[int, SelectionResult] = {}
    for index, (group, page) in enumerate(zip(groups, pages, strict=True)):
        budget = limit_tokens - used
        if mode is not PassageMode.WHOLE:
            # Includes the tokens that the pages before this one did not use.
            budget = max(shares[index], budget - sum(shares[index + 1 :]))
        elif passages and estimate_tokens(page.text) > budget:
            budget = 0
        spans = _judge(page.text, queries, budget, mode, likenesses.get(page.text))
        passage = _passage(page, spans)
        tokens = estimate_tokens(passage.text) if passage else 0
        source_use = SourceUse.GIVEN if passage else SourceUse.NO_BUDGET
        verdicts |= dict.fromkeys(group.members, SelectionResult(SourceUse.DUPLICATE, page.url))
        verdicts[group.leader] = SelectionResult(source_use, tokens=tokens, spans=tuple(spans))
        if passage is None:
            left_out += 1
            continue
        used += tokens
        shortened += len(passage.text) < len(page.text.strip())
        passages.append(passage)
    notes = _notes(len(candidates) - len(pages), shortened, left_out)
    ordered = tuple(verdicts[index] for index in range(len(candidates)))
    return PassageSelection(tuple(passages), used, notes, left_out, ordered)


def _notes(merged: int, shortened: int, left_out: int) -> tuple[str, ...]:
    counts = ((_MERGED, merged), (_SHORTENED, shortened), (_LEFT_OUT, left_out))
    return tuple(pluralize(forms, count) for forms, count in counts if count)


@dataclass(frozen=True)
class _PageGroup:
    """Candidates that are the same page; `leader` and `members` are indices into all candidates."""

    page: Candidate
    sketch: "_Sketch"
    leader: int
    members: tuple[int, ...]


def _groups(candidates: Sequence[Candidate]) -> list[_PageGroup]:
    groups: list[_PageGroup] = []
    for place, candidate in enumerate(candidates):
        sketch = _Sketch.of(candidate.text)
        for index, group in enumerate(groups):
            if canonical_url(group.page.url) == canonical_url(candidate.url) or group.sketch.is_same(sketch):
                members = (*group.members, place)
                if group.page.is_snippet and not candidate.is_snippet:
                    page = replace(candidate, title=group.page.title or candidate.title)
                    groups[index] = _PageGroup(page, sketch, place, members)
                else:
                    groups[index] = replace(group, members=members)
                break
        else:
            groups.append(_PageGroup(candidate, sketch, place, (place,)))
    return groups


def _judge(
    text: str, queries: Sequence[str], budget: int, mode: PassageMode, likeness: Likeness | None
) -> list[JudgedSpan]:
    """Return the kept and the cut parts of `text` for its budget."""
    is_too_little = budget < min(_LEAST_TOKENS, estimate_tokens(text))
    asked = queries if mode is PassageMode.PASSAGES else ()
    return judge_passages(text, asked, limit_tokens=0 if is_too_little else budget, likeness=likeness)


def _passage(page: Candidate, judged: Sequence[JudgedSpan]) -> Passage | None:
    """Return the kept part of a page, or None if it is empty."""
    spans = merge_kept_spans(judged)
    if not spans:
        return None
    return Passage(
        SourceKind.WEB,
        page.title or page.url,
        TEXT_JOIN.join(page.text[span.start : span.end] for span in spans),
        page.url,
        locator=Locator(start=spans[0].start, end=spans[-1].end),
        published=page.published,
    )


def _shares(needs: Sequence[int], limit: int) -> list[int]:
    """Divide `limit` equally; tokens that small pages do not need go to the others."""
    shares = [0] * len(needs)
    waiting = sorted(range(len(needs)), key=lambda index: needs[index])
    for served, index in enumerate(waiting):
        shares[index] = min(needs[index], limit // (len(waiting) - served))
        limit -= shares[index]
    return shares


@dataclass(frozen=True)
class _Sketch:
    """A MinHash sketch of a text: the smallest hashes of all its term n-grams. Similar texts share hashes."""

    hashes: frozenset[int]
    runs: int

    @classmethod
    def of(cls, text: str) -> "_Sketch":
        terms = _TERM.findall(text[:_SKETCH_CHARS].lower())
        runs = {
            zlib.crc32(" ".join(terms[index : index + _RUN_TERMS]).encode())
            for index in range(len(terms) - _RUN_TERMS + 1)
        }
        return cls(frozenset(sorted(runs)[:_SKETCH_SIZE]), len(runs))

    def is_same(self, other: "_Sketch") -> bool:
        """Say whether two texts are nearly identical. An excerpt of a longer text does not count."""
        shorter, longer = sorted((self.runs, other.runs))
        if shorter < _FEWEST_RUNS or shorter < longer * _SIMILAR_SIZE:
            return False
        union = sorted(self.hashes | other.hashes)[:_SKETCH_SIZE]  # Broder 1997: estimates resemblance
        shared = sum(1 for value in union if value in self.hashes and value in other.hashes)
        return shared >= _SAME_SHARE * len(union)


MAX_SEARCHES = 60
MAX_HITS = 20
MAX_SOURCES = 60
MAX_PIECES = 24

_SHOWN_CHARS = 160
_URL_CHARS = 600
_WORDS_CHARS = 400


@dataclass(frozen=True)
class Reading:
    """A page and its loading time; `is_opened` is false if the engine had delivered its text."""

    page: WebPage
    seconds: float = 0.0
    is_opened: bool = True


@dataclass(frozen=True)
class WebFinding:
    """The finding at one web address.

    Without `reading` the page was not needed; without `candidate` it was not usable.
    """

    result: SearchResult
    reading: Reading | None = None
    candidate: Candidate | None = None
    is_excluded: bool = False


def trace_search(outcome: SearchOutcome) -> EngineTrace:
    """Return the trace of one engine's response to one query."""
    hits = (
        EngineHit(rank, _short(result.title), _url(result.url))
        for rank, result in enumerate(outcome.results[:MAX_HITS], start=1)
    )
    return EngineTrace(
        outcome.query,
        outcome.engine,
        outcome.status,
        round(outcome.seconds, 3),
        shorten_message(outcome.error, _WORDS_CHARS),
        tuple(shorten_message(note, _WORDS_CHARS) for note in outcome.notes),
        tuple(hits),
    )


def trace_pages(
    findings: Sequence[WebFinding], verdicts: Sequence[SelectionResult], outcomes: Sequence[SearchOutcome]
) -> tuple[SourceTrace, ...]:
    """Return the traces of all pages by rank; `verdicts` are those of the findings with a candidate."""
    judged = iter(verdicts)
    engines = _engines(outcomes)
    return tuple(
        _trace_page(finding, next(judged) if finding.candidate else None, engines)
        for finding in findings[:MAX_SOURCES]
    )


def trace_passage(passage: Passage, source_use: SourceUse, reason: str = "", rest: str = "") -> SourceTrace:
    """Return the trace of a passage of a file or memory; `rest` is its end that did not fit."""
    tokens, score = estimate_tokens(passage.text), round(passage.score, 4)
    pieces = [TextSpan(_short(passage.text), tokens, score, source_use)]
    if rest.strip():
        pieces.append(TextSpan(_short(rest), estimate_tokens(rest), score, SourceUse.NO_BUDGET))
    return SourceTrace(
        passage.kind,
        source_key(passage),
        _short(passage.title),
        _url(passage.url),
        source_use=source_use,
        notes=(shorten_message(reason, _WORDS_CHARS),) if reason else (),
        score=score,
        tokens=tokens if source_use is SourceUse.GIVEN else 0,
        total_tokens=sum(piece.tokens for piece in pieces),
        pieces=tuple(pieces),
    )


def _engines(outcomes: Sequence[SearchOutcome]) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {}
    for outcome in outcomes:
        for result in outcome.results:
            found.setdefault(canonical_url(result.url), {})[outcome.engine] = None
    return {key: tuple(names) for key, names in found.items()}


def _trace_page(
    finding: WebFinding, verdict: SelectionResult | None, engines: dict[str, tuple[str, ...]]
) -> SourceTrace:
    result, reading, candidate = finding.result, finding.reading, finding.candidate
    page = reading.page if reading else WebPage(PageStatus.EMPTY, result.url)
    # Uses the final address of the page.
    shown = candidate.url if candidate else page.url
    text = candidate.text if candidate else ""
    return SourceTrace(
        SourceKind.WEB,
        canonical_url(shown),
        _short(candidate.title if candidate else page.title or result.title),
        _url(shown),
        canonical_url(result.url),
        _source_use(finding, verdict),
        engines=engines.get(canonical_url(result.url), ()),
        status=page.status if reading and reading.is_opened else None,
        error=shorten_message(page.error, _WORDS_CHARS),
        notes=tuple(shorten_message(note, _WORDS_CHARS) for note in page.notes),
        seconds=round(reading.seconds, 3) if reading else 0.0,
        is_cached=page.is_cached,
        is_snippet=candidate is not None and candidate.is_snippet,
        same_as=canonical_url(verdict.same_as) if verdict and verdict.same_as else "",
        tokens=verdict.tokens if verdict else 0,
        total_tokens=estimate_tokens(text),
        pieces=_pieces(verdict, text),
    )


def _source_use(finding: WebFinding, verdict: SelectionResult | None) -> SourceUse:
    if verdict is not None:
        return verdict.source_use
    if finding.is_excluded:
        return SourceUse.EXCLUDED
    return SourceUse.NOTHING if finding.reading else SourceUse.NOT_NEEDED


def _pieces(verdict: SelectionResult | None, text: str) -> tuple[TextSpan, ...]:
    """Return the kept and cut spans of a text: the passages sent first, then the best others, in text order."""
    spans = verdict.spans if verdict else ()
    telling = sorted(spans, key=lambda span: (span.source_use is not SourceUse.GIVEN, -span.score))[
        :MAX_PIECES
    ]
    return tuple(
        TextSpan(_short(text[span.start : span.end]), span.tokens, round(span.score, 4), span.source_use)
        for span in sorted(telling, key=lambda span: span.start)
    )


def _short(text: str) -> str:
    line = " ".join(text[: 4 * _SHOWN_CHARS].split())
    return line if len(line) <= _SHOWN_CHARS else f"{line[: _SHOWN_CHARS - 1]}…"


def _url(url: str) -> str:
    return url[:_URL_CHARS]


_MEMORY_SHARE = 0.25
"""Share of the tokens that memories get before files: they are few, and the user chose each of them."""
_LEAST_PASSAGE_TOKENS = 40
"""A shorter beginning of a passage is not useful."""


@dataclass(frozen=True)
class FittedPassages:
    """The passages that fit, the trace of all, and the numbers of shortened and omitted passages."""

    kept: tuple[Passage, ...] = ()
    records: tuple[SourceTrace, ...] = ()
    shortened: int = 0
    dropped: int = 0


def count_passage_tokens(passages: Sequence[Passage]) -> int:
    """Return the approximate number of tokens of all passages."""
    return sum(map(cost_of_source, passages))


def fit_to_budget(passages: Sequence[Passage], budget: int) -> FittedPassages:
    """Return those of `passages`, which are sorted best first by kind, that fit into `budget` tokens.

    Whole passages are taken as long as they fit; the next one is cut after a sentence, and the others are left
    out. Then the best passages get their surrounding text if there is room.
    """
    memories = [passage for passage in passages if passage.kind is SourceKind.MEMORY]
    others = [passage for passage in passages if passage.kind is not SourceKind.MEMORY]
    remembered = _fit(memories, int(budget * _MEMORY_SHARE) if others else budget)
    found = _fit(others, budget - count_passage_tokens(remembered.kept))
    return FittedPassages(
        (*found.kept, *remembered.kept),
        (*found.records, *remembered.records),
        found.shortened + remembered.shortened,
        found.dropped + remembered.dropped,
    )


def _fit(passages: Sequence[Passage], budget: int) -> FittedPassages:
    whole: list[Passage] = []
    for passage in passages:
        cost = cost_of_source(core_of(passage))
        if cost > budget:
            break
        budget -= cost
        whole.append(passage)
    last = _beginning(core_of(passages[len(whole)]), budget) if len(whole) < len(passages) else None
    kept: list[Passage] = []
    for passage in whole:
        core = core_of(passage)
        more = estimate_tokens(passage.text) - estimate_tokens(core.text)
        # A passage that was cut has already used up the budget.
        grows = last is None and 0 < more <= budget
        budget -= more if grows else 0
        kept.append(replace(passage, core=None) if grows else core)
    records = [trace_passage(passage, SourceUse.GIVEN) for passage in kept]
    rest = [core_of(passage) for passage in passages[len(whole) :]]
    if last is not None:
        left = rest.pop(0)
        records.append(trace_passage(last, SourceUse.GIVEN, rest=left.text[len(last.text) :]))
        kept.append(last)
    records += [trace_passage(passage, SourceUse.NO_BUDGET) for passage in rest]
    return FittedPassages(tuple(kept), tuple(records), int(last is not None), len(rest))


def _beginning(passage: Passage, budget: int) -> Passage | None:
    """Return the first sentences of a passage that fit, or None if too little fits."""
    text_budget = budget - label_tokens(passage)
    text = whole_sentences(passage.text, text_budget)
    return cut(passage, 0, len(text)) if estimate_tokens(text) >= _LEAST_PASSAGE_TOKENS else None
