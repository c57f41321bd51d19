"""The URL scheme of the conversation page: fixed files, and icons and pictures from registered handlers.

The style sheets and scripts that `chat.html` lists are sent as one file each: every request crosses threads several times while the
program is being imported.

This module is imported before the rest of the program and may import only Qt and the resources folder.
"""

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Final, NamedTuple

from PySide6.QtCore import QBuffer, QByteArray, QFile, QIODevice, QObject, QUrl
from PySide6.QtWebEngineCore import QWebEngineUrlRequestJob, QWebEngineUrlScheme, QWebEngineUrlSchemeHandler

from desktop.resources import resources_dir

if TYPE_CHECKING:
    from desktop.ui.transcript.start_page import StartPage

SCHEME: Final = b"footnote-page"
PAGE: Final = "footnote-page://page/chat.html"
DRAWING_PAGE: Final = "footnote-page://page/draw.html"

_HOST = "page"
_TYPES = {
    "chat.html": b"text/html",
    "chat.css": b"text/css",
    "code.css": b"text/css",
    "research.css": b"text/css",
    "chat.js": b"text/javascript",
    "cards.js": b"text/javascript",
    "dom.js": b"text/javascript",
    "draw.html": b"text/html",
    "draw.js": b"text/javascript",
    "drawings.js": b"text/javascript",
    "claims.js": b"text/javascript",
    "dress.js": b"text/javascript",
    "finding.js": b"text/javascript",
    "looks.js": b"text/javascript",
    "math.woff2": b"font/woff2",
    "mermaid.min.js": b"text/javascript",
    "pieces.js": b"text/javascript",
    "reading.js": b"text/javascript",
    "quoting.js": b"text/javascript",
    "stops.js": b"text/javascript",
    "research.js": b"text/javascript",
    "qwebchannel.js": b"text/javascript",
}
_FOLDERS = {"math.woff2": "math", "mermaid.min.js": "mermaid"}
_CHANNEL_SCRIPT = ":/qtwebchannel/qwebchannel.js"
_STYLES = "page.css"
_SCRIPTS = "page.js"
_LISTED = {
    _STYLES: re.compile(r'<link rel="stylesheet" href="footnote-page://page/(?!page\.)(\w+\.css)" />\s*'),
    _SCRIPTS: re.compile(r'<script src="footnote-page://page/(?!page\.)(\w+\.js)" defer></script>\s*'),
}
_TOGETHER = {
    _STYLES: '<link rel="stylesheet" href="footnote-page://page/page.css" />\n    ',
    _SCRIPTS: '<script src="footnote-page://page/page.js" defer></script>\n  ',
}

Answer = Callable[[QWebEngineUrlRequestJob, str], None]
"""Replies to a request, now or later, with `reply`; its second argument is the path of the URL."""


class Asset(NamedTuple):
    """A file of the page."""

    media_type: bytes
    data: bytes


def register_scheme() -> None:
    """Register the scheme with the web engine. Call once, before the first profile is created."""
    if QWebEngineUrlScheme.schemeByName(QByteArray(SCHEME)).name().data() == SCHEME:
        return
    scheme = QWebEngineUrlScheme(QByteArray(SCHEME))
    scheme.setSyntax(QWebEngineUrlScheme.Syntax.Host)
    scheme.setFlags(QWebEngineUrlScheme.Flag.SecureScheme)
    QWebEngineUrlScheme.registerScheme(scheme)


def data_for_url(host: str, path: str) -> Asset | None:
    """Return the file for a URL of our scheme, or None if it is not one of our files."""
    name = path.removeprefix("/")
    if host != _HOST:
        return None
    if name in _LISTED:
        listed = _LISTED[name].findall(_file("chat.html").decode())
        return Asset(_TYPES[listed[0]], b"\n".join(_file(each) for each in listed))
    if name not in _TYPES:
        return None
    return Asset(_TYPES[name], _merge_links(_file(name)) if name == "chat.html" else _file(name))


def _merge_links(page: bytes) -> bytes:
    text = page.decode()
    for name, listed in _LISTED.items():
        text = listed.sub("", listed.sub(_TOGETHER[name], text, count=1))
    return text.encode()


def _file(name: str) -> bytes:
    if name == "qwebchannel.js":
        return _channel_script()
    return (resources_dir() / "page" / _FOLDERS.get(name, "") / name).read_bytes()


def _channel_script() -> bytes:
    file = QFile(_CHANNEL_SCRIPT)
    if not file.open(QIODevice.OpenModeFlag.ReadOnly):
        raise FileNotFoundError(_CHANNEL_SCRIPT)
    return bytes(file.readAll().data())


class AssetHandler(QWebEngineUrlSchemeHandler):
    """Answers requests of the page with our files, or with the handlers that `serve` set for other hosts."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._answers: dict[str, Answer] = {}
        self.start: StartPage | None = None
        """Part of the page when it is loaded for the first time, and not when it is loaded again."""

    def serve(self, host: str, answer: Answer) -> None:
        """Register `answer` as the handler of requests to `host`."""
        self._answers[host] = answer

    def requestStarted(self, job: QWebEngineUrlRequestJob) -> None:
        """Call the handler of the host, or reply with the file; reject other requests."""
        url: QUrl = job.requestUrl()
        if job.requestMethod().data() != b"GET":
            job.fail(QWebEngineUrlRequestJob.Error.UrlNotFound)
        elif answer := self._answers.get(url.host()):
            answer(job, url.path().removeprefix("/"))
        else:
            asset = data_for_url(url.host(), url.path())
            if self.start is not None and asset is not None and url == QUrl(PAGE):
                start, self.start = self.start, None
                asset = asset._replace(data=start.put_into(asset.data.decode()).encode())
            reply(job, asset)


def reply(job: QWebEngineUrlRequestJob, asset: Asset | None) -> None:
    """Reply to a request; without an asset the request fails."""
    if asset is None:
        job.fail(QWebEngineUrlRequestJob.Error.UrlNotFound)
        return
    buffer = QBuffer(parent=as_parent(job))
    buffer.setData(QByteArray(asset.data))
    buffer.open(QIODevice.OpenModeFlag.ReadOnly)
    job.reply(QByteArray(asset.media_type), buffer)


def as_parent(job: QObject) -> QObject:
    """Return the request as a `QObject` parent, so that the reply lives as long as the request."""
    return job
