"""However one of several answers ends, the turn ends, and the others hear of it."""

import asyncio
import gc
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
from tests.turns import discard, emitting

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


async def test_stopping_all_while_one_is_being_stopped_ends_and_lets_it_clean_up():
    started, cleaning, may_end = asyncio.Event(), asyncio.Event(), asyncio.Event()
    ends = []

    async def write(emit):
        await emit(TextDelta("word"))
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cleaning.set()
            await may_end.wait()
            ends.append("kept")
            raise

    table = ParallelAnswers()
    turn = stream(partial(table.run, [writing("a", write)]))
    task = asyncio.create_task(take(turn, []))
    await started.wait()
    table.stop("a")
    await cleaning.wait()
    task.cancel()
    await asyncio.sleep(0)  # it is cancelled before the clean-up goes on
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ends == ["kept"]


async def test_an_error_of_the_lookup_that_none_waits_for_is_no_unhandled_one():
    unhandled = []
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(lambda _loop, context: unhandled.append(context))
    found = loop.create_future()

    async def fail(_emit):
        raise StorageFull(detail="")

    with pytest.raises(StorageFull):
        await run_leader(fail, found, discard)
    del found
    gc.collect()
    assert unhandled == []


async def test_a_bug_in_one_goes_up_once_the_others_have_ended():
    async def bug():
        raise KeyError("bug")

    async def broken():
        yield await bug()

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
