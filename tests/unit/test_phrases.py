"""Every sentence that is made outside the window has a Chinese translation, and is recognised when shown."""

import ast
import re
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import desktop
from desktop import errors
from desktop.phrases import sentence_of, told
from desktop.resources import resource_text

FIELD = re.compile(r"\{\w+\}")
TABLE = {
    template: translation
    for section in tomllib.loads(resource_text("translations/phrases_zh_CN.toml")).values()
    for template, translation in section.items()
}


def phrases_in_the_code() -> set[str]:
    """Return what stands in calls of `phrase` anywhere in the program."""
    found = set()
    for path in Path(desktop.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "phrase":
                (words,) = node.args
                found.add(ast.literal_eval(words))
    return found


def error_templates() -> set[str]:
    """Return the sentences of every leaf of the error tree."""
    kinds = [kind for kind in vars(errors).values() if isinstance(kind, type)]
    own = {kind.template for kind in kinds if issubclass(kind, errors.AppError) and "template" in vars(kind)}
    return {sentence_of(template) for template in own if FIELD.sub("", template).strip()}


def test_every_phrase_in_the_code_is_translated():
    assert {sentence_of(template) for template in phrases_in_the_code()} - set(TABLE) == set()


def test_every_error_is_translated():
    assert error_templates() - set(TABLE) == set()


@pytest.mark.parametrize("template", sorted(TABLE))
def test_a_translation_is_chinese_and_keeps_the_fields(template):
    assert sorted(FIELD.findall(template)) == sorted(FIELD.findall(TABLE[template]))
    assert re.search("[一-鿿]", TABLE[template])


def test_several_sentences_are_told_one_after_the_other():
    english = "The page did not arrive in time. Sources left out: 3."
    assert not re.search("[A-Za-z]{3}", told(english, "zh_CN"))
    assert "3" in told(english, "zh_CN")


def test_english_and_unknown_words_stay_as_they_are():
    assert told("The page did not arrive in time.", "en") == "The page did not arrive in time."
    assert told("Quota of project 12 exhausted", "zh_CN") == "Quota of project 12 exhausted"


@given(st.text(max_size=200))
def test_no_words_make_it_fail(words):
    assert isinstance(told(words, "zh_CN"), str)
