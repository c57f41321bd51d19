"""Kills, torn writes, full disks and flipped bytes: what was acknowledged is there, or it is said what is not."""

import asyncio
import random
import shutil
import sys
from collections import Counter
from contextlib import aclosing
from dataclasses import replace

import pytest

from desktop.domain.messages import MessageStatus
from desktop.errors import DatabaseTooNew, StorageError
from desktop.settings.folders import folders_for
from desktop.storage.conversation_store import FILE_NAME, ConversationStore
from desktop.storage.db.database import Database
from tests.unit.storage.db.test_crash import one_run
from tests.unit.storage.samples import answer, file_size_limit, question, source

SECTOR = 512
AT_ONCE = 4
ROUNDS = 30
"""As many as SQLite's log takes before it begins anew: until then a state is the one before, and more."""

pytestmark = pytest.mark.anyio


async def test_kill_9_loses_nothing_that_was_acknowledged(tmp_path, times, told):
    count = times(4, 500)
    chance, gate = random.Random(21), asyncio.Semaphore(AT_ONCE)
    runs = (one_run(tmp_path / str(number), chance.uniform(0.05, 2.5), gate) for number in range(count))
    ended, cut_off = (sum(each) for each in zip(*await asyncio.gather(*runs), strict=True))
    told(
        "kill -9 while answers are written",
        count,
        f"0 of {ended:,} finished messages lost, {cut_off} answers kept as far as shown",
    )


async def write(folder):
    """Write messages and return after each what the disk held, as it was when they were acknowledged."""
    states = []
    store = ConversationStore(folder)
    info = await store.create()
    for number in range(ROUNDS):
        await store.add_message(question(info.id, number, text=f"{number} " * (number * 7 % 120 + 1)))
        message = answer(info.id, number)
        await store.add_message(message)
        await store.update_message(replace(message, text=f"said {number}", status=MessageStatus.COMPLETE))
        states.append({path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()})
    await store.close()
    return info.id, states


async def held(folder, conversation_id):
    """Return the ids of the messages that are there after a restart; raises StorageErrors."""
    store = ConversationStore(folder)
    store.database = Database(folder / FILE_NAME)  # it recovers nothing
    try:
        return [message.id for message in (await store.load(conversation_id)).messages]
    finally:
        await store.close()


