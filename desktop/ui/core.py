"""What the parts of the window work with, and how they hear that it begins and ends."""

from PySide6.QtCore import QObject, Signal, Slot
from PySide6.QtWidgets import QWidget

from desktop.background import BackgroundLoop
from desktop.chat.ports import Engine
from desktop.ui.asking import Asking
from desktop.ui.assistant_desk import AssistantDesk
from desktop.ui.catalogue_reader import CatalogueReader
from desktop.ui.consents import ConsentDesk
from desktop.ui.conversation_desk import NEW, ConversationDesk
from desktop.ui.conversation_library import ConversationLibrary
from desktop.ui.conversation_list import Sidebar
from desktop.ui.conversation_pane import ConversationPane
from desktop.ui.doors import Doors
from desktop.ui.embedder_shelf import EmbedderShelf
from desktop.ui.knowledge_shelf import KnowledgeShelf
from desktop.ui.quick_key import QuickKey
from desktop.ui.remembering import Remembering
from desktop.ui.settings_store import SettingsStore
from desktop.ui.window_actions import Actions


class Core(QObject):
    """All that is shared. A part is an object that takes the core alone, connects itself, and is its child.

    Signals:
        painted: the window is on the screen, and nothing is in it yet.
        began: the window is on the screen; what comes from disk or network can be asked for.
        called: the window is wanted in front of all others.
        new_asked: so is an empty conversation in it.
        quick_asked: the quick window is wanted.
        quick_left: it is out of sight, and nothing is being answered in it.
        quit_asked: the person is done with the program.
        cite_asked: the next question is to be about an answer (Hit).
        sidebar_toggled: the sidebar was shown or hidden.
        ending: what runs is to be stopped; its endings follow while the loop still runs.
    """

    painted = Signal()
    began = Signal()
    called = Signal()
    new_asked = Signal()
    quick_asked = Signal()
    quick_left = Signal()
    quit_asked = Signal()
    cite_asked = Signal(object)
    sidebar_toggled = Signal()
    ending = Signal()

    def __init__(self, engine: Engine, loop: BackgroundLoop, store: SettingsStore, window: QWidget) -> None:
        """Dialogs open over `window`, where the widgets made here are laid out."""
        super().__init__(window)
        self.engine = engine
        self.loop = loop
        self.store = store
        self.window = window
        self.has_begun = False
        self.actions = Actions(window, store)
        self._make_widgets()
        self._make_controllers()
        for signal, slot in (
            (self.ending, self.desk.stop_all),
            (self.ending, self.shelf.cancel_all),
            (self.ending, self.quick_key.stop),
            *((each.failed, self.notices.say_failed) for each in (store, self.library, self.desk)),
            *((each.failed, self.notices.say_failed) for each in (self.shelf, self.catalogue, self.consents)),
            (self.remembering.failed, self.notices.say_failed),
            (self.doors.data_changed, self._on_data_changed),
            *((each.noticed, self.notices.say) for each in (self.library, self.assistants, self.remembering)),
            *((each.noticed, self.notices.say) for each in (self.doors, self.stage)),
        ):
            signal.connect(slot)

    def _make_widgets(self) -> None:
        self.sidebar = Sidebar(self.window)
        self.pane = pane = ConversationPane(self.window)
        self.header, self.stage, self.composer = pane.header, pane.stage, pane.composer
        self.jobs, self.notices, self.consent_bar = pane.jobs, pane.notices, pane.consent_bar
        self.drop_zone = pane.drop_zone

    def _make_controllers(self) -> None:
        engine, loop, store = self.engine, self.loop, self.store
        self.library = ConversationLibrary(engine.conversations, engine.filing, loop, self)
        self.desk = ConversationDesk(engine, loop, self)
        self.consents = ConsentDesk(engine.turns, store, loop, self.desk)
        self.assistants = AssistantDesk(store, self.library, self.desk)
        self.shelf = KnowledgeShelf(engine.knowledge, loop, self)
        self.embedders = EmbedderShelf(engine.embedders, loop, store, self)
        self.catalogue = CatalogueReader(engine.catalogue, loop, self)
        self.asking = Asking(self.composer, self.desk)
        self.remembering = Remembering(
            engine.memories, loop, asking=self.asking, composer=self.composer, desk=self.desk, store=store
        )
        self.quick_key = QuickKey(engine.surroundings, loop, store, self)
        self.doors = Doors(
            engine,
            loop,
            store=store,
            catalogue=self.catalogue,
            memories=self.remembering.shelf,
            shelf=self.shelf,
            embedders=self.embedders,
            conversation=lambda: self.desk.current,
            quick_key=self.quick_key,
            window=self.window,
        )

    def begin(self) -> None:
        """Ask for what is on the disk, once."""
        if self.has_begun:
            return
        self.has_begun = True
        self.began.emit()
        self._read_all()
        self.library.watch()
        self.quick_key.start()

    def _read_all(self) -> None:
        for reader in (self.library, self.catalogue, self.shelf, self.assistants, self.remembering.shelf):
            reader.refresh()

    @Slot()
    def _on_data_changed(self) -> None:
        """Show what is there now; the conversation that was open may be another one, or none."""
        self.store.reread()
        self.desk.open(NEW)
        self._read_all()
