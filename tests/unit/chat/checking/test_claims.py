"""What a mark stands behind, and that marks are counted as the page counts them."""

import re
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.checking.claims import extract_claims
from desktop.render.markdown.tree import RenderTarget
from desktop.render.message import render_message
from tests.cases import cases

TITLES = {1: "a", 2: "b", 3: "c"}


@cases(
    "text, claims",
    [
        ("First. The second one [1].", [("The second one", (1,))]),
        ("First. The second one. [1] The third. [2]", [("The second one", (1,)), ("The third", (2,))]),
        (
            "It dates from 1873 [1] and reaches 42 kilometres [2].",
            [("It dates from 1873", (1,)), ("and reaches 42 kilometres", (2,))],
        ),
        ("It dates from 1873 [1][2], [3].", [("It dates from 1873", (1, 2, 3))]),
        ("It dates from 1873 [1-3].", [("It dates from 1873", (1, 2, 3))]),
        ("Mulan [1], Red Sorghum [1]", [("Mulan", (1,)), ("Red Sorghum", (1,))]),
        ("According to [1], the tower is tall.", [("the tower is tall", (1,))]),
        ("根据[1]，灯塔很高。", [("灯塔很高", (1,))]),
        (
            "灯塔建于1873年【1】，光照距离为42公里［2］。",
            [("灯塔建于1873年", (1,)), ("光照距离为42公里", (2,))],
        ),
        ("- **a point**\n- the next [point](https://a.example) [3]", [("the next point", (3,))]),
        ("## A heading\n\n> quoted words [1]", [("quoted words", (1,))]),
        ("Code `[1]` and no source [9].", []),
        ("```\n[1]\n```", []),
        ("[1] at the beginning", [("", (1,))]),
        ("The leagues&#91;66] of Wales [1].", [("The leagues[66] of Wales", (1,))]),
        ("Built in 1874 &#91;2, 7&#93; of brick [1].", [("Built in 1874 of brick", (1,))]),
        ("Of the 3. Mr. Smith came [2].", [("Mr. Smith came", (2,))]),
    ],
)
def test_a_mark_stands_behind_the_words_since_the_one_before(text, claims):
    assert [(claim.text, claim.numbers) for claim in extract_claims(text, TITLES)] == claims


@cases(
    "text, contexts",
    [
        ("The light is 42 m high [1], against 91 m [2].", ["", "The light is 42 m high"]),
        ("The bridge is old. Stoian built it [1].", ["The bridge is old"]),
        ("The bridge is old.\n\nStoian built it [1].", [""]),
        (
            "The bridge is old. It opened [1] in 1902 [2].",
            ["The bridge is old", "The bridge is old It opened"],
        ),
        ("The bridge is old. The harbour is new [1].", [""]),
        ("灯塔高42米[1]，对比91米[2]。", ["", "灯塔高42米"]),
        ("灯塔很高。它是斯托扬造的[1]。", ["灯塔很高"]),
        ("灯塔很高。港口很新[1]。", [""]),
    ],
)
def test_a_clause_takes_its_subject_from_its_sentence_or_the_one_before(text, contexts):
    assert [claim.context for claim in extract_claims(text, TITLES)] == contexts


def test_marks_of_a_number_are_counted_through_the_answer():
    marks = [claim.marks for claim in extract_claims("One [1]. Two [2][1].\n\nThree [1].", TITLES)]
    assert marks == [((1, 0),), ((2, 0), (1, 1)), ((1, 2),)]


@given(st.text(alphabet="[]【】［］ 1239,-^.a。`*|\n", max_size=200))
def test_marks_are_those_that_the_page_shows(text):
    shown = Counter(
        int(number)
        for number in re.findall(r'data-source="(\d+)"', render_message(text, TITLES, RenderTarget.PAGE).html)
    )
    marks = [mark for claim in extract_claims(text, TITLES) for mark in claim.marks]
    assert Counter(number for number, _ in marks) == shown
    assert len(marks) == len(set(marks))


def test_of_thousands_of_claims_the_first_are_read():
    assert len(extract_claims("x [1]. " * 10_000, TITLES, 400)) == 400
