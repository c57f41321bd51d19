"""Settings of the assistants: their list, and what can be done with them."""

import asyncio
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import (
    QCoreApplication,
    QModelIndex,
    QObject,
    Qt,
    Slot,
)
from PySide6.QtGui import QFont, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QListView, QMenu, QPushButton, QWidget
from typing_extensions import override

from desktop.chat.assistants import (
    duplicate,
    is_changed,
    list_assistants,
    load,
    reset,
    restore_all,
    serialize,
    with_assistant,
    without_assistant,
)
from desktop.domain.assistants import Assistant
from desktop.settings.model import Settings
from desktop.ui.i18n import language_of
from desktop.ui.settings.pages.assistant_editor import AssistantEditor
from desktop.ui.settings.rows import Panel, Paragraph, SettingsContext, SettingsPageWidget, SettingsRow
from desktop.ui.transcript.file_saver import FileSaver
from desktop.ui.widgets.access_keys import add_access_keys
from desktop.ui.widgets.dialog import ask_for_file, ask_where_to_save
from desktop.ui.widgets.item_views import RecordModel
from desktop.ui.widgets.labels import with_badge
from desktop.ui.widgets.layout import hbox, plain_tip, vbox
from desktop.ui.widgets.notice_bar import Notice, NoticeBar, undo_notice

IdRole = Qt.ItemDataRole.UserRole

_VISIBLE_ROWS = 7


