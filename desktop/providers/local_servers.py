"""Model servers on this machine: which of them list models, and details of these."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any
from urllib.parse import urljoin

import httpx2

from desktop.domain.models import Ability, ModelFacts
from desktop.providers.model_listing import (
    facts_in,
    is_token_count,
    models_in,
    parse_abilities,
    sort_abilities,
)
from desktop.settings.model import ProviderSettings

LIMIT_S = 0.8


async def find_answering(presets: Sequence[ProviderSettings]) -> tuple[ProviderSettings, ...]:
    """Return those of the servers that answer with a list of models within a second."""
    async with httpx2.AsyncClient(trust_env=False) as client:
        answers = await asyncio.gather(*(_is_there(client, preset) for preset in presets))
    return tuple(preset for preset, is_there in zip(presets, answers, strict=True) if is_there)


async def _is_there(client: httpx2.AsyncClient, preset: ProviderSettings) -> bool:
    """Say whether a model server answers; any web server may use these ports."""
    try:
        async with asyncio.timeout(LIMIT_S):
            answer = await client.get(f"{preset.base_url}/models")
        models_in(answer.raise_for_status().json(), preset)
    except (httpx2.HTTPError, OSError, ValueError):
        return False
    return True


_TIMEOUT_S = 3.0
_MOST_MODELS = 60
"""Maximum number of models to query, as Ollama describes only one model per request."""

_CONTEXT_SET = re.compile(r"^num_ctx\s+(\d+)", re.MULTILINE)
_TELLS_NOTHING = (httpx2.HTTPError, httpx2.InvalidURL, ValueError, LookupError, TypeError, AttributeError)
"""Errors that mean that the server gave no answer, or one in another format."""

_TEMPLATE_ABILITIES = (Ability.TOOLS, Ability.IMAGES, Ability.REASONING)

Facts = dict[str, ModelFacts]
_Ask = Callable[[httpx2.AsyncClient, str, Sequence[str]], Awaitable[Facts]]


async def local_facts(
    client: httpx2.AsyncClient, base_url: str, owners: Mapping[str, str], provider: str
) -> Facts:
    """Return what the server reports about its models, by model name; empty for other kinds of servers.

    `owners` maps the listed models to their owners, which identifies the kind of server. If they do not,
    `provider`, the id in the settings, identifies it.
    """
    kinds = {_OWNERS[owner] for owner in owners.values() if owner in _OWNERS}
    kind = next(iter(kinds), re.sub(r"-\d+$", "", provider))
    if kind not in _ASK:
        return {}
    try:
        return await _ASK[kind](client, urljoin(base_url, "/"), tuple(owners)[:_MOST_MODELS])
    except _TELLS_NOTHING:
        return {}  # another server at this address, or an older one: only the list is available


async def _of_ollama(client: httpx2.AsyncClient, root: str, names: Sequence[str]) -> Facts:
    found: Facts = {}

    async def show(name: str) -> None:
        said = await _request_json(client, "POST", f"{root}api/show", {"model": name})
        lengths = [value for key, value in said["model_info"].items() if key.endswith(".context_length")]
        chosen = _CONTEXT_SET.search(said.get("parameters") or "")
        named = parse_abilities(said.get("capabilities") or ())
        found[name] = ModelFacts(
            context_tokens=next(
                filter(is_token_count, (*([int(chosen[1])] if chosen else []), *lengths)), None
            ),
            has=sort_abilities(named),
            lacks=sort_abilities(set(_TEMPLATE_ABILITIES) - named) if "capabilities" in said else (),
        )

    async def show_if_it_can(name: str) -> None:
        try:
            await show(name)
        except _TELLS_NOTHING:
            return  # a model without details must not affect the others

    await asyncio.gather(*map(show_if_it_can, names))
    return found


async def _of_llama_cpp(client: httpx2.AsyncClient, root: str, names: Sequence[str]) -> Facts:
    """Return the facts of llama.cpp, which serves one model under any name."""
    said = await _request_json(client, "GET", f"{root}props")
    template = said.get("chat_template_caps") or {}
    can = {
        Ability.IMAGES: (said.get("modalities") or {}).get("vision"),
        Ability.TOOLS: template.get("supports_tools"),
    }
    context = (said.get("default_generation_settings") or {}).get("n_ctx")
    facts = ModelFacts(
        context_tokens=context if is_token_count(context) else None,
        has=sort_abilities(ability for ability, is_there in can.items() if is_there),
        lacks=sort_abilities(ability for ability, is_there in can.items() if is_there is False),
    )
    return dict.fromkeys(names, facts)


async def _of_lm_studio(client: httpx2.AsyncClient, root: str, _names: Sequence[str]) -> Facts:
    said = await _request_json(client, "GET", f"{root}api/v0/models")
    return {row["id"]: facts_in(row) for row in said.get("data") or ()}


async def _request_json(
    client: httpx2.AsyncClient, method: str, url: str, body: object = None
) -> dict[str, Any]:
    response = await client.request(method, url, json=body, timeout=_TIMEOUT_S)
    response.raise_for_status()
    said = response.json()
    if not isinstance(said, dict):
        raise ValueError
    return said


_ASK: Mapping[str, _Ask] = {"ollama": _of_ollama, "llamacpp": _of_llama_cpp, "lmstudio": _of_lm_studio}
_OWNERS = {
    "library": "ollama",
    "llamacpp": "llamacpp",
    "organization_owner": "lmstudio",
    "organization-owner": "lmstudio",
}
