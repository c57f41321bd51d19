"""The available models: Quotes, and those of the user's providers. One of them may describe pictures."""

import asyncio
import os
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import replace

from typing_extensions import override

from desktop.chat.api.engine import Catalogue
from desktop.chat.retries import Retries, RetryingModel
from desktop.chat.source_lookup import SelectedModel
from desktop.domain.knowledge import Description
from desktop.domain.models import (
    LOCAL_PROVIDER,
    NO_FACTS,
    QUOTES_MODEL,
    Image,
    ModelFacts,
    ModelInfo,
    ModelRequest,
    PromptMessage,
    ProviderTrial,
    TextDelta,
    WishesLeftOut,
)
from desktop.domain.search import EngineInfo
from desktop.errors import AppError, MissingKey
from desktop.errors.servers import (
    AuthFailed,
    ModelNotFound,
    ModelUnknown,
    ProviderError,
    ProviderGarbage,
    ProviderTimedOut,
    RateLimited,
    RequestRejected,
    ServiceOverloaded,
)
from desktop.knowledge.bundled_client import BundledModels
from desktop.knowledge.worker.connection import NO_MODEL_CHOSEN
from desktop.phrases import translatable
from desktop.providers.llama_cpp import LocalProvider
from desktop.providers.model_listing import model_from_name
from desktop.providers.presets import PRESETS, rank_models
from desktop.providers.quotes.model import QUOTES, QuotesModel
from desktop.providers.registry import Provider, open_provider
from desktop.resources import resource_text
from desktop.settings.model import ProviderSettings, Settings
from desktop.settings.proxies import ProxyChoice

SecretLookup = Callable[[str], Awaitable[str]]

LIST_TIMEOUT_S = 6.0
"""Timeout for a provider to list its models, in seconds; a menu does not wait longer."""

TEST_TIMEOUT_S = 20.0
"""Timeout for a provider that the user tests: a list is sent at once, only answers take minutes."""

MEETING_TIMEOUT_S = 1.5
"""How long the first question waits for a server's facts about its models, in seconds."""

_BASE_URLS = {"openai": "OPENAI_BASE_URL", "anthropic": "ANTHROPIC_BASE_URL"}

TIMEOUT_S = 180.0
"""Timeout in seconds: a model on a machine without a graphics card takes more than a minute per picture."""
_PAUSE_S = 20.0
"""Pause in seconds before a rate-limited server is asked again, unless it says when."""
_LEAST_PAUSE_S = 0.5
_MOST_CHARS = 8_000
_MOST_TOKENS = 2_000

_TRIED_MODELS = 3
_OF_ONE_MODEL = (
    AuthFailed,
    ModelNotFound,
    ProviderGarbage,
    RateLimited,
    RequestRejected,
    ServiceOverloaded,
)
"""Refusals after which another model of the same account may answer; a key may be limited to some models."""
_NO_MODELS = translatable("It lists no models.")
_BLIND = translatable("“{model}” does not support images.")
_SLOW = translatable("“{model}” took longer than {seconds} s.")
_SILENT = translatable("“{model}” returned no text.")


def provider_secret(provider_id: str) -> str:
    """Return the name of the secret that holds the key of a provider."""
    return f"provider/{provider_id}"


async def _system_proxy() -> ProxyChoice:
    return ProxyChoice()


