"""What people do every day, one thing after another in one window, with real keys and a real mouse."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit

from desktop.domain.sources import Source
from desktop.ui.composer.completion import CompletionPopup
from desktop.ui.dialogs.history_dialog import HistoryDialog
from desktop.ui.settings.dialog import SettingsDialog
from desktop.ui.viewer.window import SourcePanel
from tests.e2e.model_server import provider
from tests.e2e.person import Person
from tests.e2e.window import configure, running_window

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
WHEN = "In which year was the lighthouse of Velmora built?"
WHO = "Who built the lighthouse of Velmora?"
KEEPER = "Who was the first keeper of the lighthouse?"


@pytest.mark.timeout(400)
def test_what_people_do_every_day(qapp, tmp_path, site, model_server, keepers):
    data = tmp_path / "data"
    configure(data, site, providers=[provider(model_server)], was_welcomed=False)
    with running_window(qapp, data) as driver:
        driver.frame.resize(1200, 860)
        person = Person(driver)
        begin_without_key_or_model(person)

        # Ask the web, look behind a number, go there, and take the answer along with its sources.
        person.ask(WHEN)
        person.sees("1873")
        card = person.hover("a.citation")
        assert "The lighthouse of Velmora" in card
        assert "It was built in 1873" in card
        assert follow(person).title == "The lighthouse of Velmora"
        for copy in (press_copy, copy_by_key):
            copied = what_is_copied(person, copy)
            assert "1873" in copied
            assert "[^1]: [The lighthouse of Velmora]" in copied
            assert site.origin.rpartition(":")[2] in copied

        # Ask something else in its place, and find words in the answer.
        take_up_again(person, WHEN)
        person.key(Qt.Key.Key_A, CTRL)
        person.write(WHO)
        person.send()
        person.sees("Ada Korsten", without=WHEN)
        find_words(person, "Korsten", found="1 of")

        # Drop a file, ask about it, read the passage where it stands.
        person.key(Qt.Key.Key_N, CTRL)
        person.drop(keepers, person.window.composer.text.viewport())
        assert person.window.composer.draft.files == (keepers,)
        person.ask(KEEPER)
        person.sees("Jonas Brandt")
        assert "keepers.pdf" in person.hover("a.citation")
        assert "keepers.pdf" in title_of_the_viewer(person)

        # Pick a model by typing its name, and stop what it says.
        model_server.pieces, model_server.hold_at = ("Half an answer", " and the rest"), 1
        person.key(Qt.Key.Key_N, CTRL)
        pick_model(person, "@scri", model="loopback/scripted")
        person.write("Tell me")
        person.key(Qt.Key.Key_Return)
        person.sees("Half an answer")
        person.key(Qt.Key.Key_Escape)
        driver.wait_for(lambda: not person.window.sessions.is_running, "the turn has stopped")
        assert "and the rest" not in person.text

        # Say it better, and turn back to what was said before.
        model_server.pieces, model_server.hold_at = ("A better answer.",), None
        take_up_again(person, "Tell me")
        person.key(Qt.Key.Key_End)
        person.write(" more about keepers")
        person.send()
        person.sees("A better answer.")
        person.press(".person [data-action=earlier]")
        person.sees("Half an answer")

        # Keep the list tidy: name a conversation, delete it, have it back, open it again.
        rename(person, KEEPER, "Keepers")
        assert "Keepers" in driver.frame.windowTitle()
        before = person.listed
        delete(person, "Keepers")
        assert len(person.listed) == len(before) - 1
        person.click(person.window.notices.action)
        driver.wait_for(lambda: person.listed == before, "the list as it was")
        person.choose("Keepers")
        person.sees("Jonas Brandt", without="Ada Korsten")

        # Search all that was ever said, and go there.
        open_what_was_said(person, "Korsten engineer")
        person.sees("Ada Korsten")

        # Change how it looks, and which language it speaks: both at once, and both found by their names.
        assert [lightness < 128 for lightness in lightness_of_the_themes(person)] == [True, False]
        assert speak_chinese(person) == "设置"
        assert person.window.composer.text.placeholderText().startswith("想问什么")
        speak_english_again(person)


def begin_without_key_or_model(person: Person) -> None:
    person.driver.wait_for(lambda: person.window.transcripts.first_start, "the first start")
    person.click(person.window.transcripts.first_start.quotes.begin)
    person.driver.wait_for(lambda: person.window.transcripts.first_start is None, "an empty conversation")
    person.come_back()


def follow(person: Person) -> Source:
    followed: list[Source] = []
    person.window.transcripts.page.source_followed.connect(followed.append)
    person.press("a.citation")
    person.driver.wait_for(lambda: followed, "the source was followed")
    return followed[0]


def press_copy(person: Person) -> None:
    person.press(".answer [data-action=copy]")


def copy_by_key(person: Person) -> None:
    person.key(Qt.Key.Key_C, CTRL | SHIFT)


def what_is_copied(person: Person, copy: Callable[[Person], None]) -> str:
    clipboard = QGuiApplication.clipboard()
    clipboard.clear()
    copy(person)
    person.driver.wait_for(clipboard.text, "something in the clipboard")
    return clipboard.text()


def take_up_again(person: Person, question: str) -> None:
    composer = person.window.composer
    person.press(".person [data-action=edit]")
    person.driver.wait_for(lambda: composer.draft.text == question, "the question to edit")
    person.driver.wait_for(composer.text.hasFocus, "the keyboard in the message")


def find_words(person: Person, words: str, *, found: str) -> None:
    bar = person.window.transcripts.page.find_bar
    person.key(Qt.Key.Key_F, CTRL)
    person.driver.wait_for(bar.words.hasFocus, "the keyboard in the bar")
    person.write(words)
    person.driver.wait_for(lambda: bar.count.text().startswith(found), f"{found} …")
    person.key(Qt.Key.Key_Escape)
    person.driver.wait_for(lambda: not bar.isVisible(), "the bar is gone")


def title_of_the_viewer(person: Person) -> str:
    person.press("a.citation")

    def shown() -> list[SourcePanel]:
        return [each for each in person.window.findChildren(SourcePanel) if each.isVisible()]

    person.driver.wait_for(shown, "the panel")
    [panel] = shown()
    assert panel.viewer is not None
    title = panel.viewer.windowTitle()
    person.click(panel.leave)
    person.driver.wait_for(panel.isHidden, "the panel is gone")
    return title


def pick_model(person: Person, typed: str, *, model: str) -> None:
    person.write(typed)
    person.driver.wait_for(person.window.findChild(CompletionPopup).isVisible, "the models to choose from")
    person.key(Qt.Key.Key_Return)
    person.driver.wait_for(lambda: person.window.composer.model.choice == model, "the model is chosen")


def rename(person: Person, title: str, name: str) -> None:
    person.choose(title)
    person.key(Qt.Key.Key_F2)
    person.driver.wait_for(lambda: isinstance(QApplication.focusWidget(), QLineEdit), "the name to edit")
    person.write(name)
    person.key(Qt.Key.Key_Return)
    person.driver.wait_for(lambda: name in person.listed, "the new name")


def delete(person: Person, title: str) -> None:
    person.choose(title)
    person.key(Qt.Key.Key_Delete)
    person.driver.wait_for(lambda: title not in person.listed, f"{title} is gone")


def open_what_was_said(person: Person, words: str) -> None:
    person.key(Qt.Key.Key_F, CTRL | SHIFT)
    history = person.opened(HistoryDialog)
    person.driver.wait_for(history.words.hasFocus, "the keyboard in the search")
    person.write(words)
    person.driver.wait_for(lambda: history.model.rowCount() > 0, "hits")
    person.key(Qt.Key.Key_Return)
    person.come_back()


def open_setting(person: Person, name: str) -> SettingsDialog:
    person.key(Qt.Key.Key_Comma, CTRL)
    settings = person.opened(SettingsDialog)
    person.key(Qt.Key.Key_F, CTRL)
    person.driver.wait_for(settings.side.field.hasFocus, "the keyboard in the search")
    person.write(name)
    person.driver.wait_for(settings.side.hits.count, "what is called so")
    person.key(Qt.Key.Key_Return)
    person.driver.wait_for(lambda: isinstance(QApplication.focusWidget(), QComboBox), "the choice")
    return settings


def lightness_of_the_themes(person: Person) -> list[int]:
    """Pick the last theme and the first one."""
    settings, seen = open_setting(person, "theme"), [lightness(person)]
    for key in (Qt.Key.Key_End, Qt.Key.Key_Home):
        person.key(key)
        person.driver.wait_for(lambda: lightness(person) != seen[-1], "another look")
        seen.append(lightness(person))
    person.key(Qt.Key.Key_Escape)
    person.driver.wait_for(lambda: not settings.isVisible(), "the settings are closed")
    person.come_back()
    return seen[1:]


def lightness(person: Person) -> int:
    return person.driver.frame.grab().toImage().pixelColor(5, 5).lightness()


def speak_chinese(person: Person) -> str:
    """Pick the last language, and return what the settings are called in it."""
    settings = open_setting(person, "language")
    person.key(Qt.Key.Key_End)
    person.driver.wait_for(lambda: settings.windowTitle() != "Settings", "another language")
    settings.close()
    return settings.windowTitle()


def speak_english_again(person: Person) -> None:
    """Leave the language as it was: it is the application's, and others come next in this process."""
    store, text = person.window.store, person.window.composer.text
    store.apply(replace(store.settings, window=replace(store.settings.window, language="en")))
    person.driver.wait_for(lambda: text.placeholderText().startswith("Ask anything"), "the window in English")
