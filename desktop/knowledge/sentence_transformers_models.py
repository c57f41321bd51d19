"""Local models of sentence-transformers on the CPU: encoders, rerankers and entailment models."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import CrossEncoder, SentenceTransformer

from desktop.knowledge.reranking import Pair
from desktop.text.heap import release_memory
from desktop.text.likelihoods import logistic

_BATCH = 16
_MOST_THREADS = 4
_MOST_TOKENS = 1_024
"""Maximum length, whatever the model supports: passages are shorter, and attention needs much memory."""


class SentenceTransformersEncoder:
    """A loaded model. Loading a small one takes a second, importing this module five.

    Only weights in safetensors are loaded, and no code of the model: see `model_store.check_folder`.
    """

    def __init__(self, folder: Path) -> None:
        # Leave half of the CPU cores to the window and other programs.
        torch.set_num_threads(max(1, min(_MOST_THREADS, (os.cpu_count() or 2) // 2)))
        self._model = SentenceTransformer(
            str(folder),
            device="cpu",
            local_files_only=True,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
        if _has_fast_bfloat16():  # takes half the time; the vectors change less than they do for a paraphrase
            self._model.bfloat16()
        longest = self._model.max_seq_length
        if not longest or longest > _MOST_TOKENS:
            self._model.max_seq_length = _MOST_TOKENS

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        """Return unit vectors of 32-bit floats in the order of `texts`, batched by length."""
        vectors = self._model.encode(
            list(texts),
            prompt="",  # the texts already have their prefixes
            batch_size=_BATCH,
            normalize_embeddings=True,
            show_progress_bar=False,
        )
        if len(texts) > 1:  # a single text is a query, which should not wait for it
            release_memory()
        return [vector.tobytes() for vector in np.asarray(vectors, np.float32)]


def _has_fast_bfloat16() -> bool:
    able = torch.cpu.get_capabilities()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16"))


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
