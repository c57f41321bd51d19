"""A damaged database of knowledge bases: set aside, replaced by its newest sound copy, and said."""

import asyncio
import os
import shutil
import sqlite3
from contextlib import aclosing, asynccontextmanager, closing

import pytest

from desktop.__main__ import main
from desktop.domain.backups import CopyKind
from desktop.domain.knowledge import ItemState
from desktop.errors import (
    DatabaseDamaged,
    DatabaseRestored,
    DatabaseTextsDamaged,
    IndexDamaged,
    IndexUnavailable,
    MissingDatabaseRestored,
    StorageUnavailable,
    WordsDamaged,
)
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import MIGRATIONS, IndexDatabase
from desktop.knowledge.index.items import ItemStore
from desktop.services.container import running_services
from desktop.services.knowledge_backups import KnowledgeBackups, check_bases
from desktop.settings.folders import AppFolders
from tests.cases import cases
from tests.unit.services.knowledge.filled_bases import PASSAGES, database_of, fill, names, passages

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend():
    return "asyncio"


def backups_of(folder):
    return KnowledgeBackups(folder, lambda: None)


async def done(steps):
    async with aclosing(steps):
        return [step async for step in steps]


@asynccontextmanager
async def services_in(folder, told):
    folders = AppFolders(folder, folder / "cache", folder / "logs")
    async with running_services(folders, tell=told.append) as services:
        yield services


def overwrite(path, begin, content):
    with path.open("r+b") as file:
        file.seek(begin)
        file.write(content)


def run_sql(path, *statements):
    """Change a database as damage does: checksums of rows stay as they are."""
    with closing(sqlite3.connect(path)) as connection:
        connection.create_function("row_checksum", -1, lambda *_values: None, deterministic=True)
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def replace_by_another(path):
    path.unlink()
    run_sql(path, "CREATE TABLE urls (id INTEGER PRIMARY KEY, url TEXT)", "PRAGMA user_version = 77")


FLIPPED = "UPDATE {table} SET {column} = replace({column}, 'a', 'c')"
"""As one flipped bit does to each `a`."""
TEXTS = {
    "passages": "text",
    "texts": "text",
    "documents": "title",
    "items": "name",
    "bases": "name",
}


def flip(path, table):
    run_sql(path, FLIPPED.format(table=table, column=TEXTS[table]))


