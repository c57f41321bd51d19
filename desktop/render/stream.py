"""Renders a message while it streams: deltas in, patches for the page out.

Complete lines are parsed permanently. The line that is still incomplete goes into a fork of the parser,
whose cost depends on the nesting depth and not on the length of the text; a line that is still ambiguous
(`#`, `- `, the first row of a table) waits. Then only new and open blocks are rendered again.

A block is closed once nothing that may follow can change it. A reference to a label that is not
defined yet (`[text][label]`, `[^note]`, a number without a source) stays as it is until the end and is
then rendered again if the definition has arrived, so that the result equals that of `render_message`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Final, Literal

from desktop.domain.sources import Source
from desktop.render.markdown.blocks import BlockParser
from desktop.render.markdown.html_writer import HtmlWriter, Written, language_of
from desktop.render.markdown.incomplete_inline import close_incomplete
from desktop.render.markdown.inline import ReferenceScope, plain_from, take_definitions
from desktop.render.markdown.tree import CODE, Block, Cleaner, Kind, RenderTarget
from desktop.render.message import titles_of

Path = tuple[int, ...]
"""Index of a top-level block, of its child, and so on, among the child elements on our page."""


@dataclass(frozen=True)
class SetBlock:
    """Set the element at `path` to `html`; it may be new. Once `is_closed`, it never changes."""

    path: Path
    html: str
    is_closed: bool
    kind: Literal["set"] = "set"


@dataclass(frozen=True)
class DropBlocks:
    """Remove the element at `path` and its following siblings."""

    path: Path
    kind: Literal["drop"] = "drop"


@dataclass(frozen=True)
class AppendText:
    """Append `text` to the last text of the element at `path`, however deep that stands.

    With `is_outer`, append to the element itself: behind what stands last in it.
    """

    path: Path
    text: str
    is_outer: bool = False
    kind: Literal["append"] = "append"


@dataclass(frozen=True)
class AppendCode:
    """Append `text` to the code block at `path`."""

    path: Path
    text: str
    kind: Literal["code"] = "code"


@dataclass(frozen=True)
class SetClass:
    """Set the class of the element at `path`."""

    path: Path
    name: str
    kind: Literal["class"] = "class"


Patch = SetBlock | DropBlocks | AppendText | AppendCode | SetClass


LONG_CHARS: Final = 2000
"""Longer open texts are parsed again only from time to time: the longer they are, the less often."""

GROWTH: Final = 64
"""Number of pieces of a text of `LONG_CHARS`; with each doubling, it is parsed half as often."""

CODE_GROWTH: Final = 4

WAITS_FROM: Final = 20_000
"""Above this weight of the open blocks, pieces are collected before they are parsed."""

WAITS_FOR: Final = 64
"""Inverse share of the weight to collect: limits the cost to this multiple of the text, not its square."""

MAX_LIVE_COLUMNS: Final = 60
"""Table rows with more columns are shown only when their line is complete."""

_UNDECIDED = re.compile(
    r"(?:[ \t>]|[-+*][ \t]|\d{1,9}[.)][ \t])*+(?:\#{0,6}[ \t]*|[-+*:|_][-+*_ \t:|]*|=+[ \t]*|\d{0,9}[.)]?"
    r"|`{1,2}|`{3,}[^`]*|~{1,2}|~{3,}.*|\$|\$\$.*|\\|\\\[.*|\[[ xX]?\]?[ \t]*|\[\^[^\]\s]*\]?|\[[^\]]*\]:.*)$"
)
_CODE_UNDECIDED = re.compile(r"[ \t>]*+[`~]*+[ \t]*+$")
_PLAIN = re.compile(r"(?:[^\W_]|[ ,.;:?!'()%，、。；：？！“”‘’（）《》…—-])+\Z")
_ADDRESS_SIGNS = ("www.", ":/", "@")
_ADDRESS_BEGINS = re.compile(r"\b(?:w{1,3}|https?)\Z")
_MARKUP = re.compile("[<>&\n]")
_CLOSING_TAGS = re.compile(r"(?:</[a-z0-9]+>\s*)*$")


@dataclass(eq=False)
class _Shown:
    """The displayed state of a block."""

    kind: Kind
    html: str = ""
    children: "list[_Shown]" = field(default_factory=list)
    settled: int = 0
    """Number of children, from the first, that are permanently closed."""
    source: str = ""
    """The text that `html` was rendered from."""
    parsed_chars: int = 0
    is_whole: bool = False
    """Whether no text was held back, so that plain words can simply be appended."""
    lines: int = 0
    """For code: the number of complete lines shown, and of characters of the next one."""
    chars: int = 0
    coloured_chars: int = 0
    cited: tuple[int, ...] = ()
    unknown: tuple[int, ...] = ()


@dataclass(frozen=True)
class _PendingBlock:
    block: Block
    shown: _Shown
    path: Path
    labels: frozenset[str]


class StreamRenderer:
    """Renders one message while it streams."""

    def __init__(
        self, sources: Sequence[Source] | Mapping[int, str] = (), source_word: str = "source"
    ) -> None:
        self._titles = titles_of(sources)
        self._scope = ReferenceScope(self._titles, RenderTarget.PAGE, source_word, is_capped=True)
        self._writer = HtmlWriter(self._scope)
        self._parser = BlockParser()
        self._scope.references = self._parser.references
        self._footnotes: set[str] = set()
        self._noted_footnotes = 0
        self._scope.footnotes = self._footnotes
        self._cleaner = Cleaner()
        self._partial = ""
        self._held: list[str] = []
        self._held_chars = 0
        self._weight = 0
        self._root = _Shown(Kind.DOCUMENT)
        self._waiting: list[_PendingBlock] = []
        self._patches: list[Patch] = []
        self._is_guess = False
        self._growing: _PendingBlock | None = None

    def add_sources(self, sources: Sequence[Source] | Mapping[int, str]) -> None:
        """Allow the rest of the message to cite these sources as well."""
        self._titles.update(titles_of(sources))

    def feed(self, delta: str) -> tuple[Patch, ...]:
        """Add a piece of the text, split anywhere; return the changes for the page."""
        if (appended := self._append_plain(delta)) is not None:
            return appended
        self._held.append(delta)
        self._held_chars += len(delta)
        if self._held_chars * WAITS_FOR < self._weight - WAITS_FROM:
            return ()
        self._take_in()
        self._growing = None
        view = self._guess()
        self._sync_children(view.document, self._root, ())
        self._note_growing(view)
        self._weight = self._parser.weight + len(self._partial)
        return self._take_patches()

    def _note_growing(self, view: BlockParser) -> None:
        growing = self._growing
        if growing is not None and not (self._is_guess and growing.block is view.tip):
            self._growing = None

    def _append_plain(self, delta: str) -> tuple[Patch, ...] | None:
        """Append plain words to the paragraph that the incomplete line belongs to, as most deltas do.

        None if the delta has to be parsed: the line was not shown yet, or words could change how it is read.
        """
        growing = self._growing
        if growing is None or self._weight >= WAITS_FROM or not _PLAIN.match(delta):
            return None
        shown = growing.shown
        spaces = self._partial[len(self._partial.rstrip(" \t")) :]
        added = spaces + delta.rstrip(" ")
        source = shown.source + added
        if added.isspace() or not _is_plain(shown, added) or plain_from(source) < len(source):
            return None
        self._partial += delta
        self._weight += len(delta)
        return (_append(shown, source, added, growing.path),)

    def finish(self) -> tuple[Patch, ...]:
        """End the text; return the last changes."""
        self._take_in()
        if self._partial:
            self._parser.add_line(self._partial)
            self._partial = ""
        self._parser.finish()
        self._is_guess = False
        self._note_footnotes()
        self._sync_children(self._parser.document, self._root, ())
        self._resolve()
        if self._parser.footnotes:
            notes = self._writer.write_footnotes(self._parser.footnotes)
            self._set_leaf(
                _Shown(Kind.FOOTNOTE), notes, self._root, (len(self._root.children),), is_closed=True
            )
        return self._take_patches()

    def _take_in(self) -> None:
        """Pass the complete lines received to the parser."""
        first, *lines = self._cleaner.clean("".join(self._held)).split("\n")
        self._held.clear()
        self._held_chars = 0
        lines = [self._partial + first, *lines]
        self._partial = lines.pop()
        for line in lines:
            self._parser.add_line(line)
        if lines:
            self._note_footnotes()

    def _note_footnotes(self) -> None:
        new = self._parser.footnotes[self._noted_footnotes :]
        self._footnotes.update(note.info for note in new)
        self._noted_footnotes += len(new)

    @property
    def cited(self) -> tuple[int, ...]:
        """The numbers shown as marks so far, in the order of their first use."""
        return tuple(dict.fromkeys(number for shown in _walk(self._root) for number in shown.cited))

    @property
    def unknown(self) -> tuple[int, ...]:
        """The numbers in brackets that no source has so far."""
        return tuple(dict.fromkeys(number for shown in _walk(self._root) for number in shown.unknown))

    def _guess(self) -> BlockParser:
        """Return a parser that has also read the incomplete line, if that is unambiguous."""
        self._is_guess = False
        tip = self._parser.tip
        undecided = _CODE_UNDECIDED if tip.kind is Kind.FENCE else _UNDECIDED
        if not self._partial or undecided.match(self._partial):
            return self._parser
        if tip.kind is Kind.TABLE:
            is_waiting = len(tip.aligns) > MAX_LIVE_COLUMNS
        else:
            is_waiting = self._partial.lstrip(" \t>").startswith("|")
        if is_waiting:
            return self._parser
        self._is_guess = True
        view = self._parser.fork()
        view.add_line(self._partial)
        return view

    def _take_patches(self) -> tuple[Patch, ...]:
        patches, self._patches = tuple(self._patches), []
        return patches

    # Bringing what is shown in line with the tree

    def _sync_children(self, block: Block, shown: _Shown, path: Path) -> None:
        for index in range(shown.settled, len(block.children)):
            child = block.children[index]
            self._sync(child, shown, (*path, index))
            if child.is_closed and not child.is_guess and index == shown.settled:
                shown.settled = index + 1
        if len(shown.children) > len(block.children):
            del shown.children[len(block.children) :]
            self._patches.append(DropBlocks((*path, len(block.children))))

    def _sync(self, block: Block, parent: _Shown, path: Path) -> None:
        index = path[-1]
        shown = parent.children[index] if index < len(parent.children) else None
        frame = self._writer.frame(block)
        if frame is None:
            self._sync_leaf(block, shown or _Shown(block.kind), parent, path)
            return
        if shown is None or shown.kind is not block.kind or not _same_tag(shown.html, frame.head):
            shown = self._put(_Shown(block.kind, frame.head), parent, index)
            self._patches.append(SetBlock(path, frame.head + frame.tail, is_closed=False))
        elif shown.html != frame.head:
            shown.html = frame.head
            self._patches.append(SetClass(path, "" if block.is_loose else "tight"))
        self._sync_children(block, shown, path)

    def _sync_leaf(self, block: Block, shown: _Shown, parent: _Shown, path: Path) -> None:
        is_final = block.is_closed and not block.is_guess
        if shown.kind is not block.kind:
            shown = _Shown(block.kind)
        if is_final:
            if plain_from(shown.source) < len(shown.source):
                # The rest of a capped leaf is appended: the leaf itself must not be sent again.
                self._sync_open_text(block, shown, parent, path)
            written = self._writer.write(block)
            self._set_leaf(shown, written, parent, path, is_closed=not written.waits)
            if written.waits:
                self._waiting.append(_PendingBlock(block, parent.children[path[-1]], path, written.waits))
        elif block.kind in CODE:
            self._sync_open_code(block, shown, parent, path)
        elif block.kind in {Kind.PARAGRAPH, Kind.HEADING}:
            self._sync_open_text(block, shown, parent, path)
        else:
            self._set_leaf(shown, self._writer.write(_complete_row(block)), parent, path)

    def _sync_open_text(self, block: Block, shown: _Shown, parent: _Shown, path: Path) -> None:
        source = _visible(block)
        self._sync_source(block, source, shown, parent, path)
        has_marks = source.startswith("[") or block.lines[-1:] == [""] or block.kind is not Kind.PARAGRAPH
        if shown.is_whole and shown.source == source and not has_marks:
            self._growing = _PendingBlock(block, shown, path, frozenset())

    def _sync_source(self, block: Block, source: str, shown: _Shown, parent: _Shown, path: Path) -> None:
        is_new = path[-1] >= len(parent.children) or parent.children[path[-1]] is not shown
        if not is_new and source.startswith(shown.source):
            added = source[len(shown.source) :]
            if not added:
                return
            was_capped = plain_from(shown.source) < len(shown.source)
            is_capped = plain_from(source) < len(source)
            if was_capped or (shown.is_whole and not is_capped and _is_plain(shown, added)):
                self._patches.append(_append(shown, source, added, path))
                return
            patience = len(source) ** 2 // (LONG_CHARS * GROWTH)
            can_wait = len(source) > LONG_CHARS and not is_capped
            if can_wait and len(source) - shown.parsed_chars < patience:
                return
        text, is_whole = close_incomplete(source) if plain_from(source) == len(source) else (source, True)
        leaf = Block(block.kind, lines=[text], level=block.level, is_checked=block.is_checked)
        self._set_leaf(shown, self._writer.write(leaf), parent, path)
        shown.source, shown.is_whole, shown.parsed_chars = source, is_whole, len(source)

    def _sync_open_code(self, block: Block, shown: _Shown, parent: _Shown, path: Path) -> None:
        complete_lines = self._complete_lines(block)
        is_new = path[-1] >= len(parent.children) or parent.children[path[-1]] is not shown
        if is_new:
            self._set_code(block, shown, parent, path)
            return
        added = "".join(f"{line}\n" for line in block.lines[shown.lines : complete_lines])
        added += "".join(block.lines[max(shown.lines, complete_lines) :])
        added = added[shown.chars :]
        if not added:
            return
        is_coloured = block.kind is Kind.FENCE and language_of(block.info)
        if is_coloured and "\n" in added and _has_grown(block, shown):
            self._set_code(block, shown, parent, path)
            return
        self._patches.append(AppendCode(path, added))
        shown.html = shown.html.replace("</code></pre>", f"{escape(added, quote=False)}</code></pre>")
        self._note_code(block, shown, complete_lines)

    def _set_code(self, block: Block, shown: _Shown, parent: _Shown, path: Path) -> None:
        complete_lines = self._complete_lines(block)
        html = self._writer.write(block).html
        if complete_lines < len(block.lines):
            html = html.replace("\n</code></pre>", "</code></pre>")
        self._set_leaf(shown, Written(html), parent, path)
        self._note_code(block, shown, complete_lines)
        shown.coloured_chars = sum(len(line) + 1 for line in block.lines)

    def _complete_lines(self, block: Block) -> int:
        """Return the number of complete lines of a code block."""
        return len(block.lines) - (1 if self._is_guess and not block.is_closed else 0)

    def _note_code(self, block: Block, shown: _Shown, complete_lines: int) -> None:
        shown.lines = complete_lines
        shown.chars = len(block.lines[-1]) if complete_lines < len(block.lines) else 0

    def _set_leaf(
        self, shown: _Shown, written: Written, parent: _Shown, path: Path, *, is_closed: bool = False
    ) -> None:
        is_new = path[-1] >= len(parent.children) or parent.children[path[-1]] is not shown
        if is_new:
            self._put(shown, parent, path[-1])
        shown.cited, shown.unknown = written.cited, written.unknown
        if is_new or shown.html != written.html:
            growth = None if is_new or is_closed else _growth(shown, written.html, path)
            shown.html = written.html
            self._patches.append(growth or SetBlock(path, written.html, is_closed))

    def _put(self, shown: _Shown, parent: _Shown, index: int) -> _Shown:
        parent.children[index : index + 1] = [shown]
        return shown

    def _resolve(self) -> None:
        """Render blocks again whose missing definitions have arrived."""
        for waiting in self._waiting:
            if any(map(self._scope.knows, waiting.labels)):
                written = self._writer.write(waiting.block)
                waiting.shown.cited, waiting.shown.unknown = written.cited, written.unknown
                if written.html != waiting.shown.html:
                    waiting.shown.html = written.html
                    self._patches.append(SetBlock(waiting.path, written.html, is_closed=True))
        self._waiting.clear()


def _append(shown: _Shown, source: str, added: str, path: Path) -> AppendText:
    """Append text to what is shown of a leaf, whose source becomes `source`."""
    text = escape(added, quote=False)
    at = len(shown.html) - len(_closing_tags(shown.html))
    shown.html = shown.html[:at] + text + shown.html[at:]
    shown.source = source
    return AppendText(path, added)


def _growth(shown: _Shown, html: str, path: Path) -> AppendText | None:
    """Return the change from what is shown of a leaf to `html`, if it is nothing but more text at an end."""
    if shown.kind is Kind.ROW:
        cells, new_cells = shown.html.split("\n"), html.split("\n")
        changed = [
            index for index, (old, new) in enumerate(zip(cells, new_cells, strict=False)) if old != new
        ]
        if len(cells) != len(new_cells) or len(changed) != 1:
            return None
        (index,) = changed
        return _text_growth(cells[index], new_cells[index], (*path, index - 1))
    return _text_growth(shown.html, html, path)


def _text_growth(old: str, new: str, path: Path) -> AppendText | None:
    tags = _closing_tags(old)
    inner = tags[: tags.rindex("</")] if tags.count("</") > 1 else ""
    for closing, is_outer in ((tags, False), (tags.removeprefix(inner), True)):
        before = old.removesuffix(closing)
        text = new[len(before) : len(new) - len(closing)]
        is_inside = new.startswith(before) and new.endswith(closing) and len(new) > len(old)
        if closing and is_inside and not _MARKUP.search(text) and before.endswith(">") is is_outer:
            return AppendText(path, text, is_outer)
    return None


def _walk(shown: _Shown) -> Sequence[_Shown]:
    found = [shown]
    for child in shown.children:
        found.extend(_walk(child))
    return found


def _same_tag(one: str, other: str) -> bool:
    """Say whether two opening tags of containers differ only in their class."""
    return one.replace(' class="tight"', "") == other.replace(' class="tight"', "")


def _visible(block: Block) -> str:
    """Return the text of an open leaf without what may become a definition or a table."""
    lines = block.lines
    if block.kind is Kind.PARAGRAPH and lines and lines[-1].startswith("|"):
        lines = lines[:-1]
    text = "\n".join(lines).strip(" \t\n")
    return take_definitions(text, {}) if block.kind is Kind.PARAGRAPH and text.startswith("[") else text


def _complete_row(block: Block) -> Block:
    """Return a row whose incomplete cells can be shown."""
    twin = block.fork()
    if block.kind is Kind.ROW:
        twin.lines = [close_incomplete(cell).text for cell in block.lines]
    return twin


def _ends_in_address(text: str) -> bool:
    """Say whether the last word of a text is an address, or may become one."""
    word = "" if not text or text[-1].isspace() else text.rsplit(maxsplit=1)[-1]
    return any(sign in word for sign in _ADDRESS_SIGNS) or _ADDRESS_BEGINS.search(word) is not None


def _is_plain(shown: _Shown, added: str) -> bool:
    """Say whether appending `added` cannot change how the source is read, and its place is the last text.

    Behind a link or a closed mark only the HTML tells whether words belong into it.
    """
    source = shown.source
    return (
        _PLAIN.match(added) is not None
        and added[-1] != "!"  # a picture may start here
        and _PLAIN.match(source, len(source) - 1) is not None
        and _closing_tags(shown.html).count("</") == 1
        and "www." not in source[-3:] + added
        and not _ends_in_address(source[-200:] + added)
    )


def _closing_tags(html: str) -> str:
    """Return the tags that end the HTML of a leaf."""
    end = _CLOSING_TAGS.search(html, max(0, len(html) - 200))
    return end[0] if end is not None else ""


def _has_grown(block: Block, shown: _Shown) -> bool:
    chars = sum(len(line) + 1 for line in block.lines)
    return chars - shown.coloured_chars > shown.coloured_chars // CODE_GROWTH
