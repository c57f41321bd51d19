"""The past answers that the next question is about, as chips that can be taken away again."""

from PySide6.QtCore import QEvent, Qt, Slot
from PySide6.QtWidgets import QWidget

from desktop.domain.history import PastAnswer
from desktop.ui.chips import Chip, arranged, let_go
from desktop.ui.parts import plain_tip
from desktop.ui.words import untitled

_MAX_NAME_WIDTH = 260
_TIP_CHARS = 600


class PastChip(Chip):
    """One answer, by the title of its conversation."""

    def __init__(self, answer: PastAnswer, parent: QWidget | None = None) -> None:
        super().__init__(answer, "quote", parent)
        self._title = answer.title or untitled()
        self.say(self._title, Qt.TextElideMode.ElideRight, _MAX_NAME_WIDTH)
        self.words.setToolTip(plain_tip(f"{self._title}\n\n{answer.text[:_TIP_CHARS]}"))
        self.refresh()

    def refresh(self) -> None:
        """Follow language and theme."""
        super().refresh()
        self.cross.set_words(self.tr("Do not cite “{title}”").format(title=self._title))


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
        let_go(self._chips)
        self._chips = [PastChip(answer, self) for answer in self.answers]
        for chip in self._chips:
            chip.removed.connect(self._on_chip_removed)
            chip.show()
        self.setVisible(bool(self._chips))
        self._arrange()

    def _arrange(self) -> None:
        self.setFixedHeight(arranged(self._chips, self.width()))
