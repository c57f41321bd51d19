"""Parses the block structure of a message line by line, with a cursor that counts columns."""

import re
from collections import ChainMap
from collections.abc import Callable
from typing import Final

from desktop.render.markdown.inline import References, take_definitions
from desktop.render.markdown.tree import CODE, CONTAINERS, RAW, Block, Kind, Marker

TAB_STOP = 4


class LineCursor:
    """The parser's position in a line.

    `offset` counts characters and `column` screen columns. A tab may be partly consumed: then `column` is
    inside of it and `offset` still points at it.
    """

    __slots__ = ("column", "in_tab", "indent", "line", "next_column", "next_offset", "offset")

    def __init__(self, line: str) -> None:
        self.line = line
        self.offset = 0
        self.column = 0
        self.in_tab = False
        self.look()

    def look(self) -> None:
        """Find the next character other than space and tab."""
        offset, column, line = self.offset, self.column, self.line
        while offset < len(line):
            char = line[offset]
            if char == " ":
                column += 1
            elif char == "\t":
                column += TAB_STOP - column % TAB_STOP
            else:
                break
            offset += 1
        self.next_offset = offset
        self.next_column = column
        self.indent = column - self.column

    @property
    def is_blank(self) -> bool:
        """Whether only spaces and tabs remain."""
        return self.next_offset >= len(self.line)

    @property
    def is_indented(self) -> bool:
        """Whether the rest is indented enough to be code."""
        return self.indent >= TAB_STOP

    @property
    def next_char(self) -> str:
        """The next character other than space and tab; empty at the end."""
        return self.line[self.next_offset : self.next_offset + 1]

    @property
    def next_text(self) -> str:
        """The rest of the line from the next character other than space and tab."""
        return self.line[self.next_offset :]

    @property
    def is_at_space(self) -> bool:
        """Whether the next character is a space or a tab."""
        return self.line[self.offset : self.offset + 1] in {" ", "\t"}

    def skip_indent(self) -> None:
        """Move to the next character other than space and tab."""
        self.offset, self.column, self.in_tab = self.next_offset, self.next_column, False
        self.look()

    def skip_chars(self, count: int) -> None:
        """Advance by `count` characters, none of them a tab."""
        self.offset += count
        self.column += count
        self.in_tab = False
        self.look()

    def skip_columns(self, count: int) -> None:
        """Advance by `count` columns of spaces and tabs, possibly to the middle of a tab."""
        while count > 0 and self.offset < len(self.line):
            if self.line[self.offset] == "\t":
                width = TAB_STOP - self.column % TAB_STOP
                step = min(count, width)
                self.in_tab = width > count
                self.column += step
                self.offset += 0 if self.in_tab else 1
                count -= step
            else:
                self.in_tab = False
                self.offset += 1
                self.column += 1
                count -= 1
        self.look()

    def skip_optional_space(self) -> None:
        """Skip one column of space if there is one."""
        if self.is_at_space:
            self.skip_columns(1)

    def rest(self) -> str:
        """Return the rest of the line, with the remainder of a partly consumed tab as spaces."""
        if not self.in_tab:
            return self.line[self.offset :]
        width = TAB_STOP - self.column % TAB_STOP
        return " " * width + self.line[self.offset + 1 :]


def continues(block: Block, cursor: LineCursor) -> bool | None:
    """Say whether `block` continues, and skip its mark; None if this line closes it."""
    return _GOES_ON[block.kind](block, cursor)


def skip_quote_mark(cursor: LineCursor) -> None:
    """Skip `>` and the space that belongs to it."""
    cursor.skip_indent()
    cursor.skip_chars(1)
    cursor.skip_optional_space()


