"""What is new, how to get it, and the copy that was made before: nothing happens by itself."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from PySide6.QtGui import QDesktopServices, QGuiApplication
from PySide6.QtWidgets import QPushButton

from desktop.domain.backups import HERE, BackupCopy, CopyKind
from desktop.domain.program import Release, VersionNews
from desktop.installation import Installation, InstallForm
from desktop.ui.dialogs.guide_dialogs import ReleaseNotesDialog
from desktop.ui.widgets.labels import format_date
from desktop.ui.window.notices import UpdateNotifier
from tests.ui.fakes.scripts import record_calls, script_result, script_steps

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
RELEASE = Release(
    "0.2.0", "2026-12-24", "https://footnote.example/0.2.0", (("en", "<b>Faster</b>."), ("zh_CN", "更快。"))
)


@pytest.fixture
def show(engine, context, qtbot):
    def make(release=None):
        dialog = ReleaseNotesDialog(engine.port, context.store, context.loop, release)
        qtbot.add_widget(dialog)
        dialog.show()
        return dialog

    return make


def test_an_announced_version_comes_with_the_way_to_get_it(show, engine, monkeypatch):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toString()) or True)
    dialog = show(RELEASE)
    assert dialog.title.text() == "Footnote 0.2.0 is available"
    assert format_date(date(2026, 12, 24)) in dialog.about.text()
    assert "You have 0.1.0" in dialog.about.text()
    assert dialog.text.toPlainText() == "<b>Faster</b>.", "what others wrote is plain text"
    assert dialog.command.text() == "uv tool upgrade footnote"
    next(each for each in dialog.findChildren(QPushButton) if each.text() == "Copy").click()
    assert QGuiApplication.clipboard().text() == "uv tool upgrade footnote"
    dialog.page.click()
    assert opened == [RELEASE.address]


def test_without_a_command_only_the_page_is_offered(show, engine, monkeypatch):
    monkeypatch.setattr(engine.updates, "_installed", Installation(InstallForm.FOLDER, ("footnote",)))
    dialog = show(replace(RELEASE, notes=()))
    assert not hasattr(dialog, "command")
    assert dialog.text.toPlainText() == "See the web page for what’s new."


def test_one_click_ends_the_questions(show, context):
    dialog = show(RELEASE)
    dialog.stop.click()
    assert not context.store.settings.program.checks_updates
    assert "Update checks are off" in dialog.about.text()


def test_after_an_update_the_changelog_is_shown_and_the_copy_that_was_made(show, engine, qtbot):
    script_result(engine.updates, "news", VersionNews("0.1.0", "0.0.9", "## 0.1.0\n\n- Something `new`."))
    copies = (BackupCopy(HERE, "hourly", NOON), BackupCopy(HERE, "before", NOON, CopyKind.BEFORE_UPDATE))
    script_result(engine.backups, "copies", copies)
    dialog = show()
    qtbot.wait_until(lambda: "Something new" in dialog.text.toPlainText())
    assert dialog.title.text() == "What’s new in Footnote 0.1.0"
    assert "Changes since version 0.0.9" in dialog.about.text()
    qtbot.wait_until(lambda: "Footnote made and checked a backup" in dialog.copies.text())


def test_who_had_no_other_version_is_told_of_this_one(show, engine, qtbot):
    script_result(engine.updates, "news", VersionNews("0.1.0", "", "## 0.1.0\n\n- Something `new`."))
    dialog = show()
    qtbot.wait_until(lambda: "Something new" in dialog.text.toPlainText())
    assert not dialog.about.isVisible()
    assert dialog.copies.text() == ""


def test_a_newer_version_is_a_notice_that_stays(open_window, engine, qtbot):
    script_steps(engine.updates, "watch", RELEASE)
    told, window = record_calls(engine.updates, "note_told"), open_window()
    [notifier] = window.findChildren(UpdateNotifier) or window.window().findChildren(UpdateNotifier)
    qtbot.wait_until(lambda: window.notices.text == "Footnote 0.2.0 is available.")
    qtbot.wait_until(lambda: told == [("0.2.0",)])
    window.notices.action.click()
    qtbot.wait_until(lambda: bool(window.window().findChildren(ReleaseNotesDialog)))
    [dialog] = window.window().findChildren(ReleaseNotesDialog)
    dialog.reject()
    notifier._on_news_found("0.0.9")
    assert window.notices.text == "Footnote was updated to 0.1.0."
