"""The reader may die or hang of a file; the next file is read all the same."""

import asyncio
import os
import signal
import zipfile

import pytest

from desktop.errors import ReadingFailed
from desktop.knowledge.reader.pool import TEXTS_AT_ONCE, ReaderPool
from tests.unit.knowledge.knowledge_files import make_pdf, make_text


def ignore(done, total):
    """Take a report of pages and do nothing with it."""


def test_a_file_that_takes_too_long_is_given_up_and_the_next_one_read(tmp_path):
    slow = make_text(tmp_path / "slow.txt", "A line of words that goes on and on.\n" * 400_000)
    quick = make_text(tmp_path / "quick.txt", "quick")

    async def scenario():
        reader = ReaderPool(timeout_s=0.1)
        try:
            with pytest.raises(ReadingFailed, match="longer than"):
                await reader.read(slow, ignore)
            reader.timeout_s = 60
            return await reader.read(quick, ignore)
        finally:
            await reader.aclose()

    assert asyncio.run(scenario()).text == "quick"


async def started(reader):
    async with asyncio.timeout(60):
        while (pid := reader.pid) is None:  # noqa: ASYNC110 - no event says that a process starts
            await asyncio.sleep(0)
    return pid


async def kill(reader):
    """Kill what reads the first text, and what takes its place: once may be by mistake."""
    (victim, *_) = reader._texts._children
    killed = {None}
    async with asyncio.timeout(60):
        while len(killed) < 3:
            if victim.pid in killed:
                await asyncio.sleep(0)
            else:
                killed.add(victim.pid)
                os.kill(victim.pid, signal.SIGKILL)


def test_a_file_is_not_to_blame_for_a_reader_that_is_killed_once(tmp_path):
    slow = make_text(tmp_path / "slow.txt", "A line of words that goes on and on.\n" * 20_000)

    async def scenario():
        reader = ReaderPool()
        try:
            reading = asyncio.create_task(reader.read(slow, ignore))
            os.kill(await started(reader), signal.SIGKILL)
            return await reading
        finally:
            await reader.aclose()

    assert asyncio.run(scenario()).text.startswith("A line of words")


def test_a_reader_that_dies_is_replaced(tmp_path):
    slow = make_text(tmp_path / "slow.txt", "A line of words that goes on and on.\n" * 400_000)
    pdf = make_pdf(tmp_path / "a.pdf", [["One"], ["Two"]])

    async def scenario():
        reader = ReaderPool()
        try:
            doomed = asyncio.create_task(reader.read(slow, ignore))
            await kill(reader)
            with pytest.raises(ReadingFailed, match="SIGKILL"):
                await doomed
            return await reader.read(pdf, ignore)
        finally:
            await reader.aclose()

    assert [entry.chunk.page for entry in asyncio.run(scenario()).entries] == [1, 2]


def test_a_reading_that_is_cancelled_twice_gives_its_process_back(tmp_path):
    slow = make_text(tmp_path / "slow.txt", "A line of words that goes on and on.\n" * 400_000)
    quick = make_text(tmp_path / "quick.txt", "quick")

    async def cancel_twice(reader):
        task = asyncio.create_task(reader.read(slow, ignore))
        await started(reader)
        task.cancel()
        while reader.pid is not None:  # noqa: ASYNC110 - it waits for the end of the process now
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    async def scenario():
        reader = ReaderPool()
        try:
            for _ in range(TEXTS_AT_ONCE):
                await cancel_twice(reader)
            async with asyncio.timeout(60):
                return await reader.read(quick, ignore)
        finally:
            await reader.aclose()

    assert asyncio.run(scenario()).text == "quick"


