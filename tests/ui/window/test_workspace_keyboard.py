"""The keyboard's way through the window with a conversation in it, and finding words in it."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from desktop.domain.messages import MessageStatus
from tests.ui.on_page import script, wait_for_text


def opened(open_window, engine, qtbot, texts=("How?", "Tides follow the moon [1].")):
    conversation = engine.put("Tides", texts=texts)
    window = open_window()
    with qtbot.waitActive(window):
        window.activateWindow()
    window.sessions.open(conversation)
    wait_for_text(window, qtbot, texts[-1].partition(" [")[0])
    return window


def test_the_page_lies_between_the_header_and_the_composer_for_the_keyboard(open_window, engine, qtbot):
    window = opened(open_window, engine, qtbot)
    window.composer.text.setFocus()
    qtbot.waitUntil(window.composer.text.hasFocus)
    qtbot.keyClick(window.composer.text, Qt.Key.Key_Backtab)
    page = window.transcripts.page
    qtbot.waitUntil(lambda: page.isAncestorOf(QApplication.focusWidget()))
    qtbot.waitUntil(
        lambda: script(window, qtbot, "document.hasFocus() && !!document.activeElement.closest('.message')")
    )


def test_tab_leads_through_all_of_the_window_before_it_comes_to_the_page(open_window, engine, qtbot):
    window = opened(open_window, engine, qtbot)
    header, page = window.pane.header, window.transcripts.page
    stops = (*window.composer.tab_stops, *window.sidebar.tab_stops, header.toggle, header.share)
    expected = [stop for stop in stops if stop.isVisible() and stop.isEnabled()]
    window.composer.text.setFocus()
    qtbot.waitUntil(window.composer.text.hasFocus)
    reached = [QApplication.focusWidget()]
    while len(reached) <= len(expected):
        qtbot.keyClick(reached[-1], Qt.Key.Key_Tab)
        reached.append(QApplication.focusWidget())
    assert reached[:-1] == expected
    assert page.isAncestorOf(reached[-1])


def test_words_are_found_from_the_keyboard(open_window, engine, qtbot):
    texts = [f"Message {number} of the tide" for number in range(40)]
    window = opened(open_window, engine, qtbot, texts)
    window.shortcuts["find"].trigger()
    bar = window.transcripts.page.find_bar
    qtbot.waitUntil(bar.words.hasFocus)
    bar.words.setText("message 7 of")
    qtbot.waitUntil(lambda: bar.count.text() == "1 of 1")
    bar.words.setText("tide")
    qtbot.waitUntil(lambda: bar.count.text().endswith(" of 40"))
    first = int(bar.count.text().split()[0])
    qtbot.keyClick(bar.words, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: bar.count.text() == f"{first % 40 + 1} of 40")
    qtbot.keyClick(bar.words, Qt.Key.Key_Escape)
    assert bar.isHidden()
    qtbot.waitUntil(lambda: script(window, qtbot, "CSS.highlights.get('found').size") == 0)


def test_an_interrupted_answer_goes_on_from_its_notice(open_window, engine, qtbot):
    conversation = engine.put("Tides", texts=("How?", "Tides fo"))
    answer = engine.change(conversation, 1, status=MessageStatus.INTERRUPTED)
    window = open_window()
    window.sessions.open(conversation)
    wait_for_text(window, qtbot, "Footnote quit before this answer was finished.")
    script(window, qtbot, "document.querySelector('.notice [data-action=continue]').click(), 1")
    wait_for_text(window, qtbot, "Tides foTides follow the moon")
    assert engine.load(conversation).messages[1].id == answer.id
