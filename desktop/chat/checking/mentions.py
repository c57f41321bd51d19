"""Finds the numbers and names that a text mentions.

Numbers are compared by their value, however they are written: 1,200 = 1200 = 1.2 thousand = 一千二百. Names are
capitalised words, Chinese names as tagged by jieba, and titles in 《》. A name is also mentioned by its initials
(World Health Organization, WHO), a month by its number in a date, and a country by its people.
"""

import itertools
import re
import unicodedata
from collections.abc import Collection, Iterator
from decimal import Decimal
from functools import lru_cache
from typing import NamedTuple

from desktop.text.chinese_words import tag_words
from desktop.text.terms import STOP_WORDS, terms

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1_000}
_MYRIADS = {"万": 10_000, "萬": 10_000, "亿": 100_000_000, "億": 100_000_000}
_SCALES = {
    "thousand": 1_000,
    "million": 1_000_000,
    "billion": 1_000_000_000,
    "trillion": 1_000_000_000_000,
    "十万": 100_000,
    "百万": 1_000_000,
    "千万": 10_000_000,
    **_MYRIADS,
    "万亿": 1_000_000_000_000,
    "萬億": 1_000_000_000_000,
}
"""千 alone is not a scale: 70千焦 is 70 kilojoules."""
_WORDS = {
    word: Decimal(value)
    for value, word in enumerate(
        [
            "zero",
            "one",
            "two",
            "three",
            "four",
            "five",
            "six",
            "seven",
            "eight",
            "nine",
            "ten",
            "eleven",
            "twelve",
            "thirteen",
            "fourteen",
            "fifteen",
            "sixteen",
            "seventeen",
            "eighteen",
            "nineteen",
            "twenty",
        ]
    )
} | {
    word: Decimal(value)
    for word, value in {
        "first": "1",
        "second": "2",
        "third": "3",
        "once": "1",
        "twice": "2",
        "dozen": "12",
        "half": "0.5",
    }.items()
}
_ORDINALS = """
fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth
eighteenth nineteenth twentieth
"""
_ORDINAL_WORDS = {
    word: Decimal(value)
    for value, word in enumerate(
        _ORDINALS.split(),
        4,
    )
}
"""Only a source may say these for 9th: in a claim they are words."""
_SCALE = "|".join(sorted(map(re.escape, _SCALES), key=len, reverse=True))
_ARABIC = re.compile(rf"(?<!\d)(\d{{1,3}}(?:,\d{{3}})+(?!\d)|\d+)(\.\d+)?\s?({_SCALE})?", re.IGNORECASE)
_CHINESE_DIGIT = "".join(_DIGITS)
_CHINESE = re.compile(rf"[{_CHINESE_DIGIT}十百千万萬亿億]+")
_NUMBER_WORDS = _WORDS | _ORDINAL_WORDS
_ENGLISH = re.compile(rf"\b(?:{'|'.join(_NUMBER_WORDS)})\b", re.IGNORECASE)
_MORE_DIGITS = re.compile(r"[-/]|\.\d")
_SHORT_YEAR = re.compile(r"(?<!\d)((?:1\d|20)\d\d)[–—/-]$")
_TWO_DIGITS = 2
_ORDINAL = re.compile(r"(\d+(?:,\d{3})*(?:\.\d+)?)(?:st|nd|rd|th|s)?")
_READ_OUT = 4
"""Chinese digits that are read out one by one are years and have this many digits: 一九九八."""
_MOST_CHARS = 24
"""Longer runs of digits are not amounts."""

