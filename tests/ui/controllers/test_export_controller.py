"""Copying and saving, from what is asked on the page to the clipboard and to files."""

import io
import zipfile
from dataclasses import replace

import docx
import pypdfium2
import pytest
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QGuiApplication, QImage, QPageSize
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from desktop.domain.procedures import TextCheck
from desktop.domain.sources import SourceKind
from desktop.errors import NotExported
from desktop.render.export import Format, ListFormat, export_conversation
from desktop.render.export.printed_page import add_outline
from desktop.render.labels import EN, ZH_CN
from desktop.ui.chat.session_manager import SessionManager
from desktop.ui.controllers.export_controller import ExportController
from desktop.ui.dialogs.private_passages import PrivatePassagesDialog
from desktop.ui.transcript.file_saver import FileSaver
from desktop.ui.transcript.message_action import ActionRequest, MessageAction
from desktop.ui.transcript.pdf_printer import PdfPrinter
from desktop.ui.widgets.icons import IconButton
from tests.cases import cases
from tests.ui.accessible import remove_access_key
from tests.ui.fakes.turns import SOURCE
from tests.unit.render.export.samples import LONG, answer, conversation, question


@pytest.fixture
def window(qtbot):
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(400, 300)
    window.show()
    return window


@pytest.fixture
def exporting(engine, loop, window, qtbot):
    """Return what exports a conversation of two messages, c1-m0 and c1-m1."""
    texts = ("Why do *tides* rise?\nReally", "Tides follow **the moon** [1], not [7].")
    conversation_id = engine.put("潮汐: how/why?", texts=texts)
    sessions = SessionManager(engine.port, loop, window)
    with qtbot.waitSignal(sessions.opened):
        sessions.open(conversation_id)
    QGuiApplication.clipboard().setText("")
    return ExportController(engine.port.conversations, loop, sessions=sessions, window=window)


def cite_instead(engine, source) -> None:
    """Have the answer cite another source."""
    engine.loop.call(engine.conversations.database.execute("DELETE FROM sources"))
    engine.loop.call(engine.conversations.save_sources("c1", (source,)))


def clipboard() -> QMimeData:
    return QGuiApplication.clipboard().mimeData()


def wait_for_clipboard(qtbot, words: str) -> QMimeData:
    qtbot.waitUntil(lambda: words in QGuiApplication.clipboard().text())
    return clipboard()


def entries(menu: QMenu) -> dict[str, object]:
    return {remove_access_key(action.text()): action for action in menu.actions() if action.text()}


def shown_menu(window) -> QMenu:
    (menu,) = (menu for menu in window.findChildren(QMenu) if menu.isVisible())
    return menu


def pdf_text(data: bytes) -> str:
    return "\n".join(page.get_textpage().get_text_bounded() for page in pypdfium2.PdfDocument(data))


def test_a_copied_answer_is_text_with_footnotes_and_rich_text(exporting, qtbot):
    exporting.copy("c1-m1")
    clip = wait_for_clipboard(qtbot, "follow")
    assert clip.text().startswith(
        "Tides follow **the moon** [^1], not [7].\n\n[^1]: [Tides](https://example.org/tides)"
    )
    assert "<strong>the moon</strong>" in clip.html()
    assert '<sup><a href="https://example.org/tides">[1]</a></sup>' in clip.html()
    assert "not [7]" in clip.html()
    assert clip.html().count("<p>[1] ") == 1


def test_a_copied_question_is_what_was_written(exporting, qtbot):
    exporting.copy("c1-m0")
    clip = wait_for_clipboard(qtbot, "rise")
    assert clip.text() == "Why do *tides* rise?\nReally"
    assert not clip.hasHtml()


def test_the_last_answer_is_copied_with_a_key_and_a_notice(exporting, qtbot):
    with qtbot.waitSignal(exporting.noticed):
        exporting.copy_last()
    wait_for_clipboard(qtbot, "[^1]: [Tides]")


ALL, ONE = (
    ActionRequest("c1-m1", MessageAction.COPY_SOURCES),
    ActionRequest("", MessageAction.COPY_SOURCE, number=1),
)


