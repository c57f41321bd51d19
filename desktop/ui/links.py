"""Links in messages and citations: which addresses may be opened, at which passage, and how.

Only `sanitize_url` may turn an address from a message into one that is opened. It rejects all schemes except
http, https and mailto, and addresses that imitate others: a user name and password before the host
(https://bank.example@evil.example), and letters of one script that look like those of another
(https://аpple.example). Names may mix scripts as permitted by the level "highly restrictive" of
https://www.unicode.org/reports/tr39/#Restriction_Level_Detection.

`text_fragment` creates the text directive that makes a browser scroll to a passage and highlight it, as
specified in https://wicg.github.io/scroll-to-text-fragment/: `:~:text=prefix-,start,end`. Browsers match whole
words exactly, and search for `start` and `end` within one paragraph each. A dash is part of the syntax, and
QUrl reverses its escape, so directives never contain dashes from the text.
"""

import re
import shutil
import sys
from pathlib import Path
from typing import Final
from unicodedata import name as name_of
from urllib.parse import quote

from PySide6.QtCore import QCoreApplication, QDir, QProcess, QUrl, QUrlQuery
from PySide6.QtGui import QDesktopServices

from desktop.domain.sources import TEXT_JOIN, Source, is_page

WEB_SCHEMES: Final = frozenset({"http", "https"})
MAX_CHARS: Final = 8192
"""Longer addresses are useless, and some system programs fail on them."""

_MAIL_FIELDS = frozenset({"to", "cc", "bcc", "subject", "body", "in-reply-to"})
"""The header fields that a mail link may set. Some programs also accept attachments, which are not allowed."""

_WITH_IDEOGRAPHS = (
    frozenset({"LATIN", "CJK", "HIRAGANA", "KATAKANA", "KATAKANA-HIRAGANA"}),
    frozenset({"LATIN", "CJK", "BOPOMOFO"}),
    frozenset({"LATIN", "CJK", "HANGUL"}),
)
_NO_SCRIPT = frozenset({"DIGIT", "HYPHEN-MINUS", "COMBINING", "LOW"})
_LATIN_LOOKALIKES = frozenset("асԁеһіјӏорԛѕԝхуъьҽпгѵѡαικνρυωηοτ")


def sanitize_url(url: QUrl) -> str:
    """Return the fully encoded address of a web page or mailbox; an empty string for anything else."""
    scheme = url.scheme().lower()
    encoded = bytes(url.toEncoded().data()).decode("ascii")
    if not url.isValid() or len(encoded) > MAX_CHARS:
        return ""
    if scheme == "mailto":
        is_fine = _MAIL_FIELDS.issuperset(key.lower() for key, _ in QUrlQuery(url).queryItems())
    else:
        is_fine = scheme in WEB_SCHEMES and bool(url.host()) and not _pretends(url)
    return encoded if is_fine else ""


def _pretends(url: QUrl) -> bool:
    # Qt returns only the encoded form of names under a top-level domain that it does not trust.
    name = QUrl.fromAce(_encode_host(url), QUrl.AceProcessingOption.IgnoreIDNWhitelist)
    labels = name.lower().split(".")
    return "@" in url.authority() or any(_is_lookalike(label, labels[-1]) for label in labels)


def _encode_host(url: QUrl) -> bytes:
    return url.host(QUrl.ComponentFormattingOption.FullyEncoded).encode("ascii")


def _is_lookalike(label: str, top_level: str) -> bool:
    if label.isascii():
        return False
    scripts = frozenset(name_of(char, "UNNAMED").split(" ")[0] for char in label) - _NO_SCRIPT
    if len(scripts) > 1:
        return not any(scripts <= allowed for allowed in _WITH_IDEOGRAPHS)
    return top_level.isascii() and _LATIN_LOOKALIKES.issuperset(char for char in label if char.isalpha())


DIRECTIVE: Final = ":~:text="

