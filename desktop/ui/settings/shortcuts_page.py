"""All shortcuts, to read."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from desktop.ui.actions import ACTIONS, ActionSpec
from desktop.ui.parts import label
from desktop.ui.settings.page import Page
from desktop.ui.settings.rows import Context, Panel, Row, labelled


def _title() -> str:
    return QCoreApplication.translate("shortcuts_page", "Shortcuts")


def _rows(_context: Context) -> Sequence[Row]:
    return tuple(Panel(partial(_shortcut, spec)) for spec in ACTIONS)


def _shortcut(spec: ActionSpec, _context: Context, parent: QWidget) -> QWidget:
    native = QKeySequence.SequenceFormat.NativeText
    keys = label(parent, "   ".join(QKeySequence(key).toString(native) for key in spec.keys), "muted")
    return labelled(QCoreApplication.translate("actions", spec.text), "", keys, parent)


PAGE = Page("shortcuts", "keyboard", _title, _rows)
