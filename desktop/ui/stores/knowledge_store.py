"""The knowledge bases for the window: lists, creates, changes, deletes and fills them."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from desktop.background import BackgroundLoop, Job
from desktop.chat.api.knowledge import Knowledge
from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemProgress, ItemState
from desktop.errors import UnknownBase


class ImportJob(QObject):
    """A job that adds items to one base; `work` reports every step.

    Signals:
        progressed: an ItemProgress.
        ended: the job is over.
        failed: the error that stopped the job.
    """

    progressed = Signal(object)
    ended = Signal()
    failed = Signal(object)

    def __init__(
        self,
        base: BaseInfo,
        work: Callable[[], AsyncIterator[ItemProgress]],
        loop: BackgroundLoop,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.base = base
        self._met: set[str] = set()
        self._ended: dict[str, ItemInfo] = {}
        self._skipped: list[ItemInfo] = []
        self._is_running = True
        self._job = loop.run(
            self,
            work,
            self._on_ended,
            self._on_failed,
            progressed=self._on_progressed,
            cancelled=self._on_cancelled,
        )

    @Slot()
    def cancel(self) -> None:
        """Stop adding; items that are already in the base stay."""
        self._job.cancel()

    @property
    def is_running(self) -> bool:
        """Whether the job is still running."""
        return self._is_running

    @property
    def count(self) -> int:
        """Number of files found so far."""
        return len(self._met)

    @property
    def done(self) -> int:
        """Number of finished files."""
        return len(self._ended)

    @property
    def failures(self) -> tuple[ItemInfo, ...]:
        """The files that could not be added."""
        return tuple(item for item in self._ended.values() if item.state is ItemState.FAILED)

    @property
    def skipped(self) -> tuple[ItemInfo, ...]:
        """Links that lead out of the added folder; they count as failures, but are not in the base."""
        return tuple(self._skipped)

    @Slot(object)
    def _on_progressed(self, progress: ItemProgress) -> None:
        self._met.add(progress.item.id)
        if progress.is_removed:  # deleted with its file or by the user, which is no failure
            self._met.discard(progress.item.id)
            self._ended.pop(progress.item.id, None)
        elif progress.item.state.has_ended:
            self._ended[progress.item.id] = progress.item
            if progress.is_skipped:
                self._skipped.append(progress.item)
        self.progressed.emit(progress)

    @Slot(object)
    def _on_ended(self, _nothing: object) -> None:
        self._end()

    @Slot()
    def _on_cancelled(self) -> None:
        self._end()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self.failed.emit(error)
        self._end()

    def _end(self) -> None:
        self._is_running = False
        self.ended.emit()


class KnowledgeStore(QObject):
    """Loads and changes knowledge bases; every change ends with an updated list.

    Jobs go on while the window is open, even if their progress is not shown.

    Signals:
        bases_listed: all bases (tuple of BaseInfo).
        items_listed: id of a base and its items (tuple of ItemInfo).
        created: the BaseInfo of a new base.
        deleted: the BaseInfo of a deleted base, which `restore` brings back.
        added: an ImportJob of files or links that has started.
        ended: id of a base whose job is over.
        progressed: an ItemProgress of any item, once `follow` was called.
        failed: the error of a failed operation.
    """

    bases_listed = Signal(object)
    items_listed = Signal(str, object)
    created = Signal(object)
    deleted = Signal(object)
    added = Signal(object)
    ended = Signal(str)
    progressed = Signal(object)
    failed = Signal(object)

    def __init__(self, knowledge: Knowledge, loop: BackgroundLoop, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._knowledge = knowledge
        self._loop = loop
        self._newest = 0
        self._following: Job | None = None
        self.bases: tuple[BaseInfo, ...] = ()
        self._additions: list[ImportJob] = []

    def base(self, base_id: str) -> BaseInfo | None:
        """Return a base from the latest list."""
        return next((base for base in self.bases if base.id == base_id), None)

    @Slot()
    def refresh(self) -> None:
        """Reload the bases."""
        self._newest += 1
        self._start(self._knowledge.bases, partial(self._on_listed, self._newest))

    def list_items(self, base_id: str) -> None:
        """Load the items of a base."""
        self._loop.run(
            self,
            partial(self._knowledge.items, base_id),
            partial(self._on_items_listed, base_id),
            self._on_items_not_listed,
        )

    def follow(self) -> None:
        """Start to report every step of every item, including imports that another caller started."""
        if self._following is None:
            self._following = self._loop.run(
                self, self._knowledge.steps, self._on_followed, self._on_lost, progressed=self.progressed
            )

    def create(self, name: str, paths: Sequence[Path] = (), links: Sequence[str] = ()) -> None:
        """Create a base and add `paths` and `links` to it."""
        self._start(
            partial(self._knowledge.create, name), partial(self._on_created, tuple(paths), tuple(links))
        )

    def update(self, base: BaseInfo) -> None:
        """Save a base's name, icon, options and pause.

        The change is shown at once, even if the worker is busy, and is reverted if it fails.
        """
        before = self.base(base.id)
        self._show(base)
        self._loop.run(
            self,
            partial(self._knowledge.update, base),
            self._on_changed,
            partial(self._on_refused, before or base),
        )

    def delete(self, base: BaseInfo) -> None:
        """Delete a base; `restore` brings it back."""
        self._start(partial(self._knowledge.delete, base.id), partial(self._on_deleted, base))

    def restore(self, base: BaseInfo) -> None:
        """Undo `delete`."""
        self._start(partial(self._knowledge.restore, base.id), self._on_changed)

    def add(self, base: BaseInfo, paths: Sequence[Path]) -> ImportJob:
        """Add files and folders to a base."""
        return self._add(base, partial(self._knowledge.add, base.id, tuple(paths)))

    def add_link(self, base: BaseInfo, url: str) -> ImportJob:
        """Add a web page to a base."""
        return self._add(base, partial(self._knowledge.add_link, base.id, url))

    def put_note(self, base: BaseInfo, title: str, text: str, item_id: str = "") -> ImportJob:
        """Add a note to a base, or change an existing one."""
        work = partial(self._knowledge.put_note, base.id, title, text, item_id)
        return self._add(base, work, is_told=False)

    def read_again(self, base: BaseInfo, item_ids: Sequence[str]) -> ImportJob:
        """Read items of a base again."""
        return self._add(base, partial(self._knowledge.read_again, tuple(item_ids)), is_told=False)

    def remove(self, base_id: str, item_ids: Sequence[str]) -> None:
        """Remove items from a base."""
        self._start(partial(self._knowledge.remove, tuple(item_ids)), partial(self._on_removed, base_id))

    def cancel_all(self) -> None:
        """Stop all jobs, and stop following the steps of items."""
        if self._following is not None:
            self._following.cancel()
        for addition in self._additions:
            addition.cancel()

    def _add(
        self, base: BaseInfo, work: Callable[[], AsyncIterator[ItemProgress]], *, is_told: bool = True
    ) -> ImportJob:
        addition = ImportJob(base, work, self._loop, self)
        self._additions = [*(other for other in self._additions if other.is_running), addition]
        addition.failed.connect(self.failed)
        addition.ended.connect(partial(self._on_addition_ended, base.id))
        if is_told:
            self.added.emit(addition)
        return addition

    def _start(self, work: Callable[[], Awaitable[object]], done: Callable[..., None]) -> None:
        self._loop.run(self, work, done, self._on_failed)

    def _show(self, base: BaseInfo) -> None:
        self._newest += 1  # a list that is being loaded does not include this change
        self.bases = tuple(base if each.id == base.id else each for each in self.bases)
        self.bases_listed.emit(self.bases)

    def _on_refused(self, before: BaseInfo, error: Exception) -> None:
        self._show(before)
        self._on_failed(error)

    def _on_listed(self, number: int, bases: tuple[BaseInfo, ...]) -> None:
        if number == self._newest:  # an older response may arrive later
            self.bases = bases
            self.bases_listed.emit(bases)

    def _on_items_listed(self, base_id: str, items: tuple[ItemInfo, ...]) -> None:
        self.items_listed.emit(base_id, items)

    @Slot(object)
    def _on_items_not_listed(self, error: Exception) -> None:
        if not isinstance(error, UnknownBase):  # the base was deleted while its items were being loaded
            self.failed.emit(error)

    def _on_removed(self, base_id: str, _nothing: object) -> None:
        self.list_items(base_id)
        self.refresh()

    def _on_created(self, paths: tuple[Path, ...], links: tuple[str, ...], base: BaseInfo) -> None:
        self.bases = (*self.bases, base)
        self.created.emit(base)
        if paths:
            self.add(base, paths)
        for link in links:
            self.add_link(base, link)
        self.refresh()

    def _on_deleted(self, base: BaseInfo, _nothing: object) -> None:
        self.deleted.emit(base)
        self.refresh()

    def _on_addition_ended(self, base_id: str) -> None:
        self.ended.emit(base_id)
        self.refresh()

    @Slot(object)
    def _on_changed(self, _base: object) -> None:
        self.refresh()

    @Slot(object)
    def _on_followed(self, _nothing: object) -> None:
        self._following = None

    @Slot(object)
    def _on_lost(self, error: Exception) -> None:
        self._following = None
        self.failed.emit(error)

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self.failed.emit(error)
        self.refresh()
