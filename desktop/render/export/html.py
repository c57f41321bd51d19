"""Exports a conversation as one HTML file, without scripts or external resources; marks link to the sources.

`shared_page` builds on it: there, marks show cards.
"""

import base64
import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from html import unescape
from typing import ClassVar

from desktop.domain.messages import Conversation, Message, Speaker
from desktop.domain.sources import Source
from desktop.render.export.common_parts import (
    UsedSources,
    attachment_names,
    clean,
    format_status,
    heading_of,
    one_line,
)
from desktop.render.export.source_list import facts_of, title_line, web_address
from desktop.render.labels import Labels
from desktop.render.markdown.tree import RenderTarget
from desktop.render.message import render_message
from desktop.resources import resource_text, resources_dir
from desktop.text.html_element import EMPTY, Html, element, fragment

# Matches the output of our own renderer; text from a message contains no unescaped <.
_MARK = re.compile(
    r'<a class="citation" data-source="(\d+)" href="#source-\d+" role="doc-noteref" aria-label="([^"]*)">\d+</a>'
)
_SVG_CODE = re.compile(
    r'<pre class="code"[^>]* data-drawing="svg"><code[^>]*>(?P<code>.*?)</code></pre>', re.DOTALL
)
_TAG = re.compile(r"<[^<>]*>")
_HEAD_BYTES = 6_000
"""More than a page takes besides its style, its articles and its lists."""
_SVG = "{http://www.w3.org/2000/svg}"
_NOTE = re.compile(r'(<li id="|<a href="#)footnote-')


def web_page_of(conversation: Conversation, labels: Labels) -> Html:
    """Return a conversation as a self-contained HTML document."""
    return HtmlPage(conversation, labels).write()


class HtmlPage:
    """Writes one page. Subclasses add a script, what follows the lists, and what an entry or a mark has more."""

    style: ClassVar[tuple[str, ...]] = ("page/export.css", "page/code.css")
    script: ClassVar[str] = ""
    most_bytes: ClassVar[int] = 0
    """The font of formulas may be a smaller one, or left out, so that the page takes no more; 0 is no limit."""

    def __init__(self, conversation: Conversation, labels: Labels) -> None:
        self._conversation = conversation
        self._labels = labels
        self._used = UsedSources(conversation)
        self._is_alone = len(conversation.messages) == 1
        self._marks: Counter[int] = Counter()

    def write(self) -> Html:
        """Return the page."""
        messages = enumerate(self._conversation.messages, 1)
        articles = fragment(*(self._article(index, message) for index, message in messages))
        lists = self._lists()
        title = one_line(self._conversation.info.title)
        style = "".join(map(resource_text, self.style))
        loaded = ""
        if "<math" in articles:
            room = self.most_bytes - _bytes_of(articles, lists, style) - _HEAD_BYTES
            if font := _math_font(room if self.most_bytes else None):
                style += font
                loaded = "; font-src data:"
        if "<img alt=" in articles:
            loaded += "; img-src data:"
        script = resource_text(self.script) if self.script else ""
        scripts = f"; script-src '{_hash_of(script)}'" if script else ""
        policy = f"default-src 'none'; style-src '{_hash_of(style)}'{scripts}{loaded}; base-uri 'none'; form-action 'none'"
        head = (
            element("meta", charset="utf-8"),
            element("meta", http_equiv="Content-Security-Policy", content=policy),
            element("meta", name="viewport", content="width=device-width, initial-scale=1"),
            element("meta", name="referrer", content="no-referrer"),
            element("meta", name="generator", content="Footnote"),
            element("title", title),
            element("style", Html(style)),
        )
        ending = fragment(element("script", Html(script)), "\n") if script else None
        content = element("main", "\n", element("h1", title, dir="auto"), "\n", articles, lists)
        page = element(
            "html",
            "\n",
            element("head", "\n", *(part for each in head for part in (each, "\n"))),
            "\n",
            element("body", "\n", content, "\n", ending),
            "\n",
            lang=self._labels.language,
        )
        return fragment(Html("<!doctype html>"), "\n", page, "\n")

    def _lists(self) -> Html:
        cited = self._list(self._labels.sources, self._used.cited)
        return fragment(cited, self._list(self._labels.not_cited, self._used.read))

    def _article(self, index: int, message: Message) -> Html:
        is_user = message.speaker is Speaker.USER
        name = heading_of(message, self._labels)
        heading = EMPTY if self._is_alone else fragment(element("h2", name, class_="speaker"), "\n")
        body = self._question(message) if is_user else self._answer(index, message)
        kind = "person" if is_user else "answer"
        return fragment(element("article", "\n", heading, body, class_=kind, aria_label=name), "\n")

    def _question(self, message: Message) -> Html:
        names = [element("li", name) for name in attachment_names(message)]
        files = fragment(element("ul", *names, class_="files"), "\n") if names else None
        text = element("p", clean(message.text), dir="auto")
        return fragment(text, "\n", files, self._ending(message))

    def _answer(self, index: int, message: Message) -> Html:
        sources = message.sources_among(self._used.sources)
        rendered = render_message(message.text, sources, RenderTarget.PAGE, self._labels.source)
        self._used.note(rendered.cited)
        body = _NOTE.sub(rf"\g<1>footnote-{index}-", _MARK.sub(self._mark, rendered.html))
        body = Html(_SVG_CODE.sub(_drawing, body))
        return fragment(element("div", "\n", body, class_="text", dir="auto"), "\n", self._ending(message))

    def _ending(self, message: Message) -> Html:
        status = format_status(message, self._labels)
        return fragment(element("p", status, class_="ending"), "\n") if status else EMPTY

    def _mark(self, match: re.Match[str]) -> Html:
        """Give a mark an id so that its source can link back to it."""
        number = int(match[1])
        self._marks[number] += 1
        count = self._marks[number]
        return element(
            "a",
            f"[{number}]",
            id=f"mark-{number}-{count}",
            class_="citation",
            href=f"#source-{number}",
            role="doc-noteref",
            aria_label=unescape(match[2]),
            **self._mark_extras(number, count),
        )

    def _mark_extras(self, _number: int, _count: int) -> dict[str, str]:
        """Return further attributes of a mark, the `count`th of its number from 1."""
        return {}

    def _list(self, name: str, sources: tuple[Source, ...]) -> Html:
        if not sources:
            return EMPTY
        entries = element("ul", "\n", *map(self._entry, sources))
        return fragment(
            element("section", "\n", element("h2", name), "\n", entries, "\n", class_="list"), "\n"
        )

    def _entry(self, source: Source) -> Html:
        title, address = title_line(source, self._labels), web_address(source)
        number = element("span", f"[{source.number}]", class_="number")
        content = element(
            "div",
            element("a", title, href=address) if address else title,
            element("span", address, class_="address") if address else None,
            element("span", facts_of(source, self._labels), class_="facts"),
            self._passage(source),
            self._ways_back(source.number),
            dir="auto",
        )
        return fragment(element("li", number, content, id=f"source-{source.number}"), "\n")

    def _passage(self, _source: Source) -> Html:
        return EMPTY

    def _ways_back(self, number: int) -> Html:
        return links_back(number, range(1, self._marks[number] + 1)) if self._marks[number] else EMPTY


