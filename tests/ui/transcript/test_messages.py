"""Messages in the window: edited, answered again, turned to, quoted, deleted, continued elsewhere, run_with_repair."""

from unittest.mock import Mock, call

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QMenu

from desktop.domain.drafts import Draft
from desktop.domain.messages import MessageStatus, SettingsPage
from desktop.ui.chat.session_manager import NEW
from desktop.ui.controllers.composer_controller import to_block_quote
from desktop.ui.settings.dialog import SettingsDialog
from desktop.ui.transcript.message_action import ActionRequest, MessageAction
from desktop.ui.transcript.web_page import PageView
from desktop.ui.widgets.model_menu import ModelMenu
from tests.ui.on_page import click, script

TALK = ("Why tides?", "The moon [1].", "And how high?", "Sixteen metres.")


@pytest.fixture
def window(open_window):
    window = open_window()
    window.resize(1100, 800)  # room for a whole conversation: what is far from view has a place only
    return window


def texts(window, qtbot):
    code = "[...document.querySelectorAll('.message')].map(e => e.querySelector('.bubble, .text').innerText.trim()).join('|')"
    return script(window, qtbot, code).split("|")


def reads(window, qtbot, *expected):
    """Wait until these messages are shown, marks without their brackets."""
    qtbot.wait_until(lambda: texts(window, qtbot) == list(expected))


def has(window, qtbot, selector):
    """Wait until something is on the page: the end of an answer follows its text."""
    qtbot.wait_until(lambda: script(window, qtbot, f"!!document.querySelector({selector!r})"))


def has_become(window, qtbot, code, expected):
    """Wait until an expression gives what is expected: not all that belongs to a message comes with its text."""
    qtbot.wait_until(lambda: script(window, qtbot, code) == expected)


@pytest.fixture
def talk(window, engine, qtbot):
    """An open conversation of two questions; its messages are c1-m0 to c1-m3."""
    engine.put("Tides", texts=TALK)
    window.library.refresh()
    window.sessions.open("c1")
    reads(window, qtbot, "Why tides?", "The moon1.", "And how high?", "Sixteen metres.")
    return window


def send(window, qtbot, text):
    window.composer.text.setPlainText(text)
    window.composer.send.click()
    qtbot.wait_until(lambda: window.sessions.current != NEW and not window.sessions.is_running)


def test_an_edited_question_is_a_version_that_can_be_turned_back(talk, engine, qtbot):
    talk.composer.text.setPlainText("for later")
    click(talk, qtbot, "#message-c1-m0 [data-action=edit]")
    qtbot.wait_until(lambda: talk.composer.draft.text == "Why tides?")
    bar = talk.pane.revising
    assert bar.isVisible()
    assert "Why tides?" in bar.text
    send(talk, qtbot, "Why waves?")
    assert engine.turns.questions[-1].edits == "c1-m0"
    assert not bar.isVisible()
    # What had been begun for the next question is there again.
    assert talk.composer.draft.text == "for later"
    reads(talk, qtbot, "Why waves?", "Tides follow the moon1.")
    has_become(talk, qtbot, "document.querySelector('.variants').innerText.trim()", "2/2")
    click(talk, qtbot, ".person [data-action=earlier]")
    reads(talk, qtbot, "Why tides?", "The moon1.", "And how high?", "Sixteen metres.")
    talk.shortcuts["later"].trigger()
    reads(talk, qtbot, "Why waves?", "Tides follow the moon1.")


@pytest.mark.parametrize("is_foreign", [False, True])
def test_files_that_only_an_import_names_are_neither_put_back_nor_given(
    window, engine, qtbot, tmp_path, is_foreign
):
    file = tmp_path / "notes.txt"
    engine.put("Tides", texts=("", "The moon."))
    engine.change("c1", 0, attachments=(str(file),), is_foreign=is_foreign)
    window.library.refresh()
    window.sessions.open("c1")
    has(window, qtbot, "#message-c1-m0 .attachments")
    given = () if is_foreign else (file,)
    window.transcripts.action_requested.emit(ActionRequest("c1-m1", MessageAction.RETRY))
    qtbot.wait_until(lambda: bool(engine.turns.questions) and not window.sessions.is_running)
    assert (engine.turns.questions[-1].repeats, engine.turns.questions[-1].files) == ("c1-m0", given)
    window.transcripts.action_requested.emit(ActionRequest("c1-m0", MessageAction.EDIT))
    assert window.composer.draft.files == given


