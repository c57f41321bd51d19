"""Settings of the program: its start, notifications, the key of the quick window, newer versions; and the page of all shortcuts."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from urllib.parse import urlsplit

from PySide6.QtCore import QCoreApplication, QSize, Qt, Signal, Slot
from PySide6.QtGui import QKeyEvent, QKeySequence, QPalette
from PySide6.QtWidgets import QCheckBox, QKeySequenceEdit, QLineEdit, QPushButton, QSystemTrayIcon, QWidget

from desktop.background import Job
from desktop.chat.api.conversations import Notification, NotificationResult
from desktop.domain.program import Release, UpdateStatus
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
from desktop.ui.dialogs.guide_dialogs import ReleaseNotesDialog
from desktop.ui.settings.rows import (
    HeadingRow,
    LabelledRow,
    Panel,
    Paragraph,
    SettingsContext,
    SettingsPageWidget,
    SettingsRow,
    Text,
    Toggle,
    make_labelled_row,
)
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.labels import format_datetime, localize_message
from desktop.ui.widgets.layout import WrappingRow, hbox, label, vbox
from desktop.ui.widgets.notice_bar import StatusLabel

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


def _shortcuts_title() -> str:
    return QCoreApplication.translate("shortcuts_page", "Shortcuts")


def _shortcuts_rows(_context: SettingsContext) -> Sequence[SettingsRow]:
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


SHORTCUTS_PAGE = SettingsPageWidget("shortcuts", "keyboard", _shortcuts_title, _shortcuts_rows)


class NotificationRow(QWidget):
    """A button that shows a notification as a test, and its outcome."""

    def __init__(self, context: SettingsContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._job: Job | None = None
        self.button = QPushButton(self.tr("Send test notification"), self)
        self.state = label(self, "", "muted", "small")
        row = WrappingRow(self)
        row.addWidget(self.button)
        row.addWidget(self.state)
        self.button.clicked.connect(self._on_clicked)

    @Slot()
    def _on_clicked(self) -> None:
        if self._job is not None:
            self._job.cancel()
        self.state.setText(self.tr("A test notification was sent. Click it."))
        note = Notification("Footnote", self.tr("This is a test notification."))
        self._job = self._context.loop.run(
            self, partial(self._context.engine.notes.show, note), self._on_ended
        )

    @Slot(object)
    def _on_ended(self, end: NotificationResult) -> None:
        words = {
            NotificationResult.CLICKED: self.tr("Notifications work."),
            NotificationResult.CLOSED: self.tr("The notification was dismissed."),
            NotificationResult.NO_PLACE: self.tr(
                "This desktop doesn’t show notifications. The tray icon is used, if available."
            ),
        }
        self.state.setText(words[end])


class LoginRow(QWidget):
    """Whether the session starts Footnote, as the system reports it."""

    def __init__(self, context: SettingsContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._box = QCheckBox(self)
        self._box.setEnabled(False)
        self._problem = StatusLabel(self, "danger", "small")
        column = vbox(self, spacing=2)
        help_text = self.tr("Starts hidden in the system tray, if available.")
        column.addWidget(make_labelled_row(format_login(), help_text, self._box, self))
        column.addWidget(self._problem)
        self._box.clicked.connect(self._on_clicked)
        self._look()

    @Slot()
    def _look(self) -> None:
        self._context.loop.run(self, self._context.engine.surroundings.starts_at_login, self._on_loaded)

    @Slot(object)
    def _on_loaded(self, starts: bool) -> None:
        self._box.setChecked(starts)
        self._box.setEnabled(True)

    @Slot(bool)
    def _on_clicked(self, is_wanted: bool) -> None:
        self._problem.clear()
        work = partial(self._context.engine.surroundings.start_at_login, is_wanted)
        self._context.loop.run(self, work, failed=self._on_failed)

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._problem.show_error(error)
        self._look()


class QuickKeyRow(QWidget):
    """The shortcut of the quick window, and whether this desktop supports it."""

    def __init__(self, context: SettingsContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._key = context.quick_key
        self.field = ShortcutField(self)
        self.field.setClearButtonEnabled(True)
        self.field.setKeySequence(QKeySequence(context.store.settings.program.quick_keys))
        self.state = StatusLabel(self, "muted", "small")
        column = vbox(self, spacing=2)
        help_text = self.tr("Ask a question from any program.")
        column.addWidget(make_labelled_row(format_key(), help_text, self.field, self))
        column.addWidget(self.state)
        self.field.pressed.connect(self._on_pressed)
        self._key.state_changed.connect(self._show)
        self._show()

    @Slot(object)
    def _on_pressed(self, keys: QKeySequence) -> None:
        name = keys.toString(QKeySequence.SequenceFormat.PortableText)
        store = self._context.store
        program = replace(store.settings.program, quick_keys=name)
        store.apply(replace(store.settings, program=program))

    @Slot()
    def _show(self) -> None:
        if self._key.error is not None:
            self.state.show_error(self._key.error)
        else:
            self.state.setText(self.tr("Press it now to test it.") if self._key.is_held else "")


class UpdatePanel(QWidget):
    """What is known about newer versions, with buttons that look now and that show what is new."""

    def __init__(self, context: SettingsContext, parent: QWidget) -> None:
        super().__init__(parent)
        self._context = context
        self._release: Release | None = None
        self.look = QPushButton(self.tr("Check now"), self)
        self.news = QPushButton(self.tr("What’s new…"), self)
        self.state = StatusLabel(self, "muted", "small")
        row = WrappingRow(self)
        for widget in (self.look, self.news, self.state):
            row.addWidget(widget)
        self.look.clicked.connect(self._on_look_clicked)
        self.news.clicked.connect(self._on_news_clicked)
        context.store.saved.connect(self.refresh)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Show again what is known, without a request."""
        self._context.loop.run(self, self._context.engine.updates.status, self._on_known, self._on_failed)

    @Slot()
    def _on_look_clicked(self) -> None:
        self.look.setEnabled(False)
        self.state.setText(self.tr("Checking…"))
        self._context.loop.run(self, self._context.engine.updates.check, self._on_known, self._on_failed)

    @Slot(object)
    def _on_known(self, status: UpdateStatus) -> None:
        self._release = status.release
        self.look.setEnabled(bool(status.address))
        self.state.setText(self._describe(status))

    def _describe(self, status: UpdateStatus) -> str:
        if not status.address:
            return localize_message(status.problem)
        if status.asked_at is None:
            return localize_message(status.problem) or self.tr("Not checked yet")
        if status.release is not None:
            found = self.tr("Version {version} is available.").format(version=status.release.version)
        else:
            found = "" if status.problem else self.tr("Footnote is up to date.")
        asked = self.tr("Last checked {moment}.").format(moment=format_datetime(status.asked_at))
        return "\n".join(filter(None, (found, localize_message(status.problem), asked)))

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self.look.setEnabled(True)
        self.state.show_error(error)

    @Slot()
    def _on_news_clicked(self) -> None:
        context = self._context
        dialog = ReleaseNotesDialog(context.engine, context.store, context.loop, self._release, self.window())
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.open()


