"""The doctor and the diagnostics report for the window. The report contains no secrets or private data."""

import asyncio
import platform
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from typing_extensions import override

from desktop import __version__
from desktop.chat.api.system import Diagnostics
from desktop.domain.program import Check, CheckStatus, LogEntry
from desktop.settings.model import Settings

if TYPE_CHECKING:  # it imports what builds all services
    from desktop.services.container import ServiceContainer

# Rarely used: nothing is imported in advance.
# ruff: noqa: PLC0415

_MARKS = {CheckStatus.OK: "ok", CheckStatus.WARNING: "**warning**", CheckStatus.FAILED: "**FAILED**"}

_MOST_ENTRIES = 60


def report(checks: Iterable[Check], settings: Settings, entries: Iterable[LogEntry], window: str) -> str:
    """Return the report in Markdown; the caller removes secrets and names of folders."""
    lines = [
        "# Footnote report",
        "",
        f"Footnote {__version__} · Python {platform.python_version()} · {window} · {platform.platform()}",
        "",
        "## Checks",
        "",
        *(_format_check(check) for check in checks),
        "",
        "## Settings that were changed",
        "",
        *(f"- {line}" for line in sorted(list_changed_settings(settings, Settings()))),
        "",
        "## Warnings and errors of the log",
        "",
        "```",
        *(f"{each.time} {each.level_name} {each.origin}: {_without_fences(each.text)}" for each in entries),
        "```",
    ]
    return "\n".join(lines) + "\n"


def list_changed_settings(settings: object, usual: object, where: str = "") -> Iterator[str]:
    """Yield the settings that differ from the defaults.

    Only numbers and switches are given with their values; of others only that they differ.
    """
    assert is_dataclass(settings)
    for field in fields(settings):
        now, before = getattr(settings, field.name), getattr(usual, field.name)
        name = f"{where}{field.name}"
        if now == before:
            continue
        if is_dataclass(now):
            yield from list_changed_settings(now, before, f"{name}.")
        elif isinstance(now, bool | int | float):
            yield f"{name} = {now}"
        elif isinstance(now, tuple):
            yield f"{name}: {len(now)}"
        else:
            yield f"{name}: set"


def without_home(text: str, home: Path) -> str:
    """Return `text` with the user's home folder replaced by ~, as it often contains their name."""
    bare = str(home)
    return text.replace(bare, "~") if len(bare) > 1 else text


def _format_check(check: Check) -> str:
    advice = f" → {check.advice}" if check.advice and check.status is not CheckStatus.OK else ""
    return f"- {_MARKS[check.status]} {check.name}: {check.detail}{advice}"


def _without_fences(text: str) -> str:
    return text.replace("```", "'''")


class DiagnosticsService(Diagnostics):
    """Examines the services of this process."""

    def __init__(self, services: "ServiceContainer") -> None:
        self._services = services

    @property
    @override
    def log_folder(self) -> Path:
        return self._services.folders.logs

    @override
    def examine(self) -> AsyncIterator[Check]:
        from desktop.services.diagnostics.doctor import examine

        return examine(self._services)

    @override
    async def report(self, checks: Sequence[Check], window: str) -> str:
        from desktop.services.diagnostics.log_reader import last_entries, worst_of

        entries = await asyncio.to_thread(last_entries, self.log_folder)
        settings = self._services.preferences.settings
        text = report(checks, settings, worst_of(entries, _MOST_ENTRIES), window)
        return without_home(self._services.preferences.redact(text), Path.home())
