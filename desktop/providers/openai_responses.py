"""OpenAI's Responses API: the requests, and the reader of their events; reasoning comes back encrypted.

https://platform.openai.com/docs/api-reference/responses
"""

import json
from base64 import b64encode
from collections.abc import Iterator, Sequence
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
from desktop.providers.native_search import OPENAI_TOOL, LinkedCitations
from desktop.providers.openai_chat import StreamError
from desktop.providers.openai_server import Dialect
from desktop.providers.sdk_client import without_options

_INCOMPLETE = {
    "max_output_tokens": FinishReason.LENGTH,
    "content_filter": FinishReason.REFUSED,
}
_REPLAYED = frozenset({"reasoning", "message", "function_call", "web_search_call"})
"""Output items sent back with tool results: a reasoning item must be followed by the item it led to."""


class _Details(msgspec.Struct):
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None


class _ResponsesUsage(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    input_tokens_details: _Details | None = None
    output_tokens_details: _Details | None = None


class _Incomplete(msgspec.Struct):
    reason: str | None = None


class _Response(msgspec.Struct):
    status: str | None = None
    error: Any = None
    usage: _ResponsesUsage | None = None
    incomplete_details: _Incomplete | None = None
    output: list[dict[str, Any]] | None = None


class _ResponsesEvent(msgspec.Struct):
    type: str = ""
    object: str = ""
    output_index: int | None = None
    item: dict[str, Any] | None = None
    delta: Any = None
    response: _Response | None = None
    annotation: dict[str, Any] | None = None
    error: Any = None


class ResponsesReader:
    """Reads the events of one response; see `desktop.providers.openai_server.ChunkReader`."""

    def __init__(self) -> None:
        self.reason: FinishReason | None = None
        self.has_answer = False
        self._calls: dict[int, int] = {}
        """Maps the index of an output item to the index of its call."""
        self._written: set[int] = set()
        """Calls whose arguments arrived in pieces."""
        self._items: list[dict[str, Any]] = []
        self._kept = Amount(MAX_REPLAY_BYTES)
        self._summaries = 0
        self._citations = LinkedCitations()

    def read(self, chunk: object) -> Iterator[ModelEvent]:
        """Yield the events of one chunk."""
        event = msgspec.convert(chunk, _ResponsesEvent, strict=False)
        place = event.output_index or 0
        match event.type:
            case "error":
                raise StreamError(event.error or chunk)
            case (
                "response.output_text.delta"
                | "response.refusal.delta"
                | "response.output_text.annotation.added"
            ):
                yield from self._write(event)
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta" if event.delta:
                yield from self._think(str(event.delta))
            case "response.reasoning_summary_part.added":
                self._summaries += 1
            case "response.output_item.added" if event.item:
                yield from self._begin(place, event.item)
            case "response.function_call_arguments.delta" if place in self._calls:
                self._written.add(place)
                yield ToolCallDelta(self._calls[place], arguments=str(event.delta or ""))
            case "response.output_item.done" if event.item:
                yield from self._end(place, event.item)
            case "response.completed" | "response.incomplete" | "response.failed" if event.response:
                yield from self._finish(event.response)
            case "" if event.object == "response":
                yield from self._read_whole(msgspec.convert(chunk, _Response, strict=False))

    def finish(self) -> Iterator[ModelEvent]:
        """Yield what the server wants back with tool results, including encrypted reasoning."""
        yield from self._citations.rest()
        if self._calls and any(item["type"] == "reasoning" for item in self._items):
            yield from (Replay(item) for item in self._items)

    def _write(self, event: _ResponsesEvent) -> Iterator[ModelEvent]:
        if event.annotation:
            yield from self._citations.annotation(event.annotation)
        if event.delta:
            self.has_answer = True
            yield from self._citations.text(str(event.delta))

    def _think(self, text: str) -> Iterator[ModelEvent]:
        """Yield a piece of reasoning; a new summary starts a new paragraph."""
        if self._summaries > 1 and self.has_answer:
            text = f"\n\n{text}"
        self._summaries = min(self._summaries, 1)
        self.has_answer = True
        yield ReasoningDelta(text)

    def _begin(self, place: int, item: dict[str, Any]) -> Iterator[ModelEvent]:
        self.has_answer = True
        if item.get("type") == "web_search_call":
            yield self._citations.search(item, is_done=False)
        if item.get("type") == "function_call":
            check_call_count(len(self._calls))
            self._calls[place] = len(self._calls)
            arguments = _text(item.get("arguments"))
            if arguments:
                self._written.add(place)
            id_, name = _text(item.get("call_id")), _text(item.get("name"))
            yield ToolCallDelta(self._calls[place], id_, name, arguments)

    def _end(self, place: int, item: dict[str, Any]) -> Iterator[ModelEvent]:
        if item.get("type") == "web_search_call":
            yield self._citations.search(item, is_done=True)
        if item.get("type") == "function_call":
            if place not in self._calls:
                yield from self._begin(place, item)
            elif place not in self._written:
                yield ToolCallDelta(self._calls[place], arguments=_text(item.get("arguments")) or "{}")
        if _text(item.get("type")) in _REPLAYED:
            # `status` is set by the server, but it is required for the server's own calls.
            is_ours = item["type"] != "web_search_call"
            self._kept.add(size_of(item))
            self._items.append({name: item[name] for name in item if name != "status" or not is_ours})

    def _finish(self, response: _Response) -> Iterator[ModelEvent]:
        self.has_answer = True
        if response.error:
            raise StreamError(response.error)
        if response.usage is not None:
            yield _usage(response.usage)
        incomplete = response.incomplete_details
        if incomplete is not None:
            self.reason = _INCOMPLETE.get(incomplete.reason or "", FinishReason.STOP)
        else:
            self.reason = FinishReason.TOOL_CALLS if self._calls else FinishReason.STOP

    def _read_whole(self, response: _Response) -> Iterator[ModelEvent]:
        """Yield the events of a response that was not streamed, from a server that ignores `stream`."""
        for place, item in enumerate(response.output or ()):
            yield from self._end(place, item)
            for part in _dicts(item.get("content")):
                if part.get("text") and item.get("type") == "message":
                    yield TextDelta(_text(part["text"]))
                for annotation in _dicts(part.get("annotations")):
                    yield from self._citations.annotation(annotation)
        yield from self._finish(response)


def _text(value: object) -> str:
    """Return a value that should be a string as a string, because stored calls must stay readable."""
    if isinstance(value, str):
        return value
    return json.dumps(value) if value else ""


def _dicts(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _usage(usage: _ResponsesUsage) -> UsageReported:
    given, made = usage.input_tokens_details, usage.output_tokens_details
    return UsageReported(
        input_tokens=token_count(usage.input_tokens),
        output_tokens=token_count(usage.output_tokens),
        cached_tokens=token_count(given.cached_tokens if given else None),
        reasoning_tokens=token_count(made.reasoning_tokens if made else None),
    )


OPTIONAL = ("reasoning", "include", "top_p", "temperature", "max_output_tokens", "store")

_SEALED = "reasoning.encrypted_content"

_Item = dict[str, Any]


def arguments_of(request: ModelRequest, _provider: str, refused: frozenset[str]) -> dict[str, Any]:
    """Return the arguments for `responses.create`, without `stream`. The server stores nothing."""
    system = "\n\n".join(message.text for message in request.messages if message.role == "system")
    arguments: dict[str, Any] = {
        "model": request.model,
        "instructions": system,
        "input": [item for message in request.messages for item in _items(message)],
        "tools": [*map(_tool, request.tools), *([OPENAI_TOOL] if _searches(request) else [])],
        "tool_choice": "none" if request.tools and not request.may_call else None,
        "temperature": request.temperature,
        "top_p": request.top_p,
        "max_output_tokens": request.max_output_tokens,
        "reasoning": _reasoning(request),
        "include": [_SEALED],
        "store": False,
        "extra_body": dict(request.fields),
    }
    return without_options(arguments, refused)


def _searches(request: ModelRequest) -> bool:
    return request.searches and request.may_call


def _reasoning(request: ModelRequest) -> _Item:
    if not request.thinks:
        return {"effort": "low"}  # the lowest effort that every reasoning model accepts
    return {"summary": "auto"} | ({"effort": request.effort} if request.effort else {})


def _items(message: PromptMessage) -> Iterator[_Item]:
    match message.role:
        case "system":
            return
        case "tool":
            yield {"type": "function_call_output", "call_id": message.call_id, "output": message.text}
            if message.images:
                yield {"role": "user", "content": _content("", message.images)}
        case "assistant" if message.replay:
            yield from (part.item for part in message.replay)
        case "assistant":
            if message.text:
                yield {"role": "assistant", "content": message.text}
            yield from map(_call, message.tool_calls)
        case _:
            yield {"role": "user", "content": _content(message.text, message.images)}


def _content(text: str, images: Sequence[Image]) -> str | list[_Item]:
    if not images:
        return text
    shown = (part for image in images for part in (*_words(image.label), _image(image)))
    return [*_words(text), *shown]


def _words(text: str) -> list[_Item]:
    return [{"type": "input_text", "text": text}] if text else []


def _image(image: Image) -> _Item:
    data = b64encode(image.data).decode("ascii")
    return {"type": "input_image", "image_url": f"data:{image.media_type};base64,{data}"}


def _call(call: ToolCall) -> _Item:
    return {"type": "function_call", "call_id": call.id, "name": call.name, "arguments": call.arguments}


def _tool(spec: ToolSpec) -> _Item:
    # Strict schemas must list every property as required, which those of MCP servers do not do.
    return {
        "type": "function",
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.parameters,
        "strict": False,
    }


RESPONSES = Dialect(
    arguments=arguments_of,
    optional=OPTIONAL,
    create=lambda client: client.responses.create,
    reader=ResponsesReader,
)
