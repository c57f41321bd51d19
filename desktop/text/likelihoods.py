"""Likelihoods: predictions of gradient boosted trees, and logits, by which several likelihoods are weighed together.

The trees are trained by scripts in `benchmarks` and kept as JSON in resources.
"""

import math
from collections.abc import Mapping

import msgspec


class DecisionTrees(msgspec.Struct, frozen=True):
    """Gradient boosted trees. A node is (feature, threshold, left, right); a leaf is (-1, value, 0, 0)."""

    features: tuple[str, ...]
    baseline: float
    trees: tuple[tuple[tuple[int, float, int, int], ...], ...]

    def predict(self, measures: Mapping[str, float]) -> float:
        """Return the likelihood, 0 to 1, for measures by name; those that the trees do not know are ignored."""
        measured = [measures[name] for name in self.features]
        total = self.baseline
        for tree in self.trees:
            feature, value, left, right = tree[0]
            while feature >= 0:
                feature, value, left, right = tree[left if measured[feature] <= value else right]
            total += value
        return logistic(total)


def logistic(value: float) -> float:
    """Return the likelihood, 0 to 1, of a logit."""
    if value >= 0:
        return 1 / (1 + math.exp(-value))
    odds = math.exp(max(value, -700.0))  # below this, the result is 0, and the exponential would overflow
    return odds / (1 + odds)


def logit(likelihood: float, smallest: float) -> float:
    """Return the logarithm of the odds of a likelihood, which counts as at least `smallest` and at most 1 less it."""
    bounded = min(max(likelihood, smallest), 1 - smallest)
    return math.log(bounded / (1 - bounded))
