"""Questions in other words and answers given once more: branches, each of which sees only itself."""

import sqlite3
from dataclasses import replace

import pytest

from desktop.chat.answer_recorder import start_turn
from desktop.domain.events import TurnFailed, TurnStarted
from desktop.domain.messages import AnswerRole, SettingsPage
from desktop.domain.models import TextDelta
from desktop.domain.procedures import DocumentTask, SummaryState
from desktop.domain.transcript import messages_before_turn
from desktop.errors import QuestionDamaged, UnknownConversation
from desktop.errors.servers import AuthFailed
from desktop.storage.branch_operations import BranchOperations
from tests.turns import answer_with_models, ask, go_on
from tests.unit.chat.turn.test_parallel_answers import several
from tests.unit.chat.turn.test_runner import END, ScriptedModel, loop_context, web

pytestmark = pytest.mark.anyio


async def turn(b, text, **place):
    question = replace(await b.question(text, place.pop("conversation_id", "")), **place)
    return [event async for event in ask(b.runner, question)]


def started(events):
    return next(event for event in events if isinstance(event, TurnStarted))


def prompt_texts(b):
    return [message.text for message in b.model.requests[-1].messages[1:]]


async def shown(b, conversation_id):
    return [message.text for message in (await b.store.load(conversation_id)).messages]


async def test_an_edited_question_is_a_branch_that_does_not_see_the_other_one(tmp_path):
    async with loop_context(tmp_path, TextDelta("Yes."), END) as b:
        first = started(await turn(b, "Who?")).question
        talk = first.conversation_id
        second = started(await turn(b, "And why?", conversation_id=talk)).question
        edited = started(await turn(b, "And when?", conversation_id=talk, edits=second.id))
        assert prompt_texts(b) == ["Who?", "Yes.", "And when?"]
        assert edited.question.variants == (second.id, edited.question.id)
        assert await shown(b, talk) == ["Who?", "Yes.", "And when?", "Yes."]
        await turn(b, "So?", conversation_id=talk)
        assert prompt_texts(b) == ["Who?", "Yes.", "And when?", "Yes.", "So?"]
        await BranchOperations(b.store).show(second.id)
        await turn(b, "Then?", conversation_id=talk)
        assert prompt_texts(b) == ["Who?", "Yes.", "And why?", "Yes.", "Then?"]


async def test_the_first_question_can_be_edited_too(tmp_path):
    async with loop_context(tmp_path, TextDelta("Yes."), END) as b:
        first = started(await turn(b, "Who?")).question
        talk = first.conversation_id
        await turn(b, "Whom?", conversation_id=talk, edits=first.id)
        assert prompt_texts(b) == ["Whom?"]
        assert await shown(b, talk) == ["Whom?", "Yes."]


async def test_an_answer_given_once_more_does_not_see_the_one_before(tmp_path):
    async with loop_context(tmp_path, TextDelta("One."), END) as b:
        first = started(await turn(b, "Who?"))
        talk = first.question.conversation_id
        await turn(b, "And?", conversation_id=talk)
        again = started(await turn(b, "Who?", conversation_id=talk, repeats=first.question.id))
        assert again.question == first.question
        assert again.answer.variants == (first.answer.id, again.answer.id)
        assert prompt_texts(b) == ["Who?"]
        assert await shown(b, talk) == ["Who?", "One."]


async def test_a_question_that_has_lost_its_words_is_not_asked_once_more_but_can_be_edited(tmp_path):
    async with loop_context(tmp_path, TextDelta("Yes."), END) as b:
        first = started(await turn(b, "Who?"))
        talk = first.question.conversation_id
        await b.store.update_message(replace(first.question, text="", is_damaged=True))
        before = await b.store.load(talk)
        with pytest.raises(QuestionDamaged):
            await turn(b, "", conversation_id=talk, repeats=first.question.id)
        with pytest.raises(QuestionDamaged):
            [event async for event in answer_with_models(b.runner, talk, first.answer.id, ("some/two",))]
        with pytest.raises(QuestionDamaged):
            [event async for event in go_on(b.runner, talk, first.answer.id, "some/model")]
        assert await b.store.load(talk) == before
        await turn(b, "Whom?", conversation_id=talk, edits=first.question.id)
        assert await shown(b, talk) == ["Whom?", "Yes."]


async def test_numbers_of_sources_stay_the_same_across_branches(tmp_path):
    async with loop_context(tmp_path, TextDelta("[1]"), END, passages=[web("a"), web("b")]) as b:
        first = started(await turn(b, "Who?"))
        talk = first.question.conversation_id
        b.passages = (web("c"), web("b"))
        again = started(await turn(b, "Who?", conversation_id=talk, repeats=first.question.id))
        conversation = await b.store.load(talk)
        assert {source.title: source.number for source in conversation.sources} == {"a": 1, "b": 2, "c": 3}
        assert conversation.messages[-1].offered == (2, 3)
        await BranchOperations(b.store).show(first.answer.id)
        assert (await b.store.load(talk)).messages[-1].offered == (1, 2)
        b.passages = (web("d"),)
        await turn(b, "More?", conversation_id=talk)
        assert (await b.store.load(talk)).messages[-1].offered == (4,)
        assert again.answer.id != first.answer.id


