"""Pictures of an answer that was exported: as a page, as a picture, and as a Word file in LibreOffice."""

import asyncio
import subprocess
import tempfile
from datetime import UTC, datetime
from pathlib import Path

import pypdfium2
from PySide6.QtCore import QUrl
from PySide6.QtWebEngineWidgets import QWebEngineView
from PySide6.QtWidgets import QApplication

from desktop.chat.checking.checker import check
from desktop.domain.citation_check import CitationCheck
from desktop.domain.messages import Conversation, ConversationInfo, Message, Speaker
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.render.export import Format, export_conversation, shared_page_of
from desktop.render.export.picture import DrawnPicture, PictureLook, picture_page_of
from desktop.render.labels import EN
from desktop.ui.transcript.file_saver import PicturePainter
from tests.e2e.window import Driver, wait_for

TITLE = "The lighthouse of Velmora"
TEXT = r"""The lighthouse was built in **1873** by Ada Korsten [1]. Its lamp reaches 42 kilometres [1][2], further than the \
others of the coast:

| lighthouse | height | reach |
| - | -: | -: |
| Velmora | 31 m | 42 km |
| Skarn Point | 24 m | 35 km |

The reach follows from the height $h$ of the lamp above the water [2]:

$$d \approx 3.57\,\mathrm{km} \cdot \left(\sqrt{h} + \sqrt{h_0}\right)$$

The keeper lived beside the tower until 1950, when the lamp became electric [1]. The harbour has a tidal range of 5.2 \
metres [3].
""".replace("\\\n", "")
WITHOUT_FORMULAS = "\n\n".join(part for part in TEXT.split("\n\n") if "$" not in part)
"""For Word: LibreOffice shows no formulas where its program for them is not installed."""
PASSAGES = (
    Passage(
        SourceKind.WEB,
        TITLE,
        "The lighthouse of Velmora was built in 1873 by the engineer Ada Korsten. Its lamp can be seen from 42 kilometres. "
        "The last keeper lived beside the tower until 1950, when the lamp was made electric.",
        "https://velmora.example/lighthouse",
        published="2024-05-06",
    ),
    Passage(
        SourceKind.WEB,
        "How far a lamp is seen",
        "How far a lamp reaches follows from its height above the water. The lamp of Velmora, which stands high above the "
        "sea, reaches 42 kilometres.",
        "https://navigation.example/reach",
    ),
    Passage(
        SourceKind.WEB,
        "Harbours of the north",
        "The old harbour of Velmora silted up in 1790; the new one has a tidal range of 4.2 metres.",
        "https://harbours.example/velmora",
    ),
)
PAGE_SIZE = (910, 900)
FRAMES = 40
WORD_SCALE = 1.25
CONVERSION_S = 120


async def make_answer(text: str = TEXT) -> Conversation:
    """Return a conversation of one answer whose citations were checked."""
    now = datetime.now(UTC)
    ledger = Ledger()
    offered = ledger.register(PASSAGES)
    found = [event async for event in check(text, ledger.sources) if isinstance(event, CitationCheck)]
    message = Message("answer", "c", Speaker.MODEL, text, now, offered=offered, check=found[-1])
    return Conversation(ConversationInfo("c", TITLE, now, now), (message,), ledger.sources)


def take_exports(application: QApplication, driver: Driver, folder: Path) -> None:
    """Keep a picture of each kind of export."""
    said = asyncio.run(make_answer())
    with tempfile.TemporaryDirectory() as made:
        page = Path(made, "page.html")
        page.write_bytes(shared_page_of(said, EN))
        _take_page(application, page, folder / "shared-page.png")
        word = Path(made, "answer.docx")
        word.write_bytes(export_conversation(asyncio.run(make_answer(WITHOUT_FORMULAS)), Format.WORD, EN))
        _take_word(word, folder / "word-footnotes.png")
    painted: list[DrawnPicture] = []
    painter = PicturePainter(picture_page_of(said, EN), PictureLook(), driver.program.loop, driver.frame)
    painter.painted.connect(painted.append)
    painter.start()
    wait_for(lambda: painted, "the picture")
    (folder / "picture.png").write_bytes(painted[0].data)


def _take_page(application: QApplication, page: Path, picture: Path) -> None:
    """Show a page and the card of its doubted mark."""
    view = QWebEngineView()
    view.resize(*PAGE_SIZE)
    loaded: list[bool] = []
    view.loadFinished.connect(loaded.append)
    view.load(QUrl.fromLocalFile(str(page)))
    view.show()
    wait_for(lambda: loaded, "the page")
    view.page().runJavaScript("document.querySelector('[id^=mark-3-]').focus()")
    for _ in range(FRAMES):  # until all is drawn
        answers: list[object] = []
        view.page().runJavaScript("1", answers.append)
        wait_for(lambda answers=answers: answers, "an answer of the page")
        application.processEvents()
    view.grab().save(str(picture))
    view.close()
    view.deleteLater()
    application.processEvents()


def _take_word(word: Path, picture: Path) -> None:
    """Let LibreOffice lay out a Word file, and keep its first page."""
    arguments = ["soffice", "--headless", "--convert-to", "pdf", "--outdir", str(word.parent), str(word)]
    subprocess.run(arguments, check=True, capture_output=True, timeout=CONVERSION_S)
    document = pypdfium2.PdfDocument(word.with_suffix(".pdf"))
    document[0].render(scale=WORD_SCALE).to_pil().save(picture)
    document.close()
