"""Checks the citations of an answer by words, an entailment model and a language model.

Runs in a turn or on request.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol

from desktop.chat.answer.recorder import AnswerRecorder
from desktop.chat.answer.step_log import StepLog
from desktop.chat.checking.alignment import PreparedSource, prepare_source
from desktop.chat.checking.claims import Claim, extract_claims, unknown_numbers
from desktop.chat.checking.disagreements import find_disagreements
from desktop.chat.checking.network import passages_to_judge, weigh_network
from desktop.chat.checking.scoring import Evidence, are_foreign, collect_evidence, judge_support
from desktop.chat.checking.verdicts import (
    NO_MODEL,
    AskedClaim,
    JudgeModel,
    ask_verdicts,
    confirm_disagreements,
    select_fitting,
)
from desktop.chat.emit import Emit
from desktop.chat.retrieval.source_lookup import SelectedModel
from desktop.domain.citation_check import (
    DOUBTED,
    CheckedMark,
    CheckMethod,
    CitationCheck,
    Disagreement,
    SupportLevel,
)
from desktop.domain.events import (
    CheckAdvanced,
    CheckEvent,
    CitationsChecked,
    ProcedureChanged,
    StepFinished,
    StepStarted,
    TurnEvent,
)
from desktop.domain.messages import Message, Speaker, StepKind, StepStatus
from desktop.domain.models import QUOTES_MODEL
from desktop.domain.privacy import EgressEvent
from desktop.domain.procedures import Phase, TextCheck
from desktop.domain.sources import Source, SourceKind
from desktop.errors import AppError, UnknownConversation
from desktop.phrases import pluralize, sentences, translatable
from desktop.render.page.cited_sentence import excerpt_of
from desktop.settings import egress
from desktop.settings.model import ALWAYS, Settings
from desktop.storage.conversation_store import ConversationStore

MOST_CLAIMS = 400
"""Citations after this many are not checked."""

_AT_ONCE = 6
"""Claims compared in one batch: progress is reported after each, and a stop waits for one batch at most."""
_CLOSEST_CHARS = 400
_MOST_PASSAGES = 2
"""Single sentences that an entailment model reads, in addition to the best three together."""
_FIRST_SENTENCES = 5
"""How many sentences an entailment model reads of a source that shares no word with the claim."""
_LIKELY = 0.5

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
        marks, problem = await _examined(marks, cases, examiner)
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
    ]
    return max(marks, key=lambda mark: (_RANK[mark.support], mark.score), default=None)


def _without_foreign_doubt(mark: CheckedMark, case: _Case) -> CheckedMark:
    if mark.support is not SupportLevel.WEAK or not are_foreign(case.claim.text, case.passage.text):
        return mark
    return replace(mark, support=SupportLevel.UNCOMPARED, missing=())


def _cases_of_claim(claim: str, sources: Sequence[tuple[str, str]]) -> list[_Case]:
    prepared = [prepare_source(title, text) for title, text in sources]
    if len(sources) > 1:
        titles, texts = zip(*sources, strict=True)
        prepared.append(prepare_source(" ".join(titles), "\n\n".join(texts)))
    return [
        _Case(Claim(claim, ()), (number, 0), source, tuple(one for one in prepared if one is not source))
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


def _judge_all(cases: Sequence[_Case]) -> list[_WordVerdict]:
    return [_judge(case) for case in cases]


def _judge(case: _Case) -> _WordVerdict:
    claim, source = case.claim.text, case.passage
    evidence = collect_evidence(claim, source, case.beside)
    number, occurrence = case.mark
    mark = CheckedMark(
        number=number,
        occurrence=occurrence,
        support=judge_support(claim, source, evidence),
        claim=claim,
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


async def _examined(
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


_MODEL_SHARE = 0.6
"""Share of a model's window that claims and excerpts can fill."""

_COMPARED = frozenset({SourceKind.WEB, SourceKind.FILE})
_MOST_COMPARED = 30
_MOST_DISAGREEMENTS = 8
"""How many sources are compared with one another, and how many of their disagreements are kept."""

_UNSUPPORTED = (
    translatable("{count} citation is not clearly supported by its source."),
    translatable("{count} citations are not clearly supported by their sources."),
)


