"""HTML: the main text of a page; XML: feeds as entries with titles, other files as the text between tags."""

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.message import EmailMessage
from email.policy import default as modern
from pathlib import Path
from typing import Any

from lxml import etree

from desktop.errors import CorruptFile, NothingToRead
from desktop.knowledge.loaders.document import (
    Document,
    DocumentPart,
    HeadingPath,
    LoaderContext,
    add_heading,
    document_of,
    first_of,
    section_of,
)
from desktop.knowledge.loaders.plain import read_bytes
from desktop.phrases import translatable
from desktop.text.decode import decode_html
from desktop.text.html_article import MAX_HTML_CHARS, main_text
from desktop.text.html_tree import parse_html

_HEADING_TAGS = ("h1", "h2", "h3", "h4", "h5", "h6")

_MAX_ELEMENTS = 150_000
"""Maximum number of elements, which takes 5 to 25 s; files may take longer than pages that the user waits
for.
"""


def load_html(path: Path, context: LoaderContext) -> Document:
    """Load the main text of a saved web page, by headings.

    Raises:
        NothingToRead: the page has no text.
    """
    html = decode_html(read_bytes(path))
    return _document(path, html, path.absolute().as_uri(), keeps_links=context.keeps_links)


def load_mhtml(path: Path, context: LoaderContext) -> Document:
    """Load the main text of a web page saved with its resources in one file.

    Raises:
        CorruptFile: it contains no page.
        NothingToRead: the page has no text.
    """
    message = message_from_bytes(read_bytes(path), EmailMessage, policy=modern)
    for part in message.walk():
        payload = part.get_payload(decode=True)
        if part.get_content_type() == "text/html" and isinstance(payload, bytes):
            html = decode_html(payload, declared=_charset(part))
            return _document(path, html, path.absolute().as_uri(), keeps_links=context.keeps_links)
    raise CorruptFile(name=path.name, detail=translatable("there is no web page in it"))


def _charset(part: EmailMessage) -> str:
    try:
        return part.get_content_charset() or ""
    except (ValueError, LookupError, AttributeError):  # an invalid header field
        return ""


def _document(path: Path, html: str, url: str, *, keeps_links: bool) -> Document:
    article = main_text(html, url, _MAX_ELEMENTS, keeps_links=keeps_links)
    parts = _under_headings(article.text, _headings(html[:MAX_HTML_CHARS]))
    document = document_of(article.title, parts, is_cut=article.is_cut)
    if not document.parts:
        raise NothingToRead(name=path.name, detail=translatable("The page has no text of its own."))
    return document


def _headings(html: str) -> dict[str, int]:
    """Return the headings of a page with their levels."""
    tree = parse_html(html)
    found = [] if tree is None else list(tree.iter(*_HEADING_TAGS))
    return {" ".join(tag.text_content().split()): int(str(tag.tag)[1]) for tag in reversed(found)}


def _under_headings(text: str, headings: dict[str, int]) -> Iterator[DocumentPart]:
    """Split a text before each line that is a heading."""
    lines: list[str] = []
    path: HeadingPath = ()
    for line in text.splitlines():
        level = headings.get(" ".join(line.split()))
        if level is not None and line.strip():
            yield _part(lines, path)
            path = add_heading(path, level, line.strip())
            lines = []
        lines.append(line)
    yield _part(lines, path)


def _part(lines: list[str], path: HeadingPath) -> DocumentPart:
    return DocumentPart("\n".join(lines), section=section_of(path))


_DECLARATION = re.compile(r"\A\s*<\?xml[^>]*\?>")
_ENTRIES = frozenset({"item", "entry"})
_TAGS = re.compile(r"<[a-zA-Z/!][^<>]*>")


def load_xml(path: Path, _context: LoaderContext) -> Document:
    """Load XML, even if damaged; no entities, as they could include files or expand to gigabytes."""
    text, is_cut = first_of(_DECLARATION.sub("", decode_html(read_bytes(path)), count=1))
    root = _root(text)
    if root is None:
        return document_of("", [DocumentPart(text)], is_cut=is_cut)
    elements = list(root.iter())
    entries: list[Any] = []
    inside: set[Any] = set()
    for element in elements:
        if _name(element) in _ENTRIES and element not in inside:  # a nested one is part of the outer one
            entries.append(element)
            inside.update(element.iter())
    around = [element for element in elements if element not in inside]
    title = next((_plain(element) for element in around if _name(element) == "title"), "")
    parts = [DocumentPart("\n".join(_texts(around)))]
    for entry in entries:
        lines = list(_texts(list(entry.iter())))
        heading = next((_plain(child) for child in entry if _name(child) == "title"), "")
        parts.append(DocumentPart("\n".join(lines), section=heading))
    return document_of(title, parts, is_cut=is_cut)


def _root(text: str) -> Any:
    parser = etree.XMLParser(
        recover=True, resolve_entities=False, no_network=True, remove_comments=True, remove_pis=True
    )
    try:
        return etree.fromstring(text.encode("utf-8", "replace"), parser)
    except etree.XMLSyntaxError:
        return None


def _texts(elements: list[Any]) -> Iterator[str]:
    for element in elements:
        for text in (element.text, element.tail):
            if text and (shown := _without_tags(text)):
                yield shown


def _name(element: Any) -> str:
    return etree.QName(element).localname if isinstance(element.tag, str) else ""


def _plain(element: Any) -> str:
    return " ".join(_without_tags(element.text or "").split())


def _without_tags(text: str) -> str:
    """Remove HTML tags from escaped HTML in XML, as in feeds."""
    if _TAGS.search(text):
        tree = parse_html(text)
        text = "" if tree is None else "\n".join(tree.itertext())
    return "\n".join(line for line in map(str.strip, text.splitlines()) if line)
