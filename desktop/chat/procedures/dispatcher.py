"""Starts and resumes procedures for answers, and passes the user's commands to them."""

from collections.abc import Awaitable, Callable
from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from desktop.chat.answer_recorder import AnswerRecorder
from desktop.chat.api.engine import Question
from desktop.chat.assistants import chat_settings
from desktop.chat.attachments import AS_TEXT, IN_FULL
from desktop.chat.checking.texts import EvidenceSearch
from desktop.chat.emit import Emit, EmitStep
from desktop.chat.procedures.context import ProcedureContext, ProcedureControl, look_up_visibly
from desktop.chat.procedures.documents import OpenDocument, document_of, whole_document
from desktop.chat.procedures.draft import draft
from desktop.chat.procedures.research import research
from desktop.chat.procedures.summary import summarize
from desktop.chat.procedures.text_check import OutsideTexts, check_text
from desktop.chat.prompt import DrawPage, PageImageLoader, draw_nothing
from desktop.chat.source_lookup import GatherRequest, attach, subject
from desktop.domain.models import UsageReported
from desktop.domain.procedures import (
    Depth,
    DocumentTask,
    DraftState,
    Procedure,
    ProcedureCommand,
    Research,
    SearchTarget,
    SummaryState,
    TextCheck,
)
from desktop.domain.search import WEB_OFF, WIKIPEDIA
from desktop.domain.sources import Ledger
from desktop.domain.trace import Trace
from desktop.errors import DocumentGone, NowhereToLook, NowhereToWriteFrom
from desktop.search.gather import GatherResult
from desktop.search.intent import Intent, links_in, without_links
from desktop.settings.model import Settings
from desktop.text.language import language_of

if TYPE_CHECKING:  # imported for types only, as a turn without files needs no worker
    from desktop.knowledge.worker.client import KnowledgeClient

LookUpFor = Callable[[GatherRequest, Intent, str, EmitStep], Awaitable[GatherResult]]


