"""How a base that version 0.1 made, with vectors of MiniLM, is embedded anew with E5 while it answers.

    python -m benchmarks.reembedding [--passages 10000] [--openings 3] [--keep FOLDER]

A base of short made-up passages is embedded with MiniLM through the worker, as that version did; then the default
becomes E5, as an update does. Measured: how soon a new worker answers by keyword and by meaning, against the same base
once it is of E5 (medians of `--openings`); whether answers come from the old vectors until the last new one
exists; passages a second; how many batches a pause and a choice of MiniLM let through; what a killed worker embeds twice;
and how many passages going back to MiniLM embeds. Beside the seconds stand those of the processor that the worker took.
`--keep` makes the base once and works on a copy of it. A base that version 0.1 itself made is tried so: write files with
`--files FOLDER/files`, have a checkout of that version run `kb create old` and `kb add old FOLDER/files` with
FOOTNOTE_DATA_DIR=FOLDER/data, then `--keep FOLDER`.
"""

import argparse
import asyncio
import os
import shutil
import signal
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import psutil

from desktop.domain.knowledge import BUILT_IN_MODEL, MINILM_MODEL, BaseInfo, BaseOptions, SearchTrial
from desktop.errors import IndexUnavailable
from desktop.knowledge.protocol import WorkerConfig
from desktop.knowledge.vector_service import LOCAL_BATCH
from desktop.knowledge.worker.client import KnowledgeClient
from desktop.settings.model import KnowledgeSettings

PASSAGES_PER_FILE = 100
QUESTIONS = 10
STEP_S = 0.2
SETTLE_S = 10.0
"""How long is watched whether anything more is embedded after a stop."""
PATIENCE_S = 3_600.0
SAME_COSINE = 0.0005
FIRST = 10
Answers = list[list[tuple[str, float]]]
SUBJECTS = (
    "heron",
    "lighthouse",
    "glacier",
    "printing press",
    "orchard",
    "canal",
    "meteor",
    "violin",
    "bakery",
)
PLACES = ("Varnholt", "Lindow", "Casperra", "Old Tessin", "Mirefleet", "Port Anselm", "Quillane")
DEEDS = ("was drawn by", "was paid for by", "was described by", "was moved by", "was forgotten by")
PEOPLE = (
    "a retired surgeon",
    "the fishermen's guild",
    "two schoolteachers",
    "a travelling painter",
    "the mayor",
)


@dataclass(frozen=True)
class Opening:
    """Seconds from the start of a worker to the first answer by keyword, and by meaning; of the clock and processor."""

    keyword_s: float
    meaning_s: float
    keyword_work_s: float
    meaning_work_s: float