def test_turning_by_keyboard_keeps_the_place_of_the_keyboard(talk, engine, qtbot, monkeypatch):
    show = Mock(wraps=engine.branches.show)
    monkeypatch.setattr(engine.branches, "show", show)
    click(talk, qtbot, "#message-c1-m1 [data-action=retry]")
    qtbot.wait_until(lambda: bool(engine.turns.questions) and not talk.sessions.is_running)
    assert talk.notices.text == ""
    assert engine.turns.questions[-1].repeats == "c1-m0"
    reads(talk, qtbot, "Why tides?", "Tides follow the moon1.")
    has(talk, qtbot, ".answer:last-child [data-action=earlier]")
    script(talk, qtbot, "document.querySelector('.answer:last-child [data-action=earlier]').focus()")
    script(talk, qtbot, "document.activeElement.click()")
    reads(talk, qtbot, "Why tides?", "The moon1.", "And how high?", "Sixteen metres.")
    place = "document.activeElement.closest('.message')?.id + ' ' + document.activeElement.dataset.action"
    has_become(talk, qtbot, place, "message-c1-m1 earlier")
    has_become(talk, qtbot, "document.getElementById('announcer').textContent", "Version 1 of 2")
    # It is the first one: pressing once more does nothing.
    script(talk, qtbot, "document.activeElement.click()")
    script(talk, qtbot, "document.querySelector('#message-c1-m1 [data-action=later]').click()")
    reads(talk, qtbot, "Why tides?", "Tides follow the moon1.")
    assert show.call_args_list == [call("c1-m1"), call(talk.sessions.shown.last_answer)]


def test_what_is_turned_to_stands_where_the_other_stood(talk, engine, qtbot):
    engine.change("c1", 3, text="Sixteen metres. " * 400)
    talk.sessions.reload()
    qtbot.wait_until(lambda: len(texts(talk, qtbot)[-1]) > 1_000)
    click(talk, qtbot, "#message-c1-m3 [data-action=retry]")
    qtbot.wait_until(lambda: bool(engine.turns.questions) and not talk.sessions.is_running)
    reads(talk, qtbot, *TALK[:1], "The moon1.", "And how high?", "Tides follow the moon1.")
    has(talk, qtbot, ".answer:last-child [data-action=earlier]")
    top = "document.querySelector('.answer:last-child').getBoundingClientRect().top"
    qtbot.wait_until(lambda: talk.transcripts.page.is_whole)
    before = script(talk, qtbot, top)
    click(talk, qtbot, ".answer:last-child [data-action=earlier]")
    qtbot.wait_until(lambda: len(texts(talk, qtbot)[-1]) > 1_000)
    # The page is scrolled in the frame after the one that drew the text.
    qtbot.wait_until(lambda: script(talk, qtbot, top) == pytest.approx(before, abs=40))


def test_editing_can_be_given_up_and_is_found_again_after_a_look_elsewhere(talk, engine, qtbot):
    other = engine.put("Other", texts=("Hello", "Yes."))
    talk.shortcuts["edit_last"].trigger()
    assert talk.composer.draft.text == "And how high?"
    talk.composer.text.setPlainText("And how deep?")
    talk.sessions.open(other)
    qtbot.wait_until(lambda: not talk.pane.revising.isVisible())
    assert talk.composer.draft == Draft()
    talk.sessions.open("c1")
    qtbot.wait_until(lambda: bool(talk.sessions.shown.by_id))
    reads(talk, qtbot, *TALK[:1], "The moon1.", *TALK[2:])
    assert talk.composer.draft == Draft()
    talk.shortcuts["edit_last"].trigger()
    assert talk.composer.draft.text == "And how deep?"
    qtbot.keyClick(talk.composer.text, Qt.Key.Key_Escape)
    qtbot.wait_until(lambda: not talk.pane.revising.isVisible())
    assert talk.composer.draft == Draft()
    send(talk, qtbot, "And then?")
    assert engine.turns.questions[-1].edits == ""


