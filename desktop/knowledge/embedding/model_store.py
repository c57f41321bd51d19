"""The store of downloaded models, one folder each, used only when complete, and the list of available embedding models."""

import importlib.util
import re
import shutil
from functools import lru_cache
from pathlib import Path
from typing import Literal

import msgspec

from desktop.domain.knowledge import EmbeddingModel
from desktop.errors import ModelLibraryMissing, ModelMissing, ModelUnusable
from desktop.knowledge.embedding.model_cards import (
    BUILT_IN,
    ENTAILMENT_MODELS,
    HUB_E5,
    KNOWN,
    MANY,
    MINILM,
    RECOMMENDED,
    RERANKERS,
    ModelCard,
)
from desktop.phrases import translatable
from desktop.settings.model import LOCAL_RERANKER, KnowledgeSettings, OwnEmbedder

MANIFEST = "footnote-model.json"
"""File that is written last: a folder without it is an unfinished download."""

MODEL_LIBRARY = ("torch", "sentence_transformers")
"""Packages that run models chosen by the user, installed by the extra “models”."""

_HUB_ID = re.compile(r"[A-Za-z0-9][\w.-]*(?:/[\w.-]+)?", re.ASCII)
_CODE = translatable("it contains its own program, which Footnote does not run")
_NO_WEIGHTS = translatable("its folder contains no weights in safetensors format")
_NO_TOKENIZER = translatable("its folder contains no tokenizer")
_INCOMPLETE = translatable("its weights “{name}” are incomplete or damaged; download it again")
_NO_ENCODER = translatable("it is not a text encoder but “{kind}”")
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "*.spm", "*.model", "tokenizer_config.json")
_OTHER_HEADS = (
    "ForCausalLM",
    "LMHeadModel",
    "ForConditionalGeneration",
    "Classification",
    "QuestionAnswering",
)
"""Ends of the names of architectures that write or classify; Sentence Transformers would embed with them all
the same, and badly.
"""
_LENGTH_BYTES = 8
_MAX_HEADER_BYTES = 100 * 2**20
_NO_CONFIG = translatable("its folder contains no readable configuration")


class ModelManifest(msgspec.Struct, frozen=True):
    """The manifest of a complete model: `files` are names with sizes in bytes."""

    id: str
    revision: str
    files: dict[str, int]


class ModelStore:
    """The folder `models` in the data folder, and access to model folders elsewhere on this machine."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def folder_of(self, hub_id: str) -> Path:
        """Return the folder for a model of the hub, whether it exists or not.

        Raises:
            ModelUnusable: the id is invalid.
        """
        if not is_hub_id(hub_id):
            raise ModelUnusable(model=hub_id, detail=translatable("the hub has no such names"))
        return self.folder / hub_id.replace("/", "--")

    def is_here(self, model_id: str) -> bool:
        """Say whether a model of the hub is complete, or the user's own folder exists."""
        if is_folder(model_id):
            return Path(model_id).is_dir()
        return is_hub_id(model_id) and _is_complete(self.folder_of(model_id))

    def find(self, model_id: str) -> Path:
        """Return the folder of a model that can be loaded.

        Raises:
            ModelMissing: it is missing or incomplete.
            ModelUnusable: it would run code, or has no weights in a safe format.
        """
        if not self.is_here(model_id):
            raise ModelMissing(model=model_id)
        folder = Path(model_id) if is_folder(model_id) else self.folder_of(model_id)
        check_folder(folder, model_id)
        return folder

    def delete(self, hub_id: str) -> None:
        """Delete a model or an unfinished download; a missing one is not an error."""
        folder = self.folder_of(hub_id)
        (folder / MANIFEST).unlink(missing_ok=True)
        shutil.rmtree(folder, ignore_errors=True)


def require_model_library(model: str) -> None:
    """Check that the packages of the extra “models” are installed; raises ModelLibraryMissing."""
    importlib.invalidate_caches()  # they may have been installed since this process was started
    if any(importlib.util.find_spec(name) is None for name in MODEL_LIBRARY):
        raise ModelLibraryMissing(model=model)


def is_folder(model_id: str) -> bool:
    """Say whether an id is the path of a local folder."""
    return Path(model_id).is_absolute()


def is_hub_id(model_id: str) -> bool:
    """Say whether an id has the form of a hub id; such an id cannot be used for path traversal."""
    return _HUB_ID.fullmatch(model_id) is not None and ".." not in model_id and "--" not in model_id


