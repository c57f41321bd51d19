"""A model that never stops, in the real window: it is held up, Stop ends it at once, what was shown is kept."""

import itertools

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from desktop.domain.models import ReasoningDelta, TextDelta
from desktop.ui.chat.session_manager import PIECE_CHARS, WAITING_PIECES
from desktop.ui.transcript.page_channel import BEHIND_CHARS
from tests.e2e.model_server import provider, running_model_server
from tests.e2e.window import configure, running_window

SEEN_CHARS = 3 * BEHIND_CHARS
MOST_AHEAD = BEHIND_CHARS + (2 * WAITING_PIECES + 2) * PIECE_CHARS
"""What the page may not have yet when the model is held up: its own share, two parcels and what is being put."""

FLOODS = {
    "paragraphs": ("A heat pump *moves* heat; it does not make it [1].\n\n" * 100,),
    "one endless word": ("x" * 5000,),
    "lone surrogates and NUL": ("\ud800\x00\udfff " * 800,),
}


@pytest.mark.parametrize("flood", FLOODS)
def test_a_flood_is_held_up_and_stopped_at_once_and_what_was_shown_is_kept(qapp, tmp_path, site, flood):
    with running_model_server() as server:
        server.pieces = itertools.cycle(FLOODS[flood])
        sections = {"chat": {"model": "loopback/scripted"}, "search": {"choice": "off"}}
        configure(tmp_path, site, **sections, providers=[provider(server)])
        with running_window(qapp, tmp_path) as driver:
            # A page that is not there yet holds nobody up.
            driver.wait_for_page("document.querySelector('#conversation').childElementCount")
            sessions, page = driver.window.sessions, driver.window.transcripts.page
            given, behind, ahead = [], [], []
            page.behind_changed.connect(behind.append)

            def hear(event):
                if isinstance(event, TextDelta | ReasoningDelta):
                    given.append(event.text)
                    ahead.append(page.waiting_chars)

            sessions.event_arrived.connect(hear)
            driver.type_question("Tell me everything")
            driver.wait_for(lambda: sum(map(len, given)) > SEEN_CHARS, "a flood")
            QTest.keyClick(driver.window, Qt.Key.Key_Escape)
            driver.wait_for(lambda: not sessions.is_running, "the turn has stopped")
            driver.wait_for(server.gone.is_set, "the connection was closed")
            shown = "".join(given)
            assert max(map(len, given)) <= PIECE_CHARS
            assert max(ahead) <= MOST_AHEAD
            assert True in behind
            driver.wait_for_page("!!document.querySelector('.answer:not(.streaming) .notice')")
            assert "".join(given) == shown
            assert stored(driver) == ("stopped", shown)


def stored(driver):
    async def load():
        store = driver.program.services.store
        message = (await store.load((await store.recent())[0].id)).messages[-1]
        return message.status.value, message.text

    return driver.program.loop.call(load(), 60)
