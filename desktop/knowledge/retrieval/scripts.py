"""Passages in other scripts than the query: E5 prefers those in its own, whatever they are about.

The direction from the mean vector of sentences in one language to that of their translations says nothing about
a subject. It is removed from the vectors of query and passages, and most of what all sentences have in common with it.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.passages import Passages
from desktop.knowledge.retrieval.parallel_sentences import PARALLEL_SENTENCES
from desktop.text.language import script_of

MODELS = frozenset({"multilingual-e5-small", "intfloat/multilingual-e5-small"})
"""Others have less of a preference, or were not measured."""
SEEN = 3_000
"""Number of documents, and of passages, whose script is looked at in a base."""
_CHANGE = 0.02
"""A base is looked at again when it has grown or shrunk by more than this share."""
_COMMON_SHARE = 0.9
"""How much of what all sentences have in common is removed."""
_BONUS = 0.05
"""Translations are a little less alike than texts in one language, so among many passages some in the query's
script come before them by chance. Among fewer than `_MANY` less is added.
"""
_MANY = 100
_SHIFT = 0.5
"""With this much of another language's direction, the nearest passages to a query are all in that language."""

Rows = NDArray[np.float32]


@dataclass(frozen=True)
class Similarities:
    """The similarity of passages to a query without its preference for a script, and the script of each."""

    values: Mapping[int, float]
    scripts: Mapping[int, str]


class LanguageAxes:
    """The directions between the languages of a model: `means` are those of parallel sentences by script."""

    def __init__(self, means: Mapping[str, Rows]) -> None:
        self._scripts = list(means)
        self._means: Rows = np.stack(list(means.values())).astype(np.float32)
        basis, _ = np.linalg.qr((self._means[1:] - self._means[0]).T)
        self._basis: Rows = basis.astype(np.float32)
        common = _COMMON_SHARE * self._without_language(self._means.mean(axis=0))
        self._common: Rows = common.astype(np.float32)

    def directions(self, query: bytes, script: str) -> list[bytes]:
        """Return a vector for each other script, near which the passages in it that answer the query are."""
        asked = self._neutral(np.frombuffer(query, np.float32))
        within = self._means @ self._basis
        found = []
        for name, place in zip(self._scripts, within, strict=True):
            if name != script:
                towards = self._basis @ (place - within.mean(axis=0))
                vector = asked + _SHIFT * towards / np.linalg.norm(towards)
                found.append((vector / np.linalg.norm(vector)).astype(np.float32).tobytes())
        return found

    def compare(self, query: bytes, vectors: Sequence[tuple[int, bytes]], script: str) -> Similarities:
        """Return how similar passages are to a query in a script."""
        if not vectors:
            return Similarities({}, {})
        rows = np.frombuffer(b"".join(vector for _, vector in vectors), np.float32).reshape(len(vectors), -1)
        centres = self._means @ self._basis
        closeness = (rows @ self._basis) @ centres.T - (centres**2).sum(axis=1) / 2
        scripts = [self._scripts[place] for place in closeness.argmax(axis=1).tolist()]
        most = _BONUS * min(1.0, len(vectors) / _MANY)
        bonus = np.array([0.0 if found == script else most for found in scripts])
        values = self._neutral(rows) @ self._neutral(np.frombuffer(query, np.float32)) + bonus
        passages = [passage for passage, _ in vectors]
        return Similarities(
            dict(zip(passages, values.tolist(), strict=True)), dict(zip(passages, scripts, strict=True))
        )

    def _without_language(self, rows: Rows) -> Rows:
        return (rows - (rows @ self._basis) @ self._basis.T).astype(np.float32)

    def _neutral(self, rows: Rows) -> Rows:
        rest = self._without_language(rows) - self._common
        unit: Rows = (rest / np.linalg.norm(rest, axis=-1, keepdims=True)).astype(np.float32)
        return unit


def axes_of(embedded: Mapping[str, Sequence[bytes]]) -> LanguageAxes:
    """Return the axes between some scripts from the vectors of their parallel sentences."""
    return LanguageAxes(
        {
            script: np.stack([np.frombuffer(vector, np.float32) for vector in vectors]).mean(axis=0)
            for script, vectors in embedded.items()
        }
    )


class BaseScripts:
    """The scripts of the passages in bases, seen in a sample and remembered."""

    def __init__(self, database: IndexDatabase) -> None:
        self._passages = Passages(database)
        self._seen: dict[str, tuple[int, frozenset[str]]] = {}

    def of(self, base_ids: Collection[str]) -> frozenset[str]:
        """Return the scripts in some bases for which there are parallel sentences."""
        return frozenset[str]().union(*map(self._of_base, base_ids)) & frozenset(PARALLEL_SENTENCES)

    def _of_base(self, base_id: str) -> frozenset[str]:
        size = self._passages.count_documents(base_id)
        known = self._seen.get(base_id)
        if known is None or abs(size - known[0]) > _CHANGE * known[0]:
            known = self._seen[base_id] = (size, _scripts(self._passages.beginnings(base_id, SEEN)))
        return known[1]


def _scripts(texts: Iterable[str]) -> frozenset[str]:
    return frozenset(map(script_of, texts))
