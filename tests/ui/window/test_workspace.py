"""The contents of the main window: its parts, what it keeps for the next start, and reduced motion."""

from dataclasses import replace
from datetime import timedelta
from unittest.mock import patch

import pytest
from PySide6.QtCore import QItemSelectionModel, QPoint, Qt
from PySide6.QtWidgets import QDialog, QWidget

from desktop.domain.knowledge import BaseInfo
from desktop.domain.messages import AnswerCost, MessageStatus
from desktop.domain.models import QUOTES_MODEL, UsageReported
from desktop.domain.sources import SourceKind
from desktop.domain.trace import SourceTrace, Trace
from desktop.errors import StorageFull
from desktop.errors.servers import AuthFailed
from desktop.ui.chat.session_manager import NEW
from desktop.ui.dialogs.inspector_dialog import InspectorView
from desktop.ui.dialogs.inspector_rows import TraceModel
from desktop.ui.sidebar.conversation_model import HeadingRole
from desktop.ui.transcript.message_action import ActionRequest, MessageAction
from desktop.ui.window.main_window import WindowPlace
from desktop.ui.window.notices import LARGE_BASE
from tests.cases import cases
from tests.dragging import dragged_files, dragged_over
from tests.ui.fakes.scripts import script_result
from tests.ui.fakes.services import OLLAMA
from tests.ui.fakes.turns import SOURCE, WORDS
from tests.ui.on_page import script, shown, wait_for_text


def titles(window) -> list[str]:
    model = window.sidebar.model
    rows = [model.index(row) for row in range(model.rowCount())]
    return [index.data() for index in rows if not index.data(HeadingRole)]


def ask(window, qtbot, text: str) -> None:
    window.composer.text.setFocus()
    qtbot.keyClicks(window.composer.text, text)
    qtbot.keyClick(window.composer.text, Qt.Key.Key_Return)


def test_a_question_is_answered_on_the_page_and_stands_in_the_list(window, qtbot):
    ask(window, qtbot, "How do tides work?")
    assert window.composer.draft.text == ""
    qtbot.wait_until(lambda: titles(window) == ["How do tides work?"])
    wait_for_text(window, qtbot, "Tides follow the moon")
    assert window.windowTitle() == "How do tides work? – Footnote"
    assert window.sidebar.view.currentIndex().data() == "How do tides work?"


def test_stop_by_escape_and_continue_from_the_page(window, engine, loop, qtbot):
    engine.models.is_gated = True
    ask(window, qtbot, "How do tides work?")
    loop.call(engine.models.allow(2))
    wait_for_text(window, qtbot, "Tides follow")
    assert window.composer.send.accessibleName() == "Stop"
    qtbot.keyClick(window.composer.text, Qt.Key.Key_Escape)
    qtbot.wait_until(lambda: not window.sessions.is_running)
    messages = engine.load(window.sessions.current).messages
    assert messages[-1].status is MessageStatus.STOPPED
    assert window.composer.send.accessibleName() == "Send"
    engine.models.is_gated = False
    window.transcripts.action_requested.emit(ActionRequest(messages[-1].id, MessageAction.CONTINUE))
    wait_for_text(window, qtbot, "Tides follow Tides follow the moon")


def test_switching_while_an_answer_streams(window, engine, loop, qtbot):
    other = engine.put("Other", timedelta(days=1), ("Old question", "Old answer"))
    window.library.refresh()
    engine.models.is_gated = True
    ask(window, qtbot, "How do tides work?")
    loop.call(engine.models.allow(1))
    wait_for_text(window, qtbot, "Tides")
    running = window.sessions.current
    window.sessions.open(other)
    wait_for_text(window, qtbot, "Old answer")
    assert "Tides" not in shown(window, qtbot)
    assert window.composer.send.accessibleName() == "Send"
    loop.call(engine.models.allow(10))
    qtbot.wait_until(lambda: engine.load(running).messages[-1].status is MessageStatus.COMPLETE)
    window.sessions.open(running)
    wait_for_text(window, qtbot, "Tides follow the moon")


