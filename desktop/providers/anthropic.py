"""Anthropic's Messages API over the anthropic SDK: requests, and the events of its streams with signed reasoning."""

import json
from base64 import b64encode
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from typing import Any

import anthropic
import httpx2
import msgspec

from desktop.domain.models import (
    FinishReason,
    Image,
    ModelEvent,
    ModelInfo,
    ModelRequest,
    PromptMessage,
    ReasoningDelta,
    Replay,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    ToolSpec,
    UsageReported,
)
from desktop.errors.servers import ProviderError
from desktop.providers.answer_limits import MAX_REPLAY_BYTES, Amount, check_call_count, size_of, token_count
from desktop.providers.errors import ErrorMapper
from desktop.providers.native_search import ANTHROPIC_TOOL, BlockCitations
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

_THOUGHTS = frozenset({"thinking", "redacted_thinking"})
_FIELDS = {
    "text": ("type", "text"),
    "thinking": ("type", "thinking", "signature"),
    "redacted_thinking": ("type", "data"),
    "tool_use": ("type", "id", "name", "input"),
}


class SignedThoughts:
    """Collects the blocks of an answer while it streams."""

    def __init__(self) -> None:
        self._blocks: dict[int, dict[str, Any]] = {}
        self._pieces: dict[tuple[int, str], list[str]] = {}
        """The pieces received for each field, by block and field; joined once, at the end."""
        self._kept = Amount(MAX_REPLAY_BYTES)

    def start(self, number: int, block: Mapping[str, Any]) -> None:
        """Handle the start of a block; unknown kinds of blocks are ignored."""
        if fields := _FIELDS.get(block["type"]):
            self._kept.add(size_of(block))
            self._blocks[number] = {name: block.get(name) or "" for name in fields}

    def add(self, number: int, delta: Mapping[str, Any]) -> None:
        """Add a piece to a block."""
        if number not in self._blocks:
            return
        for name in ("text", "thinking", "signature", "partial_json"):
            if piece := delta.get(name):
                self._kept.add(len(piece))
                self._pieces.setdefault((number, name), []).append(piece)

    def content(self) -> list[dict[str, Any]]:
        """Return all blocks in order; empty without reasoning or if a reasoning block lacks its signature."""
        blocks = {number: self._whole(number) for number in sorted(self._blocks)}
        thoughts = [block for block in blocks.values() if block["type"] in _THOUGHTS]
        if not thoughts or not all(block.get("signature") or block.get("data") for block in thoughts):
            return []
        return [block for block in blocks.values() if _is_sendable(block)]

    def _whole(self, number: int) -> dict[str, Any]:
        block = dict(self._blocks[number])
        for name in ("text", "thinking", "signature"):
            if pieces := self._pieces.get((number, name)):
                block[name] = block.get(name, "") + "".join(pieces)
        if block["type"] != "tool_use":
            return block
        try:
            arguments = json.loads("".join(self._pieces.get((number, "partial_json"), ())) or "{}")
        except (ValueError, RecursionError):
            arguments = {}
        return block | {"input": block["input"] or (arguments if isinstance(arguments, dict) else {})}


def _is_sendable(block: Mapping[str, Any]) -> bool:
    """Say whether a block may be sent back; the API refuses blank text."""
    return block["type"] != "text" or bool(block["text"].strip())


_FINISH = {
    "end_turn": FinishReason.STOP,
    "stop_sequence": FinishReason.STOP,
    "pause_turn": FinishReason.STOP,
    "max_tokens": FinishReason.LENGTH,
    "model_context_window_exceeded": FinishReason.LENGTH,
    "tool_use": FinishReason.TOOL_CALLS,
    "refusal": FinishReason.REFUSED,
}


class _ContentBlock(msgspec.Struct):
    type: str = ""
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    data: str | None = None
    id: str | None = None
    name: str | None = None
    input: Any = None
    tool_use_id: str | None = None
    content: Any = None
    citations: list[dict[str, Any]] | None = None


class _BlockDelta(msgspec.Struct):
    type: str | None = None
    text: str | None = None
    thinking: str | None = None
    signature: str | None = None
    partial_json: str | None = None
    citation: dict[str, Any] | None = None
    stop_reason: str | None = None


class _OutputDetails(msgspec.Struct):
    thinking_tokens: int | None = None


