"""Anthropic Messages over the anthropic SDK."""

import json
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from typing import Any

import anthropic
import httpx2
import msgspec

from desktop.domain.models import ModelEvent, ModelInfo, ModelRequest, StreamEnded
from desktop.errors import ModelNotFound, ProviderError
from desktop.phrases import phrase
from desktop.providers.anthropic_reader import MessageReader
from desktop.providers.anthropic_request import OPTIONAL, arguments_of
from desktop.providers.failures import Failures
from desktop.providers.local_facts import local_facts
from desktop.providers.model_list import models_in, owners_in, with_facts, with_named
from desktop.providers.options import refused_option, without_options
from desktop.providers.transport import NETWORK_ERRORS, PATIENCE, SYSTEM_PROXY, Timeouts, new_client
from desktop.settings.model import ProviderSettings
from desktop.settings.proxies import ProxyChoice

_NO_KEY = "none"
"""The SDK insists on a key; the header that would carry this one is left out."""

_FOREIGN = (anthropic.AnthropicError, *NETWORK_ERRORS)


class _Support(msgspec.Struct, frozen=True):
    supported: bool = False


class _ThinkingTypes(msgspec.Struct, frozen=True):
    adaptive: _Support = _Support()
    enabled: _Support = _Support()


class _Thinking(msgspec.Struct, frozen=True):
    types: _ThinkingTypes = _ThinkingTypes()


class _Capabilities(msgspec.Struct, frozen=True):
    thinking: _Thinking = _Thinking()
    effort: _Support = _Support()


class _Model(msgspec.Struct):
    id: str
    capabilities: _Capabilities | None = None


class _Models(msgspec.Struct):
    data: list[_Model]


def translated(error: Exception, failures: Failures, *, has_begun: bool) -> ProviderError:
    """Return the error of the house for one of the anthropic SDK or of what lies below it."""
    match error:
        case anthropic.APIStatusError():
            said = error.body if error.body is not None else error.response.text
            return failures.of_answer(error.status_code, said, error.response.headers)
        case anthropic.APITimeoutError():
            return failures.of_network(TimeoutError(str(error.__cause__ or "")), has_begun=has_begun)
        case anthropic.APIConnectionError():
            return failures.of_network(error.__cause__ or error, has_begun=has_begun)
        case anthropic.AnthropicError():
            return failures.garbage(str(error))
        case _:
            return failures.of_network(error, has_begun=has_begun)


class AnthropicMessages:
    """A server that speaks Anthropic's Messages."""

    def __init__(
        self,
        settings: ProviderSettings,
        key: str | None,
        *,
        http_client: httpx2.AsyncClient | None = None,
        timeouts: Timeouts = PATIENCE,
        proxy: ProxyChoice = SYSTEM_PROXY,
    ) -> None:
        self.settings = settings
        self._failures = Failures(settings.name, (key or "").strip())
        self._is_own_client = http_client is None
        with self._failures.while_opening():
            self._http = http_client or new_client(settings.base_url, timeouts, proxy)
            self._client = anthropic.AsyncAnthropic(
                api_key=self._failures.key or _NO_KEY,
                base_url=settings.base_url.rstrip("/").removesuffix("/v1"),  # the SDK adds it
                timeout=timeouts.of_client,
                max_retries=0,
                http_client=self._http,
            )
        self._headers = {} if self._failures.key else {"Authorization": anthropic.omit}
        self._thinking: dict[str, str] = {}
        """How models take the wish to think, as their list said."""
        self._take_effort: frozenset[str] = frozenset()
        """Models that can be told how much effort to make, as their list said."""
        self._refused: set[tuple[str, str]] = set()
        """Models and the options that they do not take, as found out."""

    async def models(self) -> tuple[ModelInfo, ...]:
        """Return the models: the server's, then those named by hand in the settings."""
        try:
            with self._translating(has_begun=False):
                body = await self._client.get(
                    "/v1/models",
                    cast_to=object,
                    options={"params": {"limit": 1000}, "headers": self._headers},
                )
                listed = models_in(body, self.settings)
                self._thinking, self._take_effort = _thinking_in(body), _taking_effort(body)
            told = await local_facts(self._http, self.settings.base_url, owners_in(body), self.settings.id)
            listed = with_facts(listed, told, self.settings)
        except ModelNotFound:
            if not self.settings.models:
                raise
            listed = ()  # a server without a list: what the person named is all there is
        return with_named(listed, self.settings)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Ask a model; see `domain.models.Model.stream`."""
        with self._translating(has_begun=False):
            stream = await self._open(request)
        async with stream:
            with self._translating(has_begun=True):
                async for event in self._events(stream):
                    yield event

    async def aclose(self) -> None:
        """Close all connections."""
        if self._is_own_client:
            await self._http.aclose()

    async def _open(self, request: ModelRequest) -> anthropic.AsyncStream[Any]:
        """Send the request; once more without each option that this model turns out not to take."""
        arguments = arguments_of(
            request,
            thinking=self._thinking.get(request.model, ""),
            takes_effort=request.model in self._take_effort,
            refused=frozenset(option for model, option in self._refused if model == request.model),
        )
        while True:
            try:
                stream: anthropic.AsyncStream[Any] = await self._client.messages.create(
                    **arguments, stream=True, extra_headers=self._headers
                )
            except anthropic.BadRequestError as error:
                option = refused_option(arguments, error.response.text, OPTIONAL)
                if option is None:
                    raise
                self._refused.add((request.model, option))
                arguments = without_options(arguments, (option,))
            else:
                return stream

    async def _events(self, stream: anthropic.AsyncStream[Any]) -> AsyncGenerator[ModelEvent, None]:
        reader = MessageReader()
        kind = stream.response.headers.get("content-type", "")
        if "text/html" in kind:
            raise self._failures.garbage(phrase("It sent a web page."))
        if (
            "application/json" in kind
        ):  # a server that does not stream, or an error that calls itself a success
            body = json.loads(await stream.response.aread())
            if isinstance(body, dict) and body.get("error"):
                raise self._failures.of_answer(200, body)
            for event in reader.read_whole(body):
                yield event
        else:
            async for chunk in stream:
                plain = chunk.to_dict(warnings=False) if isinstance(chunk, anthropic.BaseModel) else chunk
                for event in reader.read(plain):
                    yield event
        if reader.reason is not None:
            yield StreamEnded(reader.reason)
        elif reader.has_answer:
            raise self._failures.broken(phrase("It ended without saying why."))
        else:
            raise self._failures.garbage(phrase("The answer is empty."))

    @contextmanager
    def _translating(self, *, has_begun: bool) -> Iterator[None]:
        try:
            self._failures.check_key()
            yield
        except _FOREIGN as error:
            # without its cause: that holds the request, and with it the key
            raise translated(error, self._failures, has_begun=has_begun) from None


def _thinking_in(body: object) -> dict[str, str]:
    models = msgspec.convert(body, _Models, strict=False).data
    known = {model.id: model.capabilities.thinking.types for model in models if model.capabilities}
    return {
        name: "adaptive" if types.adaptive.supported else "enabled"
        for name, types in known.items()
        if types.adaptive.supported or types.enabled.supported
    }


def _taking_effort(body: object) -> frozenset[str]:
    models = msgspec.convert(body, _Models, strict=False).data
    return frozenset(
        model.id for model in models if model.capabilities and model.capabilities.effort.supported
    )
