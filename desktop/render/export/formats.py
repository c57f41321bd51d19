"""The export formats, file names, and clipboard contents."""

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

from desktop.domain.messages import Conversation, Speaker
from desktop.domain.sources import Source
from desktop.render.export.common_parts import UsedSources, format_status, with_claims
from desktop.render.export.html import web_page_of
from desktop.render.export.markdown import markdown_of
from desktop.render.export.picture import picture_page_of
from desktop.render.export.printed_page import printed_page_of
from desktop.render.export.source_list import bibtex_list, facts_of, title_line, web_address
from desktop.render.labels import Labels
from desktop.render.markdown.tree import RenderTarget
from desktop.render.message import render_message
from desktop.text.html_element import EMPTY, Html, element, fragment


class Format(StrEnum):
    """An export format for conversations; the value is the file suffix.

    PDF and pictures are printed from the HTML, which needs a web engine.
    """

    MARKDOWN = "md"
    HTML = "html"
    PDF = "pdf"
    PICTURE = "png"
    WORD = "docx"
    BIBTEX = "bib"


def export_conversation(conversation: Conversation, kind: Format, labels: Labels) -> bytes:
    """Return a whole conversation as the bytes of a file; text is UTF-8, lone surrogates become `?`.

    Each source is included once under its number: first the cited ones, then those that were only read. For
    PDF and pictures the result is the HTML to print. To export one or several answers, see `only`. The duration grows with
    the text and is longest for Word: do not call this from a thread that must respond to the user.
    """
    return _MAKERS[kind](with_claims(conversation, labels), labels)


def only(conversation: Conversation, message_id: str) -> Conversation:
    """Return a conversation with only one of its messages; a single message is exported without headings."""
    kept = tuple(message for message in conversation.messages if message.id == message_id)
    return replace(conversation, messages=kept)


def list_used_sources(conversation: Conversation) -> tuple[Source, ...]:
    """Return the sources that the messages of a conversation cite or were given, by number."""
    used = UsedSources(conversation)
    for message in conversation.messages:
        if message.speaker is Speaker.MODEL:
            used.note(render_message(message.text, message.sources_among(conversation.sources)).cited)
    return tuple(sorted((*used.cited, *used.read), key=lambda source: source.number))


def _markdown(conversation: Conversation, labels: Labels) -> bytes:
    return markdown_of(conversation, labels).encode(errors="replace")


def _html(conversation: Conversation, labels: Labels) -> bytes:
    return web_page_of(conversation, labels).encode(errors="replace")


def _html_to_print(conversation: Conversation, labels: Labels) -> bytes:
    return printed_page_of(conversation, labels).encode(errors="replace")


def _word(conversation: Conversation, labels: Labels) -> bytes:
    from desktop.render.export.docx import word_of  # noqa: PLC0415 - imported at the first export to Word

    return word_of(conversation, labels)


def _bibtex(conversation: Conversation, labels: Labels) -> bytes:
    return f"{bibtex_list(list_used_sources(conversation), labels)}\n".encode(errors="replace")


_MAKERS: dict[Format, Callable[[Conversation, Labels], bytes]] = {
    Format.MARKDOWN: _markdown,
    Format.HTML: _html,
    Format.PDF: _html_to_print,
    Format.PICTURE: picture_page_of,
    Format.WORD: _word,
    Format.BIBTEX: _bibtex,
}


MAX_BYTES: Final = 150
"""In UTF-8; file systems allow 255, including the suffix and a number, and some folders allow less."""
_LOOKED_AT: Final = 20 * MAX_BYTES
"""Number of characters of a title that are examined; later ones never reach the file name."""

_FORBIDDEN = re.compile(r'[<>:"/\\|?*]+')
_DEVICES = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$)(?:\..*)?", re.IGNORECASE)
_INVISIBLE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})


def file_name(title: str, suffix: str, fallback: str) -> str:
    """Return a file name valid on Windows, macOS and Linux; `fallback` if nothing of the title remains.

    Letters of all scripts are kept; invisible characters, such as direction marks, are removed.
    """
    composed = unicodedata.normalize("NFC", title[:_LOOKED_AT])
    seen = "".join(char if unicodedata.category(char) not in _INVISIBLE else " " for char in composed)
    words = " ".join(_FORBIDDEN.sub(" ", seen).split())
    name = _cut(words).strip(" .")
    if not name:
        name = fallback
    elif _DEVICES.fullmatch(name):
        name = f"{name}_"
    return f"{name}.{suffix}"


def _cut(words: str) -> str:
    """Return as much as fits, without cutting a character or, if there are spaces, a word."""
    fitting = words.encode()[:MAX_BYTES].decode(errors="ignore")
    if fitting == words:
        return words
    while fitting and unicodedata.combining(words[len(fitting)]):
        fitting = fitting[:-1]
    space = fitting.rfind(" ")
    return fitting[:space] if space > len(fitting) // 2 else fitting


_MARK = re.compile(r'<a class="citation" data-source="(\d+)"[^>]*>\d+</a>')
_NOTE_LINK = re.compile(r'<a href="#footnote-[^>]*>(.*?)</a>')
_NOTE = re.compile(r'<li(?: id="footnote-[^"]*")? data-label="([^"]*)">\n<p>')
_TAG = re.compile(r"<[a-z][^<>]*>")
_FOR_OUR_PAGE = re.compile(r' (?:class|id|data-[a-z]+|role|aria-label)="[^"]*"')
_COLOURS = re.compile(r"<span>([^<]*)</span>")


@dataclass(frozen=True)
class Clip:
    """The same content in two formats; `html` is empty for plain text."""

    text: str
    html: Html = EMPTY


def answer_clip(conversation: Conversation, labels: Labels) -> Clip:
    """Return the answer that is the only message of `conversation`, with its cited sources."""
    (message,) = conversation.messages
    sources = message.sources_among(conversation.sources)
    rendered = render_message(message.text, sources, RenderTarget.PAGE, labels.source)
    used = UsedSources(conversation)
    used.note(rendered.cited)
    by_number = {source.number: source for source in used.cited}
    marked = _MARK.sub(lambda mark: _mark(by_number[int(mark[1])]), rendered.html)
    body = _bare(_NOTE.sub(r"<li><p>[\1] ", _NOTE_LINK.sub(r"[\1]", marked)))
    status = format_status(message, labels)
    ending = element("p", element("em", status)) if status else None
    entries = [element("p", f"[{source.number}] ", _entry(source, labels)) for source in used.cited]
    heading = element("p", element("strong", labels.sources)) if entries else None
    return Clip(markdown_of(conversation, labels), fragment(body, ending, heading, *entries))


def _mark(source: Source) -> Html:
    """Return a mark that links to the web page itself, as pasted text has no source list to link to."""
    address, shown = web_address(source), f"[{source.number}]"
    return element("a", shown, href=address) if address else fragment(shown)


def _entry(source: Source, labels: Labels) -> Html:
    title, address = title_line(source, labels), web_address(source)
    linked = element("a", title, href=address) if address else title
    return fragment(linked, f" · {facts_of(source, labels)}")


def _bare(html: str) -> Html:
    """Remove what only our own page understands."""
    return Html(_COLOURS.sub(r"\1", _TAG.sub(lambda tag: _FOR_OUR_PAGE.sub("", tag[0]), html)))
