"""Checks whether a query would disclose private sources, even encoded, and finds the owner of an address."""

import base64
import binascii
import codecs
import html
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from urllib.parse import unquote_plus

from desktop.chat.memory_retriever import marks
from desktop.domain.sources import Source, SourceKind, host_of

_ROUNDS = 3
"""How often a decoded text is decoded again: base64 of hex of a word takes two rounds."""
_MOST_READINGS = 200
_LEAST_CHARS = 4
"""Shorter decoded texts are ignored; every second word of four letters is base64 of three bytes."""
_LEAST_DIGITS = 4
"""This many consecutive digits, even of a longer number, identify the number."""

_DIGIT_WORDS = {
    word: number
    for number, words in {
        "0": "zero oh nought 零 〇",
        "1": "one 一",
        "2": "two 二 两",
        "3": "three 三",
        "4": "four 四",
        "5": "five 五",
        "6": "six 六",
        "7": "seven 七",
        "8": "eight 八",
        "9": "nine 九",
        "10": "ten",
        "11": "eleven",
        "12": "twelve",
        "13": "thirteen",
        "14": "fourteen",
        "15": "fifteen",
        "16": "sixteen",
        "17": "seventeen",
        "18": "eighteen",
        "19": "nineteen",
        "20": "twenty",
        "30": "thirty",
        "40": "forty",
        "50": "fifty",
        "60": "sixty",
        "70": "seventy",
        "80": "eighty",
        "90": "ninety",
    }.items()
    for word in words.split()
}
_TENS_AND_ONES = re.compile(
    r"\b(twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)[\s-]+"
    r"(one|two|three|four|five|six|seven|eight|nine)\b"
)
_ENGLISH = "|".join(word for word in _DIGIT_WORDS if word.isascii())
_DIGIT_WORD = re.compile(rf"\b(?:{_ENGLISH})\b|[零〇一二两三四五六七八九]")
_SCALES = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
_SCALES |= {
    "十": 10,
    "百": 100,
    "千": 1_000,
    "万": 10_000,
    "萬": 10_000,
    "亿": 100_000_000,
    "億": 100_000_000,
}
_OF_DIGITS = frozenset({"hundred", "十", "百", "千"})
"""These scale the digit before them; all others scale everything since the last scale."""
_CHINESE = "零〇一二两三四五六七八九十百千万萬亿億"
_AMOUNT = re.compile(
    rf"\b(?:(?:{_ENGLISH}|hundred|thousand|million|billion|and)\b[\s-]*)+|[{_CHINESE}]{{2,}}"
)
_AMOUNT_WORD = re.compile(rf"[a-z]+|[{_CHINESE}]")
_NUMBER = re.compile(r"\d(?:[\s\-./,:_+]{0,2}\d)+")
_SINGLES = re.compile(r"(?<!\w)\w(?:[\s\-./,:_+]+\w(?!\w)){2,}")
_EVERY_SECOND = re.compile(r"(?<!\S)\S(?:(?:[.\-_/,:+]\S){3,}(?!\S)|(?: \S(?!\S)){3,})")
_CODES = re.compile(r"(?<!\d)\d{2,3}(?:[\s,;.-]+\d{2,3}){2,}(?!\d)")
_HEX = re.compile(r"(?:0x|\\x|%)?[0-9a-f]{2}(?:[\s:,-]*(?:0x|\\x|%)?[0-9a-f]{2}){2,}", re.IGNORECASE)
_BITS = re.compile(r"[01]{8}(?:\s*[01]{8})+")
_BASE = re.compile(r"[A-Za-z0-9+/_-]{6,}={0,6}")
_NAMES = re.compile(r"(?<=[^.!?:;。！？\n\s])[ \t]+([^\W\d_a-z]\w+)")
_PRIVATE = frozenset({SourceKind.MEMORY, SourceKind.FILE, SourceKind.ANSWER})


def gives_away(
    queries: Iterable[str], sources: Sequence[Source], said: Iterable[str], *, names_alone: bool = False
) -> bool:
    """Say whether queries contain identifying terms that occur only in private sources.

    Private sources are memories, files, and answers of other conversations. What the user `said`, and the text
    of web pages, is not secret. Queries are checked as they are, decoded (base64, hex, percent and character
    codes, reversed, spelled out, numbers in words), and all together. With `names_alone`, only names and
    numbers of files and answers count, not words: for queries for which the user cannot be asked.
    """
    asked = tuple(queries)
    private = [source for source in sources if source.kind in _PRIVATE]
    if not private or not asked:
        return False
    public = (
        *said,
        *(f"{source.title} {source.text}" for source in sources if source.kind is SourceKind.WEB),
    )
    told = [reading for query in asked for reading in readings(query)]
    known = marks(public)
    if _secrets(private, names_alone=names_alone).intersection(marks(told)) - known:
        return True
    together = " ".join(asked)
    return _tells_number((*told, together, "".join(re.findall(r"\d", together))), private, public)


