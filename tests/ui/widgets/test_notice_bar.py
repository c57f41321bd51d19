"""The bar above the message field, and the line for a status in dialogs."""

from PySide6.QtCore import Qt

from desktop.errors.servers import AuthFailed
from desktop.ui.widgets.labels import untranslated_error
from desktop.ui.widgets.notice_bar import Notice, NoticeBar, StatusLabel
from tests.cases import cases


@cases(
    "error, text, detail",
    (
        (
            AuthFailed(provider="OpenAI", detail="401: bad key"),
            "OpenAI did not accept the API key. Check it in Settings > Models.",
            "401: bad key",
        ),
        (
            AuthFailed(provider="OpenAI", detail=""),
            "OpenAI did not accept the API key. Check it in Settings > Models.",
            "",
        ),
        (ValueError("x"), "An internal error occurred: ValueError: x", ""),
    ),
)
def test_what_a_server_said_is_behind_details(error, text, detail, qtbot):
    bar = NoticeBar()
    qtbot.add_widget(bar)
    bar.say_failed(error)
    assert (bar.text, bar.details.isVisible(), bar.details.words.isVisible()) == (text, bool(detail), False)
    if detail:
        qtbot.mouseClick(bar.details, Qt.MouseButton.LeftButton)
        assert (bar.details.words.isVisible(), bar.details.words.text()) == (True, detail)
        bar.say(Notice("Saved"))
        assert not bar.details.isVisible()
        assert not bar.details.words.isVisible()


@cases(
    "error, text, detail",
    (
        (AuthFailed(provider="OpenAI", detail="401: bad key"), "OpenAI did not accept", "401: bad key"),
        (
            untranslated_error(AuthFailed(provider="OpenAI", detail="401: bad key")),
            "OpenAI did not",
            "401: bad key",
        ),
        (ValueError("x"), "An internal error occurred: ValueError: x", ""),
    ),
)
def test_an_error_in_a_dialog_has_its_detail_behind_a_button(error, text, detail, qtbot):
    line = StatusLabel(None, "muted")
    qtbot.add_widget(line)
    assert line.isHidden()
    line.show_error(error)
    assert line.text().startswith(text)
    assert line.words.property("danger") == "true"
    assert (line.details.isVisible(), line.details.words.isVisible()) == (bool(detail), False)
    if detail:
        line.details.setFocus(Qt.FocusReason.TabFocusReason)
        qtbot.keyClick(line.details, Qt.Key.Key_Space)
        assert line.details.words.isVisible()
        assert line.details.words.text() == detail
        assert line.details.words.textInteractionFlags() & Qt.TextInteractionFlag.TextSelectableByKeyboard
        line.show_error(error)  # said again: what the user opened stays open
        assert line.details.words.isVisible()
    line.setText("Saved")
    assert line.words.property("danger") == "false"
    assert not line.details.isVisible()
    assert not line.details.words.isVisible()
    line.clear()
    assert line.isHidden()
