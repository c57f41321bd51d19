"""Reduces HTML to what a reader wants: title, text, author and date, which are also read from its head and JSON-LD."""

import json
import re
import unicodedata
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from email.utils import parsedate_to_datetime
from typing import Any

import trafilatura
from htmldate import find_date
from lxml import etree, html
from trafilatura.baseline import html2txt
from trafilatura.settings import Extractor

from desktop.text.decode import decode_html
from desktop.text.html_tree import (
    cut_after,
    link_list_items,
    main_paragraphs,
    paragraph_chars,
    parse_html,
    prepare,
    write_links,
)

# Names seen on news, blog, wiki and CMS pages; the first one present wins.
_TITLE_NAMES = ("og:title", "twitter:title", "dc.title", "citation_title", "headline")
_AUTHOR_NAMES = (
    "author", "article:author", "dc.creator", "dcterms.creator", "citation_author", "parsely-author",
    "sailthru.author", "byl", "og:article:author", "twitter:creator",
)  # fmt: skip
_DATE_NAMES = (
    "article:published_time", "og:article:published_time", "og:published_time", "datepublished",
    "citation_publication_date", "citation_date", "dc.date", "dc.date.issued", "dcterms.date",
    "dcterms.created", "parsely-pub-date", "sailthru.date", "publishdate", "publish_date", "pubdate",
    "publication_date", "date", "article.published", "rnews:datepublished", "datecreated",
)  # fmt: skip
_TITLE_SEPARATOR = re.compile(r"\s+[|–—·»-]\s+|\s*[|_]\s*")
_BYLINE = etree.XPath(
    "//*[@rel='author' or @itemprop='author' or contains(@class, 'byline') or contains(@class, 'author')]"
)
_DATED = etree.XPath("//*[@itemprop='datePublished' or @pubdate]")
_BY = re.compile(r"^\s*(?:by|von|par|por|作者|文|撰文|记者)\s*[:：/|]?\s+|^(?:作者|撰文)[:：]", re.IGNORECASE)
_NEAR_DATES = etree.XPath(
    "//*[contains(@class, 'time') or contains(@class, 'date') or contains(@id, 'time') or contains(@id, 'date')]"
)
_NEAR_DATES_READ = 8
_DAY = re.compile(r"((?:19|20)\d\d)\s*[-/.年]\s*(\d{1,2})\s*[-/.月]\s*(\d{1,2})(?!\d)")
_COMPACT_DAY = re.compile(r"^((?:19|20)\d\d)(\d\d)(\d\d)(?!\d)")
_LONGEST_FACT = 300
_LONGEST_AUTHOR = 100
_LONGEST_JSON = 500_000
_JSON_SCRIPTS = 10
_JSON_DEPTH = 6
_OLDEST = date(1990, 1, 1)


@dataclass(frozen=True)
class PageMetadata:
    """The metadata of a page; fields are empty if the page does not state them."""

    title: str = ""
    author: str = ""
    published: str = ""


def facts_of(tree: html.HtmlElement, url: str) -> PageMetadata:
    """Return the metadata of a parsed page; `url` may contain its date."""
    stated = _read_meta(tree)
    things = [thing for thing in _read_linked_data(tree) if "headline" in thing or "datePublished" in thing]
    return PageMetadata(
        title=_title(tree, stated, things),
        author=_author(tree, stated, things),
        published=_find_published(tree, url, stated, things),
    )


def _read_meta(tree: html.HtmlElement) -> dict[str, str]:
    """Return the values of the meta elements, the first per name, names in lower case."""
    stated: dict[str, str] = {}
    for meta in tree.iter("meta"):
        content = _line(meta.get("content", ""))
        if content:
            for attribute in ("property", "name", "itemprop"):
                stated.setdefault(meta.get(attribute, "").strip().lower(), content)
    return stated


