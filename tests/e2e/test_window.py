"""The whole program in a real window: real page, real browser, real worker, a small web on loopback."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QInputDialog

from tests.dragging import dragged_files, drop
from tests.e2e.model_server import provider
from tests.e2e.site import captcha
from tests.e2e.window import configure, running_window
from tests.llama_server import llama_server

PAGE_TEXT = "document.querySelector('#conversation').innerText"
MARKS = "[...document.querySelectorAll('a.citation')].map(mark => Number(mark.dataset.source))"
CARD = "document.querySelector('#card').hidden ? '' : document.querySelector('#card').innerText"


@pytest.fixture
def data(tmp_path, site):
    configure(tmp_path / "data", site)
    return tmp_path / "data"


def focus_mark(driver, index: int = 0) -> str:
    """Put the keyboard's focus on a mark and return the text of its card."""
    driver.wait_for_page(f"{MARKS}.length > {index}")
    driver.script(f"document.querySelectorAll('a.citation')[{index}].focus()")
    driver.script(
        f"document.querySelectorAll('a.citation')[{index}]"
        ".dispatchEvent(new PointerEvent('pointerover', {bubbles: true}))"
    )
    return str(driver.wait_for_page(CARD))


def test_question_search_pages_answer_marks_and_the_card_with_the_right_passage(qapp, data):
    with running_window(qapp, data) as driver:
        driver.ask("In which year was the lighthouse of Velmora built?")
        assert 1 in driver.wait_for_page(MARKS)
        card = focus_mark(driver)
        assert "The lighthouse of Velmora" in card
        assert "It was built in 1873 by the engineer Ada Korsten" in card
        marked = driver.script("[...document.querySelectorAll('#card mark')].map(e => e.innerText).join(' ')")
        assert "1873" in marked
        followed = []
        driver.window.transcripts.page.source_followed.connect(followed.append)
        driver.script("document.querySelector('a.citation').click()")
        driver.wait_for(lambda: followed, "the source was followed")
        assert followed[0].title == "The lighthouse of Velmora"


def test_a_dropped_pdf_is_cited_with_its_page_behind_the_numbers_of_the_web(qapp, data, keepers):
    with running_window(qapp, data) as driver:
        drop_on_composer(driver, keepers)
        driver.ask("Who was the first keeper of the lighthouse?")
        marks = driver.wait_for_page(MARKS)
        sources = stored(driver).sources
        kinds = [source.kind.value for source in sources]
        assert kinds == sorted(kinds, key=["web", "file"].index)
        cited = next(source for source in sources if "Jonas Brandt" in source.text)
        assert cited.number in marks
        assert cited.locator.page == 2
        driver.wait_for_page(f"{PAGE_TEXT}.includes('keepers.pdf')")


def test_a_file_dropped_on_the_window_becomes_searchable_in_a_base(qapp, data, keepers):
    with running_window(qapp, data) as driver:
        window, listed, ended = driver.window, [], []
        window.knowledge_store.bases_listed.connect(listed.append)
        window.knowledge_store.added.connect(
            lambda addition: addition.ended.connect(lambda: ended.append(addition))
        )
        window.drop_zone.kept.emit((keepers,))
        driver.wait_for(lambda: window.findChild(QInputDialog), "the name of the first base is asked for")
        name = window.findChild(QInputDialog)
        name.setTextValue("notes")
        name.accept()
        driver.wait_for(lambda: ended, "the file is in the base")
        assert not ended[0].failures
        driver.wait_for(lambda: listed and listed[-1] and listed[-1][0].passages, "the base is listed")
        assert listed[-1][0].name == "notes"
        driver.ask("Who was the first keeper of the lighthouse?")
        assert any("Jonas Brandt" in source.text for source in stored(driver).sources)


