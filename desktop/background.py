"""The asyncio thread, and `Job`, with which widgets start work there.

    GUI thread                                  asyncio thread
    Job.start ──── thread-safe call ──────────▶ task(work)
    Job.signals ◀─ main-thread queue, one wake  batches of items, then exactly one ending
    taken ──────── thread-safe call ──────────▶ next batch; a full buffer pauses the work

The queue delivers in time slices, and each job has one batch under way, so that a fast producer cannot keep the
window from painting or run far ahead of it. The asyncio thread only knows numbers, never Job objects: the last
reference to a QObject must not be dropped there.
"""

import asyncio
import concurrent.futures
import itertools
import logging
import sys
import threading
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Collection, Coroutine
from contextlib import AsyncExitStack
from enum import Enum, auto
from functools import partial
from time import monotonic
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal, SignalInstance, Slot

Join = Callable[[Any, Any], object | None]
"""Joins two consecutive items into one, or returns None if they must stay separate."""

BATCH_S = 0.033
"""How long items of an incomplete batch are collected, in seconds: two frames."""

BATCH_ITEMS = 256
"""Number of items in a full batch."""

SLICE_S = 0.008
"""How long the queue may occupy the GUI thread at a time, in seconds: half a frame."""
_T = TypeVar("_T")
Work = Callable[[], Awaitable[object] | AsyncIterator[object]]
"""Called on the asyncio thread: an awaitable gives the result, an async iterator the progress."""
Handler = Callable[..., object] | SignalInstance
"""A slot or a signal that receives an outcome of a job."""
STOP_S = 0.7
"""How long tasks may clean up when the loop stops, in seconds."""
SWITCH_S = 0.001
"""Switch interval of the interpreter in seconds: how long a busy thread may hold the GIL while the GUI thread waits.

A call into Qt releases the GIL and has to wait this long to get it back; a slot makes dozens of such calls.
"""
_GENERATORS_S = 0.1
_LOOK_AGAIN_S = 0.05
_JOIN_S = 0.1
_THREADS = 8
_log = logging.getLogger(__name__)


class ProgressBuffer:
    """Progress items of a job: one batch is under way while the next is collected. Asyncio thread only."""

    def __init__(self, send: Callable[[list[object]], None], join: Join | None, limit: int) -> None:
        self._send = send
        self._join = join
        self._limit = limit
        self._items: list[object] = []
        self._is_away = False
        self._pause: asyncio.TimerHandle | None = None
        self._has_capacity = asyncio.Event()

    async def put(self, item: object) -> None:
        """Report an item; wait while the window has enough pending items."""
        joined = self._join(self._items[-1], item) if self._join and self._items else None
        if joined is None:
            self._items.append(item)
        else:
            self._items[-1] = joined
        self._send_if_due()
        while len(self._items) >= self._limit:
            self._has_capacity.clear()
            await self._has_capacity.wait()

    def on_taken(self) -> None:
        """Note that the window has taken the last batch."""
        self._is_away = False
        self._send_if_due()

    def close(self) -> None:
        """Send the remaining items, even if a batch is still under way."""
        if self._pause is not None:
            self._pause.cancel()
        if self._items:
            self._send(self._items)

    def _send_if_due(self) -> None:
        is_full = len(self._items) >= self._limit
        if not self._items or self._is_away or (self._pause is not None and not is_full):
            return
        batch, self._items = self._items, []
        self._is_away = True
        if self._pause is not None:
            self._pause.cancel()
        self._pause = asyncio.get_running_loop().call_later(BATCH_S, self._on_pause_over)
        self._has_capacity.set()
        self._send(batch)

    def _on_pause_over(self) -> None:
        self._pause = None
        self._send_if_due()


