"""Messages for the user that are written outside the window: in English, translated when they are shown.

A module that reports something writes it as `translatable("… {field} …")` and fills in its fields. It is passed
on and stored as plain English, so that the command line, logs and saved conversations need nothing more. Where
it is shown, `localize` recognises the sentences and translates them to the current language. The translations
are in `resources/translations/phrases_*.toml`, including those of the templates of `errors`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache, lru_cache

from desktop.resources import resource_text

_TABLES = {"zh": "translations/phrases_zh_CN.toml"}
_KNOWN_TEXTS = 1_024
_MAX_CHARS = 4_000
"""Longer texts are not ours; matching our sentences in a megabyte of server output would take minutes."""

_DEPTH = 4
_FIELD = re.compile(r"\{(\w+)\}")
_LAST_FIELD = re.compile(r"\{\w+\}$")
_FLAGS = re.DOTALL | re.IGNORECASE
_WITHIN_SENTENCE = r"(?:(?<![.!?])\s|\S)"
_SENTENCE_END = r"(?=$|(?<=[.!?])\s)"
_NEXT_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_SPACE = re.compile(r"\s+")
_ENDS_WITHOUT_SPACE = ("。", "！", "？")


def translatable(template: str) -> str:
    """Mark a sentence, or part of one, that the user may read; it takes a literal with named fields."""
    return template


def pluralize(forms: tuple[str, str], count: int, **fields: object) -> str:
    """Return the form for one or for many with its `{count}`, such as “1 line” or “3 lines”."""
    return forms[0 if count == 1 else 1].format(count=count, **fields)


@lru_cache(maxsize=_KNOWN_TEXTS)
def localize(english: str, language: str) -> str:
    """Return `english` with every known sentence translated to `language`, such as `zh_CN` or `zh-CN`.

    Text that does not come from Footnote, such as server messages, is left unchanged.
    """
    table = _TABLES.get(language[:2].lower())
    if table is None or len(english) > _MAX_CHARS:
        return english
    return _told(english, _phrases(table), _DEPTH)


@dataclass(frozen=True)
class _Phrase:
    pattern: re.Pattern[str]
    translation: str
    has_field_first: bool

    def words_from(self, match: re.Match[str]) -> int:
        """Return where the literal words of the template begin in a match."""
        return match.end(1) if self.has_field_first else match.start()


def _told(english: str, phrases: Iterable[_Phrase], depth: int) -> str:
    """Translate `english` sentence by sentence; fields may contain sentences themselves, up to `depth` levels."""
    if depth == 0:
        return english
    said = ""
    start = 0
    while start < len(english):
        end = _next_sentence(english, start)
        piece = english[start:end]
        if found := _recognised(english, start, phrases):
            known, match = found
            fields = {name: _told(value, phrases, depth - 1) for name, value in match.groupdict().items()}
            piece, end = known.translation.format(**fields), match.end()
        space = _SPACE.match(english, end)
        said += piece if piece.endswith(_ENDS_WITHOUT_SPACE) or space is None else piece + space.group()
        start = end if space is None else space.end()
    return said


def _recognised(text: str, start: int, phrases: Iterable[_Phrase]) -> tuple[_Phrase, re.Match[str]] | None:
    """Return the phrase at `start`: among several, the one whose literal words begin first."""
    matches = ((known, match) for known in phrases if (match := known.pattern.match(text, start)))
    return min(matches, key=lambda found: found[0].words_from(found[1]), default=None)


def _next_sentence(text: str, start: int) -> int:
    """Return the end of the sentence that begins at `start`."""
    found = _NEXT_SENTENCE.search(text, start)
    return found.start() if found else len(text)


@cache
def _phrases(table: str) -> tuple[_Phrase, ...]:
    """Read a translation table; phrases with the longest literal text come first."""
    import tomllib  # noqa: PLC0415 - English needs no table

    found = {
        template: translation
        for section in tomllib.loads(resource_text(table)).values()
        for template, translation in section.items()
    }
    ordered = sorted(found, key=lambda template: len(_FIELD.sub("", template)), reverse=True)
    return tuple(_compiled(template, found[template]) for template in ordered)


def _compiled(template: str, translation: str) -> _Phrase:
    """Compile a phrase; the end of a field at the very end is left open, as it may contain several sentences."""
    end = _SENTENCE_END
    if last := _LAST_FIELD.search(template):
        end = ""
        template, translation = template[: last.start()], translation.removesuffix(last.group())
    return _Phrase(re.compile(_pattern(template) + end, _FLAGS), translation, template.startswith("{"))


def _pattern(template: str) -> str:
    first, *rest = _FIELD.split(template)
    words = re.escape(first)
    for name, after in zip(rest[::2], rest[1::2], strict=True):
        words += f"(?P<{name}>{_field(after)}){re.escape(after)}"
    return words


def _field(after: str) -> str:
    """Return the pattern of a field: only fields in quotes or brackets can contain several sentences."""
    return "[^”]*?" if after[0] == "”" else ".*?" if after[0] == ")" else _WITHIN_SENTENCE + "+?"
