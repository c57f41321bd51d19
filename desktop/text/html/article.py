"""Reduces HTML to what a reader wants: title, text, author and date.

The text comes from trafilatura's fast rules in recall mode: without the fallback extractors it is both faster
and more accurate. They run only if the rules find a line or two of a page that has more. A few repairs of known
errors surround it: of the tree before (see `tree`), of the lines after. Title, author and date come from the
same tree.

Fallbacks, in this order: trafilatura's rules → all visible text of the tree → the source without its tags, for
pages nested so deeply that libxml2 gives up.
"""

import re
import unicodedata
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import trafilatura
from lxml import html
from trafilatura.baseline import html2txt
from trafilatura.settings import Extractor

from desktop.text.decode import decode_html
from desktop.text.html.metadata import facts_of
from desktop.text.html.tree import (
    cut_after,
    link_list_items,
    main_paragraphs,
    paragraph_chars,
    parse_html,
    prepare,
    write_links,
)

_NOT_LETTERS = re.compile(r"[\W\d_]+")
_ASCII_LETTERS = {code: chr(code).lower() if chr(code).isalpha() else None for code in range(128)}
"""For `str.translate`, which takes a tenth of the time of the pattern."""
_KEPT_SHARE = 0.4
"""If less text would be left, the links are the content of the page."""
_TITLE_LINES = 3
_MORE_TEXT = 1.3
_LONG_LINE_BYTES = 90
_SHARED_LINES = 0.7


def without_link_lists(lines: Sequence[str], items: Collection[str]) -> list[str]:
    """Remove the lines that are `items` of link lists, unless the page is such a list itself."""
    if not items:
        return list(lines)
    known = {_letters(item) for item in items} - {""}
    kept = [line for line in lines if _letters(line) not in known]
    return kept if sum(map(len, kept)) >= _KEPT_SHARE * sum(map(len, lines)) else list(lines)


def without_title(lines: Sequence[str], title: str) -> list[str]:
    """Remove the title if the text begins with it."""
    wanted = _letters(title)
    for index, line in enumerate(lines[:_TITLE_LINES]):
        if wanted and _letters(line) == wanted:
            return [*lines[:index], *lines[index + 1 :]]
    return list(lines)


def add_missing_lines(lines: Sequence[str], paragraphs: Sequence[str]) -> list[str]:
    """Insert the missing `paragraphs` if the lines are clearly a part of them."""
    if sum(map(len, paragraphs)) < _MORE_TEXT * sum(map(len, lines)):
        return list(lines)
    letters = [_letters(line) for line in lines]
    wanted = {_letters(paragraph): paragraph for paragraph in paragraphs}  # each text once
    whole = "|".join(wanted)
    long = [text for line, text in zip(lines, letters, strict=True) if len(line.encode()) >= _LONG_LINE_BYTES]
    if not long or sum(text in whole for text in long) < _SHARED_LINES * len(long):
        return list(lines)
    merged: list[str] = []
    position = 0
    known = set(letters)
    for text, paragraph in wanted.items():
        if text in known:
            found = letters.index(text)
            merged += lines[position : found + 1]
            position = max(position, found + 1)
        elif not any(line and line in text for line in letters[position:]):
            merged.append(paragraph)
    return [*merged, *lines[position:]]


def _letters(line: str) -> str:
    """Return the letters of a line without list marks, ranks, dates and spacing."""
    if line.isascii():
        return line.translate(_ASCII_LETTERS)
    return _NOT_LETTERS.sub("", line).lower()


MAX_HTML_CHARS = 4_000_000
MAX_TEXT_CHARS = 1_000_000
MAX_ELEMENTS = 50_000
"""Only the first elements of a longer page are read.

The rules take 0.05 to 0.1 ms per element, and more if tens of thousands have one parent: 0.6 to 3 s for this
many.
"""

_RULES = Extractor(output_format="python", fast=True, recall=True, comments=False)
_ALL_EXTRACTORS = Extractor(output_format="python", comments=False)
_LITTLE_CHARS = 300
_MUCH_MORE = 2
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
_UNSEEN = re.compile(r"<(script|style|template|svg|title)\b.*?(</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_TAG = re.compile(r"<[^<>]*(?:>|\Z)")
_SPACES = re.compile(r"[^\S\n]+")
_BLANK_LINES = re.compile(r"\s*\n\s*")


@dataclass(frozen=True)
class Article:
    """A page reduced to its main text, one paragraph per line. `published` is an ISO date or empty.

    If `is_cut`, it contains only the beginning of its page.
    """

    title: str
    text: str
    author: str = ""
    published: str = ""
    is_cut: bool = False


def main_text(
    page: str | bytes, url: str = "", max_elements: int = MAX_ELEMENTS, *, keeps_links: bool = False
) -> Article:
    """Return the article on `page`; all fields are empty for a page without text.

    Bytes are decoded by their own labels; pass text if an HTTP header names the encoding. Pages longer than
    `MAX_HTML_CHARS`, or with more than `max_elements` elements, are read up to there. With `keeps_links`, links
    and notes within the text are written as Markdown.
    """
    whole = page if isinstance(page, str) else decode_html(page)
    source = whole[:MAX_HTML_CHARS]
    is_cut = len(whole) > len(source)
    tree = parse_html(source)
    if tree is None:
        text = _remove_leftovers(_without_tags(source))
        return Article("", text, is_cut=is_cut or len(text) >= MAX_TEXT_CHARS)
    is_cut = cut_after(tree, max_elements) or is_cut
    facts = facts_of(tree, url)
    if keeps_links:
        write_links(tree, url)
    prepare(tree)
    text = (
        _main_lines(tree, facts.title)
        or _remove_leftovers(html2txt(tree))
        or _remove_leftovers(_without_tags(source))
    )
    return Article(
        facts.title, text, facts.author, facts.published, is_cut=is_cut or len(text) >= MAX_TEXT_CHARS
    )


def _main_lines(tree: html.HtmlElement, title: str) -> str:
    lines = _remove_leftovers(_extracted(tree)).split("\n")
    lines = without_title(without_link_lists(lines, link_list_items(tree)), title)
    return "\n".join(add_missing_lines(lines, main_paragraphs(tree)))


def _extracted(tree: html.HtmlElement) -> str:
    """Return the text from the fast rules, or from all extractors if the rules find next to nothing."""
    text = _text_by(_RULES, tree)
    if len(text) < _LITTLE_CHARS and paragraph_chars(tree) > _MUCH_MORE * len(text):
        more = _text_by(_ALL_EXTRACTORS, tree)
        return more if len(more) > _MUCH_MORE * len(text) else text
    return text


def _text_by(options: Extractor, tree: html.HtmlElement) -> str:
    document = trafilatura.bare_extraction(tree, options=options)
    return "" if document is None or isinstance(document, dict) else document.text or ""


def _without_tags(source: str) -> str:
    return _CONTROL.sub("", _TAG.sub("\n", _UNSEEN.sub("\n", source)))


def _remove_leftovers(text: str) -> str:
    """Return `text` with single spaces and no empty lines, in Unicode's composed form (NFC)."""
    lines = _BLANK_LINES.sub("\n", _SPACES.sub(" ", text[:MAX_TEXT_CHARS]))
    return unicodedata.normalize("NFC", lines).strip()
