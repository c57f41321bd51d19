"""What goes into the composer: drafts that survive a restart, and long texts that are pasted."""

from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import pytest
from PySide6.QtCore import QMimeData, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from desktop.chat.api.engine import Question
from desktop.domain.drafts import Draft
from desktop.errors import StorageFull
from desktop.ui.controllers.composer_controller import DraftSaver
from desktop.ui.sidebar.conversation_model import DraftRole
from tests.ui.parts import build_parts


@pytest.fixture
def drafts(engine):
    """Return what reads the drafts on disk."""
    return lambda: engine.loop.call(engine.drafts.all())


@pytest.fixture
def core(engine, loop, qtbot):
    window = QWidget()
    qtbot.add_widget(window)
    return build_parts(engine, loop, window)


@pytest.fixture
def composer(core):
    return core.composer


@pytest.fixture
def keeping(core):
    engine = core.engine
    keeping = DraftSaver(
        engine.drafts, engine.question_journal, core.loop, composer=core.composer, notices=core.notices
    )
    core.composer.draft_changed.connect(keeping.note_changed)
    core.sessions.question_returned.connect(keeping.note_returned)
    keeping.listed.connect(core.sidebar.model.set_drafts)
    return keeping


def test_what_is_written_is_kept_while_it_is_written(composer, keeping, drafts, qtbot, tmp_path):
    file = tmp_path / "月亮.txt"
    file.write_text("x")
    composer.text.insertPlainText("潮汐 ")
    qtbot.keyClicks(composer.text, "tides")
    composer.attach_files((file,))
    qtbot.wait_until(lambda: drafts() == {"": Draft("潮汐 tides", (file,))})
    composer.open_draft("a")
    qtbot.keyClicks(composer.text, "for a")
    qtbot.wait_until(lambda: drafts().get("a") == Draft("for a"))
    assert drafts()[""].text == "潮汐 tides"
    composer.put(Draft())  # sent
    qtbot.wait_until(lambda: "a" not in drafts())


def test_models_side_by_side_are_kept_with_the_question_that_they_were_picked_for(
    core, composer, keeping, drafts, qtbot
):
    qtbot.keyClicks(composer.text, "which is right?")
    composer.model.compare(("a/one", "b/two", "c/three"))
    whole = Draft("which is right?", also=("b/two", "c/three"))
    qtbot.wait_until(lambda: drafts() == {"": whole})
    composer.open_draft("other")
    assert composer.model.also == ()
    composer.open_draft("")
    assert composer.draft == whole
    composer.model.set_choice("b/two")  # as an assistant may: nothing answers beside itself
    assert composer.model.also == ("c/three",)


def test_models_side_by_side_are_there_after_the_next_start(core, composer, keeping, drafts, qtbot):
    core.loop.call(core.engine.drafts.keep({"": Draft("which is right?", also=("b/two",))}))
    keeping.load()
    qtbot.wait_until(lambda: composer.model.also == ("b/two",))
    assert "+ 1" in composer.model.text()


def test_a_draft_moves_with_the_conversation_that_gets_its_id(composer, keeping, drafts, qtbot):
    qtbot.keyClicks(composer.text, "and next")
    composer.move_draft("c1")
    qtbot.wait_until(lambda: drafts() == {"c1": Draft("and next")})


def test_the_next_start_has_the_drafts_in_their_conversations(core, composer, keeping, drafts, qtbot):
    core.loop.call(core.engine.drafts.keep({"": Draft("begun"), "a": Draft("of a", (Path("/gone.pdf"),))}))
    keeping.load()
    qtbot.wait_until(lambda: composer.draft == Draft("begun"))
    composer.open_draft("a")
    assert composer.draft == Draft("of a", (Path("/gone.pdf"),))
    assert composer.text.textCursor().atStart() is False


def test_what_is_typed_before_the_drafts_are_read_comes_after_them(core, composer, keeping, drafts, qtbot):
    core.loop.call(core.engine.drafts.keep({"": Draft("begun yesterday")}))
    qtbot.keyClicks(composer.text, "typed at once")
    keeping.load()
    whole = Draft("begun yesterday\n\ntyped at once")
    qtbot.wait_until(lambda: drafts() == {"": whole})
    assert composer.draft == whole
    assert composer.text.textCursor().atEnd()


def test_closing_waits_for_no_pause(core, composer, keeping, drafts, qtbot):
    qtbot.keyClicks(composer.text, "last words")
    keeping.keep()
    assert not keeping._pause.isActive()
    qtbot.wait_until(lambda: drafts() == {"": Draft("last words")})
    with patch.object(core.engine.drafts, "keep", wraps=core.engine.drafts.keep) as writing:
        keeping.keep()
        qtbot.keyClicks(composer.text, "!")
        qtbot.wait_until(lambda: drafts()[""].text.endswith("!"))
    assert writing.call_count == 1


