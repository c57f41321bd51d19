"""A note of the user's own: a title and a text, kept in the base like any file."""

from dataclasses import dataclass, replace
from functools import partial

from PySide6.QtCore import Qt, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QLineEdit, QPlainTextEdit, QPushButton, QWidget

from desktop.domain.knowledge import ItemInfo
from desktop.ui.knowledge.manager_controller import ManagerContext
from desktop.ui.knowledge.pages.page import SidePage
from desktop.ui.labels.common import untranslated_error


@dataclass(frozen=True)
class NoteDraft:
    """The text of a note that is being written; without an `item_id` it is a new one."""

    title: str = ""
    text: str = ""
    item_id: str = ""


class NotePage(SidePage):
    """The editor of a note, saved with Ctrl+S; an unsaved draft is signalled when the page is left.

    Signals:
        saved: the `NoteDraft` to save.
        dropped: the unsaved `NoteDraft`, so that it can be restored.
    """

    saved = Signal(object)
    dropped = Signal(object)

    def __init__(self, means: ManagerContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._means = means
        self._known = NoteDraft()
        self._problem = ""
        self.name = QLineEdit(self)
        self.name.setMaxLength(200)
        self.text = QPlainTextEdit(self)
        self.text.setObjectName("lines")
        self.text.setTabChangesFocus(True)
        self.save = QPushButton(self)
        self.save.setProperty("primary", "true")
        self.column.addWidget(self.name)
        self.column.addWidget(self.text, 1)
        self.head.addWidget(self.save)
        self.save.clicked.connect(self._on_save_clicked)
        self.text.textChanged.connect(self._show_state)
        self.name.textChanged.connect(self._show_state)
        shortcut = QShortcut(QKeySequence.StandardKey.Save, self, self._on_save_clicked)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self.retranslate()

    @property
    def draft(self) -> NoteDraft:
        """The current text."""
        return NoteDraft(self.name.text().strip(), self.text.toPlainText(), self._known.item_id)

    @property
    def unsaved(self) -> NoteDraft | None:
        """The unsaved draft; None where all is saved."""
        draft = self.draft
        is_lost = draft != self._known and bool(draft.text.strip())
        return replace(draft, title=draft.title or _first_line(draft.text)) if is_lost else None

    def write(self, draft: NoteDraft) -> None:
        """Start a new note, or continue a draft."""
        self._show(NoteDraft(item_id=draft.item_id), draft)
        (self.text if draft.title else self.name).setFocus()

    def edit(self, item: ItemInfo) -> None:
        """Edit a note of the base."""
        self._show(NoteDraft(), NoteDraft(item.name))
        self._known = NoteDraft(self.draft.title, item_id=item.id)
        self._show_state()
        self.text.setReadOnly(True)
        self._means.loop.run(
            self,
            partial(self._means.knowledge.note, item.id),
            partial(self._on_read, item),
            partial(self._on_failed, item),
        )
        self.text.setFocus()

    def leave(self) -> None:
        """Go back; an unsaved draft is signalled."""
        if (draft := self.unsaved) is not None:
            self.clear()
            self.dropped.emit(draft)
        super().leave()

    def clear(self) -> None:
        """Have no note."""
        self._show(NoteDraft(), NoteDraft())

    def retranslate(self) -> None:
        """Show all texts in the current language."""
        super().retranslate()
        self.name.setPlaceholderText(self.tr("Title"))
        self.name.setAccessibleName(self.tr("Title of the note"))
        self.text.setPlaceholderText(self.tr("Write or paste text. Markdown is supported."))
        self.text.setAccessibleName(self.tr("Text of the note"))
        self.save.setText(self.tr("Save"))
        self.save.setToolTip(f"{self.tr('Save')}  Ctrl+S")
        self._show_state()

    def _show(self, known: NoteDraft, draft: NoteDraft) -> None:
        self._known = known
        self._problem = ""
        self.text.setReadOnly(False)
        self.name.setText(draft.title)
        self.text.setPlainText(draft.text)
        self._show_state()

    @Slot()
    def _show_state(self) -> None:
        self.title.setText(self.tr("Note") if self._known.item_id else self.tr("New note"))
        self.save.setEnabled(self.unsaved is not None)
        self.hint.show_error(self._problem)

    def _on_read(self, item: ItemInfo, text: str) -> None:
        if self._known.item_id == item.id:
            self._show(self._known, NoteDraft(self.name.text(), text))
            # As the field normalises it (spaces, line ends): an unchanged note is not saved.
            self._known = replace(self._known, text=self.text.toPlainText())
            self._show_state()

    def _on_failed(self, item: ItemInfo, error: Exception) -> None:
        if self._known.item_id == item.id:
            self._problem = untranslated_error(error)
            self._show_state()

    @Slot()
    def _on_save_clicked(self) -> None:
        if (draft := self.unsaved) is not None:
            self.clear()
            self.saved.emit(draft)
            self.left.emit()


def _first_line(text: str) -> str:
    """Return what a note without a title is called."""
    return text.strip().splitlines()[0].lstrip("# ")[:80].strip()
