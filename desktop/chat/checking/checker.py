"""Checks claims against their sources: by words, an entailment model, and a language model that has the last word."""

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from html import escape
from typing import NamedTuple, Protocol

from desktop.chat.checking.claims import Claim, extract_claims, unknown_numbers
from desktop.chat.checking.scoring import (
    Evidence,
    are_foreign,
    collect_evidence,
    judge_support,
    passages_to_judge,
    share_of_terms,
    weigh_network,
)
from desktop.chat.checking.words import PreparedSource, prepare_source
from desktop.chat.source_lookup import SelectedModel
from desktop.domain.citation_check import (
    CheckedMark,
    CheckMethod,
    CitationCheck,
    Disagreement,
    SupportLevel,
)
from desktop.domain.models import ModelRequest, PromptMessage, TextDelta
from desktop.domain.sources import Source
from desktop.errors import AppError
from desktop.phrases import sentences, translatable
from desktop.render.page.cited_sentence import excerpt_of
from desktop.resources import fill_resource, resource_text
from desktop.text.almost_xml import elements
from desktop.text.tokens import estimate_tokens, take_within_budget

MOST_CLAIMS = 400
"""Citations after this many are not checked."""

_AT_ONCE = 6
"""Claims compared in one batch: progress is reported after each, and a stop waits for one batch at most."""
_CLOSEST_CHARS = 400
_MOST_CLAIM_CHARS = 1_500
"""A longer claim is compared by its beginning: the time that it takes grows with its length and with that of the source."""
_MOST_PASSAGES = 2
"""Single sentences that an entailment model reads, in addition to the best three together."""
_FIRST_SENTENCES = 5
"""How many sentences an entailment model reads of a source that shares no word with the claim."""
_LIKELY = 0.5
_OUTWEIGHED = 0.15
"""A sentence that denies a claim decides over sources that have so much less of its words."""
_LEAST_SHARE_TOGETHER = 0.5
"""A source with less of the words of a claim adds nothing to the others that are compared with it."""

_RANK = {
    level: rank
    for rank, level in enumerate(
        (
            SupportLevel.UNCOMPARED,
            SupportLevel.NOT_FOUND,
            SupportLevel.CONTRADICTED,
            SupportLevel.WEAK,
            SupportLevel.SUPPORTED,
        )
    )
}

MOST_CLAIMS_ASKED = 60
"""How many claims one request contains; the others keep the verdict from the word comparison."""

_CONTRADICTED = re.compile(r"\b(?:contradict\w*|false|refut\w*)\b|矛盾|相反", re.IGNORECASE)
_NOT = re.compile(r"\b(?:not|no|un\w+)\b|不|无|未|没有", re.IGNORECASE)
_PARTLY = re.compile(r"\b(?:part\w*|weak\w*|some\w*)\b|部分", re.IGNORECASE)
_FULLY = re.compile(r"\b(?:support\w*|yes|full\w*|true)\b|支持|是", re.IGNORECASE)
_NUMBER = re.compile(r"\d{1,9}")

_VERDICT_TOKENS = 1_500
_PAIR = 2
NO_MODEL = translatable("The model couldn’t be asked to check the citations. {detail}")
_NO_VERDICTS = translatable("The model’s verdicts on the citations couldn’t be read.")
_SOME_VERDICTS = translatable("The model checked {done} of {total} citations.")
_NOT_ALL = translatable("Only the first {count} cited sentences were checked.")


class EntailmentModel(Protocol):
    """Judges whether passages entail claims."""

    async def entail(self, pairs: Sequence[tuple[str, str]]) -> tuple[tuple[float, float], ...]:
        """Return how likely each (passage, claim) is entailed and contradicted, each 0…1; raises AppError."""
        ...


@dataclass(frozen=True)
class ClaimJudges:
    """Models that judge claims: one that the user chose decides; else the bundled network counts beside the words."""

    chosen: EntailmentModel | None = None
    network: EntailmentModel | None = None


WORDS_ALONE = ClaimJudges()


@dataclass(frozen=True)
class JudgeModel:
    """A model with the final decision; `budget_tokens` limits what it is sent."""

    picked: SelectedModel
    budget_tokens: int


@dataclass(frozen=True)
class AskedClaim:
    """A claim and the closest part of its source; its context shows what a clause refers to."""

    claim: str
    excerpt: str
    context: str = ""


@dataclass(frozen=True)
class CheckProgress:
    """How many of the citations have been compared."""

    done: int
    total: int


@dataclass(frozen=True)
class _Case:
    """One mark: its claim, its source, and the sources that are cited with it."""

    claim: Claim
    mark: tuple[int, int]
    passage: PreparedSource
    beside: tuple[PreparedSource, ...]