def test_stop_ends_the_stream_and_keeps_the_text(qapp, data, site, model_server):
    model_server.pieces, model_server.hold_at = ("Half an answer", " and the rest"), 1
    configure(
        data,
        site,
        chat={"model": "loopback/scripted"},
        search={"choice": "off"},
        providers=[provider(model_server)],
    )
    with running_window(qapp, data) as driver:
        driver.type_question("Tell me")
        driver.wait_for_page(f"{PAGE_TEXT}.includes('Half an answer')")
        QTest.keyClick(driver.window, Qt.Key.Key_Escape)
        driver.wait_for(lambda: not driver.window.sessions.is_running, "the turn has stopped")
        driver.wait_for(model_server.gone.is_set, "the connection was closed")
        message = stored(driver).messages[-1]
        assert message.text == "Half an answer"
        assert message.status.value == "stopped"
        driver.wait_for_page(f"{PAGE_TEXT}.includes('Half an answer')")


def test_a_real_model_answers_from_the_pages_that_were_read(qapp, data, site):
    with llama_server() as address:
        settings = {
            "id": "llamacpp",
            "name": "llama.cpp",
            "kind": "openai",
            "base_url": f"{address}/v1",
            "needs_key": False,
        }
        # Small models go on and on.
        chat = {"model": "llamacpp/smollm2", "uses_tools": False, "answer_tokens": 96, "decision_limit_s": 2}
        configure(data, site, chat=chat, providers=[settings])
        with running_window(qapp, data) as driver:
            driver.ask("Who built the lighthouse of Velmora?")
            message = stored(driver).messages[-1]
            assert message.status.value == "complete", message.error
            assert len(message.text.split()) > 2
            assert message.usage is not None
            assert message.usage.output_tokens > 0
            assert message.offered


def test_a_blocked_engine_is_shown_as_blocked(qapp, data, site, monkeypatch):
    monkeypatch.setattr(site, "result_page", captcha)
    with running_window(qapp, data) as driver:
        driver.ask("Who built the lighthouse of Velmora?")
        steps = stored(driver).messages[-1].steps
        search = next(step for step in steps if step.kind.value == "search")
        assert search.status.value == "failed"
        assert search.detail


def test_without_key_and_network_the_window_answers_from_files(qapp, data, keepers):
    (data / "settings.json").unlink()
    with running_window(qapp, data) as driver:
        driver.window.composer.web.set_choice("off")
        drop_on_composer(driver, keepers)
        driver.ask("Who was the first keeper?")
        assert "Jonas Brandt" in stored(driver).messages[-1].text
        assert driver.wait_for_page(MARKS)


def test_a_killed_program_shows_the_text_again_and_continues(qapp, data, site, model_server):
    model_server.pieces, model_server.hold_at = ("The first half.", " The second half."), 1
    configure(
        data,
        site,
        chat={"model": "loopback/scripted"},
        search={"choice": "off"},
        providers=[provider(model_server)],
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.e2e.ask_in_window", str(data), "Tell me everything"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=os.environ | {"QT_QPA_PLATFORM": "offscreen"},
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline().strip() == "on disk"
        process.send_signal(signal.SIGKILL)
    model_server.pieces, model_server.hold_at = (" The second half.",), None
    with running_window(qapp, data) as driver:
        driver.wait_for(driver.window.sidebar.model.rowCount, "the conversation is listed")
        driver.window.sessions.open(driver.program.loop.call(recent(driver), 60)[0].id)
        driver.wait_for_page(f"{PAGE_TEXT}.includes('The first half.')")
        assert stored(driver).messages[-1].status.value == "interrupted"
        driver.wait_for_page("document.querySelector('[data-action=continue]') !== null")
        driver.script("document.querySelector('[data-action=continue]').click()")
        driver.wait_for_page(f"{PAGE_TEXT}.includes('The second half.')")
        driver.wait_for(lambda: not driver.window.sessions.is_running, "the answer is complete")
        message = stored(driver).messages[-1]
        assert message.text == "The first half. The second half."
        assert message.status.value == "complete"


def drop_on_composer(driver, path: Path) -> None:
    """Drop a file where it is attached to the message."""
    assert drop(driver.window.composer.text.viewport(), QPoint(5, 5), dragged_files(path))
    assert driver.window.composer.draft.files == (path,)


async def recent(driver):
    return await driver.program.services.store.recent()


def stored(driver):
    """Return the open conversation as it is on disk."""

    async def load():
        store = driver.program.services.store
        return await store.load((await store.recent())[0].id)

    return driver.program.loop.call(load(), 60)