def skip_item_mark(cursor: LineCursor, width: int) -> int:
    """Skip the mark of an item and the space that belongs to it; return that space in columns."""
    cursor.skip_indent()
    cursor.skip_chars(width)
    if cursor.is_blank or cursor.indent > TAB_STOP:  # one column of space and four of code
        cursor.skip_optional_space()
        return 1
    columns = cursor.indent
    cursor.skip_columns(columns)
    return columns


def _quote_goes_on(_block: Block, cursor: LineCursor) -> bool:
    if cursor.is_indented or cursor.next_char != ">":
        return False
    skip_quote_mark(cursor)
    return True


def _item_goes_on(block: Block, cursor: LineCursor) -> bool:
    if cursor.is_blank:
        if not block.children and block.kind is Kind.ITEM:
            return False
        cursor.skip_indent()
        return True
    if cursor.indent < block.indent:
        return False
    cursor.skip_columns(block.indent)
    return True


def _fence_goes_on(block: Block, cursor: LineCursor) -> bool | None:
    rest = cursor.next_text.rstrip(" \t")
    if not cursor.is_indented and len(rest) >= block.level and rest == block.sign * len(rest):
        return None
    cursor.skip_columns(min(block.indent, cursor.indent))
    return True


def _indented_goes_on(_block: Block, cursor: LineCursor) -> bool:
    if cursor.is_indented:
        cursor.skip_columns(TAB_STOP)
    elif cursor.is_blank:
        cursor.skip_indent()
    else:
        return False
    return True


def _line_goes_on(_block: Block, cursor: LineCursor) -> bool:
    return not cursor.is_blank


_GOES_ON: Final[dict[Kind, Callable[[Block, LineCursor], bool | None]]] = {
    Kind.QUOTE: _quote_goes_on,
    Kind.LIST: lambda _block, _cursor: True,
    Kind.ITEM: _item_goes_on,
    Kind.FOOTNOTE: _item_goes_on,
    Kind.FENCE: _fence_goes_on,
    Kind.INDENTED: _indented_goes_on,
    Kind.PARAGRAPH: _line_goes_on,
    Kind.MATHS: _line_goes_on,
    Kind.TABLE: _line_goes_on,
}


_DELIMITER_ROW = re.compile(r"^\|?[ \t]*+:?-++:?[ \t]*+(?:\|[ \t]*+:?-++:?[ \t]*+)*+\|?[ \t]*+$")
_ALIGNS = {(True, True): "center", (True, False): "left", (False, True): "right", (False, False): ""}


def delimiter_aligns(line: str) -> tuple[str, ...] | None:
    """Return the alignment of each column if `line` is the delimiter row of a table."""
    line = line.strip(" \t")
    if not _DELIMITER_ROW.match(line) or not ("|" in line or ":" in line):
        return None
    cells = line.strip("|").split("|")
    return tuple(_ALIGNS[cell.strip().startswith(":"), cell.strip().endswith(":")] for cell in cells)


def split_row(line: str) -> list[str]:
    r"""Return the cells of a row; `\|` is a literal bar inside a cell, even within code."""
    line = line.strip(" \t")
    cells: list[str] = []
    start = at = 1 if line.startswith("|") else 0
    while at < len(line):
        if line[at] == "\\":
            at += 1
        elif line[at] == "|":
            cells.append(line[start:at])
            start = at + 1
        at += 1
    if start < len(line):
        cells.append(line[start:])
    return [cell.strip(" \t").replace("\\|", "|") for cell in cells]


MAX_DEPTH: Final = 100
"""Deeper nesting is shown as text: it is unreadable, and writing it has quadratic cost."""

MAX_DEFINITION_LINES: Final = 8
"""Longer link definitions are recognised only at the end of their paragraph."""

