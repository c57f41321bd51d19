"""Backups of the user's data: where they are, what they contain, and the results of restoring one."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from typing import Final

HERE: Final = ""
"""The place of backups stored beside the data; other places are ids of `BackupDestination`s."""


CLOCK_TOLERANCE: Final = timedelta(minutes=5)
"""How far the clocks of two computers may differ before a date counts as being in the future."""


class CopyKind(StrEnum):
    """Why a backup was made."""

    REGULAR = "regular"
    BEFORE_UPDATE = "before-update"
    BEFORE_RESTORE = "before-restore"
    KNOWLEDGE = "knowledge"
    """A backup of the knowledge bases; all other kinds hold conversations and memories."""


@dataclass(frozen=True)
class BackupCopy:
    """A backup and the time of its state. `name` is unique within its `place`."""

    place: str
    name: str
    taken_at: datetime
    kind: CopyKind = CopyKind.REGULAR
    size_bytes: int = 0


@dataclass(frozen=True)
class PlaceState:
    """The state of backups to a destination: its newest known backup, and the error of the last attempt."""

    place: str
    newest: datetime | None = None
    problem: str = ""


class Difference(StrEnum):
    """How a conversation of a backup or a file compares with the local ones."""

    MISSING = "missing"
    """It does not exist here, or was deleted here."""
    SAME = "same"
    OLDER = "older"
    """The local one was used more recently."""
    NEWER = "newer"


@dataclass(frozen=True)
class ForeignConversation:
    """A conversation that can be imported. `id` is the id that it has, or will have, here."""

    id: str
    title: str
    updated_at: datetime
    messages: int
    difference: Difference


@dataclass(frozen=True)
class CopyContents:
    """The contents of a backup compared with the local data, most recently used conversation first.

    `only_here` counts conversations that are not in the backup, `memories_missing` counts memories that are not
    here. A backup of knowledge bases has their names in `bases`, and can only replace all of them.
    """

    copy: BackupCopy
    conversations: tuple[ForeignConversation, ...]
    only_here: int = 0
    memories: int = 0
    memories_missing: int = 0
    has_settings: bool = False
    bases: tuple[str, ...] = ()


@dataclass(frozen=True)
class Restoration:
    """The result of a restore; pass it to `undo` to revert the restore.

    `added` are the conversations that were added. If everything was replaced, `before` is the backup of the
    previous state. `notes` say in words what was not restored, and which settings the user has to confirm.
    """

    added: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    before: BackupCopy | None = None
    notes: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()


@dataclass(frozen=True)
class DataPart:
    """A part of the user's data on this machine, such as `conversations`."""

    name: str
    path: Path
    size_bytes: int


@dataclass(frozen=True)
class TransferProgress:
    """Progress of a long operation: bytes or conversations done, out of a total; 0 while the total is unknown."""

    done: int
    total: int


def is_in_future(moment: datetime, now: datetime) -> bool:
    """Say whether a date can only come from a wrong clock: the one that wrote it, or the present one."""
    return moment - now > CLOCK_TOLERANCE


def is_copy_due(newest: datetime | None, now: datetime, every: timedelta) -> bool:
    """Say whether a backup is due when the newest one has the date `newest` (None if there is none).

    The age of a backup dated in the future is unknown, so another one is due.
    """
    return newest is None or now - newest >= every or is_in_future(newest, now)


CONVERSATION_SUFFIX: Final = ".footnote.json"
PROFILE_SUFFIX: Final = ".footnote-profile"


class ImportSource(StrEnum):
    """Which program wrote a file."""

    PROFILE = "profile"
    """A whole Footnote profile."""
    CONVERSATION = "conversation"
    """A single Footnote conversation."""
    CHATGPT = "chatgpt"
    CLAUDE = "claude"
    CHERRY_STUDIO = "cherry-studio"
    CHATBOX = "chatbox"
    OPEN_WEBUI = "open-webui"


@dataclass(frozen=True)
class FileContents:
    """The contents of a file, most recently used conversation first.

    `problems` say in words what cannot be read. `bases` are the names of the knowledge bases in it.
    """

    origin: ImportSource
    conversations: tuple[ForeignConversation, ...]
    memories: int = 0
    bases: tuple[str, ...] = ()
    has_settings: bool = False
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Imported:
    """The result of an import; pass it to `undo` to revert it. `problems` say in words what was not imported."""

    conversations: tuple[str, ...] = ()
    memories: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    problems: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()
