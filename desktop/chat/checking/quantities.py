"""Finds amounts with their units and dates in a text, and says which of them agree.

Amounts agree where one is the other rounded: 1.2 million = 1,200,000 ≈ 1.23 million. Dates agree where the parts that
both give are equal: 1874 agrees with 3 May 1874.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from desktop.chat.checking.mentions import MONTHS, find_numbers, read_values, word_value

_MONTH = rf"(?P<month>{'|'.join(sorted(MONTHS, key=len, reverse=True))})\b\.?"
_DAY = r"(?P<day>[12]?\d|3[01])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>1\d{3}|20\d\d)(?![\d,.]*\d)"
_HAN_DIGITS = "〇零一二三四五六七八九十"
_HAN_YEAR = rf"(?P<year>\d{{3,4}}|[{_HAN_DIGITS}]{{4}})\s*年"
_HAN_DAY = rf"(?:\s*(?P<day>[0-3]?\d|[{_HAN_DIGITS}]{{1,3}})\s*[日号])?"
_BEFORE_YEAR = (
    r"(?:\b(?:in|since|by|from|until|till|of|during|before|after|year|early|late|mid|summer|winter|spring|autumn|fall|"
    r"to|and|through)\b[\s-]|[(（–—-]|,\s)"
)
_AFTER_YEAR = (
    r"(?=\s*(?:[^\w\s%$]|$|[–—-]|\s(?:and|to|by|when|as|in|for|with|at|on|the|he|she|it|they|after|that|was|were|is|but|"
    r"until|through|a|an|under|from|because|of)\b))"
)
_DATES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"\b{_DAY}\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}",
        rf"\b{_MONTH}\s+{_DAY},?\s+{_YEAR}",
        rf"\b{_YEAR}[-/.](?P<month>0?[1-9]|1[0-2])[-/.](?P<day>[0-3]?\d)\b",
        rf"{_HAN_YEAR}\s*(?P<month>1[0-2]|0?[1-9]|[{_HAN_DIGITS}]{{1,2}})\s*月(?:份|底|初)?{_HAN_DAY}",
        rf"{_HAN_YEAR}(?![代前来後后间間級级])",
        r"(?<![\d年])(?P<month>1[0-2]|0?[1-9])\s*月\s*(?P<day>[0-3]?\d)\s*[日号]",
        rf"\b{_MONTH},?\s+{_YEAR}",
        rf"\b{_DAY}\s+(?:of\s+)?{_MONTH}(?![A-Za-z])",
        rf"\b{_MONTH}\s+{_DAY}(?![\d,.]*\d)\b",
        rf"{_BEFORE_YEAR}\s?{_YEAR}{_AFTER_YEAR}",
    )
)
_UNITS = {
    spelling: (dimension, Decimal(factor))
    for dimension, factor, spellings in (
        ("length", "1", "m metre metres meter meters 米 公尺"),
        ("length", "1000", "km kilometre kilometres kilometer kilometers 公里 千米"),
        ("length", "0.01", "cm centimetre centimetres centimeter centimeters 厘米 公分"),
        ("length", "0.001", "mm millimetre millimetres millimeter millimeters 毫米"),
        ("length", "0.3048", "ft foot feet 英尺"),
        ("length", "1609.344", "mi mile miles 英里"),
        ("area", "1", "km² km2 平方公里 平方千米"),
        ("area", "0.000001", "m² m2 平方米"),
        ("area", "0.01", "ha hectare hectares 公顷"),
        ("mass", "1", "kg kilogram kilograms kilogramme kilogrammes 公斤 千克"),
        ("mass", "0.001", "g gram grams 克"),
        ("mass", "1000", "t tonne tonnes ton tons 吨"),
        ("mass", "0.4536", "lb lbs pound pounds 磅"),
        ("time", "1", "s sec second seconds 秒"),
        ("time", "60", "min minute minutes 分钟"),
        ("time", "3600", "h hour hours 小时"),
        ("time", "86400", "day days 天"),
        ("time", "604800", "week weeks 周"),
        ("time", "31557600", "year years 年"),
        ("share", "1", "% percent"),
        ("points", "1", "percentage 个百分点"),
        ("temperature", "1", "°c ℃ 摄氏度"),
        ("dollars", "1", "$ dollar dollars usd 美元"),
        ("euros", "1", "€ euro euros eur 欧元"),
        ("pounds", "1", "£ gbp 英镑"),
        ("yuan", "1", "¥ yuan rmb cny 元 人民币"),
    )
    for spelling in spellings.split()
}
_WORD_UNITS = "|".join(map(re.escape, sorted((u for u in _UNITS), key=len, reverse=True)))
_UNIT_AFTER = re.compile(rf"(?:[\s-]|多|余)*({_WORD_UNITS})(?![A-Za-z代])", re.IGNORECASE)
_UNIT_BEFORE = re.compile(r"([$€£¥])\s?$")
_HEDGE_BEFORE = re.compile(
    r"(?:about|around|approximately|nearly|almost|over|more than|some|roughly|up to|约|近|超过|逾|大约|将近)\s*[$€£¥]?$",
    re.IGNORECASE,
)
_HEDGE_AFTER = re.compile(r"[多余]")
_WORD_NUMBER = re.compile(r"\b([A-Za-z]+)(?:[\s-](thousand|million|billion))?\b")
_NOT_COUNTS = frozenset({"one", "first", "second", "third", "once", "half", "zero", "twice"})
_HAN_COUNT = re.compile(
    r"(?<![第十百千万一二三四五六七八九])[两二三四五六七八九](?=[个個座名位条間间家次种種艘辆架届部首支])"
)
_NEAR_CHARS = 40
_PART_OF_NAME = re.compile(r"[A-Za-z][\w-]*$|\d[.:/-]$|第$")


@dataclass(frozen=True)
class Quantity:
    """A number in a text, in the smallest unit of its dimension; `step` is how exact it is."""

    written: str
    start: int
    end: int
    value: Decimal
    step: Decimal
    dimension: str


@dataclass(frozen=True)
class PartialDate:
    """A date in a text; what it does not give is None."""

    written: str
    start: int
    end: int
    year: int | None
    month: int | None
    day: int | None


def find_dates(text: str) -> list[PartialDate]:
    """Return the dates of a text in NFKC, in order; of overlapping readings the fullest."""
    found: list[PartialDate] = []
    for pattern in _DATES:
        for match in pattern.finditer(text):
            groups = match.groupdict()
            start = min(match.start(name) for name, value in groups.items() if value)
            end = match.end()
            at = bisect_left(found, end, key=lambda date: date.start)
            if at and found[at - 1].end > start:
                continue
            year, month, day = (_read(groups.get(name)) for name in ("year", "month", "day"))
            if all(limit is None or 0 < limit <= most for limit, most in ((month, 12), (day, 31))):
                found.insert(at, PartialDate(text[start:end].rstrip(" ,"), start, end, year, month, day))
    return found


def find_amounts(text: str, dates: list[PartialDate]) -> list[Quantity]:
    """Return the amounts of a text in NFKC outside its dates, in order."""
    starts, ends = [date.start for date in dates], [date.end for date in dates]
    found: list[Quantity] = []
    taken = 0
    for start, end, value in sorted(_spans(text)):
        at = bisect_left(starts, end)
        if (
            start < taken
            or (at and ends[at - 1] > start)
            or _PART_OF_NAME.search(_before(text, start))
            or text[end : end + 1].isascii()
            * (text[end : end + 1].isalpha() and not _UNIT_AFTER.match(text, end))
        ):
            continue
        taken = end
        found.append(_amount(text, start, end, value))
    return found


def agree_dates(one: PartialDate, other: PartialDate) -> bool:
    """Say whether two dates can be the same: all parts that both give are equal, and there is one."""
    pairs = [(one.year, other.year), (one.month, other.month), (one.day, other.day)]
    given = [pair for pair in pairs if None not in pair]
    return bool(given) and all(left == right for left, right in given)


def share_parts(one: PartialDate, other: PartialDate) -> bool:
    """Say whether both dates give the year, or both give none but a month: only then they can differ."""
    if one.year is None or other.year is None:
        return one.year is other.year and None not in (one.month, other.month)
    return True


def agree_amounts(one: Quantity, other: Quantity) -> bool:
    """Say whether two amounts are equal, or one is the other rounded."""
    return abs(one.value - other.value) <= max(one.step, other.step) / 2


def _read(digits: str | None) -> int | None:
    if digits is None:
        return None
    if digits.isdecimal():
        return int(digits)
    if digits.lower() in MONTHS:
        return MONTHS[digits.lower()]
    return int(max(read_values(digits), default=Decimal(0)))


def _spans(text: str) -> Iterator[tuple[int, int, Decimal]]:
    at = 0
    for number in find_numbers(text):
        start = text.find(number.written, at)
        if start < 0:  # Chinese numerals follow after all those in digits
            start = text.find(number.written)
        at = start + len(number.written)
        yield start, at, number.value
    for match in _WORD_NUMBER.finditer(text):
        word = match[1].lower()
        value = word_value(word) if word not in _NOT_COUNTS else None
        if value is not None:
            scaled = find_numbers(f"{int(value)} {match[2]}") if match[2] else []
            yield match.start(), match.end(), scaled[0].value if scaled else value
    for match in _HAN_COUNT.finditer(text):
        yield match.start(), match.end(), max(read_values(match[0]))


def _amount(text: str, start: int, end: int, value: Decimal) -> Quantity:
    before, after = _UNIT_BEFORE.search(_before(text, start)), _UNIT_AFTER.match(text, end)
    unit = after[1] if after else before[1] if before else ""
    dimension, factor = _UNITS.get(unit.lower(), ("", Decimal(1)))
    is_hedged = bool(_HEDGE_BEFORE.search(_before(text, start)) or _HEDGE_AFTER.match(text, end))
    stop = after.end() if after else end
    start = before.start() if before else start
    return Quantity(
        text[start:stop], start, stop, value * factor, _step(value, is_hedged) * factor, dimension
    )


def _before(text: str, start: int) -> str:
    """Return the characters before a number that can tell what it is."""
    return text[max(0, start - _NEAR_CHARS) : start]


def _step(value: Decimal, is_hedged: bool) -> Decimal:
    """Return the place of the last digit that a number gives; zeros at its end may be rounded, but not its second digit."""
    if not value:
        return Decimal(0)
    exponent = int(value.normalize().as_tuple().exponent)
    most = value.adjusted() - (0 if is_hedged else 1)
    return Decimal(10) ** min(exponent, max(most, 0) if exponent >= 0 else most)
