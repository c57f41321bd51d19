"""The outline that is appended to a printed PDF, read again by another program."""

from html import escape

import pypdfium2

from desktop.render.export.printed_page import HEADING_ID, add_outline
from tests.cases import cases


def make_pdf(count: int) -> bytes:
    """Return a PDF of one page with that many named places, as the web engine writes it."""
    places = "".join(f"/{HEADING_ID}{number} [3 0 R /XYZ 0 90 0]\n" for number in range(1, count + 1))
    pdf = "%PDF-1.4\n"
    table = "xref\n0 5\n0000000000 65535 f \n"
    objects = (
        "<</Type /Catalog\n/Pages 2 0 R\n/Dests 4 0 R>>",
        "<</Type /Pages\n/Count 1\n/Kids [3 0 R]>>",
        "<</Type /Page\n/Parent 2 0 R\n/MediaBox [0 0 100 100]>>",
        f"<<{places}>>",
    )
    for number, content in enumerate(objects, 1):
        table += f"{len(pdf):010} 00000 n \n"
        pdf += f"{number} 0 obj\n{content}\nendobj\n"
    return f"{pdf}{table}trailer\n<</Size 5\n/Root 1 0 R>>\nstartxref\n{len(pdf)}\n%%EOF\n".encode()


def page_of(*titles: str, between: str = "") -> bytes:
    headings = (
        f'<h2 id="{HEADING_ID}{number}"><a href="#{HEADING_ID}{number}">\xa0</a>{escape(title)}</h2>'
        for number, title in enumerate(titles, 1)
    )
    return f'<meta charset="utf-8"><h1>x</h1>{between.join(headings)}'.encode(errors="replace")


@cases(
    "title, shown",
    [
        ("a) >> endobj <</Outlines (", "a) >> endobj <</Outlines ("),
        ("\\ <b>水</b> 😀 & é", "\\ <b>水</b> 😀 & é"),
        ("two\nlines\tof  it", "two lines of it"),
        ("😀" * 5_000, "😀" * 200),
        ("a\ud800b", "a?b"),
    ],
)
def test_any_title_is_in_the_outline(title: str, shown: str):
    document = pypdfium2.PdfDocument(add_outline(make_pdf(2), page_of("first", title)))
    entries = [(entry.get_title(), entry.get_dest().get_index()) for entry in document.get_toc()]
    assert entries == [("first", 0), (shown, 0)]


@cases(
    "between",
    [
        f'<img src="data:image/png;base64,{"A" * 11_000_000}">',
        f"<p>{'word ' * 2_200_000}</p>",
        f"{'<blockquote>' * 400}deep{'</blockquote>' * 400}",
    ],
)
def test_headings_after_something_very_large_are_in_the_outline(between: str):
    document = pypdfium2.PdfDocument(add_outline(make_pdf(2), page_of("first", "second", between=between)))
    assert [entry.get_title() for entry in document.get_toc()] == ["first", "second"]


@cases(
    "pdf, page",
    [
        (b"", page_of("a")),
        (make_pdf(1)[:-20], page_of("a")),
        (make_pdf(0), page_of("a")),
        (make_pdf(1), b"<p>no headings</p>"),
        (make_pdf(1).replace(b"/Dests", b"/Outlines 9 0 R\n/Dests"), page_of("a")),
    ],
)
def test_a_pdf_that_is_built_otherwise_is_unchanged(pdf: bytes, page: bytes):
    assert add_outline(pdf, page) == pdf