def test_cancelling_ends_the_process(tmp_path):
    slow = make_text(tmp_path / "slow.txt", "A line of words that goes on and on.\n" * 400_000)

    async def scenario():
        reader = ReaderPool()
        task = asyncio.create_task(reader.read(slow, ignore))
        pid = await started(reader)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        return pid, reader.pid

    pid, after = asyncio.run(scenario())
    assert after is None
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@pytest.mark.skipif(TEXTS_AT_ONCE < 2, reason="one processor reads one file at a time")
def test_files_are_read_side_by_side_and_only_the_one_that_kills_its_reader_is_blamed(tmp_path):
    slow = make_text(tmp_path / "slow.txt", "A line of words that goes on and on.\n" * 400_000)
    quick = make_text(tmp_path / "quick.txt", "quick")

    async def scenario():
        reader = ReaderPool()
        try:
            doomed = asyncio.create_task(reader.read(slow, ignore))
            os.kill(await started(reader), signal.SIGSTOP)  # it takes as long as the other may need
            beside = await reader.read(quick, ignore)
            is_beside = not doomed.done()
            waiting = [asyncio.create_task(reader.read(quick, ignore)) for _ in range(TEXTS_AT_ONCE + 1)]
            await kill(reader)
            with pytest.raises(ReadingFailed, match=r"slow\.txt"):
                await doomed
            return beside, is_beside, await asyncio.gather(*waiting)
        finally:
            await reader.aclose()

    beside, is_beside, others = asyncio.run(scenario())
    assert (beside.text, is_beside) == ("quick", True)
    assert {reading.text for reading in others} == {"quick"}


def test_texts_that_all_are_slow_are_all_read(tmp_path):
    texts = [make_text(tmp_path / f"{number}.txt", f"Heron {number} eats fish.") for number in range(6)]

    async def scenario():
        reader = ReaderPool(slice_s=0.0)
        try:
            return await asyncio.gather(*(reader.read(text, ignore) for text in texts))
        finally:
            await reader.aclose()

    found = asyncio.run(scenario())
    assert [reading.text for reading in found] == [f"Heron {number} eats fish." for number in range(6)]


NEVER_S = 1_000.0


def make_giant(path):
    """Write a docx of some kilobytes that unpacks to 100 MB and takes far longer to read than a small text."""
    paragraphs = "<w:p><w:r><w:t>word</w:t></w:r></w:p>" * 100_000
    main = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive,
        archive.open("word/document.xml", "w") as document,
    ):
        document.write(f"<w:document xmlns:w='{main}'><w:body>".encode())
        for _ in range(30):
            document.write(paragraphs.encode())
        document.write(b"</w:body></w:document>")
    return path


async def read_small_beside(reader, slow, small):
    """Return what is in the small texts, and which of the slow ones ended before all of that was read."""
    slow_tasks = [asyncio.create_task(reader.read(path, ignore)) for path in slow]
    small_tasks = [asyncio.create_task(reader.read(path, ignore)) for path in small]
    try:
        found = await asyncio.gather(*small_tasks)
        return [reading.text for reading in found], [task.done() for task in slow_tasks]
    finally:
        for task in slow_tasks:
            task.cancel()
        await asyncio.gather(*slow_tasks, return_exceptions=True)
        await reader.aclose()


def make_small(folder, count=6):
    return [make_text(folder / f"{number}.txt", f"Heron {number} eats fish.") for number in range(count)]


def test_small_texts_never_wait_for_giants(tmp_path):
    giant = make_giant(tmp_path / "giant.docx")
    texts, ended = asyncio.run(
        read_small_beside(ReaderPool(slice_s=NEVER_S), [giant] * 5, make_small(tmp_path))
    )
    assert texts == [f"Heron {number} eats fish." for number in range(6)]
    assert not any(ended)


def test_a_small_text_that_takes_longer_than_its_slice_does_not_wait_for_giants(tmp_path):
    giant = make_giant(tmp_path / "giant.docx")
    texts, ended = asyncio.run(read_small_beside(ReaderPool(slice_s=0.0), [giant] * 5, make_small(tmp_path)))
    assert texts == [f"Heron {number} eats fish." for number in range(6)]
    assert not any(ended)


def test_of_small_texts_the_shorter_ones_are_read_first(tmp_path):
    longer = [
        make_text(tmp_path / f"longer {number}.txt", "A line of words that goes on and on.\n" * 100_000)
        for number in range(TEXTS_AT_ONCE + 3)
    ]
    _, ended = asyncio.run(
        read_small_beside(ReaderPool(slice_s=NEVER_S), longer, make_small(tmp_path, TEXTS_AT_ONCE))
    )
    assert sum(ended) <= TEXTS_AT_ONCE, "only those that were being read already"
