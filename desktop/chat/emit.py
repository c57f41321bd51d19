"""The sink that a turn writes its events into, and the queue at its end, from which they are read.

    turn ── await emit(event) ──▶ limit ──▶ record ──▶ queue ──▶ window, command line, tests

Stopping a turn is cancelling its task: each part ends its own requests in a `finally`.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from desktop.domain.events import StepFinished, StepStarted, TurnEvent

Emit = Callable[[TurnEvent], Awaitable[None]]
"""Takes an event, and returns when the work may go on."""

EmitStep = Callable[[StepStarted | StepFinished], Awaitable[None]]
"""A sink for the steps of a lookup."""

_T = TypeVar("_T")


async def _get(queue: asyncio.Queue[_T]) -> tuple[_T, bool]:
    """Return the next item, and whether the wait for it was cancelled: an item that is there is recorded already."""
    try:
        return await queue.get(), False
    except asyncio.CancelledError:
        if queue.empty():
            raise
        return queue.get_nowait(), True


async def stream(
    run: Callable[[Callable[[_T], Awaitable[None]]], Coroutine[Any, Any, None]],
) -> AsyncGenerator[_T, None]:
    """Run work in a task and yield what it emits. Closing the iterator cancels the task and waits for its end.

    Each `emit` returns when the consumer comes back for more: the queue holds one event of each task that emits,
    and a slow consumer slows the work down.
    """
    queue: asyncio.Queue[_T | None] = asyncio.Queue()

    async def emit(event: _T) -> None:
        queue.put_nowait(event)
        await queue.join()

    task = asyncio.create_task(run(emit))
    task.add_done_callback(lambda _: queue.put_nowait(None))
    is_held = is_cancelled = False
    try:
        while not is_cancelled:
            event, is_cancelled = await _get(queue)
            if event is None:
                break
            is_held = True
            yield event
            if not is_cancelled:
                queue.task_done()
                is_held = False
        if is_cancelled:
            raise asyncio.CancelledError
        await task
    finally:
        if not task.cancelling():  # a second cancellation would interrupt the clean-up
            task.cancel()
            # Before `emit` returns: else the work would record one more event, which the consumer never gets.
            await asyncio.sleep(0)
        if is_held:
            queue.task_done()
        while not task.done():  # what the clean-up emits is dropped; it must not wait for the consumer
            await queue.get()
            queue.task_done()
        if not task.cancelled():
            task.result()
