"""The page that is made before the program: it is taken over whether or not it has loaded by then."""

import pytest
import shiboken6
from PySide6.QtWidgets import QWidget

from desktop.ui.transcript.web_page import PreloadedPage
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
