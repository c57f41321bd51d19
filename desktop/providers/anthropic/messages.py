"""Anthropic's Messages API over the anthropic SDK: requests and responses."""

import json
from base64 import b64encode
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import anthropic
import httpx2
import msgspec

from desktop.domain.models import (
    Image,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    PromptMessage,
    ToolCall,
    ToolSpec,
)
from desktop.errors.servers import ProviderError
from desktop.providers.anthropic.reader import MessageReader
from desktop.providers.errors import ErrorMapper
from desktop.providers.native_search import ANTHROPIC_TOOL
from desktop.providers.sdk_client import (
    NO_KEY,
    SdkClient,
    find_dropped_fields,
    find_refused_option,
    without_options,
)
from desktop.providers.transport import NETWORK_ERRORS, PATIENCE, SYSTEM_PROXY, Timeouts, new_client
from desktop.settings.model import ProviderSettings
from desktop.settings.proxies import ProxyChoice, is_loopback

DEFAULT_OUTPUT_TOKENS = 4_096
"""The output limit that the protocol requires; every model accepts this value."""

OPTIONAL = ("thinking", "output_config")

_THINKING_SHARES = {"low": 0.25, "medium": 0.5, "high": 0.8}
"""Share of the output tokens that reasoning may use, by effort."""
_MIN_THINKING_TOKENS = 1_024
"""Smallest reasoning budget that the protocol allows."""

_Block = dict[str, Any]


def to_anthropic(
    request: ModelRequest,
    *,
    thinking: str = "",
    takes_effort: bool = False,
    refused: frozenset[str] = frozenset(),
) -> dict[str, Any]:
    """Return the arguments for `messages.create`, without `stream`.

    Args:
        request: the request.
        thinking: how reasoning is requested from the model, `adaptive` or `enabled`; empty if it cannot reason.
        takes_effort: whether the model accepts an effort setting.
        refused: options that the model is known to refuse.
    """
    limit = request.max_output_tokens or DEFAULT_OUTPUT_TOKENS
    wish = _thinking(request, thinking, limit)
    arguments: dict[str, Any] = {
        "model": request.model,
        "max_tokens": limit,
        "messages": _messages(request.messages),
        "system": "\n\n".join(message.text for message in request.messages if message.role == "system"),
        "tools": [
            *map(_tool, request.tools),
            *([ANTHROPIC_TOOL] if request.searches and request.may_call else []),
        ],
        # calls in the messages need their tool definitions, even where no more calls are allowed
        "tool_choice": {"type": "none"} if request.tools and not request.may_call else None,
        "thinking": wish,
        "output_config": {"effort": request.effort} if _tells_effort(request, takes_effort) else None,
    }
    # the SDK no longer has parameters for them; where two exclude each other, the first is dropped
    sampling = {"top_p": request.top_p, "temperature": request.temperature}
    said = {name: value for name, value in sampling.items() if value is not None}
    # with reasoning, only the defaults are allowed
    arguments["extra_body"] = (said if wish is None else {}) | dict(request.fields)
    arguments = {name: value for name, value in arguments.items() if value not in (None, [], {}, "")}
    return without_options(arguments, refused)


def _tells_effort(request: ModelRequest, takes_effort: bool) -> bool:
    return takes_effort and request.thinks and bool(request.effort)


def _thinking(request: ModelRequest, thinking: str, limit: int) -> _Block | None:
    # an answer that called tools without reasoning cannot be continued with reasoning
    if not request.thinks or any(message.tool_calls and not message.replay for message in request.messages):
        return None
    budget = int(limit * _THINKING_SHARES.get(request.effort, _THINKING_SHARES["medium"]))
    if thinking == "enabled" and budget >= _MIN_THINKING_TOKENS:
        return {"type": "enabled", "budget_tokens": budget}
    return {"type": "adaptive", "display": "summarized"} if thinking == "adaptive" else None


def _messages(messages: Sequence[PromptMessage]) -> list[_Block]:
    """Return the turns; neighbours with the same role are merged, as results of parallel calls must be."""
    turns: list[_Block] = []
    for message in messages:
        blocks = _blocks(message)
        role = "assistant" if message.role == "assistant" else "user"
        if message.role == "system" or not blocks:
            continue
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"].extend(blocks)
        else:
            turns.append({"role": role, "content": blocks})
    return turns


