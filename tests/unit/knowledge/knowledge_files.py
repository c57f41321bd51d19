"""Files of every kind, made on the spot."""

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen import canvas

CHINESE_FONT = "STSong-Light"


def make_pdf(path, pages, *, title="", password=None, bookmarks=()):
    """Write a PDF; `pages` are lists of lines, `bookmarks` are (title, page, level)."""
    if CHINESE_FONT not in pdfmetrics.getRegisteredFontNames():
        pdfmetrics.registerFont(UnicodeCIDFont(CHINESE_FONT))
    pdf = canvas.Canvas(str(path), pagesize=A4, encrypt=password)
    pdf.setTitle(title)
    for number, lines in enumerate(pages, start=1):
        for name, page, level in bookmarks:
            if page == number:
                pdf.bookmarkPage(name)
                pdf.addOutlineEntry(name, name, level)
        for row, line in enumerate(lines):
            pdf.setFont("Helvetica" if line.isascii() else CHINESE_FONT, 11)
            pdf.drawString(60, 780 - 16 * row, line)
        pdf.showPage()
    pdf.save()
    return path


def make_text(path, text, encoding="utf-8"):
    path.write_bytes(text.encode(encoding))
    return path