async def test_several_models_answer_once_more_as_one_branch(tmp_path):
    async with loop_context(tmp_path, TextDelta("One."), END) as b:
        several(b, two=ScriptedModel(TextDelta("Two."), END))
        first = started(await turn(b, "Who?"))
        talk = first.question.conversation_id
        await turn(b, "Who?", conversation_id=talk, repeats=first.question.id, also=("some/two",))
        messages = (await b.store.load(talk)).messages
        assert [(each.text, each.standing) for each in messages[1:]] == [
            ("One.", AnswerRole.USUAL),
            ("Two.", AnswerRole.COMPARED),
        ]
        assert len(messages[1].variants) == 2


async def test_an_answer_that_failed_before_it_said_anything_leaves_nothing_behind(tmp_path):
    async with loop_context(tmp_path, AuthFailed(provider="Cloud", detail="no")) as b:
        events = await turn(b, "Who?")
        assert isinstance(events[-1], TurnFailed)
        assert events[-1].message.settings_page is SettingsPage.MODELS
        asked = started(events).question
        b.model.script = (TextDelta("Yes."), END)
        again = started(await turn(b, "Who?", conversation_id=asked.conversation_id, repeats=asked.id))
        assert again.answer.variants == ()
        assert await shown(b, asked.conversation_id) == ["Who?", "Yes."]


async def test_an_answer_that_failed_with_words_or_with_what_followed_is_kept(tmp_path):
    async with loop_context(tmp_path, TextDelta("Ye"), AuthFailed(provider="Cloud", detail="no")) as b:
        first = started(await turn(b, "Who?"))
        talk = first.question.conversation_id
        b.model.script = (AuthFailed(provider="Cloud", detail="no"),)
        again = started(await turn(b, "Who?", conversation_id=talk, repeats=first.question.id))
        assert again.answer.variants == (first.answer.id, again.answer.id)
        b.model.script = (TextDelta("Yes."), END)
        await turn(b, "And?", conversation_id=talk)
        third = started(await turn(b, "Who?", conversation_id=talk, repeats=first.question.id))
        assert third.answer.variants == (first.answer.id, again.answer.id, third.answer.id)
        await BranchOperations(b.store).show(again.answer.id)
        assert await shown(b, talk) == ["Who?", "", "And?", "Yes."]


async def test_what_is_not_shown_cannot_be_repeated_or_continued(tmp_path):
    async with loop_context(tmp_path, TextDelta("One."), END) as b:
        first = started(await turn(b, "Who?"))
        talk = first.question.conversation_id
        await turn(b, "Whom?", conversation_id=talk, edits=first.question.id)
        with pytest.raises(UnknownConversation):
            await turn(b, "Who?", conversation_id=talk, repeats=first.question.id)
        with pytest.raises(UnknownConversation):
            async for _ in go_on(b.runner, talk, first.answer.id, "some/one"):
                pass


async def test_who_shows_a_turn_knows_what_it_takes_the_place_of(tmp_path):
    async with loop_context(tmp_path, TextDelta("One."), END) as b:
        first = started(await turn(b, "Who?"))
        talk = first.question.conversation_id
        second = started(await turn(b, "And?", conversation_id=talk))
        messages = (await b.store.load(talk)).messages
        assert messages_before_turn(messages, second) == messages
        assert messages_before_turn(messages[:2], second) == messages[:2]
        again = started(await turn(b, "Who?", conversation_id=talk, repeats=first.question.id))
        assert messages_before_turn(messages, again) == messages[:1]
        messages = (await b.store.load(talk)).messages
        edited = started(await turn(b, "Whom?", conversation_id=talk, edits=first.question.id))
        assert messages_before_turn(messages, edited) == ()


async def test_a_procedure_is_repeated_as_one_and_a_search_with_other_queries_is_none(tmp_path):
    async with loop_context(tmp_path, TextDelta("Yes."), END) as b:
        first = started(await turn(b, "Who?"))
        talk = first.question.conversation_id
        state = SummaryState("Who?", ("base",))
        answer = (await b.store.load(talk)).messages[-1]
        await b.store.update_message(replace(answer, procedure=state))
        question = replace(await b.question("Who?", talk), repeats=first.question.id)
        again = await start_turn(question, await b.store.load(talk), b.store)
        assert (again.question.procedure, again.question.bases) == (DocumentTask.READ, ("base",))
        assert not again.question.is_wish
        assert again.before.messages == ()
        await BranchOperations(b.store).show(answer.id)
        other = replace(question, queries=("who",))
        assert (await start_turn(other, await b.store.load(talk), b.store)).question == other


async def test_a_question_whose_answer_cannot_be_stored_leaves_nothing_behind(tmp_path):
    """As on a disk that fills: the title, the question and its answer are written together."""
    async with loop_context(tmp_path, TextDelta("Yes."), END) as b:
        first = started(await turn(b, "Who?")).question
        talk = first.conversation_id
        before = await b.store.load(talk)
        await b.store.database.execute(
            "CREATE TEMP TRIGGER full BEFORE INSERT ON messages WHEN NEW.speaker = 'assistant'"
            " BEGIN SELECT RAISE(ABORT, 'full'); END"
        )
        question = replace(await b.question("Whom?", talk), edits=first.id)
        with pytest.raises(sqlite3.IntegrityError):
            await start_turn(question, before, b.store)
        assert await b.store.load(talk) == before
        await b.store.database.execute("DROP TRIGGER full")
        again = await start_turn(question, before, b.store)
        assert again.asked.variants == (first.id, again.asked.id)
        assert (await b.store.load(talk)).info.title == "Whom?"
