"""BM25 over a handful of texts in memory."""

import math
from collections import Counter
from collections.abc import Sequence

from desktop.text.terms import content_terms, terms

K1 = 1.2
B = 0.75


def bm25_scores(query: str, documents: Sequence[str]) -> list[float]:
    """Return one score per document; 0 where no term of the query occurs, higher is better.

    Robertson and Zaragoza, The Probabilistic Relevance Framework (2009), with the idf that is never
    negative (`log(1 + …)`), as these collections are small. A query of nothing but stop words is
    taken at its word.
    """
    counted = [Counter(terms(document)) for document in documents]
    wanted = Counter(content_terms(query) or terms(query))
    lengths = [counts.total() for counts in counted]
    mean = sum(lengths) / len(lengths) if any(lengths) else 1.0
    weights = {term: times * _idf(term, counted) for term, times in wanted.items()}
    return [
        sum(
            weight * counts[term] * (K1 + 1) / (counts[term] + K1 * (1 - B + B * length / mean))
            for term, weight in weights.items()
            if term in counts
        )
        for counts, length in zip(counted, lengths, strict=True)
    ]


def _idf(term: str, counted: Sequence[Counter[str]]) -> float:
    holders = sum(term in counts for counts in counted)
    return math.log(1 + (len(counted) - holders + 0.5) / (holders + 0.5))
