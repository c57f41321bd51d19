"""The list of available embedding models and their properties."""

from functools import lru_cache
from pathlib import Path
from typing import Literal

from desktop.domain.knowledge import EmbeddingModel
from desktop.errors import ModelUnusable
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
from desktop.knowledge.embedding.model_store import ModelStore, check_folder, is_folder, is_hub_id, read_json
from desktop.phrases import translatable
from desktop.settings.model import LOCAL_RERANKER, KnowledgeSettings, OwnEmbedder

_HAN_OF_A_READER = 2_000
"""Models that read Chinese have more Han characters in their vocabulary, others a few hundred."""
_HAN = range(0x4E00, 0xA000)
_NO_NAME = translatable("it is neither a name on the hub nor the path of a folder")


def models_of(settings: KnowledgeSettings, store: ModelStore) -> tuple[EmbeddingModel, ...]:
    """Return the bundled models, the recommended ones, and the user's own."""
    own = [model for model in dict.fromkeys(settings.own_models) if model not in KNOWN]
    former = [HUB_E5] if store.is_here(HUB_E5.id) or settings.embedding_model == HUB_E5.id else []
    return (
        _seen(BUILT_IN, "built-in"),
        _seen(MINILM, "built-in"),
        *(_local(card, store) for card in former),
        *(_local(card, store) for card in RECOMMENDED),
        *(_local(card_of(model, store), store) for model in own),
        *(_served(embedder) for embedder in settings.own_embedders),
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
    return _seen(card, "local", is_here=is_here, error=error)


def _seen(
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


def _served(own: OwnEmbedder) -> EmbeddingModel:
    return EmbeddingModel(own.id, own.name or own.model, dimensions=own.dimensions, kind="api")


def _table(path: Path) -> dict[str, object]:
    found = read_json(path)
    return found if isinstance(found, dict) else {}


def _number(path: Path, key: str) -> int:
    value = _table(path).get(key)
    return value if isinstance(value, int) else 0
