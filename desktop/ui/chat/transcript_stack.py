"""The place of the conversation: its title, and below it nothing at first, then the page, which needs QtWebEngine."""

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer, Signal, Slot
from PySide6.QtWidgets import QStackedWidget, QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.engine import Icons, Pictures
from desktop.domain.assistants import GENERAL, Assistant
from desktop.domain.events import TurnEvent
from desktop.domain.models import QUOTES_MODEL
from desktop.domain.sources import Source, SourceKind
from desktop.domain.transcript import NOTHING_SHOWN, Transcript
from desktop.settings.model import WindowSettings
from desktop.ui.links import open_link, open_source, refusal_message
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.layout import ElidedLabel, hbox
from desktop.ui.widgets.notice_bar import Notice, failure_notice
from desktop.ui.widgets.theme import build_page_appearance

if TYPE_CHECKING:
    from desktop.ui.chat.welcome import Welcome
    from desktop.ui.settings.rows import SettingsContext
    from desktop.ui.transcript.transcript_view import TranscriptView


class Header(QWidget):
    """The title of the open conversation between two buttons."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.toggle = IconButton("sidebar", self)
        self.share = IconButton("share", self)
        self._title = ElidedLabel(self)
        self._title.setObjectName("title")
        row = hbox(self, spacing=8, margins=(10, 8, 16, 8))
        row.addWidget(self.toggle)
        row.addWidget(self._title, 1)
        row.addWidget(self.share)

    def show_title(self, title: str, folder: str = "") -> None:
        """Show a title. Without one, hide the share button and show the folder of the new conversation."""
        self._title.show_words(title or folder)
        self.share.setVisible(bool(title))

    def name_buttons(self, toggle: tuple[str, str], share: tuple[str, str]) -> None:
        """Set the names of the buttons and their tooltips."""
        self.toggle.set_words(*toggle)
        self.share.set_words(*share)


class TranscriptStack(QStackedWidget):
    """Shows the conversation, and stores what it is given until the page exists.

    Signals:
        action_requested: an action on a message, as reported by the page.
        card_opened: the Source whose card is shown.
        research_steered: id of an answer, and the user's command for its research.
        noticed: a Notice about a source that could not be opened.
        file_followed: a Source that is a file or a page, and the words to show in it.
        memory_followed: a Source that is a memory.
        answer_followed: a Source that is an answer of another conversation, and the words to show in it.
        behind_changed: whether the page is behind with its updates.
        page_ready: the page is displayed; emitted again after its process crashed and restarted.
    """

    action_requested = Signal(object)
    card_opened = Signal(object)
    research_steered = Signal(str, object)
    noticed = Signal(object)
    file_followed = Signal(object, str)
    memory_followed = Signal(object)
    answer_followed = Signal(object, str)
    behind_changed = Signal(bool)
    page_ready = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("pageHolder")
        self.page: TranscriptView | None = None
        self.first_start: Welcome | None = None
        self._language = ""
        self._assistant = GENERAL
        self._looks = WindowSettings()
        self._has_model = True
        self.is_still = False
        self._shows_beside: Callable[[Source, str, int], bool] | None = None

    def furnish(
        self, loop: BackgroundLoop, icons: Icons, pictures: Pictures, page: "TranscriptView | None" = None
    ) -> None:
        """Create the page, or use one that was made in advance."""
        # Imported here: QtWebEngine takes longer to load than all the rest of the window.
        from desktop.ui.transcript.transcript_view import TranscriptView  # noqa: PLC0415 - see above

        page = page or TranscriptView(loop, self)
        page.serve_icons(icons)
        page.serve_pictures(pictures)
        page.picture_failed.connect(self._on_picture_failed)
        page.drawing_failed.connect(self._on_drawing_failed)
        page.card_opened.connect(self.card_opened)
        page.source_followed.connect(self._on_mark_followed)
        page.original_followed.connect(self._on_source_followed)
        page.link_followed.connect(self._on_link_followed)
        page.link_refused.connect(self._on_link_refused)
        page.action_requested.connect(self.action_requested)
        page.research_steered.connect(self.research_steered)
        page.behind_changed.connect(self.behind_changed)
        page.ready.connect(self.page_ready)
        page.set_language(self._language, self._assistant, has_model=self._has_model)
        self._dress(page)
        page.show_transcript(NOTHING_SHOWN)
        self.page = page
        self.insertWidget(0, page)
        if page.is_drawn:
            QTimer.singleShot(0, self, self.page_ready.emit)

    def welcome(self, context: "SettingsContext") -> "Welcome":
        """Show the welcome screen instead of the page, and return it."""
        from desktop.ui.chat.welcome import Welcome  # noqa: PLC0415 - not before the first paint

        welcome = Welcome(context, self)
        welcome.done.connect(self.end_welcome)
        self.first_start = welcome
        self.addWidget(welcome)
        self.setCurrentWidget(welcome)
        return welcome

    @Slot()
    def end_welcome(self) -> None:
        """Show the page."""
        if self.first_start is not None:
            self.removeWidget(self.first_start)
            self.first_start.deleteLater()
            self.first_start = None

    def set_language(self, language: str) -> None:
        """Set the language of the page."""
        self._language = language
        if self.page is not None:
            self.page.set_language(language, self._assistant, has_model=self._has_model)

    @Slot(str)
    def note_model(self, model_id: str) -> None:
        """Take the model that is selected below the message; while it is Quotes, the page of an empty conversation leads to another."""
        self._has_model = model_id != QUOTES_MODEL
        self.set_language(self._language)

    @Slot(object)
    def set_assistant(self, assistant: Assistant) -> None:
        """Set the assistant that the page of an empty conversation shows."""
        self._assistant = assistant
        self.set_language(self._language)

    def set_looks(self, looks: WindowSettings) -> None:
        """Apply the appearance settings to the page."""
        self._looks = looks
        if self.page is not None:
            self._dress(self.page)

    def set_still(self, is_still: bool) -> None:
        """Disable or enable animations on the page."""
        self.is_still = is_still
        self.set_looks(self._looks)

    def _dress(self, page: "TranscriptView") -> None:
        page.set_zoom(self._looks.zoom)
        page.set_appearance(replace(build_page_appearance(self._looks), is_still=self.is_still))

    @Slot(object)
    def show_transcript(self, shown: Transcript) -> None:
        """Show a conversation; until the user has started, the welcome screen replaces an empty one."""
        if self.first_start is not None:
            self.setCurrentWidget(self.page if shown.by_id and self.page is not None else self.first_start)
        if self.page is not None:
            self.page.show_transcript(shown)

    @Slot()
    def find_words(self) -> None:
        """Open the search bar of the conversation."""
        if self.page is not None and self.currentWidget() is self.page:
            self.page.find_bar.begin()

    def show_place(self, message_id: str, words: str = "") -> None:
        """Scroll to a message of the open conversation, and to the first of `words` in it."""
        if self.page is not None:
            self.page.show_place(message_id, words)

    @Slot(object, object)
    def apply(self, event: TurnEvent, shown: Transcript) -> None:
        """Show an event of a turn, and what is shown after it."""
        if self.page is not None:
            self.page.apply(event, shown)

    @Slot(str)
    def end_check(self, message_id: str) -> None:
        """Hide the indicator that an answer is being checked."""
        if self.page is not None:
            self.page.end_check(message_id)

    def set_panel(self, show: Callable[[Source, str, int], bool]) -> None:
        """Let a panel show pages and files beside the conversation.

        `show` gets a source, the id of the message and how many marks of the source are before; it returns whether
        there is space for the panel.
        """
        self._shows_beside = show

    def show_places(self, number: int, names: tuple[str, ...]) -> None:
        """Show on the card of a source in which knowledge bases it is."""
        if self.page is not None:
            self.page.show_places(number, names)

    def show_mark(self, message_id: str, number: int, occurrence: int) -> None:
        """Bring a mark into view and show that it is the current one; without a message, none is."""
        if self.page is not None:
            self.page.show_mark(message_id, number, occurrence)

    def show_beside(self, message_id: str) -> None:
        """Shorten what the answer says of its research, which is shown beside it; without a message, none is."""
        if self.page is not None:
            self.page.show_beside(message_id)

    @Slot(object)
    def _on_mark_followed(self, source: Source) -> None:
        message_id, number, occurrence = self.page.followed_mark if self.page is not None else ("", 0, 0)
        is_shown_here = source.kind in {SourceKind.FILE, SourceKind.WEB}
        mark = (message_id, occurrence) if number == source.number else ("", 0)
        if is_shown_here and self._shows_beside is not None and self._shows_beside(source, *mark):
            return
        if is_shown_here and self.page is not None:
            self.file_followed.emit(source, self.page.words_behind(source.number))
        else:
            self._on_source_followed(source)

    @Slot(object)
    def _on_source_followed(self, source: Source) -> None:
        words = self.page.words_behind(source.number) if self.page is not None else ""
        if source.kind is SourceKind.FILE:
            self.file_followed.emit(source, words)
        elif source.kind is SourceKind.MEMORY:
            self.memory_followed.emit(source)
        elif source.kind is SourceKind.ANSWER:
            self.answer_followed.emit(source, words)
        elif problem := open_source(source, words):
            self.noticed.emit(Notice(problem, is_error=True))

    @Slot(str)
    def _on_drawing_failed(self, words: str) -> None:
        self.noticed.emit(Notice(words, is_error=True))

    @Slot(object)
    def _on_picture_failed(self, error: Exception) -> None:
        self.noticed.emit(failure_notice(error))

    @Slot(str)
    def _on_link_followed(self, address: str) -> None:
        if not open_link(address):
            self._on_link_refused(address)

    @Slot(str)
    def _on_link_refused(self, address: str) -> None:
        self.noticed.emit(Notice(refusal_message(address), is_error=True))
