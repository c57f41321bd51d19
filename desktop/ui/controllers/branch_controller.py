"""Versions of messages: show, delete, branch into a conversation, and choose models whose answers are compared."""

from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QCursor, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QDialogButtonBox, QLineEdit, QListView, QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.conversations import Branches, Conversations
from desktop.chat.api.engine import MOST_MODELS, Turns
from desktop.domain.messages import ConversationInfo, Message
from desktop.domain.models import ModelInfo
from desktop.ui.chat.question_controller import QuestionController
from desktop.ui.chat.session_manager import SessionManager
from desktop.ui.composer.switches import ModelSwitch
from desktop.ui.sidebar.conversation_model import ConversationModel
from desktop.ui.stores.catalogue import CatalogueStore
from desktop.ui.stores.conversations import ConversationListStore
from desktop.ui.transcript.message_action import ActionRequest, Handlers, MessageAction
from desktop.ui.widgets.dialog import ScreenFitDialog
from desktop.ui.widgets.labels import model_name
from desktop.ui.widgets.layout import label, plain_tip, set_style_flag, shorten_name, vbox
from desktop.ui.widgets.model_menu import ModelMenu
from desktop.ui.widgets.notice_bar import Notice, NoticeBar, undo_notice

_LEAST_MODELS = 2
_SIZE = (420, 460)
_ID_ROLE = Qt.ItemDataRole.UserRole


