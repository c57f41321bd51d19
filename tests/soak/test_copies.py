"""Migrations, copies and exports: killed, raced and repeated, they keep every word."""

import asyncio
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from desktop.domain.messages import Message, MessageStatus, Speaker
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.storage.conversation_store import FILE_NAME, ConversationStore
from desktop.storage.db.database import Database
from desktop.storage.db.migrations import MIGRATIONS
from desktop.storage.local_copies import LocalBackups
from tests.unit.services.data.test_transfers import export, import_file, rooms_in
from tests.unit.storage.db.test_disk_faults import run as run_with_fault
from tests.unit.storage.samples import question

pytestmark = pytest.mark.anyio

MIGRATE_UNTIL = """
import asyncio, os, signal, sqlite3, sys
from pathlib import Path
from desktop.storage.db import database

left = int(sys.argv[2])
connect = sqlite3.connect

def counted(*args, **options):
    connection = connect(*args, **options)
    if args[0] == Path(sys.argv[1]):
        connection.set_trace_callback(kill_in_time)
    return connection

def kill_in_time(statement):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)

database.sqlite3.connect = counted
asyncio.run(database.Database(Path(sys.argv[1])).open())
print("migrated", flush=True)
os._exit(0)
"""
RACE = """
import sys
from pathlib import Path
from desktop.app.process import AlreadyOpen, take_lock

for line in sys.stdin:
    try:
        lock = take_lock(Path(line.strip()))
    except AlreadyOpen:
        lock = None
    print("won" if lock else "refused", flush=True)
    sys.stdin.readline()
    if lock:
        lock.close()
    print("over", flush=True)
"""


async def make_database(path, known):
    """Make a database as the program of some earlier day would have left it, with a row in it."""
    database = Database(path, known)
    await database.write(
        lambda connection: (
            connection.execute(
                "INSERT INTO conversations (id, title, created_at, updated_at) VALUES ('c', 'kept', 1, 1)"
            ).rowcount
        )
    )
    await database.close()


