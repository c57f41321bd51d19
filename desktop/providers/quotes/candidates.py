"""The sentences of sources that may be quoted, and the selection of the best ones for an answer.

A source is split into lines: its sentences, and the rows of its tables as text. The lines of a stretch
without gaps form a part. The lines are scored elsewhere, for a question or for a summary.
"""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from desktop.domain.sources import TEXT_JOIN, Source, document_of
from desktop.text.markdown import (
    begins_within_table,
    cells_of,
    is_cell_range,
    is_row,
    is_rule,
    names_columns,
    row_in_words,
    strip_markdown,
)
from desktop.text.sentences import split_sentences
from desktop.text.terms import terms

_HEADING = re.compile(r"#{1,6}\s")
_BULLET = re.compile(r"^[-*+•·‣▪●◦]\s+")
"""The sign of an item of a list, which is an item of the list of quotes when it is quoted."""
_CONTENTS = re.compile(r".{1,80}?(?:\t\s*|\s*[.·…]{3,}\s*)\d{1,4}")
"""A line in a table of contents: a heading and its page number."""
_NO_CELLS = re.compile(
    r"^(?:[#>*+•·-]\s|\d{1,3}[.)、]\s)|[.,;!?。，；！？…\n]$|[.:!?]\s|[:：]$|[。！？；：@\n]|={3}|-{3}"
)
"""What is in a heading, an item of a list or a sentence, and in no row of a table."""
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d年?")
_MOST_HEADER_CELLS = 16
_BOUNDARY_CHARS = 4
"""Maximum white space between consecutive passages."""

Columns = tuple[str, ...]


@dataclass(frozen=True)
class QuotableLine:
    """A sentence or row without markup; if `is_heading`, it introduces the text below it."""

    text: str
    is_row: bool = False
    is_heading: bool = False


def quotable_lines(text: str, columns: Columns = ()) -> Iterator[QuotableLine]:
    """Yield the lines of a text; `columns` are those of a table whose middle the text may begin with."""
    for of_table, group in groupby(text.split("\n"), key=lambda line: is_row(line.strip())):
        if of_table:
            yield from _rows([line.strip() for line in group], columns)
            columns = ()
        elif block := "\n".join(group).strip():
            columns = ()
            sentences = [block[span.start : span.end] for span in split_sentences(block)]
            headers = _headers_of_lines(sentences)
            for place, sentence in enumerate(sentences):
                plain = strip_markdown(_BULLET.sub("", sentence))
                if header := headers.get(place):
                    colon = "：" if _HAN_END.search(header) else ": "
                    yield QuotableLine(f"{header}{colon}{plain}", is_row=True)
                else:
                    is_header = place + 1 in headers
                    is_heading = is_header or _HEADING.match(sentence) or _CONTENTS.fullmatch(sentence)
                    yield QuotableLine(plain, is_heading=bool(is_heading))


def _headers_of_lines(lines: Sequence[str]) -> dict[int, str]:
    """Return for the place of each row of a table the header of the table, where it has lost its columns.

    In the text of a PDF a row is a line of words and numbers, understood only with the header: a line without
    numbers before at least two rows.
    """
    headers: dict[int, str] = {}
    for are_rows, group in groupby(range(len(lines)), key=lambda place: _is_line_of_table(lines[place])):
        places = list(group)
        before = places[0] - 1
        if are_rows and len(places) > 1 and before >= 0 and _is_header_line(lines[before]):
            headers |= dict.fromkeys(places, strip_markdown(lines[before]))
    return headers


def _is_line_of_table(line: str) -> bool:
    """Say whether a line consists of cells, some of them numbers, rather than of running words."""
    cells = line.split()
    numbers = sum(any(map(str.isdigit, cell)) for cell in cells)
    words = sum(cell[0].islower() for cell in cells)
    is_brief = numbers * 3 >= len(cells) or words * 2 <= len(cells)
    return len(cells) > 1 and bool(numbers) and is_brief and not _NO_CELLS.search(line)


