"""The dialogs about the browser that searches: its download if none was found, and the page with a captcha that the user answers."""

from collections.abc import Callable

from PySide6.QtCore import QLocale, Signal, Slot
from PySide6.QtWidgets import QProgressBar, QPushButton, QWidget

from desktop.background import BackgroundLoop, Job
from desktop.chat.api.engine import Searches
from desktop.chat.api.system import BrowserSetup
from desktop.domain.search import (
    EngineHealth,
    InstallObstacle,
    InstallPhase,
    InstallProgress,
    SearchOutcome,
    SearchStatus,
)
from desktop.errors import BrowserMissing
from desktop.ui.i18n import Retranslated
from desktop.ui.widgets.dialog import ScreenFitDialog
from desktop.ui.widgets.labels import untranslated_error
from desktop.ui.widgets.layout import hbox, label, show_progress, vbox
from desktop.ui.widgets.notice_bar import StatusLabel

_DOWNLOAD_WIDTH = 460


class BrowserDownloadDialog(Retranslated, ScreenFitDialog):
    """Explains the use of the browser and downloads it on request. Closing the dialog cancels the download.

    Signals:
        installed: a browser is now available.
    """

    installed = Signal()

    def __init__(self, setup: BrowserSetup, loop: BackgroundLoop, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._setup = setup
        self._loop = loop
        self._job: Job | None = None
        self._latest = InstallProgress(InstallPhase.STARTING)
        self._error: Exception | None = None
        self._is_installed = False
        self._build()
        self._refresh()

    def _build(self) -> None:
        self.title = label(self, "", "heading")
        self.text = StatusLabel(self)
        self.bar = QProgressBar(self)
        self.bar.setTextVisible(False)
        self.accepting = QPushButton(self)
        self.accepting.setDefault(True)
        self.accepting.setProperty("primary", "true")
        self.closing = QPushButton(self)
        column = vbox(self, spacing=12, margins=(20, 18, 20, 16))
        for widget in (self.title, self.text, self.bar):
            column.addWidget(widget)
        column.addStretch(1)
        row = hbox(spacing=8)
        row.addStretch(1)
        row.addWidget(self.closing)
        row.addWidget(self.accepting)
        column.addLayout(row)
        self.setMinimumWidth(_DOWNLOAD_WIDTH)
        self.accepting.clicked.connect(self._on_accepting_clicked)
        self.closing.clicked.connect(self.reject)

    def _retranslate(self) -> None:
        self._refresh()

    @Slot()
    def reject(self) -> None:
        """Cancel a running download; if there is none, close the dialog."""
        if self._job is None:
            super().reject()
        else:
            self._job.cancel()

    def _refresh(self) -> None:
        is_running = self._job is not None
        self.setWindowTitle(self.tr("Browser"))
        self.title.setText(self._title())
        if self._error is None:
            self.text.setText(self._words())
        else:
            self._show_failure(self._error)
        self.bar.setVisible(is_running)
        self._refresh_bar()
        self.accepting.setVisible(not is_running and not self._is_installed)
        self.accepting.setText(self.tr("Download") if self._error is None else self.tr("Try again"))
        self.closing.setText(self._format_closing())

    def _title(self) -> str:
        if self._is_installed:
            return self.tr("Browser installed")
        if self._job is not None:
            return self.tr("Downloading a browser")
        if self._error is not None:
            return self.tr("Couldn’t download the browser")
        return self.tr("No browser was found")

    def _words(self) -> str:
        if self._is_installed:
            return self.tr("Web search is ready to use.")
        if self._job is not None:
            return self._format_progress()
        return self.tr(
            "Web search needs a browser. Download Chromium (about 180 MB, 400 MB installed), or install Chrome or Edge."
        )

    def _format_closing(self) -> str:
        if self._job is not None:
            return self.tr("Cancel")
        if self._is_installed or self._error is not None:
            return self.tr("Close")
        return self.tr("Not now")

    def _format_progress(self) -> str:
        match self._latest.phase:
            case InstallPhase.STARTING:
                return self.tr("Starting…")
            case InstallPhase.UNPACKING:
                return self.tr("Unpacking…")
            case InstallPhase.DOWNLOADING:
                done = self._size(self._latest.done_bytes)
                if not self._latest.total_bytes:
                    return done
                return self.tr("{done} of {total}").format(
                    done=done, total=self._size(self._latest.total_bytes)
                )

    def _size(self, size_bytes: int) -> str:
        return self.locale().formattedDataSize(size_bytes, 0, QLocale.DataSizeFormat.DataSizeSIFormat)

    def _refresh_bar(self) -> None:
        show_progress(self.bar, self._latest.done_bytes, self._latest.total_bytes)

    def _show_failure(self, error: Exception) -> None:
        if isinstance(error, BrowserMissing):
            detail = str(error.fields.get("detail", ""))
            self.text.show_status(self._format_obstacle(error), is_bad=True, detail=detail)
        else:
            self.text.show_error(error)

    def _format_obstacle(self, error: BrowserMissing) -> str:
        match error.fields.get("obstacle"):
            case InstallObstacle.OFFLINE:
                return self.tr("The download was interrupted. Check your connection and try again.")
            case InstallObstacle.SERVER:
                return self.tr("The server didn’t send the file. Try again later, or install Google Chrome.")
            case InstallObstacle.DISK_FULL:
                return self.tr("Not enough disk space. Free about 1 GB and try again.")
            case InstallObstacle.FORBIDDEN:
                return self.tr(
                    "Footnote can’t write to the download folder. Install Google Chrome or Edge instead."
                )
            case InstallObstacle.BUSY:
                return self.tr("Another program is already downloading it. Try again when it has finished.")
            case _:
                return self.tr("The download failed. Try again, or install Google Chrome.")

    @Slot()
    def _on_accepting_clicked(self) -> None:
        self._error = None
        self._latest = InstallProgress(InstallPhase.STARTING)
        self._job = self._loop.run(
            self,
            self._setup.install,
            self._on_succeeded,
            self._on_failed,
            progressed=self._on_progressed,
            cancelled=self._on_cancelled,
        )
        self._refresh()

    @Slot(object)
    def _on_progressed(self, progress: InstallProgress) -> None:
        self._latest = progress
        self._refresh()

    @Slot(object)
    def _on_succeeded(self, _result: object) -> None:
        self._job = None
        self._is_installed = True
        self._refresh()
        self.installed.emit()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._job = None
        self._error = error
        self._refresh()

    @Slot()
    def _on_cancelled(self) -> None:
        self._job = None
        self._refresh()


_CAPTCHA_WIDTH = 440
_ANSWERS = frozenset({SearchStatus.RESULTS, SearchStatus.NOTHING_FOUND})


class CaptchaDialog(Retranslated, ScreenFitDialog):
    """Waits as long as the user needs. Closing the dialog also closes the page.

    Signals:
        solved: the search engine answers again.
    """

    solved = Signal()

    def __init__(
        self,
        engine: EngineHealth,
        searches: Callable[[], Searches],
        loop: BackgroundLoop,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._engine = engine
        self._searches = searches
        self._loop = loop
        self._job: Job | None = None
        self._problem = ""
        self.title = label(self, "", "heading")
        self.text = StatusLabel(self)
        self.again = QPushButton(self)
        self.again.setDefault(True)
        self.again.setProperty("primary", "true")
        self.closing = QPushButton(self)
        self._lay_out()
        self.again.clicked.connect(self.start)
        self.closing.clicked.connect(self.reject)
        self.finished.connect(self._on_closed)
        self.start()

    def _lay_out(self) -> None:
        column = vbox(self, spacing=12, margins=(20, 18, 20, 16))
        column.addWidget(self.title)
        column.addWidget(self.text)
        column.addStretch(1)
        row = hbox(spacing=8)
        row.addStretch(1)
        row.addWidget(self.closing)
        row.addWidget(self.again)
        column.addLayout(row)
        self.setMinimumWidth(_CAPTCHA_WIDTH)

    def _retranslate(self) -> None:
        self._refresh()

    @Slot()
    def start(self) -> None:
        """Open the page in a browser window."""
        self._problem = ""
        self._job = self._loop.run(
            self,
            lambda: self._searches().show(self._engine.engine, self._engine.query),
            self._on_ended,
            self._on_failed,
        )
        self._refresh()

    def _refresh(self) -> None:
        is_waiting = self._job is not None
        self.setWindowTitle(self._engine.name)
        if is_waiting:
            self.title.setText(self.tr("{engine} needs human verification").format(engine=self._engine.name))
            self.text.setText(
                self.tr("Complete the check in the window that opens. It closes when results appear.")
            )
        else:
            self.title.setText(self.tr("{engine} still returns no results").format(engine=self._engine.name))
            self.text.show_error(self._problem)
        self.again.setVisible(not is_waiting)
        self.again.setText(self.tr("Open again"))
        self.closing.setText(self.tr("Cancel") if is_waiting else self.tr("Close"))

    @Slot(object)
    def _on_ended(self, outcome: SearchOutcome) -> None:
        self._job = None
        if outcome.status in _ANSWERS:
            self.solved.emit()
            self.accept()
            return
        self._problem = outcome.error
        self._refresh()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._job = None
        self._problem = untranslated_error(error)
        self._refresh()

    @Slot()
    def _on_closed(self) -> None:
        if self._job is not None:
            self._job.cancel()
            self._job = None
