"""The panel beside the conversation: when there is one, which mark it shows, and how it follows the marks."""

from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal, Slot
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QSplitter, QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.data import PageArchive
from desktop.chat.api.knowledge import Knowledge
from desktop.domain.sources import PagesChecked, Source, SourceKind
from desktop.render.page.source_cards import find_sentence, words_behind
from desktop.ui.chat.session_manager import SessionManager
from desktop.ui.chat.transcript_stack import TranscriptStack

if TYPE_CHECKING:
    from desktop.ui.viewer.window import SourcePanel

LEAST_WINDOW: Final = 1100
"""The width of the window, in pixels, from which there is space for the panel."""

_SHARE: Final = 0.42
"""The share of the panel in the width of conversation and panel, until the user changes it."""

_LEAST_CHAT: Final = 420
"""The width that the conversation keeps beside the panel, in pixels."""


class SourcePanelController(QObject):
    """Shows pages, files and records beside the conversation, and steps through the marks of an answer.

    Signals:
        add_asked: a Source that should be added to a knowledge base, and the id of its answer.
        width_changed: the width that the user gave the panel.
        left: Esc was pressed in the page while there is no panel to close.
    """

    add_asked = Signal(object, str)
    width_changed = Signal(int)
    left = Signal()

    def __init__(
        self,
        knowledge: Knowledge,
        loop: BackgroundLoop,
        *,
        pages: PageArchive,
        sessions: SessionManager,
        splitter: QSplitter,
        transcripts: TranscriptStack,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._knowledge = knowledge
        self._pages = pages
        self._loop = loop
        self._sessions = sessions
        self._splitter = splitter
        self._transcripts = transcripts
        self._window = window
        self._panel: SourcePanel | None = None
        self._message_id = ""
        self._mark = (0, 0)
        self._width = 0
        self._escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), transcripts)
        self._escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._escape.activated.connect(self._on_escape)
        self._inner_escape: QShortcut | None = None
        window.installEventFilter(self)
        splitter.splitterMoved.connect(self._on_splitter_moved)
        transcripts.set_panel(self.show)

    @property
    def is_open(self) -> bool:
        """Whether the panel is shown."""
        return self._panel is not None and not self._panel.isHidden()

    @property
    def has_space(self) -> bool:
        """Whether the window is wide enough for the panel."""
        return self._window.width() >= LEAST_WINDOW

    def set_width(self, width: int) -> None:
        """Set the width that the user gave the panel; 0 for none."""
        self._width = width

    def show(self, source: Source, message_id: str, occurrence: int) -> bool:
        """Show a source of an answer at what its mark supports, if there is space; return whether there is."""
        if not self.has_space:
            return False
        from desktop.ui.viewer.loader import ViewRequest  # noqa: PLC0415 - not before the first paint

        message = self._sessions.shown.get(message_id)
        sentence = find_sentence(message, source.number, occurrence) if message is not None else ""
        marks = self._marks_of(message_id)
        self._message_id, self._mark = message_id, (source.number, occurrence)
        at = marks.index(self._mark) + 1 if self._mark in marks else 0
        panel = self._open_panel()
        wanted = ViewRequest(source, words_behind(source, sentence), self._sessions.current)
        panel.show_source(wanted, at, len(marks))
        self._transcripts.show_mark(message_id if at else "", source.number, occurrence)
        self._transcripts.show_beside("")
        return True

    def show_record(self, view: QWidget, message_id: str) -> bool:
        """Show how an answer got its sources, if there is space; return whether there is."""
        if not self.has_space:
            return False
        self._message_id = ""
        self._open_panel().show_record(view)
        self._transcripts.show_mark("", 0, 0)
        self._transcripts.show_beside(message_id)
        return True

    def step(self, by: int, _checked: bool = False) -> None:
        """Show the next mark of the answer (1) or the previous one (-1); without a panel, begin in the last answer."""
        shown = self._sessions.shown
        is_new = not self.is_open or self._message_id not in shown.by_id
        message_id = shown.last_answer if is_new else self._message_id
        marks = self._marks_of(message_id)
        if not marks:
            return
        if is_new or self._mark not in marks:
            mark = marks[0 if by > 0 else -1]
        else:
            mark = marks[(marks.index(self._mark) + by) % len(marks)]
        self.show(shown.sources[mark[0]], message_id, mark[1])

    @Slot()
    def close(self) -> None:
        """Hide the panel."""
        if self._panel is None or self._panel.isHidden():
            return
        had_focus = self._panel.isAncestorOf(self._window.focusWidget())
        self._panel.hide()
        if self._panel.record is not None:
            self._panel.clear()
        self._allow_escape()
        self._transcripts.show_mark("", 0, 0)
        self._transcripts.show_beside("")
        if had_focus:
            self._transcripts.setFocus()

    @Slot(str)
    def forget(self, _conversation_id: str) -> None:
        """Hide the panel when another conversation is opened."""
        self._message_id = ""
        self.close()

    @Slot()
    def _allow_escape(self) -> None:
        """Let Esc close the panel or lead out of the page, unless it stops an answer."""
        is_allowed = not self._sessions.is_running
        self._escape.setEnabled(is_allowed)
        if self._inner_escape is not None:
            self._inner_escape.setEnabled(is_allowed)

    @Slot(object)
    def _on_add_asked(self, source: Source) -> None:
        self.add_asked.emit(source, self._message_id)

    @Slot()
    def _on_escape(self) -> None:
        if self.is_open:
            self.close()
        else:
            self.left.emit()

    @Slot(bool)
    def set_running(self, _is_running: bool) -> None:
        """Follow whether an answer is being written."""
        self._allow_escape()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Hide the panel when the window gets too narrow for it."""
        if event.type() == QEvent.Type.Resize and self.is_open:
            if not self.has_space:
                self.close()
            else:
                QTimer.singleShot(0, self, self._fit)
        return super().eventFilter(watched, event)

    def _marks_of(self, message_id: str) -> tuple[tuple[int, int], ...]:
        """Return the marks of an answer whose sources the panel can show."""
        from desktop.render.page.cited_sentence import marks_in  # noqa: PLC0415 - not before the first paint

        shown = self._sessions.shown
        message = shown.get(message_id)
        if message is None:
            return ()
        kinds = (SourceKind.FILE, SourceKind.WEB)
        known = {
            number for number, each in shown.sources.items() if message.knows(number) and each.kind in kinds
        }
        return marks_in(message.text, known)

    def _open_panel(self) -> "SourcePanel":
        if self._panel is None:
            from desktop.ui.viewer.window import SourcePanel  # noqa: PLC0415 - not before the first paint

            self._panel = SourcePanel(self._knowledge, self._loop, self._splitter, pages=self._pages)
            self._panel.hide()
            self._splitter.addWidget(self._panel)
            self._splitter.setCollapsible(1, False)
            self._splitter.setStretchFactor(0, 1)
            self._panel.step_asked.connect(self.step)
            self._panel.add_asked.connect(self._on_add_asked)
            self._panel.close_asked.connect(self.close)
            self._panel.page_checked.connect(self._on_page_checked)
            self._inner_escape = QShortcut(QKeySequence(Qt.Key.Key_Escape), self._panel)
            self._inner_escape.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            self._inner_escape.activated.connect(self.close)
        if self._panel.isHidden():
            self._panel.show()
            self._fit()
        self._allow_escape()
        return self._panel

    @Slot(object)
    def _on_page_checked(self, step: PagesChecked) -> None:
        self._sessions.apply(self._sessions.current, step)

    @Slot()
    def _fit(self) -> None:
        """Give the panel its width, and leave the conversation enough."""
        whole = self._splitter.width()
        width = min(self._width or round(whole * _SHARE), whole - _LEAST_CHAT)
        self._splitter.setSizes([whole - width, width])

    @Slot(int, int)
    def _on_splitter_moved(self, _place: int, _handle: int) -> None:
        self._width = self._splitter.sizes()[-1]
        self.width_changed.emit(self._width)
