"""Detects the format of a file and lists its contents, without importing anything."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from desktop.domain.backups import ImportSource
from desktop.errors import NotImported, NotRemembered
from desktop.phrases import translatable
from desktop.storage.archive_files import BASES, MEMORIES, SETTINGS, FileReader
from desktop.storage.importers.builder import Found, ImportFormat, Unreadable
from desktop.storage.importers.chatbox import CHATBOX
from desktop.storage.importers.chatgpt import CHATGPT
from desktop.storage.importers.cherry_studio import CHERRY_STUDIO
from desktop.storage.importers.claude import CLAUDE
from desktop.storage.importers.footnote import CONVERSATION, PROFILE_KIND
from desktop.storage.importers.open_webui import OPEN_WEBUI
from desktop.storage.memories import read_lines
from desktop.storage.merge import Summary
from desktop.storage.records import Record, parse_moment

KINDS = (PROFILE_KIND, CONVERSATION, CHERRY_STUDIO, CHATBOX, CHATGPT, CLAUDE, OPEN_WEBUI)

_UNKNOWN = translatable(
    "It isn’t an export of Footnote, ChatGPT, Claude, Cherry Studio, Chatbox or Open WebUI."
)

_MOST_PROBLEMS = 50
_BAD = translatable("“{name}” can’t be read.")


def kind_of(reader: FileReader) -> ImportFormat:
    """Return the format of a file.

    Raises:
        NotImported: the format is unknown.
    """
    for kind in KINDS:
        if kind.recognises(reader):
            return kind
    raise NotImported(name=reader.path.name, detail=_UNKNOWN)


@dataclass(frozen=True)
class Listing:
    """Summaries of a file's conversations, and its other contents."""

    origin: ImportSource
    conversations: tuple[Summary, ...]
    memories: int
    bases: tuple[str, ...]
    has_settings: bool
    problems: tuple[str, ...]


@contextmanager
def conversations_in(path: Path) -> Iterator[Iterator[Found]]:
    """Provide an iterator over the conversations of a file, which are read one by one.

    Raises:
        NotImported: the file is of unknown format, damaged or malicious.
    """
    with FileReader(path) as reader:
        yield kind_of(reader).conversations(reader)


def scan_file(path: Path) -> Listing:
    """Return the contents of a file; blocks while reading all of it.

    Raises:
        NotImported: the file is of unknown format, damaged or malicious.
    """
    with FileReader(path) as reader:
        kind = kind_of(reader)
        summaries, problems = [], []
        for found in kind.conversations(reader):
            try:
                summaries.append(summary_of(found))
            except _NoConversation as error:
                problems.append(str(error))
        memories = 0
        if kind.origin is ImportSource.PROFILE and MEMORIES in reader.names:
            try:
                memories = len(read_lines(reader.read(MEMORIES).decode("utf-8", "replace")))
            except NotRemembered as error:
                problems.append(str(error))
        bases = tuple(name for name in reader.names if name.startswith(BASES))
        return Listing(
            kind.origin,
            tuple(summaries),
            memories,
            bases,
            kind.origin is ImportSource.PROFILE and SETTINGS in reader.names,
            tuple(problems[:_MOST_PROBLEMS]),
        )


class _NoConversation(Exception):
    """An entry of a file that cannot be imported; its message says why."""


def summary_of(found: Found) -> Summary:
    """Return the summary of a conversation in a file.

    Raises:
        _NoConversation: it is invalid.
    """
    if isinstance(found, Unreadable):
        raise _NoConversation(found.problem)
    try:
        return _summary(found)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        title = str(found["conversation"].get("title"))
        raise _NoConversation(_BAD.format(name=title)) from error


def _summary(record: Record) -> Summary:
    about = record["conversation"]
    if not isinstance(about["title"], str):
        message = "a title that is no text"
        raise TypeError(message)
    messages = [message for message in record["messages"] if message.get("deleted_at") is None]
    # SQLite's length of a text ends at the first NUL.
    chars = sum(len(message["text"].partition("\0")[0]) for message in messages)
    return Summary(about["id"], about["title"], parse_moment(about["updated_at"]), len(messages), chars)
