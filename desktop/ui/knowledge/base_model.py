"""The knowledge bases as an item model, with the progress of each."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from PySide6.QtCore import (
    QCoreApplication,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    QTimer,
    Signal,
    Slot,
)
from PySide6.QtGui import QFont
from typing_extensions import override

from desktop.domain.knowledge import BaseInfo, ItemProgress, ItemState
from desktop.ui.knowledge.item_rows import name_key
from desktop.ui.theme.theme import can_draw
from desktop.ui.widgets.layout import plain_tip
from desktop.ui.widgets.record_model import RecordModel

_SHARES: Final = {
    ItemState.WAITING: 0.0,
    ItemState.READING: 0.0,
    ItemState.KEYWORD_READY: 0.5,
    ItemState.READY: 1.0,
    ItemState.FAILED: 1.0,
}

_Index = QModelIndex | QPersistentModelIndex

BaseRole: Final = Qt.ItemDataRole.UserRole
"""The BaseInfo of a row."""
ShareRole: Final = Qt.ItemDataRole.UserRole + 1
"""How much of its work a base has done, or None."""
WordsRole: Final = Qt.ItemDataRole.UserRole + 2
"""What is said below the name."""

_FRAME_MS: Final = 100


@dataclass
class _Load:
    """The items since the base was last idle, by their progress."""

    shares: dict[str, float]
    done: float
    opened: set[str]


class BaseProgress:
    """Counts the items of a base from the moment that it has work until it has none."""

    def __init__(self) -> None:
        self._loads: defaultdict[str, _Load] = defaultdict(lambda: _Load({}, 0.0, set()))

    def take(self, progress: ItemProgress) -> bool:
        """Record a step of an item and say whether it changes the progress of its base."""
        item = progress.item
        if item.base_id not in self._loads and item.state.has_ended:
            return False
        load = self._loads[item.base_id]
        share = _SHARES[item.state]
        if load.shares.get(item.id) == share:
            return False
        load.done += share - load.shares.get(item.id, 0.0)
        load.shares[item.id] = share
        (load.opened.discard if item.state.has_ended else load.opened.add)(item.id)
        if not load.opened:
            del self._loads[item.base_id]
        return True

    def drop(self, base_id: str, item_id: str) -> None:
        """Stop counting an item that was removed or cancelled."""
        if (load := self._loads.get(base_id)) is not None:
            load.done -= load.shares.pop(item_id, 0.0)
            load.opened.discard(item_id)
            if not load.opened:
                del self._loads[base_id]

    def share(self, base_id: str) -> float | None:
        """Return the progress of the base from 0 to 1; None without any work."""
        load = self._loads.get(base_id)
        return load.done / len(load.shares) if load else None


def share_anew(base: BaseInfo) -> float | None:
    """Return how much of a base is embedded with its next model, from 0 to 1; None if nothing is."""
    return min(1.0, base.embedded_anew / base.passages) if base.embedded_anew and base.passages else None


def format_base(base: BaseInfo, share: float | None = None) -> str:
    """Return how much is in a base, and whether it is being read or embedded with another model."""
    translate = QCoreApplication.translate
    items = translate("base_words", "1 item") if base.items == 1 else translate("base_words", "{count} items")
    items = items.format(count=QLocale().toString(base.items))
    if base.is_paused:
        return translate("base_words", "Paused · {items}").format(items=items)
    if share is not None:
        return translate("base_words", "Reading, {percent}%").format(percent=int(100 * share))
    if (share := share_anew(base)) is not None:
        return translate("base_words", "Indexing again, {percent}%").format(percent=int(100 * share))
    if not base.items:
        return translate("base_words", "Empty")
    one, many = translate("base_words", "1 passage"), translate("base_words", "{count} passages")
    passages = one if base.passages == 1 else many.format(count=QLocale().toString(base.passages))
    return f"{items} · {passages}"


def base_badge(base: BaseInfo, font: QFont) -> str:
    """Return the icon of a base, or the first letter of its name where no font here has the icon."""
    is_drawn = bool(base.icon) and can_draw(base.icon, font.family())
    return base.icon if is_drawn else base.name[:1].upper()


class BaseModel(RecordModel[BaseInfo]):
    """The bases by name.

    Signals:
        renamed: a `BaseInfo` with its new name.
    """

    renamed = Signal(object)
    is_editable = True

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._progress = BaseProgress()
        self._changed: set[str] = set()
        self._frame = QTimer(self)
        self._frame.setSingleShot(True)
        self._frame.setInterval(_FRAME_MS)
        self._frame.timeout.connect(self._tell)

    @override
    def show(self, records: Iterable[BaseInfo]) -> None:
        """Show bases; they are sorted by name."""
        super().show(sorted(records, key=lambda base: name_key(base.name)))

    def follow(self, progress: ItemProgress) -> None:
        """Update the progress of a base after a step of an item."""
        if self._progress.take(progress):
            self._tell_soon(progress.item.base_id)

    def drop(self, base_id: str, item_ids: tuple[str, ...]) -> None:
        """Stop counting items."""
        for item_id in item_ids:
            self._progress.drop(base_id, item_id)
        self._tell_soon(base_id)

    def share(self, base_id: str) -> float | None:
        """Return the progress of a base from 0 to 1; None without any work."""
        share, base = self._progress.share(base_id), self.record(self.row_of(base_id))
        return share_anew(base) if share is None and base is not None else share

    @override
    def values_of(self, record: BaseInfo) -> Mapping[int, Any]:
        """Return the name of a base, its summary, or the base itself."""
        words = format_base(record, self._progress.share(record.id))
        return {
            Qt.ItemDataRole.DisplayRole: record.name,
            Qt.ItemDataRole.EditRole: record.name,
            Qt.ItemDataRole.ToolTipRole: plain_tip(f"{record.name}\n{words}"),
            Qt.ItemDataRole.AccessibleTextRole: f"{record.name}, {words}",
            BaseRole: record,
            ShareRole: self.share(record.id),
            WordsRole: words,
        }

    def setData(self, index: _Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Request a new name."""
        if role != Qt.ItemDataRole.EditRole or not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return False
        base, name = self.records[index.row()], str(value).strip()
        if name and name != base.name:
            self.renamed.emit(replace(base, name=name))
        return True

    def _tell_soon(self, base_id: str) -> None:
        self._changed.add(base_id)
        if not self._frame.isActive():
            self._frame.start()

    @Slot()
    def _tell(self) -> None:
        changed, self._changed = self._changed, set()
        self.tell_changed(changed)
