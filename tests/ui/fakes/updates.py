"""Versions in memory: what is announced, and what a test says of this one."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from desktop.domain.updates import InstalledProgram, Release, UpdateStatus, VersionNews
from desktop.installation import Installation, InstallForm

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class FakeUpdates:
    """`known` is what `status` gives, `answer` what it becomes when somebody asks."""

    def __init__(self) -> None:
        self.known = UpdateStatus("https://footnote.example/latest.json", is_on=True)
        self.answer = replace(self.known, asked_at=NOON)
        self.announced: list[Release] = []
        self.since = ""
        self.told: list[str] = []
        self.program = InstalledProgram(
            "0.1.0",
            Installation(InstallForm.UV_TOOL, ("python", "-m", "desktop")),
            "installed with uv tool",
            "Update it in a terminal.",
            "uv tool upgrade footnote",
            Path("data"),
        )

    @property
    def address(self) -> str:
        return self.known.address

    async def status(self) -> UpdateStatus:
        return self.known

    async def check(self) -> UpdateStatus:
        self.known = self.answer
        return self.known

    async def watch(self) -> AsyncGenerator[Release]:
        while True:
            while self.announced:
                yield self.announced.pop(0)
            await asyncio.sleep(0.01)

    async def unpack_image(self) -> None:
        pass

    async def note_told(self, version: str) -> None:
        self.told.append(version)

    async def pending_news(self) -> str:
        return self.since

    async def news(self, language: str) -> VersionNews:
        return VersionNews("0.1.0", self.since, f"## 0.1.0\n\n- Something `new` ({language}).")
