"""The web page of the conversation and its view; it loads only its own scheme and follows no links.

This module is imported before the rest of the program and may import only Qt and light modules. `PreloadedPage`
is the page without content, created while the rest of the program is still being imported.
"""

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from PySide6.QtCore import (
    QElapsedTimer,
    QEvent,
    QObject,
    QPoint,
    Qt,
    QTimer,
    QUrl,
    Signal,
    SignalInstance,
    Slot,
)
from PySide6.QtGui import QAccessible, QContextMenuEvent, QCursor, QKeyEvent
from PySide6.QtWebChannel import QWebChannel
from PySide6.QtWebEngineCore import (
    QWebEngineDownloadRequest,
    QWebEngineNewWindowRequest,
    QWebEnginePage,
    QWebEnginePermission,
    QWebEngineProfile,
    QWebEngineSettings,
    QWebEngineUrlRequestInfo,
    QWebEngineUrlRequestInterceptor,
)
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QLabel, QWidget

from desktop.ui.transcript.asset_scheme import PAGE, SCHEME, AssetHandler, register_scheme
from desktop.ui.transcript.start_page import StartPage

CLICKS_A_SECOND: Final = 20
"""Accepted clicks per second: more than a user can make, and few enough for the window to handle."""


class RateLimit:
    """A limit for events per second."""

    def __init__(self, per_second: int) -> None:
        self._per_second = per_second
        self._left = per_second
        self._second = QElapsedTimer()
        self._second.start()

    def is_left(self) -> bool:
        """Whether another event is allowed; each check counts as an event."""
        if self._second.hasExpired(1000):
            self._second.restart()
            self._left = self._per_second
        self._left -= 1
        return self._left >= 0


SHOWN_CHARS: Final = 200
"""Maximum length of a refused address in a message, in characters."""

NO_HOSTS: Final = '--host-resolver-rules="MAP * ~NOTFOUND"'
"""Chromium's switch for it; see https://www.chromium.org/developers/design-documents/network-stack/."""

NO_SPARE: Final = "--no-unsandboxed-zygote"
"""Linux: the process from which Chromium would fork processes without a sandbox is not kept ready; none is needed."""

_FLAGS = "QTWEBENGINE_CHROMIUM_FLAGS"
_DRAWING = "QT_QUICK_BACKEND"
_GRAPHICS_DEVICES = ("dri", "nvidiactl", "dxg", "mali0", "kgsl-3d0")
"""Those of Mesa and of the drivers of NVIDIA, WSL, ARM and Qualcomm, in `/dev`."""
_OFF = (
    QWebEngineSettings.WebAttribute.LocalContentCanAccessRemoteUrls,
    QWebEngineSettings.WebAttribute.LocalContentCanAccessFileUrls,
    QWebEngineSettings.WebAttribute.LocalStorageEnabled,
    QWebEngineSettings.WebAttribute.JavascriptCanAccessClipboard,  # clicks on copy buttons still work
    QWebEngineSettings.WebAttribute.JavascriptCanPaste,
    QWebEngineSettings.WebAttribute.AllowWindowActivationFromJavaScript,
    QWebEngineSettings.WebAttribute.AllowGeolocationOnInsecureOrigins,
    QWebEngineSettings.WebAttribute.AllowRunningInsecureContent,
    QWebEngineSettings.WebAttribute.ScreenCaptureEnabled,
    QWebEngineSettings.WebAttribute.JavascriptCanOpenWindows,
    QWebEngineSettings.WebAttribute.PluginsEnabled,
    QWebEngineSettings.WebAttribute.PdfViewerEnabled,
    QWebEngineSettings.WebAttribute.AutoLoadIconsForPage,
    QWebEngineSettings.WebAttribute.HyperlinkAuditingEnabled,
    QWebEngineSettings.WebAttribute.DnsPrefetchEnabled,
    QWebEngineSettings.WebAttribute.NavigateOnDropEnabled,
    QWebEngineSettings.WebAttribute.FullScreenSupportEnabled,
    QWebEngineSettings.WebAttribute.ErrorPageEnabled,
    QWebEngineSettings.WebAttribute.WebGLEnabled,
)


