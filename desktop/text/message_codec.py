"""Encoding of data and errors that may contain messages for the user, which keep their templates and fields in it.

In JSON and MessagePack a message is `{"$message": template, "fields": {...}}`; a text column of a database holds
this as JSON. Text that is not a message is stored as it is. An error is its name and its fields.
"""

from typing import Any, TypeVar

import msgspec

from desktop import errors
from desktop.errors import AppError, IndexUnavailable, servers
from desktop.phrases import TranslatableMessage, has_message_form, message_form, messages_in, translatable

_T = TypeVar("_T")

_TOO_DEEP = "values within values without an end"


def encode_json(value: object) -> bytes:
    """Return JSON, in which messages have their form."""
    return msgspec.json.encode(value, enc_hook=message_form)


def decode_json(data: str | bytes, kind: type[_T]) -> _T:
    """Return the value of JSON with the messages in it.

    Raises:
        msgspec.MsgspecError: the data are not JSON, or not of this type.
    """
    try:
        if not has_message_form(data):
            return msgspec.json.decode(data, type=kind)
        return msgspec.convert(messages_in(msgspec.json.decode(data)), kind)
    except RecursionError as error:
        raise msgspec.DecodeError(_TOO_DEEP) from error


def encode_msgpack(value: object) -> bytes:
    """Return MessagePack, in which messages have their form."""
    return msgspec.msgpack.encode(value, enc_hook=message_form)


def decode_msgpack(data: bytes | msgspec.Raw, kind: Any) -> Any:
    """Return the value of MessagePack with the messages in it.

    Raises:
        msgspec.MsgspecError: the data are not MessagePack, or not of this type.
    """
    if not has_message_form(bytes(data)):
        return msgspec.msgpack.decode(data, type=kind)
    return msgspec.convert(messages_in(msgspec.msgpack.decode(data)), kind)


def with_forms(value: object) -> Any:
    """Return a value made of the built-in types, in which messages have their form."""
    return msgspec.to_builtins(value, enc_hook=message_form)


def in_english(value: object) -> Any:
    """Return a value made of the built-in types, in which messages are their English text."""
    return msgspec.to_builtins(value, builtin_types=(TranslatableMessage,))


def encode_message(text: str) -> str:
    """Return a text for a column or a field that holds text only."""
    return encode_json(text).decode() if isinstance(text, TranslatableMessage) else text


def decode_message(stored: str) -> str:
    """Return the text that `encode_message` was given."""
    if not has_message_form(stored):
        return stored
    try:
        found = messages_in(msgspec.json.decode(stored))
    except (msgspec.MsgspecError, UnicodeEncodeError, RecursionError):
        return stored
    return found if isinstance(found, str) else stored


_UNKNOWN = translatable("unknown error {name}")


def error_fields(error: AppError) -> dict[str, str]:
    """Return the fields of an error in serialisable form."""
    return {name: encode_message(str(value)) for name, value in error.fields.items()}


def error_of(name: str, fields: dict[str, str]) -> AppError:
    """Return the error that was sent as `name` and `fields`."""
    kind = getattr(errors, name, None) or getattr(servers, name, None)
    if isinstance(kind, type) and issubclass(kind, AppError):
        return kind(**{name: decode_message(text) for name, text in fields.items()})
    return IndexUnavailable(detail=_UNKNOWN.format(name=name))
