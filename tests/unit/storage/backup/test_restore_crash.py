"""kill -9 while everything is replaced: afterwards it is what it was before or what it is then, never a mixture."""

import asyncio
import random
import signal
import sys

from desktop.storage.conversation_store import ConversationStore
from tests.unit.storage.samples import question

RUNS = 4
SIZES = {3, 40}

WRITER = """
import asyncio, sys
from pathlib import Path
from desktop.storage.recovery import open_backup, replace_by
from desktop.storage.conversation_store import ConversationStore

async def replace():
    folder = Path(sys.argv[1])
    store = ConversationStore(folder)
    print("ready", flush=True)
    while True:
        for name in ("large", "small"):
            async with open_backup(folder / name / "conversations.db", "here") as copy:
                await replace_by(copy, store.database, lambda: None)

asyncio.run(replace())
"""


async def fill(folder, count):
    store = ConversationStore(folder)
    for number in range(count):
        info = await store.create()
        await store.add_message(question(info.id, number, text=f"{count} " * 3_000))
    await store.close()


async def one_run(folder, life_s):
    await fill(folder / "small", 3)
    await fill(folder / "large", 40)
    await fill(folder, 3)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WRITER, str(folder), stdout=asyncio.subprocess.PIPE
    )
    assert await process.stdout.readline() == b"ready\n"
    await asyncio.sleep(life_s)
    process.send_signal(signal.SIGKILL)
    await process.communicate()
    store = ConversationStore(folder)
    infos = await store.recent()
    for info in infos:
        [message] = (await store.load(info.id)).messages
        assert message.text.startswith(f"{len(infos)} ")
    assert store.restored is None
    await store.close()
    return len(infos)


def test_everything_is_replaced_or_nothing(tmp_path):
    randomness = random.Random(5)

    async def scenario():
        lives = [randomness.uniform(0.0, 0.4) for _ in range(RUNS)]
        return await asyncio.gather(
            *(one_run(tmp_path / str(number), life_s) for number, life_s in enumerate(lives))
        )

    assert set(asyncio.run(scenario())) <= SIZES