def test_an_answer_is_given_again_by_another_model(talk, engine, qtbot):
    click(talk, qtbot, "#message-c1-m1 [data-action=more]")
    qtbot.wait_until(lambda: any(menu.isVisible() for menu in talk.transcripts.page.findChildren(QMenu)))
    offered = next(menu for menu in talk.transcripts.page.findChildren(QMenu) if menu.isVisible())
    place = offered.pos()
    next(entry for entry in offered.actions() if entry.objectName() == "retry_with").trigger()
    offered.close()
    qtbot.wait_until(lambda: any(menu.isVisible() for menu in talk.findChildren(ModelMenu)))
    menu = next(menu for menu in talk.findChildren(ModelMenu) if menu.isVisible())
    # Where the button stands, whatever the pointer is at.
    assert (menu.pos() - place).manhattanLength() < 400
    menu.picked.emit("ollama/qwen3:8b")
    menu.close()
    qtbot.wait_until(lambda: bool(engine.turns.questions) and not talk.sessions.is_running)
    asked = engine.turns.questions[-1]
    assert (asked.model, asked.repeats, asked.text) == ("ollama/qwen3:8b", "c1-m0", "Why tides?")


def test_messages_are_deleted_and_brought_back(talk, engine, qtbot):
    talk.transcripts.action_requested.emit(ActionRequest("c1-m0", MessageAction.DELETE))
    reads(talk, qtbot, "And how high?", "Sixteen metres.")
    assert talk.notices.text == "2 messages deleted"
    talk.notices.action.click()
    reads(talk, qtbot, "Why tides?", "The moon1.", "And how high?", "Sixteen metres.")
    talk.transcripts.action_requested.emit(ActionRequest("c1-m1", MessageAction.DELETE_REST))
    reads(talk, qtbot, "Why tides?")
    talk.transcripts.action_requested.emit(ActionRequest("c1-m0", MessageAction.DELETE))
    qtbot.wait_until(lambda: script(talk, qtbot, "!!document.querySelector('.welcome')"))
    talk.notices.undo()
    reads(talk, qtbot, "Why tides?")


def test_the_menu_of_a_message_opens_at_its_button_and_by_the_other_mouse_button(talk, engine, qtbot):
    def menu():
        return next((menu for menu in talk.transcripts.page.findChildren(QMenu) if menu.isVisible()), None)

    click(talk, qtbot, "#message-c1-m3 [data-action=more]")
    qtbot.wait_until(lambda: menu() is not None)
    names = [entry.objectName() for entry in menu().actions()]
    assert {"retry", "retry_with", "continue", "branch_off", "delete", "delete_rest"} < set(names)
    next(entry for entry in menu().actions() if entry.objectName() == "delete").trigger()
    menu().close()
    reads(talk, qtbot, "Why tides?", "The moon1.", "And how high?")
    view = talk.transcripts.page.findChild(PageView)
    spot = "(box => `${Math.round(box.left) + 5} ${Math.round(box.top) + 5}`)(document.querySelector('#message-c1-m0 .bubble').getBoundingClientRect())"
    point = QPoint(*map(int, script(talk, qtbot, spot).split()))
    qtbot.mouseClick(view.focusProxy(), Qt.MouseButton.RightButton, pos=point)
    qtbot.wait_until(lambda: menu() is not None)
    assert "edit" in [entry.objectName() for entry in menu().actions()]
    menu().close()


def test_selected_words_are_quoted_with_their_marks_behind_what_was_written(talk, qtbot):
    talk.composer.text.setPlainText("Is this so?")
    script(
        talk,
        qtbot,
        "(text => (document.getSelection().selectAllChildren(text), dispatchEvent(new PointerEvent('pointerup'))))"
        "(document.querySelector('#message-c1-m1 .text'))",
    )
    qtbot.wait_until(lambda: script(talk, qtbot, "!document.getElementById('quote').hidden"))
    click(talk, qtbot, "#quote")
    qtbot.wait_until(lambda: talk.composer.draft.text == "Is this so?\n\n> The moon[1].\n\n")
    has_become(talk, qtbot, "document.getElementById('quote').hidden", True)
    talk.composer.text.undo()
    assert talk.composer.draft.text == "Is this so?"
    talk.shortcuts["quote"].trigger()
    qtbot.wait_until(lambda: "> The moon[1]." in talk.composer.draft.text)


def test_a_whole_answer_is_quoted_line_by_line():
    assert to_block_quote("One [1].\n\n* two\n") == "> One [1].\n>\n> * two"


