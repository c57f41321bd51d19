"""Parts of a Word document that python-docx does not support: links, bookmarks, lists, styles.

Follows ECMA-376, part 1: 17.3.2 (runs), 17.9 (numbering), 17.13.6 (bookmarks), 17.16.22 (hyperlinks).
"""

import unicodedata
from typing import Any, Final

from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.opc.constants import RELATIONSHIP_TYPE
from docx.oxml import OxmlElement
from docx.oxml.ns import qn
from docx.shared import Cm, Pt, RGBColor
from docx.styles.style import CharacterStyle, ParagraphStyle
from docx.table import _Row
from docx.text.paragraph import Paragraph
from docx.text.run import Run

CODE: Final = "Code"
CODE_WORDS: Final = "Code Words"
LINK: Final = "Hyperlink"
SMALL: Final = "Small"
SOURCE: Final = "Source"
QUESTION: Final = "Question"

MAX_LEVEL: Final = 8
"""The deepest level of a list; Word has nine levels, from 0."""

_AFTER_DIRECTION = ("w:adjustRightInd", "w:snapToGrid", "w:spacing", "w:ind", "w:jc", "w:rPr", "w:sectPr")
_AFTER_SHADE = ("w:tabs", "w:bidi", *_AFTER_DIRECTION)
"""Elements that must follow the shading in a paragraph's properties: Word rejects any other order."""

_LATIN, _CHINESE, _MONO = "Calibri", "Microsoft YaHei", "Consolas"
_STEP_TWIPS: Final = 360
_BULLETS = "•◦▪"


def element(tag: str, **attributes: str | int) -> Any:
    """Return `<w:tag w:name="value"/>`."""
    made = OxmlElement(f"w:{tag}")
    for name, value in attributes.items():
        made.set(qn(f"w:{name}"), str(value))
    return made


def xml_of(part: Paragraph | Run | _Row) -> Any:
    """Return the XML element of a part, for what python-docx cannot write."""
    return part._element  # noqa: SLF001 - recommended by its documentation


def set_style(part: Paragraph | Run, name: str) -> None:
    """Set an existing style on a paragraph or a run; python-docx searches all styles for its id."""
    xml_of(part).style = name.replace(" ", "")


def prepare(document: Document, language: str) -> None:
    """Add our styles to a document, with fonts for Latin and for Chinese text."""
    styles = document.styles
    normal = styles["Normal"]
    assert isinstance(normal, ParagraphStyle)
    normal.font.name, normal.font.size = _LATIN, Pt(11)
    normal.paragraph_format.space_after = Pt(8)
    for style in styles:
        if isinstance(style, ParagraphStyle | CharacterStyle):
            fonts = style.element.get_or_add_rPr().get_or_add_rFonts()
            for theme in ("asciiTheme", "hAnsiTheme", "eastAsiaTheme", "cstheme"):
                fonts.attrib.pop(qn(f"w:{theme}"), None)
            for script, name in (("ascii", _LATIN), ("hAnsi", _LATIN), ("eastAsia", _CHINESE)):
                fonts.set(qn(f"w:{script}"), name)
    normal.element.get_or_add_rPr().append(element("lang", val="en-US", eastAsia="zh-CN"))
    document.core_properties.language = language
    _add_styles(document)


def _add_styles(document: Document) -> None:
    code = _paragraph_style(document, CODE)
    _shade(code.element, "F2F1EE")
    code.paragraph_format.space_after = Pt(8)
    _mono(code)
    words = document.styles.add_style(CODE_WORDS, WD_STYLE_TYPE.CHARACTER)
    assert isinstance(words, CharacterStyle)
    _mono(words)
    link = document.styles.add_style(LINK, WD_STYLE_TYPE.CHARACTER)
    assert isinstance(link, CharacterStyle)
    link.font.color.rgb, link.font.underline = RGBColor(0x2F, 0x5B, 0xD0), True
    question = _paragraph_style(document, QUESTION)
    _shade(question.element, "EAF0FF")
    small = _paragraph_style(document, SMALL)
    small.font.size, small.font.color.rgb = Pt(9), RGBColor(0x68, 0x66, 0x5F)
    source = _paragraph_style(document, SOURCE)
    source.paragraph_format.left_indent, source.paragraph_format.first_line_indent = Cm(1.1), Cm(-1.1)
    source.paragraph_format.tab_stops.add_tab_stop(Cm(1.1))
    source.font.size = Pt(10)


def _shade(style: Any, colour: str) -> None:
    style.get_or_add_pPr().insert_element_before(
        element("shd", val="clear", color="auto", fill=colour), *_AFTER_SHADE
    )


