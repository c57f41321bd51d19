"""A dialog with all keyboard shortcuts."""

from collections.abc import Iterable, Sequence

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal, Slot
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QLabel, QPushButton, QScrollArea, QWidget

from desktop.settings.model import WindowSettings
from desktop.ui.actions import ACTIONS, GROUPS, QT_TRANSLATE_NOOP, bindings, native
from desktop.ui.sidebar.conversation_actions import CONVERSATION_ACTIONS
from desktop.ui.widgets.dialog import FormDialog
from desktop.ui.widgets.layout import hbox, label, vbox

_SIZE = QSize(760, 560)
_CHARS = 108
_LINES = 38
_COLUMN_GAP = 40
_LINE_GAP = 14
_SIDE = 28
_FIXED = (
    (QT_TRANSLATE_NOOP("shortcut_sheet", "Insert line break"), ("Shift+Return",)),
    (QT_TRANSLATE_NOOP("shortcut_sheet", "Recall last question in an empty field"), ("Up",)),
    (
        QT_TRANSLATE_NOOP("shortcut_sheet", "Mention an assistant, model, knowledge base or past answer"),
        ("@",),
    ),
    (QT_TRANSLATE_NOOP("shortcut_sheet", "Insert a prompt or command"), ("/",)),
    (QT_TRANSLATE_NOOP("shortcut_sheet", "Paste as text"), ("Ctrl+Shift+V",)),
    (QT_TRANSLATE_NOOP("shortcut_sheet", "Move between citations and buttons"), ("Tab",)),
)
"""Fixed shortcuts, which the user cannot change."""

_Entries = Sequence[tuple[str, tuple[str, ...]]]


class ShortcutSheet(FormDialog):
    """All actions with their shortcuts, in groups, including actions without a shortcut.

    Signals:
        change_asked: the user wants to change shortcuts.
    """

    change_asked = Signal()

    def __init__(self, window: WindowSettings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle(self.tr("Shortcuts"))
        space = QSize(
            self.fontMetrics().horizontalAdvance("x") * _CHARS, self.fontMetrics().height() * _LINES
        )
        self.resize(_SIZE.expandedTo(space))
        scroll = QScrollArea(self)
        scroll.setWidgetResizable(True)
        body = QWidget(scroll)
        self._scroll = scroll
        self._columns = hbox(body, spacing=_COLUMN_GAP, margins=(_SIDE, 22, _SIDE, 22))
        left, right = vbox(spacing=_LINE_GAP), vbox(spacing=_LINE_GAP)
        self._halves = (left, right)
        for column in self._halves:
            self._columns.addLayout(column, 1)
        groups = {group: _entries_of(group, window) for group, _title in GROUPS}
        titles = {group: QCoreApplication.translate("actions", title) for group, title in GROUPS}
        for column, group in ((left, "messages"), (right, "conversations"), (right, "window")):
            column.addWidget(_group(titles[group], groups[group], body))
        left.addWidget(_group(self.tr("Everywhere"), _fixed_entries(window), body))
        right.addWidget(_group(self.tr("In the chat list"), _list_entries(), body))
        for column in (left, right):
            column.addStretch(1)
        scroll.setWidget(body)
        self.change = QPushButton(self.tr("Edit shortcuts…"), self)
        foot = hbox(spacing=8, margins=(28, 0, 28, 18))
        foot.addWidget(label(self, self.tr("Press Esc to close."), "muted"), 1)
        foot.addWidget(self.change)
        column = vbox(self, spacing=10)
        column.addWidget(scroll, 1)
        column.addLayout(foot)
        self.change.clicked.connect(self._on_change_clicked)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Put one column below the other where there is no room for both."""
        super().resizeEvent(event)
        needed = sum(column.minimumSize().width() for column in self._halves) + _COLUMN_GAP + 2 * _SIDE
        is_narrow = needed > self._scroll.viewport().width()
        self._columns.setDirection(
            QBoxLayout.Direction.TopToBottom if is_narrow else QBoxLayout.Direction.LeftToRight
        )
        self._columns.setSpacing(_LINE_GAP if is_narrow else _COLUMN_GAP)

    @Slot()
    def _on_change_clicked(self) -> None:
        self.accept()
        self.change_asked.emit()


def key_caps(keys: Iterable[str], parent: QWidget) -> QWidget:
    """Return a widget that shows keys side by side as keycaps."""
    holder = QWidget(parent)
    row = hbox(holder, spacing=6)
    row.addStretch(1)
    for text in native(keys):
        cap = QLabel(text, holder)
        cap.setTextFormat(Qt.TextFormat.PlainText)
        cap.setProperty("keycap", "true")
        row.addWidget(cap, 0, Qt.AlignmentFlag.AlignVCenter)
    return holder


def _entries_of(group: str, window: WindowSettings) -> _Entries:
    keys = bindings(window)
    translate = QCoreApplication.translate
    return [(translate("actions", spec.text), keys[spec.id].keys) for spec in ACTIONS if spec.group == group]


def _fixed_entries(window: WindowSettings) -> _Entries:
    translate = QCoreApplication.translate
    sends = ("Return",) if window.sends_on_enter else ("Ctrl+Return",)
    fixed = [(translate("shortcut_sheet", text), keys) for text, keys in _FIXED]
    return [(translate("shortcut_sheet", "Send the message"), sends), *fixed]


def _list_entries() -> _Entries:
    """Return the shortcuts of the conversation list; actions with the same keys toggle a state."""
    translate = QCoreApplication.translate
    entries = [
        (translate("item_actions", action_spec.text), action_spec.keys[:1])
        for action_spec in CONVERSATION_ACTIONS
        if action_spec.keys
    ]
    return [*entries, (translate("shortcut_sheet", "Undo last action"), ("Ctrl+Z",))]


def _group(title: str, entries: _Entries, parent: QWidget) -> QWidget:
    holder = QWidget(parent)
    grid = QGridLayout(holder)
    grid.setContentsMargins(0, 0, 0, 0)
    grid.setHorizontalSpacing(16)
    grid.setVerticalSpacing(7)
    grid.setColumnStretch(0, 1)
    grid.addWidget(label(holder, title, "heading"), 0, 0, 1, 2)
    for row, (text, keys) in enumerate(entries, start=1):
        grid.addWidget(label(holder, text), row, 0)
        caps = key_caps(keys, holder) if keys else label(holder, "–", "muted")
        caps.setAccessibleName(" ".join(native(keys)))
        grid.addWidget(caps, row, 1, Qt.AlignmentFlag.AlignRight)
    return holder
