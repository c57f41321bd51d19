"""Settings of the memory across conversations, and the list of memories with its model."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import (
    QCoreApplication,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    QSortFilterProxyModel,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QFontMetrics, QKeyEvent, QKeySequence, QPainter, QPalette
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLineEdit,
    QListView,
    QMenu,
    QPushButton,
    QStackedWidget,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)
from typing_extensions import override

from desktop.chat.assistants import list_assistants
from desktop.domain.memory import MAX_CHARS, Memory, MemoryOrigin
from desktop.render.labels import labels_of
from desktop.ui.i18n import Retranslated, language_of
from desktop.ui.settings.rows import (
    HeadingRow,
    Panel,
    SettingsContext,
    SettingsPageWidget,
    SettingsRow,
    Toggle,
)
from desktop.ui.stores.memory_store import MemoryStore
from desktop.ui.widgets.access_keys import add_access_keys
from desktop.ui.widgets.dialog import ask_for_file, ask_where_to_save
from desktop.ui.widgets.item_views import InlineEditor, RecordModel, RowList, paint_row_background, scale_font
from desktop.ui.widgets.labels import format_date
from desktop.ui.widgets.layout import WrappingRow, add_choice, hbox, label, plain_tip, vbox
from desktop.ui.widgets.notice_bar import Notice, NoticeBar, failure_notice, undo_notice

WORDS_ROLE = Qt.ItemDataRole.UserRole
"""Whose words it is in, and since when it is kept."""

_Index = QModelIndex | QPersistentModelIndex

_PADDING = 8
_RADIUS = 7
_SMALL = 0.88
_WRAP = int(Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)

_LIST_HEIGHT = 205
_FILE_NAME = "footnote-memories.jsonl"
_WORD_JOINER = "\u2060"


class MemoryModel(RecordModel[Memory]):
    """The memories as an item model, the newest first; they can be edited in place.

    Signals:
        edited: a `Memory` and its new text.
    """

    edited = Signal(object, str)
    is_editable = True

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._names: dict[str, str] = {}

    def show_named(self, memories: tuple[Memory, ...], names: dict[str, str]) -> None:
        """Show memories; `names` are those of the assistants, by id."""
        is_renamed = names != self._names
        self._names = names
        self.show(reversed(memories))
        if is_renamed:
            self.tell_changed()

    @override
    def values_of(self, record: Memory) -> Mapping[int, Any]:
        """Return the text of a memory, and where it is from."""
        said, words = _text_of(record), self._words(record)
        return {
            Qt.ItemDataRole.DisplayRole: said,
            Qt.ItemDataRole.EditRole: record.text,
            Qt.ItemDataRole.ToolTipRole: plain_tip(said),
            Qt.ItemDataRole.AccessibleTextRole: f"{said} {words}",
            WORDS_ROLE: words,
        }

    def setData(self, index: _Index, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Request a new text; it is shown once it is saved."""
        if role != Qt.ItemDataRole.EditRole or not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return False
        memory, text = self.records[index.row()], str(value).strip()
        if text and text != memory.text:
            self.edited.emit(memory, text)
        return True

    def _words(self, memory: Memory) -> str:
        assistant = memory.assistant or ""
        return format_origin(memory, self._names.get(assistant, assistant))


def _text_of(memory: Memory) -> str:
    return labels_of(QLocale().name()).damaged if memory.is_damaged else memory.text


