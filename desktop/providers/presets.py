"""Known model servers: how reasoning is turned off on each, which model to choose first, and which of them listen on this machine."""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import replace
from urllib.parse import urlsplit

from desktop.settings.model import ProviderKind, ProviderSettings


def _server(
    id_: str, name: str, base_url: str, *, kind: ProviderKind = "openai", needs_key: bool = True
) -> ProviderSettings:
    return ProviderSettings(id=id_, name=name, kind=kind, base_url=base_url, needs_key=needs_key)


PRESETS: tuple[ProviderSettings, ...] = (
    _server("openai", "OpenAI", "https://api.openai.com/v1"),
    _server("anthropic", "Anthropic", "https://api.anthropic.com", kind="anthropic"),
    _server("deepseek", "DeepSeek", "https://api.deepseek.com/v1"),
    _server("openrouter", "OpenRouter", "https://openrouter.ai/api/v1"),
    _server("siliconflow", "SiliconFlow 硅基流动", "https://api.siliconflow.cn/v1"),
    _server("dashscope", "DashScope 百炼", "https://dashscope.aliyuncs.com/compatible-mode/v1"),
    _server("moonshot", "Moonshot 月之暗面", "https://api.moonshot.cn/v1"),
    _server("zhipu", "Zhipu 智谱", "https://open.bigmodel.cn/api/paas/v4"),
    _server("gemini", "Google Gemini", "https://generativelanguage.googleapis.com/v1beta/openai"),
    _server("groq", "Groq", "https://api.groq.com/openai/v1"),
    _server("mistral", "Mistral", "https://api.mistral.ai/v1"),
    _server("xai", "xAI", "https://api.x.ai/v1"),
    _server("ollama", "Ollama", "http://127.0.0.1:11434/v1", needs_key=False),
    _server("lmstudio", "LM Studio", "http://127.0.0.1:1234/v1", needs_key=False),
    _server("llamacpp", "llama.cpp", "http://127.0.0.1:8080/v1", needs_key=False),
)

_KEY_PAGES: Mapping[str, str] = {
    "openai": "https://platform.openai.com/api-keys",
    "anthropic": "https://console.anthropic.com/settings/keys",
    "deepseek": "https://platform.deepseek.com/api_keys",
    "openrouter": "https://openrouter.ai/settings/keys",
    "siliconflow": "https://cloud.siliconflow.cn/account/ak",
    "dashscope": "https://bailian.console.aliyun.com/?tab=model#/api-key",
    "moonshot": "https://platform.moonshot.cn/console/api-keys",
    "zhipu": "https://open.bigmodel.cn/usercenter/apikeys",
    "gemini": "https://aistudio.google.com/apikey",
    "groq": "https://console.groq.com/keys",
    "mistral": "https://console.mistral.ai/api-keys",
    "xai": "https://console.x.ai/",
}
"""The page of each preset where the user creates a key, as of November 2026."""


def key_page(base_url: str) -> str:
    """Return the page where the user creates a key for a server; empty if it is not known."""
    found = (_KEY_PAGES.get(preset.id, "") for preset in PRESETS if preset.base_url == base_url)
    return next(found, "")


THINKING_OFF: Mapping[str, Mapping[str, object]] = {
    "openai": {"reasoning_effort": "low"},  # the lowest effort that every reasoning model there accepts
    "deepseek": {"thinking": {"type": "disabled"}},
    "openrouter": {"reasoning": {"enabled": False}},
    "siliconflow": {"enable_thinking": False},
    "dashscope": {"enable_thinking": False},
    "moonshot": {"thinking": {"type": "disabled"}},
    "zhipu": {"thinking": {"type": "disabled"}},
    "gemini": {"reasoning_effort": "none"},
    "groq": {"reasoning_effort": "none"},
    "ollama": {"reasoning_effort": "none"},
    "llamacpp": {"chat_template_kwargs": {"enable_thinking": False}},
}
"""Fields that turn off reasoning in a request, by provider id; providers without such a way are missing."""

