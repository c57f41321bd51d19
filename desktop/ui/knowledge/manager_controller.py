"""Changes the items of the base that is shown, and keeps the models up to date."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from desktop.background import BackgroundLoop
from desktop.chat.api.knowledge import Embedders, Knowledge
from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemProgress, ItemState
from desktop.ui.knowledge.base_panel import BaseModel
from desktop.ui.knowledge.item_model import ItemModel
from desktop.ui.stores.knowledge_store import KnowledgeStore
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.widgets.notice_bar import SHOWN_MS

_RECOUNT_MS = 300
_UNREAD = frozenset({ItemState.WAITING, ItemState.READING})


@dataclass(frozen=True)
class ManagerContext:
    """What the manager has access to."""

    knowledge_store: KnowledgeStore
    knowledge: Knowledge
    embedders: Embedders
    store: SettingsStore
    loop: BackgroundLoop


class ManagerController(QObject):
    """Keeps both models up to date and carries out the changes of the user.

    Removed items leave the list at once and the base only with `settle`, so that the removal can be
    undone; `settle` is called after a while and when the window is closed.

    Signals:
        base_changed: the `BaseInfo` that is shown now, or None.
        removed: the number of items whose removal can be undone.
        settled: the removal cannot be undone any more.
        failed: the error that prevented a change.
    """

    base_changed = Signal(object)
    removed = Signal(int)
    settled = Signal()
    failed = Signal(object)

    def __init__(self, means: ManagerContext, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._means = means
        self._knowledge_store = means.knowledge_store
        self._base_id = ""
        self._leaving: dict[str, ItemInfo] = {}
        self._under_way: dict[str, ItemProgress] = {}
        """How far items were last, of every base: a list says no more than that they are being read."""
        self.bases = BaseModel(self)
        self.items = ItemModel(self)
        self._is_listed = False
        self._settling = QTimer(self)
        self._settling.setSingleShot(True)
        self._settling.setInterval(SHOWN_MS)
        self._settling.timeout.connect(self.settle)
        self._recount = QTimer(self)  # a folder may gain or lose thousands of files at once
        self._recount.setSingleShot(True)
        self._recount.setInterval(_RECOUNT_MS)
        self._recount.timeout.connect(self._knowledge_store.refresh)
        for signal, slot in (
            (self._knowledge_store.bases_listed, self._on_bases_listed),
            (self._knowledge_store.created, self._on_created),
            (self._knowledge_store.items_listed, self._on_items_listed),
            (self._knowledge_store.progressed, self._on_progressed),
            (self._knowledge_store.ended, self._on_ended),
            (self._knowledge_store.failed, self.failed),
            (self.bases.renamed, self._knowledge_store.update),
        ):
            signal.connect(slot)
        self.bases.show(self._knowledge_store.bases)
        self._knowledge_store.follow()

    @property
    def base(self) -> BaseInfo | None:
        """The base that is shown."""
        return self._knowledge_store.base(self._base_id)

    @property
    def is_listed(self) -> bool:
        """Whether the items of the base are loaded."""
        return self._is_listed

    @Slot(object)
    def choose(self, base: BaseInfo | None) -> None:
        """Show a base."""
        wanted = base.id if base else ""
        if wanted == self._base_id:
            return
        self.settle()
        self._base_id = wanted
        self._is_listed = False
        self.items.show(())
        if base is not None:
            self._knowledge_store.list_items(base.id)
        self.base_changed.emit(self.base)

    def add(self, paths: Sequence[Path], links: Sequence[str] = ()) -> None:
        """Add files, folders and web pages to the base."""
        if self.base is None:
            return
        if paths:
            self._knowledge_store.add(self.base, paths)
        for link in links:
            self._knowledge_store.add_link(self.base, link)

    def put_note(self, title: str, text: str, item_id: str = "") -> None:
        """Add a note, or change the text of one."""
        if self.base is not None:
            self._knowledge_store.put_note(self.base, title, text, item_id)

    def read_again(self, items: Iterable[ItemInfo]) -> None:
        """Read items again."""
        ids = [item.id for item in items if item.state not in _UNREAD]
        if self.base is not None and ids:
            self._knowledge_store.read_again(self.base, ids)

    @Slot()
    def read_all_again(self) -> None:
        """Read all items again, as after a change of the passage length."""
        self.read_again([progress.item for progress in self.items.rows.all()])

    @Slot()
    def read_failed_again(self) -> None:
        """Read all failed items again."""
        every = (progress.item for progress in self.items.rows.all())
        self.read_again([item for item in every if item.state is ItemState.FAILED])

    def cancel(self, items: Iterable[ItemInfo]) -> None:
        """Remove items from the queue."""
        ids = tuple(item.id for item in items if item.state in _UNREAD)
        self._means.loop.run(
            self,
            partial(self._means.knowledge.cancel, ids),
            partial(self._on_cancelled, self._base_id, ids),
            self.failed,
        )

    def tag(self, items: Iterable[ItemInfo], gained: frozenset[str], lost: frozenset[str]) -> None:
        """Add tags to items and remove others; all other tags stay."""
        by_tags: dict[tuple[str, ...], list[str]] = {}
        for item in items:
            tags = tuple(sorted((set(item.tags) | gained) - lost))
            if set(tags) != set(item.tags):
                by_tags.setdefault(tags, []).append(item.id)
        for tags, ids in by_tags.items():
            self._means.loop.run(
                self, partial(self._means.knowledge.tag, tuple(ids), tags), self._on_done, self.failed
            )

    def remove(self, items: Iterable[ItemInfo]) -> None:
        """Remove items from the list; `take_back` undoes it."""
        self.settle()
        self._leaving = {item.id: item for item in items}
        if self._leaving:
            self.items.remove(self._leaving)
            self.removed.emit(len(self._leaving))
            self._settling.start()

    def take_back(self) -> None:
        """Undo `remove`."""
        self._settling.stop()
        leaving, self._leaving = self._leaving, {}
        for item in leaving.values():
            self.items.update(ItemProgress(item))
        self.items.flush()

    @Slot()
    def settle(self) -> None:
        """Remove the removed items from the base permanently."""
        leaving, self._leaving = self._leaving, {}
        if leaving:
            self.bases.drop(self._base_id, tuple(leaving))
            # The store outlives this window: work that was begun is completed.
            self._knowledge_store.remove(self._base_id, tuple(leaving))
            self._settling.stop()
            self.settled.emit()

    def refresh(self) -> None:
        """Load bases and items again."""
        self._knowledge_store.refresh()
        if self._base_id:
            self._knowledge_store.list_items(self._base_id)

    def _on_cancelled(self, base_id: str, item_ids: tuple[str, ...], _nothing: object) -> None:
        self.bases.drop(base_id, item_ids)
        self.refresh()

    @Slot(object)
    def _on_done(self, _nothing: object) -> None:
        self.refresh()

    @Slot(object)
    def _on_bases_listed(self, bases: tuple[BaseInfo, ...]) -> None:
        self.bases.show(bases)
        self.base_changed.emit(self.base)

    @Slot(object)
    def _on_created(self, _base: BaseInfo) -> None:
        self._on_bases_listed(self._knowledge_store.bases)

    @Slot(str, object)
    def _on_items_listed(self, base_id: str, items: tuple[ItemInfo, ...]) -> None:
        if base_id != self._base_id:
            return
        for item in items:
            self.bases.follow(ItemProgress(item))
        staying = [item for item in items if item.id not in self._leaving]
        if self._is_listed:
            self.items.bring_up_to_date(staying)
        else:
            self._is_listed = True
            self.items.show(staying)
            for item in staying:
                known = self._under_way.get(item.id)
                if known is not None and known.item.state is item.state:
                    self.items.update(known)

    @Slot(object)
    def _on_progressed(self, progress: ItemProgress) -> None:
        item = progress.item
        self._under_way.pop(item.id, None)
        if progress.total and not item.state.has_ended:
            self._under_way[item.id] = progress
        if progress.is_removed:
            self._on_gone(item)
            return
        self.bases.follow(progress)
        if item.state.has_ended and not self._recount.isActive():  # steps may come without a pause
            self._recount.start()
        if item.base_id == self._base_id and item.id not in self._leaving:
            self.items.update(progress)

    def _on_gone(self, item: ItemInfo) -> None:
        """Remove an item from the list that a watched folder or another window took out."""
        self.bases.drop(item.base_id, (item.id,))
        if item.base_id == self._base_id:
            self.items.remove((item.id,))
        self._recount.start()

    @Slot(str)
    def _on_ended(self, base_id: str) -> None:
        if base_id == self._base_id:
            self._knowledge_store.list_items(base_id)
