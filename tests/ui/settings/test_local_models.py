"""Models of this computer in the settings and the welcome: downloaded, paused, used, added, deleted."""

import asyncio
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QBoxLayout

from desktop.domain.knowledge import Download
from desktop.domain.models import QUOTES_MODEL, LocalModel
from desktop.errors import ModelNotDownloaded
from desktop.ui.chat.welcome import Welcome
from desktop.ui.settings.pages.local_models import LocalModelPanel
from tests.ui.fakes.scripts import script_result, script_steps

NAME = "qwen3-4b"
SMALL = LocalModel(
    "qwen2.5-1.5b",
    "Qwen2.5 1.5B",
    1_117_320_736,
    1_500_000_000,
    "Apache 2.0",
    "Fast, on any computer. Short answers from a few sources; makes mistakes.",
    "Qwen/Qwen2.5-1.5B-Instruct-GGUF",
)
MIDDLE = LocalModel(
    "qwen3-4b",
    "Qwen3 4B",
    2_497_280_256,
    3_400_000_000,
    "Apache 2.0",
    "For most computers. Follows instructions and cites well; can use tools.",
    "Qwen/Qwen3-4B-GGUF",
)
LARGE = LocalModel(
    "qwen3-8b",
    "Qwen3 8B",
    5_027_783_488,
    5_900_000_000,
    "Apache 2.0",
    "For computers with 16 GB of memory. The best answers of the three, and the slowest.",
    "Qwen/Qwen3-8B-GGUF",
    warning="Needs about 5.9 GB of memory; 4.2 GB is free now.",
)
HALF, WHOLE = Download(1_248_640_128, MIDDLE.size_bytes), Download(MIDDLE.size_bytes, MIDDLE.size_bytes)


def list_middle(engine, **fields):
    """Have the list of models be these three, the second one with other fields."""
    script_result(engine.local_models, "models", (SMALL, replace(MIDDLE, **fields), LARGE))


@pytest.fixture(autouse=True)
def deleted(engine):
    """Return which models were deleted."""
    list_middle(engine)
    return script_result(engine.local_models, "delete", partial(list_middle, engine), None)


@pytest.fixture
def gate(engine):
    """A download of the second model stops halfway until this gate is open."""
    gate = asyncio.Event()
    half = partial(list_middle, engine, received_bytes=HALF.done_bytes)
    whole = partial(list_middle, engine, path=Path("qwen3-4b.gguf"))
    script_steps(engine.local_models, "download", half, HALF, gate, whole, WHOLE)
    return gate


@pytest.fixture
def panel(context, qtbot):
    panel = LocalModelPanel(context)
    qtbot.add_widget(panel)
    panel.show()
    qtbot.wait_until(lambda: NAME in panel.rows)
    return panel


def test_a_model_is_downloaded_with_a_pause_used_and_deleted(panel, engine, gate, deleted, qtbot):
    context = panel._context
    row = panel.rows[NAME]
    assert row.detail.text() == (
        "2.5 GB to download · about 3.4 GB of memory · English, Chinese and more · Apache 2.0"
    )
    row.action.click()
    qtbot.wait_until(lambda: row.detail.text() == "1.2 GB of 2.5 GB")
    assert (row.action.text(), row.bar.value()) == ("Pause", 500)
    row.action.click()
    qtbot.wait_until(lambda: row.action.text() == "Resume")
    assert row.detail.text().startswith("paused at 1.2 GB of 2.5 GB")
    row.action.click()
    with qtbot.wait_signal(context.local_models.ended):
        engine.release(gate)
    qtbot.wait_until(lambda: row.action.text() == "Use")
    row.action.click()
    assert context.store.settings.chat.model == f"local/{NAME}"
    assert (row.action.text(), row.action.isEnabled()) == ("In use", False)
    row.remove.click()
    assert row.detail.text() == "Delete this model and free 2.5 GB of disk space?"
    row.cancel.click()
    assert deleted == []
    row.remove.click()
    row.action.click()
    qtbot.wait_until(lambda: row.action.text() == "Download")
    assert deleted == [(NAME,)]


def test_a_cancelled_download_leaves_nothing(panel, gate, deleted, qtbot):
    row = panel.rows[NAME]
    row.action.click()
    qtbot.wait_until(lambda: row.detail.text() == "1.2 GB of 2.5 GB")
    row.cancel.click()
    qtbot.wait_until(lambda: deleted == [(NAME,)])
    qtbot.wait_until(lambda: row.action.text() == "Download")


