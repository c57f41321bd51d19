"""The export of a base into a file and the import from one, with their progress."""

from collections.abc import AsyncIterator, Callable
from functools import partial
from pathlib import Path
from typing import Final

from PySide6.QtCore import QSize, Signal, Slot
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFileDialog, QFrame, QGridLayout, QProgressBar, QWidget

from desktop.background import Job
from desktop.domain.knowledge import BaseInfo, Transfer
from desktop.ui.i18n import Retranslated
from desktop.ui.knowledge.manager_controller import ManagerContext
from desktop.ui.widgets.icons import IconButton
from desktop.ui.widgets.layout import label, show_progress

SUFFIX: Final = ".footnote-base"


class TransferBar(Retranslated, QFrame):
    """One transfer at a time, with its progress and a button that stops it. Hidden while there is none.

    Signals:
        exported: the `Path` of the complete file.
        imported: the `BaseInfo` of the new base.
        failed: the error that ended it; nothing incomplete remains.
        ended: emitted last, after any outcome.
        refused: another one was requested while one is running.
    """

    exported = Signal(object)
    imported = Signal(object)
    failed = Signal(object)
    ended = Signal()
    refused = Signal()

    def __init__(self, means: ManagerContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._means = means
        self._job: Job | None = None
        self._base: BaseInfo | None = None
        self.setObjectName("bar")
        self.text = label(self)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.stop = IconButton("close", self, QPalette.ColorRole.PlaceholderText)
        self.stop.setIconSize(QSize(14, 14))
        grid = QGridLayout(self)
        grid.setVerticalSpacing(4)
        grid.setContentsMargins(14, 6, 6, 8)
        grid.addWidget(self.text, 0, 0)
        grid.addWidget(self.stop, 0, 1, 2, 1)
        grid.addWidget(self.bar, 1, 0)
        grid.setColumnStretch(0, 1)
        self.stop.clicked.connect(self.cancel)
        self._retranslate()
        self.hide()

    @property
    def is_busy(self) -> bool:
        """Whether a transfer is running."""
        return self._job is not None

    def ask_export(self, base: BaseInfo) -> None:
        """Ask for a file, then export a base into it."""
        if self.is_busy:
            self.refused.emit()
            return
        dialog = QFileDialog(self, self.tr("Export “{base}”").format(base=base.name))
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setDefaultSuffix(SUFFIX.removeprefix("."))
        dialog.selectFile(f"{base.name}{SUFFIX}")
        self._ask(dialog, partial(self.export, base))

    def ask_import(self) -> None:
        """Ask for a file, then import a base from it."""
        if self.is_busy:
            self.refused.emit()
            return
        dialog = QFileDialog(self, self.tr("Import a knowledge base"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        self._ask(dialog, self.import_from)

    def export(self, base: BaseInfo, path: Path) -> None:
        """Export a base into a file."""
        words = self.tr("Exporting “{base}”").format(base=base.name)
        self._begin(
            words, partial(self._means.knowledge.export, base.id, path), partial(self._on_exported, path)
        )

    def import_from(self, path: Path) -> None:
        """Import a base from a file."""
        words = self.tr("Importing “{file}”").format(file=path.name)
        self._begin(words, partial(self._means.knowledge.import_, path), self._on_imported)

    @Slot()
    def cancel(self) -> None:
        """Stop; nothing incomplete remains."""
        if self._job is not None:
            self._job.cancel()

    def _ask(self, dialog: QFileDialog, use: Callable[[Path], None]) -> None:
        dialog.setNameFilter(self.tr("Knowledge bases (*{suffix})").format(suffix=SUFFIX))
        dialog.finished.connect(dialog.deleteLater)
        dialog.fileSelected.connect(partial(_with_path, use))
        dialog.open()

    def _begin(
        self, words: str, work: Callable[[], AsyncIterator[Transfer]], done: Callable[..., None]
    ) -> None:
        self._base = None
        self.text.setText(words)
        show_progress(self.bar, 0, 0)
        self.bar.setAccessibleName(words)
        self._job = self._means.loop.run(
            self, work, done, self._on_failed, progressed=self._on_progressed, cancelled=self._on_cancelled
        )
        self.show()

    def _retranslate(self) -> None:
        self.stop.set_words(self.tr("Cancel"))

    @Slot(object)
    def _on_progressed(self, transfer: Transfer) -> None:
        self._base = transfer.base or self._base
        show_progress(self.bar, transfer.done, transfer.total)

    def _on_exported(self, path: Path, _nothing: object) -> None:
        self._on_over()
        self.exported.emit(path)
        self.ended.emit()

    @Slot(object)
    def _on_imported(self, _nothing: object) -> None:
        self._on_over()
        if self._base is not None:
            self.imported.emit(self._base)
        self.ended.emit()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._on_over()
        self.failed.emit(error)
        self.ended.emit()

    @Slot()
    def _on_cancelled(self) -> None:
        self._on_over()
        self.ended.emit()

    def _on_over(self) -> None:
        self._job = None
        self.hide()


def _with_path(use: Callable[[Path], None], name: str) -> None:
    use(Path(name))
