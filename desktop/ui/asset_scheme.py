"""The page's own scheme: a handful of files by name, icons and pictures by id, and nothing else to ask for."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Final, NamedTuple

from PySide6.QtCore import QBuffer, QByteArray, QFile, QIODevice, QObject, QUrl
from PySide6.QtWebEngineCore import QWebEngineUrlRequestJob, QWebEngineUrlScheme, QWebEngineUrlSchemeHandler

from desktop.background import BackgroundLoop, Job
from desktop.chat.ports import Icons
from desktop.domain.icons import SiteIcon
from desktop.domain.pictures import Picture
from desktop.render.cards import ICON_HOST
from desktop.resources import resources_dir

SCHEME: Final = b"footnote-page"
PAGE: Final = "footnote-page://page/chat.html"

PICTURE_HOST: Final = "pictures"
"""Behind it stand the id of a message and which of its pictures (from 0)."""

_HOST = "page"
_TYPES = {
    "chat.html": b"text/html",
    "chat.css": b"text/css",
    "code.css": b"text/css",
    "research.css": b"text/css",
    "chat.js": b"text/javascript",
    "cards.js": b"text/javascript",
    "dom.js": b"text/javascript",
    "dress.js": b"text/javascript",
    "finding.js": b"text/javascript",
    "looks.js": b"text/javascript",
    "pieces.js": b"text/javascript",
    "reading.js": b"text/javascript",
    "quoting.js": b"text/javascript",
    "research.js": b"text/javascript",
    "qwebchannel.js": b"text/javascript",
}
_CHANNEL_SCRIPT = ":/qtwebchannel/qwebchannel.js"


PictureFinder = Callable[[str, int], Awaitable[Picture]]
"""Gives the picture of a message; runs on the asyncio thread and raises `AppError`s."""


OnFailed = Callable[[Exception], None]


class Asset(NamedTuple):
    """A file of the page."""

    media_type: bytes
    data: bytes


def register_scheme() -> None:
    """Make the scheme known to the web engine; before its first profile, once."""
    if QWebEngineUrlScheme.schemeByName(QByteArray(SCHEME)).name().data() == SCHEME:
        return
    scheme = QWebEngineUrlScheme(QByteArray(SCHEME))
    scheme.setSyntax(QWebEngineUrlScheme.Syntax.Host)
    scheme.setFlags(QWebEngineUrlScheme.Flag.SecureScheme)
    QWebEngineUrlScheme.registerScheme(scheme)


def data_for_url(host: str, path: str) -> Asset | None:
    """Return what an address of our scheme stands for; None for everything but our own files."""
    name = path.removeprefix("/")
    if host != _HOST or name not in _TYPES:
        return None
    data = _channel_script() if name == "qwebchannel.js" else (resources_dir() / "page" / name).read_bytes()
    return Asset(_TYPES[name], data)


def _channel_script() -> bytes:
    file = QFile(_CHANNEL_SCRIPT)
    if not file.open(QIODevice.OpenModeFlag.ReadOnly):
        raise FileNotFoundError(_CHANNEL_SCRIPT)
    return bytes(file.readAll().data())


class AssetHandler(QWebEngineUrlSchemeHandler):
    """Answers the page's requests out of `data_for_url`, and those for icons out of what `serve_icons` gave."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._icons: tuple[Icons, BackgroundLoop] | None = None
        self._pictures: tuple[PictureFinder, BackgroundLoop, OnFailed] | None = None

    def serve_icons(self, icons: Icons, loop: BackgroundLoop) -> None:
        """Give the page the icons of sites from now on."""
        self._icons = (icons, loop)

    def serve_pictures(self, find: PictureFinder, loop: BackgroundLoop, on_failed: OnFailed) -> None:
        """Give the page the pictures that a person asks for from now on."""
        self._pictures = (find, loop, on_failed)

    def requestStarted(self, job: QWebEngineUrlRequestJob) -> None:
        """Reply with the file or the icon, or refuse."""
        url: QUrl = job.requestUrl()
        if job.requestMethod().data() != b"GET":
            job.fail(QWebEngineUrlRequestJob.Error.UrlNotFound)
        elif url.host() == ICON_HOST and self._icons is not None:
            _begin_icon(job, *self._icons, url.path().removeprefix("/"))
        elif url.host() == PICTURE_HOST and self._pictures is not None:
            _begin_picture(job, *self._pictures, url.path().removeprefix("/"))
        else:
            _reply(job, data_for_url(url.host(), url.path()))


def _begin_icon(request: QWebEngineUrlRequestJob, icons: Icons, loop: BackgroundLoop, icon_id: str) -> None:
    """Look for an icon away from this thread; a request that goes takes the work with it."""
    finding = Job(partial(icons.find, icon_id), loop, _as_parent(request))
    # The connection keeps the request's Python side: Qt alone would let go of it before the answer.
    finding.succeeded.connect(partial(_on_icon_found, request))
    finding.start()


def _on_icon_found(request: QWebEngineUrlRequestJob, icon: SiteIcon | None) -> None:
    _reply(request, Asset(icon.media_type.encode(), icon.data) if icon is not None else None)


def _begin_picture(
    request: QWebEngineUrlRequestJob,
    find: PictureFinder,
    loop: BackgroundLoop,
    on_failed: OnFailed,
    name: str,
) -> None:
    """Fetch a picture away from this thread; a request that goes takes the work with it."""
    message_id, _, index = name.rpartition("/")
    finding = Job(
        partial(find, message_id, int(index) if index.isdecimal() else -1), loop, _as_parent(request)
    )
    finding.succeeded.connect(partial(_on_picture_found, request))
    finding.failed.connect(partial(_on_picture_failed, request, on_failed))
    finding.start()


def _on_picture_found(request: QWebEngineUrlRequestJob, picture: Picture) -> None:
    _reply(request, Asset(picture.media_type.encode(), picture.data))


def _on_picture_failed(request: QWebEngineUrlRequestJob, on_failed: OnFailed, error: Exception) -> None:
    _reply(request, None)
    on_failed(error)


def _reply(job: QWebEngineUrlRequestJob, asset: Asset | None) -> None:
    if asset is None:
        job.fail(QWebEngineUrlRequestJob.Error.UrlNotFound)
        return
    buffer = QBuffer(parent=_as_parent(job))
    buffer.setData(QByteArray(asset.data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    job.reply(QByteArray(asset.media_type), buffer)


def _as_parent(job: QObject) -> QObject:
    """The reply lives as long as the request."""
    return job
