"""Cancelling closes the connection, at once."""

import asyncio
import gc
import sys
from contextlib import aclosing, contextmanager

import pytest

from desktop.domain.models import TextDelta
from desktop.providers.transport import PATIENCE
from tests.cases import cases
from tests.unit.providers.openai.test_server import ANSWER as OPENAI_ANSWER
from tests.unit.providers.requests import HELLO, opened
from tests.unit.providers.test_anthropic import ANSWER as ANTHROPIC_ANSWER
from tests.unit.providers.test_stream_faults import HALF
from tests.unit.providers.wire import SSE_HEAD, chunk, serving, stalling, streaming

pytestmark = pytest.mark.anyio

ENOUGH_S = 40
"""Less than the first of the limits in `PATIENCE` that would end the wait for an answer that stalls."""
KINDS = ("openai", "anthropic")
WHOLE = {"openai": OPENAI_ANSWER, "anthropic": ANTHROPIC_ANSWER}


async def wait_until_gone(wire):
    assert min(PATIENCE.first_byte_s, PATIENCE.between_s) > ENOUGH_S
    await asyncio.wait_for(wire.gone.wait(), timeout=ENOUGH_S)


@cases("kind", KINDS)
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
        await wait_until_gone(wire)


@cases("kind", KINDS)
@cases("sent", ["nothing", "the head", "half"])
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
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await wait_until_gone(wire)


@cases("kind", KINDS)
async def test_closing_the_provider_closes_what_is_open(kind):
    async with serving(stalling(SSE_HEAD, chunk(HALF[kind]))) as wire:
        async with opened(wire.base_url, kind, timeouts=PATIENCE) as provider:
            events = provider.stream(HELLO)
            async for event in events:
                if event == TextDelta("half"):
                    break
        await wait_until_gone(wire)
        await events.aclose()


@contextmanager
def dropped_generators():
    """Yield the names of asynchronous generators that are dropped before they have ended."""
    names = []
    begin, end = sys.get_asyncgen_hooks()

    def note(generator):
        names.append(generator.__qualname__)
        end(generator)

    sys.set_asyncgen_hooks(begin, note)
    try:
        yield names
        gc.collect()
    finally:
        sys.set_asyncgen_hooks(begin, end)


@cases("kind", KINDS)
@cases("is_whole", [True, False], ids=["whole", "stopped"])
async def test_nothing_that_reads_from_the_connection_is_left_to_the_garbage_collector(kind, is_whole):
    script = streaming(WHOLE[kind]) if is_whole else stalling(SSE_HEAD, chunk(HALF[kind]))
    async with serving(script) as wire, opened(wire.base_url, kind) as provider:
        with dropped_generators() as names:
            async with aclosing(provider.stream(HELLO)) as events:
                async for event in events:
                    if not is_whole and event == TextDelta("half"):
                        break
    of_sdk = [name for name in names if name.startswith(("AsyncStream.", "SSE"))]  # they wait for nothing
    assert names == ([*of_sdk] if is_whole else ["PoolByteStream.__aiter__"])
