"""Word documents, opened again: text, structure, numbers and sources are there, and Word's order is kept."""

import io
import re

import docx
from docx.oxml.ns import qn
from hypothesis import example, given, settings
from hypothesis import strategies as st

from desktop.render import RenderTarget, render_message
from desktop.render.export import Format, export_conversation
from desktop.render.export.docx.document import word_of
from desktop.render.labels import EN, ZH_CN
from tests.cases import cases
from tests.unit.render.export.samples import (
    LONG,
    LONG_MARKS,
    SOURCES,
    STOPPED,
    answer,
    conversation,
    question,
)
from tests.unit.render.export.test_markdown import TEXTS, marks_of

# ECMA-376, part 1: 17.3.1.26 (paragraphs), 17.3.2.28 (runs).
PARAGRAPH = (
    "pStyle keepNext keepLines pageBreakBefore framePr widowControl numPr suppressLineNumbers pBdr shd tabs "
    "suppressAutoHyphens kinsoku wordWrap overflowPunct topLinePunct autoSpaceDE autoSpaceDN bidi adjustRightInd "
    "snapToGrid spacing ind contextualSpacing mirrorIndents suppressOverlap jc textDirection textAlignment "
    "textboxTightWrap outlineLvl divId cnfStyle rPr sectPr pPrChange"
)
RUN = (
    "rStyle rFonts b bCs i iCs caps smallCaps strike dstrike outline shadow emboss imprint noProof snapToGrid vanish "
    "webHidden color spacing w kern position sz szCs highlight u effect bdr shd fitText vertAlign rtl cs em lang "
    "eastAsianLayout specVanish oMath"
)


def opened(*messages, labels=EN, **fields):
    return docx.Document(io.BytesIO(word_of(conversation(*messages, **fields), labels)))


def styled(document, style):
    return [paragraph.text for paragraph in document.paragraphs if paragraph.style.name == style]


def links(document):
    """Return text and bookmark of every link within the document."""
    found = document.element.body.iter(qn("w:hyperlink"))
    return [
        ("".join(text.text or "" for text in link.iter(qn("w:t"))), link.get(qn("w:anchor")))
        for link in found
        if link.get(qn("w:anchor"))
    ]


def bookmarks(document):
    return [mark.get(qn("w:name")) for mark in document.element.body.iter(qn("w:bookmarkStart"))]


def is_ordered(properties, order):
    names = order.split()
    places = [names.index(child.tag.split("}")[1]) for child in properties]
    return places == sorted(places)


def test_structure_is_words_own():
    document = opened(answer(LONG))
    assert styled(document, "Title") == ["Tides & *time*"]
    assert styled(document, "Heading 1") == ["Head[1]", "Sources"]
    assert styled(document, "Heading 2") == ["Under[2]"]
    assert styled(document, "Code") == ['a[1] = "b [2]"']
    assert styled(document, "Quote") == ["quote[1][2] more"]
    (table,) = document.tables
    assert [[cell.text for cell in row.cells] for row in table.rows] == [["a[1]", "b |[2]"], ["x|[3]", "[1]"]]
    assert table.rows[0].cells[0].paragraphs[0].runs[0].bold
    assert table.rows[0]._tr.trPr.find(qn("w:tblHeader")) is not None
    items = [
        paragraph
        for paragraph in document.paragraphs
        if paragraph._p.pPr is not None and paragraph._p.pPr.numPr is not None
    ]
    assert [(item.text, item._p.pPr.numPr.ilvl.val) for item in items] == [
        ("one[1]", 0), ("nested[2]", 1), ("☑ done[3]", 1), ("seven", 0)
    ]  # fmt: skip
    assert items[0]._p.pPr.numPr.numId.val == items[3]._p.pPr.numPr.numId.val


def test_every_mark_is_a_superscript_link_to_its_source():
    document = opened(answer(LONG))
    marks = [(text, name) for text, name in links(document) if name.startswith("source_")]
    assert marks == [(f"[{number}]", f"source_{number}") for number in LONG_MARKS]
    assert sorted(name for name in bookmarks(document) if name.startswith("source_")) == [
        "source_1", "source_2", "source_3", "source_4"
    ]  # fmt: skip
    runs = [
        run
        for link in document.element.body.iter(qn("w:hyperlink"))
        if link.get(qn("w:anchor"))
        for run in link
    ]
    assert all(run.rPr.find(qn("w:vertAlign")).get(qn("w:val")) == "superscript" for run in runs)