def check_folder(folder: Path, name: str) -> None:
    """Check that a model contains only data.

    Raises:
        ModelUnusable: it would run code, or has no complete weights in safetensors, or no tokenizer.
    """
    configuration = read_json(folder / "config.json")
    modules = read_json(folder / "modules.json")
    if not isinstance(configuration, dict):
        raise ModelUnusable(model=name, detail=_NO_CONFIG)
    if "auto_map" in configuration or not _are_known(modules):
        raise ModelUnusable(model=name, detail=_CODE)
    weights = {path.parent for path in folder.rglob("*.safetensors")}
    pickles = {path.parent for path in folder.rglob("pytorch_model*.bin")}
    if folder not in weights or not pickles <= weights:
        raise ModelUnusable(model=name, detail=_NO_WEIGHTS)
    if not any(True for pattern in _TOKENIZERS for _ in folder.rglob(pattern)):
        raise ModelUnusable(model=name, detail=_NO_TOKENIZER)
    for path in folder.rglob("*.safetensors"):
        if not _is_whole(path):
            raise ModelUnusable(model=name, detail=_INCOMPLETE.format(name=path.name))


def check_encoder(folder: Path, name: str) -> None:
    """Raise ModelUnusable if a model of `check_folder` does something else than embedding texts."""
    configuration = read_json(folder / "config.json")
    kinds = configuration.get("architectures") if isinstance(configuration, dict) else None
    if (folder / "modules.json").is_file() or not isinstance(kinds, list):
        return  # it was made for embedding, whatever it was before
    for kind in map(str, kinds):
        if kind.endswith(_OTHER_HEADS):
            raise ModelUnusable(model=name, detail=_NO_ENCODER.format(kind=kind))


def _is_whole(path: Path) -> bool:
    """Say whether a safetensors file is as long as its header says."""
    try:
        with path.open("rb") as content:
            length = int.from_bytes(content.read(_LENGTH_BYTES), "little")
            if length > _MAX_HEADER_BYTES:
                return False
            header = msgspec.json.decode(content.read(length), type=dict[str, _Tensor])
        end = max((tensor.data_offsets[1] for tensor in header.values() if tensor.data_offsets), default=0)
        return path.stat().st_size == _LENGTH_BYTES + length + end
    except (OSError, msgspec.DecodeError):
        return False


class _Tensor(msgspec.Struct):
    """The part of the header of a safetensors file that is used here; the entry `__metadata__` has none."""

    data_offsets: tuple[int, int] | None = None


def _are_known(modules: object) -> bool:
    """Say whether all modules are part of the library; a model need not list any."""
    if modules is None:
        return True
    return isinstance(modules, list) and all(
        isinstance(module, dict) and str(module.get("type", "")).startswith("sentence_transformers.")
        for module in modules
    )


def read_json(path: Path) -> object:
    """Return the parsed content of a JSON file, or None if it is missing or invalid."""
    try:
        return msgspec.json.decode(path.read_bytes())
    except (OSError, msgspec.DecodeError):
        return None


def _is_complete(folder: Path) -> bool:
    try:
        manifest = msgspec.json.decode((folder / MANIFEST).read_bytes(), type=ModelManifest)
        return all((folder / name).stat().st_size == size for name, size in manifest.files.items())
    except (OSError, msgspec.DecodeError):
        return False


_HAN_OF_A_READER = 2_000
"""Models that read Chinese have more Han characters in their vocabulary, others a few hundred."""
_HAN = range(0x4E00, 0xA000)
_NO_NAME = translatable("it is neither a name on the hub nor the path of a folder")


def models_of(settings: KnowledgeSettings, store: ModelStore) -> tuple[EmbeddingModel, ...]:
    """Return the bundled models, the recommended ones, and the user's own."""
    own = [model for model in dict.fromkeys(settings.own_models) if model not in KNOWN]
    former = [HUB_E5] if store.is_here(HUB_E5.id) or settings.embedding_model == HUB_E5.id else []
    return (
        _describe_card(BUILT_IN, "built-in"),
        _describe_card(MINILM, "built-in"),
        *(_local(card, store) for card in former),
        *(_local(card, store) for card in RECOMMENDED),
        *(_local(card_of(model, store), store) for model in own),
        *(_describe_server(embedder) for embedder in settings.own_embedders),
    )