class FoundMemories(QSortFilterProxyModel):
    """The memories that contain all words of a query."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._words: tuple[str, ...] = ()

    def filter_by(self, text: str) -> None:
        """Show only memories that contain all words of `text`."""
        self._words = tuple(text.casefold().split())
        self.invalidate()

    def filterAcceptsRow(self, row: int, parent: _Index) -> bool:
        """Say whether a memory contains all words, also inside of other words: Chinese has no spaces."""
        text = str(self.sourceModel().index(row, 0, parent).data()).casefold()
        return all(word in text for word in self._words)


class MemoryView(RowList):
    """The list of memories, with all lines of each.

    Signals:
        delete_pressed: the user pressed Delete.
    """

    delete_pressed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setItemDelegate(MemoryDelegate(self))
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked | QAbstractItemView.EditTrigger.EditKeyPressed
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Edit with Enter, remove with Delete."""
        if not self.currentIndex().isValid():
            super().keyPressEvent(event)
        elif event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            self.edit(self.currentIndex())
        elif event.matches(QKeySequence.StandardKey.Delete):
            self.delete_pressed.emit()
        else:
            super().keyPressEvent(event)


class MemoryDelegate(QStyledItemDelegate):
    """Paints a memory, with its details in muted text."""

    def __init__(self, view: QListView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: _Index) -> QSize:
        """Return the height of all lines of a memory."""
        width = self._view.viewport().width()
        inner = QRect(0, 0, width - 2 * _PADDING, 1_000_000)
        lines = option.fontMetrics.boundingRect(inner, _WRAP, str(index.data())).height()
        return QSize(width, lines + QFontMetrics(scale_font(option.font, _SMALL)).height() + 2 * _PADDING + 2)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        """Paint one memory."""
        palette = option.palette
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        paint_row_background(painter, option, option.rect, _RADIUS)
        area = option.rect.adjusted(_PADDING, _PADDING, -_PADDING, -_PADDING)
        painter.setFont(option.font)
        painter.setPen(palette.color(QPalette.ColorRole.Text))
        painter.drawText(area, _WRAP, str(index.data()))
        painter.setFont(scale_font(option.font, _SMALL))
        painter.setPen(palette.color(QPalette.ColorRole.PlaceholderText))
        bottom = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom)
        painter.drawText(area, bottom, str(index.data(WORDS_ROLE)))
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: _Index) -> QWidget:
        """Return a line edit."""
        editor = InlineEditor(parent)
        editor.setMaxLength(MAX_CHARS)
        editor.setAccessibleName(str(index.data()))
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: _Index) -> None:
        """Let the editor fill the row."""
        editor.setGeometry(option.rect)


