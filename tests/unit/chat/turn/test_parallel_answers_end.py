"""However one of several answers ends, the turn ends, and the others hear of it."""

import asyncio
from contextlib import aclosing
from datetime import UTC, datetime
from functools import partial
from types import SimpleNamespace

import pytest

from desktop.chat.emit import stream
from desktop.chat.turn.parallel_answers import ParallelAnswer, ParallelAnswers, run_leader
from desktop.domain.events import TurnFailed, TurnFinished
from desktop.domain.messages import Message, MessageStatus, Speaker
from desktop.domain.models import TextDelta
from desktop.errors import LookupStopped, StorageFull
from tests.turns import emitting

pytestmark = pytest.mark.anyio


def writing(name, write):
    message = Message(name, "c", Speaker.MODEL, "", datetime(2026, 1, 1, tzinfo=UTC))
    return ParallelAnswer(SimpleNamespace(message=message), write)


async def forever(started):
    started.set()
    await asyncio.Event().wait()
    yield TextDelta("never")


async def following(found):
    await asyncio.shield(found)
    yield TextDelta("never")


async def take(turn, seen):
    async with asyncio.timeout(20), aclosing(turn) as events:
        async for event in events:
            seen.append(event)


async def test_stopping_the_one_that_looks_up_lets_the_others_say_so():
    found = asyncio.get_running_loop().create_future()
    started, table = asyncio.Event(), ParallelAnswers()
    first = writing("first", partial(run_leader, emitting(forever(started)), found))
    second = writing("second", emitting(following(found)))
    seen = []
    task = asyncio.create_task(take(stream(partial(table.run, [first, second])), seen))
    await started.wait()
    table.stop("first")
    table.stop("first")
    with pytest.raises(LookupStopped):
        await task
    assert [type(event) for event in seen] == [TurnFinished, TurnFailed]


async def test_a_bug_in_one_goes_up_once_the_others_have_ended():
    async def broken():
        raise KeyError("bug")
        yield TextDelta("never")

    async def fine():
        for _ in range(40):
            yield TextDelta("word")

    seen = []
    with pytest.raises(KeyError):
        await take(
            stream(
                partial(
                    ParallelAnswers().run, [writing("a", emitting(broken())), writing("b", emitting(fine()))]
                )
            ),
            seen,
        )
    failed = next(event for event in seen if isinstance(event, TurnFailed))
    assert (failed.message.id, failed.message.status) == ("a", MessageStatus.FAILED)
    assert "KeyError" in failed.message.error
    assert len(seen) == 41


async def test_an_answer_whose_end_cannot_be_written_says_so():
    async def full():
        yield TextDelta("word")
        raise StorageFull(detail="")

    seen = []
    with pytest.raises(StorageFull):
        await take(stream(partial(ParallelAnswers().run, [writing("a", emitting(full()))])), seen)
    assert seen[-1].message.error == str(StorageFull(detail=""))
