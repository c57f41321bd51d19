"""Splits text into sentences, for Chinese, English and similar scripts."""

import re
from dataclasses import dataclass

MAX_SENTENCE_CHARS = 1_000
"""A longer piece is not a sentence (a table, a base64 blob) and is cut."""

_ENDS = "。！？；｡．।؟۔!?.…‼⁇⁈⁉"
_WIDE_ENDS = frozenset("。！？；｡．।؟۔")
_CLOSERS = "”’」』）】》〉〕］｣»›)]}"
_CANDIDATE = re.compile(rf"[{_ENDS}]+|[\n\r\f\v\x85\u2028\u2029]\s*")
_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_LAST_WORD = re.compile(r"[^\W\d_]+(?:\.[^\W\d_]+)*\Z")
_LAST_WORD_REACH = 24
_OPENING = re.compile(r"\s*[\"'“‘(\[]*(\S?)")
_FOLLOWER_REACH = 80
_SOFT_CUTS = ("，", "、", "：", "；", ", ", "; ", ": ", " ", "\t")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_BEFORE_ANYTHING = _words(
    "mr mrs ms dr prof rev hon st sr jr gen col capt lt sgt gov sen rep pres messrs mme mlle mt ft "
    "vs eg ie e.g i.e cf viz fig figs eq eqs ref refs sec ch al"
)
_INITIALS = re.compile(r"[A-Z](?:\.[A-Z])+|[ap]\.m")
_BEGINS_SENTENCE = re.compile(
    rf"[{re.escape(_CLOSERS)}\"]*\s+"
    r"[\"'“‘(\[]*(?:A|About|According|After|All|Also|Although|An|And|Another|Any|As|At|Because|Before|Both|But|By|Despite"
    r"|During|Each|Even|Every|For|From|He|Her|Here|His|How|However|I|If|In|Instead|It|Its|Last|Later|Many|Meanwhile|Most|My"
    r"|No|Not|Now|Of|On|One|Only|Or|Other|Our|Over|She|Since|So|Some|Such|That|The|Their|Then|There|These|They|This|Those"
    r"|Though|Through|To|Two|Under|Unlike|Until|We|What|When|Where|Which|While|Who|Why|With|Without|You|Your)\b"
)
"""The beginning of a sentence after initials, as in “made in the U.S. The first”; what else follows belongs to them: U.S. Navy, 5 p.m. Tuesday."""
_BEFORE_NUMBERS = _words(
    "no nos vol vols pp p art op ca approx jan feb mar apr jun jul aug sept sep oct nov dec"
)


@dataclass(frozen=True)
class Span:
    """A span of a text: `text[start:end]`."""

    start: int
    end: int


def split_sentences(text: str) -> list[Span]:
    """Return the sentences of `text` in order, without surrounding white space.

    Together they cover all non-blank text. A blank line always ends a sentence, and so does a line break unless
    the next line clearly continues it. Takes time linear in the length of the text.
    """
    spans: list[Span] = []
    start = 0
    for match in _CANDIDATE.finditer(text):
        if match.start() < start:  # part of the closing quotes of the previous sentence
            continue
        end = _boundary_after(text, start, match)
        if end is not None:
            spans.extend(_pieces(text, start, end))
            start = end
    spans.extend(_pieces(text, start, len(text)))
    return spans


def _boundary_after(text: str, start: int, match: re.Match[str]) -> int | None:
    """Return the end of the sentence that began at `start`, or None if it does not end here."""
    mark = match.group()
    if mark[0].isspace():
        return None if _line_goes_on(text, match) else match.end()
    end = _past_closers(text, match.end())
    if not _WIDE_ENDS.isdisjoint(mark):
        if mark == "．" and text[end : end + 1].isdigit():
            return None
        closes = text[end : end + 1] == '"' and text.count('"', start, end) % 2
        return end + 1 if closes else end
    if text[end : end + 1] == '"':
        end += 1
    return end if _is_narrow_end(text, match, end) else None


def _line_goes_on(text: str, match: re.Match[str]) -> bool:
    if len(match.group().splitlines()) > 1:
        return False
    before, after = text[match.start() - 1 : match.start()], text[match.end() : match.end() + 1]
    return after.islower() and (before.isalnum() or before in {",", "-", "–", ")"})


def _past_closers(text: str, end: int) -> int:
    while end < len(text) and text[end] in _CLOSERS:
        end += 1
    return end


def _is_narrow_end(text: str, match: re.Match[str], end: int) -> bool:
    """Say whether `.`, `!`, `?` or `…` ends a sentence; they also occur in sentences, numbers and addresses."""
    before = text[match.start() - 1 : match.start()] if match.start() else ""
    after = text[end : end + 1]
    if not after:
        return True
    if not after.isspace():
        touches_cjk = bool(_CJK.match(after)) or (bool(_CJK.match(before)) and not after.isalnum())
        return touches_cjk and (match.group() != "." or bool(_CJK.match(before)))
    follower = _next_visible(text, end)
    if follower.islower():
        return False
    return match.group() != "." or not _is_abbreviation(text, match.start(), follower)


def _next_visible(text: str, position: int) -> str:
    match = _OPENING.match(text, position, position + _FOLLOWER_REACH)
    return match.group(1) if match else ""


def _is_abbreviation(text: str, dot: int, follower: str) -> bool:
    found = _LAST_WORD.search(text, max(0, dot - _LAST_WORD_REACH), dot)
    if found is None:
        return False
    word = found.group().lower()
    if word in _BEFORE_ANYTHING:
        return True
    if word in _BEFORE_NUMBERS:
        return follower.isdigit()
    if _INITIALS.fullmatch(found.group()):
        return follower.isupper() and not _BEGINS_SENTENCE.match(text, dot + 1, dot + _FOLLOWER_REACH)
    return len(word) == 1 and word.isascii() and found.group().isupper()


def _pieces(text: str, start: int, end: int) -> list[Span]:
    """Strip white space and cut a span that is too long, at a comma or space if there is one."""
    pieces: list[Span] = []
    while end - start > MAX_SENTENCE_CHARS:
        cut = _soft_cut(text, start, start + MAX_SENTENCE_CHARS)
        pieces.extend(_strip_span(text, start, cut))
        start = cut
    pieces.extend(_strip_span(text, start, end))
    return pieces


def _soft_cut(text: str, start: int, limit: int) -> int:
    earliest = start + MAX_SENTENCE_CHARS // 2
    for mark in _SOFT_CUTS:
        found = text.rfind(mark, earliest, limit)
        if found >= 0:
            return found + len(mark)
    return limit


def _strip_span(text: str, start: int, end: int) -> list[Span]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return [Span(start, end)] if start < end else []
