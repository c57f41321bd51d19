"""Facts are kept as one visible line, for all assistants or for one."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.memory import Memory, MemoryOrigin, likeness, normalize_fact
from tests.cases import cases

NOW = datetime(2026, 1, 2, tzinfo=UTC)


@cases(
    "text, kept",
    [
        ("  I live\n in  Oslo. ", "I live in Oslo."),
        ("我对\u3000虾过敏。", "我对 虾过敏。"),
        ("pay\u202egnp.exe\x00", "paygnp.exe"),
        ("\u200b\n", ""),
    ],
)
def test_a_fact_is_one_line_of_what_can_be_seen(text, kept):
    assert normalize_fact(text) == kept


@given(st.text())
def test_what_is_tidy_stays_as_it_is(text):
    assert normalize_fact(normalize_fact(text)) == normalize_fact(text)
    assert len(normalize_fact(text).splitlines()) <= 1


@cases(
    "one, other, are_alike",
    [
        ("I live in Oslo", "i live  in Oslo.", True),
        ("我住在杭州。", "我住在杭州", True),
        ("I like C", "I like C++", False),
        ("I live in Oslo", "I lived in Oslo", False),
    ],
)
def test_facts_in_the_same_words_are_alike(one, other, are_alike):
    assert (likeness(one) == likeness(other)) is are_alike


def test_a_memory_is_for_all_or_for_one_assistant():
    everybodys = Memory("1", "x", MemoryOrigin.SAID, NOW, NOW)
    cooks = Memory("2", "x", MemoryOrigin.SAID, NOW, NOW, "cook")
    assert [memory.is_for("cook") for memory in (everybodys, cooks)] == [True, True]
    assert [memory.is_for("coder") for memory in (everybodys, cooks)] == [True, False]
    assert [memory.is_for(None) for memory in (everybodys, cooks)] == [True, False]