def test_delete_can_be_undone(window, engine, qtbot):
    engine.put("Tides", texts=("Q", "A"))
    window.library.refresh()
    qtbot.wait_until(lambda: titles(window) == ["Tides"])
    window.sessions.open("c1")
    with qtbot.waitActive(window):
        window.activateWindow()
    window.sidebar.view.setFocus()
    qtbot.wait_until(window.sidebar.view.hasFocus)
    qtbot.keyClick(window.sidebar.view, Qt.Key.Key_Delete)
    qtbot.wait_until(lambda: titles(window) == [])
    assert window.sessions.current == NEW
    qtbot.wait_until(lambda: window.notices.text == "Deleted")
    window.notices.action.click()
    qtbot.wait_until(lambda: titles(window) == ["Tides"])
    assert not window.notices.isVisible()


def test_rename_reaches_list_and_title(window, engine, qtbot):
    engine.put("Tides", texts=("Q", "A"))
    window.library.refresh()
    window.sessions.open("c1")
    window.sidebar.model.renamed.emit("c1", "Moon")
    qtbot.wait_until(lambda: titles(window) == ["Moon"])
    assert window.windowTitle() == "Moon – Footnote"


def test_an_error_is_said_and_the_question_is_not_lost(window, engine, qtbot):
    with patch.object(engine.conversations, "add_messages", side_effect=StorageFull(detail="")):
        ask(window, qtbot, "How do tides work?")
        qtbot.wait_until(lambda: "full" in window.notices.text)
    assert window.composer.draft.text == "How do tides work?"


def test_what_is_picked_in_the_composer_is_what_is_asked_and_kept(window, engine, qtbot):
    base = engine.worker.put("Papers")
    with qtbot.wait_signal(window.knowledge_store.bases_listed):
        window.knowledge_store.refresh()
    window.composer.web.picked.emit("bing")
    window.composer.bases.picked.emit((base.id,))
    window.composer.model.picked.emit("openai/gpt-5")
    ask(window, qtbot, "Hello")
    qtbot.wait_until(lambda: len(engine.turns.questions) == 1)
    question = engine.turns.questions[0]
    assert (question.web, question.bases, question.model) == ("bing", (base.id,), "openai/gpt-5")
    qtbot.wait_until(lambda: engine.preferences.settings.chat.model == "openai/gpt-5")
    assert engine.preferences.settings.search.choice == "bing"
    assert engine.preferences.settings.knowledge.base_ids == (base.id,)


def test_actions_of_the_page_ask_again_and_edit(window, engine, qtbot):
    window.transcripts.action_requested.emit(ActionRequest("", MessageAction.EXAMPLE, "What is a tide?"))
    qtbot.wait_until(lambda: window.sessions.current != NEW and not window.sessions.is_running)
    asked, answer = window.sessions.shown.messages
    window.transcripts.action_requested.emit(ActionRequest(answer.id, MessageAction.RETRY))
    qtbot.wait_until(lambda: len(engine.turns.questions) == 2 and not window.sessions.is_running)
    assert [question.text for question in engine.turns.questions] == ["What is a tide?"] * 2
    assert [question.repeats for question in engine.turns.questions] == ["", asked.id]
    window.transcripts.action_requested.emit(ActionRequest(asked.id, MessageAction.EDIT))
    assert window.composer.draft.text == "What is a tide?"


def inspector_of(window, qtbot) -> InspectorView:
    def shown() -> list[InspectorView]:
        return [found for found in window.findChildren(InspectorView) if found.isVisible()]

    qtbot.wait_until(lambda: len(shown()) == 1)
    return shown()[0]


def test_the_way_to_an_answers_sources_leads_to_another_answer(window, engine, loop, qtbot):
    window.sessions.open(engine.put("Old", texts=("Q", "A")))
    qtbot.wait_until(lambda: bool(window.sessions.shown.messages))
    window.transcripts.action_requested.emit(ActionRequest("c1-m1", MessageAction.DETAILS))
    qtbot.wait_until(lambda: "No search details" in window.notices.text)
    window.start_new()
    ask(window, qtbot, "What is a tide?")
    qtbot.wait_until(lambda: bool(engine.turns.questions) and not window.sessions.is_running)
    answer = window.sessions.shown.last_answer
    source = SourceTrace(SourceKind.WEB, SOURCE.key, "Tides", SOURCE.url, number=1, tokens=9, total_tokens=9)
    loop.call(engine.conversations.save_trace(answer, Trace(("tide",), sources=(source,))))
    window.transcripts.action_requested.emit(ActionRequest(answer, MessageAction.DETAILS))
    inspector = inspector_of(window, qtbot)
    inspector.tree.selectionModel().select(
        inspector.model.index(0, 0, inspector.model.index(0, 0)),
        QItemSelectionModel.SelectionFlag.Select | QItemSelectionModel.SelectionFlag.Rows,
    )
    inspector.pin.click()
    qtbot.wait_until(lambda: inspector.pin.text() == "Unpin")
    assert engine.load(window.sessions.current).pinned == (1,)
    inspector.leave_out.click()
    qtbot.wait_until(lambda: len(engine.turns.questions) == 2 and not window.sessions.is_running)
    again = engine.turns.questions[1]
    assert (again.text, again.queries, again.without) == ("What is a tide?", ("tide",), (SOURCE.key,))
    qtbot.wait_until(lambda: not window.findChildren(InspectorView))


