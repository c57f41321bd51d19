"""What a person tells one conversation is known in the next: proposed, agreed to, cited, shown, left out."""

import json

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from desktop.domain.sources import SourceKind
from desktop.domain.tools import Consent
from desktop.ui.settings.pages.memory import MemoryPanel
from tests.e2e.model_server import provider, running_model_server
from tests.e2e.site import running_site
from tests.e2e.window import configure, running_window

FACT = "I am allergic to peanuts."
MARKS = "document.querySelectorAll('a.citation')"


def press(driver, button):
    driver.wait_for(lambda: button.isVisible() and button.isEnabled(), button.text())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_a_fact_that_was_agreed_to_is_cited_in_another_conversation_and_shown_on_its_page(qapp, tmp_path):
    data = tmp_path / "data"
    with running_site() as site, running_model_server() as server:
        chat = {"model": "loopback/scripted"}
        configure(data, site, chat=chat, search={"choice": "off"}, providers=[provider(server)])
        server.calls, server.pieces = [("remember", {"fact": FACT})], ("Try almonds.",)
        with running_window(qapp, data) as driver:
            window = driver.window
            driver.type_question("I am allergic to peanuts. What can I bake?")
            press(driver, window.consent_bar.buttons[Consent.ONCE])
            driver.wait_for(lambda: not window.sessions.is_running, "the turn has ended")
            driver.wait_for(lambda: window.composer.memory.is_offered, "there is something to remember")
            results = [message for message in server.requests[-1]["messages"] if message["role"] == "tool"]
            assert FACT in results[0]["content"]

            window.start_new()
            server.pieces = ("Not for you [1].",)
            driver.ask("May I eat satay with peanuts?")
            assert FACT in json.dumps(server.requests[-1]["messages"])
            followed = []
            window.transcripts.memory_followed.connect(followed.append)
            driver.wait_for_page(f"{MARKS}.length")
            driver.script(f"{MARKS}[0].click()")
            driver.wait_for(lambda: window.findChild(MemoryPanel), "the page of memories")
            panel = window.findChild(MemoryPanel)
            driver.wait_for(lambda: panel.chosen is not None, "the memory is chosen")
            assert [(source.kind, source.number) for source in followed] == [(SourceKind.MEMORY, 1)]
            assert panel.chosen.text == FACT
            panel.window().close()

            menu = {action.text(): action for action in window.composer.plus_menu.plain_actions}
            menu["Use memory in this chat"].trigger()
            assert window.composer.memory.isVisible()  # it is not as usual now
            window.composer.text.clear()
            driver.ask("Which peanuts are best?")
            assert 'kind=\\"memory\\"' not in json.dumps(server.requests[-1]["messages"][-1])
