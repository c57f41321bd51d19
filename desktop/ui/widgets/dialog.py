"""Dialogs that fit their screen; content that is too large can be scrolled."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, QSize, Qt, QTimer, Slot
from PySide6.QtGui import QKeyEvent, QShowEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QFrame,
    QInputDialog,
    QMessageBox,
    QPushButton,
    QScrollArea,
    QWidget,
)

_AROUND = QSize(16, 48)
"""Estimated size of the window frame, which is unknown before the window is shown."""

_LEAST_HEIGHT = 300
"""Minimum height of a scrollable form, in pixels, unless its content needs less."""


class ScreenFitDialog(QDialog):
    """A dialog that opens no larger than its screen."""

    def showEvent(self, event: QShowEvent) -> None:
        """Shrink before Qt computes the position of the dialog."""
        from desktop.ui.widgets.access_keys import add_access_keys  # noqa: PLC0415 - not before the first paint

        if not event.spontaneous():
            fit(self)
            add_access_keys(self)
        super().showEvent(event)


class ScrollableForm(QScrollArea):
    """A scroll area for the fields of a dialog, which may be larger than the screen."""

    def __init__(self, content: QWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self._content = content
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(content)

    def sizeHint(self) -> QSize:
        """Return the size that shows the whole content."""
        return self._content.sizeHint()

    def minimumSizeHint(self) -> QSize:
        """Return the minimum size; its width fits the content, as only vertical scrolling is allowed."""
        least = self._content.minimumSizeHint()
        beside = self.verticalScrollBar().sizeHint().width()
        return QSize(least.width() + beside, min(least.height(), _LEAST_HEIGHT))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Grow with the content as far as possible, and keep the focused widget visible."""
        if watched is self._content and event.type() == QEvent.Type.LayoutRequest:
            self.updateGeometry()
            QTimer.singleShot(0, self, self._follow_keyboard)
        return super().eventFilter(watched, event)

    @Slot()
    def _follow_keyboard(self) -> None:
        for each in self._content.findChildren(QWidget):
            if each.hasFocus():
                self.ensureWidgetVisible(each)


def text_dialog(parent: QWidget, title: str, name: str) -> QInputDialog:
    """Return a dialog, not open yet, that asks for one line of text, and is deleted when it closes."""
    from desktop.ui.widgets.access_keys import add_access_keys  # noqa: PLC0415 - not before the first paint

    dialog = add_access_keys(QInputDialog(parent))
    dialog.setWindowTitle(title)
    dialog.setLabelText(name)
    dialog.finished.connect(dialog.deleteLater)
    return dialog


def ask_for_file(
    parent: QWidget,
    title: str,
    use: Callable[[Path], object],
    kinds: str = "",
    *,
    is_folder: bool = False,
    folder: str = "",
) -> None:
    """Let the user choose a file or a folder, and call `use` with it; `kinds` are name filters, separated by `;;`."""
    dialog = _file_dialog(parent, title, kinds, folder)
    dialog.setFileMode(QFileDialog.FileMode.Directory if is_folder else QFileDialog.FileMode.ExistingFile)
    dialog.fileSelected.connect(partial(_use_file, use))
    dialog.open()


def ask_for_files(parent: QWidget, title: str, use: Callable[[tuple[Path, ...]], object]) -> None:
    """Let the user choose files, and call `use` with them."""
    dialog = _file_dialog(parent, title)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFiles)
    dialog.filesSelected.connect(partial(_use_files, use))
    dialog.open()


def ask_where_to_save(
    parent: QWidget,
    title: str,
    name: str,
    use: Callable[[Path], object],
    kinds: str = "",
    *,
    folder: str = "",
    suffix: str = "",
) -> None:
    """Let the user choose a file to write, `name` in `folder` at first, and call `use` with it.

    A name without a suffix gets `suffix`, or else that of `name`.
    """
    dialog = _file_dialog(parent, title, kinds, folder)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix((suffix or Path(name).suffix).removeprefix("."))
    dialog.selectFile(name)
    dialog.fileSelected.connect(partial(_use_file, use))
    dialog.open()


def _file_dialog(parent: QWidget, title: str, kinds: str = "", folder: str = "") -> QFileDialog:
    dialog = QFileDialog(parent, title, folder)
    if kinds:
        dialog.setNameFilters(kinds.split(";;"))
    dialog.finished.connect(dialog.deleteLater)
    return dialog


def _use_file(use: Callable[[Path], object], name: str) -> None:
    use(Path(name))


def _use_files(use: Callable[[tuple[Path, ...]], object], names: list[str]) -> None:
    use(tuple(map(Path, names)))


def confirm(parent: QWidget, question: str, consequence: str, yes: str, act: Callable[[], object]) -> None:
    """Ask before something that cannot be undone, with the button `yes`, and `act` if the user agrees."""
    from desktop.ui.widgets.access_keys import add_access_keys  # noqa: PLC0415 - not before the first paint

    box = add_access_keys(QMessageBox(parent))
    box.setIcon(QMessageBox.Icon.Warning)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(question)
    box.setInformativeText(consequence)
    button: QPushButton = box.addButton(yes, QMessageBox.ButtonRole.DestructiveRole)
    button.clicked.connect(act)
    box.setDefaultButton(box.addButton(QMessageBox.StandardButton.Cancel))
    box.finished.connect(box.deleteLater)
    box.open()


def fit(window: QWidget) -> None:
    """Limit a window that is about to be shown to the available space of its screen."""
    if not window.isMaximized() and not window.isFullScreen():
        parent = window.parentWidget()
        screen = (parent.window() if parent is not None else window).screen()
        window.resize(window.size().boundedTo(screen.availableSize() - _AROUND))


class FormDialog(ScreenFitDialog):
    """A dialog where Return acts only on the focused field; QDialog would also press its first button."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Ignore a Return key that no field handled; a focused button has already handled its own."""
        if event.key() in {Qt.Key.Key_Return, Qt.Key.Key_Enter}:
            event.accept()
        else:
            super().keyPressEvent(event)