_LATIN = r"A-Za-z0-9\u00c0-\u024f"
_NAME = re.compile(rf"(?<![{_LATIN}])[A-Z\u00c0-\u00de](?:[{_LATIN}'’.&-]*[{_LATIN}])+")
_HAS_HAN = re.compile(r"[\u3400-\u9fff]")
_ERAS = frozenset({"AD", "BC", "CE", "BCE", "AM", "PM"})
_POSSESSIVE = re.compile(r"['’]s?$")
_TITLES = re.compile(r"《([^》]{1,40})》")
_CHINESE_NAMES = frozenset({"nr", "nrt", "nrfg", "ns", "nt"})
"""Persons, places and organisations, as jieba tags them."""
_LEAST_STEM = 4
_OF_PEOPLES = ("an", "ean", "ese", "i", "ian", "ic", "ine", "ish", "ism", "ist", "n", "sm")
_OF_PLACES = ("", "a", "e", "es", "ia", "ism", "o", "um", "y")
"""Endings of two forms of a name: Canadian and Canada, Marxist and Marx. Martin and Martha are none."""
_SMALL = "of|the|and|for|in|de|du|la"
_PART = rf"[A-Z\u00c0-\u00de][{_LATIN}'’.&-]{{0,40}}"
"""A word of a name, of bounded length: “A-A-A-…” would be read again from each of its letters."""
_SAME_SENTENCE = r"(?:(?<![a-z\u00df-\u00ff]{2}\.)|(?<=\bMrs\.))"
"""The end of no sentence, as in “St. Mary” or “J. F. Kennedy”."""
_PHRASE = re.compile(rf"(?<![{_LATIN}]){_PART}(?:{_SAME_SENTENCE}\s(?:(?:{_SMALL})\s){{0,2}}{_PART})+")
"""A name of several words: Bachelor of Arts."""
_CAPITALS = re.compile(r"(?<![A-Za-z])(?:[A-Z]\.?){2,8}(?![A-Za-z])")
_LEAST_INITIALS = 3
_MOST_INITIALS = 6
"""Any text has two names in a row that begin with two given letters: EU, Evening Update."""
MONTHS = {
    name: number
    for number, names in enumerate(
        (
            "january jan",
            "february feb",
            "march mar",
            "april apr",
            "may",
            "june jun",
            "july jul",
            "august aug",
            "september sept sep",
            "october oct",
            "november nov",
            "december dec",
        ),
        1,
    )
    for name in names.split()
}
_MONTHS_OF_A_YEAR = 12
_MONTH_NAME = re.compile(
    rf"\b(?:{'|'.join(name.capitalize() for name in MONTHS)}|{'|'.join(name.upper() for name in MONTHS)})\b"
)
_MONTH_OF_DATE = re.compile(
    rf"(?:\d(?:st|nd|rd|th)?|\b(?:in|on|by|since|until|till|during|early|late|mid|last|next))[ -](?:of )?"
    rf"({_MONTH_NAME.pattern})|({_MONTH_NAME.pattern})[.,]? \d",
    re.IGNORECASE,
)
_ALSO_NAMES = frozenset({"may", "march", "april", "june", "august"})
"""Months that are also names of people; as such a date says nothing of them."""
_DATE_IN_DIGITS = re.compile(
    r"(?<![\d/.-])(?:(\d{1,2})[/.-](\d{1,2})[/.-](?:\d{4}|\d\d)(?!\d)|(?:1\d|20)\d\d[/.-](\d{1,2})(?!\d))|(?<!\d)(\d{1,2})月"
)
_EQUAL_NAMES = {
    word: tuple(name for name in names if name.lower().rstrip(".") != word)
    for names in (
        ("US", "U.S.", "USA", "U.S.A.", "United States", "America", "American"),
        ("UK", "U.K.", "United Kingdom", "Britain", "British"),
        ("EU", "E.U.", "European Union"),
        ("UN", "U.N.", "United Nations"),
        ("LA", "L.A.", "Los Angeles"),
        ("DC", "D.C.", "District of Columbia"),
        ("NZ", "New Zealand"),
        ("World War I", "WWI", "WW1", "First World War", "World War One"),
        ("World War II", "WWII", "WW2", "Second World War", "World War Two"),
        ("France", "French"),
        ("Spain", "Spanish"),
        ("Netherlands", "Dutch", "Holland"),
        ("Switzerland", "Swiss"),
        ("Denmark", "Danish"),
        ("Poland", "Polish"),
        ("Turkey", "Turkish"),
        ("Greece", "Greek"),
        ("Ireland", "Irish"),
        ("Scotland", "Scottish"),
        ("Wales", "Welsh"),
        ("England", "English"),
        ("Finland", "Finnish"),
        ("Norway", "Norwegian"),
        ("Philippines", "Filipino"),
        ("Peru", "Peruvian"),
        ("Iraq", "Iraqi"),
        ("中国", "我国", "中华人民共和国"),
    )
    for word in (one.lower().rstrip(".") for one in names)
}
"""Names that mean the same and do not begin alike: those of a country and its people, and of two initials."""
_KINDS = """
academy agency airport album association avenue award awards bay bridge bureau cathedral championship championships
church city club college commission committee company conference congress corporation council county court cup
department district doctor federation festival film foundation government governor group hall highway hospital inc
institute island islands journal judge kingdom lake league ltd magazine mayor memorial minister ministry monument
mount mountain mr mrs ms museum national newspaper office officer organisation organization palace park party
prefecture president presidential prince princess professor province railway region republic river road royal saint
school sea senator series show sir society song square stadium state station street team territory theater theatre
tournament town tribute trust union university valley village war
"""
_KINDS_OF_THINGS = frozenset(_KINDS.split())
"""Words that say what kind of thing a name is; a source may leave them out."""


