"""The schema and its changes: nothing is lost, and nothing is touched that is not understood."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from desktop.domain.knowledge import BaseOptions, ItemKind, ItemState
from desktop.errors import DatabaseDamaged, DatabaseTooNew, IndexDamaged
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import MIGRATIONS, IndexDatabase, IndexMigration
from desktop.knowledge.index.items import ItemStore
from desktop.knowledge.index.keyword_search import best_by_keyword
from desktop.knowledge.index.passages import Passages
from desktop.knowledge.index.row_checksums import find_damaged_rows
from desktop.knowledge.index.vector_rows import VectorRows
from desktop.phrases import localize
from desktop.sqlite import BACKUPS

VECTOR = bytes(range(256)) * 6
FIRST_VERSION = (
    "INSERT INTO bases VALUES ('b', 'Papers 论文', 5.0)",
    """INSERT INTO documents (id, base_id, sha256, title, pages, text, is_embedded)
        VALUES (7, 'b', 'sha', 'Title', 3, 'One. Two.', 0)""",
    """INSERT INTO items (position, id, base_id, name, path, state, error, document_id) VALUES
        (4, 'i1', 'b', 'a.pdf', '/a.pdf', 'keyword_ready', '', 7),
        (9, 'i2', 'b', 'b.pdf', '/b.pdf', 'failed', 'No text.', NULL)""",
    """INSERT INTO passages (id, document_id, ordinal, page, section, start, "end", text, vector) VALUES
        (11, 7, 0, 1, 'S', 0, 4, 'One.', x'"""
    + VECTOR.hex()
    + """'),
        (12, 7, 1, 2, 'S', 5, 9, 'Two.', NULL)""",
    "INSERT INTO passages_fts (rowid, base, head, body) VALUES (11, 'b', '', 'one'), (12, 'b', '', 'two')",
)


@pytest.fixture
def old(tmp_path):
    """A database of the first version, with vectors in the passages."""
    path = tmp_path / "knowledge.db"
    with closing(sqlite3.connect(path)) as connection:
        for statement in (*MIGRATIONS[0].statements, *FIRST_VERSION):
            connection.execute(statement)
        connection.execute("PRAGMA user_version = 1")
        connection.commit()
    return path


def test_what_the_first_version_kept_is_all_there(old):
    with closing(IndexDatabase(old)) as database:
        bases, library, passages = Bases(database), ItemStore(database), Passages(database)
        (base,) = bases.all()
        assert (base.name, base.items, base.passages, base.model) == ("Papers 论文", 2, 2, "minilm")
        assert (base.options, base.is_paused, base.icon) == (BaseOptions(), False, "")
        read, failed = library.items("b")
        assert (read.id, read.kind, read.state, read.pages, read.passages) == (
            "i1",
            ItemKind.FILE,
            ItemState.KEYWORD_READY,
            3,
            2,
        )
        assert (failed.id, failed.error) == ("i2", "No text.")
        assert passages.text("sha") == "One. Two."
        assert VectorRows(database).of("minilm", [11, 12]) == [(11, VECTOR)]
        assert [pending.id for pending in passages.pending(9)] == [12]
        assert list(best_by_keyword(database.connection, {"two": 1}, ["b"], 9)) == [12]
        passages.put_vectors("minilm", [(12, VECTOR)])
        passages.finish_documents()
        assert library.item("i1").state is ItemState.READY
        (new,) = library.enqueue("b", [Path("/c.pdf")])
        assert library.items("b")[-1].id == new  # it comes after those that were there


def test_what_was_there_before_checksums_has_them_now(old):
    with closing(IndexDatabase(old)) as database:
        for table in ("bases", "documents", "texts", "items", "passages"):
            count = f"SELECT (SELECT count(*) FROM {table}), (SELECT count(*) FROM {table}_checksums)"
            rows, checksums = database.connection.execute(count).fetchone()
            assert rows == checksums > 0, table
        assert find_damaged_rows(database.connection) == {}


def test_a_change_keeps_the_checksum_true_and_does_not_hide_damage(old):
    with closing(IndexDatabase(old)) as database:
        db = database.connection
        db.execute("UPDATE items SET name = 'c.pdf'")
        assert find_damaged_rows(db) == {}
        db.execute("UPDATE passages_checksums SET checksum = row_checksum(X'00') WHERE key = 11")
        db.execute("UPDATE passages SET page = 7")
        assert find_damaged_rows(db) == {"passages": [11]}
        with pytest.raises(IndexDamaged, match="has changed since it was saved"):
            Passages(database).load([12, 11])
        assert [passage.id for passage in Passages(database).load([12])] == [12]


def test_what_is_deleted_takes_everything_of_it_along(old):
    with closing(IndexDatabase(old)) as database:
        bases = Bases(database)
        bases.delete("b")
        list(bases.forget("b"))
        tables = ("bases", "documents", "texts", "items", "passages", "vectors", "passages_fts")
        for table in (*tables, *(f"{table}_checksums" for table in tables[:5])):
            assert database.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0] == 0, table


def test_a_copy_is_made_before_anything_changes(old):
    IndexDatabase(old).close()
    (copy,) = (old.parent / BACKUPS).iterdir()
    assert MIGRATIONS[1].name in copy.name
    with closing(sqlite3.connect(copy)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (1,)
        assert connection.execute("SELECT vector FROM passages WHERE id = 11").fetchone() == (VECTOR,)
    IndexDatabase(old).close()
    assert len(list((old.parent / BACKUPS).iterdir())) == 1


def test_a_change_that_fails_leaves_the_database_as_it_was(old):
    broken = (
        *MIGRATIONS,
        IndexMigration("99-broken", ("CREATE TABLE more (id)", "INSERT INTO nowhere VALUES (1)")),
    )
    with pytest.raises(sqlite3.OperationalError):
        IndexDatabase(old, broken)
    with closing(IndexDatabase(old)) as database:
        names = {row["name"] for row in database.connection.execute("SELECT name FROM sqlite_schema")}
        assert "more" not in names
        assert len(ItemStore(database).items("b")) == 2


def test_a_change_that_tears_rows_apart_is_refused(old):
    tearing = (*MIGRATIONS, IndexMigration("99-tearing", ("DELETE FROM documents",)))
    with pytest.raises(DatabaseDamaged):
        IndexDatabase(old, tearing)
    with closing(IndexDatabase(old)) as database:
        assert Passages(database).text("sha") == "One. Two."


def test_a_newer_database_is_left_untouched(tmp_path):
    path = tmp_path / "knowledge.db"
    IndexDatabase(path).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA journal_mode = DELETE")
        connection.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    with pytest.raises(DatabaseTooNew):
        IndexDatabase(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["knowledge.db"]


def test_reasons_of_an_earlier_version_are_recognised_once(old):
    reason = "“a.pdf” can’t be read. It is an image, and text recognition is off."
    with closing(sqlite3.connect(old)) as connection:
        connection.execute("UPDATE items SET error = ? WHERE error <> ''", (reason,))
        connection.commit()
    with closing(IndexDatabase(old)) as database:
        (error,) = [item.error for item in ItemStore(database).items("b") if item.error]
    assert error == reason
    assert localize(error, "zh_CN") == "无法读取“a.pdf”。它是图片，而文字识别已关闭。"
