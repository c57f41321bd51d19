"""Several models on one question: one look-up, answers side by side, and the one to go on with."""

import asyncio
from contextlib import aclosing
from dataclasses import replace

import pytest

from desktop.chat.source_lookup import SelectedModel
from desktop.domain.events import Beside, SourcesAdded, StepStarted, TurnFailed, TurnFinished, TurnStarted
from desktop.domain.messages import AnswerRole, MessageStatus, Speaker
from desktop.domain.models import TextDelta
from desktop.errors import MissingKey
from tests.turns import answer_with_models, ask, go_on
from tests.unit.chat.turn.test_runner import END, ScriptedModel, loop_context, web

pytestmark = pytest.mark.anyio


def several(b, **models: ScriptedModel) -> None:
    """Let the models of a bench be different ones, by the second part of their id."""

    async def pick(model_id):
        if model_id == "locked/model":
            raise MissingKey(service="Locked")
        name = model_id.partition("/")[2]
        return SelectedModel(models.get(name, b.model), model_id, name)

    b.runner._pick_model = pick


async def compare(b, *also, text="Who?", conversation_id="", model="some/one"):
    question = replace(await b.question(text, conversation_id), model=model, also=also)
    return [event async for event in ask(b.runner, question)]


def of(events, message_id):
    return [event.event for event in events if isinstance(event, Beside) and event.message_id == message_id]


async def stored(b, events):
    conversation = await b.store.load(events[0].question.conversation_id)
    return conversation.messages


async def test_all_models_answer_from_one_look_up_with_the_same_numbers(tmp_path):
    async with loop_context(tmp_path, TextDelta("One [1]"), END, passages=[web("a"), web("b")]) as b:
        two = ScriptedModel(TextDelta("Two [2]"), END)
        several(b, two=two)
        events = await compare(b, "some/two")
        assert sum(isinstance(event, StepStarted) and event.step.kind == "search" for event in events) == 1
        _asked, one, other = await stored(b, events)
        assert (one.text, one.standing, other.text, other.standing) == (
            "One [1]",
            AnswerRole.USUAL,
            "Two [2]",
            AnswerRole.COMPARED,
        )
        assert one.offered == other.offered == (1, 2)
        assert b.model.requests[0].messages == two.requests[0].messages
        kinds = [type(event) for event in of(events, other.id)]
        assert kinds[0] is TurnStarted
        assert SourcesAdded in kinds
        assert kinds[-1] is TurnFinished


async def test_the_models_write_at_the_same_time(tmp_path):
    gate = asyncio.Event()
    async with loop_context(tmp_path, TextDelta("slow"), gate, END) as b:
        several(b, two=ScriptedModel(TextDelta("quick"), END))
        question = replace(await b.question(), also=("some/two",))
        async with aclosing(ask(b.runner, question)) as events:
            async for event in events:
                if isinstance(event, Beside) and isinstance(event.event, TurnFinished):
                    gate.set()
                last = event
        assert isinstance(last, TurnFinished)


async def test_one_is_stopped_and_the_other_goes_on(tmp_path):
    gate = asyncio.Event()
    async with loop_context(tmp_path, gate, TextDelta("whole"), END) as b:
        several(b, two=ScriptedModel(TextDelta("ha"), asyncio.Event()))
        question = replace(await b.question(), also=("some/two",))
        events = []
        async for event in ask(b.runner, question):
            events.append(event)
            if isinstance(event, Beside) and event.event == TextDelta("ha"):
                await b.runner.stop_one(event.message_id)
            if isinstance(event, Beside) and isinstance(event.event, TurnFinished):
                gate.set()
        _asked, one, other = await stored(b, events)
        assert (one.text, one.status) == ("whole", MessageStatus.COMPLETE)
        assert (other.text, other.status) == ("ha", MessageStatus.STOPPED)
        assert of(events, other.id)[-1] == TurnFinished(other)


async def test_closing_stops_all_of_them(tmp_path):
    async with loop_context(tmp_path, TextDelta("a"), asyncio.Event()) as b:
        two = ScriptedModel(TextDelta("b"), asyncio.Event())
        several(b, two=two)
        question = replace(await b.question(), also=("some/two",))
        seen = []
        async with aclosing(ask(b.runner, question)) as events:
            async for event in events:
                seen.append(event)
                texts = {TextDelta("a"), *(each.event for each in seen if isinstance(each, Beside))}
                if TextDelta("a") in seen and TextDelta("b") in texts:
                    break
        messages = (await stored(b, seen))[1:]
        assert [message.status for message in messages] == [MessageStatus.STOPPED] * 2
        assert b.model.is_closed
        assert two.is_closed


async def test_a_model_that_cannot_be_asked_does_not_keep_the_others(tmp_path):
    async with loop_context(tmp_path, TextDelta("fine [1]"), END, passages=[web("a")]) as b:
        several(b)
        events = await compare(b, "some/two", model="locked/model")
        _asked, locked, fine = await stored(b, events)
        assert (locked.status, fine.status) == (MessageStatus.FAILED, MessageStatus.COMPLETE)
        assert any(isinstance(event, TurnFailed) for event in events)
        assert fine.offered == (1,)


async def test_the_conversation_goes_on_with_the_one_that_was_chosen(tmp_path):
    async with loop_context(tmp_path, TextDelta("first"), END) as b:
        several(b, two=ScriptedModel(TextDelta("second"), END))
        events = await compare(b, "some/two", "some/three")
        _asked, one, two, three = await stored(b, events)
        await b.store.choose(two.id)
        assert [message.standing for message in (await stored(b, events))[1:]] == [
            AnswerRole.LEFT,
            AnswerRole.USUAL,
            AnswerRole.LEFT,
        ]
        await b.ask("And?", two.conversation_id)
        said = [message.text for message in b.model.requests[-1].messages[1:]]
        assert said == ["Who?", "second", "And?"]
        assert {one.id, three.id} < {message.id for message in await stored(b, events)}


async def test_asking_on_without_choosing_goes_on_with_the_first(tmp_path):
    async with loop_context(tmp_path, TextDelta("first"), END) as b:
        several(b, two=ScriptedModel(TextDelta("second"), END))
        events = await compare(b, "some/two")
        await b.ask("And?", events[0].question.conversation_id)
        assert [message.text for message in b.model.requests[-1].messages[1:]] == ["Who?", "first", "And?"]
        assert (await stored(b, events))[2].standing is AnswerRole.LEFT


async def test_another_model_answers_beside_from_the_sources_that_were_given(tmp_path):
    async with loop_context(tmp_path, TextDelta("first [1]"), END, passages=[web("a")]) as b:
        two = ScriptedModel(TextDelta("second [1]"), END)
        several(b, two=two)
        events = await b.ask()
        answer = events[-1].message
        beside = answer_with_models(b.runner, answer.conversation_id, answer.id, ("some/two",))
        again = [event async for event in beside]
        assert all(isinstance(event, Beside) for event in again)
        asked, _one, other = await stored(b, events)
        assert asked.speaker is Speaker.USER
        assert (other.text, other.offered, other.standing) == ("second [1]", (1,), AnswerRole.COMPARED)
        assert two.requests[0].messages == b.model.requests[0].messages
        going_on = [event async for event in go_on(b.runner, other.conversation_id, other.id, "some/two")]
        assert going_on[-1].message.id == other.id
        await b.store.choose(other.id)
        await b.ask("And?", answer.conversation_id)
        assert b.model.requests[-1].messages[2].text.startswith("second [1]")