class Models(Catalogue):
    """Opens providers at first use, and again when their settings or key have changed."""

    def __init__(
        self,
        settings: Callable[[], Settings],
        secret: SecretLookup,
        environ: Mapping[str, str] = os.environ,
        proxy: Callable[[], Awaitable[ProxyChoice]] = _system_proxy,
        retries: Retries | None = None,
        *,
        local: LocalProvider | None = None,
        bundled: BundledModels | None = None,
    ) -> None:
        self._bundled = bundled
        self._retries = Retries() if retries is None else retries
        self._local = local
        self._settings = settings
        self._secret = secret
        self._environ = environ
        self._told: dict[str, ModelFacts] = {}
        """Facts about models from their servers' last lists."""
        self._met: set[str] = set()
        """Servers that were asked for facts before one of their models was used."""
        self._proxy = proxy
        self._open: dict[str, tuple[ProviderSettings, str, ProxyChoice, Provider]] = {}
        self._replaced: list[Provider] = []
        """Providers of earlier settings: an answer may still be streaming from one."""

    async def pick(self, model_id: str) -> SelectedModel:
        """Return the model `model_id`, ready for requests.

        Raises:
            ModelUnknown: its provider is unknown.
            MissingKey: its provider needs a key and has none.
        """
        if model_id == QUOTES_MODEL:
            return SelectedModel(self._quotes(), QUOTES_MODEL, QUOTES_MODEL)
        provider_id, _, name = model_id.partition("/")
        if provider_id == LOCAL_PROVIDER and self._local is not None:
            found = await self._local.describe(name)
            return SelectedModel(self._local, model_id, name, NO_FACTS if found is None else found.facts)
        known = {provider.id: provider for provider in (*self._presets(), *self._list_configured())}
        if provider_id not in known or not name:
            raise ModelUnknown(model=model_id, known=", ".join(known))
        opened = await self._open_provider(known[provider_id])
        await self._get_to_know(model_id, known[provider_id])
        told = self._told.get(model_id) or model_from_name(name, known[provider_id]).facts
        model = RetryingModel(opened, self._retries)
        return SelectedModel(model, model_id, name, _own_facts(known[provider_id], name).over(told))

    def _quotes(self) -> QuotesModel:
        if self._bundled is None:
            return QuotesModel()
        self._bundled.load_early()
        return QuotesModel(self._bundled.embed, self._bundled.judge)

    @override
    async def models(self) -> tuple[ModelInfo, ...]:
        """Return Quotes, the models of this computer, and those of every provider that responds in time."""
        local = () if self._local is None else await self._local.models()
        listed = await asyncio.gather(*map(self._models_of, await self.list_offered()))
        return (QUOTES, *local, *(model for models in listed for model in models))

    @override
    async def engines(self) -> tuple[EngineInfo, ...]:
        from desktop.search.engine_status import available_engines  # noqa: PLC0415 - not before the first paint

        return await available_engines(self._settings().search, self._secret)

    async def list_offered(self) -> tuple[ProviderSettings, ...]:
        """Return the enabled providers, and those that the environment names."""
        configured = {provider.id: provider for provider in self._list_configured() if provider.is_enabled}
        for preset in self._presets():
            is_named = preset.id in _BASE_URLS and (
                self._environ.get(_BASE_URLS[preset.id]) or await self._secret(provider_secret(preset.id))
            )
            if is_named:
                configured.setdefault(preset.id, preset)
        return tuple(configured.values())

    async def test(self, provider: ProviderSettings, key: str | None) -> tuple[str, ...]:
        """Return the names by which a provider is asked for its models; they are requested with `key` or the stored one."""
        secret = await self._secret(provider_secret(provider.id)) if key is None else key
        opened = open_provider(provider, secret, proxy=await self._proxy())
        try:
            async with _timeout_of(provider):
                return tuple(model.id.removeprefix(f"{provider.id}/") for model in await opened.models())
        finally:
            await opened.aclose()

    async def try_provider(self, provider: ProviderSettings, key: str) -> AsyncGenerator[ProviderTrial, None]:
        """Yield the steps of a trial; see `chat.api.system.Preferences.try_provider`."""
        opened = open_provider(provider, key, proxy=await self._proxy())
        try:
            async with _timeout_of(provider):
                listed = (model.id.removeprefix(f"{provider.id}/") for model in await opened.models())
            names = rank_models(provider.id, tuple(listed))
            if not names:
                raise ModelNotFound(provider=provider.name, detail=_NO_MODELS)
            refusals: list[ProviderError] = []
            for name in names[:_TRIED_MODELS]:
                yield ProviderTrial(names, name)
                try:
                    async with _timeout_of(provider):
                        await _ask_for_a_word(opened, name)
                except _OF_ONE_MODEL as error:
                    refusals.append(error)
                else:
                    yield ProviderTrial(names, name, has_answered=True)
                    return
            raise refusals[0]
        finally:
            await opened.aclose()

    async def aclose(self) -> None:
        """Close all connections."""
        opened, self._open = self._open, {}
        replaced, self._replaced = self._replaced, []
        providers = (*replaced, *(provider for *_, provider in opened.values()))
        await asyncio.gather(*(provider.aclose() for provider in providers))

    async def _get_to_know(self, model_id: str, settings: ProviderSettings) -> None:
        """Ask a server of the user's own for facts about its models, once, before one is first used.

        Otherwise a model without tool support would be offered tools. Other models are known by their names.
        """
        if settings.needs_key or model_id in self._told or settings.id in self._met:
            return
        self._met.add(settings.id)
        with suppress(TimeoutError):
            async with asyncio.timeout(MEETING_TIMEOUT_S):
                await self._models_of(settings)

    async def _models_of(self, settings: ProviderSettings) -> tuple[ModelInfo, ...]:
        try:
            # The first one imports its SDK: that time is not counted against the server.
            provider = await self._open_provider(settings)
            async with asyncio.timeout(LIST_TIMEOUT_S):
                models = await provider.models()
        except (ProviderError, MissingKey, TimeoutError):
            # Not silent: the Test button and `doctor` say why. Models entered by hand stay selectable.
            models = tuple(model_from_name(name, settings) for name in settings.models)
        else:
            self._told |= {model.id: model.facts for model in models}
        return tuple(
            replace(model, facts=_own_facts(settings, model.id.partition("/")[2]).over(model.facts))
            for model in models
        )

    async def _open_provider(self, settings: ProviderSettings) -> Provider:
        key = await self._secret(provider_secret(settings.id))
        if settings.needs_key and not key and not self._has_own_address(settings):
            raise MissingKey(service=settings.name)
        proxy = await self._proxy()
        known = self._open.get(settings.id)
        settings = replace(settings, facts=())  # changed facts about models are no reason to reconnect
        if known is not None and known[:3] == (settings, key, proxy):
            return known[3]
        provider = open_provider(settings, key, proxy=proxy)
        self._open[settings.id] = (settings, key, proxy, provider)
        if known is not None:
            self._replaced.append(known[3])
        return provider

    def _has_own_address(self, settings: ProviderSettings) -> bool:
        """Say whether the address differs from the preset's: the user's own servers often need no key."""
        return all(preset.base_url != settings.base_url for preset in PRESETS)

    def _list_configured(self) -> tuple[ProviderSettings, ...]:
        return self._settings().providers

    def _presets(self) -> tuple[ProviderSettings, ...]:
        """Return the presets, with the addresses given by the environment."""
        return tuple(
            replace(preset, base_url=self._environ.get(_BASE_URLS.get(preset.id, ""), "") or preset.base_url)
            for preset in PRESETS
        )


