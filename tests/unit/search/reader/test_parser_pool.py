"""What may hang, fill the memory or crash is parsed where it can be ended; the next page is read all the same."""

import asyncio
import os
import signal
import threading
from contextlib import aclosing

import pytest

from desktop.domain.search import PageStatus
from desktop.search.reader.parse import Barrier, RawResponse
from desktop.search.reader.reader import ORDINARY_BYTES, ParserPool
from tests.cases import cases
from tests.unit.search.page_server import article

URL = "https://a.example/story"
LONG = "The river carries more water in spring, when the snow of the mountains melts. " * 6
GOOD = RawResponse(URL, article("Rivers", LONG).encode(), media_type="text/html")
LARGE = RawResponse(URL, article("Rivers", LONG * 800).encode(), media_type="text/html")
HEAVY = RawResponse(URL, b"<p><a href='/x'>some text of a link here</a></p>" * 80_000, media_type="text/html")


def parsing(*received: RawResponse):
    async def run():
        async with aclosing(ParserPool(60.0)) as parsers:
            return [await parsers.parse(one) for one in received]

    return asyncio.run(run())


def test_a_long_page_is_read_like_a_short_one():
    assert len(LARGE.body) > ORDINARY_BYTES
    short, long = parsing(GOOD, LARGE)
    assert (short.page.status, short.page.title) == (long.page.status, long.page.title)
    assert len(long.page.text) > len(short.page.text)


def test_a_page_of_five_megabytes_with_very_many_elements_is_cut_and_says_so():
    rows = b"".join(b"<li><b>Heron %d</b> <i>eats</i> <a href='/x'>fish</a></li>" % n for n in range(95_000))
    (reading,) = parsing(RawResponse(URL, b"<body><ul>" + rows + b"</ul></body>", media_type="text/html"))
    assert reading.page.status is PageStatus.READ
    assert "Heron 9000" in reading.page.text
    assert reading.page.notes == ("Only the beginning was read: the text is very long.",)


def test_walls_and_labels_survive_the_way_to_the_process_and_back():
    body = b"<html><body>Just a moment...</body></html>" + b" " * ORDINARY_BYTES
    (reading,) = parsing(RawResponse(URL, body, 403, "text/html", headers={"cf-mitigated": "challenge"}))
    assert reading.wall is Barrier.CAPTCHA


def test_a_page_that_takes_too_long_is_given_up_and_the_next_one_read():
    async def run():
        async with aclosing(ParserPool(0.1)) as parsers:
            slow = await parsers.parse(HEAVY)
            parsers._limit_s = 60.0  # a process that only starts slowly is no page that takes too long
            return slow, await parsers.parse(LARGE)

    slow, next_one = asyncio.run(run())
    assert slow.page.status is PageStatus.TIMED_OUT
    assert "too long" in slow.page.error
    assert next_one.page.status is PageStatus.READ


@cases(
    "body", [b"%PDF-1.7\n%%EOF", b"%PDF-1.4\n" + b"\x00\xff" * 2_000_000, b"%PDF-" + b"1 0 obj<<" * 100_000]
)
def test_a_hostile_pdf_is_only_a_status(body):
    (reading,) = parsing(RawResponse(URL, body))
    assert reading.page.status is PageStatus.UNSUPPORTED


async def started(parsers: ParserPool) -> tuple[int, ...]:
    """Return the processes once there are any."""
    async with asyncio.timeout(60):
        while not (pids := parsers.pids):  # noqa: ASYNC110 - no event says that a process starts
            await asyncio.sleep(0)
    return pids


def test_a_page_that_kills_its_process_is_a_failure_and_the_next_one_is_read():
    async def run():
        async with aclosing(ParserPool(60.0)) as parsers:
            task = asyncio.create_task(parsers.parse(HEAVY))
            for pid in await started(parsers):
                os.kill(pid, signal.SIGKILL)
            return await task, await parsers.parse(LARGE)

    killed, next_one = asyncio.run(run())
    assert killed.page.status is PageStatus.FAILED
    assert "SIGKILL" in killed.page.error
    assert next_one.page.status is PageStatus.READ


def test_closing_leaves_no_process_and_no_busy_thread():
    async def run():
        async with aclosing(ParserPool(60.0)) as parsers:
            await parsers.parse(GOOD)
            await parsers.parse(LARGE)
            return parsers.pids, parsers

    (pid,), parsers = asyncio.run(run())
    assert parsers.pids == ()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    for thread in threading.enumerate():
        if thread.name.startswith("page"):
            thread.join(60)
            assert not thread.is_alive()


def test_cancelling_ends_the_process():
    async def run():
        async with aclosing(ParserPool(60.0)) as parsers:
            task = asyncio.create_task(parsers.parse(HEAVY))
            (pid,) = await started(parsers)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            return pid, parsers.pids

    pid, after = asyncio.run(run())
    assert after == ()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_closing_a_busy_pool_ends_its_processes_and_starts_none_for_what_waits():
    async def run():
        parsers = ParserPool(60.0)
        tasks = [asyncio.create_task(parsers.parse(HEAVY)) for _ in range(5)]
        await started(parsers)
        await parsers.aclose()
        outcomes = await asyncio.gather(*tasks, return_exceptions=True)
        return outcomes, parsers.pids

    outcomes, pids = asyncio.run(run())
    assert pids == ()
    read = [outcome for outcome in outcomes if not isinstance(outcome, asyncio.CancelledError)]
    assert {reading.page.status for reading in read} == {PageStatus.FAILED}
    assert len(read) < len(outcomes)