_MAYBE_SPECIAL = re.compile(r"[#`~*+_=<>0-9\-\[$\\|:]")
_HEADING = re.compile(r"#{1,6}(?=[ \t]|$)")
_HEADING_END = re.compile(r"(?:^|(?<![ \t])[ \t]+)#++[ \t]*+$")
_FENCE = re.compile(r"(`{3,})([^`]*)$|(~{3,})(.*)$", re.DOTALL)
_RULE = re.compile(r"(?:(?:\*[ \t]*){3,}|(?:_[ \t]*){3,}|(?:-[ \t]*){3,})$")
_SETEXT = re.compile(r"(?:=+|-+)[ \t]*$")
_BULLET = re.compile(r"[*+-](?=[ \t]|$)")
_ORDERED = re.compile(r"(\d{1,9})([.)])(?=[ \t]|$)")
_FOOTNOTE = re.compile(r"\[\^([^\]\[\s]{1,99})\]:[ \t]*")
_TASK = re.compile(r"\[([ xX])\](?=[ \t]+\S)")
_TAKES_REST = CONTAINERS | {Kind.INDENTED, Kind.MATHS}
_KEEPS_BLANKS = frozenset({Kind.FENCE, Kind.MATHS})
_MATHS = {"$$": "$$", "\\[": "\\]"}

_Start = Callable[["BlockParser", LineCursor, Block], Block | None]


