"""Chroma follows SQLite, whatever happened in between."""

import shutil
import sys

import numpy as np
import pytest
from chromadb.api.shared_system_client import SharedSystemClient

from desktop.knowledge.chroma_index import ChromaIndex, LocalChroma
from desktop.knowledge.index.vector_rows import CollectionKey

A, B, OTHER_MODEL = (
    CollectionKey("a", "minilm"),
    CollectionKey("b", "minilm"),
    CollectionKey("a", "another/model"),
)


class Truth:
    """What SQLite would say."""

    def __init__(self, held):
        self.keys = held

    def owner(self):
        return "this machine"

    def list_held(self, base_id, model):
        return set(self.keys.get(CollectionKey(base_id, model), {}))

    def of(self, model, ids):
        rows = {
            key: vector
            for collection_key, rows in self.keys.items()
            if collection_key.model == model
            for key, vector in rows.items()
        }
        return [(key, rows[key]) for key in ids if key in rows]

    def open(self, folder):
        vectors = ChromaIndex(LocalChroma(folder), self)
        vectors.remove_leftovers(list(self.keys))
        for collection_key in self.keys:
            settle(vectors, collection_key)
        return vectors


def settle(vectors, collection_key):
    for _ in vectors.settle(collection_key):
        pass


def vector(*values, size=8):
    unit = np.zeros(size, np.float32)
    unit[: len(values)] = values
    return (unit / np.linalg.norm(unit)).tobytes()


@pytest.fixture
def truth():
    return Truth({A: {1: vector(1), 2: vector(0, 1), 3: vector(1, 1)}, B: {4: vector(1)}})


def nearest(vectors, collection_key=A, count=3):
    return [key for key, _ in vectors.nearest(collection_key, vector(1, 0.1), count)]


def test_vectors_come_from_the_truth_when_there_are_none(tmp_path, truth):
    vectors = truth.open(tmp_path / "vectors")
    assert nearest(vectors) == [1, 3, 2]
    (key, cosine), *_ = vectors.nearest(B, vector(1), 5)
    assert (key, round(cosine, 4)) == (4, 1.0)


def test_what_a_sudden_end_left_undone_is_done_at_the_next_start(tmp_path, truth):
    truth.open(tmp_path / "vectors")
    del truth.keys[A][1]
    del truth.keys[B]
    truth.keys[A][7] = vector(1, 0.1)
    vectors = truth.open(tmp_path / "vectors")
    assert nearest(vectors, count=9) == [7, 3, 2]
    assert nearest(vectors, B) == []


@pytest.mark.parametrize("name", ["chroma.sqlite3", "*/*"])
def test_damaged_files_are_rebuilt(tmp_path, truth, name):
    folder = tmp_path / "vectors"
    truth.open(folder)
    SharedSystemClient.clear_system_cache()
    for file in folder.glob(name):
        file.write_bytes(b"damaged" * 100)
    assert nearest(truth.open(folder)) == [1, 3, 2]


def test_a_folder_that_vanishes_while_in_use_is_rebuilt(tmp_path, truth):
    folder = tmp_path / "vectors"
    vectors = truth.open(folder)
    shutil.rmtree(folder)
    truth.keys[A][9] = vector(1, 0.1)
    vectors.upsert(A, [(9, vector(1, 0.1))])
    assert nearest(vectors)[0] == 9
    assert not vectors.is_settled(B)
    settle(vectors, B)
    assert nearest(vectors, B) == [4]


def test_passages_and_bases_are_forgotten(tmp_path, truth):
    vectors = truth.open(tmp_path / "vectors")
    vectors.delete(A, [1, 99])
    assert nearest(vectors) == [3, 2]
    vectors.remove_leftovers([B])
    assert nearest(vectors) == []
    assert nearest(vectors, B) == [4]


def test_models_have_shelves_of_their_own_and_vectors_of_any_length(tmp_path, truth):
    truth.keys[OTHER_MODEL] = {1: vector(0, 1, size=3), 2: vector(1, size=3)}
    vectors = truth.open(tmp_path / "vectors")
    assert nearest(vectors) == [1, 3, 2]
    assert [key for key, _ in vectors.nearest(OTHER_MODEL, vector(1, size=3), 5)] == [2, 1]


def test_a_shelf_with_vectors_of_another_length_is_made_anew(tmp_path, truth):
    vectors = truth.open(tmp_path / "vectors")
    truth.keys[A] = {5: vector(1, size=4), 6: vector(0, 1, size=4)}
    vectors.upsert(A, list(truth.keys[A].items()))
    assert [key for key, _ in vectors.nearest(A, vector(1, size=4), 5)] == [5, 6]


def test_clearing_a_shelf_leaves_it_to_be_filled_anew(tmp_path, truth):
    vectors = truth.open(tmp_path / "vectors")
    vectors.clear(A)
    assert not vectors.is_settled(A)
    assert nearest(vectors) == []
    settle(vectors, A)
    assert nearest(vectors) == [1, 3, 2]


@pytest.mark.skipif(sys.platform != "linux", reason="other systems refuse the name")
def test_a_folder_whose_name_is_not_utf8_holds_vectors_as_any_other(tmp_path):
    folder = tmp_path / "data-\udcff" / "vectors"
    first = LocalChroma(folder).open()
    first.get_or_create_collection("kept").upsert(["1"], embeddings=[[1.0, 0.0]])
    assert (folder / "chroma.sqlite3").is_file()
    assert [each.name for each in LocalChroma(folder).open().list_collections()] == ["kept"]
