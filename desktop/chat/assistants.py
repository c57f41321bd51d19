"""The list of assistants, operations on it, and the file format for exchanging them.

The built-in assistants use the language of the window until the user changes them: the settings contain only
changed, added and removed ones. `docs/assistants.md` describes the file.
"""

import json
import tomllib
import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec

from desktop.domain.assistants import GENERAL, Assistant, Parameters, request_fields
from desktop.domain.knowledge import scope_of
from desktop.domain.models import ModelRequest
from desktop.errors import AssistantsUnreadable, plain_reason
from desktop.phrases import TranslatableMessage, translatable
from desktop.resources import resource_text
from desktop.settings.model import ChatSettings, Settings

FORMAT: Final = "footnote-assistants"
VERSION: Final = 1

MAX_CHARS: Final = 5_000_000
"""Longer files are rejected: no list of assistants is that large."""

_LANGUAGES = {"zh": "zh_CN"}

_NO_JSON = translatable("It is not JSON.")
_OTHER_FILE = translatable("It is not an assistants file.")
_NEWER = translatable("It was saved by a newer version of Footnote.")
_NONE_INSIDE = translatable("It contains no assistants.")
_TOO_LONG = translatable("It is too long.")
_BAD_FIELD = translatable("Assistant number {number} is not valid: {detail}")
_NO_NAME = translatable("Assistant number {number} has no name.")


@cache
def load_builtin_assistants(language: str) -> tuple[Assistant, ...]:
    """Return the built-in assistants in a language such as `zh_CN`."""
    name = _LANGUAGES.get(language[:2].lower(), "en")
    found = tomllib.loads(resource_text(f"assistants/{name}.toml"))["assistants"]
    assistants = msgspec.convert(found, tuple[Assistant, ...])
    return tuple(replace(assistant, prompt=assistant.prompt.strip()) for assistant in assistants)


def list_assistants(settings: Settings, language: str) -> tuple[Assistant, ...]:
    """Return all assistants: first the built-in ones with the user's changes, then the user's own."""
    own = {assistant.id: assistant for assistant in settings.assistants}
    ours = [
        own.pop(assistant.id, assistant)
        for assistant in load_builtin_assistants(language)
        if assistant.id not in settings.removed_assistants
    ]
    return (*ours, *(assistant for key, assistant in own.items() if key not in settings.removed_assistants))


def find(assistants: Iterable[Assistant], name: str) -> Assistant | None:
    """Return the assistant with an id or a name (case-insensitive); the general one for an empty name."""
    if not name:
        return GENERAL
    by_id = {assistant.id: assistant for assistant in assistants}
    by_name = {assistant.name.casefold(): assistant for assistant in reversed(by_id.values())}
    return by_id.get(name) or by_name.get(name.strip().casefold())


def is_shipped(assistant_id: str) -> bool:
    """Say whether an assistant is built in."""
    return any(assistant.id == assistant_id for assistant in load_builtin_assistants(""))


def is_changed(settings: Settings, assistant_id: str) -> bool:
    """Say whether the user has changed a built-in assistant."""
    return is_shipped(assistant_id) and any(own.id == assistant_id for own in settings.assistants)


def with_assistant(settings: Settings, assistant: Assistant) -> Settings:
    """Return `settings` with an assistant; one with the same id is replaced."""
    ids = [own.id for own in settings.assistants]
    own = list(settings.assistants)
    if assistant.id in ids:
        own[ids.index(assistant.id)] = assistant
    else:
        own.append(assistant)
    return replace(settings, assistants=tuple(own))


def reset(settings: Settings, assistant_id: str) -> Settings:
    """Return `settings` with a built-in assistant reset to its original state."""
    return replace(settings, assistants=tuple(own for own in settings.assistants if own.id != assistant_id))


def without_assistant(settings: Settings, assistant_id: str) -> Settings:
    """Return `settings` without an assistant; conversations and settings that refer to it use none."""
    if is_shipped(assistant_id):
        ids = dict.fromkeys((*settings.removed_assistants, assistant_id))
        return replace(settings, removed_assistants=tuple(ids))
    return reset(settings, assistant_id)


def restore_all(settings: Settings) -> Settings:
    """Return `settings` with all removed built-in assistants restored."""
    return replace(settings, removed_assistants=())


def duplicate(assistant: Assistant, name: str) -> Assistant:
    """Return a copy of `assistant` with a new id, called `name`."""
    return replace(assistant, id=uuid.uuid4().hex, name=name)


