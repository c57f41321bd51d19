"""Markdown: one part per heading."""

import re
from itertools import pairwise
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

from desktop.domain.sources import SECTION_JOIN
from desktop.knowledge.loaders.document import (
    Document,
    DocumentPart,
    HeadingPath,
    LoaderContext,
    add_heading,
    clean,
    document_of,
    section_of,
)
from desktop.knowledge.loaders.plain import read_text

_FRONT_MATTER = re.compile(r"\A---[ \t]*\n(?P<body>.*?)\n(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:[ \t]*[\"']?(?P<title>.*)$", re.MULTILINE)
_LINK = re.compile(r"!?\[(?P<words>[^\[\]]*)\]\((?:[^()]|\([^()]*\))*+\)")
_MARKS = re.compile(r"[*`]+|(?<!\w)_+|(?<!_)_++(?!\w)")
"""Both patterns look at each character only a few times, even with many unclosed brackets."""
_PARSER = MarkdownIt("commonmark").disable(["inline", "text_join"])
"""Only headings are needed, which are blocks; parsing inline text would take most of the time."""


def load_markdown(path: Path, _context: LoaderContext) -> Document:
    """Load a Markdown file; its title is taken from the front matter or the first heading."""
    text, is_cut = read_text(path)
    return markdown_document(text, is_cut=is_cut)


def markdown_document(text: str, title: str = "", *, is_cut: bool = False) -> Document:
    """Return Markdown as parts with their heading paths."""
    text = clean(text)
    front = _FRONT_MATTER.match(text)
    if front:
        named = _FRONT_TITLE.search(front["body"])
        title = title or (_unquote(named["title"]) if named else "")
        text = text[front.end() :]
    parts = split_by_headings(text)
    return document_of(title or _first_heading(parts), parts, is_cut=is_cut)


def split_by_headings(text: str, page: int | None = None) -> list[DocumentPart]:
    """Split Markdown before each heading; a part begins with its own heading line."""
    lines = text.splitlines(keepends=True)
    parts: list[DocumentPart] = []
    path: HeadingPath = ()
    begin = 0
    for level, heading, line in _headings(text):
        parts.append(_part(lines[begin:line], path, page))
        path = add_heading(path, level, heading)
        begin = line
    parts.append(_part(lines[begin:], path, page))
    return [part for part in parts if part.text.strip()]


def _part(lines: list[str], path: HeadingPath, page: int | None) -> DocumentPart:
    return DocumentPart("".join(lines), page, section_of(path))


def _headings(text: str) -> list[tuple[int, str, int]]:
    """Return level, text and line of each heading that is not in a list or a quotation."""
    tokens = _PARSER.parse(text)
    return [
        (int(opening.tag[1:]), _plain(inline.content), opening.map[0])
        for opening, inline in pairwise(tokens)
        if _is_top_heading(opening) and opening.map is not None
    ]


def _is_top_heading(token: Token) -> bool:
    return token.type == "heading_open" and token.level == 0


def _plain(inline: str) -> str:
    """Remove the marks of links, emphasis and code from a heading."""
    return _MARKS.sub("", _LINK.sub(r"\g<words>", inline)).replace("\n", " ").strip()


def _unquote(title: str) -> str:
    """Remove the closing quote of a title; the opening one is not part of the match."""
    title = title.rstrip(" \t")
    return title[:-1] if title.endswith(("'", '"')) else title


def _first_heading(parts: list[DocumentPart]) -> str:
    return next((part.section.split(SECTION_JOIN)[0] for part in parts if part.section), "")
