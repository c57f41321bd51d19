"""`@` and `/` while a message is written: by keyboard, by mouse, with an input method, in both languages."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent, QPalette
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QVBoxLayout, QWidget

from desktop.chat.api.engine import MOST_MODELS
from desktop.domain.drafts import Draft, SavedPrompt
from desktop.domain.knowledge import BaseInfo
from desktop.domain.messages import Speaker
from desktop.domain.models import QUOTES_MODEL, ModelInfo
from desktop.domain.procedures import DocumentTask
from desktop.domain.tools import PromptArgument, ServerPrompt, ServerState
from desktop.settings.model import McpServer
from desktop.ui.composer.completion import LONGEST_QUERY, Trigger, trigger_in
from desktop.ui.composer.prompts import PromptDialog
from desktop.ui.widgets.choice_list import SHOWN, ChoiceModel, CompletionItem, filter_choices
from tests.cases import cases
from tests.ui.fakes.scripts import script_result
from tests.ui.parts import build_parts

EXPLAIN = SavedPrompt("p1", "Explain", "Explain {{topic}} to {{whom}} 😀 in {{count}} words")
TRANSLATE = SavedPrompt("p2", "翻译成英文", "请翻译：")
SERVER = McpServer("s1", "Reviews", command=("reviews",))
REVIEW = ServerPrompt("s1", "Reviews", "review", "Review some code")
LETTER = ServerPrompt(
    "s1", "Reviews", "letter", "", (PromptArgument("to", "Who", True), PromptArgument("by"))
)


@pytest.fixture
def window(engine, loop, qtbot):
    """A composer in a window, with what `@` and `/` offer."""
    settings = engine.preferences.settings
    engine.preferences.settings = replace(settings, prompts=(EXPLAIN, TRANSLATE), mcp_servers=(SERVER,))
    script_result(engine.tool_servers, "states", ())
    widget = QWidget()
    qtbot.add_widget(widget)
    core = build_parts(engine, loop, widget)
    QVBoxLayout(widget).addWidget(core.pane)
    widget.resize(800, 600)
    widget.show()
    widget.activateWindow()
    core.knowledge_store.bases = (BaseInfo("b1", "Physics"), BaseInfo("b2", "物理", icon="🔭"))
    core.knowledge_store.bases_listed.emit(core.knowledge_store.bases)
    core.assistants.refresh()
    with qtbot.wait_signal(core.catalogue.models_listed):
        core.catalogue.refresh()
    core.composer.text.setFocus()
    qtbot.wait_until(core.composer.text.hasFocus)
    yield SimpleNamespace(
        core=core, text=core.composer.text, popup=core.chat.completion.completion.popup, type=qtbot.keyClicks
    )
    widget.deleteLater()


def titles(window) -> list[str]:
    model = window.popup.model
    rows = (model.index(row) for row in range(model.rowCount()))
    return [str(row.data()) for row in rows if row.flags()]


def press(window, qtbot, key, modifier=Qt.KeyboardModifier.NoModifier) -> None:
    qtbot.keyClick(window.text, key, modifier)


def compose(window, preedit: str, commit: str = "") -> None:
    event = QInputMethodEvent(preedit, [])
    event.setCommitString(commit)
    QGuiApplication.sendEvent(window.text, event)


# What is typed


@cases(
    "before, found",
    [
        ("@", Trigger("@", 0, "")),
        ("how do @cl", Trigger("@", 7, "cl")),
        ("请问@翻", Trigger("@", 2, "翻")),
        ("请问＠", Trigger("@", 2, "")),
        ("@gpt 4o mi", Trigger("@", 0, "gpt 4o mi")),
        ("/", Trigger("/", 0, "")),
        ("first /ex", Trigger("/", 6, "ex")),
        ("／翻译", Trigger("/", 0, "翻译")),
        ("/x @y", Trigger("@", 3, "y")),
        ("me@example", None),
        ("see /etc/hosts", None),
        ("and/or", None),
        ("和/或", None),
        ("https://example", None),
        ("either / or", None),
        ("@ home", None),
        ("words", None),
        ("", None),
        ("@" + "x" * (LONGEST_QUERY + 1), None),
    ],
)
def test_a_sign_counts_where_it_is_meant(before, found):
    assert trigger_in(before) == found


@given(st.text())
def test_any_line_can_be_looked_at(before):
    found = trigger_in(before)
    assert found is None or before[found.start + 1 :] == found.query


def nothing() -> None:
    pass


def test_groups_keep_their_order_and_beginnings_lead():
    names = ("a tide table", "the Tides", "Tidewater", "moon")
    choices = [CompletionItem("Second", name, nothing) for name in names]
    choices += [CompletionItem("First", f"tide {count}", nothing) for count in range(20)]
    second, first = filter_choices(choices, "TIDE")
    assert [choice.title for choice in second.choices] == ["Tidewater", "a tide table", "the Tides"]
    assert (first.name, len(first.choices), first.count) == ("First", SHOWN, 20)
    assert filter_choices(choices, "tide moon") == ()
    assert [choice.title for choice in filter_choices(choices, "tide 19")[0].choices] == ["tide 19"]


def test_the_model_of_the_list_is_sound(qapp):
    model = ChoiceModel()
    tester = QAbstractItemModelTester(model, QAbstractItemModelTester.FailureReportingMode.Fatal)
    choices = [
        CompletionItem(f"group {count // 9}", f"choice {count}", nothing, icon="note") for count in range(20)
    ]
    model.show(filter_choices(choices, ""), QPalette())
    assert model.index(0).data() == f"group 0 · {SHOWN} of 9"
    assert model.step(-1, 0) == 1
    assert model.step(1, -1) == model.rowCount() - 1
    model.show((), QPalette())
    assert model.step(-1, 0) == -1
    del tester


# Picking


def test_an_assistant_is_picked_by_keyboard_and_the_letters_for_it_go(window, qtbot):
    window.type(window.text, "how @trans")
    assert titles(window) == ["Translator"]
    press(window, qtbot, Qt.Key.Key_Return)
    assert not window.popup.isVisible()
    assert window.text.toPlainText() == "how "
    assert window.core.composer.assistant.choice.name == "Translator"
    window.text.undo()
    assert window.text.toPlainText() == "how @trans"


def test_arrows_go_round_and_tab_takes_a_model(window, qtbot):
    window.type(window.text, "@gpt")
    assert titles(window) == ["gpt-5-mini", "gpt-5"]
    press(window, qtbot, Qt.Key.Key_Up)
    assert window.popup.current.title == "gpt-5"
    press(window, qtbot, Qt.Key.Key_Down)
    press(window, qtbot, Qt.Key.Key_Tab)
    assert window.core.composer.model.choice == "openai/gpt-5-mini"
    assert window.text.hasFocus()


def test_ctrl_enter_lets_a_model_answer_beside_the_others(window, qtbot):
    more = tuple(ModelInfo(f"p/m{count}", f"m{count}", "P") for count in range(5))
    window.core.catalogue.models = (ModelInfo(QUOTES_MODEL, "Quotes", ""), *more)
    for count in range(5):
        window.type(window.text, f"@m{count}")
        press(window, qtbot, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    chosen = window.core.composer.model
    assert len({chosen.choice, *chosen.also}) == MOST_MODELS
    assert chosen.also[-1] == "p/m4"
    window.type(window.text, "@m0")
    press(window, qtbot, Qt.Key.Key_Return)
    assert (chosen.choice, chosen.also) == ("p/m0", ())


def test_bases_are_switched_on_and_off(window, qtbot):
    for expected in (("b1",), ()):
        window.type(window.text, "@phys")
        press(window, qtbot, Qt.Key.Key_Return)
        assert window.core.composer.bases.chosen == expected


def test_a_click_picks_and_the_field_keeps_the_focus(window, qtbot):
    window.type(window.text, "@phys")
    row = window.popup.view.currentIndex()
    place = window.popup.view.visualRect(row).center()
    qtbot.mouseClick(window.popup.view.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.core.composer.bases.chosen == ("b1",)
    assert window.text.hasFocus()


def test_escape_leaves_the_text_and_the_list_stays_away_for_this_sign(window, qtbot):
    window.type(window.text, "@tr")
    press(window, qtbot, Qt.Key.Key_Escape)
    window.type(window.text, "an")
    assert not window.popup.isVisible()
    with qtbot.wait_signal(window.core.composer.submitted):
        press(window, qtbot, Qt.Key.Key_Return)
    window.text.clear()
    window.type(window.text, "@tr")
    assert window.popup.isVisible()


def test_escape_is_for_the_list_before_it_stops_an_answer(window, qtbot):
    stop = window.core.actions["stop"]
    stop.setEnabled(True)
    window.type(window.text, "@tr")
    with qtbot.assert_not_emitted(stop.triggered):
        press(window, qtbot, Qt.Key.Key_Escape)
    assert not window.popup.isVisible()
    with qtbot.wait_signal(stop.triggered):
        press(window, qtbot, Qt.Key.Key_Escape)


def test_words_that_nothing_is_called_by_are_sent(window, qtbot):
    window.type(window.text, "meet me @noon")
    assert not window.popup.isVisible()
    with qtbot.wait_signal(window.core.composer.submitted):
        press(window, qtbot, Qt.Key.Key_Return)


def test_an_input_method_finds_chinese_names_and_keeps_its_keys(window, qtbot):
    compose(window, "", "请问@")
    compose(window, "wu'li")
    current = window.popup.current
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Return, Qt.Key.Key_Escape):  # for the input method's own list
        press(window, qtbot, key)
    assert window.popup.current == current
    assert window.text.toPlainText() == "请问@"
    compose(window, "", "物理")
    assert titles(window) == ["🔭 物理"]
    press(window, qtbot, Qt.Key.Key_Return)
    assert window.core.composer.bases.chosen == ("b2",)
    assert window.text.toPlainText() == "请问"


def test_the_list_stays_in_the_window_and_goes_with_the_focus(window, qtbot):
    window.type(window.text, "@")
    popup = window.popup
    assert popup.parentWidget().rect().contains(popup.geometry())
    assert popup.geometry().bottom() <= window.text.mapTo(popup.parentWidget(), QPoint()).y()
    window.core.composer.model.setFocus()
    assert not popup.isVisible()


# Prompts


def test_a_prompt_is_written_and_tab_leads_through_its_blanks(window, qtbot):
    window.text.insertPlainText("🌊 ")
    window.type(window.text, "/expl")
    assert titles(window) == ["Explain"]
    press(window, qtbot, Qt.Key.Key_Return)
    assert window.text.toPlainText() == f"🌊 {EXPLAIN.text}"
    for blank, words in (("{{topic}}", "tides"), ("{{whom}}", "a child"), ("{{count}}", "20")):
        assert window.text.textCursor().selectedText() == blank
        window.type(window.text, words)
        press(window, qtbot, Qt.Key.Key_Tab)
    assert window.text.toPlainText() == "🌊 Explain tides to a child 😀 in 20 words"
    assert not window.text.hasFocus()


def test_a_blank_that_was_left_is_not_sent_by_accident(window, qtbot):
    window.type(window.text, "/expl")
    press(window, qtbot, Qt.Key.Key_Return)
    window.type(window.text, "tides")
    with qtbot.assert_not_emitted(window.core.composer.submitted):
        press(window, qtbot, Qt.Key.Key_Return)
    assert window.text.textCursor().selectedText() == "{{whom}}"
    with qtbot.wait_signal(window.core.composer.submitted):
        press(window, qtbot, Qt.Key.Key_Return)
    qtbot.wait_until(lambda: not window.core.sessions.is_running)
    window.core.composer.put(Draft())
    window.type(window.text, "in a template {{name}} stands for it")
    with qtbot.wait_signal(window.core.composer.submitted):  # nobody's blank: it was typed
        press(window, qtbot, Qt.Key.Key_Return)


def test_crafts_and_memory_are_offered_behind_a_slash(window, qtbot):
    window.type(window.text, "/write")
    press(window, qtbot, Qt.Key.Key_Return)
    assert window.core.composer.research.task is DocumentTask.WRITE
    window.type(window.text, "/rem")
    press(window, qtbot, Qt.Key.Key_Return)
    assert window.text.toPlainText() == "/remember "
    assert not window.popup.isVisible()


def test_what_is_written_becomes_a_prompt_that_can_be_taken_back(window, qtbot):
    window.type(window.text, "Answer like a pirate /save")
    press(window, qtbot, Qt.Key.Key_Return)
    prompts = window.core.store.settings.prompts
    assert (prompts[-1].name, prompts[-1].text) == ("Answer like a pirate", "Answer like a pirate")
    window.core.notices.undo()
    assert window.core.store.settings.prompts == (EXPLAIN, TRANSLATE)


def test_prompts_of_servers_are_offered_once_they_are_known(window, engine, qtbot):
    script_result(engine.tool_servers, "states", (ServerState("s1", prompts=(REVIEW, LETTER)),))
    filled = script_result(engine.tool_servers, "fill_prompt", "Review it.")
    window.type(window.text, "/re")
    qtbot.wait_until(lambda: "review" in titles(window))
    window.type(window.text, "v")
    press(window, qtbot, Qt.Key.Key_Return)
    qtbot.wait_until(lambda: window.text.toPlainText() == "Review it.")
    assert filled == [("s1", "review", {})]
    assert window.core.notices.text == ""


def test_a_prompt_that_has_to_be_told_something_asks_for_it(window, engine, qtbot):
    script_result(engine.tool_servers, "states", (ServerState("s1", prompts=(REVIEW, LETTER)),))
    filled = script_result(engine.tool_servers, "fill_prompt", "Review it.")
    window.type(window.text, "/")
    qtbot.wait_until(lambda: "letter" in titles(window))
    window.type(window.text, "letter")
    press(window, qtbot, Qt.Key.Key_Return)
    dialog = window.core.window.findChild(PromptDialog)
    assert not dialog.insert.isEnabled()
    qtbot.keyClicks(dialog.fields["to"], "Ada")
    qtbot.keyClick(dialog.fields["to"], Qt.Key.Key_Return)
    qtbot.wait_until(lambda: window.text.toPlainText() == "Review it.")
    assert filled == [("s1", "letter", {"to": "Ada"})]


def test_a_server_that_fails_says_so_and_another_conversation_gets_nothing(window, engine, qtbot):
    script_result(engine.tool_servers, "states", (ServerState("s1", prompts=(REVIEW,)),))
    script_result(engine.tool_servers, "fill_prompt", "Review it.")
    window.type(window.text, "/")
    qtbot.wait_until(lambda: "review" in titles(window))
    window.type(window.text, "review")
    press(window, qtbot, Qt.Key.Key_Return)
    window.core.sessions.open(engine.put("Other", texts=("a", "b")))
    window.core.composer.open_draft(window.core.sessions.current)
    qtbot.wait_until(lambda: window.core.composer.draft_of("").text == "Review it.")
    assert window.text.toPlainText() == ""


def test_models_are_listed_anew_when_somebody_looks_for_one(window, engine, qtbot):
    late = ModelInfo("local/late", "late", "Local")
    engine.models.listed_models += (late,)
    text = window.core.composer.text
    qtbot.keyClicks(text, "@late")
    qtbot.wait_until(lambda: late in window.core.catalogue.models)
    qtbot.keyClick(text, Qt.Key.Key_Return)
    assert window.core.composer.model.choice == late.id


def test_only_what_stands_before_the_cursor_counts_behind_wide_characters_too(window, qtbot):
    window.text.setPlainText("🌊🌊🌊 @quo and more")
    cursor = window.text.textCursor()
    cursor.setPosition(len("🌊🌊🌊 @quo".encode("utf-16-le")) // 2)
    window.text.setTextCursor(cursor)
    assert window.popup.current.title == "Quotes"
    press(window, qtbot, Qt.Key.Key_Return)
    assert window.text.toPlainText() == "🌊🌊🌊  and more"


# Past answers

TALK = ("Where is the sea?", "The almanac lists the tides of every harbour.")


def past(window) -> list[str]:
    """The past answers that are offered."""
    model = window.popup.model
    rows = [str(model.index(row).data()) for row in range(model.rowCount())]
    is_offered = window.popup.isVisible() and "Past answers" in rows
    return rows[rows.index("Past answers") + 1 :] if is_offered else []


def test_a_past_answer_is_found_by_its_words_and_cited(window, engine, searched, qtbot):
    engine.put("Sea", texts=TALK)
    window.type(window.text, "and @almanac lists")
    qtbot.waitUntil(lambda: past(window) == [TALK[1]])
    assert all(query.speaker is Speaker.MODEL for query in searched)  # no questions
    assert window.popup.current.detail == "Sea"
    press(window, qtbot, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: len(window.core.composer.past.answers) == 1)
    assert window.core.composer.past.answers[0].text == TALK[1]
    assert window.text.toPlainText() == "and "


def test_past_answers_stand_below_all_else_and_keep_what_is_chosen(window, engine, qtbot):
    engine.put("Sea", texts=("Which model?", "The gpt of the harbour master."))
    window.type(window.text, "@gpt")
    press(window, qtbot, Qt.Key.Key_Down)
    assert window.popup.current.title == "gpt-5"
    qtbot.waitUntil(lambda: len(past(window)) == 1)
    assert titles(window)[:2] == ["gpt-5-mini", "gpt-5"]
    assert window.popup.current.title == "gpt-5"


def test_one_letter_finds_no_answers_and_one_chinese_character_does(window, engine, searched, qtbot):
    engine.put("海", texts=("海在哪里？", "潮汐表列出了每个港口的潮汐。"))
    window.type(window.text, "@a")
    assert searched == []
    window.text.clear()
    compose(window, "", "@潮")
    qtbot.waitUntil(lambda: len(past(window)) == 1)
    compose(window, "", "水")
    qtbot.waitUntil(lambda: past(window) == [])


def test_the_words_that_were_found_are_seen(window, engine, qtbot):
    text = "Of all that is known about this coast, the lighthouse of Velmora is the oldest."
    engine.put("Sea", texts=("Which?", text))
    window.type(window.text, "@velmora")
    qtbot.waitUntil(lambda: past(window) == ["…the lighthouse of Velmora is the oldest."])


def test_what_was_found_for_other_words_is_not_offered(window, engine, qtbot):
    engine.put("Sea", texts=TALK)
    window.type(window.text, "@tides")
    qtbot.waitUntil(lambda: len(past(window)) == 1)
    press(window, qtbot, Qt.Key.Key_Escape)
    window.text.clear()
    window.type(window.text, "@")
    assert past(window) == []
    window.type(window.text, "tides")
    qtbot.waitUntil(lambda: past(window) == [TALK[1]])  # once