async def check(
    text: str,
    sources: Sequence[Source],
    examiner: JudgeModel | None = None,
    judges: ClaimJudges = WORDS_ALONE,
) -> AsyncGenerator[CheckProgress | CitationCheck, None]:
    """Check the citations of an answer: yield progress, then the result.

    If a model fails, the result says so; words are always compared. Closing the iterator stops all work.
    """
    claims = await asyncio.to_thread(extract_claims, text, sources, MOST_CLAIMS + 1)
    problems: list[str] = [_NOT_ALL.format(count=MOST_CLAIMS)] if len(claims) > MOST_CLAIMS else []
    cases = await asyncio.to_thread(_cases, claims[:MOST_CLAIMS], sources)
    marks: list[CheckedMark] = []
    yield CheckProgress(0, len(cases))
    for start in range(0, len(cases), _AT_ONCE):
        batch = await asyncio.to_thread(_judge_all, cases[start : start + _AT_ONCE])
        try:
            batch = await apply_judges(batch, cases[start : start + _AT_ONCE], judges)
        except AppError as error:
            judges = WORDS_ALONE
            problems.append(str(error))
        marks += [one.mark for one in batch]
        yield CheckProgress(len(marks), len(cases))
    if examiner is not None and marks:
        marks, problem = await _examine(marks, cases, examiner)
        problems.append(problem)
    unknown = await asyncio.to_thread(unknown_numbers, text, sources)
    yield CitationCheck(tuple(marks), unknown, sentences(problems))


async def check_claim(
    claim: str,
    sources: Sequence[tuple[str, str]],
    judges: ClaimJudges = WORDS_ALONE,
    tell: Callable[[str], object] = lambda _problem: None,
    *,
    doubts_foreign: bool = True,
) -> CheckedMark | None:
    """Check one claim against the titles and texts of sources that are cited together for it.

    If the bundled network fails, words alone decide, and `tell` gets the reason. A source in another language that lacks
    a number is weak; without `doubts_foreign` it is not compared unless a chosen model finds that it says or denies the
    claim: of an excerpt that was chosen by its words, such a number tells nothing.

    Returns:
        The verdict of the source that supports it best, or of all of them combined; None without a source.

    Raises:
        AppError: the entailment model that the user chose failed.
    """
    cases = await asyncio.to_thread(_cases_of_claim, claim, sources)
    judged = await asyncio.to_thread(_judge_all, cases)
    try:
        judged = await apply_judges(judged, cases, judges)
    except AppError as error:
        if judges.chosen is not None:
            raise
        tell(str(error))
    marks = [
        one.mark if doubts_foreign else _without_foreign_doubt(one.mark, case)
        for one, case in zip(judged, cases, strict=True)
        if not _is_outweighed(one, judged)
    ]
    return max(marks, key=lambda mark: (_RANK[mark.support], mark.score), default=None)


def _without_foreign_doubt(mark: CheckedMark, case: _Case) -> CheckedMark:
    if mark.support is not SupportLevel.WEAK or not are_foreign(case.claim.text, case.passage.text):
        return mark
    return replace(mark, support=SupportLevel.UNCOMPARED, missing=())


def _cases_of_claim(claim: str, sources: Sequence[tuple[str, str]]) -> list[_Case]:
    """Return a case for each source, and one for all those together that have a good part of the claim.

    Others may have a number or name of it, but say it of something else.
    """
    prepared = [prepare_source(title, text) for title, text in sources]
    related = [
        place for place, one in enumerate(prepared) if share_of_terms(claim, one) >= _LEAST_SHARE_TOGETHER
    ]
    if len(related) > 1:
        titles, texts = zip(*(sources[place] for place in related), strict=True)
        prepared.append(prepare_source(" ".join(titles), "\n\n".join(texts)))
    return [
        _Case(
            Claim(claim, ()),
            (number, 0),
            source,
            tuple(prepared[place] for place in related if prepared[place] is not source),
        )
        for number, source in enumerate(prepared, 1)
    ]


def _cases(claims: Sequence[Claim], sources: Sequence[Source]) -> list[_Case]:
    by_number = {source.number: source for source in sources}
    cases: list[_Case] = []
    for claim in claims:
        cited = {
            number: prepare_source(_title(by_number[number]), by_number[number].text)
            for number in claim.numbers
        }
        for mark in claim.marks:
            beside = tuple(passage for number, passage in cited.items() if number != mark[0])
            cases.append(_Case(claim, mark, cited[mark[0]], beside))
    return cases


def _title(source: Source) -> str:
    """Return the title of the source, because a passage about “it” is about what its title says."""
    return f"{source.title} {source.locator.section}".strip()


class _WordVerdict(NamedTuple):
    """A mark with its verdict from the word comparison, the passages that cover it best, and the evidence."""

    mark: CheckedMark
    passages: tuple[str, ...]
    evidence: Evidence