class MainThreadQueue(QObject):
    """Runs callbacks in the thread in which it was created, in order, in time slices."""

    _arrived = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._callbacks: deque[Callable[[], None]] = deque()
        self._is_woken = False
        self._lock = threading.Lock()
        self._arrived.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def post(self, callback: Callable[[], None]) -> None:
        """Schedule `callback`; may be called from any thread."""
        self._callbacks.append(callback)
        self._wake()

    def _wake(self) -> None:
        # At most one wake is pending: with more, each would take its slice before Qt gets its turn.
        with self._lock:
            if self._is_woken:
                return
            self._is_woken = True
        self._arrived.emit()

    @Slot()
    def _deliver(self) -> None:
        # Cleared before looking: whatever is posted from here on is either seen or wakes us again,
        # also in an event loop that a slot may open below.
        self._is_woken = False
        until = monotonic() + SLICE_S
        try:
            while self._callbacks:
                self._callbacks.popleft()()
                if monotonic() > until:
                    break
        finally:
            if self._callbacks:
                self._wake()


class LoopStoppedError(RuntimeError):
    """The loop accepts no more work."""


class _Kind(Enum):
    PROGRESS = auto()
    SUCCESS = auto()
    FAILURE = auto()
    CANCEL = auto()


class BackgroundLoop:
    """An asyncio loop in its own thread. Create it in the GUI thread.

    `on_error` is called in the GUI thread with every unhandled exception, and with every failure of a job that
    is not an `expected` one and is therefore a bug.
    """

    def __init__(
        self,
        on_error: Callable[[BaseException], None],
        expected: type[Exception] | tuple[type[Exception], ...] = (),
    ) -> None:
        self._on_error = on_error
        self._expected = expected
        self._main_thread = MainThreadQueue()
        self._jobs: dict[int, Job] = {}  # GUI thread only
        self._tasks: dict[int, asyncio.Task[object]] = {}  # asyncio thread only
        self._outboxes: dict[int, ProgressBuffer] = {}  # asyncio thread only
        self._ids = itertools.count(1)
        self._lock = threading.Lock()
        self._is_open = False
        self._loop = asyncio.new_event_loop()
        self._loop.set_exception_handler(self._on_loop_exception)
        self._threads = concurrent.futures.ThreadPoolExecutor(_THREADS, "asyncio-worker")
        self._loop.set_default_executor(self._threads)
        self._thread = threading.Thread(target=self._main, name="asyncio")

    def start(self) -> None:
        """Start the thread; may be called once."""
        sys.setswitchinterval(SWITCH_S)
        self._is_open = True
        self._thread.start()

    def submit(self, coroutine: Coroutine[Any, Any, _T]) -> concurrent.futures.Future[_T]:
        """Run `coroutine`; may be called from any thread. A caller that drops the future also drops its exception.

        Raises:
            LoopStoppedError: the loop has not been started or is stopping.
        """
        with self._lock:
            if self._is_open:
                return asyncio.run_coroutine_threadsafe(coroutine, self._loop)
        coroutine.close()
        raise LoopStoppedError

    def call(self, coroutine: Coroutine[Any, Any, _T], timeout_s: float | None = None) -> _T:
        """Run `coroutine` and wait for it. Only for startup and shutdown, never while the window is in use.

        Raises:
            TimeoutError: it took too long and was cancelled.
            LoopStoppedError: the loop has not been started or is stopping.
        """
        future = self.submit(coroutine)
        try:
            return future.result(timeout_s)
        except TimeoutError:
            future.cancel()
            raise

    def stop(self, timeout_s: float = STOP_S) -> bool:
        """Cancel all tasks, let them clean up for `timeout_s`, and end the thread.

        Returns whether the thread ended; it does not while a task blocks it without awaiting.
        """
        with self._lock:
            if self._is_open:
                self._is_open = False
                self._loop.call_soon_threadsafe(self._begin_shutdown, timeout_s)
        if self._thread.ident is None:
            self._loop.close()
            return True
        self._thread.join(timeout_s + _GENERATORS_S + _JOIN_S)
        self._threads.shutdown(wait=False, cancel_futures=True)
        return not self._thread.is_alive()

    def run(
        self,
        owner: QObject,
        work: Work,
        then: Handler | None = None,
        failed: Handler | None = None,
        *,
        progressed: Handler | None = None,
        cancelled: Handler | None = None,
        join: Join | None = None,
        limit: int = BATCH_ITEMS,
    ) -> "Job":
        """Start a job whose outcome is passed to `then`, `failed` or `cancelled`, in the thread of the caller.

        None of them is called before this method has returned, or after `owner` was destroyed.
        """
        job = Job(work, self, owner, join=join, limit=limit)
        for signal, handler in (
            (job.progressed, progressed),
            (job.succeeded, then),
            (job.failed, failed),
            (job.cancelled, cancelled),
        ):
            if handler is not None:
                signal.connect(handler)
        job.start()
        return job

    def adopt(self, job: "Job", work: Work, join: Join | None, limit: int) -> int:
        """Run the work of a job and return its number; results are passed to `job.receive`."""
        number = next(self._ids)
        self._jobs[number] = job
        if not self._post(partial(self._begin, number, work, join, limit)):
            self._send(number, _Kind.CANCEL)
        return number

    def abort(self, number: int) -> None:
        """Cancel the work of a job."""
        self._post(partial(self._abort, number))

    def go_on(self, number: int) -> None:
        """Allow a job to send its next batch."""
        self._post(partial(self._go_on, number))

    def _main(self) -> None:
        try:
            self._loop.run_forever()
        finally:
            self._loop.close()

    def _post(self, callback: Callable[[], None]) -> bool:
        with self._lock:
            if self._is_open:
                self._loop.call_soon_threadsafe(callback)
            return self._is_open

    def _begin(self, number: int, work: Work, join: Join | None, limit: int) -> None:
        progress = ProgressBuffer(partial(self._send_batch, number), join, limit)
        task = self._loop.create_task(_drive(work, progress.put))
        self._outboxes[number] = progress
        self._tasks[number] = task
        # A callback and not a `finally` in the task: a task cancelled before its first step never runs.
        task.add_done_callback(partial(self._on_done, number))

    def _abort(self, number: int) -> None:
        if number in self._tasks:
            self._tasks[number].cancel()

    def _go_on(self, number: int) -> None:
        if number in self._outboxes:
            self._outboxes[number].on_taken()

    def _on_done(self, number: int, task: asyncio.Task[object]) -> None:
        del self._tasks[number]
        self._outboxes.pop(number).close()
        if task.cancelled():
            self._send(number, _Kind.CANCEL)
        elif (error := task.exception()) is None:
            self._send(number, _Kind.SUCCESS, task.result())
        else:
            if not isinstance(error, self._expected):
                self._report(error)
            self._send(number, _Kind.FAILURE, error)

    def _send_batch(self, number: int, items: list[object]) -> None:
        # One item at a time, so that the queue can pause between them.
        for item in items:
            self._send(number, _Kind.PROGRESS, item)
        self._main_thread.post(partial(self._on_delivered, number))

    def _on_delivered(self, number: int) -> None:
        if number in self._jobs:
            self._jobs[number].on_delivered()

    def _send(self, number: int, kind: _Kind, payload: object = None) -> None:
        self._main_thread.post(partial(self._receive, number, kind, payload))

    def _receive(self, number: int, kind: _Kind, payload: object) -> None:
        job = self._jobs[number] if kind is _Kind.PROGRESS else self._jobs.pop(number)
        job.receive(kind, payload)

    def _on_loop_exception(self, _loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if isinstance(error, BaseException):
            self._report(error)
        else:
            _log.error("asyncio: %s", context.get("message"))

    def _report(self, error: BaseException) -> None:
        _log.error("Unhandled exception", exc_info=error)
        self._main_thread.post(partial(self._on_error, error))

    def _begin_shutdown(self, timeout_s: float) -> None:
        shutdown = self._loop.create_task(self._shut_down(timeout_s))
        shutdown.add_done_callback(lambda _: self._loop.stop())

    async def _shut_down(self, timeout_s: float) -> None:
        for task in await cancel_tasks(timeout_s):
            _log.warning("%s did not end when it was cancelled", task.get_name())
        closing = self._loop.create_task(self._loop.shutdown_asyncgens())
        await asyncio.wait({closing}, timeout=_GENERATORS_S)


async def cancel_tasks(timeout_s: float) -> Collection[asyncio.Task[Any]]:
    """Cancel the other tasks of the running loop, let them clean up, and return those that did not end in time."""
    until = monotonic() + timeout_s
    this = asyncio.current_task()
    while (tasks := asyncio.all_tasks() - {this}) and (left_s := until - monotonic()) > 0:
        for task in tasks:
            # Each is cancelled once: a second cancellation would interrupt its clean-up.
            if not task.cancelling() and not _connects_pipes(task):
                task.cancel()
        # One that a time limit had cancelled goes on afterwards, and says so by `cancelling` alone.
        await asyncio.wait(tasks, timeout=min(left_s, _LOOK_AGAIN_S))
    return tasks


def _connects_pipes(task: asyncio.Task[Any]) -> bool:
    """Say whether a task is that of asyncio itself without which the start of a child process cannot end."""
    name: str = getattr(task.get_coro(), "__qualname__", "")
    return name == "BaseSubprocessTransport._connect_pipes"


class Job(QObject):
    """A piece of work started by a widget with `BackgroundLoop.run`, or step by step: its signals, then `start`.

    Exactly one of `succeeded`, `failed` and `cancelled` is emitted, after all `progressed` signals, in the
    thread that created the job. A job keeps itself alive until then. When `owner` is destroyed, the work is
    cancelled and no further signals are emitted. The final signal states what really happened: work that had
    finished before `cancel` reached it has succeeded.

    `join` may merge waiting items; at most `limit` items wait, then the work is paused.

    Signals:
        progressed: an item of the async iterator, possibly merged with those behind it.
        succeeded: the result; None for an iterator.
        failed: the exception.
        cancelled: the work was cancelled and its clean-up is done.
    """

    progressed = Signal(object)
    succeeded = Signal(object)
    failed = Signal(object)
    cancelled = Signal()

    def __init__(
        self,
        work: Work,
        loop: BackgroundLoop,
        owner: QObject,
        *,
        join: Join | None = None,
        limit: int = BATCH_ITEMS,
    ) -> None:
        super().__init__()
        # Kept here to the end, so that objects referenced by `work` are released in this thread.
        self._work = work
        self._loop = loop
        self._join = join
        self._limit = limit
        self._number: int | None = None
        self._is_orphan = False
        self._is_held = False
        self._is_delivered = False
        owner.destroyed.connect(self._on_owner_destroyed)

    def start(self) -> None:
        """Start the work; may be called once."""
        if self._number is not None:
            message = "a Job starts once"
            raise RuntimeError(message)
        if not self._is_orphan:
            self._number = self._loop.adopt(self, self._work, self._join, self._limit)

    def cancel(self) -> None:
        """Ask the work to stop; its clean-up runs, then the final signal follows. Does nothing before `start`."""
        if self._number is not None:
            self._loop.abort(self._number)

    def hold(self, is_held: bool) -> None:
        """Stop or resume taking items: while stopped, the work waits as soon as its buffer is full."""
        self._is_held = is_held
        if not is_held and self._is_delivered:
            self._go_on()

    def on_delivered(self) -> None:
        """Request the next batch once a batch has been taken; called by the loop."""
        self._is_delivered = True
        if not self._is_held:
            self._go_on()

    def _go_on(self) -> None:
        assert self._number is not None
        self._is_delivered = False
        self._loop.go_on(self._number)

    def receive(self, kind: _Kind, payload: object) -> None:
        """Emit the signal for a result of the work; called by the loop."""
        if self._is_orphan:
            return
        match kind:
            case _Kind.PROGRESS:
                self.progressed.emit(payload)
            case _Kind.SUCCESS:
                self.succeeded.emit(payload)
            case _Kind.FAILURE:
                self.failed.emit(payload)
            case _Kind.CANCEL:
                self.cancelled.emit()

    @Slot()
    def _on_owner_destroyed(self) -> None:
        self._is_orphan = True
        self.cancel()


async def _drive(work: Work, report: Callable[[object], Awaitable[None]]) -> object:
    made = work()
    if not isinstance(made, AsyncIterator):
        return await made
    async with AsyncExitStack() as stack:
        if isinstance(made, AsyncGenerator):
            stack.push_async_callback(made.aclose)
        pause_at = monotonic() + SLICE_S
        async for item in made:
            await report(item)
            # An iterator that never waits must not block other tasks or its own cancellation.
            if monotonic() > pause_at:
                await asyncio.sleep(0)
                pause_at = monotonic() + SLICE_S
    return None
