"""The past answers that the next question is about, as chips that can be taken away again."""

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QPalette
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from desktop.domain.history import PastAnswer
from desktop.ui.icons import ICON_SIZE, IconButton, pixmap
from desktop.ui.parts import horizontal, plain_tip
from desktop.ui.words import untitled

_MAX_NAME_WIDTH = 260
_TIP_CHARS = 600
_GAP = 6


class PastChip(QFrame):
    """One answer, by the title of its conversation.

    Signals:
        removed: the PastAnswer that the person does not want to ask about.
    """

    removed = Signal(object)

    def __init__(self, answer: PastAnswer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chip")
        self.answer = answer
        self._icon = QLabel(self)
        name = QLabel(self)
        name.setTextFormat(Qt.TextFormat.PlainText)
        self._title = answer.title or untitled()
        metrics = QFontMetrics(name.font())
        name.setText(metrics.elidedText(self._title, Qt.TextElideMode.ElideRight, _MAX_NAME_WIDTH))
        name.setToolTip(plain_tip(f"{self._title}\n\n{answer.text[:_TIP_CHARS]}"))
        self._remove = IconButton("close", self, QPalette.ColorRole.PlaceholderText)
        self._remove.setIconSize(QSize(12, 12))
        self._remove.clicked.connect(self._on_remove_clicked)
        row = horizontal(self, margins=(8, 4, 4, 4))
        for widget in (self._icon, name, self._remove):
            row.addWidget(widget)
        self._refresh()

    def changeEvent(self, event: QEvent) -> None:
        """Follow language and theme."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.LanguageChange, QEvent.Type.PaletteChange):
            self._refresh()

    @Slot()
    def _on_remove_clicked(self) -> None:
        self.removed.emit(self.answer)

    def _refresh(self) -> None:
        colour = self.palette().color(QPalette.ColorRole.PlaceholderText)
        self._icon.setPixmap(pixmap("quote", colour, ICON_SIZE - 2, self.devicePixelRatioF()))
        self._remove.set_words(self.tr("Do not cite “{title}”").format(title=self._title))


class PastAnswers(QWidget):
    """A row of chips for the conversation that is being written in; hidden while it is empty."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._kept: dict[str, tuple[PastAnswer, ...]] = {}
        self._key = ""
        self._chips: list[PastChip] = []
        self.hide()

    @property
    def answers(self) -> tuple[PastAnswer, ...]:
        """The answers that the next question is about."""
        return self._kept.get(self._key, ())

    def add(self, key: str, *answers: PastAnswer) -> None:
        """Ask about `answers` in conversation `key`; each counts once."""
        kept = {answer.document: answer for answer in (*self._kept.get(key, ()), *answers)}
        self._kept[key] = tuple(kept.values())
        self._show()

    def take(self) -> tuple[PastAnswer, ...]:
        """Return the answers for the question that is being sent; the next one is about none."""
        taken = self._kept.pop(self._key, ())
        self._show()
        return taken

    @Slot(str)
    def open(self, key: str) -> None:
        """Show what belongs to conversation `key`."""
        self._key = key
        self._show()

    @Slot(str)
    def belong_to(self, key: str) -> None:
        """Let what is chosen for the conversation that is none yet belong to `key` from now on."""
        kept = self._kept.pop(self._key, ())
        self._key = key
        self.add(key, *kept)

    def resizeEvent(self, event: QEvent) -> None:
        """Break the row where the width asks for it."""
        self._arrange()

    @Slot(object)
    def _on_chip_removed(self, answer: PastAnswer) -> None:
        self._kept[self._key] = tuple(other for other in self.answers if other != answer)
        self._show()

    def _show(self) -> None:
        for chip in self._chips:
            chip.hide()
            chip.deleteLater()
        self._chips = [PastChip(answer, self) for answer in self.answers]
        for chip in self._chips:
            chip.removed.connect(self._on_chip_removed)
            chip.show()
        self.setVisible(bool(self._chips))
        self._arrange()

    def _arrange(self) -> None:
        left, top, height = 0, 0, 0
        for chip in self._chips:
            size = chip.sizeHint()
            if left and left + size.width() > self.width():
                left, top = 0, top + height + _GAP
            chip.setGeometry(QRect(left, top, size.width(), size.height()))
            left, height = left + size.width() + _GAP, size.height()
        self.setFixedHeight(top + height)
