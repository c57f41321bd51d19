"""Looks up the sources for a question: files, web, bases, memory, and the search of the model's server."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.chat.api.engine import Question
from desktop.chat.attachments import IN_FULL
from desktop.chat.disclosure import gives_away
from desktop.chat.emit import EmitStep
from desktop.chat.memory_retriever import MemoryRetriever, UnreadableMemories, user_texts
from desktop.chat.step_log import StepLog
from desktop.domain.events import StepFinished, StepStarted
from desktop.domain.knowledge import (
    ATTACHMENTS,
    BaseInfo,
    ItemInfo,
    ItemState,
    Retriever,
    Scope,
    TextSimilarity,
)
from desktop.domain.memory import Memory
from desktop.domain.messages import Message, StepKind, StepStatus
from desktop.domain.models import NO_FACTS, QUOTES_MODEL, Ability, CitedPages, Model, ModelFacts, ServerSearch
from desktop.domain.search import WEB_AUTO, WEB_OFF, WEB_OWN
from desktop.domain.sources import Passage, Source, SourceKind
from desktop.errors import AppError, KnowledgeError, StorageError
from desktop.phrases import translatable
from desktop.providers.quotes.extraction import names_no_subject, wants_new_text, wants_summary
from desktop.search.gather import GatherInput, GatherResult, Retrievers, gather
from desktop.search.intent import DecisionTimes, Intent, explicit_intent, links_in, without_links
from desktop.search.keywords import keyword_query
from desktop.search.passage_selection import PassageMode
from desktop.search.web_gatherer import ReadWebPage, WebSearcher
from desktop.settings import egress
from desktop.settings.model import ChatSettings, Settings
from desktop.text.language import language_of

if TYPE_CHECKING:  # imported for types only, as a turn without files needs no worker
    from desktop.knowledge.worker.client import KnowledgeClient

_ASKS_ABOUT = re.compile(r"\bwhat (?:is|are|does|do)\b.{0,300}\bsay about\b", re.IGNORECASE)
"""“What does this page say about moths?” asks about a topic and not for the gist."""


def asks_for_gist(question: str) -> bool:
    """Say whether a question asks for the gist of its links or files, and not for a detail in them."""
    asked = without_links(question)
    if not asked.strip():
        return True
    if links_in(question) and not keyword_query(question, ()):
        return True
    return wants_summary(asked) and (names_no_subject(asked) or not _ASKS_ABOUT.search(asked))


def subject(question: str) -> str:
    """Return what a question asks beyond the gist; empty if nothing."""
    asked = without_links(question)
    is_all = not keyword_query(question, ()) if links_in(question) else False
    return "" if is_all or names_no_subject(asked) else asked


def gist_question(question: str) -> str:
    """Return the question without addresses, with an explicit request for a summary added if it has none."""
    asked = without_links(question)
    if wants_summary(asked):
        return asked
    return f"{asked}\n总结" if language_of(question) == "zh" else f"{asked}\nSummary"


_SMALL_MODEL_FAILED = translatable("The model for small tasks can’t be used, so keywords are used: {detail}")

_TOO_SLOW = translatable(
    "The model for search queries takes {seconds} s (limit {limit} s), so keywords are used."
)


@dataclass(frozen=True)
class SelectedModel:
    """A model that is ready to be asked.

    `name` is its name at the provider.
    """

    model: Model
    id: str
    name: str
    facts: ModelFacts = NO_FACTS

    @property
    def sees(self) -> bool:
        """Whether the model accepts pictures."""
        return Ability.IMAGES in self.facts.has

    def window(self, chat: ChatSettings) -> "TokenWindow":
        """Return the token window for an answer of this model."""
        context = self.facts.context_within(chat.context_tokens)
        longest = min(chat.answer_tokens, self.facts.output_tokens or chat.answer_tokens)
        return TokenWindow(context, min(longest, context // 3))


_LEAST_ANSWER_TOKENS = 256


@dataclass(frozen=True)
class TokenWindow:
    """How many tokens prompt and answer can have together, and how many of them are reserved for the answer."""

    context_tokens: int
    answer_tokens: int

    def half(self) -> "TokenWindow":
        """Return a smaller window after the server found a request of this size too long."""
        return TokenWindow(self.context_tokens // 2, self.answer_tokens // 2)

    def for_messages(self, limit_tokens: int) -> "TokenWindow":
        """Return a window for messages of `limit_tokens`, and for at most half of this window's answer."""
        answer_tokens = min(self.answer_tokens // 2, max(limit_tokens, _LEAST_ANSWER_TOKENS))
        return TokenWindow(limit_tokens + answer_tokens, answer_tokens)


@dataclass(frozen=True)
class GatherRequest:
    """A request to look up sources for a question; `budget_tokens` limits the text of all passages.

    `known` are the sources that the conversation already has.
    """

    question: Question
    history: tuple[Message, ...]
    picked: SelectedModel
    budget_tokens: int
    known: tuple[Source, ...] = ()

    @property
    def said(self) -> tuple[str, ...]:
        """What the user wrote in this conversation."""
        return (self.question.text, *user_texts(self.history))


async def attachment_base(bases: "KnowledgeClient", conversation_id: str) -> BaseInfo:
    """Return the base for the files of a conversation; it is created if missing.

    Its `floor` is 0, so all that a search finds counts: a question with a file is about that file, whatever its words are.
    """
    name = ATTACHMENTS + conversation_id
    known = (base for base in await bases.all_bases() if base.name == name)
    base = next(known, None) or await bases.create(name)
    stays_here = egress.current().stays_here or base.options.stays_here
    options = replace(base.options, stays_here=stays_here, floor=0.0)
    return base if options == base.options else await bases.update(replace(base, options=options))


async def take_in(
    bases: "KnowledgeClient",
    base: BaseInfo,
    files: Sequence[Path],
    log: StepLog,
    *,
    emit: EmitStep,
    ends: Collection[ItemState] = IN_FULL,
) -> None:
    """Read files into `base`, with a visible step for each; a failed file does not stop the others.

    Ends once all files have reached one of `ends`; the remaining work on them continues.
    """
    started: dict[str, StepStarted] = {}
    ended: set[str] = set()
    async with aclosing(bases.add(base.id, files)) as progress:
        async for step in progress:
            item = step.item
            if item.id not in started:
                started[item.id] = log.start(StepKind.READ, item.name)
                await emit(started[item.id])
            if item.state in ends and item.id not in ended:
                ended.add(item.id)
                await emit(_finish_item(log, started[item.id], item))
            if len(ended) == len(started):  # the first steps list all files
                return


async def attach(
    bases: "KnowledgeClient",
    conversation_id: str,
    files: Sequence[Path],
    scope: list[str],
    log: StepLog,
    *,
    emit: EmitStep,
    ends: Collection[ItemState] = IN_FULL,
) -> None:
    """Read the files of a question into the base of its conversation, and add that base to `scope`.

    A failure is reported as a step.
    """
    try:
        base = await attachment_base(bases, conversation_id)
        scope.append(base.id)
        if files:
            await take_in(bases, base, files, log, emit=emit, ends=ends)
    except KnowledgeError as error:
        started = log.start(StepKind.READ, ", ".join(path.name for path in files))
        await emit(started)
        await emit(log.finish(started, status=StepStatus.FAILED, count=0, detail=str(error)))


async def find_attached_scope(
    bases: "KnowledgeClient", scope: Sequence[str], request: GatherRequest
) -> tuple[str, ...]:
    """Return the part of the base of a conversation, if `scope` names it, that a question is about.

    These are its files and those of the messages before it. A file that was removed when a question was edited is in
    the base, for the version of the question that has it.
    """
    files = (*request.question.files, *(path for message in request.history for path in message.files))
    paths = set(map(str, files))
    keys: list[str] = []
    for base_id in scope:
        try:
            items = await bases.items(base_id)
        except KnowledgeError:  # the search in it says so
            items = ()
        own = [item for item in items if not paths.isdisjoint(_places(item.path))]
        # The files of a chat that came from another computer have other places.
        is_narrow = 0 < len(own) < len(items)
        keys += [Scope(base_id, item_id=item.id).key for item in own] if is_narrow else [base_id]
    return tuple(keys)


def _places(path: str) -> tuple[str, ...]:
    """Return a path with the folders that it is in."""
    return (path, *map(str, Path(path).parents)) if path else ()


def _finish_item(log: StepLog, started: StepStarted, item: ItemInfo) -> StepFinished:
    if item.state is ItemState.FAILED:
        return log.finish(started, status=StepStatus.FAILED, count=0, detail=item.error)
    return log.finish(started, count=item.passages)


async def find_no_memories(_question: Question) -> Retriever | None:
    """Return no retriever, for a program without memories."""
    return None


class MemoryProvider:
    """Provides the memories for a question."""

    def __init__(
        self, memories: Callable[[], Awaitable[Sequence[Memory]]], settings: Callable[[], Settings]
    ) -> None:
        self._memories = memories
        self._settings = settings

    async def place(self, question: Question) -> Retriever | None:
        """Return the retriever of memories; None if they are switched off, or there are none."""
        if not (self._settings().memory.is_on and question.uses_memory):
            return None
        try:
            memories = [memory for memory in await self._memories() if memory.is_for(question.assistant.id)]
        except StorageError as error:
            return UnreadableMemories(str(error))
        return MemoryRetriever(memories) if memories else None


class SourceLookup:
    """Searches web, knowledge and memories; `web` returns the current search under the settings."""

    def __init__(
        self,
        *,
        web: Callable[[], WebSearcher],
        read: ReadWebPage,
        knowledge: "KnowledgeClient",
        pick_model: Callable[[str], Awaitable[SelectedModel]],
        settings: Callable[[], Settings],
        memory: Callable[[Question], Awaitable[Retriever | None]] = find_no_memories,
        meanings: TextSimilarity | None = None,
        times: DecisionTimes | None = None,
    ) -> None:
        self._times = times or DecisionTimes()
        self._meanings = meanings
        self._memory = memory
        self._web = web
        self._read = read
        self._knowledge = knowledge
        self._pick_model = pick_model
        self._settings = settings

    async def gather(self, request: GatherRequest, emit: EmitStep) -> GatherResult:
        """Report every step as it begins and ends, and return what was found."""
        question, log = request.question, StepLog()
        scope = list(question.bases)
        if question.files or any(message.files for message in request.history):
            attached: list[str] = []
            files = question.files
            await attach(self._knowledge, question.conversation_id, files, attached, log, emit=emit)
            scope += await find_attached_scope(self._knowledge, attached, request)
        inquiry = await self._with_model(self._inquiry(request, scope), request.picked)
        web = self._searcher(inquiry)
        places = Retrievers(self._read, web, self._knowledge, await self._memory(question), self._meanings)
        offset = len(log.steps)
        result = await _run_gathering(inquiry, places, lambda event: emit(_renumber(event, offset)))
        await asyncio.to_thread(self._times.save)
        return result

    async def look_up(
        self, request: GatherRequest, intent: Intent, where: str, emit: EmitStep
    ) -> GatherResult:
        """Look up the targets of an intent for a tool; `where` is off, auto or an engine's id."""
        scope = list(request.question.bases)
        if request.question.files or any(message.files for message in request.history):
            base = await attachment_base(self._knowledge, request.question.conversation_id)
            scope += await find_attached_scope(self._knowledge, (base.id,), request)
        inquiry = replace(self._inquiry(request, scope), intent=intent, web=where)
        places = Retrievers(self._read, self._searcher(inquiry), self._knowledge, meanings=self._meanings)
        return await _run_gathering(inquiry, places, emit)

    async def recall(self, request: GatherRequest, emit: EmitStep) -> GatherResult:
        """Look up only the memories for a question; without memories there is no step."""
        intent = Intent(rewrite=request.question.text)
        inquiry = replace(self._inquiry(request, ()), intent=intent, web=WEB_OFF)
        places = Retrievers(self._read, memory=await self._memory(request.question))
        return await _run_gathering(inquiry, places, emit)

    def _searcher(self, inquiry: GatherInput) -> WebSearcher | None:
        return None if inquiry.web == WEB_OFF else self._web()  # building it loads all engines

    async def _with_model(self, inquiry: GatherInput, picked: SelectedModel) -> GatherInput:
        """Add the model that decides what to look up, or the reason why keywords are used instead."""
        small = self._settings().chat.small_model
        if inquiry.intent is not None:
            return inquiry
        try:
            chosen = await self._pick_model(small) if small and small != picked.id else picked
        except AppError as error:  # the answer does not depend on this model
            return replace(inquiry, no_model_reason=_SMALL_MODEL_FAILED.format(detail=error))
        if chosen.id == QUOTES_MODEL:
            return inquiry
        longest_s = self._settings().chat.decision_limit_s
        if slow_s := self._times.too_slow_s(chosen.id, longest_s):
            reason = _TOO_SLOW.format(seconds=round(slow_s), limit=longest_s)
            return replace(inquiry, no_model_reason=reason)
        return replace(
            inquiry,
            model=chosen.model,
            model_name=chosen.name,
            intent_limit_s=self._times.limit_s(chosen.id, longest_s),
            on_timed=lambda seconds, is_finished: self._times.note(
                chosen.id, seconds, is_finished=is_finished
            ),
        )

    def _inquiry(self, request: GatherRequest, scope: Sequence[str]) -> GatherInput:
        settings = self._settings()
        question = request.question
        wants_gist = wants_whole(question)
        return GatherInput(
            question=question.text,
            history=request.history,
            intent=_known_intent(question, request.picked.id, wants_gist=wants_gist),
            wants_whole=wants_gist,
            without=question.without,
            web=question.web,
            scope=tuple(scope),
            budget_tokens=request.budget_tokens,
            result_count=settings.search.result_count,
            mode=PassageMode(settings.search.page_mode),
            passage_count=settings.knowledge.passage_count,
            gives_away=partial(gives_away, sources=request.known, said=request.said, names_alone=True),
        )


async def _run_gathering(inquiry: GatherInput, places: Retrievers, emit: EmitStep) -> GatherResult:
    result = GatherResult()
    async with aclosing(gather(inquiry, places)) as events:
        async for event in events:
            if isinstance(event, GatherResult):
                result = event
            else:
                await emit(event)
    return result


def wants_whole(question: Question) -> bool:
    """Say whether the text of a question asks for the gist of its links or files."""
    has_material = bool(question.files or links_in(question.text))
    return has_material and not question.queries and asks_for_gist(question.text)


def _known_intent(question: Question, model: str, *, wants_gist: bool) -> Intent | None:
    """Return the intent if the question determines it; None if it has yet to be decided."""
    if model == QUOTES_MODEL and wants_new_text(question.text):
        return Intent(rewrite=question.text)  # whatever is found, Quotes cannot do it
    if question.queries:
        return explicit_intent(question.text, question.queries)
    if wants_gist and not subject(question.text):
        return Intent(rewrite=question.text, links=links_in(question.text), summarizes=True)
    return None


def _renumber(event: StepStarted | StepFinished, offset: int) -> StepStarted | StepFinished:
    """Renumber a step of the lookup so that it follows the earlier steps."""
    return replace(event, step=replace(event.step, id=event.step.id + offset))


_FAILED = translatable("The model’s own web search failed: {detail}.")
_CANNOT = translatable("This model has no web search of its own, so Footnote searches the web.")


@dataclass(frozen=True)
class NativeSearch:
    """Whether the model's server searches the web, and a message for the user if it cannot."""

    is_on: bool = False
    problem: str = ""


def own_search(question: Question, picked: SelectedModel) -> tuple[Question, NativeSearch]:
    """Return the question for Footnote's own search, and whether the model's server searches."""
    if question.web != WEB_OWN:
        return question, NativeSearch()
    if Ability.SEARCH in picked.facts.has:
        return replace(question, web=WEB_OFF), NativeSearch(is_on=True)
    return replace(question, web=WEB_AUTO), NativeSearch(problem=_CANNOT)


def passages_of(cited: CitedPages) -> tuple[Passage, ...]:
    """Return the pages that a server cites as passages for the ledger."""
    return tuple(
        Passage(SourceKind.WEB, page.title or page.url, page.text, url=page.url) for page in cited.pages
    )


class ServerSearchSteps:
    """Shows the searches of a model server among the steps of a turn."""

    def __init__(self, log: StepLog) -> None:
        self._log = log
        self._started: dict[str, StepStarted] = {}

    def take(self, search: ServerSearch) -> StepStarted | StepFinished:
        """Return the step for the start, a change or the end of a search."""
        known = self._started.get(search.id)
        if known is None:
            known = self._started[search.id] = self._log.start(StepKind.SEARCH, search.query)
            if not search.is_done:
                return known
        status = (
            StepStatus.FAILED if search.error else StepStatus.DONE if search.is_done else StepStatus.RUNNING
        )
        step = replace(
            known.step,
            subject=search.query or known.step.subject,
            status=status,
            count=search.count,
            detail=_FAILED.format(detail=search.error) if search.error else "",
        )
        self._started[search.id] = StepStarted(step)
        return self._log.record(StepFinished(step) if search.is_done else StepStarted(step))