class NumberMention(NamedTuple):
    """A number in a text: its spelling and its value."""

    written: str
    value: Decimal


def find_numbers(text: str) -> list[NumberMention]:
    """Return the numbers that a text clearly states: digits, and Chinese numerals outside other words.

    三 and 一一 are part of too many words (唯一一次); 千万 and 万一 are words themselves.
    """
    plain = unicodedata.normalize("NFKC", text)
    return [*_arabic(plain), *(figure for figure in _chinese(plain) if _is_plain(figure.written))]


def read_values(text: str) -> frozenset[Decimal]:
    """Return all values that a text may state, including words such as “three” and 三."""
    plain = unicodedata.normalize("NFKC", text)
    words = (_NUMBER_WORDS[word.lower()] for word in _ENGLISH.findall(plain))
    unscaled = (
        Decimal(match[1].replace(",", "")) for match in _ARABIC.finditer(plain) if match[1].isdecimal()
    )
    found = (figure.value for figure in (*_arabic(plain), *_chinese(plain)))
    return frozenset((*found, *words, *unscaled))


def word_value(word: str) -> Decimal | None:
    """Return the value of a word that is a number: 1,200, 42nd, twelve, 一八七三; None for other words."""
    digits = _ORDINAL.fullmatch(word)
    if digits:
        return Decimal(digits[1].replace(",", "")[:_MOST_CHARS]).normalize()
    if word in _WORDS:
        return _WORDS[word].normalize()
    found = list(_chinese(word)) if _CHINESE.match(word) else []
    return found[0].value if found and _is_plain(found[0].written) else None


def _arabic(text: str) -> Iterator[NumberMention]:
    for match in _ARABIC.finditer(text):
        digits = match[1].replace(",", "")
        if len(digits) <= _MOST_CHARS:
            scale = _SCALES[match[3].lower()] if match[3] else 1
            value = Decimal(_whole_year(text, match) or digits + (match[2] or "")) * scale
            yield NumberMention(match[0].strip(), value.normalize())


def _whole_year(text: str, match: re.Match[str]) -> str:
    """Return the year that two digits after another year stand for: 2019 in 2018–19; empty if they are none."""
    if len(match[0].strip()) != _TWO_DIGITS or _MORE_DIGITS.match(text, match.end()):
        return ""
    before = _SHORT_YEAR.search(text, max(0, match.start() - 6), match.start())
    return before[1][:2] + match[1] if before and match[1] > before[1][2:] else ""


def _chinese(text: str) -> Iterator[NumberMention]:
    for match in _CHINESE.finditer(text):
        run = match[0]
        if len(run) <= _MOST_CHARS and not _is_scale_of_digits(text, match.start()):
            yield NumberMention(run, Decimal(_chinese_value(run)).normalize())


def _is_plain(run: str) -> bool:
    """Say whether Chinese digits are certainly meant as a number."""
    if all(char in _DIGITS for char in run):
        return len(run) >= _READ_OUT
    return len(run) > 1 and (run[0] in _DIGITS or run[0] == "十")


