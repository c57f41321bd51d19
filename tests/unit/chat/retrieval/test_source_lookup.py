"""Which model decides what is looked up; without one the answer goes on, and the step says why."""

import asyncio
import re
from datetime import UTC, datetime

import pytest

from desktop.chat.api.engine import Question
from desktop.chat.source_lookup import (
    GatherRequest,
    MemoryProvider,
    SelectedModel,
    SourceLookup,
    own_search,
)
from desktop.domain.events import SourcesAdded, StepFinished
from desktop.domain.memory import Memory, MemoryOrigin
from desktop.domain.messages import StepKind, StepStatus
from desktop.domain.models import (
    QUOTES_MODEL,
    Ability,
    CitedPage,
    CitedPages,
    FinishReason,
    ModelFacts,
    ServerSearch,
    StreamEnded,
    TextDelta,
)
from desktop.domain.search import WEB_AUTO, WEB_OFF, WEB_OWN, SearchOutcome, SearchStatus
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.domain.trace import Decider
from desktop.errors import MissingKey
from desktop.phrases import localize
from desktop.providers.quotes.model import QuotesModel
from desktop.search.intent import DecisionTimes
from desktop.settings.model import ChatSettings, Settings
from tests.cases import cases
from tests.unit.chat.tools.test_loop import CALLED, STOP, RoundsModel, Turn, call, finds


class Writer:
    """Writes one query, and keeps which names it was asked by."""

    def __init__(self):
        self.names = []
        self.thinks = []

    async def stream(self, request):
        self.names.append(request.model)
        self.thinks.append(request.thinks)
        yield TextDelta("<websearch><question>tide height Brest</question></websearch>")
        yield StreamEnded(FinishReason.STOP)


class Web:
    async def search(self, query, choice="auto", count=None):
        return (SearchOutcome(SearchStatus.NOTHING_FOUND, "bing", query),)

    async def after_help(self, outcomes):
        return ()


def look_up(
    writer,
    *,
    small="",
    main="some/large",
    queries=(),
    text="How high is the tide at Brest?",
    known=(),
    times=None,
    limit_s=20,
):
    async def pick(model_id):
        if model_id == "locked/small":
            raise MissingKey(service="Locked")
        return SelectedModel(writer, model_id, model_id.rpartition("/")[2])

    settings = Settings(chat=ChatSettings(small_model=small, decision_limit_s=limit_s))
    lookup = SourceLookup(
        web=Web,
        read=None,
        knowledge=None,
        pick_model=pick,
        settings=lambda: settings,
        times=times,
    )
    question = Question(text, "c1", queries=queries)

    async def run():
        picked = await pick(main)
        return await lookup.gather(GatherRequest(question, (), picked, 1_000, known), see)

    events = []

    async def see(event):
        events.append(event)

    gathered = asyncio.run(run())
    steps = [event.step for event in events if isinstance(event, StepFinished)]
    return gathered.trace, next((step for step in steps if step.kind is StepKind.INTENT), None)


@cases(
    "small, main, asked",
    [
        ("", "some/large", ["large"]),
        ("some/small", "some/large", ["small"]),
        ("some/small", QUOTES_MODEL, ["small"]),
        ("", QUOTES_MODEL, []),
    ],
)
def test_the_model_for_small_tasks_decides_without_reasoning(small, main, asked):
    writer = Writer()
    trace, step = look_up(writer, small=small, main=main)
    assert writer.names == asked
    assert not any(writer.thinks)
    assert trace.decider is (Decider.MODEL if asked else Decider.KEYWORDS)
    assert step.status is StepStatus.DONE
    assert trace.queries == (("tide height Brest",) if asked else ("high tide Brest",))


def test_a_small_model_that_cannot_be_used_leaves_it_to_keywords_and_says_so_in_both_languages():
    trace, step = look_up(Writer(), small="locked/small")
    assert trace.queries == ("high tide Brest",)
    assert step.status is StepStatus.DEGRADED
    assert "Locked" in step.detail
    assert trace.reason == step.detail
    assert re.search("用于小任务的模型不可用.*Locked", localize(step.detail, "zh_CN"))


def test_how_long_a_model_takes_is_measured_and_one_that_is_too_slow_is_not_waited_for(tmp_path):
    times = DecisionTimes(tmp_path / "times.json")
    for _ in range(2):
        look_up(Writer(), times=times)
    assert times.limit_s("some/large", 20.0) < 20.0
    assert DecisionTimes(tmp_path / "times.json").limit_s("some/large", 20.0) < 20.0
    for _ in range(5):
        times.note("some/large", 30.0, is_finished=True)
    writer = Writer()
    trace, step = look_up(writer, times=times)
    assert (writer.names, trace.queries) == ([], ("high tide Brest",))
    assert step.status is StepStatus.DEGRADED
    assert "takes 30 s (limit 20 s)" in step.detail
    assert "通常需要 30 秒" in localize(step.detail, "zh_CN")
    look_up(writer, times=times, limit_s=40)  # the user would rather wait
    assert writer.names == ["large"]


