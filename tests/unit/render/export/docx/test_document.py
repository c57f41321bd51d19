"""Word documents, opened again: text, structure, numbers and sources are there, and Word's order is kept."""

import io
import re
from dataclasses import replace
from urllib.parse import unquote

import docx
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import parse_xml
from docx.oxml.ns import qn
from hypothesis import example, given, settings
from hypothesis import strategies as st

from desktop.chat.checking.references import mark_references
from desktop.domain.citation_check import CheckedMark, CitationCheck, SupportLevel
from desktop.knowledge.loaders.document import LoaderContext
from desktop.knowledge.loaders.docx import load_word
from desktop.render import RenderTarget, render_message
from desktop.render.export import Format, export_conversation
from desktop.render.export.docx import word_of
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

FOOTNOTES = RELATIONSHIP_TYPE.FOOTNOTES

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


def notes(document):
    """Return the footnotes by id, but for the separators."""
    part = next((part.target_part for part in document.part.rels.values() if part.reltype == FOOTNOTES), None)
    found = [] if part is None else parse_xml(part.blob).findall(qn("w:footnote"))
    return {int(note.get(qn("w:id"))): note for note in found if not note.get(qn("w:type"))}


def said(note):
    return "".join(text.text or "" for text in note.iter(qn("w:t"))).strip()


def find_citations(document):
    """Return the number of the source of each reference to a footnote, in the order of the text."""
    listed = notes(document)
    return [
        int(re.match(r"\[(\d+)\] ", said(listed[int(reference.get(qn("w:id")))]))[1])
        for reference in document.element.body.iter(qn("w:footnoteReference"))
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
    assert styled(document, "Heading 1") == ["Head", "Sources"]
    assert styled(document, "Heading 2") == ["Under"]
    assert styled(document, "Code") == ['a[1] = "b [2]"']
    assert styled(document, "Quote") == ["quote, more"]
    (table,) = document.tables
    assert [[cell.text for cell in row.cells] for row in table.rows] == [["a", "b |"], ["x|", "[1]"]]
    assert table.rows[0].cells[0].paragraphs[0].runs[0].bold
    assert table.rows[0]._tr.trPr.find(qn("w:tblHeader")) is not None
    items = [
        paragraph
        for paragraph in document.paragraphs
        if paragraph._p.pPr is not None and paragraph._p.pPr.numPr is not None
    ]
    assert [(item.text, item._p.pPr.numPr.ilvl.val) for item in items] == [
        ("one", 0), ("nested", 1), ("☑ done", 1), ("seven", 0)
    ]  # fmt: skip
    assert items[0]._p.pPr.numPr.numId.val == items[3]._p.pPr.numPr.numId.val


def test_every_mark_is_a_footnote_that_leads_to_its_source():
    document = opened(answer(LONG))
    assert find_citations(document) == LONG_MARKS
    assert list(notes(document)) == list(range(1, len(LONG_MARKS) + 1))
    for note in notes(document).values():
        (link,) = [link for link in note.iter(qn("w:hyperlink")) if link.get(qn("w:anchor"))]
        assert link.get(qn("w:anchor")) in bookmarks(document)
    names = {style.name: style.style_id for style in document.styles}
    assert (names["footnote text"], names["footnote reference"]) == ("FootnoteText", "FootnoteReference")
    raised = {run.text for run in document.element.body.iter(qn("w:r")) if run.xpath(".//w:vertAlign")}
    assert raised == {",", "[n]"}  # the answer has a footnote of its own


def test_a_note_names_its_source_once_and_quotes_each_passage_once():
    passage = "The Moon pulls the sea. Tides follow the Moon twice a day. Newton explained tides in 1687."
    sources = tuple(replace(source, text=passage) if source.number == 1 else source for source in SOURCES)
    marks = (
        CheckedMark(1, 0, SupportLevel.CONTRADICTED, "", "Newton explained tides in 1687."),
        CheckedMark(1, 1, SupportLevel.SUPPORTED, "", "Tides follow the Moon twice a day."),
    )
    text = "Newton explained tides in 1667 [1]. Tides come twice a day [1][2]. Newton explained tides [1]."
    document = opened(answer(text, check=CitationCheck(marks)), sources=sources)
    first, second, _other, third = map(said, notes(document).values())
    read = re.escape(SOURCES[0].read_at.astimezone().date().isoformat())
    assert re.fullmatch(
        rf"\[1\] Tides <explained> · example\.org · published 2024-05-06 · read {read} · https://www\.example\.org/a\S+ "
        r"“Newton explained tides in 1687\.” Contradicted\. The source seems to say otherwise\.",
        first,
    )
    assert second.startswith(
        "[1] Tides <explained>, as in note 1. “Tides follow the Moon twice a day.” The source has"
    )
    assert third == "[1] Tides <explained>, as in note 1."
    (field,) = notes(document)[4].iter(qn("w:fldSimple"))
    assert field.get(qn("w:instr")).split()[1] in bookmarks(document)


def test_our_own_reader_finds_the_pages_behind_the_footnotes(tmp_path):
    path = tmp_path / "answer.docx"
    path.write_bytes(word_of(conversation(answer("Tides follow the Moon [1]. 每天两次涨潮 [4][1]。")), EN))
    text = load_word(path, LoaderContext(keeps_links=True)).text
    addresses = []

    def number_of(address, _title):
        addresses.append(unquote(address))
        return len(addresses)

    marked = mark_references(text, number_of).text
    assert "Tides follow the Moon[1]" in marked.replace(" [", "[")
    assert "每天两次涨潮[2],[1]" in marked.replace(" [", "[")
    assert addresses[:2] == [SOURCES[0].url, SOURCES[3].url]


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
    assert find_citations(document) == marks_of(render_message(text, SOURCES, RenderTarget.PAGE).html)
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
