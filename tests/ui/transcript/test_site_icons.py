"""Icons of sites in a real web engine: out of our own scheme, by id, above the letter of a tile."""

import asyncio
import io
import json
from datetime import UTC, datetime
from types import SimpleNamespace

import pytest
from PIL import Image
from PySide6.QtCore import QCoreApplication, QEvent

from desktop.domain.messages import Message, Speaker
from desktop.domain.pictures import icon_id
from desktop.domain.sources import Ledger, Passage, SourceKind
from tests.cases import cases
from tests.ui.transcript.view_under_test import ViewUnderTest

KNOWN, OTHER = "https://known.example/a", "https://other.example/b"

MESSAGE = Message(
    "a1", "c", Speaker.MODEL, "It is so [1][2].", datetime(2026, 1, 2, tzinfo=UTC), offered=(1, 2)
)


def sources():
    ledger = Ledger()
    ledger.register([Passage(SourceKind.WEB, url, "Words of a page.", url) for url in (KNOWN, OTHER)])
    return ledger.sources


@pytest.fixture
def page(qtbot, loop, engine):
    data = io.BytesIO()
    Image.new("RGB", (16, 16), "teal").save(data, "PNG")
    assert loop.call(engine.icons.put(icon_id(KNOWN), data.getvalue()))
    page = ViewUnderTest(loop)
    page.serve_icons(engine.icons)
    with qtbot.waitSignal(page.ready):
        page.show()
    page.open_conversation([MESSAGE], sources())
    yield page
    page.hide()
    page.deleteLater()
    QCoreApplication.sendPostedEvents(page, QEvent.Type.DeferredDelete)


@pytest.fixture
def js(page, qtbot):
    def asked(code):
        answers = []
        page.web_page.runJavaScript(f"JSON.stringify({code})", answers.append)
        qtbot.waitUntil(lambda: bool(answers))
        return json.loads(answers[0])

    return asked


STATES = """[...document.querySelectorAll('.source-list .tile')].map((tile) => {
  const icon = tile.querySelector('.favicon');
  return [tile.firstChild.nodeValue, icon.complete, icon.naturalWidth, getComputedStyle(icon).opacity];
})"""


def test_an_icon_shows_once_it_is_there_and_else_the_letter(js, qtbot):
    qtbot.waitUntil(lambda: len(js(STATES)) == 2 and all(state[1] for state in js(STATES)))
    qtbot.waitUntil(lambda: js(STATES) == [["K", True, 16, "1"], ["O", True, 0, "0"]])


@cases(
    "address",
    [
        "https://example.org/i.png",
        "data:image/png;base64,iVBORw0KGgo=",
        "footnote-page://icon/../page/chat.css",
        "footnote-page://icon/%2e%2e%2fsecret",
        "footnote-page://icon/",
    ],
)
def test_no_other_picture_is_shown(js, qtbot, address):
    js(
        f"(window.tried = new Image(), tried.src = {json.dumps(address)}, tried.onerror = () => (tried.failed = 1), 1)"
    )
    qtbot.waitUntil(lambda: js("tried.failed ?? 0") == 1)
    assert js("tried.naturalWidth") == 0


def test_a_page_that_goes_takes_its_requests_along(qtbot, loop):
    asked, cancelled, gone = [], [], []

    async def never(icon_id):
        asked.append(icon_id)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.append(icon_id)
            raise

    page = ViewUnderTest(loop)
    page.destroyed.connect(lambda: gone.append(True))
    page.serve_icons(SimpleNamespace(find=never))
    with qtbot.waitSignal(page.ready):
        page.show()
    page.open_conversation([MESSAGE], sources())
    qtbot.waitUntil(lambda: bool(asked))
    page.deleteLater()
    qtbot.waitUntil(lambda: bool(gone) and len(cancelled) == len(asked))
