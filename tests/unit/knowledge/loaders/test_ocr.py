"""Pictures and pages without a text layer: which ones are read so, and what is read."""

import asyncio
import io
import os
import signal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen import canvas

from desktop.errors import CorruptFile, NothingToRead, ReadingFailed
from desktop.knowledge.loaders import pdf, picture
from desktop.knowledge.loaders.document import LoaderContext
from desktop.knowledge.loaders.ocr import TextLine, in_reading_order, read_picture
from desktop.knowledge.loaders.registry import load
from desktop.knowledge.reader.pool import ReaderPool
from desktop.knowledge.reader.protocol import ReadOptions
from tests.cases import cases
from tests.unit.knowledge.knowledge_files import make_text

LINES = ("The lighthouse keeper wrote", "his letters by candle light", "until the summer of 1859")
ENOUGH = "A page whose text layer is long enough to be that of the whole page. " * 4


def ignore(done, total):
    """Take a report of pages and do nothing with it."""


def drawn(lines=LINES, size=(900, 300), path=None):
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.truetype(path, 40) if path else ImageFont.load_default(40)
    for row, line in enumerate(lines):
        draw.text((40, 30 + 80 * row), line, font=font, fill="black")
    return image


def pixels(image):
    return np.ascontiguousarray(np.asarray(image.convert("RGB"))[:, :, ::-1])


def make_scan(path, *pages):
    """Write a PDF; each page is (text, image that covers it or None)."""
    pdf = canvas.Canvas(str(path), pagesize=(900, 300))
    for text, image in pages:
        if image is not None:
            content = io.BytesIO()
            image.save(content, "PNG")
            pdf.drawImage(ImageReader(content), 0, 0, 900, 300)
        for row in range(0, len(text), 80):
            pdf.drawString(40, 280 - row / 8, text[row : row + 80])
        pdf.showPage()
    pdf.save()
    return path


class Eyes:
    """Reads the same in every picture, and keeps what it was shown."""

    def __init__(self, text="what was seen"):
        self.text = text
        self.seen = []

    def __call__(self, shown):
        self.seen.append(shown.shape)
        return self.text


def test_words_stay_apart_and_lines_in_order():
    assert read_picture(pixels(drawn())).lower() == " ".join(LINES).lower()


def test_a_picture_upside_down_is_read_all_the_same():
    assert "lighthouse keeper" in read_picture(pixels(drawn().rotate(180)))


def test_a_picture_on_its_side_is_read_all_the_same():
    assert "lighthouse keeper" in read_picture(pixels(drawn().rotate(90, expand=True)))


def test_a_picture_of_nothing_says_nothing():
    assert read_picture(pixels(Image.new("RGB", (20, 700), "white"))) == ""


def test_chinese_is_read(chinese_font):
    text = read_picture(pixels(drawn(["春眠不觉晓处处闻啼鸟", "夜来风雨声花落知多少"], path=chinese_font)))
    assert set("春眠不觉晓处处闻啼鸟夜来风雨声花落知多少") - set(text) == set()


@pytest.fixture
def chinese_font(request):
    found = [path for path in _font_paths() if "CJK" in path or "msyh" in path or "PingFang" in path]
    if not found:
        pytest.skip("no Chinese font on this machine")
    return found[0]


def _font_paths():
    from pathlib import Path

    folders = [Path("/usr/share/fonts"), Path("C:/Windows/Fonts"), Path("/System/Library/Fonts")]
    return sorted(str(path) for folder in folders for path in folder.rglob("*.tt[cf]"))


def test_only_pages_without_a_text_layer_are_read_as_pictures(tmp_path):
    path = make_scan(tmp_path / "a.pdf", (ENOUGH, None), ("", drawn()), ("", None), ("- 4 -", drawn()))
    eyes, heard = Eyes(), []
    document = load(path, LoaderContext(lambda done, total: heard.append(done), eyes))
    assert [(part.page, part.text[:6]) for part in document.parts] == [
        (1, "A page"),
        (2, "what w"),
        (4, "what w"),
    ]
    assert (document.scanned, document.pages, heard) == (2, 4, [0, 1, 2, 3, 4])


def test_a_scan_that_has_been_given_its_text_keeps_it(tmp_path):
    eyes = Eyes()
    assert (
        load(make_scan(tmp_path / "a.pdf", (ENOUGH, drawn())), LoaderContext(read_picture=eyes)).scanned == 0
    )
    assert eyes.seen == []


