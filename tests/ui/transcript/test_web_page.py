"""The page that is made before the program: it is taken over whether or not it has loaded by then."""

import os
import sys

import pytest
import shiboken6
from PySide6.QtWidgets import QWidget

from desktop.ui.transcript.web_page import PreloadedPage, set_switches
from tests.cases import cases
from tests.ui.transcript.view_under_test import ViewUnderTest


@pytest.fixture
def owner(qtbot):
    widget = QWidget()
    widget.resize(800, 600)
    widget.show()
    yield widget
    shiboken6.delete(widget)


@pytest.mark.parametrize("has_loaded", [True, False])
def test_a_page_made_ahead_is_taken_over(owner, loop, qtbot, has_loaded):
    bare = PreloadedPage(owner)
    if has_loaded:
        qtbot.wait_until(lambda: bare.is_loaded)
    page = ViewUnderTest(loop, owner, bare)
    page.show()
    page.open_conversation((), ())
    with qtbot.wait_signal(page.ready):
        pass
    qtbot.wait_until(lambda: page.is_whole)
    assert bare.view.parent() is page
    assert bare.profile.parent() is page


def test_it_connects_again_after_any_load(owner, loop, qtbot):
    page = ViewUnderTest(loop, owner)
    page.show()
    page.open_conversation((), ())
    with qtbot.wait_signal(page.ready):
        pass
    with qtbot.wait_signal(page.ready):
        page.web_page.triggerAction(page.web_page.WebAction.Reload)
    qtbot.wait_until(lambda: page.is_whole)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems always have a driver of their own")
@cases(
    "device, chosen, given",
    [
        ("", None, "software"),
        ("unreadable", None, "software"),
        ("dri", None, None),
        ("nvidiactl", None, None),
        ("dxg", None, None),
        ("", "rhi", "rhi"),
    ],
)
def test_qt_draws_the_page_where_there_is_no_graphics_card(tmp_path, monkeypatch, device, chosen, given):
    monkeypatch.setenv("QTWEBENGINE_CHROMIUM_FLAGS", "")
    monkeypatch.setenv("QT_QUICK_BACKEND", chosen or "")
    if chosen is None:
        monkeypatch.delenv("QT_QUICK_BACKEND")
    devices = tmp_path / (device or "none")
    (devices / device).mkdir(parents=True)
    if device == "unreadable":
        devices /= "x" * 300  # to look there is an error, as where it is not allowed
    with set_switches(devices):
        assert os.environ.get("QT_QUICK_BACKEND") == given
    assert os.environ.get("QT_QUICK_BACKEND") == chosen


def test_programs_opened_for_the_user_inherit_nothing_of_the_web_engine(owner, monkeypatch):
    monkeypatch.delenv("QTWEBENGINE_CHROMIUM_FLAGS", raising=False)
    monkeypatch.delenv("QT_QUICK_BACKEND", raising=False)
    before = dict(os.environ)
    PreloadedPage(owner)
    assert dict(os.environ) == before
