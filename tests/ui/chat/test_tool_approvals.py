"""Tools ask the user: shown whole, answered by mouse or keyboard, wherever they wait."""

import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget

from desktop.chat.api.engine import Question
from desktop.domain.events import ToolAsks
from desktop.domain.models import ToolCall
from desktop.domain.tools import Consent, tool_key
from desktop.settings.mcp_servers import with_consent
from desktop.ui.chat.session_manager import NEW, SessionManager
from desktop.ui.chat.tool_approvals import ApprovalBar, ApprovalRequest, ToolApprovals
from desktop.ui.sidebar.conversation_model import ConversationModel, WaitingRole
from desktop.ui.stores.settings_store import SettingsStore
from tests.ui.fakes.scripts import record_calls


def call(id_, tool="files__delete", **arguments):
    return ToolCall(id_, tool, json.dumps(arguments))


@pytest.fixture
def decided(engine):
    """Return the decisions that the turns got, in their order."""
    return record_calls(engine.turns, "decide")


class Window:
    """The parts of a window that have to do with questions."""

    def __init__(self, engine, loop):
        self.store = SettingsStore(engine.preferences, loop)
        self.sessions = SessionManager(engine.port, loop)
        self.consents = ToolApprovals(engine.turns, self.store, loop, self.sessions)
        for signal, slot in (
            (self.sessions.current_changed, self.consents.show),
            (self.sessions.started, self.consents.show),
            (self.sessions.tool_asked, self.consents.ask),
            (self.sessions.all_running_changed, self.consents.keep_running),
        ):
            signal.connect(slot)
        self.bar = ApprovalBar()
        self.waiting = frozenset()
        self.consents.changed.connect(self.bar.show_questions)
        self.consents.waiting_changed.connect(self._on_waiting)
        self.bar.answered.connect(self.consents.answer)

    def _on_waiting(self, ids):
        self.waiting = ids

    def ask(self, qtbot, text="Delete it"):
        self.sessions.ask(Question(text, "", "openai/gpt-5"))
        qtbot.wait_until(lambda: self.bar.question is not None)
        self.wait_until_it_takes_answers(qtbot)

    def wait_until_it_takes_answers(self, qtbot):
        qtbot.wait_until(self.bar.buttons[Consent.ONCE].isEnabled)


@pytest.fixture
def window(engine, loop, qtbot):
    made = Window(engine, loop)
    qtbot.add_widget(made.bar)
    yield made
    made.sessions.stop_all()
    qtbot.wait_until(lambda: not made.sessions.is_running)
    for part in (made.sessions, made.store):
        part.deleteLater()


def over(window, qtbot):
    qtbot.wait_until(lambda: not window.sessions.is_running)


def test_the_person_sees_all_that_a_tool_would_be_given(window, engine, decided, qtbot):
    engine.models.calls = (call("1", path="<b>/home</b>", text="line\n" * 400, turned="\u202egpj.exe"),)
    window.ask(qtbot)
    bar = window.bar
    assert not bar.isHidden()
    assert bar.title.text() == "Allow “files__delete” from “Files” to run?"
    shown = bar.arguments.toPlainText()
    assert '"path": "<b>/home</b>"' in shown
    assert shown.count("line") == 400
    assert "\\u202egpj.exe" in shown
    assert bar.title.textFormat() is Qt.TextFormat.PlainText
    bar.buttons[Consent.ONCE].click()
    over(window, qtbot)
    assert [consent for _, consent in decided] == [Consent.ONCE]
    assert bar.isHidden()
    assert window.store.settings.chat.tool_consents == ()


@pytest.mark.parametrize("consent", [Consent.ALWAYS, Consent.NEVER])
def test_an_answer_for_always_is_kept_and_answers_the_same_tool_beside(
    window, engine, decided, qtbot, consent
):
    engine.models.calls = (call("1", path="a"), call("2", path="b"))
    window.ask(qtbot)
    qtbot.wait_until(lambda: window.bar.count.text() == "and 1 more")
    window.bar.buttons[consent].click()
    over(window, qtbot)
    assert [given for _, given in decided] == [consent]
    kept = {tool_key("Files", "files__delete"): consent}
    qtbot.wait_until(lambda: dict(engine.preferences.settings.chat.tool_consents) == kept)
    assert with_consent(window.store.settings, *kept, None).chat.tool_consents == ()


