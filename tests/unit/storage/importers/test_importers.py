"""Exports of other programs: what they hold, and what means harm."""

import copy
import json
import random
import zipfile

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.domain.backups import ImportSource
from desktop.errors import NotImported
from desktop.storage import archive_files as transfer_files
from desktop.storage.importers.builder import MOST_MESSAGES, Unreadable, moment_of, with_spots, without_spots
from desktop.storage.importers.scan import conversations_in, scan_file
from tests.cases import cases
from tests.unit.storage.importers.sample_files import MADE, chatgpt, write


def records(path):
    with conversations_in(path) as found:
        return list(found)


@cases("is_zip", [False, True])
@cases("origin", MADE)
def test_every_program_is_told(tmp_path, origin, is_zip):
    if origin == "chatbox" and is_zip:
        pytest.skip("Chatbox writes no archives")
    listing = scan_file(write(tmp_path, origin, is_zip=is_zip))
    assert listing.origin is ImportSource(origin)
    assert listing.conversations


def test_what_a_search_of_chatgpt_found_becomes_sources_and_other_versions_stay(tmp_path):
    record, bad = records(write(tmp_path, "chatgpt"))
    assert isinstance(bad, Unreadable)
    assert "Not at all" in bad.problem
    question, *answers = record["messages"]
    assert question["text"] == "When is high tide? 潮汐"
    assert {(one["text"], one["is_aside"]) for one in answers} == {
        ("Twice a day.[1][2]", False),
        ("I do not know.", True),
    }
    shown = next(one for one in answers if not one["is_aside"])
    assert (shown["model"], shown["reasoning"], shown["offered"]) == ("gpt-5", "Plan\nLook it up.", [1, 2])
    assert {one["parent_id"] for one in answers} == {question["id"]}
    assert {one["variant"] for one in answers} == {0, 1}
    first, second = record["sources"]
    assert (first["title"], first["text"], first["host"]) == ("Tides", "Twice a day.", "example.org")
    assert (second["text"], second["key"]) == ("Moon", "https://example.net/moon")


def test_marks_stand_where_claude_cites(tmp_path):
    [record] = records(write(tmp_path, "claude"))
    question, answer = record["messages"]
    assert question["text"] == "Who built it?\n\n📎 plan.pdf"
    assert answer["text"] == "It was built in 1874.[1] Nobody knows more."
    assert answer["reasoning"] == "Hm."
    assert record["sources"][0]["text"] == "Built 1874."
    assert record["conversation"]["created_at"] == "2026-03-01T12:00:00.000000+00:00"


def test_the_blocks_of_cherry_studio_come_in_their_order(tmp_path):
    new, old = records(write(tmp_path, "cherry-studio", is_zip=True))
    assert (new["conversation"]["title"], new["conversation"]["is_title_given"]) == ("潮汐", True)
    assert (old["conversation"]["title"], old["conversation"]["is_title_given"]) == ("老消息", False)
    answer = new["messages"][1]
    assert (answer["text"], answer["reasoning"], answer["model"]) == ("月球引力[1]。", "想", "deepseek-chat")
    assert new["sources"][0]["url"] == "https://example.cn/a"


def test_threads_of_chatbox_are_conversations(tmp_path):
    session, thread = records(write(tmp_path, "chatbox"))
    assert [one["text"] for one in session["messages"]] == ["How high?", "157 m"]
    assert session["messages"][1]["parent_id"] == session["messages"][0]["id"]
    assert thread["conversation"]["title"] == "Köln"


def test_numbers_of_open_webui_stay_where_they_mean_a_source(tmp_path):
    [record] = records(write(tmp_path, "open-webui"))
    texts = {one["text"]: one["is_aside"] for one in record["messages"]}
    assert texts == {"Why?": False, "First.": True, "Because [1], and x[1] = [2]; [9].": False}
    assert [one["number"] for one in record["sources"]] == [1, 2]


@cases("origin", MADE)
def test_the_same_file_gives_the_same_records(tmp_path, origin):
    path = write(tmp_path, origin)
    assert records(path) == records(path)


def find_problem(path):
    with pytest.raises(NotImported) as caught:
        scan_file(path)
    return str(caught.value)


@cases(
    "data",
    [
        b"",
        b"{}",
        b"[]",
        b"null",
        b"[" * 100_000,
        b'[{"mapping":' + b"[" * 100_000,
        b"\xff\xfe\x00",
        b"PK\x03\x04broken",
        b"%PDF-1.7",
        b'{"format": "footnote-conversation"',
    ],
)
def test_files_that_are_something_else_are_refused(tmp_path, data):
    path = tmp_path / "file.json"
    path.write_bytes(data)
    assert find_problem(path)


