"""Pictures of any length: what is drawn in strips is what PDFium draws at once, in bounded memory."""

import io

import numpy as np
import pypdfium2
import pytest
from PIL import Image

from desktop.render.export import picture_drawing
from desktop.render.export.picture import DrawnPicture, PictureLook, PictureTooLong, picture_page_of
from desktop.render.export.picture_drawing import draw_picture
from desktop.render.labels import EN
from tests.unit.render.export.samples import answer, conversation

WIDTH_PT, PAGE_PT = 300, 1200
LIGHT = PictureLook()


def print_pdf(*pages):
    """Return a PDF whose pages have a box at each of the given distances from the top, in points."""
    document = pypdfium2.PdfDocument.new()
    for boxes in pages:
        page = document.new_page(WIDTH_PT, PAGE_PT)
        for top in boxes:
            path = pypdfium2.raw.FPDFPageObj_CreateNewRect(10, PAGE_PT - top - 20, 100, 20)
            pypdfium2.raw.FPDFPageObj_SetFillColor(path, 10, 20, 200, 255)
            pypdfium2.raw.FPDFPath_SetDrawMode(path, 1, False)
            pypdfium2.raw.FPDFPage_InsertObject(page, path)
        page.gen_content()
    file = io.BytesIO()
    document.save(file)
    document.close()
    return file.getvalue()


def drawn(pdf, look=LIGHT, **limits):
    *shares, picture = draw_picture(pdf, look, **limits)
    assert isinstance(picture, DrawnPicture)
    assert shares == sorted(shares)
    image = Image.open(io.BytesIO(picture.data))
    assert image.size == (picture.width, picture.height)
    return np.asarray(image)


def test_strips_fit_together_and_the_empty_end_of_a_page_is_left_out(monkeypatch):
    pdf = print_pdf((50, 333.3, 700), (40, 100))
    whole = drawn(pdf)
    assert whole.shape[0] == pytest.approx((720 + 9 + 120 + 24) * 8 / 3, abs=3)
    monkeypatch.setattr(picture_drawing, "_STRIP_PIXELS", 800 * 7)
    assert np.array_equal(drawn(pdf), whole)
    with pypdfium2.PdfDocument(pdf) as document:
        once = document[0].render(scale=8 / 3, rev_byteorder=True).to_numpy()
        assert np.array_equal(whole[:1900], once[:1900, :, :3])


def test_a_dark_picture_has_dark_paper_and_a_dark_page():
    image = drawn(print_pdf((50,)), PictureLook(is_dark=True))
    assert tuple(image[0, 0]) == tuple(image[-1, -1]) == (28, 29, 31)
    said = conversation(answer("Tides [1]", offered=(1, 2)))
    assert b'<html class="dark" ' in picture_page_of(said, EN, PictureLook(is_dark=True))
    page = picture_page_of(said, EN)
    assert b'class="dark"' not in page
    assert b"Tides &lt;explained&gt;" in page
    assert b"Miet" not in page  # it is read, not cited


def test_long_pictures_get_fewer_pixels_and_endless_ones_are_refused(monkeypatch):
    pdf = print_pdf(*[(1170,)] * 20)
    assert drawn(pdf).shape[1] < 800
    few = drawn(pdf, most_pixels=100_000)
    assert few.shape[0] * few.shape[1] <= 100_000
    monkeypatch.setattr(picture_drawing, "MOST_HEIGHT", 1000)
    with pytest.raises(PictureTooLong):
        drawn(pdf)


def test_an_empty_page_is_a_picture_too():
    assert drawn(print_pdf(())).shape[0] > 0