_CHOSEN_FIRST: Mapping[str, tuple[str, ...]] = {
    "openai": (r"gpt-\d+(?:\.\d+)?", r"gpt-\d+(?:\.\d+)?-(?:terra|mini)", "gpt-4o"),
    "anthropic": (r"claude-sonnet-.+", r"claude-.*sonnet.*", r"claude-.*haiku.*"),
    "deepseek": (r"deepseek-v[\d.]+-flash", r"deepseek-v[\d.]+-pro", "deepseek-chat"),
    "openrouter": (r"anthropic/claude-sonnet-[\d.]+", "openrouter/auto"),
    "siliconflow": (
        r"deepseek-ai/DeepSeek-V[\d.]+(?:-Flash)?",
        r"Qwen/Qwen[\d.]+-\d+B(?:-A\d+B)?(?:-Instruct-\d+)?",
    ),
    "dashscope": (r"qwen[\d.]+-plus", "qwen-plus", r"qwen[\d.]*-max", r"qwen[\d.]*-flash", "qwen-turbo"),
    "moonshot": (r"kimi-k[\d.]+", r"kimi-k\d.*preview", "kimi-latest", "moonshot-v1-auto"),
    "zhipu": (r"glm-\d+(?:\.\d+)?", r"glm-\d+(?:\.\d+)?-(?:air|flash)"),
    "gemini": (r"(?:models/)?gemini-[\d.]+-flash", r"(?:models/)?gemini-flash-latest"),
    "groq": (r"openai/gpt-oss-120b", r"llama-[\d.]+-70b-versatile"),
    "mistral": ("mistral-medium-latest", "mistral-large-latest", "mistral-small-latest"),
    "xai": (r"grok-\d+(?:[.-]\d+)*",),
}
"""Patterns of whole names by provider id: for most questions, between the dearest model and the cheapest. As of November 2026."""

_SPECIAL = re.compile(
    r"\baqa\b|audio|\bbase\b|\bbuild\b|captioner|character|cod(?:er?|estral|ex)\b|computer|deep-?research|devstral|distill|intent|image|\blive\b|math"
    r"|\bmt\b|multi-agent|omni|robotics|search|translat|video|vision|\bvl|\dv\b",
    re.IGNORECASE,
)
"""Names of models for one purpose, which chat less well or not at all. They come last."""

_DATE_DIGITS = 4
"""A number of at least so many digits in the name of a model is a date, not a version."""


def rank_models(provider_id: str, names: tuple[str, ...]) -> tuple[str, ...]:
    """Return the names of models with those first that suit most questions, the newest of a kind before older ones.

    Models for one purpose, such as code, come last; all others are in the order of the server.
    """
    patterns = _CHOSEN_FIRST.get(provider_id, ())
    ranked = [
        name
        for pattern in patterns
        for name in sorted(names, key=_version, reverse=True)
        if re.fullmatch(pattern, name)
    ]
    general = (name for name in names if not _SPECIAL.search(name))
    return tuple(dict.fromkeys((*ranked, *general, *names)))


def _version(name: str) -> tuple[list[float], list[float]]:
    """Return the numbers of a version, and after them those of a date: 4.20 came before 4.3, as providers count."""
    numbers = re.findall(r"\d{1,18}(?:\.\d{1,18})?", name)
    versions, dates = (
        [float(each) for each in numbers if (len(each) >= _DATE_DIGITS and "." not in each) is is_date]
        for is_date in (False, True)
    )
    return versions, dates


_LIMIT_S = 0.8
_LOCAL = tuple(preset for preset in PRESETS if not preset.needs_key)


async def find_local_servers(ports: Mapping[str, int] | None = None) -> tuple[ProviderSettings, ...]:
    """Return the presets of servers that answer with a list of models within two seconds.

    Args:
        ports: ports to use instead of the default ones, by preset id.
    """
    presets = [_move_port(preset, (ports or {}).get(preset.id)) for preset in _LOCAL]
    listens = await asyncio.gather(*map(_is_listening, presets))
    found = [preset for preset, is_there in zip(presets, listens, strict=True) if is_there]
    if not found:
        return ()
    from desktop.providers.local_servers import find_answering  # noqa: PLC0415 - brings an HTTP client, 7 MB

    return await find_answering(found)


def _move_port(preset: ProviderSettings, port: int | None) -> ProviderSettings:
    if port is None:
        return preset
    url = urlsplit(preset.base_url)
    return replace(preset, base_url=url._replace(netloc=f"{url.hostname}:{port}").geturl())


async def _is_listening(preset: ProviderSettings) -> bool:
    url = urlsplit(preset.base_url)
    try:
        async with asyncio.timeout(_LIMIT_S):
            _, writer = await asyncio.open_connection(url.hostname, url.port)
    except OSError:  # also TimeoutError
        return False
    writer.close()
    return True
