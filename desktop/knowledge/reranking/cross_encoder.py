"""Local cross encoders of sentence-transformers on the CPU: rerankers and entailment models."""

from collections.abc import Mapping, Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import CrossEncoder

from desktop.knowledge.reranking.reranker import Pair
from desktop.text.likelihoods import logistic

MAX_TOKENS = 512
"""Query and passage are shorter than this; models with a greater maximum length would only add padding."""
_CLASSES = 2
"""Rerankers trained as classifiers have two outputs, the second for “relevant”."""


class LoadedCrossEncoder:
    """A loaded reranker; `source` is a folder, or the id of a downloaded model. Loading takes seconds.

    Raises:
        ValueError: the model is not a reranker.
    """

    def __init__(self, source: str) -> None:
        self._model = CrossEncoder(source, device="cpu", local_files_only=True)
        if _lacks_head(self._model):
            raise ValueError("it was not trained to judge pairs of texts")
        if self._model.num_labels not in {1, _CLASSES}:
            raise ValueError(f"{self._model.num_labels} outputs; a reranker has one or two")
        longest = self._model.max_seq_length
        if not longest or longest > MAX_TOKENS:
            self._model.max_seq_length = MAX_TOKENS

    def scores(self, pairs: Sequence[Pair]) -> list[float]:
        """Return a score in 0…1 for each pair, computed from the logits with our own activation."""
        outputs: NDArray[np.float32] = np.asarray(
            self._model.predict(
                list(pairs), batch_size=len(pairs), activation_fn=torch.nn.Identity(), show_progress_bar=False
            ),
            np.float32,
        ).reshape(len(pairs), -1)
        if outputs.shape[1] == _CLASSES:
            return [logistic(float(yes - no)) for no, yes in outputs]
        return [logistic(float(output)) for output in outputs[:, 0]]


class LoadedEntailmentModel:
    """A loaded entailment model, which predicts entailment and, in most cases, contradiction.

    Raises:
        ValueError: it is not an entailment model, or does not name its outputs.
    """

    def __init__(self, source: str) -> None:
        self._model = CrossEncoder(source, device="cpu", local_files_only=True)
        if _lacks_head(self._model):
            raise ValueError("it was not trained to judge pairs of texts")
        names: dict[int, str] = (
            self._model.config.id2label if self._model.num_labels > 1 else {0: "entailment"}
        )
        self._entails = _output_of(names, ("entail", "support", "consistent", "1"))
        self._contradicts = _output_of(names, ("contradict", "refut"))
        if self._entails is None:
            raise ValueError(f"none of its outputs is called entailment: {', '.join(names.values())}")
        longest = self._model.max_seq_length
        if not longest or longest > MAX_TOKENS:
            self._model.max_seq_length = MAX_TOKENS

    def judge(self, pairs: Sequence[Pair]) -> list[tuple[float, float]]:
        """Return the probabilities (0…1) of entailment and contradiction for each (passage, claim)."""
        outputs: NDArray[np.float32] = np.asarray(
            self._model.predict(
                list(pairs), batch_size=len(pairs), activation_fn=torch.nn.Identity(), show_progress_bar=False
            ),
            np.float32,
        ).reshape(len(pairs), -1)
        if outputs.shape[1] == 1:
            return [(logistic(float(output)), 0.0) for output in outputs[:, 0]]
        odds = np.exp(outputs - outputs.max(axis=1, keepdims=True))
        shares = odds / odds.sum(axis=1, keepdims=True)
        against = np.zeros(len(pairs)) if self._contradicts is None else shares[:, self._contradicts]
        return list(zip(shares[:, self._entails].tolist(), against.tolist(), strict=True))


def _output_of(names: Mapping[int, str], beginnings: Sequence[str]) -> int | None:
    """Return the output whose name starts with one of `beginnings`; this excludes “not_entailment”."""
    return next((place for place, name in names.items() if name.lower().startswith(tuple(beginnings))), None)


def _lacks_head(model: CrossEncoder) -> bool:
    """Say whether the weights are of another kind of model, so that a randomly initialised head was added."""
    if len(model) > 1:  # the head is a separate module
        return False
    weights = model.transformers_model
    built_as: list[str] = (weights.config.architectures or []) if weights is not None else []
    return not any(name.endswith("ForSequenceClassification") for name in built_as)
