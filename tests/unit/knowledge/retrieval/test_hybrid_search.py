"""Keys of retrievals, and what they stand for."""

from pathlib import Path

import pytest

from desktop.domain.knowledge import Scope, scope_of
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.items import ItemStore
from desktop.knowledge.loaders.document import DocumentPart, document_of
from desktop.knowledge.reader.protocol import reading_of
from desktop.knowledge.retrieval.hybrid_search import passages_scope
from tests.cases import cases


@cases(
    "scope, key",
    [
        (Scope("b"), "b"),
        (Scope("b", "i"), "b/i"),
        (Scope("b", tag="t"), "b#t"),
        (Scope("b", tag="a/b#c 标签"), "b#a/b#c 标签"),
    ],
)
def test_a_scope_comes_back_from_its_key(scope, key):
    assert scope.key == key
    assert scope_of(key) == scope


@pytest.fixture
def database(tmp_path):
    database = IndexDatabase(tmp_path / "knowledge.db")
    yield database
    database.close()


def test_keys_stand_for_bases_items_and_tags(database):
    bases, library = Bases(database), ItemStore(database)
    one, two = bases.create("one"), bases.create("two")
    first, second = library.enqueue(one.id, [Path("/1"), Path("/2")])
    for item, text in ((first, "heron"), (second, "otter")):
        library.put(
            item, text, reading_of(document_of("", [DocumentPart(text), DocumentPart(f"{text} again")]), "")
        )
    library.tag([second], ["water"])

    def parts(*keys):
        scope = passages_scope(database.connection, keys)
        return scope.whole, dict(scope.parts), scope.gone

    assert parts(one.id, two.id) == ((one.id, two.id), {}, ())
    assert parts(f"{one.id}/{first}") == ((), {one.id: {1, 2}}, ())
    assert parts(f"{one.id}#water", f"{one.id}/{first}") == ((), {one.id: {1, 2, 3, 4}}, ())
    assert parts(f"{one.id}#fire") == ((), {one.id: frozenset()}, ())
    assert parts(f"{one.id}#water", one.id) == ((one.id,), {}, ())
    assert parts("two", "one#water") == ((two.id,), {one.id: {3, 4}}, ())
    gone = (f"{two.id}/{first}", "nowhere", "nowhere#water")
    assert parts(*gone) == ((), {}, gone)
    bases.delete(one.id)
    assert parts(one.id) == ((), {}, (one.id,))
