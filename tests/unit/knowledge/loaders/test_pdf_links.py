"""Links of PDFs, as Markdown for the check of a text."""

from desktop.chat.checking.references import mark_references
from desktop.knowledge.loaders.document import LoaderContext
from desktop.knowledge.loaders.pdf import load_pdf

LINES = (
    (700, 12, "The lighthouse was built in 1873 by Ada Korsten"),
    (680, 12, "and its lamp reaches 42 kilometres. The keeper left"),
    (664, 12, "in 1950"),
    (669, 7, "[2]", 112),
    (664, 12, ", as the papers said.", 121.5),
)


def pdf_of(lines, links):
    """Return a PDF with lines of Helvetica, and link annotations: rectangle and address."""
    words = "".join(
        f"BT /F {size} Tf {line[0] if line else 72} {height} Td ({text}) Tj ET\n"
        for height, size, text, *line in lines
    )
    notes = [
        f"<< /Type /Annot /Subtype /Link /Rect [{' '.join(map(str, place))}] /A << /S /URI /URI ({address}) >> >>"
        for place, address in links
    ]
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R /Annots [NOTES] "
        "/Resources << /Font << /F 5 0 R >> >> >>".replace("NOTES", " ".join(notes)),
        f"<< /Length {len(words)} >>\nstream\n{words}endstream",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    body = "%PDF-1.7\n" + "".join(
        f"{number} 0 obj\n{text}\nendobj\n" for number, text in enumerate(objects, 1)
    )
    return f"{body}trailer << /Root 1 0 R /Size 6 >>\n%%EOF\n".encode()


def read(tmp_path, links, *, keeps_links=True):
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf_of(LINES, links))
    return load_pdf(path, LoaderContext(keeps_links=keeps_links)).text


def test_link_annotations_become_links_also_over_two_lines(tmp_path):
    site = "https://velmora.example/"
    links = [
        ((72, 697, 150, 712), f"{site}a(1)"),
        ((262, 677, 400, 692), f"{site}keeper"),
        ((72, 661, 111, 676), f"{site}keeper"),
        ((200, 697, 260, 712), "javascript:alert(1)"),
    ]
    text = read(tmp_path, links)
    assert text.startswith(f"[The lighthouse]({site}a%281%29) was built in 1873 by Ada Korsten and")
    assert f"[The keeper left in 1950]({site}keeper)" in text.replace("\n", " ")
    assert "javascript" not in text
    addresses = []
    marked = mark_references(text, lambda address, _title: addresses.append(address) or len(addresses)).text
    assert addresses == [f"{site}a%281%29", f"{site}keeper"]
    assert "kilometres [1]." in marked


def test_a_raised_mark_stays_in_its_line(tmp_path):
    assert "in 1950[2], as the papers said." in read(tmp_path, [((112, 668, 124, 678), "#source")])
    assert "in 1950[2], as the papers said." in read(tmp_path, [])
    assert "[[2]](https://e.org/), as" in read(tmp_path, [((110, 664, 126, 682), "https://e.org/")])
    assert "[[" not in read(tmp_path, [((110, 664, 126, 682), "https://e.org/")], keeps_links=False)
