"""Encoding of data that may contain messages for the user, which keep their templates and fields in it.

In JSON and MessagePack a message is `{"$message": template, "fields": {...}}`; a text column of a database holds
this as JSON. Text that is not a message is stored as it is.
"""

from typing import Any, TypeVar

import msgspec

from desktop.phrases import TranslatableMessage, has_message_form, message_form, messages_in

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
