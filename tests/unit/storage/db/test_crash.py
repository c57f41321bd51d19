"""kill -9 at any moment: what was acknowledged is there, and so is the text that was on the screen."""

import asyncio
import random
import signal
import sys
import time

from desktop.domain.messages import MessageStatus
from desktop.storage.conversation_store import ConversationStore

RUNS = 20
AT_ONCE = 5
SHOWN_S = 2.0
"""Text older than this is on the disk. The promise is 0.25 s; the rest is for a machine that is busy."""

WRITER = """
import asyncio, sys
from dataclasses import replace
from pathlib import Path
from desktop.domain.messages import MessageStatus
from desktop.storage.conversation_store import ConversationStore
from tests.unit.storage.samples import answer, question

def say(*words):
    print(*words, flush=True)

async def write():
    store = ConversationStore(Path(sys.argv[1]))
    info = await store.create()
    for number in range(10_000):
        await store.add_message(question(info.id, number))
        say("added", info.id, question(info.id, number).id)
        message = answer(info.id, number)
        await store.add_message(message)
        say("added", info.id, message.id)
        text = ""
        for piece in range(40 + number % 3 * 200):
            await store.journal(message.id, text=f"{piece},")
            text += f"{piece},"
            say("shown", message.id, len(text))
            await asyncio.sleep(0.002)
        await store.update_message(replace(message, text=text, status=MessageStatus.COMPLETE))
        say("ended", message.id, len(text))

asyncio.run(write())
"""


class Diary:
    """What one writer said before it was killed."""

    def __init__(self):
        self.conversation_id = ""
        self.added = []
        self.ended = {}
        self.shown = []

    def note(self, line):
        match line.split():
            case ["added", conversation_id, message_id]:
                self.conversation_id = conversation_id
                self.added.append(message_id)
            case ["ended", message_id, length]:
                self.ended[message_id] = int(length)
            case ["shown", message_id, length]:
                self.shown.append((time.monotonic(), message_id, int(length)))

    def shown_before(self, moment):
        """Return how much of each message was on the screen at `moment`."""
        return {message_id: length for at, message_id, length in self.shown if at <= moment}


async def write_until_killed(folder, life_s):
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", WRITER, str(folder), stdout=asyncio.subprocess.PIPE
    )
    diary = Diary()
    first = await process.stdout.readline()
    diary.note(first.decode())
    asyncio.get_running_loop().call_later(life_s, process.send_signal, signal.SIGKILL)
    killed_at = time.monotonic() + life_s
    async for line in process.stdout:
        diary.note(line.decode())
    await process.wait()
    return diary, killed_at


async def check(folder, diary, killed_at):
    store = ConversationStore(folder)
    messages = {message.id: message for message in (await store.load(diary.conversation_id)).messages}
    whole = "".join(f"{piece}," for piece in range(1000))
    assert list(messages)[: len(diary.added)] == diary.added
    for message_id, length in diary.ended.items():
        assert messages[message_id].status is MessageStatus.COMPLETE
        assert messages[message_id].text == whole[:length]
    for message_id, length in diary.shown_before(killed_at - SHOWN_S).items():
        assert len(messages[message_id].text) >= length
    for message in messages.values():
        assert message.status in {MessageStatus.COMPLETE, MessageStatus.INTERRUPTED}
        assert whole.startswith(message.text) or message.text == "什么是 SQLite?"
    await store.close()
    return len(diary.ended), sum(message.status is MessageStatus.INTERRUPTED for message in messages.values())


async def one_run(folder, chance, gate):
    async with gate:
        diary, killed_at = await write_until_killed(folder, chance)
        return await check(folder, diary, killed_at)


def test_kill_9_loses_nothing_that_was_acknowledged(tmp_path):
    randomness = random.Random(7)

    async def scenario():
        gate = asyncio.Semaphore(AT_ONCE)
        return await asyncio.gather(
            *(one_run(tmp_path / str(number), randomness.uniform(0.05, 3.5), gate) for number in range(RUNS))
        )

    results = asyncio.run(scenario())
    assert len(results) == RUNS
    assert sum(ended for ended, _ in results) > 0
    assert sum(interrupted for _, interrupted in results) > RUNS // 4
