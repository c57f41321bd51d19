"""Checks at the end of a turn and afterwards: always or on request, kept with the answer, stopped without harm."""

import asyncio
from contextlib import aclosing

import pytest

from desktop.domain.citation_check import CheckMethod, SupportLevel
from desktop.domain.events import (
    CheckAdvanced,
    CitationsChecked,
    ProcedureChanged,
    TurnFinished,
)
from desktop.domain.messages import MessageStatus, StepKind, StepStatus
from desktop.domain.models import FinishReason, StreamEnded, TextDelta
from desktop.domain.procedures import Depth, Phase
from desktop.errors import UnknownConversation
from desktop.errors.servers import ProviderDown
from desktop.settings.model import ALWAYS, ChatSettings, Settings
from desktop.storage.conversation_store import ConversationStore
from tests.turns import ask, check
from tests.unit.chat.turn.test_runner import Bench, ScriptedModel, web
from tests.unit.chat.turn.test_tools import TalkingModel

pytestmark = pytest.mark.anyio

END = StreamEnded(FinishReason.STOP)
ANSWER = "The lighthouse was built in 1873 [1]. It cost 90 crowns [1]."
LIGHTHOUSE = web("a", "The lighthouse was built in 1873.")
EVERY = Settings(chat=ChatSettings(checks_citations=ALWAYS))


class StallingModel(ScriptedModel):
    """Answers its first request, and the second never."""

    def __init__(self, *script) -> None:
        super().__init__(*script)
        self.is_asked = asyncio.Event()

    async def stream(self, request):
        if "<claim" in request.messages[-1].text:
            self.is_asked.set()
            await asyncio.Event().wait()
        async for event in super().stream(request):
            yield event


async def opened(tmp_path, *script, settings=None):
    store = ConversationStore(tmp_path)
    model = ScriptedModel(*(script or (TextDelta(ANSWER), END)))
    return store, Bench(store, model, (LIGHTHOUSE,), settings)


async def collect(turn):
    async with aclosing(turn) as events:
        return [event async for event in events]


def supports(check):
    return [mark.support for mark in check.marks]


async def test_an_answer_is_not_checked_unless_that_is_asked(tmp_path):
    store, context = await opened(tmp_path)
    question = await context.question()
    events = await collect(ask(context.runner, question))
    assert events[-1].message.check is None
    found = await collect(check(context.runner, question.conversation_id, events[-1].message.id))
    stored = (await store.load(question.conversation_id)).messages[-1]
    await store.close()
    assert isinstance(found[0], CheckAdvanced)
    assert found[-1] == CitationsChecked(stored.id, stored.check)
    assert supports(stored.check) == [SupportLevel.SUPPORTED, SupportLevel.NOT_FOUND]
    assert stored.check.marks[1].missing == ("90",)


async def test_where_sources_disagree_is_part_of_the_check_and_told_without_a_model(tmp_path):
    store = ConversationStore(tmp_path)
    text = "The lighthouse of Velmora was built in {year} by Ada Korsten on the northern cliff."
    pages = [
        web("a", text.format(year=1873)),
        web("b", text.format(year=1874)),
        web("c", text.format(year=1873)),
    ]
    answer = text.format(year=1873).replace(" by", " [1] by")
    context = Bench(store, ScriptedModel(TextDelta(answer), END), pages)
    question = await context.question("When was the lighthouse of Velmora built?")
    message = (await collect(ask(context.runner, question)))[-1].message
    events = await collect(check(context.runner, question.conversation_id, message.id, by_words=True))
    (found,) = events[-1].check.disagreements
    assert (found.values, found.sources) == (("1873", "1874"), ((1, 3), (2,)))
    (mark,) = events[-1].check.marks
    assert events[-1].check.disputes(mark) == (found,)
    stored = (await store.load(question.conversation_id)).messages[-1]
    await store.close()
    assert stored.check == events[-1].check


async def test_a_model_that_checks_citations_drops_disagreements_where_sources_say_the_same(tmp_path):
    settings = Settings(chat=ChatSettings(checks_with_model=True))
    text = "The lighthouse of Velmora was built in {year} by Ada Korsten on the northern cliff."
    pages = [web("a", text.format(year=1873)), web("b", text.format(year=1874))]
    answer = text.format(year=1873).replace(" by", " [1] by")
    for verdict, count in (("supported", 0), ("no", 1)):
        store = ConversationStore(tmp_path / verdict)
        talked = [
            [TextDelta(answer), END],
            *[[TextDelta(f'<verdict id="1">{each}</verdict>'), END] for each in (verdict, "supported")],
        ]
        context = Bench(store, TalkingModel(*talked), pages, settings)
        question = await context.question("When was the lighthouse of Velmora built?")
        message = (await collect(ask(context.runner, question)))[-1].message
        found = (await collect(check(context.runner, question.conversation_id, message.id)))[-1].check
        await store.close()
        assert len(found.disagreements) == count
        assert found.problem == ""
    store = ConversationStore(tmp_path / "down")
    down = [ProviderDown(provider="X", detail="it is out")]
    context = Bench(store, TalkingModel([TextDelta(answer), END], down, down), pages, settings)
    question = await context.question("When was the lighthouse of Velmora built?")
    message = (await collect(ask(context.runner, question)))[-1].message
    found = (await collect(check(context.runner, question.conversation_id, message.id)))[-1].check
    await store.close()
    assert len(found.disagreements) == 1
    assert "couldn’t be asked" in found.problem