class ComparisonDialog(ScreenFitDialog):
    """A list of models with check boxes; two to four must be checked to confirm.

    Signals:
        picked: ids (tuple of str) of the models, in the order in which they were checked.
    """

    picked = Signal(object)

    def __init__(
        self, models: tuple[ModelInfo, ...], chosen: Sequence[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._wanted = tuple(chosen)
        self._known: set[str] = set()
        self.chosen: list[str] = []
        self.setWindowTitle(self.tr("Compare models"))
        self.filter = QLineEdit(self)
        self.filter.setPlaceholderText(self.tr("Search models"))
        self.filter.setAccessibleName(self.tr("Search models"))
        self.filter.setClearButtonEnabled(True)
        self.rows = QStandardItemModel(self)
        self.view = QListView(self)
        self.view.setObjectName("choices")
        self.view.setAccessibleName(self.tr("Models"))
        self.view.setModel(self.rows)
        self.view.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel, self)
        self.compare = self.buttons.addButton(self.tr("Compare"), QDialogButtonBox.ButtonRole.AcceptRole)
        set_style_flag(self.compare, "primary", True)
        self._words = label(self, "", "muted")
        self._lay_out()
        self.show_models(models)
        for signal, slot in (
            (self.filter.textChanged, self._on_filtered),
            (self.rows.itemChanged, self._on_item_changed),
            (self.buttons.accepted, self._on_accepted),
            (self.buttons.rejected, self.reject),
        ):
            signal.connect(slot)

    @Slot(object)
    def show_models(self, models: tuple[ModelInfo, ...]) -> None:
        """Show the models known so far; checked models stay checked if they are still listed."""
        known = {model.id for model in models}
        new = known - self._known
        wanted = [*self.chosen, *(model_id for model_id in self._wanted if model_id in new)]
        self.chosen = [model_id for model_id in wanted if model_id in known]
        self._known |= known
        self.rows.clear()
        names = Counter((model.name, model.provider) for model in models)
        for model in models:
            is_ambiguous = names[model.name, model.provider] > 1
            self.rows.appendRow(self._item(model, models, is_ambiguous=is_ambiguous))
        words = self.tr("Choose two to four models. Each answers the same question from the same sources.")
        if 0 < len(models) < _LEAST_MODELS:  # an empty list means that the models are not loaded yet
            words = self.tr("Comparing needs two models. Add a provider in Settings > Models.")
        self._words.setText(words)
        self._on_filtered(self.filter.text())
        self._refresh()

    def _item(self, model: ModelInfo, models: tuple[ModelInfo, ...], *, is_ambiguous: bool) -> QStandardItem:
        name = model_name(model.id, models)
        words = f"{name}  ({model.provider})" if model.provider else name
        if is_ambiguous:
            words = model.id
        item = QStandardItem(shorten_name(words))
        item.setData(model.id, _ID_ROLE)
        item.setToolTip(plain_tip(model.id))
        item.setCheckable(True)
        is_chosen = model.id in self.chosen
        item.setCheckState(Qt.CheckState.Checked if is_chosen else Qt.CheckState.Unchecked)
        return item

    def _lay_out(self) -> None:
        column = vbox(self, spacing=10, margins=(20, 18, 20, 16))
        column.addWidget(self._words)
        column.addWidget(self.filter)
        column.addWidget(self.view, 1)
        column.addWidget(self.buttons)
        self.resize(*_SIZE)

    def _refresh(self) -> None:
        """Disable the unchecked models when four are checked."""
        is_full = len(self.chosen) >= MOST_MODELS
        for row in range(self.rows.rowCount()):
            item = self.rows.item(row)
            item.setEnabled(not is_full or item.data(_ID_ROLE) in self.chosen)
        self.compare.setEnabled(_LEAST_MODELS <= len(self.chosen) <= MOST_MODELS)

    @Slot(str)
    def _on_filtered(self, text: str) -> None:
        words = text.casefold().split()
        for row in range(self.rows.rowCount()):
            item = self.rows.item(row)
            haystack = f"{item.text()} {item.data(_ID_ROLE)}".casefold()
            self.view.setRowHidden(row, not all(word in haystack for word in words))

    @Slot(QStandardItem)
    def _on_item_changed(self, item: QStandardItem) -> None:
        model_id, is_on = str(item.data(_ID_ROLE)), item.checkState() == Qt.CheckState.Checked
        if is_on is (model_id in self.chosen):
            return  # the item was only enabled or disabled
        self.chosen = [*self.chosen, model_id] if is_on else [one for one in self.chosen if one != model_id]
        self._refresh()

    @Slot()
    def _on_accepted(self) -> None:
        self.picked.emit(tuple(self.chosen))
        self.accept()


def offer_models(
    models: tuple[ModelInfo, ...], then: Callable[[str], object], place: QPoint | None, window: QWidget
) -> None:
    """Show a menu of models, and pass the id of the selected one to `then`."""
    menu = ModelMenu(window)
    menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    menu.list.show_models(models, "")
    menu.picked.connect(then)
    menu.popup(place or QCursor.pos())


class BranchController(QObject):
    """Handles page actions on versions of messages.

    While an answer is running, the user can switch versions, and the answer continues in its own version
    unseen. Other actions are refused.

    Signals:
        settings_asked: id of the page of the settings that an error refers to.
    """

    settings_asked = Signal(str)

    def __init__(
        self,
        branches: Branches,
        loop: BackgroundLoop,
        *,
        asking: QuestionController,
        catalogue: CatalogueStore,
        library: ConversationListStore,
        notices: NoticeBar,
        sessions: SessionManager,
        titles: ConversationModel,
        window: QWidget,
    ) -> None:
        """Initialize; `titles` names the conversation of a new branch."""
        super().__init__(window)
        self._branches = branches
        self._loop = loop
        self._asking = asking
        self._catalogue = catalogue
        self._library = library
        self._notices = notices
        self._sessions = sessions
        self._titles = titles
        self._window = window

    @property
    def handlers(self) -> Handlers:
        """The handlers of the page actions on versions of messages."""
        return {
            MessageAction.EARLIER: self.show_earlier,
            MessageAction.LATER: self.show_later,
            MessageAction.RETRY_WITH: self.repeat_with,
            MessageAction.DELETE: self.delete,
            MessageAction.DELETE_REST: self.delete_rest,
            MessageAction.BRANCH_OFF: self.branch_off,
            MessageAction.SETTINGS: self.show_settings,
        }

    def show_earlier(self, request: ActionRequest) -> None:
        """Show the previous version of a message."""
        self._turn_shown(request, -1)

    def show_later(self, request: ActionRequest) -> None:
        """Show the next version of a message."""
        self._turn_shown(request, 1)

    def repeat_with(self, request: ActionRequest) -> None:
        """Let the user select another model to answer a question again."""
        if message := self._idle_message(request):
            repeat = partial(self._asking.repeat, message.id)
            offer_models(self._catalogue.models, repeat, request.place, self._window)

    def delete(self, request: ActionRequest) -> None:
        """Delete a message."""
        if message := self._idle_message(request):
            self._delete(message, with_rest=False)

    def delete_rest(self, request: ActionRequest) -> None:
        """Delete a message and all that follow."""
        if message := self._idle_message(request):
            self._delete(message, with_rest=True)

    def branch_off(self, request: ActionRequest) -> None:
        """Begin a conversation with the messages up to this one."""
        if message := self._idle_message(request):
            title = self._titles.title_of(message.conversation_id)
            named = self.tr("{title} (branch)").format(title=title)
            work = partial(self._branches.branch_off, message.conversation_id, message.id, named)
            self._do(work, message, self._on_branched_off)

    def show_settings(self, request: ActionRequest) -> None:
        """Open the page of the settings that the error of an answer refers to."""
        message = self._sessions.shown.get(request.message_id)
        if message is not None and message.settings_page:
            self.settings_asked.emit(message.settings_page.value)

    @Slot()
    def say_busy(self) -> None:
        """Tell the user that an answer is running and the action is not possible."""
        words = self.tr("Wait for the answer to finish, or stop it.")
        self._notices.say(Notice(words, self.tr("Stop"), self._sessions.stop))

    def repeat_last(self) -> None:
        """Repeat the last question."""
        if last := self._sessions.shown.last_message:
            self._asking.repeat(last)

    def turn_last(self, step: int, _checked: bool = False) -> None:
        """Switch the last message that has several versions to another one."""
        if (message := self._sessions.shown.last_with_versions) and not self._sessions.is_beginning:
            self._turn(message, step)

    def _idle_message(self, request: ActionRequest) -> Message | None:
        """Return the message of a request that has to wait for a running answer, unless there is one."""
        message = self._sessions.shown.get(request.message_id)
        if message is not None and self._sessions.is_running:
            self.say_busy()
            return None
        return message

    def _turn_shown(self, request: ActionRequest, step: int) -> None:
        if (message := self._sessions.shown.get(request.message_id)) is None:
            return
        if self._sessions.is_beginning:
            self.say_busy()
        else:
            self._turn(message, step)

    def _turn(self, message: Message, step: int) -> None:
        at = message.variants.index(message.id) + step if message.variants else -1
        if 0 <= at < len(message.variants):
            self._do(partial(self._branches.show, message.variants[at]), message, self._on_turned)

    def _delete(self, message: Message, *, with_rest: bool) -> None:
        work = partial(self._branches.delete, message.id, with_rest=with_rest)
        self._do(work, message, self._on_deleted)

    def _do(self, work: Callable[[], Awaitable[object]], message: Message, then: Callable[..., None]) -> None:
        self._loop.run(self, work, partial(then, message.conversation_id), self._notices.say_failed)

    def _on_turned(self, conversation_id: str, _nothing: object) -> None:
        if self._sessions.current == conversation_id:
            self._sessions.reload()

    def _on_deleted(self, conversation_id: str, gone: tuple[str, ...]) -> None:
        self._on_turned(conversation_id, None)
        words = self.tr("Message deleted") if len(gone) == 1 else self.tr("{count} messages deleted")
        undo = partial(self._restore, conversation_id, gone)
        self._notices.say(undo_notice(words.format(count=len(gone)), undo))

    def _restore(self, conversation_id: str, gone: tuple[str, ...]) -> None:
        self._loop.run(
            self,
            partial(self._branches.restore, gone),
            partial(self._on_turned, conversation_id),
            self._notices.say_failed,
        )

    def _on_branched_off(self, conversation_id: str, info: ConversationInfo) -> None:
        sessions = self._sessions
        self._library.refresh()
        sessions.open(info.id)
        words = self.tr("This is now a separate chat.")
        back = partial(sessions.open, conversation_id)
        self._notices.say(Notice(words, self.tr("Back to the original"), back))


class ComparisonController(QObject):
    """Handles page and composer actions on answers of several models."""

    def __init__(
        self,
        conversations: Conversations,
        turns: Turns,
        loop: BackgroundLoop,
        *,
        asking: QuestionController,
        catalogue: CatalogueStore,
        model: ModelSwitch,
        notices: NoticeBar,
        sessions: SessionManager,
        window: QWidget,
    ) -> None:
        super().__init__(window)
        self._conversations = conversations
        self._turns = turns
        self._loop = loop
        self._asking = asking
        self._catalogue = catalogue
        self._model = model
        self._notices = notices
        self._sessions = sessions
        self._window = window

    @property
    def handlers(self) -> Handlers:
        """The handlers of the page actions on answers of several models."""
        return {
            MessageAction.CHOOSE: self.choose,
            MessageAction.STOP: self.stop,
            MessageAction.SKIP_WAIT: self.skip_wait,
            MessageAction.BESIDE: self.add_answer,
        }

    @Slot()
    def pick(self) -> None:
        """Let the user select the models for the next questions."""
        chosen = (self._model.choice, *self._model.also)
        dialog = ComparisonDialog(self._catalogue.models, chosen, self._window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.picked.connect(self._on_picked)
        self._catalogue.models_listed.connect(dialog.show_models)
        dialog.open()

    def choose(self, request: ActionRequest) -> None:
        """Continue with one of several answers."""
        work = partial(self._conversations.choose, request.message_id)
        self._loop.run(self, work, partial(self._on_chosen, self._sessions.current), self._notices.say_failed)

    def stop(self, request: ActionRequest) -> None:
        """Stop one of several answers."""
        work = partial(self._turns.stop_one, request.message_id)
        self._loop.run(self, work, failed=self._notices.say_failed)

    def skip_wait(self, request: ActionRequest) -> None:
        """Ask a busy model server again at once."""
        work = partial(self._turns.skip_wait, request.message_id)
        self._loop.run(self, work, failed=self._notices.say_failed)

    def add_answer(self, request: ActionRequest) -> None:
        """Let the user select another model to answer the question as well."""
        answer = partial(self._asking.answer_with_models, request.message_id)
        offer_models(self._catalogue.models, answer, request.place, self._window)

    def _on_chosen(self, conversation_id: str, _nothing: object) -> None:
        if self._sessions.current == conversation_id and not self._sessions.is_running:
            self._sessions.reload()

    @Slot(object)
    def _on_picked(self, models: tuple[str, ...]) -> None:
        self._model.compare(models)
