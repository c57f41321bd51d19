"""Cancelling closes the connection, at once."""

import asyncio
from contextlib import aclosing
from time import perf_counter

import pytest

from desktop.domain.models import TextDelta
from desktop.providers.transport import PATIENCE
from tests.unit.providers.asking import HELLO, opened
from tests.unit.providers.test_stream_faults import HALF
from tests.unit.providers.wire import SSE_HEAD, chunk, serving, stalling

pytestmark = pytest.mark.anyio

LIMIT_S = 0.2
KINDS = ("openai", "anthropic")


async def gone_within_limit(wire, started):
    await asyncio.wait_for(wire.gone.wait(), timeout=5)
    assert perf_counter() - started < LIMIT_S


@pytest.mark.parametrize("kind", KINDS)
async def test_closing_the_iterator_closes_the_connection(kind):
    async with (
        serving(stalling(SSE_HEAD, chunk(HALF[kind]))) as wire,
        opened(wire.base_url, kind, timeouts=PATIENCE) as provider,
    ):
        async with aclosing(provider.stream(HELLO)) as events:
            async for event in events:
                if event == TextDelta("half"):
                    break
            assert not wire.gone.is_set()
            started = perf_counter()
        await gone_within_limit(wire, started)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("sent", ["nothing", "the head", "half"])
async def test_cancelling_the_task_closes_the_connection(kind, sent):
    pieces = {"nothing": (), "the head": (SSE_HEAD,), "half": (SSE_HEAD, chunk(HALF[kind]))}[sent]
    text = asyncio.Event()

    async def read(provider):
        async with aclosing(provider.stream(HELLO)) as events:
            async for event in events:
                if event == TextDelta("half"):
                    text.set()

    async with (
        serving(stalling(*pieces)) as wire,
        opened(wire.base_url, kind, timeouts=PATIENCE) as provider,
    ):
        task = asyncio.create_task(read(provider))
        await wire.answering.wait()
        if sent == "half":
            await text.wait()
        started = perf_counter()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await gone_within_limit(wire, started)


@pytest.mark.parametrize("kind", KINDS)
async def test_closing_the_provider_closes_what_is_open(kind):
    async with serving(stalling(SSE_HEAD, chunk(HALF[kind]))) as wire:
        async with opened(wire.base_url, kind, timeouts=PATIENCE) as provider:
            events = provider.stream(HELLO)
            async for event in events:
                if event == TextDelta("half"):
                    break
            started = perf_counter()
        await gone_within_limit(wire, started)
        await events.aclose()