class _AnthropicUsage(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None
    output_tokens_details: _OutputDetails | None = None


class _Message(msgspec.Struct):
    content: list[_ContentBlock] | None = None
    stop_reason: str | None = None
    usage: _AnthropicUsage | None = None


class _MessageEvent(msgspec.Struct):
    type: str = ""
    index: int | None = None
    message: _Message | None = None
    content_block: _ContentBlock | None = None
    delta: _BlockDelta | None = None
    usage: _AnthropicUsage | None = None


class MessageReader:
    """Converts the events of one response to model events; `reason` is None until the server sends one."""

    def __init__(self) -> None:
        self.reason: FinishReason | None = None
        self.has_answer = False
        """Whether any valid event has arrived."""
        self._usage = _AnthropicUsage()
        self._calls: dict[int, int] = {}
        """Maps the index of a content block to the index of its call; server tools are not included."""
        self._silent: set[int] = set()
        """Blocks of calls that have not received arguments yet."""
        self._thoughts = SignedThoughts()
        self._citations = BlockCitations()

    def read(self, event: object) -> Iterator[ModelEvent]:
        """Yield the model events for one event of the stream.

        Raises:
            msgspec.ValidationError: the event does not follow the protocol.
        """
        parsed = msgspec.convert(event, _MessageEvent, strict=False)
        block = parsed.index or 0
        match parsed.type:
            case "message_start" if parsed.message:
                self.has_answer = True
                yield from self._read_usage(parsed.message.usage)
            case "content_block_start" if parsed.content_block:
                yield from self._start_block(block, parsed.content_block)
            case "content_block_delta" if parsed.delta:
                yield from self._read_delta(block, parsed.delta)
            case "content_block_stop":
                yield from self._stop_block(block)
            case "message_delta":
                yield from self._read_usage(parsed.usage)
                if parsed.delta and parsed.delta.stop_reason:
                    self.reason = _FINISH.get(parsed.delta.stop_reason, FinishReason.STOP)
                    yield from self._replay()

    def read_whole(self, message: object) -> Iterator[ModelEvent]:
        """Yield the events of a response that was not streamed, from a server that ignores `stream`."""
        parsed = msgspec.convert(message, _Message, strict=False)
        self.has_answer = parsed.content is not None
        for number, block in enumerate(parsed.content or ()):
            yield from self._start_block(number, block)
            yield from self._stop_block(number)
        yield from self._read_usage(parsed.usage)
        if parsed.stop_reason:
            self.reason = _FINISH.get(parsed.stop_reason, FinishReason.STOP)
            yield from self._replay()

    def _replay(self) -> Iterator[ModelEvent]:
        """Yield the signed reasoning that must be sent back, in place, with the tool results."""
        if self.reason is FinishReason.TOOL_CALLS and (content := self._thoughts.content()):
            yield Replay({"content": content})

    def _start_block(self, number: int, block: _ContentBlock) -> Iterator[ModelEvent]:
        self.has_answer = True
        plain = msgspec.to_builtins(block)
        self._thoughts.start(number, plain)
        yield from self._citations.start(number, plain)
        if block.type == "tool_use":
            check_call_count(len(self._calls))
            self._calls[number] = len(self._calls)
            arguments = json.dumps(block.input, ensure_ascii=False) if block.input else ""
            if not arguments:
                self._silent.add(number)
            yield ToolCallDelta(self._calls[number], block.id or "", block.name or "", arguments)
        if block.type == "text" and block.text:
            yield TextDelta(block.text)
        if block.type == "thinking" and block.thinking:
            yield ReasoningDelta(block.thinking)

    def _stop_block(self, number: int) -> Iterator[ModelEvent]:
        if number in self._silent:
            self._silent.discard(number)
            yield ToolCallDelta(self._calls[number], arguments="{}")
        yield from self._citations.stop(number)

    def _read_delta(self, number: int, delta: _BlockDelta) -> Iterator[ModelEvent]:
        self.has_answer = True
        plain = msgspec.to_builtins(delta)
        self._thoughts.add(number, plain)
        self._citations.add(number, plain)
        match delta.type:
            case "text_delta" if delta.text:
                yield TextDelta(delta.text)
            case "thinking_delta" if delta.thinking:
                yield ReasoningDelta(delta.thinking)
            case "input_json_delta" if delta.partial_json and number in self._calls:
                self._silent.discard(number)
                yield ToolCallDelta(self._calls[number], arguments=delta.partial_json)

    def _read_usage(self, usage: _AnthropicUsage | None) -> Iterator[ModelEvent]:
        """Report the token counts so far; later events contain only the counts that changed."""
        if usage is None:
            return
        for name in usage.__struct_fields__:
            value = getattr(usage, name)
            if value is not None:
                setattr(self._usage, name, value)
        known, details = self._usage, self._usage.output_tokens_details
        read = token_count(known.cache_read_input_tokens)
        yield UsageReported(
            input_tokens=token_count(known.input_tokens)
            + read
            + token_count(known.cache_creation_input_tokens),
            output_tokens=token_count(known.output_tokens),
            cached_tokens=read,
            reasoning_tokens=token_count(details.thinking_tokens if details else None),
        )


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
        content = [*_text(message.text), *_encode_images(message.images)]
        return [{"type": "tool_result", "tool_use_id": message.call_id, "content": content}]
    if message.replay:
        return [block for part in message.replay for block in part.item["content"]]
    return [*_encode_images(message.images), *_text(message.text), *map(_call, message.tool_calls)]


def _text(text: str) -> list[_Block]:
    """Return a text block; the API refuses blank text and white space at the end of an answer to continue."""
    return [{"type": "text", "text": text.rstrip()}] if text.strip() else []


def _encode_images(images: Sequence[Image]) -> list[_Block]:
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
