"""The tray icon, and notifications for users who are working in another window."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, QObject, Signal, Slot
from PySide6.QtGui import QAction, QGuiApplication, QWindow
from PySide6.QtWidgets import QApplication, QMenu, QSystemTrayIcon, QWidget

from desktop.background import BackgroundLoop, Job
from desktop.chat.api.conversations import Notes, Notification, NotificationResult
from desktop.domain.events import ToolAsks
from desktop.domain.messages import Message, MessageStatus
from desktop.settings.model import Settings
from desktop.ui.sidebar.conversation_model import ConversationModel
from desktop.ui.stores.knowledge_store import ImportJob
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.widgets.access_keys import add_access_keys
from desktop.ui.widgets.icons import app_icon
from desktop.ui.widgets.labels import localize_message
from desktop.ui.widgets.layout import MAX_LINE_CHARS, shorten_name


class Tray(QObject):
    """The tray icon, shown if the system supports it and the user wants it.

    Signals:
        present: whether the icon is visible, whenever that may have changed.
        called: the window should come to the front.
        new_asked: ... with a new conversation.
        quick_asked: the quick window should open.
        quit_asked: the user wants to quit.
    """

    present = Signal(bool)
    called = Signal()
    new_asked = Signal()
    quick_asked = Signal()
    quit_asked = Signal()

    def __init__(self, store: SettingsStore, window: QWidget) -> None:
        super().__init__(window)
        self._menu = add_access_keys(QMenu(window))
        self.icon = QSystemTrayIcon(app_icon(), self)
        self.icon.setContextMenu(self._menu)
        self.icon.activated.connect(self._on_activated)
        self._entries = (
            (self._menu.addAction(""), self.called),
            (self._menu.addAction(""), self.new_asked),
            (self._menu.addAction(""), self.quick_asked),
            (self._menu.addAction(""), self.quit_asked),
        )
        self._menu.insertSeparator(self._entries[-1][0])
        for action, signal in self._entries:
            action.triggered.connect(signal)
        store.changed.connect(self._on_settings_changed)
        window.installEventFilter(self)
        self._name()
        self._on_settings_changed(store.settings)

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
            self.called.emit()


class Notifications(QObject):
    """Shows one notification per conversation and per import. All are removed when the user returns.

    If the desktop shows no notifications, the tray icon does. In both cases the window requests attention.

    Signals:
        called: the window should come to the front, as a notification was clicked.
        conversation_asked: id of the conversation whose notification was clicked.
        knowledge_asked: the notification of an import was clicked.
    """

    called = Signal()
    conversation_asked = Signal(str)
    knowledge_asked = Signal()

    def __init__(
        self,
        notes: Notes,
        loop: BackgroundLoop,
        *,
        store: SettingsStore,
        titles: ConversationModel,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._notes = notes
        self._loop = loop
        self._store = store
        self._titles = titles
        self._window = window
        self._shown: dict[str, Job] = {}
        self._ended: dict[str, Message] = {}
        self._running: frozenset[str] = frozenset()
        self._tray: Tray | None = None
        self._act: Callable[[], None] | None = None
        """The action for a click on the notification of the tray icon, which shows only one."""
        app = QGuiApplication.instance()
        assert isinstance(app, QGuiApplication)
        app.focusWindowChanged.connect(self._on_focus_changed)

    def tell(self, key: str, note: Notification, act: Callable[[], None]) -> None:
        """Show a notification unless the window is active, and replace the one with the same `key`.

        A click runs `act`.
        """
        if not self._store.settings.program.notifies or _is_watched():
            return
        if key in self._shown:
            self._shown[key].cancel()
        QApplication.alert(self._window.window())
        title, text = shorten_name(note.title, MAX_LINE_CHARS), shorten_name(note.text, MAX_LINE_CHARS)
        note = replace(note, title=title, text=text)
        job = self._loop.run(self, partial(self._notes.show, note), partial(self._on_ended, key, note, act))
        self._shown[key] = job

    @Slot(str, object)
    def note_ended(self, conversation_id: str, message: Message) -> None:
        """Note how an answer ended."""
        self._ended[conversation_id] = message

    @Slot(object)
    def note_running(self, running: frozenset[str]) -> None:
        """Notify when all answers to a question have ended, unless the user stopped them."""
        for conversation_id in self._running - running:
            if message := self._ended.pop(conversation_id, None):
                words = self.tr("The answer is ready.")
                if message.status is MessageStatus.FAILED:
                    words = self.tr("The answer was interrupted. {reason}").format(
                        reason=localize_message(message.error)
                    )
                self._tell_of(conversation_id, words)
        self._running = running

    @Slot(str, object)
    def tell_tool(self, conversation_id: str, asks: ToolAsks) -> None:
        """Notify that a tool asks for permission."""
        words = self.tr("“{tool}” needs your permission.").format(tool=asks.call.name)
        self._tell_of(conversation_id, words)

    def _tell_of(self, conversation_id: str, words: str) -> None:
        note = Notification(self._titles.title_of(conversation_id), words)
        self.tell(conversation_id, note, partial(self.conversation_asked.emit, conversation_id))

    @Slot(object)
    def watch(self, addition: ImportJob) -> None:
        """Notify when an import has ended."""
        addition.ended.connect(partial(self._on_addition_ended, addition))

    def _on_addition_ended(self, addition: ImportJob) -> None:
        failed = len(addition.failures)
        title = self.tr("%n item(s) added to “{base}”", None, addition.done - failed)
        title = title.format(base=addition.base.name)
        words = self.tr("%n item(s) not added", None, failed) if failed else ""
        self.tell(f"base {addition.base.id}", Notification(title, words), self.knowledge_asked.emit)

    def _on_ended(
        self, key: str, note: Notification, act: Callable[[], None], end: NotificationResult
    ) -> None:
        self._shown.pop(key, None)
        if end is NotificationResult.CLICKED:
            self._follow(act)
        elif end is NotificationResult.NO_PLACE:
            self._show_in_tray(note, act)

    def _show_in_tray(self, note: Notification, act: Callable[[], None]) -> None:
        if self._tray is None and (tray := self._window.findChild(Tray)):
            self._tray = tray
            tray.icon.messageClicked.connect(self._on_tray_clicked)
        if self._tray is not None and self._tray.icon.isVisible():
            self._act = act
            self._tray.icon.showMessage(note.title, note.text, self._tray.icon.icon())

    def _follow(self, act: Callable[[], None]) -> None:
        self.called.emit()
        act()

    @Slot()
    def _on_tray_clicked(self) -> None:
        if self._act is not None:
            act, self._act = self._act, None
            self._follow(act)

    @Slot(QWindow)
    def _on_focus_changed(self, window: QWindow | None) -> None:
        if window is not None:
            self.withdraw()

    @Slot()
    def withdraw(self) -> None:
        """Remove all notifications because the user has returned."""
        for job in self._shown.values():
            job.cancel()
        self._shown = {}


def _is_watched() -> bool:
    """Say whether one of our windows is active and visible: a hidden window may keep the focus."""
    return any(window.isActive() and window.isVisible() for window in QGuiApplication.topLevelWindows())
