"""Several models on one question: picked, stopped one by one, and the one to go on with."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtGui import QCursor
from PySide6.QtWidgets import QWidget

from desktop.background import BackgroundLoop, Job
from desktop.chat.ports import Engine
from desktop.ui.asking import Asking
from desktop.ui.catalogue_reader import CatalogueReader
from desktop.ui.compare_dialog import CompareDialog
from desktop.ui.composer import Composer
from desktop.ui.conversation_desk import ConversationDesk
from desktop.ui.pickers import ModelMenu

if TYPE_CHECKING:
    from desktop.ui.page_bridge import MessageAction


class Comparing(QObject):
    """Does what the page and the composer ask for where several models answer.

    Signals:
        failed: the error that kept something from being done.
    """

    failed = Signal(object)

    def __init__(
        self,
        engine: Engine,
        loop: BackgroundLoop,
        *,
        desk: ConversationDesk,
        asking: Asking,
        composer: Composer,
        catalogue: CatalogueReader,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._engine = engine
        self._loop = loop
        self._desk = desk
        self._asking = asking
        self._composer = composer
        self._catalogue = catalogue
        self._window = window
        composer.model.compare_asked.connect(self.pick)

    @Slot()
    def pick(self) -> None:
        """Let the person pick the models for the next questions."""
        model = self._composer.model
        dialog = CompareDialog(self._catalogue.models, (model.choice, *model.also), self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.picked.connect(self._on_picked)
        dialog.open()

    @Slot(object)
    def act(self, action: "MessageAction") -> None:
        """Do what was asked of an answer."""
        match action.action:
            case "choose":
                self._do(partial(self._engine.conversations.choose, action.message_id), reopens=True)
            case "stop":
                self._do(partial(self._engine.turns.stop_one, action.message_id), reopens=False)
            case "beside":
                self._offer_models(action.message_id)

    def _do(self, work: Callable[[], Awaitable[object]], *, reopens: bool) -> None:
        job = Job(work, self._loop, self)
        if reopens:
            job.succeeded.connect(partial(self._on_chosen, self._desk.current))
        job.failed.connect(self.failed)
        job.start()

    def _offer_models(self, message_id: str) -> None:
        menu = ModelMenu(self._window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.list.show_models(self._catalogue.models, "")
        menu.picked.connect(partial(self._asking.answer_beside, message_id))
        menu.popup(QCursor.pos())

    def _on_chosen(self, conversation_id: str, _nothing: object) -> None:
        if self._desk.current == conversation_id and not self._desk.is_running:
            self._desk.open(conversation_id)

    @Slot(object)
    def _on_picked(self, models: tuple[str, ...]) -> None:
        self._composer.model.compare(models)