class MemoryPanel(Retranslated, QFrame):
    """The memories with buttons that add, edit, remove and export; a requested memory is selected once it is loaded."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = context.store
        self.memory_store: MemoryStore = context.memory
        self._names: dict[str, str] = {}
        self.fact = QLineEdit(self)
        self.fact.setMaxLength(MAX_CHARS)
        self.add = QPushButton(self)
        self.filter = QLineEdit(self)
        self.filter.setClearButtonEnabled(True)
        self.model = MemoryModel(self)
        self.found = FoundMemories(self)
        self.found.setSourceModel(self.model)
        self.view = MemoryView(self)
        self.view.setModel(self.found)
        self.empty = label(self, "", "muted")
        self._pane = QStackedWidget(self)
        self.edit = QPushButton(self)
        self.scope = QPushButton(self)
        self.scope.setMenu(add_access_keys(QMenu(self.scope)))
        self.forget = QPushButton(self)
        self.take = QPushButton(self)
        self.write = QPushButton(self)
        self.notices = NoticeBar(self)
        self._lay_out()
        self._connect()
        self._retranslate()
        self._on_listed(self.memory_store.memories)
        self.memory_store.refresh()

    @property
    def chosen(self) -> Memory | None:
        """The selected memory, or None."""
        index = self.view.currentIndex()
        return self.model.record(self.found.mapToSource(index))

    def _lay_out(self) -> None:
        column = vbox(self, spacing=8)
        top = WrappingRow()
        top.addWidget(self.fact)
        top.addWidget(self.add)
        self.add.setProperty("primary", "true")
        self.forget.setProperty("destructive", "true")
        column.addLayout(top)
        column.addWidget(self.filter)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pane.addWidget(self.view)
        self._pane.addWidget(self.empty)
        self._pane.setFixedHeight(_LIST_HEIGHT)
        column.addWidget(self._pane)
        column.addWidget(self.notices)
        bottom = hbox(spacing=8)
        for button in (self.edit, self.scope, self.forget):
            bottom.addWidget(button)
        bottom.addStretch(1)
        for button in (self.take, self.write):
            bottom.addWidget(button)
        column.addLayout(bottom)

    def _connect(self) -> None:
        for signal, slot in (
            (self.add.clicked, self._on_add_clicked),
            (self.fact.returnPressed, self._on_add_clicked),
            (self.fact.textChanged, self._show_state),
            (self.filter.textChanged, self._on_filter_changed),
            (self.view.delete_pressed, self._on_forget_clicked),
            (self.view.selectionModel().currentChanged, self._show_state),
            (self.model.edited, self._on_edited),
            (self.edit.clicked, self._on_edit_clicked),
            (self.scope.menu().aboutToShow, self._fill_scope),
            (self.forget.clicked, self._on_forget_clicked),
            (self.take.clicked, self._on_take_clicked),
            (self.write.clicked, self._on_write_clicked),
            (self.memory_store.listed, self._on_listed),
            (self.memory_store.kept, self._on_kept),
            (self.memory_store.deleted, self._on_deleted),
            (self.memory_store.imported, self._on_imported),
            (self.memory_store.exported, self._on_exported),
            (self.memory_store.failed, self._on_failed),
            (self.memory_store.wanted_changed, self._choose_wanted),
        ):
            signal.connect(slot)

    def _retranslate(self) -> None:
        self.fact.setPlaceholderText(self.tr("Example: I am vegetarian."))
        self.fact.setAccessibleName(self.tr("Something to remember"))
        self.add.setText(self.tr("Remember"))
        self.filter.setPlaceholderText(self.tr("Search memories"))
        self.filter.setAccessibleName(self.tr("Search memories"))
        self.view.setAccessibleName(self.tr("Memories"))
        self.edit.setText(self.tr("Edit"))
        self.scope.setText(self.tr("Applies to"))
        self.forget.setText(self.tr("Forget"))
        self.take.setText(self.tr("Import…"))
        self.write.setText(self.tr("Export…"))
        self._show_state()

    @Slot()
    def _show_state(self) -> None:
        has_any = self.model.rowCount() > 0
        is_found = self.found.rowCount() > 0
        teach = self.tr("No memories yet. Add facts for every chat to use, or type /remember in a message.")
        # Without a joiner the line may break behind the slash.
        teach = teach.replace("/", f"/{_WORD_JOINER}")
        self.empty.setText(self.tr("No matching memories") if has_any else teach)
        self._pane.setCurrentWidget(self.view if is_found else self.empty)
        self.filter.setVisible(has_any)
        self.add.setEnabled(bool(self.fact.text().strip()))
        for button in (self.edit, self.scope, self.forget):
            button.setVisible(has_any)
            button.setEnabled(self.chosen is not None)
        self.write.setEnabled(has_any)

    @Slot(object)
    def _on_listed(self, memories: tuple[Memory, ...]) -> None:
        settings = self._store.settings
        assistants = list_assistants(settings, language_of(settings.window.language))
        self._names = {assistant.id: assistant.name for assistant in assistants}
        chosen, row = self.chosen, self.view.currentIndex().row()
        self.model.show_named(memories, self._names)
        if chosen is not None:
            index = self.found.mapFromSource(self.model.row_of(chosen.id))
            last = self.found.index(min(row, self.found.rowCount() - 1), 0)
            self.view.setCurrentIndex(index if index.isValid() else last)
        self._choose_wanted()
        self._show_state()

    @Slot()
    def _choose_wanted(self) -> None:
        """Choose the memory that was asked for elsewhere, once it is here."""
        index = self.model.row_of(self.memory_store.wanted)
        if not index.isValid():
            return
        self.memory_store.wanted = ""
        self.filter.clear()
        self._choose(index)
        self.view.setFocus()

    def _choose(self, index: QModelIndex) -> None:
        place = self.found.mapFromSource(index)
        self.view.setCurrentIndex(place)
        self.view.scrollTo(place)

    @Slot()
    def _on_add_clicked(self) -> None:
        if text := self.fact.text().strip():
            self.memory_store.add(text)

    @Slot(object)
    def _on_kept(self, memory: Memory) -> None:
        self.fact.clear()
        self.memory_store.wanted = memory.id

    @Slot(str)
    def _on_filter_changed(self, text: str) -> None:
        self.found.filter_by(text)
        self._show_state()

    @Slot()
    def _on_edit_clicked(self) -> None:
        self.view.edit(self.view.currentIndex())

    @Slot(object, str)
    def _on_edited(self, memory: Memory, text: str) -> None:
        self.memory_store.change(memory, text, memory.assistant)

    @Slot()
    def _fill_scope(self) -> None:
        menu, memory = self.scope.menu(), self.chosen
        menu.clear()
        if memory is None:
            return
        everybody: dict[str | None, str] = {None: self.tr("All assistants")}
        for assistant, name in (everybody | dict(self._names)).items():
            pick = partial(self._on_scope_picked, memory, assistant)
            add_choice(menu, name, pick, is_chosen=assistant == memory.assistant)

    def _on_scope_picked(self, memory: Memory, assistant: str | None, _checked: bool = False) -> None:
        self.memory_store.change(memory, memory.text, assistant)

    @Slot()
    def _on_forget_clicked(self) -> None:
        if (memory := self.chosen) is not None:
            self.memory_store.delete(memory)

    @Slot(object)
    def _on_deleted(self, memory: Memory) -> None:
        restore = partial(self.memory_store.restore, memory)
        self.notices.say(undo_notice(self.tr("Forgotten"), restore))

    @Slot()
    def _on_take_clicked(self) -> None:
        kinds = self.tr("Memories (*.jsonl)")
        ask_for_file(self, self.tr("Import memories"), self.memory_store.import_from, kinds)

    @Slot()
    def _on_write_clicked(self) -> None:
        kinds = self.tr("Memories (*.jsonl)")
        ask_where_to_save(self, self.tr("Export memories"), _FILE_NAME, self.memory_store.export_to, kinds)

    @Slot(int)
    def _on_imported(self, count: int) -> None:
        self.notices.say(Notice(self.tr("%n memory(s) added or updated", None, count)))

    @Slot(int)
    def _on_exported(self, count: int) -> None:
        self.notices.say(Notice(self.tr("%n memory(s) exported", None, count)))

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self.notices.say(failure_notice(error))


def _title() -> str:
    return QCoreApplication.translate("memory_page", "Memory")


def _rows(_context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    return (
        Toggle(
            translate("memory_page", "Use memories in chats"),
            "memory.is_on",
            translate(
                "memory_page",
                "Memories related to a question are sent with it and cited.",
            ),
        ),
        HeadingRow(
            translate("memory_page", "Saved memories"),
            translate("memory_page", "Stored on this computer with your chats, and in backups."),
        ),
        Panel(MemoryPanel, (translate("memory_page", "Saved memories"),)),
    )


PAGE = SettingsPageWidget("memory", "memory", _title, _rows)


def format_origin(memory: Memory, assistant: str) -> str:
    """Return the origin of a memory, its date, and the name of its assistant."""
    translate = QCoreApplication.translate
    who = {
        MemoryOrigin.SAID: translate("memory_words", "Added by you"),
        MemoryOrigin.CONFIRMED: translate("memory_words", "Suggested by a model, confirmed by you"),
    }[memory.origin]
    parts = [who, format_date(memory.changed_at)]
    if assistant:
        parts.append(translate("memory_words", "{assistant} only").format(assistant=assistant))
    return " · ".join(parts)
