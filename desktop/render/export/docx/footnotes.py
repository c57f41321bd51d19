"""Footnotes of a Word document, which python-docx does not support (ECMA-376, part 1: 17.11).

A mark is a reference with a note of its own. The first note of a source has its title, address and dates; later ones
refer to the first by its number, which Word keeps true when notes are added. Each quotes the passage that its mark
refers to, unless an earlier note did.
"""

from collections import defaultdict
from typing import Any, Final

from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import XmlPart
from docx.oxml import OxmlElement
from docx.oxml.ns import nsmap, qn
from docx.shared import Pt
from docx.styles.style import CharacterStyle, ParagraphStyle
from docx.text.paragraph import Paragraph
from docx.text.run import Run

from desktop.domain.sources import Source
from desktop.render.export.cited_passages import CitedPassage, verdict_line
from desktop.render.export.docx.ooxml import (
    LINK,
    Bookmarks,
    element,
    external_link,
    internal_link,
    set_direction,
    set_style,
    xml_of,
)
from desktop.render.export.source_list import facts_of, title_line, web_address
from desktop.render.labels import Labels

TEXT: Final = "Footnote Text"
REFERENCE: Final = "Footnote Reference"
_SEPARATORS: Final = ((-1, "separator"), (0, "continuationSeparator"))
_SIZE = Pt(9)


class Footnotes:
    """The footnotes of one document; they are numbered from 1 in the order in which they are added."""

    def __init__(self, document: Document, bookmarks: Bookmarks, labels: Labels) -> None:
        self._document = document
        self._bookmarks = bookmarks
        self._labels = labels
        self._part: XmlPart | None = None
        self._count = 0
        self._first: dict[int, int] = {}
        self._quoted: defaultdict[int, set[str]] = defaultdict(set)

    def add(self, reference: Run, source: Source, cited: CitedPassage) -> None:
        """Make an empty run the reference to a new note."""
        part = self._part = self._part or _new_part(self._document)
        self._count += 1
        number = self._count
        set_style(reference, REFERENCE)
        xml_of(reference).append(element("footnoteReference", id=number))
        note = element("footnote", id=number)
        part.element.append(note)
        paragraph = Paragraph(element("p"), _Container(part))
        note.append(xml_of(paragraph))
        set_style(paragraph, TEXT)
        sign = paragraph.add_run()
        set_style(sign, REFERENCE)
        xml_of(sign).append(element("footnoteRef"))
        paragraph.add_run(" ")
        link = internal_link(paragraph, f"source_{source.number}")
        link.append(xml_of(paragraph.add_run(f"[{source.number}]")))
        paragraph.add_run(" ")
        self._title(paragraph, source)
        first = self._first.setdefault(source.number, number)
        if first == number:
            self._bookmarks.add(reference, f"cited_{source.number}")
            self._facts(paragraph, source)
        else:
            self._refer(paragraph, source, first)
        quoted = cited.words or ("" if self._quoted[source.number] else cited.beginning)
        if quoted and quoted not in self._quoted[source.number]:
            self._quoted[source.number].add(quoted)
            paragraph.add_run(f" “{quoted}”")
            set_direction(paragraph, quoted)
        if cited.checked is not None and source.text:
            paragraph.add_run(f" {verdict_line(cited.checked, self._labels)}").italic = True

    def _title(self, paragraph: Paragraph, source: Source) -> None:
        title = paragraph.add_run(title_line(source, self._labels))
        if address := web_address(source):
            set_style(title, LINK)
            external_link(paragraph, address).append(xml_of(title))

    def _facts(self, paragraph: Paragraph, source: Source) -> None:
        facts = filter(None, (facts_of(source, self._labels), web_address(source)))
        paragraph.add_run(f" · {' · '.join(facts)}")

    def _refer(self, paragraph: Paragraph, source: Source, first: int) -> None:
        before, after = self._labels.as_in_note.split("{number}")
        paragraph.add_run(before)
        field = element("fldSimple", instr=f" NOTEREF cited_{source.number} \\h ")
        field.append(xml_of(paragraph.add_run(str(first))))
        xml_of(paragraph).append(field)
        paragraph.add_run(after)


class _Container:
    """What a paragraph of python-docx asks for the part that it is in."""

    def __init__(self, part: XmlPart) -> None:
        self.part: Any = part


def _new_part(document: Document) -> XmlPart:
    root: Any = OxmlElement("w:footnotes", nsdecls={prefix: nsmap[prefix] for prefix in ("w", "r")})
    for number, kind in _SEPARATORS:
        root.append(_separator(number, kind))
    package = document.part.package
    assert package is not None
    part = XmlPart(PackURI("/word/footnotes.xml"), CONTENT_TYPE.WML_FOOTNOTES, root, package)
    document.part.relate_to(part, RELATIONSHIP_TYPE.FOOTNOTES)
    _name_separators(document)
    _add_styles(document)
    return part


def _separator(number: int, kind: str) -> Any:
    """Return the line above the notes of a page, or above notes that go on from the page before."""
    note, paragraph, run = element("footnote", type=kind, id=number), element("p"), element("r")
    run.append(element(kind))
    paragraph.append(run)
    note.append(paragraph)
    return note


def _name_separators(document: Document) -> None:
    listed = element("footnotePr")
    listed.extend([element("footnote", id=number) for number, _kind in _SEPARATORS])
    document.settings.element.find(qn("w:compat")).addprevious(listed)  # Word rejects any other order


def _add_styles(document: Document) -> None:
    text = document.styles.add_style(TEXT, WD_STYLE_TYPE.PARAGRAPH, builtin=True)
    assert isinstance(text, ParagraphStyle)
    text.base_style = document.styles["Normal"]
    text.font.size, text.paragraph_format.space_after = _SIZE, Pt(2)
    reference = document.styles.add_style(REFERENCE, WD_STYLE_TYPE.CHARACTER, builtin=True)
    assert isinstance(reference, CharacterStyle)
    reference.font.superscript = True
    for style in (text, reference):
        style.element.find(qn("w:name")).set(
            qn("w:val"), style.name.lower()
        )  # Word knows them by these names
