"""Second looks at a pool of passages: what stands around them, and what the best of them have in common.

Both keep to the pool, so that their cost does not grow with the base.
"""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

SURROUNDINGS_WEIGHT = 0.3
SUPPORT_WEIGHT = 0.6
_VOTERS = 10
_SHARPNESS = 6
"""A voter's weight is its share of the best score to this power: a clear winner decides alone."""
_K1, _B = 1.2, 0.75


def surroundings_scores(
    query_terms: Sequence[str], surroundings: Mapping[int, Sequence[str]], rarity: Mapping[str, float]
) -> dict[int, float]:
    """Return the BM25 score of the text around each passage, itself included.

    A passage that says “it” is found by the name in the sentence before. `rarity` is the idf of terms.
    """
    mean = sum(map(len, surroundings.values())) / max(1, len(surroundings))
    wanted = frozenset(query_terms)
    scores: dict[int, float] = {}
    for passage, around in surroundings.items():
        counts = Counter(term for term in around if term in wanted)
        length = _K1 * (1 - _B + _B * len(around) / mean) if mean else 1.0
        scores[passage] = sum(
            rarity.get(term, 0.0) * times * (_K1 + 1) / (times + length) for term, times in counts.items()
        )
    return scores


def blend(scores: Mapping[int, float], others: Mapping[int, float], weight: float) -> dict[int, float]:
    """Return `scores` with a share of `others`, each as shares of their best; absence means 0."""
    best, best_other = max(scores.values(), default=0.0), max(others.values(), default=0.0)
    return {
        passage: (1 - weight) * (scores.get(passage, 0.0) / best if best > 0 else 0.0)
        + weight * (others.get(passage, 0.0) / best_other if best_other > 0 else 0.0)
        for passage in {*scores, *others}
    }


def support_scores(scores: Mapping[int, float], terms: Mapping[int, Sequence[str]]) -> dict[int, float]:
    """Return how much each passage is like the best ones, by the words that set these apart in the pool.

    Passages that answer the same question resemble each other (the cluster hypothesis; Diaz,
    Regularizing query-based retrieval scores, 2007); one that only shares the question's words does not.
    """
    order = sorted(scores, key=lambda passage: -scores[passage])
    if not order or scores[order[0]] <= 0:
        return {}
    likeness = _cosines([terms.get(passage, ()) for passage in order])[:, :_VOTERS]
    votes = np.array([scores[passage] / scores[order[0]] for passage in order[:_VOTERS]]) ** _SHARPNESS
    return dict(zip(order, (likeness @ votes).tolist(), strict=True))


def _cosines(documents: Sequence[Sequence[str]]) -> NDArray[np.float64]:
    """Return the cosine of each two documents, terms weighted by their rarity among these."""
    counted = [Counter(document) for document in documents]
    holders = Counter(term for counts in counted for term in counts)
    places = {term: place for place, term in enumerate(holders)}
    rarity = np.array([math.log1p((len(documents) - n + 0.5) / (n + 0.5)) for n in holders.values()])
    matrix = np.zeros((len(documents), len(places)))
    for row, counts in enumerate(counted):
        columns = [places[term] for term in counts]
        matrix[row, columns] = 1 + np.log(list(counts.values())) if counts else 0.0
    matrix *= rarity
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix /= np.where(norms > 0, norms, 1.0)
    cosines: NDArray[np.float64] = matrix @ matrix.T
    np.fill_diagonal(cosines, 1.0)
    return cosines