def _is_scale_of_digits(text: str, start: int) -> bool:
    """Say whether the run is the scale of a number in digits: 12万."""
    return text[max(0, start - 2) : start].rstrip()[-1:].isdecimal()


def _chinese_value(run: str) -> int:
    """Return the value of 一千二百, or of digits read out one by one such as 一九九八."""
    if all(char in _DIGITS for char in run):
        return int("".join(str(_DIGITS[char]) for char in run))
    total = section = digit = 0
    for char in run:
        if char in _DIGITS:
            digit = _DIGITS[char]
        elif char in _TENS:
            section += (digit or 1) * _TENS[char]
            digit = 0
        else:
            scale, part = _MYRIADS[char], section + digit
            if total >= scale:  # 一亿三千万: the part before has a greater scale
                total += part * scale
            else:
                total = (total + part or 1) * scale
            section = digit = 0
    return total + section + digit


def find_missing(claim: str, text: str, known: Collection[str]) -> tuple[str, ...]:
    """Return the numbers and names of a claim that a text lacks; `known` are the index terms of the text."""
    held = read_values(text)
    plain = unicodedata.normalize("NFKC", text)
    numbers = [figure.written for figure in find_numbers(claim) if figure.value not in held]
    lost = [name for name in find_names(claim) if not _has_name(name, known, plain)]
    if lost:
        described = _find_described_names(unicodedata.normalize("NFKC", claim), plain)
        people = _ALSO_NAMES - _months_of_dates(claim)
        lost = [
            name
            for name in lost
            if name not in described and (name.lower() in people or not _is_said_otherwise(name, plain))
        ]
    return tuple(dict.fromkeys((*numbers, *lost)))


@lru_cache(maxsize=512)
def find_names(claim: str) -> tuple[str, ...]:
    """Return the names in a claim: capitalised words except the first, Chinese names and titles in 《》."""
    plain = unicodedata.normalize("NFKC", claim)
    found: list[str] = []
    if _HAS_HAN.search(plain):
        found += [title for title in _TITLES.findall(plain) if not title.isnumeric()]
        found += _chinese_names(_TITLES.sub(" ", plain))
    first = len(plain) - len(plain.lstrip(" \"'“‘("))
    for match in _NAME.finditer(plain):
        word = _POSSESSIVE.sub("", match[0])
        starts = match.start() <= first
        is_plain_word = (
            word[1:].islower()
            and (starts or word.lower() in STOP_WORDS)
            and word.lower() not in _months_of_dates(plain)
        )
        if not is_plain_word and word not in _ERAS:
            found.append(word)
    return tuple(dict.fromkeys(found))


def _chinese_names(text: str) -> list[str]:
    return [
        word
        for word, tag in tag_words(text)
        if tag in _CHINESE_NAMES and len(word) > 1 and _HAS_HAN.match(word)
    ]


def _has_name(name: str, known: Collection[str], plain: str) -> bool:
    if _is_written(name, plain):
        return True
    if name in {"May", "March"}:  # “may” and “march” are words
        return False
    words = [word for word in name.split("-") if terms(word)]
    return bool(words) and all(
        all(part in known for part in terms(word)) or _has_form(word, plain) for word in words
    )


def _is_written(name: str, plain: str) -> bool:
    """Say whether a text has a name as a whole word; one with Chinese characters anywhere."""
    if name not in plain:
        return False
    if _HAS_HAN.search(name):
        return True
    return re.search(rf"(?<![{_LATIN}]){re.escape(name)}(?![{_LATIN}])", plain) is not None


def _has_form(word: str, plain: str) -> bool:
    """Say whether a text has another form of a name: India for Indian, Canada for Canadians."""
    places, peoples = _stems(word)
    of_places, of_peoples = _stems_of(plain)
    return not (places.isdisjoint(of_peoples) and peoples.isdisjoint(of_places))


