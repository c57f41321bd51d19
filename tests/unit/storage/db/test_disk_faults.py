"""Single calls to the disk fail: it is said, nothing that was acknowledged is lost, and writing goes on."""

import asyncio
import shutil
import sys

import pytest

from desktop.domain.messages import MessageStatus
from desktop.storage.conversation_store import ConversationStore

FAULTS = [
    f"{call}:error={error}:when={when}"
    for call, error in (("fdatasync", "EIO"), ("pwrite64", "ENOSPC"), ("pwrite64", "EIO"))
    for when in ("1", "2", "3", "5", "9", "17..33+2")
]
"""strace counts calls by thread; all of these are made in the one that owns the connection."""

AT_ONCE = 4

WRITER = """
import asyncio, sys
from dataclasses import replace
from pathlib import Path
from desktop.domain.messages import MessageStatus
from desktop.errors import StorageError
from desktop.storage.conversation_store import ConversationStore
from tests.unit.storage.samples import answer, question

import desktop.storage.conversation_store as journal
journal.RETRY_S = 0.01

async def attempt(work):
    try:
        await work
    except StorageError as error:
        print("refused", type(error).__name__, flush=True)
        return False
    return True

async def write():
    try:
        store = ConversationStore(Path(sys.argv[1]))
        await store.database.open()
    except StorageError as error:
        print("not opened", type(error).__name__, flush=True)
        return
    info = await store.create()
    for number in range(15):
        asked, message = question(info.id, number), answer(info.id, number)
        while not await attempt(store.add_message(asked)):
            pass
        print("added", info.id, asked.id, flush=True)
        while not await attempt(store.add_message(message)):
            pass
        await store.journal(message.id, text="piece ")
        await attempt(store._journal.flush())
        await attempt(store.update_message(replace(message, text="piece whole", status=MessageStatus.COMPLETE)))
        print("added", info.id, message.id, flush=True)
    while not await attempt(store._journal.flush()):
        pass
    await store.close()
    print("closed", flush=True)

asyncio.run(write())
"""


async def write(folder, *wrapper):
    process = await asyncio.create_subprocess_exec(
        *wrapper,
        sys.executable,
        "-c",
        WRITER,
        str(folder),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    assert out, err.decode()
    return out.decode().splitlines()


async def run(fault, folder, gate):
    """Return whether the fault was noticed."""
    async with gate:
        call = fault.split(":")[0]
        lines = await write(
            folder, "strace", "-fqq", f"-o{folder}.trace", f"-etrace={call}", f"-einject={fault}"
        )
        if lines[-1].startswith("not opened"):
            lines = [*lines, *await write(folder)]
    assert lines[-1] == "closed", (fault, lines)
    added = [line.split()[1:] for line in lines if line.startswith("added")]
    store = ConversationStore(folder)
    messages = (await store.load(added[0][0])).messages
    await store.close()
    assert store.restored is None
    assert [message.id for message in messages] == [message_id for _, message_id in added], fault
    assert all(message.status is MessageStatus.COMPLETE for message in messages)
    assert {message.text for message in messages[1::2]} == {"piece whole"}
    return any(line.startswith(("refused", "not opened")) for line in lines)


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace makes the faults")
def test_every_fault_is_said_and_overcome(tmp_path):
    async def scenario():
        gate = asyncio.Semaphore(AT_ONCE)
        return await asyncio.gather(
            *(run(fault, tmp_path / str(number), gate) for number, fault in enumerate(FAULTS))
        )

    assert sum(asyncio.run(scenario())) > len(FAULTS) // 2
