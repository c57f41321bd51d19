"""Lists of known payloads in the real web engine: an optional gate, because the lists are not ours."""

import json
import os
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from PySide6.QtCore import QUrl

from desktop.render.operations import PatchText
from desktop.render.stream import StreamRenderer
from tests.ui.test_chat_page import SOURCES, answer, driver, page_loop, question, shown_page

__all__ = ["driver", "page_loop", "shown_page"]

DATA = Path(os.environ.get("FOOTNOTE_TEST_DATA", "nowhere"))


def payloads():
    """Every line of the lists, each once."""
    lines = {}
    for path in sorted((DATA / "xss").rglob("*.txt")):
        lines.update(dict.fromkeys(path.read_text(encoding="utf-8", errors="replace").splitlines()))
    return [line for line in lines if line.strip()]


BATCH = 250
BATCHES = [payloads()[start : start + BATCH] for start in range(0, len(payloads()), BATCH)]
ALARMS = "(window.hit = 0, ['alert', 'confirm', 'prompt', 'print'].forEach(n => window[n] = () => window.hit++), 1)"


def assert_nothing_ran(driver):
    driver.js("document.querySelectorAll('details').forEach(d => d.open = true)")
    driver.js(
        "document.querySelectorAll('.text *').forEach(e => e.dispatchEvent(new MouseEvent('mouseover')))"
    )
    assert driver.js("window.hit") == 0
    assert driver.js("document.title") == "Footnote"
    assert driver.page.web_page.url() == QUrl("footnote-page://page/chat.html")
    assert (
        driver.js(
            "document.querySelectorAll('img:not([src^=footnote-page]), script:not([src]), iframe, svg:not([aria-hidden])').length"
        )
        == 0
    )
    names = "[...document.querySelectorAll('.text *')].flatMap(e => e.getAttributeNames())"
    assert not [name for name in driver.js(f"[...new Set({names})]") if name.startswith("on")]
    links = driver.js("[...document.querySelectorAll('.text a')].map(a => a.protocol)")
    # An address that cannot be read, such as http://[, has the protocol ":" and leads nowhere.
    assert set(links) <= {"http:", "https:", "mailto:", "footnote-page:", ":"}
    assert driver.js(
        "performance.getEntriesByType('resource').every(e => e.name.startsWith('footnote-page:'))"
    )


@pytest.mark.skipif(not BATCHES, reason="FOOTNOTE_TEST_DATA names no folder with xss/")
@pytest.mark.parametrize("batch", BATCHES, ids=range(len(BATCHES)))
def test_known_payloads_run_nothing(driver, batch):
    driver.js(ALARMS)
    driver.open(*(replace(answer(text, reasoning=text), id=f"w{index}") for index, text in enumerate(batch)))
    assert_nothing_ran(driver)
    driver.open(*(replace(question(text), id=f"q{index}") for index, text in enumerate(batch)))
    assert_nothing_ran(driver)


@pytest.mark.skipif(not BATCHES, reason="FOOTNOTE_TEST_DATA names no folder with xss/")
@pytest.mark.parametrize("batch", BATCHES, ids=range(len(BATCHES)))
def test_known_payloads_run_nothing_letter_by_letter(driver, batch):
    driver.js(ALARMS)
    driver.open(*(replace(answer(), id=f"s{index}") for index in range(len(batch))))
    for index, text in enumerate(batch):
        renderer = StreamRenderer(SOURCES)
        patches = [*map(renderer.feed, text), renderer.finish()]
        operations = [PatchText(f"s{index}", part) for part in patches if part]
        driver.page.web_page.runJavaScript(f"footnote.update({json.dumps(msgspec.to_builtins(operations))})")
    last = next(
        index for index in reversed(range(len(batch))) if StreamRenderer(SOURCES).feed(batch[index] + "\n\n")
    )
    driver.until(f"document.querySelector('#message-s{last} .text').childElementCount > 0")
    assert_nothing_ran(driver)
