"""Conversations out of one Footnote, into another and out again: are the files the same to the byte?

    python benchmarks/round_trip.py [--conversations 1000] [--seed 1]

Made-up conversations hold all that a text can: emoji, both directions of writing, NUL, halves of characters,
versions of questions and answers, citations, words that were lost, and one message of 10 MB. Exits with 1 where a byte differs.
"""

import argparse
import asyncio
import random
import sys
import tempfile
import time
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from desktop.domain.messages import Message, MessageStatus, Speaker, Step, StepKind, StepStatus
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.domain.trace import Trace
from desktop.services.container import ServiceContainer, running_services
from desktop.settings.folders import AppFolders
from desktop.storage.message_tree import InsertPoint

_SIGNS = 'aZ 09\n\t\0"\\/<&😀👩‍🚀é\u0301中文한글\u202eאב\ud800\udfff\u2028\ufeff[1]\r'
_LONG = 10_000_000
_LOST_SHARE = 0.05


def text(chance: random.Random, most: int = 400) -> str:
    """Return any text."""
    return "".join(chance.choices(_SIGNS, k=chance.randrange(most)))


def message(chance: random.Random, conversation_id: str, speaker: Speaker) -> Message:
    """Return any message."""
    steps = tuple(
        Step(number, chance.choice(list(StepKind)), text(chance, 40), StepStatus.DONE, chance.randrange(9))
        for number in range(chance.randrange(3))
    )
    return Message(
        f"{chance.getrandbits(128):032x}",
        conversation_id,
        speaker,
        text(chance),
        datetime(2026, 1, 1, tzinfo=UTC) + timedelta(microseconds=chance.randrange(10**13)),
        chance.choice([MessageStatus.COMPLETE, MessageStatus.STOPPED, MessageStatus.FAILED]),
        text(chance, 20),
        text(chance, 90),
        steps,
        tuple(range(1, chance.randrange(1, 4))),
        error=text(chance, 30),
        attachments=tuple(text(chance, 20) for _ in range(chance.randrange(2))),
        is_damaged=chance.random() < _LOST_SHARE,
        is_reasoning_damaged=chance.random() < _LOST_SHARE,
    )


async def make(services: ServiceContainer, chance: random.Random, number: int) -> None:
    """Put one conversation on disk."""
    store = services.store
    info = await store.create()
    await store.rename(info.id, text(chance, 60))
    turns: list[Message] = []
    for turn in range(chance.randrange(1, 6)):
        speaker = (Speaker.USER, Speaker.MODEL)[turn % 2]
        turns.append(message(chance, info.id, speaker))
        if number == turn == 0:
            turns[0] = replace(turns[0], text="x" * _LONG)
        await store.add_message(turns[-1])
    if len(turns) > 1 and chance.random() < 0.5:
        joint = InsertPoint(instead_of=chance.choice(turns[1::2]).id)
        await store.add_message(message(chance, info.id, Speaker.MODEL), joint)
    ledger = Ledger()
    ledger.register(
        Passage(SourceKind.WEB, text(chance, 30), text(chance), f"https://example.org/{each}")
        for each in range(chance.randrange(4))
    )
    await store.save_sources(info.id, ledger.sources)
    await store.save_trace(turns[0].id, Trace(queries=(text(chance, 30),)))


async def export(services: ServiceContainer, path: Path) -> bytes:
    """Return the bytes of a profile."""
    async with aclosing(services.keeping.transfers.export_profile(path, has_bases=False)) as steps:
        async for _ in steps:
            pass
    return await asyncio.to_thread(path.read_bytes)


async def run(root: Path, count: int, seed: int) -> bool:
    """Return whether the second export is the first one."""
    chance = random.Random(seed)
    began = time.monotonic()
    async with running_services(AppFolders(root / "one", root / "c", root / "l")) as services:
        for number in range(count):
            await make(services, chance, number)
        first = await export(services, root / "first.footnote-profile")
    async with running_services(AppFolders(root / "two", root / "c", root / "l")) as services:
        path = root / "first.footnote-profile"
        taken = 0
        async with aclosing(services.keeping.transfers.import_from(path)) as steps:
            async for step in steps:
                taken = len(getattr(step, "conversations", ()))
        second = await export(services, root / "second.footnote-profile")
    seconds = time.monotonic() - began
    sys.stdout.write(f"{taken} of {count} conversations came in; {len(first):,} bytes; {seconds:.0f} s\n")
    sys.stdout.write(f"the same to the byte: {first == second}\n")
    return taken == count and first == second


def main() -> int:
    """Run, and say how it went."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--conversations", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        return 0 if asyncio.run(run(Path(folder), options.conversations, options.seed)) else 1


if __name__ == "__main__":
    sys.exit(main())
