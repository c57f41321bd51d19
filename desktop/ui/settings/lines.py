"""A row for several lines of text, one thing a line."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from desktop.settings.model import Settings
from desktop.ui.parts import label, vertical
from desktop.ui.settings.rows import Context
from desktop.ui.settings_store import SettingsStore

_HEIGHT = 92


class LinesEdit(QPlainTextEdit):
    """A small text field.

    Signals:
        left: the person went somewhere else.
    """

    left = Signal()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell that what was typed is complete."""
        super().focusOutEvent(event)
        self.left.emit()


@dataclass(frozen=True)
class Lines:
    """Several lines, saved when the field is left; empty ones are dropped."""

    label: str
    read: Callable[[Settings], tuple[str, ...]]
    write: Callable[[Settings, tuple[str, ...]], Settings]
    help: str = ""
    placeholder: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """What the row is found by."""
        return (self.label, self.help)

    def build(self, context: Context, parent: QWidget) -> QWidget:
        """Return the words with the field below them."""
        holder = QWidget(parent)
        column = vertical(holder, spacing=4, margins=(0, 4, 0, 4))
        name = label(holder, self.label)
        column.addWidget(name)
        if self.help:
            column.addWidget(label(holder, self.help, "muted", "small"))
        edit = LinesEdit(holder)
        edit.setObjectName("lines")
        edit.setPlainText("\n".join(self.read(context.store.settings)))
        edit.setPlaceholderText(self.placeholder)
        edit.setFixedHeight(_HEIGHT)
        edit.setTabChangesFocus(True)
        edit.setAccessibleName(self.label)
        edit.setAccessibleDescription(self.help)
        edit.left.connect(partial(_write, context.store, self.write, edit))
        name.setBuddy(edit)
        column.addWidget(edit)
        return holder


def _write(
    store: SettingsStore, write: Callable[[Settings, tuple[str, ...]], Settings], edit: QPlainTextEdit
) -> None:
    lines = (line.strip() for line in edit.toPlainText().splitlines())
    store.apply(write(store.settings, tuple(filter(None, lines))))
