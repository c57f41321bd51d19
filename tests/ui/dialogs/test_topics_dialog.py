"""The page of watched topics: a question is watched and looked up, paused, removed with undo, and exported."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from unittest.mock import patch
from xml.etree import ElementTree

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from desktop.domain.topics import BUDGET_TOKENS, FindingKind, FoundSource, Interval, Topic, TopicFinding
from desktop.errors import TopicsInUse
from desktop.render.export.topic_feed import run_line
from desktop.render.labels import EN
from desktop.ui.controllers.topics_controller import TopicsController
from desktop.ui.dialogs.private_passages import PrivatePassagesDialog
from desktop.ui.dialogs.topics_dialog import TopicsDialog
from desktop.ui.widgets.labels import error_message

HOSTILE = "<img src='http://example.org/x.png'> ![p](http://example.org/y.png) The bridge is closed"
FINDING = TopicFinding(
    FindingKind.DIFFERENT,
    HOSTILE,
    (FoundSource("News", "https://example.org/n", "…"),),
    earlier="The bridge is open",
)


def find_each(topics, monkeypatch, *found) -> None:
    """Have each look-up find the next of `found`, and nothing after the last."""
    rest = iter(found)

    async def look_up(_topic, run):
        return replace(run, findings=next(rest, ()))

    monkeypatch.setattr(topics, "_look_up", look_up)


@pytest.fixture
def dialog(window, qtbot):
    window.shortcuts.by_id["topics"].trigger()
    qtbot.waitUntil(lambda: window.window().findChild(TopicsDialog) is not None)
    return window.window().findChild(TopicsDialog)


def test_a_topic_is_watched_looked_up_paused_removed_and_comes_back(
    dialog, engine, qtbot, tmp_path, monkeypatch
):
    qtbot.waitUntil(lambda: "No topics yet" in dialog.history.toPlainText())
    find_each(engine.topics, monkeypatch, (FINDING,))
    dialog.question.setText("Which bridges are closed?")
    dialog.interval.setCurrentIndex(list(Interval).index(Interval.WEEKLY))
    dialog.watch.click()
    qtbot.waitUntil(lambda: "0 new, 1 different" in dialog.status.text())
    qtbot.waitUntil(lambda: "The bridge is open" in dialog.history.toPlainText())
    assert "<img" in dialog.history.toPlainText()  # it stays text
    assert dialog.selected.interval is Interval.WEEKLY
    assert dialog.open_chat.isEnabled()
    assert (dialog.budget.value(), dialog.used.text()) == (BUDGET_TOKENS, "0 used")
    dialog.budget.setValue(0)
    assert dialog.budget.text() == "no limit"
    qtbot.waitUntil(lambda: dialog.selected.budget_tokens == 0)
    dialog.chosen_interval.setCurrentIndex(list(Interval).index(Interval.MONTHLY))
    dialog.chosen_interval.activated.emit(dialog.chosen_interval.currentIndex())
    qtbot.waitUntil(lambda: dialog.selected.interval is Interval.MONTHLY)
    assert (dialog.selected.budget_tokens, dialog.budget.value()) == (0, 0)
    dialog.activateWindow()
    dialog.budget.setFocus()
    qtbot.waitUntil(dialog.budget.hasFocus)
    dialog.budget.selectAll()
    qtbot.keyClicks(dialog.budget, "700000")
    dialog.run.click()
    qtbot.waitUntil(lambda: len(dialog.selected.runs) == 2)
    assert dialog.status.text() == "Nothing new."
    assert dialog.budget.hasFocus()  # what is being typed stays
    qtbot.keyClick(dialog.budget, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: dialog.selected.budget_tokens == 700_000)
    dialog.pause.click()
    qtbot.waitUntil(lambda: dialog.pause.text() == "Resume")
    path = tmp_path / "topic.atom"
    dialog.write((dialog.selected,), path, is_markdown=False)
    qtbot.waitUntil(lambda: "topic.atom" in dialog.status.text())
    assert b"http://www.w3.org/2005/Atom" in path.read_bytes()
    dialog.remove.click()
    qtbot.waitUntil(lambda: dialog.selected is None and dialog.notices.isVisible())
    qtbot.keyClick(dialog.question, Qt.Key.Key_Return)
    assert dialog.notices.isVisible()  # Return presses no button from a field
    dialog.notices.action.click()
    qtbot.waitUntil(lambda: dialog.selected is not None)


def test_a_removal_that_failed_offers_no_undo_and_private_sources_are_listed_before_the_export(
    dialog, engine, qtbot, tmp_path, monkeypatch
):
    qtbot.waitUntil(lambda: "No topics yet" in dialog.history.toPlainText())
    secret = FoundSource("diary.md", "file:///diary.md", "I fell off the bridge.")
    finding = replace(FINDING, sources=(*FINDING.sources, secret))
    find_each(engine.topics, monkeypatch, (finding,))
    dialog.question.setText("Which bridges are closed?")
    dialog.watch.click()
    qtbot.waitUntil(lambda: dialog.selected is not None and bool(dialog.selected.runs))
    dialog.write((dialog.selected,), tmp_path / "topic.atom", is_markdown=False)
    asked = dialog.findChild(PrivatePassagesDialog)
    assert [box.isChecked() for box in asked.boxes] == [False]
    asked.save.click()
    qtbot.waitUntil(lambda: "topic.atom" in dialog.status.text())
    assert b"diary" not in (tmp_path / "topic.atom").read_bytes()
    first = dialog.selected
    other = replace(first, id="other", question="Which roads are closed?")
    dialog._loop.call(engine.topics.restore(other), 20)
    dialog.refresh()
    qtbot.waitUntil(lambda: dialog.rows.rowCount() == 2)
    path = tmp_path / "topics.atom"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), "Atom (*.atom *.xml)"))
    dialog.export_all.click()
    asked = dialog.findChildren(PrivatePassagesDialog)[-1]
    asked.save.click()
    qtbot.waitUntil(lambda: "topics.atom" in dialog.status.text())  # or it would replace the error below
    feed = ElementTree.parse(path).getroot()
    assert feed.findtext("{*}id") == "urn:footnote:topics:all"
    assert {title.text.split(" — ")[0] for title in feed.findall("{*}entry/{*}title")} == {
        first.question,
        other.question,
    }
    assert b"diary" not in path.read_bytes()
    with patch.object(engine.topics, "remove", side_effect=TopicsInUse()):
        dialog.remove.click()
        qtbot.waitUntil(lambda: dialog.status.text() == error_message(TopicsInUse()))
    assert not dialog.notices.isVisible()


def test_what_is_new_is_notified_missed_runs_are_made_up_for_once_and_nothing_new_is_not_notified(
    window, engine, loop, qtbot, monkeypatch
):
    notify, controller = [], window.findChild(TopicsController)
    monkeypatch.setattr(
        controller, "_notify", lambda _key, note, _act: notify.append((note.title, note.text))
    )
    find_each(engine.topics, monkeypatch, (FINDING,))
    topic = Topic("t", "Which bridges are closed?", Interval.DAILY, datetime.now(UTC) - timedelta(days=30))
    loop.call(engine.topics.restore(topic), 20)

    def runs():
        return loop.call(engine.topics.all(), 20)[0].runs

    controller.run_due()
    qtbot.waitUntil(lambda: bool(notify))
    assert notify == [("Which bridges are closed?", "0 new, 1 different")]
    assert window.notices.text == "“Which bridges are closed?”: 0 new, 1 different"
    assert len(runs()) == 1
    controller.run_due()
    qtbot.waitUntil(lambda: not controller._is_running)
    assert len(runs()) == 1  # the thirty days before it are made up for

    window.notices.dismiss()
    (first,) = runs()
    old = replace(topic, runs=(replace(first, started_at=first.started_at - timedelta(days=21)),))
    loop.call(engine.topics.restore(old), 20)
    controller.run_due()
    qtbot.waitUntil(lambda: len(runs()) == 2 and not controller._is_running)
    assert run_line(runs()[-1], EN) == "Nothing new."
    assert (len(notify), window.notices.text) == (1, "")
