"""The built-in viewer: the file at its passage, and the passage alone where the file is no longer what it was."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QDesktopServices, QImage, QTextCursor
from PySide6.QtWidgets import QWidget
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from desktop.domain.knowledge import OriginalState
from desktop.domain.sources import (
    Ledger,
    Locator,
    PageCheck,
    PagesChecked,
    PageState,
    PageTexts,
    Passage,
    SourceKind,
)
from desktop.errors import CitedPageDamaged, IndexUnavailable, StaysHere, StorageFull
from desktop.render.export.notes import NoteLink
from desktop.storage.cited_pages import ReadCitedPage
from desktop.text.sentences import Span
from desktop.ui.viewer.bars import ChangesPane
from desktop.ui.viewer.loader import ViewRequest
from desktop.ui.viewer.pdf import PdfPane, lines_of
from desktop.ui.viewer.text import MAX_CHARS, MAX_LINE, MarkedText, TextPane, mark_passage
from desktop.ui.viewer.window import PicturePane, SourcePanel, SourceViewer
from desktop.ui.widgets.labels import format_date
from desktop.ui.widgets.theme import DARK, LIGHT, palette_of
from tests.cases import cases
from tests.ui.fakes.scripts import script_result, script_steps
from tests.ui.on_page import script, wait_for_text

PASSAGE = "Widgets start work there through jobs. Exactly one ending follows after every progress."
NOWHERE = Locator()
DOCUMENT = "d" * 64
ELSEWHERE = "Exactly one ending follows"
LINES = ("Widgets start work there th-", "rough jobs. Exactly one end-", "ing follows after every progress.")


def give_text(engine, text, state=OriginalState.UNCHANGED):
    """Have the bases know the file as `text`, and say whether it is still as it was."""
    script_result(engine.knowledge, "text_of", text)
    script_result(engine.knowledge, "state_of", state)


def source_of(path, text=PASSAGE, locator=NOWHERE):
    ledger = Ledger()
    ledger.register([Passage(SourceKind.FILE, path.name, text, path.as_uri(), DOCUMENT, locator)])
    return ledger.sources[0]


@pytest.fixture
def view(qtbot, loop, engine):
    """Opens a source and waits until it is shown."""
    parent = QWidget()
    qtbot.addWidget(parent)
    give_text(engine, "")

    def opened(source, words=""):
        viewer = SourceViewer(ViewRequest(source, words), engine.knowledge, loop, parent)
        viewer.show()
        qtbot.waitUntil(lambda: viewer.pane is not None)
        return viewer

    return opened


def test_pages_and_notes_of_a_base_are_shown_whole_and_a_page_opens_live(view, engine, monkeypatch, qtbot):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.host()) or True)
    give_text(engine, f"Before it.\n\n{PASSAGE}\n\nAfter it.")
    day = datetime(2025, 3, 1, 12, tzinfo=UTC)
    ledger = Ledger()
    where = Locator(start=12, end=12 + len(PASSAGE))
    page = Passage(SourceKind.FILE, "Jobs", PASSAGE, "https://jobs.example/a", DOCUMENT, where, read_at=day)
    ledger.register([page])
    of_page = view(ledger.sources[0])
    assert of_page.pane.toPlainText().startswith("Before it.")
    assert of_page.pane.marked == PASSAGE
    assert format_date(day) in of_page.notice.text()
    of_page.system.click()
    assert opened == ["jobs.example"]
    note = replace(ledger.sources[0], url="", title="My note")
    of_note = view(note)
    assert (of_note.windowTitle(), of_note.notice.text(), of_note.pane.marked) == ("My note", "", PASSAGE)
    assert not of_note.system.isVisible()
    give_text(engine, f"{PASSAGE} [1]\n\n## Sources\n\n- [1] Tides · 2026 https://tides.example/a\n")
    pane = view(note).pane
    mark = QTextCursor(pane.document().find("[1]"))
    place = mark.selectionStart()
    assert (pane.address_at(place), pane.address_at(place + 3)) == ("https://tides.example/a", "")
    mark.setPosition(place)
    pane.setTextCursor(mark)
    qtbot.keyClick(pane, Qt.Key.Key_Return)
    qtbot.mouseClick(
        pane.viewport(), Qt.MouseButton.LeftButton, pos=pane.cursorRect(mark).center() + QPoint(4, 0)
    )
    assert opened[1:] == ["tides.example", "tides.example"]


@pytest.fixture
def pdf(tmp_path):
    """Three pages; the passage is on the second, in the middle."""
    path = tmp_path / "论文.pdf"
    canvas = Canvas(str(path), pagesize=A4)
    for page in (1, 2, 3):
        canvas.drawString(72, 780, f"This is page {page} of the paper")
        canvas.drawString(72, 700, ELSEWHERE)
        if page == 2:
            for number, line in enumerate(LINES):
                canvas.drawString(72, 420 - 14 * number, line)
        canvas.showPage()
    canvas.save()
    return path


def test_a_pdf_opens_at_its_page_with_the_passage_marked(view, pdf, qtbot):
    viewer = view(source_of(pdf, locator=Locator(page=2)))
    assert isinstance(viewer.pane, PdfPane)
    assert viewer.notice.text() == ""
    assert viewer.windowTitle() == "论文.pdf"
    marks = viewer.pane.marks
    assert len(marks) == len(LINES)
    baselines = [A4[1] - 420 + 14 * number for number in range(len(LINES))]
    assert all(mark.top() < base < mark.bottom() + 3 for mark, base in zip(marks, baselines, strict=True))
    assert all(70 < mark.left() < 76 for mark in marks)
    qtbot.waitUntil(lambda: viewer.bar.page.value() == 2)
    assert viewer.bar.pages.text() == "/ 3"


def test_the_marks_of_a_pdf_lie_where_its_words_are_painted(view, pdf, qtbot):
    """Qt does not tell where it paints a page; a release that lays pages out otherwise is noticed here."""
    viewer = view(source_of(pdf, locator=Locator(page=2)))
    pane = viewer.pane

    def painted():
        image = pane.viewport().grab().toImage()
        page, points = pane.page_geometry(1), A4
        scale = page.width() / points[0]
        dark, marked = [], []
        for mark in pane.marks:
            line = QRectF(mark.topLeft() * scale + page.topLeft(), mark.size() * scale).toRect()
            colours = [
                image.pixelColor(x, y)
                for x in range(line.left(), line.right())
                for y in range(line.top(), line.bottom())
                if image.rect().contains(x, y)
            ]
            dark.append(any(colour.lightness() < 90 for colour in colours))
            marked.append(any(colour.blue() < 200 < colour.red() for colour in colours))
        return all(dark) and all(marked) and len(dark) == len(LINES)

    qtbot.waitUntil(painted)
    for step in (1, 1, -1, -1, -1):
        viewer.bar.zoom_asked.emit(step)
        pane.show_passage()
        qtbot.waitUntil(painted)


def test_pages_and_words_of_a_pdf_are_gone_through(view, pdf, qtbot):
    viewer = view(source_of(pdf, locator=Locator(page=2)))
    qtbot.waitUntil(lambda: viewer.bar.page.value() == 2)
    viewer.bar.forward.click()
    qtbot.waitUntil(lambda: viewer.bar.page.value() == 3)
    assert viewer.pane.pageNavigator().currentPage() == 2
    assert not viewer.bar.forward.isEnabled()
    viewer.to_passage.click()
    qtbot.waitUntil(lambda: viewer.bar.page.value() == 2)
    qtbot.keyClicks(viewer.bar.field, "of the paper")
    qtbot.waitUntil(lambda: viewer.bar.matches.text().endswith("/ 3"))
    first = viewer.bar.matches.text()
    qtbot.keyClick(viewer.bar.field, Qt.Key.Key_Return)
    assert viewer.bar.matches.text() != first
    viewer.bar.field.setText("nothing of the kind")
    qtbot.waitUntil(lambda: viewer.bar.matches.text() == "Not found")


def test_a_passage_that_no_page_has_is_said(view, pdf):
    viewer = view(source_of(pdf, "Words that a scanned picture may hold, and no text layer", Locator(page=3)))
    assert "Couldn’t find" in viewer.notice.text()
    assert viewer.pane.marks == []


def test_a_damaged_pdf_gives_way_to_the_passage(view, tmp_path):
    path = tmp_path / "paper.pdf"
    path.write_bytes(b"%PDF-1.4 and nothing more")
    viewer = view(source_of(path, locator=Locator(page=1)))
    assert viewer.pane.toPlainText() == PASSAGE
    assert "can’t be shown here" in viewer.notice.text()


@cases("name", ["notes.md", "program.py", "report.docx", "page.html"])
def test_a_text_is_shown_with_its_passage_marked_and_in_view(view, engine, tmp_path, name):
    path = tmp_path / name
    path.write_text("x")
    before = "𝒜 line before. 一行。\n" * 300
    give_text(engine, before + PASSAGE + "\nAnd after.\n" * 300)
    viewer = view(
        source_of(path, locator=Locator(section="Threads", start=len(before), end=len(before + PASSAGE)))
    )
    pane = viewer.pane
    assert isinstance(pane, TextPane)
    assert pane.marked == PASSAGE
    assert pane.isReadOnly()
    assert viewer.notice.text() == ""
    pane.show_passage()
    assert pane.viewport().rect().intersects(pane.cursorRect(pane.textCursor()))


def test_prose_has_the_look_of_its_markdown_and_keeps_its_text(qtbot):
    pane = TextPane()
    qtbot.addWidget(pane)
    text = "## 𝒜 **heading**\n\n|---|---|\nSome *words*.\n"
    for _ in range(2):  # the second text is no larger than the first
        pane.show_text(mark_passage(text, "Some *words*.", Locator()), is_code=False)
        qtbot.waitUntil(lambda: bool(pane.document().firstBlock().layout().formats()))
    assert pane.toPlainText() == text
    assert pane.marked == "Some *words"
    sizes = pane.document().firstBlock().layout().formats()
    assert pane.font().pointSizeF() == pytest.approx(TextPane().font().pointSizeF() * 1.15)
    shown = "".join(
        pane.document()
        .firstBlock()
        .text()
        .encode("utf-16-le")[2 * part.start : 2 * (part.start + part.length)]
        .decode("utf-16-le")
        for part in sizes
        if part.format.fontPointSize() > 1
    )
    assert shown == "𝒜 heading"
    pane.show_text(mark_passage(text, "", Locator()), is_code=True)
    pane.grab()
    assert pane.document().firstBlock().layout().formats() == []


def test_marks_and_links_take_the_colours_of_another_theme(qtbot):
    pane = TextPane()
    qtbot.add_widget(pane)
    pane.show_text(MarkedText("It is old.", Span(0, 10), Span(0, 2)), is_code=False)
    pane.show_links([NoteLink(6, 9, "https://example.org")])

    def grounds():
        return [each.format.background().color().lightness() for each in pane.extraSelections()]

    pane.setPalette(palette_of(LIGHT))
    assert min(grounds()) > 128
    pane.setPalette(palette_of(DARK))
    assert max(grounds()) < 128
    cursor = pane.cursorForPosition(QPoint())
    cursor.setPosition(8)
    assert cursor.charFormat().foreground() == palette_of(DARK).link()


def test_words_of_a_text_are_found_from_the_passage_on(view, engine, tmp_path, qtbot):
    path = tmp_path / "a.txt"
    path.write_text("x")
    text = "An ending here. " + PASSAGE + " No ending there."
    give_text(engine, text)
    viewer = view(source_of(path, locator=Locator(start=16, end=16 + len(PASSAGE))))
    viewer.bar.field.setText("ending")
    assert viewer.bar.matches.text() == "2 / 3"
    qtbot.keyClick(viewer.bar.field, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert viewer.bar.matches.text() == "1 / 3"
    viewer.bar.field.setText("begin")
    assert viewer.bar.matches.text() == "Not found"
    viewer.bar.field.clear()
    assert viewer.bar.matches.text() == ""


@cases("state, words", [(OriginalState.GONE, "no longer in"), (OriginalState.CHANGED, "has changed")])
def test_a_file_that_is_gone_or_changed_gives_way_to_the_passage(view, engine, tmp_path, state, words):
    path = tmp_path / "a.txt"
    give_text(engine, "Other words than were read.", state)
    source = source_of(path)
    viewer = view(source)
    assert viewer.pane.toPlainText() == PASSAGE
    assert words in viewer.notice.text()
    assert format_date(source.read_at) in viewer.notice.text()
    assert viewer.system.isEnabled() == (state is OriginalState.CHANGED)


@cases("error, has_details", [(IndexUnavailable, False), (StorageFull, True)])
def test_bases_that_cannot_be_asked_are_said_beside_the_passage(view, engine, tmp_path, error, has_details):
    with patch.object(engine.knowledge, "state_of", side_effect=error(detail="the disk is gone")):
        viewer = view(source_of(tmp_path / "a.txt"))
    assert viewer.pane.toPlainText() == PASSAGE
    assert viewer.notice.details.isVisible() == has_details
    viewer.notice.details.click()
    words = viewer.notice.details.words if has_details else viewer.notice
    assert words.isVisible()
    assert "the disk is gone" in words.text()


def test_a_picture_is_shown_whole_and_larger(view, tmp_path):
    path = tmp_path / "潮汐.png"
    image = QImage(2400, 1200, QImage.Format.Format_RGB32)
    image.fill(QColor("teal"))
    image.save(str(path))
    viewer = view(source_of(path))
    assert isinstance(viewer.pane, PicturePane)
    whole = viewer.pane.widget().width()
    assert whole <= viewer.pane.width()
    viewer.bar.larger.click()
    assert viewer.pane.widget().width() > whole
    viewer.bar.zoom_asked.emit(0)
    assert viewer.pane.widget().width() == whole


def test_escape_closes(view, tmp_path, qtbot):
    viewer = view(source_of(tmp_path / "gone.txt"))
    gone = []
    viewer.destroyed.connect(lambda: gone.append(True))
    qtbot.keyClick(viewer, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: bool(gone))


def test_the_buttons_hand_the_file_to_the_system(view, engine, tmp_path, monkeypatch):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.toLocalFile()) or True)
    path = tmp_path / "a.txt"
    path.write_text("x")
    give_text(engine, PASSAGE)
    viewer = view(source_of(path))
    viewer.system.click()
    viewer.folder.click()
    assert [Path(name) for name in opened] == [path, tmp_path]


def test_a_very_long_text_is_shown_around_its_passage():
    text = "字" * 3_000_000 + PASSAGE + "x" * 3_000_000
    at = 3_000_000
    shown = mark_passage(text, PASSAGE, Locator(start=at, end=at + len(PASSAGE)))
    assert shown.text[shown.passage.start : shown.passage.end] == PASSAGE
    assert shown.is_cut
    assert len(shown.text) < MAX_CHARS * 1.01
    assert max(map(len, shown.text.split("\n"))) <= 2 * MAX_LINE + len(PASSAGE)


def test_offsets_that_no_longer_fit_give_way_to_the_words():
    shown = mark_passage(f"Something was put before. {PASSAGE}", PASSAGE, Locator(start=0, end=5))
    assert shown.text[shown.passage.start : shown.passage.end] == PASSAGE.removesuffix(".")
    assert not shown.is_cut


def test_a_passage_grown_in_the_ledger_is_shown_at_its_first_part():
    text = f"{PASSAGE} And more."
    shown = mark_passage(text, f"{PASSAGE}\n\n[…]\n\nAnother part", Locator(start=0, end=len(PASSAGE)))
    assert shown.text[: shown.passage.end] == PASSAGE


def test_boxes_of_one_line_are_joined_and_columns_are_not():
    words = [QRectF(10, 10, 20, 9), QRectF(32, 11, 20, 8), QRectF(10, 24, 30, 9), QRectF(200, 24, 30, 9)]
    assert lines_of(words) == [QRectF(10, 10, 42, 9), QRectF(10, 24, 30, 9), QRectF(200, 24, 30, 9)]


def test_the_words_that_a_sentence_rests_on_are_marked_most(view, engine, tmp_path, pdf):
    path = tmp_path / "a.md"
    path.write_text("x")
    give_text(engine, "Before. " + PASSAGE)
    words = "Exactly one ending follows after every progress."
    at = Locator(start=8, end=8 + len(PASSAGE))
    assert view(source_of(path, locator=at), words).pane.words == words.removesuffix(".")
    give_text(engine, "Before. " + PASSAGE, OriginalState.GONE)
    assert view(source_of(path, locator=at), words).pane.words == words.removesuffix(".")
    give_text(engine, "")
    lines = view(source_of(pdf, locator=Locator(page=2)), words).pane
    assert [mark.top() for mark in lines.words] == [mark.top() for mark in lines.marks[1:]]
    assert lines.words[0].left() > lines.marks[1].left() + 50


def test_a_mark_of_a_file_opens_one_viewer_and_the_next_takes_its_place(window, engine, tmp_path, qtbot):
    path = tmp_path / "a.md"
    give_text(engine, "Before. " + PASSAGE)
    source = source_of(path, locator=Locator(start=8, end=8 + len(PASSAGE)))

    def shown():
        return [
            viewer
            for viewer in window.findChildren(SourceViewer)
            if viewer.isVisible() and viewer.pane is not None
        ]

    window.transcripts.file_followed.emit(source, "Exactly one ending")
    qtbot.waitUntil(lambda: len(shown()) == 1)
    (first,) = shown()
    assert first.pane.words == "Exactly one ending"
    first.move(120, 90)
    window.transcripts.file_followed.emit(source, "")
    qtbot.waitUntil(lambda: len(shown()) == 1 and shown()[0] is not first)
    assert shown()[0].pos().x() == 120


@pytest.fixture
def wide(open_window, engine, qtbot, tmp_path):
    """A wide window with an answer that cites a page, a file, and the page again."""
    path = tmp_path / "a.md"
    path.write_text("x")
    give_text(engine, "Before. " + PASSAGE)
    ledger = Ledger()
    page = Passage(SourceKind.WEB, "Tides", "The tide rises. It falls at noon.", "https://tides.example/a")
    file = Passage(
        SourceKind.FILE, "a.md", PASSAGE, path.as_uri(), DOCUMENT, Locator(start=8, end=8 + len(PASSAGE))
    )
    ledger.register([page, file])
    text = "The tide rises [1]. Exactly one ending follows [2]. `[1]` It falls at noon [1]."
    chat = engine.put("Tides", texts=("What?", text), sources=ledger.sources)
    window = open_window()
    window.resize(1200, 700)
    window.sessions.open(chat)
    qtbot.wait_until(lambda: len(window.sessions.shown.messages) == 2)
    return window


def beside(window):
    panel = window.findChild(SourcePanel)
    return panel if panel is not None and panel.isVisible() else None


def shown_words(window, qtbot) -> tuple[str, str]:
    """Return which mark the panel shows, and the words that it marks."""
    qtbot.wait_until(lambda: beside(window) is not None and beside(window).viewer.pane is not None)
    return beside(window).count.text(), beside(window).viewer.pane.words


def test_the_panel_steps_through_the_marks_of_an_answer(wide, qtbot):
    steps = [("Citation 1 of 3", "The tide rises"), ("Citation 2 of 3", "Exactly one ending follows after every progress"),
             ("Citation 3 of 3", "It falls at noon")]  # fmt: skip
    after = []
    for _ in steps:
        wide.shortcuts["citation_after"].trigger()
        after.append(shown_words(wide, qtbot))
    assert after == steps
    assert (
        script(wide, qtbot, "document.querySelector('a.citation.current').closest('p, div').textContent")
        != ""
    )
    beside(wide).forward.setFocus()
    qtbot.keyClick(beside(wide).forward, Qt.Key.Key_N)
    assert shown_words(wide, qtbot) == steps[0]
    qtbot.keyClick(beside(wide).forward, Qt.Key.Key_P)
    assert shown_words(wide, qtbot) == steps[2]


def test_a_click_on_a_mark_opens_the_panel_where_there_is_space_for_it(wide, qtbot, monkeypatch):
    opened = []
    monkeypatch.setattr(QDesktopServices, "openUrl", lambda url: opened.append(url.host()) or True)
    wait_for_text(wide, qtbot, "It falls at noon")
    script(wide, qtbot, "document.querySelectorAll('.text a.citation')[2].click()")
    assert shown_words(wide, qtbot) == ("Citation 3 of 3", "It falls at noon")
    beside(wide).viewer.system.click()
    assert opened == ["tides.example"]
    beside(wide).leave.setFocus()
    qtbot.keyClick(beside(wide).leave, Qt.Key.Key_Escape)
    assert beside(wide) is None
    wide.shortcuts["citation_after"].trigger()
    assert beside(wide) is not None
    wide.resize(1000, 700)
    qtbot.wait_until(lambda: beside(wide) is None)
    script(wide, qtbot, "document.querySelectorAll('.text a.citation')[0].click()")
    qtbot.wait_until(lambda: any(each.isVisible() and each.pane for each in wide.findChildren(SourceViewer)))
    assert beside(wide) is None
    (viewer,) = [each for each in wide.findChildren(SourceViewer) if each.isVisible()]
    assert (viewer.isWindow(), viewer.pane.words, len(opened)) == (True, "The tide rises", 1)
    viewer.close()


def test_escape_in_the_page_closes_the_panel_first_and_then_leads_to_the_message(wide, qtbot):
    wait_for_text(wide, qtbot, "It falls at noon")
    wide.shortcuts["citation_after"].trigger()
    page = wide.transcripts.page.tab_stops[-1]
    page.setFocus()
    qtbot.wait_until(page.hasFocus)
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    assert beside(wide) is None
    qtbot.keyClick(page, Qt.Key.Key_Escape)
    qtbot.wait_until(wide.composer.text.hasFocus)


def test_the_panel_closes_with_its_chat_and_keeps_its_width(wide, qtbot, tmp_path):
    wide.shortcuts["citation_before"].trigger()
    assert shown_words(wide, qtbot)[0] == "Citation 3 of 3"
    splitter = wide.pane.splitter
    splitter.setSizes([500, 430])
    splitter.splitterMoved.emit(500, 1)
    wide.start_new()
    assert beside(wide) is None
    wide.sessions.open(wide.library.conversations[0].id)
    qtbot.wait_until(lambda: len(wide.sessions.shown.messages) == 2)
    wide.shortcuts["citation_after"].trigger()
    assert splitter.sizes()[1] == pytest.approx(430, abs=20)


NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
ADDRESS = "https://tides.example/a"
OLD = "Tides are explained here. The tide rises. It falls at noon. The end."


@pytest.fixture
def kept(engine):
    """The page of the first source, as it was read, with what the server sent."""
    page = ReadCitedPage((1,), ADDRESS, ADDRESS, "Tides", NOON, OLD, b"<p>Tides</p>", "text/html")
    engine.loop.call(engine.page_archive._pages.keep("c1", [page]))
    return engine.loop.call(engine.page_archive.pages("c1"))[0]


def test_a_click_opens_the_page_as_it_was_read_and_reading_it_again_marks_the_answer(
    wide, kept, engine, qtbot, tmp_path
):
    wait_for_text(wide, qtbot, "It falls at noon")
    script(wide, qtbot, "document.querySelectorAll('.text a.citation')[2].click()")
    assert shown_words(wide, qtbot) == ("Citation 3 of 3", "It falls at noon")
    viewer = beside(wide).viewer
    assert viewer.pane.toPlainText() == OLD
    assert viewer.notice.text() == f"This page, as it was read on {format_date(viewer.source.read_at)}."
    assert viewer.system.text() == "Open live page"
    bar = viewer.page_bar
    assert [button.isVisible() for button in (bar.check, bar.changes, bar.save)] == [True, False, True]

    changed = PageCheck(PageState.CHANGED, NOON, changes=1, has_passage=False)
    script_steps(engine.page_archive, "check", PagesChecked({}, 0, 1), PagesChecked({1: changed}, 1, 1))
    new = OLD.replace("noon", "<b>dusk</b>")
    script_result(engine.page_archive, "load", PageTexts(replace(kept, newer_hash="n"), OLD, new))
    bar.check.click()
    qtbot.wait_until(bar.changes.isVisible)
    assert "Δ The page has changed, including the cited passage." in viewer.notice.text()
    bar.changes.click()
    qtbot.wait_until(lambda: viewer.findChild(ChangesPane) is not None)
    assert viewer.findChild(ChangesPane).toPlainText().split("\n")[:3] == [
        "In the cited passage",
        "− It falls at noon.",
        "+ It falls at <b>dusk</b>.",
    ]
    bar.changes.click()
    assert viewer.pane.isVisible()
    marks = (
        "[...document.querySelectorAll('.text a.citation.changed')].map((mark) => mark.ariaLabel).join('|')"
    )
    qtbot.wait_until(lambda: script(wide, qtbot, marks).count("cited passage changed") == 2)
    row = "document.querySelector('.source-list .page-check').textContent"
    assert script(wide, qtbot, row) == "Δ cited passage changed"
    bar.save_to(tmp_path / "page.html")
    qtbot.wait_until(lambda: "Saved as" in viewer.notice.text())
    assert (tmp_path / "page.html").read_bytes() == b"<p>Tides</p>"


def test_a_damaged_page_gives_way_to_the_passage_and_a_failed_check_is_said(wide, kept, engine, qtbot):
    with patch.object(engine.page_archive, "load", side_effect=CitedPageDamaged()):
        wide.shortcuts["citation_after"].trigger()
        assert shown_words(wide, qtbot)[1] == "The tide rises"
    viewer = beside(wide).viewer
    assert "missing or damaged on disk" in viewer.notice.text()
    assert viewer.page_bar is None
    wide.shortcuts["citation_after"].trigger()
    wide.shortcuts["citation_before"].trigger()
    shown_words(wide, qtbot)
    script_steps(engine.page_archive, "check", PagesChecked({}, 0, 1), StaysHere(host="tides.example"))
    beside(wide).viewer.page_bar.check.click()
    qtbot.wait_until(lambda: "stays on this computer" in beside(wide).viewer.notice.text())


def test_lines_of_prose_stay_short_in_a_wide_window_and_those_of_code_do_not(qtbot):
    pane = TextPane()
    qtbot.addWidget(pane)
    pane.resize(1600, 400)
    pane.show()
    for is_code in (False, True, False):
        pane.show_text(MarkedText("The tide turns. " * 100), is_code=is_code)
        chars = pane.viewport().width() / pane.fontMetrics().averageCharWidth()
        assert (chars < 100) != is_code
    pane.resize(500, 400)
    assert pane.viewportMargins().right() == 0


def test_an_open_text_follows_the_size_of_the_text_of_the_window(window, qtbot):
    pane = TextPane(window.window())
    pane.show_text(MarkedText("# Tides\n\nThe tide turns."), is_code=False)
    pane.zoom(1)
    before, settings = pane.font().pointSizeF(), window.store.settings
    for size in (1.5, 1.0):
        window.store.apply(replace(settings, window=replace(settings.window, text_size=size)))
        qtbot.wait_until(lambda size=size: pane.font().pointSizeF() == pytest.approx(before * size))
