"""Attachments of a message, shown as removable chips: files, images and past answers."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent, Qt, Signal, Slot
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QWidget

from desktop.domain.history import PastAnswer
from desktop.ui.labels.common import untitled_label
from desktop.ui.widgets.chips import Chip, discard, flow_layout
from desktop.ui.widgets.layout import plain_tip, set_style_flag

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