@cases(
    "change",
    [
        {"format": "other"},
        {"version": "1"},
        {"version": True},
        {"messages": {}},
        {"messages": [7]},
        {"conversation": []},
        {"conversation": {"id": 7}},
    ],
)
def test_conversations_of_another_shape_are_refused(tmp_path, change):
    whole = {
        "format": "footnote-conversation",
        "version": 1,
        "conversation": {"id": "a"},
        "messages": [],
        "sources": [],
    }
    path = tmp_path / "one.footnote.json"
    path.write_text(
        json.dumps({"about": "footnote-conversation"} | {"x": '"footnote-conversation"'} | whole | change)
    )
    assert find_problem(path)


def test_a_conversation_of_a_newer_program_is_refused(tmp_path):
    path = tmp_path / "one.footnote.json"
    path.write_text(json.dumps({"format": "footnote-conversation", "version": 2}))
    assert "newer version of Footnote" in find_problem(path)


def test_what_unpacks_without_end_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(transfer_files, "MOST_BYTES", 2**20)
    monkeypatch.setattr(transfer_files.FileReader.read, "__defaults__", ("", 2**20))
    path = tmp_path / "bomb.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("data.json", b" " * 2**22)
    assert "larger than 1 MB" in find_problem(path)


def test_many_members_that_unpack_without_end_are_refused_together(tmp_path, monkeypatch):
    monkeypatch.setattr(transfer_files, "MOST_BYTES", 2**20)
    path = tmp_path / "bombs.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(9):
            archive.writestr(f"conversations/{number}.json", b" " * 2**19)
    with transfer_files.FileReader(path) as reader:
        for number in range(3):
            assert len(reader.read(f"conversations/{number}.json")) == 2**19
        with pytest.raises(NotImported):
            reader.read("conversations/8.json")


def test_members_of_one_name_are_one(tmp_path):
    path = tmp_path / "same.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("../../profile.json", b"{}")
        with pytest.warns(UserWarning, match="Duplicate"):
            archive.writestr("../../profile.json", b"{}")
    with transfer_files.FileReader(path) as reader:
        assert reader.names == ("../../profile.json",)


def test_folders_and_pipes_are_refused(tmp_path):
    assert "not a file" in find_problem(tmp_path)
    assert "not a file" in find_problem(tmp_path / "missing.json")


@cases("position", ["circle", "self", "nobody"])
def test_messages_that_lead_in_a_circle_do_not_hang(tmp_path, position):
    chat = chatgpt()[0]
    match position:
        case "circle":
            chat["mapping"]["root"]["parent"] = "a2"
        case "self":
            chat["mapping"]["q"]["children"].append("q")
            chat["mapping"]["a2"]["children"] = ["q", "a2", "root"]
        case "nobody":
            chat["mapping"]["q"]["children"] += ["nobody", 7, None, {}]
            chat["current_node"] = ["a2"]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([chat]))
    for record in records(path):
        assert len(record["messages"]) <= 3


def test_a_million_messages_are_none_that_anybody_wrote(tmp_path):
    rows = [
        {"uuid": str(number), "sender": "human" if number % 2 else "assistant", "text": "x"}
        for number in range(MOST_MESSAGES + 1)
    ]
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([{"uuid": "a", "name": "Long", "chat_messages": rows}]))
    [found] = records(path)
    assert found == Unreadable("“Long” can’t be read.")


LEAVES = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=9), st.just("a2"), st.just("user")
)
JUNK = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)


def places(value, path=()):
    yield path
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from places(inner, (*path, index))


def changed(value, path, junk):
    if not path:
        return junk
    inner = value
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = junk
    return value


@pytest.mark.parametrize("origin", MADE)
@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), junk=JUNK)
def test_any_value_anywhere_is_read_or_refused(tmp_path_factory, origin, seed, junk):
    whole = copy.deepcopy(MADE[origin]())
    spots = list(places(whole))
    path = tmp_path_factory.mktemp("junk") / "file.json"
    text = json.dumps(changed(whole, random.Random(seed).choice(spots), junk), ensure_ascii=True)
    path.write_text(text)
    try:
        listing = scan_file(path)
    except NotImported:
        return
    for one in listing.conversations:
        assert isinstance(one.id, str)