def format_login() -> str:
    """Return the title of the row of the start."""
    return QCoreApplication.translate("program_page", "Start at login")


def format_key() -> str:
    """Return the title of the row of the key."""
    return QCoreApplication.translate("program_page", "Quick window shortcut")


def _title() -> str:
    return QCoreApplication.translate("program_page", "Program")


def _rows(context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    no_tray = translate("program_page", "This desktop doesn’t support tray icons.")
    tray_help = "" if QSystemTrayIcon.isSystemTrayAvailable() else no_tray
    return (
        Toggle(
            translate("program_page", "Reopen the last chat at startup"),
            "program.reopens",
        ),
        Panel(LoginRow, (format_login(),)),
        HeadingRow(translate("program_page", "Notifications")),
        Toggle(
            translate("program_page", "Notify me when a task finishes in the background"),
            "program.notifies",
            translate("program_page", "Answers, research, and files being added to a knowledge base."),
        ),
        Panel(NotificationRow, (translate("program_page", "Send test notification"),)),
        HeadingRow(translate("program_page", "Tray")),
        Toggle(
            translate("program_page", "Tray icon"),
            "program.has_tray",
            tray_help,
        ),
        Toggle(
            translate("program_page", "Keep running when the window is closed"),
            "program.stays_in_tray",
            translate("program_page", "Open it again from the tray icon."),
        ),
        HeadingRow(translate("program_page", "Quick window")),
        Panel(QuickKeyRow, (format_key(),)),
        *_update_rows(context),
    )


def _update_rows(context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    address = context.engine.updates.address
    asked = translate(
        "program_page",
        "Asks {host}. No data about you is sent, and nothing is installed automatically.",
    ).format(host=urlsplit(address).hostname or address)
    no_address = translate("program_page", "No update address is set, so Footnote doesn’t check for updates.")
    unpacking = Toggle(
        translate("program_page", "Keep an unpacked copy"),
        "program.unpacks_image",
        translate(
            "program_page",
            "Footnote starts several times faster, but takes 1.4 GB. Applies from the next start.",
        ),
    )
    is_image = context.engine.updates.program.installation.tree is not None
    return (
        *([unpacking] if is_image else ()),
        HeadingRow(translate("program_page", "Updates")),
        Toggle(
            translate("program_page", "Check for updates once a day"),
            "program.checks_updates",
            asked if address else no_address,
        ),
        Panel(UpdatePanel, (translate("program_page", "What’s new"), "update")),
        Text(
            translate("program_page", "Update address"),
            "program.update_address",
            translate("program_page", "Leave empty for the default."),
            address or "https://",
        ),
    )


PAGE = SettingsPageWidget("program", "power", _title, _rows)