def names_in(path):
    """Return which migrations a database has, read as any program would read it."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("SELECT title FROM conversations").fetchall() == [("kept",)]
        return tuple(name for (name,) in connection.execute("SELECT name FROM migrations ORDER BY name"))


async def test_a_kill_at_any_statement_of_a_migration_leaves_the_old_schema_or_the_new(tmp_path, times, told):
    """Every released schema is brought up to date, killed before the first statement, the second, and so on."""
    all_names = tuple(migration.name for migration in MIGRATIONS)
    step = times(40, 1)
    counts = {"old": 0, "new": 0}
    for known in range(1, len(MIGRATIONS), times(5, 1)):
        origin = tmp_path / f"from-{known}" / FILE_NAME
        await make_database(origin, MIGRATIONS[:known])
        for statements in range(0, 10_000, step):
            path = tmp_path / "killed" / FILE_NAME
            path.parent.mkdir()
            shutil.copy(origin, path)
            ran = await asyncio.to_thread(
                subprocess.run,
                [sys.executable, "-c", MIGRATE_UNTIL, str(path), str(statements)],
                capture_output=True,
                text=True,
                check=False,
            )
            assert ran.returncode in {0, -signal.SIGKILL}, ran.stderr
            names = names_in(path)
            assert names in {all_names[:known], all_names}
            database = Database(path)
            await database.open()
            await database.close()
            assert names_in(path) == all_names
            shutil.rmtree(path.parent)
            if ran.returncode == 0:
                break
            counts["new" if names == all_names else "old"] += 1
    told(
        f"kill -9 at every statement of a migration, from each of {len(MIGRATIONS) - 1} schemas",
        sum(counts.values()),
        f"{counts['old']} had the old schema, {counts['new']} the new, none a part of it; all opened afterwards",
    )


def test_of_two_programs_that_start_at_once_one_has_the_folder(tmp_path, times, told):
    count = times(10, 200)
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", RACE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(2)
    ]
    first = 0
    for number in range(count):
        folder = tmp_path / str(number % 7)
        for racer in racers if number % 2 else reversed(racers):
            racer.stdin.write(f"{folder}\n")
            racer.stdin.flush()
        outcomes = [racer.stdout.readline().strip() for racer in racers]
        assert sorted(outcomes) == ["refused", "won"]
        first += outcomes[0] == "won"
        for racer in racers:
            racer.stdin.write("\n")
            racer.stdin.flush()
            assert racer.stdout.readline() == "over\n"
    for racer in racers:
        racer.stdin.close()
        racer.wait(30)
        racer.stdout.close()
    told("Two programs that start on one data folder", count, "one had it each time, the other was refused")


async def test_calls_to_the_disk_that_fail_are_said_and_overcome(tmp_path, times, told):
    if shutil.which("strace") is None:
        pytest.skip("strace makes the faults")
    places = range(1, times(3, 201), times(2, 1))
    faults = [f"fdatasync:error=EIO:when={when}" for when in places]
    faults += [f"pwrite64:error=EIO:when={when}" for when in places]
    gate, noticed = asyncio.Semaphore(2), 0
    for start in range(0, len(faults), 20):
        some = faults[start : start + 20]
        found = await asyncio.gather(
            *(run_with_fault(fault, tmp_path / str(start + at), gate) for at, fault in enumerate(some))
        )
        noticed += sum(found)
        for folder in tmp_path.iterdir():
            shutil.rmtree(folder, ignore_errors=True)
    told(
        "The n-th fdatasync or write fails with EIO, n from 1 to 200",
        len(faults),
        f"0 messages lost, {noticed} met and said, each time it went on afterwards",
    )


SIGNS = (
    "😀",
    "שלום",
    "\u202e",
    "\0",
    "\ud800",
    "ä\u0308",
    "汉字 ",
    "<b>&amp;</b> ",
    "[1] ",
    "```\n",
    "a" * 40,
)


def conversation(chance, number, *, size=12):
    """Return the messages of a made-up conversation, of which some are long."""
    return [
        Message(
            f"m{number}-{place}",
            "",
            (Speaker.USER, Speaker.MODEL)[place % 2],
            "".join(chance.choices(SIGNS, k=chance.randrange(1, size))),
            datetime(2026, 1, 1, tzinfo=UTC) + timedelta(minutes=number * 10 + place),
            MessageStatus.COMPLETE,
            "quotes",
        )
        for place in range(chance.randrange(1, 6))
    ]


async def test_what_is_exported_and_imported_is_exported_again_to_the_byte(tmp_path, times, told):
    count, chance = times(20, 1_000), random.Random(10)
    giant = times(100_000, 10_000_000)
    async with rooms_in(tmp_path / "one") as rooms:
        store = rooms.store
        for number in range(count):
            info = await store.create()
            await store.rename(info.id, "".join(chance.choices(SIGNS, k=3)))
            for message in conversation(chance, number):
                await store.add_message(Message(**(vars(message) | {"conversation_id": info.id})))
            ledger = Ledger()
            ledger.register([Passage(SourceKind.WEB, "t", "words", f"https://example.org/{number}")])
            await store.save_sources(info.id, ledger.sources)
        await store.add_message(question(info.id, 1, "長" * giant))
        first = await export(rooms, tmp_path / "first.footnote-profile")
    async with rooms_in(tmp_path / "two") as rooms:
        result = await import_file(rooms, tmp_path / "first.footnote-profile")
        assert (len(result.conversations), result.problems) == (count, ())
        second = await export(rooms, tmp_path / "second.footnote-profile")
    assert first == second
    told(
        f"Conversations exported, imported elsewhere and exported again, one with {giant:,} characters",
        count,
        "the same to the byte",
    )


async def test_each_of_the_last_copies_opens_in_a_clean_profile(tmp_path, times, told):
    rounds, opened = times(1, 20), 0
    for number in range(rounds):
        folder = tmp_path / f"profile-{number}"
        backups, wanted = LocalBackups(folder / FILE_NAME), {}
        for hour in range(5):
            store = ConversationStore(folder)
            info = await store.create()
            await store.add_message(question(info.id, hour, f"in hour {hour} " * 50))
            there = len(await store.recent())
            await store.close()
            copy = backups.take(datetime(2026, 3, 1, hour, tzinfo=UTC))
            wanted[copy.path] = there
        assert len(wanted) == 5
        for path, there in wanted.items():
            clean = tmp_path / "clean"
            clean.mkdir()
            shutil.copy(path, clean / FILE_NAME)
            with closing(sqlite3.connect(clean / FILE_NAME)) as connection:
                assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            store = ConversationStore(clean)
            assert len(await store.recent()) == there
            assert store.restored is None
            await store.close()
            shutil.rmtree(clean)
            opened += 1
    told("One of the last five copies opened in a clean profile", opened, "sound, with all it had, each time")


async def test_under_wrong_clocks_copies_go_on_and_the_last_one_is_the_newest(tmp_path, times, told):
    count = times(30, 1_000)
    chance, backups = random.Random(30), LocalBackups(tmp_path / FILE_NAME)
    right, wrong = datetime(2026, 3, 1, tzinfo=UTC), 0
    store = ConversationStore(tmp_path)
    info = await store.create()
    for number in range(count):
        right += timedelta(hours=1)
        clock = right
        if chance.random() < 0.2:
            year, month = chance.choice((1970, 2020, 2099)), chance.randint(1, 12)
            clock = datetime(year, month, 1, tzinfo=UTC) + timedelta(hours=number)
            wrong += 1
        await store.add_message(question(info.id, number))
        assert backups.is_due(clock)
        copy = await asyncio.to_thread(backups.take, clock)
        assert backups.copies()[0] == copy
        assert not backups.is_due(clock)
        with closing(sqlite3.connect(copy.path)) as connection:
            assert connection.execute("SELECT count(*) FROM messages").fetchone() == (number + 1,)
    await store.close()
    told(
        "Copies of which a fifth is taken under a wrong clock",
        count,
        f"{wrong} wrong; each was due, and the newest",
    )
