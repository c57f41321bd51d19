"""What a desktop knows a program by: menu entry, icons, metadata for software centres, manual page."""

import argparse
import gzip
import os
import re
import sys
import time
import tomllib
from datetime import UTC, date, datetime
from html import escape
from pathlib import Path
from typing import Final

from project import APP_ID, FILES, NAME, ROOT, SUMMARY, read_version, source_date

ICON_SIZES: Final = (16, 24, 32, 48, 64, 128, 256, 512)
MIME_TYPES: Final = (
    "application/pdf",
    "application/epub+zip",
    "application/msword",
    "application/rtf",
    "application/vnd.ms-excel",
    "application/vnd.ms-powerpoint",
    "application/vnd.oasis.opendocument.spreadsheet",
    "application/vnd.oasis.opendocument.text",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "message/rfc822",
    "text/csv",
    "text/html",
    "text/markdown",
    "text/plain",
    "image/jpeg",
    "image/png",
    "image/tiff",
    "image/webp",
    "x-scheme-handler/footnote",
)
"""Common types of the formats that Footnote reads, and its own links."""

_RELEASE: Final = re.compile(r"^## (\d\S*) - (\d{4}-\d{2}-\d{2})$", re.MULTILINE)


def write_desktop_files(share: Path) -> None:
    """Write all of them into a folder like /usr/share."""
    entry = (FILES / "footnote.desktop").read_text("utf-8")
    _write(
        share / "applications" / f"{NAME}.desktop",
        entry.replace("@MIME_TYPES@", "".join(f"{each};" for each in MIME_TYPES)),
    )
    _write(share / "metainfo" / f"{APP_ID}.metainfo.xml", render_metainfo())
    render_icons(share / "icons" / "hicolor")
    man = share / "man" / "man1" / f"{NAME}.1.gz"
    man.parent.mkdir(parents=True)
    man.write_bytes(gzip.compress(render_man_page().encode(), mtime=0))


def render_metainfo() -> str:
    """Return the AppStream metadata, with the releases of the changelog and the links of pyproject.toml."""
    releases = read_releases()
    written = [f'    <release version="{version}" date="{day}"/>' for version, day in releases]
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"].get("urls", {})
    kinds = {"Homepage": "homepage", "Issues": "bugtracker", "Documentation": "help", "Source": "vcs-browser"}
    links = [
        f'  <url type="{kinds[name]}">{escape(url)}</url>' for name, url in urls.items() if name in kinds
    ]
    text = (FILES / "metainfo.xml").read_text("utf-8")
    return text.replace("@RELEASES@", "\n".join(written)).replace(
        "@LINKS@\n", "".join(f"{each}\n" for each in links)
    )


def read_releases() -> list[tuple[str, str]]:
    """Return the versions of the changelog with their dates, the newest first, and this one first of all."""
    found = _RELEASE.findall((ROOT / "CHANGELOG.md").read_text("utf-8"))
    version = read_version()
    if version not in dict(found):
        found.insert(0, (version, datetime.fromtimestamp(source_date(), UTC).date().isoformat()))
    return found


def render_icons(folder: Path) -> None:
    """Draw the icon in the usual sizes, beside the drawing itself."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtGui import QGuiApplication, QImage, QPainter  # noqa: PLC0415 - Qt reads the variable when it is loaded
    from PySide6.QtSvg import QSvgRenderer  # noqa: PLC0415 - same

    application = QGuiApplication.instance() or QGuiApplication([NAME])
    drawing = ROOT / "resources" / "icons" / "footnote.svg"
    renderer = QSvgRenderer(str(drawing))
    for size in ICON_SIZES:
        image = QImage(size, size, QImage.Format.Format_ARGB32_Premultiplied)
        image.fill(0)
        painter = QPainter(image)
        renderer.render(painter)
        painter.end()
        path = folder / f"{size}x{size}" / "apps" / f"{NAME}.png"
        path.parent.mkdir(parents=True)
        if not image.save(str(path)):
            raise SystemExit(f"{path} could not be written")
    _write(folder / "scalable" / "apps" / f"{NAME}.svg", drawing.read_text("utf-8"))
    del application


# The manual page, in the macros of man(7)


def render_man_page() -> str:
    """Return the manual page: the options of the program and of all subcommands, as the parser has them."""
    # This checkout, which need not be the one that the environment was made for.
    sys.path[:0] = (str(ROOT), str(ROOT / "scripts"))
    from site_pages import walk_subcommands  # noqa: PLC0415 - found through the line before

    from desktop.cli.parser import build_parser  # noqa: PLC0415 - only here

    os.environ["COLUMNS"] = "78"
    parser = build_parser()
    day = date.fromisoformat(time.strftime("%Y-%m-%d", time.gmtime(source_date())))
    lines = [
        f'.TH FOOTNOTE 1 "{day}" "Footnote {read_version()}" "User Commands"',
        ".SH NAME",
        f"footnote \\- {_text(SUMMARY[0].lower() + SUMMARY[1:])}",
        ".SH SYNOPSIS",
        ".B footnote",
        "[options] [subcommand \\&...]",
        ".SH DESCRIPTION",
        "Without a subcommand the window opens.",
        "A subcommand prints its result, as text or, with \\fB\\-\\-json\\fR, as one JSON document.",
        ".SH OPTIONS",
        *_options(parser),
        ".SH SUBCOMMANDS",
    ]
    for name, words, each in walk_subcommands(parser, NAME):
        lines += [f".SS {_text(name)}", _text(f"{words[:1].upper()}{words[1:]}."), *_options(each)]
    lines += [
        ".SH ENVIRONMENT",
        *_entry("\\fBOPENAI_API_KEY\\fR, \\fBANTHROPIC_API_KEY\\fR, \\fBTAVILY_API_KEY\\fR", "Keys."),
        *_entry("\\fBOPENAI_BASE_URL\\fR, \\fBANTHROPIC_BASE_URL\\fR", "Addresses of model servers."),
        *_entry("\\fBFOOTNOTE_DATA_DIR\\fR", "The data folder."),
        ".SH FILES",
        *_entry("\\fI~/.local/share/footnote\\fR", "Conversations, knowledge bases and settings."),
    ]
    return "\n".join((*lines, ""))


def _options(parser: argparse.ArgumentParser) -> list[str]:
    lines: list[str] = []
    for action in parser._actions:  # noqa: SLF001 - argparse has no other list of them
        if action.nargs == argparse.PARSER:
            continue
        value = action.metavar or ("|".join(action.choices) if action.choices else action.dest.upper())
        shown = _text(value[0] if isinstance(value, tuple) else value)
        names = ", ".join(f"\\fB{_text(each)}\\fR" for each in action.option_strings)
        value_part = "" if action.nargs == 0 else f"\\fI{shown}\\fR"
        lines += _entry(f"{names} {value_part}".strip(), _text(action.help or ""))
    return lines


def _entry(term: str, meaning: str) -> list[str]:
    return [".TP", term, meaning or "\\&"]


def _text(text: str) -> str:
    """Return text on one line as roff shows it as it is."""
    line = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-").replace("%%", "%")
    return f"\\&{line}" if line.startswith((".", "'")) else line


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
