"""Parses HTML from any source, inspects its text structure, and repairs the tree before extraction.

Parsing time grows only with the length of the page: libxml2 follows elements 256 deep, while parsers without
such a limit search all open elements at each tag.
"""

import re
from collections import defaultdict
from itertools import islice
from urllib.parse import urljoin

from lxml import etree, html

_LONG_TAG = re.compile(rb"<[^<>]{20000,}>")
"""Tags with an inline image, or so many attributes that parsing takes quadratic time."""
_CONTROLS = bytes(code for code in range(0x20) if chr(code) not in "\t\n\r") + b"\x7f"


def parse_html(source: str) -> html.HtmlElement | None:
    """Return the tree of a page without levels nested hundreds deep, or None for an empty page."""
    data = _LONG_TAG.sub(b"", source.encode("utf-8", "ignore").translate(None, _CONTROLS))
    try:
        return html.document_fromstring(data, parser=_parser())
    except (etree.ParserError, etree.XMLSyntaxError):  # an empty document
        return None


def _parser() -> html.HTMLParser:
    """Return a new parser: lxml locks a parser while it parses, and pages are read in parallel."""
    # Comments and processing instructions contain no text for readers; ids are not looked up.
    return html.HTMLParser(
        collect_ids=False, default_doctype=False, encoding="utf-8", remove_comments=True, remove_pis=True
    )