def test_a_conversation_begins_from_a_message_and_leads_back(talk, engine, qtbot):
    talk.transcripts.action_requested.emit(ActionRequest("c1-m1", MessageAction.BRANCH_OFF))
    qtbot.wait_until(lambda: talk.sessions.current != "c1")
    reads(talk, qtbot, "Why tides?", "The moon1.")
    assert engine.load(talk.sessions.current).info.title == "Tides (branch)"
    talk.notices.action.click()
    reads(talk, qtbot, "Why tides?", "The moon1.", "And how high?", "Sixteen metres.")


def test_a_failed_answer_leads_to_the_page_where_it_can_be_mended(talk, engine, qtbot):
    engine.change(
        "c1",
        3,
        text="",
        status=MessageStatus.FAILED,
        error="The proxy failed.",
        settings_page=SettingsPage.NETWORK,
    )
    talk.sessions.reload()
    click(talk, qtbot, "#message-c1-m3 .ways [data-action=settings]")
    qtbot.wait_until(lambda: any(dialog.isVisible() for dialog in talk.findChildren(SettingsDialog)))
    dialog = talk.findChild(SettingsDialog)
    assert "Network" in dialog.list.currentItem().text()
    dialog.close()


def test_nothing_is_turned_or_deleted_under_an_answer_that_is_written(talk, engine, loop, qtbot):
    engine.models.is_gated = True
    talk.composer.text.setPlainText("More?")
    talk.composer.send.click()
    qtbot.wait_until(lambda: talk.sessions.is_running and bool(engine.turns.questions))
    qtbot.wait_until(lambda: len(texts(talk, qtbot)) == 6)
    talk.transcripts.action_requested.emit(ActionRequest("c1-m0", MessageAction.DELETE_REST))
    assert "Wait for the answer to finish" in talk.notices.text
    talk.notices.dismiss()
    talk.transcripts.action_requested.emit(ActionRequest("c1-m1", MessageAction.RETRY))
    assert "Wait for the answer to finish" in talk.notices.text
    assert len(engine.turns.questions) == 1
    talk.notices.action.click()
    qtbot.wait_until(lambda: not talk.sessions.is_running)
    assert len(engine.load("c1").messages) == 6


@pytest.fixture
def revised(talk, engine, loop, qtbot):
    """The same conversation while the second question, edited, is being answered; one word has come."""
    engine.models.is_gated = True
    engine.models.words = ("It ", "depends ", "on the bay.")
    click(talk, qtbot, "#message-c1-m2 [data-action=edit]")
    qtbot.wait_until(lambda: talk.composer.draft.text == "And how high?")
    talk.composer.text.setPlainText("And how low?")
    talk.composer.send.click()
    loop.call(engine.models.allow(1))
    reads(talk, qtbot, "Why tides?", "The moon1.", "And how low?", "It")
    yield talk
    talk.sessions.stop()
    qtbot.wait_until(lambda: not talk.sessions.is_running)


def test_versions_are_turned_to_while_an_answer_is_written_and_it_goes_on(revised, engine, loop, qtbot):
    click(revised, qtbot, ".person [data-action=earlier]")
    reads(revised, qtbot, "Why tides?", "The moon1.", "And how high?", "Sixteen metres.")
    with qtbot.wait_signal(revised.sessions._sessions["c1"].event_arrived):
        loop.call(engine.models.allow(1))
    assert revised.sessions.is_running
    assert texts(revised, qtbot)[2:] == ["And how high?", "Sixteen metres."]
    click(revised, qtbot, ".person [data-action=later]")
    reads(revised, qtbot, "Why tides?", "The moon1.", "And how low?", "It depends")
    loop.call(engine.models.allow(1))
    reads(revised, qtbot, "Why tides?", "The moon1.", "And how low?", "It depends on the bay.")
    qtbot.wait_until(lambda: not revised.sessions.is_running)