def links_back(number: int, counts: Iterable[int]) -> Html:
    """Return the links from a source to its marks, by their counts from 1."""
    links = (element("a", f"↩ {count}", href=f"#mark-{number}-{count}") for count in counts)
    return element("span", *links, class_="back")


def _drawing(block: re.Match[str]) -> str:
    """Return the code of an SVG as an image, in which no script runs and nothing is loaded; the code if it is not valid."""
    code = unescape(_TAG.sub("", block["code"])).strip().encode(errors="replace")
    from lxml import etree  # noqa: PLC0415 - few answers have one

    try:
        root = etree.fromstring(code, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return block[0]
    if root.tag == "svg":  # a page needs no namespace for it, a file does
        written = etree.tostring(
            root, with_tail=False
        )  # without comments before it, which can have the tag, too
        code = written.replace(b"<svg", b'<svg xmlns="http://www.w3.org/2000/svg"', 1)
    elif root.tag != f"{_SVG}svg":
        return block[0]
    name = one_line(root.findtext("{*}title") or "")
    address = f"data:image/svg+xml;base64,{base64.b64encode(code).decode()}"
    return element("p", element("img", alt=name, src=address), class_="drawing")


def _math_font(most_bytes: int | None = None) -> str:
    """Return the style that brings the font of formulas along, or the one with the common characters; empty if neither fits.

    Without a font, and for characters that it lacks, the font of the system is used.
    """
    for name in ("math", "math-common"):
        font = base64.b64encode((resources_dir() / f"page/math/{name}.woff2").read_bytes()).decode()
        if most_bytes is None or len(font) <= most_bytes:
            return f'@font-face {{ font-family: "Footnote Math"; src: url("data:font/woff2;base64,{font}") format("woff2"); }}\n'
    return ""


def _bytes_of(*texts: str) -> int:
    return sum(len(text.encode(errors="replace")) for text in texts)


def _hash_of(text: str) -> str:
    """Return the hash by which a content security policy allows an inline style or script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