@asynccontextmanager
async def _timeout_of(provider: ProviderSettings) -> AsyncIterator[None]:
    """Limit how long the user waits for a step of a test.

    Raises:
        ProviderTimedOut: it took longer.
    """
    try:
        async with asyncio.timeout(TEST_TIMEOUT_S):
            yield
    except TimeoutError:
        raise ProviderTimedOut(provider=provider.name, detail="") from None


async def _ask_for_a_word(provider: Provider, name: str) -> None:
    """Wait for the first piece of an answer, and hang up.

    The answer has no limit in the request: models that reason refuse one that they cannot keep.
    """
    request = ModelRequest(name, (PromptMessage("user", "Reply with the word OK."),), thinks=False)
    async with aclosing(provider.stream(request)) as events:
        async for event in events:
            if not isinstance(event, WishesLeftOut):
                return


def _own_facts(settings: ProviderSettings, name: str) -> ModelFacts:
    """Return the facts that the user set for a model."""
    return next((own.facts for own in settings.facts if own.id == name), NO_FACTS)


class PictureDescriber:
    """Describes pictures with the current model; `chosen` returns its id, empty for none."""

    def __init__(
        self,
        chosen: Callable[[], str],
        pick_model: Callable[[str], Awaitable[SelectedModel]],
        timeout_s: float = TIMEOUT_S,
    ) -> None:
        self._chosen = chosen
        self._pick_model = pick_model
        self._timeout_s = timeout_s

    async def describe(self, jpeg: bytes) -> Description:
        """Return a description of a picture, or in words why there is none."""
        model_id = self._chosen()
        if not model_id:
            return Description(problem=NO_MODEL_CHOSEN)
        try:
            async with asyncio.timeout(self._timeout_s):
                picked = await self._pick_model(model_id)
                if not picked.sees:
                    return Description(problem=_BLIND.format(model=picked.name))
                text = await self._describe(picked, jpeg)
        except AppError as error:
            return Description(problem=str(error))
        except TimeoutError:
            return Description(problem=_SLOW.format(model=model_id, seconds=round(self._timeout_s)))
        return (
            Description(text, picked.name) if text else Description(problem=_SILENT.format(model=picked.name))
        )

    async def _describe(self, picked: SelectedModel, jpeg: bytes) -> str:
        """Return the response of a model; a rate-limited model is retried after the time that it asks for."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._timeout_s
        while True:
            try:
                return await _answer(picked, jpeg)
            except RateLimited as error:
                wanted_s = _PAUSE_S if error.retry_after_s is None else error.retry_after_s
                pause_s = max(wanted_s, _LEAST_PAUSE_S)
                if loop.time() + pause_s >= until:
                    raise
                await asyncio.sleep(pause_s)


async def _answer(picked: SelectedModel, jpeg: bytes) -> str:
    message = PromptMessage(
        "user", resource_text("prompts/describe.txt").strip(), images=(Image("image/jpeg", jpeg),)
    )
    request = ModelRequest(
        picked.name, (message,), temperature=0.0, max_output_tokens=_MOST_TOKENS, thinks=False
    )
    text = ""
    async with aclosing(picked.model.stream(request)) as events:
        async for event in events:
            if isinstance(event, TextDelta):
                text += event.text
            if len(text) > _MOST_CHARS:
                break
    return text[:_MOST_CHARS].strip()