def _is_header_line(line: str) -> bool:
    cells = line.split()
    has_numbers = any(any(map(str.isdigit, cell)) and not _YEAR.fullmatch(cell) for cell in cells)
    return 1 < len(cells) <= _MOST_HEADER_CELLS and not has_numbers and not _NO_CELLS.search(line)


def heads_of(sources: Sequence[Source]) -> dict[int, Columns]:
    """Return the columns of tables that continue from other sources, by source number, where known."""
    lacking = [source for source in sources if begins_within_table(source.text)]
    heads = {source.number: _open_columns(source.text) for source in sources} if lacking else {}
    found: dict[int, Columns] = {}
    for source in sorted(lacking, key=lambda source: source.locator.start or 0):
        for other in sources:
            columns = heads[other.number] or found.get(other.number, ())
            if columns and _is_same_table(other, source):
                found[source.number] = columns
    return found


def _is_same_table(source: Source, later: Source) -> bool:
    """Say whether the table at the end of `source` continues at the start of `later`."""
    here, there = source.locator, later.locator
    if document_of(source) != document_of(later) or not document_of(source) or here.section != there.section:
        return False
    is_next = (
        None not in (here.end, there.start) and 0 <= (there.start or 0) - (here.end or 0) <= _BOUNDARY_CHARS
    )
    return is_next or is_cell_range(here.heading)


def _open_columns(text: str) -> Columns:
    """Return the columns of the table at the end of a text; empty if there is none."""
    rows: list[str] = []
    for line in reversed(text.rpartition(TEXT_JOIN)[2].strip().split("\n")):
        if not is_row(line.strip()):
            break
        rows.insert(0, line.strip())
    return _head(rows)[1] if rows else ()


def _rows(rows: list[str], columns: Columns) -> Iterator[QuotableLine]:
    records, own = _head(rows)
    for record in records:
        cells = [strip_markdown(cell) for cell in cells_of(record)]
        names = own or columns
        if words := row_in_words(names if len(names) == len(cells) else (), cells):
            yield QuotableLine(words, is_row=True)


def _head(rows: list[str]) -> tuple[list[str], Columns]:
    """Return the records of a table, and its column names if it has a header.

    A form, whose rows have as many cells as they need, has no columns; its rows may have been padded with
    empty cells to the width of the longest row.
    """
    rule = next((place for place, row in enumerate(rows) if is_rule(row)), None)
    if rule is None:
        return rows, ()
    records = [row for row in rows if not is_rule(row)]
    columns = tuple(strip_markdown(cell) for cell in cells_of(rows[rule - 1])) if rule else ()
    if not names_columns(columns) or len({len(cells_of(record)) for record in records}) > 1:
        return records, ()
    below = [record for place, record in enumerate(records) if place != rule - 1]
    short = sum(_width(record) * 2 <= len(columns) for record in below)
    return (records, ()) if short * 2 > len(below) else (below, columns)


def _width(row: str) -> int:
    """Return the number of cells up to the last non-empty one."""
    return max((place for place, cell in enumerate(cells_of(row), start=1) if cell), default=0)


MAX_QUOTES = 6
MAX_CHARS = 1_200
"""Maximum length of an answer: about what users read before they open the page itself."""

_MIN_CHARS = 6
_MAX_SENTENCE_CHARS = 500
"""Longer sentences are usually tables, menus or text without punctuation."""

_KEEP_SHARE = 0.65
KEEP_ANSWER_SHARE = 0.2
"""Sentences that score less than this share of the best score are left out, in a summary and in an answer."""

