"""Writes the blocks of a message as HTML, with syntax highlighting."""

from collections.abc import Sequence
from html import escape
from typing import Final, NamedTuple

from markdown_it.common.utils import unescapeAll

from desktop.render.markdown.citations import Marks
from desktop.render.markdown.inline import ReferenceScope, render_inline
from desktop.render.markdown.maths import maths_html
from desktop.render.markdown.tree import Block, Kind, Marker, RenderTarget

# Most answers contain no code in a named language: Pygments is imported with the first that does.
# ruff: noqa: PLC0415

MAX_CHARS: Final = 50_000
"""Longer code is not highlighted: so many spans would block the page while it is laid out."""

DRAWN: Final = frozenset({"mermaid", "svg", "html"})
"""Languages of code that our page shows as a drawing."""

_DRAWN_NAMES: Final = {"mermaid": "Mermaid", "svg": "SVG"}
"""The names of those that Pygments does not know."""


def language_of(info: str) -> str:
    """Return the language of a code fence as a lexer alias."""
    return info.split(maxsplit=1)[0].strip("{}.").lower() if info.strip() else ""


def is_drawing(block: Block) -> bool:
    """Say whether our page can draw a block: a fence in one of `DRAWN` that is complete."""
    is_complete = block.kind is Kind.FENCE and block.is_closed and not block.is_guess
    return is_complete and language_of(unescapeAll(block.info)) in DRAWN and any(map(str.strip, block.lines))


def highlight(code: str, language: str) -> str:
    """Return `code` as HTML; for a known language, tokens are spans with Pygments' short class names."""
    if not language or len(code) > MAX_CHARS:
        return escape(code, quote=False)
    from pygments import lex
    from pygments.lexers import get_lexer_by_name
    from pygments.token import STANDARD_TYPES
    from pygments.util import ClassNotFound

    try:
        lexer = get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return escape(code, quote=False)
    parts: list[str] = []
    for kind, text in lex(code, lexer):
        name = next(STANDARD_TYPES[part] for part in reversed(kind.split()) if part in STANDARD_TYPES)
        shown = escape(text, quote=False)
        parts.append(f'<span class="{name}">{shown}</span>' if name and name != "w" else shown)
    return "".join(parts)


def label_of(language: str) -> str:
    """Return the display name of a language."""
    if not language or language in _DRAWN_NAMES:
        return _DRAWN_NAMES.get(language, "")
    from pygments.lexers import find_lexer_class_by_name
    from pygments.util import ClassNotFound

    try:
        return str(find_lexer_class_by_name(language).name)
    except ClassNotFound:
        return language


class Frame(NamedTuple):
    """The HTML before and after a container's children."""

    head: str
    tail: str


class Written(NamedTuple):
    """The HTML of a block, with the numbers that it cites and the labels that it waits for."""

    html: str
    cited: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()
    waits: frozenset[str] = frozenset()


