"""Titles of sources in Qt's widgets and the bytes of site icons, both as a hostile site would have them."""

import random
import struct
import zlib

from PySide6.QtCore import Qt
from PySide6.QtGui import Qt as RichText
from PySide6.QtGui import QTextDocument
from PySide6.QtWidgets import QLabel, QWidget

from desktop.search.icon_store import MAX_SIDE, raster_type
from desktop.ui.dialogs.inspector_rows import InspectorRow, TraceModel
from desktop.ui.widgets.layout import ElidedLabel, label
from desktop.ui.widgets.notice_bar import Notice, NoticeBar
from tests.soak.test_page import mutate

LOADS = ("<img", "<a ")
BATCH = 200


def loads(text):
    """Say whether Qt would take a text for HTML and load or link something that it names."""
    if not RichText.mightBeRichText(text):
        return False
    document = QTextDocument()
    document.setHtml(text)
    return any(word in document.toHtml() for word in LOADS)


def find_html_labels(widget):
    """Return the labels below a widget that would take words for HTML, and the tips that would load."""
    parts = [widget, *widget.findChildren(QWidget)]
    rich = [
        part
        for part in parts
        if isinstance(part, QLabel) and part.text() and part.textFormat() is not Qt.TextFormat.PlainText
    ]
    return rich + [part for part in parts if loads(part.toolTip())]


def test_titles_of_sources_are_never_html_in_widgets(qtbot, times, told):
    titles = mutate(times(600, 10_000), 35, "CANARY.invalid")
    feared = sum(map(loads, titles))
    record, words, line, bar = TraceModel(), label(None), ElidedLabel(None), NoticeBar()
    for widget in (words, line, bar):
        qtbot.addWidget(widget)
    hits = 0
    for start in range(0, len(titles), BATCH):
        batch = titles[start : start + BATCH]
        record.show([InspectorRow(title, title) for title in batch])
        tips = (record.index(row, 0).data(Qt.ItemDataRole.ToolTipRole) for row in range(len(batch)))
        hits += sum(map(loads, tips))
        for title in batch:
            words.setText(title)
            line.resize(20, 20)
            line.show_words(title)
            bar.say(Notice(title))
            hits += sum(len(find_html_labels(widget)) for widget in (words, line, bar))
    assert feared > len(titles) // 20
    assert hits == 0
    told("Hostile titles of sources in labels, lists, notices and tips", len(titles), "0 taken for HTML")


def png(width, height, body=b""):
    """Return a PNG that says to be so large, around a body that need not be."""
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunks = [head, b"IDAT" + body, b"IEND"]
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) for chunk in chunks
    )


def hostile_icon(chance):
    """Return bytes as an icon, and whether they may be shown: what says to be a small raster picture."""
    size = chance.choice((0, MAX_SIDE + 1, 65_535, 2**31 - 1))
    bombs = (
        png(size, size, zlib.compress(bytes(100_000))),
        b"GIF89a" + struct.pack("<HH", min(size, 65_535), min(size, 65_535)),
        b"\xff\xd8\xff\xc0\x00\x11\x08" + struct.pack(">HH", 65_535, 65_535),
        b"\x00\x00\x01\x00" + struct.pack("<H", chance.choice((0, 65, 65_535))) + bytes(chance.randrange(40)),
    )
    wrong = (
        b"<svg xmlns='http://www.w3.org/2000/svg' onload='hit()'/>",
        b"<!DOCTYPE html><script>hit()</script>",
        b"%PDF-1.7",
        b"\x7fELF",
        b"BM" + bytes(60),
        b"II*\x00",
        b"#define x_width 16",
        b"/* XPM */",
    )
    truncated = png(16, 16)[: chance.randrange(24)]
    return chance.choice((*bombs, *(bytes(chance.randrange(4)) + one for one in wrong), truncated))


def test_bytes_that_are_no_small_raster_picture_are_never_an_icon(times, told):
    chance = random.Random(36)
    count = times(2_000, 100_000)
    shown = sum(bool(raster_type(hostile_icon(chance))) for _ in range(count))
    assert raster_type(png(16, 16)) == "image/png"
    assert shown == 0
    told("Site icons that are bombs, cut off, or something else", count, "0 passed on to be shown")
