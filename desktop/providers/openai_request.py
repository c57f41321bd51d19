"""A `ModelRequest` as the arguments of an OpenAI chat completion."""

import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from desktop.domain.models import Image, ModelRequest, PromptMessage, ToolCall, ToolSpec

_OTHER_NAME = {"max_tokens": "max_completion_tokens"}
"""OpenAI's reasoning models know the limit by the second name only, most other servers by the first only."""

_OPTIONAL = ("stream_options", "temperature", *_OTHER_NAME)
"""Options that some models refuse and an answer does not depend on."""


def arguments_of(
    request: ModelRequest, *, thinking_off: Mapping[str, object], refused: frozenset[str] = frozenset()
) -> dict[str, Any]:
    """Return the arguments for `chat.completions.create`, without `stream`.

    Args:
        request: what is asked.
        thinking_off: the fields that turn reasoning off on this server, sent if the request wants that.
        refused: options that the model is known not to take.
    """
    arguments: dict[str, Any] = {
        "model": request.model,
        "messages": list(_messages(request.messages)),
        "stream_options": {"include_usage": True},
        "tools": [_tool(spec) for spec in request.tools],
        "temperature": request.temperature,
        "max_tokens": request.max_output_tokens,
        "extra_body": {} if request.thinks else dict(thinking_off),
    }
    arguments = {name: value for name, value in arguments.items() if value not in (None, [], {})}
    for option in refused:
        arguments = without_option(arguments, option)
    return arguments


def refused_option(arguments: Mapping[str, Any], said: str) -> str | None:
    """Return the option of `arguments` that a refusal names, if an answer can be had without it."""
    sent = [name for name in _OPTIONAL if name in arguments] + list(arguments.get("extra_body", ()))
    return next((name for name in sent if re.search(rf"\b{name}\b", said)), None)


def without_option(arguments: Mapping[str, Any], option: str) -> dict[str, Any]:
    """Return `arguments` without `option`, or with the other name that it goes by."""
    less = {name: value for name, value in arguments.items() if name not in (option, "extra_body")}
    if option in _OTHER_NAME and option in arguments:
        less[_OTHER_NAME[option]] = arguments[option]
    extra = {name: value for name, value in arguments.get("extra_body", {}).items() if name != option}
    return less | {"extra_body": extra} if extra else less


def _messages(messages: Sequence[PromptMessage]) -> Iterator[dict[str, Any]]:
    pictures: list[Image] = []  # of tool results, which cannot hold any: they follow as the person's
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
            calls = [_call(call) for call in message.tool_calls]
            return {"role": "assistant", "content": message.text or None, "tool_calls": calls}
        case _:
            return {"role": message.role, "content": _content(message.text, message.images)}


def _content(text: str, images: Sequence[Image]) -> str | list[dict[str, Any]]:
    if not images:
        return text
    words = [{"type": "text", "text": text}] if text else []
    return [*words, *({"type": "image_url", "image_url": {"url": _data_url(image)}} for image in images)]


def _data_url(image: Image) -> str:
    return f"data:{image.media_type};base64,{b64encode(image.data).decode('ascii')}"


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _tool(spec: ToolSpec) -> dict[str, Any]:
    function = {"name": spec.name, "description": spec.description, "parameters": spec.parameters}
    return {"type": "function", "function": function}
