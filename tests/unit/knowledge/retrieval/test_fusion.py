"""Two legs, one order: never blind because one of them is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.knowledge.retrieval.fusion import (
    CJK_WEIGHT,
    READABLE_WEIGHT,
    UNREADABLE_WEIGHT,
    blend,
    combine_queries,
    fuse,
    support_scores,
    surroundings_scores,
)
from desktop.knowledge.retrieval.hybrid_search import trust_in
from desktop.text.language import readable_share
from tests.cases import cases

scores = st.dictionaries(st.integers(1, 30), st.floats(0.01, 50), max_size=20)
cosines = st.dictionaries(st.integers(1, 30), st.floats(-1, 1), max_size=20)


@cases(
    "text, low, high",
    [
        ("What is a heron?", 1, 1),
        ("什么是苍鹭？", 0, 0),
        ("ما هو مالك الحزين", 0, 0),
        ("什么是 Transformer 模型", 0.3, 0.6),
        ("12345", 1, 1),
    ],
)
def test_readable_share(text, low, high):
    assert low <= readable_share(text) <= high


def test_the_vector_leg_counts_by_what_it_can_read():
    assert trust_in(["en"], "What is a heron?") == READABLE_WEIGHT
    assert trust_in(["en"], "什么是苍鹭？") == UNREADABLE_WEIGHT


def test_models_that_read_many_languages_are_trusted_in_all_of_them():
    assert trust_in([], "What is a heron?") == READABLE_WEIGHT
    assert trust_in([], "什么是苍鹭？") == pytest.approx(CJK_WEIGHT)
    assert trust_in(["zh", "en"], "什么是苍鹭？") == pytest.approx(CJK_WEIGHT)


def test_a_blind_leg_cannot_push_out_what_words_found():
    fused = fuse({1: 20.0, 2: 4.0}, {2: 0.9, 3: 0.91, 1: 0.2}, UNREADABLE_WEIGHT)
    assert max(fused, key=fused.__getitem__) == 1


def test_both_legs_together_beat_either_alone():
    fused = fuse({1: 10.0, 2: 9.0}, {2: 0.8, 3: 0.82, 4: 0.1}, READABLE_WEIGHT)
    assert max(fused, key=fused.__getitem__) == 2


@given(scores, cosines, st.floats(0, 1))
def test_scores_are_shares_of_everything_that_either_leg_found(keyword, vector, weight):
    fused = fuse(keyword, vector, weight)
    assert fused.keys() == keyword.keys() | vector.keys()
    assert all(-1e-9 <= score <= 1 + 1e-9 for score in fused.values())


@given(scores.filter(bool))
def test_one_leg_alone_keeps_its_order(keyword):
    fused = fuse(keyword, {}, 0.5)
    order = sorted(fused, key=fused.__getitem__)
    assert [keyword[key] for key in order] == sorted(keyword.values())


def test_scores_of_bases_with_other_models_are_measured_by_the_best_of_all():
    assert fuse({1: 5.0}, {}, 0.5, best=10.0) == {1: 0.5}


def test_a_query_that_missed_the_point_does_not_put_its_finds_first():
    told = combine_queries([{1: 1.0, 2: 0.2}, {1: 0.7, 3: 1.0}])
    assert max(told, key=told.__getitem__) == 1


def test_what_answers_one_of_two_questions_well_stays_before_what_answers_both_a_little():
    told = combine_queries([{1: 1.0, 3: 0.6}, {2: 1.0, 3: 0.6}])
    assert min(told, key=told.__getitem__) == 3


@given(st.lists(scores, max_size=4))
def test_queries_joined_keep_all_that_any_of_them_found(answers):
    told = combine_queries(answers)
    assert told.keys() == {passage for answer in answers for passage in answer}
    assert all(0 < score <= 1 + 1e-9 for score in told.values())


@given(scores.filter(bool))
def test_one_query_keeps_its_order(answer):
    told = combine_queries([answer])
    assert sorted(told, key=told.__getitem__) == sorted(answer, key=answer.__getitem__) or len(
        set(answer.values())
    ) < len(answer)


def unit(*values):
    vector = np.array(values, np.float32)
    return (vector / np.linalg.norm(vector)).tobytes()


def best(scores):
    return max(scores, key=scores.__getitem__)


def test_a_passage_is_found_by_the_name_that_stands_before_it():
    terms = {1: ["otter", "swim"], 2: ["it", "eat", "fish"], 3: ["heron", "fly"], 4: ["it", "eat", "fish"]}
    scores = surroundings_scores({2: [1, 2], 4: [3, 4]}, terms, {"otter": 2.0, "eat": 0.5})
    assert best(scores) == 2
    assert scores[4] > 0


def test_surroundings_of_nothing_score_nothing():
    assert surroundings_scores({}, {}, {"x": 1.0}) == {}
    assert surroundings_scores({1: [1]}, {1: []}, {"x": 1.0}) == {1: 0}


def test_blend_weighs_shares_of_the_best():
    blended = blend({1: 10.0, 2: 5.0}, {2: 4.0, 3: 2.0}, 0.4)
    assert blended == pytest.approx({1: 0.6, 2: 0.3 + 0.4, 3: 0.2})


def test_likeness_to_the_best_lifts_those_that_share_its_subject():
    terms = {
        1: ["quake", "turkey", "magnitude", "dead"],
        2: ["quake", "turkey", "magnitude", "injured"],
        3: ["quake", "insurance", "price", "house"],
        4: ["recipe", "soup"],
    }
    support = support_scores({1: 1.0, 3: 0.7, 2: 0.7, 4: 0.1}, terms, {}, 0.0)
    assert support[1] > support[2] > support[3] > support[4]


def test_vectors_tell_likeness_where_words_cannot():
    vectors = {1: unit(1, 0), 2: unit(0.9, 0.1), 3: unit(0, 1)}
    support = support_scores({1: 1.0, 2: 0.5, 3: 0.5}, {1: ["a"], 2: ["b"], 3: ["c"]}, vectors, 0.5)
    assert support[2] > support[3]


def test_a_vector_of_another_size_counts_as_none():
    scores = {1: 1.0, 2: 0.9, 3: 0.8}
    near, far = np.array([1, 0.2, 0], np.float32).tobytes(), np.array([0, 0.2, 1], np.float32).tobytes()
    without = support_scores(scores, {}, {1: near, 3: far}, 0.5)
    assert support_scores(scores, {}, {1: near, 2: np.ones(2, np.float32).tobytes(), 3: far}, 0.5) == without


def test_nobody_supports_where_nothing_was_found():
    assert support_scores({}, {}, {}, 0.5) == {}
    assert support_scores({1: 0.0}, {1: ["a"]}, {}, 0.5) == {}
