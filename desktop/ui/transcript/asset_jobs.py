"""Fetches site icons and pictures for the conversation page, each in a background job."""

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtWebEngineCore import QWebEngineUrlRequestJob

from desktop.background import BackgroundLoop
from desktop.domain.icons import Picture, SiteIcon
from desktop.render.page.source_cards import ICON_HOST
from desktop.ui.transcript.asset_scheme import Asset, AssetHandler, as_parent, reply

if TYPE_CHECKING:  # imported for types only, as the page is drawn before the ports are needed
    from desktop.chat.api.engine import Icons

PICTURE_HOST: Final = "pictures"
"""Host of picture URLs; the path holds the message id and the index of the picture (from 0)."""

PictureFinder = Callable[[str, int], Awaitable[Picture]]
"""Returns the picture of a message; runs on the asyncio thread and raises `AppError`s."""

OnFailed = Callable[[Exception], None]


def serve_icons(handler: AssetHandler, icons: "Icons", loop: BackgroundLoop) -> None:
    """Serve the icons of visited sites to the page."""
    handler.serve(ICON_HOST, partial(_begin_icon, icons, loop))


def serve_pictures(
    handler: AssetHandler, find: PictureFinder, loop: BackgroundLoop, on_failed: OnFailed
) -> None:
    """Serve the pictures that the user asks for to the page."""
    handler.serve(PICTURE_HOST, partial(_begin_picture, find, loop, on_failed))


def _begin_icon(icons: "Icons", loop: BackgroundLoop, request: QWebEngineUrlRequestJob, icon_id: str) -> None:
    """Load an icon in the background; the job is cancelled with its request."""
    # The connection keeps the request's Python wrapper alive: Qt alone would delete it before the reply.
    loop.run(as_parent(request), partial(icons.find, icon_id), partial(_on_icon_found, request))


def _on_icon_found(request: QWebEngineUrlRequestJob, icon: SiteIcon | None) -> None:
    reply(request, Asset(icon.media_type.encode(), icon.data) if icon is not None else None)


def _begin_picture(
    find: PictureFinder,
    loop: BackgroundLoop,
    on_failed: OnFailed,
    request: QWebEngineUrlRequestJob,
    name: str,
) -> None:
    """Fetch a picture on another thread; the job is cancelled with its request."""
    message_id, _, index = name.rpartition("/")
    wanted = int(index) if index.isdecimal() else -1
    loop.run(
        as_parent(request),
        partial(find, message_id, wanted),
        partial(_on_picture_found, request),
        partial(_on_picture_failed, request, on_failed),
    )


def _on_picture_found(request: QWebEngineUrlRequestJob, picture: Picture) -> None:
    reply(request, Asset(picture.media_type.encode(), picture.data))


def _on_picture_failed(request: QWebEngineUrlRequestJob, on_failed: OnFailed, error: Exception) -> None:
    reply(request, None)
    on_failed(error)
