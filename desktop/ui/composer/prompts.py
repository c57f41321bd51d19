"""The user's prompts as an item model, starter prompts, and the dialog for the arguments of a prompt."""

from typing import Any

from PySide6.QtCore import (
    QAbstractListModel,
    QCoreApplication,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from desktop.domain.drafts import SavedPrompt
from desktop.domain.tools import ServerPrompt
from desktop.settings.model import new_prompt
from desktop.ui.widgets.dialog import FormDialog, ScrollableForm
from desktop.ui.widgets.item_views import TAGS_ROLE
from desktop.ui.widgets.layout import cut_words, hbox, label, plain_tip, vbox


def starters() -> tuple[SavedPrompt, ...]:
    """Return prompts that are useful to most users. Each has a blank to fill in."""
    translate = QCoreApplication.translate
    text, topic = _blank(translate("prompt_words", "text")), _blank(translate("prompt_words", "topic"))
    return (
        new_prompt(
            translate("prompt_words", "Summarize this in five points, most important first: {text}").format(
                text=text
            ),
            translate("prompt_words", "Summary"),
        ),
        new_prompt(
            translate("prompt_words", "Translate this into natural Chinese: {text}").format(text=text),
            translate("prompt_words", "Translation"),
        ),
        new_prompt(
            translate(
                "prompt_words",
                "Make this clearer and shorter, keep my tone, and list your changes: {text}",
            ).format(text=text),
            translate("prompt_words", "Improve writing"),
        ),
        new_prompt(
            translate(
                "prompt_words",
                "Explain {topic} to a beginner, with an everyday example.",
            ).format(topic=topic),
            translate("prompt_words", "Explanation"),
        ),
        new_prompt(
            translate(
                "prompt_words",
                "What are the pros and cons of {topic}? Give the strongest argument on each side with its source.",
            ).format(topic=topic),
            translate("prompt_words", "Pros and cons"),
        ),
    )


def _blank(words: str) -> str:
    return f"{{{{{words}}}}}"


_Index = QModelIndex | QPersistentModelIndex

_SNIPPET = 80


def snippet(text: str, longest: int = _SNIPPET) -> str:
    """Return the beginning of a text as one line."""
    line = " ".join(text[: 4 * longest].split())
    return line if len(line) <= longest else f"{line[:longest].rstrip()}…"


class PromptModel(QAbstractListModel):
    """An item model with one row per prompt. Rows are updated in place, which preserves the selection."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._prompts: tuple[SavedPrompt, ...] = ()

    def show(self, prompts: tuple[SavedPrompt, ...]) -> None:
        """Show `prompts` in their order."""
        if [each.id for each in prompts] == [each.id for each in self._prompts]:
            self._prompts = prompts
            if prompts:
                self.dataChanged.emit(self.index(0), self.index(len(prompts) - 1))
            return
        self.beginResetModel()
        self._prompts = prompts
        self.endResetModel()

    def prompt(self, index: _Index) -> SavedPrompt | None:
        """Return the prompt of a row."""
        return self._prompts[index.row()] if index.isValid() else None

    def row_of(self, prompt_id: str) -> QModelIndex:
        """Return the index of a prompt; an invalid index if it is not in the model."""
        rows = (row for row, prompt in enumerate(self._prompts) if prompt.id == prompt_id)
        return self.index(next(rows, -1))

    def rowCount(self, parent: _Index = QModelIndex()) -> int:
        """Return the number of prompts."""
        return 0 if parent.isValid() else len(self._prompts)

    @cut_words
    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the name of a prompt, or the beginning of its text."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        prompt = self._prompts[index.row()]
        values: dict[int, str] = {
            Qt.ItemDataRole.DisplayRole: prompt.name or snippet(prompt.text),
            Qt.ItemDataRole.AccessibleTextRole: prompt.name or snippet(prompt.text),
            Qt.ItemDataRole.ToolTipRole: plain_tip(prompt.text),
            TAGS_ROLE: snippet(prompt.text) if prompt.name else "",
        }
        return values.get(role)


_WIDTH = 420


class PromptDialog(FormDialog):
    """A form with a field for each argument. Required fields are marked.

    Signals:
        filled: the arguments (dict of str) by name, without empty ones.
    """

    filled = Signal(object)

    def __init__(self, prompt: ServerPrompt, parent: QWidget) -> None:
        super().__init__(parent)
        self._prompt = prompt
        self.setWindowTitle(prompt.name)
        self.setMinimumWidth(_WIDTH)
        content = QWidget(self)
        column = vbox(content, spacing=10)
        column.addWidget(label(content, prompt.name, "heading"))
        if prompt.description:
            column.addWidget(label(content, prompt.description, "muted"))
        self.fields = {argument.name: QLineEdit(content) for argument in prompt.arguments}
        for argument in prompt.arguments:
            name = label(content, f"{argument.name} *" if argument.is_required else argument.name)
            field = self.fields[argument.name]
            name.setBuddy(field)
            field.setPlaceholderText(argument.description)
            field.setAccessibleName(argument.name)
            field.setAccessibleDescription(argument.description)
            field.textChanged.connect(self._show_state)
            field.returnPressed.connect(self._on_return)
            column.addWidget(name)
            column.addWidget(field)
        column.addStretch(1)
        self.insert = QPushButton(self.tr("Insert"), self)
        self.insert.setProperty("primary", "true")
        leave = QPushButton(self.tr("Cancel"), self)
        row = hbox(spacing=8, margins=(0, 6, 0, 0))
        row.addStretch(1)
        row.addWidget(leave)
        row.addWidget(self.insert)
        outer = vbox(self, spacing=10, margins=(20, 18, 20, 16))
        outer.addWidget(ScrollableForm(content, self), 1)
        outer.addLayout(row)
        leave.clicked.connect(self.reject)
        self.insert.clicked.connect(self._on_filled)
        self._show_state()

    @property
    def _missing(self) -> list[QLineEdit]:
        required = (argument.name for argument in self._prompt.arguments if argument.is_required)
        return [self.fields[name] for name in required if not self.fields[name].text().strip()]

    @Slot()
    def _show_state(self) -> None:
        self.insert.setEnabled(not self._missing)

    @Slot()
    def _on_return(self) -> None:
        """Focus the first required field that is empty, or accept the form."""
        if missing := self._missing:
            missing[0].setFocus()
        else:
            self._on_filled()

    @Slot()
    def _on_filled(self) -> None:
        self.filled.emit({name: field.text() for name, field in self.fields.items() if field.text().strip()})
        self.accept()
