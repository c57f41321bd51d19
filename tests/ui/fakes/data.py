"""Copies and files of conversations in memory, for widgets."""

from collections.abc import AsyncGenerator, Collection
from datetime import UTC, datetime
from pathlib import Path

from desktop.domain.backups import (
    HERE,
    BackupCopy,
    CopyContents,
    CopyKind,
    DataPart,
    FileContents,
    Imported,
    PlaceState,
    Restoration,
    TransferProgress,
)
from desktop.domain.sources import KeptPage, PageCheck, PagesChecked, PageTexts, PageTotals
from desktop.errors import AppError
from desktop.settings.model import BackupDestination

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


class FakeBackups:
    """`by_place` are the copies, `contents` what previews give; `error` is what every call ends with, if set."""

    def __init__(self) -> None:
        self.known_parts: tuple[DataPart, ...] = (DataPart("conversations", Path("conversations.db"), 4_096),)
        self.by_place: dict[str, list[BackupCopy]] = {HERE: []}
        self.problems: dict[str, str] = {}
        self.contents: dict[BackupCopy, CopyContents] = {}
        self.merged: list[tuple[BackupCopy, frozenset[str] | None]] = []
        self.replaced: list[BackupCopy] = []
        self.undone: list[Restoration] = []
        self.tested: list[tuple[BackupDestination, str | None]] = []
        self.settings_of: list[BackupCopy] = []
        self.error: AppError | None = None

    async def parts(self) -> tuple[DataPart, ...]:
        return self.known_parts

    async def places(self) -> tuple[PlaceState, ...]:
        return tuple(
            PlaceState(place, copies[0].taken_at if copies else None, self.problems.get(place, ""))
            for place, copies in self.by_place.items()
        )

    async def copies(self, place: str = HERE) -> tuple[BackupCopy, ...]:
        self._fail()
        return tuple(self.by_place.get(place, ()))

    async def back_up(self, place: str = HERE) -> AsyncGenerator[TransferProgress]:
        self._fail()
        yield TransferProgress(0, 2)
        copies = self.by_place.setdefault(place, [])
        copies.insert(0, BackupCopy(place, f"copy-{len(copies)}", NOON, size_bytes=4_096))
        yield TransferProgress(2, 2)

    async def test(self, destination: BackupDestination, secret: str | None) -> str:
        self._fail()
        self.tested.append((destination, secret))
        return "A test file was written there, read and deleted."

    async def preview(self, copy: BackupCopy) -> CopyContents:
        self._fail()
        return self.contents.get(copy, CopyContents(copy, ()))

    async def merge(self, copy: BackupCopy, conversations: Collection[str] | None = None) -> Restoration:
        self._fail()
        self.merged.append((copy, None if conversations is None else frozenset(conversations)))
        return Restoration(tuple(conversations or ()))

    async def replace_all(self, copy: BackupCopy) -> Restoration:
        self._fail()
        self.replaced.append(copy)
        return Restoration(before=BackupCopy(HERE, "before", NOON, CopyKind.BEFORE_RESTORE))

    async def use_settings(self, copy: BackupCopy) -> tuple[str, ...]:
        self._fail()
        self.settings_of.append(copy)
        return ("These would start programs.",)

    async def undo(self, done: Restoration) -> None:
        self._fail()
        self.undone.append(done)

    def _fail(self) -> None:
        if self.error is not None:
            raise self.error


class FakeTransfers:
    """`files` are what can be imported; `error` is what every call ends with, if set."""

    def __init__(self) -> None:
        self.files: dict[Path, FileContents] = {}
        self.exported: list[tuple[str, Path]] = []
        self.imported: list[tuple[Path, frozenset[str] | None, bool, bool]] = []
        self.undone: list[Imported] = []
        self.error: AppError | None = None

    async def export_profile(self, path: Path, *, has_bases: bool = True) -> AsyncGenerator[TransferProgress]:
        self._fail()
        yield TransferProgress(0, 1)
        self.exported.append(("bases" if has_bases else "", path))
        yield TransferProgress(1, 1)

    async def export_conversation(self, conversation_id: str, path: Path) -> None:
        self._fail()
        self.exported.append((conversation_id, path))

    async def examine(self, path: Path) -> FileContents:
        self._fail()
        return self.files[path]

    async def import_from(
        self,
        path: Path,
        conversations: Collection[str] | None = None,
        *,
        has_settings: bool = False,
        has_bases: bool = True,
    ) -> AsyncGenerator[TransferProgress | Imported]:
        self._fail()
        chosen = None if conversations is None else frozenset(conversations)
        self.imported.append((path, chosen, has_settings, has_bases))
        yield TransferProgress(1, 1)
        yield Imported(tuple(sorted(chosen or ())))

    async def undo(self, imported: Imported) -> None:
        self._fail()
        self.undone.append(imported)

    def _fail(self) -> None:
        if self.error is not None:
            raise self.error


class FakePageArchive:
    """Pages in memory by the number of their source; `results` are what reading them again shows."""

    def __init__(self) -> None:
        self.texts: dict[int, PageTexts] = {}
        self.results: dict[int, PageCheck] = {}
        self.held = PageTotals(0, 0, 0)
        self.saved: list[Path] = []
        self.error: AppError | None = None

    async def pages(self, _conversation_id: str) -> tuple[KeptPage, ...]:
        return tuple(each.page for each in self.texts.values())

    async def load(self, _conversation_id: str, number: int) -> PageTexts | None:
        if self.error is not None:
            raise self.error
        return self.texts.get(number)

    async def check(
        self, _conversation_id: str, numbers: Collection[int] = ()
    ) -> AsyncGenerator[PagesChecked]:
        yield PagesChecked({}, 0, 1)
        if self.error is not None:
            raise self.error
        found = {number: self.results[number] for number in numbers or self.results}
        yield PagesChecked(found, 1, 1)

    async def save_file(self, _conversation_id: str, _number: int, path: Path) -> None:
        self.saved.append(path)

    async def totals(self) -> PageTotals:
        return self.held

    async def clear(self) -> None:
        self.texts.clear()
        self.held = PageTotals(0, 0, 0)