_LONG_CHARS = 220
_ENDS_WELL = re.compile(r"[.!。！…;；:：][\"'”’」』)）\]]*$")
_ASKS = re.compile(r"[?？][\"'”’」』)）]*$")
_ONLY_DAY = re.compile(
    r"(?:(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.? \d{1,2}, |\d{4}[-/年]\d{1,2}[-/月]\d{1,2}日?)(?:\d{4})?[ .…·—-]*"
)
_ANNOUNCES = re.compile(
    r"\b(?:whether|wonder|questions?|find out|learn (?:more|how|about)|read (?:more|on)|in this (?:article|post|guide))\b"
    r"|本文|小编|了解更多|一起来看|点击查看|相关阅读|详情请",
    re.IGNORECASE,
)
"""Sentences that announce an answer instead of giving it."""

_HAN_END = re.compile(r"[\u3000-\u9fff\uff00-\uffef]$")
PRONOUN = re.compile(
    r"(?:He|She|It|They|His|Her|Its|Their|This|That|These|Those)\b|[他她它这那该此]|其(?!他)"
)
"""The beginning of a sentence whose subject is in the sentence before it."""

_ALREADY_NAMED = re.compile(
    r"The (?:\d+-(?:year-old|time)|(?:\w+ )?(?:accident|actor|actress|agency|airline|artist|athlete|attack|author|band|bank"
    r"|chain|champion|city|club|company|country|crash|director|event|film|firm|game|group|incident|island|man|movie|network"
    r"|party|platform|player|president|rapper|series|show|singer|song|star|storm|studio|team|tournament|woman|writer))\b"
)
"""The beginning of a sentence whose subject was named before: “The 40-year-old”, “The band”."""

_SAME_SHARE = 0.75
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True)
class Quote:
    """A sentence of a source without its markup, or a table row with the names of its columns.

    `numbers` are those of all sources that contain it.
    """

    text: str
    numbers: tuple[int, ...]
    score: float
    is_row: bool = False


@dataclass(frozen=True)
class Sentence:
    """A sentence or row that may be quoted; `part` and `position` count from 0, `score` 0 means no answer.

    Headings are never quoted, but they are context for the text below them.
    """

    text: str
    terms: frozenset[str]
    part: int
    position: int
    numbers: tuple[int, ...]
    score: float = 0.0
    is_row: bool = False
    is_heading: bool = False


@dataclass(frozen=True)
class SourcePart:
    """A stretch of one source without gaps; `topic` holds the terms of its title and first sentence."""

    topic: frozenset[str]
    sentences: tuple[Sentence, ...]


def parts_of(sources: Sequence[Source]) -> list[list[SourcePart]]:
    """Return for each source its parts, with the sentences that can be read on their own."""
    heads = heads_of(sources)
    return [_parts(source, heads.get(source.number, ())) for source in sources]


def _parts(source: Source, columns: tuple[str, ...]) -> list[SourcePart]:
    title = frozenset(terms(f"{source.title} {source.locator.section}"))
    heading = strip_markdown(source.locator.heading)
    parts = []
    for number, text in enumerate(source.text.split(TEXT_JOIN.strip())):
        lines = [
            line
            for line in quotable_lines(text, columns)
            if _MIN_CHARS <= len(line.text) <= _MAX_SENTENCE_CHARS
        ]
        made = tuple(
            Sentence(
                line.text,
                frozenset(terms(line.text)),
                number,
                position,
                (source.number,),
                is_row=line.is_row,
                is_heading=line.is_heading or line.text == heading,
            )
            for position, line in enumerate(lines)
        )
        parts.append(SourcePart(title.union(*(sentence.terms for sentence in made[:1])), made))
        columns = ()
    return parts


def readability(sentence: Sentence) -> float:
    """Return how well a sentence reads on its own, at most 1: complete, short and not a question."""
    text = sentence.text
    if sentence.is_heading:
        return 0.0
    worth = math.pow(min(1.0, _LONG_CHARS / len(text)), 0.3)
    if _ASKS.search(text):
        worth *= 0.4
    elif not sentence.is_row and not _ENDS_WELL.search(text):
        worth *= 0.75
    return worth * 0.6 if _ANNOUNCES.search(text) else worth


