from itertools import accumulate, count, repeat
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication, QInputMethodEvent

from desktop.domain.assistants import Assistant
from desktop.domain.drafts import Draft
from desktop.domain.models import QUOTES_MODEL, ModelInfo
from desktop.domain.procedures import Depth
from desktop.domain.search import WEB_AUTO, EngineInfo
from desktop.ui.composer.composer import Composer
from desktop.ui.composer.message_edit import MAX_LINES
from desktop.ui.widgets.model_menu import FILTER_FROM
from tests.dragging import dragged_files, dragged_links, dragged_over, dragged_words, drop


@pytest.fixture
def composer(qtbot):
    composer = Composer()
    qtbot.add_widget(composer)
    composer.resize(700, 300)
    composer.show()
    composer.activateWindow()
    composer.text.setFocus()
    return composer


@pytest.fixture
def paths(tmp_path):
    paths = (tmp_path / "tides.pdf", tmp_path / "月亮.txt")
    for path in paths:
        path.write_bytes(b"x")
    return paths


def compose(composer, preedit: str, commit: str = "") -> None:
    event = QInputMethodEvent(preedit, [])
    event.setCommitString(commit)
    QGuiApplication.sendEvent(composer.text, event)


def test_enter_sends_and_shift_enter_breaks_the_line(composer, qtbot):
    qtbot.keyClicks(composer.text, "one")
    qtbot.keyClick(composer.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(composer.text, "two")
    with qtbot.wait_signal(composer.submitted):
        qtbot.keyClick(composer.text, Qt.Key.Key_Return)
    assert composer.draft.text == "one\ntwo"


def test_keypad_enter_sends(composer, qtbot):
    qtbot.keyClicks(composer.text, "one")
    with qtbot.wait_signal(composer.submitted):
        qtbot.keyClick(composer.text, Qt.Key.Key_Enter, Qt.KeyboardModifier.KeypadModifier)


def test_ctrl_enter_sends_when_the_person_wants_it(composer, qtbot):
    composer.set_sends_on_enter(False)
    qtbot.keyClicks(composer.text, "one")
    with qtbot.assert_not_emitted(composer.submitted):
        qtbot.keyClick(composer.text, Qt.Key.Key_Return)
    assert composer.draft.text == "one\n"
    with qtbot.wait_signal(composer.submitted):
        qtbot.keyClick(composer.text, Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)


def test_enter_belongs_to_the_input_method_while_a_word_is_unfinished(composer, qtbot):
    compose(composer, "", "潮汐")
    compose(composer, "wei'shen'me")
    with qtbot.assert_not_emitted(composer.submitted):
        qtbot.keyClick(composer.text, Qt.Key.Key_Return)
        composer.send.click()
    assert composer.draft.text == "潮汐"
    compose(composer, "", "为什么")
    with qtbot.wait_signal(composer.submitted):
        qtbot.keyClick(composer.text, Qt.Key.Key_Return)
    assert composer.draft.text == "潮汐为什么"


STEPS = st.one_of(
    st.tuples(
        st.just("compose"),
        st.sampled_from(["", "ni'hao", "にほ", "é"]),
        st.sampled_from(["", "你好", "日本"]),
    ),
    st.tuples(st.just("type"), st.sampled_from("ab @/"), st.just("")),
    st.tuples(st.sampled_from(["enter", "click", "escape"]), st.just(""), st.just("")),
)


@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
@given(steps=st.lists(STEPS, max_size=14))
def test_what_an_input_method_holds_is_never_sent(composer, qtbot, steps):
    sent = []

    def send():
        sent.append((composer.draft.text, composer.text.is_composing))
        composer.put(Draft())

    composer.submitted.connect(send)
    compose(composer, "")
    composer.put(Draft())
    composer.text.setFocus()
    committed, preedit = "", ""
    for kind, first, second in steps:
        before = len(sent)
        if kind == "compose":
            compose(composer, first, second)
            committed, preedit = committed + second, first
        elif kind == "type" and not preedit:  # an input method keeps these keys while it holds a word
            qtbot.keyClicks(composer.text, first)
            committed += first
        elif kind == "enter":
            qtbot.keyClick(composer.text, Qt.Key.Key_Return)
        elif kind == "click":
            composer.send.click()
        elif kind == "escape" and not preedit:
            qtbot.keyClick(composer.text, Qt.Key.Key_Escape)
        if len(sent) > before:
            assert sent[-1] == (committed, False)
            assert preedit == ""
            committed = ""
        assert composer.draft.text == committed
    composer.submitted.disconnect(send)


def test_a_click_that_ends_a_word_lets_enter_send_again(composer, qtbot):
    compose(composer, "", "潮汐")
    compose(composer, "wei'shen'me")
    assert composer.text.is_composing
    qtbot.mouseClick(composer.text.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(1, 5))
    assert not composer.text.is_composing
    with qtbot.wait_signal(composer.submitted):
        qtbot.keyClick(composer.text, Qt.Key.Key_Return)
    assert composer.draft.text == "潮汐"


def test_nothing_is_sent_without_words(composer, qtbot):
    qtbot.keyClicks(composer.text, "   ")
    assert not composer.send.isEnabled()
    with qtbot.assert_not_emitted(composer.submitted):
        qtbot.keyClick(composer.text, Qt.Key.Key_Return)


def test_the_field_grows_to_eight_lines(composer):
    one = composer.text.height()
    composer.text.setPlainText("\n".join("abc"))
    three = composer.text.height()
    composer.text.setPlainText("\n" * 30)
    most = composer.text.height()
    spacing = composer.text.fontMetrics().lineSpacing()
    assert three - one == 2 * spacing
    assert most - one == (MAX_LINES - 1) * spacing
    composer.text.clear()
    assert composer.text.height() == one


def test_a_long_line_that_wraps_grows_the_field(composer, qtbot):
    one = composer.text.height()
    composer.text.setPlainText("word " * 100)
    qtbot.wait_until(lambda: composer.text.height() > one)


def test_up_recalls_what_was_asked_and_down_comes_back(composer, qtbot):
    composer.set_history(["first", "second"])
    qtbot.keyClick(composer.text, Qt.Key.Key_Up)
    assert composer.draft.text == "second"
    qtbot.keyClick(composer.text, Qt.Key.Key_Up)
    qtbot.keyClick(composer.text, Qt.Key.Key_Up)
    assert composer.draft.text == "first"
    qtbot.keyClick(composer.text, Qt.Key.Key_Down)
    assert composer.draft.text == "second"
    qtbot.keyClick(composer.text, Qt.Key.Key_Down)
    assert composer.draft.text == ""


def test_a_new_conversation_recalls_what_was_sent_from_others(composer, qtbot):
    for text in ("first", "second", "second"):
        composer.put(Draft(text))
        qtbot.keyClick(composer.text, Qt.Key.Key_Return)
    composer.put(Draft())
    composer.set_history(())
    recalled = []
    for _press in range(3):
        qtbot.keyClick(composer.text, Qt.Key.Key_Up)
        recalled.append(composer.draft.text)
    assert recalled == ["second", "first", "first"]


def test_up_moves_the_cursor_in_what_the_person_wrote(composer, qtbot):
    composer.set_history(["first"])
    qtbot.keyClicks(composer.text, "mine")
    qtbot.keyClick(composer.text, Qt.Key.Key_Up)
    assert composer.draft.text == "mine"


def test_the_button_stops_while_an_answer_runs(composer, qtbot):
    composer.set_running(True)
    assert composer.send.accessibleName() == "Stop"
    with qtbot.wait_signal(composer.stop_asked):
        composer.send.click()
    qtbot.keyClicks(composer.text, "next question")
    with qtbot.assert_not_emitted(composer.submitted):
        qtbot.keyClick(composer.text, Qt.Key.Key_Return)
    composer.set_running(False)
    with qtbot.wait_signal(composer.submitted):
        composer.send.click()


def test_dropped_files_become_chips_that_can_be_removed(composer, paths, qtbot):
    assert drop(composer, QPoint(20, 20), dragged_files(*paths))
    assert composer.draft.files == paths
    composer.files.add(paths)
    assert composer.draft.files == paths
    chip = composer.files.findChildren(type(composer.files._chips[0]))[0]
    chip.cross.click()
    assert composer.draft.files == paths[1:]


def test_links_from_the_web_are_not_files(composer):
    with dragged_over(composer, QPoint(5, 5), dragged_links("https://example.org/tides.pdf")) as is_taken:
        assert not is_taken


def test_pasted_files_are_attached_and_pasted_text_is_text(composer, paths):
    composer.text.insertFromMimeData(dragged_files(paths[0]))
    composer.text.insertFromMimeData(dragged_words("pasted"))
    assert composer.draft == Draft("pasted", paths[:1])


def test_folders_are_not_attached(composer, tmp_path):
    composer.attach_files((tmp_path, tmp_path / "gone.txt"))
    assert composer.draft.files == ()


def test_every_conversation_keeps_its_draft(composer, paths, qtbot):
    composer.open_draft("a")
    qtbot.keyClicks(composer.text, "for a")
    composer.attach_files(paths[:1])
    composer.open_draft("b")
    assert composer.draft == Draft()
    qtbot.keyClicks(composer.text, "for b")
    composer.open_draft("a")
    assert composer.draft == Draft("for a", paths[:1])
    composer.open_draft("b")
    assert composer.draft.text == "for b"


def test_what_could_not_be_sent_comes_back_before_what_was_written_since(composer, paths):
    composer.put(Draft("written since", paths[:1]))
    composer.give_back("", Draft("the question", paths[1:]))
    assert composer.draft == Draft("the question\n\nwritten since", (*paths[1:], *paths[:1]))
    composer.give_back("other", Draft("of another conversation"))
    composer.open_draft("other")
    assert composer.draft == Draft("of another conversation")


def test_what_is_replaced_can_be_undone_but_not_into_another_conversation(composer):
    composer.put(Draft("written with care"))
    composer.put(Draft("an old question to edit"))
    composer.text.undo()
    assert composer.draft.text == "written with care"
    composer.open_draft("other")
    composer.text.undo()
    assert composer.draft.text == ""


def test_a_draft_follows_a_conversation_that_gets_its_id(composer, qtbot):
    qtbot.keyClicks(composer.text, "next")
    composer.move_draft("c1")
    composer.open_draft("other")
    composer.open_draft("c1")
    assert composer.draft.text == "next"


ENGINES = (
    EngineInfo("bing", "Bing", False, True),
    EngineInfo("tavily", "Tavily", True, False),
    EngineInfo("searxng", "SearXNG", False, False),
    EngineInfo("exa", "Exa", True, True),
)


def test_the_web_switch_offers_engines_and_names_what_is_missing(composer, qtbot):
    composer.web.set_engines(ENGINES)
    menu = composer.web.menu()
    menu.aboutToShow.emit()
    assert named(menu)["Automatic"].isChecked()
    picked = []
    composer.web.picked.connect(picked.append)
    for words in ("Tavily (needs a key)", "SearXNG (needs an address)"):  # lead to where it is given
        with qtbot.wait_signal(composer.web.setup_asked):
            named(composer.web.unready)[words].trigger()
    assert picked == []
    named(menu)["Exa"].trigger()
    named(composer.web.one)["Bing"].trigger()
    assert picked == ["exa", "bing"]
    assert composer.web.text() == "Bing"
    menu.aboutToShow.emit()
    assert named(composer.web.one)["Bing"].isChecked()
    assert "Only Bing" in named(menu)  # is seen without opening it
    composer.web.set_choice(WEB_AUTO)
    with qtbot.wait_signal(composer.web.setup_asked):
        named(menu)["Search settings…"].trigger()


def test_the_menu_of_web_search_fits_a_small_window_and_the_keyboard_leads_through_it(composer, qtbot):
    free = tuple(EngineInfo(f"free{count}", f"Free {count}", False, True) for count in range(16))
    keyed = tuple(EngineInfo(f"keyed{count}", f"Keyed {count}", True, bool(count % 2)) for count in range(8))
    composer.web.set_engines((*free, *keyed))
    menu = composer.web.menu()
    menu.popup(QPoint(10, 10))
    assert max(each.sizeHint().height() for each in (menu, composer.web.one, composer.web.unready)) < 560
    assert menu.sizeHint().height() < 400
    keys = Qt.Key
    while menu.activeAction() is None or menu.activeAction().menu() is not composer.web.one:
        qtbot.keyClick(menu, keys.Key_Down)
    qtbot.keyClick(menu, keys.Key_Right)
    qtbot.wait_until(composer.web.one.isVisible)
    qtbot.keyClick(composer.web.one, keys.Key_Down)
    with qtbot.wait_signal(composer.web.picked) as picked:
        qtbot.keyClick(composer.web.one, keys.Key_Return)
    assert picked.args == ["free1"]


def named(menu) -> dict[str, QAction]:
    return {action.text(): action for action in menu.actions()}


def models(count: int) -> tuple[ModelInfo, ...]:
    cloud = (ModelInfo(f"p{n // 4}/m{n}", f"m{n}", f"Provider {n // 4}") for n in range(count))
    return (ModelInfo(QUOTES_MODEL, "Quotes", ""), *cloud)


def test_the_model_picker_groups_by_provider(composer, qtbot):
    composer.model.set_models(models(6))
    menu = composer.model.menu()
    menu.popup(QPoint(10, 10))
    rows = [menu.list.rows.item(row).text() for row in range(menu.list.rows.rowCount())]
    assert rows == ["Quotes  ✓", "Provider 0", "m0", "m1", "m2", "m3", "Provider 1", "m4", "m5"]
    assert not menu.list.filter.isVisible()
    with qtbot.wait_signal(composer.model.picked) as picked:
        menu.list.view.clicked.emit(menu.list.rows.index(3, 0))
    assert picked.args == ["p0/m1"]
    assert composer.model.text() == "m1"
    assert not menu.isVisible()


def test_many_models_can_be_filtered_from_the_keyboard(composer, qtbot):
    composer.model.set_models(models(FILTER_FROM * 2))
    menu = composer.model.menu()
    menu.popup(QPoint(10, 10))
    qtbot.keyClicks(menu.list.filter, "m1 provider m11")
    rows = [menu.list.rows.item(row).text() for row in range(menu.list.rows.rowCount())]
    assert rows == ["Provider 2", "m11"]
    with qtbot.wait_signal(composer.model.picked) as picked:
        qtbot.keyClick(menu.list.filter, Qt.Key.Key_Down)
        qtbot.keyClick(menu.list.view, Qt.Key.Key_Return)
    assert picked.args == ["p2/m11"]


def test_attachments_break_into_rows(composer, tmp_path):
    files = [tmp_path / f"a-rather-long-name-{n}.txt" for n in range(12)]
    for path in files:
        path.write_text("x")
    composer.attach_files(tuple(Path(path) for path in files))
    tops = {chip.y() for chip in composer.files._chips}
    assert len(tops) > 1
    assert composer.files.height() >= max(tops)


def test_pills_give_up_their_words_in_a_narrow_window_and_say_them_again(composer, qtbot):
    change_all(composer)
    pills = (composer.assistant, composer.web, composer.research, composer.model)
    composer.resize(900, 300)
    qtbot.wait_until(lambda: all(map(has_words, pills)))
    assert not has_words(composer.memory)
    widths = count(900, -10)  # how much of it words take depends on the font

    def narrower():
        composer.resize(next(widths), 300)
        return not has_words(composer.model)

    qtbot.wait_until(narrower)
    assert has_words(composer.web)
    qtbot.wait_until(lambda: all(pill.width() >= pill.sizeHint().width() for pill in pills))
    composer.resize(900, 300)
    qtbot.wait_until(lambda: all(map(has_words, pills)))


def test_only_what_is_not_the_default_is_shown_beside_web_and_model(composer, qtbot):
    switches = (composer.assistant, composer.bases, composer.memory, composer.local_only, composer.research)
    assert composer.web.isVisible()
    assert composer.model.isVisible()
    assert [switch for switch in switches if switch.isVisible()] == []
    assert [action.text() for action in composer.plus_menu.plain_actions] == [
        "Attach files…",
        "Keep this chat on this computer",
    ]
    change_all(composer)
    assert [switch for switch in switches if not switch.isVisible()] == [composer.bases]
    composer.local_only.show_choice(is_on=False)
    composer.memory.show_choice(is_on=True)
    assert not composer.local_only.isVisible()
    assert not composer.memory.isVisible()
    last = composer.plus_menu.plain_actions[-1]
    assert (last.text(), last.isChecked()) == ("Use memory in this chat", True)
    last.trigger()
    assert not composer.memory.is_on
    assert composer.memory.isVisible()


def change_all(composer):
    """Change the switches that are shown only then."""
    composer.assistant.set_choice(Assistant("cook", "Cook"))
    composer.memory.set_offered(True)
    composer.memory.show_choice(is_on=False)
    composer.local_only.show_choice(is_on=True)
    composer.research.set_choice(Depth.QUICK, ())


def test_a_longer_name_takes_the_room_of_other_words(composer, qtbot):
    change_all(composer)
    composer.resize(900, 300)
    qtbot.wait_until(lambda: has_words(composer.research))
    names = accumulate(repeat("room "))  # how much of it there is depends on the font

    def gives_up():
        composer.model.show_state(next(names), "Model", is_active=False)
        return not has_words(composer.research)

    qtbot.wait_until(gives_up)
    assert has_words(composer.model)


def has_words(pill):
    return pill.toolButtonStyle() is Qt.ToolButtonStyle.ToolButtonTextBesideIcon


def test_what_is_typed_has_the_size_of_the_page_and_the_field_grows_with_it(composer):
    composer.set_zoom(1)
    height = composer.text.minimumSizeHint().height()
    composer.set_zoom(1.5)
    assert composer.text.fontInfo().pixelSize() == 24
    assert composer.text.minimumSizeHint().height() >= height + 8
    composer.set_zoom(1, text_size=1.5)  # the window's text is larger than that of the page
    assert composer.text.fontInfo().pixelSize() == 24