def rerankers_of(settings: KnowledgeSettings, store: ModelStore) -> tuple[EmbeddingModel, ...]:
    """Return the recommended local rerankers and the one configured by the user."""
    chosen = settings.reranker.removeprefix(LOCAL_RERANKER)
    is_own = settings.reranker.startswith(LOCAL_RERANKER) and all(card.id != chosen for card in RERANKERS)
    own = [card_of(chosen, store)] if is_own else []
    return tuple(_local(card, store) for card in (*RERANKERS, *own))


def entailment_models_of(settings: KnowledgeSettings, store: ModelStore) -> tuple[EmbeddingModel, ...]:
    """Return the recommended entailment models and the one configured by the user."""
    chosen = settings.entailment_model
    is_own = bool(chosen) and all(card.id != chosen for card in ENTAILMENT_MODELS)
    own = [card_of(chosen, store)] if is_own else []
    return tuple(_local(card, store) for card in (*ENTAILMENT_MODELS, *own))


def card_of(model_id: str, store: ModelStore) -> ModelCard:
    """Return the properties of a local model from the list, or else from its own files if available."""
    if model_id in KNOWN:
        return KNOWN[model_id]
    name = Path(model_id).name if is_folder(model_id) else model_id
    if not store.is_here(model_id):
        return ModelCard(model_id, name)
    folder = Path(model_id) if is_folder(model_id) else store.folder_of(model_id)
    prompts = _table(folder / "config_sentence_transformers.json").get("prompts")
    prompts = prompts if isinstance(prompts, dict) else {}
    return ModelCard(
        model_id,
        name,
        languages_of(folder),
        dimensions=_number(folder / "config.json", "hidden_size"),
        max_tokens=_number(folder / "sentence_bert_config.json", "max_seq_length")
        or _number(folder / "config.json", "max_position_embeddings"),
        size_bytes=sum(path.stat().st_size for path in folder.rglob("*.safetensors")),
        query_prefix=str(prompts.get("query", "")),
        passage_prefix=str(prompts.get("passage") or prompts.get("document") or ""),
    )


def languages_of(folder: Path) -> tuple[str, ...]:
    """Return the languages of a model, derived from its vocabulary: many languages, or Latin script only."""
    tokenizer = folder / "tokenizer.json"
    try:
        seen = tokenizer.stat()
    except OSError:
        return MANY
    return _languages_of(tokenizer, seen.st_mtime_ns, seen.st_size)


@lru_cache(maxsize=64)
def _languages_of(tokenizer: Path, _changed_ns: int, _size: int) -> tuple[str, ...]:
    """Derive the languages from a vocabulary of up to 17 MB; cached until the file changes."""
    vocabulary = _table(tokenizer).get("model")
    pieces = vocabulary.get("vocab") if isinstance(vocabulary, dict) else None
    if not isinstance(pieces, dict | list):
        return MANY
    tokens = (entry if isinstance(entry, str) else str(entry[0]) for entry in pieces)
    han = {sign for token in tokens for sign in token if ord(sign) in _HAN}
    # Byte-level vocabularies contain no characters of any script, but can encode all of them.
    is_bytes = isinstance(pieces, dict) and "Ġ" in pieces
    return MANY if is_bytes or len(han) >= _HAN_OF_A_READER else ("en",)


def _local(card: ModelCard, store: ModelStore) -> EmbeddingModel:
    is_here = store.is_here(card.id)
    error = "" if is_here or is_hub_id(card.id) or is_folder(card.id) else _NO_NAME
    if is_here:
        try:
            check_folder(Path(card.id) if is_folder(card.id) else store.folder_of(card.id), card.name)
        except ModelUnusable as unusable:
            error = str(unusable)
    elif is_folder(card.id):
        error = translatable("its folder does not exist")
    return _describe_card(card, "local", is_here=is_here, error=error)


def _describe_card(
    card: ModelCard, kind: Literal["built-in", "local"], *, is_here: bool = True, error: str = ""
) -> EmbeddingModel:
    return EmbeddingModel(
        id=card.id,
        name=card.name,
        languages=card.languages,
        dimensions=card.dimensions,
        max_tokens=card.max_tokens,
        size_bytes=card.size_bytes,
        licence=card.licence,
        is_here=is_here,
        kind=kind,
        error=error,
    )


def _describe_server(own: OwnEmbedder) -> EmbeddingModel:
    return EmbeddingModel(own.id, own.name or own.model, dimensions=own.dimensions, kind="api")


def _table(path: Path) -> dict[str, object]:
    found = read_json(path)
    return found if isinstance(found, dict) else {}


def _number(path: Path, key: str) -> int:
    value = _table(path).get(key)
    return value if isinstance(value, int) else 0
