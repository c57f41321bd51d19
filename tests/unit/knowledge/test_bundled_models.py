"""The models that come with Footnote: as good as their sources, without PyTorch, and refused where they are damaged."""

import subprocess
import sys

import numpy as np
import pytest

from desktop.domain.knowledge import BUILT_IN_MODEL, MINILM_MODEL
from desktop.errors import ModelUnusable
from desktop.knowledge import bundled_models
from desktop.knowledge.bundled_models import BUNDLED, load_bundled
from tests.cases import cases
from tests.unit.knowledge.embedding.tiny_model import MINILM

HERON = "passage: The grey heron waits in shallow water for fish."


def vectors_of(model, *texts):
    return [np.frombuffer(vector, np.float32) for vector in load_bundled(model).encode(texts)]


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


def test_minilm_gives_the_vectors_of_sentence_transformers():
    from sentence_transformers import SentenceTransformer

    texts = ["The heron eats fish.", "A long text. " * 200, "苍鹭"]
    theirs = SentenceTransformer(str(MINILM), device="cpu").encode(texts, normalize_embeddings=True)
    assert np.all((theirs * np.stack(vectors_of(MINILM_MODEL, *texts))).sum(axis=1) > 0.9999)


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


@cases("damage", ["cut", "missing", "no manifest", "other"])
def test_a_damaged_model_is_refused(tmp_path, monkeypatch, damage):
    folder = tmp_path / "models"
    folder.mkdir()
    for path in bundled_models.minilm_tokenizer().parent.iterdir():
        (folder / path.name).symlink_to(path)
    graph = folder / "multilingual-e5-small.onnx"
    content = graph.read_bytes()
    victim = folder / "manifest.json" if damage == "no manifest" else graph
    victim.unlink()
    if damage == "cut":
        graph.write_bytes(content[: len(content) // 2])
    elif damage == "other":
        graph.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    monkeypatch.setattr(bundled_models, "resources_dir", lambda: tmp_path)
    with pytest.raises(ModelUnusable, match="missing or damaged"):
        load_bundled(BUILT_IN_MODEL)
