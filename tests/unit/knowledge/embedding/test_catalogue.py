"""What a model's own files tell of it."""

import json

from desktop.knowledge.embedding.model_cards import MANY
from desktop.knowledge.embedding.model_store import languages_of

HAN = [chr(code) for code in range(0x4E00, 0x4E00 + 2_500)]


def vocabulary(folder, tokens):
    (folder / "tokenizer.json").write_text(json.dumps({"model": {"vocab": dict.fromkeys(tokens, 0)}}))


def test_a_vocabulary_tells_what_a_model_reads_also_after_it_has_changed(tmp_path):
    assert languages_of(tmp_path) == MANY
    vocabulary(tmp_path, ["the", "##ing", *HAN[:300]])
    assert languages_of(tmp_path) == languages_of(tmp_path) == ("en",)
    vocabulary(tmp_path, ["the", *HAN])
    assert languages_of(tmp_path) == MANY
    vocabulary(tmp_path, ["the", "Ġ"])
    assert languages_of(tmp_path) == MANY
    (tmp_path / "tokenizer.json").write_text("{")
    assert languages_of(tmp_path) == MANY
