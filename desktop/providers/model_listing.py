"""Reads the model lists of servers, and what a list entry or a name reveals about a model."""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, TypeGuard
from urllib.parse import urlsplit

import msgspec

from desktop.domain.models import NO_FACTS, Ability, ModelFacts, ModelInfo, Price, file_name_of
from desktop.phrases import translatable
from desktop.settings.model import ProviderSettings

_CONTEXT = (
    "loaded_context_length",
    "context_length",
    "context_window",
    "max_context_length",
    "max_model_len",
    "max_input_tokens",
)
_OUTPUT = ("max_completion_tokens", "max_output_tokens", "max_tokens")
_PER_MILLION = 1_000_000
_MOST_TOKENS = 10**9
"""Larger context windows are considered wrong."""

_ABILITIES = {
    "function_calling": Ability.TOOLS,
    "tool_use": Ability.TOOLS,
    "tools": Ability.TOOLS,
    "vision": Ability.IMAGES,
    "image": Ability.IMAGES,
    "image_input": Ability.IMAGES,
    "supports_image_in": Ability.IMAGES,
    "file": Ability.FILES,
    "pdf_input": Ability.FILES,
    "reasoning": Ability.REASONING,
    "thinking": Ability.REASONING,
    "supports_reasoning": Ability.REASONING,
}

Row = Mapping[str, Any]


def facts_in(row: Row) -> ModelFacts:
    """Return the facts in one entry of a list; values of an unexpected type are ignored."""
    top, meta = _mapping(row.get("top_provider")), _mapping(row.get("meta"))
    has, lacks = _abilities(row)
    return ModelFacts(
        context_tokens=_count(row.get(name) for name in _CONTEXT) or _count([meta.get("n_ctx")]),
        output_tokens=_count([top.get("max_completion_tokens"), *(row.get(name) for name in _OUTPUT)]),
        price=_price(_mapping(row.get("pricing"))),
        has=has,
        lacks=lacks,
    )


def parse_abilities(names: Iterable[object]) -> set[Ability]:
    """Return the abilities that a server's terms stand for."""
    return {_ABILITIES[name] for name in names if isinstance(name, str) and name in _ABILITIES}


def _abilities(row: Row) -> tuple[tuple[Ability, ...], tuple[Ability, ...]]:
    """Return the abilities that a model has, and those that it lacks.

    If a list names the abilities of a model, the ones that it does not name are missing.
    """
    said = {
        _ABILITIES[name]: bool(row[name])
        for name in ("supports_image_in", "supports_reasoning")
        if name in row
    }
    capabilities = row.get("capabilities")
    if isinstance(capabilities, dict):
        flags = {name: _is_on(value) for name, value in capabilities.items() if name in _ABILITIES}
        said |= {_ABILITIES[name]: is_on for name, is_on in flags.items()}
        server_tools = _mapping(capabilities.get("server_tools"))
        if "web_search" in server_tools:
            said[Ability.SEARCH] = _is_on(server_tools["web_search"])
    if isinstance(capabilities, list) and row.get("object") == "model" and "arch" in row:  # LM Studio
        said |= {Ability.TOOLS: "tool_use" in capabilities, Ability.IMAGES: row.get("type") == "vlm"}
    parameters, architecture = row.get("supported_parameters"), _mapping(row.get("architecture"))
    if isinstance(parameters, list):
        named = parse_abilities(parameters)
        said |= {ability: ability in named for ability in (Ability.TOOLS, Ability.REASONING)}
    if isinstance(modalities := architecture.get("input_modalities"), list):
        named = parse_abilities(modalities)
        said |= {ability: ability in named for ability in (Ability.IMAGES, Ability.FILES)}
    return sort_abilities(ability for ability in said if said[ability]), sort_abilities(
        ability for ability in said if not said[ability]
    )


def sort_abilities(abilities: Iterable[Ability]) -> tuple[Ability, ...]:
    """Return abilities in the canonical order."""
    return tuple(sorted(set(abilities)))


def _price(pricing: Row) -> Price | None:
    """Read OpenRouter's prices, in dollars per token; negative prices mean that they vary."""
    given, made = _amount(pricing.get("prompt")), _amount(pricing.get("completion"))
    if given is None or made is None:
        return None
    return Price(given, made, cached=_amount(pricing.get("input_cache_read")))


def _amount(value: object) -> float | None:
    if not isinstance(value, str | int | float):
        return None
    try:
        amount = float(value) * _PER_MILLION
    except ValueError:
        return None
    return round(amount, 6) if math.isfinite(amount) and amount >= 0 else None


def _is_on(value: object) -> bool:
    return bool(value.get("supported")) if isinstance(value, dict) else bool(value)


def _count(values: Iterable[object]) -> int | None:
    return next((value for value in values if is_token_count(value)), None)


def is_token_count(value: object) -> TypeGuard[int]:
    """Say whether a value from a server is a plausible context window."""
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= _MOST_TOKENS


def _mapping(value: object) -> Row:
    return value if isinstance(value, dict) else {}


