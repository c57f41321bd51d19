"""Encoding of errors that are sent between processes.

Separate from `wire`, which imports the settings, so that reader processes start quickly.
"""

from desktop import errors
from desktop.errors import AppError, IndexUnavailable, servers
from desktop.phrases import translatable
from desktop.text.message_codec import decode_message, encode_message

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