def _is_outweighed(one: _WordVerdict, judged: Sequence[_WordVerdict]) -> bool:
    """Say whether a source, by its words alone, has much less of a claim than a sentence of another one that denies it."""
    return one.mark.judge is CheckMethod.WORDS and any(
        other.mark.support is SupportLevel.CONTRADICTED
        and other.evidence.nearest > one.evidence.nearest + _OUTWEIGHED
        for other in judged
    )


def _judge_all(cases: Sequence[_Case]) -> list[_WordVerdict]:
    return [_judge(case) for case in cases]


def _judge(case: _Case) -> _WordVerdict:
    claim, source = case.claim.text[:_MOST_CLAIM_CHARS], case.passage
    evidence = collect_evidence(claim, source, case.beside)
    number, occurrence = case.mark
    mark = CheckedMark(
        number=number,
        occurrence=occurrence,
        support=judge_support(claim, source, evidence),
        claim=case.claim.text,
        words=(excerpt_of(source.text, claim).words or next(iter(evidence.best), ""))[:_CLOSEST_CHARS],
        missing=evidence.missing,
        score=round(evidence.score, 4),
    )
    sentences = source.text_of_sentences()
    together = [sentence for sentence in sentences if sentence in evidence.best] or sentences[
        :_FIRST_SENTENCES
    ]
    passages = tuple(dict.fromkeys(filter(None, (*evidence.best[:_MOST_PASSAGES], " ".join(together)))))
    return _WordVerdict(mark, passages, evidence)


async def apply_judges(
    judged: Sequence[_WordVerdict], cases: Sequence[_Case], judges: ClaimJudges
) -> list[_WordVerdict]:
    """Return marks with the verdicts of the models that are there; raises AppError."""
    if judges.chosen is not None:
        return await apply_entailment(judged, cases, judges.chosen)
    return list(judged) if judges.network is None else await apply_network(judged, cases, judges.network)


async def apply_network(
    judged: Sequence[_WordVerdict], cases: Sequence[_Case], network: EntailmentModel
) -> list[_WordVerdict]:
    """Return marks whose verdicts count the network beside the words, where it can read the source; raises AppError."""
    read = [
        passages_to_judge(case.passage, one.evidence)
        if one.mark.support is not SupportLevel.UNCOMPARED
        else ()
        for one, case in zip(judged, cases, strict=True)
    ]
    pairs = [
        (passage, case.claim.text) for passages, case in zip(read, cases, strict=True) for passage in passages
    ]
    verdicts = iter(await network.entail(pairs)) if pairs else iter(())
    found: list[_WordVerdict] = []
    for one, case, passages in zip(judged, cases, read, strict=True):
        likelihoods = [next(verdicts)[0] for _ in passages]
        if likelihoods:
            evidence = weigh_network(one.evidence, likelihoods)
            support = judge_support(case.claim.text, case.passage, evidence)
            mark = replace(one.mark, support=support, score=round(evidence.score, 4))
            found.append(one._replace(mark=mark, evidence=evidence))
        else:
            found.append(one)
    return found


async def apply_entailment(
    judged: Sequence[_WordVerdict], cases: Sequence[_Case], model: EntailmentModel
) -> list[_WordVerdict]:
    """Return marks with verdicts of an entailment model on the best passages; raises AppError.

    A mark whose source has no text is not changed. `words` are the passage that decided the verdict.
    """
    pairs = [
        (f"{case.passage.title.text}. {passage}".lstrip(". "), case.claim.in_context or case.claim.text)
        for one, case in zip(judged, cases, strict=True)
        for passage in one.passages
    ]
    verdicts = iter(await model.entail(pairs)) if pairs else iter(())
    found: list[_WordVerdict] = []
    for one in judged:
        likely = [(passage, *next(verdicts)) for passage in one.passages]
        found.append(one._replace(mark=_weigh_entailment(one.mark, likely)) if likely else one)
    return found


def _weigh_entailment(mark: CheckedMark, likely: Sequence[tuple[str, float, float]]) -> CheckedMark:
    passage, entailed, _ = max(likely, key=lambda one: one[1])
    denying, _, contradicted = max(likely, key=lambda one: one[2])
    if entailed >= _LIKELY:
        support = SupportLevel.SUPPORTED
    elif contradicted >= _LIKELY:
        support, passage = SupportLevel.CONTRADICTED, denying
    else:
        support = SupportLevel.NOT_FOUND if mark.support is SupportLevel.NOT_FOUND else SupportLevel.WEAK
    return replace(
        mark,
        support=support,
        words=passage[:_CLOSEST_CHARS],
        score=round(entailed, 4),
        judge=CheckMethod.ENTAILMENT,
    )


