"""Vectors of texts from the built-in MiniLM, offline."""

import os
from collections.abc import Sequence

import numpy as np
import torch
from sentence_transformers import SentenceTransformer

from desktop.knowledge.builtin_model import minilm_folder

BATCH = 16
"""Larger ones are no faster on a CPU and make a query wait longer."""


class Embedder:
    """The model. Loading it takes a second, importing this module five."""

    def __init__(self) -> None:
        torch.set_num_threads(max(1, (os.cpu_count() or 2) // 2))
        self._model = SentenceTransformer(str(minilm_folder()), device="cpu", local_files_only=True)
        if _has_fast_bfloat16():  # half the time; the vectors differ by less than a paraphrase does
            self._model.bfloat16()

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        """Return unit vectors of 32-bit floats in the order of `texts`."""
        vectors = self._model.encode(
            list(texts), batch_size=BATCH, normalize_embeddings=True, show_progress_bar=False
        )
        return [vector.tobytes() for vector in np.asarray(vectors, np.float32)]


def _has_fast_bfloat16() -> bool:
    able = torch.cpu.get_capabilities()
    return bool(able.get("avx512_bf16") or able.get("amx_bf16"))
