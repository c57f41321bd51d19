"""Exports a conversation as one HTML file, without scripts or external resources; marks link to the sources.

`shared_page` builds on it: there, marks show cards.
"""

import base64
import hashlib
import re
from collections import Counter
from html import escape, unescape
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

# Matches the output of our own renderer; text from a message contains no unescaped <.
_MARK = re.compile(r'<a class="citation" data-source="(\d+)" href="#source-\d+"([^>]*)>\d+</a>')
_SVG_CODE = re.compile(
    r'<pre class="code"[^>]* data-drawing="svg"><code[^>]*>(?P<code>.*?)</code></pre>', re.DOTALL
)
_TAG = re.compile(r"<[^<>]*>")
_SVG = "{http://www.w3.org/2000/svg}"
_NOTE = re.compile(r'(<li id="|<a href="#)footnote-')


def web_page_of(conversation: Conversation, labels: Labels) -> str:
    """Return a conversation as a self-contained HTML document."""
    return HtmlPage(conversation, labels).write()


class HtmlPage:
    """Writes one page. Subclasses add a script, what follows the lists, and what an entry or a mark has more."""

    style: ClassVar[tuple[str, ...]] = ("page/export.css", "page/code.css")
    script: ClassVar[str] = ""

    def __init__(self, conversation: Conversation, labels: Labels) -> None:
        self._conversation = conversation
        self._labels = labels
        self._used = UsedSources(conversation)
        self._is_alone = len(conversation.messages) == 1
        self._marks: Counter[int] = Counter()

    def write(self) -> str:
        """Return the page."""
        messages = enumerate(self._conversation.messages, 1)
        articles = "".join(self._article(index, message) for index, message in messages)
        lists = self._lists()
        title = escape(one_line(self._conversation.info.title))
        style = "".join(map(resource_text, self.style))
        loaded = ""
        if "<math" in articles:
            style += _math_font()
            loaded = "; font-src data:"
        if "<img alt=" in articles:
            loaded += "; img-src data:"
        script = resource_text(self.script) if self.script else ""
        scripts = f"; script-src '{_hash_of(script)}'" if script else ""
        ending = f"<script>{script}</script>\n" if script else ""
        return (
            f'<!doctype html>\n<html lang="{self._labels.language}">\n<head>\n<meta charset="utf-8">\n'
            f'<meta http-equiv="Content-Security-Policy" content="default-src \'none\'; '
            f"style-src '{_hash_of(style)}'{scripts}{loaded}; base-uri 'none'; form-action 'none'\">\n"
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
            '<meta name="referrer" content="no-referrer">\n<meta name="generator" content="Footnote">\n'
            f'<title>{title}</title>\n<style>{style}</style>\n</head>\n<body>\n<h1 dir="auto">{title}</h1>\n'
            f"{articles}{lists}{ending}</body>\n</html>\n"
        )

    def _lists(self) -> str:
        cited = self._list(self._labels.sources, self._used.cited)
        return cited + self._list(self._labels.not_cited, self._used.read)

    def _article(self, index: int, message: Message) -> str:
        is_user = message.speaker is Speaker.USER
        name = escape(heading_of(message, self._labels))
        heading = "" if self._is_alone else f'<h2 class="speaker">{name}</h2>\n'
        body = self._question(message) if is_user else self._answer(index, message)
        kind = "person" if is_user else "answer"
        return f'<article class="{kind}" aria-label="{name}">\n{heading}{body}</article>\n'

    def _question(self, message: Message) -> str:
        names = "".join(f"<li>{escape(name)}</li>" for name in attachment_names(message))
        files = f'<ul class="files">{names}</ul>\n' if names else ""
        return f'<p dir="auto">{escape(clean(message.text))}</p>\n{files}{self._ending(message)}'

    def _answer(self, index: int, message: Message) -> str:
        sources = message.sources_among(self._used.sources)
        rendered = render_message(message.text, sources, RenderTarget.PAGE, self._labels.source)
        self._used.note(rendered.cited)
        body = _NOTE.sub(rf"\g<1>footnote-{index}-", _MARK.sub(self._mark, rendered.html))
        body = _SVG_CODE.sub(_drawing, body)
        return f'<div class="text" dir="auto">\n{body}</div>\n{self._ending(message)}'

    def _ending(self, message: Message) -> str:
        status = format_status(message, self._labels)
        return f'<p class="ending">{escape(status)}</p>\n' if status else ""

    def _mark(self, match: re.Match[str]) -> str:
        """Give a mark an id so that its source can link back to it."""
        number = int(match[1])
        self._marks[number] += 1
        place = f"mark-{number}-{self._marks[number]}"
        more = self._mark_extras(number, self._marks[number])
        return f'<a id="{place}" class="citation" href="#source-{number}"{match[2]}{more}>[{number}]</a>'

    def _mark_extras(self, _number: int, _count: int) -> str:
        """Return further attributes of a mark, the `count`th of its number from 1."""
        return ""

    def _list(self, name: str, sources: tuple[Source, ...]) -> str:
        if not sources:
            return ""
        entries = "".join(map(self._entry, sources))
        return f'<section class="list">\n<h2>{escape(name)}</h2>\n<ul>\n{entries}</ul>\n</section>\n'

    def _entry(self, source: Source) -> str:
        title, address = escape(title_line(source, self._labels)), escape(web_address(source))
        linked = (
            f'<a href="{address}">{title}</a><span class="address">{address}</span>' if address else title
        )
        return (
            f'<li id="source-{source.number}"><span class="number">[{source.number}]</span><div dir="auto">{linked}'
            f'<span class="facts">{escape(facts_of(source, self._labels))}</span>{self._passage(source)}'
            f"{self._ways_back(source.number)}"
            "</div></li>\n"
        )

    def _passage(self, _source: Source) -> str:
        return ""

    def _ways_back(self, number: int) -> str:
        ways = "".join(
            f'<a href="#mark-{number}-{count}">↩ {count}</a>' for count in range(1, self._marks[number] + 1)
        )
        return f'<span class="back">{ways}</span>' if ways else ""


def _drawing(block: re.Match[str]) -> str:
    """Return the code of an SVG as an image, in which no script runs and nothing is loaded; the code if it is not valid."""
    code = unescape(_TAG.sub("", block["code"])).strip().encode(errors="replace")
    from lxml import etree  # noqa: PLC0415 - few answers have one

    try:
        root = etree.fromstring(code, etree.XMLParser(resolve_entities=False, no_network=True))
    except etree.XMLSyntaxError:
        return block[0]
    if root.tag != f"{_SVG}svg":
        return block[0]
    name = escape(one_line(root.findtext(f"{_SVG}title") or ""))
    return f'<p class="drawing"><img alt="{name}" src="data:image/svg+xml;base64,{base64.b64encode(code).decode()}"></p>'


def _math_font() -> str:
    """Return the style that brings the font of formulas along."""
    font = base64.b64encode((resources_dir() / "page/math/math.woff2").read_bytes()).decode()
    return f'@font-face {{ font-family: "Footnote Math"; src: url("data:font/woff2;base64,{font}") format("woff2"); }}\n'


def _hash_of(text: str) -> str:
    """Return the hash by which a content security policy allows an inline style or script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
