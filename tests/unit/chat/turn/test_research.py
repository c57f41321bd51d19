"""A turn that is a research: its state is on the disk with its answer, and it goes on after a death."""

from contextlib import aclosing

import pytest

from desktop.domain.events import ProcedureChanged, TurnFailed, TurnFinished
from desktop.domain.messages import MessageStatus
from desktop.domain.models import FinishReason, StreamEnded, TextDelta
from desktop.domain.procedures import AnswerNow, Depth, Phase, Plan, Query, SearchTarget, StartPlan
from desktop.errors.servers import ProviderDown
from desktop.settings.model import SearchSettings, Settings
from desktop.storage.conversation_store import ConversationStore
from tests.cases import cases
from tests.turns import ask, go_on
from tests.unit.chat.turn.test_runner import Bench
from tests.unit.chat.turn.test_tools import TalkingModel

pytestmark = pytest.mark.anyio

STOP = StreamEnded(FinishReason.STOP)
PLAN = [TextDelta("<plan><query>first</query></plan>"), STOP]
MORE = [
    TextDelta('<information source="1">One.</information><missing>x</missing><query>second</query>'),
    STOP,
]
ENOUGH = [TextDelta('<information source="2">Two.</information><verdict>enough</verdict>'), STOP]
ANSWER = [TextDelta("One [1], two [2]."), STOP]


async def collect(turn):
    async with aclosing(turn) as events:
        return [event async for event in events]


async def test_a_research_ends_in_an_answer_with_its_state_and_sources_on_disk(tmp_path):
    store = ConversationStore(tmp_path)
    context = Bench(store, TalkingModel(PLAN, MORE, ENOUGH, ANSWER))
    question = await context.question(procedure=Depth.BALANCED)
    events = await collect(ask(context.runner, question))
    stored = await store.load(question.conversation_id)
    await store.close()
    message = stored.messages[-1]
    assert isinstance(events[-1], TurnFinished)
    assert events[-1].message == message
    assert message.text == "One [1], two [2]."
    assert message.offered == (1, 2)
    assert [source.title for source in stored.sources] == ["first", "second"]
    assert message.procedure.phase is Phase.DONE
    assert [finding.numbers for finding in message.procedure.findings] == [(1,), (2,)]


async def test_a_research_that_died_is_continued_after_a_restart(tmp_path):
    store = ConversationStore(tmp_path)
    dying = Bench(store, TalkingModel(PLAN, MORE, [ProviderDown(provider="X", detail="")]))
    question = await dying.question(procedure=Depth.BALANCED)
    events = await collect(ask(dying.runner, question))
    assert isinstance(events[-1], TurnFailed)
    await store.close()
    store = ConversationStore(tmp_path)
    context = Bench(store, TalkingModel(ENOUGH, ANSWER))
    await collect(go_on(context.runner, question.conversation_id, events[-1].message.id, "some/model"))
    stored = await store.load(question.conversation_id)
    await store.close()
    assert stored.messages[-1].text == "One [1], two [2]."
    assert stored.messages[-1].status is MessageStatus.COMPLETE
    assert [done.queries for done in stored.messages[-1].procedure.rounds] == [
        (Query("first"),),
        (Query("second"),),
    ]


async def test_what_is_told_is_on_disk(tmp_path):
    store = ConversationStore(tmp_path)
    context = Bench(store, TalkingModel(PLAN, ENOUGH, ANSWER))
    question = await context.question(procedure=Depth.QUICK)
    async with aclosing(ask(context.runner, question)) as events:
        async for event in events:
            if isinstance(event, ProcedureChanged):
                stored = await store.load(question.conversation_id)
                assert stored.messages[-1].procedure == event.procedure
    await store.close()


async def test_the_person_starts_the_plan_and_asks_for_the_answer(tmp_path):
    store = ConversationStore(tmp_path)
    context = Bench(store, TalkingModel(PLAN, MORE, ANSWER))
    question = await context.question(procedure=Depth.THOROUGH, confirms_plan=True)
    answer_id = ""
    async with aclosing(ask(context.runner, question)) as events:
        async for event in events:
            answer_id = answer_id or event.answer.id
            if isinstance(event, ProcedureChanged) and event.procedure.phase is Phase.PLANNED:
                await context.runner.steer(answer_id, AnswerNow())
                await context.runner.steer(answer_id, StartPlan(Plan((), (Query("mine"),))))
    stored = await store.load(question.conversation_id)
    await store.close()
    research = stored.messages[-1].procedure
    assert [done.queries for done in research.rounds] == [(Query("mine"),)]
    assert research.ended_by == "You requested the answer."
    await context.runner.steer(answer_id, AnswerNow())  # nobody hears it any more


@cases(
    "engines, web, places",
    [
        (("bing",), "auto", (SearchTarget.WEB,)),
        (("bing", "wikipedia"), "auto", (SearchTarget.WEB, SearchTarget.WIKIPEDIA)),
        (("bing",), "wikipedia", (SearchTarget.WIKIPEDIA,)),
    ],
)
async def test_wikipedia_is_a_place_where_the_person_has_it_among_the_engines(tmp_path, engines, web, places):
    store = ConversationStore(tmp_path)
    settings = Settings(search=SearchSettings(engine_order=engines))
    context = Bench(store, TalkingModel(PLAN, ENOUGH, ANSWER), settings=settings)
    await collect(ask(context.runner, question := await context.question(procedure=Depth.QUICK, web=web)))
    stored = await store.load(question.conversation_id)
    await store.close()
    assert stored.messages[-1].procedure.places == places


async def test_with_everything_switched_off_there_is_nowhere_to_look(tmp_path):
    store = ConversationStore(tmp_path)
    context = Bench(store, TalkingModel())
    events = await collect(ask(context.runner, await context.question(procedure=Depth.QUICK, web="off")))
    await store.close()
    assert isinstance(events[-1], TurnFailed)
    assert "needs sources" in events[-1].message.error
