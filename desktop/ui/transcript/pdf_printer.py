"""Converts an HTML document to a PDF in a hidden page, without scripts and without network access."""

from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QMarginsF, QObject, QTimer, QUrl, Signal, Slot
from PySide6.QtGui import QPageLayout, QPageSize
from PySide6.QtWebEngineCore import (
    QWebEnginePage,
    QWebEngineProfile,
    QWebEngineSettings,
    QWebEngineUrlRequestInfo,
    QWebEngineUrlRequestInterceptor,
    QWebEngineUrlRequestJob,
    QWebEngineUrlSchemeHandler,
)

from desktop.ui.transcript.asset_scheme import SCHEME, register_scheme

_DOCUMENT = "footnote-page://print/document.html"
_MARGINS_MM = QMarginsF(18, 18, 18, 20)
_OFF = (
    QWebEngineSettings.WebAttribute.JavascriptEnabled,
    QWebEngineSettings.WebAttribute.LocalStorageEnabled,
    QWebEngineSettings.WebAttribute.PluginsEnabled,
    QWebEngineSettings.WebAttribute.ErrorPageEnabled,
    QWebEngineSettings.WebAttribute.LocalContentCanAccessRemoteUrls,
    QWebEngineSettings.WebAttribute.LocalContentCanAccessFileUrls,
)


class _SingleDocumentInterceptor(QWebEngineUrlRequestInterceptor):
    """Blocks all requests except the one for the document."""

    def interceptRequest(self, info: QWebEngineUrlRequestInfo) -> None:
        """Block requests for anything else."""
        info.block(info.requestUrl() != QUrl(_DOCUMENT))


class _Handler(QWebEngineUrlSchemeHandler):
    """Serves the document, as `setHtml` is limited to 2 MB."""

    def __init__(self, html: bytes, parent: QObject) -> None:
        super().__init__(parent)
        self._html = QByteArray(html)

    def requestStarted(self, job: QWebEngineUrlRequestJob) -> None:
        """Reply with the document."""
        buffer = QBuffer(parent=job)
        buffer.setData(self._html)
        buffer.open(QIODevice.OpenModeFlag.ReadOnly)
        job.reply(QByteArray(b"text/html; charset=utf-8"), buffer)


class PdfPrinter(QObject):
    """Prints one document. `deleteLater` cancels printing: no signal is emitted afterwards.

    Signals:
        printed: the PDF (bytes).
        failed: the document could not be laid out.
    """

    printed = Signal(object)
    failed = Signal()

    def __init__(
        self, html: bytes, paper: QPageSize, parent: QObject, margins: QMarginsF = _MARGINS_MM
    ) -> None:
        super().__init__(parent)
        register_scheme()
        portrait, unit = QPageLayout.Orientation.Portrait, QPageLayout.Unit.Millimeter
        self._layout = QPageLayout(paper, portrait, margins, unit)
        holder = QObject(self)  # children are deleted in order of creation, and the page must go first
        self._profile = QWebEngineProfile(self)  # without a name, the profile is off the record
        self._interceptor = _SingleDocumentInterceptor(self)
        self._handler = _Handler(html, self)
        self._profile.setUrlRequestInterceptor(self._interceptor)
        self._profile.installUrlSchemeHandler(SCHEME, self._handler)
        self._page = QWebEnginePage(self._profile, holder)
        for attribute in _OFF:
            self._page.settings().setAttribute(attribute, False)
        self._page.loadFinished.connect(self._on_load_finished)
        self._page.renderProcessTerminated.connect(self._on_process_terminated)

    def start(self) -> None:
        """Start printing; `printed` or `failed` follows."""
        self._page.load(QUrl(_DOCUMENT))

    @Slot(bool)
    def _on_load_finished(self, is_whole: bool) -> None:
        if is_whole:
            self._page.printToPdf(self._on_printed, self._layout)
        else:
            self.failed.emit()

    def _on_printed(self, pdf: QByteArray) -> None:
        if pdf.isEmpty():
            self.failed.emit()
        else:
            self.printed.emit(bytes(pdf.data()))

    @Slot(QWebEnginePage.RenderProcessTerminationStatus, int)
    def _on_process_terminated(self, _status: object, _code: int) -> None:
        # Not directly from this signal: its receivers may delete the page.
        QTimer.singleShot(0, self, self.failed.emit)
