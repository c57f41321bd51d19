"""The border between the window's thread and the asyncio thread."""

import asyncio
import gc
import itertools
import sys
import threading
import time
import weakref
from functools import partial

import pytest
import shiboken6
from PySide6.QtCore import QObject, QThread, QTimer, Slot

from desktop.background import SLICE_S, BackgroundLoop, Job, LoopStoppedError, cancel_tasks
from tests.stopping import has_stopped


class ExpectedError(Exception):
    """Stands for the program's own error tree."""


class Witness(QObject):
    """Writes down what a job signals, and in which thread."""

    def __init__(self):
        super().__init__()
        self.log = []
        self.threads = set()

    def watch(self, job):
        job.progressed.connect(self.on_progressed)
        job.succeeded.connect(self.on_succeeded)
        job.failed.connect(self.on_failed)
        job.cancelled.connect(self.on_cancelled)
        return job

    @property
    def is_over(self):
        return bool(self.log) and self.log[-1][0] != "progressed"

    def _note(self, word, payload=None):
        self.log.append((word, payload))
        self.threads.add(threading.get_ident())

    @Slot(object)
    def on_progressed(self, item):
        self._note("progressed", item)

    @Slot(object)
    def on_succeeded(self, result):
        self._note("succeeded", result)

    @Slot(object)
    def on_failed(self, error):
        self._note("failed", error)

    @Slot()
    def on_cancelled(self):
        self._note("cancelled")


@pytest.fixture
def errors():
    return []


@pytest.fixture
def loop(qapp, errors):
    loop = BackgroundLoop(errors.append, ExpectedError)
    loop.start()
    yield loop
    assert has_stopped(loop)
    qapp.processEvents()


@pytest.fixture
def witness(qapp):
    return Witness()


async def give(value):
    return value


async def count(limit):
    for number in range(limit):
        yield number


def settle(loop, qapp):
    """Let everything that was started before reach this thread."""
    loop.call(give(None), 20)
    qapp.processEvents()


def test_success_is_signalled_once_in_the_owners_thread(loop, witness, qtbot):
    witness.watch(Job(partial(give, 42), loop, witness)).start()
    qtbot.wait_until(lambda: witness.is_over)
    assert witness.log == [("succeeded", 42)]
    assert witness.threads == {threading.get_ident()}


def test_work_runs_on_the_asyncio_thread(loop, witness, qtbot):
    async def where():
        return threading.get_ident()

    witness.watch(Job(where, loop, witness)).start()
    qtbot.wait_until(lambda: witness.is_over)
    assert witness.log[0][1] != threading.get_ident()


def test_a_job_that_reports_nothing_wakes_the_asyncio_thread_once(loop, witness, qtbot, monkeypatch):
    calls, call_soon = [], loop._loop.call_soon_threadsafe

    def counting(callback, *arguments, **options):
        calls.append(callback)
        return call_soon(callback, *arguments, **options)

    monkeypatch.setattr(loop._loop, "call_soon_threadsafe", counting)
    witness.watch(Job(partial(give, 42), loop, witness)).start()
    qtbot.wait_until(lambda: witness.is_over)
    assert len(calls) == 1


def test_items_of_an_iterator_arrive_in_order_before_the_ending(loop, witness, qtbot):
    witness.watch(Job(partial(count, 1000), loop, witness)).start()
    qtbot.wait_until(lambda: witness.is_over)
    assert witness.log == [*(("progressed", n) for n in range(1000)), ("succeeded", None)]


def test_a_hundred_thousand_items_arrive_without_refcount_drift(loop, witness, qtbot):
    gc.collect()  # what other tests left behind lets go of True and None too
    before = sys.getrefcount(True), sys.getrefcount(None)

    async def produce():
        for _ in range(100_000):
            yield True

    witness.watch(Job(produce, loop, witness)).start()
    qtbot.wait_until(lambda: witness.is_over, timeout=60_000)
    assert len(witness.log) == 100_001
    assert all(item == ("progressed", True) for item in witness.log[:-1])
    witness.log.clear()
    drift = [
        now - then for now, then in zip((sys.getrefcount(True), sys.getrefcount(None)), before, strict=True)
    ]
    assert all(abs(amount) < 10_000 for amount in drift), drift  # a loss at every emit would be 100,000


