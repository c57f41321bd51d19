"""A short answer in the welcome whose mark is live: its card shows a passage of the guide, before anything is set up."""

import re

from PySide6.QtCore import QLocale, QPoint, Qt, Signal, Slot
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPalette
from PySide6.QtWidgets import QFrame, QLabel, QPushButton, QWidget

from desktop.resources import resource_text
from desktop.text.html_element import element, fragment
from desktop.text.sentences import split_sentences
from desktop.ui.i18n import language_of
from desktop.ui.widgets.colors import tint
from desktop.ui.widgets.icons import Recolored
from desktop.ui.widgets.layout import hbox, label, vbox

_CARD_WIDTH = 440
_GAP = 4
_SECTION = re.compile(r"^# (?P<title>.+)\n+## (?P<heading>.+)\n+(?P<passage>.+)")


class _SampleSentence(Recolored, QLabel):
    """A sentence that ends with a mark.

    Signals:
        pointed: whether the mouse is on the mark, or the keyboard focus.
    """

    pointed = Signal(bool)

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._text = text
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setWordWrap(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse | Qt.TextInteractionFlag.LinksAccessibleByKeyboard
        )
        self.linkHovered.connect(self._on_hovered)
        self.linkActivated.connect(self._on_activated)
        self._recolor()

    def _recolor(self) -> None:
        accent, wash = _accent_and_wash(self.palette())
        look = f"color: {accent}; background-color: {wash}; text-decoration: none; font-weight: 600"
        self.setText(fragment(self._text, " ", element("a", "\u00a01\u00a0", href="#1", style=look)))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show the card for the keyboard."""
        super().focusInEvent(event)
        if event.reason() in {Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason}:
            self.pointed.emit(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Hide the card."""
        super().focusOutEvent(event)
        self.pointed.emit(False)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Hide the card with Escape."""
        if event.key() == Qt.Key.Key_Escape:
            self.pointed.emit(False)
        else:
            super().keyPressEvent(event)

    @Slot(str)
    def _on_hovered(self, link: str) -> None:
        self.pointed.emit(bool(link))

    @Slot(str)
    def _on_activated(self, _link: str) -> None:
        self.pointed.emit(True)


def _accent_and_wash(palette: QPalette) -> tuple[str, str]:
    accent = palette.color(QPalette.ColorRole.Highlight).name()
    return accent, tint(accent, palette.color(QPalette.ColorRole.Window).name())


class SampleAnswer(QFrame):
    """A question about the numbers in answers, its answer, and a button for the whole example.

    Signals:
        example_asked: the user wants to see the example.
    """

    example_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("sample")
        words = vbox(spacing=3)
        words.addWidget(label(self, self.tr("What does a number in an answer mean?"), "muted"))
        sentence = self.tr("It stands for the passage that supports the sentence before it.")
        self.answer = _SampleSentence(sentence, self)
        words.addWidget(self.answer)
        self.example = QPushButton(self.tr("See an example"), self)
        row = hbox(self, spacing=14, margins=(16, 10, 12, 10))
        row.addLayout(words, 1)
        row.addWidget(self.example)
        self.card = _SampleCard(parent)
        self.answer.setAccessibleName(f"{sentence} [1]")
        self.answer.setAccessibleDescription(self.card.passage)
        self.answer.pointed.connect(self._show_card)
        self.example.clicked.connect(self.example_asked)

    @Slot(bool)
    def _show_card(self, is_shown: bool) -> None:
        if is_shown:
            self.card.show_below(self.answer)
        else:
            self.card.hide()


class _SampleCard(QFrame):
    """The passage behind the mark: the first section of the guide, its first sentence marked."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("sampleCard")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        section = _SECTION.match(resource_text(f"example/{language_of(QLocale().name())}/guide.md"))
        title, heading, self.passage = section.groups() if section is not None else ("", "", "")
        self._text = QLabel(self)
        self._text.setTextFormat(Qt.TextFormat.RichText)
        self._text.setWordWrap(True)
        self._place = parent
        self._column = column = vbox(self, spacing=6, margins=(14, 10, 14, 12))
        column.addWidget(label(self, f"{title} · {heading}", "muted", "small"))
        column.addWidget(self._text)
        self.hide()

    def show_below(self, answer: QWidget) -> None:
        """Appear below `answer`, above everything else, in the colours of the theme."""
        end = split_sentences(self.passage)[0].end
        _accent, wash = _accent_and_wash(self.palette())
        first = element("span", self.passage[:end], style=f"background-color: {wash}")
        self._text.setText(fragment(first, self.passage[end:]))
        place = answer.mapTo(self._place, QPoint(0, answer.height() + _GAP))
        self.setFixedWidth(min(_CARD_WIDTH, self._place.width() - place.x()))
        self.setFixedHeight(self._column.totalHeightForWidth(self.width()))
        self.move(place)
        self.raise_()
        self.show()
