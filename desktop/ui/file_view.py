"""The table of a knowledge base's files."""

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTreeView, QWidget

from desktop.ui.knowledge_items import ItemModel

_STATE_WIDTH = 250
_PASSAGES_WIDTH = 90


class FileView(QTreeView):
    """Rows that can be picked together.

    Signals:
        delete_pressed: the person pressed Delete.
    """

    delete_pressed = Signal()

    def __init__(self, model: ItemModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setModel(model)
        self.setObjectName("files")
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setAlternatingRowColors(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ExtendedSelection)
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionResizeMode(ItemModel.NAME, QHeaderView.ResizeMode.Stretch)
        header.resizeSection(ItemModel.STATE, _STATE_WIDTH)
        header.resizeSection(ItemModel.PASSAGES, _PASSAGES_WIDTH)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Tell of Delete."""
        if event.matches(QKeySequence.StandardKey.Delete):
            self.delete_pressed.emit()
        else:
            super().keyPressEvent(event)
