"""The record of a turn is on disk with the numbers and sizes of its sources; pins go with every question."""

from contextlib import asynccontextmanager

import pytest

from desktop.chat.checking.service import CitationCheckService
from desktop.chat.procedures.dispatcher import ProcedureDispatcher
from desktop.chat.step_log import complete_trace, extend_trace
from desktop.chat.tools.executor import Approvals
from desktop.chat.turn.runner import TurnRunner
from desktop.domain.events import SourcesAdded, TraceReported
from desktop.domain.models import TextDelta
from desktop.domain.sources import Ledger, source_key
from desktop.domain.trace import SourceUse, Trace
from desktop.search.gather import GatherResult
from desktop.search.passage_selection import trace_passage
from desktop.settings.model import ChatSettings, Settings
from tests.turns import ask
from tests.unit.chat.turn.test_runner import (
    END,
    NoDocuments,
    file,
    look_up,
    loop_context,
    no_tools,
    recall_nothing,
    web,
)

pytestmark = pytest.mark.anyio


class Recorder:
    """Gathers given passages with a record of them, and keeps what it was asked for."""

    def __init__(self, *passages):
        self.passages = passages
        self.requests = []

    async def __call__(self, request, _emit):
        self.requests.append(request)
        sources = tuple(trace_passage(passage, SourceUse.GIVEN) for passage in self.passages)
        return GatherResult(
            self.passages, trace=Trace(("tides",), sources=sources, without=request.question.without)
        )


@asynccontextmanager
async def recording(tmp_path, *passages, settings=None):
    """Give a bench and its recorder."""
    recorder = Recorder(*passages)
    async with loop_context(tmp_path, TextDelta("x"), END) as desk:
        procedures = ProcedureDispatcher(look_up, Settings, NoDocuments(), recall_nothing)
        checks = CitationCheckService(store=desk.store, pick_model=desk.pick, settings=Settings)
        desk.runner = TurnRunner(
            store=desk.store,
            pick_model=desk.pick,
            gather=recorder,
            settings=lambda: settings or Settings(),
            tools=no_tools,
            consents=Approvals(dict),
            procedures=lambda: procedures,
            checks=lambda: checks,
        )
        yield desk, recorder


async def turn(desk, question):
    events = [event async for event in ask(desk.runner, question)]
    (trace,) = [event.trace for event in events if isinstance(event, TraceReported)]
    offered = [event.sources for event in events if isinstance(event, SourcesAdded)]
    message = events[-1].message
    assert await desk.store.trace(message.id) == trace
    assert tuple(source.number for source in trace.sources if source.number) == message.offered
    return trace, offered[0] if offered else (), message


async def test_the_record_has_the_numbers_and_sizes_of_what_the_model_was_given(tmp_path):
    async with recording(tmp_path, web("a", "one " * 30), file("b", "two")) as (desk, _):
        trace, offered, _ = await turn(desk, await desk.question())
        assert [(source.number, source.key) for source in trace.sources] == [
            (1, source_key(web("a"))),
            (2, source_key(file("b", "two"))),
        ]
        assert [source.number for source in offered] == [1, 2]
        assert trace.tokens == sum(source.tokens for source in trace.sources) > 10


async def test_what_the_prompt_had_no_room_for_has_had_none(tmp_path):
    settings = Settings(chat=ChatSettings(context_tokens=3_000, answer_tokens=500))
    passages = (web("a", "word " * 1_180), web("b", "term " * 4_000))
    async with recording(tmp_path, *passages, settings=settings) as (desk, _):
        trace, _, _ = await turn(desk, await desk.question())
        assert [(source.source_use, source.number) for source in trace.sources] == [
            (SourceUse.GIVEN, 1),
            (SourceUse.NO_BUDGET, None),
        ]


async def test_a_pinned_source_goes_with_the_next_question_unless_it_is_left_out(tmp_path):
    async with recording(tmp_path, web("a", "words " * 40)) as (desk, recorder):
        first = await desk.question()
        await turn(desk, first)
        await desk.store.pin(first.conversation_id, 1, is_pinned=True)
        recorder.passages = (web("b"),)
        trace, offered, message = await turn(desk, await desk.question("And?", first.conversation_id))
        assert [source.number for source in offered] == [1, 2]
        assert "1 source kept for further questions." in [step.detail for step in message.steps]
        assert [(source.number, source.is_pinned) for source in trace.sources] == [(1, True), (2, False)]
        assert recorder.requests[1].budget_tokens < recorder.requests[0].budget_tokens
        key = source_key(web("a"))
        again = await desk.question("And?", first.conversation_id, without=(key,))
        trace, offered, _ = await turn(desk, again)
        assert [source.number for source in offered] == [2]
        assert trace.without == (key,)


async def test_a_pinned_source_that_is_found_again_is_one(tmp_path):
    async with recording(tmp_path, web("a", "words")) as (desk, _):
        first = await desk.question()
        await turn(desk, first)
        await desk.store.pin(first.conversation_id, 1, is_pinned=True)
        trace, offered, _ = await turn(desk, await desk.question("And?", first.conversation_id))
        assert [source.number for source in offered] == [1]
        assert [(source.number, source.is_pinned) for source in trace.sources] == [(1, True)]


async def test_what_a_tool_finds_joins_the_record_once():
    ledger = Ledger()
    ledger.register([web("a", "words " * 20), web("b", "more")])
    first, second = ledger.sources
    trace = complete_trace(
        Trace(sources=(trace_passage(web("a", "words " * 20), SourceUse.GIVEN),)), (), (first,)
    )
    for _ in range(2):
        trace = extend_trace(trace, ledger.sources)
    assert [(source.number, source.key) for source in trace.sources] == [(1, first.key), (2, second.key)]
    assert trace.sources[1].tokens > 0
