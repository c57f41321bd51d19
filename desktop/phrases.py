"""Messages for the user that are written outside the window: a template with fields, translated where it is shown.

A module that reports something writes `translatable("… {field} …")` and fills in the fields with `format`. The
result is English text, so that the command line and logs need nothing more, and it knows its template and fields.
`localize` looks the template up in the catalogue of a language, `resources/translations/phrases_LANGUAGE.toml`.
No text is parsed for it. Messages are joined by `sentences`; other operations on text return plain text,
which is shown as it is.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from enum import Enum
from functools import cache
from typing import Any, Final, Self

from desktop.resources import resource_text, resources_dir

_CATALOGUES: Final = "translations"
_COMPLETE: Final = "zh"
"""The language whose catalogue is complete: a test compares it with the code."""

_FORM_KEY: Final = "$message"
_SYSTEM: Final = "system"
"""The section with reasons of the operating system, which also stand within sentences, in small letters."""

_SENTENCES: Final = "{sentences}"
_NOT_ENCODED: Final = "Encoding objects of type {kind} is not supported"
_FIELD = re.compile(r"\{(\w+)\}")
_FIELD_WITH_SPACE = re.compile(r"( ?)\{(\w+)\}")
_ENDS_WITHOUT_SPACE = ("。", "！", "？")

Field = str | int | float | tuple[str, ...]


class TranslatableMessage(str):
    """English text that knows the template and the fields that it was made of.

    A field may hold another message; a tuple holds several, which are told one after the other.
    """

    __slots__ = ("fields", "template")

    template: str
    fields: Mapping[str, Field]

    def __new__(cls, template: str, fields: Mapping[str, object] | None = None) -> Self:
        """Fill `template` with `fields`; without any, it is the text itself."""
        known = {name: _field(value) for name, value in (fields or {}).items()}
        text = template if fields is None else _fill(template, known, " ".join)
        message = super().__new__(cls, text)
        message.template = template
        message.fields = known
        return message

    def format(self, *_: object, **fields: object) -> "TranslatableMessage":
        """Return the message with these fields filled in, and those that it has already."""
        return TranslatableMessage(self.template, {**self.fields, **fields})

    def map_texts(self, change: Callable[[str], str]) -> "TranslatableMessage":
        """Return the message with `change` applied to the texts in its fields, also those of messages in them."""
        return TranslatableMessage(
            self.template, {name: _change(value, change) for name, value in self.fields.items()}
        )

    def __str__(self) -> str:
        """Return the message itself, so that `str` of it or of an error keeps the template."""
        return self

    def __reduce__(self) -> tuple[object, ...]:
        """Let copies keep the template."""
        return (TranslatableMessage, (self.template, dict(self.fields) or None))


def translatable(template: str) -> TranslatableMessage:
    """Mark a sentence, or part of one, that the user may read; it takes a literal with named fields."""
    return TranslatableMessage(template)


_PLACE: Final = "in_settings"
"""The field that says where in the settings to correct something."""

_OLD_PLACE = re.compile(r"\bin Settings(?: > (?:Knowledge|Models|Network|Search|Tools))?(?=\.)")
"""Where earlier versions stored the place within the template."""

IN_SETTINGS: Final = {_PLACE: translatable("in Settings")}
IN_KNOWLEDGE: Final = {_PLACE: translatable("in Settings > Knowledge")}
IN_MODELS: Final = {_PLACE: translatable("in Settings > Models")}
IN_NETWORK: Final = {_PLACE: translatable("in Settings > Network")}
IN_SEARCH: Final = {_PLACE: translatable("in Settings > Search")}
IN_TOOLS: Final = {_PLACE: translatable("in Settings > Tools")}


def without_place(text: str) -> str:
    """Return a message for the user who is in the settings: nothing in it says that something is there."""
    if not isinstance(text, TranslatableMessage) or not text.fields:
        return text
    fields = {name: "" if name == _PLACE else _map_messages(value) for name, value in text.fields.items()}
    return TranslatableMessage(text.template, fields)


def _map_messages(field: Field) -> Field:
    if isinstance(field, tuple):
        return tuple(map(without_place, field))
    return without_place(field) if isinstance(field, str) else field


def pluralize(forms: tuple[str, str], count: int, **fields: object) -> str:
    """Return the form for one or for many with its `{count}`, such as “1 line” or “3 lines”."""
    return forms[0 if count == 1 else 1].format(count=count, **fields)


def sentences(texts: Iterable[str]) -> str:
    """Join messages that are told one after the other; empty ones are left out."""
    said = tuple(filter(None, texts))
    return said[0] if len(said) == 1 else TranslatableMessage(_SENTENCES, {"sentences": said}) if said else ""


def shorten_message(text: str, most_chars: int) -> str:
    """Return a text of at most `most_chars` characters; a message that is longer becomes plain text."""
    return text if len(text) <= most_chars else text[:most_chars]


def split_detail(error: str) -> tuple[str, str]:
    """Return what failed and what to do, and what a server or the system said about it.

    The second is empty where nothing else says why it failed: then it stands in the first.
    """
    if isinstance(error, TranslatableMessage) and error.template.endswith(" {detail}"):
        words = error.format(**{**error.fields, "detail": ""})
        if ". " in words.strip():  # a second sentence already says what to do
            return words, str(error.fields["detail"])
    return error, ""


def localize(text: str, language: str) -> str:
    """Return a message in `language`, such as `zh_CN` or `zh-CN`; other text, such as a server's, is returned as it is."""
    if not isinstance(text, TranslatableMessage):
        return text
    catalogue = _catalogue(language[:2].lower())
    return english_text(text) if catalogue is None else _localize(text, catalogue)


