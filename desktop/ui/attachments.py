"""The files that go with a message, as chips that can be taken away again."""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal, Slot
from PySide6.QtGui import QFontMetrics, QImage, QPalette, QPixmap
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from desktop.ui.icons import ICON_SIZE, IconButton, pixmap
from desktop.ui.parts import horizontal, mark, plain_tip

PICTURE_SIZE: Final = 36
"""Width or height of a picture in its chip, whichever is larger."""

_MAX_NAME_WIDTH = 180


class FileChip(QFrame):
    """One attached file.

    Signals:
        removed: the path of the file that the person does not want to send.
    """

    removed = Signal(object)

    def __init__(self, path: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("chip")
        self.path = path
        self._icon = QLabel(self)
        self._has_picture = False
        self._is_gone = not path.exists()  # in a draft from before
        self._name = name = QLabel(self)
        name.setTextFormat(Qt.TextFormat.PlainText)
        name.setText(
            QFontMetrics(name.font()).elidedText(path.name, Qt.TextElideMode.ElideMiddle, _MAX_NAME_WIDTH)
        )
        mark(name, "danger", self._is_gone)
        self._remove = IconButton("close", self, QPalette.ColorRole.PlaceholderText)
        self._remove.setIconSize(QSize(12, 12))
        self._remove.clicked.connect(self._on_remove_clicked)
        row = horizontal(self, margins=(8, 4, 4, 4))
        for widget in (self._icon, name, self._remove):
            row.addWidget(widget)
        self._refresh()

    @property
    def description(self) -> str:
        """Where the file is, and whether it is."""
        gone = self.tr("This file is not there any more.") if self._is_gone else ""
        return "\n".join(filter(None, (str(self.path), gone)))

    def show_picture(self, image: QImage) -> None:
        """Show what a picture looks like in place of the sign of a file."""
        picture = QPixmap.fromImage(image)
        picture.setDevicePixelRatio(max(image.width(), image.height()) / PICTURE_SIZE)
        self._icon.setPixmap(picture)
        self._has_picture = True

    def changeEvent(self, event: QEvent) -> None:
        """Follow language and theme."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.LanguageChange, QEvent.Type.PaletteChange):
            self._refresh()

    @Slot()
    def _on_remove_clicked(self) -> None:
        self.removed.emit(self.path)

    def _refresh(self) -> None:
        colour = self.palette().color(QPalette.ColorRole.PlaceholderText)
        if not self._has_picture:
            self._icon.setPixmap(pixmap("file", colour, ICON_SIZE - 2, self.devicePixelRatioF()))
        self._name.setToolTip(plain_tip(self.description))
        self.setAccessibleName(self.path.name)
        self.setAccessibleDescription(self.description)
        self._remove.set_words(self.tr("Remove {name}").format(name=self.path.name))


class Attachments(QWidget):
    """A row of chips that breaks into further rows; hidden while it is empty.

    Signals:
        changed: a file came or went.
    """

    changed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chips: list[FileChip] = []
        self._pictures: dict[Path, QImage] = {}
        self.hide()

    @property
    def paths(self) -> tuple[Path, ...]:
        """The files attached, in the order in which they came."""
        return tuple(chip.path for chip in self._chips)

    def add(self, paths: Iterable[Path]) -> None:
        """Attach `paths`; a file that is attached already stays once."""
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
        """Attach `paths` and nothing else."""
        kept = tuple(paths)
        for chip in self._chips:
            chip.hide()
            chip.deleteLater()
        self._chips = []
        self.add(kept)

    def show_picture(self, path: Path, image: QImage) -> None:
        """Show what the file at `path` looks like, if it is a picture and attached still."""
        if path in self.paths and not image.isNull():
            self._pictures[path] = image
            for chip in self._chips:
                if chip.path == path:
                    chip.show_picture(image)
            self._arrange()

    def resizeEvent(self, event: QEvent) -> None:
        """Break the row where the width asks for it."""
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
        gap, left, top = 6, 0, 0
        height = max((chip.sizeHint().height() for chip in self._chips), default=0)
        for chip in self._chips:
            width = chip.sizeHint().width()
            if left and left + width > self.width():
                left, top = 0, top + height + gap
            chip.setGeometry(QRect(left, top, width, height))
            left += width + gap
        self.setFixedHeight(top + height)