def test_the_last_answer_is_inspected_by_shortcut(window, engine, loop, qtbot):
    window.shortcuts["inspect"].trigger()  # nothing to inspect, and nothing happens
    ask(window, qtbot, "What is a tide?")
    qtbot.wait_until(lambda: bool(engine.turns.questions) and not window.sessions.is_running)
    loop.call(engine.conversations.save_trace(window.sessions.shown.last_answer, Trace(("tide",))))
    spent = AnswerCost(1.0, cost=0.5, currency="USD", input_cost=0.2)
    engine.change(window.sessions.current, 1, usage=UsageReported(1_000, 50), spent=spent)
    window.shortcuts["inspect"].trigger()
    inspector = inspector_of(window, qtbot)
    assert inspector.queries.queries == ("tide",)
    assert not inspector.tree.isColumnHidden(TraceModel.COST)


def test_keyboard_goes_through_conversations_and_to_a_new_one(window, engine, qtbot):
    for number in range(3):
        engine.put(f"Title {number}", timedelta(minutes=number), ("Q", "A"))
    window.library.refresh()
    qtbot.wait_until(lambda: len(titles(window)) == 3)
    window.shortcuts["next"].trigger()
    assert window.sessions.current == "c1"
    window.shortcuts["next"].trigger()
    assert window.sessions.current == "c2"
    window.shortcuts["previous"].trigger()
    assert window.sessions.current == "c1"
    window.shortcuts["new_chat"].trigger()
    assert window.sessions.current == NEW
    window.shortcuts["sidebar"].trigger()
    assert not window.sidebar.isVisible()
    window.shortcuts["filter"].trigger()
    assert window.sidebar.isVisible()


@cases("action", ["settings", "knowledge"])
def test_dialogs_open_by_shortcut_without_blocking(action, window, qtbot):
    window.shortcuts[action].trigger()
    dialogs = [dialog for dialog in window.findChildren(QDialog) if dialog.isVisible()]
    assert len(dialogs) == 1
    dialogs[0].close()


def test_files_dragged_over_the_window_meet_the_drop_zone(window, tmp_path, qtbot):
    path = tmp_path / "a.md"
    path.write_text("x")
    view = next(
        child for child in window.transcripts.page.findChildren(QWidget) if "View" in type(child).__name__
    )
    assert not view.acceptDrops()
    with dragged_over(window, QPoint(500, 200), dragged_files(path)) as is_taken:
        assert is_taken
        assert window.drop_zone.isVisible()
    window.drop_zone.attached.emit((path,))
    assert window.composer.draft.files == (path,)


def test_files_for_a_base_are_added_with_progress(window, engine, tmp_path, qtbot):
    base = engine.worker.put("Papers")
    with qtbot.wait_signal(window.knowledge_store.bases_listed):
        window.knowledge_store.refresh()
    path = tmp_path / "a.md"
    path.write_text("The moon pulls the sea.")
    window.knowledge_store.add(base, (path,))
    assert window.jobs.isVisible()
    qtbot.wait_until(lambda: window.jobs.texts == ("1 item added to “Papers”\n",))


def test_the_interface_speaks_chinese_at_once(window, engine, qtbot):
    settings = window.store.settings
    window.store.apply(replace(settings, window=replace(settings.window, language="zh_CN")))
    qtbot.wait_until(lambda: window.composer.text.placeholderText().startswith("想问什么？"))
    qtbot.wait_until(lambda: window.sidebar.filter.placeholderText() == "搜索对话")
    assert window.shortcuts["settings"].text() == "设置"
    script_result(engine.models, "pick", AuthFailed(provider="OpenAI", detail=""))
    ask(window, qtbot, "Tides?")
    wait_for_text(window, qtbot, "API 密钥")


