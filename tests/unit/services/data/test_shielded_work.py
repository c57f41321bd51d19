"""Work that must not be left half done is waited for, also by who is cancelled."""

import asyncio

import pytest

from desktop.services.transfers import await_shielded
from tests.cases import cases

pytestmark = pytest.mark.anyio


async def test_it_gives_what_the_work_gives():
    async def work():
        return 7

    assert await await_shielded(work()) == 7


async def test_it_raises_what_the_work_raises():
    async def work():
        raise KeyError

    with pytest.raises(KeyError):
        await await_shielded(work())


@cases("ends_badly", [False, True])
async def test_who_is_cancelled_waits_until_the_work_is_done(ends_badly):
    begun, may_end, did = asyncio.Event(), asyncio.Event(), []

    async def work():
        begun.set()
        await may_end.wait()
        did.append("all of it")
        if ends_badly:
            raise KeyError

    waiting = asyncio.create_task(await_shielded(work()))
    await begun.wait()
    waiting.cancel()
    may_end.set()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    assert did == ["all of it"]
