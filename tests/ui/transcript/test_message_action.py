"""The handlers of actions on messages: exactly one for each action, and none is an error."""

import pytest
from PySide6.QtCore import SIGNAL

from desktop.render.page.article import MENUS
from desktop.ui.actions import ACTIONS as ACTION_SPECS
from desktop.ui.transcript.message_action import ActionHandlers, ActionRequest, MessageAction
from desktop.ui.transcript.page_channel import ACTIONS


def test_an_action_without_a_handler_is_an_error():
    handlers = ActionHandlers()
    handled = []
    handlers.add({MessageAction.COPY: handled.append})
    request = ActionRequest("a1", MessageAction.COPY)
    handlers.handle(request)
    assert handled == [request]
    with pytest.raises(LookupError, match="edit"):
        handlers.handle(ActionRequest("a1", MessageAction.EDIT))


def test_an_action_with_two_handlers_is_an_error():
    handlers = ActionHandlers()
    handlers.add({MessageAction.COPY: print})
    with pytest.raises(ValueError, match="copy"):
        handlers.add({MessageAction.COPY: print, MessageAction.EDIT: print})
    assert MessageAction.EDIT in handlers.missing


def test_what_the_page_can_ask_for_is_an_action():
    assert {*ACTIONS, *MENUS} - {"more"} <= set(MessageAction)


def test_the_window_handles_every_action_on_a_message_and_every_action_of_its_own(window):
    assert window.handlers.missing == frozenset()
    idle = [
        spec.id for spec in ACTION_SPECS if not window.shortcuts[spec.id].receivers(SIGNAL("triggered(bool)"))
    ]
    assert idle == []