def test_a_fast_producer_leaves_the_gui_thread_its_turns(loop, witness, qtbot):
    """A timer keeps ticking while 50,000 items with a slot that costs time rush in."""
    ticks = [time.monotonic()]
    timer = QTimer()
    timer.timeout.connect(lambda: ticks.append(time.monotonic()))
    timer.start(5)
    job = witness.watch(Job(partial(count, 50_000), loop, witness))
    job.progressed.connect(lambda _: sum(range(500)))
    job.start()
    qtbot.wait_until(lambda: witness.is_over, timeout=60_000)
    timer.stop()
    gaps = sorted(b - a for a, b in itertools.pairwise(ticks))
    assert len(gaps) > 10
    assert gaps[len(gaps) // 2] < 12 * SLICE_S


def test_an_iterator_that_never_waits_can_be_cancelled(loop, witness, qtbot):
    async def rush():
        while True:
            yield None

    job = witness.watch(Job(rush, loop, witness))
    job.progressed.connect(lambda _: job.cancel())
    job.start()
    qtbot.wait_until(lambda: witness.is_over)
    assert witness.log[-1] == ("cancelled", None)


def test_an_expected_error_is_a_failure_and_no_bug(loop, witness, errors, qtbot):
    async def fail():
        raise ExpectedError

    witness.watch(Job(fail, loop, witness)).start()
    qtbot.wait_until(lambda: witness.is_over)
    [(word, error)] = witness.log
    assert word == "failed"
    assert isinstance(error, ExpectedError)
    assert errors == []


def test_a_bug_is_a_failure_and_reported(loop, witness, errors, qtbot):
    async def fail():
        return 1 // 0

    witness.watch(Job(fail, loop, witness)).start()
    qtbot.wait_until(lambda: witness.is_over)
    [(word, error)] = witness.log
    assert word == "failed"
    assert errors == [error]
    assert isinstance(error, ZeroDivisionError)


def test_a_factory_that_raises_fails_the_job(loop, witness, qtbot):
    def broken():
        raise ExpectedError

    witness.watch(Job(broken, loop, witness)).start()
    qtbot.wait_until(lambda: witness.is_over)
    assert witness.log[0][0] == "failed"


def test_items_before_an_error_are_kept(loop, witness, qtbot):
    async def break_off():
        yield "first"
        raise ExpectedError

    witness.watch(Job(break_off, loop, witness)).start()
    qtbot.wait_until(lambda: witness.is_over)
    assert [word for word, _ in witness.log] == ["progressed", "failed"]


def test_cancel_runs_the_clean_up_before_it_is_signalled(loop, witness, qtbot):
    cleaned = []

    async def wait():
        try:
            yield "started"
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.append(len(witness.log))

    job = witness.watch(Job(wait, loop, witness))
    job.start()
    qtbot.wait_until(lambda: bool(witness.log))
    job.cancel()
    job.cancel()
    qtbot.wait_until(lambda: witness.is_over)
    assert witness.log == [("progressed", "started"), ("cancelled", None)]
    assert cleaned == [1]


def test_cancelled_between_items_closes_the_generator(loop, witness, qtbot):
    closed = threading.Event()

    class Items:
        """An iterator that is no generator: nothing to close, still cancelled."""

        def __aiter__(self):
            return self

        async def __anext__(self):
            try:
                await asyncio.Event().wait()
            finally:
                closed.set()

    job = witness.watch(Job(Items, loop, witness))
    job.start()
    job.cancel()
    qtbot.wait_until(lambda: witness.is_over)
    assert witness.log == [("cancelled", None)]


def test_cancel_before_the_first_step_still_ends(loop, witness, qtbot):
    begun, blocked = threading.Event(), threading.Event()

    async def block():
        begun.set()
        blocked.wait(30)

    hold = loop.submit(block())
    assert begun.wait(30)  # from here on, start and cancel reach the loop in one breath
    job = witness.watch(Job(partial(give, 1), loop, witness))
    job.start()
    job.cancel()
    blocked.set()
    qtbot.wait_until(lambda: witness.is_over)
    assert witness.log == [("cancelled", None)]
    hold.result(30)


def test_cancel_after_the_ending_changes_nothing(loop, witness, qtbot, qapp):
    job = witness.watch(Job(partial(give, 1), loop, witness))
    job.start()
    qtbot.wait_until(lambda: witness.is_over)
    job.cancel()
    settle(loop, qapp)
    assert witness.log == [("succeeded", 1)]


def test_a_failing_clean_up_is_not_hidden(loop, witness, qtbot):
    async def wait():
        try:
            await asyncio.Event().wait()
        finally:
            raise ExpectedError

    job = witness.watch(Job(wait, loop, witness))
    job.start()
    loop.call(give(None), 20)
    job.cancel()
    qtbot.wait_until(lambda: witness.is_over)
    assert [word for word, _ in witness.log] == ["failed"]


def test_owner_destroyed_cancels_the_work_and_silences_the_job(loop, witness, qtbot, qapp):
    owner = QObject()
    cleaned = threading.Event()

    async def wait():
        try:
            yield "started"
            await asyncio.Event().wait()
        finally:
            cleaned.set()

    witness.watch(Job(wait, loop, owner)).start()
    qtbot.wait_until(lambda: bool(witness.log))
    shiboken6.delete(owner)
    assert cleaned.wait(30)
    settle(loop, qapp)
    assert witness.log == [("progressed", "started")]


def test_items_on_the_way_when_the_owner_dies_are_dropped(loop, qapp):
    owner = Witness()
    log = owner.log
    owner.watch(Job(partial(count, 100), loop, owner)).start()
    loop.call(give(None), 20)
    shiboken6.delete(owner)
    qapp.processEvents()
    settle(loop, qapp)
    assert log == []


def test_a_job_whose_owner_died_before_the_start_does_nothing(loop, witness, qapp):
    owner = QObject()
    ran = threading.Event()

    async def note():
        ran.set()

    job = witness.watch(Job(note, loop, owner))
    shiboken6.delete(owner)
    job.start()
    settle(loop, qapp)
    assert not ran.is_set()
    assert witness.log == []


def test_a_job_lives_until_its_ending_and_no_longer(loop, witness, qtbot):
    go = threading.Event()

    async def wait():
        await asyncio.to_thread(go.wait, 5)

    job = witness.watch(Job(wait, loop, witness))
    job.start()
    trace = weakref.ref(job)
    del job
    gc.collect()
    assert trace() is not None
    go.set()
    qtbot.wait_until(lambda: witness.is_over)
    qtbot.wait_until(lambda: trace() is None)


def test_what_work_refers_to_dies_in_the_gui_thread(loop, witness, qtbot):
    died_in = []

    class Payload:
        def __del__(self):
            died_in.append(threading.get_ident())

    async def use(payload):
        assert payload

    for _ in range(200):
        witness.watch(Job(partial(use, Payload()), loop, witness)).start()
    qtbot.wait_until(lambda: len(died_in) == 200)
    assert set(died_in) == {threading.get_ident()}


def test_a_job_starts_once(loop, witness, qtbot):
    job = witness.watch(Job(partial(give, 1), loop, witness))
    job.start()
    with pytest.raises(RuntimeError):
        job.start()
    qtbot.wait_until(lambda: witness.is_over)


def test_many_jobs_each_end_exactly_once(loop, qtbot, qapp):
    witnesses = [Witness() for _ in range(200)]
    for number, witness in enumerate(witnesses):
        job = witness.watch(Job(partial(count, number % 7), loop, witness))
        job.start()
        if number % 3 == 0:
            job.cancel()
    qtbot.wait_until(lambda: all(witness.is_over for witness in witnesses))
    settle(loop, qapp)
    for witness in witnesses:
        assert [word != "progressed" for word, _ in witness.log].count(True) == 1
        assert witness.log[-1][0] in {"succeeded", "cancelled"}


def test_a_slot_that_opens_an_event_loop_keeps_the_order(loop, witness, qtbot, qapp):
    job = witness.watch(Job(partial(count, 50), loop, witness))
    job.progressed.connect(lambda _: qapp.processEvents())
    job.start()
    qtbot.wait_until(lambda: witness.is_over)
    assert witness.log == [*(("progressed", n) for n in range(50)), ("succeeded", None)]


def test_exceptions_that_nobody_awaits_reach_the_handler(loop, errors, qtbot):
    seen_in = []
    loop._on_error = lambda error: (errors.append(error), seen_in.append(threading.get_ident()))

    async def abandon():
        task = asyncio.create_task(give_up())
        await asyncio.wait({task})

    async def give_up():
        raise ExpectedError

    loop.call(abandon(), 5)
    loop.call(asyncio.to_thread(gc.collect), 5)
    qtbot.wait_until(lambda: bool(errors))
    assert isinstance(errors[0], ExpectedError)
    assert seen_in == [threading.get_ident()]


def test_call_returns_raises_and_times_out(loop):
    assert loop.call(give("answer")) == "answer"
    with pytest.raises(TimeoutError):
        loop.call(asyncio.Event().wait(), 0.01)


def start_loop(errors):
    loop = BackgroundLoop(errors.append, ExpectedError)
    loop.start()
    return loop


def test_stop_waits_for_the_clean_up_of_tasks_and_generators(qapp, errors):
    loop = start_loop(errors)
    cleaned = []
    kept = []

    async def generate():
        try:
            yield 1
            yield 2
        finally:
            cleaned.append("generator")

    async def wait():
        iterator = generate()
        kept.append(iterator)
        await anext(iterator)
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)
            cleaned.append("task")

    loop.submit(wait())
    loop.call(give(None), 20)
    assert loop.stop(30)
    assert cleaned == ["task", "generator"]
    assert threading.active_count() == 1 or "asyncio" not in {thread.name for thread in threading.enumerate()}


