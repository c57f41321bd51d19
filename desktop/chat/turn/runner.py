"""One turn: intent → gather → number → prompt → stream → store; its events go into one sink."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from desktop.chat.answer_recorder import (
    AnswerRecorder,
    conversation_up_to,
    question_to_resume,
    record,
    start_turn,
    with_new_outline,
    with_words,
)
from desktop.chat.api.engine import Question
from desktop.chat.assistants import chat_settings
from desktop.chat.attachments import with_past
from desktop.chat.emit import Emit, EmitStep
from desktop.chat.prompt import (
    BuiltPrompt,
    DrawPage,
    build_continuation,
    draw_nothing,
    list_unseen_images,
    load_message_images,
    with_default_text,
)
from desktop.chat.retries import Retries
from desktop.chat.source_lookup import (
    GatherRequest,
    SelectedModel,
    TokenWindow,
    gist_question,
)
from desktop.chat.step_log import (
    complete_trace,
    extend_trace,
    list_pinned_sources,
    missing_attachment_notes,
    prompt_notes,
)
from desktop.chat.tools.executor import Approvals
from desktop.chat.tools.loop import ToolLoopContext, answer_with_tools
from desktop.chat.tools.text_protocol import TextToolModel
from desktop.chat.tools.toolset import result_tokens
from desktop.chat.turn.parallel_answers import (
    ParallelAnswer,
    ParallelAnswers,
    SharedSources,
    run_leader,
    sources_of_answer,
    start_parallel_answers,
)
from desktop.chat.turn.request_builder import RequestBuilder, build_request_builder, source_budget
from desktop.domain.assistants import GENERAL, Assistant
from desktop.domain.events import (
    ProcedureChanged,
    SourcesAdded,
    StepFinished,
    TraceReported,
)
from desktop.domain.messages import Conversation, Message, MessageStatus, SettingsPage, StepKind, StepStatus
from desktop.domain.models import QUOTES_MODEL, Ability, ModelRequest
from desktop.domain.procedures import DocumentTask, Phase, ProcedureCommand, StartOutline, TextCheck
from desktop.domain.search import WEB_AUTO, WEB_OFF, WEB_OWN
from desktop.domain.sources import Ledger, Source
from desktop.domain.tools import Consent, Tool
from desktop.errors import AppError
from desktop.errors.servers import ToolsRefused
from desktop.phrases import pluralize, translatable
from desktop.search.gather import GatherResult
from desktop.settings.model import ALWAYS, ChatSettings, Settings
from desktop.storage.conversation_store import ConversationStore
from desktop.text.tokens import cost_of_source, estimate_tokens

if TYPE_CHECKING:  # most answers need none of them
    from desktop.chat.checking.service import CitationCheckService
    from desktop.chat.procedures.dispatcher import ProcedureDispatcher
    from desktop.chat.procedures.documents import OpenDocument

_BESIDE_READING = (
    translatable("{count} other source left out because the whole document is read in parts."),
    translatable("{count} other sources left out because the whole document is read in parts."),
)
_PAST_LEFT_OUT = translatable(
    "Past answers can’t be cited in this mode. They are used again in normal answers."
)

Work = Callable[[Emit], Awaitable[None]]
Gather = Callable[[GatherRequest, EmitStep], Awaitable[GatherResult]]
"""Looks up the sources for a question, and reports the steps."""


class TurnRunner:
    """Answers questions; see `desktop.chat.api.engine.Turns`. `checks` returns what checks their citations.

    `on_answered` is called with the id of the conversation and the answer once that is stored.
    """

    def __init__(
        self,
        *,
        store: ConversationStore,
        pick_model: Callable[[str], Awaitable[SelectedModel]],
        gather: Gather,
        settings: Callable[[], Settings],
        tools: Callable[[GatherRequest, Ledger], Awaitable[tuple[Tool, ...]]],
        consents: Approvals,
        procedures: Callable[[], "ProcedureDispatcher"],
        checks: Callable[[], "CitationCheckService"],
        tool_problems: Callable[[GatherRequest], tuple[str, ...]] = lambda _request: (),
        draw_page: DrawPage = draw_nothing,
        retries: Retries | None = None,
        on_answered: Callable[[str, Message], None] = lambda _conversation_id, _answer: None,
    ) -> None:
        self._on_answered = on_answered
        self._retries = Retries() if retries is None else retries
        self._answering: dict[str, AnswerRecorder] = {}
        """Answers that are being written, by message id."""
        self._store = store
        self._pick_model = pick_model
        self._gather = gather
        self._settings = settings
        self._tools = tools
        self._tool_problems = tool_problems
        self._draw_page = draw_page
        self._consents = consents
        self._procedures = procedures
        self.checks = checks
        self._side_by_side = ParallelAnswers()
        self._without_calls: set[str] = set()
        """Models whose server rejected tool calls; they are asked to write tags instead."""

    async def decide(self, question_id: str, consent: Consent) -> None:
        """Pass the user's decision to a tool that asks for permission."""
        self._consents.decide(question_id, consent)

    async def skip_wait(self, message_id: str) -> None:
        """End the wait before a retry and send the request for an answer again at once."""
        if answer := self._answering.get(message_id):
            self._retries.skip(answer.log.wait_id)

    async def steer(self, message_id: str, wish: ProcedureCommand) -> None:
        """Pass a command of the user to a procedure."""
        self._procedures().take(message_id, wish)

    async def run(self, question: Question, emit: Emit, on_stored: Callable[[], None] = lambda: None) -> None:
        """Answer a question. The user's message is on disk before any request is sent; `on_stored` is called then."""
        store = self._store
        beginning = await start_turn(question, await store.load(question.conversation_id), store)
        on_stored()
        conversation = beginning.before
        if question.past:
            conversation = await with_past(question.past, conversation, store)
        answer = AnswerRecorder(beginning.asked, beginning.answer, store)
        question = with_default_text(beginning.question, beginning.asked)
        if question.also and not question.procedure:
            await self._answer_together(question, conversation, answer, emit)
            return
        work = self._carry_out if question.procedure else self._answer
        await self._record(partial(work, question, conversation, answer), answer, conversation.messages, emit)

    async def answer_with_models(
        self,
        conversation_id: str,
        message_id: str,
        models: tuple[str, ...],
        emit: Emit,
        assistant: Assistant = GENERAL,
    ) -> None:
        """Let further models answer the question of a message, from the same sources."""
        store = self._store
        conversation = conversation_up_to(await store.load(conversation_id), message_id)
        *before, asked, answer = conversation.messages
        history = replace(conversation, messages=tuple(before))
        question = Question(
            with_words(asked).text, conversation_id, web=WEB_OFF, files=asked.files, assistant=assistant
        )
        question = with_default_text(question, asked)
        found = asyncio.get_running_loop().create_future()
        found.set_result(sources_of_answer(conversation, answer))
        others = await start_parallel_answers(AnswerRecorder(asked, answer, store), models)
        join = partial(self._join, question, history, found)
        await self._side_by_side.run(
            [
                ParallelAnswer(other, partial(self._record, partial(join, other), other, before))
                for other in others
            ],
            emit,
        )

    async def stop_one(self, message_id: str) -> None:
        """Stop one of several answers; the others continue."""
        self._side_by_side.stop(message_id)

    async def _answer_together(
        self, question: Question, conversation: Conversation, answer: AnswerRecorder, emit: Emit
    ) -> None:
        """Look up sources once, with the first available model, and let all models answer from them."""
        answers = (answer, *await start_parallel_answers(answer, question.also))
        found: asyncio.Future[SharedSources] = asyncio.get_running_loop().create_future()
        for each in answers:
            each.sent = answer.sent
        leader = await self._first_ready(answers)
        lead = partial(self._answer, question, conversation, leader, tell=found.set_result)
        join = partial(self._join, question, conversation, found)
        # The usual answer comes first: its events announce the question that the others belong to.
        writings = [
            ParallelAnswer(
                each,
                partial(
                    self._record,
                    partial(run_leader, lead, found) if each is leader else partial(join, each),
                    each,
                    conversation.messages,
                ),
            )
            for each in answers
        ]
        await self._side_by_side.run(writings, emit)

    async def _first_ready(self, answers: Sequence[AnswerRecorder]) -> AnswerRecorder:
        for answer in answers:
            with suppress(AppError):  # its own answer will report the error
                await self._pick_model(answer.message.model)
                return answer
        return answers[0]

    async def go_on(
        self,
        conversation_id: str,
        message_id: str,
        model: str,
        emit: Emit,
        *,
        assistant: Assistant = GENERAL,
        outline: StartOutline | None = None,
    ) -> None:
        """Continue an answer that broke off, with the sources that it was given."""
        store = self._store
        conversation = conversation_up_to(await store.load(conversation_id), message_id)
        position = len(conversation.messages) - 1
        answer = replace(
            conversation.messages[position],
            status=MessageStatus.STREAMING,
            error="",
            settings_page=SettingsPage.NONE,
            model=model,
            check=None,
        )
        if outline is not None:
            answer = with_new_outline(answer, outline)
        *earlier, asked = conversation.messages[:position]
        if answer.procedure is None:  # the state of a procedure holds its task
            asked = with_words(asked)
        await store.update_message(answer)
        growing = AnswerRecorder(asked, answer, store)
        for step in answer.steps:
            growing.log.record(StepFinished(step))
        question = Question(asked.text, conversation_id, model, files=asked.files, assistant=assistant)
        question = with_default_text(question, asked)
        is_text_check = isinstance(answer.procedure, TextCheck)
        if answer.procedure is not None and answer.procedure.phase is Phase.CHECKING and not is_text_check:
            work = partial(self._finish, growing)
        elif answer.procedure is not None and answer.procedure.phase is not Phase.DONE:
            question = question_to_resume(question, answer.procedure)
            before = replace(conversation, messages=tuple(earlier))
            work = partial(self._carry_out, question, before, growing)
        else:
            work = partial(self._continue, question, growing, conversation, position)
        await self._record(work, growing, earlier, emit)

    async def _record(
        self, work: Work, answer: AnswerRecorder, before: Sequence[Message], emit: Emit
    ) -> None:
        """Run the work of an answer, record it, and check it afterwards if the settings say so."""

        async def work_and_check(emit: Emit) -> None:
            for note in missing_attachment_notes((*before, answer.asked), answer.log):
                await emit(note)
            await work(emit)
            if self._settings().chat.checks_citations == ALWAYS and not answer.is_written:
                await self.checks().check_new(answer, emit)

        self._answering[answer.message.id] = answer
        try:
            await record(answer, work_and_check, emit)
        finally:
            self._answering.pop(answer.message.id, None)
            if answer.message.status is not MessageStatus.STREAMING:
                self._on_answered(answer.message.conversation_id, answer.message)

    async def _request_builder(
        self, question: Question, conversation: Conversation, answer: AnswerRecorder
    ) -> RequestBuilder:
        picked = await self._pick_model(answer.message.model)
        answer.watch.price = picked.facts.price
        history = conversation.messages
        images = await load_message_images(question, history) if picked.sees else list_unseen_images(question)
        return build_request_builder(
            question, history, picked, self._chat(question), images=images, draw_page=self._draw_page
        )

    async def _answer(
        self,
        question: Question,
        conversation: Conversation,
        answer: AnswerRecorder,
        emit: Emit,
        tell: Callable[[SharedSources], None] | None = None,
    ) -> None:
        builder = await self._request_builder(question, conversation, answer)
        ledger = Ledger.of(conversation.sources)
        pinned = list_pinned_sources(conversation, question.without)
        wanted = replace(builder.gathering(builder.parallel_slots(pinned)), known=conversation.sources)
        gathered = await self._gather(wanted, answer.step_sink(emit))
        numbers = ledger.register(gathered.passages)
        sources = _distinct(ledger, [*(source.number for source in pinned), *numbers])
        document = None
        if gathered.intent.summarizes:
            document = await self._procedures().whole_document(wanted, gathered)
        found = SharedSources(ledger, pinned, sources, gathered.trace, document)
        if tell is not None:
            tell(found)
        await self._write(builder, answer, found, emit)

    async def _join(
        self,
        question: Question,
        conversation: Conversation,
        found: "asyncio.Future[SharedSources]",
        answer: AnswerRecorder,
        emit: Emit,
    ) -> None:
        """Answer from the sources that another answer looks up."""
        builder = await self._request_builder(question, conversation, answer)
        await self._write(builder, answer, await asyncio.shield(found), emit)

    async def _write(
        self, builder: RequestBuilder, answer: AnswerRecorder, found: SharedSources, emit: Emit
    ) -> None:
        """Answer from what was found; a whole document that does not fit is read in parts."""
        if found.document is None:
            await self._write_from(builder, answer, found, emit)
        elif (whole := _with_whole(builder, found, found.document)) is not None:
            await self._write_from(builder, answer, whole, emit)
        else:
            await self._read_in_parts(builder, answer, found, emit)

    async def _write_from(
        self, builder: RequestBuilder, answer: AnswerRecorder, found: SharedSources, emit: Emit
    ) -> None:
        """Answer from as many sources as fit."""
        builder = await _with_pages(builder, found.sources)
        prompt = builder.prompt(found.sources, builder.window, found.trace)
        for note in prompt_notes(builder.problems, found.pinned, prompt, answer.log):
            await emit(note)
        if prompt.sources:
            await answer.store.save_sources(answer.message.conversation_id, prompt.sources)
            await emit(SourcesAdded(prompt.sources))
        trace = complete_trace(found.trace, found.pinned, prompt.sources)
        await answer.store.save_trace(answer.message.id, trace)
        await emit(TraceReported(trace))
        gathered = trace

        def request_within(fitted: BuiltPrompt, window: TokenWindow) -> ModelRequest:
            return replace(
                builder.request(fitted, window),
                web=gathered.web,
                has_unanswering_files=gathered.has_unanswering_files,
            )

        def smaller(limit_tokens: int) -> ModelRequest:
            window = builder.window.for_messages(limit_tokens)
            return request_within(builder.prompt(found.sources, window, found.trace), window)

        wanted = builder.gathering(result_tokens(builder.window))
        tools = () if builder.picked.id == QUOTES_MODEL else await self._tools(wanted, found.ledger)
        for problem in self._tool_problems(wanted):
            await emit(answer.log.report(StepKind.TOOL, StepStatus.FAILED, problem))

        async def add_to_trace(sources: Sequence[Source]) -> None:
            nonlocal trace
            trace = extend_trace(trace, sources)
            await answer.store.save_trace(answer.message.id, trace)
            await emit(TraceReported(trace))

        context = self._tool_context(answer, found.ledger, tools, builder, emit)
        context = replace(context, smaller=smaller, on_sources=add_to_trace)
        request = request_within(prompt, builder.window)
        if found.document is not None:  # no sentence can answer the words of an address
            request = replace(request, question=gist_question(builder.question.text))
        await self._reply(builder.picked, request, context)

    async def _read_in_parts(
        self, builder: RequestBuilder, answer: AnswerRecorder, found: SharedSources, emit: Emit
    ) -> None:
        """Read a document that is larger than the model's window part by part, and answer from the notes."""
        others = len(found.sources)
        if others:
            left_out = pluralize(_BESIDE_READING, others)
            await emit(answer.log.report(StepKind.CONTEXT, StepStatus.DEGRADED, left_out))
        trace = complete_trace(found.trace, (), ())
        await answer.store.save_trace(answer.message.id, trace)
        await emit(TraceReported(trace))
        wanted = builder.gathering(builder.parallel_slots(()))
        checked = self.checks().before_done(answer, emit)
        await self._procedures().work(wanted, answer, found.ledger, checked, found.document)

    async def _carry_out(
        self, question: Question, conversation: Conversation, answer: AnswerRecorder, emit: Emit
    ) -> None:
        """Answer by running a procedure; an interrupted one is resumed."""
        if question.past:
            await emit(answer.log.report(StepKind.CONTEXT, StepStatus.DEGRADED, _PAST_LEFT_OUT))
        picked = await self._pick_model(question.model)
        if question.web == WEB_OWN:  # a research reads pages itself
            question = replace(question, web=WEB_AUTO)
        answer.watch.price = picked.facts.price
        budget = source_budget(question, picked.window(self._chat(question)))
        request = GatherRequest(question, conversation.messages, picked, budget)
        ledger = Ledger.of(conversation.sources)
        if question.procedure is DocumentTask.CHECK:  # its marks come with their verdicts
            await self._procedures().work(request, answer, ledger, emit)
            answer.is_written = True
            return
        await self._procedures().work(request, answer, ledger, self.checks().before_done(answer, emit))

    async def _finish(self, answer: AnswerRecorder, emit: Emit) -> None:
        """Finish a procedure of which only the citation check is left."""
        assert answer.message.procedure is not None
        done = replace(answer.message.procedure, phase=Phase.DONE)
        await self.checks().before_done(answer, emit)(ProcedureChanged(done))

    async def _continue(
        self,
        question: Question,
        answer: AnswerRecorder,
        conversation: Conversation,
        position: int,
        emit: Emit,
    ) -> None:
        offered = set(answer.message.offered)
        sources = tuple(source for source in conversation.sources if source.number in offered)
        before = replace(conversation, messages=conversation.messages[: max(0, position - 1)])
        builder = await self._request_builder(question, before, answer)
        builder = await _with_pages(builder, sources)
        prompt = builder.prompt(sources, builder.window)
        so_far = answer.message.text
        request = builder.request(prompt, builder.window)
        if so_far:
            request = replace(request, messages=build_continuation(prompt, so_far), answer_so_far=so_far)
        ledger = Ledger.of(conversation.sources)

        def smaller(limit_tokens: int) -> ModelRequest:
            window = builder.window.for_messages(max(0, limit_tokens - estimate_tokens(so_far)))
            prompt = builder.prompt(sources, window)
            messages = build_continuation(prompt, so_far) if so_far else prompt.messages
            return replace(builder.request(prompt, window), messages=messages, answer_so_far=so_far)

        context = replace(self._tool_context(answer, ledger, (), builder, emit), smaller=smaller)
        await self._reply(builder.picked, request, context)

    def _chat(self, question: Question) -> ChatSettings:
        return chat_settings(self._settings().chat, question.assistant)

    def _tool_context(
        self,
        answer: AnswerRecorder,
        ledger: Ledger,
        tools: tuple[Tool, ...],
        builder: RequestBuilder,
        emit: Emit,
    ) -> ToolLoopContext:
        return ToolLoopContext(
            emit=emit,
            tools=tools,
            ledger=ledger,
            log=answer.log,
            consents=self._consents,
            keep=partial(answer.store.save_sources, answer.message.conversation_id),
            limit=builder.chat.tool_rounds,
            result_tokens=result_tokens(builder.window),
            context_tokens=builder.window.context_tokens,
            page_images=builder.page_images,
        )

    async def _reply(self, picked: SelectedModel, request: ModelRequest, context: ToolLoopContext) -> None:
        """Let the model answer; a model that rejects tools gets them described in the prompt."""
        if Ability.TOOLS not in picked.facts.lacks and picked.id not in self._without_calls:
            try:
                await answer_with_tools(picked, request, context)
            except ToolsRefused:
                self._without_calls.add(picked.id)
            else:
                return
        tagged = replace(picked, model=TextToolModel(picked.model))
        await answer_with_tools(tagged, request, replace(context, calls_are_text=True))