class CitationCheckService:
    """Checks citations with the models that the settings select."""

    def __init__(
        self,
        *,
        store: ConversationStore,
        pick_model: Callable[[str], Awaitable[SelectedModel]],
        settings: Callable[[], Settings],
        judges: Callable[[], ClaimJudges] = lambda: WORDS_ALONE,
    ) -> None:
        self._judges = judges
        self._store = store
        self._pick_model = pick_model
        self._settings = settings

    def before_done(self, answer: AnswerRecorder, emit: Emit) -> Emit:
        """Return a sink that checks the citations of an answer before its procedure is reported as done."""

        async def check_before_done(event: TurnEvent) -> None:
            if isinstance(event, ProcedureChanged) and event.procedure.phase is Phase.DONE:
                await emit(ProcedureChanged(replace(event.procedure, phase=Phase.CHECKING)))
                await self.check_new(answer, emit)
            await emit(event)

        return check_before_done

    def is_due(self, answer: AnswerRecorder) -> bool:
        """Say whether the settings ask for a check of an answer whose text is complete."""
        return self._settings().chat.checks_citations == ALWAYS and not answer.is_written

    async def check_new(self, answer: AnswerRecorder, emit: Emit) -> None:
        """Check an answer with complete text; without citations there is no step."""
        answer.is_written = True
        message = answer.as_it_stands()
        sources = (await answer.store.load(message.conversation_id)).sources
        started: StepStarted | None = None

        async def show(event: CheckEvent) -> None:
            nonlocal started
            if started is None and isinstance(event, CheckAdvanced) and event.total:
                started = answer.log.start(StepKind.CHECK)
                await emit(started)
            if started is None:
                return
            await emit(event)
            if isinstance(event, CitationsChecked):
                await emit(_finished(answer.log, started, event.check))

        await self._check(message, answer.asked.text, sources, show)

    async def check(
        self,
        conversation_id: str,
        message_id: str,
        emit: Callable[[CheckEvent], Awaitable[None]],
        *,
        by_words: bool = False,
    ) -> None:
        """Check a stored answer and store the result.

        With `by_words` no model is asked, no progress is reported, and an answer without citations stays unchecked,
        as does one of Quotes, unless its sources disagree.

        Raises:
            UnknownConversation: the conversation or the answer does not exist.
        """
        store = self._store
        conversation = await store.load(conversation_id)
        message = next((one for one in conversation.messages if one.id == message_id), None)
        if message is None:
            raise UnknownConversation
        if isinstance(message.procedure, TextCheck) and message.check is not None:
            await emit(CitationsChecked(message_id, message.check))  # it says more than this check would
            return

        async def store_check(event: CheckEvent) -> None:
            if isinstance(event, CitationsChecked):
                found = event.check
                if by_words and not (found.marks or found.unknown or found.disagreements):
                    return
                await store.save_check(message_id, event.check)
            elif by_words:
                return
            await emit(event)

        sent: list[EgressEvent] = []
        with egress.collected(sent):
            asked = _question_of(message, conversation.messages)
            await self._check(message, asked, conversation.sources, store_check, by_words=by_words)
        await store.add_sent(message_id, sent)

    async def _check(
        self,
        message: Message,
        asked: str,
        sources: Sequence[Source],
        emit: Callable[[CheckEvent], Awaitable[None]],
        *,
        by_words: bool = False,
    ) -> None:
        sources = message.sources_among(sources)
        differing = await compare_sources(asked, sources)
        if by_words and message.model == QUOTES_MODEL and not differing:
            return  # its sentences are copies of their sources
        examiner, problem = (None, "") if by_words else await self._examiner(message.model)
        judges = replace(self._judges(), chosen=None) if by_words else self._judges()
        if examiner is not None and differing:
            differing, failure = await confirm_disagreements(differing, sources, examiner)
            problem = problem or failure
        async with aclosing(check(message.text, sources, examiner, judges)) as events:
            async for event in events:
                if isinstance(event, CheckProgress):
                    await emit(CheckAdvanced(message.id, event.done, event.total))
                else:
                    found = event if problem in event.problem else event.with_problem(problem)
                    found = replace(found, disagreements=differing)
                    await emit(CitationsChecked(message.id, found))

    async def _examiner(self, model_id: str) -> tuple[JudgeModel | None, str]:
        """Return the model that judges citations, if one is enabled, or why it is unavailable."""
        chat = self._settings().chat
        wanted = chat.small_model or model_id
        if not chat.checks_with_model or wanted in {"", QUOTES_MODEL}:
            return None, ""
        try:
            picked = await self._pick_model(wanted)
        except AppError as error:
            return None, NO_MODEL.format(detail=error)
        return JudgeModel(picked, int(picked.window(chat).context_tokens * _MODEL_SHARE)), ""


def _question_of(message: Message, messages: Sequence[Message]) -> str:
    """Return the text of the question before an answer."""
    earlier = messages[: messages.index(message)]
    return next((each.text for each in reversed(earlier) if each.speaker is Speaker.USER), "")


async def compare_sources(question: str, sources: Sequence[Source]) -> tuple[Disagreement, ...]:
    """Return where web pages and files that an answer was given disagree, by their numbers."""
    compared = [source for source in sources if source.kind in _COMPARED][:_MOST_COMPARED]
    texts = [(source.title, source.text) for source in compared]
    found = await asyncio.to_thread(find_disagreements, question, texts)
    return tuple(
        replace(
            each,
            sources=tuple(tuple(compared[place - 1].number for place in places) for places in each.sources),
        )
        for each in found[:_MOST_DISAGREEMENTS]
    )


def _finished(log: StepLog, started: StepStarted, found: CitationCheck) -> StepFinished:
    doubtful = sum(found.count(support) for support in DOUBTED)
    words = pluralize(_UNSUPPORTED, doubtful) if doubtful else ""
    return log.finish(
        started,
        status=StepStatus.DEGRADED if found.problem else StepStatus.DONE,
        count=len(found.marks),
        detail=sentences((words, found.problem)),
    )
