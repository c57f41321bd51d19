"""Compares the backups in pieces with Borg and restic, which keep such archives: python -m benchmarks.backup_archives

The same database is backed up once a day for some days, a little changed in between. Written are the size of the archive,
the time of the processor for the first and for a later backup, and what becomes of the newest one if a byte of the archive
is damaged. `borg` and `restic` have to be installed.
"""

import argparse
import asyncio
import os
import random
import resource
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from desktop.errors import BackupFailed
from desktop.storage.backup_archive import Archive
from desktop.storage.backup_targets import FolderTarget

NAME = "conversations.db"
START = datetime(2026, 3, 1, 12, tzinfo=UTC)
WORDS = (
    "tide",
    "moon",
    "harbour",
    "source",
    "answer",
    "question",
    "paper",
    "river",
    "measure",
    "because",
    "潮汐",
    "来源",
    "回答",
)


@dataclass
class Figures:
    sizes: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    outcomes: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Tool:
    name: str
    put: Callable[[Path, Path, int], object]
    get: Callable[[Path, Path, int], object]


def sentence(dice: random.Random) -> str:
    return " ".join(dice.choice(WORDS) + str(dice.randrange(1_000)) for _ in range(120))


def grow(path: Path, count: int, dice: random.Random) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, text TEXT)")
        database.executemany(
            "INSERT INTO messages (text) VALUES (?)", ((sentence(dice),) for _ in range(count))
        )
        (most,) = database.execute("SELECT max(id) FROM messages").fetchone()
        for _ in range(count // 20):
            database.execute(
                "UPDATE messages SET text = ? WHERE id = ?", (sentence(dice), dice.randint(1, most))
            )


def run(*command: str | Path, folder: Path | None = None) -> None:
    env = {**os.environ, "RESTIC_PASSWORD": "x", "BORG_UNKNOWN_UNENCRYPTED_REPO_ACCESS_IS_OK": "yes"}
    subprocess.run(command, cwd=folder, env=env, check=True, capture_output=True)


def footnote_put(archive: Path, database: Path, day: int) -> None:
    async def put() -> None:
        files = {NAME: database}
        async for _ in Archive(FolderTarget("here", archive), "here").put(files, START + timedelta(days=day)):
            pass

    archive.mkdir(exist_ok=True)
    asyncio.run(put())


def footnote_get(archive: Path, folder: Path, _day: int) -> None:
    async def get() -> None:
        kept = Archive(FolderTarget("here", archive), "here")
        newest = (await kept.copies())[0]
        async for _ in kept.fetch(newest.name, folder):
            pass

    asyncio.run(get())


def borg_put(archive: Path, database: Path, day: int) -> None:
    if not archive.exists():
        run("borg", "init", "--encryption=none", archive)
    run("borg", "create", "--compression=zlib", f"{archive}::{day}", database.name, folder=database.parent)


def borg_get(archive: Path, folder: Path, day: int) -> None:
    run("borg", "extract", f"{archive}::{day}", folder=folder)


def restic_put(archive: Path, database: Path, _day: int) -> None:
    if not archive.exists():
        run("restic", "init", "--repo", archive)
    run("restic", "--repo", archive, "backup", database.name, folder=database.parent)


def restic_get(archive: Path, folder: Path, _day: int) -> None:
    run("restic", "--repo", archive, "restore", "latest", "--target", folder)


TOOLS = (
    Tool("Footnote", footnote_put, footnote_get),
    Tool("Borg", borg_put, borg_get),
    Tool("restic", restic_put, restic_get),
)


def spent() -> float:
    usages = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def files_of(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file() and path.stat().st_size)


def flips(archive: Path, count: int) -> Iterator[Path]:
    """Flip one byte after another, each in a file chosen by size; a flip is taken back before the next."""
    dice = random.Random(7)
    files = files_of(archive)
    sizes = [path.stat().st_size for path in files]
    for path in dice.choices(files, sizes, k=count):
        whole = path.read_bytes()
        place = dice.randrange(len(whole))
        path.chmod(0o600)
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1 << dice.randrange(8)]) + whole[place + 1 :])
        yield path
        path.write_bytes(whole)


def outcome(tool: Tool, archive: Path, day: int, whole: bytes, folder: Path) -> str:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    try:
        tool.get(archive, folder, day)
    except (subprocess.CalledProcessError, BackupFailed):
        return "refused"
    (found,) = folder.rglob(NAME)
    return "unharmed" if found.read_bytes() == whole else "wrong without a word"


def measure(tool: Tool, folder: Path, days: int, messages: int, damages: int) -> Figures:
    figures, dice = Figures(), random.Random(1)
    database, archive = folder / "data" / NAME, folder / "archive"
    database.parent.mkdir(parents=True)
    for day in range(days):
        grow(database, messages if day == 0 else messages // 100, dice)
        before = spent()
        tool.put(archive, database, day)
        figures.times.append(spent() - before)
        figures.sizes.append(sum(path.stat().st_size for path in files_of(archive)))
    whole = database.read_bytes()
    assert outcome(tool, archive, days - 1, whole, folder / "restored") == "unharmed"
    for _ in flips(archive, damages):
        word = outcome(tool, archive, days - 1, whole, folder / "restored")
        figures.outcomes[word] = figures.outcomes.get(word, 0) + 1
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--messages", type=int, default=20_000)
    parser.add_argument("--days", type=int, default=5)
    parser.add_argument("--damages", type=int, default=40)
    options = parser.parse_args()
    for tool in TOOLS:
        if tool.name != "Footnote" and shutil.which(tool.name.lower()) is None:
            print(f"{tool.name}: not installed")
            continue
        with tempfile.TemporaryDirectory() as folder:
            figures = measure(tool, Path(folder), options.days, options.messages, options.damages)
        first, *later = (f"{time:.2f}" for time in figures.times)
        sizes = " ".join(f"{size / 2**20:.1f}" for size in figures.sizes)
        print(
            f"{tool.name}: {first} s, then {' '.join(later)} s; MiB {sizes}; {figures.outcomes}", flush=True
        )


if __name__ == "__main__":
    main()
