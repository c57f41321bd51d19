"""Footnote's own files: one conversation, or a whole profile."""

from collections.abc import Iterator
from typing import Any

from desktop.domain.backups import ImportSource
from desktop.errors import NotImported
from desktop.phrases import translatable
from desktop.storage.archive_files import (
    CONVERSATIONS,
    PROFILE,
    PROFILE_FORMAT,
    PROFILE_VERSION,
    FileReader,
)
from desktop.storage.importers.builder import Found, ImportFormat, Unreadable
from desktop.storage.records import FORMAT, VERSION, Record

_NEWER = translatable("It was saved by a newer version of Footnote. Update Footnote.")
_NOT_OURS = translatable("It is not a chat from Footnote.")
_BAD = translatable("“{name}” can’t be read.")


def check_record(value: Any, name: str) -> Record:
    """Return the content of a file as a record; its rows are validated when they are written.

    Raises:
        NotImported: it is not a record, or from a newer version.
    """
    if not isinstance(value, dict) or value.get("format") != FORMAT or type(value.get("version")) is not int:
        raise NotImported(name=name, detail=_NOT_OURS)
    if value["version"] > VERSION:
        raise NotImported(name=name, detail=_NEWER)
    rows = [value.get("messages"), value.get("sources")]
    is_whole = isinstance(value.get("conversation"), dict) and all(
        isinstance(each, list) and all(isinstance(row, dict) for row in each) for each in rows
    )
    if not is_whole or not isinstance(value["conversation"].get("id"), str):
        raise NotImported(name=name, detail=_NOT_OURS)
    return value


def _is_conversation(reader: FileReader) -> bool:
    return not reader.names and f'"{FORMAT}"'.encode() in reader.head()


def _one(reader: FileReader) -> Iterator[Found]:
    yield check_record(reader.json(), reader.path.name)


def _is_profile(reader: FileReader) -> bool:
    return PROFILE in reader.names


def _all(reader: FileReader) -> Iterator[Found]:
    about = reader.json(PROFILE)
    if not isinstance(about, dict) or about.get("format") != PROFILE_FORMAT:
        raise NotImported(name=reader.path.name, detail=_NOT_OURS)
    version = about.get("version")
    if type(version) is not int or version > PROFILE_VERSION:
        raise NotImported(name=reader.path.name, detail=_NEWER)
    for name in reader.names:
        if name.startswith(CONVERSATIONS):
            try:
                yield check_record(reader.json(name), name)
            except NotImported:
                yield Unreadable(_BAD.format(name=name))


CONVERSATION = ImportFormat(ImportSource.CONVERSATION, _is_conversation, _one)
PROFILE_KIND = ImportFormat(ImportSource.PROFILE, _is_profile, _all)
