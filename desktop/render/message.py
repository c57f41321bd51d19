"""Renders a whole message: its blocks, its HTML, the positions of its citations, the addresses of its links."""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from html import unescape
from itertools import accumulate
from typing import NamedTuple

from markdown_it.common.utils import unescapeAll
from markdown_it.token import Token

from desktop.domain.sources import Source
from desktop.render.markdown.blocks import BlockParser
from desktop.render.markdown.citations import Marks
from desktop.render.markdown.html_writer import HtmlWriter, is_drawing, language_of
from desktop.render.markdown.inline import ReferenceScope, parse_inline
from desktop.render.markdown.tree import Block, Cleaner, Kind, RenderTarget
from desktop.text.html_element import Html


@dataclass(frozen=True)
class ParsedMessage:
    """The parsed blocks of a message: its body and its own footnotes, and what its text may refer to."""

    document: Block
    footnotes: tuple[Block, ...]
    scope: ReferenceScope


@dataclass(frozen=True)
class RenderedMessage:
    """The HTML of a message.

    `cited` are the numbers that became marks, in the order of their first use; `unknown` are the numbers in
    brackets that have no source.
    """

    html: Html
    cited: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()


def titles_of(sources: Sequence[Source] | Mapping[int, str]) -> dict[int, str]:
    """Return the titles of sources by number."""
    if isinstance(sources, Mapping):
        return dict(sources)
    return {source.number: source.title for source in sources}


def parse_message(
    text: str,
    sources: Sequence[Source] | Mapping[int, str] = (),
    look: RenderTarget = RenderTarget.SPEC,
    source_word: str = "source",
    *,
    is_capped: bool = False,
) -> ParsedMessage:
    """Return a message as blocks; `sources` are those that its numbers may refer to."""
    parser = BlockParser(has_extensions=look is not RenderTarget.COMMONMARK)
    for line in Cleaner().clean(text).removesuffix("\n").split("\n"):
        parser.add_line(line)
    parser.finish()
    labels = frozenset(note.info for note in parser.footnotes)
    scope = ReferenceScope(
        titles_of(sources), look, source_word, parser.references, labels, is_capped=is_capped
    )
    return ParsedMessage(parser.document, tuple(parser.footnotes), scope)


def render_message(
    text: str,
    sources: Sequence[Source] | Mapping[int, str] = (),
    look: RenderTarget = RenderTarget.SPEC,
    source_word: str = "source",
    *,
    is_capped: bool = False,
) -> RenderedMessage:
    """Return a message as HTML; `sources` are those that its numbers may refer to.

    `is_capped` is for the screen: the result is what a `StreamRenderer` shows at its end, however the text was
    split. Without it, nothing is shortened, as needed for files.
    """
    parsed = parse_message(text, sources, look, source_word, is_capped=is_capped)
    writer = HtmlWriter(parsed.scope)
    body = writer.write(parsed.document)
    if not parsed.footnotes:
        return RenderedMessage(Html(body.html), body.cited, body.unknown)
    notes = writer.write_footnotes(parsed.footnotes)
    return RenderedMessage(
        Html(body.html + notes.html),
        tuple(dict.fromkeys(body.cited + notes.cited)),
        tuple(dict.fromkeys(body.unknown + notes.unknown)),
    )


class CitationSpan(NamedTuple):
    """A group of citations (`[1, 3]`), or a reference to one of the message's own footnotes, in the source."""

    start: int
    end: int
    group: str
    """The citations, without what the source may have between two of their lines; empty for a footnote."""
    note: str
    """The label of the footnote; empty for citations."""


class _LeafLine(NamedTuple):
    """A piece of a leaf's text that is in one line of the source, starting at `start`."""

    text: str
    start: int


def places_of(parsed: ParsedMessage, source: str) -> list[CitationSpan]:
    """Return all marks of a message in order; `source` is the cleaned text that it was parsed from."""
    lines = source.split("\n")
    starts = [0, *accumulate(len(line) + 1 for line in lines)]
    found: dict[CitationSpan, None] = {}
    for block in (parsed.document, *parsed.footnotes):
        for leaf in _leaves(block, lines, starts):
            found |= dict.fromkeys(_in_leaf(leaf, parsed))
    return sorted(found)


