"""What is dragged over widgets, with the events that a window sends: whatever came in is dropped or leaves again."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDragLeaveEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QWidget

_COPY, _BUTTON, _KEYS = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def dragged_files(*paths: Path) -> QMimeData:
    """Return files as they are dragged or pasted."""
    return dragged_links(*(QUrl.fromLocalFile(str(path)) for path in paths))


def dragged_links(*urls: QUrl | str) -> QMimeData:
    """Return addresses as they are dragged or pasted."""
    data = QMimeData()
    data.setUrls([QUrl(url) for url in urls])
    return data


def dragged_words(text: str) -> QMimeData:
    """Return text as it is dragged or pasted."""
    data = QMimeData()
    data.setText(text)
    return data


@contextmanager
def dragged_over(widget: QWidget, place: QPoint, data: QMimeData) -> Iterator[bool]:
    """Hold something over a widget until the block ends; gives whether it would be taken there."""
    is_taken = _enter(widget, place, data)
    if is_taken:
        move = QDragMoveEvent(place, _COPY, data, _BUTTON, _KEYS)
        move.accept()  # as whoever took it left it, unless this place is another's
        QApplication.sendEvent(widget, move)
        is_taken = move.isAccepted()
    yield is_taken
    QApplication.sendEvent(widget, QDragLeaveEvent())


def drop(widget: QWidget, place: QPoint, data: QMimeData) -> bool:
    """Drop something onto a widget and return whether it was taken."""
    if not _enter(widget, place, data):
        return False
    event = QDropEvent(QPointF(place), _COPY, data, _BUTTON, _KEYS)
    event.ignore()
    QApplication.sendEvent(widget, event)
    return event.isAccepted()


def _enter(widget: QWidget, place: QPoint, data: QMimeData) -> bool:
    event = QDragEnterEvent(place, _COPY, data, _BUTTON, _KEYS)
    event.ignore()
    QApplication.sendEvent(widget, event)
    return event.isAccepted()
