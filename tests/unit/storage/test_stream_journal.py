"""What is on the screen is on the disk, a quarter of a second later."""

import asyncio
from contextlib import aclosing
from dataclasses import replace

import pytest

from desktop.domain.messages import MessageStatus
from desktop.errors import StorageError
from desktop.storage.conversation_store import ConversationStore
from tests.cases import cases
from tests.unit.storage.samples import answer, file_size_limit, question

ENOUGH_S = 30.0


async def streaming(folder, delay_s=0.01):
    """Return a store, another one that sees what is on the disk, and an answer that is being written."""
    store = ConversationStore(folder, delay_s)
    info = await store.create()
    await store.add_message(question(info.id))
    await store.add_message(answer(info.id))
    return store, ConversationStore(folder), answer(info.id)


async def last(store, message):
    return (await store.load(message.conversation_id)).messages[-1]


async def until(condition):
    """Wait for an asynchronous condition."""
    async with asyncio.timeout(ENOUGH_S):
        while not await condition():  # noqa: ASYNC110 - somebody else's disk raises no event
            await asyncio.sleep(0.005)


def rows(store):
    return store.database.read(
        lambda connection: connection.execute("SELECT count(*) FROM journal").fetchone()[0]
    )


def test_the_text_follows_to_the_disk_by_itself(tmp_path):
    async def scenario():
        store, witness, message = await streaming(tmp_path, delay_s=0.2)
        for number in range(4):
            await store.journal(message.id, text=f"{number} ")

            async def is_there(number=number):
                return f"{number} " in (await last(witness, message)).text

            await until(is_there)
        await store.close()
        await witness.close()

    asyncio.run(scenario())


def test_after_a_crash_the_text_is_interrupted_and_whole(tmp_path):
    async def scenario():
        store, witness, message = await streaming(tmp_path)
        for number in range(50):
            await store.journal(message.id, text=f"字{number}\0\ud800 ", reasoning="r")
            if number % 10 == 0:
                await asyncio.sleep(0.02)
        expected = "".join(f"字{number}\0\ud800 " for number in range(50))

        async def is_there():
            return (await last(witness, message)).text == expected

        await until(is_there)
        found = await last(witness, message)
        assert found == replace(message, text=expected, reasoning="r" * 50, status=MessageStatus.INTERRUPTED)
        await store.close()
        await witness.close()

    asyncio.run(scenario())


def test_whoever_writes_sees_it_streaming_up_to_the_last_piece(tmp_path):
    async def scenario():
        store, witness, message = await streaming(tmp_path)
        text = ""
        for number in range(60):
            await store.journal(message.id, text=f"{number},")
            text += f"{number},"
            found = await last(store, message)
            assert found.text == text
            assert found.status is MessageStatus.STREAMING
        await store.close()
        await witness.close()

    asyncio.run(scenario())


@cases(
    "status", [MessageStatus.COMPLETE, MessageStatus.STOPPED, MessageStatus.FAILED, MessageStatus.INTERRUPTED]
)
def test_the_end_takes_the_journal_along(tmp_path, status):
    async def scenario():
        store, witness, message = await streaming(tmp_path)
        await store.journal(message.id, text="abc")

        async def is_written():
            return await rows(store) > 0

        await until(is_written)
        await store.journal(message.id, text="def")
        ended = replace(message, text="abcdef", status=status)
        await store.update_message(ended)
        assert await rows(store) == 0
        assert await last(store, message) == ended
        assert await last(witness, message) == ended
        await asyncio.sleep(0.05)  # several delays: nothing comes after
        assert await rows(store) == 0
        await store.close()
        await witness.close()

    asyncio.run(scenario())


def test_an_interrupted_answer_can_be_continued(tmp_path):
    async def scenario():
        store, witness, message = await streaming(tmp_path)
        await store.journal(message.id, text="first ", reasoning="why ")
        await store.close()
        await witness.close()

        store, witness = ConversationStore(tmp_path), ConversationStore(tmp_path)
        broken = await last(store, message)
        assert (broken.text, broken.status) == ("first ", MessageStatus.INTERRUPTED)
        await store.update_message(replace(broken, status=MessageStatus.STREAMING))
        assert await rows(store) == 0
        await store.journal(message.id, text="second")
        assert (await last(store, message)).text == "first second"

        async def is_there():
            return (await last(witness, message)).text == "first second"

        await until(is_there)
        ended = replace(broken, text="first second", status=MessageStatus.COMPLETE)
        await store.update_message(ended)
        assert await last(witness, message) == ended
        await store.close()
        await witness.close()

    asyncio.run(scenario())


