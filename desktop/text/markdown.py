"""Parses rows of Markdown tables, and strips Markdown from lines."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum, auto
from typing import NamedTuple

_PICTURE = re.compile(r"!\[[^\[\]]*\]\([^()\s]*\)")
_LINK = re.compile(r"\[([^\[\]]+)\]\([^()\s]*(?:\s\"[^\"]*\")?\)")
_STRONG = re.compile(r"(?<!\\)\*\*(?![\s*])([^\n]+?)(?<![\s*\\])\*\*")
_EMPHASIS = re.compile(r"(?<![\w*\\])\*(?![\s*])([^*\n]+?)(?<![\s\\])\*(?![\w*])")
_CODE = re.compile(r"(?<!`)`(?![\s`])([^`\n]+?)`(?!`)")
_HALF = re.compile(r"^\*\*(?![a-z_]\w*\b[ (=,:])|\*\*$")
"""An unpaired `**` left over when a sentence ended between the pair; not `**kwargs`."""
_HEADING = re.compile(r"^#{1,6}\s+")
_ESCAPED = re.compile(r"\\([*_#`.-])")


def strip_markdown(line: str) -> str:
    """Return a line without marks of headings, emphasis, code, links and images, and with single spaces."""
    text = _LINK.sub(r"\1", _PICTURE.sub("", _HEADING.sub("", line.strip())))
    text = _HALF.sub("", _CODE.sub(r"\1", _EMPHASIS.sub(r"\1", _STRONG.sub(r"\1", text))))
    return " ".join(_ESCAPED.sub(r"\1", text).split())


class MarkKind(StrEnum):
    """What a part of a line of Markdown is; a `SIGN` is not shown where Markdown is rendered."""

    SIGN = auto()
    HEADING = auto()
    STRONG = auto()
    EMPHASIS = auto()
    CODE = auto()
    BAR = auto()


class MarkSpan(NamedTuple):
    """A part of a line, from `start` to before `end`."""

    kind: MarkKind
    start: int
    end: int


def mark_spans(line: str) -> list[MarkSpan]:
    """Return the signs of a line of Markdown, and the text to which they give a look."""
    stripped = line.strip()
    if is_rule(stripped):
        return [MarkSpan(MarkKind.SIGN, 0, len(line))]
    found: list[MarkSpan] = []
    if heading := _HEADING.match(line):
        found += [
            MarkSpan(MarkKind.HEADING, heading.end(), len(line)),
            MarkSpan(MarkKind.SIGN, 0, heading.end()),
        ]
    if is_row(stripped):
        found += [MarkSpan(MarkKind.BAR, bar.start(), bar.end()) for bar in _BAR.finditer(line)]
    for pattern, kind in ((_STRONG, MarkKind.STRONG), (_EMPHASIS, MarkKind.EMPHASIS), (_CODE, MarkKind.CODE)):
        for match in pattern.finditer(line):
            found += _mark_enclosed(match, kind)
    for link in _LINK.finditer(line):
        found += [
            MarkSpan(MarkKind.SIGN, link.start(), link.start(1)),
            MarkSpan(MarkKind.SIGN, link.end(1), link.end()),
        ]
    return found


def _mark_enclosed(match: re.Match[str], kind: MarkKind) -> Iterator[MarkSpan]:
    yield MarkSpan(kind, match.start(1), match.end(1))
    yield MarkSpan(MarkKind.SIGN, match.start(), match.start(1))
    yield MarkSpan(MarkKind.SIGN, match.end(1), match.end())


_ROW = re.compile(r"\|.*\|\Z", re.DOTALL)
_RULE = re.compile(r"\|(?:\s*(?::-+:?|-+:|-{2,})\s*\|)+\Z")
_BAR = re.compile(r"(?<!\\)\|")
_YEAR = re.compile(r"(?:1[5-9]|2[01])\d\d\Z")
_RANGE = re.compile(r"[A-Z]{1,3}\d+(?::[A-Z]{1,3}\d+)?")
_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af]")


def is_row(line: str) -> bool:
    """Say whether a stripped line is a table row; the rule below a header is one too."""
    return _ROW.match(line) is not None and len(line) > 1


def is_rule(line: str) -> bool:
    """Say whether a line is the rule between the header of a table and its rows."""
    return _RULE.match(line) is not None


def is_cell_range(section: str) -> bool:
    """Say whether a section is not a heading but a cell range of a sheet, such as `A1:C9`."""
    return _RANGE.fullmatch(section) is not None


def cells_of(row: str) -> tuple[str, ...]:
    """Return the cells of a row."""
    return tuple(cell.strip().replace("\\|", "|") for cell in _BAR.split(row[1:-1]))


def tables_in_words(text: str) -> str:
    """Return a text with the cells of its tables separated by dots, without rules, and with links as their words."""
    if "](" in text:
        text = _LINK.sub(r"\1", text)
    if "|" not in text:
        return text
    kept = [line for line in text.split("\n") if not is_rule(line.strip())]
    return "\n".join(
        " · ".join(filter(None, cells_of(line.strip()))) if is_row(line.strip()) else line for line in kept
    )


def hide_signs(text: str) -> str:
    """Return a text of several lines as it reads where Markdown is rendered, without looks and columns."""
    return "\n".join(map(_without_sign_spans, tables_in_words(text).split("\n")))


def _without_sign_spans(line: str) -> str:
    spans = [(start, end) for kind, start, end in mark_spans(line) if kind is MarkKind.SIGN]
    hidden = {place for start, end in spans for place in range(start, end)}
    return "".join(sign for place, sign in enumerate(line) if place not in hidden) if hidden else line


def names_columns(cells: Sequence[str]) -> bool:
    """Say whether a first row is a header: unique names for most of the columns.

    Files without a header begin with their first record, others with a title. Years count as names, other
    numbers and dates as values.
    """
    names = [cell for cell in cells if cell]
    are_words = all(any(map(str.isalpha, name)) or _YEAR.match(name) for name in names)
    return are_words and len(names) * 2 >= len(cells) and len(set(names)) == len(names)


def begins_within_table(text: str) -> bool:
    """Say whether a text begins with table rows whose header comes before it."""
    first, _, rest = text.lstrip().partition("\n")
    if not is_row(first.strip()):
        return False
    return is_rule(first.strip()) or not is_rule(rest.partition("\n")[0].strip())


def row_in_words(columns: Sequence[str], cells: Sequence[str]) -> str:
    """Return a row as `column: value; …`, without empty cells; without columns only its values.

    The text of merged cells appears once.
    """
    if not columns:
        values = [cell for place, cell in enumerate(cells) if cell and cell not in cells[place - 1 : place]]
        return " · ".join(values)
    is_chinese = any(map(_CJK.search, columns))
    colon, semicolon = ("：", "；") if is_chinese else (": ", "; ")
    names = [*columns, *[""] * (len(cells) - len(columns))]
    pairs = (
        f"{name}{colon}{cell}" if name else cell for name, cell in zip(names, cells, strict=False) if cell
    )
    return semicolon.join(pairs)
