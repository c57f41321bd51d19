"""Finds what an answer to a watched topic says that was not told before."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from desktop.chat.checking.checker import check_claim
from desktop.chat.checking.claims import Claim, extract_claims
from desktop.chat.checking.disagreements import find_disagreements
from desktop.domain.citation_check import VERDICTS, CitationCheck, SupportLevel
from desktop.domain.sources import Source, SourceKind
from desktop.domain.topics import FindingKind, FoundSource, Topic, TopicFinding
from desktop.text.terms import content_terms

_PASSAGE_CHARS: Final = 1_200
_LEAST_TERMS: Final = 2


async def find_news(
    topic: Topic, answer: str, sources: Sequence[Source], check: CitationCheck
) -> tuple[TopicFinding, ...]:
    """Return the cited statements of an answer that are not known yet."""
    by_number = {source.number: source for source in sources}
    claims = await asyncio.to_thread(extract_claims, answer, sources)
    known = list(topic.known)
    findings: list[TopicFinding] = []
    for claim in claims:
        if len(content_terms(claim.text)) < _LEAST_TERMS:
            continue
        finding = await _compare(topic.question, claim, known)
        if finding is None:
            continue
        known.append(claim.text)
        shown = tuple(
            FoundSource(
                source.title, source.url, source.text[:_PASSAGE_CHARS], source.kind is not SourceKind.WEB
            )
            for number in claim.numbers
            if (source := by_number.get(number))
        )
        marks = (check.mark(number, occurrence) for number, occurrence in claim.marks)
        verdict = next((VERDICTS[mark.support] for mark in marks if mark), "")
        is_replaced = bool(finding.earlier) and not await _is_stated(finding.earlier, sources)
        findings.append(replace(finding, sources=shown, verdict=verdict, is_replacement=is_replaced))
    return tuple(findings)


async def _is_stated(text: str, sources: Sequence[Source]) -> bool:
    """Say whether a source still supports a statement that another one contradicts: then both stay known."""
    mark = await check_claim(text, [(source.title, source.text) for source in sources])
    return mark is not None and mark.support is SupportLevel.SUPPORTED


async def _compare(question: str, claim: Claim, known: Sequence[str]) -> TopicFinding | None:
    """Return a statement as a finding, or None if it is known."""
    if claim.text in known:
        return None
    told = [("", text) for text in known]
    mark = await check_claim(
        claim.text, [("", "\n".join(f"{text.rstrip('.')}." for text in known))] if known else []
    )
    if mark is None:
        return TopicFinding(FindingKind.NEW, claim.text)
    if mark.support is SupportLevel.SUPPORTED:
        return None
    differing = await asyncio.to_thread(find_disagreements, question, [("", claim.text), *told])
    mine = next((each for each in differing if any(1 in numbers for numbers in each.sources)), None)
    if mine is not None:
        values = tuple(
            value
            for _, value in sorted(
                zip(mine.sources, mine.values, strict=True), key=lambda each: 1 not in each[0]
            )
        )
        others = [number for numbers in mine.sources for number in numbers if number != 1]
        earlier = known[others[-1] - 2] if others else ""
        return TopicFinding(FindingKind.DIFFERENT, claim.text, earlier=earlier, values=values)
    if mark.support is SupportLevel.CONTRADICTED:
        return TopicFinding(FindingKind.DIFFERENT, claim.text, earlier=mark.words)
    return TopicFinding(FindingKind.NEW, claim.text)
