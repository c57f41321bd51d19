"""Parses the almost-XML that models write. It never fails; malformed input only yields fewer elements."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from html import unescape

_MAX_CHARS = 100_000
_THOUGHT = re.compile(
    r"<(think(?:ing)?|thought|reasoning)\b[^>]*>.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL
)
_END_OF_THOUGHT = re.compile(r"</(?:think(?:ing)?|thought|reasoning)\s*>", re.IGNORECASE)
_CDATA = re.compile(r"<!\[CDATA\[(.*?)(?:\]\]>|\Z)", re.DOTALL)
_ANY_TAG = re.compile(r"</?[A-Za-z_][\w:-]*\b[^<>]*>")
_FENCE = re.compile(r"```\w*")
_SPELLINGS = (
    (
        "question",
        "questions",
        "query",
        "queries",
        "search_question",
        "search_questions",
        "search_query",
        "search_queries",
        "web_query",
    ),
    ("verdict", "search_quality", "search_quality_verdict", "search_quality_reflection"),
    ("missing", "missing_information", "search_missing"),
    ("information", "informations", "finding", "findings", "fact", "facts"),
    ("need", "needs", "information_need"),
    ("rewrite", "rewritten", "rewritten_question", "question_rewrite"),
    ("links", "link", "url", "urls"),
    ("websearch", "web_search", "web"),
    ("knowledge", "knowledge_base", "knowledge_search", "files"),
)
"""Tag names that models use interchangeably; case, `-` and `_` are ignored."""
_END_OF_NAME = r"(?![\w-])"
_ATTRIBUTE = re.compile(r"([\w-]+)\s*=\s*(?:\"([^\"<>]*)\"|'([^'<>]*)'|([^\s\"'<>]+))")


@dataclass(frozen=True)
class Element:
    """An element: its name in lower case, its attributes, and its text on one line without tags.

    `is_closed` is false if the text was cut off inside it.
    """

    name: str
    text: str
    attributes: dict[str, str] = field(default_factory=dict)
    is_closed: bool = True


def elements(written: str, names: Iterable[str]) -> Iterator[Element]:
    """Yield the elements called `names` in order, from text that is fenced, truncated, unescaped or in prose.

    A name includes its common spellings (`search_query` for `query`) unless those are also in `names`; the
    element has the requested name. An unclosed element ends where the next one begins. A model's thoughts
    before its response are skipped.
    """
    text = strip_thoughts(written[-_MAX_CHARS:])
    asked = tuple(names)
    tag = re.compile(rf"<\s*(/?)\s*({names_pattern(*asked)})([^<>]*?)(/?)\s*>", re.IGNORECASE)
    open_tag: re.Match[str] | None = None
    for match in tag.finditer(text):
        if open_tag is not None:
            yield _element(open_tag, text[open_tag.end() : match.start()], asked)
            open_tag = None
        if match[4]:
            yield _element(match, "", asked)
        elif not match[1]:
            open_tag = match
    if open_tag is not None:
        yield _element(open_tag, text[open_tag.end() :], asked, is_closed=False)


def strip_thoughts(written: str) -> str:
    """Return what a model wrote after its thoughts, which it may also have left open at either end."""
    return _END_OF_THOUGHT.split(_THOUGHT.sub(" ", written))[-1]


def strip_tags(text: str) -> str:
    """Return the text of an element without tags, sections and fences, still escaped."""
    return _FENCE.sub(" ", _ANY_TAG.sub(" ", _CDATA.sub(r"\1", text)))


def names_pattern(*names: str) -> str:
    """Return a pattern without groups for any spelling of `names`, to be matched case-insensitively."""
    spelled = sorted({spelling for name in names for spelling in _spellings(name)}, key=len, reverse=True)
    return "(?:" + "|".join(re.escape(name).replace("_", "[-_]?") for name in spelled) + ")" + _END_OF_NAME


def asked_name(spelled: str, names: Iterable[str]) -> str:
    """Return the one of `names` of which a tag is a spelling, or else the tag itself in lower case."""
    bare = _bare(spelled)
    known = {_bare(spelling): name for name in names for spelling in _spellings(name)}
    exact = {_bare(name): name for name in names}
    return exact.get(bare) or known.get(bare) or spelled.lower()


@cache
def _spellings(name: str) -> tuple[str, ...]:
    return next((family for family in _SPELLINGS if name in family), (name,))


def _bare(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


def _element(tag: re.Match[str], inside: str, names: tuple[str, ...], *, is_closed: bool = True) -> Element:
    attributes = {
        name.lower(): unescape(quoted or single or bare)
        for name, quoted, single, bare in _ATTRIBUTE.findall(tag[3])
    }
    return Element(asked_name(tag[2], names), _plain(inside), attributes, is_closed)


def _plain(text: str) -> str:
    line = " ".join(unescape(strip_tags(text)).split())
    return "".join(char for char in line if char.isprintable())
