"""Ranking a handful of texts."""

from desktop.text.bm25 import bm25_scores


def test_the_text_that_answers_wins_in_both_languages():
    documents = [
        "The capital of France is Paris.",
        "法国的首都是巴黎。",
        "Bananas are yellow.",
        "香蕉是黄色的。",
    ]
    english, chinese = bm25_scores("capital of France", documents), bm25_scores("法国首都在哪里", documents)
    assert max(range(4), key=english.__getitem__) == 0
    assert max(range(4), key=chinese.__getitem__) == 1
    assert english[2] == chinese[3] == 0


def test_rare_words_count_for_more():
    scores = bm25_scores("red panda", ["red car", "red house", "panda house"])
    assert scores[2] > scores[0] > 0


def test_stop_words_alone_are_taken_at_their_word():
    assert bm25_scores("to be or not to be", ["To be or not to be", "bananas"])[0] > 0


def test_nothing_gives_zero():
    assert bm25_scores("", ["a text"]) == [0.0]
    assert bm25_scores("a query", []) == []
    assert bm25_scores("a query", ["", ""]) == [0.0, 0.0]
