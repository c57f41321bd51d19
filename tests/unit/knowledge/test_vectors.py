"""Chroma follows SQLite, whatever happened in between."""

import shutil

import numpy as np
import pytest

from desktop.knowledge.index.vectors import Vectors


class Truth:
    """What SQLite would say."""

    def __init__(self, held):
        self.held = held

    def with_vectors(self, base_id):
        return set(self.held.get(base_id, {}))

    def vectors(self, ids):
        everything = {key: vector for base in self.held.values() for key, vector in base.items()}
        return [(key, everything[key]) for key in ids]

    def open(self, folder):
        return Vectors(folder, self, lambda: list(self.held))


def vector(*values):
    unit = np.zeros(8, np.float32)
    unit[: len(values)] = values
    return (unit / np.linalg.norm(unit)).tobytes()


@pytest.fixture
def truth():
    return Truth({"a": {1: vector(1), 2: vector(0, 1), 3: vector(1, 1)}, "b": {4: vector(1)}})


def nearest(vectors, base="a", count=3):
    return [key for key, _ in vectors.nearest(base, vector(1, 0.1), count)]


def test_vectors_come_from_the_truth_when_there_are_none(tmp_path, truth):
    vectors = truth.open(tmp_path / "vectors")
    assert nearest(vectors) == [1, 3, 2]
    (key, cosine), *_ = vectors.nearest("b", vector(1), 5)
    assert (key, round(cosine, 4)) == (4, 1.0)


def test_what_a_sudden_end_left_undone_is_done_at_the_next_start(tmp_path, truth):
    truth.open(tmp_path / "vectors")
    del truth.held["a"][1]
    del truth.held["b"]
    truth.held["a"][7] = vector(1, 0.1)
    vectors = truth.open(tmp_path / "vectors")
    assert nearest(vectors, count=9) == [7, 3, 2]
    assert nearest(vectors, base="b") == []


@pytest.mark.parametrize("name", ["chroma.sqlite3", "*/*"])
def test_damaged_files_are_rebuilt(tmp_path, truth, name):
    folder = tmp_path / "vectors"
    truth.open(folder)
    from chromadb.api.shared_system_client import SharedSystemClient

    SharedSystemClient.clear_system_cache()
    for file in folder.glob(name):
        file.write_bytes(b"damaged" * 100)
    assert nearest(truth.open(folder)) == [1, 3, 2]


def test_a_folder_that_vanishes_while_in_use_is_rebuilt(tmp_path, truth):
    folder = tmp_path / "vectors"
    vectors = truth.open(folder)
    shutil.rmtree(folder)
    truth.held["a"][9] = vector(1, 0.1)
    vectors.upsert("a", [(9, vector(1, 0.1))])
    assert nearest(vectors)[0] == 9


def test_passages_and_bases_are_forgotten(tmp_path, truth):
    vectors = truth.open(tmp_path / "vectors")
    vectors.delete("a", [1, 99])
    assert nearest(vectors) == [3, 2]
    vectors.delete_base("a")
    vectors.delete_base("a")
    assert nearest(vectors) == []