def test_the_first_start_offers_three_ways_and_quotes_begins_at_once(engine, open_window, qtbot):
    engine.preferences.settings = replace(engine.preferences.settings, was_welcomed=False)
    window = open_window()
    welcome = window.transcripts.first_start
    assert window.transcripts.currentWidget() is welcome
    welcome.quotes.begin.setFocus()
    welcome.quotes.begin.click()
    assert window.transcripts.currentWidget() is window.transcripts.page
    assert window.focusWidget() is window.composer.text
    assert window.store.settings.was_welcomed
    assert window.store.settings.chat.model == QUOTES_MODEL


def test_a_key_that_cannot_be_kept_is_said_once(engine, open_window, qtbot):
    window = open_window()
    window.store.keep_secrets([("provider/openai", "good")])
    qtbot.wait_until(lambda: bool(engine.preferences.secrets))
    assert not window.notices.text
    engine.preferences.keyring_problem = "This system offers no keyring."
    window.store.keep_secrets([("provider/openai", "better")])
    qtbot.wait_until(lambda: "won’t be saved" in window.notices.text)
    window.notices.dismiss()
    with qtbot.wait_signal(window.store.secrets_kept):
        window.store.keep_secrets([("provider/openai", "best")])
    assert not window.notices.text


def test_rerankers_are_offered_once_when_a_base_is_large(engine, open_window, qtbot):
    window = open_window()
    listed = window.knowledge_store.bases_listed
    listed.emit((BaseInfo("b", "Papers", passages=LARGE_BASE),))
    assert not window.notices.text
    listed.emit((BaseInfo("b", "Papers", passages=LARGE_BASE + 1),))
    qtbot.wait_until(lambda: "“Papers” has 1,001 passages" in window.notices.text)
    assert "BGE Reranker v2 M3 (2.3 GB, Apache 2.0)" in window.notices.text
    assert "hasn’t measured" in window.notices.text
    qtbot.wait_until(lambda: engine.preferences.settings.knowledge.was_reranker_offered)
    window.notices.dismiss()
    listed.emit((BaseInfo("c", "Letters", passages=2 * LARGE_BASE),))
    assert not window.notices.text


def test_the_first_start_with_a_local_server_that_is_started_late(engine, open_window, qtbot):
    engine.preferences.settings = replace(engine.preferences.settings, was_welcomed=False)
    window = open_window()
    card = window.transcripts.first_start.local
    assert not card.use.isVisible()  # nothing has been found yet
    qtbot.wait_until(card.again.isVisible)
    assert not card.use.isVisible()
    script_result(engine.preferences, "local_providers", (OLLAMA,))
    card.again.click()
    qtbot.wait_until(card.use.isVisible)
    assert card.use.text() == "Use small on this computer"
    card.use.click()
    assert window.store.settings.chat.model == "ollama/small"
    assert window.store.settings.providers == (OLLAMA,)


def test_a_question_ends_the_first_start(engine, open_window, qtbot):
    engine.preferences.settings = replace(engine.preferences.settings, was_welcomed=False)
    window = open_window()
    ask(window, qtbot, "How do tides work?")
    wait_for_text(window, qtbot, "".join(WORDS[:4]).strip())
    assert window.transcripts.first_start is None
    qtbot.wait_until(lambda: engine.preferences.settings.was_welcomed)


def test_cancel_all_stops_what_runs(window, engine, qtbot):
    engine.models.is_gated = True
    ask(window, qtbot, "How do tides work?")
    qtbot.wait_until(lambda: window.sessions.is_running and len(engine.turns.questions) == 1)
    window.cancel_all()
    qtbot.wait_until(lambda: not window.sessions.is_running)


def test_what_is_wrong_with_the_disk_is_said(engine, open_window, qtbot):
    engine.conversations.tell(StorageFull(detail=""))
    window = open_window()
    qtbot.wait_until(lambda: "The disk is full" in window.notices.text)


def test_a_missing_browser_is_said_at_once_with_the_cure(engine, open_window, qtbot):
    script_result(engine.browser, "problem", "No Chromium, Chrome or Edge was found.")
    window = open_window()
    qtbot.wait_until(lambda: "Web search needs a browser" in window.notices.text)
    window.notices.action.click()
    qtbot.wait_until(lambda: bool(window.findChildren(QDialog)))
    window.findChildren(QDialog)[0].close()