class ProcedureDispatcher:
    """Holds the controls of all running procedures, by the id of their answer."""

    def __init__(
        self,
        look_up: LookUpFor,
        settings: Callable[[], Settings],
        documents: "KnowledgeClient",
        recall: Callable[[GatherRequest, EmitStep], Awaitable[GatherResult]],
        draw_page: DrawPage = draw_nothing,
        *,
        evidence: EvidenceSearch | None = None,
        texts: OutsideTexts | None = None,
    ) -> None:
        self._evidence = evidence
        self._texts = texts
        self._look_up = look_up
        self._recall = recall
        self._settings = settings
        self._documents = documents
        self._draw_page = draw_page
        self._controls: dict[str, ProcedureControl] = {}

    def take(self, message_id: str, wish: ProcedureCommand) -> None:
        """Pass a command of the user to a procedure; one that has ended ignores it."""
        if control := self._controls.get(message_id):
            control.take(wish)

    async def whole_document(self, request: GatherRequest, gathered: GatherResult) -> OpenDocument | None:
        """Return the document whose gist a question asks for; None for other questions."""
        return await whole_document(request, gathered, self._documents)

    async def work(
        self,
        request: GatherRequest,
        answer: AnswerRecorder,
        ledger: Ledger,
        emit: Emit,
        document: OpenDocument | None = None,
    ) -> None:
        """Run a procedure for an answer from its current state; with a `document`, read that document.

        Raises:
            NowhereToLook: the question allows no place to search.
            KnowledgeError: there is no document to read, or no base to write from.
            ProviderError: the model failed; the procedure can be resumed.
        """
        state = answer.message.procedure
        if state is None and document is not None:
            state = _whole_reading(request.question)
        state = state or _begin(request.question, answer.asked.text)
        self._controls[answer.message.id] = ProcedureControl()
        try:
            if document is None:
                await self._attach(state, request, answer, emit)
            context = await self._context(request, answer, ledger, emit)
            if document is None and (links := _links(state, request.question)):
                document = await self._read_linked_document(links, request, context)
            if isinstance(state, TextCheck):
                await self._check_text(state, answer, question=request.question, context=context)
            else:
                await self._run(state, request, context, document)
        finally:
            del self._controls[answer.message.id]

    async def _attach(
        self, state: Procedure, request: GatherRequest, answer: AnswerRecorder, emit: Emit
    ) -> None:
        question = request.question
        if question.files and not isinstance(state, TextCheck):  # that text is not one of the user's sources
            ends = AS_TEXT if isinstance(state, SummaryState) else IN_FULL
            await attach(
                self._documents,
                question.conversation_id,
                question.files,
                [],
                answer.log,
                emit=emit,
                ends=ends,
            )

    async def _read_linked_document(
        self, links: tuple[str, ...], request: GatherRequest, context: ProcedureContext
    ) -> OpenDocument | None:
        """Read the pages that a summary is of."""
        found = await look_up_visibly(
            partial(context.look_up, Intent(links=links, summarizes=True), WEB_OFF), context
        )
        return await self.whole_document(request, found)

    async def _run(
        self,
        state: Research | SummaryState | DraftState,
        request: GatherRequest,
        context: ProcedureContext,
        document: OpenDocument | None,
    ) -> None:
        match state:
            case Research():
                if not context.places:
                    raise NowhereToLook
                await research(state, context)
            case SummaryState():
                await summarize(state, await self._document(state, request, document), context)
            case DraftState():
                if SearchTarget.FILES not in context.places:
                    raise NowhereToWriteFrom
                await draft(state, context)

    async def _check_text(
        self, state: TextCheck, answer: AnswerRecorder, *, question: Question, context: ProcedureContext
    ) -> None:
        assert self._evidence is not None, "only tests of other procedures have none"
        assert self._texts is not None, "only tests of other procedures have none"
        places = self._evidence.places(state.bases, state.web)
        await check_text(
            state,
            answer.message.id,
            answer.asked.text,
            question.files,
            texts=self._texts,
            places=places,
            context=context,
        )

    async def _document(
        self, state: SummaryState, request: GatherRequest, whole: OpenDocument | None
    ) -> OpenDocument:
        """Return the document to read: the `whole` of links and files, or the single document that is meant."""
        known = state.document
        if known is not None and not known.item_id and whole is None:
            intent = Intent(summarizes=True)
            whole = await self.whole_document(request, GatherResult(intent=intent))
        if whole is None:
            return await document_of(state, request, self._documents)
        if known is not None and known.sha256 != whole.info.sha256:
            raise DocumentGone(name=known.name)
        return whole

    async def _context(
        self, request: GatherRequest, answer: AnswerRecorder, ledger: Ledger, emit: Emit
    ) -> ProcedureContext:
        question = request.question
        chat = chat_settings(self._settings().chat, question.assistant)
        message, store = answer.message, answer.store
        return ProcedureContext(
            emit=emit,
            picked=request.picked,
            look_up=partial(self._look_up, request),
            places=_places(request, self._settings()),
            web=question.web,
            ledger=ledger,
            log=answer.log,
            keep=partial(store.save_sources, message.conversation_id),
            today=datetime.now().astimezone().date(),
            window=request.picked.window(chat),
            control=self._controls[message.id],
            recall=partial(self._recall, request),
            history=request.history,
            manner=question.assistant.prompt,
            keep_trace=partial(store.save_trace, message.id),
            trace=await store.trace(message.id) or Trace(),
            answer_so_far=message.text,
            used=message.usage or UsageReported(),
            effort=chat.effort,
            parameters=question.assistant.parameters,
            page_images=PageImageLoader(self._draw_page, see=request.picked.sees),
        )


def _begin(question: Question, asked: str) -> Procedure:
    """Return the new procedure for a question; `asked` is the user's text, which can be empty beside a file."""
    match question.procedure:
        case Depth() as depth:
            confirms = question.confirms_plan
            return Research(question.text, depth, question.web, question.bases, confirms=confirms)
        case DocumentTask.READ:
            return SummaryState("" if question.is_wish else asked.strip(), question.bases)
        case DocumentTask.CHECK:
            return TextCheck(bases=question.bases, web=question.web)
        case _:
            return DraftState(question.text, question.bases, confirms=question.confirms_plan)


def _whole_reading(question: Question) -> SummaryState:
    """Return a summary state for a question that asks for the gist, in the language of the question."""
    asked = "" if question.is_wish else without_links(question.text)
    return SummaryState(
        subject(question.text) if asked else "", question.bases, language=language_of(asked) if asked else ""
    )


def _links(state: Procedure, question: Question) -> tuple[str, ...]:
    """Return the addresses of the pages that a summary is of."""
    if not isinstance(state, SummaryState):
        return ()
    return state.document.urls if state.document else links_in(question.text)


def _places(request: GatherRequest, settings: Settings) -> tuple[SearchTarget, ...]:
    question = request.question
    places: list[SearchTarget] = []
    if question.web not in {WEB_OFF, WIKIPEDIA}:
        places.append(SearchTarget.WEB)
    if settings.search.asks_wikipedia(question.web):
        places.append(SearchTarget.WIKIPEDIA)
    if question.bases or question.files or any(message.files for message in request.history):
        places.append(SearchTarget.FILES)
    return tuple(places)