def _read_linked_data(tree: html.HtmlElement) -> Iterator[dict[str, Any]]:
    scripts = tree.xpath("//script[@type='application/ld+json']")
    for script in scripts[:_JSON_SCRIPTS]:
        text = script.text or ""
        if len(text) > _LONGEST_JSON:
            continue
        try:
            yield from _json_objects(json.loads(text, strict=False), 0)
        except (ValueError, RecursionError):  # pages contain invalid JSON; other places may have the data
            continue


def _json_objects(value: Any, depth: int) -> Iterator[dict[str, Any]]:
    if depth > _JSON_DEPTH:
        return
    if isinstance(value, list):
        for item in value:
            yield from _json_objects(item, depth + 1)
    elif isinstance(value, dict):
        yield value
        yield from _json_objects(value.get("@graph"), depth + 1)
        yield from _json_objects(value.get("mainEntity"), depth + 1)


def _title(tree: html.HtmlElement, stated: dict[str, str], things: list[dict[str, Any]]) -> str:
    for name in _TITLE_NAMES:
        if name in stated:
            return stated[name]
    for thing in things:
        if headline := _line(thing.get("headline")):
            return headline
    title = _line(tree.findtext(".//title"))
    headings = [text for heading in tree.iter("h1") if (text := _line(heading.text_content()))]
    for heading in headings:
        if heading in title or not title:
            return heading
    first = _TITLE_SEPARATOR.split(title)[0]
    return first if len(first) * 2 > len(title) else title


def _author(tree: html.HtmlElement, stated: dict[str, str], things: list[dict[str, Any]]) -> str:
    candidates = [stated.get(name, "") for name in _AUTHOR_NAMES]
    candidates += [", ".join(_names(thing.get("author"))) for thing in things]
    for candidate in candidates:
        if _is_name(candidate):
            return _BY.sub("", candidate)
    for element in _BYLINE(tree)[:5]:
        name = _BY.sub("", _line(element.text_content()))
        if _is_name(name):
            return name
    return ""


def _names(value: Any) -> list[str]:
    if isinstance(value, dict):
        value = value.get("name")
    if isinstance(value, list):
        return [name for item in value[:5] for name in _names(item)]
    return [name] if (name := _line(value)) else []


def _is_name(text: str) -> bool:
    return bool(text) and len(text) <= _LONGEST_AUTHOR and not re.search(r"https?:|www\.|[@{<]", text)


def _find_published(
    tree: html.HtmlElement, url: str, stated: dict[str, str], things: list[dict[str, Any]]
) -> str:
    for candidate in _date_candidates(tree, stated, things):
        if day := _iso_day(candidate):
            return day
    found = find_date(tree, extensive_search=False, original_date=True, url=url or None)
    return found or next(filter(None, map(_iso_day, map(_line_of, _NEAR_DATES(tree)[:_NEAR_DATES_READ]))), "")


def _date_candidates(
    tree: html.HtmlElement, stated: dict[str, str], things: list[dict[str, Any]]
) -> Iterator[str]:
    for name in _DATE_NAMES:
        yield stated.get(name, "")
    for thing in things:
        yield _line(thing.get("datePublished"))
    for element in _DATED(tree)[:3]:
        yield _line(element.get("datetime") or element.get("content") or element.text_content())


def _iso_day(text: str) -> str:
    match = _DAY.search(text) or _COMPACT_DAY.search(text)
    try:
        day = date(*map(int, match.groups())) if match else parsedate_to_datetime(text).date()
    except (ValueError, TypeError, IndexError):
        return ""
    tomorrow = datetime.now(UTC).date() + timedelta(days=1)
    return day.isoformat() if _OLDEST <= day <= tomorrow else ""


def _line_of(element: html.HtmlElement) -> str:
    return _line(element.text_content())


def _line(value: Any) -> str:
    """Return `value` on one line if it is a text, or else an empty string."""
    return " ".join(value.split())[:_LONGEST_FACT] if isinstance(value, str) else ""


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
    lines = _remove_leftovers(_extract(tree)).split("\n")
    lines = without_title(without_link_lists(lines, link_list_items(tree)), title)
    return "\n".join(add_missing_lines(lines, main_paragraphs(tree)))


def _extract(tree: html.HtmlElement) -> str:
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
