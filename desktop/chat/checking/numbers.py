"""Finds where the sentences that have the words of a claim state another number or date.

A number of the claim may well stand elsewhere in the source. What counts is what the sentence that has the other
words says in its place, as long as no sentence that has half of them agrees with the claim.
"""

import itertools
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation

from desktop.chat.checking.mentions import read_values
from desktop.chat.checking.negations import NEGATION
from desktop.chat.checking.quantities import (
    PartialDate,
    Quantity,
    agree_amounts,
    agree_dates,
    find_amounts,
    find_dates,
    share_parts,
)
from desktop.chat.checking.words import AlignedSentence, PreparedSource, Token, share_of_words, tokenize

_SAME_COVER = 0.8
_SAME_WORDS = 3
"""A sentence states another number about the same thing if it shares at least this part, and this many, of the words that
are no numbers.
"""
_ABOUT_COVER = 0.5
"""A sentence with this part of the other words can say that the claim is right."""
_LEAST_RUN = 4
"""So many words around a number are the same where only the number differs."""
_LONG_RUN = 10
"""Where a claim of more words is copied but for a number, a sentence that agrees has to be as near."""
_JOINING = frozenset({"in", "by", "for", "during", "at"})
_BOUNDS = frozenset({
    "least", "most", "more", "less", "fewer", "than", "over", "above", "below", "under", "exceeding", "nearly", "almost", "about", "around", "some",
    "approximately", "roughly", "up", "plus", "超过", "超", "逾", "近", "约", "大约", "将近", "至少", "至多", "不到", "多达", "多", "余", "以上",
    "以下", "以内",
})  # fmt: skip
"""Words beside a number that other numbers agree with, too."""
_LOWER_BOUNDS = frozenset(
    {"least", "more", "over", "above", "exceeding", "超过", "超", "逾", "至少", "多", "余", "以上"}
)
_IN_LISTS = frozenset({"and", "or", "to", "和", "与", "及", "至", "到"})
_BOUND_CHARS = 20
_LEAST = (
    re.compile(
        r"(?:\b(?:at least|(?:more|greater|not less|not fewer) than|over|above|exceed(?:s|ed|ing)?)|超过|超|逾|至少|不少于|多于|多达)\s*$",
        re.IGNORECASE,
    ),
    re.compile(r"\s*(?:or more\b|\+|[多余]|以上)", re.IGNORECASE),
)
_MOST = (
    re.compile(
        r"(?:\b(?:at most|up to|(?:less|fewer|lower|not more) than|under|below|nearly|almost)|不到|不超过|至多|少于|低于|近|将近)\s*$",
        re.IGNORECASE,
    ),
    re.compile(r"\s*(?:or (?:less|fewer)\b|以下|以内)", re.IGNORECASE),
)
"""What stands before and behind a lower and an upper bound."""
_RANGE = re.compile(r"\s*(?:to|and|until|through|[-–—~－至到])\s*[$€£¥]?\s*", re.IGNORECASE)
_CHANGE = re.compile(
    r"(?:\bby|[涨升加高长增降减少低跌幅]了|幅[度为达])\s*(?:about|around|nearly|almost|over|more than|约|近|超过)?\s*$",
    re.IGNORECASE,
)
"""What stands before an amount that something changed by."""
_YEAR_OF_THING = re.compile(r"(?<=\b[Tt]he )(?:1[5-9]|20)\d\d(?= [A-Za-z]+\b(?<!s))")
"""A year before what is of it: “the 2004 album”. “The 2004 people” are none: before a plural the number may count it."""
_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_RELATIVE_YEAR = re.compile(
    r"\b(?:this|last|next|the (?:previous|following)) year\b|[今去前明本次]年", re.IGNORECASE
)
_IN_YEAR = frozenset({"in", "during"})
_NOT_IN_YEAR = frozenset({"than", "unlike", "as", "since", "until", *"自从到至截比较"})
"""Words and characters before a year that something is compared with, begins or ends in."""
_COUNTED = re.compile(r"\s*(?:[a-z]+ly )?([A-Za-z]{2,}|[\u3400-\u9fff])")
"""What stands behind a number without a unit: “219 steps”, “3座”."""


def has_other_value(claim: str, source: PreparedSource, closest: Sequence[AlignedSentence]) -> bool:
    """Say whether the closest sentences say the same as a claim but for a number or date."""
    tokens = tuple(tokenize(claim))
    return (
        _has_other_number(tokens, source, closest)
        or _has_other_amount(claim, tokens, source, closest)
        or _is_of_other_year(tokens, source)
    )