def pick(choices: tuple[str, ...], number: int, step: int) -> str:
    return choices[number // step % len(choices)]


def passage(number: int) -> str:
    return (
        f"The {pick(SUBJECTS, number, 1)} of {pick(PLACES, number, 9)} with the number {number} "
        f"{pick(DEEDS, number, 63)} {pick(PEOPLE, number, 315)} in {1400 + number % 600}."
    )


def question(number: int) -> str:
    return f"Who had to do with {pick(SUBJECTS, number, 1)} {number} in {pick(PLACES, number, 9)}?"


def write_files(folder: Path, passages: int) -> None:
    """Write Markdown of one passage under each heading."""
    folder.mkdir()
    for begin in range(0, passages, PASSAGES_PER_FILE):
        numbers = range(begin, min(begin + PASSAGES_PER_FILE, passages))
        text = "\n\n".join(f"## Entry {number}\n\n{passage(number)}" for number in numbers)
        (folder / f"{begin:06}.md").write_text(text, "utf-8")


@asynccontextmanager
async def running(data: Path, model: str) -> AsyncGenerator[KnowledgeClient]:
    async def setup() -> WorkerConfig:
        return WorkerConfig(KnowledgeSettings(embedding_model=model))

    client = KnowledgeClient(data, setup)
    try:
        yield client
    finally:
        await client.aclose()


async def until(is_so: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            if await is_so():
                return
            await asyncio.sleep(STEP_S)


class Base:
    """The only base of a data folder."""

    def __init__(self, data: Path) -> None:
        self._path = data / "knowledge" / "knowledge.db"

    def count(self, model: str) -> int:
        """Return how many vectors of a model are stored; read past the worker, which does not tell."""
        database = sqlite3.connect(f"file:{self._path}?mode=ro", uri=True)
        try:
            (count,) = database.execute("SELECT count(*) FROM vectors WHERE model = ?", (model,)).fetchone()
        finally:
            database.close()
        return int(count)

    async def reaches(self, model: str, count: int) -> None:
        async def is_so() -> bool:
            return self.count(model) >= count

        await until(is_so)


async def only_base(client: KnowledgeClient) -> BaseInfo:
    (base,) = await client.bases()
    return base


async def work_s(client: KnowledgeClient) -> float:
    """Return the processor time that the worker has taken."""
    times = psutil.Process((await client.status()).pid).cpu_times()
    return times.user + times.system


async def becomes(client: KnowledgeClient, model: str) -> None:
    async def is_so() -> bool:
        return (await only_base(client)).model == model

    await until(is_so)


async def make(data: Path, files: Path) -> float:
    """Make the base of version 0.1; return its passages a second, reading among them."""
    async with running(data, MINILM_MODEL) as client:
        started = time.perf_counter()
        base = await client.create("old")
        async with aclosing(client.add(base.id, [files])) as steps:
            async for _ in steps:
                pass
        base = await only_base(client)
        assert base.model == MINILM_MODEL
        await settled(client, base)
        return base.passages / (time.perf_counter() - started)


async def settled(client: KnowledgeClient, base: BaseInfo) -> None:
    """Wait until all vectors are searched: by Chroma, or one by one in SQLite while Chroma is being filled."""

    async def is_so() -> bool:
        return not (await client.try_search(base.id, question(0))).notes

    await until(is_so)


async def restarted(client: KnowledgeClient) -> None:
    """Wait until a new worker runs; what is asked before the end of the old one is noticed fails."""

    async def is_so() -> bool:
        try:
            await client.bases()
        except IndexUnavailable:
            return False
        return True

    await until(is_so)


async def open_once(data: Path, model: str) -> Opening:
    """Open the base in a new worker, which begins at once to embed what has no vectors of `model`."""
    async with running(data, model) as client:
        started = time.perf_counter()
        base = await only_base(client)
        trial = await client.try_search(base.id, str(base.passages - 1))
        keyword_s, keyword_work_s = time.perf_counter() - started, await work_s(client)
        assert any(row.keyword is not None for row in trial.rows)
        while not by_meaning(trial):
            trial = await client.try_search(base.id, question(0))
        return Opening(keyword_s, time.perf_counter() - started, keyword_work_s, await work_s(client))


def by_meaning(trial: SearchTrial) -> bool:
    return not trial.notes and any(row.vector is not None for row in trial.rows)


async def openings(data: Path, model: str, count: int) -> Opening:
    rounds = [await open_once(data, model) for _ in range(count)]
    return Opening(*(statistics.median(values) for values in zip(*map(astuple, rounds), strict=True)))


async def answers(client: KnowledgeClient, base: BaseInfo, numbers: range) -> Answers:
    """Return for each question what was found, with its cosine: both tell one model from another."""
    found = []
    for number in numbers:
        trial = await client.try_search(base.id, question(number))
        assert not trial.notes, trial.notes
        found.append([(row.passage.text, row.vector or 0.0) for row in trial.rows])
    return found


def differences(found: Answers, before: Answers) -> list[str]:
    """Say where the first passages of an answer are others than before, or a cosine is of other vectors.

    Ranks are not compared. Chroma and the comparison with the vectors in SQLite, which answers until Chroma has all,
    add up in another order, so that passages of equal score change places; and Chroma, whose search is approximate, may
    leave out one of the nearest hundred. The cosines of two models are far apart.
    """
    told = []
    for place, (row, old) in enumerate(zip(found, before, strict=True)):
        missing = _texts(old[:FIRST]) - _texts(row[:FIRST])
        cosines = dict(row)
        far = max((abs(cosines[text] - was) for text, was in old if text in cosines), default=0.0)
        if missing or far >= SAME_COSINE:
            told.append(f"answer {place}: {len(missing)} of the first {FIRST} gone, a cosine {far:.6f} off")
    return told


def kept(found: Answers, before: Answers) -> str:
    """Return how much of the answers is as before; raises AssertionError where it is not the same in substance."""
    different = differences(found, before)
    assert not different, different
    pairs = list(zip(found, before, strict=True))
    total = sum(len(old) for _, old in pairs)
    there = sum(len(_texts(row) & _texts(old)) for row, old in pairs)
    placed = sum(one[0] == other[0] for row, old in pairs for one, other in zip(row, old, strict=False))
    return (
        f"the first {FIRST} of all {len(pairs)} answers and the cosines as before; "
        f"{there} of their {total} passages are there, {placed} at the same rank"
    )


def _texts(row: Sequence[tuple[str, float]]) -> set[str]:
    return {text for text, _ in row}


async def stop_by(base: Base, stop: Callable[[], Awaitable[object]]) -> tuple[float, float, int]:
    """Return the batches embedded after a stop was asked for, its seconds, and the vectors at the end."""
    before, started = base.count(BUILT_IN_MODEL), time.perf_counter()
    await stop()
    spent_s = time.perf_counter() - started
    await asyncio.sleep(SETTLE_S)
    after = base.count(BUILT_IN_MODEL)
    await asyncio.sleep(STEP_S)
    assert base.count(BUILT_IN_MODEL) == after, "it goes on"
    return (after - before) / LOCAL_BATCH, spent_s, after


async def embed_anew(data: Path, asked: range) -> None:
    """Embed the base with E5, with a pause, a choice of MiniLM and a kill on the way."""
    store = Base(data)
    async with running(data, BUILT_IN_MODEL) as client:
        base = await only_base(client)
        await settled(client, base)
        before = await answers(client, base, asked)
        await begin(client, store, asked, before)
        await stop_twice(client, store, asked, before)
        await kill_half_way(client, store, asked, before)
        await go_back(client, asked, before)


async def begin(client: KnowledgeClient, store: Base, asked: range, before: Answers) -> None:
    """Embed a quarter, then ask."""
    async with asyncio.timeout(PATIENCE_S):
        base = await only_base(client)
        total = base.passages
        started, begun, worked_s = time.perf_counter(), store.count(BUILT_IN_MODEL), await work_s(client)
        await store.reaches(BUILT_IN_MODEL, total // 4)
        embedded, spent_s = store.count(BUILT_IN_MODEL) - begun, time.perf_counter() - started
        worked_s = await work_s(client) - worked_s
        print(
            f"embeds {embedded / spent_s:.1f} passages/s while nothing is asked, "
            f"{embedded / worked_s:.1f} in a second of processor time"
        )
        started = time.perf_counter()
        same = kept(await answers(client, base, asked), before)
        print(
            f"at {store.count(BUILT_IN_MODEL)} of {total}: {same}, "
            f"{(time.perf_counter() - started) / len(asked) * 1000:.0f} ms each",
            flush=True,
        )


async def stop_twice(client: KnowledgeClient, store: Base, asked: range, before: Answers) -> None:
    """Pause the base, go on, choose MiniLM for it, and go on."""
    async with asyncio.timeout(PATIENCE_S):
        base = await only_base(client)
        total, batch = base.passages, LOCAL_BATCH
        batches, spent_s, held = await stop_by(store, lambda: client.update(replace(base, is_paused=True)))
        print(f"pause: answered after {spent_s:.2f} s, {batches:.1f} batches of {batch} more")
        kept(await answers(client, base, asked), before)
        started = time.perf_counter()
        same = kept(await answers(client, base, asked), before)
        rest_s = (time.perf_counter() - started) / len(asked)
        print(f"while it is paused {same}, {rest_s * 1000:.0f} ms each", flush=True)
        await client.update(base)
        await store.reaches(BUILT_IN_MODEL, held + 4 * batch)

        old = replace(base, options=BaseOptions(model=MINILM_MODEL))
        batches, spent_s, held = await stop_by(store, lambda: client.update(old))
        print(
            f"MiniLM chosen: answered after {spent_s:.2f} s, {batches:.1f} batches more; {store.count(MINILM_MODEL)} "
            f"of {total} vectors of MiniLM are there, nothing is embedded; {held} of E5 are kept",
            flush=True,
        )
        kept(await answers(client, base, asked), before)
        await client.update(base)


async def kill_half_way(client: KnowledgeClient, store: Base, asked: range, before: Answers) -> None:
    """Kill the worker when half is embedded, and wait for the rest."""
    async with asyncio.timeout(PATIENCE_S):
        base = await only_base(client)
        total = base.passages
        await store.reaches(BUILT_IN_MODEL, total // 2)
        os.kill((await client.status()).pid, signal.SIGKILL)
        held = store.count(BUILT_IN_MODEL)
        await restarted(client)
        await settled(client, base)
        same = kept(await answers(client, base, asked), before)
        assert store.count(BUILT_IN_MODEL) >= held
        assert store.count(MINILM_MODEL) == total
        print(f"killed at {held}: goes on there, {same}", flush=True)
        started, worked_s = time.perf_counter(), await work_s(client)
        await becomes(client, BUILT_IN_MODEL)
        spent_s, worked_s = time.perf_counter() - started, await work_s(client) - worked_s
        print(
            f"the rest: {(total - held) / spent_s:.1f} passages/s, "
            f"{(total - held) / worked_s:.1f} in a second of processor time"
        )
        assert store.count(BUILT_IN_MODEL) == total
        base = await only_base(client)
        await settled(client, base)
        assert differences(await answers(client, base, asked), before)
        items = await client.items(base.id)
        assert all(item.state.has_ended and not item.error for item in items)
        assert sum(item.passages for item in items) == total


async def go_back(client: KnowledgeClient, asked: range, before: Answers) -> None:
    """Choose MiniLM once all is of E5, and E5 again."""
    async with asyncio.timeout(PATIENCE_S):
        base = await only_base(client)
        started = time.perf_counter()
        await client.update(replace(base, options=BaseOptions(model=MINILM_MODEL)))
        await becomes(client, MINILM_MODEL)
        switched_s = time.perf_counter() - started
        await settled(client, base)
        same = kept(await answers(client, base, asked), before)
        print(
            f"back to MiniLM when all was of E5: {switched_s:.1f} s, "
            f"{time.perf_counter() - started:.1f} s until it answered; {same}"
        )
        await client.update(replace(base, options=BaseOptions()))
        await becomes(client, BUILT_IN_MODEL)
        await settled(client, base)


def seconds(one: Opening) -> str:
    return (
        f"by keyword {one.keyword_s:.2f} s ({one.keyword_work_s:.2f} of the processor), "
        f"by meaning {one.meaning_s:.2f} s ({one.meaning_work_s:.2f})"
    )


async def measure(data: Path, passages: int, rounds: int) -> None:
    asked = range(0, passages, passages // QUESTIONS)
    old = await openings(data, BUILT_IN_MODEL, rounds)
    print(
        f"opened, base of MiniLM: {seconds(old)}",
        flush=True,
    )
    await embed_anew(data, asked)
    new = await openings(data, BUILT_IN_MODEL, rounds)
    print(f"opened, base of E5: {seconds(new)}")
    print(
        f"MiniLM by E5: by keyword {old.keyword_s / new.keyword_s:.2f}, by meaning {old.meaning_s / new.meaning_s:.2f}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--passages", type=int, default=10_000)
    parser.add_argument("--openings", type=int, default=3)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--files", type=Path, help="only write the files that the base is made of")
    arguments = parser.parse_args()
    if arguments.files:
        write_files(arguments.files, arguments.passages)
        return 0
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary) / "made"
        if not (folder / "data").exists():
            folder.mkdir(parents=True, exist_ok=True)
            write_files(folder / "files", arguments.passages)
            speed = asyncio.run(make(folder / "data", folder / "files"))
            print(f"made with MiniLM: {speed:.1f} passages/s", flush=True)
        data = Path(shutil.copytree(folder / "data", Path(temporary) / "data"))
        asyncio.run(measure(data, arguments.passages, arguments.openings))
    return 0


if __name__ == "__main__":
    sys.exit(main())
