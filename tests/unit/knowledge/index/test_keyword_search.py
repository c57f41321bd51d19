"""Which passages the words of a question bring, of many."""

from pathlib import Path

import pytest

from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.items import ItemStore
from desktop.knowledge.index.keyword_search import best_by_keyword, holders_of
from desktop.knowledge.loaders.document import DocumentPart, document_of
from desktop.knowledge.reader.protocol import reading_of

COMMON = 5_100
"""Passages that all hold one word: more than what is looked through for the rarest words."""
RARE = {700: "A heron was seen in the harbour.", 1400: "The heron, the heron of the harbour, flew."}


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    database = IndexDatabase(tmp_path_factory.mktemp("large") / "knowledge.db")
    library, base = ItemStore(database), Bases(database).create("large")
    parts = [
        DocumentPart(RARE.get(page, f"Ship {page} left the harbour."), page=page) for page in range(COMMON)
    ]
    (item,) = library.enqueue(base.id, [Path("/log.txt")])
    library.put(item, "log", reading_of(document_of("", parts), ""))
    yield database.connection, base
    database.close()


def find(large, words, count):
    connection, base = large
    return best_by_keyword(connection, holders_of(connection, words), [base.id], count)


def test_holders_are_counted_over_all_passages(large):
    connection, _ = large
    assert holders_of(connection, ["harbour", "heron", "zebra"]) == {
        "harbour": COMMON,
        "heron": 2,
        "zebra": 0,
    }


def test_passages_with_rare_words_come_first_with_the_score_of_all_their_words(large):
    two = find(large, ["harbour", "heron"], 2)
    assert len(two) == len(RARE)
    assert list(find(large, ["harbour", "heron"], COMMON).items())[:2] == list(two.items())


def test_common_words_bring_what_is_left_of_the_wanted_count(large):
    assert len(find(large, ["harbour", "heron"], 5)) == 5
    assert len(find(large, ["harbour", "zebra"], 5)) == 5


def test_common_words_alone_are_looked_up_as_they_are(large):
    assert len(find(large, ["harbour"], 7)) == 7
    assert len(find(large, ["harbour", "left"], 7)) == 7