def test_a_full_disk_is_told_of_once_and_tried_again(core, composer, keeping, drafts, qtbot):
    with patch.object(core.engine.drafts, "keep", side_effect=StorageFull(path="x", detail="full")):
        qtbot.keyClicks(composer.text, "a")
        qtbot.wait_until(lambda: "full" in core.notices.text)
        core.notices.dismiss()
        qtbot.keyClicks(composer.text, "b")
        keeping.keep()
    composer.open_draft("other")
    qtbot.keyClicks(composer.text, "c")
    qtbot.wait_until(lambda: drafts() == {"": Draft("ab"), "other": Draft("c")})
    assert core.notices.text == ""


def test_the_list_shows_where_something_was_begun(core, composer, keeping, engine, qtbot):
    first, second = (engine.put(title, texts=("a", "b")) for title in ("Moon", "Sun"))
    core.library.listed.connect(core.sidebar.show_conversations)
    with qtbot.wait_signal(core.library.listed):
        core.library.refresh()
    model = core.sidebar.model

    def marked() -> list[str]:
        rows = (model.index(row) for row in range(model.rowCount()))
        return [str(row.data(Qt.ItemDataRole.AccessibleTextRole)) for row in rows if row.data(DraftRole)]

    composer.open_draft(first)
    qtbot.keyClicks(composer.text, "and the tides?")
    assert marked() == []  # it is to be seen where it is written
    composer.open_draft(second)
    assert marked() == ["Moon, draft"]
    composer.open_draft(first)
    assert marked() == []


def test_a_question_that_comes_back_leaves_its_journal_once_its_draft_is_on_disk(
    core, keeping, drafts, engine, qtbot
):
    question = Question("Why tides?", "", message_id="q1")
    with patch("desktop.services.composer.WAIT_S", 60):  # however slow the disk is
        engine.question_journal.keep(question)
    with patch.object(core.engine.drafts, "keep", side_effect=StorageFull(path="data", detail="full")):
        core.sessions.question_returned.emit(question)
        qtbot.wait_until(lambda: keeping._is_failing)
    (journalled,) = (engine.folder / "sent-questions").glob("*.json")
    core.composer.text.insertPlainText(" ")
    qtbot.wait_until(lambda: not journalled.exists())
    assert drafts()[""].text.strip() == "Why tides?"


LONG = "Minutes: of the meeting/tides\n" + "word " * 3_000


@pytest.fixture
def paste_core(engine, loop, qtbot):
    window = QWidget()
    qtbot.add_widget(window)
    return build_parts(engine, loop, window)


def paste(paste_core, text: str) -> None:
    data = QMimeData()
    data.setText(text)
    paste_core.composer.text.insertFromMimeData(data)


def test_long_text_becomes_a_file_and_comes_back_into_the_message(paste_core, qtbot):
    paste_core.composer.text.insertPlainText("Sum up: ")
    paste(paste_core, LONG)
    qtbot.wait_until(lambda: len(paste_core.composer.draft.files) == 1)
    assert paste_core.composer.draft.text == "Sum up: "
    (path,) = paste_core.composer.draft.files
    assert path.read_text(encoding="utf-8") == LONG
    assert path.name == "Minutes of the meeting tides.txt"
    paste_core.notices.undo()
    assert paste_core.composer.draft.files == ()
    assert paste_core.composer.draft.text == f"Sum up: {LONG}"


def test_the_limit_is_the_persons(paste_core, qtbot):
    settings = paste_core.store.settings
    paste(paste_core, "x" * settings.window.paste_limit)
    assert len(paste_core.composer.draft.text) == settings.window.paste_limit
    paste_core.store.apply(replace(settings, window=replace(settings.window, paste_limit=0)))
    paste_core.composer.text.clear()
    paste(paste_core, LONG)
    assert paste_core.composer.draft.text == LONG
    assert paste_core.composer.draft.files == ()


def test_ctrl_shift_v_pastes_as_text(paste_core, qtbot):
    QGuiApplication.clipboard().setText(LONG)
    modifiers = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(paste_core.composer.text, Qt.Key.Key_V, modifiers)
    assert paste_core.composer.draft.text == LONG
    QGuiApplication.clipboard().clear()


def test_a_text_goes_to_the_conversation_that_it_was_pasted_in(paste_core, engine, qtbot):
    other = engine.put("Other", texts=("a", "b"))
    paste(paste_core, LONG)
    paste_core.sessions.open(other)
    qtbot.wait_until(lambda: len(paste_core.composer.draft_of("").files) == 1)
    assert paste_core.composer.draft.files == ()
    assert paste_core.notices.text == ""


def test_a_disk_that_refuses_costs_no_text(paste_core, engine, qtbot):
    with patch.object(engine.pasted, "keep", side_effect=StorageFull(path="x", detail="full")):
        paste(paste_core, LONG)
        qtbot.wait_until(lambda: paste_core.composer.draft.text == LONG)
    assert "full" in paste_core.notices.text
