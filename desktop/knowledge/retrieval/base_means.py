"""What the passages of a base have in common, by a sample of their vectors."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.passages import Passages
from desktop.knowledge.index.vector_rows import VectorRows
from desktop.text.language import script_of

SAMPLE = 1_000
LEAST = 50
"""With fewer vectors, their mean says too little about others."""
_CHANGE = 0.02
"""A base is sampled again when it has grown or shrunk by more than this share."""

Row = NDArray[np.float64]


@dataclass(frozen=True)
class Background:
    """How passages that do not answer a query look: `cosine` is the mean similarity of all passages to the query.

    `likeness` is the mean similarity of two passages: high in a collection on one subject. Both are of the
    vectors of `model`. `passages` is the number of passages in the bases.
    """

    model: str
    cosine: float
    likeness: float
    passages: int


@dataclass(frozen=True)
class _Sample:
    """The number of documents and passages of a base; the sum and the number of vectors by script of the text."""

    documents: int
    passages: int
    sums: Mapping[str, tuple[Row, int]]


class BaseMeans:
    """The mean vectors of bases by the script of their passages, remembered."""

    def __init__(self, database: IndexDatabase) -> None:
        self._passages = Passages(database)
        self._rows = VectorRows(database)
        self._known: dict[tuple[str, str], _Sample] = {}

    def background(
        self, query: str, vector: bytes, base_ids: Collection[str], model: str
    ) -> Background | None:
        """Return what passages in the script of a query have in common; None if too few have a vector."""
        asked, script = np.frombuffer(vector, np.float32).astype(np.float64), script_of(query)
        samples = [self._sample_of(base_id, model) for base_id in base_ids]
        own = [sample.sums[script] for sample in samples if script in sample.sums]
        found = [(total, number) for total, number in own if len(total) == len(asked)]
        count = sum(number for _, number in found)
        if count < LEAST:
            return None
        mean = np.add.reduce([total for total, _ in found]) / count
        passages = sum(sample.passages for sample in samples)
        return Background(model, float(asked @ mean), float(mean @ mean), passages)

    def _sample_of(self, base_id: str, model: str) -> _Sample:
        documents = self._passages.count_documents(base_id)
        known = self._known.get((base_id, model))
        if known is not None and abs(documents - known.documents) <= _CHANGE * known.documents:
            return known
        passages = self._passages.count_passages(base_id)
        rows, is_whole = self._rows.sample(base_id, model, -(-passages // SAMPLE) or 1)
        sums: dict[str, tuple[Row, int]] = {}
        for text, vector in rows:
            script, row = script_of(text), np.frombuffer(vector, np.float32).astype(np.float64)
            total, number = sums.get(script, (np.zeros_like(row), 0))
            if len(total) == len(row):  # a server may have changed the dimension of its vectors
                sums[script] = (total + row, number + 1)
        sample = _Sample(documents, passages, sums)
        if is_whole:  # while vectors are being made, those of the first files are no sample of all
            self._known[base_id, model] = sample
        return sample
