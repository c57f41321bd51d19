"""Importing from other programs and from Footnote, and exporting everything, in the settings."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QDate, QLocale, QStandardPaths, Slot
from PySide6.QtWidgets import QFileDialog, QProgressBar, QPushButton, QWidget

from desktop.background import Job
from desktop.domain.backups import BackupCopy, Progress
from desktop.domain.transfers import PROFILE_SUFFIX
from desktop.ui.failure_words import describe
from desktop.ui.importing import ImportDialog, ask_for_file
from desktop.ui.parts import horizontal, label, mark, vertical
from desktop.ui.restoring import RestoreDialog
from desktop.ui.settings.rows import Context

_BAR_WIDTH = 140


class TransferPanel(QWidget):
    """Two buttons, and how an export goes."""

    def __init__(self, context: Context, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._exporting: Job | None = None
        self._place: Path | None = None
        self.take = QPushButton(self.tr("Import…"), self)
        self.write = QPushButton(self.tr("Export everything…"), self)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(_BAR_WIDTH)
        self.bar.hide()
        self.state = label(self, "", "muted")
        row = horizontal(spacing=10)
        for widget in (self.take, self.write, self.bar):
            row.addWidget(widget)
        row.addStretch(1)
        column = vertical(self, spacing=6, margins=(0, 4, 0, 4))
        column.addLayout(row)
        column.addWidget(self.state)
        self.state.hide()
        self.take.clicked.connect(self._on_take_clicked)
        self.write.clicked.connect(self._on_write_clicked)

    @Slot()
    def _on_take_clicked(self) -> None:
        dialog = ask_for_file(self.tr("Import"), self.tr("Conversations"), self)
        dialog.fileSelected.connect(self.import_from)
        dialog.open()

    @Slot(str)
    def import_from(self, place: str) -> None:
        """Show what is in a file."""
        dialog = ImportDialog(Path(place), self._context.engine.transfers, self._context.loop, self)
        dialog.changed.connect(self._context.data_changed)
        dialog.open()

    @Slot()
    def _on_write_clicked(self) -> None:
        if self._exporting is not None:
            self._exporting.cancel()
            return
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.DocumentsLocation)
        name = f"Footnote {QLocale.c().toString(QDate.currentDate(), 'yyyy-MM-dd')}{PROFILE_SUFFIX}"
        dialog = QFileDialog(self, self.tr("Export everything"), folder)
        dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
        dialog.setNameFilter(f"Footnote (*{PROFILE_SUFFIX})")
        dialog.setDefaultSuffix(PROFILE_SUFFIX.removeprefix("."))
        dialog.selectFile(name)
        dialog.finished.connect(dialog.deleteLater)
        dialog.fileSelected.connect(self.export_to)
        dialog.open()

    @Slot(str)
    def export_to(self, place: str) -> None:
        """Write everything into a file."""
        self._place = Path(place)
        self.write.setText(self.tr("Stop"))
        self.bar.setRange(0, 0)
        self.bar.show()
        self._say("")
        work = partial(self._context.engine.transfers.export_profile, self._place)
        self._exporting = Job(work, self._context.loop, self)
        self._exporting.progressed.connect(self._on_progressed)
        self._exporting.succeeded.connect(self._on_exported)
        self._exporting.failed.connect(self._on_failed)
        self._exporting.cancelled.connect(self._end)
        self._exporting.start()

    @Slot(object)
    def _on_progressed(self, progress: Progress) -> None:
        self.bar.setRange(0, progress.total)
        self.bar.setValue(progress.done)

    @Slot(object)
    def _on_exported(self, _nothing: object) -> None:
        self._end()
        if self._place is not None:
            self._say(self.tr("Saved as “{name}”. Keys are not in it.").format(name=self._place.name))

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._end()
        self._say(describe(error), is_bad=True)

    @Slot()
    def _end(self) -> None:
        self._exporting = None
        self.write.setText(self.tr("Export everything…"))
        self.bar.hide()

    def _say(self, words: str, *, is_bad: bool = False) -> None:
        self.state.setText(words)
        self.state.setVisible(bool(words))
        mark(self.state, "danger", is_bad)


def open_restore(context: Context, copy: BackupCopy, parent: QWidget) -> RestoreDialog:
    """Show what is in a copy, and let it come back."""
    dialog = RestoreDialog(copy, context.engine.backups, context.loop, parent)
    dialog.changed.connect(context.data_changed)
    dialog.open()
    return dialog