async def test_a_check_survives_a_restart(tmp_path):
    store, context = await opened(tmp_path)
    question = await context.question()
    message = (await collect(ask(context.runner, question)))[-1].message
    await collect(check(context.runner, question.conversation_id, message.id))
    await store.close()
    store = ConversationStore(tmp_path)
    stored = (await store.load(question.conversation_id)).messages[-1]
    await store.close()
    assert supports(stored.check) == [SupportLevel.SUPPORTED, SupportLevel.NOT_FOUND]
    assert stored.check.marks[0].judge is CheckMethod.WORDS


async def test_every_answer_is_checked_as_a_step_where_the_settings_say_so(tmp_path):
    store, context = await opened(tmp_path, settings=EVERY)
    events = await collect(ask(context.runner, await context.question()))
    await store.close()
    message = events[-1].message
    assert supports(message.check) == [SupportLevel.SUPPORTED, SupportLevel.NOT_FOUND]
    step = message.steps[-1]
    assert (step.kind, step.status, step.count) == (StepKind.CHECK, StepStatus.DONE, 2)
    assert "1 citation is not clearly supported" in step.detail
    kinds = [type(event) for event in events]
    assert kinds.index(CitationsChecked) < kinds.index(TurnFinished)


async def test_where_nothing_is_cited_there_is_no_step(tmp_path):
    store, context = await opened(tmp_path, TextDelta("I do not know."), END, settings=EVERY)
    events = await collect(ask(context.runner, await context.question()))
    await store.close()
    assert StepKind.CHECK not in [step.kind for step in events[-1].message.steps]


async def test_who_stops_the_check_has_the_whole_answer(tmp_path):
    settings = Settings(chat=ChatSettings(checks_citations=ALWAYS, checks_with_model=True))
    store = ConversationStore(tmp_path)
    model = StallingModel(TextDelta(ANSWER), END)
    context = Bench(store, model, (LIGHTHOUSE,), settings)
    question = await context.question()
    turn = asyncio.create_task(collect(ask(context.runner, question)))
    await model.is_asked.wait()
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    stored = (await store.load(question.conversation_id)).messages[-1]
    await store.close()
    assert stored.status is MessageStatus.COMPLETE
    assert stored.text == ANSWER
    assert stored.check is None
    assert stored.steps[-1].status is StepStatus.FAILED


async def test_a_research_is_always_checked_before_it_is_done(tmp_path):
    store = ConversationStore(tmp_path)
    plan = [TextDelta("<plan><query>first</query></plan>"), END]
    enough = [TextDelta('<information source="1">One.</information><verdict>enough</verdict>'), END]
    context = Bench(store, TalkingModel(plan, enough, [TextDelta("The text says so [1]."), END]))
    events = await collect(ask(context.runner, await context.question(procedure=Depth.QUICK)))
    await store.close()
    phases = [event.procedure.phase for event in events if isinstance(event, ProcedureChanged)]
    assert phases[-2:] == [Phase.CHECKING, Phase.DONE]
    assert len(events[-1].message.check.marks) == 1
    assert StepKind.CHECK in [step.kind for step in events[-1].message.steps]


async def test_a_model_judges_where_the_settings_say_so(tmp_path):
    settings = Settings(chat=ChatSettings(checks_with_model=True))
    store = ConversationStore(tmp_path)
    verdicts = [TextDelta('<verdict id="1">no</verdict><verdict id="2">supported</verdict>'), END]
    context = Bench(store, TalkingModel([TextDelta(ANSWER), END], verdicts), (LIGHTHOUSE,), settings)
    question = await context.question()
    message = (await collect(ask(context.runner, question)))[-1].message
    found = (await collect(check(context.runner, question.conversation_id, message.id)))[-1]
    await store.close()
    assert supports(found.check) == [SupportLevel.NOT_FOUND, SupportLevel.SUPPORTED]
    assert {mark.judge for mark in found.check.marks} == {CheckMethod.MODEL}


async def test_by_words_no_model_is_asked_and_only_the_result_is_told_and_kept(tmp_path):
    settings = Settings(chat=ChatSettings(checks_with_model=True, small_model="locked/model"))
    store, context = await opened(tmp_path, settings=settings)
    question = await context.question()
    message = (await collect(ask(context.runner, question)))[-1].message
    (found,) = await collect(check(context.runner, question.conversation_id, message.id, by_words=True))
    kept = (await store.load(question.conversation_id)).messages[-1]
    await store.close()
    assert supports(found.check) == [SupportLevel.SUPPORTED, SupportLevel.NOT_FOUND]
    assert found.check.problem == ""
    assert kept.check == found.check


async def test_by_words_an_answer_without_citations_stays_unchecked(tmp_path):
    store, context = await opened(tmp_path, TextDelta("I do not know."), END)
    question = await context.question()
    message = (await collect(ask(context.runner, question)))[-1].message
    events = await collect(check(context.runner, question.conversation_id, message.id, by_words=True))
    kept = (await store.load(question.conversation_id)).messages[-1]
    await store.close()
    assert events == []
    assert kept.check is None


async def test_a_model_that_cannot_be_had_is_named_and_the_words_count(tmp_path):
    settings = Settings(chat=ChatSettings(checks_with_model=True, small_model="locked/model"))
    store, context = await opened(tmp_path, settings=settings)
    question = await context.question()
    message = (await collect(ask(context.runner, question)))[-1].message
    found = (await collect(check(context.runner, question.conversation_id, message.id)))[-1]
    await store.close()
    assert supports(found.check) == [SupportLevel.SUPPORTED, SupportLevel.NOT_FOUND]
    assert "Locked" in found.check.problem


async def test_an_answer_that_is_gone_cannot_be_checked(tmp_path):
    store, context = await opened(tmp_path)
    question = await context.question()
    await collect(ask(context.runner, question))
    with pytest.raises(UnknownConversation):
        await collect(check(context.runner, question.conversation_id, "gone"))
    await store.close()
