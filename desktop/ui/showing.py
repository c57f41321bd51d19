"""What the page and the composer show of the open conversation."""

from dataclasses import replace
from itertools import pairwise

from PySide6.QtCore import QObject, Slot
from PySide6.QtWidgets import QWidget

from desktop.domain.messages import Conversation, Message
from desktop.domain.sources import Source
from desktop.ui.conversation_desk import NEW
from desktop.ui.core import Core
from desktop.ui.model_aids import ModelAids


class Showing(QObject):
    """Takes what is asked and answered to the page, and the page's wishes to whoever answers."""

    def __init__(self, core: Core) -> None:
        super().__init__(core)
        self._core = core
        self._aids = ModelAids(core.composer, core.store, core.catalogue)
        desk, stage, composer, asking = core.desk, core.stage, core.composer, core.asking
        for signal, slot in (
            (desk.current_changed, self._on_current_changed),
            (desk.started, composer.move_draft),
            (desk.opened, self._on_opened),
            (desk.event_arrived, stage.apply),
            (desk.event_arrived, self._aids.watch),
            (desk.running_changed, self._on_running_changed),
            (core.assistants.changed, stage.set_assistant),
            (stage.behind_changed, desk.hold),
            (stage.action_requested, asking.act),
            (stage.research_steered, asking.change_outline),
            (composer.stop_asked, desk.stop),
            (asking.asked, self._on_asked),
            (core.furnished, self._on_furnished),
        ):
            signal.connect(slot)
        core.actions.connect(
            {"stop": desk.stop, "focus_composer": composer.text.setFocus, "find": stage.find_words}
        )
        core.actions["stop"].setEnabled(False)

    @Slot(str)
    def _on_current_changed(self, conversation_id: str) -> None:
        self._core.composer.open_draft(conversation_id)
        if conversation_id == NEW:
            self._show_messages((), ())

    @Slot(object)
    def _on_opened(self, conversation: Conversation) -> None:
        self._show_messages(conversation.messages, conversation.sources)

    def _show_messages(self, messages: tuple[Message, ...], sources: tuple[Source, ...]) -> None:
        self._core.asking.show_messages(messages)
        self._aids.show_messages(messages)
        self._core.stage.show_messages(messages, sources)

    @Slot(bool)
    def _on_running_changed(self, is_running: bool) -> None:
        self._core.composer.set_running(is_running)
        self._core.actions["stop"].setEnabled(is_running)

    @Slot()
    def _on_asked(self) -> None:
        store = self._core.store
        self._core.notices.dismiss()
        self._core.stage.end_welcome()
        store.apply(replace(store.settings, was_welcomed=True))

    @Slot()
    def _on_furnished(self) -> None:
        if self._core.stage.page is not None:
            self._core.stage.page.ready.connect(self._order_tabs)

    @Slot()
    def _order_tabs(self) -> None:
        """Put the page before the composer, as the eye has it: it was made last and would come last."""
        core = self._core
        if core.stage.page is not None:
            order = (core.header.toggle, *core.stage.page.tab_stops, core.composer.text)
            for before, after in pairwise(order):
                QWidget.setTabOrder(before, after)
