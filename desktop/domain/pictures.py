"""Pictures: what their first bytes show, and the icons of sites."""

import hashlib
from dataclasses import dataclass, field
from typing import Final
from urllib.parse import urlsplit

ICO: Final = "image/x-icon"
WEB_PICTURES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""The media types that servers of pages, models and tools exchange."""


@dataclass(frozen=True)
class Picture:
    """A picture as delivered by its host: always of `WEB_PICTURES`, or the icon of a site in ICO format."""

    media_type: str
    data: bytes = field(repr=False)


def icon_id(address: str) -> str:
    """Return the name under which the icon for the site of `address` is stored; empty without a site.

    A site is a host with its port. The name reveals nothing about the site, fits into a file name and is hard
    to guess.
    """
    try:
        parts = urlsplit(address)
        host, port = (parts.hostname or "").removeprefix("www.").rstrip("."), parts.port
    except ValueError:
        return ""
    if not host or parts.scheme not in {"http", "https"}:
        return ""
    site = f"{host}:{port}" if port not in {None, 80, 443} else host
    return hashlib.sha256(site.encode("utf-8", "surrogatepass")).hexdigest()[:32]


_MAGIC = (
    (b"\x89PNG\r\n\x1a\n", "image/png"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"GIF87a", "image/gif"),
    (b"GIF89a", "image/gif"),
    (b"II*\x00", "image/tiff"),
    (b"MM\x00*", "image/tiff"),
    (b"\x00\x00\x01\x00", ICO),
)


def picture_type(data: bytes) -> str:
    """Return the media type that the first bytes of a picture show: of `WEB_PICTURES`, TIFF or ICO; empty for another."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for magic, kind in _MAGIC if data.startswith(magic)), "")
