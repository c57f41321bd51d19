"""What files are told apart by, and which ones nobody looks into."""

import asyncio
import hashlib
import io
import os
import sys
from contextlib import aclosing
from hashlib import sha256

import numpy as np
import pytest
from PIL import Image

from desktop.domain.knowledge import PagePicture
from desktop.errors import FileUnreadable, KnowledgeError, ReadingFailed
from desktop.knowledge.ingest.originals import digest_of
from desktop.knowledge.loaders.picture import MAX_BYTES, SIDES, jpeg_of
from desktop.knowledge.loaders.registry import draw
from desktop.knowledge.reader.pool import ReaderPool
from tests.unit.knowledge.knowledge_files import make_text
from tests.unit.knowledge.loaders.test_ocr import ENOUGH, drawn, make_scan


def test_a_file_is_told_by_its_content(tmp_path):
    (tmp_path / "one").write_bytes(b"words")
    assert digest_of(tmp_path / "one") == sha256(b"words").hexdigest()
    with pytest.raises(FileUnreadable, match="gone"):
        digest_of(tmp_path / "gone")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes, and writes sparse files out")
def test_what_would_never_end_is_not_looked_into(tmp_path):
    with (tmp_path / "sparse").open("wb") as file:
        file.truncate(2**40)
    os.mkfifo(tmp_path / "pipe")
    for name in ("sparse", "pipe"):
        with pytest.raises(KnowledgeError, match=name):
            digest_of(tmp_path / name)


async def ended(steps):
    """Return an item as it is at the end."""
    return [step.item async for step in steps][-1]


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
    broken = make_text(tmp_path / "a.png", "not a picture")
    short = make_scan(tmp_path / "a.pdf", ("", drawn()))

    async def scenario():
        reader = ReaderPool()
        try:
            with pytest.raises(ReadingFailed, match="its parser failed"):
                await reader.draw(broken, None)
            with pytest.raises(ReadingFailed, match="its parser failed"):
                await reader.draw(short, 7)
            return await reader.draw(short, 1)
        finally:
            await reader.aclose()

    assert opened(asyncio.run(scenario())).width == SIDES[0]


def test_a_picture_at_a_link_is_drawn_from_what_was_fetched(runner, client, base):
    content = io.BytesIO()
    drawn(("Herons nest in tall trees",)).save(content, "PNG")
    sha256 = hashlib.sha256(content.getvalue()).hexdigest()

    async def scenario():
        async with asyncio.timeout(60), aclosing(client.links()) as wanted:
            reading = asyncio.create_task(ended(client.add_link(base.id, "https://example.org/heron.png")))
            link = (await anext(wanted)).item
            await client.put_fetched(link.id, "The heron", ".png", content.getvalue())
            assert (await reading).scanned == 1
        shown = await client.draw(sha256, None)
        await client.remove([link.id])
        return shown, await client.draw(sha256, None)

    shown, after = runner.run(scenario())
    assert (opened(shown.jpeg).size, shown.problem) == ((900, 300), "")
    assert after == PagePicture()


def test_a_document_with_a_text_of_its_own_is_not_drawn(runner, client, base, tmp_path):
    path = make_text(tmp_path / "heron.txt", "The heron eats fish, and this is a text.")

    async def scenario():
        return await client.draw((await ended(client.add(base.id, [path]))).document, None)

    assert runner.run(scenario()) == PagePicture()
