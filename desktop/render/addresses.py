"""The addresses of an answer that the page must not report itself: it names them by their place."""

import re
from html import unescape

from desktop.render.look import Look
from desktop.render.message import render_message

_MAIL = re.compile(r'<a href="(mailto:[^"]*)"')
_PICTURE = re.compile(r'<span class="picture"[^>]* data-address="([^"]*)"')


def mail_address(text: str, index: int) -> str:
    """Return where the `index`th mail link of an answer leads; empty if there is none."""
    return _nth(_MAIL, text, index)


def picture_address(text: str, index: int) -> str:
    """Return where the `index`th picture of an answer lies; empty if there is none."""
    return _nth(_PICTURE, text, index)


def _nth(pattern: re.Pattern[str], text: str, index: int) -> str:
    found = pattern.findall(render_message(text, look=Look.PAGE).html)
    return unescape(found[index]) if 0 <= index < len(found) else ""