def test_updates_in_mid_stream_neither_double_nor_lose_text(tmp_path):
    async def scenario():
        store, witness, message = await streaming(tmp_path)
        text = ""
        for number in range(120):
            await store.journal(message.id, text=f"{number},")
            text += f"{number},"
            if number % 7 == 0:
                updating = asyncio.create_task(
                    store.update_message(replace(message, text=text, offered=tuple(range(number))))
                )
                reads = [asyncio.create_task(last(store, message)) for _ in range(3)]
                await updating
                assert {(await read).text for read in reads} <= {text}
            if number % 11 == 0:
                await asyncio.sleep(0.015)

        async def is_there():
            return (await last(witness, message)).text == text

        await until(is_there)
        await store.close()
        await witness.close()

    asyncio.run(scenario())


def test_closing_writes_what_is_left(tmp_path):
    async def scenario():
        store, witness, message = await streaming(tmp_path, delay_s=60)
        await store.journal(message.id, text="at the very end")
        await store.close()
        assert (await last(witness, message)).text == "at the very end"
        await witness.close()

    asyncio.run(scenario())


def test_a_flush_that_was_cancelled_is_not_written_twice(tmp_path):
    async def scenario():
        store, witness, message = await streaming(tmp_path)
        for _ in range(30):
            await store.journal(message.id, text="x")
            task = asyncio.create_task(store._journal.flush())
            await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait({task})
        await store.close()
        assert (await last(witness, message)).text == "x" * 30
        await witness.close()

    asyncio.run(scenario())


def test_an_update_that_was_cancelled_is_written_all_the_same(tmp_path):
    async def scenario():
        store, witness, message = await streaming(tmp_path)
        ended = replace(message, text="done", status=MessageStatus.STOPPED)
        task = asyncio.create_task(store.update_message(ended))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})

        async def is_there():
            return await last(witness, message) == ended

        await until(is_there)
        await store.close()
        await witness.close()

    asyncio.run(scenario())


def test_two_answers_at_once_do_not_mix(tmp_path):
    async def scenario():
        store, witness, message = await streaming(tmp_path)
        other = await store.create()
        await store.add_message(answer(other.id))
        for _ in range(40):
            await store.journal(message.id, text="a")
            await store.journal(answer(other.id).id, text="b")
        await store.close()
        assert (await last(witness, message)).text == "a" * 40
        assert (await last(witness, answer(other.id))).text == "b" * 40
        await witness.close()

    asyncio.run(scenario())


def test_a_full_disk_loses_nothing_and_writing_goes_on_when_there_is_room(tmp_path, monkeypatch):
    monkeypatch.setattr("desktop.storage.conversation_store.RETRY_S", 0.02)

    async def scenario():
        store, witness, message = await streaming(tmp_path)
        await store.journal(message.id, text="before ")

        async def is_before():
            return (await last(witness, message)).text == "before "

        await until(is_before)
        with file_size_limit(1):
            await store.journal(message.id, text="during ")

            async def is_refused():
                return store.problem is not None

            await until(is_refused)
            assert isinstance(store.problem, StorageError)
            async with aclosing(store.troubles()) as troubles:
                assert isinstance(await anext(troubles), StorageError)
            assert (await last(store, message)).text == "before during "
            ended = replace(message, text="before during after", status=MessageStatus.COMPLETE)
            with pytest.raises(StorageError):
                await store.update_message(ended)
            with pytest.raises(StorageError):
                await store.add_message(question(message.conversation_id, 5))
            assert await last(store, message) == ended
            assert (await last(witness, message)).text == "before "

        async def is_after():
            return await last(witness, message) == ended and store.problem is None

        await until(is_after)
        await store.add_message(question(message.conversation_id, 5))
        await store.close()
        await witness.close()

    asyncio.run(scenario())


def test_a_disk_that_is_really_full(small_disk, monkeypatch):
    monkeypatch.setattr("desktop.storage.conversation_store.RETRY_S", 0.02)

    async def scenario():
        store, witness, message = await streaming(small_disk)
        await store.journal(message.id, text="kept ")

        async def is_kept():
            return (await last(witness, message)).text == "kept "

        await until(is_kept)
        filler = small_disk / "filler"
        with pytest.raises(OSError, match="No space"):
            filler.write_bytes(bytes(2**20))
        ended = replace(message, text="kept " + "x" * 100_000, status=MessageStatus.COMPLETE)
        with pytest.raises(StorageError, match="disk is full"):
            await store.update_message(ended)
        filler.unlink()

        async def is_there():
            return await last(witness, message) == ended

        await until(is_there)
        await store.close()
        await witness.close()

    asyncio.run(scenario())