# Never contain page text; removing them first also speeds up every later step.
_NO_TEXT = ("style", "svg", "template")
_UNSEEN = (
    "nav", "footer", "aside", "button", "select", "iframe", "video", "audio",
    "canvas", "dialog", "menu", "object", "embed", "map", "input", "textarea", "link", "meta", "datalist",
)  # fmt: skip
_SCRIPTS = etree.XPath("//script[not(@type='application/ld+json')]")
_HIDDEN = etree.XPath("//*[contains(@style, 'hidden') or contains(@style, 'none')]")
_BLOCKS = etree.XPath(
    "boolean(.//p | .//div | .//section | .//ul | .//ol | .//table | .//h1 | .//h2 | .//h3 | .//h4 | .//pre"
    " | .//blockquote | .//article | .//figure | .//form | .//dl)"
)
_LISTS = etree.XPath("//*[self::ul or self::ol][count(.//a) > 2]")
_NOT_LETTERS = re.compile(r"[\W\d_]+")
_LONG_HIDDEN_CHARS = 200
_MAIN_SHARE = 0.4
_LINK_SHARE = 0.6
"""Lists with this share of their text in links lead elsewhere: related news, menus, rankings."""
_HOLDERS = ("p", "li", "td", "th", "dd", "blockquote", "figcaption")
_MOST_LINKED = 0.9
"""A paragraph or item of which a larger part is links is navigation."""
_NOTE_NUMBER = re.compile(r"[\[(]?\s*(\d{1,4}|[a-z*†‡])\s*[\])]?")
_WAYS_BACK = frozenset("^↑↩⇑⤴")
_IN_ADDRESS = {" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "[": "%5B", "]": "%5D"}
_SHORTEST_PARAGRAPH_BYTES = 60
"""Twenty Chinese characters or a line of English."""


def prepare(tree: html.HtmlElement) -> None:
    """Repair `tree` in place, so that an extractor finds its text."""
    etree.strip_elements(tree, *_NO_TEXT, with_tail=False)
    for script in _SCRIPTS(tree):
        script.drop_tree()
    _keep_main_part(tree)
    etree.strip_elements(tree, *_UNSEEN, with_tail=False)
    _show_main_part(tree)
    for section in tree.iter("section"):
        # Editors such as WeChat's write paragraphs as sections; extractors look for <p>.
        if not _BLOCKS(section):
            section.tag = "p"


def write_links(tree: html.HtmlElement, url: str) -> None:
    """Write links within paragraphs, items and cells as Markdown, and links to notes of the page as `[^n]`.

    Lists of links to elsewhere and other links outside of sentences stay as they are.
    """
    base = tree.find(".//base[@href]")
    url = url if base is None else _address(url, base.get("href") or "") or url
    notes: dict[str, str] = {}
    is_text: dict[html.HtmlElement, bool] = {}
    for link in list(tree.iter("a")):
        holder = next(link.iterancestors(*_HOLDERS), None)
        if holder is None:
            continue
        if holder not in is_text:
            is_text[holder] = _is_text(holder)
        if is_text[holder]:
            _write_link(link, url, notes)
    for target in list(tree.iter()) if notes else ():
        number = notes.pop(target.get("id") or target.get("name") or "", None)
        if number is not None:
            block = target if target.tag in _HOLDERS else next(target.iterancestors(*_HOLDERS), target)
            block.text = f"[^{number}]: {(block.text or '').lstrip()}"


def _is_text(holder: html.HtmlElement) -> bool:
    """Say whether most of a paragraph, item or cell is no link, or it can be a note of the page."""
    if holder.get("id") or any(each.get("id") for each in holder.iter("cite", "span")):
        return True
    links = sum(len(_line(each)) for each in holder.iter("a"))
    return links < _MOST_LINKED * max(1, len(_line(holder)))


def _write_link(link: html.HtmlElement, url: str, notes: dict[str, str]) -> None:
    href, words = (link.get("href") or "").strip(), _line(link)
    note = _NOTE_NUMBER.fullmatch(words)
    if href.startswith("#"):
        if note:
            _replace_link(link, f"[^{notes.setdefault(href[1:], note[1])}]")
        elif words in _WAYS_BACK:
            _replace_link(link, "")
    elif words and (address := _address(url, href)):
        _replace_link(link, f"[{words.replace('[', '(').replace(']', ')')}]({address})")


def _replace_link(link: html.HtmlElement, words: str) -> None:
    for child in list(link):
        link.remove(child)
    link.text = words
    link.drop_tag()


def _address(url: str, href: str) -> str:
    """Return the address of a link without spaces and round brackets; empty if it leads to no web page."""
    try:
        address = urljoin(url, href)
    except ValueError:
        return ""
    if not address.startswith(("http://", "https://")):
        return ""
    return "".join(_IN_ADDRESS.get(char, char) for char in address)


def cut_after(tree: html.HtmlElement, count: int) -> bool:
    """Keep the first `count` elements in document order, at least one; return whether there were more."""
    first = next(islice(tree.iter(), max(1, count), None), None)
    if first is None:
        return False
    node = first
    while (parent := node.getparent()) is not None:
        keeps_node = node is not first
        if keeps_node:
            node.tail = None  # it comes after the cut
        del parent[parent.index(node) + keeps_node :]
        node = parent
    return True


def link_list_items(tree: html.HtmlElement) -> frozenset[str]:
    """Return the texts of all items of link lists, on one line each."""
    items: set[str] = set()
    for element in _LISTS(tree):
        links = element.iter("a")
        if sum(map(_letters, links)) >= _LINK_SHARE * _letters(element):
            items.update(_line(item) for item in element.iter("li"))
    return frozenset(items)


def paragraph_chars(tree: html.HtmlElement) -> int:
    """Return the total length of the paragraphs that are neither short nor mostly links."""
    return sum(len(text) for paragraph in tree.iter("p") if (text := _paragraph_text(paragraph)))


def main_paragraphs(tree: html.HtmlElement) -> list[str]:
    """Return the paragraphs in the kind of container that holds most text, in order.

    Containers are of one kind if their tag and classes are equal: some sites split an article into several
    blocks, with advertisements between them.
    """
    kinds: dict[tuple[str, str], list[str]] = defaultdict(list)
    for paragraph in tree.iter("p"):
        parent = paragraph.getparent()
        if parent is not None and (text := _paragraph_text(paragraph)):
            kinds[str(parent.tag), parent.get("class", "")].append(text)
    return max(kinds.values(), key=lambda texts: sum(map(len, texts)), default=[])


def _paragraph_text(paragraph: html.HtmlElement) -> str:
    """Return the text of a paragraph; empty if it is short, or if half of its text is links."""
    text = _line(paragraph)
    if len(text.encode()) < _SHORTEST_PARAGRAPH_BYTES:
        return ""
    return text if sum(len(_line(link)) for link in paragraph.iter("a")) * 2 <= len(text) else ""


def _keep_main_part(tree: html.HtmlElement) -> None:
    """Turn the element with most of the text into a div if its tag marks it as secondary content."""
    whole = 0
    for element in list(tree.iter("aside", "footer", "nav", "dialog", "menu")):
        chars = _visible_chars(element)
        if chars < _LONG_HIDDEN_CHARS:
            continue
        whole = whole or _visible_chars(tree)
        if chars > _MAIN_SHARE * whole and sum(map(_visible_chars, element.iter("a"))) < _MAIN_SHARE * chars:
            element.tag = "div"


def _show_main_part(tree: html.HtmlElement) -> None:
    """Remove `hidden` from the element with most of the text, which scripts would have shown."""
    whole = 0
    for element in _HIDDEN(tree):
        chars = _visible_chars(element)
        if chars < _LONG_HIDDEN_CHARS:
            continue
        whole = whole or _visible_chars(tree)
        if chars > _MAIN_SHARE * whole:
            del element.attrib["style"]


def _line(element: html.HtmlElement) -> str:
    return " ".join("".join(element.itertext()).split())


def _letters(element: html.HtmlElement) -> int:
    """Count letters only, because links to news come with dates, ranks and numbers of comments."""
    return len(_NOT_LETTERS.sub("", "".join(element.itertext())))


def _visible_chars(element: html.HtmlElement) -> int:
    return len("".join("".join(element.itertext()).split()))
