"""A tree of bases with tags and files, each with a check box, and the text for a selection."""

from collections.abc import Iterator, Mapping, Sequence

from PySide6.QtCore import QCoreApplication, QEvent, QModelIndex, QObject, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QPalette, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QLineEdit, QTreeView, QWidget

from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemKind, Scope, scope_of
from desktop.ui.i18n import Retranslated
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.item_views import TAGS_ROLE, TagDelegate
from desktop.ui.widgets.layout import plain_tip, shorten_name, vbox

Listed = Mapping[str, Sequence[ItemInfo]]
"""The loaded items by base id."""

_LONGEST_NAME = 28

_WIDTH, _HEIGHT = 380, 290
_MOST_FILES = 200
"""Maximum number of files shown for one base; the filter finds the others."""

_KEY_ROLE = Qt.ItemDataRole.UserRole
_ICONS = {ItemKind.FILE: "file", ItemKind.LINK: "globe", ItemKind.NOTE: "rename"}
_TOGGLING = (Qt.Key.Key_Space, Qt.Key.Key_Return, Qt.Key.Key_Enter)


def toggle_key(keys: Sequence[str], key: str) -> tuple[str, ...]:
    """Return `keys` with `key` added or removed: a whole base replaces its parts, and a part the whole base."""
    if key in keys:
        return tuple(kept for kept in keys if kept != key)
    base_id = scope_of(key).base_id
    if key == base_id:
        return (*(kept for kept in keys if scope_of(kept).base_id != base_id), key)
    return (*(kept for kept in keys if kept != base_id), key)


def keep_existing(keys: Sequence[str], bases: Sequence[BaseInfo], listed: Listed) -> tuple[str, ...]:
    """Return the keys that still exist, base by base; items of bases that are not loaded are kept."""
    there = [
        key
        for base in bases
        for key in keys
        if (scope := scope_of(key)).base_id == base.id and _is_there(scope, base, listed)
    ]
    return tuple(dict.fromkeys(there))


def choice_lines(keys: Sequence[str], bases: Sequence[BaseInfo], listed: Listed) -> list[str]:
    """Return a line for each selected base: `Physics`, or `Physics · #exam, notes.pdf`."""
    lines = []
    for base in bases:
        scopes = [scope for scope in map(scope_of, keys) if scope.base_id == base.id]
        if Scope(base.id) in scopes:
            lines.append(scope_title(base))
        elif scopes:
            lines.append(f"{scope_title(base)} · {_parts(scopes, listed.get(base.id, ()))}")
    return lines


def scope_title(base: BaseInfo) -> str:
    """Return the name of a base behind its icon."""
    return f"{base.icon} {base.name}".strip()


def _is_there(scope: Scope, base: BaseInfo, listed: Listed) -> bool:
    if scope.tag:
        return scope.tag in base.tags
    items = listed.get(base.id)
    return not scope.item_id or items is None or any(item.id == scope.item_id for item in items)


def _parts(scopes: Sequence[Scope], items: Sequence[ItemInfo]) -> str:
    tags = [f"#{scope.tag}" for scope in scopes if scope.tag]
    files = [scope.item_id for scope in scopes if scope.item_id]
    if len(files) > 1:
        text = QCoreApplication.translate("scope_choice", "{count} files")
        return ", ".join((*tags, text.format(count=len(files))))
    one_file = QCoreApplication.translate("scope_choice", "1 file")
    names = [next((_short(item.name) for item in items if item.id == file), one_file) for file in files]
    return ", ".join((*tags, *names))


def _short(name: str) -> str:
    """Return a name with its middle removed if it is too long for a switch, as both ends distinguish files."""
    if len(name) <= _LONGEST_NAME:
        return name
    return f"{name[: _LONGEST_NAME - 11]}…{name[-10:]}"


