"""The shortcuts page: show, change and reset keys."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import QKeySequenceEdit, QLineEdit, QPushButton, QWidget

from desktop.ui.actions import (
    ACTIONS,
    GROUPS,
    ActionSpec,
    bindings,
    is_usable,
    native,
    own_specs,
    with_keys,
    without_own_keys,
)
from desktop.ui.settings.rows import (
    HeadingRow,
    LabelledRow,
    Panel,
    Paragraph,
    SettingsContext,
    SettingsPageWidget,
    SettingsRow,
)
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.layout import hbox, label, vbox
from desktop.ui.widgets.wrapping_row import WrappingRow

_LONGEST = "Ctrl+Shift+Tab"
_AROUND = 28
_MOST_KEYS = 2


class ShortcutField(QKeySequenceEdit):
    """Records the next key that is pressed. Tab and Escape keep their function in the dialog.

    Signals:
        pressed: the complete key sequence; empty where it was removed.
    """

    pressed = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setMaximumSequenceLength(1)
        self.setFinishingKeyCombinations([])
        self.setMinimumWidth(self.fontMetrics().horizontalAdvance(_LONGEST) + _AROUND)
        line = self.findChild(QLineEdit)
        assert line is not None
        # Qt sets its own text again whenever the keys change, so only its translation can be chosen.
        line.setPlaceholderText(QCoreApplication.translate("QKeySequenceEdit", "Press shortcut"))
        self.editingFinished.connect(self._on_editing_finished)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close with Escape, remove the keys with Backspace."""
        is_plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if is_plain and event.key() == Qt.Key.Key_Escape:
            event.ignore()
        elif is_plain and event.key() in {Qt.Key.Key_Backspace, Qt.Key.Key_Delete}:
            self.clear()
            self.pressed.emit(QKeySequence())
        else:
            super().keyPressEvent(event)

    @Slot()
    def _on_editing_finished(self) -> None:
        self.pressed.emit(self.keySequence())


class ShortcutRow(QWidget):
    """An action and its keys."""

    def __init__(self, spec: ActionSpec, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._spec = spec
        self._context = context
        name = QCoreApplication.translate("actions", spec.text)
        self.fields = [ShortcutField(self) for _key in range(min(_MOST_KEYS, max(1, len(spec.keys))))]
        self.reset = IconButton("back", self, QPalette.ColorRole.PlaceholderText)
        self.reset.set_words(self.tr("Reset shortcut"))
        policy = self.reset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.reset.setSizePolicy(policy)
        self.problem = label(self, "", "danger", "small")
        keys = QWidget(self)
        row = WrappingRow(keys)
        words = vbox()
        title = label(self, name)
        title.setBuddy(self.fields[0])
        words.addWidget(title)
        for number, field in enumerate(self.fields):
            field.setAccessibleName(name)
            field.pressed.connect(partial(self._on_pressed, number))
            row.addWidget(field)
        row.addWidget(self.reset)
        column = vbox(self, spacing=2)
        column.addWidget(LabelledRow(words, keys, self))
        column.addWidget(self.problem)
        self.reset.clicked.connect(self._on_reset_clicked)
        context.store.changed.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show the current keys."""
        window = self._context.store.settings.window
        binding = bindings(window)[self._spec.id]
        for number, field in enumerate(self.fields):
            keys = QKeySequence(binding.keys[number]) if number < len(binding.keys) else QKeySequence()
            if field.keySequence() != keys:
                field.setKeySequence(keys)
        self.reset.setVisible(self._spec in own_specs(window))
        titles = {spec.id: QCoreApplication.translate("actions", spec.text) for spec in ACTIONS}
        taken = self.tr("{keys} is now assigned to “{action}”.")
        self._say(
            " ".join(
                taken.format(keys="".join(native([key])), action=titles[holder])
                for key, holder in binding.lost
            )
        )

    def _say(self, problem: str) -> None:
        self.problem.setText(problem)
        self.problem.setVisible(bool(problem))
        for field in self.fields:
            field.setAccessibleDescription(problem)

    def _on_pressed(self, number: int, keys: QKeySequence) -> None:
        self._say("")
        if not keys.isEmpty() and not is_usable(keys):
            words = self.tr("{keys} is used for typing. Combine it with Ctrl or Alt.")
            text = words.format(keys="".join(native([keys.toString()])))
            self.refresh()
            self._say(text)
            return
        wanted = [field.keySequence().toString() for field in self.fields]
        wanted[number] = keys.toString()
        store = self._context.store
        store.apply(with_keys(store.settings, self._spec.id, [each for each in wanted if each]))

    @Slot()
    def _on_reset_clicked(self) -> None:
        store = self._context.store
        store.apply(with_keys(store.settings, self._spec.id, self._spec.keys))


def _title() -> str:
    return QCoreApplication.translate("shortcuts_page", "Shortcuts")


def _rows(_context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    explained = translate(
        "shortcuts_page",
        "Click a field and press a shortcut. Press Backspace to clear it. If the shortcut is already used, it is reassigned.",
    )
    rows: list[SettingsRow] = [
        Paragraph(explained),
        Panel(_reset_all, (translate("shortcuts_page", "Reset all shortcuts"),)),
    ]
    for group, title in GROUPS:
        rows.append(HeadingRow(translate("actions", title)))
        rows.extend(
            Panel(partial(ShortcutRow, spec), (translate("actions", spec.text), *native(spec.keys)))
            for spec in ACTIONS
            if spec.group == group
        )
    return rows


def _reset_all(context: SettingsContext, parent: QWidget) -> QWidget:
    holder = QWidget(parent)
    row = hbox(holder)
    button = QPushButton(QCoreApplication.translate("shortcuts_page", "Reset all shortcuts"), holder)
    button.setIconSize(QSize(16, 16))
    button.clicked.connect(partial(_give_back, context))
    row.addWidget(button)
    row.addStretch(1)
    return holder


def _give_back(context: SettingsContext, _checked: bool = False) -> None:
    context.store.apply(without_own_keys(context.store.settings))


PAGE = SettingsPageWidget("shortcuts", "keyboard", _title, _rows)
