"""Servers that speak one of OpenAI's protocols, over the openai SDK."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import httpx2
import openai

from desktop.domain.models import FinishReason, ModelEvent, ModelInfo, ModelRequest, StreamEnded
from desktop.errors import ModelNotFound, ProviderError
from desktop.phrases import phrase
from desktop.providers.failures import Failures
from desktop.providers.local_facts import local_facts
from desktop.providers.model_list import models_in, owners_in, with_facts, with_named
from desktop.providers.openai_reader import SaidError
from desktop.providers.options import refused_option, without_options
from desktop.providers.transport import NETWORK_ERRORS, PATIENCE, SYSTEM_PROXY, Timeouts, new_client
from desktop.settings.model import ProviderSettings
from desktop.settings.proxies import ProxyChoice

AFTERWORD_S = 5.0
"""How long to wait, once the answer is complete, for the token count that may follow."""

_NO_KEY = "none"
"""The SDK insists on a key; the header that would carry this one is left out."""

_FOREIGN = (openai.OpenAIError, openai.InvalidWebhookSignatureError, SaidError, *NETWORK_ERRORS)


def translated(error: Exception, failures: Failures, *, has_begun: bool) -> ProviderError:
    """Return the error of the house for one of the openai SDK or of what lies below it."""
    match error:
        case openai.APIStatusError():
            said = error.body if error.body is not None else error.response.text
            return failures.of_answer(error.status_code, said, error.response.headers)
        case openai.APITimeoutError():
            return failures.of_network(TimeoutError(str(error.__cause__ or "")), has_begun=has_begun)
        case openai.APIConnectionError():
            return failures.of_network(error.__cause__ or error, has_begun=has_begun)
        case openai.APIResponseValidationError() | openai.APIError(body=None):
            return failures.garbage(error.message)
        case openai.APIError(body=said) | SaidError(body=said):
            return failures.of_answer(200, said)
        case _:
            return failures.of_network(error, has_begun=has_begun)


class Reader(Protocol):
    """Turns the chunks of one answer into events."""

    reason: FinishReason | None
    """Why the answer ended, None until the server said so."""
    has_answer: bool
    """Whether anything of the protocol has arrived."""

    def read(self, chunk: object) -> Iterator[ModelEvent]:
        """Yield the events of one chunk.

        Raises:
            SaidError: the chunk is an error.
            msgspec.ValidationError: the chunk is not of the protocol.
        """
        ...

    def finish(self) -> Iterator[ModelEvent]:
        """Yield what was held back until the end."""
        ...


@dataclass(frozen=True)
class Dialect:
    """One of OpenAI's protocols: how a request is put, sent and read.

    `arguments` takes a request, the id of the provider and the options that the model is known not to
    take; `optional` are those that an answer can be had without.
    """

    arguments: Callable[[ModelRequest, str, frozenset[str]], dict[str, Any]]
    optional: tuple[str, ...]
    create: Callable[[openai.AsyncOpenAI], Callable[..., Awaitable[Any]]]
    reader: Callable[[], Reader]


class OpenAIServer:
    """A server that speaks a dialect, more or less; see `Provider`."""

    def __init__(
        self,
        settings: ProviderSettings,
        key: str | None,
        dialect: Dialect,
        *,
        http_client: httpx2.AsyncClient | None = None,
        timeouts: Timeouts = PATIENCE,
        proxy: ProxyChoice = SYSTEM_PROXY,
    ) -> None:
        self.settings = settings
        self._dialect = dialect
        self._failures = Failures(settings.name, (key or "").strip())
        self._is_own_client = http_client is None
        with self._failures.while_opening():
            self._http = http_client or new_client(settings.base_url, timeouts, proxy)
            self._client = openai.AsyncOpenAI(
                api_key=self._failures.key or _NO_KEY,
                base_url=settings.base_url,
                timeout=timeouts.of_client,
                max_retries=0,
                http_client=self._http,
            )
        # What the environment may hold for OpenAI's own service is nobody else's business.
        self._client.organization = self._client.project = self._client.admin_api_key = None
        self._headers = {} if self._failures.key else {"Authorization": openai.omit}
        self._refused: set[tuple[str, str]] = set()
        """Models and the options that they do not take, as found out."""

    async def models(self) -> tuple[ModelInfo, ...]:
        """Return the models that can chat: the server's, then those named by hand in the settings."""
        try:
            with self._translating(has_begun=False):
                body = await self._client.get("/models", cast_to=object, options={"headers": self._headers})
                listed = models_in(body, self.settings)
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

    async def _open(self, request: ModelRequest) -> openai.AsyncStream[Any]:
        """Send the request; once more without each option that this model turns out not to take."""
        refused = frozenset(option for model, option in self._refused if model == request.model)
        arguments = self._dialect.arguments(request, self.settings.id, refused)
        create = self._dialect.create(self._client)
        while True:
            try:
                stream: openai.AsyncStream[Any] = await create(
                    **arguments, stream=True, extra_headers=self._headers
                )
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                option = refused_option(arguments, error.response.text, self._dialect.optional)
                if option is None:
                    raise
                self._refused.add((request.model, option))
                arguments = without_options(arguments, (option,))
            else:
                return stream

    async def _events(self, stream: openai.AsyncStream[Any]) -> AsyncGenerator[ModelEvent, None]:
        reader = self._dialect.reader()
        async for chunk in self._chunks(stream, reader):
            for event in reader.read(chunk):
                yield event
        for event in reader.finish():
            yield event
        if reader.reason is not None:
            yield StreamEnded(reader.reason)
        elif reader.has_answer:
            raise self._failures.broken(phrase("It ended without saying why."))
        else:
            raise self._failures.garbage(phrase("The answer is empty."))

    async def _chunks(self, stream: openai.AsyncStream[Any], reader: Reader) -> AsyncIterator[object]:
        """Yield the chunks as plain data; a connection that dies behind a complete answer harms nothing."""
        kind = stream.response.headers.get("content-type", "")
        if "text/html" in kind:
            raise self._failures.garbage(phrase("It sent a web page."))
        if (
            "application/json" in kind
        ):  # a server that does not stream, or an error that calls itself a success
            yield json.loads(await stream.response.aread())
            return
        chunks = aiter(stream)
        while True:
            try:
                async with asyncio.timeout(AFTERWORD_S if reader.reason else None):
                    chunk: object = await anext(chunks, None)
            except (openai.APIConnectionError, TimeoutError):
                if reader.reason is None:
                    raise
                return
            if chunk is None:
                return
            yield chunk.to_dict(warnings=False) if isinstance(chunk, openai.BaseModel) else chunk

    @contextmanager
    def _translating(self, *, has_begun: bool) -> Iterator[None]:
        try:
            self._failures.check_key()
            yield
        except _FOREIGN as error:
            # without its cause: that holds the request, and with it the key
            raise translated(error, self._failures, has_begun=has_begun) from None