HARM = {
    "pages": lambda path: overwrite(path, 4096 * 3, b"?" * 40_000),
    "header": lambda path: overwrite(path, 0, b"X"),
    "read-only header": lambda path: overwrite(path, 18, b"\x07"),
    "version": lambda path: run_sql(path, "PRAGMA user_version = 3"),
    "high version": lambda path: run_sql(path, "PRAGMA user_version = 65541"),
    "cut": lambda path: os.truncate(path, path.stat().st_size // 2),
    "empty": lambda path: os.truncate(path, 0),
    "gone": lambda path: path.unlink(),
    "folder gone": lambda path: shutil.rmtree(path.parent),
    "another database": replace_by_another,
    "no database": lambda path: path.write_text("a text that somebody put here\n" * 200),
    "full-text index": lambda path: run_sql(path, "DELETE FROM passages_fts_data WHERE id > 10"),
    "text that is none": lambda path: run_sql(path, "UPDATE passages SET text = CAST(X'C3' AS TEXT)"),
    "another text": lambda path: flip(path, "passages"),
}


@cases("harm", HARM)
async def test_the_newest_sound_copy_takes_the_place_of_a_damaged_database(tmp_path, harm):
    fill(tmp_path, "Lighthouses")
    backups = backups_of(tmp_path)
    await done(backups.take())
    assert await backups.recover() is None
    path = database_of(tmp_path)
    HARM[harm](path)
    told = await backups.recover()
    assert isinstance(told, DatabaseRestored)
    assert "It was restored as of" in str(told)
    assert isinstance(told, MissingDatabaseRestored) is ("gone" in harm)
    assert path.with_name(told.fields["kept_as"]).exists() is ("gone" not in harm)
    assert names(tmp_path) == ["Lighthouses"]
    assert passages(tmp_path) == PASSAGES
    assert await backups.recover() is None


@cases("harm", sorted(set(HARM) - {"empty", "gone", "folder gone", "another text"}))
async def test_without_a_copy_the_damaged_file_is_kept_and_it_is_said(tmp_path, harm):
    fill(tmp_path, "Lighthouses")
    path = database_of(tmp_path)
    HARM[harm](path)
    damaged = path.read_bytes()
    told = await backups_of(tmp_path).recover()
    assert "a new one was created" in str(told)
    assert path.with_name(told.fields["kept_as"]).read_bytes() == damaged
    assert names(tmp_path) == []


@cases("table", TEXTS)
async def test_a_text_that_another_took_the_place_of_is_noticed(tmp_path, table):
    fill(tmp_path, "A place at sea")
    flip(database_of(tmp_path), table)
    with pytest.raises(DatabaseTextsDamaged, match="has changed since it was saved"):
        check_bases(database_of(tmp_path))


async def test_a_checksum_that_was_hit_itself_accuses_no_row(tmp_path):
    fill(tmp_path, "Lighthouses")
    run_sql(database_of(tmp_path), "UPDATE passages_checksums SET checksum = X'00' || substr(checksum, 2)")
    check_bases(database_of(tmp_path))
    assert names(tmp_path) == ["Lighthouses"]


@cases("table", ["passages", "texts", "documents"])
async def test_without_a_copy_the_file_of_a_damaged_text_is_read_again(tmp_path, table):
    fill(tmp_path, "A place at sea")
    path = database_of(tmp_path)
    flip(path, table)
    told = await backups_of(tmp_path).recover()
    assert isinstance(told, WordsDamaged)
    assert "read again: “lamps.txt”" in str(told)
    assert names(tmp_path) == ["A place at sea"]
    with closing(IndexDatabase(path)) as database:
        (item,) = ItemStore(database).items(Bases(database).all()[0].id)
        assert item.state is ItemState.WAITING
    assert all(text in PASSAGES for text in passages(tmp_path))
    assert await backups_of(tmp_path).recover() is None


async def test_a_damaged_name_without_a_copy_is_said_and_the_rest_stays(tmp_path):
    fill(tmp_path, "A place at sea")
    flip(database_of(tmp_path), "bases")
    assert "Check the names" in str(await backups_of(tmp_path).recover())
    assert (names(tmp_path), passages(tmp_path)) == (["A plcce ct sec"], PASSAGES)
    assert await backups_of(tmp_path).recover() is None


async def test_a_damaged_text_is_not_quoted_and_comes_back_with_the_next_question(tmp_path):
    fill(tmp_path, "Lighthouses")
    await done(backups_of(tmp_path).take())
    told = []
    async with services_in(tmp_path, told) as services:
        (base,) = await services.knowledge.bases()
        flip(database_of(tmp_path), "passages")
        with pytest.raises(IndexDamaged, match=r"knowledge\.db is damaged"):
            await services.knowledge.retrieve(["lamp"], [base.id], 3)
        retrieval = await services.knowledge.retrieve(["lamp"], [base.id], 3)
        assert len(retrieval.passages) == 3
        assert [type(notice) for notice in told] == [DatabaseRestored]


async def test_an_older_copy_takes_the_place_of_one_that_is_damaged_as_well(tmp_path):
    fill(tmp_path, "Lighthouses")
    backups = backups_of(tmp_path)
    await done(backups.take())
    before = set((tmp_path / "backups" / "knowledge" / "pieces").iterdir())
    [older] = (tmp_path / "backups" / "knowledge" / "copies").glob("*.json")
    older.rename(older.with_name("20200101T000000Z.json"))  # one of the same hour would not be kept
    fill(tmp_path, "Windmills")
    await done(backups.take())
    for piece in set((tmp_path / "backups" / "knowledge" / "pieces").iterdir()) - before:
        piece.write_bytes(b"damaged")
    HARM["pages"](database_of(tmp_path))
    assert isinstance(await backups.recover(), DatabaseRestored)
    assert names(tmp_path) == ["Lighthouses"]


async def test_a_folder_without_bases_and_copies_is_left_alone(tmp_path):
    assert await backups_of(tmp_path).recover() is None
    assert not (tmp_path / "knowledge").exists()


async def test_a_database_of_a_newer_program_is_left_untouched(tmp_path):
    fill(tmp_path, "Lighthouses")
    await done(backups_of(tmp_path).take())
    path = database_of(tmp_path)
    run_sql(
        path, f"PRAGMA user_version = {len(MIGRATIONS) + 1}", "ALTER TABLE items ADD COLUMN later INTEGER"
    )
    content = path.read_bytes()
    assert await backups_of(tmp_path).recover() is None
    assert path.read_bytes() == content


def test_every_migration_changes_the_tables(tmp_path):
    """The number of a version is told from a damaged one by what the tables are."""
    path = tmp_path / "knowledge.db"
    for version in range(1, len(MIGRATIONS) + 1):
        IndexDatabase(path, MIGRATIONS[:version]).close()
        check_bases(path)
        for other in range(1, len(MIGRATIONS) + 1):
            if other != version:
                run_sql(path, f"PRAGMA user_version = {other}")
                with pytest.raises(DatabaseDamaged):
                    check_bases(path)
        run_sql(path, f"PRAGMA user_version = {version}")


@cases("harm", ["pages", "another database", "no database"])
async def test_what_is_no_sound_database_becomes_no_copy(tmp_path, harm):
    fill(tmp_path, "Lighthouses")
    HARM[harm](database_of(tmp_path))
    backups = backups_of(tmp_path)
    with pytest.raises(DatabaseDamaged):
        await done(backups.take())
    assert await backups.copies() == ()


@cases("harm", HARM)
async def test_a_copy_is_gone_back_to_while_the_database_is_damaged(tmp_path, harm):
    fill(tmp_path, "Lighthouses")
    async with services_in(tmp_path, []) as services:
        backups = services.keeping.backups
        await done(backups.back_up())
        HARM[harm](database_of(tmp_path))
        [copy] = [each for each in await backups.copies() if each.kind is CopyKind.KNOWLEDGE]
        restored = await backups.replace_all(copy)
        assert restored.before is None
        assert "can’t be undone" in restored.notes[0]
        kept = [path for path in (tmp_path / "knowledge").glob("*.damaged-*") if path.name[-4] != "-"]
        assert len(kept) == ("gone" not in harm)
        assert len(await backups.copies()) == 2
    assert passages(tmp_path) == PASSAGES


@cases("harm", ["pages", "folder gone"])
async def test_the_bases_come_back_when_they_are_asked_and_it_is_told(tmp_path, harm):
    fill(tmp_path, "Lighthouses")
    await done(backups_of(tmp_path).take())
    HARM[harm](database_of(tmp_path))
    told = []
    async with services_in(tmp_path, told) as services:
        assert [base.name for base in await services.knowledge.bases()] == ["Lighthouses"]
        assert [type(notice) for notice in told if not isinstance(notice, MissingDatabaseRestored)] == [
            DatabaseRestored
        ] * (harm == "pages")
        assert len(told) == 1
        # Damage that comes while the worker lives is told as what it is; the next question finds the bases again.
        with closing(sqlite3.connect(database_of(tmp_path))) as connection:
            connection.execute("DROP TABLE passages_terms")
            connection.execute("DROP TABLE passages_fts")
        (base,) = await services.knowledge.bases()
        with pytest.raises(IndexDamaged, match=r"knowledge\.db is damaged"):
            await services.knowledge.retrieve(["lamp"], [base.id], 3)
        (base,) = await services.knowledge.bases()
        assert len((await services.knowledge.retrieve(["lamp"], [base.id], 3)).passages) == 3
        assert len(told) == 2


async def test_a_window_is_told_by_the_troubles_of_the_conversations(tmp_path):
    fill(tmp_path, "Lighthouses")
    await done(backups_of(tmp_path).take())
    HARM["empty"](database_of(tmp_path))
    async with running_services(AppFolders(tmp_path, tmp_path / "cache", tmp_path / "logs")) as services:
        await services.knowledge.bases()
        async with asyncio.timeout(60), aclosing(services.store.troubles()) as troubles:
            assert isinstance(await anext(troubles), DatabaseRestored)


async def test_a_disk_that_refuses_keeps_everything_as_it_is(tmp_path, monkeypatch):
    fill(tmp_path, "Lighthouses")
    await done(backups_of(tmp_path).take())
    HARM["pages"](database_of(tmp_path))
    content = database_of(tmp_path).read_bytes()

    def refuse(_self, _now):
        raise StorageUnavailable(path=tmp_path, detail="Input/output error")

    monkeypatch.setattr("desktop.storage.local_copies.LocalBackups.set_aside", refuse)
    async with services_in(tmp_path, []) as services:
        with pytest.raises(IndexUnavailable, match="Input/output error"):
            await services.knowledge.bases()
    assert database_of(tmp_path).read_bytes() == content


def test_the_command_line_says_on_stderr_what_was_restored(tmp_path, capsys):
    fill(tmp_path, "Lighthouses")
    asyncio.run(done_taking(tmp_path))
    HARM["empty"](database_of(tmp_path))
    assert main(["kb", "list", "--data-dir", str(tmp_path)]) == 0
    printed = capsys.readouterr()
    assert "Lighthouses" in printed.out
    assert "It was restored as of" in printed.err


async def done_taking(folder):
    await done(backups_of(folder).take())


def test_bases_are_unharmed_by_being_checked(tmp_path):
    fill(tmp_path, "Lighthouses")
    content = database_of(tmp_path).read_bytes()
    check_bases(database_of(tmp_path), is_thorough=True)
    assert database_of(tmp_path).read_bytes() == content
    database = IndexDatabase(database_of(tmp_path))
    with closing(database):
        assert [base.name for base in Bases(database).all()] == ["Lighthouses"]
