"""Presentations: their order, notes, tables, charts, and the text in their pictures."""

import io
from zipfile import ZipFile

import pytest
from PIL import Image

from desktop.errors import CorruptFile, NothingToRead
from desktop.knowledge.loaders.document import LoaderContext
from desktop.knowledge.loaders.registry import draw, load
from tests.cases import cases
from tests.unit.knowledge.loaders.test_ocr import Eyes, drawn

SPACES = (
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" '
    'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def write_relations(**targets):
    """Write relations; each is an id and `kind:part`."""
    rows = "".join(
        f'<Relationship Id="{name}" Type="{KINDS}/{target.split(":")[0]}" Target="{target.split(":")[1]}"/>'
        for name, target in targets.items()
    )
    return f'<Relationships xmlns="urn:r">{rows}</Relationships>'


def text(*lines, kind=""):
    paragraphs = "".join(f"<a:p><a:r><a:t>{line}</a:t></a:r></a:p>" for line in lines)
    placeholder = f'<p:nvPr><p:ph type="{kind}"/></p:nvPr>' if kind else "<p:nvPr/>"
    return f"<p:sp><p:nvSpPr>{placeholder}</p:nvSpPr><p:txBody>{paragraphs}</p:txBody></p:sp>"


def slide(*shapes, root="sld"):
    return f"<p:{root} {SPACES}><p:cSld><p:spTree>{''.join(shapes)}</p:spTree></p:cSld></p:{root}>"


def picture(name="rPic", caption="kite.png"):
    facts = f'<p:nvPicPr><p:cNvPr descr="{caption}"/></p:nvPicPr>'
    return f'<p:pic>{facts}<p:blipFill><a:blip r:embed="{name}"/></p:blipFill></p:pic>'


def png(image):
    content = io.BytesIO()
    image.save(content, "PNG")
    return content.getvalue()


def write(path, order, **parts):
    """Write a pptx; `order` are the numbers of its slides as they are shown."""
    shown = "".join(f'<p:sldId id="{255 + number}" r:id="r{number}"/>' for number in order)
    with ZipFile(path, "w") as archive:
        archive.writestr("_rels/.rels", write_relations(r1="officeDocument:ppt/presentation.xml"))
        archive.writestr(
            "ppt/presentation.xml",
            f"<p:presentation {SPACES}><p:sldIdLst>{shown}</p:sldIdLst></p:presentation>",
        )
        names = {f"r{number}": f"slide:slides/slide{number}.xml" for number in order}
        archive.writestr("ppt/_rels/presentation.xml.rels", write_relations(**names))
        for name, content in parts.items():
            folder, number = name.rstrip("0123456789"), name.lstrip("abcdefghijklmnopqrstuvwxyz")
            place = {
                "slide": f"slides/slide{number}.xml",
                "notes": f"notesSlides/notesSlide{number}.xml",
                "chart": f"charts/chart{number}.xml",
                "rels": f"slides/_rels/slide{number}.xml.rels",
                "image": f"media/image{number}.png",
            }[folder]
            archive.writestr(f"ppt/{place}", content)
    return path


def test_slides_count_in_the_order_in_which_they_are_shown(tmp_path):
    path = write(
        tmp_path / "a.pptx",
        (2, 1),
        slide1=slide(text("shown last", kind="body"), text("The end", kind="title")),
        slide2=slide(text("7", kind="sldNum"), text("页脚", kind="ftr"), text("系统架构", "前端 - 网页端")),
    )
    document = load(path)
    assert [(part.page, part.section, part.text) for part in document.parts] == [
        (1, "", "系统架构\n前端 - 网页端"),
        (2, "The end", "The end\n\nshown last"),
    ]
    assert document.pages == 2


def test_notes_are_text_of_their_slide(tmp_path):
    path = write(
        tmp_path / "a.pptx",
        (1,),
        slide1=slide(text("Herons", kind="title")),
        rels1=write_relations(r1="notesSlide:../notesSlides/notesSlide1.xml"),
        notes1=slide(text("1", kind="sldNum"), text("Say that they eat fish."), root="notes"),
    )
    (part,) = load(path).parts
    assert (part.page, part.section, part.text) == (1, "Herons", "Herons\n\nSay that they eat fish.")


def test_tables_and_charts_are_tables(tmp_path):
    def cell(words):
        return f"<a:tc><a:txBody><a:p><a:r><a:t>{words}</a:t></a:r></a:p></a:txBody></a:tc>"

    table = (
        f"<a:tbl><a:tr>{cell('Bird')}{cell('Eats')}</a:tr><a:tr>{cell('heron')}{cell('fish')}</a:tr></a:tbl>"
    )
    series = (
        "<c:ser><c:tx><c:v>Nests</c:v></c:tx><c:cat><c:v>2023</c:v><c:v>2024</c:v></c:cat>"
        "<c:val><c:v>8</c:v><c:v>9</c:v></c:val></c:ser>"
    )
    path = write(
        tmp_path / "a.pptx",
        (1,),
        slide1=slide(
            f"<p:graphicFrame><a:graphic><a:graphicData>{table}</a:graphicData></a:graphic></p:graphicFrame>",
            '<p:graphicFrame><a:graphic><a:graphicData><c:chart r:id="r1"/></a:graphicData></a:graphic></p:graphicFrame>',
        ),
        rels1=write_relations(r1="chart:../charts/chart1.xml"),
        chart1=f"<c:chartSpace {SPACES}>{series}</c:chartSpace>",
    )
    (part,) = load(path).parts
    first, second = part.text.split("\n\n")
    assert first.splitlines()[2] == "| heron | fish |"
    assert second.splitlines() == ["|  | Nests |", "| --- | --- |", "| 2023 | 8 |", "| 2024 | 9 |"]


@pytest.fixture
def pictured(tmp_path):
    """Write a slide that is a picture, one with much text beside the same picture, and one with a logo."""
    return write(
        tmp_path / "a.pptx",
        (1, 2, 3),
        slide1=slide(text("Kites", kind="title"), picture()),
        slide2=slide(text("The heron stands in shallow water and waits for hours. " * 4), picture()),
        slide3=slide(picture("rLogo")),
        rels1=write_relations(rPic="image:../media/image1.png"),
        rels2=write_relations(rPic="image:../media/image1.png"),
        rels3=write_relations(rLogo="image:../media/image2.png"),
        image1=png(drawn()),
        image2=png(Image.new("RGB", (32, 32), "red")),
    )


def test_slides_without_much_text_are_read_through_their_pictures(pictured):
    eyes = Eyes()
    document = load(pictured, LoaderContext(read_picture=eyes))
    assert eyes.seen == [(300, 900, 3)]
    assert document.parts[0].text == "Kites\n\nwhat was seen"
    assert (len(document.parts), document.scanned, document.pages) == (2, 1, 3)


def test_captions_of_pictures_are_text_but_not_the_names_of_their_files(tmp_path):
    shapes = (picture("r1", "kite.png"), picture("r2", "A kite over the harbour."))
    (part,) = load(write(tmp_path / "a.pptx", (1,), slide1=slide(*shapes))).parts
    assert part.text == "A kite over the harbour."


def test_only_those_slides_are_drawn_again(pictured):
    assert draw(pictured, 1).shape == (300, 900, 3)
    assert draw(pictured, 2) is None
    assert draw(pictured, 3) is None


def test_pictures_without_text_are_named_where_somebody_describes_them(pictured):
    assert load(pictured, LoaderContext(read_picture=Eyes(""))).wordless == ()
    assert load(pictured, LoaderContext(read_picture=Eyes(""), describes=True)).wordless == (1,)


def test_what_is_missing_or_made_to_do_harm_is_left_out(tmp_path):
    bomb = '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;">]>'
    path = write(
        tmp_path / "a.pptx",
        (1, 2, 3),
        slide1=bomb + slide(text("&b;", "words"), picture("rNowhere")),
        rels1=write_relations(rNowhere="image:../../../etc/passwd"),
        slide3=slide(),
    )
    (part,) = load(path, LoaderContext(read_picture=Eyes())).parts
    assert part.text == "words"


@cases("content", ["<p:sld", ""])
def test_a_broken_slide_is_told(tmp_path, content):
    with pytest.raises(CorruptFile, match="readable pptx"):
        load(write(tmp_path / "a.pptx", (1,), slide1=content))


def test_an_empty_presentation_holds_no_text(tmp_path):
    with pytest.raises(NothingToRead):
        load(write(tmp_path / "a.pptx", (1,), slide1=slide()))