@pytest.mark.parametrize(
    ("action", "entry", "words"),
    [
        (ALL, "As Markdown", "- &#91;1&#93; [Tides](https://example.org/tides)"),
        (ALL, "As plain text", "[1] Tides · example.org"),
        (ONE, "As BibTeX", "@misc{example-org-1,"),
    ],
)
def test_sources_are_copied_in_the_form_that_is_picked(exporting, qtbot, *, action, entry, words):
    exporting.handlers[action.action](action)
    menu = shown_menu(exporting.parent())
    entries(menu)[entry].trigger()
    menu.close()
    assert wait_for_clipboard(qtbot, words).text().count("https://example.org/tides") == 1


def test_the_menu_of_an_answer_offers_everything(exporting, window):
    exporting.share(ActionRequest("c1-m1", MessageAction.SHARE))
    menu = shown_menu(window)
    assert list(entries(menu)) == [
        "Copy answer with sources",
        "Copy as image",
        "Copy sources",
        "Share as page…",
        "Save answer",
        "Save chat",
    ]
    assert remove_access_key(menu.activeAction().text()) == "Copy answer with sources"
    formats = entries(entries(menu)["Save answer"].menu())
    assert list(formats) == [
        "Word document…",
        "PDF…",
        "Image (PNG)…",
        "Web page (HTML)…",
        "Markdown with footnotes…",
        "Sources as BibTeX…",
    ]
    menu.close()


def pick_place(exporting, qtbot, path, *, message_id, kind):
    """Ask to save, and answer the dialog."""
    window = exporting.parent()
    exporting.export(message_id, kind)
    qtbot.waitUntil(lambda: bool(window.findChildren(QFileDialog)))
    (dialog,) = window.findChildren(QFileDialog)
    assert not dialog.testOption(QFileDialog.Option.DontConfirmOverwrite)
    suggested = dialog.selectedFiles()[0].rsplit("/", 1)[-1]
    dialog.fileSelected.emit(str(path))
    dialog.done(0)
    return suggested


@cases("kind", list(Format))
def test_a_conversation_is_saved_in_every_format(exporting, qtbot, tmp_path, kind):
    path = tmp_path / f"甲 乙.{kind.value}"
    notices = []
    exporting.noticed.connect(notices.append)
    assert pick_place(exporting, qtbot, path, message_id="", kind=kind) == f"潮汐 how why.{kind.value}"
    qtbot.waitUntil(lambda: "Open" in [notice.action for notice in notices])
    assert {notice.action for notice in notices} == {"Cancel", "Open"}
    data = path.read_bytes()
    if kind is Format.PICTURE:
        image = QImage.fromData(data)
        assert image.width() > 700
        assert len({image.pixel(x, y) for x in range(0, 700, 3) for y in range(0, 300, 3)}) > 5
        return
    if kind is Format.WORD:
        text = "\n".join(paragraph.text for paragraph in docx.Document(io.BytesIO(data)).paragraphs)
    else:
        text = pdf_text(data) if kind is Format.PDF else data.decode()
    assert "https://example.org/tides" in text
    assert kind is Format.BIBTEX or "the moon" in text


def choose(exporting, entry: str) -> None:
    """Choose an entry of the menu of an answer."""
    entries(exporting.answer_menu("c1-m1"))[entry].trigger()


def test_an_answer_is_copied_as_a_picture(exporting, qtbot):
    choose(exporting, "Copy as image")
    qtbot.waitUntil(lambda: clipboard().hasImage())
    assert QGuiApplication.clipboard().image().width() > 700


def save_page(exporting, qtbot, path, suggested="Why do tides rise.html") -> str:
    """Answer the dialog that asks for the place of a page, and return the page."""
    window = exporting.parent()
    qtbot.waitUntil(lambda: bool(window.findChildren(QFileDialog)))
    (dialog,) = window.findChildren(QFileDialog)
    assert dialog.selectedFiles()[0].endswith(suggested)
    with qtbot.waitSignals([exporting.noticed] * 2):
        dialog.fileSelected.emit(str(path))
        dialog.done(0)
    qtbot.waitUntil(path.exists)
    return path.read_text(encoding="utf-8")


def test_an_answer_from_the_web_is_shared_without_a_question(exporting, qtbot, tmp_path):
    choose(exporting, "Share as page…")
    page = save_page(exporting, qtbot, tmp_path / "a.html")
    assert 'id="card-1-1"' in page
    assert "https://example.org/tides" in page


