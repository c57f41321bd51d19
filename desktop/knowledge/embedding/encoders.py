"""All embedding models in use, by id: local ones in the model thread, remote ones over the network."""

import hashlib
import logging
import os
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from desktop.errors import ModelInUse, ModelMissing, ModelUnusable, plain_reason
from desktop.knowledge.bundled_models import BUNDLED, load_bundled
from desktop.knowledge.embedding.model_cards import MANY
from desktop.knowledge.embedding.model_store import (
    MANIFEST,
    ModelStore,
    card_of,
    check_encoder,
    require_model_library,
)
from desktop.knowledge.protocol import WorkerConfig
from desktop.knowledge.work_thread import WorkThread

if TYPE_CHECKING:
    from desktop.knowledge.embedding.remote import RemoteEncoder
    from desktop.knowledge.sentence_transformers_models import SentenceTransformersEncoder

# torch and the SDK take seconds to import, and a base may need only one of them, or none.
# ruff: noqa: PLC0415

_log = logging.getLogger(__name__)

_KERNELS_KEPT = 16
"""Number of oneDNN kernels to cache, one per batch length and kind of layer. By default, it caches 1,024 of
some 100 kB each, and texts have hundreds of lengths: the worker grew by 0.6 GB over 3,000 passages without
being faster.
"""


class Encoders:
    """Loads models at first use. Belongs to one event loop."""

    def __init__(self, store: ModelStore, thread: WorkThread) -> None:
        self._store = store
        self._thread = thread
        self._local: dict[str, _LocalEncoder] = {}
        self._served: dict[str, RemoteEncoder] = {}
        self._languages: dict[str, tuple[str, ...]] = {}
        self.setup = WorkerConfig()

    async def configure(self, setup: WorkerConfig) -> None:
        """Use new settings; requests to servers use the new keys from now on."""
        self.setup = setup
        self._languages.clear()
        served, self._served = self._served, {}
        for encoder in served.values():
            await encoder.aclose()

    async def keep(self, model_ids: Collection[str]) -> None:
        """Unload all local models except these."""
        if any(model_id not in model_ids for model_id in self._local):
            await self._thread.run(lambda: self._unload(set(self._local) - set(model_ids)))

    async def delete(self, model_id: str, users: Sequence[str]) -> None:
        """Delete a downloaded model; raises ModelInUse if the bases named in `users` use it."""
        if users:
            raise ModelInUse(model=card_of(model_id, self._store).name, base=users[0])
        await self._thread.run(lambda: self._unload({model_id}))
        await self._thread.run(lambda: self._store.delete(model_id))

    async def embed(self, model_id: str, texts: Sequence[str], *, is_query: bool = False) -> list[bytes]:
        """Return one unit vector per text, each text with the prefix that the model was trained with.

        Raises:
            ModelMissing, ModelUnusable, EmbedderRefused: permanent until something is changed.
            EmbedderDown: temporary; retry later.
        """
        own = self.setup.embedder(model_id)
        if own is not None:
            prefix = own.query_prefix if is_query else own.passage_prefix
            return await self._server(model_id).encode([prefix + text for text in texts])
        return await self._thread.run(lambda: self._encode(model_id, texts, is_query=is_query))

    def languages(self, model_id: str) -> tuple[str, ...]:
        """Return the languages of a model, as in `EmbeddingModel`; empty for a model on a server."""
        if model_id not in self._languages:
            served = self.setup.embedder(model_id) is not None
            self._languages[model_id] = MANY if served else card_of(model_id, self._store).languages
        return self._languages[model_id]

    def fingerprint(self, model_id: str) -> str:
        """Return an id that changes when a model's vectors are no longer comparable with earlier ones.

        Raises:
            ModelMissing: the model is not installed.
        """
        own = self.setup.embedder(model_id)
        if own is not None:
            return _digest(own.model, own.dimensions, own.query_prefix, own.passage_prefix)
        if model_id in BUNDLED:
            return model_id
        folder = self._store.find(model_id)
        if (folder / MANIFEST).is_file():
            return _digest((folder / MANIFEST).read_bytes())
        weights = sorted(folder.rglob("*.safetensors"))
        return _digest(*((path.name, path.stat().st_size, path.stat().st_mtime_ns) for path in weights))

    def _server(self, model_id: str) -> "RemoteEncoder":
        if model_id not in self._served:
            from desktop.knowledge.embedding.remote import RemoteEncoder

            own = self.setup.embedder(model_id)
            if own is None:
                raise ModelMissing(model=model_id)
            key = self.setup.secret(f"embedding/{model_id}")
            self._served[model_id] = RemoteEncoder(own, key, self.setup.proxy)
        return self._served[model_id]

    def _encode(self, model_id: str, texts: Sequence[str], *, is_query: bool) -> list[bytes]:
        card = card_of(model_id, self._store)
        prefix = card.query_prefix if is_query else card.passage_prefix
        return self._model(model_id).encode([prefix + text for text in texts])

    def _model(self, model_id: str) -> "_LocalEncoder":
        """Return a loaded model; to be called in the model thread only."""
        if model_id not in self._local:
            if model_id in BUNDLED:
                self._local[model_id] = load_bundled(model_id)
            else:
                self._local[model_id] = _load_installed(model_id, self._store.find(model_id))
        return self._local[model_id]

    def _unload(self, model_ids: Collection[str]) -> None:
        for model_id in model_ids:
            self._local.pop(model_id, None)


class _LocalEncoder(Protocol):
    """A loaded local model."""

    def encode(self, texts: Sequence[str]) -> list[bytes]:
        """Return unit vectors of 32-bit floats in the order of `texts`."""
        ...


def _load_installed(model_id: str, folder: Path) -> "SentenceTransformersEncoder":
    """Load a model chosen by the user; raises ModelUnusable, ModelLibraryMissing."""
    os.environ["HF_HUB_OFFLINE"] = "1"  # read once, when the libraries are imported
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    os.environ.setdefault("ONEDNN_PRIMITIVE_CACHE_CAPACITY", str(_KERNELS_KEPT))
    check_encoder(folder, folder.name)
    require_model_library(folder.name)
    from desktop.knowledge.sentence_transformers_models import SentenceTransformersEncoder

    try:
        return SentenceTransformersEncoder(folder)
    except Exception as error:  # the library raises arbitrary exceptions for folders without a model
        _log.exception("%s cannot be loaded", model_id)
        raise ModelUnusable(
            model=folder.name, detail=f"{type(error).__name__}: {plain_reason(error)}"
        ) from error


def _digest(*values: object) -> str:
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]
