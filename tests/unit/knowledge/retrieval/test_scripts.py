"""A model that prefers passages in the script of the query: the preference goes, the subject stays."""

import numpy as np
import pytest

from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.items import ItemStore
from desktop.knowledge.loaders.document import DocumentPart, document_of
from desktop.knowledge.reader.protocol import reading_of
from desktop.knowledge.retrieval.parallel_sentences import PARALLEL_SENTENCES
from desktop.knowledge.retrieval.scripts import BaseScripts, axes_of
from desktop.text.language import script_of

SIZE = 32
LANGUAGES = {"en": 0, "zh": 1}
BIRDS, LAW, COOKING = 10, 11, 12


def vector(language, subject, noise=0):
    """Return a vector with a direction common to all texts, one of the language and one of the subject."""
    values = np.random.default_rng(noise).normal(0, 0.01, SIZE)
    values[2] += 2.0
    values[LANGUAGES[language]] += 0.6
    values[subject] += 0.4
    return (values / np.linalg.norm(values)).astype(np.float32).tobytes()


@pytest.fixture
def axes():
    subjects = range(4, 20)
    return axes_of({language: [vector(language, each) for each in subjects] for language in LANGUAGES})


def cosine(one, other):
    return float(np.frombuffer(one, np.float32) @ np.frombuffer(other, np.float32))


def test_a_passage_on_the_subject_comes_first_in_either_script(axes):
    query = vector("en", BIRDS)
    passages = [(1, vector("zh", BIRDS, 1)), (2, vector("en", LAW, 2)), (3, vector("zh", LAW, 3))]
    assert cosine(query, passages[0][1]) < cosine(query, passages[1][1])
    found = axes.compare(query, passages, "en")
    assert max(found.values, key=found.values.__getitem__) == 1
    assert found.scripts == {1: "zh", 2: "en", 3: "zh"}


def test_the_order_within_a_script_stays(axes):
    query = vector("zh", COOKING)
    passages = [(number, vector("zh", subject, number)) for number, subject in enumerate((COOKING, LAW))]
    found = axes.compare(query, passages, "zh").values
    assert found[0] > found[1]


def test_a_direction_leads_to_the_other_script(axes):
    (direction,) = axes.directions(vector("en", BIRDS), "en")
    ranked = sorted(
        (("zh", BIRDS), ("zh", LAW), ("en", BIRDS), ("en", LAW)),
        key=lambda each: -cosine(direction, vector(*each)),
    )
    assert ranked[0] == ("zh", BIRDS)
    assert {language for language, _ in ranked[:2]} == {"zh"}


def test_every_script_has_the_same_sentences():
    assert len({len(sentences) for sentences in PARALLEL_SENTENCES.values()}) == 1
    for script, sentences in PARALLEL_SENTENCES.items():
        assert set(map(script_of, sentences)) == {script}


def test_one_file_in_another_script_is_seen_when_it_comes(tmp_path):
    database = IndexDatabase(tmp_path / "knowledge.db")
    base = Bases(database).create("mixed")
    library, scripts = ItemStore(database), BaseScripts(database)

    def put(key, text):
        (item,) = library.enqueue(base.id, [tmp_path / key])
        library.put(item, key, reading_of(document_of("", [DocumentPart(text)]), ""))

    for number in range(20):
        put(f"{number}.txt", f"The heron number {number} stands in the water.")
    assert scripts.of([base.id]) == {"en"}
    put("苍鹭.txt", "苍鹭常在浅水中静立等候鱼类。")
    assert scripts.of([base.id]) == {"en", "zh"}
    database.close()
