"""A dialog with instructions and Cancel, while a page with a captcha is open in a browser window."""

from collections.abc import Callable

from PySide6.QtCore import Signal, Slot
from PySide6.QtWidgets import QPushButton, QWidget

from desktop.background import BackgroundLoop, Job
from desktop.chat.api.engine import Searches
from desktop.domain.search import EngineHealth, SearchOutcome, SearchStatus
from desktop.ui.i18n import Retranslated
from desktop.ui.labels.common import untranslated_error
from desktop.ui.widgets.dialog import ScreenFitDialog
from desktop.ui.widgets.layout import hbox, label, vbox
from desktop.ui.widgets.notice_bar import StatusLabel

_WIDTH = 440
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
        self.setMinimumWidth(_WIDTH)

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