def test_sources_are_listed_once_and_what_was_only_read_apart():
    document = opened(answer("One [2], again [2].", offered=(1, 2, 3)))
    assert styled(document, "Heading 1") == ["Sources", "Also read"]
    listed = styled(document, "Source")
    assert [line.split("\t")[0] for line in listed] == ["[2]", "[1]", "[3]"]
    assert listed[0] == "[2]\tMiet*vertrag*\nVertrag 2.pdf · page 7 · § 3 · " + listed[0].rsplit(" · ", 1)[1]
    assert "/home/me" not in "\n".join(listed)
    targets = [part.target_ref for part in document.part.rels.values() if part.is_external]
    assert targets == ["https://www.example.org/a(1)?q=1&copy;=2"]


def test_text_that_only_looks_like_a_mark_stays():
    (words,) = styled(opened(answer("`a[1]` and [9], \\[1\\], [x](https://e.org/[1])")), "Normal")
    assert words == "a[1] and [9], [1], x"


def test_a_conversation_has_a_heading_for_every_message():
    document = opened(
        question("中文 [1]?\n<b>", attachments=("/x/y.pdf",)),
        answer("# Deep\n\n[1]", status=STOPPED),
        labels=ZH_CN,
    )
    assert styled(document, "Heading 1") == ["你", "回答 · m-1", "来源"]
    assert styled(document, "Heading 2") == ["Deep"]
    assert styled(document, "Question") == ["中文 [1]?\n<b>"]
    assert styled(document, "Small") == ["y.pdf", "你停止了这个回答。"]


def test_chinese_has_a_font_in_every_style_and_hebrew_its_direction():
    document = opened(answer("潮汐 **月球** `代码`\n\nשלום עולם"))
    for style in document.styles:
        if style.element.rPr is not None and style.element.rPr.rFonts is not None:
            assert style.element.rPr.rFonts.get(qn("w:eastAsia"))
    directions = {paragraph.text: paragraph._p.pPr is not None and paragraph._p.pPr.find(qn("w:bidi")) is not None
                  for paragraph in document.paragraphs}  # fmt: skip
    assert directions["שלום עולם"]
    assert not directions["潮汐 月球 代码"]


def test_own_footnotes_of_several_answers_keep_apart():
    text = "Claim[^a].\n\n[^a]: Note [1]\n\n    > more"
    document = opened(answer(text), answer(text))
    notes = [name for _text, name in links(document) if name.startswith("note_")]
    assert notes == ["note_0_0", "note_1_0"]
    assert set(notes) < set(bookmarks(document))


def test_references_lead_to_the_first_footnote_of_a_label():
    document = opened(answer("Claim[^a].\n\n[^a]: one\n\n[^a]: two"))
    assert [name for _text, name in links(document)] == ["note_0_0"]
    assert bookmarks(document) == ["note_0_0", "note_0_1"]


@settings(max_examples=30)
@given(TEXTS | st.text(max_size=40))
@example("[^n]: \n---\n[^n]: ")
def test_any_text_becomes_a_sound_document_with_its_marks(text):
    document = opened(answer(text), question(text), sources=SOURCES, title=text)
    numbers = [
        int(name.removeprefix("source_")) for _text, name in links(document) if name.startswith("source_")
    ]
    assert numbers == marks_of(render_message(text, SOURCES, RenderTarget.PAGE).html)
    names = bookmarks(document)
    assert len(names) == len(set(names))
    for part in (document.element, document.styles.element):
        assert all(is_ordered(properties, PARAGRAPH) for properties in part.iter(qn("w:pPr")))
        assert all(is_ordered(properties, RUN) for properties in part.iter(qn("w:rPr")))


def test_lists_begin_where_they_say():
    document = opened(answer("3. three\n4. four\n\ntext\n\n1. one"))
    starts = re.findall(r'<w:startOverride w:val="(\d+)"/>', document.part.numbering_part.element.xml)
    assert starts == ["3", "1"]


@cases("kind", list(Format))
def test_an_empty_conversation_is_a_file_too(kind):
    assert export_conversation(conversation(), kind, EN)