async def _examine(
    marks: Sequence[CheckedMark], cases: Sequence[_Case], examiner: JudgeModel
) -> tuple[list[CheckedMark], str]:
    """Return the marks with verdicts of a language model, and an error message if that failed."""
    asked = select_fitting(
        [
            AskedClaim(
                case.claim.text, "".join(excerpt_of(case.passage.text, case.claim.text)), case.claim.context
            )
            for case in cases
        ],
        examiner.budget_tokens,
    )
    try:
        verdicts = await ask_verdicts(asked, examiner.picked)
    except AppError as error:
        return list(marks), NO_MODEL.format(detail=error)
    judged = [
        replace(mark, support=verdicts[index], judge=CheckMethod.MODEL) if index in verdicts else mark
        for index, mark in enumerate(marks)
    ]
    if not verdicts:
        return judged, _NO_VERDICTS
    is_all = len(verdicts) == len(marks)
    return judged, "" if is_all else _SOME_VERDICTS.format(done=len(verdicts), total=len(marks))


def select_fitting(cases: Sequence[AskedClaim], budget_tokens: int) -> tuple[AskedClaim, ...]:
    """Return the first cases, as many as fit into one request."""
    return tuple(take_within_budget(cases[:MOST_CLAIMS_ASKED], _case_tokens, budget_tokens))


def build_request(cases: Sequence[AskedClaim]) -> tuple[PromptMessage, ...]:
    """Return the single request about all cases."""
    claims = "\n\n".join(_write_case(number, case) for number, case in enumerate(cases, 1))
    message = fill_resource("prompts/check_message.txt", {"claims": claims})
    return (
        PromptMessage("system", resource_text("prompts/check.txt").strip()),
        PromptMessage("user", message),
    )


def read_verdicts(written: str, count: int) -> dict[int, SupportLevel]:
    """Return the verdicts by case index; unreadable ones are left out."""
    found: dict[int, SupportLevel] = {}
    for order, element in enumerate(elements(written, ("verdict",))):
        named = _NUMBER.search(element.attributes.get("id", ""))
        index = int(named[0]) - 1 if named else order
        support = _support(element.text)
        if 0 <= index < count and support is not None:
            found.setdefault(index, support)
    return found


async def ask_verdicts(cases: Sequence[AskedClaim], picked: SelectedModel) -> dict[int, SupportLevel]:
    """Ask a model about all cases at once; return the verdicts that could be read, by case index; raises AppError."""
    request = ModelRequest(
        picked.name, build_request(cases), temperature=0.0, max_output_tokens=_VERDICT_TOKENS, thinks=False
    )
    async with aclosing(picked.model.stream(request)) as events:
        written = "".join([event.text async for event in events if isinstance(event, TextDelta)])
    return read_verdicts(written, len(cases))


async def confirm_disagreements(
    found: Sequence[Disagreement], sources: Sequence[Source], examiner: JudgeModel
) -> tuple[tuple[Disagreement, ...], str]:
    """Return the disagreements without those where a model finds that the second source says what the first does.

    Those of more than two values are kept. If the model failed, all are kept and the error message says so.
    """
    by_number = {source.number: source for source in sources}
    pairs = [each for each in found if len(each.values) == _PAIR and each.sources[1][0] in by_number]
    asked = select_fitting([_difference_case(each, by_number) for each in pairs], examiner.budget_tokens)
    if not asked:
        return tuple(found), ""
    try:
        verdicts = await ask_verdicts(asked, examiner.picked)
    except AppError as error:
        return tuple(found), NO_MODEL.format(detail=error)
    agreeing = [each for index, each in enumerate(pairs) if verdicts.get(index) is SupportLevel.SUPPORTED]
    return tuple(each for each in found if each not in agreeing), ""


def _difference_case(found: Disagreement, by_number: Mapping[int, Source]) -> AskedClaim:
    said = found.passage_of(0)
    return AskedClaim(said, "".join(excerpt_of(by_number[found.sources[1][0]].text, said)))


def _case_tokens(case: AskedClaim) -> int:
    return estimate_tokens(_write_case(1, case))


def _write_case(number: int, case: AskedClaim) -> str:
    claim, source, context = (escape(text, quote=False) for text in (case.claim, case.excerpt, case.context))
    before = f'<before id="{number}">{context}</before>\n' if context else ""
    return f'{before}<claim id="{number}">{claim}</claim>\n<source id="{number}">{source}</source>'


def _support(text: str) -> SupportLevel | None:
    if _PARTLY.search(text):
        return SupportLevel.WEAK
    if _CONTRADICTED.search(text) and not _NOT.search(text):
        return SupportLevel.CONTRADICTED
    if _NOT.search(text):
        return SupportLevel.NOT_FOUND
    return SupportLevel.SUPPORTED if _FULLY.search(text) else None
