"""The bar above the composer for a notice with at most one action, and the line for a status or an error in dialogs."""

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QCoreApplication, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QPushButton, QWidget

from desktop.ui.i18n import Retranslated
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.labels import error_parts
from desktop.ui.widgets.layout import hbox, label, set_style_flag, shorten_name, vbox

SHOWN_MS = 10_000


@dataclass(frozen=True)
class Notice:
    """A message for the user. Errors and lasting notices stay until closed, others disappear after a while.

    The undo shortcut triggers the action if `is_undo` is set. `detail` is what a server or the system said.
    """

    text: str
    action: str = ""
    act: Callable[[], None] | None = None
    is_error: bool = False
    is_lasting: bool = False
    is_undo: bool = False
    detail: str = ""


def failure_notice(error: Exception) -> Notice:
    """Return a notice about an error; what a server or the system said about it is behind *Details*."""
    text, detail = error_parts(error)
    return Notice(text, is_error=True, detail=detail)


def undo_notice(text: str, undo: Callable[[], None], *, is_lasting: bool = False) -> Notice:
    """Return a notice about a change that `undo` takes back."""
    action = QCoreApplication.translate("NoticeBar", "Undo")
    return Notice(text, action, undo, is_lasting=is_lasting, is_undo=True)


class DetailButton(Retranslated, QPushButton):
    """Shows and hides what a server or the system said about a failure: `words`, which its owner lays out."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._detail = ""
        self.words = label(parent, "", "muted", "small")
        self.words.hide()
        self.words.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.setProperty("flat", "true")
        self.setAutoDefault(False)
        self.setCheckable(True)
        self.toggled.connect(self.words.setVisible)
        self._retranslate()
        self.show_detail("")

    def show_detail(self, detail: str) -> None:
        """Offer `detail`, hidden at first; without one, there is no button. The same detail stays open."""
        if detail != self._detail:
            self._detail = detail
            self.setChecked(False)
            self.words.hide()
            self.words.setText(detail)
        self.setVisible(bool(detail))

    def _retranslate(self) -> None:
        self.setText(self.tr("Details"))
        self.setAccessibleName(self.tr("Error details"))


class StatusLabel(QWidget):
    """A line for a status or an error, hidden while it is empty; the detail of an error is behind a button.

    `looks` are those of `label`.
    """

    def __init__(self, parent: QWidget | None = None, *looks: str) -> None:
        super().__init__(parent)
        self._is_bad = "danger" in looks
        self.words = label(self, "", *looks)
        self.details = DetailButton(self)
        column = vbox(self, spacing=2)
        row = hbox()
        column.addLayout(row)
        column.addWidget(self.details.words)
        row.addWidget(self.words, 1)
        row.addWidget(self.details, 0, Qt.AlignmentFlag.AlignTop)
        self.hide()

    def text(self) -> str:
        """Return the text, without the detail."""
        return self.words.text()

    def setText(self, text: str) -> None:
        """Show a status, as a label does."""
        self.show_status(text)

    @Slot()
    def clear(self) -> None:
        """Show nothing."""
        self.show_status("")

    def show_status(self, text: str, *, is_bad: bool = False, detail: str = "") -> None:
        """Show a status, or with `is_bad` a failure and what a server or the system said about it."""
        self.words.setText(text)
        self.details.show_detail(detail)
        set_style_flag(self.words, "danger", is_bad or self._is_bad)
        self.setVisible(bool(text))

    @Slot(object)
    def show_error(self, error: Exception | str) -> None:
        """Show why something could not be done: an error, or the message of one, as it was stored."""
        text, detail = error_parts(error)
        self.show_status(text, is_bad=True, detail=detail)


class NoticeBar(Retranslated, QFrame):
    """Shows one notice at a time; a new one replaces the old one."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("bar")
        self._notice: Notice | None = None
        self._text = label(self)
        self.action = QPushButton(self)
        self.action.setProperty("flat", "true")
        self.details = DetailButton(self)
        self._close = IconButton("close", self, QPalette.ColorRole.PlaceholderText)
        self._close.setIconSize(QSize(14, 14))
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOWN_MS)
        column = vbox(self, spacing=2, margins=(14, 6, 6, 6))
        row = hbox()
        column.addLayout(row)
        column.addWidget(self.details.words)
        row.addWidget(self._text, 1)
        row.addWidget(self.details)
        row.addWidget(self.action)
        row.addWidget(self._close)
        self.action.clicked.connect(self._on_action_clicked)
        self._close.clicked.connect(self.dismiss)
        self._timer.timeout.connect(self.dismiss)
        self._retranslate()
        self.hide()

    @property
    def text(self) -> str:
        """The current text; empty if there is none."""
        return "" if self._notice is None else self._notice.text

    def say(self, notice: Notice) -> None:
        """Show `notice`."""
        self._notice = notice
        self._text.setText(notice.text)
        set_style_flag(self._text, "danger", notice.is_error)
        self.setAccessibleName(shorten_name(notice.text))
        self.details.show_detail(notice.detail)
        self.action.setText(notice.action)
        self.action.setVisible(bool(notice.action))
        self._timer.stop()
        if not (notice.is_error or notice.is_lasting):
            self._timer.start()
        self.show()

    @Slot(object)
    def say_failed(self, error: Exception) -> None:
        """Show an error that does not belong to a message."""
        self.say(failure_notice(error))

    @Slot(object)
    def withdraw(self, notice: Notice) -> None:
        """Hide the bar if it still shows `notice`, whose action is no longer possible."""
        if self._notice is notice:
            self.dismiss()

    def update_notice(self, old: Notice, new: Notice) -> None:
        """Show `new` if the bar still shows `old`; the user may have closed it, and another may have replaced it."""
        if self._notice is old:
            self.say(new)

    @Slot()
    def dismiss(self) -> None:
        """Hide the bar."""
        self._notice = None
        self._timer.stop()
        self.hide()

    def _retranslate(self) -> None:
        self._close.set_words(self.tr("Close"))

    @Slot()
    def undo(self) -> None:
        """Run the action of the notice if it is an undo action."""
        if self._notice is not None and self._notice.is_undo:
            self._on_action_clicked()

    @Slot()
    def _on_action_clicked(self) -> None:
        notice = self._notice
        self.dismiss()
        if notice is not None and notice.act is not None:
            notice.act()
