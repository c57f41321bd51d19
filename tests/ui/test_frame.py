"""The window is on the screen before its content, and comes back where it was."""

import json

import pytest
from PySide6.QtWidgets import QLabel

from desktop.ui.frame import Frame


@pytest.fixture
def open_frame(qtbot, tmp_path):
    def opened() -> Frame:
        frame = Frame(tmp_path)
        qtbot.add_widget(frame)
        with qtbot.wait_signal(frame.painted):
            frame.show()
        return frame

    return opened


def test_it_says_once_that_it_is_painted_and_is_filled_then(open_frame, qtbot):
    frame = open_frame()
    again = []
    frame.painted.connect(lambda: again.append(True))
    content = QLabel("content")
    frame.fill(content)
    frame.repaint()
    assert frame.centralWidget() is content
    assert again == []


def test_place_and_size_are_remembered(open_frame):
    frame = open_frame()
    frame.resize(701, 503)
    frame.close()
    again = open_frame()
    assert (again.width(), again.height()) == (701, 503)


@pytest.mark.parametrize(("theme", "is_dark"), [("dark", True), ("light", False)])
def test_its_first_colour_is_that_of_the_theme(open_frame, tmp_path, theme, is_dark):
    (tmp_path / "settings.json").write_text(json.dumps({"window": {"theme": theme}}))
    colour = open_frame().grab().toImage().pixelColor(600, 300)
    assert (colour.lightness() < 128) is is_dark


@pytest.mark.parametrize("settings", [b"{", b"[]", b'{"window": 3}', b"\xff\x00"])
def test_damaged_settings_do_not_keep_it_from_the_screen(open_frame, tmp_path, settings):
    (tmp_path / "settings.json").write_bytes(settings)
    assert open_frame().isVisible()
