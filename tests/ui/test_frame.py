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


def test_closing_hides_a_window_that_stays_until_the_person_quits(open_frame, qtbot):
    frame = open_frame()
    frame.set_stays(True)
    with qtbot.assert_not_emitted(frame.closed):
        frame.close()
    assert not frame.isVisible()
    frame.come_forward()
    assert frame.isVisible()
    with qtbot.wait_signal(frame.closed):
        frame.end()


def test_the_place_is_kept_while_the_window_is_open(open_frame, tmp_path, qtbot):
    frame = open_frame()
    frame.resize(723, 511)
    place = tmp_path / "window.ini"
    qtbot.wait_until(lambda: frame.place.value("geometry") == frame.saveGeometry())
    frame.place.sync()
    assert place.is_file()  # and a crash from here on loses nothing of it
