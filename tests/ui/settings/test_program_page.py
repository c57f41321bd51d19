"""Newer versions in the settings: who is asked, what is known, and where data and keys are."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from PySide6.QtWidgets import QLabel, QWidget

from desktop.domain.program import Release
from desktop.errors import AppError, UpdateUnknown
from desktop.ui.dialogs.guide_dialogs import ReleaseNotesDialog
from desktop.ui.settings.pages import data, privacy, program
from desktop.ui.settings.pages.help import ABOUT_PAGE
from desktop.ui.settings.pages.program import UpdatePanel

ADDRESS = "https://footnote.example/latest.json"
RELEASE = Release("0.2.0", "2026-12-24", "https://footnote.example/0.2.0")


@pytest.fixture
def texts(context, qtbot):
    """Return a function that builds a page and returns its texts."""
    holder = QWidget()
    qtbot.add_widget(holder)

    def build(page):
        for row in page.rows(context):
            row.build(context, holder)
        return " ".join(each.text() for each in holder.findChildren(QLabel))

    return build


@pytest.fixture(autouse=True)
def release(context, monkeypatch, qtbot):
    """Have the address announce `newest`, or fail with it."""
    answers = SimpleNamespace(newest=replace(RELEASE, version="0.0.1"))

    async def fetch(_address, _proxy):
        if isinstance(answers.newest, AppError):
            raise answers.newest
        return answers.newest

    monkeypatch.setattr("desktop.services.updates.fetch_release", fetch)
    announce(context, ADDRESS, qtbot)
    return answers


def announce(context, address, qtbot):
    settings = context.store.settings
    context.store.apply(replace(settings, program=replace(settings.program, update_address=address)))
    qtbot.wait_until(lambda: context.preferences.settings == context.store.settings)


@pytest.fixture
def panel(context, qtbot):
    holder = QWidget()
    qtbot.add_widget(holder)
    yield UpdatePanel(context, holder)
    holder.close()


def test_looking_now_shows_what_is_known(panel, release, qtbot):
    qtbot.wait_until(lambda: panel.state.text() == "Not checked yet")
    panel.look.click()
    qtbot.wait_until(lambda: panel.state.text().startswith("Footnote is up to date.\nLast checked "))
    release.newest = RELEASE
    panel.look.click()
    qtbot.wait_until(lambda: panel.state.text().startswith("Version 0.2.0 is available.\nLast checked "))
    panel.news.click()
    [dialog] = panel.window().findChildren(ReleaseNotesDialog)
    assert dialog.title.text() == "Footnote 0.2.0 is available"


def test_a_failure_is_shown_here_and_nowhere_else(panel, release, qtbot):
    release.newest = UpdateUnknown(detail="footnote.example can’t be reached.")
    panel.look.click()
    qtbot.wait_until(
        lambda: panel.state.text().startswith("footnote.example can’t be reached.\nLast checked ")
    )


def test_where_no_address_is_known_it_is_said(texts, panel, context, monkeypatch, qtbot):
    monkeypatch.setattr("desktop.services.updates.default_address", lambda: "")
    announce(context, "", qtbot)
    assert "so Footnote doesn’t check" in texts(program.PAGE)
    panel.refresh()
    qtbot.wait_until(lambda: not panel.look.isEnabled())
    assert "No update address is set" in panel.state.text()


def test_the_pages_say_who_is_asked(texts, context):
    assert "Asks footnote.example." in texts(program.PAGE)
    assert "Checks footnote.example once a day" in texts(privacy.PAGE)
    settings = context.store.settings
    context.store.apply(replace(settings, program=replace(settings.program, checks_updates=False)))
    assert "doesn’t check for updates" in texts(privacy.PAGE)


def test_the_page_about_says_how_it_was_installed(texts):
    assert "This copy is installed with uv tool." in texts(ABOUT_PAGE)


def test_a_portable_folder_is_named_and_that_keys_stay(texts, engine, monkeypatch):
    assert "beside the program" not in texts(data.PAGE)
    folders = replace(engine.services.folders, data=Path("/media/stick/Footnote-data"), is_portable=True)
    monkeypatch.setattr(engine.updates, "_folders", folders)
    told = texts(data.PAGE)
    assert "/media/stick/Footnote-data" in told
    assert "API keys stay" in told