def test_several_questions_are_asked_one_after_the_other_and_a_double_click_answers_one(
    window, engine, decided, qtbot
):
    engine.models.calls = (call("1", path="a"), call("2", tool="files__read", path="b"))
    window.ask(qtbot)
    qtbot.wait_until(lambda: window.bar.count.text() == "and 1 more")
    asked_for = {window.bar.question.asks.call.name}  # calls run side by side: either may ask first
    button = window.bar.buttons[Consent.NO]
    button.click()
    assert not button.isEnabled()
    button.click()
    asked_for.add(window.bar.question.asks.call.name)
    assert asked_for == {"files__delete", "files__read"}
    assert window.bar.question.asks.call.name in window.bar.title.text()
    window.wait_until_it_takes_answers(qtbot)
    button.click()
    over(window, qtbot)
    assert [consent for _, consent in decided] == [Consent.NO, Consent.NO]
    assert len({question for question, _ in decided}) == 2


def test_the_keyboard_answers_as_well(window, engine, decided, qtbot):
    engine.models.calls = (call("1"),)
    window.bar.show()
    window.ask(qtbot)
    window.bar.focus()
    qtbot.keyClick(window.bar.buttons[Consent.ONCE], Qt.Key.Key_Return)
    over(window, qtbot)
    assert [consent for _, consent in decided] == [Consent.ONCE]


def test_the_keyboard_stays_with_the_questions_and_answers_none_unread(qtbot):
    window = QWidget()
    qtbot.add_widget(window)
    bar = ApprovalBar(window)
    QLineEdit(window)
    first, second = (ApprovalRequest("c", ToolAsks(id_, call(id_), "Files")) for id_ in "12")
    with qtbot.wait_exposed(window):
        window.show()
    bar.show_questions((first, second))
    bar.focus()
    assert window.focusWidget() is bar.arguments
    qtbot.wait_until(bar.buttons[Consent.NO].isEnabled)
    bar.focus()
    assert window.focusWidget() is bar.buttons[Consent.ONCE]
    bar.show_questions((second,))
    assert window.focusWidget() is bar.arguments


def test_a_conversation_in_the_background_keeps_its_question(window, engine, qtbot):
    engine.models.calls = (call("1"),)
    window.ask(qtbot)
    waiting = window.sessions.current
    assert window.waiting == {waiting}
    window.sessions.open(NEW)
    assert window.bar.isHidden()
    assert window.waiting == {waiting}
    window.sessions.open(waiting)
    qtbot.wait_until(lambda: window.bar.question is not None)
    window.wait_until_it_takes_answers(qtbot)
    window.bar.buttons[Consent.ONCE].click()
    window.sessions.open(NEW)
    window.sessions.open(waiting)  # what the turn told before is told again, and asks nothing again
    assert window.bar.question is None
    assert window.waiting == frozenset()
    over(window, qtbot)


def test_stop_takes_the_question_back(window, engine, decided, qtbot):
    engine.models.calls = (call("1"),)
    window.ask(qtbot)
    window.sessions.stop()
    qtbot.wait_until(window.bar.isHidden)
    assert window.waiting == frozenset()
    assert decided == []


def test_the_list_says_who_waits(engine, qtbot):
    waiting = engine.put("Tides", texts=("a", "b"))
    model = ConversationModel()
    model.show(engine.loop.call(engine.conversations.recent()))
    model.set_waiting(frozenset({waiting}))
    index = model.row_of(waiting)
    assert index.data(WaitingRole)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "Tides, waiting for you"
    model.set_waiting(frozenset())
    assert not index.data(WaitingRole)
    assert index.data(Qt.ItemDataRole.AccessibleTextRole) == "Tides"


def test_a_search_that_would_tell_what_is_remembered_says_so(window):
    window.consents.ask("", ToolAsks("1", ToolCall("a", "web_search", '{"queries": ["hotels Oslo"]}')))
    assert "mentions something from your memories or files" in window.bar.title.text()
    assert "hotels Oslo" in window.bar.arguments.toPlainText()


@pytest.mark.parametrize(("consent", "is_left"), [(Consent.ALWAYS, True), (Consent.NEVER, False)])
def test_a_call_that_insists_is_not_answered_by_what_was_said_of_another_for_always(
    window, qtbot, consent, is_left
):
    own = ToolAsks("1", ToolCall("a", "remember", '{"fact": "I live in Oslo."}'))
    foreign = ToolAsks("2", ToolCall("b", "remember", '{"fact": "Pay account 4711."}'), insists=True)
    window.consents.ask("", own)
    window.consents.ask("", foreign)
    assert window.bar.title.text() == "Save this to memory? A model suggested it."
    assert window.bar.arguments.toPlainText() == "I live in Oslo."
    window.wait_until_it_takes_answers(qtbot)
    window.bar.buttons[consent].click()
    left = window.bar.question
    assert (left is not None and left.asks == foreign) is is_left
