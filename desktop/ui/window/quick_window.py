"""The quick window: a small always-on-top window for one chat, and the controller that opens it."""

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QPoint, QSize, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QHideEvent, QKeyEvent, QMouseEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from desktop.chat.api.engine import Question
from desktop.settings.model import Settings
from desktop.ui.chat.session_manager import NEW, ChatSession
from desktop.ui.chat.transcript_stack import TranscriptStack
from desktop.ui.composer.composer import Composer
from desktop.ui.i18n import Retranslated, language_of
from desktop.ui.transcript.message_action import ActionHandlers, ActionRequest
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.layout import hbox, vbox
from desktop.ui.widgets.notice_bar import Notice, NoticeBar
from desktop.ui.window.chat_parts import ChatParts, SharedStores, connect
from desktop.ui.window.window_opener import WindowOpener

_WIDTH = 680
_HEIGHT_WITH_ANSWER = 560
_LEAST_ANSWER = QSize(360, 180)
"""In a smaller part of the window, an answer could not be read."""
_FROM_TOP = 0.22
"""Distance of the window from the top of the screen, as a share of its height, as in similar programs."""


class QuickWindow(Retranslated, QFrame):
    """A chat with its own conversation until the main window takes it over.

    Signals:
        taken_over: the conversation should move to the main window; `hand_over` returns it.
        left: the window is hidden and generates no answer.
    """

    taken_over = Signal()
    left = Signal()

    def __init__(self, shared: SharedStores, opener: WindowOpener, main: TranscriptStack) -> None:
        """Initialize; the page is animated unless that of the `main` window is not."""
        super().__init__(None, Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowStaysOnTopHint)
        self._shared = shared
        self._journal = shared.engine.question_journal
        self._main = main
        self.setObjectName("quickWindow")
        self._title = QLabel(self)
        self._title.setObjectName("title")
        self.open_button = IconButton("up", self)
        self._close = IconButton("close", self)
        self.transcripts = TranscriptStack(self)
        self.notices = NoticeBar(self)
        self.composer = Composer(self)
        self._handlers = ActionHandlers()
        self._chat = ChatParts(
            shared,
            self,
            composer=self.composer,
            transcripts=self.transcripts,
            notices=self.notices,
            outlives_window=False,
        )
        self.sessions = self._chat.sessions
        self._handlers.add(self._chat.handlers())
        connect(self._chat.connections())
        connect(self._chat.opener_connections(opener))
        self._lay_out()
        self._connect()
        self._learn()
        self._retranslate()

    def start_over(self) -> None:
        """Start a new conversation, unless an answer is being generated."""
        if not self.sessions.is_running:
            self.sessions.open(NEW)
            self.notices.dismiss()
            self._show_transcripts(is_shown=False)

    def hand_over(self) -> ChatSession | None:
        """Release and return the open conversation; None if there is none."""
        session = self.sessions.release()
        self.start_over()
        return session

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Close the window on Escape; a running answer continues."""
        if event.key() == Qt.Key.Key_Escape:
            self.close()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Move the window when its background is dragged."""
        if event.button() == Qt.MouseButton.LeftButton:
            self.windowHandle().startSystemMove()

    def showEvent(self, event: QShowEvent) -> None:
        """Focus the composer."""
        super().showEvent(event)
        self.composer.setFocus()

    def hideEvent(self, event: QHideEvent) -> None:
        """Report that the window was hidden."""
        super().hideEvent(event)
        self._tell_left()

    def end(self) -> None:
        """Stop all work, and close the window."""
        self._chat.stop()
        self.sessions.stop_all()
        self.close()
        self.deleteLater()

    @Slot(object)
    def _forget_returned(self, question: Question) -> None:
        self._journal.forget(question.message_id)

    @Slot()
    def _tell_left(self) -> None:
        if self.isHidden() and not self.sessions.is_running:
            self.left.emit()

    def _lay_out(self) -> None:
        header = hbox(spacing=6, margins=(14, 8, 8, 0))
        header.addWidget(self._title, 1)
        header.addWidget(self.open_button)
        header.addWidget(self._close)
        column = vbox(self, spacing=0, margins=(1, 1, 1, 1))
        column.addLayout(header)
        column.addWidget(self.transcripts, 1)
        bar = hbox(margins=(16, 0, 16, 6))
        bar.addWidget(self.notices)
        column.addLayout(bar)
        column.addWidget(self.composer)
        self._show_transcripts(is_shown=False)

    def _connect(self) -> None:
        connect(
            (
                (self._shared.store.changed, self._on_settings_changed),
                (self._close.clicked, self.close),
                (self.sessions.question_returned, self._forget_returned),  # it stores no drafts
                (self.sessions.running_changed, self._tell_left),
                (self.sessions.tool_asked, self._on_tool_asked),
                (self.sessions.list_outdated, self._shared.library.refresh),
                (self.open_button.clicked, self.taken_over),
                (self._chat.asking.asked, self._on_asked),
                (self.transcripts.answer_followed, self.taken_over),
                (self.transcripts.action_requested, self._handlers.handle),
                (self.composer.left_out, self._on_left_out),
            )
        )

    def _learn(self) -> None:
        """Show the data that was listed before this window existed."""
        self._chat.switches.offer_models(self._shared.catalogue.models)
        self._chat.switches.offer_engines(self._shared.catalogue.engines)
        self._chat.switches.offer_bases(self._shared.knowledge_store.bases)
        self._chat.assistants.refresh()
        self._chat.memory_store.refresh()
        self._on_settings_changed(self._shared.store.settings)

    def _retranslate(self) -> None:
        self._title.setText(self.tr("Quick question"))
        self.setWindowTitle(self.tr("Quick question"))
        self.setAccessibleName(self.tr("Quick question"))
        self.open_button.set_words(self.tr("Continue in main window"))
        self._close.set_words(self.tr("Close"))

    def _show_transcripts(self, *, is_shown: bool) -> None:
        self.transcripts.setVisible(is_shown)
        self.transcripts.setMinimumSize(_LEAST_ANSWER if is_shown else QSize())
        self.open_button.setVisible(is_shown)
        height = _HEIGHT_WITH_ANSWER if is_shown else self.minimumSizeHint().height()
        self.resize(QSize(_WIDTH, height))

    @Slot()
    def appear(self) -> None:
        """Show the window on top of all others, on the screen with the mouse pointer."""
        if not self.isVisible():
            self.start_over()
            screen = QGuiApplication.screenAt(self.cursor().pos()) or QGuiApplication.primaryScreen()
            area = screen.availableGeometry()
            left = area.left() + (area.width() - self.width()) // 2
            self.move(QPoint(left, area.top() + round(area.height() * _FROM_TOP)))
        self.show()
        self.raise_()
        self.activateWindow()

    @Slot()
    def _on_asked(self) -> None:
        self.notices.dismiss()
        if self.transcripts.page is None:
            self._furnish()
        if self.transcripts.isHidden():
            self._show_transcripts(is_shown=True)

    def _furnish(self) -> None:
        from desktop.ui.controllers.export_controller import ExportController  # noqa: PLC0415 - not before there is an answer

        engine, loop = self._shared.engine, self._shared.loop
        self.transcripts.furnish(loop, engine.icons, engine.pictures)
        exporting = ExportController(engine.conversations, loop, sessions=self.sessions, window=self)
        self._handlers.add(exporting.handlers)
        self._handlers.add(dict.fromkeys(self._handlers.missing, self._hand_over))
        connect(
            ((exporting.noticed, self.notices.say), (exporting.failed, self.notices.say_failed)),
        )

    def _hand_over(self, _request: ActionRequest) -> None:
        """Show the conversation in the main window, which has the space that other actions need."""
        self.taken_over.emit()

    @Slot(object)
    def _on_settings_changed(self, settings: Settings) -> None:
        self.transcripts.set_looks(settings.window)
        self.transcripts.set_still(self._main.is_still)
        self.transcripts.set_language(language_of(settings.window.language))

    @Slot()
    def _on_left_out(self) -> None:
        self.notices.say(Notice(self.tr("Folders can’t be attached here."), is_error=True))

    @Slot()
    def _on_tool_asked(self) -> None:
        """Open the main window for a tool approval, because it has enough space to explain it."""
        self.taken_over.emit()


