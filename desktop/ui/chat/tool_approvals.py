"""Tool approvals: the pending requests of every conversation, and the bar that shows them."""

import json
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot
from PySide6.QtWidgets import QApplication, QFrame, QPlainTextEdit, QPushButton, QWidget

from desktop.background import BackgroundLoop
from desktop.chat.api.engine import Turns
from desktop.domain.events import ToolAsks
from desktop.domain.memory import REMEMBER, normalize_fact
from desktop.domain.tools import WEB_SEARCH, WIKIPEDIA_SEARCH, Consent, tool_key
from desktop.settings.mcp_servers import with_consent
from desktop.text.decode import pretty_json, printable
from desktop.ui.i18n import Retranslated
from desktop.ui.stores.settings_store import SettingsStore
from desktop.ui.widgets.layout import hbox, label, vbox


@dataclass(frozen=True)
class ApprovalRequest:
    """A tool call that waits for the user's approval."""

    conversation_id: str
    asks: ToolAsks

    @property
    def key(self) -> str:
        """The key under which a permanent decision is stored."""
        return tool_key(self.asks.server, self.asks.call.name)

    def is_answered_by(self, consent: Consent, key: str) -> bool:
        """Whether a permanent decision for the tool with `key` answers this request as well."""
        return key == self.key and (consent is Consent.NEVER or not self.asks.insists)


class ToolApprovals(QObject):
    """Keeps the requests of all conversations until they are answered or their turn ends.

    Signals:
        changed: the requests (tuple of ApprovalRequest) of the open conversation, the oldest first.
        waiting_changed: ids (frozenset) of the conversations in which a tool waits.
        failed: an error outside any message.
    """

    changed = Signal(object)
    waiting_changed = Signal(object)
    failed = Signal(object)

    def __init__(self, turns: Turns, store: SettingsStore, loop: BackgroundLoop, parent: QObject) -> None:
        super().__init__(parent)
        self._turns = turns
        self._store = store
        self._loop = loop
        self._current = ""
        self._open: dict[str, ApprovalRequest] = {}
        self._answered: set[str] = set()

    @Slot(str)
    def show(self, conversation_id: str) -> None:
        """Show the requests of another conversation."""
        self._current = conversation_id
        self._tell()

    @Slot(str, object)
    def ask(self, conversation_id: str, asks: ToolAsks) -> None:
        """Add a request. Replayed turns report their old requests again; answered ones are ignored."""
        if asks.id not in self._answered:
            self._open[asks.id] = ApprovalRequest(conversation_id, asks)
            self._tell()

    @Slot(object)
    def keep_running(self, conversation_ids: frozenset[str]) -> None:
        """Discard the requests of turns that have ended."""
        over = {key for key, each in self._open.items() if each.conversation_id not in conversation_ids}
        if over:
            self._close(over)

    @Slot(object, object)
    def answer(self, question: ApprovalRequest, consent: Consent) -> None:
        """Submit the user's decision. A permanent one applies to all waiting requests of this tool."""
        if question.asks.id not in self._open:
            return
        meant = {question.asks.id}
        if consent.is_lasting:
            meant |= {key for key, each in self._open.items() if each.is_answered_by(consent, question.key)}
            self._store.apply(with_consent(self._store.settings, question.key, consent))
        self._loop.run(self, partial(self._turns.decide, question.asks.id, consent), failed=self.failed)
        self._close(meant)

    def _close(self, ids: set[str]) -> None:
        self._answered |= ids
        for each in ids:
            del self._open[each]
        self._tell()

    def _tell(self) -> None:
        here = (each for each in self._open.values() if each.conversation_id == self._current)
        self.changed.emit(tuple(here))
        self.waiting_changed.emit(frozenset(each.conversation_id for each in self._open.values()))


LOOKED_AT_MS = 400
"""Milliseconds in which a new request ignores clicks: they were meant for what was displayed before."""

_MOST_LINES = 10
_ROW_CHARS = 80
_FRAME = 26