@given(st.text(), st.integers(0, 5))
def test_text_that_looks_like_a_place_of_a_source_is_text(text, count):
    without = without_spots(f"{text}\uf8f00\uf8f1")
    assert "\uf8f0" not in without
    assert with_spots(without, 0) == without
    assert with_spots("[1]" * count, 0) == "[1]" * count


@cases(
    "value, year",
    [
        (1_700_000_000, 2023),
        (1_700_000_000.5, 2023),
        (1_700_000_000_000, 2023),
        ("2026-03-01T12:00:00Z", 2026),
        ("2026-03-01", 2026),
    ],
)
def test_moments_come_in_all_forms(value, year):
    assert moment_of(value).year == year


@cases("value", [None, "", "soon", [], True, 1e300, float("nan"), float("inf"), -5e9, "0001-01-01"])
def test_what_is_no_moment_is_none(value):
    assert moment_of(value) is None


def one_answer(tmp_path, text, **metadata):
    [chat, *_] = chatgpt()
    message = chat["mapping"]["a2"]["message"]
    message["content"]["parts"] = [text]
    message["metadata"] = metadata
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([chat]))
    [record] = records(path)
    return next(each["text"] for each in record["messages"] if not each["is_aside"] and each["parent_id"])


def test_marks_do_not_multiply(tmp_path):
    """Marks within the marks of others made a message too large for any memory out of a file of 3 KB."""
    pages = [{"url": f"https://example.org/{number}"} for number in range(10)]
    matched = ["x", "1", *["\uf8f0"] * 8]
    references = [{"matched_text": each, "items": pages} for each in matched]
    marks = "".join(f"[{number}]" for number in range(1, 11))
    assert one_answer(tmp_path, "x", content_references=references) == marks


def test_more_marks_than_a_message_can_have_are_none(tmp_path):
    pages = [{"url": "https://example.org/"}] * 5_000
    text = "x" * 100_000
    assert one_answer(tmp_path, text, content_references=[{"matched_text": "x", "items": pages}]) == text


def test_old_citations_of_chatgpt_stand_where_they_stood(tmp_path):
    cited = {"start_ix": 6, "end_ix": 11, "metadata": {"url": "https://example.org/", "title": "Tides"}}
    within = {"start_ix": 6, "end_ix": 7, "metadata": {"url": "https://example.net/"}}
    beyond = {"start_ix": 11, "end_ix": 10**9, "metadata": {"url": "https://example.net/"}}
    text = one_answer(tmp_path, "Twice.【1†t】 A【 day.", citations=[beyond, cited, within])
    assert text == "Twice.[1] A【 day."


def test_marks_that_never_end_take_no_time(tmp_path):
    assert one_answer(tmp_path, "\ue200" * 500_000) == "\ue200" * 500_000


def test_one_speaker_may_say_very_much_in_a_row(tmp_path):
    count = 30_000
    rows = [
        {
            "uuid": str(number),
            "sender": "assistant",
            "text": "word " * 20,
            "parent_message_uuid": str(number - 1),
        }
        for number in range(count)
    ]
    rows[0]["parent_message_uuid"] = ""
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps([{"uuid": "c", "name": "Long", "chat_messages": rows}]))
    [record] = records(path)
    [message] = record["messages"]
    assert message["text"].count("word") == 20 * count


def test_a_list_behind_a_byte_order_mark_is_no_chatbox(tmp_path):
    path = tmp_path / "list.json"
    path.write_bytes(b'\xef\xbb\xbf["chat-sessions"]')
    assert scan_file(path).conversations == ()


def test_memories_that_are_none_keep_no_conversation_out(tmp_path):
    [record, *_] = records(write(tmp_path, "claude"))
    path = tmp_path / "profile.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("profile.json", '{"format": "footnote-profile", "version": 1}')
        archive.writestr("memories.jsonl", "[" * 10_000)
        archive.writestr("conversations/1.json", json.dumps(record))
    listing = scan_file(path)
    assert len(listing.conversations) == 1
    assert len(listing.problems) == 1


def test_a_base_that_would_fill_the_disk_is_not_unpacked(tmp_path):
    path = tmp_path / "profile.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("bases/0.footnote-base", bytes(20_000_000))
        archive.writestr("bases/1.footnote-base", b"small" * 100)
    with transfer_files.FileReader(path) as reader:
        with pytest.raises(NotImported):
            reader.copy_out("bases/0.footnote-base", tmp_path / "large")
        reader.copy_out("bases/1.footnote-base", tmp_path / "small")
    assert not (tmp_path / "large").exists()
    assert (tmp_path / "small").read_bytes() == b"small" * 100
