"""Elements in the almost-XML that models write. Reading it never fails, it finds less."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import unescape

_MAX_CHARS = 100_000
_THOUGHT = re.compile(
    r"<(think(?:ing)?|thought|reasoning)\b[^>]*>.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL
)
_END_OF_THOUGHT = re.compile(r"</(?:think(?:ing)?|thought|reasoning)\s*>", re.IGNORECASE)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL)
_ANY_TAG = re.compile(r"</?[A-Za-z_][\w:-]*\b[^<>]*>")
_FENCE = re.compile(r"```\w*")
_ATTRIBUTE = re.compile(r"([\w-]+)\s*=\s*(?:\"([^\"<>]*)\"|'([^'<>]*)'|([^\s\"'<>]+))")


@dataclass(frozen=True)
class Element:
    """One element: its name in lower case, its attributes, its text on one line without tags.

    `is_closed` is false where the text was cut off inside of it.
    """

    name: str
    text: str
    attributes: dict[str, str] = field(default_factory=dict)
    is_closed: bool = True


def elements(written: str, names: Iterable[str]) -> Iterator[Element]:
    """Yield the elements called `names` in order: fenced, cut off, unescaped or wrapped in prose.

    An element that is not closed ends where the next one begins. What a model thought before it wrote
    does not count.
    """
    text = _END_OF_THOUGHT.split(_THOUGHT.sub(" ", written[-_MAX_CHARS:]))[-1]
    wanted = "|".join(map(re.escape, names))
    tag = re.compile(rf"<\s*(/?)\s*({wanted})\b([^<>]*?)(/?)\s*>", re.IGNORECASE)
    open_tag: re.Match[str] | None = None
    for match in tag.finditer(text):
        if open_tag is not None:
            yield _element(open_tag, text[open_tag.end() : match.start()])
            open_tag = None
        if match[4]:
            yield _element(match, "")
        elif not match[1]:
            open_tag = match
    if open_tag is not None:
        yield _element(open_tag, text[open_tag.end() :], is_closed=False)


def _element(tag: re.Match[str], inside: str, *, is_closed: bool = True) -> Element:
    attributes = {
        name.lower(): unescape(quoted or single or bare)
        for name, quoted, single, bare in _ATTRIBUTE.findall(tag[3])
    }
    return Element(tag[2].lower(), _plain(inside), attributes, is_closed)


def _plain(text: str) -> str:
    bare = _FENCE.sub(" ", _ANY_TAG.sub(" ", _CDATA.sub(r"\1", text)))
    line = " ".join(unescape(bare).split())
    return "".join(char for char in line if char.isprintable())