def _leaves(block: Block, lines: Sequence[str], starts: Sequence[int]) -> Iterator[list[_LeafLine]]:
    followers = [*block.children[1:], None]
    for child, follower in zip(block.children, followers, strict=False):
        if child.kind is Kind.TABLE:
            yield from _cells(child, lines, starts)
        elif child.kind in {Kind.PARAGRAPH, Kind.HEADING}:
            first = _end_line(child, follower) - len(child.lines)
            yield [
                _LeafLine(text, starts[line] + lines[line].rindex(text))
                for line, text in enumerate(child.lines, first)
            ]
        else:
            yield from _leaves(child, lines, starts)


def _end_line(leaf: Block, follower: Block | None) -> int:
    """Return the number of the last line of a leaf's text, whose first lines may have been definitions."""
    if leaf.kind is Kind.HEADING and leaf.last_line > leaf.first_line:
        return leaf.last_line - 1  # the last one underlines it
    if follower is not None and follower.kind is Kind.TABLE and follower.first_line == leaf.last_line + 1:
        return leaf.last_line - 1  # the last one has become the header of the table
    return leaf.last_line


def _cells(table: Block, lines: Sequence[str], starts: Sequence[int]) -> Iterator[list[_LeafLine]]:
    rows = [row for part in table.children for row in part.children]
    head = table.first_line - 2
    for i, row in enumerate(rows):
        line = head if i == 0 else head + 1 + i
        at = 0
        for cell in row.lines:
            # A bar within a cell is escaped with a backslash, which the cell's text no longer contains.
            written = re.escape(cell).replace(r"\|", r"\\?\|")
            match = re.compile(written).search(lines[line], at)
            if match is None:
                continue  # a cell that is missing in the row and therefore empty
            at = match.end()
            yield [_LeafLine(match[0], starts[line] + match.start())]


def _in_leaf(leaf: list[_LeafLine], parsed: ParsedMessage) -> Iterator[CitationSpan]:
    joined = "\n".join(line.text for line in leaf)
    text = joined.strip(" \t\n")
    offset = len(joined) - len(joined.lstrip(" \t\n"))
    starts = [0, *accumulate(len(line.text) + 1 for line in leaf)]

    def in_source(at: int) -> int:
        line = bisect_right(starts, offset + at) - 1
        return leaf[line].start + offset + at - starts[line]

    for token in _marks(text, parsed):
        start, end = token.meta["span"]
        group, note = ("", token.content) if token.type == "footnote" else (text[start:end], "")
        yield CitationSpan(in_source(start), in_source(end - 1) + 1, group, note)


def _marks(text: str, parsed: ParsedMessage) -> list[Token]:
    tokens = parse_inline(text, parsed.scope, Marks(parsed.scope.titles, parsed.scope.footnotes))
    return [token for token in tokens if token.type in {"citation", "footnote"}]


_MAIL = re.compile(r'<a href="(mailto:[^"]*)"')


def mail_address(text: str, index: int) -> str:
    """Return the target of the `index`th mail link of an answer; empty if there is none."""
    found = _MAIL.findall(render_message(text, look=RenderTarget.PAGE).html)
    return unescape(found[index]) if 0 <= index < len(found) else ""


def picture_address(text: str, index: int) -> str:
    """Return the web address of the `index`th picture of an answer; empty if there is none."""
    parsed = parse_message(text, look=RenderTarget.PAGE)
    found = parsed.scope.pictures = []
    writer = HtmlWriter(parsed.scope)
    writer.write(parsed.document)
    if parsed.footnotes:
        writer.write_footnotes(parsed.footnotes)
    address = found[index] if 0 <= index < len(found) else ""
    return address if address.startswith(("https://", "http://")) else ""


class DrawingCode(NamedTuple):
    """The code of a drawing; `language` is one of `DRAWN`."""

    language: str
    text: str


def drawing_codes(text: str) -> list[DrawingCode]:
    """Return the code of the drawings of an answer, in the order in which the page shows them."""
    parsed = parse_message(text, look=RenderTarget.PAGE)
    return [
        DrawingCode(language_of(unescapeAll(block.info)), "".join(f"{line}\n" for line in block.lines))
        for root in (parsed.document, *parsed.footnotes)
        for block in _fences(root)
        if is_drawing(block)
    ]


def _fences(block: Block) -> Iterator[Block]:
    if block.kind is Kind.FENCE:
        yield block
    for child in block.children:
        yield from _fences(child)
