"""Gathers what a question needs: web, files and memory side by side, every step of it visible."""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, field

from desktop.domain.knowledge import Retrieval, Retriever
from desktop.domain.messages import Message, StepKind, StepStatus
from desktop.domain.models import Model
from desktop.domain.search import WEB_AUTO, WEB_OFF, SearchOutcome
from desktop.domain.sources import Passage
from desktop.errors import KnowledgeError
from desktop.phrases import phrase
from desktop.search.gather_pages import Candidate, PassageMode, Selection, select
from desktop.search.gather_steps import GatherEvent, Steps
from desktop.search.gather_web import PAGE_LIMIT_S, Reader, WebGathering, WebSearcher
from desktop.search.intent import LIMIT_S, Intent, decide
from desktop.text.tokens import estimate_tokens

_WEB_SHARE = 0.6
"""Part of the room that pages get where files and memories want some as well."""
_FILES_LEFT_OUT = phrase("Passages of files left out because there was no room for them: {count}.")


@dataclass(frozen=True)
class Places:
    """Where can be looked; None is nowhere."""

    reader: Reader
    web: WebSearcher | None = None
    knowledge: Retriever | None = None
    memory: Retriever | None = None


@dataclass(frozen=True)
class Inquiry:
    """What is to be looked up for a question.

    `web` is off, auto or an engine; `scope` names the knowledge bases; `model` decides what is
    needed, None leaves it to keywords. `budget_tokens` bounds the text of all passages together.
    """

    question: str
    history: tuple[Message, ...] = ()
    model: Model | None = None
    model_name: str = ""
    web: str = WEB_AUTO
    scope: tuple[str, ...] = ()
    budget_tokens: int = 6_000
    result_count: int = 5
    passage_count: int = 8
    mode: PassageMode = PassageMode.PASSAGES
    intent_limit_s: float = LIMIT_S
    page_limit_s: float = PAGE_LIMIT_S


@dataclass(frozen=True)
class Gathered:
    """What was found: passages of web pages, then of files, then memories, the best of each first."""

    passages: tuple[Passage, ...] = ()
    intent: Intent = field(default_factory=Intent)
    outcomes: tuple[SearchOutcome, ...] = ()
    notes: tuple[str, ...] = ()


async def gather(inquiry: Inquiry, places: Places) -> AsyncGenerator[GatherEvent | Gathered, None]:
    """Yield every step as it begins and ends, and `Gathered` last. Closing it cancels all its work."""
    events: asyncio.Queue[GatherEvent | None] = asyncio.Queue()
    work = asyncio.create_task(_Gathering(inquiry, places, Steps(events)).run())
    work.add_done_callback(lambda _: events.put_nowait(None))
    try:
        while (event := await events.get()) is not None:
            yield event
        yield work.result()
    finally:
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)


class _Gathering:
    """One run. The parts work side by side and fail by themselves."""

    def __init__(self, inquiry: Inquiry, places: Places, steps: Steps) -> None:
        self._inquiry = inquiry
        self._knowledge = places.knowledge if inquiry.scope else None
        self._memory = places.memory
        self._searcher = places.web if inquiry.web != WEB_OFF else None
        self._steps = steps
        self._web = WebGathering(
            self._searcher,
            places.reader,
            steps,
            choice=inquiry.web,
            count=inquiry.result_count,
            page_limit_s=inquiry.page_limit_s,
        )

    async def run(self) -> Gathered:
        """Decide, look everywhere, and fit what was found into the room."""
        intent = await self._decide()
        asked = tuple(dict.fromkeys([*intent.knowledge_queries, *intent.web_queries]))
        async with asyncio.TaskGroup() as group:
            pages = group.create_task(self._web.run(intent.web_queries, intent.links))
            files = group.create_task(
                self._look_up(StepKind.KNOWLEDGE, self._knowledge, intent.knowledge_queries)
            )
            memories = group.create_task(self._look_up(StepKind.MEMORY, self._memory, asked))
        found = [*files.result().passages, *memories.result().passages]
        return await self._fitted(intent, pages.result(), found)

    async def _decide(self) -> Intent:
        inquiry = self._inquiry
        has_knowledge = self._knowledge is not None or self._memory is not None
        wants_web = self._searcher is not None
        step = self._steps.start(StepKind.INTENT) if has_knowledge or wants_web else None
        intent = await decide(
            inquiry.question,
            inquiry.history,
            model=inquiry.model,
            model_name=inquiry.model_name,
            has_knowledge=has_knowledge,
            wants_web=wants_web,
            limit_s=inquiry.intent_limit_s,
        )
        if step is not None:
            queries = dict.fromkeys([*intent.web_queries, *intent.knowledge_queries, *intent.links])
            has_failed = bool(intent.fallback_reason) and inquiry.model is not None
            self._steps.finish(
                step,
                StepStatus.DEGRADED if has_failed else StepStatus.DONE,
                count=len(queries),
                detail=intent.fallback_reason,
                subject=" · ".join(queries),
            )
        return intent

    async def _look_up(
        self, kind: StepKind, retriever: Retriever | None, queries: Sequence[str]
    ) -> Retrieval:
        if retriever is None or not queries:
            return Retrieval()
        step = self._steps.start(kind, " · ".join(queries))
        try:
            found = await retriever.retrieve(queries, self._inquiry.scope, self._inquiry.passage_count)
        except KnowledgeError as error:
            self._steps.finish(step, StepStatus.FAILED, count=0, detail=str(error))
            return Retrieval(notes=(str(error),))
        status = StepStatus.DEGRADED if found.notes else StepStatus.DONE
        self._steps.finish(step, status, count=len(found.passages), detail=" ".join(found.notes))
        return found

    async def _fitted(self, intent: Intent, pages: list[Candidate], found: Sequence[Passage]) -> Gathered:
        """Share the room: pages get theirs, files and memories what they leave, and the other way round."""
        budget = self._inquiry.budget_tokens
        wanted = sum(estimate_tokens(passage.text) for passage in found)
        room = budget - min(wanted, int(budget * (1 - _WEB_SHARE)))
        queries = [*intent.web_queries, *intent.knowledge_queries] or [intent.rewrite]
        selection = await asyncio.to_thread(
            select, pages, queries, limit_tokens=room, mode=self._inquiry.mode
        )
        kept = _fitting(found, budget - selection.used_tokens)
        notes = self._notes(selection, len(found) - len(kept))
        return Gathered((*selection.passages, *kept), intent, tuple(self._web.outcomes), notes)

    def _notes(self, selection: Selection, dropped: int) -> tuple[str, ...]:
        """Say as a step what of the findings is not shown to the model."""
        notes = list(selection.notes)
        if dropped:
            notes.append(_FILES_LEFT_OUT.format(count=dropped))
        if notes:
            is_short = selection.left_out or dropped
            status = StepStatus.DEGRADED if is_short else StepStatus.DONE
            self._steps.report(StepKind.CONTEXT, status, " ".join(notes))
        return tuple(notes)


def _fitting(passages: Sequence[Passage], room: int) -> list[Passage]:
    """Return the passages that fit, the first ones before the others."""
    kept = []
    for passage in passages:
        tokens = estimate_tokens(passage.text)
        if tokens <= room:
            kept.append(passage)
            room -= tokens
    return kept