def torn(before, after, chance):
    """Return the files of a moment between two states: sectors of what was not synced yet are there, or old, or rubbish."""
    files = dict(before)
    wal = f"{FILE_NAME}-wal"
    old, new = before.get(wal, b""), after[wal]
    assert new.startswith(old), "what was synced is not written again"
    grown = bytearray(new[: chance.randrange(len(old), len(new) + 1)])
    for start in range(-(-len(old) // SECTOR) * SECTOR, len(grown), SECTOR):
        if (source_use := chance.random()) < 0.3:
            end = min(start + SECTOR, len(grown))
            grown[start:end] = bytes(end - start) if source_use < 0.15 else chance.randbytes(end - start)
    files[wal] = bytes(grown)
    files.pop(f"{FILE_NAME}-shm", None)
    return files


async def test_a_loss_of_power_loses_nothing_that_was_acknowledged(tmp_path, times, told):
    count = times(40, 2_000)
    conversation_id, states = await write(tmp_path / "whole")
    chance = random.Random(22)
    for _ in range(count):
        number = chance.randrange(len(states) - 1)
        folder = tmp_path / "torn"
        folder.mkdir()
        for name, content in torn(states[number], states[number + 1], chance).items():
            (folder / name).write_bytes(content)
        there = await held(folder, conversation_id)
        wanted = [f"{kind}{each}-{conversation_id}" for each in range(number + 1) for kind in "qa"]
        assert there[: len(wanted)] == wanted
        assert len(there) <= len(wanted) + 2
        shutil.rmtree(folder)
    told(
        "Writes torn, dropped or reordered by a loss of power",
        count,
        "0 acknowledged messages lost, every database opens",
    )


async def test_a_disk_that_is_full_at_any_level_loses_nothing(tmp_path, times, told):
    count = times(8, 100)
    refused = 0
    for level in range(count):
        folder = tmp_path / str(level)
        store = ConversationStore(folder)
        info = await store.create()
        await store.add_message(question(info.id, 0))
        kept = ["q0-" + info.id]
        with file_size_limit(60_000 + level * 997):
            for number in range(1, 60):
                asked = question(info.id, number, text="words " * 400)
                try:
                    await store.add_message(asked)
                except StorageError:
                    refused += 1
                    break
                kept.append(asked.id)
        asked = question(info.id, 99)
        await store.add_message(asked)  # there is room again
        kept.append(asked.id)
        assert [message.id for message in (await store.load(info.id)).messages] == kept
        await store.close()
        assert await held(folder, info.id) == kept
        shutil.rmtree(folder)
    assert refused == count
    told(
        "Full disk at different levels", count, "said each time, 0 messages lost, goes on when there is room"
    )


async def test_pairs_of_writes_at_the_same_time_do_not_disturb_each_other(tmp_path, times, told):
    count = times(300, 12_000)
    store = ConversationStore(tmp_path)
    info = await store.create()
    await store.add_message(question(info.id, 0))
    for number in range(count):
        await asyncio.gather(
            store.pin(info.id, 0, is_pinned=bool(number % 2)),
            store.pin(info.id, 0, is_pinned=not number % 2),
        )
    await store.close()
    told("Pairs of writes at the same time", count, "0 failed")


def spoilt(content, number, chance):
    """Return a database with one byte flipped, or its end cut off."""
    spoilt = bytearray(content)
    if number % 10 == 9:
        del spoilt[chance.randrange(len(spoilt)) :]
    else:
        spoilt[chance.randrange(len(spoilt))] ^= chance.randrange(1, 256)
    return bytes(spoilt)


async def fate_of(folder, conversation_id, whole):
    """Return what became of a damaged database: nothing of what is shown is other than what was written."""
    store = ConversationStore(folder)
    try:
        shown = await store.load(conversation_id)
        (listed,) = await store.recent()
        told = await said(store)
        assert await store.load(conversation_id) == shown
    finally:
        await store.close()
    assert [message.id for message in shown.messages] == [message.id for message in whole.messages]
    if store.restored:
        return "restored from a backup"
    assert shown == whole, "words changed unseen"
    assert listed.title == whole.info.title
    return "mended from a copy, and said so" if told else "harmless"


async def said(store):
    """Return what the user was told until now."""
    end = StorageError(detail="nothing more")
    store.tell(end)
    async with aclosing(store.troubles()) as troubles:
        told = []
        async for trouble in troubles:
            if trouble is end:
                break
            told.append(trouble)
        return told


async def test_a_flipped_byte_changes_no_word_unseen_and_is_never_the_end(tmp_path, times, told):
    count = times(40, 2_000)
    folder = tmp_path / "sound"
    conversation_id, _ = await write(folder)
    store = ConversationStore(folder)
    await store.save_sources(conversation_id, [source(number) for number in range(1, 9)])
    await store.rename(conversation_id, "What was said")
    await store.back_up()
    whole = await store.load(conversation_id)
    await store.close()
    database = (folder / FILE_NAME).read_bytes()
    chance, fates = random.Random(23), Counter[str]()
    for number in range(count):
        damaged = tmp_path / "damaged"
        shutil.copytree(folder, damaged)
        (damaged / FILE_NAME).write_bytes(spoilt(database, number, chance))
        try:
            fates[await fate_of(damaged, conversation_id, whole)] += 1
        except DatabaseTooNew:  # the number of a migration grew
            fates["left untouched as a newer program's"] += 1
        shutil.rmtree(damaged)
    told(
        "Bytes flipped in the database, or its end cut off",
        count,
        "starts each time, 0 words changed unseen: "
        + ", ".join(f"{number:,} {source_use}" for source_use, number in fates.most_common()),
    )


HEADER_BITS = 100 * 8
FORMAT_OF_SCHEMA = range(44 * 8, 48 * 8)
"""SQLite's header (https://sqlite.org/fileformat2.html), of whose bits these have no error of their own."""


async def test_every_bit_of_the_header_is_harmless_or_restored(tmp_path, times, told):
    folder = tmp_path / "sound"
    conversation_id, _ = await write(folder)
    store = ConversationStore(folder)
    await store.back_up()
    whole = await store.load(conversation_id)
    await store.close()
    database = (folder / FILE_NAME).read_bytes()
    count = times(len(FORMAT_OF_SCHEMA), HEADER_BITS)
    fates = Counter[str]()
    for bit in range(HEADER_BITS) if count == HEADER_BITS else FORMAT_OF_SCHEMA:
        damaged = tmp_path / "damaged"
        shutil.copytree(folder, damaged)
        content = bytearray(database)
        content[bit // 8] ^= 1 << bit % 8
        (damaged / FILE_NAME).write_bytes(content)
        fates[await fate_of(damaged, conversation_id, whole)] += 1
        shutil.rmtree(damaged)
    told(
        "Every bit of the database's header flipped",
        count,
        ", ".join(f"{number} {source_use}" for source_use, number in fates.items()),
    )


async def test_a_database_that_is_gone_or_empty_comes_back_from_its_copy(tmp_path, times, told):
    count = times(2, 36)
    folder = tmp_path / "sound"
    conversation_id, _ = await write(folder)
    store = ConversationStore(folder)
    await store.back_up()
    whole = await store.load(conversation_id)
    await store.close()
    for number in range(count):
        path = folder / FILE_NAME
        path.unlink()
        if number % 2:
            path.touch()
        assert await fate_of(folder, conversation_id, whole) == "restored from a backup"
    told("Database gone or empty beside a copy", count, "restored from the copy and said so each time")


@pytest.mark.skipif(sys.platform == "win32", reason="modes mean nothing on Windows")
def test_existing_data_folders_are_closed_to_other_users(tmp_path, times, told):
    count = times(20, 2_000)
    chance = random.Random(22)
    files = 0
    for number in range(count):
        data = tmp_path / str(number)
        for _ in range(chance.randrange(1, 12)):
            path = data.joinpath(*chance.choices(["knowledge", "cache", "logs", "backups"], k=2), "a file")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(b"")
            path.chmod(chance.randrange(0o1000) | 0o400)
            path.parent.chmod(chance.randrange(0o1000) | 0o700)
        data.chmod(0o755)
        folders_for(data).close_to_others()
        everything = (data, *data.rglob("*"))
        files += len(everything)
        assert not [path for path in everything if path.stat().st_mode & 0o077]
        shutil.rmtree(data)
    told(
        "Data folders with random permissions, opened",
        count,
        f"0 of {files:,} files and folders readable by others",
    )
