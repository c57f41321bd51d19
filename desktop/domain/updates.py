"""Versions of Footnote: this installation, a newer one that was announced, and what is new."""

from dataclasses import dataclass
from datetime import datetime
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