_SHORT_CHARS: Final = 90
"""Up to this length, the whole passage is used; of longer ones, only the beginning and the end."""
_EDGE_CHARS: Final = 48
_LONGEST_CHARS: Final = 120
"""Maximum length of text without word boundaries, so that the address does not grow with its passage."""
_ENOUGH_CHARS: Final = 12
_PREFIX_WORDS: Final = 3
_SPACES: Final = re.compile(r"\s+")
_BORDERS: Final = re.compile(r"\s+|[，。、；：！？…（）「」『』《》〈〉【】“”‘’—]+")
"""Word boundaries for a fragment. Between CJK punctuation, text is not divided into words."""


def text_fragment(text: str, words: str = "") -> str:
    """Return the text directive for `words`, which occur in `text`, or for the beginning of `text`.

    Return an empty string if there is nothing to search for.
    """
    runs = _runs(words or text.split(TEXT_JOIN, maxsplit=1)[0])
    if not runs:
        return ""
    first = next((run for run in runs if len(run) >= _ENOUGH_CHARS), max(runs, key=len))
    if len(runs) == 1 and len(first) <= _SHORT_CHARS:
        return DIRECTIVE + _prefix(text, first) + _escape(first)
    last = next((run for run in reversed(runs) if len(run) >= _ENOUGH_CHARS), first)
    start = _beginning(first)
    prefix, opening = _prefix(text, start), _escape(start)
    end = _ending(last.removeprefix(start) if last is first else last)
    # The second directive applies if the end of the passage on the page differs from the extracted text.
    marks = f"{prefix}{opening},{_escape(end)}&text={prefix}{opening}" if end else prefix + opening
    return DIRECTIVE + marks


def _runs(text: str) -> list[str]:
    """Split each line at dashes and return the pieces with normalized spaces."""
    pieces = (_SPACES.sub(" ", piece).strip() for line in text.splitlines() for piece in line.split("-"))
    return [piece for piece in pieces if any(map(str.isalnum, piece))]


def _beginning(run: str) -> str:
    if len(run) <= _EDGE_CHARS:
        return run
    borders = [boundary.start() for boundary in _BORDERS.finditer(run) if boundary.start()]
    near = [boundary for boundary in borders if boundary <= _EDGE_CHARS]
    return run[: near[-1]] if near else run[: min([*borders[:1], _LONGEST_CHARS])]


def _ending(run: str) -> str:
    if len(run) <= _EDGE_CHARS:
        return run.strip()
    borders = [boundary.end() for boundary in _BORDERS.finditer(run) if boundary.end() < len(run)]
    near = [boundary for boundary in borders if boundary >= len(run) - _EDGE_CHARS]
    return run[near[0] :] if near else run[max([*borders[-1:], len(run) - _LONGEST_CHARS]) :]


def _prefix(text: str, start: str) -> str:
    """Return the words before `start` as a prefix if `start` is not unique in `text`, else nothing."""
    line = next((_SPACES.sub(" ", line) for line in text.splitlines() if start in _SPACES.sub(" ", line)), "")
    if _SPACES.sub(" ", text).casefold().count(start.casefold()) <= 1:
        return ""
    before = line.partition(start)[0].rpartition("-")[2].split()[-_PREFIX_WORDS:]
    words = " ".join(before)
    return f"{_escape(words)}-," if any(map(str.isalnum, words)) else ""


def _escape(words: str) -> str:
    return quote(words, safe="", errors="replace")