def _has_other_number(
    tokens: Sequence[Token], source: PreparedSource, closest: Sequence[AlignedSentence]
) -> bool:
    """Say whether a sentence has another number within a run of the same words."""
    words = [token for token in tokens if token.is_content and not token.is_number]
    counts = Counter(token.term for token in tokens)
    numbers = frozenset(token.term for token in tokens if token.is_number)
    for place, token in enumerate(tokens):
        if not token.is_number:
            continue
        runs = [
            run
            for sentence in closest
            for there, other in enumerate(sentence.tokens)
            if other.is_number
            and not _can_be_same(token.term, other.term)
            and (run := _length_of_run(tokens, place, sentence, there)) >= _LEAST_RUN
            and not _is_bounded(tokens, place, sentence.tokens, there)
            and not (counts[token.term] == 1 and _is_listed(token.term, sentence, there))
        ]
        if not runs:
            continue
        is_copied = max(runs) == len(tokens) - 1 >= _LONG_RUN
        least = _SAME_COVER if is_copied else _ABOUT_COVER
        if not any(
            (
                _is_said_of_number(tokens, place, each)
                and (
                    (len(numbers) > 1 and numbers <= each.places.keys())
                    or share_of_words(words, each, source) >= least
                )
            )
            or (
                _is_beside_number(token.term, numbers, each)
                and share_of_words(words, each, source) >= _SAME_COVER
            )
            for each in source.sentences
        ):
            return True
    return False


def _is_bounded(claim: Sequence[Token], here: int, sentence: Sequence[Token], there: int) -> bool:
    """Say whether one of two numbers is a bound or rounded, so that the other may agree: “at least 50”, “近50”.

    Where both have the same bound, only a lower one lets a greater number agree.
    """
    one, other = _bounds(claim, here), _bounds(sentence, there)
    if one != other:
        return True
    try:
        is_less = Decimal(claim[here].term) < Decimal(sentence[there].term)
    except InvalidOperation:
        return False
    return is_less and not one.isdisjoint(_LOWER_BOUNDS)


def _bounds(tokens: Sequence[Token], place: int) -> frozenset[str]:
    beside = (*tokens[max(0, place - 2) : place], *tokens[place + 1 : place + 2])
    return _BOUNDS.intersection(token.surface for token in beside)


def _can_be_same(one: str, other: str) -> bool:
    """Say whether one number is the other, or has fewer digits of it: 3 and 3.12."""
    if one == other or one.startswith(f"{other}.") or other.startswith(f"{one}."):
        return True
    try:
        left, right = Decimal(one), Decimal(other)
    except InvalidOperation:
        return False
    digits = min(0, max(int(each.as_tuple().exponent) for each in (left, right)))
    return abs(left - right) < Decimal(10) ** digits


def _is_listed(term: str, sentence: AlignedSentence, place: int) -> bool:
    """Say whether a number stands in one list with that at a place, or is the sum of all that count the same."""
    tokens = sentence.tokens
    for step in (-1, 1):
        at = place + step
        while 0 <= at < len(tokens) and (tokens[at].is_number or tokens[at].surface in _IN_LISTS):
            if tokens[at].term == term:
                return True
            at += step
    counted = tokens[place + 1].term if place + 1 < len(tokens) else None
    alike = [one.term for one, after in itertools.pairwise(tokens) if one.is_number and after.term == counted]
    return len(alike) > 1 and term == _sum_of(alike)


def _sum_of(numbers: Sequence[str]) -> str:
    try:
        return str(sum(map(Decimal, numbers), Decimal(0)).normalize())
    except InvalidOperation:
        return ""


def _is_said_of_number(tokens: Sequence[Token], place: int, sentence: AlignedSentence) -> bool:
    """Say whether a sentence has a number with the two words before it, or with the two behind it."""
    runs = (tokens[max(0, place - 2) : place + 1], tokens[place : place + 3])
    return any(len(run) > 1 and _has_run(sentence, [one.term for one in run]) for run in runs)


def _is_beside_number(term: str, numbers: frozenset[str], sentence: AlignedSentence) -> bool:
    """Say whether a number is joined to another one of a claim: “3,000 people in 2018 and 4,000 in 2019”."""
    tokens = sentence.tokens
    return any(
        tokens[middle].surface in _JOINING and tokens[other].term in numbers - {term}
        for place in sentence.places.get(term, ())
        for middle, other in ((place + 1, place + 2), (place - 1, place - 2))
        if 0 <= other < len(tokens)
    )


def _length_of_run(tokens: Sequence[Token], place: int, sentence: AlignedSentence, there: int) -> int:
    """Return how many words around two numbers are the same, 0 if those on one side are not."""
    before = _same(tokens[:place][::-1], sentence.tokens[:there][::-1])
    after = _same(tokens[place + 1 :], sentence.tokens[there + 1 :])
    is_joined = (before or not place) and (after or place == len(tokens) - 1)
    return before + after if is_joined else 0


