"""Files of every kind, made on the spot."""

import zipfile

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


def make_workbook(path, sheet, rows):
    """Write an xlsx of one sheet, as little of one as programs open."""
    cells = "".join(
        f"<row r='{row}'>{''.join(_cell(chr(65 + column), row, value) for column, value in enumerate(values))}</row>"
        for row, values in enumerate(rows, start=1)
    )
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(
            "[Content_Types].xml",
            f"<Types xmlns='{package}/content-types'><Default Extension='xml' ContentType='application/xml'/></Types>",
        )
        archive.writestr(
            "_rels/.rels",
            f"<Relationships xmlns='{package}/relationships'><Relationship Id='r1' Type='{office}/officeDocument' "
            "Target='xl/workbook.xml'/></Relationships>",
        )
        archive.writestr(
            "xl/workbook.xml",
            f"<workbook xmlns='{main}' xmlns:r='{office}'><sheets><sheet name='{sheet}' sheetId='1' r:id='r1'/></sheets></workbook>",
        )
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f"<Relationships xmlns='{package}/relationships'><Relationship Id='r1' Type='{office}/worksheet' "
            "Target='worksheets/sheet1.xml'/></Relationships>",
        )
        archive.writestr(
            "xl/worksheets/sheet1.xml",
            f"<worksheet xmlns='{main}'><sheetData>{cells}</sheetData></worksheet>",
        )
    return path


def _cell(column, row, value):
    if isinstance(value, str):
        return f"<c r='{column}{row}' t='inlineStr'><is><t>{value}</t></is></c>"
    return f"<c r='{column}{row}'><v>{value}</v></c>"