_PDF_VIEWERS = {
    "papers": "--page-index={page}",
    "evince": "--page-index={page}",
    "okular": "--page={page}",
    "xreader": "--page-index={page}",
    "atril": "--page-index={page}",
    "zathura": "--page={page}",
}
"""Viewers with a command-line option for the page, which the system's default way of opening files lacks."""
_RUN_BY_SYSTEMS = frozenset(
    {
        ".app", ".appimage", ".bat", ".cmd", ".com", ".command", ".cpl", ".desktop", ".exe", ".hta", ".jar", ".js",
        ".jse", ".lnk", ".msi", ".pif", ".ps1", ".py", ".pyw", ".reg", ".scpt", ".scr", ".sh", ".tool", ".url",
        ".vbe", ".vbs", ".workflow", ".wsf", ".wsh",
    }
)  # fmt: skip
"""Opening these files would execute them, and they may come from an untrusted source."""
_FILE_MANAGERS = {"win32": ("explorer.exe", "/select,"), "darwin": ("/usr/bin/open", "-R")}


def web_address(source: Source, words: str = "") -> QUrl:
    """Return the address of a web source with a directive for `words`, or for the beginning of its passage.

    The address keeps its own fragment: the directive follows it.
    """
    address = QUrl(source.url)
    own = address.fragment(QUrl.ComponentFormattingOption.FullyEncoded)
    if DIRECTIVE not in own and (directive := text_fragment(source.text, words)):
        address.setFragment(own + directive, QUrl.ParsingMode.StrictMode)
    return address


def refusal_message(address: str) -> str:
    """Return the message for a link that is refused."""
    text = QCoreApplication.translate("source_links", "This address can’t be opened: {address}")
    return text.format(address=address)


def open_link(address: str) -> bool:
    """Open a web or mail link in the system's default program; refuse anything else."""
    checked = sanitize_url(QUrl(address))
    return bool(checked) and QDesktopServices.openUrl(QUrl(checked))


def open_source(source: Source, words: str = "") -> str:
    """Open a web page at `words`. Return an error message; empty on success and for other sources."""
    if not is_page(source):
        return ""
    address = sanitize_url(web_address(source, words)) or sanitize_url(QUrl(source.url))
    if not address:
        return refusal_message(source.url)
    if QDesktopServices.openUrl(QUrl(address)):
        return ""
    text = QCoreApplication.translate("source_links", "No program can open {address}.")
    return text.format(address=source.url)


def open_file(path: Path, page: int | None = None) -> str:
    """Open a file, a PDF at `page`. Return an error message, or an empty string on success."""
    if not path.is_file():
        text = QCoreApplication.translate(
            "source_links", "“{name}” is no longer in {folder}. Its passage is kept with the answer."
        )
        return text.format(name=path.name, folder=path.parent)
    if page is not None and path.suffix.lower() == ".pdf" and _open_at_page(path, page):
        return ""
    if path.suffix.lower() in _RUN_BY_SYSTEMS:
        words = QCoreApplication.translate(
            "source_links", "Opening “{name}” would run it. Its folder was opened instead."
        )
        return show_in_folder(path) or words.format(name=path.name)
    if QDesktopServices.openUrl(QUrl.fromLocalFile(str(path))):
        return ""
    text = QCoreApplication.translate("source_links", "No program can open “{name}”.")
    return text.format(name=path.name)


def show_in_folder(path: Path) -> str:
    """Show a file in the file manager. Return an error message, or an empty string on success.

    On Windows and macOS the file is selected; other systems have no common way to do that.
    """
    if path.exists() and (command := _FILE_MANAGERS.get(sys.platform)):
        program, *options = command
        if QProcess.startDetached(program, [*options, QDir.toNativeSeparators(str(path))])[0]:
            return ""
    if path.parent.is_dir() and QDesktopServices.openUrl(QUrl.fromLocalFile(str(path.parent))):
        return ""
    text = QCoreApplication.translate("source_links", "Couldn’t open the folder {folder}.")
    return text.format(folder=path.parent)


def _open_at_page(path: Path, page: int) -> bool:
    found = ((shutil.which(name), option) for name, option in _PDF_VIEWERS.items())
    program, option = next(((program, option) for program, option in found if program), ("", ""))
    return bool(program) and QProcess.startDetached(program, [option.format(page=page), str(path)])[0]
