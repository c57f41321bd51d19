"""Settings of the message field: long texts, and the user's prompts that “/” offers."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QCoreApplication, QModelIndex, QPersistentModelIndex, Qt, Slot
from PySide6.QtWidgets import QFrame, QLineEdit, QListView, QPushButton, QWidget
from typing_extensions import override

from desktop.domain.drafts import SavedPrompt
from desktop.settings.model import LONGEST_NAME, new_prompt, put_back, with_prompt, without_prompt
from desktop.ui.composer.prompts import snippet, starters
from desktop.ui.settings.rows import (
    Choice,
    HeadingRow,
    LinesEdit,
    Number,
    Panel,
    SettingsContext,
    SettingsPageWidget,
    SettingsRow,
)
from desktop.ui.widgets.item_views import TAGS_ROLE, RecordModel, TagDelegate
from desktop.ui.widgets.layout import hbox, label, plain_tip, vbox
from desktop.ui.widgets.notice_bar import NoticeBar, undo_notice

_VISIBLE_ROWS = 6
_TEXT_HEIGHT = 170

_MOST_LETTERS = 1_000_000
_STEP = 1_000


class PromptModel(RecordModel[SavedPrompt]):
    """The user's prompts."""

    @override
    def values_of(self, record: SavedPrompt) -> Mapping[int, Any]:
        """Return the name of a prompt, or the beginning of its text."""
        name, beginning = record.name or snippet(record.text), snippet(record.text)
        return {
            Qt.ItemDataRole.DisplayRole: name,
            Qt.ItemDataRole.AccessibleTextRole: name,
            Qt.ItemDataRole.ToolTipRole: plain_tip(record.text),
            TAGS_ROLE: beginning if record.name else "",
        }


