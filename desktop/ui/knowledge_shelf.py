"""The knowledge bases as the window works with them: listed, made, deleted, filled."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal, Slot

from desktop.background import BackgroundLoop, Job
from desktop.chat.ports import Knowledge
from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemProgress, ItemState


class Addition(QObject):
    """Files and folders on their way into one base.

    Signals:
        progressed: an ItemProgress.
        ended: nothing more will come.
        failed: the error that kept the rest from being added.
    """

    progressed = Signal(object)
    ended = Signal()
    failed = Signal(object)

    def __init__(
        self,
        base: BaseInfo,
        paths: Sequence[Path],
        knowledge: Knowledge,
        loop: BackgroundLoop,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self.base = base
        self._items: dict[str, ItemProgress] = {}
        self._is_running = True
        self._job = Job(partial(knowledge.add, base.id, tuple(paths)), loop, self)
        self._job.progressed.connect(self._on_progressed)
        self._job.succeeded.connect(self._on_ended)
        self._job.cancelled.connect(self._on_cancelled)
        self._job.failed.connect(self._on_failed)

    def start(self) -> None:
        """Begin."""
        self._job.start()

    @Slot()
    def cancel(self) -> None:
        """Add no more; what is in the base stays."""
        self._job.cancel()

    @property
    def is_running(self) -> bool:
        """Whether more may come."""
        return self._is_running

    @property
    def count(self) -> int:
        """How many files were met so far."""
        return len(self._items)

    @property
    def done(self) -> int:
        """How many files have come to their end."""
        return sum(
            progress.item.state in (ItemState.READY, ItemState.FAILED) for progress in self._items.values()
        )

    @property
    def failures(self) -> tuple[ItemInfo, ...]:
        """The files that could not be added."""
        items = (progress.item for progress in self._items.values())
        return tuple(item for item in items if item.state is ItemState.FAILED)

    @Slot(object)
    def _on_progressed(self, progress: ItemProgress) -> None:
        self._items[progress.item.id] = progress
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


class KnowledgeShelf(QObject):
    """Asks the engine and reports; every change ends with a new list.

    Signals:
        bases_listed: all bases (tuple of BaseInfo).
        items_listed: id of a base and its files (tuple of ItemInfo).
        created: the BaseInfo of a new base.
        added: an Addition that begins.
        progressed: an ItemProgress of any addition.
        failed: the error that kept something from being done.
    """

    bases_listed = Signal(object)
    items_listed = Signal(str, object)
    created = Signal(object)
    added = Signal(object)
    progressed = Signal(object)
    failed = Signal(object)

    def __init__(self, knowledge: Knowledge, loop: BackgroundLoop, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._knowledge = knowledge
        self._loop = loop
        self.bases: tuple[BaseInfo, ...] = ()
        self._additions: list[Addition] = []

    @Slot()
    def refresh(self) -> None:
        """Read the bases again."""
        job = Job(self._knowledge.bases, self._loop, self)
        job.succeeded.connect(self._on_listed)
        job.failed.connect(self.failed)
        job.start()

    def list_items(self, base_id: str) -> None:
        """Read the files of a base."""
        job = Job(partial(self._knowledge.items, base_id), self._loop, self)
        job.succeeded.connect(partial(self._on_items_listed, base_id))
        job.failed.connect(self.failed)
        job.start()

    def create(self, name: str, paths: Sequence[Path] = ()) -> None:
        """Make a base, and put `paths` into it."""
        job = Job(partial(self._knowledge.create, name), self._loop, self)
        job.succeeded.connect(partial(self._on_created, tuple(paths)))
        job.failed.connect(self.failed)
        job.start()

    def delete(self, base_id: str) -> None:
        """Delete a base."""
        job = Job(partial(self._knowledge.delete, base_id), self._loop, self)
        job.succeeded.connect(self.refresh)
        job.failed.connect(self.failed)
        job.start()

    def add(self, base: BaseInfo, paths: Sequence[Path]) -> Addition:
        """Put files and folders into a base."""
        addition = Addition(base, paths, self._knowledge, self._loop, self)
        self._additions = [*(other for other in self._additions if other.is_running), addition]
        addition.progressed.connect(self.progressed)
        addition.failed.connect(self.failed)
        addition.ended.connect(self.refresh)
        addition.ended.connect(partial(self.list_items, base.id))
        self.added.emit(addition)
        addition.start()
        return addition

    def cancel_all(self) -> None:
        """Add no more files anywhere."""
        for addition in self._additions:
            addition.cancel()

    def remove(self, item: ItemInfo) -> None:
        """Take a file out of its base."""
        job = Job(partial(self._knowledge.remove, item.id), self._loop, self)
        job.succeeded.connect(self.refresh)
        job.succeeded.connect(partial(self._on_removed, item.base_id))
        job.failed.connect(self.failed)
        job.start()

    @Slot(object)
    def _on_listed(self, bases: tuple[BaseInfo, ...]) -> None:
        self.bases = bases
        self.bases_listed.emit(bases)

    def _on_items_listed(self, base_id: str, items: tuple[ItemInfo, ...]) -> None:
        self.items_listed.emit(base_id, items)

    def _on_created(self, paths: tuple[Path, ...], base: BaseInfo) -> None:
        self.refresh()
        self.created.emit(base)
        if paths:
            self.add(base, paths)

    def _on_removed(self, base_id: str, _nothing: object) -> None:
        self.list_items(base_id)