def _same(one: Sequence[Token], other: Sequence[Token]) -> int:
    """Return how many words two texts have in common at their beginning."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left.term != right.term:
            break
        count += 1
    return count


def _has_run(sentence: AlignedSentence, run: Sequence[str]) -> bool:
    return any(
        [one.term for one in sentence.tokens[place : place + len(run)]] == run
        for place in sentence.places.get(run[0], ())
    )


def _has_other_amount(
    claim: str, tokens: Sequence[Token], source: PreparedSource, closest: Sequence[AlignedSentence]
) -> bool:
    """Say whether a sentence has another date, or another amount of the same unit or thing."""
    plain = unicodedata.normalize("NFKC", claim)
    words = [token for token in tokens if token.is_content and not token.is_number]
    if len(words) < _SAME_WORDS:
        return False
    dates = find_dates(plain)
    amounts = find_amounts(plain, dates)
    others = [_values_of(each) for each in closest if share_of_words(words, each, source) >= _SAME_COVER]
    dates = [
        date for date in dates if any(_is_other_date(date, dates, text, found) for text, found, _ in others)
    ]
    amounts = [
        amount
        for amount in amounts
        if any(_is_other_amount(plain, amount, amounts, text, found) for text, _, found in others)
    ]
    if not dates and not amounts:
        return False
    numbers = {token.term for token in tokens if token.is_number}
    about = [
        _values_of(each)
        for each in source.sentences
        if (len(numbers) > 1 and numbers <= each.places.keys())
        or share_of_words(words, each, source) >= _ABOUT_COVER
    ]
    return any(not any(_has_date(date, text, found) for text, found, _ in about) for date in dates) or any(
        not any(_has_amount(amount, text, found) for text, _, found in about) for amount in amounts
    )


def _values_of(sentence: AlignedSentence) -> tuple[str, list[PartialDate], list[Quantity]]:
    text = unicodedata.normalize("NFKC", sentence.text)
    dates = find_dates(text)
    amounts = find_amounts(text, dates)
    years = [
        PartialDate(match[0], match.start(), match.end(), int(match[0]), None, None)
        for match in _YEAR_OF_THING.finditer(text)
        if all(match.end() <= date.start or date.end <= match.start() for date in dates)
    ]
    return text, sorted((*dates, *years), key=lambda date: date.start), amounts


def _is_of_other_year(tokens: Sequence[Token], source: PreparedSource) -> bool:
    """Say whether each sentence with a year and its number has that number in another year, and another one in that year.

    A bound or a negation in the claim can make it right all the same.
    """
    if any(token.surface in _BOUNDS or NEGATION.fullmatch(token.surface) for token in tokens):
        return False
    words = [token for token in tokens if token.is_content and not token.is_number]
    claimed = _numbers_of_years(tokens)
    found = [(each, _numbers_of_years(each.tokens)) for each in source.sentences] if claimed else []
    for pair in claimed:
        both = [(each, pairs) for each, pairs in found if each.places.keys() >= set(pair)]
        is_other = all(len(pairs) > 1 and pair not in pairs for _, pairs in both)
        if is_other and any(share_of_words(words, each, source) >= _ABOUT_COVER for each, _ in both):
            return True
    return False


def _numbers_of_years(tokens: Sequence[Token]) -> frozenset[tuple[str, str]]:
    """Return each year with its number, of “3,000 in 2018 and 4,000 in 2019”; nothing where it is not certain which is whose."""
    places = [place for place, token in enumerate(tokens) if token.is_number]
    are_years = [_is_time(tokens, place) for place in places]
    is_first = are_years[:1] == [True]
    if len(places) % 2 or are_years != [is_first, not is_first] * (len(places) // 2):
        return frozenset()
    years, numbers = places[not is_first :: 2], places[is_first::2]
    beside = years[1:] if is_first else years  # the years behind the numbers
    are_joined = {
        tokens[number + 1].clause == tokens[year].clause
        for number, year in zip(numbers, beside, strict=False)
    }
    if is_first in are_joined:
        return frozenset()
    return frozenset(
        (tokens[year].term, tokens[number].term) for year, number in zip(years, numbers, strict=True)
    )


def _is_time(tokens: Sequence[Token], place: int) -> bool:
    """Say whether a number is the year of what is said, as in “in 2018”, and in no comparison, as in “than in 2018”."""
    if not _YEAR.fullmatch(tokens[place].surface):
        return False
    said = [token.surface for token in tokens[max(0, place - 2) : place]]
    if any(token.surface.startswith("年") for token in tokens[place + 1 : place + 2]):
        return not said or said[-1][-1] not in _NOT_IN_YEAR
    return bool(said) and said[-1] in _IN_YEAR and said[0] not in _NOT_IN_YEAR


def _has_date(date: PartialDate, text: str, others: Sequence[PartialDate]) -> bool:
    is_year = date.year is not None and date.month is None and date.year in read_values(text)
    return is_year or any(agree_dates(date, other) for other in others)


def _has_amount(amount: Quantity, text: str, others: Sequence[Quantity]) -> bool:
    is_written = not read_values(amount.written).isdisjoint(read_values(text))
    return is_written or any(agree_amounts(amount, other) for other in others)


def _is_other_date(
    date: PartialDate, dates: Sequence[PartialDate], text: str, others: Sequence[PartialDate]
) -> bool:
    """Say whether a sentence has another date, beside those that the other `dates` of the claim agree with.

    “This year” and the like can be any.
    """
    if date.year is not None and _RELATIVE_YEAR.search(text):
        return False
    alike = [other for other in others if share_parts(date, other)]
    if any(agree_dates(date, other) for other in alike) or _is_in_range(date, text, alike):
        return False
    for each in dates:
        found = next((other for other in alike if each is not date and agree_dates(each, other)), None)
        alike = [other for other in alike if other is not found]
    return bool(alike)


def _is_in_range(date: PartialDate, text: str, others: Sequence[PartialDate]) -> bool:
    return date.year is not None and any(
        one.year is not None
        and other.year is not None
        and one.year <= date.year <= other.year
        and _RANGE.fullmatch(text, one.end, other.start) is not None
        for one, other in itertools.pairwise(others)
    )


def _is_other_amount(
    claim: str, amount: Quantity, amounts: Sequence[Quantity], sentence: str, others: Sequence[Quantity]
) -> bool:
    """Say whether a sentence has another amount of the same unit, or of the same thing where there is no unit.

    Those that other `amounts` of the claim agree with are not meant, nor is a change where the other is a level.
    """
    counted = _COUNTED.match(claim, amount.end)
    is_change = _is_change(claim, amount)
    alike = [
        other
        for other in others
        if other.dimension == amount.dimension
        and (amount.dimension or _is_same_thing(counted, _COUNTED.match(sentence, other.end)))
        and is_change == _is_change(sentence, other)
    ]
    if any(_agrees(claim, amount, sentence, other) for other in alike):
        return False
    if _is_between(amount, sentence, others) or amount.value == sum(other.value for other in alike):
        return False
    for each in amounts:
        found = next((other for other in alike if each is not amount and agree_amounts(each, other)), None)
        alike = [other for other in alike if other is not found]
    return bool(alike)


def _agrees(claim: str, amount: Quantity, sentence: str, other: Quantity) -> bool:
    """Say whether amounts are equal, or one is within the bound that the other is: “at least 50” and 57."""
    if agree_amounts(amount, other):
        return True
    least, most = (
        (_is_bound(words, claim, amount), _is_bound(words, sentence, other)) for words in (_LEAST, _MOST)
    )
    if all(least) or all(most):
        return all(least) and amount.value < other.value
    is_less = amount.value < other.value
    return (least[0] or most[1]) if is_less else (least[1] or most[0])


def _is_bound(words: tuple[re.Pattern[str], re.Pattern[str]], text: str, amount: Quantity) -> bool:
    before, after = words
    said = text[max(0, amount.start - _BOUND_CHARS) : amount.start]
    return before.search(said) is not None or after.match(text, amount.end) is not None


def _is_change(text: str, amount: Quantity) -> bool:
    return _CHANGE.search(text[max(0, amount.start - _BOUND_CHARS) : amount.start]) is not None


def _is_between(amount: Quantity, text: str, others: Sequence[Quantity]) -> bool:
    """Say whether an amount lies in a range of a sentence, whose unit may stand only behind its end: “3 to 5 hours”."""
    for one, other in itertools.pairwise(others):
        if other.dimension != amount.dimension or not _RANGE.fullmatch(text, one.end, other.start):
            continue
        factor = 1 if one.dimension or not other.dimension else _factor(other)
        if one.value * factor <= amount.value <= other.value:
            return True
    return False


def _factor(amount: Quantity) -> Decimal:
    """Return how many of the smallest unit the unit of an amount is."""
    written = max(read_values(amount.written), default=amount.value)
    return amount.value / written if written else Decimal(1)


def _is_same_thing(one: re.Match[str] | None, other: re.Match[str] | None) -> bool:
    return one is not None and other is not None and one[1].lower() == other[1].lower()
