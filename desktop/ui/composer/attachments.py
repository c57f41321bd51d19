"""Attachments of a message, shown as removable chips: files, images and past answers."""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QImage, QPalette, QPixmap
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from desktop.domain.history import PastAnswer
from desktop.ui.widgets.icons import ICON_SIZE, IconButton, pixmap
from desktop.ui.widgets.labels import untitled_label
from desktop.ui.widgets.layout import hbox, plain_tip, set_style_flag

_GAP = 6


class Chip(QFrame):
    """An icon, an elided text, and a button that removes the chip.

    Signals:
        removed: the value of the removed chip.
    """

    removed = Signal(object)

    def __init__(self, stands_for: object, sign: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chip")
        self._stands_for = stands_for
        self._sign_name = sign
        self.sign = QLabel(self)
        self.words = QLabel(self)
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.cross = IconButton("close", self, QPalette.ColorRole.PlaceholderText)
        self.cross.setIconSize(QSize(12, 12))
        self.cross.clicked.connect(self._on_cross_clicked)
        row = hbox(self, margins=(8, 4, 4, 4))
        for widget in (self.sign, self.words, self.cross):
            row.addWidget(widget)

    def say(self, words: str, cut: Qt.TextElideMode, most: int) -> None:
        """Show `words`, elided to `most` pixels."""
        self.words.setText(QFontMetrics(self.words.font()).elidedText(words, cut, most))
        self.setAccessibleName(words)

    def refresh(self) -> None:
        """Update the texts and icons for the current language and theme."""
        colour = self.palette().color(QPalette.ColorRole.PlaceholderText)
        self.sign.setPixmap(pixmap(self._sign_name, colour, ICON_SIZE - 2, self.devicePixelRatioF()))

    def changeEvent(self, event: QEvent) -> None:
        """Update texts and icons when the language or the theme changes."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.LanguageChange, QEvent.Type.PaletteChange):
            self.refresh()

    @Slot()
    def _on_cross_clicked(self) -> None:
        self.removed.emit(self._stands_for)


def flow_layout(chips: Sequence[Chip], width: int) -> int:
    """Lay chips out in rows of `width`, and return the height of all rows."""
    left, top = 0, 0
    height = max((chip.sizeHint().height() for chip in chips), default=0)
    for chip in chips:
        own = chip.sizeHint().width()
        if left and left + own > width:
            left, top = 0, top + height + _GAP
        chip.setGeometry(QRect(left, top, own, height))
        left += own + _GAP
    return top + height


def discard(chips: Sequence[Chip]) -> None:
    """Remove chips from the window."""
    for chip in chips:
        chip.hide()
        chip.deleteLater()


PICTURE_SIZE: Final = 36
"""The longer side of an image in its chip, in pixels."""

_MAX_FILE_NAME_WIDTH = 180


class FileChip(Chip):
    """An attached file, shown by its name."""

    def __init__(self, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(path, "file", parent)
        self.path = path
        self.has_picture = False
        self._is_gone = not path.exists()  # possible in a restored draft
        self.say(path.name, Qt.TextElideMode.ElideMiddle, _MAX_FILE_NAME_WIDTH)
        set_style_flag(self.words, "danger", self._is_gone)
        self.refresh()

    @property
    def description(self) -> str:
        """The path of the file, and whether it is missing."""
        gone = self.tr("This file no longer exists.") if self._is_gone else ""
        return "\n".join(filter(None, (str(self.path), gone)))

    def show_picture(self, image: QImage) -> None:
        """Show a preview of the image instead of the file icon."""
        picture = QPixmap.fromImage(image)
        picture.setDevicePixelRatio(max(image.width(), image.height()) / PICTURE_SIZE)
        self.sign.setPixmap(picture)
        self.has_picture = True

    def refresh(self) -> None:
        """Apply the language and theme. An image preview is the same in every theme."""
        if not self.has_picture:
            super().refresh()
        self.words.setToolTip(plain_tip(self.description))
        self.setAccessibleDescription(self.description)
        self.cross.set_words(self.tr("Remove {name}").format(name=self.path.name))


class AttachmentRow(QWidget):
    """A row of file chips that wraps; hidden while it is empty.

    Signals:
        changed: a file was added or removed.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chips: list[FileChip] = []
        self._pictures: dict[Path, QImage] = {}
        self.hide()

    @property
    def paths(self) -> tuple[Path, ...]:
        """The attached files, in the order in which they were added."""
        return tuple(chip.path for chip in self._chips)

    def add(self, paths: Iterable[Path]) -> None:
        """Attach `paths`, without duplicates."""
        for path in paths:
            if path not in self.paths:
                chip = FileChip(path, self)
                chip.removed.connect(self._on_chip_removed)
                if path in self._pictures:
                    chip.show_picture(self._pictures[path])
                chip.show()
                self._chips.append(chip)
        self._refresh()

    def replace(self, paths: Iterable[Path]) -> None:
        """Replace the attached files with `paths`."""
        kept = tuple(paths)
        discard(self._chips)
        self._chips = []
        self.add(kept)

    def show_picture(self, path: Path, image: QImage) -> None:
        """Show a preview of the file at `path` if it is an image and still attached."""
        if path in self.paths and not image.isNull():
            self._pictures[path] = image
            for chip in self._chips:
                if chip.path == path:
                    chip.show_picture(image)
            self._arrange()

    def resizeEvent(self, event: QEvent) -> None:
        """Wrap the chips to the new width."""
        self._arrange()

    @Slot(object)
    def _on_chip_removed(self, path: Path) -> None:
        self.replace(other for other in self.paths if other != path)

    def _refresh(self) -> None:
        self._pictures = {path: image for path, image in self._pictures.items() if path in self.paths}
        self.setVisible(bool(self._chips))
        self._arrange()
        self.changed.emit()

    def _arrange(self) -> None:
        self.setFixedHeight(flow_layout(self._chips, self.width()))


_MAX_TITLE_WIDTH = 260
_TIP_CHARS = 600


class PastAnswerChip(Chip):
    """A past answer, shown by the title of its conversation."""

    def __init__(self, answer: PastAnswer, parent: QWidget | None = None) -> None:
        super().__init__(answer, "quote", parent)
        self.answer = answer
        self._title = answer.title or untitled_label()
        self.say(self._title, Qt.TextElideMode.ElideRight, _MAX_TITLE_WIDTH)
        set_style_flag(self.words, "danger", answer.is_gone)
        self.refresh()

    @property
    def description(self) -> str:
        """The text of the answer, or that it no longer exists."""
        if self.answer.is_gone:
            return self.tr("This answer no longer exists. The question will be sent without it.")
        return self.answer.text[:_TIP_CHARS]

    def refresh(self) -> None:
        """Apply the language and theme."""
        super().refresh()
        self.words.setToolTip(plain_tip(f"{self._title}\n\n{self.description}"))
        self.setAccessibleDescription(self.description)
        self.cross.set_words(self.tr("Don’t cite “{title}”").format(title=self._title))


class PastAnswerRow(QWidget):
    """A row of chips for past answers; hidden while it is empty.

    Signals:
        changed: an answer was added or removed.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chips: list[PastAnswerChip] = []
        self.hide()

    @property
    def answers(self) -> tuple[PastAnswer, ...]:
        """The answers that the next question is about."""
        return tuple(chip.answer for chip in self._chips)

    def add(self, *answers: PastAnswer) -> None:
        """Add `answers`, without duplicates."""
        kept = {answer.document: answer for answer in (*self.answers, *answers)}
        self.replace(kept.values())

    def replace(self, answers: Iterable[PastAnswer]) -> None:
        """Replace the cited answers with `answers`."""
        wanted = tuple(answers)
        if wanted == self.answers:
            return
        discard(self._chips)
        self._chips = [PastAnswerChip(answer, self) for answer in wanted]
        for chip in self._chips:
            chip.removed.connect(self._on_chip_removed)
            chip.show()
        self.setVisible(bool(self._chips))
        self._arrange()
        self.changed.emit()

    def take(self) -> tuple[PastAnswer, ...]:
        """Return the answers for the question being sent, and clear the row."""
        taken = tuple(answer for answer in self.answers if not answer.is_gone)
        self.replace(())
        return taken

    def resizeEvent(self, event: QEvent) -> None:
        """Wrap the chips to the new width."""
        self._arrange()

    @Slot(object)
    def _on_chip_removed(self, answer: PastAnswer) -> None:
        self.replace(other for other in self.answers if other != answer)

    def _arrange(self) -> None:
        self.setFixedHeight(flow_layout(self._chips, self.width()))