def test_an_example_can_be_looked_at_before_anything_is_chosen(engine, open_window, loop, qtbot):
    engine.preferences.settings = replace(engine.preferences.settings, was_welcomed=False)
    window = open_window()
    welcome = window.transcripts.first_start
    welcome.sample.example.click()
    wait_for_text(window, qtbot, "the passage that the sentence before it rests on")
    assert window.transcripts.currentWidget() is window.transcripts.page
    window.start_new()
    assert window.transcripts.currentWidget() is welcome  # nothing has been chosen yet
    welcome.sample.example.click()
    qtbot.wait_until(lambda: window.transcripts.currentWidget() is window.transcripts.page)
    assert len(loop.call(engine.conversations.recent())) == 1
    ask(window, qtbot, "How do tides work?")
    qtbot.wait_until(lambda: window.store.settings.was_welcomed and window.transcripts.first_start is None)


MOVES = """(() => {
    const it = document.createElement("div");
    it.className = "thinking";
    it.style.transition = "opacity 9s";
    document.body.append(it);
    const seen = getComputedStyle(it).transitionDuration;
    it.remove();
    return seen !== "0s";
})()"""


def test_the_settings_stop_it_and_let_it_go_on(window, qtbot):
    qtbot.wait_until(lambda: script(window, qtbot, MOVES))
    settings = window.store.settings
    window.store.apply(replace(settings, window=replace(settings.window, motion="less")))
    qtbot.wait_until(lambda: not script(window, qtbot, MOVES))
    window.store.apply(settings)
    qtbot.wait_until(lambda: script(window, qtbot, MOVES))


def test_the_system_stops_it(engine, open_window, qtbot):
    script_result(engine.surroundings, "wants_less_motion", True)
    window = open_window()
    qtbot.wait_until(lambda: not script(window, qtbot, MOVES))


@pytest.fixture
def place(tmp_path):
    return WindowPlace(tmp_path / "window.ini")


@pytest.fixture
def reopen(open_window, place, qtbot):
    """Return what opens a window that remembers, once its list is there."""

    def opened():
        window = open_window()
        window.keep_state(place)
        with qtbot.wait_signal(window.library.listed):
            window.library.refresh()
        return window

    return opened


def test_the_conversation_that_lay_open_lies_open_again(reopen, engine, qtbot):
    first = engine.put("Tides", texts=("Q", "A"))
    engine.put("Moon", texts=("Q", "A"))
    reopen().sessions.open(first)
    assert reopen().sessions.current == first


def test_an_empty_conversation_is_as_good_as_any(reopen, engine):
    first = engine.put("Tides", texts=("Q", "A"))
    window = reopen()
    window.sessions.open(first)
    window.start_new()
    assert reopen().sessions.current == NEW


def test_what_is_gone_is_not_asked_for(reopen, place):
    place.keep_text("conversation", "gone")
    window = reopen()
    assert window.sessions.current == NEW
    assert not window.notices.isVisible()


def test_a_person_may_want_to_begin_anew(reopen, engine):
    first = engine.put("Tides", texts=("Q", "A"))
    reopen().sessions.open(first)
    settings = engine.preferences.settings
    engine.preferences.settings = replace(settings, program=replace(settings.program, reopens=False))
    assert reopen().sessions.current == NEW


def test_the_sidebar_is_as_wide_as_it_was_or_hidden(reopen):
    window = reopen()
    window.splitter.setSizes([333, 900])
    window.splitter.splitterMoved.emit(333, 1)
    width = window.splitter.sizes()[0]
    again = reopen()
    assert again.splitter.sizes()[0] == width
    again.shortcuts["sidebar"].trigger()
    assert reopen().sidebar.isHidden()


def test_a_narrow_window_hides_the_sidebar_unless_the_user_wants_it(window):
    sidebar, toggle = window.sidebar, window.shortcuts["sidebar"].trigger
    window.fit(700)
    assert sidebar.isHidden()
    window.fit(1000)
    assert not sidebar.isHidden()
    window.fit(700)
    toggle()
    window.fit(690)
    assert not sidebar.isHidden()
    window.fit(1000)
    toggle()
    window.fit(700)
    window.fit(1000)
    assert sidebar.isHidden()