def test_queries_of_the_person_need_no_model():
    writer = Writer()
    trace, step = look_up(writer, small="locked/small", queries=("mine",))
    assert (writer.names, trace.queries, step.status) == ([], ("mine",), StepStatus.DONE)


def test_nothing_is_searched_for_what_quotes_cannot_do():
    trace, step = look_up(Writer(), main=QUOTES_MODEL, text="Write a poem about the tide at Brest")
    assert (trace.queries, step) == ((), None)
    trace, _step = look_up(Writer(), text="Write a poem about the tide at Brest")
    assert trace.queries == ("tide height Brest",)


@cases("place, asked", [("there", ()), ("at Brest", ("tide height Brest",))])
def test_what_only_a_memory_of_the_conversation_knows_is_not_searched_for(place, asked):
    ledger = Ledger()
    ledger.register([Passage(SourceKind.MEMORY, "You said", "I sail at Brest.", document="m1")])
    trace, step = look_up(Writer(), text=f"How high is the tide {place}?", known=ledger.sources)
    assert trace.queries == asked
    assert ("private details from your memories or files" in step.detail) is not bool(asked)


@cases("uses_memory, count", [(True, 1), (False, 0)])
def test_a_procedure_is_told_of_memories_alone_and_only_where_the_question_uses_them(uses_memory, count):
    day = datetime(2026, 1, 2, tzinfo=UTC)
    memory = Memory("m1", "I keep bees in Brest.", MemoryOrigin.SAID, day, day)

    async def memories():
        return (memory,)

    lookup = SourceLookup(
        web=Web,
        read=None,
        knowledge=None,
        pick_model=None,
        settings=Settings,
        memory=MemoryProvider(memories, Settings).place,
    )
    question = Question("Which bees live at Brest?", "c1", uses_memory=uses_memory)
    request = GatherRequest(question, (), SelectedModel(Writer(), "some/large", "large"), 1_000)

    events = []

    async def see(event):
        events.append(event)

    gathered = asyncio.run(lookup.recall(request, see))
    assert [passage.text for passage in gathered.passages] == [memory.text] * count
    assert [event.step.kind for event in events] == [StepKind.MEMORY] * 2 * count


SEARCHES = ModelFacts(has=(Ability.SEARCH,))
TIDES = CitedPage("https://a.org/tides?utm_source=openai", "Tides", "Twice a day.")
MOON = CitedPage("https://a.org/moon", "Moon")


@cases(
    "web, facts, expected, is_on, has_problem",
    [
        (WEB_OWN, SEARCHES, WEB_OFF, True, False),
        (WEB_OWN, ModelFacts(), WEB_AUTO, False, True),
        (WEB_AUTO, SEARCHES, WEB_AUTO, False, False),
        ("bing", SEARCHES, "bing", False, False),
    ],
)
def test_who_searches_depends_on_the_choice_and_the_model(web, facts, expected, is_on, has_problem):
    picked = SelectedModel(QuotesModel(), "p/m", "m", facts)
    question, own = own_search(Question("Q", "c", web=web), picked)
    assert (question.web, own.is_on, bool(own.problem)) == (expected, is_on, has_problem)


@pytest.mark.anyio
async def test_cited_pages_are_numbered_and_marked_where_they_are_cited():
    reply = [
        ServerSearch("s"),
        ServerSearch("s", "tides", is_done=True, count=9),
        TextDelta("Twice a day."),
        CitedPages((TIDES, TIDES, MOON)),
        TextDelta(" Every day."),
        CitedPages((TIDES,)),
        STOP,
    ]
    turn = await Turn(RoundsModel(reply)).run()
    assert "".join(event.text for event in turn.events if isinstance(event, TextDelta)) == (
        "Twice a day.[1][2] Every day.[1]"
    )
    assert [source.title for source in turn.ledger.sources] == ["Tides", "Moon"]
    assert turn.ledger.get(1).text == "Twice a day."
    assert turn.kept == [1, 2, 1]
    marks = [index for index, event in enumerate(turn.events) if isinstance(event, SourcesAdded)]
    assert all(isinstance(turn.events[index + 1], TextDelta) for index in marks)
    [search] = [step for step in turn.log.steps if step.kind is StepKind.SEARCH]
    assert (search.subject, search.count, search.status) == ("tides", 9, StepStatus.DONE)


@pytest.mark.anyio
async def test_numbers_go_on_behind_those_that_were_there_and_before_those_of_tools():
    model = RoundsModel([CitedPages((MOON,)), call("look"), CALLED], [TextDelta("So."), STOP])
    turn = Turn(model, finds("look", "found"))
    turn.ledger.register([Passage(SourceKind.WEB, "Old", "x", url="https://old.org")])
    await turn.run()
    assert [source.title for source in turn.ledger.sources] == ["Old", "Moon", "found"]
    assert model.requests[1].messages[1].text == "[2]"


@pytest.mark.anyio
async def test_a_search_that_failed_is_a_failed_step():
    turn = await Turn(
        RoundsModel([ServerSearch("s", is_done=True, error="unavailable"), TextDelta("x"), STOP])
    ).run()
    [search] = [step for step in turn.log.steps if step.kind is StepKind.SEARCH]
    assert search.status is StepStatus.FAILED
    assert "unavailable" in search.detail
