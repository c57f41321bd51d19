"""A turn ends its message exactly once, keeps what was seen, and numbers sources for the conversation."""

import asyncio
from contextlib import aclosing, asynccontextmanager

import pytest

from desktop.chat.api.engine import Question
from desktop.chat.checking.service import CitationCheckService
from desktop.chat.procedures.dispatcher import ProcedureDispatcher
from desktop.chat.source_lookup import SelectedModel
from desktop.chat.tools.executor import Approvals
from desktop.chat.turn.runner import TurnRunner
from desktop.domain.events import (
    SourcesAdded,
    StepFinished,
    StepStarted,
    ThinkingEnded,
    TraceReported,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from desktop.domain.messages import MessageStatus, Step, StepKind, StepStatus
from desktop.domain.models import (
    FinishReason,
    ReasoningDelta,
    StreamEnded,
    TextDelta,
    UsageReported,
)
from desktop.domain.search import SearchStatus
from desktop.domain.sources import Passage, SourceKind
from desktop.domain.trace import EngineTrace, Trace
from desktop.errors import MissingKey, StorageFull
from desktop.errors.servers import StreamBroken
from desktop.search.gather import GatherResult
from desktop.settings.model import ChatSettings, Settings
from desktop.storage.conversation_store import ConversationStore
from tests.turns import ask, go_on

END = StreamEnded(FinishReason.STOP)


class ScriptedModel:
    """Yields what it is told to, raises what is an exception, waits at what is an event."""

    def __init__(self, *script) -> None:
        self.script = script
        self.requests = []
        self.is_closed = False

    async def stream(self, request):
        self.requests.append(request)
        try:
            for item in self.script:
                if isinstance(item, BaseException):
                    raise item
                if isinstance(item, asyncio.Event):
                    await item.wait()
                else:
                    yield item
        finally:
            self.is_closed = True


def web(name: str, text: str = "text") -> Passage:
    return Passage(SourceKind.WEB, name, text, url=f"https://example.org/{name}")


def file(name: str, text: str) -> Passage:
    return Passage(SourceKind.FILE, name, text, url=f"file:///{name}", document=name)


async def look_up(_request, intent, _where, _emit):
    queries = (*intent.web_queries, *intent.knowledge_queries)
    return GatherResult(tuple(web(query) for query in queries))


async def recall_nothing(_request, _emit):
    return GatherResult()


async def no_tools(_request, _ledger):
    return ()


class NoDocuments:
    """A knowledge room that nobody enters."""


class Bench:
    """A turn runner over a real database, a scripted model and given passages."""

    def __init__(
        self,
        store: ConversationStore,
        model: ScriptedModel,
        passages=(),
        settings=None,
        tools=no_tools,
        **parts,
    ) -> None:
        self.store = store
        self.model = model
        self.passages = tuple(passages)
        self.trace = Trace()
        checks = parts.pop("checks", None) or CitationCheckService(
            store=store, pick_model=self.pick, settings=lambda: settings or Settings()
        )
        procedures = ProcedureDispatcher(
            look_up, lambda: settings or Settings(), NoDocuments(), recall_nothing
        )
        self.runner = TurnRunner(
            store=store,
            pick_model=self.pick,
            gather=self.gather,
            settings=lambda: settings or Settings(),
            tools=tools,
            consents=Approvals(dict),
            procedures=lambda: procedures,
            checks=lambda: checks,
            **parts,
        )

    async def pick(self, model_id):
        if model_id == "locked/model":
            raise MissingKey(service="Locked")
        return SelectedModel(self.model, model_id, "model")

    async def gather(self, request, emit):
        step = Step(1, StepKind.SEARCH, request.question.text)
        await emit(StepStarted(step))
        await emit(
            StepFinished(Step(1, StepKind.SEARCH, request.question.text, StepStatus.DONE, len(self.passages)))
        )
        return GatherResult(self.passages, trace=self.trace)

    async def question(self, text="Who?", conversation_id="", **fields) -> Question:
        return Question(text, conversation_id or (await self.store.create()).id, model="some/model", **fields)

    async def ask(self, text="Who?", conversation_id=""):
        return [event async for event in ask(self.runner, await self.question(text, conversation_id))]


@asynccontextmanager
async def loop_context(tmp_path, *script, passages=(), settings=None):
    store = ConversationStore(tmp_path)
    try:
        yield Bench(store, ScriptedModel(*script), passages, settings)
    finally:
        await store.close()


pytestmark = pytest.mark.anyio


async def test_a_turn_reports_its_steps_then_sources_then_text_and_ends_once(tmp_path):
    usage = UsageReported(10, 2)
    async with loop_context(
        tmp_path, ReasoningDelta("hm"), TextDelta("Ada [1]"), usage, END, passages=[web("a")]
    ) as b:
        events = await b.ask()
        kinds = [type(event) for event in events]
        assert kinds == [
            TurnStarted,
            StepStarted,
            StepFinished,
            SourcesAdded,
            TraceReported,
            StepStarted,
            ReasoningDelta,
            ThinkingEnded,
            TextDelta,
            UsageReported,
            StepFinished,
            TurnFinished,
        ]
        message = events[-1].message
        assert (message.text, message.reasoning, message.usage) == ("Ada [1]", "hm", usage)
        assert message.status is MessageStatus.COMPLETE
        assert message.offered == (1,)
        assert [step.status for step in message.steps] == [StepStatus.DONE, StepStatus.DONE]
        stored = await b.store.load(message.conversation_id)
        assert stored.messages[-1] == message
        assert stored.info.title == "Who?"
        assert b.model.is_closed


async def test_the_question_is_on_disk_before_anything_is_looked_up(tmp_path):
    async with loop_context(tmp_path, END) as b:
        question = await b.question("Important words")
        async with aclosing(ask(b.runner, question)) as events:
            await anext(events)
            stored = await b.store.load(question.conversation_id)
            assert [message.text for message in stored.messages] == ["Important words", ""]
            assert stored.messages[1].status is MessageStatus.STREAMING
            assert b.model.requests == []


async def test_an_answer_ends_although_the_disk_is_full_and_is_written_once_it_is_not(tmp_path):
    async with loop_context(tmp_path, TextDelta("word " * 20_000), END) as b:
        question = await b.question()
        seen = []
        async with aclosing(ask(b.runner, question)) as events:
            async for event in events:
                if not seen:
                    await b.store.database.write(fill)
                seen.append(event)
        assert isinstance(seen[-1], TurnFinished)
        assert isinstance(b.store.problem, StorageFull)
        await b.store.database.write(make_room)
        await b.store._journal.flush()
        assert (await b.store.load(question.conversation_id)).messages[-1] == seen[-1].message


def fill(connection):
    [[pages]] = connection.execute("PRAGMA page_count").fetchall()
    connection.execute(f"PRAGMA max_page_count = {pages}")


def make_room(connection):
    connection.execute("PRAGMA max_page_count = 1000000")


async def test_web_comes_before_files_and_numbers_go_on_in_the_next_turn(tmp_path):
    async with loop_context(tmp_path, TextDelta("x"), END, passages=[web("a"), file("f", "one")]) as b:
        first = await b.ask()
        conversation = first[0].question.conversation_id
        b.passages = (web("b"), web("a", "more"), file("f", "one"), file("f", "two"))
        second = await b.ask("And?", conversation)
        numbers = next(event for event in second if isinstance(event, SourcesAdded)).sources
        assert [(s.number, s.title) for s in numbers] == [(1, "a"), (2, "f"), (3, "b"), (4, "f")]
        stored = await b.store.load(conversation)
        assert [source.number for source in stored.sources] == [1, 2, 3, 4]
        assert "more" in stored.sources[0].text
        assert stored.sources[0].text.startswith("text")


async def test_the_model_is_shown_the_numbers_that_the_person_sees(tmp_path):
    async with loop_context(
        tmp_path, TextDelta("x"), END, passages=[web("a", "alpha"), file("f", "phi")]
    ) as b:
        await b.ask()
        request = b.model.requests[0]
        assert [(s.number, s.text) for s in request.references] == [(1, "alpha"), (2, "phi")]
        assert '<source number="2" kind="file"' in request.messages[-1].text


async def test_the_model_is_told_what_a_search_that_failed_came_to(tmp_path):
    async with loop_context(tmp_path, TextDelta("x"), END) as b:
        blocked = EngineTrace("moth", "bing", SearchStatus.BLOCKED)
        b.trace = Trace(queries=("moth",), searches=(blocked,))
        await b.ask("What eats moths?")
        sent = b.model.requests[0].messages[-1].text
        assert "bing: it refused to answer" in sent
        assert sent.endswith("What eats moths?")


async def test_an_error_in_mid_stream_keeps_the_text_and_says_what_happened(tmp_path):
    broken = StreamBroken(provider="Server", detail="")
    async with loop_context(tmp_path, TextDelta("so far"), broken) as b:
        event = (await b.ask())[-1]
        assert isinstance(event, TurnFailed)
        assert event.is_transient
        assert event.message.text == "so far"
        assert event.message.status is MessageStatus.FAILED
        assert "Server" in event.message.error
        assert event.message.steps[-1].status is StepStatus.FAILED
        stored = await b.store.load(event.message.conversation_id)
        assert stored.messages[-1] == event.message


async def test_a_model_that_cannot_be_asked_fails_the_turn_and_keeps_the_question(tmp_path):
    async with loop_context(tmp_path, END) as b:
        question = await b.question("Keep me")
        question = Question(question.text, question.conversation_id, model="locked/model")
        events = [event async for event in ask(b.runner, question)]
        assert isinstance(events[-1], TurnFailed)
        assert "Locked needs an API key" in events[-1].message.error
        assert (await b.store.load(question.conversation_id)).messages[0].text == "Keep me"


async def test_closing_the_iterator_stops_the_model_and_keeps_the_text(tmp_path):
    never = asyncio.Event()
    async with loop_context(tmp_path, TextDelta("half"), never, TextDelta("rest"), END) as b:
        question = await b.question()
        async with aclosing(ask(b.runner, question)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    break
        stored = (await b.store.load(question.conversation_id)).messages[-1]
        assert (stored.text, stored.status) == ("half", MessageStatus.STOPPED)
        assert b.model.is_closed


async def test_cancelling_the_task_stops_the_model_and_keeps_the_text(tmp_path):
    never, arrived = asyncio.Event(), asyncio.Event()
    async with loop_context(tmp_path, TextDelta("half"), never) as b:
        question = await b.question()

        async def consume():
            async for event in ask(b.runner, question):
                if isinstance(event, TextDelta):
                    arrived.set()

        task = asyncio.create_task(consume())
        await arrived.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        stored = (await b.store.load(question.conversation_id)).messages[-1]
        assert (stored.text, stored.status) == ("half", MessageStatus.STOPPED)
        assert b.model.is_closed


async def test_a_bug_goes_up_but_the_text_seen_stays(tmp_path):
    async with loop_context(tmp_path, TextDelta("seen"), RuntimeError("bug")) as b:
        question = await b.question()
        with pytest.raises(RuntimeError, match="bug"):
            async for _ in ask(b.runner, question):
                pass
        stored = (await b.store.load(question.conversation_id)).messages[-1]
        assert (stored.text, stored.status) == ("seen", MessageStatus.FAILED)


async def test_going_on_shows_the_model_its_answer_and_the_sources_it_had(tmp_path):
    broken = StreamBroken(provider="Server", detail="")
    async with loop_context(tmp_path, TextDelta("Ada "), broken, passages=[web("a"), web("b")]) as b:
        failed = (await b.ask("Who built it?"))[-1].message
        b.model.script = (TextDelta("Korsten [2]"), END)
        events = [event async for event in go_on(b.runner, failed.conversation_id, failed.id, "some/model")]
        message = events[-1].message
        assert isinstance(events[-1], TurnFinished)
        assert message.id == failed.id
        assert (message.text, message.status, message.error) == (
            "Ada Korsten [2]",
            MessageStatus.COMPLETE,
            "",
        )
        request = b.model.requests[-1]
        assert request.answer_so_far == "Ada "
        assert request.messages[-2].text == "Ada "
        assert [source.number for source in request.references] == [1, 2]
        assert len((await b.store.load(failed.conversation_id)).messages) == 2


async def test_what_does_not_fit_the_window_is_a_visible_step(tmp_path):
    small = Settings(chat=ChatSettings(context_tokens=1500, answer_tokens=200))
    long = file("long", "word " * 3000)
    async with loop_context(tmp_path, TextDelta("x"), END, passages=[web("a"), long], settings=small) as b:
        steps = (await b.ask())[-1].message.steps
        context = next(step for step in steps if step.kind is StepKind.CONTEXT)
        assert context.status is StepStatus.DEGRADED
        assert context.detail == "1 source shortened to fit the model’s context."


async def test_an_answer_cut_at_the_models_limit_says_so(tmp_path):
    async with loop_context(tmp_path, TextDelta("x"), StreamEnded(FinishReason.LENGTH)) as b:
        step = (await b.ask())[-1].message.steps[-1]
        assert step.status is StepStatus.DEGRADED
        assert "limit" in step.detail


async def test_after_a_crash_in_mid_answer_the_marks_still_have_their_sources(tmp_path):
    never = asyncio.Event()
    async with loop_context(tmp_path, TextDelta("Ada [1]"), never, passages=[web("a")]) as b:
        question = await b.question()
        async with aclosing(ask(b.runner, question)) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    break
            rows = await b.store.database.read(
                lambda connection: connection.execute("SELECT offered, status FROM messages").fetchall()
            )
            assert rows[-1] == ("[1]", "streaming")


async def test_who_looks_things_up_is_told_which_sources_the_conversation_has(tmp_path):
    async with loop_context(tmp_path, TextDelta("x"), END, passages=[web("a")]) as b:
        wanted = []
        gather = b.runner._gather

        def noted(request, emit):
            wanted.append(request)
            return gather(request, emit)

        b.runner._gather = noted
        question = await b.question()
        for _ in range(2):
            async for _event in ask(b.runner, question):
                pass
    assert [[source.title for source in request.known] for request in wanted] == [[], ["a"]]