def test_a_checked_text_is_called_by_its_name_and_a_pasted_one_without_the_sign_of_its_heading(
    exporting, engine, qtbot, tmp_path
):
    engine.change("c1", 0, text="# Velmora\n\nThe moon moves the sea.")
    for name, title in (("", "Velmora"), ("The tides", "The tides")):
        engine.change("c1", 1, procedure=TextCheck(name))
        choose(exporting, "Share as page…")
        page = save_page(exporting, qtbot, tmp_path / f"{title}.html", f"/{title}.html")
        assert f"<title>{title}</title>" in page
        qtbot.waitUntil(lambda: not exporting.parent().findChildren(QFileDialog))


@pytest.mark.usefixtures("in_english")
def test_private_passages_are_listed_before_a_page_is_written(exporting, engine, qtbot, tmp_path):
    private = replace(SOURCE, kind=SourceKind.FILE, url="file:///x/mine.pdf", title="My diary")
    cite_instead(engine, private)
    window = exporting.parent()
    for is_included in (False, True):
        exporting.share_page(ActionRequest("c1-m1", MessageAction.SHARE_PAGE))
        qtbot.waitUntil(
            lambda: bool([each for each in window.findChildren(PrivatePassagesDialog) if each.isVisible()])
        )
        dialog = next(each for each in window.findChildren(PrivatePassagesDialog) if each.isVisible())
        assert [box.text() for box in dialog.boxes] == ["[1] My diary"]
        assert not window.findChildren(QFileDialog)
        if is_included:
            dialog.all.click()
        assert dialog.count.text() == ("0 passages left out" if is_included else "1 passage left out")
        dialog.save.click()
        page = save_page(exporting, qtbot, tmp_path / f"{is_included}.html")
        assert ("My diary" in page) is is_included
        qtbot.waitUntil(lambda: not window.findChildren(QFileDialog))


@pytest.mark.usefixtures("in_english")
def test_private_sources_of_a_word_file_are_listed_before_it_is_written(exporting, engine, qtbot, tmp_path):
    private = replace(SOURCE, kind=SourceKind.MEMORY, url="", title="My diary")
    cite_instead(engine, private)
    window, path = exporting.parent(), tmp_path / "a.docx"
    exporting.export("", Format.WORD)
    qtbot.waitUntil(lambda: bool(window.findChildren(PrivatePassagesDialog)))
    (dialog,) = window.findChildren(PrivatePassagesDialog)
    dialog.save.click()
    qtbot.waitUntil(lambda: bool(window.findChildren(QFileDialog)))
    with qtbot.waitSignals([exporting.noticed] * 2):
        window.findChildren(QFileDialog)[0].fileSelected.emit(str(path))
    with zipfile.ZipFile(path) as parts:
        text = "".join(parts.read(name).decode() for name in parts.namelist() if name.endswith(".xml"))
    assert "Private source" in text
    assert "My diary" not in text


def test_an_answer_alone_is_called_after_its_question(exporting, qtbot, tmp_path):
    path = tmp_path / "a.md"
    notices = []
    exporting.noticed.connect(notices.append)
    assert (
        pick_place(exporting, qtbot, path, message_id="c1-m1", kind=Format.MARKDOWN) == "Why do tides rise.md"
    )
    qtbot.waitUntil(lambda: len(notices) == 2)
    assert path.read_text(encoding="utf-8").startswith("Tides follow")


def test_a_folder_that_is_gone_is_told_in_words_and_nothing_is_written(exporting, qtbot, tmp_path):
    with qtbot.waitSignal(exporting.failed) as failed:
        exporting.write(conversation(answer("x")), Format.MARKDOWN, tmp_path / "gone" / "a.md")
    assert isinstance(failed.args[0], NotExported)
    assert "“a.md” couldn’t be saved. The folder does not exist" in str(failed.args[0])
    assert list(tmp_path.iterdir()) == []