class PromptsPanel(QWidget):
    """The user's prompts: a list, and fields of the selected one. A deletion can be undone."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._store = context.store
        self._edited: SavedPrompt | None = None
        self.model = PromptModel(self)
        self.view = QListView(self)
        self.view.setObjectName("choices")
        self.view.setAccessibleName(self.tr("Prompts"))
        self.view.setItemDelegate(TagDelegate(self.view))
        self.view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.view.setModel(self.model)
        self.empty = label(self, "", "muted")
        self.add = QPushButton(self.tr("New"), self)
        self.begin = QPushButton(self.tr("Add examples"), self)
        self.delete = QPushButton(self.tr("Delete"), self)
        self.delete.setProperty("destructive", "true")
        self.notices = NoticeBar(self)
        self.editor = QFrame(self)
        self.editor.setObjectName("panel")
        self.name = QLineEdit(self.editor)
        self.name.setMaxLength(LONGEST_NAME)
        self.text = LinesEdit(self.editor)
        self._lay_out()
        self._connect()
        self._show()
        self.view.setCurrentIndex(self.model.index(0))

    @property
    def current(self) -> SavedPrompt | None:
        """The selected prompt, or None."""
        return self.model.record(self.view.currentIndex())

    def _lay_out(self) -> None:
        column = vbox(self, spacing=10)
        column.addWidget(self.empty)
        column.addWidget(self.view)
        row = hbox(spacing=8)
        row.addWidget(self.add)
        row.addWidget(self.begin)
        row.addWidget(self.delete)
        row.addStretch(1)
        column.addLayout(row)
        column.addWidget(self.notices)
        column.addWidget(self.editor)
        fields = vbox(self.editor, spacing=6, margins=(14, 12, 14, 14))
        for words, field in ((self.tr("Name"), self.name), (self.tr("Text"), self.text)):
            title = label(self.editor, words)
            title.setBuddy(field)
            field.setAccessibleName(words)
            fields.addWidget(title)
            fields.addWidget(field)
        self.text.setObjectName("lines")
        self.text.setFixedHeight(_TEXT_HEIGHT)
        self.text.setTabChangesFocus(True)
        blank = "{{" + self.tr("topic") + "}}"
        example = self.tr("For example: Explain {blank} to a beginner.")
        self.text.setPlaceholderText(example.format(blank=blank))
        teach = self.tr(
            "No prompts yet. Save text you send often and type / to insert it. Use {blank} for parts to fill in."
        )
        self.empty.setText(teach.format(blank=blank))

    def _connect(self) -> None:
        for signal, slot in (
            (self._store.changed, self._show),
            (self.view.selectionModel().currentChanged, self._on_current_changed),
            (self.add.clicked, self._on_add_clicked),
            (self.begin.clicked, self._on_begin_clicked),
            (self.delete.clicked, self._on_delete_clicked),
            (self.name.editingFinished, self._on_edited),
            (self.text.left, self._on_edited),
        ):
            signal.connect(slot)

    @Slot()
    def _show(self) -> None:
        chosen = self.current
        row = max(self.view.currentIndex().row(), 0)
        self.model.show(self._store.settings.prompts)
        index = self.model.row_of(chosen.id) if chosen is not None else QModelIndex()
        if not index.isValid():
            index = self.model.index(min(row, self.model.rowCount() - 1))
        if index != self.view.currentIndex():
            self.view.setCurrentIndex(index)
        has_any = self.model.rowCount() > 0
        self.view.ensurePolished()
        rows = range(min(self.model.rowCount(), _VISIBLE_ROWS))
        self.view.setFixedHeight(sum(map(self.view.sizeHintForRow, rows)) + 4)
        for beginning in (self.empty, self.begin):
            beginning.setVisible(not has_any)
        for part in (self.view, self.editor, self.delete):
            part.setVisible(has_any)
        self._edit(self.current)

    def _edit(self, prompt: SavedPrompt | None) -> None:
        """Show a prompt in the fields, unless that is what they show."""
        if prompt is None or self._edited == prompt:
            return
        self._edited = prompt
        self.name.setText(prompt.name)
        self.text.setPlainText(prompt.text)

    @Slot(QModelIndex, QModelIndex)
    def _on_current_changed(self, index: QModelIndex | QPersistentModelIndex) -> None:
        self._edit(self.model.record(index))

    @Slot()
    def _on_edited(self) -> None:
        before = self._edited
        if before is None or self.model.row_of(before.id) == QModelIndex():
            return
        edited = replace(before, name=self.name.text().strip(), text=self.text.toPlainText())
        if edited != before:
            self._edited = edited
            self._store.apply(with_prompt(self._store.settings, edited))

    @Slot()
    def _on_add_clicked(self) -> None:
        prompt = new_prompt("", self.tr("New prompt"))
        self._store.apply(with_prompt(self._store.settings, prompt))
        self.view.setCurrentIndex(self.model.row_of(prompt.id))
        self.name.setFocus(Qt.FocusReason.OtherFocusReason)
        self.name.selectAll()

    @Slot()
    def _on_begin_clicked(self) -> None:
        self._store.apply(replace(self._store.settings, prompts=starters()))
        self.view.setCurrentIndex(self.model.index(0))
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    @Slot()
    def _on_delete_clicked(self) -> None:
        if (prompt := self.current) is None:
            return
        place = self.view.currentIndex().row()
        self._store.apply(without_prompt(self._store.settings, prompt.id))
        words = self.tr("“{name}” was deleted.").format(name=prompt.name)
        restore = partial(self._restore, prompt, place)
        self.notices.say(undo_notice(words, restore))

    def _restore(self, prompt: SavedPrompt, place: int) -> None:
        self._store.apply(put_back(self._store.settings, prompt, place))
        self.view.setCurrentIndex(self.model.row_of(prompt.id))


def _title() -> str:
    return QCoreApplication.translate("prompts_page", "Writing")


def _rows(_context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    prompts = translate("prompts_page", "Prompts")
    return (
        Choice(
            translate("prompts_page", "Send with"),
            ((True, translate("prompts_page", "Enter")), (False, translate("prompts_page", "Ctrl+Enter"))),
            "window.sends_on_enter",
            translate("prompts_page", "Shift+Enter always inserts a line break."),
        ),
        Number(
            translate("prompts_page", "Attach pasted text as a file if longer than"),
            (0, _MOST_LETTERS),
            "window.paste_limit",
            translate(
                "prompts_page",
                "Ctrl+Shift+V always pastes into the message.",
            ),
            suffix=translate("prompts_page", " characters"),
            step=_STEP,
            least=translate("prompts_page", "Never"),
        ),
        HeadingRow(
            prompts,
            translate(
                "prompts_page",
                "Text you send often. Type / in the message field to insert one.",
            ),
        ),
        Panel(PromptsPanel, (prompts,)),
    )


PAGE = SettingsPageWidget("prompts", "note", _title, _rows)
