"""Answers of other conversations: sources of this one from the question on that cites them."""

from datetime import UTC, datetime

import pytest

from desktop.chat.attachments import MAX_CHARS, without_marks
from desktop.domain.history import PastAnswer
from desktop.domain.messages import StepStatus
from desktop.domain.procedures import DocumentTask
from desktop.domain.sources import SourceKind, message_of
from tests.cases import cases
from tests.turns import ask
from tests.unit.chat.turn.test_record import recording, turn
from tests.unit.chat.turn.test_runner import web

pytestmark = pytest.mark.anyio

ANSWER = PastAnswer(
    "c9", "m7", "Tides", "High water is at noon [1][3].", datetime(2026, 1, 2, 12, tzinfo=UTC), (1, 3)
)


async def test_a_past_answer_is_a_source_of_this_question_and_of_those_that_follow(tmp_path):
    async with recording(tmp_path, web("a", "words")) as (desk, _):
        first = await desk.question(past=(ANSWER,))
        _, offered, message = await turn(desk, first)
        past = next(source for source in offered if source.kind is SourceKind.ANSWER)
        assert (past.title, past.text, past.published) == ("Tides", "High water is at noon.", "2026-01-02")
        assert message_of(past) == ("c9", "m7")
        assert past.number in message.offered
        _, offered, _ = await turn(desk, await desk.question("And then?", first.conversation_id))
        assert past in offered
        stored = await desk.store.load(first.conversation_id)
        assert past in stored.sources
        assert stored.pinned == (past.number,)


async def test_an_answer_that_is_cited_twice_keeps_its_number_and_its_text(tmp_path):
    async with recording(tmp_path) as (desk, _):
        first = await desk.question(past=(ANSWER, ANSWER))
        await turn(desk, first)
        _, offered, _ = await turn(desk, await desk.question("Again?", first.conversation_id, past=(ANSWER,)))
        assert [(source.number, source.text) for source in offered] == [(1, "High water is at noon.")]


async def test_a_very_long_answer_is_cited_by_its_beginning(tmp_path):
    long = PastAnswer("c9", "m8", "Long", "word " * MAX_CHARS, datetime(2026, 1, 2, tzinfo=UTC))
    async with recording(tmp_path) as (desk, _):
        first = await desk.question(past=(long,))
        await turn(desk, first)
        (source,) = (await desk.store.load(first.conversation_id)).sources
        assert len(source.text) == MAX_CHARS


async def test_a_procedure_says_that_it_goes_without(tmp_path):
    async with recording(tmp_path) as (desk, _):
        question = await desk.question(past=(ANSWER,), procedure=DocumentTask.WRITE)
        events = [event async for event in ask(desk.runner, question)]
        steps = events[-1].message.steps
        assert any(step.status is StepStatus.DEGRADED and "Past answers" in step.detail for step in steps)


@cases(
    "text, plain",
    [
        ("Noon [1].", "Noon."),
        ("Noon [1][3], they say [1, 3].", "Noon, they say."),
        ("items[0] and [2] and [1, 2]", "items[0] and [2] and [1, 2]"),
        ("", ""),
    ],
)
def test_only_marks_of_sources_are_taken_out(text, plain):
    assert without_marks(text, (1, 3)) == plain
