"""The offer of a browser: what it says, its progress, its endings."""

import asyncio

import pytest

from desktop.domain.search import InstallObstacle, InstallPhase, InstallProgress
from desktop.errors import BrowserMissing
from desktop.ui.dialogs.browser_dialogs import BrowserDownloadDialog
from tests.ui.fakes.scripts import script_steps

STEPS = (
    InstallProgress(InstallPhase.STARTING),
    InstallProgress(InstallPhase.DOWNLOADING, 50 * 2**20, 200 * 2**20),
)


@pytest.fixture
def offer(qtbot, loop, engine):
    dialog = BrowserDownloadDialog(engine.browser, loop)
    qtbot.addWidget(dialog)
    dialog.open()
    return dialog


def test_the_offer_says_what_for_and_how_much(offer):
    assert offer.title.text() == "No browser was found"
    assert "180 MB" in offer.text.text()
    assert (offer.accepting.text(), offer.closing.text()) == ("Download", "Not now")
    assert offer.bar.isHidden()
    offer.closing.click()
    assert offer.isHidden()


def test_a_download_shows_its_progress_and_its_success(offer, engine, qtbot):
    gate = asyncio.Event()
    script_steps(engine.browser, "install", *STEPS, gate, InstallProgress(InstallPhase.UNPACKING))
    offer.accepting.click()
    qtbot.waitUntil(lambda: offer.bar.value() == 250)
    assert "52 MB of 210 MB" in offer.text.text()
    assert offer.accepting.isHidden()
    with qtbot.waitSignal(offer.installed):
        engine.release(gate)
    assert offer.title.text() == "Browser installed"
    assert offer.bar.isHidden()
    offer.closing.click()
    assert offer.isHidden()


def test_cancel_undoes_the_download_and_offers_it_again(offer, engine, qtbot):
    installs = script_steps(engine.browser, "install", *STEPS, asyncio.Event())
    offer.accepting.click()
    qtbot.waitUntil(lambda: offer.bar.value() == 250)
    offer.closing.click()
    qtbot.waitUntil(lambda: offer.closing.text() == "Not now")
    assert installs.cancelled == 1
    assert not offer.isHidden()
    assert not offer.accepting.isHidden()


@pytest.mark.parametrize(
    ("obstacle", "words"),
    [
        (InstallObstacle.OFFLINE, "connection"),
        (InstallObstacle.SERVER, "server"),
        (InstallObstacle.DISK_FULL, "disk space"),
        (InstallObstacle.FORBIDDEN, "can’t write"),
        (InstallObstacle.BUSY, "Another program"),
        (InstallObstacle.OTHER, "download failed"),
    ],
)
def test_a_failure_is_told_and_can_be_tried_again(offer, engine, qtbot, obstacle, words):
    error = BrowserMissing(advice="", obstacle=obstacle, detail="odd reason")
    script_steps(engine.browser, "install", *STEPS, error)
    offer.accepting.click()
    qtbot.waitUntil(lambda: offer.accepting.text() == "Try again")
    assert words in offer.text.text()
    assert offer.text.details.words.text() == "odd reason"
    script_steps(engine.browser, "install", *STEPS)
    with qtbot.waitSignal(offer.installed):
        offer.accepting.click()