def chat_settings(chat: ChatSettings, assistant: Assistant) -> ChatSettings:
    """Return the chat settings for an assistant."""
    wanted = assistant.parameters
    return replace(
        chat,
        effort=wanted.effort or chat.effort,
        context_tokens=wanted.context_tokens or chat.context_tokens,
        answer_tokens=wanted.answer_tokens or chat.answer_tokens,
        tool_rounds=wanted.tool_rounds or chat.tool_rounds,
    )


def in_style(request: ModelRequest, parameters: Parameters) -> ModelRequest:
    """Return a request for text that the user reads, with the parameters of an assistant."""
    return replace(
        request,
        temperature=parameters.temperature,
        top_p=parameters.top_p,
        fields=request_fields(parameters.fields),
    )


@dataclass(frozen=True)
class _File:
    format: str
    version: int
    assistants: list[dict[str, Any]]


def serialize(assistants: Iterable[Assistant], base_names: Mapping[str, str]) -> str:
    """Return assistants as the text of a file; bases are given by name, as ids are only valid locally."""
    document = _File(FORMAT, VERSION, [_portable(assistant, base_names) for assistant in assistants])
    return json.dumps(msgspec.to_builtins(document), ensure_ascii=False, indent=2) + "\n"


def load(path: Path) -> tuple[Assistant, ...]:
    """Return the assistants of a file, as `read` does.

    Raises:
        AssistantsUnreadable: as in `read`, or the file cannot be opened.
    """
    try:
        with path.open("rb") as file:
            data = file.read(4 * MAX_CHARS + 1)
        return read(data.decode("utf-8-sig"), path.name)
    except UnicodeDecodeError as error:
        raise AssistantsUnreadable(name=path.name, detail=_NO_JSON) from error
    except OSError as error:
        detail = TranslatableMessage("{reason}.", {"reason": plain_reason(error)})
        raise AssistantsUnreadable(name=path.name, detail=detail) from error


def read(text: str, name: str) -> tuple[Assistant, ...]:
    """Return the assistants in the text of a file called `name`, with new ids. Unknown fields are ignored.

    Raises:
        AssistantsUnreadable: an entry is not an assistant, or the file has another format.
    """
    if len(text) > MAX_CHARS:
        raise AssistantsUnreadable(name=name, detail=_TOO_LONG)
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise AssistantsUnreadable(name=name, detail=_NO_JSON) from error
    try:
        document = msgspec.convert(found, _File)
    except msgspec.ValidationError as error:
        raise AssistantsUnreadable(name=name, detail=_OTHER_FILE) from error
    if document.format != FORMAT:
        raise AssistantsUnreadable(name=name, detail=_OTHER_FILE)
    if document.version > VERSION:
        raise AssistantsUnreadable(name=name, detail=_NEWER)
    if not document.assistants:
        raise AssistantsUnreadable(name=name, detail=_NONE_INSIDE)
    return tuple(_assistant(item, number, name) for number, item in enumerate(document.assistants, 1))


def _portable(assistant: Assistant, base_names: Mapping[str, str]) -> dict[str, Any]:
    """Return the fields of an assistant that differ from the defaults."""
    bases = None
    if assistant.bases is not None:
        bases = tuple(_by_name(key, base_names) for key in assistant.bases)
    fields: dict[str, Any] = msgspec.to_builtins(replace(assistant, bases=bases))
    plain = msgspec.to_builtins(GENERAL)
    said = {key: value for key, value in fields.items() if key != "id" and value != plain[key]}
    if "parameters" in said:
        said["parameters"] = {
            key: value for key, value in said["parameters"].items() if value != plain["parameters"][key]
        }
    return said


def _by_name(key: str, base_names: Mapping[str, str]) -> str:
    """Return the key of a scope with the name of its base; a key that begins with no id already has a name."""
    scope = scope_of(key)
    name = base_names.get(scope.base_id)
    return key if name is None else replace(scope, base_id=name).key


def _assistant(item: dict[str, Any], number: int, name: str) -> Assistant:
    try:
        assistant = msgspec.convert(item | {"id": uuid.uuid4().hex}, Assistant)
    except msgspec.ValidationError as error:
        detail = _BAD_FIELD.format(number=number, detail=plain_reason(error))
        raise AssistantsUnreadable(name=name, detail=detail) from error
    if not assistant.name.strip():
        raise AssistantsUnreadable(name=name, detail=_NO_NAME.format(number=number))
    return assistant
