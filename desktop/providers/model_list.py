"""Reads the list of models that a server offers, in the shapes that servers give it."""

import re
from collections.abc import Iterable

import msgspec

from desktop.domain.models import ModelInfo
from desktop.phrases import phrase
from desktop.settings.model import ProviderSettings

_NO_CHAT = re.compile(
    r"embed|rerank|\bbge-|\bwhisper|\btts\b|dall-e|moderation|transcri|text-to-|stable-diffusion|\bflux"
    r"|imagen|image-gen|gpt-image|\bsora\b|\bveo-|wanx|cosyvoice|\bocr\b|davinci|babbage",
    re.IGNORECASE,
)
"""Names of models that do not chat: lists mix them in without saying so."""


class _Meta(msgspec.Struct):
    n_ctx: int | None = None


class _Listed(msgspec.Struct):
    id: str
    display_name: str | None = None
    name: str | None = None
    context_length: int | None = None
    context_window: int | None = None
    max_context_length: int | None = None
    max_model_len: int | None = None
    max_input_tokens: int | None = None
    meta: _Meta | None = None


class _List(msgspec.Struct):
    data: list[_Listed] | None = None


def models_in(body: object, settings: ProviderSettings) -> tuple[ModelInfo, ...]:
    """Return the models of `body` that chat, sorted as the server has them.

    Raises:
        msgspec.ValidationError: `body` is no list of models.
    """
    listed = msgspec.convert(body, _List | list[_Listed], strict=False)
    rows = listed if isinstance(listed, list) else listed.data
    if rows is None:
        raise msgspec.ValidationError(phrase("The list has no data."))
    return tuple(_info(row, settings) for row in rows if not _NO_CHAT.search(row.id))


def with_named(models: Iterable[ModelInfo], settings: ProviderSettings) -> tuple[ModelInfo, ...]:
    """Return `models` and, behind them, those that the person named and the server did not."""
    listed = {model.id: model for model in models}
    named = {model.id: model for model in (_info(_Listed(id=name), settings) for name in settings.models)}
    return tuple((listed | {id_: model for id_, model in named.items() if id_ not in listed}).values())


def _info(row: _Listed, settings: ProviderSettings) -> ModelInfo:
    meta_context = row.meta.n_ctx if row.meta else None
    contexts = (
        row.context_length,
        row.context_window,
        row.max_context_length,
        row.max_model_len,
        row.max_input_tokens,
        meta_context,
    )
    return ModelInfo(
        id=f"{settings.id}/{row.id}",
        name=row.display_name or row.name or _file_name(row.id),
        provider=settings.name,
        context_tokens=next((tokens for tokens in contexts if tokens), None),
    )


def _file_name(id_: str) -> str:
    """Shorten the paths that llama.cpp gives as ids."""
    return id_.replace("\\", "/").rsplit("/", 1)[-1] if id_.endswith(".gguf") else id_