def _paragraph_style(document: Document, name: str) -> ParagraphStyle:
    style = document.styles.add_style(name, WD_STYLE_TYPE.PARAGRAPH)
    assert isinstance(style, ParagraphStyle)
    style.base_style = document.styles["Normal"]
    return style


def _mono(style: ParagraphStyle | CharacterStyle) -> None:
    style.font.name, style.font.size = _MONO, Pt(9.5)
    style.element.get_or_add_rPr().get_or_add_rFonts().set(qn("w:eastAsia"), _CHINESE)


def external_link(paragraph: Paragraph, address: str) -> Any:
    """Add an empty link to an address; the caller adds its runs."""
    relation = paragraph.part.relate_to(address, RELATIONSHIP_TYPE.HYPERLINK, is_external=True)
    link = element("hyperlink", history=1)
    link.set(qn("r:id"), relation)
    xml_of(paragraph).append(link)
    return link


def internal_link(paragraph: Paragraph, bookmark: str) -> Any:
    """Add an empty link to a bookmark; the caller adds its runs."""
    link = element("hyperlink", anchor=bookmark, history=1)
    xml_of(paragraph).append(link)
    return link


class Bookmarks:
    """The bookmarks of a document."""

    def __init__(self) -> None:
        self._count = 0

    def add(self, run: Run, name: str) -> None:
        """Add a bookmark called `name` to a run."""
        self._count += 1
        xml_of(run).addprevious(element("bookmarkStart", id=self._count, name=name))
        xml_of(run).addnext(element("bookmarkEnd", id=self._count))


def draw_line_below(paragraph: Paragraph) -> None:
    """Draw a thin line below a paragraph."""
    borders = element("pBdr")
    borders.append(element("bottom", val="single", sz=6, space=1, color="BFBDB6"))
    xml_of(paragraph).get_or_add_pPr().insert_element_before(borders, "w:shd", *_AFTER_SHADE)


def set_direction(paragraph: Paragraph, text: str) -> None:
    """Set a paragraph's direction to right-to-left if that is the direction of its first letter."""
    kinds = (unicodedata.bidirectional(char) for char in text)
    if next((kind for kind in kinds if kind in {"L", "R", "AL"}), "L") != "L":
        properties = xml_of(paragraph).get_or_add_pPr()
        properties.insert_element_before(element("bidi"), *_AFTER_DIRECTION)


class Numbering:
    """Lists with their own start numbers, each with its own definition in the numbering part."""

    def __init__(self, document: Document) -> None:
        self._root: Any = document.part.numbering_part.element
        self._kinds = {is_ordered: self._abstract(is_ordered=is_ordered) for is_ordered in (True, False)}

    def begin(self, level: int, start: int | None) -> int:
        """Return the id of a new list at a level; bullets if `start` is None."""
        number = self._root.add_num(self._kinds[start is not None])
        if start is not None:
            number.add_lvlOverride(ilvl=level).add_startOverride(start)
        return int(number.numId)

    def number(self, paragraph: Paragraph, list_id: int, level: int) -> None:
        """Make a paragraph the next item of a list."""
        properties = xml_of(paragraph).get_or_add_pPr().get_or_add_numPr()
        properties.get_or_add_ilvl().val = level
        properties.get_or_add_numId().val = list_id

    def _abstract(self, *, is_ordered: bool) -> int:
        used = [int(kind.get(qn("w:abstractNumId"))) for kind in self._root.findall(qn("w:abstractNum"))]
        number = max(used, default=0) + 1
        kind = element("abstractNum", abstractNumId=number)
        kind.append(element("multiLevelType", val="hybridMultilevel"))
        for level in range(MAX_LEVEL + 1):
            kind.append(_level(level, is_ordered=is_ordered))
        first = self._root.find(qn("w:num"))
        if first is None:
            self._root.append(kind)
        else:
            first.addprevious(kind)
        return number


def _level(level: int, *, is_ordered: bool) -> Any:
    made = element("lvl", ilvl=level)
    made.append(element("start", val=1))
    made.append(element("numFmt", val="decimal" if is_ordered else "bullet"))
    made.append(element("lvlText", val=f"%{level + 1}." if is_ordered else _BULLETS[level % len(_BULLETS)]))
    made.append(element("lvlJc", val="left"))
    properties = element("pPr")
    properties.append(element("ind", left=_STEP_TWIPS * (level + 1), hanging=_STEP_TWIPS))
    made.append(properties)
    return made
