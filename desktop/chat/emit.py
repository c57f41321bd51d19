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
    try:
        while (event := await queue.get()) is not None:
            try:
                yield event
            finally:
                queue.task_done()
        await task
    finally:
        if not task.cancelling():  # a second cancellation would interrupt the clean-up
            task.cancel()
        while not task.done():  # what the clean-up emits is dropped; it must not wait for the consumer
            await queue.get()
            queue.task_done()
        if not task.cancelled():
            task.result()
