"""The first start on a machine that has nothing: no key, no model, no browser, no network."""

import json

from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from tests.e2e.window import running_window

NOWHERE = "http://127.0.0.1:9"
TEXT = "document.querySelector('#conversation').innerText"
SENT = "[...document.querySelectorAll('.answer .sent')].map((one) => one.innerText)"


def test_nobody_is_stuck_who_has_nothing(qapp, tmp_path):
    search = {
        "browser_path": str(tmp_path / "no browser"),
        "engine_order": ["duckduckgo"],
        "engine_addresses": [["duckduckgo", NOWHERE], ["wikipedia", NOWHERE]],
        "allowed_hosts": ["127.0.0.1:9"],
    }
    (tmp_path / "settings.json").write_text(json.dumps({"search": search, "window": {"language": "en"}}))
    notes = tmp_path / "notes.md"
    notes.write_text("# Notes\n\nThe lighthouse of Velmora was built in 1873.\n")
    with running_window(qapp, tmp_path) as driver:
        window = driver.window
        driver.wait_for(
            lambda: "Web search needs a browser" in window.notices.text, "what is missing is said"
        )
        assert window.notices.action.isVisible()  # ... with the way out of it
        welcome = window.transcripts.first_start
        driver.wait_for(
            lambda: welcome.local.again.isVisible() or welcome.local.use.isVisible(),
            "no model was found and can be looked for again, or one was",
        )
        QTest.mouseClick(welcome.quotes.begin, Qt.MouseButton.LeftButton)
        assert window.transcripts.currentWidget() is window.transcripts.page
        driver.ask("What is a tombolo?")  # it ends, and says what stood in the way
        driver.wait_for_page(f"{TEXT}.includes('there is nothing to quote')")
        ways = (
            "[...document.querySelectorAll('.ways.missing-model button')].map((one) => one.innerText.trim())"
        )
        driver.wait_for_page(f"{ways}.join() === 'Try again'")  # ... a model would not help
        driver.wait_for_page(f"{TEXT}.includes('Files can be asked without a network')")
        driver.wait_for_page(f"{SENT}.join() === 'Stayed on this computer'")
        window.composer.attach_files((notes,))
        driver.ask("In which year was the lighthouse of Velmora built?")
        driver.wait_for_page(f"{TEXT}.includes('1873')")  # files need none of all that
        driver.wait_for_page(f"{SENT}.length === 2")  # all that belongs to the answer is there
        assert driver.script(f"{ways}.length") == 1  # what was quoted offers nothing of this
