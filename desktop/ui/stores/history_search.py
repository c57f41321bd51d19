"""Searches of the history: results arrive page by page, and only those of the newest search count."""

from functools import partial

from PySide6.QtCore import QObject, QTimer, Signal, Slot

from desktop.background import BackgroundLoop, Job
from desktop.chat.api.conversations import History
from desktop.domain.history import HistoryPage, HistoryQuery

ENOUGH = 20
"""Hits that fill the view: after a page with fewer hits, the next page is loaded automatically."""


AGAIN_MS = 1000
"""Milliseconds before a search is repeated if it found nothing and not all messages are indexed."""


class HistorySearch(QObject):
    """Runs searches of the history.

    Signals:
        began: a search has begun; earlier results are stale once it has found something or ended.
        found: a HistoryPage of the newest search, and what follows it.
        ended: nothing more was found, or there are enough hits for now.
        failed: the error of a failed search.
        reach_changed: the share of the history that is indexed, from 0 to 1.
    """

    began = Signal()
    found = Signal(object)
    ended = Signal()
    failed = Signal(object)
    reach_changed = Signal(float)

    def __init__(self, history: History, loop: BackgroundLoop, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._history = history
        self._loop = loop
        self._query = HistoryQuery("")
        self._rest: int | None = None
        self._count = 0
        self._asking: Job | None = None
        self._keeping: Job | None = None
        self.reach = 1.0
        self.known = 1.0
        """Share of messages with embeddings, as of the last check."""
        self._by_meaning = False
        self._again = QTimer(self)
        self._again.setSingleShot(True)
        self._again.setInterval(AGAIN_MS)
        self._again.timeout.connect(self._ask)

    @property
    def has_more(self) -> bool:
        """Whether there are more results, which `go_on` would load."""
        return self._rest is not None and self._asking is None

    @property
    def is_searching(self) -> bool:
        """Whether a search is running."""
        return self._asking is not None

    @Slot()
    def keep_up(self) -> None:
        """Start to index messages that are not yet indexed."""
        self._keeping = self._loop.run(
            self, self._history.keep_up, failed=self.failed, progressed=self._on_reach
        )

    @Slot()
    def stop(self) -> None:
        """Stop searching and indexing; the remaining messages are indexed next time."""
        self._again.stop()
        for job in (self._keeping, self._asking):
            if job is not None:
                job.cancel()
        self._asking = None  # its result may be on the way already

    def search(self, query: HistoryQuery, *, by_meaning: bool = False) -> None:
        """Start a new search, or only end the current one if there are no words."""
        self._again.stop()
        self._by_meaning = by_meaning
        if self._asking is not None:
            self._asking.cancel()
            self._asking = None
        self._query, self._rest = query, None
        if query.words.strip():
            self._ask()
        self.began.emit()
        if self._asking is None:
            self.ended.emit()

    @Slot()
    def go_on(self) -> None:
        """Load more results."""
        if self.has_more:
            self._ask()

    @Slot()
    def _ask(self, *, is_further: bool = False) -> None:
        if not is_further:
            self._count = 0
        if self._by_meaning:
            work = partial(self._history.alike, self._query)
        else:
            work = partial(self._history.search, self._query, self._rest)
        job = self._asking = self._loop.run(self, work)
        job.succeeded.connect(partial(self._on_found, job))
        job.failed.connect(partial(self._on_failed, job))

    def _on_found(self, job: Job, page: HistoryPage) -> None:
        if job is not self._asking:
            return
        self._asking = None
        self._rest = page.rest
        self._count += len(page.hits)
        self.known = page.reach if self._by_meaning else 1.0
        if not self._by_meaning:
            self._on_reach(page.reach)
        if page.reach < 1 and page.rest is None and not self._count:
            self._again.start()
        self.found.emit(page)
        if page.rest is not None and self._count < ENOUGH:
            self._ask(is_further=True)
        else:
            self.ended.emit()

    def _on_failed(self, job: Job, error: Exception) -> None:
        if job is self._asking:
            self._asking = None
            self._rest = None
            self.failed.emit(error)
            self.ended.emit()

    @Slot(object)
    def _on_reach(self, reach: float) -> None:
        if reach != self.reach:
            self.reach = reach
            self.reach_changed.emit(reach)