class AssistantModel(RecordModel[Assistant]):
    """The assistants, each with its icon; `font` is that of the view."""

    def __init__(self, font: QFont, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._font = font

    @override
    def values_of(self, record: Assistant) -> Mapping[int, Any]:
        """Return icon and name, the id, or the beginning of the prompt as a tooltip."""
        return {
            Qt.ItemDataRole.DisplayRole: with_badge(record, self._font),
            Qt.ItemDataRole.AccessibleTextRole: record.name,
            Qt.ItemDataRole.ToolTipRole: plain_tip(record.prompt.partition("\n")[0]),
            IdRole: record.id,
        }


class AssistantPanel(QWidget):
    """The list of the assistants and its actions. A deletion or reset can be undone until the next action."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self.model = AssistantModel(self.font(), self)
        self.view = QListView(self)
        self.view.setObjectName("choices")
        self.view.setAccessibleName(self.tr("Assistants"))
        self.view.setModel(self.model)
        self.editor: AssistantEditor | None = None
        self.notices = NoticeBar(self)
        self._make_buttons()
        self._lay_out()
        self._connect()
        self._show()
        self.view.setCurrentIndex(self.model.index(0))

    def _make_buttons(self) -> None:
        self.add = QPushButton(self.tr("New"), self)
        self.duplicate = QPushButton(self.tr("Duplicate"), self)
        self.reset = QPushButton(self.tr("Reset"), self)
        self.delete = QPushButton(self.tr("Delete"), self)
        self.more = QPushButton(self.tr("More"), self)
        menu = add_access_keys(QMenu(self.more))
        for text, slot in (
            (self.tr("Import…"), self._on_import_asked),
            (self.tr("Export this assistant…"), self._on_export_one_asked),
            (self.tr("Export all assistants…"), self._on_export_all_asked),
        ):
            menu.addAction(text).triggered.connect(slot)
        menu.addSeparator()
        self.restore = menu.addAction(self.tr("Restore built-in assistants"))
        self.more.setMenu(menu)

    def _lay_out(self) -> None:
        column = vbox(self, spacing=10)
        column.addWidget(self.view)
        self._rows = hbox(spacing=8)
        for buttons in ((self.add, self.duplicate), (self.reset, self.delete, self.more)):
            row = hbox(spacing=8)
            for button in buttons:
                row.addWidget(button)
            self._rows.addLayout(row)
            if self.more in buttons:
                row.addStretch(1)
        self._rows.setStretch(1, 1)
        column.addLayout(self._rows)
        column.addWidget(self.notices)
        self._editors = vbox()
        column.addLayout(self._editors)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put the buttons into two rows where one does not fit."""
        super().resizeEvent(event)
        buttons = (self.add, self.duplicate, self.reset, self.delete, self.more)
        needed = sum(button.sizeHint().width() + self._rows.spacing() for button in buttons)
        directions = QBoxLayout.Direction
        fits = event.size().width() > needed
        self._rows.setDirection(directions.LeftToRight if fits else directions.TopToBottom)

    def _connect(self) -> None:
        for signal, slot in (
            (self._context.store.changed, self._show),
            (self.view.selectionModel().currentChanged, self._on_current_changed),
            (self.add.clicked, self._on_new_asked),
            (self.duplicate.clicked, self._on_duplicate_asked),
            (self.reset.clicked, self._on_reset_asked),
            (self.delete.clicked, self._on_delete_asked),
            (self.restore.triggered, self._on_restore_asked),
        ):
            signal.connect(slot)

    @property
    def current(self) -> Assistant | None:
        """The assistant that is being edited."""
        return self.model.record(self.view.currentIndex())

    @Slot()
    def _show(self) -> None:
        settings = self._context.store.settings
        self.model.show(self._list_known())
        height = max(self.view.sizeHintForRow(0), 1) * min(self.model.rowCount(), _VISIBLE_ROWS)
        self.view.setFixedHeight(height + 2 * self.view.frameWidth() + 4)
        self.restore.setEnabled(bool(settings.removed_assistants))
        self._show_what_can_be_done()

    def _show_what_can_be_done(self) -> None:
        current = self.current
        for button in (self.duplicate, self.delete):
            button.setEnabled(current is not None)
        self.reset.setEnabled(current is not None and is_changed(self._context.store.settings, current.id))

    def _list_known(self) -> tuple[Assistant, ...]:
        settings = self._context.store.settings
        return list_assistants(settings, language_of(settings.window.language))

    @Slot(QModelIndex, QModelIndex)
    def _on_current_changed(self, _current: QModelIndex, _previous: QModelIndex) -> None:
        self._edit_current()
        self._show_what_can_be_done()

    def _edit_current(self) -> None:
        """Open the editor of the current row; what is typed in the one before is kept."""
        self._close_editor()
        if current := self.current:
            self.editor = AssistantEditor(current, self._context, self)
            self.editor.edited.connect(self._on_edited)
            self._editors.addWidget(self.editor)

    def _close_editor(self) -> None:
        if self.editor is None:
            return
        editor, self.editor = self.editor, None
        if editor.assistant.id in {assistant.id for assistant in self._list_known()}:
            editor.keep()
        # From now on it says nothing any more, wherever the focus goes.
        editor.edited.disconnect(self._on_edited)
        self._editors.removeWidget(editor)
        editor.deleteLater()

    @Slot(object)
    def _on_edited(self, assistant: Assistant) -> None:
        self.notices.dismiss()
        self._context.store.apply(with_assistant(self._context.store.settings, assistant))

    def _add(self, *assistants: Assistant) -> None:
        settings = self._context.store.settings
        for assistant in assistants:
            settings = with_assistant(settings, assistant)
        self._context.store.apply(settings)
        self.view.setCurrentIndex(self.model.row_of(assistants[0].id))

    @Slot()
    def _on_new_asked(self) -> None:
        self.notices.dismiss()
        self._add(Assistant(uuid.uuid4().hex, self.tr("New assistant")))
        if self.editor is not None:
            self.editor.name.setFocus(Qt.FocusReason.OtherFocusReason)
            self.editor.name.selectAll()

    @Slot()
    def _on_duplicate_asked(self) -> None:
        if current := self.current:
            self.notices.dismiss()
            self._add(duplicate(current, self.tr("{assistant} (copy)").format(assistant=current.name)))

    @Slot()
    def _on_reset_asked(self) -> None:
        self._close_editor()
        if current := self.current:
            self._take_back(
                reset(self._context.store.settings, current.id),
                self.tr("“{assistant}” was reset."),
                current,
            )

    @Slot()
    def _on_delete_asked(self) -> None:
        self._close_editor()
        if current := self.current:
            self._take_back(
                without_assistant(self._context.store.settings, current.id),
                self.tr("“{assistant}” was deleted."),
                current,
            )

    def _take_back(self, settings: Settings, words: str, assistant: Assistant) -> None:
        undo = partial(self._undo, self._context.store.settings, assistant.id)
        self._context.store.apply(settings)
        self._edit_current()
        self._show_what_can_be_done()
        said = words.format(assistant=assistant.name)
        self.notices.say(undo_notice(said, undo, is_lasting=True))
        self.notices.action.setFocus(Qt.FocusReason.OtherFocusReason)

    def _undo(self, before: Settings, assistant_id: str) -> None:
        self._close_editor()
        own, gone = before.assistants, before.removed_assistants
        settings = self._context.store.settings
        self._context.store.apply(replace(settings, assistants=own, removed_assistants=gone))
        self.view.setCurrentIndex(self.model.row_of(assistant_id))
        self._edit_current()
        self._show_what_can_be_done()

    @Slot()
    def _on_restore_asked(self) -> None:
        self.notices.dismiss()
        self._context.store.apply(restore_all(self._context.store.settings))

    # Files

    @Slot()
    def _on_import_asked(self) -> None:
        kinds = ";;".join((self.tr("Assistants (*.json)"), self.tr("All files (*)")))
        ask_for_file(self, self.tr("Import assistants"), self.import_file, kinds)

    def import_file(self, path: Path) -> None:
        """Import the assistants of a file, all or none."""
        work = partial(asyncio.to_thread, load, path)
        self._context.loop.run(self, work, self._on_loaded, self.notices.say_failed)

    @Slot(object)
    def _on_loaded(self, assistants: tuple[Assistant, ...]) -> None:
        self._add(*assistants)
        names = ", ".join(assistant.name for assistant in assistants)
        self.notices.say(Notice(self.tr("Imported: {names}").format(names=names)))

    @Slot()
    def _on_export_one_asked(self) -> None:
        if current := self.current:
            self._ask_where(current.name, (current,))

    @Slot()
    def _on_export_all_asked(self) -> None:
        self._ask_where(self.tr("Assistants"), self._list_known())

    def _ask_where(self, name: str, assistants: tuple[Assistant, ...]) -> None:
        use = partial(self.export_file, assistants)
        kinds = self.tr("Assistants (*.json)")
        ask_where_to_save(self, self.tr("Export assistants"), f"{name.replace('/', '-')}.json", use, kinds)

    def export_file(self, assistants: tuple[Assistant, ...], path: Path) -> None:
        """Write assistants to a file."""
        base_names = {base.id: base.name for base in self._context.knowledge_store.bases}
        # this page may be closed before
        saver = FileSaver(path, self._context.loop, self._context.store)
        saver.saved.connect(self._on_saved)
        saver.failed.connect(self.notices.say_failed)
        saver.save(partial(_data, assistants, base_names))

    @Slot(object)
    def _on_saved(self, path: Path) -> None:
        self.notices.say(Notice(self.tr("Saved as {path}").format(path=path)))


def _data(assistants: tuple[Assistant, ...], base_names: dict[str, str]) -> bytes:
    return serialize(assistants, base_names).encode("utf-8", "backslashreplace")


def _title() -> str:
    return QCoreApplication.translate("assistants_page", "Assistants")


def _rows(_context: SettingsContext) -> Sequence[SettingsRow]:
    words = QCoreApplication.translate(
        "assistants_page",
        "Each assistant has its own prompt, model, tools and knowledge bases. All of them cite sources.",
    )
    return (
        Paragraph(words),
        Panel(AssistantPanel, (QCoreApplication.translate("assistants_page", "Your assistants"),)),
    )


PAGE = SettingsPageWidget("assistants", "assistant", _title, _rows)
