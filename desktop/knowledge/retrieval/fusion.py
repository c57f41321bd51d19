"""The scores of passages: fusion of keyword and vector scores, then rescoring by context.

Ranks alone cannot tell a good ranking from a random one: reciprocal rank fusion of a perfect and a random
ranking is half random. Therefore, the scores themselves are fused, each kind scaled to 0…1 within its own pool,
and the vector scores are weighted by how much of the query their model can read. Then the text around a passage
and its similarity to the best passages are added; both are limited to the pool, so that their cost does not
grow with the base.
"""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

READABLE_WEIGHT = 0.55
"""Weight of the vector scores if their model can read the whole query."""
CJK_WEIGHT = 0.8
"""The same for queries in Chinese, Japanese or Korean, where keyword matches are less reliable because words
must be segmented.
"""
UNREADABLE_WEIGHT = 0.15
"""Weight if the model can read none of the query: names and numbers in foreign text are still of some use."""
FULL_POOL = 100
"""Number of passages with a vector score from which on it stands in for the keyword score of `foreign` ones;
with fewer it counts less, as the scores are scaled to 0…1 in any pool.
"""
OTHER_SCRIPT_SHARE = 0.8
"""How much of its likeness to a passage in another script supports a passage: it may only be a translation of it."""
SURROUNDINGS_WEIGHT = 0.3
SUPPORT_WEIGHT = 0.7
_VOTERS = 10
_SHARPNESS = 6
"""The weight of a vote is its share of the best score to this power, so that a clear winner decides alone."""


def vector_weight(readable: float, cjk: float = 0.0) -> float:
    """Return the weight of the vector scores if their model can read this share of the query, 0…1.

    `cjk` is the share of the query that is Chinese, Japanese or Korean, 0…1.
    """
    full = READABLE_WEIGHT + (CJK_WEIGHT - READABLE_WEIGHT) * cjk
    return UNREADABLE_WEIGHT + (full - UNREADABLE_WEIGHT) * readable


def fuse(
    keyword: Mapping[int, float],
    vector: Mapping[int, float],
    weight: float,
    best: float | None = None,
    foreign: Collection[int] = (),
) -> dict[int, float]:
    """Return one score in 0…1 per passage with a keyword or a vector score.

    `keyword` are BM25 scores (higher is better, missing means 0); `best` is the best of them if there are more
    than these. `vector` are cosine similarities; a passage without one gets the lowest of them. `weight` is the
    weight of the vector scores. For `foreign` passages, which are in another script than the query and share no
    words with it, the vector score stands in for the keyword score.
    """
    best = max(keyword.values(), default=0.0) if best is None else best
    low, high = min(vector.values(), default=0.0), max(vector.values(), default=0.0)
    if not keyword or best <= 0:
        weight = 1.0
    elif not vector or high <= low:
        weight = 0.0
    stand_in = min(1.0, len(vector) / FULL_POOL)
    fused: dict[int, float] = {}
    for passage in {*keyword, *vector}:
        words = keyword.get(passage, 0.0) / best if best > 0 else 0.0
        sense = (vector.get(passage, low) - low) / (high - low) if high > low else 1.0
        if passage in foreign:
            words = max(words, stand_in * sense)
        fused[passage] = (1 - weight) * words + weight * sense
    return fused


def combine_queries(answers: Sequence[Mapping[int, float]]) -> dict[int, float]:
    """Return one score in 0…1 per passage for several queries of one request.

    This is the root mean square: a passage that answers one query well stays near the top if the queries ask
    for different things, and a query that missed the intent cannot put its own results first. The maximum would
    allow that, and the mean would require each passage to answer all queries.
    """
    shares = [
        {passage: max(0.0, score) / best for passage, score in scores.items()}
        for scores in answers
        if (best := max(scores.values(), default=0.0)) > 0
    ]
    passages = dict.fromkeys(passage for scores in shares for passage in scores)
    return {
        passage: math.sqrt(sum(scores.get(passage, 0.0) ** 2 for scores in shares) / len(shares))
        for passage in passages
    }


_K1, _B = 1.2, 0.75


def surroundings_scores(
    around: Mapping[int, Sequence[int]], terms: Mapping[int, Sequence[str]], rarity: Mapping[str, float]
) -> dict[int, float]:
    """Return the BM25 score of the text around each passage, including itself.

    Thus, a passage that says “it” is found by the name in the sentence before. `around` has the passages around
    each one, `terms` the terms of all of these; `rarity` is the idf of the query's terms.
    """
    wanted = frozenset(rarity)
    # Neighbours are shared, so each is processed once. Most contain no term of the query.
    held = {
        passage: [] if wanted.isdisjoint(words) else [word for word in words if word in wanted]
        for passage, words in terms.items()
    }
    lengths = {passage: sum(len(terms[each]) for each in near) for passage, near in around.items()}
    mean = sum(lengths.values()) / max(1, len(lengths))
    scores: dict[int, float] = {}
    for passage, near in around.items():
        found = list(chain.from_iterable(map(held.__getitem__, near)))
        if not found:
            scores[passage] = 0.0
            continue
        counts = Counter(found)
        length = _K1 * (1 - _B + _B * lengths[passage] / mean) if mean else 1.0
        scores[passage] = sum(
            rarity[term] * times * (_K1 + 1) / (times + length) for term, times in counts.items()
        )
    return scores


