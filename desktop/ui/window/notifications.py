"""The tray icon, and notifications for users who are working in another window."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, QObject, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication, QWindow
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon

from desktop.background import Job
from desktop.domain.events import ToolAsks
from desktop.domain.messages import Message, MessageStatus
from desktop.domain.notifications import Notification, NotificationResult
from desktop.settings.model import Settings
from desktop.ui.context.window_context import WindowContext
from desktop.ui.labels.common import localize_message
from desktop.ui.stores.knowledge_store import ImportJob
from desktop.ui.widgets.icons import app_icon
from desktop.ui.widgets.layout import MAX_LINE_CHARS, shorten_name


class Tray(QObject):
    """The tray icon, shown if the system supports it and the user wants it.

    Signals:
        present: whether the icon is visible, whenever that may have changed.
    """

    present = Signal(bool)

    def __init__(self, core: WindowContext) -> None:
        super().__init__(core)
        self._core = core
        self._menu = QMenu(core.window)
        self.icon = QSystemTrayIcon(app_icon(), self)
        self.icon.setContextMenu(self._menu)
        self.icon.activated.connect(self._on_activated)
        self._entries = (
            (self._menu.addAction(""), core.called),
            (self._menu.addAction(""), core.new_asked),
            (self._menu.addAction(""), core.quick_asked),
            (self._menu.addAction(""), core.quit_asked),
        )
        self._menu.insertSeparator(self._entries[-1][0])
        for action, signal in self._entries:
            action.triggered.connect(signal)
        core.store.changed.connect(self._on_settings_changed)
        core.window.installEventFilter(self)
        self._name()
        self._on_settings_changed(core.store.settings)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Update the menu when the language changes. The menu itself receives that event too late."""
        if event.type() == QEvent.Type.LanguageChange:
            self._name()
        return False

    def _name(self) -> None:
        names = (self.tr("Open Footnote"), self.tr("New chat"), self.tr("Quick question"), self.tr("Quit"))
        for (action, _signal), name in zip(self._entries, names, strict=True):
            action.setText(name)
        self.icon.setToolTip("Footnote")

    @property
    def actions(self) -> tuple[QAction, ...]:
        """The actions of the menu."""
        return tuple(action for action, _signal in self._entries)

    @Slot(object)
    def _on_settings_changed(self, settings: Settings) -> None:
        is_there = settings.program.has_tray and QSystemTrayIcon.isSystemTrayAvailable()
        self.icon.setVisible(is_there)
        self.present.emit(is_there)

    @Slot(QSystemTrayIcon.ActivationReason)
    def _on_activated(self, reason: QSystemTrayIcon.ActivationReason) -> None:
        if reason in {QSystemTrayIcon.ActivationReason.Trigger, QSystemTrayIcon.ActivationReason.DoubleClick}:
            self._core.called.emit()


class Notifications(QObject):
    """Shows one notification per conversation and per import. All are removed when the user returns.

    If the desktop shows no notifications, the tray icon does. In both cases the window requests attention.
    """

    def __init__(self, core: WindowContext) -> None:
        super().__init__(core)
        self._core = core
        self._shown: dict[str, Job] = {}
        self._ended: dict[str, Message] = {}
        self._running: frozenset[str] = frozenset()
        self._tray: Tray | None = None
        self._act: Callable[[], None] | None = None
        """The action for a click on the notification of the tray icon, which shows only one."""
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        for signal, slot in (
            (core.sessions.answer_ended, self._on_answer_ended),
            (core.sessions.all_running_changed, self._on_running_changed),
            (core.sessions.tool_asked, self._on_tool_asked),
            (core.knowledge_store.added, self._on_added),
            (core.ending, self._withdraw),
            (app.focusWindowChanged, self._on_focus_changed),
        ):
            signal.connect(slot)

    def tell(self, key: str, note: Notification, act: Callable[[], None]) -> None:
        """Show a notification unless the window is active, and replace the one with the same `key`.

        A click runs `act`.
        """
        if not self._core.store.settings.program.notifies or _is_watched():
            return
        if key in self._shown:
            self._shown[key].cancel()
        QApplication.alert(self._core.window.window())
        title, text = shorten_name(note.title, MAX_LINE_CHARS), shorten_name(note.text, MAX_LINE_CHARS)
        note = replace(note, title=title, text=text)
        job = self._core.loop.run(
            self, partial(self._core.engine.notes.show, note), partial(self._on_ended, key, note, act)
        )
        self._shown[key] = job

    @Slot(str, object)
    def _on_answer_ended(self, conversation_id: str, message: Message) -> None:
        self._ended[conversation_id] = message

    @Slot(object)
    def _on_running_changed(self, running: frozenset[str]) -> None:
        """Notify when all answers to a question have ended, unless the user stopped them."""
        for conversation_id in self._running - running:
            if message := self._ended.pop(conversation_id, None):
                words = self.tr("The answer is there.")
                if message.status is MessageStatus.FAILED:
                    words = self.tr("The answer broke off. {reason}").format(
                        reason=localize_message(message.error)
                    )
                self._tell_of(conversation_id, words)
        self._running = running

    @Slot(str, object)
    def _on_tool_asked(self, conversation_id: str, asks: ToolAsks) -> None:
        words = self.tr("“{tool}” asks before it runs.").format(tool=asks.call.name)
        self._tell_of(conversation_id, words)

    def _tell_of(self, conversation_id: str, words: str) -> None:
        title = self._core.sidebar.model.title_of(conversation_id)
        self.tell(
            conversation_id, Notification(title, words), partial(self._core.sessions.open, conversation_id)
        )

    @Slot(object)
    def _on_added(self, addition: ImportJob) -> None:
        addition.ended.connect(partial(self._on_addition_ended, addition))

    def _on_addition_ended(self, addition: ImportJob) -> None:
        failed = len(addition.failures)
        title = self.tr("Added to “{base}”: {count}")
        title = title.format(base=addition.base.name, count=addition.done - failed)
        words = self.tr("Not added: {count}").format(count=failed) if failed else ""
        self.tell(f"base {addition.base.id}", Notification(title, words), self._core.opener.show_knowledge)

    def _on_ended(
        self, key: str, note: Notification, act: Callable[[], None], end: NotificationResult
    ) -> None:
        self._shown.pop(key, None)
        if end is NotificationResult.CLICKED:
            self._follow(act)
        elif end is NotificationResult.NO_PLACE:
            self._show_in_tray(note, act)

    def _show_in_tray(self, note: Notification, act: Callable[[], None]) -> None:
        if self._tray is None and (tray := self._core.findChild(Tray)):
            self._tray = tray
            tray.icon.messageClicked.connect(self._on_tray_clicked)
        if self._tray is not None and self._tray.icon.isVisible():
            self._act = act
            self._tray.icon.showMessage(note.title, note.text, self._tray.icon.icon())

    def _follow(self, act: Callable[[], None]) -> None:
        self._core.called.emit()
        act()

    @Slot()
    def _on_tray_clicked(self) -> None:
        if self._act is not None:
            act, self._act = self._act, None
            self._follow(act)

    @Slot(QWindow)
    def _on_focus_changed(self, window: QWindow | None) -> None:
        if window is not None:
            self._withdraw()

    @Slot()
    def _withdraw(self) -> None:
        """Remove all notifications because the user has returned."""
        for job in self._shown.values():
            job.cancel()
        self._shown = {}


def _is_watched() -> bool:
    """Say whether one of our windows is active and visible: a hidden window may keep the focus."""
    return any(window.isActive() and window.isVisible() for window in QGuiApplication.topLevelWindows())
