"""Servers that speak one of OpenAI's protocols, over the openai SDK; includes the chat completions dialect."""

import asyncio
import json
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import httpx2

from desktop.domain.models import ModelEvent, ModelInfo, ModelRequest
from desktop.errors.servers import ProviderError
from desktop.providers.errors import ErrorMapper
from desktop.providers.openai_chat import OPTIONAL, ChatReader, StreamError, to_openai
from desktop.providers.openai_sdk import openai
from desktop.providers.presets import THINKING_OFF
from desktop.providers.sdk_client import (
    NO_KEY,
    SdkClient,
    StreamReader,
    find_dropped_fields,
    find_refused_option,
    without_options,
)
from desktop.providers.transport import NETWORK_ERRORS, PATIENCE, SYSTEM_PROXY, Timeouts, new_client
from desktop.settings.model import ProviderSettings
from desktop.settings.proxies import ProxyChoice, is_loopback

AFTERWORD_S = 5.0
"""How many seconds to wait after a complete answer for the token count that may follow."""

_FOREIGN = (openai.OpenAIError, openai.InvalidWebhookSignatureError, StreamError, *NETWORK_ERRORS)


def translate_error(error: Exception, failures: ErrorMapper, *, has_begun: bool) -> ProviderError:
    """Return a `ProviderError` for an error of the openai SDK or the layers below it."""
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
        case openai.APIError(body=said) | StreamError(body=said):
            return failures.of_answer(200, said)
        case _:
            return failures.of_network(error, has_begun=has_begun)


class ChunkReader(StreamReader, Protocol):
    """Converts the chunks of one response to events."""

    def read(self, chunk: object) -> Iterator[ModelEvent]:
        """Yield the events of one chunk.

        Raises:
            StreamError: the chunk is an error.
            msgspec.ValidationError: the chunk does not follow the protocol.
        """
        ...

    def finish(self) -> Iterator[ModelEvent]:
        """Yield what was held back until the end."""
        ...


@dataclass(frozen=True)
class Dialect:
    """One of OpenAI's protocols: how to build, send and read a request.

    `arguments` takes a request, the id of the provider and the options that the model is known to refuse;
    `optional` are the options that can be left out.
    """

    arguments: Callable[[ModelRequest, str, frozenset[str]], dict[str, Any]]
    optional: tuple[str, ...]
    create: Callable[[openai.AsyncOpenAI], Callable[..., Awaitable[Any]]]
    reader: Callable[[], ChunkReader]


class OpenAIServer:
    """A server that speaks a dialect, at least roughly; see `Provider`."""

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
        self._failures = ErrorMapper(
            settings.name, (key or "").strip(), is_here=is_loopback(settings.base_url)
        )
        with self._failures.while_opening():
            http = http_client or new_client(settings.base_url, timeouts, proxy)
            self._client = openai.AsyncOpenAI(
                api_key=self._failures.key or NO_KEY,
                base_url=settings.base_url,
                timeout=timeouts.of_client,
                max_retries=0,
                http_client=http,
            )
        # The environment may hold values for OpenAI's own service: they must not be sent to other servers.
        self._client.organization = self._client.project = self._client.admin_api_key = None
        self._line = SdkClient(settings, self._failures, http, http_client is None, _FOREIGN, translate_error)
        self._headers = {} if self._failures.key else {"Authorization": openai.omit}
        self._refused: set[tuple[str, str]] = set()
        """Pairs of a model and an option that it refused."""

    async def models(self) -> tuple[ModelInfo, ...]:
        """Return the chat models: those of the server, then those that the user named in the settings."""
        return await self._line.models(self._list)

    async def _list(self) -> object:
        return await self._client.get("/models", cast_to=object, options={"headers": self._headers})

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Send a request to a model; see `domain.models.Model.stream`."""
        return self._line.stream(lambda: self._open(request), self._events)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._line.aclose()

    async def _open(self, request: ModelRequest) -> tuple[openai.AsyncStream[Any], tuple[str, ...]]:
        """Send the request; retry without each option that the model refuses."""
        refused = frozenset(option for model, option in self._refused if model == request.model)
        arguments = self._dialect.arguments(request, self.settings.id, refused)
        create = self._dialect.create(self._client)
        while True:
            try:
                stream: openai.AsyncStream[Any] = await create(
                    **arguments, stream=True, extra_headers=self._headers
                )
            except (openai.BadRequestError, openai.UnprocessableEntityError) as error:
                option = find_refused_option(arguments, error.response.text, self._dialect.optional)
                if option is None:
                    raise
                self._refused.add((request.model, option))
                arguments = without_options(arguments, (option,))
            else:
                return stream, find_dropped_fields(request, arguments)

    async def _events(self, stream: openai.AsyncStream[Any]) -> AsyncGenerator[ModelEvent, None]:
        """Yield the events of an answer; ignores a connection error after a complete one."""
        reader = self._dialect.reader()
        is_streamed = self._line.is_streamed(stream.response.headers.get("content-type", ""))
        if not is_streamed:
            for event in reader.read(json.loads(await stream.response.aread())):
                yield event
        while is_streamed:
            try:
                async with asyncio.timeout(AFTERWORD_S if reader.reason else None):
                    chunk: object = await anext(stream, None)
            except (openai.APIConnectionError, TimeoutError):
                if reader.reason is None:
                    raise
                break
            if chunk is None:
                break
            plain = chunk.to_dict(warnings=False) if isinstance(chunk, openai.BaseModel) else chunk
            for event in reader.read(plain):
                yield event
        for event in reader.finish():
            yield event
        yield self._line.ending(reader)


def _arguments(request: ModelRequest, provider: str, refused: frozenset[str]) -> dict[str, Any]:
    return to_openai(request, thinking_off=THINKING_OFF.get(provider, {}), refused=refused)


CHAT = Dialect(
    arguments=_arguments,
    optional=OPTIONAL,
    create=lambda client: client.chat.completions.create,
    reader=ChatReader,
)