def blend(scores: Mapping[int, float], others: Mapping[int, float], weight: float) -> dict[int, float]:
    """Return `scores` blended with `others` by `weight`, both as shares of their maximum; missing means 0."""
    best, best_other = max(scores.values(), default=0.0), max(others.values(), default=0.0)
    return {
        passage: (1 - weight) * (scores.get(passage, 0.0) / best if best > 0 else 0.0)
        + weight * (others.get(passage, 0.0) / best_other if best_other > 0 else 0.0)
        for passage in {*scores, *others}
    }


def support_scores(
    scores: Mapping[int, float],
    terms: Mapping[int, Sequence[str]],
    vectors: Mapping[int, bytes],
    vector_weight: float,
    scripts: Mapping[int, str] = MappingProxyType({}),
) -> dict[int, float]:
    """Return the similarity of each passage to the best ones.

    The similarity is that of the terms that are rare in the pool, and of the vectors, weighted by
    `vector_weight`. Passages that answer the same question resemble each other (the cluster hypothesis; Diaz,
    Regularizing query-based retrieval scores, 2007); one that only shares words with the question does not.
    """
    order = sorted(scores, key=lambda passage: -scores[passage])
    if not order or scores[order[0]] <= 0:
        return {}
    groups = [scripts.get(passage, "") for passage in order]
    words = _cosines_with_first(_rows_of_words([terms.get(passage, ()) for passage in order]))
    sense = _cosines_with_first(_centre_rows([vectors.get(passage, b"") for passage in order], groups))
    likeness = (1 - vector_weight) * words + vector_weight * sense
    if len(set(groups)) > 1:  # passages in different scripts share no words
        is_other = np.array(groups)[:, None] != np.array(groups[:_VOTERS])
        likeness = np.where(is_other, OTHER_SCRIPT_SHARE * sense, likeness)
    votes = np.array([scores[passage] / scores[order[0]] for passage in order[:_VOTERS]]) ** _SHARPNESS
    return dict(zip(order, (likeness @ votes).tolist(), strict=True))


def _rows_of_words(documents: Sequence[Sequence[str]]) -> NDArray[np.float32]:
    """Return one row per document: its terms, weighted by their rarity among these documents.

    The rows of all terms have the length 1. Terms that none of the first documents has are left out, as nothing is
    compared by them; they are most.
    """
    flat = list(chain.from_iterable(documents))
    places = {term: place for place, term in enumerate(dict.fromkeys(flat))}
    columns = np.fromiter(map(places.__getitem__, flat), np.int64, len(flat))
    rows = np.repeat(np.arange(len(documents)), [len(document) for document in documents])
    width = max(1, len(places))
    cells, times = np.unique(rows * width + columns, return_counts=True)
    rows, columns = np.divmod(cells, width)
    holders = np.bincount(columns, minlength=width)
    rarity = np.log1p((len(documents) - holders + 0.5) / (holders + 0.5))
    weights = (1 + np.log(times)) * rarity[columns]
    weights /= np.sqrt(np.bincount(rows, weights**2, len(documents)))[rows]
    # Their terms have the first places.
    kept = len(set(chain.from_iterable(documents[:_VOTERS])))
    is_kept = columns < kept
    matrix = np.zeros((len(documents), max(1, kept)), np.float32)
    matrix[rows[is_kept], columns[is_kept]] = weights[is_kept]
    return matrix


def _centre_rows(vectors: Sequence[bytes], groups: Sequence[str]) -> NDArray[np.float32]:
    """Return one unit row per vector minus the mean of its group; zero if there is no vector.

    The vectors of a model share a common direction without information (Mu and Viswanath, All-but-the-top,
    2018): cosines of E5 are all above 0.7. Subtracting the mean leaves what distinguishes the passages of a
    pool. Those of one script share another direction, hence the groups.
    """
    size = max(map(len, vectors))
    # A server may have changed the dimension of its vectors.
    same = (vector if len(vector) == size else bytes(size) for vector in vectors)
    rows = np.frombuffer(b"".join(same), np.float32)
    rows = rows.reshape(len(vectors), -1).copy()
    is_there = rows.any(axis=1)
    for group in set(groups):
        members = is_there & (np.array(groups) == group)
        if members.sum() > 1:
            rows[members] -= rows[members].mean(axis=0)
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    rows /= np.where(norms > 0, norms, 1)
    return rows


def _cosines_with_first(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the similarity of each row to each of the first rows; 1 for the row itself."""
    # Not with BLAS: waking its threads, which then spin, takes longer than these small products.
    cosines: NDArray[np.float32] = np.clip(np.einsum("ik,jk->ij", rows, rows[:_VOTERS]), 0, 1)
    np.fill_diagonal(cosines, 1)
    return cosines