def test_an_answer_that_ends_unseen_is_there_when_one_turns_back(revised, engine, loop, qtbot):
    revised.shortcuts["earlier"].trigger()
    reads(revised, qtbot, "Why tides?", "The moon1.", "And how high?", "Sixteen metres.")
    with qtbot.wait_signal(revised.sessions.answer_ended):
        loop.call(engine.models.allow(2))
    qtbot.wait_until(lambda: not revised.sessions.is_running)
    assert texts(revised, qtbot)[2:] == ["And how high?", "Sixteen metres."]
    revised.shortcuts["later"].trigger()
    reads(revised, qtbot, "Why tides?", "The moon1.", "And how low?", "It depends on the bay.")
    has(revised, qtbot, ".answer:last-child [data-action=retry]")


def test_an_answer_that_is_stopped_unseen_keeps_what_it_had(revised, qtbot):
    revised.shortcuts["earlier"].trigger()
    reads(revised, qtbot, "Why tides?", "The moon1.", "And how high?", "Sixteen metres.")
    revised.composer.stop_asked.emit()
    qtbot.wait_until(lambda: not revised.sessions.is_running)
    assert texts(revised, qtbot)[2:] == ["And how high?", "Sixteen metres."]
    revised.shortcuts["later"].trigger()
    reads(revised, qtbot, "Why tides?", "The moon1.", "And how low?", "It")
    has(revised, qtbot, ".answer:last-child .notice.stopped")


def test_an_answer_is_turned_from_while_it_is_given_again(talk, engine, loop, qtbot):
    engine.models.is_gated = True
    engine.models.words = ("Five ", "metres.")
    click(talk, qtbot, "#message-c1-m3 [data-action=retry]")
    loop.call(engine.models.allow(1))
    reads(talk, qtbot, "Why tides?", "The moon1.", "And how high?", "Five")
    click(talk, qtbot, ".answer.streaming [data-action=earlier]")
    reads(talk, qtbot, "Why tides?", "The moon1.", "And how high?", "Sixteen metres.")
    click(talk, qtbot, ".answer:last-child [data-action=later]")
    loop.call(engine.models.allow(1))
    reads(talk, qtbot, "Why tides?", "The moon1.", "And how high?", "Five metres.")
    qtbot.wait_until(lambda: not talk.sessions.is_running)


def test_the_keyboard_leads_from_the_composer_up_the_messages_and_back(talk, qtbot):
    def reached():
        return script(talk, qtbot, "document.querySelector('.reached:focus')?.dataset.message ?? ''")

    with qtbot.waitActive(talk):
        talk.activateWindow()
    talk.composer.text.setFocus()
    above, below = talk.shortcuts["message_above"], talk.shortcuts["message_below"]
    for action, expected in ((above, "c1-m3"), (above, "c1-m2"), (below, "c1-m3")):
        action.trigger()
        qtbot.wait_until(lambda expected=expected: reached() == expected)
    below.trigger()
    qtbot.wait_until(talk.composer.text.hasFocus)
    below.trigger()
    assert talk.composer.text.hasFocus()


def test_an_answer_in_the_middle_goes_on_where_it_stands(talk, engine, qtbot):
    other = engine.put("Other", texts=("Hello", "Yes."))
    engine.models.is_gated = True
    talk.transcripts.action_requested.emit(ActionRequest("c1-m1", MessageAction.CONTINUE))
    qtbot.wait_until(lambda: talk.sessions.is_running)
    talk.sessions.open(other)
    reads(talk, qtbot, "Hello", "Yes.")
    talk.sessions.open("c1")
    order = "[...document.querySelectorAll('.message')].map(e => e.dataset.message).join(' ')"
    qtbot.wait_until(lambda: script(talk, qtbot, order) == "c1-m0 c1-m1 c1-m2 c1-m3")
    talk.sessions.stop()
    qtbot.wait_until(lambda: not talk.sessions.is_running)


def test_a_question_without_an_answer_offers_to_answer_it(talk, engine, qtbot):
    button = "#message-c1-m2 > .unanswered button"
    assert script(talk, qtbot, f"document.querySelector({button!r}).offsetHeight") == 0
    talk.transcripts.action_requested.emit(ActionRequest("c1-m3", MessageAction.DELETE))
    reads(talk, qtbot, *TALK[:1], "The moon1.", "And how high?")
    has_become(talk, qtbot, f"document.querySelector({button!r}).offsetHeight > 0", True)
    click(talk, qtbot, button)
    reads(talk, qtbot, *TALK[:1], "The moon1.", "And how high?", "Tides follow the moon1.")
    assert engine.turns.questions[-1].repeats == "c1-m2"