@cases("kind", [Format.PDF, Format.WORD])
def test_a_cancelled_file_is_not_written_and_others_are(exporting, qtbot, tmp_path, kind):
    notices = []
    exporting.noticed.connect(notices.append)
    path = tmp_path / f"a.{kind.value}"
    path.write_bytes(b"old")
    exporting.write(conversation(answer(LONG)), kind, path)
    exporting.write(conversation(answer("x")), Format.PDF, tmp_path / "b.pdf")
    notices[0].act()
    qtbot.waitUntil((tmp_path / "b.pdf").exists)
    qtbot.waitUntil(lambda: not exporting.findChildren(FileSaver))
    assert path.read_bytes() == b"old"
    assert sorted(file.name for file in tmp_path.iterdir()) == [path.name, "b.pdf"]


@cases("labels", [EN, ZH_CN], ids=["en", "zh"])
def test_the_pdf_holds_text_numbers_and_sources_in_every_script(qtbot, window, labels):
    text = f"{LONG}\n\n中文排版，带引用[4]。\n\n" + "Many lines.\n\n" * 80
    shown = conversation(question("潮汐是怎么形成的？"), answer(text, offered=(1, 2, 3, 4, 5)))
    printer = PdfPrinter(
        export_conversation(shown, Format.PDF, labels), QPageSize(QPageSize.PageSizeId.A4), window
    )
    with qtbot.waitSignal(printer.printed) as printed:
        printer.start()
    (pdf,) = printed.args
    found = pdf_text(pdf)
    for words in (
        "中文排版，带引用",
        "潮汐是怎么形成的",
        "[1][3][4]",
        "Unknown [9]",
        "code[1]",
        labels.not_cited,
    ):
        assert words in found
    assert found.count("https://www.example.org/a(1)?q=1&copy;=2") == 1
    document = pypdfium2.PdfDocument(pdf)
    assert len(document) >= 3
    assert document[0].get_width() == pytest.approx(595, abs=1)
    printer.deleteLater()


def test_what_cannot_be_laid_out_fails(qtbot, window):
    printer = PdfPrinter(b"<p>x", QPageSize(QPageSize.PageSizeId.A4), window)
    with qtbot.waitSignal(printer.failed):
        printer._on_load_finished(False)
    printer.deleteLater()


def test_forms_of_lists_and_files_are_all_offered(exporting):
    assert len(entries(exporting.sources_menu(lambda _kind: None))) == len(ListFormat) + 1


def test_in_the_window_a_key_copies_and_the_header_offers_to_save(open_window, engine, qtbot):
    conversation_id = engine.put("Tides", texts=("Why?", "Tides follow the moon [1]."))
    window = open_window()
    qtbot.waitUntil(lambda: conversation_id in window.sidebar.model.ids)
    with qtbot.waitSignal(window.sessions.opened):
        window.sessions.open(conversation_id)
    window.shortcuts["copy_answer"].trigger()
    wait_for_clipboard(qtbot, "Tides follow the moon [^1].")
    assert window.notices.text == "Copied answer with sources."
    (button,) = (button for button in window.findChildren(IconButton) if "Export chat" in button.text())
    assert button.isVisible()
    button.click()
    menu = shown_menu(window)
    assert len(entries(menu)) == len(Format) + 1  # … and the one for another Footnote
    menu.close()
    window.start_new()
    assert not button.isVisible()


def test_the_pdf_lists_its_headings(qtbot, window):
    said = (
        "# Tides (潮汐)\n\nWater.\n\n## The moon\n\n" + "It pulls.\n\n" * 80 + "## The sun\n\nIt pulls, too."
    )
    page = export_conversation(conversation(answer(said)), Format.PDF, EN)
    printer = PdfPrinter(page, QPageSize(QPageSize.PageSizeId.A4), window)
    with qtbot.waitSignal(printer.printed, timeout=60_000) as printed:
        printer.start()
    (pdf,) = printed.args
    document = pypdfium2.PdfDocument(add_outline(pdf, page))
    entries = [(each.level, each.get_title(), each.get_dest().get_index()) for each in document.get_toc()]
    (level, at), *_ = [(level, place) for place, (level, title, _) in enumerate(entries) if "潮汐" in title]
    assert entries[at : at + 3] == [
        (level, "Tides (潮汐)", 0),
        (level + 1, "The moon", 0),
        (level + 1, "The sun", len(document) - 1),
    ]
    assert len(document) > 1
    assert add_outline(b"%PDF-1.4 of another make", page) == b"%PDF-1.4 of another make"
