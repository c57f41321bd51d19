"""Kills, torn writes, full disks and flipped bytes: what was acknowledged is there, or it is said what is not."""

import asyncio
import random
import shutil
from collections import Counter
from dataclasses import replace

import pytest

from desktop.domain.messages import MessageStatus
from desktop.errors import DatabaseDamaged, DatabaseTooNew, StorageError
from desktop.storage.conversations import FILE_NAME, ConversationStore
from desktop.storage.database import Database
from tests.unit.storage.samples import answer, file_size_limit, question
from tests.unit.storage.test_crash import one_run

SECTOR = 512
AT_ONCE = 4

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


async def written(folder):
    """Write messages and return after each what the disk held, as it was when they were acknowledged."""
    states = []
    store = await ConversationStore.open(folder)
    info = await store.create()
    for number in range(40):
        await store.add_message(question(info.id, number, text=f"{number} " * (number * 7 % 120 + 1)))
        message = answer(info.id, number)
        await store.add_message(message)
        await store.update_message(replace(message, text=f"said {number}", status=MessageStatus.COMPLETE))
        states.append({path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()})
    await store.close()
    return info.id, states


async def held(folder, conversation_id):
    """Return the ids of the messages that are there after a restart; raises StorageErrors."""
    database = await Database.open(folder / FILE_NAME)
    store = ConversationStore(database)
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
        if (fate := chance.random()) < 0.3:
            end = min(start + SECTOR, len(grown))
            grown[start:end] = bytes(end - start) if fate < 0.15 else chance.randbytes(end - start)
    files[wal] = bytes(grown)
    files.pop(f"{FILE_NAME}-shm", None)
    return files


async def test_a_loss_of_power_loses_nothing_that_was_acknowledged(tmp_path, times, told):
    count = times(40, 2_000)
    conversation_id, states = await written(tmp_path / "whole")
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
        store = await ConversationStore.open(folder)
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


async def test_a_flipped_byte_is_noticed_or_harmless_and_never_the_end(tmp_path, times, told):
    count = times(40, 2_000)
    folder = tmp_path / "sound"
    conversation_id, _ = await written(folder)
    store = await ConversationStore.open(folder)
    await store.back_up()
    whole = (await store.load(conversation_id)).messages
    await store.close()
    database = (folder / FILE_NAME).read_bytes()
    chance, fates = random.Random(23), Counter[str]()
    for number in range(count):
        spoilt = tmp_path / "spoilt"
        shutil.copytree(folder, spoilt)
        content = bytearray(database)
        if number % 10 == 9:
            del content[chance.randrange(len(content)) :]
        else:
            content[chance.randrange(len(content))] ^= chance.randrange(1, 256)
        (spoilt / FILE_NAME).write_bytes(content)
        try:
            store = await ConversationStore.open(spoilt)
        except DatabaseTooNew:  # the number of a migration grew
            fates["left untouched as a newer program's"] += 1
            shutil.rmtree(spoilt)
            continue
        try:
            messages = (await store.load(conversation_id)).messages
        except DatabaseDamaged:  # sound for SQLite, and yet a row that nobody can have written
            fates["said that a conversation cannot be read"] += 1
        else:
            assert store.restored or [each.id for each in messages] == [each.id for each in whole]
            is_changed = messages != whole
            fates[
                "restored from a copy"
                if store.restored
                else "changed words unseen"
                if is_changed
                else "harmless"
            ] += 1
        finally:
            await store.close()
        shutil.rmtree(spoilt)
    told(
        "Bytes flipped in the database, or its end cut off",
        count,
        "starts each time: " + ", ".join(f"{number} {fate}" for fate, number in fates.most_common()),
    )
