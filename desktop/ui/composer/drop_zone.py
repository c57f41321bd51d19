"""The overlay that appears while files are dragged over the window, with four drop targets."""

from collections.abc import Sequence
from pathlib import Path

from PySide6.QtCore import Qt, QTimer, Signal, Slot
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent, QPalette
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from desktop.ui.composer.message_edit import local_files
from desktop.ui.i18n import Retranslated
from desktop.ui.widgets.icons import pixmap
from desktop.ui.widgets.layout import MAX_LINE_CHARS, hbox, label, set_style_flag, shorten_name, vbox

_ICON_SIZE = 36


class DropTarget(QFrame):
    """A drop target for files.

    Signals:
        entered, left: files were dragged onto this target, or off it.
        dropped: the paths (tuple of Path).
    """

    entered = Signal()
    left = Signal()
    dropped = Signal(object)

    def __init__(self, icon_name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("dropTarget")
        self.setAcceptDrops(True)
        self._icon_name = icon_name
        self._icon = QLabel(self)
        self._title = label(self, "", "heading")
        self._hint = label(self, "", "muted")
        column = vbox(self, spacing=8, margins=(12, 12, 12, 12))
        self._icon.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom)
        column.addWidget(self._icon, 1)
        words = vbox(spacing=8)
        for part in (self._title, self._hint):
            part.setAlignment(Qt.AlignmentFlag.AlignCenter)
            words.addWidget(part)
        words.addStretch(1)
        column.addLayout(words, 1)  # icons are level beside each other, however many lines follow them

    def set_words(self, title: str, hint: str) -> None:
        """Set the texts that explain what happens to files dropped here."""
        self._title.setText(title)
        self._hint.setText(hint)
        self.setAccessibleName(title)

    def set_active(self, is_active: bool) -> None:
        """Show whether files are over this target."""
        set_style_flag(self, "active", is_active)
        role = QPalette.ColorRole.Highlight if is_active else QPalette.ColorRole.PlaceholderText
        self._icon.setPixmap(
            pixmap(self._icon_name, self.palette().color(role), _ICON_SIZE, self.devicePixelRatioF())
        )

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files."""
        if local_files(event.mimeData()):
            event.acceptProposedAction()
            self.set_active(True)
            self.entered.emit()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Remove the highlight."""
        self.set_active(False)
        self.left.emit()

    def dropEvent(self, event: QDropEvent) -> None:
        """Accept the dropped files."""
        event.acceptProposedAction()
        self.set_active(False)
        self.dropped.emit(local_files(event.mimeData()))


class DropZone(Retranslated, QWidget):
    """Covers the conversation while files are dragged over the window.

    Signals:
        attached: paths to attach to the message.
        read_asked: paths of files to read for the user.
        check_asked: paths of files whose claims to check.
        kept: paths to add to a knowledge base.
    """

    attached = Signal(object)
    read_asked = Signal(object)
    check_asked = Signal(object)
    kept = Signal(object)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._covered = parent
        self.setObjectName("dropShade")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAcceptDrops(True)
        self.attach = DropTarget("attach", self)
        self.read = DropTarget("summary", self)
        self.check = DropTarget("check", self)
        self.keep = DropTarget("library", self)
        self._leaving = QTimer(self)
        self._leaving.setSingleShot(True)
        self._leaving.timeout.connect(self.hide)
        self._dragged = label(self, "", "heading")
        self._dragged.setAlignment(Qt.AlignmentFlag.AlignCenter)
        column = vbox(self, spacing=12, margins=(32, 20, 32, 32))
        column.addWidget(self._dragged)
        row = hbox(spacing=16)
        column.addLayout(row, 1)
        for target in self._targets:
            row.addWidget(target, 1)
            target.entered.connect(self._leaving.stop)
            target.left.connect(self.leave)
        self.attach.dropped.connect(self._on_attached)
        self.read.dropped.connect(self._on_read_asked)
        self.check.dropped.connect(self._on_check_asked)
        self.keep.dropped.connect(self._on_kept)
        self._retranslate()
        self.hide()

    @property
    def _targets(self) -> tuple[DropTarget, ...]:
        return (self.attach, self.read, self.check, self.keep)

    @Slot()
    def leave(self) -> None:
        """Hide the overlay, unless the files are over one of the targets."""
        self._leaving.start()

    def appear(self, paths: Sequence[Path]) -> None:
        """Show the overlay over the parent, and what is dragged."""
        name = shorten_name(paths[0].name, MAX_LINE_CHARS)
        self._dragged.setText(name if len(paths) == 1 else self.tr("%n file(s)", None, len(paths)))
        self.setGeometry(self._covered.rect())
        for target in self._targets:
            target.set_active(False)
        self.raise_()
        self.show()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Keep the overlay visible while files are over the window."""
        event.acceptProposedAction()
        self._leaving.stop()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Reject a drop between the targets."""
        event.ignore()

    def dragLeaveEvent(self, event: QDragLeaveEvent) -> None:
        """Hide the overlay when the files leave. A target reports at once if they only moved onto it."""
        self.leave()

    def _retranslate(self) -> None:
        self.attach.set_words(self.tr("Attach to message"), self.tr("Use for your next question"))
        self.read.set_words(self.tr("Summarize"), self.tr("Get an outline and key points with page numbers"))
        self.check.set_words(self.tr("Check"), self.tr("Compare every claim with its sources"))
        self.keep.set_words(self.tr("Add to knowledge base"), self.tr("Search it in any chat"))

    @Slot(object)
    def _on_attached(self, paths: tuple[Path, ...]) -> None:
        self.hide()
        self.attached.emit(paths)

    @Slot(object)
    def _on_read_asked(self, paths: tuple[Path, ...]) -> None:
        self.hide()
        self.read_asked.emit(paths)

    @Slot(object)
    def _on_check_asked(self, paths: tuple[Path, ...]) -> None:
        self.hide()
        self.check_asked.emit(paths)

    @Slot(object)
    def _on_kept(self, paths: tuple[Path, ...]) -> None:
        self.hide()
        self.kept.emit(paths)