@contextmanager
def set_switches(devices: Path = Path("/dev")) -> Iterator[None]:
    """Disable host name resolution in the web engine, and a spare process, while the first profile is created.

    Preconnecting (`rel=preconnect`) ignores the page's content security policy and request interceptors,
    and a host name can leak a secret.

    On Linux without a graphics card Qt draws the page itself: a driver that only imitates one takes 60 MB and 40 ms.

    The environment is as before when the block ends: the programs that are opened for the user inherit it, and a browser with
    the same web engine would find no host.
    """
    before = {name: os.environ.get(name) for name in (_FLAGS, _DRAWING)}
    flags = before[_FLAGS] or ""
    missing = [switch for switch in (NO_HOSTS, NO_SPARE) if switch not in flags]
    os.environ[_FLAGS] = " ".join((flags, *missing)).strip()
    # `Path.exists` fails where a confined program may not look.
    if sys.platform == "linux" and not any(os.access(devices / name, os.F_OK) for name in _GRAPHICS_DEVICES):
        os.environ.setdefault(_DRAWING, "software")
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class _LocalOnlyInterceptor(QWebEngineUrlRequestInterceptor):
    """Blocks all requests except those for our own files."""

    def interceptRequest(self, info: QWebEngineUrlRequestInfo) -> None:
        """Block requests of other schemes."""
        info.block(info.requestUrl().scheme().encode() != SCHEME)


class PrivateProfile(QWebEngineProfile):
    """An off-the-record profile that answers only requests for our own files.

    It must outlive its page: use as parent a widget that already owns the page's view.
    """

    def __init__(self, parent: QObject) -> None:
        register_scheme()
        with set_switches():
            super().__init__(parent)  # without a name, the profile is off the record
        # Qt does not take ownership of objects installed on a profile.
        self.assets = AssetHandler(self)
        self._interceptor = _LocalOnlyInterceptor(self)
        self.installUrlSchemeHandler(SCHEME, self.assets)
        self.setUrlRequestInterceptor(self._interceptor)
        self.setPersistentCookiesPolicy(QWebEngineProfile.PersistentCookiesPolicy.NoPersistentCookies)
        self.setHttpCacheType(QWebEngineProfile.HttpCacheType.NoCache)
        self.downloadRequested.connect(self._on_download_requested)

    @Slot(QWebEngineDownloadRequest)
    def _on_download_requested(self, request: QWebEngineDownloadRequest) -> None:
        request.cancel()


class LockedDownWebPage(QWebEnginePage):
    """A page of our own, such as that of the conversation, which never navigates away.

    Signals:
        link_clicked: the checked address of a web page.
        link_refused: the address of a clicked link that is not opened.
    """

    link_clicked = Signal(str)
    link_refused = Signal(str)

    def __init__(self, profile: PrivateProfile, parent: QObject, home: str = PAGE) -> None:
        """`home` is the only address that it loads."""
        super().__init__(profile, parent)
        self._home = home
        for attribute in _OFF:
            self.settings().setAttribute(attribute, False)
        self._clicks = RateLimit(CLICKS_A_SECOND)
        self.urlChanged.connect(self._on_url_changed)
        self.newWindowRequested.connect(self._on_new_window_requested)
        self.permissionRequested.connect(self._on_permission_requested)

    def acceptNavigationRequest(
        self, url: QUrl | str, navigation: QWebEnginePage.NavigationType, is_main_frame: bool
    ) -> bool:
        """Block navigation; emit `link_clicked` or `link_refused` for a clicked link."""
        url = QUrl(url)
        if navigation is QWebEnginePage.NavigationType.NavigationTypeLinkClicked:
            self._hand_out(url)
            return False
        return is_main_frame and url == QUrl(self._home)

    def _hand_out(self, url: QUrl) -> None:
        from desktop.ui.links import WEB_SCHEMES, sanitize_url  # noqa: PLC0415 - loads the sources, which come after the page

        if not self._clicks.is_left():
            return
        # Mail links come through the bridge, by index in a message: one that arrives here is a script's.
        if url.scheme() in WEB_SCHEMES and (address := sanitize_url(url)):
            self.link_clicked.emit(address)
        else:
            self.link_refused.emit(url.toDisplayString()[:SHOWN_CHARS])

    @Slot(QUrl)
    def _on_url_changed(self, url: QUrl) -> None:
        # Navigation to about:blank does not call this method. Loading from within this signal would be lost.
        if not url.isEmpty() and url.toString().partition("#")[0] != self._home:
            QTimer.singleShot(0, self, self._come_back)

    @Slot()
    def _come_back(self) -> None:
        self.load(QUrl(self._home))

    @Slot(QWebEngineNewWindowRequest)
    def _on_new_window_requested(self, request: QWebEngineNewWindowRequest) -> None:
        if request.isUserInitiated():
            self._hand_out(request.requestedUrl())

    # Dialogs that a script could open in the window; our scripts never do.

    def chooseFiles(
        self, mode: QWebEnginePage.FileSelectionMode, old: Sequence[str], types: Sequence[str]
    ) -> list[str]:
        """Choose no files."""
        return []

    def javaScriptAlert(self, origin: QUrl | str, text: str) -> None:
        """Ignore the alert."""

    def javaScriptConfirm(self, origin: QUrl | str, text: str) -> bool:
        """Decline."""
        return False

    def javaScriptPrompt(self, origin: QUrl | str, text: str, default: str) -> tuple[bool, str]:
        """Decline to answer."""
        return False, ""

    @Slot(QWebEnginePermission)
    def _on_permission_requested(self, permission: QWebEnginePermission) -> None:
        permission.deny()


