"""Fusing the keyword leg and the vector leg so that the result is not worse than the better one.

Ranks alone cannot tell a leg that knows from a leg that guesses: reciprocal rank fusion of a perfect
and a blind leg is half blind. So scores are fused, each leg brought to 0…1 within its own pool, and
the vector leg counts by how much of the query its model can read.
"""

from collections.abc import Mapping

from desktop.text.language import readable_share

READABLE_WEIGHT = 0.5
"""Share of the vector leg where its model reads the whole query."""
UNREADABLE_WEIGHT = 0.15
"""Share where it reads nothing of it: names and numbers in foreign text still carry a little."""


def vector_weight(query: str) -> float:
    """Return the share of the vector leg for `query`."""
    return UNREADABLE_WEIGHT + (READABLE_WEIGHT - UNREADABLE_WEIGHT) * readable_share(query)


def fuse(keyword: Mapping[int, float], vector: Mapping[int, float], weight: float) -> dict[int, float]:
    """Return one score in 0…1 per passage of either leg.

    `keyword` are BM25 scores, higher is better, where absence means 0. `vector` are cosines; a
    passage without one counts as the worst of them. `weight` is the share of the vector leg.
    """
    best = max(keyword.values(), default=0.0)
    low, high = min(vector.values(), default=0.0), max(vector.values(), default=0.0)
    if not keyword or best <= 0:
        weight = 1.0
    elif not vector or high <= low:
        weight = 0.0
    fused: dict[int, float] = {}
    for passage in {*keyword, *vector}:
        words = keyword.get(passage, 0.0) / best if best > 0 else 0.0
        sense = (vector.get(passage, low) - low) / (high - low) if high > low else 1.0
        fused[passage] = (1 - weight) * words + weight * sense
    return fused