def test_a_task_that_a_time_limit_was_cancelling_is_cancelled_when_it_goes_on():
    async def work():
        try:
            async with asyncio.timeout(0):
                await asyncio.Event().wait()
        except TimeoutError:
            await asyncio.Event().wait()

    async def scenario():
        task = asyncio.create_task(work())
        for _ in ("it begins", "its time is over"):
            await asyncio.sleep(0)
        assert task.cancelling()
        return await cancel_tasks(20), task.cancelled()

    assert asyncio.run(scenario()) == (set(), True)


def test_stop_does_not_wait_for_a_task_that_ignores_cancellation(qapp, errors, caplog):
    loop = start_loop(errors)
    is_over = False

    async def hang():
        while not is_over:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                continue

    loop.submit(hang())
    loop.call(give(None), 20)
    assert has_stopped(loop)
    assert "did not end when it was cancelled" in caplog.text
    is_over = True
    gc.collect()


def test_stop_does_not_wait_for_a_thread_that_is_blocked(qapp, errors):
    loop = start_loop(errors)
    go = threading.Event()

    async def block():
        go.wait(60)

    loop.submit(block())
    begin = time.monotonic()
    assert not loop.stop()
    assert time.monotonic() - begin < 30
    go.set()
    assert has_stopped(loop)