def quotes_of(scored: Sequence[Sentence]) -> tuple[Quote, ...]:
    """Return the best of `scored` in reading order.

    Sources are ordered by their best sentence, the sentences of one source by position.
    """
    chosen = _choose(scored, MAX_QUOTES, _KEEP_SHARE)
    best: dict[int, float] = {}
    for sentence in chosen:
        first = sentence.numbers[0]
        best[first] = max(best.get(first, 0.0), sentence.score)
    return _quotes(
        sorted(chosen, key=lambda item: (-best[item.numbers[0]], item.numbers[0], item.part, item.position))
    )


def is_no_answer(sentence: Sentence) -> bool:
    """Say whether a sentence is a question, or only the day of a snippet: neither answers anything by itself."""
    return bool(_ASKS.search(sentence.text) or _ONLY_DAY.fullmatch(sentence.text))


def rank_quotes(scored: Sequence[Sentence], most: int, least_share: float) -> tuple[Quote, ...]:
    """Return at most `most` of `scored`, best first; one that begins with a pronoun with the sentence before it.

    `least_share` is the share of the best score that a further one needs.
    """
    places = {(sentence.numbers[0], sentence.part, sentence.position): sentence for sentence in scored}
    shown: list[Sentence] = []
    texts: set[str] = set()
    for sentence in _choose(scored, most, least_share):
        before = places.get((sentence.numbers[0], sentence.part, sentence.position - 1))
        if sentence.text in texts:
            continue
        if before is None or before.text in texts or not _needs(sentence, before):
            shown.append(sentence)
        else:
            gap = "" if _HAN_END.search(before.text) else " "
            shown.append(replace(sentence, text=f"{before.text}{gap}{sentence.text}"))
            texts.add(before.text)
        texts.add(sentence.text)
    return _quotes(shown)


def _needs(sentence: Sentence, before: Sentence) -> bool:
    """Say whether a sentence is understood only with the one before it."""
    is_row = sentence.is_row or before.is_row
    is_short = len(before.text) + len(sentence.text) <= _MAX_SENTENCE_CHARS
    is_unclear = PRONOUN.match(sentence.text) or _ALREADY_NAMED.match(sentence.text)
    return is_short and not is_row and len(sentence.numbers) == 1 and bool(is_unclear)


def _quotes(sentences: Sequence[Sentence]) -> tuple[Quote, ...]:
    return tuple(
        Quote(sentence.text, sentence.numbers, sentence.score, sentence.is_row) for sentence in sentences
    )


def _choose(scored: Sequence[Sentence], most: int, least_share: float) -> list[Sentence]:
    """Return the best sentences, best first; a repetition only adds its number to the earlier sentence."""
    chosen: list[Sentence] = []
    budget = MAX_CHARS
    for sentence in sorted(scored, key=lambda item: -item.score):
        if not sentence.score or (chosen and sentence.score < least_share * chosen[0].score):
            break
        twin = next((index for index, other in enumerate(chosen) if _is_twin(sentence, other)), None)
        if twin is not None:
            numbers = sorted({*chosen[twin].numbers, *sentence.numbers})
            chosen[twin] = replace(chosen[twin], numbers=tuple(numbers))
        elif any(_adds_nothing(sentence, other) for other in chosen):
            continue
        elif len(chosen) < most and (not chosen or len(sentence.text) <= budget):
            chosen.append(sentence)
            budget -= len(sentence.text)
    return chosen


def _is_twin(one: Sentence, other: Sentence) -> bool:
    """Say whether two sentences say the same, so that either source may be cited for both.

    Sentences that differ in a number, and rows that differ in any word, are not the same.
    """
    if one.is_row or other.is_row:
        return one.text == other.text
    is_near = len(one.terms & other.terms) >= _SAME_SHARE * max(len(one.terms), len(other.terms), 1)
    return is_near and sorted(_NUMBER.findall(one.text)) == sorted(_NUMBER.findall(other.text))


def _adds_nothing(sentence: Sentence, other: Sentence) -> bool:
    return not sentence.is_row and sentence.terms <= other.terms
