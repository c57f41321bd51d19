"""Exports a conversation as a Word document; citations are footnotes (ECMA-376, part 1: 17.11), and the sources are listed at its end."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import BytesIO
from typing import Any, Final

import docx
from docx.document import Document
from docx.enum.style import WD_STYLE_TYPE
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.opc.constants import CONTENT_TYPE, RELATIONSHIP_TYPE
from docx.opc.packuri import PackURI
from docx.opc.part import XmlPart
from docx.oxml import OxmlElement
from docx.oxml.ns import nsmap, qn
from docx.shared import Cm, Pt
from docx.styles.style import CharacterStyle, ParagraphStyle
from docx.table import _Cell
from docx.text.paragraph import Paragraph
from docx.text.run import Run
from markdown_it.token import Token

from desktop.domain.messages import Conversation, Message, Speaker
from desktop.domain.sources import Source
from desktop.render.export.cited_passages import CitedPassage, CitedPassages, verdict_line
from desktop.render.export.common_parts import (
    UsedSources,
    attachment_names,
    clean,
    format_status,
    heading_of,
    one_line,
)
from desktop.render.export.office_maths import office_maths
from desktop.render.export.ooxml import (
    CODE,
    CODE_WORDS,
    LINK,
    MAX_LEVEL,
    QUESTION,
    SMALL,
    SOURCE,
    Bookmarks,
    Numbering,
    draw_line_below,
    element,
    external_link,
    internal_link,
    prepare,
    set_direction,
    set_style,
    xml_of,
)
from desktop.render.export.source_list import facts_of, title_line, web_address
from desktop.render.labels import Labels
from desktop.render.markdown.citations import Marks
from desktop.render.markdown.inline import is_cjk, parse_inline
from desktop.render.markdown.tree import Block, Kind, RenderTarget
from desktop.render.message import ParsedMessage, parse_message

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


@dataclass(frozen=True)
class _RunFormat:
    """The text format given by the open tokens; a counter for each, as they may be nested."""

    bold: int = 0
    italic: int = 0
    strike: int = 0


_CHANGES = {"strong": "bold", "em": "italic", "s": "strike"}


class RunWriter:
    """Writes tokens into a paragraph.

    `cite` makes an empty run the reference to a source; `note_names` are the bookmarks of the message's own footnotes.
    """

    def __init__(
        self,
        paragraph: Paragraph,
        note_names: dict[str, str],
        cite: Callable[[Run, int], object],
        *,
        is_bold: bool = False,
    ) -> None:
        self._paragraph = paragraph
        self._note_names = note_names
        self._cite = cite
        self._look = _RunFormat(bold=int(is_bold))
        self._link: Any = None

    def write(self, tokens: Sequence[Token]) -> None:
        """Write all tokens."""
        for index, token in enumerate(tokens):
            name, _, side = token.type.rpartition("_")
            if name in _CHANGES:
                self._change(_CHANGES[name], 1 if side == "open" else -1)
            elif token.type == "link_open":
                self._link = external_link(self._paragraph, str(token.attrs["href"]))
            elif token.type == "link_close":
                self._link = None
            elif token.type == "softbreak":
                self._text(_between(tokens, index))
            elif token.type == "citation":
                self._mark(
                    int(token.meta["number"]), is_next=index > 0 and tokens[index - 1].type == token.type
                )
            else:
                self._leaf(token)

    def _change(self, name: str, step: int) -> None:
        self._look = replace(self._look, **{name: getattr(self._look, name) + step})

    def _leaf(self, token: Token) -> None:
        match token.type:
            case "footnote":
                self._reference(f"[{token.content}]", self._note_names[token.content])
            case "hardbreak":
                self._run("").add_break()
            case "code_inline":
                set_style(self._run(token.content), CODE_WORDS)
            case "maths":
                self._maths(token.content)
            case "image":
                self._text(f"[{_plain(token.children or ())}]")
            case _:
                self._text(token.content)

    def _mark(self, number: int, *, is_next: bool) -> None:
        if is_next:  # the numbers of two notes would read as one
            self._run(",").font.superscript = True
        run = self._paragraph.add_run()
        if self._link is not None:
            self._link.append(xml_of(run))
        self._cite(run, number)

    def _maths(self, latex: str) -> None:
        formula = office_maths(latex, is_display=False)
        if formula is None:
            set_style(self._run(latex), CODE_WORDS)
        else:
            xml_of(self._paragraph).append(formula)

    def _text(self, text: str) -> None:
        if text:
            self._run(text)

    def _run(self, text: str) -> Run:
        run = self._paragraph.add_run(text)
        run.bold, run.italic, run.font.strike = (
            bool(value) or None for value in (self._look.bold, self._look.italic, self._look.strike)
        )
        if self._link is not None:
            set_style(run, LINK)
            self._link.append(xml_of(run))
        return run

    def _reference(self, text: str, bookmark: str) -> None:
        run = self._paragraph.add_run(text)
        set_style(run, LINK)
        run.font.superscript, run.font.underline = True, False
        internal_link(self._paragraph, bookmark).append(xml_of(run))


def _between(tokens: Sequence[Token], index: int) -> str:
    """Return the text for a line break in the source: nothing between two ideographs."""
    near = tokens[max(0, index - 1) : index + 2]
    before, after = near[0].content[-1:], near[-1].content[:1]
    return "" if before and after and is_cjk(before) and is_cjk(after) else " "


def _plain(tokens: Sequence[Token]) -> str:
    return "".join(token.content or _plain(token.children or ()) for token in tokens)


_STEP_CM: Final = 0.635
_MAX_HEADING: Final = 9
_BOXES = {True: "☑ ", False: "☐ ", None: ""}
_ALIGN = {
    "center": WD_ALIGN_PARAGRAPH.CENTER,
    "right": WD_ALIGN_PARAGRAPH.RIGHT,
    "left": WD_ALIGN_PARAGRAPH.LEFT,
}


@dataclass(frozen=True)
class _Around:
    """The context of a block. `depth` counts the lists and quotes that indent it.

    `list_id` is the list of which the next paragraph begins an item; 0 outside of items.
    """

    depth: int = 0
    level: int = -1
    list_id: int = 0
    is_quote: bool = False


class BlockWriter:
    """Writes the blocks of one answer; `shift` is added to its heading levels."""

    def __init__(
        self, document: Document, numbering: Numbering, bookmarks: Bookmarks, footnotes: Footnotes, shift: int
    ) -> None:
        self._document = document
        self._numbering = numbering
        self._bookmarks = bookmarks
        self._footnotes = footnotes
        self._shift = shift
        self._parsed: ParsedMessage
        self._marks: Marks
        self._notes: dict[str, str] = {}
        self._sources: Mapping[int, Source] = {}
        self._passages: CitedPassages

    def write(self, message: Message, sources: Sequence[Source], name: str) -> tuple[int, ...]:
        """Write an answer and return the cited numbers; `name` is the prefix of its own footnotes' bookmarks."""
        parsed = self._parsed = parse_message(message.text, sources, RenderTarget.PAGE)
        self._sources = {source.number: source for source in sources}
        self._passages = CitedPassages(message, self._sources)
        self._marks = Marks(parsed.scope.titles, parsed.scope.footnotes)
        names = [f"{name}_{index}" for index in range(len(parsed.footnotes))]
        self._notes = {}
        for note, place in zip(parsed.footnotes, names, strict=True):
            self._notes.setdefault(note.info, place)  # references lead to the first footnote with the label
        self._block(parsed.document, _Around())
        for note, place in zip(parsed.footnotes, names, strict=True):
            self._note(note, place)
        return tuple(self._marks.cited)

    def _block(self, block: Block, around: _Around) -> None:
        match block.kind:
            case Kind.PARAGRAPH:
                paragraph = self._paragraph(around)
                self._runs(paragraph, block.text, _BOXES[block.is_checked])
            case Kind.HEADING:
                level = min(block.level + self._shift, _MAX_HEADING)
                self._runs(self._paragraph(around, f"Heading {level}"), block.text)
            case Kind.RULE:
                draw_line_below(self._paragraph(around))
            case Kind.FENCE | Kind.INDENTED:
                self._code("\n".join(block.lines), around)
            case Kind.MATHS:
                self._maths(block, around)
            case Kind.TABLE:
                self._table(block)
            case Kind.LIST:
                self._list(block, around)
            case Kind.QUOTE:
                inside = replace(around, depth=around.depth + 1, list_id=0, is_quote=True)
                self._children(block, inside)
            case _:
                self._children(block, around)

    def _children(self, block: Block, around: _Around) -> None:
        for child in block.children:
            self._block(child, around)

    def _list(self, block: Block, around: _Around) -> None:
        level = min(around.level + 1, MAX_LEVEL)
        list_id = self._numbering.begin(level, block.marker.start)
        inside = _Around(around.depth + 1, level, list_id, around.is_quote)
        for item in block.children:
            if not item.children:
                self._paragraph(inside)
            for index, child in enumerate(item.children):
                self._block(child, inside if index == 0 else replace(inside, list_id=0))

    def _paragraph(self, around: _Around, style: str = "") -> Paragraph:
        paragraph = self._document.add_paragraph()
        set_style(paragraph, style or ("Quote" if around.is_quote else "Normal"))
        if around.list_id:
            self._numbering.number(paragraph, around.list_id, around.level)
            paragraph.paragraph_format.space_after = Cm(0.1)
        elif around.depth:
            paragraph.paragraph_format.left_indent = Cm(_STEP_CM * around.depth)
        return paragraph

    def _runs(self, paragraph: Paragraph, text: str, box: str = "", *, is_bold: bool = False) -> None:
        if box:
            paragraph.add_run(box)
        tokens = parse_inline(text, self._parsed.scope, self._marks)
        RunWriter(paragraph, self._notes, self._cite, is_bold=is_bold).write(tokens)
        set_direction(paragraph, text)

    def _cite(self, reference: Run, number: int) -> None:
        source = self._sources[number]
        self._footnotes.add(reference, source, self._passages.next(source))

    def _code(self, text: str, around: _Around) -> None:
        self._paragraph(around, CODE).add_run(text)

    def _maths(self, block: Block, around: _Around) -> None:
        paragraph = self._paragraph(around)
        latex = block.text.removesuffix(block.sign).strip()
        formula = office_maths(latex, is_display=True)
        if formula is None:
            set_style(paragraph.add_run(latex), CODE_WORDS)
        else:
            xml_of(paragraph).append(formula)

    def _table(self, block: Block) -> None:
        rows = [row for part in block.children for row in part.children]
        table = self._document.add_table(len(rows), len(block.aligns), "Table Grid")
        for row, made in zip(rows, table.rows, strict=True):
            for text, align, cell in zip(row.lines, row.aligns, made.cells, strict=True):
                self._cell(cell, text, align, is_head=row.info == "th")
        # The header row is repeated on every page of the table.
        xml_of(table.rows[0]).get_or_add_trPr().append(element("tblHeader"))
        self._document.add_paragraph().paragraph_format.space_after = Cm(0)

    def _cell(self, cell: _Cell, text: str, align: str, *, is_head: bool) -> None:
        paragraph = cell.paragraphs[0]
        paragraph.paragraph_format.space_after = Cm(0)
        if align:
            paragraph.alignment = _ALIGN[align]
        self._runs(paragraph, text, is_bold=is_head)

    def _note(self, note: Block, name: str) -> None:
        """Write one of the answer's own footnotes, with its label, as the target of its references."""
        paragraph = self._paragraph(_Around())
        label = paragraph.add_run(f"[{note.info}] ")
        self._bookmarks.add(label, name)
        children = note.children
        if children and children[0].kind is Kind.PARAGRAPH:
            self._runs(paragraph, children[0].text)
            children = children[1:]
        for child in children:
            self._block(child, _Around(depth=1))