def english_text(message: object) -> str:
    """Return the English text of a message as plain text.

    Raises:
        TypeError: for other values, as encoders want it of their hooks.
    """
    if not isinstance(message, TranslatableMessage):
        raise TypeError(_NOT_ENCODED.format(kind=type(message).__name__))
    return str.__str__(message)


def list_templates() -> tuple[str, ...]:
    """Return the templates of all messages."""
    return tuple(_catalogue(_COMPLETE) or ())


def message_form(value: object) -> dict[str, Any]:
    """Return the form of a message in JSON and MessagePack.

    Raises:
        TypeError: for other values, as encoders want it of their hooks.
    """
    if not isinstance(value, TranslatableMessage):
        raise TypeError(_NOT_ENCODED.format(kind=type(value).__name__))
    return {_FORM_KEY: value.template, "fields": {name: _form(field) for name, field in value.fields.items()}}


def has_message_form(encoded: str | bytes) -> bool:
    """Say whether an encoded value may contain messages."""
    return (_FORM_KEY in encoded) if isinstance(encoded, str) else _FORM_KEY.encode() in encoded


def messages_in(value: object) -> object:
    """Return a decoded value with the messages in it restored from their form; what is not a valid form is left."""
    if isinstance(value, list):
        return [messages_in(each) for each in value]
    if not isinstance(value, dict):
        return value
    inner = {name: messages_in(each) for name, each in value.items()}
    return _message_of(inner) if inner.keys() == {_FORM_KEY, "fields"} else inner


def _message_of(form: dict[str, Any]) -> object:
    template, fields = form[_FORM_KEY], form["fields"]
    if not isinstance(template, str) or not isinstance(fields, dict):
        return form
    names = _FIELD.findall(template)
    # None of ours repeats a field; templates within each other that do would fill the memory.
    if len(names) != len(set(names)):
        return form
    given = {name: tuple(value) if isinstance(value, list) else value for name, value in fields.items()}
    try:
        return TranslatableMessage(template, given)
    except KeyError:  # the template is not one of ours
        return form


def _field(value: object) -> Field:
    if isinstance(value, tuple):
        return tuple(map(str, value))
    if isinstance(value, TranslatableMessage) or (
        isinstance(value, int | float) and not isinstance(value, Enum)
    ):
        return value
    return f"{value}"


def _fill(template: str, fields: Mapping[str, Field], join: Callable[[Iterable[str]], str]) -> str:
    """Fill a template; unlike `str.format`, it lets a template that was stored or sent do nothing else.

    A field without text takes the space before it with it.
    """

    def text(match: re.Match[str]) -> str:
        value = fields[match[2]]
        filled = join(value) if isinstance(value, tuple) else f"{value}"
        return match[1] + filled if filled else ""

    return _FIELD_WITH_SPACE.sub(text, template).strip()


def _change(value: Field, change: Callable[[str], str]) -> Field:
    if isinstance(value, tuple):
        return tuple(str(_change(each, change)) for each in value)
    if isinstance(value, TranslatableMessage):
        return value.map_texts(change)
    return change(value) if isinstance(value, str) else value


def _form(field: Field) -> object:
    if isinstance(field, tuple):
        return [_form(each) for each in field]
    return message_form(field) if isinstance(field, TranslatableMessage) else field


def _localize(text: str, catalogue: Mapping[str, str]) -> str:
    if not isinstance(text, TranslatableMessage):
        return text

    def localize_field(value: Field) -> Field:
        if isinstance(value, tuple):
            return tuple(_localize(each, catalogue) for each in value)
        return _localize(value, catalogue) if isinstance(value, str) else value

    if text.template not in catalogue:
        text = _with_place(text, catalogue)
    template = catalogue.get(text.template, text.template)
    fields = {name: localize_field(value) for name, value in text.fields.items()}
    return _fill(template, fields, _join_translated) if fields else template


def _with_place(message: TranslatableMessage, catalogue: Mapping[str, str]) -> TranslatableMessage:
    """Return a message that an earlier version stored with the place in a field, if it is known so."""
    if (place := _OLD_PLACE.search(message.template)) is None:
        return message
    template = f"{message.template[: place.start()]}{{{_PLACE}}}{message.template[place.end() :]}"
    if template not in catalogue:
        return message
    return TranslatableMessage(template, {**message.fields, _PLACE: TranslatableMessage(place[0])})


def _join_translated(texts: Iterable[str]) -> str:
    said = ""
    for text in texts:
        said += text if not said or said.endswith(_ENDS_WITHOUT_SPACE) else f" {text}"
    return said


@cache
def _catalogue(language: str) -> Mapping[str, str] | None:
    """Read the translations to a language, by template; None if there are none."""
    found = (
        sorted((resources_dir() / _CATALOGUES).glob(f"phrases_{language}*.toml"))
        if language.isalpha()
        else []
    )
    if not found:
        return None
    import tomllib  # noqa: PLC0415 - English needs no catalogue

    sections = tomllib.loads(resource_text(f"{_CATALOGUES}/{found[0].name}"))
    within_sentences = {reason.lower(): told for reason, told in sections.get(_SYSTEM, {}).items()}
    return within_sentences | {key: told for section in sections.values() for key, told in section.items()}
