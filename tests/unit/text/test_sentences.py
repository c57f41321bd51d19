"""Sentence borders in Chinese, English and what is neither."""

import time

from hypothesis import given
from hypothesis import strategies as st

from desktop.text.sentences import MAX_SENTENCE_CHARS, split_sentences
from tests.cases import cases


def sentences(text):
    return [text[span.start : span.end] for span in split_sentences(text)]


@cases(
    "text, expected",
    [
        ("他走了。她没走！为什么？", ["他走了。", "她没走！", "为什么？"]),
        ("他说：“你好！”然后走了。", ["他说：“你好！”", "然后走了。"]),
        ("「行きます。」と言った。", ["「行きます。」", "と言った。"]),
        ("第一；第二……第三。", ["第一；", "第二……", "第三。"]),
        ("这是什么?我不知道.后来呢", ["这是什么?", "我不知道.", "后来呢"]),
        ("版本3.11发布了。约3．5倍。", ["版本3.11发布了。", "约3．5倍。"]),
        ("Dr. Smith met J. K. Rowling. They spoke.", ["Dr. Smith met J. K. Rowling.", "They spoke."]),
        (
            "The U.S. Navy came at 5 p.m. Tuesday. It left.",
            ["The U.S. Navy came at 5 p.m. Tuesday.", "It left."],
        ),
        ("It was made in the U.S. The first was red.", ["It was made in the U.S.", "The first was red."]),
        ("(Made in the U.S.) The first was red.", ["(Made in the U.S.)", "The first was red."]),
        (
            "It costs $3.50. See Fig. 3 and No. 5. Done.",
            ["It costs $3.50.", "See Fig. 3 and No. 5.", "Done."],
        ),
        ("No. That is wrong.", ["No.", "That is wrong."]),
        ("See https://a.example/x.html?y=1. Next!", ["See https://a.example/x.html?y=1.", "Next!"]),
        ("Version 1.2.3 is out. Use it.", ["Version 1.2.3 is out.", "Use it."]),
        ('"Really?" he asked. "Yes."', ['"Really?" he asked.', '"Yes."']),
        ("Well... maybe. Or not…", ["Well... maybe.", "Or not…"]),
        (
            "a line that\ngoes on here.\nA new one\n\nlast",
            ["a line that\ngoes on here.", "A new one", "last"],
        ),
        ("", []),
        (" \n\t\u3000", []),
    ],
)
def test_sentences_end_where_a_reader_ends_them(text, expected):
    assert sentences(text) == expected


@given(
    st.text(alphabet=st.sampled_from('ab A1.!?。！？；…”"’」)\n\r\t \u3000，，好。Dr '), max_size=400)
    | st.text()
)
def test_spans_cover_everything_that_is_not_blank_in_order(text):
    position = 0
    for span in split_sentences(text):
        assert position <= span.start < span.end
        assert not text[position : span.start].strip()
        assert text[span.start : span.end] == text[span.start : span.end].strip()
        position = span.end
    assert not text[position:].strip()


@cases("unit", ["x", "好", "word ", "逗号，", "a.b"])
def test_overlong_pieces_are_cut(unit):
    text = unit * 5_000
    spans = split_sentences(text)
    assert all(span.end - span.start <= MAX_SENTENCE_CHARS for span in spans)
    assert "".join(sentences(text)).replace(" ", "") == text.replace(" ", "")


@cases("unit", ["a", ".", " ", "。", '"', '."', "\n", ". ", "(", "1."])
def test_time_is_linear(unit):
    def cost(length):
        started = time.process_time()
        split_sentences(unit * length)
        return time.process_time() - started

    once, four_times = min(cost(25_000) for _ in range(3)), min(cost(100_000) for _ in range(3))
    assert four_times < 10 * once + 0.1  # the square would be sixteen times as much
