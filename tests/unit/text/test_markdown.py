"""Rows of tables, their columns, and how they read."""

from hypothesis import given
from hypothesis import strategies as st

from desktop.text.markdown import (
    MarkKind,
    begins_within_table,
    cells_of,
    hide_signs,
    is_row,
    is_rule,
    mark_spans,
    names_columns,
    row_in_words,
    strip_markdown,
    tables_in_words,
)
from tests.cases import cases


@cases(
    "line, reads",
    [
        ("## **产品** 功能", "产品 功能"),
        ("**A sentence of two.", "A sentence of two."),
        ("The second.**", "The second."),
        ("*Really* [this page](https://example.org/a) ![logo](x.png)", "Really this page"),
        ("`code` and 2\\*3", "code and 2*3"),
        ("**重点：**先看这里", "重点：先看这里"),
        ("f(**options, **more)", "f(**options, **more)"),
        ("**kwargs are passed on", "**kwargs are passed on"),
        ("2 * 3 * 4 of snake_case and __init__", "2 * 3 * 4 of snake_case and __init__"),
    ],
)
def test_marks_go_and_words_stay(line, reads):
    assert strip_markdown(line) == reads


@given(st.text(alphabet="ab中 *`_#[]()!\\", max_size=40))
def test_no_letter_is_lost_but_those_of_addresses(line):
    letters = [sign for sign in line if sign.isalpha()]
    kept = [sign for sign in strip_markdown(line) if sign.isalpha()]
    assert kept == letters or "](" in line


def test_a_row_has_cells_and_a_rule_is_one_that_has_none():
    assert is_row("| a \\| b |  | 中 |")
    assert cells_of("| a \\| b |  | 中 |") == ("a | b", "", "中")
    assert is_rule("| --- | :-: |")
    assert not is_row("|")
    assert not is_row("| said he")


@cases(
    "cells, are_names",
    [
        (("城市", "人口"), True),
        (("", "2023", "2024"), True),
        (("2024-05-01", "Oslo"), False),
        (("Sales of the year", "", "", ""), False),
        (("清华大学", "2", "985", "清华"), False),
        (("登录", "登录", "标识"), False),
        (("", ""), False),
    ],
)
def test_a_head_holds_names_and_no_values(cells, are_names):
    assert names_columns(cells) is are_names


def test_a_row_reads_with_its_columns_in_their_language():
    assert row_in_words(("City", "People", "Note"), ("Oslo", "700,000", "")) == "City: Oslo; People: 700,000"
    assert row_in_words(("城市", "人口"), ("奥斯陆", "70 万")) == "城市：奥斯陆；人口：70 万"
    assert row_in_words((), ("接口", "输入", "输入", "密码")) == "接口 · 输入 · 密码"


@cases(
    "text, lacks",
    [
        ("| a | b |\n| --- | --- |\n| 1 | 2 |", False),
        ("| --- | --- |\n| 1 | 2 |", True),
        ("| 1 | 2 |\n| 3 | 4 |", True),
        ("Words.\n\n| 1 | 2 |", False),
    ],
)
def test_a_text_may_begin_below_the_head_of_its_table(text, lacks):
    assert begins_within_table(text) is lacks


@cases(
    "line, reads",
    [
        ("## **Keepers** of `x`", "Keepers of x"),
        ("|---|---:|", ""),
        ("| a | *b* |", "| a | b |"),
        ("See [this page](https://example.org/a_b) and 2 * 3", "See this page and 2 * 3"),
        ("f(**options, **more)", "f(**options, **more)"),
    ],
)
def test_what_is_left_without_signs_is_what_is_read(line, reads):
    hidden = {
        place for kind, start, end in mark_spans(line) if kind is MarkKind.SIGN for place in range(start, end)
    }
    assert "".join(sign for place, sign in enumerate(line) if place not in hidden) == reads


@given(st.text(alphabet="ab中 *`_#[]()!\\|-", max_size=40))
def test_spans_lie_in_their_line(line):
    assert all(0 <= start <= end <= len(line) for _, start, end in mark_spans(line))


def test_tables_read_as_words():
    text = "Before [a page](https://x.example).\n\n| Feature | Value |\n|---|---:|\n| Height |  |\n| a \\| b | 2 |"
    assert tables_in_words(text) == "Before a page.\n\nFeature · Value\nHeight\na | b · 2"
    assert hide_signs(f"# **Title**\n{text}") == f"Title\n{tables_in_words(text)}"
