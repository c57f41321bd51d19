"""This installation of Footnote: its version, a newer one that was announced, and the findings of the doctor."""

import logging
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from pathlib import Path

from desktop.installation import Installation


@dataclass(frozen=True)
class Release:
    """An announced version: `day` is an ISO date, `address` a page about it, `notes` its news by language."""

    version: str
    day: str
    address: str
    notes: tuple[tuple[str, str], ...] = ()

    def notes_in(self, language: str) -> str:
        """Return the notes in a language such as zh_CN, else in English, else in the first that there is."""
        notes = dict(self.notes)
        wanted = (language, language.partition("_")[0], "en", *notes)
        return next((notes[name] for name in wanted if notes.get(name)), "")


@dataclass(frozen=True)
class UpdateStatus:
    """What is known about newer versions.

    `address` is what is asked, empty if none is known; `asked_at` the time of the last request, and `problem`
    its error. `release` is the newest announced version if it is newer than this one.
    """

    address: str = ""
    is_on: bool = False
    asked_at: datetime | None = None
    problem: str = ""
    release: Release | None = None


@dataclass(frozen=True)
class InstalledProgram:
    """This version, in words how it was installed, and how it is replaced by a newer one.

    `command` is what the user types for that; empty if a new file is downloaded instead.
    """

    version: str
    installation: Installation
    form: str
    advice: str
    command: str
    data_folder: Path
    is_portable: bool = False


@dataclass(frozen=True)
class VersionNews:
    """The part of the changelog, in Markdown, for all versions after `since`; with an empty `since` for this one."""

    version: str
    since: str
    text: str


class CheckStatus(StrEnum):
    """The result of a check. A WARNING is a problem that does not stop Footnote from working."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


class FixAction(StrEnum):
    """What the user can open to fix a problem; without such an action only the advice is shown."""

    NONE = ""
    READ_REASONS = "read reasons"
    TEST_ENGINE = "test engine"
    SHOW_PAGE = "show page"
    GET_BROWSER = "get browser"


@dataclass(frozen=True)
class Check:
    """A finding; `advice` says what to do and is empty when there is nothing to do.

    The advice may name a terminal command; a window offers `remedy` instead, if there is one.
    """

    name: str
    status: CheckStatus
    detail: str
    advice: str = ""
    remedy: FixAction = FixAction.NONE


@dataclass(frozen=True)
class LogEntry:
    """A log entry. `level` is one of `logging`'s; `time` is as written, in local time.

    `text` may have several lines, such as those of a traceback.
    """

    time: str
    level: int
    origin: str
    text: str

    @property
    def level_name(self) -> str:
        """Name of the level as in the log, such as WARNING."""
        return logging.getLevelName(self.level)