class ApprovalBar(Retranslated, QFrame):
    """Shows one request at a time; hidden while there is none.

    Signals:
        answered: the ApprovalRequest and the Consent.
    """

    answered = Signal(object, object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self._questions: tuple[ApprovalRequest, ...] = ()
        self.title = label(self)
        self.count = label(self, "", "muted", "small")
        self.count.setWordWrap(False)
        self.arguments = QPlainTextEdit(self)
        self.arguments.setObjectName("lines")
        self.arguments.setReadOnly(True)
        self.arguments.setTabChangesFocus(True)
        self.buttons = {consent: QPushButton(self) for consent in Consent}
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(LOOKED_AT_MS)
        self._timer.timeout.connect(self._let_answer)
        self._lay_out()
        self._retranslate()
        self.hide()

    @property
    def question(self) -> ApprovalRequest | None:
        """The displayed request."""
        return self._questions[0] if self._questions else None

    @Slot(object)
    def show_questions(self, questions: tuple[ApprovalRequest, ...]) -> None:
        """Show the first of `questions`."""
        before, self._questions = self.question, questions
        if self.question != before:
            self._show_question()
        self._show_count()

    def focus(self) -> None:
        """Give the bar the keyboard focus."""
        if self.question is not None:
            first = self.buttons[Consent.ONCE]
            (first if first.isEnabled() else self.arguments).setFocus()

    def _lay_out(self) -> None:
        column = vbox(self, spacing=8, margins=(14, 10, 14, 10))
        top = hbox()
        top.addWidget(self.title, 1)
        top.addWidget(self.count)
        column.addLayout(top)
        column.addWidget(self.arguments)
        row = hbox(spacing=8)
        self.buttons[Consent.ONCE].setProperty("primary", "true")
        self.buttons[Consent.NEVER].setProperty("destructive", "true")
        row.addWidget(self.buttons[Consent.ONCE])
        row.addWidget(self.buttons[Consent.ALWAYS])
        row.addStretch(1)
        row.addWidget(self.buttons[Consent.NO])
        row.addWidget(self.buttons[Consent.NEVER])
        column.addLayout(row)
        for button in self.buttons.values():
            button.setAutoDefault(True)
            button.clicked.connect(self._on_clicked)

    def _retranslate(self) -> None:
        words = {
            Consent.ONCE: self.tr("Allow &once"),
            Consent.ALWAYS: self.tr("&Always allow this tool"),
            Consent.NO: self.tr("&Don’t allow"),
            Consent.NEVER: self.tr("N&ever allow this tool"),
        }
        for consent, button in self.buttons.items():
            button.setText(words[consent])
        self.arguments.setAccessibleName(self.tr("Data sent to the tool"))
        self._show_title()
        self._show_count()

    def _show_question(self) -> None:
        question = self.question
        self.setVisible(question is not None)
        self._show_title()
        if question is None:
            return
        shown = _format_arguments(question.asks)
        self.arguments.setPlainText(shown)
        metrics = self.arguments.fontMetrics()
        wanted = sum(1 + len(row) // _ROW_CHARS for row in shown.split("\n"))
        lines = min(wanted, _MOST_LINES)
        self.arguments.setFixedHeight(lines * metrics.lineSpacing() + _FRAME)
        if self.window().focusWidget() in self.buttons.values():
            # Do not focus a button: a held key would answer a request that the user has not read.
            self.arguments.setFocus()
        for button in self.buttons.values():
            button.setEnabled(False)
        self._timer.start()
        QApplication.alert(self.window())

    def _show_title(self) -> None:
        if self.question is None:
            return
        asks = self.question.asks
        if asks.server:
            words = self.tr("Allow “{tool}” from “{server}” to run?")
            text = words.format(tool=asks.call.name, server=asks.server)
        elif asks.call.name == REMEMBER:
            text = self.tr("Save this to memory? A model suggested it.")
        elif asks.call.name in {WEB_SEARCH, WIKIPEDIA_SEARCH}:
            text = self.tr("This search mentions something from your memories or files. Send it?")
        else:
            text = self.tr("Allow “{tool}” to run?").format(tool=asks.call.name)
        self.title.setText(text)
        self.setAccessibleName(text)

    def _show_count(self) -> None:
        more = len(self._questions) - 1
        self.count.setText(self.tr("and {count} more").format(count=more) if more > 0 else "")

    @Slot()
    def _let_answer(self) -> None:
        for button in self.buttons.values():
            button.setEnabled(True)

    @Slot()
    def _on_clicked(self) -> None:
        question = self.question
        consent = next(consent for consent, button in self.buttons.items() if button is self.sender())
        if question is not None:
            self.answered.emit(question, consent)


def _format_arguments(asks: ToolAsks) -> str:
    """Return the arguments of a tool call as text; a fact to remember as a plain sentence."""
    if not asks.server and asks.call.name == REMEMBER:
        return parse_proposed_fact(asks.call.arguments)
    return pretty_json(asks.call.arguments)


def parse_proposed_fact(arguments: str) -> str:
    """Return the sentence in a call of the remember tool, exactly as it would be stored."""
    read = json.loads(arguments)
    fact = read.get("fact") if isinstance(read, dict) else None
    return (
        printable(normalize_fact(fact))
        if isinstance(fact, str) and len(read) == 1
        else pretty_json(arguments)
    )
