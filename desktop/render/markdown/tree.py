"""The blocks of a message, the cleaning of its text, and the targets of its HTML."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple

# Characters that neither HTML nor XML may contain.
_UNSAFE = re.compile("[\0-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]")


class Cleaner:
    r"""Makes line ends `\n`, and control characters and lone surrogates U+FFFD; the text may come in pieces."""

    def __init__(self) -> None:
        self._ended_with_return = False

    def clean(self, piece: str) -> str:
        """Return a cleaned piece; a line end split between two pieces counts once."""
        if not piece:
            return ""
        if self._ended_with_return and piece.startswith("\n"):
            piece = piece[1:]
        self._ended_with_return = piece.endswith("\r")
        if "\r" in piece:
            piece = piece.replace("\r\n", "\n").replace("\r", "\n")
        return _UNSAFE.sub("\ufffd", piece)


class RenderTarget(Enum):
    """What the HTML is used for.

    SPEC is the HTML of the specifications, for other programs: links keep any harmless scheme and pictures
    without a host stay pictures. PAGE is for our own page and for export: only http, https and mailto are
    links, no picture is loaded, code is highlighted. COMMONMARK is SPEC without any extension except
    citations: no tables, no bare addresses, no maths.
    """

    COMMONMARK = auto()
    SPEC = auto()
    PAGE = auto()


class Kind(Enum):
    """The kind of a block."""

    DOCUMENT = auto()
    QUOTE = auto()
    LIST = auto()
    ITEM = auto()
    FOOTNOTE = auto()
    PARAGRAPH = auto()
    HEADING = auto()
    RULE = auto()
    FENCE = auto()
    INDENTED = auto()
    MATHS = auto()
    TABLE = auto()
    HEAD = auto()
    BODY = auto()
    ROW = auto()


class Marker(NamedTuple):
    """The marker of a list's items: `sign` is -, + or *, or what follows the number."""

    sign: str
    start: int | None


NO_MARKER = Marker("", None)
CODE = frozenset({Kind.FENCE, Kind.INDENTED})
RAW = frozenset({Kind.FENCE, Kind.INDENTED, Kind.MATHS})
CONTAINERS = frozenset({Kind.DOCUMENT, Kind.QUOTE, Kind.LIST, Kind.ITEM, Kind.FOOTNOTE})
"""Blocks that hold blocks. A table holds HEAD and BODY, which hold ROWs."""


@dataclass(slots=True, eq=False)
class Block:
    """A block. Which fields are used depends on the kind.

    `lines` is the source of a leaf without the marks of its containers; `first_line` is the number of the line
    in which the block begins, from 1; `last_line` is that of the last non-blank line, from which the parser
    distinguishes loose lists from tight ones.
    """

    kind: Kind
    first_line: int = 0
    last_line: int = 0
    children: list[Block] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    is_closed: bool = False
    is_guess: bool = False
    """Whether the block was built from an incomplete line, so that it may still change."""
    level: int = 0
    """Level of a heading; length of a fence's mark."""
    sign: str = ""
    """Character or characters that close a fence or a maths block."""
    indent: int = 0
    """Columns by which the content of an item or a fence is indented."""
    info: str = ""
    """A fence's info string; a footnote's label; the tag of a row's cells; the opening mark of maths."""
    marker: Marker = NO_MARKER
    is_loose: bool = False
    is_checked: bool | None = None
    """State of a task, on its first paragraph; None for other blocks."""
    aligns: tuple[str, ...] = ()

    def fork(self) -> Block:
        """Return a copy whose lists can grow without changing this block's."""
        # By hand, because `copy` takes ten times as long, and every delta copies the open blocks.
        return Block(
            self.kind,
            self.first_line,
            self.last_line,
            self.children[:],
            self.lines[:],
            self.is_closed,
            True,
            self.level,
            self.sign,
            self.indent,
            self.info,
            self.marker,
            self.is_loose,
            self.is_checked,
            self.aligns,
        )

    @property
    def text(self) -> str:
        """The source of a leaf's inline content."""
        return "\n".join(self.lines).strip(" \t\n")
