"""Versions of messages: show, delete, branch into a conversation, and compare answers of several models."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, Slot
from PySide6.QtGui import QCursor

from desktop.domain.messages import ConversationInfo, Message
from desktop.ui.context.window_context import WindowContext
from desktop.ui.dialogs.comparison_dialog import ComparisonDialog
from desktop.ui.widgets.model_menu import ModelMenu
from desktop.ui.widgets.notice_bar import Notice

if TYPE_CHECKING:
    from desktop.ui.transcript.page_bridge import MessageAction

_STEPS = {"earlier": -1, "later": 1}


class BranchController(QObject):
    """Handles page actions on versions of messages.

    While an answer is running, the user can switch versions, and the answer continues in its own version
    unseen. Other actions are refused.
    """

    def __init__(self, core: WindowContext) -> None:
        super().__init__(core)
        self._core = core
        self._branches = core.engine.branches
        core.transcripts.action_requested.connect(self.act)
        core.asking.found_busy.connect(self.say_busy)
        core.actions.connect(
            {
                "retry": self.repeat_last,
                "earlier": partial(self.turn_last, -1),
                "later": partial(self.turn_last, 1),
            }
        )

    @Slot(object)
    def act(self, action: "MessageAction") -> None:
        """Handle an action on a message."""
        message = self._core.asking.message(action.message_id)
        handler = None if message is None else self._handler(action, message)
        if handler is None:
            return
        if self._is_too_early(action.action):
            self.say_busy()
        else:
            handler()

    @Slot()
    def say_busy(self) -> None:
        """Tell the user that an answer is running and the action is not possible."""
        words = self.tr("An answer is on its way here. Wait for it, or stop it first.")
        self._core.notices.say(Notice(words, self.tr("Stop"), self._core.sessions.stop))

    def repeat_last(self) -> None:
        """Repeat the last question."""
        if last := self._core.asking.last_message:
            self._core.asking.repeat(last)

    def turn_last(self, step: int, _checked: bool = False) -> None:
        """Switch the last message that has several versions to another one."""
        if (message := self._core.asking.last_turning) and not self._core.sessions.is_beginning:
            self._turn(message, step)

    def _is_too_early(self, action: str) -> bool:
        sessions = self._core.sessions
        return sessions.is_beginning if action in _STEPS else sessions.is_running and action != "settings"

    def _handler(self, action: "MessageAction", message: Message) -> Callable[[], None] | None:
        match action.action:
            case "earlier" | "later" as way:
                return partial(self._turn, message, _STEPS[way])
            case "retry_with":
                return partial(self._offer_models, message.id, action.place)
            case "delete" | "delete_rest" as deletion:
                return partial(self._delete, message.id, with_rest=deletion == "delete_rest")
            case "branch_off":
                return partial(self._branch_off, message)
            case "settings" if message.settings_page:
                return self._core.opener.to_settings(message.settings_page.value)
        return None

    def _turn(self, message: Message, step: int) -> None:
        at = message.variants.index(message.id) + step if message.variants else -1
        if 0 <= at < len(message.variants):
            self._do(partial(self._branches.show, message.variants[at]), message, self._on_turned)

    def _offer_models(self, message_id: str, place: QPoint | None) -> None:
        menu = ModelMenu(self._core.window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.list.show_models(self._core.catalogue.models, "")
        menu.picked.connect(partial(self._core.asking.repeat, message_id))
        menu.popup(place or QCursor.pos())

    def _delete(self, message_id: str, *, with_rest: bool) -> None:
        if message := self._core.asking.message(message_id):
            work = partial(self._branches.delete, message_id, with_rest=with_rest)
            self._do(work, message, self._on_deleted)

    def _branch_off(self, message: Message) -> None:
        title = self._core.sidebar.model.title_of(message.conversation_id)
        named = self.tr("{title} (branch)").format(title=title)
        work = partial(self._branches.branch_off, message.conversation_id, message.id, named)
        self._do(work, message, self._on_branched_off)

    def _do(self, work: Callable[[], Awaitable[object]], message: Message, then: Callable[..., None]) -> None:
        self._core.loop.run(self, work, partial(then, message.conversation_id), self._core.notices.say_failed)

    def _on_turned(self, conversation_id: str, _nothing: object) -> None:
        if self._core.sessions.current == conversation_id:
            self._core.sessions.reload()

    def _on_deleted(self, conversation_id: str, gone: tuple[str, ...]) -> None:
        self._on_turned(conversation_id, None)
        words = self.tr("Message deleted") if len(gone) == 1 else self.tr("{count} messages deleted")
        undo = partial(self._restore, conversation_id, gone)
        notice = Notice(words.format(count=len(gone)), self.tr("Undo"), undo, is_undo=True)
        self._core.notices.say(notice)

    def _restore(self, conversation_id: str, gone: tuple[str, ...]) -> None:
        self._core.loop.run(
            self,
            partial(self._branches.restore, gone),
            partial(self._on_turned, conversation_id),
            self._core.notices.say_failed,
        )

    def _on_branched_off(self, conversation_id: str, info: ConversationInfo) -> None:
        sessions = self._core.sessions
        self._core.library.refresh()
        sessions.open(info.id)
        words = self.tr("This is a conversation of its own from here on.")
        back = partial(sessions.open, conversation_id)
        self._core.notices.say(Notice(words, self.tr("Back to the other one"), back))


class ComparisonController(QObject):
    """Handles page and composer actions on answers of several models."""

    def __init__(self, core: WindowContext) -> None:
        super().__init__(core)
        self._core = core
        core.composer.model.compare_asked.connect(self.pick)
        core.transcripts.action_requested.connect(self.act)
        core.actions.connect({"compare": self.pick})

    @Slot()
    def pick(self) -> None:
        """Let the user select the models for the next questions."""
        model = self._core.composer.model
        dialog = ComparisonDialog(self._core.catalogue.models, (model.choice, *model.also), self._core.window)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.picked.connect(self._on_picked)
        self._core.catalogue.models_listed.connect(dialog.show_models)
        dialog.open()

    @Slot(object)
    def act(self, action: "MessageAction") -> None:
        """Handle an action on an answer."""
        match action.action:
            case "choose":
                self._do(partial(self._core.engine.conversations.choose, action.message_id), reopens=True)
            case "stop":
                self._do(partial(self._core.engine.turns.stop_one, action.message_id), reopens=False)
            case "skip_wait":
                self._do(partial(self._core.engine.turns.skip_wait, action.message_id), reopens=False)
            case "beside":
                self._offer_models(action.message_id, action.place)

    def _do(self, work: Callable[[], Awaitable[object]], *, reopens: bool) -> None:
        then = partial(self._on_chosen, self._core.sessions.current) if reopens else None
        self._core.loop.run(self, work, then, self._core.notices.say_failed)

    def _offer_models(self, message_id: str, place: QPoint | None) -> None:
        menu = ModelMenu(self._core.window)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.list.show_models(self._core.catalogue.models, "")
        menu.picked.connect(partial(self._core.asking.answer_with_models, message_id))
        menu.popup(place or QCursor.pos())

    def _on_chosen(self, conversation_id: str, _nothing: object) -> None:
        if self._core.sessions.current == conversation_id and not self._core.sessions.is_running:
            self._core.sessions.reload()

    @Slot(object)
    def _on_picked(self, models: tuple[str, ...]) -> None:
        self._core.composer.model.compare(models)