_FAMILIES: tuple[tuple[re.Pattern[str], tuple[Ability, ...]], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), abilities)
    for pattern, abilities in (
        (
            r"\b(?:gpt-4o|gpt-4\.1|gpt-[5-9]|o[134]|chatgpt-4o)\b|\bgpt-4-turbo",
            (Ability.IMAGES, Ability.TOOLS),
        ),
        (r"\b(?:gpt-[5-9](?!.*chat)|o[134])\b|\bgpt-oss", (Ability.REASONING, Ability.TOOLS)),
        (r"\bclaude-(?:3|fable|opus|sonnet|haiku)", (Ability.IMAGES, Ability.TOOLS, Ability.FILES)),
        (r"\bclaude-(?:3-7|(?:fable|opus|sonnet|haiku)-[4-9])", (Ability.REASONING,)),
        (r"\bgemini-(?:1\.5|2|3)", (Ability.IMAGES, Ability.TOOLS)),
        (r"\bgemini-(?:2\.5|3)", (Ability.REASONING,)),
        (
            r"\bdeepseek-(?:reasoner|r1|v[4-9])|\bqwq\b|\bqwen3|\bgrok-(?:3-mini|[4-9])|\bmagistral|\bkimi-k(?:2-thinking|[3-9])|\bglm-(?:4\.[5-9]|[5-9])",
            (Ability.REASONING,),
        ),
        (
            r"\bdeepseek-(?:chat|v[3-9])|\bqwen(?:2\.5|3|-(?:plus|max|turbo))|\bmistral-(?:large|medium|small)|\bkimi-k[2-9]|\bgrok-|\bglm-[4-9]|\bllama-?3\.[1-9]",
            (Ability.TOOLS,),
        ),
        (
            r"-vl\b|[-_]vision\b|\bllava|\bpixtral|\bgemma-?3\b|\bgrok-(?:2-vision|4)|\bglm-4(?:\.\d)?v|\bllama-?4",
            (Ability.IMAGES,),
        ),
    )
)


def facts_by_name(name: str) -> ModelFacts:
    """Return the facts known for the family of a model."""
    known = {ability for pattern, abilities in _FAMILIES if pattern.search(name) for ability in abilities}
    return ModelFacts(has=sort_abilities(known))


_NO_CHAT = re.compile(
    r"embed|rerank|\bbge-|\bgte-|\be5-|\ball-minilm|\bparaphrase-|\bwhisper|\btts\b|dall-e|moderation|transcri|text-to-|stable-diffusion|\bflux"
    r"|imagen|image-gen|gpt-image|\bsora\b|\bveo-|wanx|cosyvoice|\bocr\b|davinci|babbage"
    r"|\basr\b|guard|chatgpt-image|\bimagine\b|\blyria|orpheus|realtime|\bspeech",
    re.IGNORECASE,
)
"""Names of models that cannot chat; lists include them without marking them."""

MAX_MODELS = 5_000
"""Maximum number of models offered; the longest list of a service had 900 in November 2026."""

MAX_NAME_CHARS = 500

_SEARCHING = {"openai-responses": ("api.openai.com", "api.x.ai"), "anthropic": ("api.anthropic.com",)}
"""Hosts that can search the web themselves, by the protocol to request it with."""


class _Listed(msgspec.Struct):
    id: str
    display_name: str | None = None
    name: str | None = None
    owned_by: str | None = None


class _List(msgspec.Struct):
    data: list[dict[str, Any]] | None = None


def models_in(body: object, settings: ProviderSettings) -> tuple[ModelInfo, ...]:
    """Return the chat models in `body`, in the server's order.

    Raises:
        msgspec.ValidationError: `body` is not a list of models.
    """
    rows = [(msgspec.convert(row, _Listed, strict=False), facts_in(row)) for row in _rows(body)]
    return tuple(_info(row, facts, settings) for row, facts in rows if not _NO_CHAT.search(row.id))


def owners_in(body: object) -> dict[str, str]:
    """Return the owners of the models in a list that `models_in` has read, by model name."""
    rows = (msgspec.convert(row, _Listed, strict=False) for row in _rows(body))
    return {row.id: row.owned_by or "" for row in rows}


def add_named_models(models: Iterable[ModelInfo], settings: ProviderSettings) -> tuple[ModelInfo, ...]:
    """Return `models`, followed by those that the user named and the server did not list."""
    listed = {model.id: model for model in models}
    named = {model.id: model for model in (model_from_name(name, settings) for name in settings.models)}
    return tuple((listed | {id_: model for id_, model in named.items() if id_ not in listed}).values())


def model_from_name(name: str, settings: ProviderSettings) -> ModelInfo:
    """Return a model of which only the name is known."""
    return _info(_Listed(id=name), NO_FACTS, settings)


def with_facts(
    models: Iterable[ModelInfo], told: Mapping[str, ModelFacts], settings: ProviderSettings
) -> tuple[ModelInfo, ...]:
    """Return `models` with the facts in `told`, by model name, which override what is known already."""
    prefix = f"{settings.id}/"
    return tuple(
        replace(model, facts=told.get(model.id.removeprefix(prefix), NO_FACTS).over(model.facts))
        for model in models
    )


def _rows(body: object) -> list[dict[str, Any]]:
    listed = msgspec.convert(body, _List | list[dict[str, Any]], strict=False)
    rows = listed if isinstance(listed, list) else listed.data
    if rows is None:
        raise msgspec.ValidationError(translatable("The list has no data."))
    return [row for row in rows[:MAX_MODELS] if len(str(row.get("id", ""))) <= MAX_NAME_CHARS]


def _info(row: _Listed, facts: ModelFacts, settings: ProviderSettings) -> ModelInfo:
    searches = urlsplit(settings.base_url).hostname in _SEARCHING.get(settings.kind, ())
    by_server = ModelFacts(has=(Ability.SEARCH,)) if searches else NO_FACTS
    return ModelInfo(
        id=f"{settings.id}/{row.id}",
        name=(row.display_name or row.name or file_name_of(row.id))[:MAX_NAME_CHARS],
        provider=settings.name,
        facts=facts.over(facts_by_name(row.id)).over(by_server),
    )
