"""The truth in SQLite: whole files or nothing, and right again after a sudden end."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.domain.knowledge import ItemState
from desktop.errors import BaseExists, UnknownBase
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.items import ItemStore, recover
from desktop.knowledge.index.keyword_search import best_by_keyword, holders_of, query_terms
from desktop.knowledge.index.passages import Passages
from desktop.knowledge.loaders.document import DocumentPart, document_of
from desktop.knowledge.reader.protocol import reading_of

VECTOR = bytes(4 * 384)


def reading(*texts, title=""):
    return reading_of(document_of(title, [DocumentPart(text) for text in texts]), "name")


@pytest.fixture
def database(tmp_path):
    database = IndexDatabase(tmp_path / "knowledge.db")
    yield database
    database.close()


@pytest.fixture
def bases(database):
    return Bases(database)


@pytest.fixture
def library(database):
    return ItemStore(database)


@pytest.fixture
def passages(database):
    return Passages(database)


def put(library, base, name, *texts):
    (item,) = library.enqueue(base.id, [Path("/") / name])
    library.set_reading(item)
    library.put(item, f"sha of {texts}", reading(*texts))
    return item


def find(database, base, query):
    holders = holders_of(database.connection, query_terms(query))
    ids = list(best_by_keyword(database.connection, holders, [base.id], 10))
    return [passage.text for passage in Passages(database).load(ids)]


def test_a_file_that_cannot_be_taken_in_whole_is_not_taken_in_at_all(database, library, bases, monkeypatch):
    base = bases.create("b")
    (item,) = library.enqueue(base.id, [Path("/a.txt")])
    whole = reading("First passage.", "Second passage.")

    def fail(*arguments):
        original(*arguments)
        raise sqlite3.OperationalError("disk full")

    original = library._put_passages
    monkeypatch.setattr(library, "_put_passages", fail)
    with pytest.raises(sqlite3.OperationalError):
        library.put(item, "sha", whole)
    assert find(database, base, "passage") == []
    assert bases.all()[0].passages == 0
    assert library.item(item).state is ItemState.WAITING


def test_only_a_file_that_is_killed_over_twice_is_blamed(library, bases, database):
    base = bases.create("b")
    culprit, beside, later = library.enqueue(base.id, [Path("/1"), Path("/2"), Path("/3")])
    for item in (culprit, beside):
        library.set_reading(item)
    assert recover(database, "killed", 1) == {culprit, beside}
    assert {item.state for item in library.items(base.id)} == {ItemState.WAITING}
    library.set_reading(culprit)
    assert recover(database, "killed", 2) == {
        culprit,
        beside,
    }  # the program was ended, the file is not to blame
    assert library.item(culprit).state is ItemState.WAITING
    library.set_reading(culprit)
    assert recover(database, "killed", 2) == {beside}
    assert (library.item(culprit).state, library.item(culprit).error) == (ItemState.FAILED, "killed")
    library.set_reading(beside)
    library.fail(beside, "damaged")  # it was outlived, so another kill is the first one again
    library.read_again([beside])
    library.set_reading(beside)
    assert recover(database, "killed", 2) == {beside}
    assert library.item(beside).state is library.item(later).state is ItemState.WAITING


def test_a_file_that_cannot_be_read_any_more_keeps_its_text(library, bases):
    base = bases.create("b")
    item = put(library, base, "1", "a")
    library.enqueue(base.id, [Path("/1")])
    assert library.fail(item, "locked", keeps_text=True) == []
    kept = library.item(item)
    assert (kept.state, kept.error, kept.passages) == (ItemState.KEYWORD_READY, "locked", 1)
    assert library.fail(item, "empty")
    assert library.item(item).state is ItemState.FAILED


def test_files_are_ready_when_all_their_passages_have_vectors(library, bases, passages):
    base = bases.create("b")
    one, two = put(library, base, "1", "a", "b"), put(library, base, "2", "c")
    pending = passages.pending(10)
    assert [passage.text for passage in pending] == ["c", "a", "b"]
    passages.put_vectors("multilingual-e5-small", [(passage.id, VECTOR) for passage in pending[:2]])
    passages.finish_documents()
    assert library.item(one).state is ItemState.KEYWORD_READY
    assert library.item(two).state is ItemState.READY
    assert passages.embedding_states([base.id]) == {True, False}


def test_a_short_document_gets_its_vectors_before_a_long_one_that_came_first(library, bases, passages):
    base = bases.create("b")
    put(library, base, "1", *(f"giant {number}" for number in range(50)))
    put(library, base, "2", "short")
    assert [passage.text for passage in passages.pending(3)] == ["short", "giant 0", "giant 1"]


def test_a_file_taken_off_the_list_again_stays_as_searchable_as_it_was(library, bases, passages):
    base = bases.create("b")
    item = put(library, base, "1", "a")
    library.enqueue(base.id, [Path("/1")])
    assert library.take_back([item]) == {item}
    assert library.item(item).state is ItemState.KEYWORD_READY
    passages.put_vectors("multilingual-e5-small", [(passage.id, VECTOR) for passage in passages.pending(10)])
    passages.finish_documents()
    library.enqueue(base.id, [Path("/1")])
    assert library.take_back([item]) == {item}
    assert library.item(item).state is ItemState.READY
    (fresh,) = library.enqueue(base.id, [Path("/2")])
    assert library.take_back([fresh]) == set()


def test_a_file_whose_reading_was_interrupted_waits_again(library, bases):
    base = bases.create("b")
    (item,) = library.enqueue(base.id, [Path("/1")])
    library.set_reading(item)
    library.put_back(item)
    assert library.next_waiting().id == item


def test_vectors_of_deleted_passages_go_nowhere(library, bases, passages):
    base = bases.create("b")
    item = put(library, base, "1", "a")
    (pending,) = passages.pending(10)
    assert library.remove_items([item]) == {base.id: [pending.id]}
    assert passages.put_vectors("multilingual-e5-small", [(pending.id, VECTOR)]) == []


def test_deleting_a_base_leaves_no_trace(database, library, bases):
    base, other = bases.create("b"), bases.create("c")
    put(library, base, "1", "heron")
    put(library, other, "1", "heron")
    bases.delete(base.id)
    assert [kept.id for kept in bases.all()] == [other.id]
    assert len(list(bases.forget(base.id))) == 1
    counts = {
        table: database.connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
        for table in ("bases", "items", "documents", "passages", "passages_fts")
    }
    assert counts == dict.fromkeys(counts, 1)
    assert find(database, other, "heron") == ["heron"]


def test_names_are_unique_and_bases_must_exist(library, bases):
    base, other = bases.create("b"), bases.create("c")
    with pytest.raises(BaseExists):
        bases.create("b")
    with pytest.raises(BaseExists):
        bases.update(replace(other, name="b"))
    for call in (
        library.items,
        bases.find,
        bases.delete,
        bases.restore,
        lambda name: library.enqueue(name, [Path("/x")]),
    ):
        with pytest.raises(UnknownBase):
            call("nowhere")
    assert bases.all() == (base, other)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("who wrote to joe.doe@example.com", "Mail joe.doe@example.com today."),
        ("get_user_name", "Call get_user_name() first."),
        ("版本 3.11", "现在是版本 v3.11.4。"),
        ('say "quoted" AND (odd) * NEAR words^', "A quoted word."),
        ("北京的图书馆", "他在北京大学图书馆工作。"),
        ("who runs", "She was running."),
    ],
)
def test_keywords_are_found_whatever_they_look_like(database, library, bases, query, text):
    base = bases.create("b")
    put(library, base, "1", text, "Something else entirely.", "完全无关的一段话。")
    assert find(database, base, query)[0] == text