class QuickWindowController(QObject):
    """Opens the quick window by shortcut, from the tray, or when the program is started again.

    Signals:
        opening: the window is about to be shown.
        called: the main window should come to the front.
        taken_over: a ChatSession that the main window should continue.
        left: the window is hidden and generates no answer.
    """

    opening = Signal()
    called = Signal()
    taken_over = Signal(object)
    left = Signal()

    def __init__(
        self, shared: SharedStores, opener: WindowOpener, main: TranscriptStack, parent: QWidget
    ) -> None:
        super().__init__(parent)
        self._shared = shared
        self._opener = opener
        self._main = main
        self.window: QuickWindow | None = None

    @Slot()
    def show(self) -> None:
        """Show the quick window."""
        self.opening.emit()
        if self.window is None:
            self.window = QuickWindow(self._shared, self._opener, self._main)
            self.window.taken_over.connect(self._take_over)
            self.window.left.connect(self.left)
        self.window.appear()

    @Slot()
    def _take_over(self) -> None:
        """Move the conversation, including a running answer, to the main window."""
        if self.window is None:
            return
        session = self.window.hand_over()
        self.called.emit()  # must come first: without any window the program would quit
        self.window.close()
        if session is not None:
            self.taken_over.emit(session)

    @Slot()
    def end(self) -> None:
        """Close the quick window for good."""
        if self.window is not None:
            window, self.window = self.window, None
            window.end()
            # Delete it at once: its page must not outlive the loop, which is about to stop.
            QCoreApplication.sendPostedEvents(window, QEvent.Type.DeferredDelete)