def _blocks(message: PromptMessage) -> list[_Block]:
    if message.role == "tool":
        content = [*_text(message.text), *_shown(message.images)]
        return [{"type": "tool_result", "tool_use_id": message.call_id, "content": content}]
    if message.replay:
        return [block for part in message.replay for block in part.item["content"]]
    return [*_shown(message.images), *_text(message.text), *map(_call, message.tool_calls)]


def _text(text: str) -> list[_Block]:
    """Return a text block; the API refuses blank text and white space at the end of an answer to continue."""
    return [{"type": "text", "text": text.rstrip()}] if text.strip() else []


def _shown(images: Sequence[Image]) -> list[_Block]:
    return [block for image in images for block in (*_text(image.label), _image(image))]


def _image(image: Image) -> _Block:
    data = b64encode(image.data).decode("ascii")
    return {"type": "image", "source": {"type": "base64", "media_type": image.media_type, "data": data}}


def _call(call: ToolCall) -> _Block:
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": _input(call.arguments)}


def _input(arguments: str) -> dict[str, Any]:
    """Return the arguments as the object that the protocol requires, even if they were not a JSON object."""
    try:
        value = json.loads(arguments or "{}")
    except ValueError:
        value = arguments
    return value if isinstance(value, dict) else {"arguments": value}


def _tool(spec: ToolSpec) -> _Block:
    return {"name": spec.name, "description": spec.description, "input_schema": spec.parameters}


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


def translate_error(error: Exception, failures: ErrorMapper, *, has_begun: bool) -> ProviderError:
    """Return a `ProviderError` for an error of the anthropic SDK or the layers below it."""
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
    """A server that speaks Anthropic's Messages API."""

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
        self._failures = ErrorMapper(
            settings.name, (key or "").strip(), is_here=is_loopback(settings.base_url)
        )
        with self._failures.while_opening():
            http = http_client or new_client(settings.base_url, timeouts, proxy)
            self._client = anthropic.AsyncAnthropic(
                api_key=self._failures.key or NO_KEY,
                base_url=settings.base_url.rstrip("/").removesuffix("/v1"),  # the SDK appends /v1 itself
                timeout=timeouts.of_client,
                max_retries=0,
                http_client=http,
            )
        self._line = SdkClient(settings, self._failures, http, http_client is None, _FOREIGN, translate_error)
        self._headers = {} if self._failures.key else {"Authorization": anthropic.omit}
        self._thinking: dict[str, str] = {}
        """How reasoning is requested from each model, by model id, from the server's list."""
        self._take_effort: frozenset[str] = frozenset()
        """Models that accept an effort setting, according to the server's list."""
        self._refused: set[tuple[str, str]] = set()
        """Pairs of a model and an option that it refused."""

    async def models(self) -> tuple[ModelInfo, ...]:
        """Return the models: those of the server, then those that the user named in the settings."""
        return await self._line.models(self._list)

    async def _list(self) -> object:
        body = await self._client.get(
            "/v1/models", cast_to=object, options={"params": {"limit": 1000}, "headers": self._headers}
        )
        self._thinking, self._take_effort = _thinking_in(body), _taking_effort(body)
        return body

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Send a request to a model; see `domain.models.Model.stream`."""
        return self._line.stream(lambda: self._open(request), self._events)

    async def aclose(self) -> None:
        """Close all connections."""
        await self._line.aclose()

    async def _open(self, request: ModelRequest) -> tuple[anthropic.AsyncStream[Any], tuple[str, ...]]:
        """Send the request; retry without each option that the model refuses."""
        arguments = to_anthropic(
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
                option = find_refused_option(arguments, error.response.text, OPTIONAL)
                if option is None:
                    raise
                self._refused.add((request.model, option))
                arguments = without_options(arguments, (option,))
            else:
                return stream, find_dropped_fields(request, arguments)

    async def _events(self, stream: anthropic.AsyncStream[Any]) -> AsyncGenerator[ModelEvent, None]:
        reader = MessageReader()
        if not self._line.is_streamed(stream.response.headers.get("content-type", "")):
            body = json.loads(await stream.response.aread())
            if isinstance(body, dict) and body.get("error"):
                raise self._failures.of_answer(200, body)
            for event in reader.read_whole(body):
                yield event
        else:
            while (chunk := await anext(stream, None)) is not None:
                plain = chunk.to_dict(warnings=False) if isinstance(chunk, anthropic.BaseModel) else chunk
                for event in reader.read(plain):
                    yield event
        yield self._line.ending(reader)


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
