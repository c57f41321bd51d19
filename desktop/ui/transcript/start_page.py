"""The welcome as the last session drew it: the page shows it before the program that draws it is imported.

It is a file of the cache folder, and used only by the version that wrote it, with the same display settings. What draws the page takes
its place as soon as it is there.

This module is imported before the rest of the program and may import only Qt and light modules.
"""

import json
import logging
from pathlib import Path
from typing import Final, NamedTuple, Self

from PySide6.QtCore import QLocale

from desktop import __version__
from desktop.resources import resources_dir

FILE: Final = "start-page.json"

_EMPTY: Final = '<div id="conversation" role="log" aria-live="off"></div>'
_ROOT: Final = '<html lang="en">'
_log = logging.getLogger(__name__)


class StartPage(NamedTuple):
    """What an empty conversation shows; `made_for` names everything that it depends on."""

    made_for: str
    language: str
    look: dict[str, str]
    """As the page's `Looks.apply` expects it."""
    zoom: float
    html: str

    def put_into(self, page: str) -> str:
        """Return the document `page` with this welcome in it."""
        from html import escape  # noqa: PLC0415 - not before the first paint

        root = f'<html lang="{escape(self.language)}" data-look="{escape(json.dumps(self.look))}">'
        filled = _EMPTY.replace("></div>", f">{self.html}</div>")
        return page.replace(_ROOT, root, 1).replace(_EMPTY, filled, 1)

    def write(self, cache: Path) -> None:
        """Store it for the next start, if it is not what is stored."""
        from desktop.settings.atomic_files import write_whole  # noqa: PLC0415 - not before the first paint

        text = json.dumps(self._asdict(), ensure_ascii=False)
        path = cache / FILE
        try:
            if not path.is_file() or path.read_text("utf-8") != text:
                write_whole(path, text.encode())
        except (OSError, ValueError) as error:  # the next start takes a little longer
            _log.warning("The page of the next start could not be kept: %s", error)

    @classmethod
    def read(cls, cache: Path, made_for: str) -> Self | None:
        """Return what the last session stored, if it was made for the same."""
        try:
            page = cls(**json.loads((cache / FILE).read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return None
        return page if page.made_for == made_for else None


def read_display_settings(settings: Path) -> dict[str, object]:
    """Return the display settings as they stand in the file. Its errors are ignored here and reported later."""
    try:
        window = json.loads(settings.read_bytes())["window"]
    except (OSError, ValueError, LookupError, TypeError):
        return {}
    return window if isinstance(window, dict) else {}


def describe_look(window: dict[str, object], *, is_dark: bool) -> str:
    """Return everything that the welcome depends on, for these display settings."""
    changed = (resources_dir() / "page" / "chat.css").stat().st_mtime_ns
    parts = (__version__, changed, is_dark, *QLocale.system().uiLanguages()[:1], window)
    return json.dumps(parts, sort_keys=True)
