"""A person who changes their mind, with real keys and a real mouse: edits, turns back, asks again, deletes, restarts."""

import json

import pytest
from PySide6.QtCore import Qt

from tests.e2e.model_server import provider
from tests.e2e.person import Person
from tests.e2e.window import running_window

SAID = (
    "[...document.querySelectorAll('.message')].map(e => e.querySelector('.bubble, .text').innerText.trim())"
)


@pytest.fixture
def data(tmp_path, model_server):
    folder = tmp_path / "data"
    folder.mkdir()
    settings = {
        "was_welcomed": True,
        "chat": {"model": "loopback/scripted"},
        "search": {"choice": "off"},
        "providers": [provider(model_server)],
    }
    (folder / "settings.json").write_text(json.dumps(settings))
    return folder


def until_said(driver, messages):
    """Wait until these and no others are on the page, which is behind what it is told to show."""
    driver.wait_for(lambda: driver.script(SAID) == messages, f"{messages} alone")


def test_a_person_who_changes_their_mind_loses_nothing(qapp, data, model_server):
    with running_window(qapp, data) as driver:
        person, composer = Person(driver), driver.window.composer
        person.come_back()
        model_server.pieces = ("Jonas Brandt.",)
        person.ask("Who was the first keeper?")
        first = ["Who was the first keeper?", "Jonas Brandt."]
        until_said(driver, first)
        model_server.pieces = ("Ada Korsten.",)
        person.press(".person [data-action=edit]")
        driver.wait_for(lambda: composer.draft.text == first[0], "the question to edit")
        driver.wait_for(composer.text.hasFocus, "the keyboard in the message")
        person.key(Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
        person.write("Who was the second keeper?")
        person.send()
        until_said(driver, ["Who was the second keeper?", "Ada Korsten."])
        model_server.pieces = ("It was Ada.",)
        person.press(".answer [data-action=retry]")
        second = ["Who was the second keeper?", "It was Ada."]
        until_said(driver, second)
        driver.wait_for(lambda: not driver.window.sessions.is_running, "the turn has ended")
        driver.wait_for_page("document.querySelectorAll('.variants').length === 2")
    with running_window(qapp, data) as driver:
        person = Person(driver)
        driver.wait_for(lambda: driver.window.sidebar.model.ids, "the conversation is listed")
        driver.window.sessions.open(next(iter(driver.window.sidebar.model.ids)))
        until_said(driver, second)
        person.press(".person [data-action=earlier]")
        driver.wait_for_page(f"{SAID}[0] === {first[0]!r}")
        until_said(driver, first)
        person.press(".answer [data-action=more]")
        person.pick("delete")
        until_said(driver, first[:1])
        person.click(driver.window.notices.action)
        until_said(driver, first)
    # What was asked and answered in one version was never told in another one.
    assert ["Jonas" in json.dumps(request["messages"]) for request in model_server.requests] == [False] * 3