def test_a_worker_thread_that_hangs_does_not_hold_the_stop(qapp, errors):
    loop = start_loop(errors)
    go = threading.Event()
    loop.submit(asyncio.to_thread(go.wait, 60))
    loop.call(give(None), 20)
    begin = time.monotonic()
    assert has_stopped(loop)
    assert time.monotonic() - begin < 30
    go.set()


def test_jobs_still_end_when_the_loop_stops(qapp, errors, witness, qtbot):
    loop = start_loop(errors)
    running = witness.watch(Job(lambda: asyncio.Event().wait(), loop, witness))
    running.start()
    assert has_stopped(loop)
    qtbot.wait_until(lambda: witness.is_over)
    assert witness.log == [("cancelled", None)]


def test_a_job_started_after_the_stop_is_cancelled(qapp, errors, witness, qtbot):
    loop = start_loop(errors)
    loop.stop()
    witness.watch(Job(partial(give, 1), loop, witness)).start()
    qtbot.wait_until(lambda: witness.is_over)
    assert witness.log == [("cancelled", None)]
    with pytest.raises(LoopStoppedError):
        loop.submit(give(1))


def test_a_loop_that_never_started_stops(qapp, errors):
    assert BackgroundLoop(errors.append).stop()


def test_the_gui_thread_is_the_one_that_made_the_loop(loop):
    assert loop._main_thread.thread() is QThread.currentThread()


__all__ = ["errors", "loop", "witness"]

LIMIT = 8
MOST_AHEAD = 2 * LIMIT + 1
"""One parcel under way, one gathered, and the item that found no room."""


class Flood:
    """Yields numbers without end and without a pause."""

    def __init__(self):
        self.made = 0
        self.is_closed = threading.Event()

    async def work(self):
        try:
            while True:
                self.made += 1
                yield self.made
        finally:
            self.is_closed.set()