def test_what_stands_in_the_way_is_said(panel, context, engine, qtbot):
    row = panel.rows[NAME]
    error = ModelNotDownloaded(model="Qwen3 4B", detail="It arrived damaged.")
    half = partial(list_middle, engine, received_bytes=HALF.done_bytes)
    script_steps(engine.local_models, "download", half, HALF, error)
    row.action.click()
    qtbot.wait_until(lambda: "It arrived damaged" in row.problem.text())
    qtbot.wait_until(lambda: row.action.text() == "Resume")  # the list is loaded again after the failure
    assert "4.2 GB is free" in panel.rows["qwen3-8b"].warning.text()
    script_result(engine.local_models, "problem", "llama.cpp is not installed.")
    context.local_models.refresh()
    qtbot.wait_until(lambda: panel.missing.text() == "llama.cpp is not installed.")


def drop(panel, *paths):
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    buttons, keys = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    entering = QDragEnterEvent(QPoint(5, 5), Qt.DropAction.CopyAction, mime, buttons, keys)
    entering.ignore()
    panel.dragEnterEvent(entering)
    if entering.isAccepted():
        panel.dropEvent(QDropEvent(QPoint(5, 5), Qt.DropAction.CopyAction, mime, buttons, keys))
    return entering.isAccepted()


def test_a_file_is_added_by_drop_and_stays_when_it_is_removed(panel, context, engine, qtbot, tmp_path):
    assert not drop(panel, Path("/models/notes.txt"))
    broken = tmp_path / "broken.gguf"
    broken.write_text("not a model")
    assert drop(panel, broken)
    qtbot.wait_until(lambda: "not a GGUF file" in panel.problem.text())
    assert context.store.settings.local_models.files == ()
    mine = LocalModel("mine", "mine", path=Path("/models/mine.gguf"), is_own=True)
    script_result(engine.local_models, "inspect", mine)
    assert drop(panel, mine.path)
    qtbot.wait_until(lambda: context.store.settings.local_models.files == (str(mine.path),))
    context.local_models.remove(mine)
    assert context.store.settings.local_models.files == ()


@pytest.fixture
def welcome(context, qtbot):
    welcome = Welcome(context)
    qtbot.add_widget(welcome)
    welcome.resize(1_000, 700)
    welcome.show()
    welcome.look_around()
    qtbot.wait_until(lambda: welcome.local.download.row is not None)
    return welcome


def test_the_welcome_downloads_a_model_and_starts_with_it_at_one_click(welcome, context, engine, gate, qtbot):
    card = welcome.local.download
    assert card.models.currentText() == "Qwen3 4B", "the larger of the first two that fits"
    assert card.row.action.text() == "Download and start"
    engine.release(gate)
    with qtbot.wait_signal(welcome.done):
        card.row.action.click()
    settings = context.store.settings
    assert (settings.chat.model, settings.was_welcomed, settings.providers) == (f"local/{NAME}", True, ())


def test_a_key_that_is_typed_during_a_download_is_not_lost(welcome, context, engine, gate, qtbot):
    card = welcome.local.download
    card.row.action.click()
    qtbot.wait_until(lambda: card.row.action.text() == "Pause")
    qtbot.keyClicks(welcome.key.key, "sk-")
    engine.release(gate)
    qtbot.wait_until(lambda: card.row.action.text() == "Start")
    assert context.store.settings.chat.model == QUOTES_MODEL, "it has not started"
    with qtbot.wait_signal(welcome.done):
        card.row.action.click()


def test_to_look_at_another_model_during_a_download_and_back_starts_nothing(
    welcome, context, engine, gate, qtbot
):
    card = welcome.local.download
    card.row.action.click()
    qtbot.wait_until(lambda: card.row.action.text() == "Pause")
    at = card.models.currentIndex()
    card.models.setCurrentIndex(0)
    engine.release(gate)
    qtbot.wait_until(lambda: any(model.is_here for model in context.local_models.models))
    card.models.setCurrentIndex(at)
    assert card.row.action.text() == "Start"
    assert context.store.settings.chat.model == QUOTES_MODEL


def test_the_cards_of_a_narrow_welcome_stand_below_each_other(context, qtbot):
    welcome = Welcome(context)
    qtbot.add_widget(welcome)
    for width, direction in (
        (1_000, QBoxLayout.Direction.LeftToRight),
        (460, QBoxLayout.Direction.TopToBottom),
    ):
        welcome.resize(width, 700)
        welcome.show()
        assert welcome._cards.direction() == direction
    qtbot.wait_until(lambda: welcome.horizontalScrollBar().maximum() == 0)
