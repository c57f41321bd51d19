"""Tools for models without tool calling: they write tags, and results are sent as messages.

`<tool name="web_search">{"queries": ["tides"]}</tool>`, or another form from their training that
`desktop.text.tool_markup` recognises.
"""

import json
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import replace
from itertools import groupby
from typing import Any

from desktop.domain.models import (
    CitedPages,
    FinishReason,
    MarkupLeftOut,
    Model,
    ModelEvent,
    ModelRequest,
    PromptMessage,
    StreamEnded,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    ToolSpec,
)
from desktop.resources import fill_resource
from desktop.text.tool_markup import Markup, ToolMarkupReader, WrittenCall


class TextToolModel:
    """Wraps a model that calls tools by tags; used like a model with tool calling, see `domain.models.Model`."""

    def __init__(self, model: Model) -> None:
        self._model = model

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield text without tags, and the calls found in them."""
        tools = request.tools if request.may_call else ()
        reader = TagParser({spec.name: spec for spec in tools})
        async with aclosing(self._model.stream(to_text_request(request))) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    for told in reader.feed(event.text):
                        yield told
                    if reader.is_done:
                        break
                elif not isinstance(event, StreamEnded):
                    yield event
                else:
                    for told in reader.finish():
                        yield told
                    if not reader.has_called:
                        yield event
        if reader.has_called:
            yield StreamEnded(FinishReason.TOOL_CALLS)


class TagParser:
    """Separates calls from text. Text that could be the beginning of a call is held back."""

    def __init__(self, tools: Mapping[str, ToolSpec]) -> None:
        self.has_called = False
        self.is_done = False
        """Set when text follows a call: the model is writing the result itself, and the rest is discarded."""
        self._tools = tools
        self._reader = ToolMarkupReader()
        self._count = 0

    def feed(self, text: str) -> list[ModelEvent]:
        """Return the events that are certain after a piece of text."""
        return list(self._events(self._reader.feed(text)))

    def finish(self) -> list[ModelEvent]:
        """Return what was held back; an unclosed call counts if its arguments are complete."""
        return list(self._events(self._reader.finish()))

    def _events(self, pieces: Sequence[str | Markup]) -> Iterator[ModelEvent]:
        for piece in pieces:
            if self.is_done:
                return
            if isinstance(piece, str):
                if not self.has_called:
                    yield TextDelta(piece)
                self.is_done = self.has_called and bool(piece.strip())
            elif known := [call for call in piece.calls if call.name in self._tools]:
                yield from map(self._call, known)
            elif not self.has_called:
                yield MarkupLeftOut()

    def _call(self, call: WrittenCall) -> ToolCallDelta:
        self.has_called = True
        self._count += 1
        arguments = _arguments(self._tools[call.name], call.arguments)
        return ToolCallDelta(self._count - 1, f"tag-{self._count}", call.name, arguments)


class MarkupFilter:
    """Removes calls from the text of a model, for answers where written calls are not run.

    `so_far` is the beginning of the answer; for `own_tags` see `ToolMarkupReader`.
    """

    def __init__(self, so_far: str = "", own_tags: tuple[str, ...] = ()) -> None:
        self._reader = ToolMarkupReader(own_tags)
        self._reader.feed(so_far)
        self._reader.finish()

    def feed(self, event: ModelEvent) -> Iterator[ModelEvent]:
        """Yield an event without calls in its text; text that could begin a call is held back."""
        if isinstance(event, TextDelta):
            pieces = self._reader.feed(event.text)
        elif isinstance(event, CitedPages | StreamEnded):
            pieces = self._reader.finish()
        else:
            pieces = []
        for is_text, group in groupby(pieces, lambda piece: isinstance(piece, str)):
            if is_text:
                yield TextDelta("".join(map(str, group)))
            else:
                for _ in group:
                    yield MarkupLeftOut()
        if not isinstance(event, TextDelta):
            yield event


def to_text_request(request: ModelRequest) -> ModelRequest:
    """Return an equivalent request without tools: they are described in the prompt, calls and results are text."""
    messages = [_plain(message) for message in request.messages]
    if request.tools and request.may_call:
        messages.insert(0, PromptMessage("system", _instructions(request.tools)))
    return replace(request, messages=tuple(_join_messages(messages)), tools=())


def _plain(message: PromptMessage) -> PromptMessage:
    if message.role == "tool":
        return PromptMessage("user", f"<result>\n{message.text}\n</result>", images=message.images)
    if message.tool_calls:
        calls = "\n".join(map(_tag, message.tool_calls))
        return PromptMessage("assistant", f"{message.text}\n{calls}".strip())
    return message


def _join_messages(messages: Sequence[PromptMessage]) -> list[PromptMessage]:
    """Join consecutive messages of one role, because servers of small models require alternating roles."""
    joined: list[PromptMessage] = []
    for message in messages:
        if joined and joined[-1].role == message.role:
            last = joined[-1]
            joined[-1] = replace(
                last, text=f"{last.text}\n\n{message.text}", images=(*last.images, *message.images)
            )
        else:
            joined.append(message)
    return joined


def _tag(call: ToolCall) -> str:
    return f'<tool name="{call.name}">{call.arguments}</tool>'


def _instructions(tools: Sequence[ToolSpec]) -> str:
    described = "\n\n".join(
        f"{spec.name}: {spec.description}\nArguments: {json.dumps(spec.parameters, ensure_ascii=False)}"
        for spec in tools
    )
    return fill_resource("prompts/tools_by_tags.txt", {"tools": described})


def _arguments(spec: ToolSpec, written: dict[str, Any] | str) -> str:
    """Return the JSON of a call; small models often write the only required argument without JSON."""
    properties: Mapping[str, Any] = spec.parameters.get("properties", {})
    if isinstance(written, dict):
        read = {key: _as_wanted(value, properties.get(key)) for key, value in written.items()}
        return json.dumps(read, ensure_ascii=False)
    required = spec.parameters.get("required", [])
    if written.startswith("{") or not written or len(required) != 1:
        return written
    value = _as_wanted(written, properties.get(required[0]))
    return json.dumps({required[0]: value}, ensure_ascii=False)


def _as_wanted(value: object, schema: object) -> object:
    """Convert a value to the type in its schema: untyped formats contain strings for all values."""
    wanted = schema.get("type") if isinstance(schema, Mapping) else None
    if not isinstance(value, str) or wanted in {None, "string"}:
        return value
    if wanted == "array":
        return [line.strip() for line in value.splitlines() if line.strip()]
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value
