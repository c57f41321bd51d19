"""The welcome: a key with a provider on loopback, and the mark that is live before anything is set up."""

import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from desktop.errors.servers import ProviderDown
from desktop.services.models import Models
from desktop.ui.chat.welcome import KeyCard, Welcome
from desktop.ui.settings.controls import SecretField
from tests.serving import serve_requests
from tests.ui.fakes.services import OPENAI

Reply = tuple[int, object] | str | None
"""A status and a body; the text of an answer; None for no reply until the other side has gone."""


class _Handler(BaseHTTPRequestHandler):
    replies: list[Reply]

    def do_GET(self) -> None:
        reply = self.replies.pop(0)
        if reply is None:
            with suppress(OSError):
                self.rfile.read(1)
        elif isinstance(reply, str):
            piece = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
            piece |= {"choices": [{"index": 0, "delta": {"content": reply}}]}
            self.send(200, "text/event-stream", f"data: {json.dumps(piece)}\n\n")
        else:
            self.send(reply[0], "application/json", json.dumps(reply[1]))

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self.do_GET()

    def send(self, status: int, kind: str, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *arguments: object) -> None:
        """Stay silent."""


@contextmanager
def running_provider(replies: list[Reply]) -> Iterator[str]:
    """Give one reply after another on loopback, and return the address; `replies` are those still to be given."""
    handler = type("Handler", (_Handler,), {"replies": replies})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    with serve_requests(server):
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"


def test_the_welcome_knows_the_provider_by_how_the_key_begins(context, qtbot):
    card = KeyCard(context, None)
    qtbot.addWidget(card)
    card.show()
    keys = {
        " sk-ant-x ": "Anthropic",
        '"sk-proj-x"': "OpenAI",
        "“sk-ant-x”": "Anthropic",
        "\ufeffsk-proj-x\u200b": "OpenAI",
        '"sk-ant-x", "sk-ant-y"': "Anthropic",
    }
    for key, name in keys.items():
        card.key.setText(key)
        assert card.provider.currentText() == name
        assert not card.provider.isVisible()
    card.key.setText("sk-ant-x sk-proj-y")  # with two keys, each provider would get the key of the other
    assert card.provider.isVisible()
    assert card.provider.currentIndex() == -1
    card.key.setText("sk-x")  # several providers have such keys: it is sent to none of them by guess
    assert card.provider.isVisible()
    assert card.provider.currentIndex() == -1
    card.connect_button.click()
    assert card.state.text() == "Choose the provider that this key is from."


def test_a_key_that_no_keyring_takes_is_kept_for_the_session_and_the_welcome_says_so(engine, context, qtbot):
    card = KeyCard(context, None)
    qtbot.addWidget(card)
    assert "saved in the system keyring" in card.text.text()
    engine.preferences.keyring_problem = "This system offers no keyring."
    card.look_for_keyring()
    qtbot.wait_until(lambda: "a key is kept until you quit" in card.text.text())
    field = SecretField("provider/openai", context)
    qtbot.addWidget(field)
    field.edit.setText("sk-proj-x")
    field.edit.editingFinished.emit()
    qtbot.wait_until(lambda: field.edit.placeholderText() == "Kept until you quit Footnote")


@contextmanager
def welcomed_with_a_key(engine, open_window, replies):
    """Open a first start whose only provider is on loopback, and says `replies` one after another."""
    with running_provider(replies) as address:
        preferences = engine.preferences
        preferences.settings = replace(preferences.settings, was_welcomed=False)
        preferences.presets = (replace(OPENAI, base_url=address),)
        preferences.try_provider = Models(
            lambda: preferences.settings, preferences.has_secret, {}
        ).try_provider
        yield open_window()


def test_the_first_start_with_a_key(engine, open_window, qtbot):
    listed = (200, {"data": [{"id": "gpt-4.1"}, {"id": "gpt-5.1"}, {"id": "gpt-5.1-mini"}]})
    refused = (401, {"error": {"message": "Incorrect API key provided"}})
    no_credit = (429, {"error": {"code": "insufficient_quota", "message": "You exceeded your current quota"}})
    replies = [refused, listed, no_credit, None, listed, "Hello"]
    with welcomed_with_a_key(engine, open_window, replies) as window:
        card = window.transcripts.first_start.key
        qtbot.keyClicks(card.key, "sk-proj-bad")
        qtbot.keyClick(card.key, Qt.Key.Key_Return)
        qtbot.wait_until(lambda: "OpenAI did not accept this key" in card.state.text())
        qtbot.keyClick(card.key, Qt.Key.Key_Return)
        qtbot.wait_until(lambda: "out of credit. Add credit" in card.state.text())
        assert "exceeded your current quota" in card.state.details.words.text()
        assert window.store.settings.providers == ()
        card.connect_button.click()
        assert (card.state.text(), card.connect_button.text()) == ("Connecting to OpenAI…", "Cancel")
        qtbot.wait_until(lambda: len(replies) == len((listed, "Hello")))
        card.connect_button.click()
        assert (card.state.text(), card.connect_button.text()) == ("Canceled.", "Connect")
        card.connect_button.click()
        qtbot.wait_until(lambda: window.store.settings.chat.model == "openai/gpt-5.1")
        assert window.notices.text == "OpenAI is connected. gpt-5.1 answers."
        assert window.notices.action.text() == "Choose another model"
        qtbot.wait_until(lambda: engine.preferences.secrets == {"provider/openai": "sk-proj-bad"})
        assert window.transcripts.currentWidget() is window.transcripts.page
        assert window.focusWidget() is window.composer.text
    assert [provider.id for provider in window.store.settings.providers] == ["openai"]


def test_without_a_network_the_first_start_says_what_to_do(context, engine, qtbot):
    async def fail(provider, _key):
        if provider.id == "anthropic":
            raise ProviderDown(provider=provider.name, detail="Name or service not known")
        yield

    engine.preferences.try_provider = fail
    card = KeyCard(context, None)
    qtbot.addWidget(card)
    card.key.setText("sk-ant-x")
    card.connect_button.click()
    words = "Anthropic can’t be reached. Check your connection and try again."
    qtbot.wait_until(lambda: card.state.text() == words)
    assert card.state.details.words.text() == "Name or service not known"


def test_the_first_screen_has_a_live_mark(context, qtbot):
    welcome = Welcome(context)
    qtbot.addWidget(welcome)
    welcome.resize(1_000, 700)
    with qtbot.wait_active(welcome):
        welcome.show()
        welcome.activateWindow()
    sample = welcome.sample
    assert not sample.card.isVisible()
    places = (QPoint(x, sample.answer.height() // 2) for x in range(0, sample.answer.width(), 4))
    assert any(QTest.mouseMove(sample.answer, place) or sample.card.isVisible() for place in places)
    assert "Every number in an answer" in sample.card.passage
    QTest.mouseMove(sample.answer, QPoint(1, 1))
    assert not sample.card.isVisible()
    welcome.key.key.setFocus()
    sample.answer.setFocus(Qt.FocusReason.TabFocusReason)
    assert sample.card.isVisible()
    assert sample.card.geometry().bottom() < welcome.widget().height()
    qtbot.keyClick(sample.answer, Qt.Key.Key_Escape)
    assert not sample.card.isVisible()