class BlockParser:
    """Builds the block tree of a message from its lines. `spine` holds the open blocks, outermost first."""

    def __init__(self, *, has_extensions: bool = True) -> None:
        self.has_extensions = has_extensions
        self.references: References = {}
        self.footnotes: list[Block] = []
        self.spine: list[Block] = [Block(Kind.DOCUMENT)]
        self.line_number = 0
        self.is_guess = False

    @property
    def document(self) -> Block:
        """The root block."""
        return self.spine[0]

    @property
    def tip(self) -> Block:
        """The innermost open block."""
        return self.spine[-1]

    @property
    def weight(self) -> int:
        """The approximate amount of text to copy and reparse for the open blocks."""
        copied = sum(len(block.children) + len(block.lines) for block in self.spine)
        return copied + len(self.footnotes) + sum(map(len, self.tip.lines))

    def fork(self) -> "BlockParser":
        """Return a copy of the parser that can continue without changing this one, to preview partial input."""
        twin = BlockParser.__new__(BlockParser)
        twin.has_extensions = self.has_extensions
        twin.references = ChainMap({}, self.references)
        twin.footnotes = self.footnotes[:]
        twin.spine = [block.fork() for block in self.spine]
        for parent, child in zip(twin.spine, twin.spine[1:], strict=False):
            if child.kind is Kind.FOOTNOTE:
                twin.footnotes[-1] = child
            else:
                parent.children[-1] = child
        twin.line_number = self.line_number
        twin.is_guess = True
        return twin

    def add_line(self, line: str) -> None:
        """Add a complete line, without its line end, to the tree."""
        self.line_number += 1
        cursor = LineCursor(line)
        depth, quote_depth, is_done = self._match_open(cursor)
        if is_done:
            return
        started = self._open_blocks(cursor, depth)
        is_lazy = started is None and depth < len(self.spine) and self.tip.kind is Kind.PARAGRAPH
        if is_lazy and not cursor.is_blank:
            self._add_text(self.tip, cursor.next_text)
        elif started is None:
            self._close_to(depth)
            self._take_rest(cursor)
        elif started.kind in _TAKES_REST:
            self._take_rest(cursor)
        is_blank = started is None and cursor.is_blank and self.tip.kind not in _KEEPS_BLANKS
        self._touch(quote_depth if is_blank else None)

    def finish(self) -> None:
        """Close all open blocks."""
        self._close_to(1)
        self.document.is_closed = True

    # What a line means to the blocks that are open

    def _match_open(self, cursor: LineCursor) -> tuple[int, int, bool]:
        """Return how many open blocks continue, how many consumed a mark, and whether the line is used up."""
        quote_depth = 1
        for depth, block in enumerate(self.spine[1:], 1):
            does = continues(block, cursor)
            if does is None:
                self._touch(None)
                self._close_to(depth)
                return depth, depth, True
            if not does:
                return depth, quote_depth, False
            if block.kind is Kind.QUOTE:
                quote_depth = depth + 1
        return len(self.spine), quote_depth, False

    def _touch(self, depth: int | None) -> None:
        for block in self.spine[:depth]:
            block.last_line = self.line_number

    # New blocks

    def _open_blocks(self, cursor: LineCursor, depth: int) -> Block | None:
        """Open the blocks that begin in this line; return the innermost, or None."""
        container = self.spine[depth - 1]
        started: Block | None = None
        while container.kind not in RAW:
            if not cursor.is_indented and not _MAYBE_SPECIAL.match(cursor.next_char):
                break
            for start in _STARTS if self.has_extensions else _COMMONMARK_STARTS:
                block = start(self, cursor, container)
                if block is not None:
                    break
            else:
                break
            container = started = block
            depth = len(self.spine)
            if block.kind not in CONTAINERS:
                break
        return started

    def begin(self, block: Block, container: Block) -> Block:
        """Open `block` inside `container`, or inside the nearest ancestor that can contain it."""
        self._close_to(self.spine.index(container) + 1)
        while self.tip.kind not in CONTAINERS or (self.tip.kind is Kind.LIST) is not (
            block.kind is Kind.ITEM
        ):
            self._close_to(len(self.spine) - 1)
        return self._push(block)

    def _push(self, block: Block) -> Block:
        parent = self.tip
        block.first_line = block.last_line = self.line_number
        block.is_guess = self.is_guess
        if parent.children and self.line_number - parent.children[-1].last_line > 1:
            parent.is_loose = True
            if parent.kind is Kind.ITEM:
                self.spine[-2].is_loose = True
        if block.kind is Kind.FOOTNOTE:
            self.footnotes.append(block)
        else:
            parent.children.append(block)
        self.spine.append(block)
        return block

    def _take_rest(self, cursor: LineCursor) -> None:
        tip = self.tip
        if tip.kind in CODE:
            tip.lines.append(cursor.rest())
        elif tip.kind is Kind.MATHS:
            tip.lines.append(cursor.rest())
            tip.last_line = self.line_number
            if tip.lines[-1].rstrip().endswith(tip.sign):
                self._close_to(len(self.spine) - 1)
        elif tip.kind is Kind.PARAGRAPH:
            if not cursor.is_blank:
                self._add_text(tip, cursor.next_text)
        elif tip.kind is Kind.TABLE:
            self.add_row(tip, cursor.next_text)
        elif tip.kind in CONTAINERS and not cursor.is_blank:
            self._begin_paragraph(tip, cursor)

    def _add_text(self, paragraph: Block, line: str) -> None:
        """Add a line to a paragraph, and take out the definitions that the line cannot belong to."""
        if line.startswith("[") and len(paragraph.lines) <= MAX_DEFINITION_LINES:
            found: References = {}
            if not take_definitions(paragraph.text, found):
                paragraph.lines.clear()
                for label, target in found.items():
                    self.references.setdefault(label, target)
        paragraph.lines.append(line)

    def _begin_paragraph(self, container: Block, cursor: LineCursor) -> None:
        paragraph = Block(Kind.PARAGRAPH)
        is_first = self.has_extensions and container.kind is Kind.ITEM and not container.children
        task = _TASK.match(cursor.next_text) if is_first else None
        if task is not None:
            paragraph.is_checked = task[1] != " "
            cursor.skip_indent()
            cursor.skip_chars(len(task[0]))
        self.begin(paragraph, container).lines.append(cursor.next_text)

    def add_row(self, table: Block, line: str) -> None:
        """Add a row to a table's body; missing cells are empty and surplus ones dropped, as in GFM."""
        if len(table.children) == 1:
            table.children.append(Block(Kind.BODY, is_guess=self.is_guess))
        elif self.is_guess and not table.children[-1].is_guess:
            table.children[-1] = table.children[-1].fork()
        table.children[-1].children.append(self._row(line, table.aligns, "td"))

    def begin_table(self, paragraph: Block, aligns: tuple[str, ...]) -> Block:
        """Turn the last line of a paragraph into the header of a table."""
        head = self._row(paragraph.lines.pop(), aligns, "th")
        container = self.spine[-2]
        if not paragraph.lines:
            container.children.pop()
            self.spine.pop()
        table = self.begin(Block(Kind.TABLE, aligns=aligns), container)
        table.children.append(Block(Kind.HEAD, children=[head], is_closed=True, is_guess=self.is_guess))
        return table

    def _row(self, line: str, aligns: tuple[str, ...], tag: str) -> Block:
        cells = split_row(line)[: len(aligns)]
        cells += [""] * (len(aligns) - len(cells))
        return Block(Kind.ROW, lines=cells, aligns=aligns, info=tag, is_closed=True, is_guess=self.is_guess)

    # Ends

    def _close_to(self, depth: int) -> None:
        while len(self.spine) > depth:
            block = self.spine.pop()
            block.is_closed = True
            if block.kind is Kind.PARAGRAPH:
                self.take_definitions(block)
                if not block.lines:
                    self.spine[-1].children.pop()
            elif block.kind is Kind.MATHS and not _is_whole(block):
                block.kind = Kind.PARAGRAPH
                block.lines = [line.lstrip() for line in (block.info + block.lines[0], *block.lines[1:])]
            elif block.kind is Kind.INDENTED:
                while block.lines and not block.lines[-1].strip():
                    block.lines.pop()
            elif block.kind is Kind.TABLE:
                block.children[-1].is_closed = True

    def take_definitions(self, paragraph: Block) -> None:
        """Remove the link reference definitions from a paragraph."""
        if paragraph.lines and paragraph.lines[0].startswith("["):
            rest = take_definitions(paragraph.text, self.references)
            paragraph.lines = rest.split("\n") if rest else []


