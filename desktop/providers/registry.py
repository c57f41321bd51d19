"""Opens providers by kind, each with one or several keys; the built-in protocols are registered as well."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

from desktop.providers.presets import PRESETS
from desktop.settings.model import ProviderSettings
from desktop.settings.proxies import ProxyChoice
from desktop.settings.secrets import keys_of

# An SDK is imported with the first provider that uses it.
# ruff: noqa: PLC0415

if TYPE_CHECKING:  # importing it would delay the start of the window
    import httpx2
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing

from desktop.domain.models import ModelEvent, ModelInfo, ModelRequest, WishesLeftOut
from desktop.errors.servers import AuthFailed, ProviderError, QuotaExceeded, RateLimited
from desktop.settings.secrets import LIMITED_REST_S, REFUSED_REST_S, KeyCooldown


class Provider(Protocol):
    """An open model server; also a `domain.models.Model`. All methods raise only ProviderErrors."""

    @property
    def settings(self) -> ProviderSettings:
        """The settings that it was opened with."""
        ...

    async def models(self) -> tuple[ModelInfo, ...]:
        """Return the chat models: those of the server, then those that the user named in the settings."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Send a request to a model; see `domain.models.Model.stream`."""
        ...

    async def aclose(self) -> None:
        """Close all connections."""
        ...


__all__ = ["PRESETS", "Provider", "ProviderFactory", "kinds", "open_provider", "register"]


class ProviderFactory(Protocol):
    """Creates a provider; imports what it needs when called, not when registered."""

    def __call__(
        self,
        settings: ProviderSettings,
        key: str | None,
        *,
        http_client: httpx2.AsyncClient | None,
        proxy: ProxyChoice,
    ) -> Provider:
        """Return a provider that has not connected yet; the caller keeps ownership of a given `http_client`.

        `proxy` is for the provider's own client.
        """
        ...


_openers: dict[str, ProviderFactory] = {}


def register(kind: str, opener: ProviderFactory) -> None:
    """Register `opener` for providers whose settings have this `kind`."""
    _openers[kind] = opener


def kinds() -> tuple[str, ...]:
    """Return the kinds that can be opened."""
    return tuple(_openers)


def open_provider(
    settings: ProviderSettings,
    key: str | None,
    *,
    http_client: httpx2.AsyncClient | None = None,
    proxy: ProxyChoice | None = None,
) -> Provider:
    """Return the provider for `settings`. `key` may be None or empty, as local servers need none.

    Without `proxy`, the system's proxy is used. `key` may contain several keys: if one is refused or used up,
    the next one is used.

    Raises:
        ModelNotFound: the address, or a system proxy, cannot be used at all; with several keys the first use says so.
        KeyError: no opener is registered for the kind.
    """
    open_with = partial(
        _openers[settings.kind], settings, http_client=http_client, proxy=proxy or ProxyChoice()
    )
    keys = keys_of(key or "")
    return RotatingProvider(settings, keys, open_with) if len(keys) > 1 else open_with(key)


def _open_openai(
    settings: ProviderSettings,
    key: str | None,
    *,
    http_client: httpx2.AsyncClient | None,
    proxy: ProxyChoice,
) -> Provider:
    from desktop.providers.openai_server import CHAT, OpenAIServer

    return OpenAIServer(settings, key, CHAT, http_client=http_client, proxy=proxy)


def _open_openai_responses(
    settings: ProviderSettings,
    key: str | None,
    *,
    http_client: httpx2.AsyncClient | None,
    proxy: ProxyChoice,
) -> Provider:
    from desktop.providers.openai_responses import RESPONSES
    from desktop.providers.openai_server import OpenAIServer

    return OpenAIServer(settings, key, RESPONSES, http_client=http_client, proxy=proxy)


def _open_anthropic(
    settings: ProviderSettings,
    key: str | None,
    *,
    http_client: httpx2.AsyncClient | None,
    proxy: ProxyChoice,
) -> Provider:
    from desktop.providers.anthropic import (
        AnthropicMessages,
    )

    return AnthropicMessages(settings, key, http_client=http_client, proxy=proxy)


register("openai", _open_openai)
register("openai-responses", _open_openai_responses)
register("anthropic", _open_anthropic)


_OF_THE_KEY = (AuthFailed, QuotaExceeded, RateLimited)


class RotatingProvider:
    """A provider with several keys. A key that fails is paused; a started answer is never restarted.

    The connections of a key are opened when it is first used: most keys wait for one before them to fail.
    """

    def __init__(
        self,
        settings: ProviderSettings,
        keys: Sequence[str],
        open_with: Callable[[str], Provider],
        rests: KeyCooldown | None = None,
    ) -> None:
        self.settings = settings
        self._rests = rests or KeyCooldown()
        self._keys = tuple(keys)
        self._open_with = open_with
        self._by_key: dict[str, Provider] = {}

    async def models(self) -> tuple[ModelInfo, ...]:
        """Return the models offered to the first key that the server accepts."""
        *others, last = self._order()
        for key in others:
            try:
                return await self._of(key).models()
            except _OF_THE_KEY as error:
                self._rest(key, error)
        return await self._of(last).models()

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Send a request to a model; see `domain.models.Model.stream`."""
        order = self._order()
        for key in order:
            has_begun = False
            try:
                async with aclosing(self._of(key).stream(request)) as events:
                    async for event in events:
                        has_begun = has_begun or not isinstance(event, WishesLeftOut)
                        yield event
                self._rests.wake(self.settings.id, key)
            except _OF_THE_KEY as error:
                self._rest(key, error)
                if has_begun or key == order[-1]:
                    raise
            else:
                return

    async def aclose(self) -> None:
        """Close all connections."""
        for provider in tuple(self._by_key.values()):
            await provider.aclose()

    def _order(self) -> tuple[str, ...]:
        return self._rests.order(self.settings.id, self._keys)

    def _of(self, key: str) -> Provider:
        if key not in self._by_key:
            self._by_key[key] = self._open_with(key)
        return self._by_key[key]

    def _rest(self, key: str, error: ProviderError) -> None:
        seconds = REFUSED_REST_S
        if isinstance(error, RateLimited):
            seconds = LIMITED_REST_S if error.retry_after_s is None else error.retry_after_s
        self._rests.rest(self.settings.id, key, seconds)