def _stems(word: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return what a name may be before the ending of a place, and before that of a people; without a plural's s."""
    lower = word.lower()
    forms = [lower, lower[:-1]] if lower.endswith("s") else [lower]
    places, peoples = (
        frozenset(
            form.removesuffix(ending)
            for form in forms
            for ending in endings
            if form.endswith(ending) and len(form) - len(ending) >= _LEAST_STEM
        )
        for endings in (_OF_PLACES, _OF_PEOPLES)
    )
    return places, peoples


@lru_cache(maxsize=64)
def _stems_of(plain: str) -> tuple[frozenset[str], frozenset[str]]:
    """Return the stems of all capitalised words of a text: “spans” is no form of Spanish."""
    found = [_stems(word) for name in set(_NAME.findall(plain)) for word in re.split(r"[-'’.&]", name)]
    places, peoples = zip(*found, strict=True) if found else ((), ())
    return frozenset[str]().union(*places), frozenset[str]().union(*peoples)


def _is_said_otherwise(name: str, plain: str) -> bool:
    """Say whether a text has a name in another form: U.S. for US or United States, Oct. or 2016-10-02 for October."""
    month = MONTHS.get(name.lower())
    if month:
        return month in _months_of(plain)
    names = _EQUAL_NAMES.get(name.lower())
    if names is not None:  # “US” is not the initials of “University of Sydney”
        return any(re.search(rf"(?<![{_LATIN}]){re.escape(other)}(?![{_LATIN}])", plain) for other in names)
    letters = name.replace(".", "")
    if "." in name and letters.isalpha() and letters in _abbreviations_of(plain):
        return True
    return letters.isupper() and len(letters) >= _LEAST_INITIALS and letters in _initials_of(plain)


def _find_described_names(claim: str, plain: str) -> frozenset[str]:
    """Return the words of names of several words that a text has as initials, or that only say what kind of thing it is."""
    found: set[str] = set()
    for match in _PHRASE.finditer(claim):
        words = [_POSSESSIVE.sub("", word.rstrip(".")) for word in match[0].split()]
        names = [word for word in words if word[0].isupper()]
        is_kind = [word.lower() in _KINDS_OF_THINGS for word in names]
        if not all(is_kind):  # of “State University” nothing would be left
            found.update({names[0]} if is_kind[0] and words[1] != "and" else ())
            found.update({names[-1]} if is_kind[-1] and words[-2] != "and" else ())
        for start, length in itertools.product(range(len(names)), range(2, _MOST_INITIALS + 1)):
            part = names[start : start + length]
            initials = "".join(name[0] for name in part)
            is_short = len(part) >= _LEAST_INITIALS and initials in _abbreviations_of(plain)
            if is_short or _is_said_otherwise(" ".join(part), plain):
                found.update(part)
    return frozenset(found)


@lru_cache(maxsize=64)
def _abbreviations_of(plain: str) -> frozenset[str]:
    """Return the abbreviations of a text in capital letters, without full stops: U.S., WHO."""
    return frozenset(word.replace(".", "") for word in _CAPITALS.findall(plain))


@lru_cache(maxsize=64)
def _initials_of(plain: str) -> frozenset[str]:
    """Return the initials of all names of three to six words in a text."""
    found: set[str] = set()
    for match in _PHRASE.finditer(plain):
        letters = [word[0] for word in match[0].split() if word[:1].isupper()]
        found.update(
            "".join(letters[at : at + length])
            for length in range(_LEAST_INITIALS, _MOST_INITIALS + 1)
            for at in range(len(letters) - length + 1)
        )
    return frozenset(found)


@lru_cache(maxsize=64)
def _months_of_dates(claim: str) -> frozenset[str]:
    """Return the names of months in the dates of a claim: May in “in May” and “May 2010”, not in “Theresa May”."""
    return frozenset(name.lower() for names in _MONTH_OF_DATE.findall(claim) for name in names if name)


@lru_cache(maxsize=64)
def _months_of(plain: str) -> frozenset[int]:
    """Return the months that a text names or that dates in digits can mean: 10/20/2016, 2016-10-20, 10月."""
    named = (MONTHS[match.lower()] for match in _MONTH_NAME.findall(plain))
    digits = (int(part) for match in _DATE_IN_DIGITS.findall(plain) for part in match if part)
    return frozenset((*named, *(number for number in digits if number <= _MONTHS_OF_A_YEAR)))
