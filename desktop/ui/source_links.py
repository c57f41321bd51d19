"""Opens what a citation points to: the web page at its passage, or the file at its page."""

import re
import shutil
import sys
from pathlib import Path
from urllib.parse import quote

from PySide6.QtCore import QCoreApplication, QDir, QProcess, QUrl
from PySide6.QtGui import QDesktopServices

from desktop.domain.sources import TEXT_JOIN, Source, SourceKind

_FRAGMENT_WORDS = 8
_FRAGMENT_CHARS = 60
_SPACES = re.compile(r"\s+")
_WEB_SCHEMES = ("http", "https")
_PDF_VIEWERS = {
    "papers": "--page-index={page}",
    "evince": "--page-index={page}",
    "okular": "--page={page}",
    "xreader": "--page-index={page}",
    "atril": "--page-index={page}",
    "zathura": "--page={page}",
}
"""Viewers that can be told a page; the system's own way of opening a file has no word for it."""


_FILE_MANAGERS = {"win32": ("explorer.exe", "/select,"), "darwin": ("/usr/bin/open", "-R")}


def text_fragment(text: str) -> str:
    """Return the text directive that makes a browser scroll to the beginning of `text`.

    Follows https://wicg.github.io/scroll-to-text-fragment/: a dash, a comma and an ampersand have a
    meaning of their own and must be escaped. Text without spaces is cut by characters.
    """
    line = next(
        (line.strip() for line in text.split(TEXT_JOIN, maxsplit=1)[0].splitlines() if line.strip()), ""
    )
    words = _SPACES.sub(" ", line).split(" ")[:_FRAGMENT_WORDS]
    start = " ".join(words)[:_FRAGMENT_CHARS].rstrip()
    return f":~:text={quote(start, safe='').replace('-', '%2D')}" if start else ""


def web_address(source: Source) -> QUrl:
    """Return a web source's address with the passage as its fragment."""
    address = QUrl(source.url)
    if not address.hasFragment() and (directive := text_fragment(source.text)):
        address.setFragment(directive, QUrl.ParsingMode.StrictMode)
    return address


def follow_link(address: str) -> bool:
    """Open a web or mail link in the system's program; anything else is refused."""
    url = QUrl(address)
    return url.scheme() in (*_WEB_SCHEMES, "mailto") and QDesktopServices.openUrl(url)


def follow_source(source: Source) -> str:
    """Open a web page and return why that was not possible; empty when it was, or is no page."""
    if source.kind is not SourceKind.WEB:
        return ""
    address = web_address(source)
    if address.scheme() in _WEB_SCHEMES and QDesktopServices.openUrl(address):
        return ""
    text = QCoreApplication.translate("source_links", "The system has no program for {address}.")
    return text.format(address=source.url)


def open_file(path: Path, page: int | None = None) -> str:
    """Open a file, a PDF at `page`, and return why that was not possible; empty when it was."""
    if not path.is_file():
        text = QCoreApplication.translate(
            "source_links", "“{name}” is no longer at {folder}. The passage it gave is kept with the answer."
        )
        return text.format(name=path.name, folder=path.parent)
    if page is not None and path.suffix.lower() == ".pdf" and _open_at_page(path, page):
        return ""
    if QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
        return ""
    text = QCoreApplication.translate("source_links", "The system has no program for “{name}”.")
    return text.format(name=path.name)


def show_in_folder(path: Path) -> str:
    """Show a file where it lies and return why that was not possible; empty when it was.

    On Windows and macOS it is selected there; other systems have no one way to do that.
    """
    if path.exists() and (command := _FILE_MANAGERS.get(sys.platform)):
        program, *options = command
        if QProcess.startDetached(program, [*options, QDir.toNativeSeparators(str(path))])[0]:
            return ""
    if path.parent.is_dir() and QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent))):
        return ""
    text = QCoreApplication.translate("source_links", "The folder {folder} cannot be shown.")
    return text.format(folder=path.parent)


def _open_at_page(path: Path, page: int) -> bool:
    found = ((shutil.which(name), option) for name, option in _PDF_VIEWERS.items())
    program, option = next(((program, option) for program, option in found if program), ("", ""))
    return bool(program) and QProcess.startDetached(program, [option.format(page=page), str(path)])[0]
