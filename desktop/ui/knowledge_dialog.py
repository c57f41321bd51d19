"""The knowledge bases: make, fill, look into, delete."""

from pathlib import Path

from PySide6.QtCore import QEvent, QModelIndex, QSize, Qt, Slot
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import (
    QDialog,
    QFileDialog,
    QListWidget,
    QListWidgetItem,
    QMessageBox,
    QPushButton,
    QStackedWidget,
    QWidget,
)

from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemProgress
from desktop.ui.base_chooser import BaseChooser
from desktop.ui.composer_text import local_files
from desktop.ui.file_view import FileView
from desktop.ui.knowledge_items import ItemModel
from desktop.ui.knowledge_shelf import KnowledgeShelf
from desktop.ui.parts import horizontal, label, vertical
from desktop.ui.source_links import open_file

_SIZE = QSize(860, 560)
_LIST_WIDTH = 210
_ID = Qt.ItemDataRole.UserRole


class KnowledgeDialog(QDialog):
    """Bases on the left, the files of the chosen one on the right; files can be dropped onto it."""

    def __init__(self, shelf: KnowledgeShelf, chooser: BaseChooser, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._shelf = shelf
        self._chooser = chooser
        self.bases = QListWidget(self)
        self.bases.setObjectName("pages")
        self.new = QPushButton(self)
        self.items = ItemModel(self)
        self.files = FileView(self.items, self)
        self._name = label(self, "", "display")
        self._empty = label(self, "", "muted")
        self._pane = QStackedWidget(self)
        self.add_files = QPushButton(self)
        self.add_folder = QPushButton(self)
        self.remove = QPushButton(self)
        self.delete = QPushButton(self)
        self.setAcceptDrops(True)
        self.resize(_SIZE)
        self._lay_out()
        self._connect()
        self._retranslate()
        self._on_bases_listed(shelf.bases)
        shelf.refresh()

    @property
    def base(self) -> BaseInfo | None:
        """The base that is shown."""
        chosen = self.bases.currentItem().data(_ID) if self.bases.currentRow() >= 0 else ""
        return next((base for base in self._shelf.bases if base.id == chosen), None)

    def changeEvent(self, event: QEvent) -> None:
        """Follow the language."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.LanguageChange:
            self._retranslate()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Accept files once there is a base to put them into."""
        if self.base is not None and local_files(event.mimeData()):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Add what was dropped."""
        event.acceptProposedAction()
        self._add(local_files(event.mimeData()))

    def _lay_out(self) -> None:
        left = vertical(spacing=8, margins=(12, 12, 0, 12))
        self.bases.setFixedWidth(_LIST_WIDTH)
        left.addWidget(self.bases, 1)
        left.addWidget(self.new)
        right = QWidget(self)
        column = vertical(right, spacing=12, margins=(24, 20, 24, 20))
        top = horizontal(spacing=8)
        top.addWidget(self._name, 1)
        for button in (self.add_files, self.add_folder):
            top.addWidget(button)
        column.addLayout(top)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._pane.addWidget(self._empty)
        self._pane.addWidget(self.files)
        column.addWidget(self._pane, 1)
        bottom = horizontal(spacing=8)
        bottom.addWidget(self.remove)
        bottom.addStretch(1)
        bottom.addWidget(self.delete)
        self.delete.setProperty("destructive", "true")
        self.add_files.setProperty("primary", "true")
        column.addLayout(bottom)
        row = horizontal(self, spacing=0)
        row.addLayout(left)
        row.addWidget(right, 1)

    def _connect(self) -> None:
        for signal, slot in (
            (self.new.clicked, self._on_new_clicked),
            (self.add_files.clicked, self._on_add_files_clicked),
            (self.add_folder.clicked, self._on_add_folder_clicked),
            (self.remove.clicked, self._on_remove_clicked),
            (self.delete.clicked, self._on_delete_clicked),
            (self.bases.currentItemChanged, self._on_base_chosen),
            (self.files.delete_pressed, self._on_remove_clicked),
            (self.files.activated, self._on_file_activated),
            (self.items.modelReset, self._show_state),
            (self.items.rowsInserted, self._show_state),
            (self._shelf.bases_listed, self._on_bases_listed),
            (self._shelf.items_listed, self._on_items_listed),
            (self._shelf.created, self._on_created),
            (self._shelf.progressed, self._on_progressed),
        ):
            signal.connect(slot)
        self.files.selectionModel().selectionChanged.connect(self._show_state)

    def _retranslate(self) -> None:
        self.setWindowTitle(self.tr("Knowledge"))
        self.bases.setAccessibleName(self.tr("Knowledge bases"))
        self.files.setAccessibleName(self.tr("Files"))
        self.new.setText(self.tr("New knowledge base…"))
        self.add_files.setText(self.tr("Add files…"))
        self.add_folder.setText(self.tr("Add a folder…"))
        self.remove.setText(self.tr("Remove from the base"))
        self.delete.setText(self.tr("Delete the base…"))
        self.items.retranslate()
        self._show_state()

    @Slot()
    def _show_state(self) -> None:
        base = self.base
        has_files = self.items.rowCount() > 0
        self._name.setText(base.name if base else self.tr("Your own sources"))
        teach = self.tr(
            "A knowledge base holds files that answers may cite: papers, notes, manuals, books. "
            "Make one and drop files onto it."
        )
        self._empty.setText(self.tr("Drop files or folders here.") if base else teach)
        self._pane.setCurrentWidget(self.files if base and has_files else self._empty)
        for button in (self.add_files, self.add_folder, self.delete, self.remove):
            button.setVisible(base is not None)
        self.remove.setEnabled(bool(self._selected()))

    def _selected(self) -> tuple[ItemInfo, ...]:
        return tuple(self.items.item(index) for index in self.files.selectionModel().selectedRows())

    def _add(self, paths: tuple[Path, ...]) -> None:
        if self.base is not None and paths:
            self._shelf.add(self.base, paths)

    @Slot(object)
    def _on_bases_listed(self, bases: tuple[BaseInfo, ...]) -> None:
        chosen = self.base.id if self.base else ""
        self.bases.blockSignals(True)
        self.bases.clear()
        for base in bases:
            item = QListWidgetItem(f"{base.name}  ({base.items})" if base.items else base.name)
            item.setData(_ID, base.id)
            self.bases.addItem(item)
        self.bases.blockSignals(False)
        self._choose(chosen)

    def _choose(self, base_id: str) -> None:
        rows = [row for row in range(self.bases.count()) if self.bases.item(row).data(_ID) == base_id]
        self.bases.setCurrentRow(rows[0] if rows else min(0, self.bases.count() - 1))
        if self.base is None:
            self.items.show(())
        self._show_state()

    @Slot()
    def _on_base_chosen(self) -> None:
        self.items.show(())
        if self.base is not None:
            self._shelf.list_items(self.base.id)

    @Slot(str, object)
    def _on_items_listed(self, base_id: str, items: tuple[ItemInfo, ...]) -> None:
        if self.base is not None and self.base.id == base_id:
            self.items.show(items)

    @Slot(object)
    def _on_progressed(self, progress: ItemProgress) -> None:
        if self.base is not None and self.base.id == progress.item.base_id:
            self.items.update(progress)

    @Slot(object)
    def _on_created(self, base: BaseInfo) -> None:
        self._on_bases_listed((*self._shelf.bases, base))
        self._choose(base.id)

    @Slot()
    def _on_new_clicked(self) -> None:
        self._chooser.ask_name(parent=self)

    @Slot()
    def _on_add_files_clicked(self) -> None:
        self._ask_for_paths(self.tr("Add files"), QFileDialog.FileMode.ExistingFiles)

    @Slot()
    def _on_add_folder_clicked(self) -> None:
        self._ask_for_paths(self.tr("Add a folder"), QFileDialog.FileMode.Directory)

    def _ask_for_paths(self, title: str, mode: QFileDialog.FileMode) -> None:
        dialog = QFileDialog(self, title)
        dialog.setFileMode(mode)
        dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        dialog.filesSelected.connect(self._on_paths_selected)
        dialog.open()

    @Slot("QStringList")
    def _on_paths_selected(self, names: list[str]) -> None:
        self._add(tuple(Path(name) for name in names))

    @Slot()
    def _on_remove_clicked(self) -> None:
        for item in self._selected():
            self._shelf.remove(item)

    @Slot()
    def _on_delete_clicked(self) -> None:
        if self.base is None:
            return
        question = QMessageBox(self)
        question.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        question.setIcon(QMessageBox.Icon.Question)
        question.setTextFormat(Qt.TextFormat.PlainText)
        question.setText(self.tr("Delete the knowledge base “{base}”?").format(base=self.base.name))
        question.setInformativeText(self.tr("Your files stay where they are. Answers keep what they cited."))
        delete = question.addButton(self.tr("Delete"), QMessageBox.ButtonRole.DestructiveRole)
        question.addButton(QMessageBox.StandardButton.Cancel)
        delete.clicked.connect(self._on_deletion_confirmed)
        question.open()

    @Slot()
    def _on_deletion_confirmed(self) -> None:
        if self.base is not None:
            self._shelf.delete(self.base.id)

    @Slot(QModelIndex)
    def _on_file_activated(self, index: QModelIndex) -> None:
        open_file(Path(self.items.item(index).path))