def _is_whole(maths: Block) -> bool:
    return maths.text.endswith(maths.sign) and maths.text != maths.sign


# Does a block begin here?


def _start_quote(parser: BlockParser, cursor: LineCursor, container: Block) -> Block | None:
    if cursor.is_indented or cursor.next_char != ">" or len(parser.spine) > MAX_DEPTH:
        return None
    skip_quote_mark(cursor)
    return parser.begin(Block(Kind.QUOTE), container)


def _start_heading(parser: BlockParser, cursor: LineCursor, container: Block) -> Block | None:
    match = None if cursor.is_indented else _HEADING.match(cursor.next_text)
    if match is None:
        return None
    text = _HEADING_END.sub("", cursor.next_text[match.end() :].strip(" \t"))
    cursor.skip_chars(len(cursor.line) - cursor.offset)
    block = parser.begin(Block(Kind.HEADING, lines=[text], level=len(match[0])), container)
    parser.spine.pop().is_closed = True
    return block


def _start_fence(parser: BlockParser, cursor: LineCursor, container: Block) -> Block | None:
    match = None if cursor.is_indented else _FENCE.match(cursor.next_text)
    if match is None:
        return None
    mark, info = match[1] or match[3], match[2] or match[4] or ""
    indent = cursor.indent
    block = Block(Kind.FENCE, level=len(mark), sign=mark[0], indent=indent, info=info.strip(" \t"))
    return parser.begin(block, container)


def _start_setext(parser: BlockParser, cursor: LineCursor, container: Block) -> Block | None:
    if cursor.is_indented or container.kind is not Kind.PARAGRAPH or not _SETEXT.match(cursor.next_text):
        return None
    parser.take_definitions(container)
    if not container.lines:
        return None
    container.kind = Kind.HEADING
    container.last_line = parser.line_number
    container.level = 1 if cursor.next_char == "=" else 2
    cursor.skip_chars(len(cursor.line) - cursor.offset)
    parser.spine.pop().is_closed = True
    return container


