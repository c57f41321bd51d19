"""Backups, cited pages and privacy for the window.

They are implemented in `desktop.services.backups`, `desktop.services.web.cited_pages` and
`desktop.services.privacy`.

Destinations are `settings.backup.destinations`; the secret of one is `backup/<id>`. All methods run on the
asyncio thread and raise `AppError`s only.
"""

from collections.abc import AsyncIterator, Collection
from pathlib import Path
from typing import Protocol

from desktop.domain.backups import (
    HERE,
    BackupCopy,
    CopyContents,
    DataPart,
    PlaceState,
    Restoration,
    TransferProgress,
)
from desktop.domain.privacy import DeletedData, EgressSummary, Recipient
from desktop.domain.sources import KeptPage, PagesChecked, PageTexts, PageTotals
from desktop.settings.model import BackupDestination


class Backups(Protocol):
    """Backup copies of conversations, memories and settings: beside the data, and at the user's destinations."""

    async def parts(self) -> tuple[DataPart, ...]:
        """Return where the data is stored and how large each part is."""
        ...

    async def places(self) -> tuple[PlaceState, ...]:
        """Return the backup state of each place: first `HERE`, then every destination in the settings.

        Does not contact any server.
        """
        ...

    async def copies(self, place: str = HERE) -> tuple[BackupCopy, ...]:
        """Return the copies at a place, the newest first."""
        ...

    def back_up(self, place: str = HERE) -> AsyncIterator[TransferProgress]:
        """Make a copy now and yield its progress in bytes.

        The copy exists once the iterator ends. Closing the iterator leaves no copy.
        """
        ...

    async def test(self, destination: BackupDestination, secret: str | None) -> str:
        """Write, read and delete a file at a destination and return a message about the result.

        If `secret` is None, the stored one is used.

        Raises:
            BackupFailed: the test failed, with the reason.
        """
        ...

    async def preview(self, copy: BackupCopy) -> CopyContents:
        """Return the contents of a copy. Changes nothing."""
        ...

    async def merge(self, copy: BackupCopy, conversations: Collection[str] | None = None) -> Restoration:
        """Add the conversations and memories of a copy that are missing here; existing ones are not changed.

        `conversations` are ids from the preview; without them, all that are `MISSING` are added. A conversation
        that exists here with other content is added as a second one.
        """
        ...

    async def replace_all(self, copy: BackupCopy) -> Restoration:
        """Replace all conversations and memories by those of a copy; the current ones are saved as a copy first.

        Raises:
            AnswerUnderWay: an answer is being written.
        """
        ...

    async def use_settings(self, copy: BackupCopy) -> tuple[str, ...]:
        """Apply the settings of a copy; copies contain no keys.

        Settings that start programs or name a destination for data are not applied until the user confirms
        them; they are returned as messages.
        """
        ...

    async def undo(self, done: Restoration) -> None:
        """Undo `merge` or `replace_all`."""
        ...


class Privacy(Protocol):
    """Which data leaves the machine and for whom, which must not, and which deleted data still exists."""

    async def stays_here(self, conversation_id: str) -> bool:
        """Say whether a conversation must stay on this machine; the default is no."""
        ...

    async def keep_here(self, conversation_id: str, is_kept: bool) -> None:
        """Set whether the data of a conversation must stay on this machine.

        This is possible before the first message. An answer that is being written keeps the setting with which
        it began.
        """
        ...

    async def list_egress(self, conversation_id: str = "") -> tuple[EgressSummary, ...]:
        """Return which data was sent to which recipients, the latest first.

        Without a conversation, the summary covers all conversations.
        """
        ...

    async def recipients(self, conversation_id: str = "") -> tuple[Recipient, ...]:
        """Return the recipients that the next question would send data to, under the current settings."""
        ...

    async def remains(self) -> DeletedData:
        """Return the deleted data that can still be restored."""
        ...

    async def restore_deleted(self) -> None:
        """Bring back all deleted conversations and memories that can still be restored."""
        ...

    async def erase(self, *, with_copies: bool = False) -> None:
        """Permanently erase deleted data now: its text is overwritten, including indexes and logs.

        Backup copies still contain old data; `with_copies` replaces them all with one copy of the current data.

        Raises:
            StorageError: writing to disk failed; data that was not erased can still be restored.
        """
        ...


class PageArchive(Protocol):
    """The web pages that answers cite, as they were read."""

    async def pages(self, conversation_id: str) -> tuple[KeptPage, ...]:
        """Return the kept pages of a conversation, by the numbers of their sources."""
        ...

    async def load(self, conversation_id: str, number: int) -> PageTexts | None:
        """Return the page of a source; None if none is kept.

        Raises:
            CitedPageDamaged: it was damaged on the disk.
        """
        ...

    def check(self, conversation_id: str, numbers: Collection[int] = ()) -> AsyncIterator[PagesChecked]:
        """Read pages again, all kept ones of a conversation unless numbers are given; closing the iterator stops it.

        Each step has the results of one page, which are on disk.

        Raises:
            StaysHere: the conversation is kept on this machine.
        """
        ...

    async def save_file(self, conversation_id: str, number: int, path: Path) -> None:
        """Write what the server sent for a page to a file.

        Raises:
            CitedPageDamaged: it is not kept, or was damaged on the disk.
            NotExported: the file cannot be written.
        """
        ...

    async def totals(self) -> PageTotals:
        """Return how much is kept."""
        ...

    async def clear(self) -> None:
        """Delete all kept pages; the cited passages stay with their answers."""
        ...