def word_of(conversation: Conversation, labels: Labels) -> bytes:
    """Return a conversation as a Word file (docx)."""
    return _Writer(conversation, labels).write()


class _Writer:
    def __init__(self, conversation: Conversation, labels: Labels) -> None:
        self._conversation = conversation
        self._labels = labels
        self._used = UsedSources(conversation)
        self._is_alone = len(conversation.messages) == 1
        self._document = docx.Document()
        prepare(self._document, labels.language)
        self._bookmarks = Bookmarks()
        footnotes = Footnotes(self._document, self._bookmarks, labels)
        shift = 0 if self._is_alone else 1
        self._blocks = BlockWriter(
            self._document, Numbering(self._document), self._bookmarks, footnotes, shift
        )

    def write(self) -> bytes:
        title = one_line(self._conversation.info.title)
        properties = self._document.core_properties
        properties.title, properties.author, properties.comments = title[:255], "Footnote", ""
        properties.created = properties.modified = self._conversation.info.updated_at
        set_direction(self._document.add_heading(title, 0), title)
        for index, message in enumerate(self._conversation.messages):
            if not self._is_alone:
                self._document.add_heading(heading_of(message, self._labels), 1)
            if message.speaker is Speaker.USER:
                self._question(message)
            else:
                self._answer(index, message)
            if status := format_status(message, self._labels):
                self._document.add_paragraph(status, SMALL)
        self._list(self._labels.sources, self._used.cited)
        self._list(self._labels.not_cited, self._used.read)
        file = BytesIO()
        self._document.save(file)
        return file.getvalue()

    def _question(self, message: Message) -> None:
        text = clean(message.text)
        set_direction(self._document.add_paragraph(text, QUESTION), text)
        for name in attachment_names(message):
            self._document.add_paragraph(name, SMALL)

    def _answer(self, index: int, message: Message) -> None:
        sources = message.sources_among(self._used.sources)
        self._used.note(self._blocks.write(message, sources, f"note_{index}"))

    def _list(self, name: str, sources: tuple[Source, ...]) -> None:
        if sources:
            self._document.add_heading(name, 1)
        for source in sources:
            self._source(source)

    def _source(self, source: Source) -> None:
        paragraph = self._document.add_paragraph(style=SOURCE)
        self._bookmarks.add(paragraph.add_run(f"[{source.number}]"), f"source_{source.number}")
        paragraph.add_run("\t")
        title = paragraph.add_run(title_line(source, self._labels))
        if address := web_address(source):
            title.style = LINK
            external_link(paragraph, address).append(xml_of(title))
        facts = paragraph.add_run(f"\n{facts_of(source, self._labels)}")
        facts.font.size = Pt(9)
        if address:
            paragraph.add_run(f"\n{address}").font.size = Pt(9)