class HtmlWriter:
    """Turns blocks into HTML."""

    def __init__(self, scope: ReferenceScope) -> None:
        self.scope = scope
        self._marks = Marks(scope.titles, scope.footnotes)
        self._waits: set[str] = set()

    def write(self, block: Block) -> Written:
        """Return the HTML of a block and its descendants."""
        self._marks = Marks(self.scope.titles, self.scope.footnotes)
        self._waits.clear()
        html = self._html(block)
        return Written(html, tuple(self._marks.cited), tuple(self._marks.unknown), frozenset(self._waits))

    def write_footnotes(self, footnotes: Sequence[Block]) -> Written:
        """Return the footnotes as a section, in the order of their definitions.

        References link to the first footnote with a label; duplicates are shown as well.
        """
        items: list[Block] = []
        labels: set[str] = set()
        for note in footnotes:
            label = escape(note.info)
            place = "" if label in labels else f' id="footnote-{label}"'
            labels.add(label)
            items.append(Block(Kind.ITEM, children=note.children, info=f'{place} data-label="{label}"'))
        notes = Block(Kind.LIST, children=items, marker=Marker(".", 1), is_loose=True)
        written = self.write(notes)
        section = f'<section class="footnotes" role="doc-endnotes">\n{written.html}</section>\n'
        return written._replace(html=section)

    def frame(self, block: Block) -> Frame | None:
        """Return the opening and closing tags around a container's children; None for a leaf."""
        if block.kind is Kind.LIST:
            return self._list_frame(block)
        if block.kind is Kind.ITEM:
            is_task = self.scope.look is RenderTarget.PAGE and _is_task(block)
            return Frame(f"<li{block.info}{_TASK if is_task else ''}>\n", "</li>\n")
        return _FRAMES.get(block.kind)

    def _list_frame(self, block: Block) -> Frame:
        start = block.marker.start
        tag = "ul" if start is None else "ol"
        attributes = "" if start in {None, 1} else f' start="{start}"'
        if self.scope.look is RenderTarget.PAGE and not block.is_loose:
            attributes += ' class="tight"'
        return Frame(f"<{tag}{attributes}>\n", f"</{tag}>\n")

    def _html(self, block: Block) -> str:
        frame = self.frame(block)
        if frame is None:
            return self._leaf(block)
        if block.kind is Kind.LIST and not block.is_loose and self.scope.look is not RenderTarget.PAGE:
            return frame.head + "".join(map(self._tight_item, block.children)) + frame.tail
        if block.kind is Kind.ITEM and not block.children:
            return f"{frame.head.rstrip()}{frame.tail}"
        return frame.head + "".join(map(self._html, block.children)) + frame.tail

    def _tight_item(self, item: Block) -> str:
        """Return an item of a tight list, whose paragraphs have no `<p>` tags, as in the specification."""
        html = "<li>"
        for child in item.children:
            if child.kind is Kind.PARAGRAPH:
                html += self._text(child)
            else:
                html += ("" if html.endswith("\n") else "\n") + self._html(child)
        return html + "</li>\n"

    def _leaf(self, block: Block) -> str:
        match block.kind:
            case Kind.PARAGRAPH:
                return f"<p>{self._text(block)}</p>\n"
            case Kind.HEADING:
                return f"<h{block.level}>{self._inline(block.text)}</h{block.level}>\n"
            case Kind.RULE:
                return "<hr />\n"
            case Kind.ROW:
                return self._row(block)
            case Kind.MATHS:
                source = block.text.removesuffix(block.sign) if block.is_closed else ""
                return f'<div class="maths">{maths_html(source, is_display=True) if source else ""}</div>\n'
            case _:
                return self._code(block)

    def _text(self, paragraph: Block) -> str:
        box = "" if paragraph.is_checked is None else _BOXES[paragraph.is_checked]
        return box + self._inline(paragraph.text)

    def _inline(self, text: str) -> str:
        result = render_inline(text, self.scope, self._marks)
        self._waits |= result.waits
        return result.html

    def _row(self, row: Block) -> str:
        tag = row.info
        cells = (
            f"<{tag}{_align(align)}>{self._inline(cell)}</{tag}>\n"
            for cell, align in zip(row.lines, row.aligns, strict=True)
        )
        return f"<tr>\n{''.join(cells)}</tr>\n"

    def _code(self, block: Block) -> str:
        """Return a code block; on our page with the name of its language and its number of lines."""
        text = "".join(f"{line}\n" for line in block.lines)
        info = unescapeAll(block.info)
        named = f' class="language-{escape(info.split()[0])}"' if info.split() else ""
        if self.scope.look is not RenderTarget.PAGE:
            return f"<pre><code{named}>{escape(text)}</code></pre>\n"
        language = language_of(info)
        drawing = f' data-drawing="{language}"' if is_drawing(block) else ""
        head = (
            f'<pre class="code" data-language="{escape(label_of(language))}" data-lines="{len(block.lines)}"'
            f"{drawing}>"
        )
        return f"{head}<code{named}>{highlight(text, language)}</code></pre>\n"


_FRAMES = {
    Kind.DOCUMENT: Frame("", ""),
    Kind.QUOTE: Frame("<blockquote>\n", "</blockquote>\n"),
    Kind.TABLE: Frame("<table>\n", "</table>\n"),
    Kind.HEAD: Frame("<thead>\n", "</thead>\n"),
    Kind.BODY: Frame("<tbody>\n", "</tbody>\n"),
}

_TASK = ' class="task"'

_BOXES = {
    True: '<input checked="" disabled="" type="checkbox"> ',
    False: '<input disabled="" type="checkbox"> ',
}


def _is_task(item: Block) -> bool:
    return bool(item.children) and item.children[0].is_checked is not None


def _align(align: str) -> str:
    return f' align="{align}"' if align else ""
