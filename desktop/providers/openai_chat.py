"""OpenAI chat completions: the request, and a reader of chunks in all variants that servers send."""

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

import msgspec

from desktop.domain.models import (
    FinishReason,
    Image,
    ModelEvent,
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
from desktop.providers.answer_limits import (
    MAX_REPLAY_BYTES,
    Amount,
    check_call_count,
    size_of,
    token_count,
)
from desktop.providers.sdk_client import without_options

_OPEN = "<think>"
_CLOSE = "</think>"


class _Place(Enum):
    START = auto()
    OPENED = auto()
    REASONING = auto()
    CLOSED = auto()
    TEXT = auto()


@dataclass
class ThinkSplitter:
    """Separates reasoning from text that arrives in pieces of any size.

    Only a tag at the start of the answer counts; later tags are ordinary text. White space before the tag
    and around its content is dropped. A possible beginning of a tag is held back until it is certain;
    `finish` returns what is still held back.
    """

    _place: _Place = _Place.START
    _held: str = ""

    def feed(self, piece: str) -> list[TextDelta | ReasoningDelta]:
        """Return the events that are certain after this piece."""
        self._held += piece
        events: list[TextDelta | ReasoningDelta] = []
        while self._advance(events):
            pass
        return events

    def finish(self) -> list[TextDelta | ReasoningDelta]:
        """Return what was held back, at the end of the text."""
        held, self._held = self._held, ""
        if not held:
            return []
        return [ReasoningDelta(held)] if self._place is _Place.REASONING else [TextDelta(held)]

    def _advance(self, events: list[TextDelta | ReasoningDelta]) -> bool:
        """Process one step; return whether another step is possible without more text."""
        match self._place:
            case _Place.START:
                return self._leave_start()
            case _Place.REASONING:
                return self._reason(events)
            case _Place.OPENED:
                return self._skip_space(_Place.REASONING)
            case _Place.CLOSED:
                return self._skip_space(_Place.TEXT)
            case _Place.TEXT:
                if self._held:
                    events.append(TextDelta(self._held))
                    self._held = ""
                return False

    def _leave_start(self) -> bool:
        begun = self._held.lstrip()
        if begun.startswith(_OPEN):
            self._held = begun.removeprefix(_OPEN)
            self._place = _Place.OPENED
        elif _OPEN.startswith(begun):
            return False
        else:
            self._place = _Place.TEXT
        return True

    def _skip_space(self, then: _Place) -> bool:
        self._held = self._held.lstrip()
        self._place = then if self._held else self._place
        return bool(self._held)

    def _reason(self, events: list[TextDelta | ReasoningDelta]) -> bool:
        inside, tag, after = self._held.partition(_CLOSE)
        if tag:
            self._place = _Place.CLOSED
            self._held = after
            inside = inside.rstrip()
        else:
            inside, self._held = _split_before_tag(self._held)
        if inside:
            events.append(ReasoningDelta(inside))
        return bool(tag)


def _split_before_tag(text: str) -> tuple[str, str]:
    """Split off a possible beginning of the closing tag, with the white space before it."""
    reach = max(0, len(text) - len(_CLOSE) + 1)
    tag_start = next((at for at in range(reach, len(text)) if _CLOSE.startswith(text[at:])), len(text))
    kept = text[:tag_start].rstrip()
    return kept, text[len(kept) :]


CALL_EXTRAS = "extras of calls"
"""Name in a `Replay` for the extra fields that servers add to their calls, by the index of the call."""

_MOST_WRITING_MS = 86_400_000.0
OPTIONAL = ("stream_options", "top_p", "temperature", "max_tokens", "reasoning_effort")


def to_openai(
    request: ModelRequest, *, thinking_off: Mapping[str, object], refused: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Return the arguments for `chat.completions.create`, without `stream`.

    Args:
        request: the request.
        thinking_off: the fields that turn reasoning off on this server, sent if the request asks for that.
        refused: options that the model is known to refuse.
    """
    arguments: dict[str, Any] = {
        "model": request.model,
        "messages": list(_messages(request.messages)),
        "stream_options": {"include_usage": True},
        "tools": [_tool(spec) for spec in request.tools if request.may_call],
        "temperature": request.temperature,
        "top_p": request.top_p,
        "max_tokens": request.max_output_tokens,
        "reasoning_effort": request.effort if request.thinks else None,
        "extra_body": ({} if request.thinks else dict(thinking_off)) | dict(request.fields),
    }
    return without_options(arguments, refused)


def _messages(messages: Sequence[PromptMessage]) -> Iterator[dict[str, Any]]:
    pictures: list[
        Image
    ] = []  # from tool results, which cannot contain images: they follow in a user message
    for message in messages:
        if message.role != "tool" and pictures:
            yield {"role": "user", "content": _content("", pictures)}
            pictures = []
        yield _message(message)
        if message.role == "tool":
            pictures.extend(message.images)
    if pictures:
        yield {"role": "user", "content": _content("", pictures)}


def _message(message: PromptMessage) -> dict[str, Any]:
    match message.role:
        case "tool":
            return {"role": "tool", "tool_call_id": message.call_id, "content": message.text}
        case "assistant" if message.tool_calls:
            said = _list_own_fields(message)
            extras = said.pop(CALL_EXTRAS, {})
            calls = [
                _call(call) | extras.get(str(index), {}) for index, call in enumerate(message.tool_calls)
            ]
            return {"role": "assistant", "content": message.text or None, "tool_calls": calls} | said
        case _:
            return {"role": message.role, "content": _content(message.text, message.images)}


def _list_own_fields(message: PromptMessage) -> dict[str, Any]:
    """Return the server's own additional fields of a message, under their original names."""
    return {name: value for part in message.replay for name, value in part.item.items()}


def _content(text: str, images: Sequence[Image]) -> str | list[dict[str, Any]]:
    if not images:
        return text
    words = [{"type": "text", "text": text}] if text else []
    return [*words, *(part for image in images for part in _encode_image(image))]


def _encode_image(image: Image) -> Iterator[dict[str, Any]]:
    if image.label:
        yield {"type": "text", "text": image.label}
    yield {"type": "image_url", "image_url": {"url": _data_url(image)}}


def _data_url(image: Image) -> str:
    return f"data:{image.media_type};base64,{b64encode(image.data).decode('ascii')}"


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
    return {"type": "function", "function": function}


_FINISH = {
    "stop": FinishReason.STOP,
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "model_length": FinishReason.LENGTH,
    "tool_calls": FinishReason.TOOL_CALLS,
    "function_call": FinishReason.TOOL_CALLS,
    "content_filter": FinishReason.REFUSED,
    "sensitive": FinishReason.REFUSED,
}
_FAILED_FINISH = frozenset({"error", "network_error", "insufficient_system_resource"})
"""Finish reasons of OpenRouter, Zhipu and DeepSeek for answers that failed on the server."""


class StreamError(Exception):
    """The server reported an error inside the stream; `body` is the error."""

    def __init__(self, body: object) -> None:
        super().__init__()
        self.body = body


class _ContentPart(msgspec.Struct):
    """A typed part of the content, as Mistral's reasoning models send it."""

    type: str = ""
    text: str | None = None
    thinking: "list[_ContentPart] | str | None" = None


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: Any = None


class _Call(msgspec.Struct):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None
    extra_content: Any = None
    """Gemini's signature of the call."""


class _ChoiceDelta(msgspec.Struct):
    content: str | list[_ContentPart] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    reasoning_details: list[dict[str, Any]] | None = None
    refusal: str | None = None
    tool_calls: list[_Call] | None = None


class _TokenDetails(msgspec.Struct):
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


class _ChatUsage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _TokenDetails | None = None
    completion_tokens_details: _TokenDetails | None = None
    prompt_cache_hit_tokens: int | None = None


class _StreamChoice(msgspec.Struct):
    index: int | None = 0
    delta: _ChoiceDelta | None = None
    message: _ChoiceDelta | None = None
    finish_reason: str | None = None
    usage: _ChatUsage | None = None


class _Timings(msgspec.Struct):
    """What llama.cpp measured."""

    predicted_ms: float | None = None


class _Chunk(msgspec.Struct):
    choices: list[_StreamChoice] | None = None
    usage: _ChatUsage | None = None
    timings: _Timings | None = None
    error: Any = None


class ChatReader:
    """Converts the chunks of one response to events and keeps the state between chunks.

    `reason` is None until the server says why the answer ended. A response that is not streamed, from a
    server that ignores `stream`, is treated as one chunk.
    """

    def __init__(self) -> None:
        self.reason: FinishReason | None = None
        self.has_answer = False
        """Whether any valid chunk has arrived."""
        self._splitter = ThinkSplitter()
        self._calls: list[str] = []
        """Ids of the calls, in the order in which they began."""
        self._places: dict[int, int] = {}
        """Maps the server's index of a call to its index in `_calls`."""
        self._thoughts: list[str] = []
        self._details: list[Any] = []
        self._extras: dict[str, Any] = {}
        self._kept = Amount(MAX_REPLAY_BYTES)

    def read(self, chunk: object) -> Iterator[ModelEvent]:
        """Yield the events of one chunk.

        Raises:
            StreamError: the chunk is an error.
            msgspec.ValidationError: the chunk does not follow the protocol.
        """
        parsed = msgspec.convert(chunk, _Chunk, strict=False)
        if parsed.error or (parsed.choices is None and _looks_like_error(chunk)):
            raise StreamError(chunk)
        for choice in parsed.choices or ():
            if not choice.index:  # only the first choice was requested
                yield from self._read_choice(choice, chunk)
        usage = parsed.usage or next((choice.usage for choice in parsed.choices or () if choice.usage), None)
        if usage is not None:
            self.has_answer = True
            yield _usage(usage, parsed.timings)
            if self.reason is None and parsed.choices == [] and usage.completion_tokens:
                self.reason = self._reason_for(
                    "stop"
                )  # some servers end with the token count and give no reason

    def finish(self) -> Iterator[ModelEvent]:
        """Yield what was held back until the end."""
        yield from self._splitter.finish()
        if self._calls and (item := self._replay()):
            yield Replay(item)

    def _replay(self) -> dict[str, Any]:
        """Return the reasoning that DeepSeek, Moonshot, OpenRouter and Gemini want back with tool results."""
        item = {
            "reasoning_content": "".join(self._thoughts),
            "reasoning_details": self._details,
            CALL_EXTRAS: self._extras,
        }
        return {name: value for name, value in item.items() if value}

    def _read_choice(self, choice: _StreamChoice, chunk: object) -> Iterator[ModelEvent]:
        self.has_answer = True
        delta = choice.delta or choice.message
        if delta is not None:
            yield from self._read_delta(delta)
        if choice.finish_reason in _FAILED_FINISH:
            raise StreamError({"message": choice.finish_reason, "code": 503, "chunk": chunk})
        if choice.finish_reason:
            self.reason = self._reason_for(choice.finish_reason)

    def _reason_for(self, word: str) -> FinishReason:
        reason = _FINISH.get(word, FinishReason.STOP)
        # several servers send "stop" although the model called tools
        return FinishReason.TOOL_CALLS if self._calls and reason is FinishReason.STOP else reason

    def _read_delta(self, delta: _ChoiceDelta) -> Iterator[ModelEvent]:
        details = "".join(str(detail.get("text") or "") for detail in delta.reasoning_details or ())
        if delta.reasoning_content:
            self._thoughts.append(delta.reasoning_content)
        if delta.reasoning_details:
            self._kept.add(size_of(delta.reasoning_details))
            self._details.extend(delta.reasoning_details)
        reasoning = delta.reasoning_content or delta.reasoning or details  # identical if several are sent
        if reasoning:
            yield ReasoningDelta(reasoning)
        if isinstance(delta.content, str):
            yield from self._splitter.feed(delta.content)
        for part in delta.content if isinstance(delta.content, list) else ():
            thought = _plain(part.thinking)
            yield from [ReasoningDelta(thought)] if thought else self._splitter.feed(part.text or "")
        if delta.refusal:
            yield TextDelta(delta.refusal)
        for call in delta.tool_calls or ():
            yield self._read_call(call)

    def _read_call(self, call: _Call) -> ToolCallDelta:
        """Yield the events for a piece of a call.

        Id and name are passed on once, as some servers repeat them with every piece.
        """
        function = call.function or _Function()
        slot = self._slot(call)
        is_new = slot == len(self._calls)
        if is_new:
            check_call_count(slot)
            self._calls.append("")
        if call.index is not None:
            self._places[call.index] = slot
        new_id = call.id if call.id and not self._calls[slot] else ""
        self._calls[slot] = self._calls[slot] or new_id
        arguments = function.arguments
        if call.extra_content:
            self._kept.add(size_of(call.extra_content))
            self._extras[str(slot)] = {"extra_content": call.extra_content}
        return ToolCallDelta(
            index=slot,
            id=new_id,
            name=(function.name or "") if is_new or new_id else "",
            arguments=arguments if isinstance(arguments, str) else json.dumps(arguments) if arguments else "",
        )

    def _slot(self, call: _Call) -> int:
        """Return the index of a call; a new call gets the next free index.

        The server's index serves only to distinguish calls. Some servers send complete calls whose index is
        missing or always 0; with these, a new id means a new call.
        """
        if call.index is None:
            slot = max(0, len(self._calls) - 1)
        else:
            slot = self._places.get(call.index, len(self._calls))
        if call.id and slot < len(self._calls) and self._calls[slot] not in ("", call.id):
            return self._calls.index(call.id) if call.id in self._calls else len(self._calls)
        return slot


def _looks_like_error(chunk: object) -> bool:
    names = ("message", "detail", "msg", "code")
    return isinstance(chunk, dict) and any(chunk.get(name) for name in names)


def _plain(thinking: list[_ContentPart] | str | None) -> str:
    if isinstance(thinking, str):
        return thinking
    return "".join(part.text or "" for part in thinking or ())


def _usage(usage: _ChatUsage, timings: _Timings | None) -> UsageReported:
    given, made = usage.prompt_tokens_details, usage.completion_tokens_details
    return UsageReported(
        input_tokens=token_count(usage.prompt_tokens),
        output_tokens=token_count(usage.completion_tokens),
        cached_tokens=token_count((given.cached_tokens if given else None) or usage.prompt_cache_hit_tokens),
        reasoning_tokens=token_count(made.reasoning_tokens if made else None),
        written_s=_seconds((timings and timings.predicted_ms) or 0.0),
    )


def _seconds(milliseconds: float) -> float:
    """Return a time that a server measured; 0 if it cannot be one."""
    return milliseconds / 1_000 if 0 < milliseconds < _MOST_WRITING_MS else 0.0