def test_a_page_is_drawn_in_bounded_size(tmp_path):
    pdf = canvas.Canvas(str(tmp_path / "a.pdf"), pagesize=(14_000, 7_000))
    pdf.rect(10, 10, 5_000, 5_000, fill=1)
    pdf.save()
    eyes = Eyes()
    load(tmp_path / "a.pdf", LoaderContext(read_picture=eyes))
    assert eyes.seen == [(1100, 2200, 3)]


def test_pages_of_a_scan_that_are_not_to_be_read_say_so(tmp_path):
    path = make_scan(tmp_path / "a.pdf", ("", drawn()))
    with pytest.raises(NothingToRead, match="without a text layer"):
        load(path)
    with pytest.raises(NothingToRead, match="No text was recognized"):
        load(path, LoaderContext(read_picture=Eyes("")))


def test_every_page_of_a_tiff_is_read(tmp_path):
    path = tmp_path / "a.tiff"
    drawn().save(path, save_all=True, append_images=[drawn(), drawn()])
    heard = []
    document = load(path, LoaderContext(lambda done, total: heard.append((done, total)), Eyes()))
    assert [part.page for part in document.parts] == [1, 2, 3]
    assert (document.scanned, document.pages, heard) == (3, 3, [(0, 3), (1, 3), (2, 3), (3, 3)])


def test_of_a_scan_without_end_only_the_beginning_is_looked_at(tmp_path, monkeypatch):
    monkeypatch.setattr(pdf, "_MAX_SCANS", 2)
    eyes = Eyes("")
    document = load(
        make_scan(tmp_path / "a.pdf", (ENOUGH, None), *[("", drawn())] * 4), LoaderContext(read_picture=eyes)
    )
    assert (len(eyes.seen), document.is_cut, document.pages) == (2, True, 5)
    monkeypatch.setattr(picture, "_MAX_FRAMES", 2)
    drawn().save(tmp_path / "a.tiff", save_all=True, append_images=[drawn(), drawn()])
    document = load(tmp_path / "a.tiff", LoaderContext(read_picture=Eyes()))
    assert (document.scanned, document.is_cut, document.pages) == (2, True, 3)


@cases(
    "kind, suffix",
    [
        *((kind, "") for kind in ("PNG", "JPEG", "WEBP", "GIF", "TIFF")),
        ("PNG", ".png"),
        ("JPEG", ".jpg"),
        ("WEBP", ".webp"),
        ("BMP", ".bmp"),
        ("GIF", ".gif"),
    ],
)
def test_pictures_of_every_kind_are_upright_and_bounded(tmp_path, kind, suffix):
    path = tmp_path / f"a{suffix}"
    drawn(size=(3000, 1500)).save(path, kind)
    eyes = Eyes()
    document = load(path, LoaderContext(read_picture=eyes))
    assert (document.text, document.pages, document.scanned) == ("what was seen", None, 1)
    assert eyes.seen == [(1100, 2200, 3)]


