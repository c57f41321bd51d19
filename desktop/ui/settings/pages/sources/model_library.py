"""The packages that run models of the user's choice: what they bring, and a button that installs them."""

from PySide6.QtCore import QLocale, Qt, Slot
from PySide6.QtWidgets import QFrame, QProgressBar, QPushButton, QWidget

from desktop.domain.knowledge import Download, ModelLibrary
from desktop.ui.i18n import Retranslated
from desktop.ui.settings.rows import SettingsContext
from desktop.ui.stores.catalogue import LIBRARY, EmbedderStore
from desktop.ui.widgets.layout import hbox, label, show_progress, vbox
from desktop.ui.widgets.notice_bar import StatusLabel


class LibraryPanel(Retranslated, QFrame):
    """Says what the packages are for and whether they are installed; installs them, with progress and cancel."""

    def __init__(self, store: EmbedderStore, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self._store = store
        self._title = label(self, "")
        self.detail = label(self, "", "muted", "small")
        self.command = label(self, "", "small")
        self.command.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.problem = StatusLabel(self, "danger", "small")
        self.action = QPushButton(self)
        self._lay_out()
        self.action.clicked.connect(self._on_action_clicked)
        store.listed.connect(self._show)
        store.changed.connect(self._show)
        self._show()

    def _retranslate(self) -> None:
        self._show()

    def _lay_out(self) -> None:
        row = hbox(self, spacing=10, margins=(14, 10, 10, 10))
        words = vbox(spacing=4)
        for widget in (self._title, self.detail, self.command, self.bar, self.problem):
            words.addWidget(widget)
        row.addLayout(words, 1)
        row.addWidget(self.action, 0, Qt.AlignmentFlag.AlignTop)

    @Slot()
    def _show(self) -> None:
        library, download = self._store.library, self._store.downloads.get(LIBRARY)
        error = self._store.problems.get(LIBRARY)
        self._title.setText(self.tr("PyTorch and Sentence Transformers"))
        self.detail.setText(self._describe(library, download))
        is_missing = library is not None and not library.is_here
        self.command.setText(library.command if library and is_missing and not library.can_install else "")
        self.command.setVisible(bool(self.command.text()))
        self.bar.setVisible(download is not None)
        if download is not None:
            show_progress(self.bar, download.done_bytes, download.total_bytes)
        self.problem.show_error(error or "")
        self.action.setVisible(
            download is not None or (library is not None and is_missing and library.can_install)
        )
        self.action.setText(self.tr("Install") if download is None else self.tr("Cancel"))
        self.action.setAccessibleName(
            self.tr("Install PyTorch and Sentence Transformers")
            if download is None
            else self.tr("Cancel the installation of PyTorch and Sentence Transformers")
        )

    def _describe(self, library: ModelLibrary | None, download: Download | None) -> str:
        if download is not None:
            return self._describe_progress(download)
        what = self.tr(
            "They run other embedding, reranking and entailment models on this computer. The models "
            "that come with Footnote don’t need them."
        )
        if library is None:
            return what
        if library.is_here:
            return what + " " + self.tr("Installed.")
        size = self.tr("They take about 1 GB of disk space (about 300 MB to download).")
        if library.can_install:
            return f"{what} {size}"
        no_way = self.tr(
            "Nothing can be added to this installation of Footnote. To use them, install Footnote with "
            "the command below. Your data stays."
        )
        return f"{what} {size} {no_way}"

    def _describe_progress(self, download: Download) -> str:
        if not download.total_bytes:
            return self.tr("Installing…")
        done, total = (
            self.locale().formattedDataSize(size, 0, QLocale.DataSizeFormat.DataSizeSIFormat)
            for size in (download.done_bytes, download.total_bytes)
        )
        return self.tr("Downloading a package: {done} of {total}").format(done=done, total=total)

    @Slot()
    def _on_action_clicked(self) -> None:
        if LIBRARY in self._store.downloads:
            self._store.cancel(LIBRARY)
        else:
            self._store.download(LIBRARY)


def library_panel(context: SettingsContext, parent: QWidget) -> LibraryPanel:
    """Return the panel of the packages that run models of the user's choice."""
    return LibraryPanel(context.embedders, parent)
