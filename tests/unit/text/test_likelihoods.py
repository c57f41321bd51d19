"""Trees add up what they say about measures."""

import pytest

from desktop.text.likelihoods import DecisionTrees
from tests.cases import cases

TREES = DecisionTrees(
    ("length", "weight"),
    0.0,
    (
        ((0, 2.5, 1, 2), (-1, -1.0, 0, 0), (-1, 1.0, 0, 0)),
        ((1, 7.0, 1, 2), (-1, 1.0, 0, 0), (0, 5.0, 3, 4), (-1, 3.0, 0, 0), (-1, 0.0, 0, 0)),
    ),
)


@cases("length, weight, total", [(2.5, 7.0, 0.0), (3.0, 7.0, 2.0), (3.0, 8.0, 4.0), (6.0, 8.0, 1.0)])
def test_each_tree_is_followed_to_a_leaf(length, weight, total):
    found = TREES.predict({"length": length, "weight": weight, "unknown": 9.0})
    assert found == pytest.approx(1 / (1 + 2.718281828459045**-total))
