"""Assistants: which there are, what becomes of them, and the file in which they travel."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.chat.assistants import (
    chat_settings,
    duplicate,
    find,
    is_changed,
    list_assistants,
    load_builtin_assistants,
    read,
    reset,
    restore_all,
    serialize,
    with_assistant,
    without_assistant,
)
from desktop.domain.assistants import GENERAL, Assistant, Parameters
from desktop.errors import AssistantsUnreadable
from desktop.settings.model import ChatSettings, Settings
from desktop.settings.store import SettingsFile
from tests.cases import cases

OWN = Assistant(
    "own",
    "Lawyer",
    "⚖️",
    "Cite the paragraph.",
    model="openai/gpt-5",
    web="off",
    bases=("b1", "gone"),
    tools=("knowledge_search",),
    servers=("Files",),
    parameters=Parameters(0.1, "high", 8_000, 2_000, 5, 0.9, '{"seed": 7, "stop": null}'),
    suggestions=("What is a contract?",),
)


def names(settings, language="en"):
    return [assistant.name for assistant in list_assistants(settings, language)]


def test_the_same_assistants_come_in_english_and_chinese():
    english, chinese = load_builtin_assistants("en"), load_builtin_assistants("zh_CN")
    assert [one.id for one in english] == ["researcher", "reader", "writer", "translator", "coder"]
    for one, other in zip(english, chinese, strict=True):
        assert replace(one, name="", prompt="", suggestions=()) == replace(
            other, name="", prompt="", suggestions=()
        )
        assert one.name != other.name
        assert len(one.prompt.splitlines()) == len(other.prompt.splitlines())
        assert len(one.suggestions) == len(other.suggestions) == 3


def test_what_nobody_changed_speaks_the_language_of_the_window():
    settings = with_assistant(Settings(), replace(load_builtin_assistants("en")[1], name="Bookworm"))
    assert names(settings)[:3] == ["Researcher", "Bookworm", "Writer"]
    assert names(settings, "zh_CN")[:3] == ["研究员", "Bookworm", "写作助手"]


def test_a_changed_one_is_reset_and_a_removed_one_comes_back():
    changed = with_assistant(Settings(), replace(load_builtin_assistants("en")[0], prompt="Be brief."))
    assert is_changed(changed, "researcher")
    assert list_assistants(reset(changed, "researcher"), "en") == load_builtin_assistants("en")
    without = without_assistant(changed, "researcher")
    assert "Researcher" not in names(without)
    assert list_assistants(restore_all(without), "en")[0].prompt == "Be brief."


def test_own_ones_are_kept_in_order_changed_copied_and_removed():
    settings = with_assistant(with_assistant(Settings(), OWN), replace(OWN, id="second", name="Second"))
    settings = with_assistant(settings, replace(OWN, name="Attorney"))
    assert names(settings)[5:] == ["Attorney", "Second"]
    twin = duplicate(OWN, "Twin")
    assert replace(twin, id=OWN.id, name=OWN.name) == OWN
    assert twin.id != OWN.id
    assert names(without_assistant(settings, "own"))[5:] == ["Second"]


def test_one_is_found_by_id_or_name():
    assistants = list_assistants(with_assistant(Settings(), OWN), "en")
    assert find(assistants, "") is GENERAL
    assert find(assistants, "own") is find(assistants, " lawyer ") is not None
    assert find(assistants, "nobody") is None


def test_its_parameters_count_where_it_has_some():
    chat = ChatSettings(effort="low", tool_rounds=7)
    assert chat_settings(chat, GENERAL) == chat
    asked = chat_settings(chat, OWN)
    assert (asked.effort, asked.context_tokens, asked.answer_tokens, asked.tool_rounds) == (
        "high",
        8_000,
        2_000,
        5,
    )


def test_fields_that_cannot_be_sent_do_not_spoil_a_file_of_settings(tmp_path):
    path = tmp_path / "settings.json"
    own = {"id": "own", "name": "Lawyer", "parameters": {"fields": '{"model": "other"}'}}
    path.write_text(json.dumps({"assistants": [own]}))
    loaded = SettingsFile(path).load()
    assert loaded.settings.assistants == (Assistant("own", "Lawyer"),)
    assert [str(problem).count("model") for problem in loaded.problems] == [1]


def test_settings_with_assistants_survive_the_disk(tmp_path):
    file = SettingsFile(tmp_path / "settings.json")
    file.load()
    settings = without_assistant(with_assistant(Settings(), OWN), "coder")
    file.save(settings)
    loaded = SettingsFile(tmp_path / "settings.json").load()
    assert loaded.problems == ()
    assert loaded.settings == settings


def test_a_file_names_bases_and_says_only_what_is_special():
    document = json.loads(serialize((OWN, Assistant("x", "Plain")), {"b1": "Contracts"}))
    first, second = document["assistants"]
    assert first["bases"] == ["Contracts", "gone"]
    assert "id" not in first
    assert second == {"name": "Plain"}


def test_a_file_is_read_as_it_was_written_with_new_ids():
    assistants = (OWN, *load_builtin_assistants("zh_CN"))
    found = read(serialize(assistants, {}), "team.json")
    assert [replace(one, id="") for one in found] == [replace(one, id="") for one in assistants]
    assert not {one.id for one in found} & {one.id for one in assistants}


def test_fields_of_a_later_footnote_are_passed_over():
    document = json.loads(serialize((OWN,), {}))
    document["author"] = "somebody"
    document["assistants"][0]["voice"] = "deep"
    document["assistants"][0]["parameters"]["top_k"] = 3
    (found,) = read(json.dumps(document), "team.json")
    assert replace(found, id="own") == OWN


def a_file(**fields):
    return json.dumps({"format": "footnote-assistants", "version": 1, "assistants": [{"name": "A"}]} | fields)


@cases(
    "text, words",
    [
        ("{", "It is not JSON."),
        ("[" * 100_000, "It is not JSON."),
        ("[]", "It is not an assistants file."),
        ('{"name": "A"}', "It is not an assistants file."),
        (a_file(format="characters"), "It is not an assistants file."),
        (a_file(version=2), "It was saved by a newer version of Footnote."),
        (a_file(assistants=[]), "It contains no assistants."),
        (a_file(assistants=[{"name": "A"}, {"prompt": "p"}]), "Assistant number 2 is not valid"),
        (a_file(assistants=[{"name": " "}]), "Assistant number 1 has no name."),
        (a_file(assistants=[{"name": "A", "parameters": {"temperature": 9}}]), "$.parameters.temperature"),
        (a_file(assistants=[{"name": "A", "parameters": {"top_p": 0}}]), "$.parameters.top_p"),
        (a_file(assistants=[{"name": "A", "parameters": {"fields": "[1]"}}]), "$.parameters"),
        (a_file(assistants=[{"name": "A", "parameters": {"fields": '{"tools": []}'}}]), "say: tools"),
        (" " * 5_000_001, "It is too long"),
    ],
)
def test_a_bad_file_says_what_is_wrong(text, words):
    with pytest.raises(AssistantsUnreadable) as raised:
        read(text, "team.json")
    assert "team.json" in str(raised.value)
    assert words in str(raised.value)


@settings(max_examples=30)
@given(st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_no_file_does_more_than_being_refused(text):
    with pytest.raises(AssistantsUnreadable):
        read(text, "any.json")
