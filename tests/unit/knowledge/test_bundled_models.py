"""The models that come with Footnote: as good as their sources, without PyTorch, and refused where they are damaged."""

import os
import subprocess
import sys
from functools import lru_cache

import numpy as np
import pytest

from desktop.domain.knowledge import BUILT_IN_MODEL, MINILM_MODEL
from desktop.errors import ModelUnusable
from desktop.knowledge import bundled_models
from desktop.knowledge.bundled_models import BUNDLED, load_bundled, load_pair_model
from tests.cases import cases
from tests.unit.knowledge.embedding.tiny_model import MINILM

HERON = "passage: The grey heron waits in shallow water for fish."


encoder_of, pair_model = lru_cache(load_bundled), lru_cache(load_pair_model)


@pytest.fixture(scope="module", autouse=True)
def forget_models():
    """Free the memory of the models behind the last of these tests."""
    yield
    encoder_of.cache_clear()
    pair_model.cache_clear()


def vectors_of(model, *texts):
    return [np.frombuffer(vector, np.float32) for vector in encoder_of(model).encode(texts)]


@cases("model", BUNDLED)
def test_vectors_are_of_unit_length_whatever_the_text(model):
    texts = ["", " ", "heron", "苍鹭", "\x00\ufffd\ud800🦆", "word " * 5_000, "<s></s><pad>"]
    vectors = vectors_of(model, *texts)
    assert [vector.shape for vector in vectors] == [(384,)] * len(texts)
    assert np.allclose([vector @ vector for vector in vectors], 1, atol=1e-5)


@cases(
    "question",
    [
        "query: Which bird hunts in shallow water?",
        "query: 哪种鸟在浅水里捕鱼？",
        "query: Какая птица ловит рыбу?",
    ],
)
def test_e5_finds_what_answers_in_other_languages(question):
    asked, right, wrong, other = vectors_of(
        BUILT_IN_MODEL,
        question,
        HERON,
        "passage: The train leaves at noon.",
        "passage: Bread is baked from flour.",
    )
    assert asked @ right > max(asked @ wrong, asked @ other)


def test_a_vector_does_not_depend_on_the_texts_beside():
    alone = vectors_of(BUILT_IN_MODEL, HERON)[0]
    assert np.array_equal(vectors_of(BUILT_IN_MODEL, "passage: 火车", HERON)[1], alone)


@cases(
    "claim, denied, passage",
    [
        (
            "The heron eats fish.",
            "The heron eats only plants.",
            "The grey heron waits in shallow water for fish, which it swallows whole.",
        ),
        ("会议在北京举行。", "会议没有在北京举行。", "周三，会议在北京召开，三百人出席。"),
    ],
)
def test_the_network_for_pairs_knows_what_a_passage_says(claim, denied, passage):
    judge = pair_model().judge
    right, wrong, other = judge(
        [(claim, passage), (denied, passage), (claim, "火车中午出发。The train left.")]
    )
    assert right.entailed > max(wrong.entailed, other.entailed)
    assert wrong.contradicted > right.contradicted


@cases(
    "question, passage, sentence",
    [
        (
            "Where does the grey heron hunt?",
            "The grey heron hunts in shallow water. It was first described in 1758.",
            "The grey heron hunts in shallow water.",
        ),
        ("会议在哪里举行？", "周三，会议在北京召开，三百人出席。", "周三，会议在北京召开。"),
    ],
)
def test_the_network_for_pairs_knows_what_answers(question, passage, sentence):
    judge = pair_model().judge
    right, wrong = judge([(question, passage), (question, "Bread is baked from flour. 面包是用面粉烤的。")])
    assert right.answers > wrong.answers
    right, wrong = judge([(question, sentence), (question, "It was first described in 1758. 三百人出席。")])
    assert right.holds_answer > wrong.holds_answer


@cases("pair", [("", ""), ("word " * 5_000, "词" * 5_000), ("\x00\ufffd\ud800", "<s></s><pad>")])
def test_the_network_judges_whatever_the_texts(pair):
    assert all(0 <= value <= 1 for value in pair_model().judge([pair])[0])


def test_minilm_gives_the_vectors_of_sentence_transformers():
    from sentence_transformers import SentenceTransformer

    texts = ["The heron eats fish.", "A long text. " * 200, "苍鹭"]
    theirs = SentenceTransformer(str(MINILM), device="cpu").encode(texts, normalize_embeddings=True)
    assert np.all((theirs * np.stack(vectors_of(MINILM_MODEL, *texts))).sum(axis=1) > 0.9999)


def test_models_with_the_same_words_share_one_vocabulary():
    encoder = load_bundled(BUILT_IN_MODEL)
    path = bundled_models._check_file(bundled_models._E5_VOCABULARY)
    before = bundled_models._vocabularies[path]
    pairs = load_pair_model()
    assert bundled_models._vocabularies[path] is before
    assert pairs.judge([("Herons fish.", "The heron eats fish.")])
    assert encoder.encode([HERON])


def test_they_run_without_pytorch():
    code = (
        "import sys\n"
        "import desktop.knowledge.worker.service\n"
        "from desktop.knowledge.bundled_models import BUNDLED, load_bundled\n"
        "for model in BUNDLED: load_bundled(model).encode(['heron'])\n"
        "print({'torch', 'transformers', 'sentence_transformers', 'kubernetes'} & set(sys.modules))"
    )
    outcome = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert outcome.stdout.strip() == "set()"


@cases("damage", ["cut", "missing", "no manifest", "other", "words"])
def test_a_damaged_model_is_refused(tmp_path, monkeypatch, damage):
    folder = tmp_path / "models"
    folder.mkdir()
    for path in bundled_models.minilm_tokenizer().parent.iterdir():
        (folder / path.name).symlink_to(path)
    name = "multilingual-e5-small.words" if damage == "words" else "multilingual-e5-small.onnx"
    graph = folder / name
    content = graph.read_bytes()
    victim = folder / "manifest.json" if damage == "no manifest" else graph
    victim.unlink()
    if damage == "cut":
        graph.write_bytes(content[: len(content) // 2])
    elif damage in {"other", "words"}:
        graph.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    monkeypatch.setattr(bundled_models, "resources_dir", lambda: tmp_path)
    with pytest.raises(ModelUnusable, match="missing or damaged"):
        load_bundled(BUILT_IN_MODEL)
    if damage in {"words", "no manifest"}:
        with pytest.raises(ModelUnusable, match="missing or damaged"):
            load_pair_model()


def test_onnxruntime_keeps_no_id_of_the_device_and_no_events_to_send(tmp_path):
    code = "from desktop.knowledge.bundled_models import load_pair_model; load_pair_model()"
    # It keeps quiet by itself where it sees a test or a CI run.
    silenced = ("CI", "GITHUB_ACTIONS", "ORT_DISABLE_TELEMETRY", "ORT_RUNNING_UNIT_TESTS", "XDG_CACHE_HOME")
    environment = {name: value for name, value in os.environ.items() if name not in silenced}
    command = [sys.executable, "-c", code]
    subprocess.run(command, env=environment | {"HOME": str(tmp_path)}, check=True)
    assert list(tmp_path.rglob("*onnxruntime*")) == []