async def _with_pages(builder: RequestBuilder, sources: Sequence[Source]) -> RequestBuilder:
    """Return a builder with the page images of the sources, for a model with vision."""
    if not builder.picked.sees:
        return builder
    return replace(builder, pages=await builder.page_images.pages_of(sources))


def _with_whole(
    builder: RequestBuilder, found: SharedSources, document: "OpenDocument"
) -> SharedSources | None:
    """Return what was found plus all of a document as sources, or None if it does not fit."""
    budget = builder.parallel_slots(found.pinned)
    passages = document.whole_passages()
    is_read_in_parts = builder.picked.id == QUOTES_MODEL and document.is_long
    if is_read_in_parts or sum(map(cost_of_source, passages)) > budget:
        return None
    numbers = found.ledger.register(passages)
    # A page that was found before as passages is longer as a whole.
    if sum(map(cost_of_source, _distinct(found.ledger, numbers))) > budget:
        return None
    pinned = [source.number for source in found.pinned]
    others = [source.number for source in found.sources]
    return replace(found, sources=_distinct(found.ledger, [*pinned, *numbers, *others]))


def _distinct(ledger: Ledger, numbers: Sequence[int]) -> tuple[Source, ...]:
    by_number = {source.number: source for source in ledger.sources}
    return tuple(by_number[number] for number in dict.fromkeys(numbers))
