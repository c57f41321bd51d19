"""Meanings of texts, compared in the worker without a base."""

import numpy as np
import pytest


def test_what_means_the_same_is_nearer_than_what_does_not(runner, client):
    texts = (
        "A cat sat on the mat.",
        "A kitten was sitting on the rug.",
        "Interest rates rose by half a point.",
    )
    near, far, itself = runner.run(client.compare(texts, ((0, 1), (0, 2), (2, 2))))
    assert near > 0.5
    assert far < 0.2
    assert itself == pytest.approx(1.0, abs=0.02)


def test_nothing_compared_is_nothing_found(runner, client):
    assert runner.run(client.compare((), ())) == ()


def test_many_texts_come_back_in_their_order(runner, client):
    texts = tuple(f"The number {number} is written here." for number in range(70))
    pairs = tuple((number, number) for number in range(70))
    assert runner.run(client.compare(texts, pairs)) == pytest.approx((1.0,) * 70, abs=0.02)


def test_half_a_character_is_read_as_one_that_is_unknown(runner, client):
    halved, unknown = "A kitten was sitting on the rug. \ud83d", "A kitten was sitting on the rug. \ufffd"
    one, other = (np.frombuffer(vector, np.float32) for vector in runner.run(client.embed((halved, unknown))))
    assert float(one @ other) == pytest.approx(1.0, abs=0.001)
    assert runner.run(client.compare((halved, unknown), ((0, 1),))) == pytest.approx([1.0], abs=0.001)
    assert runner.run(client.embed(())) == ()


def test_texts_are_judged_by_whether_they_answer(runner, client):
    question = "Where does the grey heron hunt? 会议在哪里举行？"
    texts = (
        "The grey heron hunts in shallow water. 会议在北京召开。",
        "Bread is baked from flour \ud83d.",
        "",
    )
    right, wrong, _ = runner.run(client.judge_pairs([(question, text) for text in texts]))
    assert 0 <= wrong.answers < right.answers <= 1
    assert 0 <= wrong.holds_answer < right.holds_answer <= 1
    assert runner.run(client.judge_pairs(())) == ()
