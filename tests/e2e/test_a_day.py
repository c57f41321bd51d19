"""What people do every day, one thing after another in one window, with real keys and a real mouse."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtWidgets import QApplication, QComboBox, QLineEdit
from reportlab.pdfgen.canvas import Canvas

from desktop.ui.composer_popup import ChoicePopup
from desktop.ui.history_dialog import HistoryDialog
from desktop.ui.settings.dialog import SettingsDialog
from desktop.ui.viewer import Viewer
from tests.e2e.model_server import provider, running_model_server
from tests.e2e.person import Person
from tests.e2e.site import running_site
from tests.e2e.window import configure, running_window

CTRL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
WHEN = "In which year was the lighthouse of Velmora built?"
WHO = "Who built the lighthouse of Velmora?"
KEEPER = "Who was the first keeper of the lighthouse?"


@pytest.fixture
def site():
    with running_site() as running:
        yield running


@pytest.fixture
def server():
    with running_model_server() as running:
        yield running


@pytest.fixture
def keepers(tmp_path) -> Path:
    path = tmp_path / "keepers.pdf"
    canvas = Canvas(str(path))
    canvas.drawString(72, 700, "The first keeper of the Velmora lighthouse was Jonas Brandt.")
    canvas.showPage()
    canvas.save()
    return path


@pytest.mark.timeout(240)
def test_what_people_do_every_day(qapp, tmp_path, site, server, keepers):
    data = tmp_path / "data"
    configure(data, site, providers=[provider(server)], was_welcomed=False)
    with running_window(qapp, data) as driver:
        driver.frame.resize(1200, 860)
        person = Person(driver)
        begin(person)
        ask_the_web(person)
        look_behind_a_number(person)
        copy_the_answer(person, site)
        ask_in_other_words(person)
        find_words(person)
        ask_a_file(person, keepers)
        stop_an_answer(person, server)
        say_it_better(person, server)
        name_a_conversation(person)
        delete_one_and_have_it_back(person)
        go_back_to_another(person)
        find_what_was_said(person)
        change_the_look(person)
        change_the_language(person)


def begin(person: Person) -> None:
    """Start with neither key nor model."""
    person.driver.wait_for(lambda: person.window.stage.first_start, "the first start")
    person.click(person.window.stage.first_start.quotes.begin)
    person.driver.wait_for(lambda: person.window.stage.first_start is None, "an empty conversation")
    person.come_back()


def ask_the_web(person: Person) -> None:
    """Ask, and get an answer with sources."""
    person.ask(WHEN)
    person.sees("1873")


def look_behind_a_number(person: Person) -> None:
    """Read the passage that a number stands for, and go where it is from."""
    card = person.hover("a.citation")
    assert "The lighthouse of Velmora" in card
    assert "It was built in 1873" in card
    followed: list = []
    person.window.stage.page.source_followed.connect(followed.append)
    person.press("a.citation")
    person.driver.wait_for(lambda: followed, "the source was followed")
    assert followed[0].title == "The lighthouse of Velmora"


def copy_the_answer(person: Person, site) -> None:
    """Take an answer along with its sources, by key and by its button."""
    for copy in (
        lambda: person.key(Qt.Key.Key_C, CTRL | SHIFT),
        lambda: person.press(".answer [data-action=copy]"),
    ):
        QGuiApplication.clipboard().clear()
        copy()
        person.driver.wait_for(QGuiApplication.clipboard().text, "the answer in the clipboard")
        copied = QGuiApplication.clipboard().text()
        assert "1873" in copied
        assert "[^1]: [The lighthouse of Velmora]" in copied
        assert site.origin.rpartition(":")[2] in copied


def ask_in_other_words(person: Person) -> None:
    """Put another question in the place of the one that was asked."""
    person.press(".person [data-action=edit]")
    person.driver.wait_for(lambda: person.window.composer.draft.text == WHEN, "the question to edit")
    person.driver.wait_for(person.window.composer.text.hasFocus, "the keyboard in the message")
    person.key(Qt.Key.Key_A, CTRL)
    person.write(WHO)
    person.send()
    person.sees(WHO)
    person.sees("Ada Korsten")
    assert WHEN not in person.text


def find_words(person: Person) -> None:
    """Find words in the conversation."""
    person.key(Qt.Key.Key_F, CTRL)
    bar = person.window.stage.page.find_bar
    person.driver.wait_for(bar.words.hasFocus, "the keyboard in the bar")
    person.write("Korsten")
    person.driver.wait_for(lambda: bar.count.text().startswith("1 of"), "the words are found")
    person.key(Qt.Key.Key_Escape)
    person.driver.wait_for(lambda: not bar.isVisible(), "the bar is gone")


def ask_a_file(person: Person, keepers: Path) -> None:
    """Drop a file, ask about it, read the passage where it stands."""
    person.key(Qt.Key.Key_N, CTRL)
    person.drop(keepers, person.window.composer.text.viewport())
    assert person.window.composer.draft.files == (keepers,)
    person.ask(KEEPER)
    person.sees("Jonas Brandt")
    assert "keepers.pdf" in person.hover("a.citation")
    person.press("a.citation")
    person.opened(Viewer).close()
    person.come_back()


def stop_an_answer(person: Person, server) -> None:
    """Pick a model by typing its name, and stop what it says."""
    server.pieces, server.hold_at = ("Half an answer", " and the rest"), 1
    person.key(Qt.Key.Key_N, CTRL)
    person.write("@scri")
    person.driver.wait_for(person.window.findChild(ChoicePopup).isVisible, "the models to choose from")
    person.key(Qt.Key.Key_Return)
    model = person.window.composer.model
    person.driver.wait_for(lambda: model.choice == "loopback/scripted", "the model is chosen")
    person.write("Tell me")
    person.key(Qt.Key.Key_Return)
    person.sees("Half an answer")
    person.key(Qt.Key.Key_Escape)
    person.driver.wait_for(lambda: not person.window.desk.is_running, "the turn has stopped")
    assert "and the rest" not in person.text


def say_it_better(person: Person, server) -> None:
    """Write on in a question, and turn back to what was said before."""
    server.pieces, server.hold_at = ("A better answer.",), None
    person.press(".person [data-action=edit]")
    person.driver.wait_for(lambda: person.window.composer.draft.text == "Tell me", "the question to edit")
    person.driver.wait_for(person.window.composer.text.hasFocus, "the keyboard in the message")
    person.key(Qt.Key.Key_End)
    person.write(" more about keepers")
    person.send()
    person.sees("A better answer.")
    person.press(".person [data-action=earlier]")
    person.sees("Half an answer")


def name_a_conversation(person: Person) -> None:
    """Give the conversation about the file another name."""
    person.choose(KEEPER)
    person.key(Qt.Key.Key_F2)
    person.driver.wait_for(
        lambda: isinstance(QApplication.focusWidget(), QLineEdit), "the field for the name"
    )
    person.write("Keepers")
    person.key(Qt.Key.Key_Return)
    person.driver.wait_for(lambda: "Keepers" in person.listed, "the new name")
    person.driver.wait_for(lambda: "Keepers" in person.driver.frame.windowTitle(), "the new name above all")


def delete_one_and_have_it_back(person: Person) -> None:
    """Delete a conversation and take that back."""
    person.choose("Keepers")
    person.key(Qt.Key.Key_Delete)
    person.driver.wait_for(lambda: "Keepers" not in person.listed, "it is gone")
    person.click(person.window.notices.action)
    person.driver.wait_for(lambda: "Keepers" in person.listed, "it is back")


def go_back_to_another(person: Person) -> None:
    """Open a conversation of before; it is as it was."""
    person.choose("Keepers")
    person.sees("Jonas Brandt")


def find_what_was_said(person: Person) -> None:
    """Search all that was ever said, and go there."""
    assert "Ada Korsten" not in person.text
    person.key(Qt.Key.Key_F, CTRL | SHIFT)
    history = person.opened(HistoryDialog)
    person.driver.wait_for(history.words.hasFocus, "the keyboard in the search")
    person.write("Korsten engineer")
    person.driver.wait_for(lambda: history.model.rowCount() > 0, "hits")
    person.key(Qt.Key.Key_Return)
    person.sees("Ada Korsten")
    person.come_back()


def change_the_look(person: Person) -> None:
    """Set something, found by its name; it is so at once."""
    driver = person.driver
    settings = find_setting(person, "theme")
    driver.wait_for(lambda: isinstance(QApplication.focusWidget(), QComboBox), "the choice")
    before = corner(person)
    person.key(Qt.Key.Key_End)
    driver.wait_for(lambda: corner(person) != before, "the window in dark")
    person.key(Qt.Key.Key_Home)
    driver.wait_for(lambda: corner(person) == before, "the window in light again")
    person.key(Qt.Key.Key_Escape)
    driver.wait_for(lambda: not settings.isVisible(), "the settings are closed")
    person.come_back()


def change_the_language(person: Person) -> None:
    """Have everything said in another language."""
    settings = find_setting(person, "language")
    person.driver.wait_for(lambda: isinstance(QApplication.focusWidget(), QComboBox), "the choice")
    person.key(Qt.Key.Key_End)
    person.driver.wait_for(lambda: settings.windowTitle() == "设置", "the window in Chinese")
    assert person.window.composer.text.placeholderText().startswith("想问什么")
    settings.close()
    # The language is the application's: whoever comes next in this process speaks English.
    store = person.window.store
    store.apply(replace(store.settings, window=replace(store.settings.window, language="en")))
    person.driver.wait_for(
        lambda: person.window.composer.text.placeholderText().startswith("Ask anything"),
        "the window in English",
    )


def find_setting(person: Person, name: str) -> SettingsDialog:
    """Open the settings and go to what has a name."""
    person.key(Qt.Key.Key_Comma, CTRL)
    settings = person.opened(SettingsDialog)
    person.key(Qt.Key.Key_F, CTRL)
    person.driver.wait_for(settings.side.field.hasFocus, "the keyboard in the search")
    person.write(name)
    person.driver.wait_for(settings.side.hits.count, "what is called so")
    person.key(Qt.Key.Key_Return)
    return settings


def corner(person: Person) -> QColor:
    return person.driver.frame.grab().toImage().pixelColor(5, 5)
