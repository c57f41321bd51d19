"""Index terms of both languages and of what belongs to none."""

import subprocess
import sys

from hypothesis import given
from hypothesis import strategies as st

from desktop.text.terms import (
    add_subject,
    build_term_query,
    content_terms,
    findable_line,
    parts_of_question,
    terms,
)
from tests.cases import cases


@cases(
    "text, whole",
    [
        ("write to Joe.Doe@Example.com", "joe.doe@example.com"),
        ("Python v3.11.4", "3.11"),
        ("call get_user_name()", "get_user_name"),
        ("the COVID-19 wave", "covid19"),
        ("1,234.5 tons", "1234.5"),
        ("C++ and C#", "c++"),
        ("p53 binds", "p53"),
        ("ＧＰＴ－４", "gpt-4"),
    ],
)
def test_tokens_with_inner_marks_stay_whole(text, whole):
    assert whole in terms(text)


@cases(
    "text, parts",
    [
        ("parseHTTPResponse", {"pars", "http", "respons"}),
        ("snake_case_name", {"snake", "case", "name"}),
        ("joe.doe@example.com", {"joe", "doe"}),
        ("state-of-the-art", {"state", "art"}),
    ],
)
def test_compounds_are_found_by_their_parts(text, parts):
    assert parts <= set(terms(text))


@cases(
    "query, document",
    [
        ("running dogs", "a dog that runs"),
        ("cafe", "the Café"),
        ("Einstein", "Einstein’s theory"),
        ("北京大学图书馆", "他在北京大学的图书馆工作"),
        ("東京", "東京都に住んでいます"),
        ("コンピューター", "新しいコンピューターを買う"),
        ("한국어", "한국어는 재미있다"),
    ],
)
def test_a_query_meets_its_document(query, document):
    assert set(content_terms(query)) & set(content_terms(document))


def test_content_terms_leave_out_words_without_a_subject():
    assert content_terms("What is the capital of France?") == terms("capital France")
    assert set(content_terms("什么是人工智能的历史？")).isdisjoint({"什么", "是", "的"})


@given(st.text())
def test_terms_are_short_lower_and_without_white_space(text):
    for term in terms(text):
        assert 0 < len(term) <= 64 or not term.isascii()
        assert not any(char.isspace() for char in term)


def test_the_dictionary_is_loaded_at_first_use_only():
    code = "import sys, desktop.text.terms; sys.exit('rjieba' in sys.modules or 'snowballstemmer' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@cases(
    "typed, wanted",
    [
        ("runni", [("runni", "runni")]),
        ("Running", [("run", "running")]),
        ("running tests", [("run", ""), ("test", "tests")]),
        ("t", [("t", "")]),
        ("te", [("te", "")]),
        ("tes", [("tes", "tes")]),
        ("Café", [("cafe", "cafe")]),
        ("机", [("机", "")]),
        ("机器学", [("机器", ""), ("器学", "")]),
        ("怎么用机器学习", [("怎么", ""), ("机器", ""), ("学习", "")]),
        ("foo-ba", [("foo-ba", "foo-ba")]),
        ("?!", []),
    ],
)
def test_a_half_typed_word_is_a_term_or_the_beginning_of_a_longer_one(typed, wanted):
    assert build_term_query(typed, is_half_typed=True) == wanted


@given(st.text(max_size=80))
def test_whatever_is_wanted_of_a_text_stands_in_its_own_line(text):
    line = set(findable_line(text).split())
    assert {term for term, _ in build_term_query(text)} <= line
    assert all(
        any(word.startswith(part) for word in line) for _, part in build_term_query(text, is_half_typed=True)
    )


@cases(
    "question, parts",
    [
        ("Which is longer, Rhine or Elbe?", 1),
        ("What are the capitals of France and Spain?", 1),
        ("When I press start, what happens?", 1),
        ("In which year was it built, and by whom?", 1),
        ("In which year was Rome founded, and who was its first king?", 2),
        ("I write an essay. When was it opened? How many people visit the Louvre?", 2),
        ("北京和上海哪个城市人口多？", 1),
        ("请问，长城在哪里？", 1),
        ("北京有多少人，上海有多少人？", 2),
        ("埃菲尔铁塔是谁设计的以及哪一年建成", 2),
        ("Why? What? Where? When? Who? " * 50, 1),
        ("What is a? Where is Rome? Why is gold dear? Who was Ada? When is noon? Which river is it?", 4),
    ],
)
def test_only_questions_that_ask_for_several_things_are_taken_apart(question, parts):
    assert len(parts_of_question(question)) == parts


@given(st.text(max_size=200))
def test_taking_apart_loses_nothing_before_the_limit_and_never_fails(question):
    first, *others = parts_of_question(question)
    assert all(part in question or " " in part for part in (first, *others))
    assert all(add_subject(part, first) for part in others)


@cases(
    "part, first, whole",
    [
        ("who designed it?", "When was the Eiffel Tower built", "Eiffel Tower who designed it?"),
        ("Who built it?", "How long is the bridge?", "the bridge Who built it?"),
        ("who discovered radium?", "How long is the Rhine", "who discovered radium?"),
        ("由谁设计？", "维尔莫拉灯塔是哪一年建成的？", "维尔莫拉灯塔由谁设计？"),
        ("它有多高？", "埃菲尔铁塔在哪里？", "埃菲尔铁塔它有多高？"),
        ("上海有多少人？", "北京有多少人", "上海有多少人？"),
    ],
)
def test_a_later_part_gets_the_subject_that_it_leaves_out(part, first, whole):
    assert add_subject(part, first) == whole