class ScopeTree(Retranslated, QWidget):
    """A tree of bases, tags and files with check boxes; expanding a base loads its files.

    Signals:
        picked: the selected keys (tuple of str).
        items_asked: id of a base whose files are needed; the reply is `set_items`.
    """

    picked = Signal(object)
    items_asked = Signal(str)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._bases: tuple[BaseInfo, ...] = ()
        self._items: dict[str, tuple[ItemInfo, ...]] = {}
        self._keys: tuple[str, ...] = ()
        self.filter = QLineEdit(self)
        self.filter.setClearButtonEnabled(True)
        self.filter.installEventFilter(self)
        self.view = QTreeView(self)
        self.view.setObjectName("scopes")
        self.view.setHeaderHidden(True)
        self.view.setUniformRowHeights(True)
        self.view.setMouseTracking(True)
        self.view.setEditTriggers(QTreeView.EditTrigger.NoEditTriggers)
        self.view.setExpandsOnDoubleClick(False)
        self.view.setItemDelegate(TagDelegate(self.view))
        self.view.installEventFilter(self)
        self.rows = QStandardItemModel(self)
        self.view.setModel(self.rows)
        column = vbox(self, spacing=4, margins=(2, 2, 2, 2))
        column.addWidget(self.filter)
        column.addWidget(self.view)
        self.setFixedSize(_WIDTH, _HEIGHT)
        self.filter.textChanged.connect(self._on_filtered)
        self.filter.returnPressed.connect(self._on_entered)
        self.view.clicked.connect(self._on_row_clicked)
        self.view.expanded.connect(self._on_expanded)
        self._retranslate()

    def offer(self, bases: Sequence[BaseInfo], keys: Sequence[str]) -> None:
        """Replace the bases and select `keys`; partly selected bases are expanded."""
        self._bases, self._keys = tuple(bases), tuple(keys)
        self._items.clear()
        self.filter.blockSignals(True)
        self.filter.clear()
        self.filter.blockSignals(False)
        self._fill()
        for row in self._base_rows():
            if row.checkState() is Qt.CheckState.PartiallyChecked:
                self.view.expand(row.index())
        self.view.setCurrentIndex(self.rows.index(0, 0))
        self.filter.setFocus()

    def set_items(self, base_id: str, items: Sequence[ItemInfo]) -> None:
        """Show the files of a base."""
        self._items[base_id] = tuple(items)
        for row in self._base_rows():
            if row.data(_KEY_ROLE) == base_id:
                self._fill_base(row, next(base for base in self._bases if base.id == base_id))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Move between filter and tree with the arrow keys; Space and Enter check a row."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if watched is self.filter and event.key() == Qt.Key.Key_Down:
                self.view.setFocus()
                return True
            if watched is self.view and event.key() in _TOGGLING:
                self._toggle(self.view.currentIndex())
                return True
            is_first = not self.view.indexAbove(self.view.currentIndex()).isValid()
            if watched is self.view and (_is_typing(event) or (event.key() == Qt.Key.Key_Up and is_first)):
                self.filter.setFocus()
                return self.filter.event(event) if _is_typing(event) else True
        return super().eventFilter(watched, event)

    def _retranslate(self) -> None:
        words = self.tr("Search knowledge bases, files and tags")
        self.filter.setPlaceholderText(words)
        self.filter.setAccessibleName(words)
        self.view.setAccessibleName(self.tr("Knowledge bases and their files"))

    def _base_rows(self) -> Iterator[QStandardItem]:
        return (self.rows.item(row) for row in range(self.rows.rowCount()))

    def _fill(self) -> None:
        open_ids = {row.data(_KEY_ROLE) for row in self._base_rows() if self.view.isExpanded(row.index())}
        self.rows.clear()
        for base in self._bases:
            row = _row(scope_title(base), base.id)
            if not base.icon:
                row.setIcon(icon("library", self.palette(), QPalette.ColorRole.PlaceholderText))
            row.setData(self.locale().toString(base.items) if base.items else "", TAGS_ROLE)
            if self._fill_base(row, base) or self._matches(base.name):
                self.rows.appendRow(row)
                self.view.setExpanded(row.index(), bool(self._words) or base.id in open_ids)
        self._show_checks()

    @property
    def _words(self) -> list[str]:
        return self.filter.text().casefold().split()

    def _matches(self, text: str) -> bool:
        return all(word in text.casefold() for word in self._words)

    def _fill_base(self, row: QStandardItem, base: BaseInfo) -> int:
        """Add the matching rows of a base below its row and return their number."""
        row.removeRows(0, row.rowCount())
        # A base whose name matches shows all its content.
        is_found = bool(self._words) and self._matches(base.name)
        for tag in base.tags:
            if is_found or self._matches(f"#{tag}"):
                row.appendRow(self._part(f"#{tag}", Scope(base.id, tag=tag).key, "tag"))
        items = self._items.get(base.id)
        if items is None and base.items and not self._words:
            row.appendRow(_words_only(self.tr("Please wait…")))
        found = [item for item in items or () if is_found or self._matches(item.name)]
        for item in found[:_MOST_FILES]:
            part = self._part(item.name, Scope(base.id, item_id=item.id).key, _ICONS[item.kind])
            part.setToolTip(plain_tip(item.path or item.name))
            row.appendRow(part)
        if len(found) > _MOST_FILES:
            more = self.tr("{count} more. Type to search.")
            row.appendRow(_words_only(more.format(count=len(found) - _MOST_FILES)))
        self._show_checks()
        return row.rowCount()

    def _part(self, text: str, key: str, icon_name: str) -> QStandardItem:
        part = _row(text, key)
        part.setIcon(icon(icon_name, self.palette(), QPalette.ColorRole.PlaceholderText))
        return part

    def _show_checks(self) -> None:
        partly = {scope_of(key).base_id for key in self._keys}
        for row in self._base_rows():
            base_id = row.data(_KEY_ROLE)
            state = Qt.CheckState.PartiallyChecked if base_id in partly else Qt.CheckState.Unchecked
            row.setCheckState(Qt.CheckState.Checked if base_id in self._keys else state)
            for part in (row.child(at) for at in range(row.rowCount())):
                if part.isEnabled():
                    is_on = part.data(_KEY_ROLE) in self._keys
                    part.setCheckState(Qt.CheckState.Checked if is_on else Qt.CheckState.Unchecked)

    def _toggle(self, index: QModelIndex) -> None:
        if key := index.data(_KEY_ROLE):
            self._keys = toggle_key(self._keys, str(key))
            self._show_checks()
            self.picked.emit(self._keys)

    @Slot()
    def _on_filtered(self) -> None:
        if self._words:
            for base in self._bases:
                if base.items and base.id not in self._items:
                    self.items_asked.emit(base.id)
        self._fill()
        first = self.rows.index(0, 0)
        part = self.rows.index(0, 0, first)
        self.view.setCurrentIndex(part if self._words and part.isValid() else first)

    @Slot()
    def _on_entered(self) -> None:
        self._toggle(self.view.currentIndex())

    @Slot(QModelIndex)
    def _on_row_clicked(self, index: QModelIndex) -> None:
        self._toggle(index)

    @Slot(QModelIndex)
    def _on_expanded(self, index: QModelIndex) -> None:
        base_id = str(index.data(_KEY_ROLE))
        if base_id not in self._items:
            self.items_asked.emit(base_id)


def _row(text: str, key: str) -> QStandardItem:
    row = QStandardItem(shorten_name(text))
    row.setData(key, _KEY_ROLE)
    # Only our code toggles the check box: the view would toggle it as well, but not for a click on the text.
    row.setFlags(Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable)
    row.setCheckState(Qt.CheckState.Unchecked)
    return row


def _words_only(text: str) -> QStandardItem:
    row = QStandardItem(shorten_name(text))
    row.setFlags(Qt.ItemFlag.NoItemFlags)
    return row


def _is_typing(event: QKeyEvent) -> bool:
    """Return whether a key is input for the filter: a printable character or Backspace."""
    return (event.text().isprintable() and bool(event.text())) or event.key() == Qt.Key.Key_Backspace
