"""Controls that settings pages share: secret fields, buttons that run something, lists of facts."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Qt, Signal, Slot
from PySide6.QtWidgets import QFrame, QLineEdit, QProgressBar, QPushButton, QWidget

from desktop.background import BackgroundLoop, Job
from desktop.domain.backups import TransferProgress
from desktop.phrases import without_place
from desktop.settings.secrets import MOST_KEYS, has_unused_keys
from desktop.ui.i18n import Retranslated
from desktop.ui.settings.rows import SettingsContext
from desktop.ui.widgets.labels import error_parts, untranslated_error
from desktop.ui.widgets.layout import hbox, label, separator, show_progress, vbox
from desktop.ui.widgets.notice_bar import StatusLabel

_BAR_WIDTH = 140

_SHOWN = 8


class RowPanel(Retranslated, QFrame):
    """A frame with a row for each of several things, a line below each, and a problem above them.

    `rows` are by the keys of the things; `first` widgets stand above them.
    """

    def __init__(self, parent: QWidget | None = None, first: Sequence[QWidget] = ()) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self.rows: dict[str, Any] = {}
        self._lines: list[QWidget] = []
        self._column = vbox(self, spacing=2)
        self.problem = StatusLabel(self, "danger", "small")
        self._first = (*first, self.problem)
        for widget in self._first:
            self._column.addWidget(widget)

    def replace_rows(self, rows: dict[str, Any]) -> None:
        """Show other rows."""
        for widget in (*self.rows.values(), *self._lines):
            self._column.removeWidget(widget)
            widget.hide()
            widget.deleteLater()
        self.rows = rows
        self._lines = [separator(self) for _row in rows]
        shown = (each for pair in zip(rows.values(), self._lines, strict=True) for each in pair)
        for place, widget in enumerate(shown, len(self._first)):
            self._column.insertWidget(place, widget)

    @Slot(object)
    def show_error(self, error: Exception) -> None:
        """Show why something could not be done."""
        self.problem.show_error(error)


class SecretField(Retranslated, QWidget):
    """A field for a secret: the input is stored in the keyring when the field loses the focus, and never shown again.

    With `is_login` it takes name and password, with `takes_one` a single key, otherwise one key or several.

    Signals:
        entered: a new secret, or none, is being stored.
        failed: the error that prevented storing it.
    """

    entered = Signal()
    failed = Signal(object)

    def __init__(
        self,
        secret: str,
        context: SettingsContext,
        parent: QWidget | None = None,
        *,
        is_login: bool = False,
        takes_one: bool = False,
    ) -> None:
        super().__init__(parent)
        self._secret = secret
        self._is_login = is_login
        self._takes_one = takes_one
        self._context = context
        self._saving = ""
        self._has_key = self._has_unused = False
        self.edit = QLineEdit(self)
        self.edit.setEchoMode(QLineEdit.EchoMode.Password)
        self.forget = QPushButton(self)
        self.forget.setProperty("flat", "true")
        row = hbox(self)
        row.addWidget(self.edit, 1)
        row.addWidget(self.forget)
        self.setFocusProxy(self.edit)
        self.edit.editingFinished.connect(self._on_entered)
        self.forget.clicked.connect(self._on_forget_clicked)
        self._retranslate()
        self.refresh()

    @property
    def unsaved(self) -> str | None:
        """A key that was typed and is not stored yet; None where the stored one is used."""
        return self.edit.text().strip() or self._saving or None

    def _retranslate(self) -> None:
        kept, missing = (
            self.tr("Saved. Enter a new key to replace it"),
            self.tr("API key, or several"),
        )
        name = self.tr("API key")
        if self._takes_one:
            missing = self.tr("Paste here")
        if self._is_login:
            kept, missing = (
                self.tr("Saved. Enter new ones to replace them"),
                self.tr("name:password"),
            )
            name = self.tr("Name and password")
        if self._context.preferences.keyring_problem:
            kept = self.tr("Kept until you quit Footnote")
        if self._has_unused:
            kept = self.tr("Only the first {count} keys are used").format(count=MOST_KEYS)
        self.edit.setPlaceholderText(kept if self._has_key else missing)
        self.edit.setAccessibleName(name)
        self.forget.setText(self.tr("Clear"))
        self.forget.setVisible(self._has_key)

    @Slot()
    def refresh(self) -> None:
        """Check again whether a secret is stored."""
        self._context.loop.run(
            self, partial(self._context.preferences.has_secret, self._secret), self._on_loaded, self.failed
        )

    def _keep(self, value: str) -> None:
        self._saving = value
        self._has_unused = not (self._is_login or self._takes_one) and has_unused_keys(value)
        self.entered.emit()
        job = self._context.store.keep_secrets([(self._secret, value)])
        job.succeeded.connect(self._on_kept)
        job.failed.connect(self._on_failed)

    @Slot()
    def _on_entered(self) -> None:
        if typed := self.edit.text().strip():
            self.edit.clear()
            self._keep(typed)

    @Slot()
    def _on_forget_clicked(self) -> None:
        self._keep("")

    @Slot(object)
    def _on_loaded(self, has_key: bool) -> None:
        self._has_key = has_key
        self._retranslate()

    @Slot(object)
    def _on_kept(self, _nothing: object) -> None:
        self._saving = ""
        self.refresh()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._saving = ""
        self.failed.emit(error)


class TestButton(Retranslated, QWidget):
    """A button that runs the work that `prepare` returns, or stops it, and shows its result as `describe` puts it.

    `name` is the text of the button in the current language; by default "Test".

    Signals:
        succeeded: the result.
        failed: the error.
    """

    succeeded = Signal(object)
    failed = Signal(object)

    def __init__(
        self,
        prepare: Callable[[], Callable[[], Awaitable[object]]],
        describe: Callable[[object], str],
        loop: BackgroundLoop,
        parent: QWidget | None = None,
        name: str = "",
    ) -> None:
        super().__init__(parent)
        self._name = name
        self._prepare = prepare
        self._describe = describe
        self._loop = loop
        self._newest = 0
        self._job: Job | None = None
        self.button = QPushButton(self)
        self.result = StatusLabel(self, "muted")
        row = hbox(self, spacing=10)
        row.addWidget(self.button)
        row.addWidget(self.result, 1)
        row.addStretch()
        self.button.clicked.connect(self._on_clicked)
        self._retranslate()

    @Slot()
    def start(self) -> None:
        """Run the test."""
        self.forget()
        self.result.setText(self.tr("Please wait…"))
        self._job = self._loop.run(
            self,
            self._prepare(),
            partial(self._on_succeeded, self._newest),
            partial(self._on_failed, self._newest),
        )
        self._retranslate()

    @Slot()
    def forget(self) -> None:
        """Clear the result and stop a test that is running: what it tests has changed, or the user does not wait."""
        self._newest += 1
        if self._job is not None:
            self._job.cancel()
        self._end()
        self.result.clear()

    def _retranslate(self) -> None:
        name = self._name or self.tr("Test")
        self.button.setText(name if self._job is None else self.tr("Stop"))

    def _end(self) -> None:
        self._job = None
        self._retranslate()

    @Slot()
    def _on_clicked(self) -> None:
        if self._job is None:
            self.start()
        else:
            self.forget()

    def _on_succeeded(self, number: int, result: object) -> None:
        if number != self._newest:
            return
        self._end()
        self.result.show_status(self._describe(result))
        self.succeeded.emit(result)

    def _on_failed(self, number: int, error: Exception) -> None:
        if number != self._newest:
            return
        self._end()
        text, detail = error_parts(without_place(untranslated_error(error)))
        self.result.show_status(text, is_bad=True, detail=detail)
        self.failed.emit(error)


class ProgressButton(QObject):
    """A button that starts and stops a long operation, with a progress bar and a status.

    Its parts are laid out by the panel that owns it.

    Signals:
        asked: the user wants to start; the receiver calls `begin` with the work.
        ended: the work has ended, with any outcome.
        succeeded: its result, after `ended`.
    """

    asked = Signal()
    ended = Signal()
    succeeded = Signal(object)

    def __init__(self, words: str, loop: BackgroundLoop, parent: QWidget) -> None:
        super().__init__(parent)
        self._words = words
        self._loop = loop
        self._job: Job | None = None
        self.button = QPushButton(words, parent)
        self.bar = QProgressBar(parent)
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(_BAR_WIDTH)
        self.bar.hide()
        self.state = StatusLabel(parent, "muted")
        self.button.clicked.connect(self._on_clicked)

    def begin(self, work: Callable[[], AsyncIterator[Any]]) -> None:
        """Run `work` and show its steps."""
        self.button.setText(self.tr("Stop"))
        show_progress(self.bar, 0, 0)
        self.bar.show()
        self.state.clear()
        self._job = self._loop.run(
            self,
            work,
            self._on_succeeded,
            self._on_failed,
            progressed=self._on_progressed,
            cancelled=self._end,
        )

    @Slot()
    def _on_clicked(self) -> None:
        if self._job is None:
            self.asked.emit()
        else:
            self._job.cancel()

    @Slot(object)
    def _on_progressed(self, step: TransferProgress) -> None:
        show_progress(self.bar, step.done, step.total)

    @Slot(object)
    def _on_succeeded(self, result: object) -> None:
        self._end()
        self.succeeded.emit(result)

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._end()
        self.state.show_error(error)

    @Slot()
    def _end(self) -> None:
        self._job = None
        self.button.setText(self._words)
        self.bar.hide()
        self.ended.emit()


@dataclass(frozen=True)
class Fact:
    """A line of a `FactList`; `value` is shown at its right, its button calls `act`."""

    title: str
    detail: str = ""
    value: str = ""
    is_quiet: bool = False
    is_bad: bool = False
    action: str = ""
    act: Callable[[], None] | None = None


class FactLine(QWidget):
    """The widget of one fact."""

    def __init__(self, fact: Fact, parent: QWidget) -> None:
        super().__init__(parent)
        row = hbox(self, spacing=8, margins=(0, 5, 0, 5))
        words = vbox(spacing=1)
        words.addWidget(label(self, fact.title, *(("muted",) if fact.is_quiet else ())))
        if fact.detail:
            words.addWidget(label(self, fact.detail, "danger" if fact.is_bad else "muted", "small"))
        row.addLayout(words, 1)
        if fact.value:
            value = label(self, fact.value, "muted")
            value.setWordWrap(False)
            row.addWidget(value, 0, Qt.AlignmentFlag.AlignVCenter)
        if fact.act is not None:
            self.button = QPushButton(fact.action, self)
            self.button.setAccessibleName(f"{fact.action} {fact.title}")
            self.button.clicked.connect(fact.act)
            row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignVCenter)
        self.setAccessibleName(" ".join(filter(None, (fact.title, fact.detail, fact.value))))


class FactList(QWidget):
    """A list of facts, loaded at first and by `refresh`; the first few are shown, the others at the press of a button.

    Signals:
        looked: the facts are shown, or the error that prevented it.
    """

    looked = Signal()

    def __init__(
        self,
        load: Callable[[], Awaitable[object]],
        describe: Callable[[object], Sequence[Fact]],
        empty: str,
        loop: BackgroundLoop,
        parent: QWidget | None = None,
    ) -> None:
        """`load` runs on the asyncio thread, `describe` turns its result into facts; `empty` is shown without any."""
        super().__init__(parent)
        self._load = load
        self._describe = describe
        self._empty = empty
        self._loop = loop
        self._newest = 0
        self.facts: Sequence[Fact] = ()
        self._lines: list[QWidget] = []
        self.state = StatusLabel(self, "muted")
        self.state.show_status(self.tr("Please wait…"))
        self.more = QPushButton(self)
        self.more.setProperty("flat", "true")
        self.more.hide()
        self._column = vbox(self, spacing=0, margins=(0, 2, 0, 2))
        self._column.addWidget(self.state)
        row = hbox()
        row.addWidget(self.more)
        row.addStretch(1)
        self._column.addLayout(row)
        self.more.clicked.connect(self._show_all)
        self.refresh()

    @Slot()
    def refresh(self) -> None:
        """Load the facts again."""
        self._newest += 1
        self._loop.run(
            self, self._load, partial(self._on_loaded, self._newest), partial(self._on_failed, self._newest)
        )

    def _on_loaded(self, number: int, result: object) -> None:
        if number == self._newest:
            self.facts = tuple(self._describe(result))
            self.state.show_status("" if self.facts else self._empty)
            self._show(_SHOWN)
            self.looked.emit()

    def _on_failed(self, number: int, error: Exception) -> None:
        if number == self._newest:
            self.facts = ()
            self._show(0)
            self.state.show_error(error)
            self.looked.emit()

    @Slot()
    def _show_all(self) -> None:
        self._show(len(self.facts))

    def _show(self, most: int) -> None:
        for old in self._lines:
            self._column.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._lines = []
        for fact in self.facts[:most]:
            if self._lines:
                self._add(separator(self))
            self._add(FactLine(fact, self))
        self.more.setText(self.tr("Show all {count}").format(count=len(self.facts)))
        self.more.setVisible(len(self.facts) > most)

    def _add(self, widget: QWidget) -> None:
        self._column.insertWidget(len(self._lines) + 1, widget)
        self._lines.append(widget)
