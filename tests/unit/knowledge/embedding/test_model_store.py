"""What keeps a model of the user's from being used is said before it is loaded."""

import json

import pytest

from desktop.errors import ModelUnusable
from desktop.knowledge.embedding.model_store import check_encoder, check_folder
from tests.cases import cases
from tests.unit.knowledge.embedding.tiny_model import CONFIG, make_model


def cut(folder):
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:-1_000])


def garble(folder):
    (folder / "model.safetensors").write_bytes(b"\xff" * 4_096)


def take_tokenizer(folder):
    for name in ("tokenizer.json", "tokenizer_config.json", "vocab.txt"):
        (folder / name).unlink()


def make_writer(folder):
    (folder / "modules.json").unlink()
    (folder / "config.json").write_text(json.dumps(CONFIG | {"architectures": ["BertLMHeadModel"]}))


def make_classifier(folder):
    (folder / "modules.json").unlink()
    (folder / "config.json").write_text(
        json.dumps(CONFIG | {"architectures": ["BertForSequenceClassification"]})
    )


def check(folder):
    check_folder(folder, "mine")
    check_encoder(folder, "mine")


@cases(
    "damage, words",
    [
        (cut, "“model.safetensors” are incomplete or damaged"),
        (garble, "“model.safetensors” are incomplete or damaged"),
        (take_tokenizer, "no tokenizer"),
        (make_writer, "not a text encoder but “BertLMHeadModel”"),
        (make_classifier, "not a text encoder but “BertForSequenceClassification”"),
    ],
)
def test_a_model_that_cannot_embed_is_refused(tmp_path, damage, words):
    folder = make_model(tmp_path / "model")
    damage(folder)
    with pytest.raises(ModelUnusable, match=words):
        check(folder)


def test_a_whole_model_is_taken_with_modules_or_without(tmp_path):
    folder = make_model(tmp_path / "model")
    check(folder)
    (folder / "modules.json").unlink()
    check(folder)
