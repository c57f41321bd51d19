"""The user's prompts as an item model, starter prompts, and the dialog for the arguments of a prompt."""

from PySide6.QtCore import (
    QCoreApplication,
    QModelIndex,
    QPersistentModelIndex,
    Signal,
    Slot,
)
from PySide6.QtWidgets import QLineEdit, QPushButton, QWidget

from desktop.domain.drafts import SavedPrompt
from desktop.domain.tools import ServerPrompt
from desktop.settings.model import new_prompt
from desktop.ui.widgets.dialog import FormDialog, ScrollableForm
from desktop.ui.widgets.layout import hbox, label, vbox


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
