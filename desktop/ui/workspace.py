"""Everything in the window: named parts and one table of connections; decides nothing itself."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import pairwise

from PySide6.QtCore import QEvent, Qt, QTimer, Signal, SignalInstance, Slot
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QPaintEvent
from PySide6.QtWidgets import QApplication, QSplitter, QWidget

from desktop.background import BackgroundLoop
from desktop.chat.ports import Engine
from desktop.domain.messages import Conversation, ConversationInfo, Message
from desktop.domain.sources import Source
from desktop.settings.model import Settings
from desktop.ui.actions import Actions
from desktop.ui.asking import Asking
from desktop.ui.assistant_desk import AssistantDesk
from desktop.ui.base_chooser import BaseChooser
from desktop.ui.captcha_watch import CaptchaWatch
from desktop.ui.catalogue_reader import CatalogueReader
from desktop.ui.checking import Checking
from desktop.ui.comparing import Comparing
from desktop.ui.composer_settings import ComposerSettings
from desktop.ui.composer_text import local_files
from desktop.ui.consents import ConsentDesk
from desktop.ui.conversation_desk import NEW, ConversationDesk
from desktop.ui.conversation_library import ConversationLibrary
from desktop.ui.conversation_list import Sidebar
from desktop.ui.conversation_pane import ConversationPane
from desktop.ui.doors import Doors
from desktop.ui.embedder_shelf import EmbedderShelf
from desktop.ui.failure_words import describe
from desktop.ui.frame import SIDEBAR_WIDTH, SIZE
from desktop.ui.inspecting import Inspecting
from desktop.ui.knowledge_shelf import KnowledgeShelf
from desktop.ui.model_aids import ModelAids
from desktop.ui.notice_bar import Notice
from desktop.ui.parts import horizontal
from desktop.ui.picture_taking import PictureTaking
from desktop.ui.remembering import Remembering
from desktop.ui.researching import Researching
from desktop.ui.settings_store import SettingsStore
from desktop.ui.theme import Appearance
from desktop.ui.translations import Translations

_Connections = tuple[tuple[SignalInstance, Callable[..., object]], ...]


class Workspace(QWidget):
    """Fills a window, or is one. Paints first; the page that needs QtWebEngine and all from disk follow.

    Signals:
        furnished: the conversation page is there.
    """

    furnished = Signal()

    def __init__(
        self, engine: Engine, loop: BackgroundLoop, app: QApplication, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._loop = loop
        self._is_painted = False
        self.store = SettingsStore(engine.preferences, loop, self)
        self._translations = Translations(app)
        self._translations.use(self.store.settings.window.language)
        self._appearance = Appearance(app, self.store.settings.window)
        self._make_controllers()
        self._make_widgets()
        self._lay_out()
        for signal, slot in (*self._controller_connections(), *self._widget_connections()):
            signal.connect(slot)
        self._connect_actions()
        self._retranslate()
        self.composer.setFocus()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Have everything else made once the window is on the screen."""
        super().paintEvent(event)
        if not self._is_painted:
            self._is_painted = True
            QTimer.singleShot(0, self, self._furnish)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Offer the places to drop files."""
        if local_files(event.mimeData()):
            event.acceptProposedAction()
            self.drop_zone.appear()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Offer them no longer."""
        self.drop_zone.leave()

    def _make_controllers(self) -> None:
        engine, loop = self._engine, self._loop
        self.library = ConversationLibrary(engine.conversations, loop, self)
        self.desk = ConversationDesk(engine, loop, self)
        self.consents = ConsentDesk(engine.turns, self.store, loop, self.desk)
        self.assistants = AssistantDesk(self.store, self.library, self.desk)
        self.shelf = KnowledgeShelf(engine.knowledge, loop, self)
        self.embedders = EmbedderShelf(engine.embedders, loop, self.store, self)
        self.catalogue = CatalogueReader(engine.catalogue, loop, self)
        self.researching = Researching(engine.turns, loop, self)
        self.base_chooser = BaseChooser(self.shelf, self)
        self.captchas = CaptchaWatch(engine.searches, loop, self)
        self.shortcuts = Actions(self)

    def _make_widgets(self) -> None:
        self.setAcceptDrops(True)
        self.sidebar = Sidebar(self)
        self._pane = pane = ConversationPane(self)
        self._header, self.stage, self.composer = pane.header, pane.stage, pane.composer
        self.jobs, self.notices, self.consent_bar = pane.jobs, pane.notices, pane.consent_bar
        self.drop_zone = pane.drop_zone
        self.asking = Asking(self.composer, self.desk)
        self.checking = Checking(self._engine.turns, self._loop, self.desk)
        self.inspecting = Inspecting(
            self._engine.conversations,
            self._loop,
            desk=self.desk,
            asking=self.asking,
            catalogue=self.catalogue,
            window=self,
        )
        self.remembering = Remembering(
            self._engine.memories,
            self._loop,
            asking=self.asking,
            composer=self.composer,
            desk=self.desk,
            store=self.store,
        )
        self.comparing = Comparing(
            self._engine,
            self._loop,
            desk=self.desk,
            asking=self.asking,
            composer=self.composer,
            catalogue=self.catalogue,
            window=self,
        )
        self.doors = Doors(
            self._engine,
            self._loop,
            store=self.store,
            catalogue=self.catalogue,
            memories=self.remembering.shelf,
            shelf=self.shelf,
            embedders=self.embedders,
            window=self,
        )
        self._composer_settings = ComposerSettings(
            self.composer, self.store, self.assistants, self.catalogue, self.shelf
        )
        self.model_aids = ModelAids(self.composer, self.store, self.catalogue)
        self._picture_taking = PictureTaking(self.composer, self._engine.pictures, self._loop)

    def _lay_out(self) -> None:
        splitter = QSplitter(Qt.Orientation.Horizontal, self)
        splitter.addWidget(self.sidebar)
        splitter.addWidget(self._pane)
        splitter.setCollapsible(1, False)
        splitter.setStretchFactor(1, 1)
        splitter.setHandleWidth(1)
        splitter.setSizes([SIDEBAR_WIDTH, SIZE.width() - SIDEBAR_WIDTH])
        horizontal(self, spacing=0).addWidget(splitter)

    def _controller_connections(self) -> _Connections:
        desk, library, shelf, catalogue = self.desk, self.library, self.shelf, self.catalogue
        return (
            (desk.current_changed, self._on_current_changed),
            (desk.started, self.composer.move_draft),
            (desk.opened, self._on_opened),
            (desk.event_arrived, self.stage.apply),
            (desk.event_arrived, self.model_aids.watch),
            (desk.event_arrived, self.captchas.watch),
            (self.captchas.noticed, self.notices.say),
            (self.captchas.solved, self.asking.repeat),
            (desk.running_changed, self.captchas.settle),
            (desk.running_changed, self._on_running_changed),
            (desk.all_running_changed, self.sidebar.model.set_running),
            (self.consents.changed, self.consent_bar.show_questions),
            (self.consents.waiting_changed, self.sidebar.model.set_waiting),
            (self.consent_bar.answered, self.consents.answer),
            (desk.list_outdated, library.refresh),
            (library.listed, self._on_listed),
            (self.assistants.listed, self.sidebar.set_assistants),
            (self.assistants.changed, self.stage.set_assistant),
            (self.assistants.noticed, self.notices.say),
            (self._composer_settings.noticed, self.notices.say),
            (library.noticed, self.notices.say),
            (shelf.created, self._composer_settings.switch_base_on),
            (shelf.added, self.jobs.watch),
            (self.store.changed, self._on_settings_changed),
            (self.store.saved, catalogue.refresh),
            (self.store.secrets_kept, catalogue.refresh),
            *(
                (part.failed, self.say_failed)
                for part in (self._picture_taking, self.store, library, desk, shelf, catalogue, self.consents)
            ),
        )

    def _widget_connections(self) -> _Connections:
        sidebar, composer = self.sidebar, self.composer
        return (
            (sidebar.new_asked, self.start_new),
            (sidebar.view.chosen, self.desk.open),
            (sidebar.view.deletion_asked, self._on_deletion_asked),
            (sidebar.model.renamed, self.library.rename),
            (sidebar.knowledge_asked, self.doors.show_knowledge),
            (sidebar.settings_asked, self.doors.to_settings("models")),
            (self._header.toggle.clicked, self.toggle_sidebar),
            (self.stage.noticed, self.notices.say),
            (self.doors.noticed, self.notices.say),
            (self.doors.read_asked, self.asking.read_item),
            (self.stage.file_followed, self.doors.show_file),
            (self.stage.behind_changed, self.desk.hold),
            (self.stage.action_requested, self.asking.act),
            (self.stage.action_requested, self.inspecting.act),
            (self.stage.action_requested, self.comparing.act),
            (self.comparing.failed, self.say_failed),
            (self.stage.action_requested, self.checking.act),
            (self.checking.event_arrived, self.stage.apply),
            (self.checking.given_up, self.stage.end_check),
            (self.checking.failed, self.say_failed),
            (self.stage.research_steered, self.researching.steer),
            (self.stage.research_steered, self.asking.change_outline),
            (self.researching.failed, self.say_failed),
            (self.stage.action_requested, self.remembering.act),
            (self.stage.memory_followed, self.remembering.show_source),
            (self.remembering.page_asked, self.doors.to_settings("memory")),
            (self.remembering.noticed, self.notices.say),
            (self.remembering.failed, self.say_failed),
            (self.inspecting.noticed, self.notices.say),
            (self.inspecting.failed, self.say_failed),
            (self.asking.asked, self._on_asked),
            (composer.stop_asked, self.desk.stop),
            (composer.assistant.manage_asked, self.doors.to_settings("assistants")),
            (composer.web.setup_asked, self.doors.to_settings("search")),
            (composer.model.setup_asked, self.doors.to_settings("models")),
            (composer.bases.manage_asked, self.doors.show_knowledge),
            (self.drop_zone.attached, composer.attach_files),
            (self.drop_zone.read_asked, self.asking.prepare_reading),
            (self.drop_zone.kept, self.base_chooser.choose),
        )

    def _connect_actions(self) -> None:
        self.shortcuts.connect(
            {
                "new_chat": self.start_new,
                "stop": self.desk.stop,
                "settings": self.doors.to_settings("models"),
                "knowledge": self.doors.show_knowledge,
                "focus_composer": self.composer.text.setFocus,
                "find": self.stage.find_words,
                "filter": self.sidebar.focus_filter,
                "next": partial(self._open_neighbour, 1),
                "previous": partial(self._open_neighbour, -1),
                "compare": self.comparing.pick,
                "assistant": self.composer.assistant.showMenu,
                "sidebar": self.toggle_sidebar,
                "consent": self.consent_bar.focus,
                "inspect": self.inspecting.inspect_last,
                "quit": self._quit,
            }
        )
        self.shortcuts["stop"].setEnabled(False)

    @Slot()
    def _quit(self) -> None:
        self.window().close()

    @Slot()
    def _furnish(self) -> None:
        for reader in (self.library, self.catalogue, self.shelf, self.assistants, self.remembering.shelf):
            reader.refresh()
        self.library.watch()
        self.doors.look_for_browser()
        self.stage.set_language(self._translations.language)
        self.stage.set_zoom(self.store.settings.window.zoom)
        if not self.store.settings.was_welcomed:
            self.stage.welcome(self.doors.context())
        self.stage.furnish(self._loop, self._engine.icons, self._engine.pictures)
        self._make_exporting()
        if self.stage.page is not None:
            self.stage.page.ready.connect(self._order_tabs)
        self.furnished.emit()

    def _make_exporting(self) -> None:
        from desktop.ui.exporting import Exporting  # noqa: PLC0415 - not before the first paint

        conversations, loop = self._engine.conversations, self._loop
        exporting = Exporting(conversations, loop, desk=self.desk, asking=self.asking, window=self)
        self.stage.action_requested.connect(exporting.act)
        self._header.share.clicked.connect(exporting.offer_conversation)
        exporting.noticed.connect(self.notices.say)
        exporting.failed.connect(self.say_failed)
        self.shortcuts.connect({"copy_answer": exporting.copy_last, "export": exporting.offer_conversation})

    @Slot()
    def _order_tabs(self) -> None:
        """Put the page before the composer, as the eye has it: it was made last and would come last."""
        if self.stage.page is not None:
            order = (self._header.toggle, *self.stage.page.tab_stops, self.composer.text)
            for before, after in pairwise(order):
                QWidget.setTabOrder(before, after)

    def _retranslate(self) -> None:
        self.shortcuts.retranslate()
        self._header.name_buttons(self.shortcuts)
        self._show_title()

    def _show_title(self) -> None:
        title = "" if self.desk.current == NEW else self.sidebar.model.title_of(self.desk.current)
        self._header.show_title(title)
        self.window().setWindowTitle(f"{title} – Footnote" if title else "Footnote")

    @Slot()
    def start_new(self) -> None:
        """Open an empty conversation."""
        self.desk.open(NEW)
        self.composer.setFocus()

    @Slot()
    def toggle_sidebar(self) -> None:
        """Show or hide the sidebar."""
        self.sidebar.setVisible(not self.sidebar.isVisible())

    @Slot(object)
    def say_failed(self, error: Exception) -> None:
        """Say what went wrong outside any message."""
        self.notices.say(Notice(describe(error), is_error=True))

    def cancel_all(self) -> None:
        """Stop every answer and every file on its way; their endings follow while the loop still runs."""
        self.desk.stop_all()
        self.checking.cancel_all()
        self.shelf.cancel_all()

    def _open_neighbour(self, step: int, _checked: bool = False) -> None:
        if neighbour := self.sidebar.neighbour(step):
            self.desk.open(neighbour)

    @Slot(object)
    def _on_listed(self, infos: tuple[ConversationInfo, ...]) -> None:
        self.sidebar.show_conversations(infos)
        self.sidebar.select(self.desk.current)
        self._show_title()

    @Slot(str)
    def _on_deletion_asked(self, conversation_id: str) -> None:
        self.desk.forget(conversation_id)
        self.library.delete(conversation_id)

    @Slot(str)
    def _on_current_changed(self, conversation_id: str) -> None:
        self.composer.open_draft(conversation_id)
        self.sidebar.select(conversation_id)
        self._show_title()
        if conversation_id == NEW:
            self._show_messages((), ())

    @Slot(bool)
    def _on_running_changed(self, is_running: bool) -> None:
        self.composer.set_running(is_running)
        self.shortcuts["stop"].setEnabled(is_running)

    @Slot(object)
    def _on_opened(self, conversation: Conversation) -> None:
        self._show_messages(conversation.messages, conversation.sources)

    def _show_messages(self, messages: tuple[Message, ...], sources: tuple[Source, ...]) -> None:
        self.asking.show_messages(messages)
        self.model_aids.show_messages(messages)
        self.stage.show_messages(messages, sources)

    @Slot()
    def _on_asked(self) -> None:
        self.notices.dismiss()
        self.stage.end_welcome()
        self.store.apply(replace(self.store.settings, was_welcomed=True))

    @Slot(object)
    def _on_settings_changed(self, settings: Settings) -> None:
        self._appearance.apply(settings.window)
        self.stage.set_language(self._translations.use(settings.window.language))
        self.stage.set_zoom(settings.window.zoom)