def readings(text: str) -> tuple[str, ...]:
    """Return a text and the texts that it encodes."""
    plain = unicodedata.normalize("NFKC", text)
    found = dict.fromkeys((text, plain))
    newest = tuple(found)
    for _ in range(_ROUNDS):
        decoded = dict.fromkeys(each for known in newest for each in _decode(known))
        newest = tuple(each for each in decoded if each not in found)[: _MOST_READINGS - len(found)]
        found |= dict.fromkeys(newest)
    return tuple(found)


def registered_domain(address: str) -> str:
    """Return the registered domain, by the public suffix list; otherwise the host itself.

    Subdomains that a hoster gives away, such as `name.github.io`, count as the hoster's: having many of them
    costs nothing. The list is part of the package, and no request is sent.
    """
    from tld import get_fld  # noqa: PLC0415 - its import and its list take 0.2 s, and only a few answers need it

    host = host_of(address).rstrip(".")
    try:
        name = host.encode("idna").decode("ascii").lower()
    except UnicodeError:
        name = host.lower()
    if "." not in name or ":" in name:
        return name
    return get_fld(f"https://{name}/", fail_silently=True, search_private=False) or name


def _secrets(private: Sequence[Source], *, names_alone: bool) -> frozenset[str]:
    """Return the identifying terms of private sources."""
    memories = marks(source.text for source in private if source.kind is SourceKind.MEMORY)
    others = [f"{source.title}\n{source.text}" for source in private if source.kind is not SourceKind.MEMORY]
    words = marks(others)
    if names_alone:
        named = marks(name for text in others for name in _NAMES.findall(text))
        words = frozenset(word for word in words if word in named or any(map(str.isdecimal, word)))
    return memories | words


def _tells_number(told: Iterable[str], private: Sequence[Source], public: Iterable[str]) -> bool:
    """Say whether a run of digits occurs in a number of private sources, and in none of the public ones."""
    secret = _numbers(f"{source.title}\n{source.text}" for source in private)
    if not secret:
        return False
    hidden, open_to_all = " ".join(secret), " ".join(_numbers(public))
    return any(
        number[start : start + _LEAST_DIGITS] in hidden
        and number[start : start + _LEAST_DIGITS] not in open_to_all
        for number in _numbers(told)
        for start in range(len(number) - _LEAST_DIGITS + 1)
    )


def _numbers(texts: Iterable[str]) -> frozenset[str]:
    """Return the numbers in texts, digits only."""
    found = {re.sub(r"\D", "", match) for text in texts for match in _NUMBER.findall(text)}
    return frozenset(number for number in found if len(number) >= _LEAST_DIGITS)


def _decode(text: str) -> Iterator[str]:
    """Yield the texts that a text encodes in one of the common codes."""
    for candidate in (
        unquote_plus(text),
        html.unescape(text),
        text[::-1],
        codecs.encode(text, "rot13"),
        _in_digits(text.lower()),
        *map(_amount, _AMOUNT.findall(text.lower())),
        *(re.sub(r"[\W_]", "", run) for run in _SINGLES.findall(text)),
        *(run[::2] for run in _EVERY_SECOND.findall(text)),
        *("".join(map(chr, map(int, re.findall(r"\d+", run)))) for run in _CODES.findall(text)),
        *_from_bytes(text),
    ):
        if len(candidate) >= _LEAST_CHARS and candidate.isprintable() and candidate != text:
            yield candidate


def _in_digits(text: str) -> str:
    """Return a text with number words as digits: consecutive ones form one number."""
    joined = _TENS_AND_ONES.sub(lambda match: _DIGIT_WORDS[match[1]][0] + _DIGIT_WORDS[match[2]], text)
    digits = _DIGIT_WORD.sub(lambda match: f" {_DIGIT_WORDS[match[0]]} ", joined)
    return re.sub(r"(?<=\d)\s+(?=\d)", "", digits)


def _amount(words: str) -> str:
    """Return the value of a number such as “four thousand two hundred and seventy-one” or 四千二百七十一."""
    total = part = digit = 0
    for word in _AMOUNT_WORD.findall(words):
        scale = _SCALES.get(word)
        if scale is None:
            digit += int(_DIGIT_WORDS.get(word, "0"))
        elif word in _OF_DIGITS:
            part, digit = part + max(digit, 1) * scale, 0
        else:
            total, part, digit = total + max(part + digit, 1) * scale, 0, 0
    return str(total + part + digit)


def _from_bytes(text: str) -> Iterator[str]:
    for run in _HEX.findall(text):
        digits = re.sub(r"0x|\\x|[^0-9a-fA-F]", "", run)
        yield _text_of(bytes.fromhex(digits[: len(digits) // 2 * 2]))
    for run in _BITS.findall(text):
        bits = re.sub(r"\s", "", run)
        yield _text_of(bytes(int(bits[at : at + 8], 2) for at in range(0, len(bits) - 7, 8)))
    for run in _BASE.findall(text):
        core = run.rstrip("=")
        for decode, size, letters in (
            (base64.urlsafe_b64decode, 4, core.replace("+", "-").replace("/", "_")),
            (base64.b32decode, 8, core.upper()),
        ):
            try:
                yield _text_of(decode(letters + "=" * (-len(letters) % size)))
            except (binascii.Error, ValueError):
                continue


def _text_of(data: bytes) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError:
        return ""
