"""Titles are one short line, whatever was asked."""

from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.titles import title_of


def test_short_question_is_its_own_title():
    assert title_of("  Who built the lighthouse?\nTell me more.") == "Who built the lighthouse?"


def test_long_question_is_cut_at_a_word():
    assert title_of("What are the differences between the lighthouse of Velmora and others") == (
        "What are the differences between the lighthouse…"
    )


def test_long_chinese_question_is_cut_without_words():
    assert title_of("维尔莫拉灯塔是谁在什么时候建造的，" * 5).endswith("…")


@given(st.text())
def test_a_title_is_always_one_short_line(question):
    assert len(title_of(question)) <= 49
    assert len(title_of(question).splitlines()) <= 1