def test_a_camera_held_upright_is_believed(tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6
    drawn().save(tmp_path / "a.jpg", exif=exif)
    eyes = Eyes()
    load(tmp_path / "a.jpg", LoaderContext(read_picture=eyes))
    assert eyes.seen == [(900, 300, 3)]


def test_pictures_that_cannot_be_read_say_why(tmp_path, monkeypatch):
    path = tmp_path / "a.png"
    drawn().save(path)
    with pytest.raises(NothingToRead, match="recognition is off"):
        load(path)
    with pytest.raises(NothingToRead, match="No text was recognized"):
        load(path, LoaderContext(read_picture=Eyes("")))
    path.write_bytes(path.read_bytes()[:200])
    with pytest.raises(CorruptFile, match="not a readable image"):
        load(path, LoaderContext(read_picture=Eyes()))
    monkeypatch.setattr(picture, "MAX_PIXELS", 100)
    drawn().save(path)
    with pytest.raises(ReadingFailed, match="million pixels"):
        load(path, LoaderContext(read_picture=Eyes()))


def test_a_scan_does_not_hold_up_what_comes_after_it(tmp_path):
    scan = make_scan(tmp_path / "a.pdf", ("", drawn()), ("", drawn()))
    text = make_text(tmp_path / "b.txt", "quick")

    async def scenario():
        reader = ReaderPool(idle_s=0)
        turned_out = asyncio.Event()
        try:
            slow = asyncio.create_task(reader.read(scan, ignore, on_scan=turned_out.set))
            async with asyncio.timeout(60):
                await turned_out.wait()
                while (pid := reader.scan_pid) is None:  # noqa: ASYNC110 - no event says that a process starts
                    await asyncio.sleep(0)
            os.kill(pid, signal.SIGSTOP)  # the scan takes as long as the text may need
            quick = await reader.read(text, ignore)
            os.kill(pid, signal.SIGCONT)
            is_first = not slow.done()
            reading = await slow
            async with asyncio.timeout(20):
                while reader.scan_pid is not None:  # noqa: ASYNC110 - no event says that a process ends
                    await asyncio.sleep(0)
            return quick, is_first, reading
        finally:
            await reader.aclose()

    quick, is_first, reading = asyncio.run(scenario())
    assert (quick.text, is_first) == ("quick", True)
    assert (reading.scanned, reading.pages) == (2, 2)
    assert {entry.chunk.page for entry in reading.entries} == {1, 2}
    assert "lighthouse keeper" in reading.text


def test_scans_stay_unread_if_that_is_wanted(tmp_path):
    scan = make_scan(tmp_path / "a.pdf", ("", drawn()))

    async def scenario():
        reader = ReaderPool()
        try:
            with pytest.raises(NothingToRead):
                await reader.read(scan, ignore, ReadOptions(ocr=False))
            return reader.scan_pid
        finally:
            await reader.aclose()

    assert asyncio.run(scenario()) is None


PROSE = "a line of prose that is long enough"


def column(left, top, texts, width=400, pitch=30):
    return [
        TextLine(text, left, top + row * pitch, left + width, top + row * pitch + 20)
        for row, text in enumerate(texts)
    ]


def test_columns_of_prose_are_read_one_after_the_other_below_what_crosses_them():
    heading = TextLine("A heading across both columns of the page", 0, 0, 900, 20)
    left = column(0, 60, [f"{PROSE} left {row}." for row in range(5)])
    right = column(500, 60, [f"{PROSE} right {row}." for row in range(5)])
    text = in_reading_order([*right, heading, *left])
    assert text.startswith("A heading across both columns of the page")
    assert text.index("left 4") < text.index("right 0")


def test_chinese_columns_are_columns_too():
    left = column(0, 0, [f"左栏的第{row}行文字写得足够长了。" for row in range(5)])
    right = column(500, 0, [f"右栏的第{row}行文字写得足够长了。" for row in range(5)])
    text = in_reading_order([line for pair in zip(left, right, strict=True) for line in pair])
    assert text.index("左栏的第4行") < text.index("右栏的第0行")


def test_the_cells_of_a_table_stay_in_their_rows():
    names = column(0, 0, ["City", "Beijing", "Oslo", "Lima", "Quito"], width=100)
    numbers = column(500, 2, ["People", "21 893", "709", "10 092", "2 011"], width=100)
    assert in_reading_order([*numbers, *names]).splitlines()[1] == "Beijing 21 893"


def test_a_gap_begins_a_paragraph_and_a_margin_comes_last():
    lines = [
        *column(50, 0, ["The first paragraph ends here."]),
        *column(50, 100, ["The second one stands below."]),
        TextLine("along the margin", 0, 0, 20, 300),
    ]
    assert in_reading_order(lines).split("\n\n") == [
        "The first paragraph ends here.",
        "The second one stands below.",
        "along the margin",
    ]


def test_a_page_that_was_upside_down_is_turned():
    line = TextLine("x", 10, 20, 30, 60).upside_down(100, 200)
    assert (line.left, line.top, line.right, line.bottom) == (70, 140, 90, 180)


sides = st.integers(0, 1_000)


@given(
    st.lists(st.tuples(st.text("ab字 ", min_size=1, max_size=30), sides, sides, sides, sides), max_size=40)
)
def test_no_letter_is_lost(boxes):
    lines = [
        TextLine(text, left, top, left + width, top + height) for text, left, top, width, height in boxes
    ]
    text = in_reading_order(lines)
    assert sorted("".join(text.split())) == sorted("".join("".join(line.text for line in lines).split()))