_PATIENCE_MS = 2_000
"""A load that is requested while the crashed process is still being removed is lost without an error."""

RENEWAL_REST_MS: Final = 20_000
"""Milliseconds for which no conversation is shown before the page gets a new process."""

RENEWAL_CHARS: Final = 100_000
"""Number of characters after which it gets one: the process then holds 20 MB more than a new one."""

_HINT_SHARE = 0.7
"""Maximum share of the view's width for the address of a link."""


class PageView(QWebEngineView):
    """A view without its own context menu; it emits a signal instead.

    Signals:
        menu_asked: the position in the view, and the position on the screen where the menu should open.
    """

    menu_asked = Signal(QPoint, QPoint)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._has_card = False
        self.hint = QLabel(self)
        self.hint.setObjectName("link-hint")
        self.hint.setTextFormat(Qt.TextFormat.PlainText)
        self.hint.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hint.setAutoFillBackground(True)
        self.hint.setContentsMargins(8, 3, 8, 3)
        self.hint.hide()

    @Slot(bool)
    def note_card(self, is_open: bool) -> None:
        """Note whether a card is open: Escape then closes the card and does not stop the answer."""
        self._has_card = is_open

    @Slot(str)
    def show_target(self, address: str) -> None:
        """Show the address of the hovered link with its host visible; show nothing for our own marks."""
        url = QUrl(address)
        self.hint.setVisible(url.scheme() in {"http", "https", "mailto"})
        shown = url.toDisplayString(QUrl.ComponentFormattingOption.EncodeUnicode)
        space = int(self.width() * _HINT_SHARE)
        self.hint.setText(self.hint.fontMetrics().elidedText(shown, Qt.TextElideMode.ElideRight, space))
        self.hint.adjustSize()
        self.hint.move(0, self.height() - self.hint.height())
        self.hint.raise_()

    def event(self, event: QEvent) -> bool:
        """Handle Escape here, before the window's shortcuts, while a card is open."""
        if self._has_card and event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            is_escape = event.key() == Qt.Key.Key_Escape
            event.setAccepted(is_escape)
            return is_escape
        return super().event(event)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Emit `menu_asked`; for the keyboard the web engine provides the position."""
        self.menu_asked.emit(event.pos(), event.globalPos())


def _expose_to_screen_readers() -> None:
    """Tell the web engine that a screen reader runs: it only notices one that starts after its first page (Qt 6.11)."""
    if QAccessible.isActive():
        QAccessible.setActive(False)
        QAccessible.setActive(True)


class PreloadedPage(QObject):
    """A web page with our files and its process; objects for its scripts are registered at `channel` later.

    `has_start` says whether it shows the welcome as soon as it is loaded. `maintain` reloads a crashed page, repeatedly
    until it answers, and gives a page that shows no conversation a new process, after its process has shown long ones:
    the web engine returns up to 50 MB of what answers took only when the process ends. The page is away for half a
    second, which is why that waits until the keyboard is elsewhere and the pointer rests.

    Signals:
        left: its content goes, as it is loaded anew.
        loaded: the page has loaded and can connect; emitted after each load.
    """

    left = Signal()
    loaded = Signal()

    def __init__(self, parent: QWidget, start: StartPage | None = None) -> None:
        """With `start` the page has that content once it is loaded."""
        super().__init__(parent)
        self.view = PageView(parent)
        self.profile = PrivateProfile(parent)
        self.profile.assets.start = start
        self.has_start = start is not None
        if start is not None:
            self.view.setZoomFactor(start.zoom)
        self.web_page = LockedDownWebPage(self.profile, self.view)
        self.channel = QWebChannel(self.web_page)
        self.is_loaded = False
        self._is_empty: Callable[[], bool] = lambda: False
        self._shown_chars = 0
        self._pointer = QCursor.pos()
        self._recovery, self._rest = QTimer(self), QTimer(self)
        for timer, act in ((self._recovery, self._recover), (self._rest, self._renew)):
            timer.setSingleShot(True)
            timer.timeout.connect(act)
        self.web_page.setWebChannel(self.channel)
        self.view.setPage(self.web_page)
        self.view.setAcceptDrops(False)
        self.web_page.loadFinished.connect(self._on_load_finished)
        self._load()

    def move_to(self, owner: QWidget) -> None:
        """Move to another parent; the profile is moved last, because it must outlive the page."""
        for part in (self.view, self.profile, self):
            part.setParent(owner)

    def maintain(self, answered: SignalInstance, is_empty: Callable[[], bool]) -> None:
        """Reload a crashed page until it has `answered`, and renew its process while it `is_empty`."""
        self._is_empty = is_empty
        self.web_page.renderProcessTerminated.connect(self._on_process_terminated)
        answered.connect(self._recovery.stop)

    def note_left(self, chars: int) -> None:
        """Note that a conversation with so many characters is no longer shown."""
        self._shown_chars += chars
        if self._shown_chars >= RENEWAL_CHARS:
            self._wait_for_rest()

    def _load(self) -> None:
        self.is_loaded = False
        self.web_page.load(QUrl(PAGE))

    @Slot(QWebEnginePage.RenderProcessTerminationStatus, int)
    def _on_process_terminated(
        self, status: QWebEnginePage.RenderProcessTerminationStatus, _code: int
    ) -> None:
        # Loading from within this signal would be lost with the dying process. A process that ended normally was replaced
        # by a page that is already being loaded: loading it at once, too, would begin again from the start.
        ended_normally = status is QWebEnginePage.RenderProcessTerminationStatus.NormalTerminationStatus
        self._recovery.start(_PATIENCE_MS if ended_normally else 0)

    @Slot()
    def _recover(self) -> None:
        self.left.emit()
        self._load()
        # Longer each time: on a busy machine a load takes longer, and to begin it again takes it back to the start.
        self._recovery.start(max(_PATIENCE_MS, 2 * self._recovery.interval()))

    def _wait_for_rest(self) -> None:
        self._pointer = QCursor.pos()
        self._rest.start(RENEWAL_REST_MS)

    @Slot()
    def _renew(self) -> None:
        """Load our files in a new process."""
        if not self._is_empty():  # the next change of the conversation looks again
            return
        # Of a window that is not active, too: it gets the keyboard back where it was.
        focused = self.view.window().focusWidget()
        if self.view.isAncestorOf(focused) or focused is self.view or QCursor.pos() != self._pointer:
            self._wait_for_rest()
            return
        self._shown_chars = 0
        self.left.emit()
        self.is_loaded = False
        is_visible = self.web_page.isVisible()
        self.web_page.setVisible(False)  # a visible page keeps its process
        self.web_page.setLifecycleState(QWebEnginePage.LifecycleState.Discarded)
        self.web_page.setLifecycleState(QWebEnginePage.LifecycleState.Active)
        self.web_page.setVisible(is_visible)

    @Slot(bool)
    def _on_load_finished(self, is_there: bool) -> None:
        self.is_loaded = is_there
        if is_there:
            _expose_to_screen_readers()
            self.loaded.emit()