def pairs(one, other):
    """Joins tuples of numbers."""
    return (*one, *other)


def deliver_all(loop):
    """Let the asyncio thread do all that it can without this thread."""
    for _ in range(20):
        loop.call(give(None), 20)


def numbers(witness):
    return [item for word, item in witness.log if word == "progressed"]


def test_a_window_that_is_busy_holds_the_work_up(loop, witness, qtbot):
    flood = Flood()
    job = witness.watch(Job(flood.work, loop, witness, limit=LIMIT))
    job.start()
    deliver_all(loop)  # nothing is delivered meanwhile
    assert 0 < flood.made <= MOST_AHEAD
    qtbot.wait_until(lambda: flood.made > 10 * MOST_AHEAD, timeout=20_000)
    job.cancel()
    qtbot.wait_until(lambda: witness.is_over, timeout=20_000)


def test_a_held_job_waits_until_it_is_let_go(loop, witness, qtbot):
    flood = Flood()
    job = witness.watch(Job(flood.work, loop, witness, limit=LIMIT))
    job.hold(True)
    job.start()
    qtbot.wait_until(lambda: bool(witness.log), timeout=20_000)
    for _ in range(20):
        deliver_all(loop)
        qtbot.wait(0)
    assert flood.made <= MOST_AHEAD
    job.hold(False)
    qtbot.wait_until(lambda: flood.made > 10 * MOST_AHEAD, timeout=20_000)
    job.cancel()
    qtbot.wait_until(lambda: witness.is_over, timeout=20_000)


def test_cancelling_a_held_job_ends_it_and_loses_nothing_that_it_yielded(loop, witness, qtbot):
    flood = Flood()
    job = witness.watch(Job(flood.work, loop, witness, limit=LIMIT))
    job.hold(True)
    job.start()
    deliver_all(loop)
    job.cancel()
    qtbot.wait_until(lambda: witness.is_over, timeout=20_000)
    assert flood.is_closed.is_set()
    assert witness.log[-1] == ("cancelled", None)
    assert numbers(witness) == list(range(1, flood.made + 1))
    assert flood.made <= MOST_AHEAD


def test_the_end_of_a_held_job_arrives_with_all_before_it(loop, witness, qtbot):
    async def few():
        for number in range(5):
            yield number

    job = witness.watch(Job(few, loop, witness, limit=LIMIT))
    job.hold(True)
    job.start()
    qtbot.wait_until(lambda: witness.is_over, timeout=20_000)
    assert witness.log == [*(("progressed", number) for number in range(5)), ("succeeded", None)]


def test_items_that_wait_are_joined_in_order(loop, witness, qtbot):
    async def letters():
        for number in range(1000):
            yield (number,)

    witness.watch(Job(letters, loop, witness, join=pairs, limit=LIMIT)).start()
    qtbot.wait_until(lambda: witness.is_over, timeout=20_000)
    parcels = numbers(witness)
    assert [number for batch in parcels for number in batch] == list(range(1000))
    assert len(parcels) < 1000


def test_a_join_that_refuses_keeps_items_apart(loop, witness, qtbot):
    async def letters():
        for number in range(50):
            yield (number,)

    def join(one, other):
        return None if len(one) == 3 else pairs(one, other)

    witness.watch(Job(letters, loop, witness, join=join, limit=LIMIT)).start()
    qtbot.wait_until(lambda: witness.is_over, timeout=20_000)
    parcels = numbers(witness)
    assert [number for batch in parcels for number in batch] == list(range(50))
    assert max(map(len, parcels)) <= 3


def test_two_jobs_do_not_wait_for_each_other(loop, qtbot):
    held, free = Witness(), Witness()
    flood = Flood()
    stuck = held.watch(Job(flood.work, loop, held, limit=LIMIT))
    stuck.hold(True)
    stuck.start()
    free.watch(Job(partial(_count, 500), loop, free, limit=LIMIT)).start()
    qtbot.wait_until(lambda: free.is_over, timeout=20_000)
    assert numbers(free) == list(range(500))
    stuck.cancel()
    qtbot.wait_until(lambda: held.is_over, timeout=20_000)


async def _count(limit):
    for number in range(limit):
        yield number
