"""The bar above the message field."""

from PySide6.QtCore import Qt

from desktop.errors.servers import AuthFailed
from desktop.ui.widgets.notice_bar import Notice, NoticeBar
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