def _start_rule(parser: BlockParser, cursor: LineCursor, container: Block) -> Block | None:
    if cursor.is_indented or not _RULE.match(cursor.next_text):
        return None
    cursor.skip_chars(len(cursor.line) - cursor.offset)
    block = parser.begin(Block(Kind.RULE), container)
    parser.spine.pop().is_closed = True
    return block


def _start_item(parser: BlockParser, cursor: LineCursor, container: Block) -> Block | None:
    if cursor.is_indented or len(parser.spine) > MAX_DEPTH:
        return None
    text = cursor.next_text
    interrupts = container.kind is Kind.PARAGRAPH
    if bullet := _BULLET.match(text):
        marker, width = Marker(bullet[0], None), 1
    elif (ordered := _ORDERED.match(text)) and (not interrupts or int(ordered[1]) == 1):
        marker, width = Marker(ordered[2], int(ordered[1])), len(ordered[0])
    else:
        return None
    if interrupts and not text[width:].strip(" \t"):
        return None
    indent = cursor.indent + width + skip_item_mark(cursor, width)
    if container.kind is not Kind.LIST or container.marker.sign != marker.sign:
        container = parser.begin(Block(Kind.LIST, marker=marker), container)
    return parser.begin(Block(Kind.ITEM, indent=indent), container)


def _start_footnote(parser: BlockParser, cursor: LineCursor, container: Block) -> Block | None:
    match = None if cursor.is_indented else _FOOTNOTE.match(cursor.next_text)
    # The list ends here, unless the line is indented like its items.
    ends = container.kind not in CONTAINERS or container.kind is Kind.LIST
    is_outside = container is parser.document or (ends and container in parser.document.children)
    if match is None or not is_outside:
        return None
    cursor.skip_indent()
    cursor.skip_chars(len(match[0].rstrip("\t ")))
    cursor.skip_indent()
    return parser.begin(Block(Kind.FOOTNOTE, info=match[1], indent=4), container)


def _start_maths(parser: BlockParser, cursor: LineCursor, container: Block) -> Block | None:
    text = cursor.next_text.rstrip(" \t")
    sign = _MATHS.get(text[:2])
    if sign is None or cursor.is_indented:
        return None
    rest = text[2:]
    is_one_line = len(rest) > len(sign) and rest.find(sign) == len(rest) - len(sign)
    if not is_one_line and rest and (sign in rest or sign != "$$"):
        return None
    cursor.skip_indent()
    cursor.skip_chars(2)
    return parser.begin(Block(Kind.MATHS, sign=sign, info=text[:2]), container)


def _start_table(parser: BlockParser, cursor: LineCursor, container: Block) -> Block | None:
    if cursor.is_indented or container.kind is not Kind.PARAGRAPH or not container.lines:
        return None
    aligns = delimiter_aligns(cursor.next_text)
    if aligns is None or len(split_row(container.lines[-1])) != len(aligns):
        return None
    cursor.skip_chars(len(cursor.line) - cursor.offset)
    return parser.begin_table(container, aligns)


def _start_indented(parser: BlockParser, cursor: LineCursor, container: Block) -> Block | None:
    if not cursor.is_indented or cursor.is_blank or parser.tip.kind is Kind.PARAGRAPH:
        return None
    cursor.skip_columns(4)
    return parser.begin(Block(Kind.INDENTED), container)


_STARTS: tuple[_Start, ...] = (
    _start_quote,
    _start_heading,
    _start_fence,
    _start_table,
    _start_setext,
    _start_rule,
    _start_item,
    _start_footnote,
    _start_maths,
    _start_indented,
)
_COMMONMARK_STARTS = tuple(
    start for start in _STARTS if start not in {_start_table, _start_footnote, _start_maths}
)
