"""Pages as pictures: which files have any, in what size, and what becomes of broken ones."""

import asyncio
import io

import numpy as np
import pytest
from PIL import Image

from desktop.errors import CorruptFile
from desktop.knowledge.loaders.jpeg import MAX_BYTES, SIDES, jpeg_of
from desktop.knowledge.loaders.registry import draw
from desktop.knowledge.reader_process import ReaderProcess
from tests.unit.knowledge.knowledge_files import make_text
from tests.unit.knowledge.test_ocr import ENOUGH, drawn, make_scan


def opened(jpeg):
    picture = Image.open(io.BytesIO(jpeg))
    assert picture.format == "JPEG"
    return picture


def test_colours_and_shape_stay():
    red = np.zeros((100, 3_000, 3), np.uint8)
    red[:, :, 2] = 255
    picture = opened(jpeg_of(red))
    assert picture.size == (SIDES[0], 52)
    first, second, third = picture.getpixel((5, 5))
    assert first > 240
    assert max(second, third) < 20


def test_noise_is_made_smaller_until_it_fits():
    noise = np.random.default_rng(1).integers(0, 255, (2_200, 2_200, 3), np.uint8)
    jpeg = jpeg_of(noise)
    assert len(jpeg) <= MAX_BYTES
    assert opened(jpeg).width in SIDES[1:]


def test_pages_with_a_text_layer_and_files_of_text_are_no_pictures(tmp_path):
    book = make_scan(tmp_path / "a.pdf", (ENOUGH, None), ("", drawn()))
    assert draw(book, 1) is None
    assert draw(book, 2).shape[1] == 2_200
    assert draw(make_text(tmp_path / "a.txt", "words"), None) is None


def test_the_page_of_a_tiff_that_is_asked_for_is_drawn(tmp_path):
    pages = [Image.new("RGB", (60, 40), colour) for colour in ("white", "black")]
    pages[0].save(tmp_path / "a.tiff", save_all=True, append_images=pages[1:])
    assert [int(draw(tmp_path / "a.tiff", page).mean()) for page in (1, 2)] == [255, 0]


def test_what_cannot_be_drawn_is_said_and_the_next_one_drawn(tmp_path):
    broken = make_text(tmp_path / "a.png", "no picture")
    short = make_scan(tmp_path / "a.pdf", ("", drawn()))

    async def scenario():
        reader = ReaderProcess()
        try:
            with pytest.raises(CorruptFile, match="its parser failed"):
                await reader.draw(broken, None)
            with pytest.raises(CorruptFile, match="its parser failed"):
                await reader.draw(short, 7)
            return await reader.draw(short, 1)
        finally:
            await reader.aclose()

    assert opened(asyncio.run(scenario())).width == SIDES[0]
