"""What ends while the user looks at something else is told, once, and a click leads there."""

import asyncio
from dataclasses import replace

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QSystemTrayIcon, QWidget

from desktop.chat.api.conversations import NotificationResult
from desktop.chat.api.engine import Question
from desktop.domain.events import ToolAsks
from desktop.domain.knowledge import BaseInfo
from desktop.domain.models import ToolCall
from desktop.ui.settings.pages.program import NotificationRow
from desktop.ui.window.notifications import Notifications, Tray
from tests.ui.fakes.scripts import script_result
from tests.ui.parts import build_parts


@pytest.fixture
def tray(window):
    return Tray(window.store, window)


def test_its_menu_asks_for_what_it_says(tray, window, qtbot):
    for action, signal in zip(
        tray.actions, (tray.called, tray.new_asked, tray.quick_asked, tray.quit_asked), strict=True
    ):
        with qtbot.wait_signal(signal):
            action.trigger()


def test_a_click_calls_the_window(tray, window, qtbot):
    with qtbot.wait_signal(tray.called):
        tray.icon.activated.emit(QSystemTrayIcon.ActivationReason.Trigger)


def test_it_speaks_the_language_of_the_window(tray, window, qtbot):
    window.looks.translations.use("zh_CN")
    qtbot.wait_until(
        lambda: [each.text() for each in tray.actions] == ["打开 Footnote", "新对话", "快速提问", "退出"]
    )


@pytest.fixture
def core(engine, loop, qtbot):
    window = QWidget()
    qtbot.add_widget(window)
    core = build_parts(engine, loop, window)
    core.sessions.list_outdated.connect(core.library.refresh)
    core.library.listed.connect(core.sidebar.show_conversations)
    core.notifying = notifying = Notifications(
        engine.port.notes, loop, store=core.store, titles=core.sidebar.model, window=window
    )
    core.sessions.answer_ended.connect(notifying.note_ended)
    core.sessions.all_running_changed.connect(notifying.note_running)
    core.sessions.tool_asked.connect(notifying.tell_tool)
    core.knowledge_store.added.connect(notifying.watch)
    notifying.conversation_asked.connect(core.sessions.open)
    others = QGuiApplication.topLevelWindows
    qtbot.wait_until(lambda: not any(each.isActive() and each.isVisible() for each in others()))
    yield core
    core.sessions.stop_all()
    core.knowledge_store.cancel_all()
    notifying.withdraw()


@pytest.fixture
def gate():
    """Notes are clicked once it is open."""
    return asyncio.Event()


@pytest.fixture
def notes(engine, gate):
    """Return the notes that were shown."""
    return script_result(engine.notes, "show", gate, NotificationResult.CLICKED)


def ask(core, text: str) -> None:
    core.sessions.ask(Question(text, ""))


def test_an_answer_that_ends_in_the_background_is_told_and_a_click_opens_it(core, notes, gate, engine, qtbot):
    ask(core, "How do tides work?")
    qtbot.wait_until(lambda: len(notes) == 1)
    assert (notes[0][0].title, notes[0][0].text) == ("How do tides work?", "The answer is ready.")
    answered = core.sessions.current
    core.sessions.open("")
    with qtbot.wait_signal(core.notifying.called):
        engine.release(gate)
    assert core.sessions.current == answered


def test_nobody_who_looks_is_told(core, notes, qtbot):
    core.window.show()
    core.window.activateWindow()
    qtbot.wait_until(core.window.isActiveWindow)
    ask(core, "How do tides work?")
    with qtbot.wait_signal(core.sessions.answer_ended):
        pass
    qtbot.wait_until(lambda: not core.sessions.is_running)
    assert notes == []


def test_all_notes_go_when_the_person_is_back(core, notes, qtbot):
    ask(core, "How do tides work?")
    qtbot.wait_until(lambda: len(notes) == 1)
    core.window.show()
    core.window.activateWindow()
    qtbot.wait_until(lambda: notes.cancelled == 1)


def test_the_switch_in_the_settings_holds(core, notes, qtbot):
    settings = core.store.settings
    core.store.apply(replace(settings, program=replace(settings.program, notifies=False)))
    ask(core, "How do tides work?")
    with qtbot.wait_signal(core.sessions.answer_ended):
        pass
    qtbot.wait_until(lambda: not core.sessions.is_running)
    assert notes == []


def test_what_is_stopped_is_no_news(core, engine, notes, loop, qtbot):
    engine.models.is_gated = True
    ask(core, "How do tides work?")
    with qtbot.wait_signal(core.sessions.event_arrived):
        pass
    core.sessions.stop()
    qtbot.wait_until(lambda: not core.sessions.is_running)
    assert notes == []


def test_a_tool_that_asks_takes_the_place_of_the_note_before(core, notes, engine, qtbot):
    conversation = engine.put("Ships", texts=("a", "b"))
    with qtbot.wait_signal(core.library.listed):
        core.library.refresh()
    for number, name in enumerate(("read_mail", "send_mail"), 1):
        core.sessions.tool_asked.emit(conversation, ToolAsks(name, ToolCall("1", name, "{}"), "mail"))
        qtbot.wait_until(lambda shown=number: len(notes) == shown)
    qtbot.wait_until(lambda: notes.cancelled == 1)
    assert notes[1][0].title == "Ships"
    assert "send_mail" in notes[1][0].text


@pytest.mark.usefixtures("in_english")
def test_files_that_went_into_a_base_are_counted(core, notes, tmp_path, qtbot):
    good, bad = tmp_path / "good.txt", tmp_path / "bad.pdf"
    good.write_text("x")
    bad.write_text("%PDF-")  # and nothing that could be read
    with qtbot.wait_signal(core.knowledge_store.created) as created:
        core.knowledge_store.create("Physics")
    base = created.args[0]
    assert isinstance(base, BaseInfo)
    core.knowledge_store.add(base, (good, bad))
    qtbot.wait_until(lambda: len(notes) == 1)
    assert notes[0][0].title == "1 item added to “Physics”"
    assert notes[0][0].text == "1 item not added"


def test_without_a_place_for_notes_the_tray_shows_them(core, engine, qtbot, monkeypatch):
    told = []
    monkeypatch.setattr(QSystemTrayIcon, "isVisible", lambda _icon: True)
    monkeypatch.setattr(
        QSystemTrayIcon, "showMessage", lambda _icon, title, text, _image: told.append((title, text))
    )
    script_result(engine.notes, "show", NotificationResult.NO_PLACE)
    tray = Tray(core.store, core.window)
    ask(core, "How do tides work?")
    qtbot.wait_until(lambda: told == [("How do tides work?", "The answer is ready.")])
    answered = core.sessions.current
    core.sessions.open("")
    with qtbot.wait_signal(core.notifying.called):
        tray.icon.messageClicked.emit()
    assert core.sessions.current == answered


def test_a_note_can_be_tried_in_the_settings(context, engine, notes, gate, qtbot):
    row = NotificationRow(context, None)
    qtbot.add_widget(row)
    row.button.click()
    qtbot.wait_until(lambda: len(notes) == 1)
    assert "Click it" in row.state.text()
    engine.release(gate)
    qtbot.wait_until(lambda: "Notifications work" in row.state.text())
    script_result(engine.notes, "show", NotificationResult.NO_PLACE)
    row.button.click()
    qtbot.wait_until(lambda: "tray" in row.state.text())
