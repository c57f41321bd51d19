"""Finds where the sentences that have the words of a claim say something else: another number, name, or the opposite.

A number or name of the claim may well stand elsewhere in the source. What counts is what the sentence that has
the other words says in its place, as long as no sentence that has half of them agrees with the claim.
"""

import difflib
import re
import unicodedata
from collections.abc import Iterator, Sequence

from desktop.chat.checking.alignment import (
    AlignedSentence,
    PreparedSource,
    Token,
    has_negation,
    similarity,
    tokenize,
)
from desktop.chat.checking.mentions import find_missing, find_names, read_values
from desktop.chat.checking.quantities import (
    PartialDate,
    Quantity,
    agree_amounts,
    agree_dates,
    find_amounts,
    find_dates,
    share_parts,
)
from desktop.text.terms import terms

_SAME_COVER = 0.8
_SAME_WORDS = 3
"""A sentence states another number about the same thing if it shares at least this part, and this many, of the words that
are no numbers.
"""
_NAME_COVER = 0.7
_ABOUT_COVER = 0.5
"""A sentence with this part of the other words can say that the claim is right."""
_LEAST_RUN = 4
"""So many words around a number are the same where only the number differs."""
_MOST_BETWEEN = 5
_MOST_CHANGED = 3
"""A longer change than so many words is more than a negation."""
_LIKE = 0.5
_PREDICATE_WORDS = 4
_SUBJECT_WORDS = 6
"""How far before a predicate its subject is looked for."""
_VERBS = frozenset({
    "is", "are", "was", "were", "has", "have", "had", "will", "would", "can", "could", "did", "does", "do", "says", "said", "say",
    "may", "might", "must",
})  # fmt: skip
"""Words that a predicate begins with."""
_OPEN = frozenset(
    {"he", "she", "it", "they", "who", "which", "that", "we", "i", "you", "there", "this", "these", "those"}
)
"""Subjects that can stand for any other."""
_COUNTED = re.compile(r"\s*(?:[a-z]+ly )?([A-Za-z]{2,}|[\u3400-\u9fff])")
"""What stands behind a number without a unit: “219 steps”, “3座”."""


def has_other_value(claim: str, source: PreparedSource, closest: Sequence[AlignedSentence]) -> bool:
    """Say whether the closest sentences say the same as a claim but for a number or date."""
    tokens = tuple(tokenize(claim))
    return _has_other_number(tokens, source, closest) or _has_other_amount(claim, tokens, source, closest)


def _has_other_number(
    tokens: Sequence[Token], source: PreparedSource, closest: Sequence[AlignedSentence]
) -> bool:
    """Say whether a sentence has another number within a run of the same words."""
    for place, token in enumerate(tokens):
        if not token.is_number:
            continue
        around = [one.term for one in tokens[max(0, place - 2) : place + 3]]
        is_other = any(
            other.is_number and other.term != token.term and _is_in_run(tokens, place, sentence, there)
            for sentence in closest
            for there, other in enumerate(sentence.tokens)
        )
        if is_other and not any(_has_run(sentence, around) for sentence in source.sentences):
            return True
    return False


def _is_in_run(tokens: Sequence[Token], place: int, sentence: AlignedSentence, there: int) -> bool:
    before = _same(tokens[:place][::-1], sentence.tokens[:there][::-1])
    after = _same(tokens[place + 1 :], sentence.tokens[there + 1 :])
    is_joined = (before or not place) and (after or place == len(tokens) - 1)
    return bool(is_joined) and before + after >= _LEAST_RUN


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
    others = [_values_of(each) for each in closest if _share(words, each, source) >= _SAME_COVER]
    dates = [date for date in dates if any(_is_other_date(date, found) for _, found, _ in others)]
    amounts = [
        amount
        for amount in amounts
        if any(_is_other_amount(plain, amount, text, found) for text, _, found in others)
    ]
    if not dates and not amounts:
        return False
    about = [_values_of(each) for each in source.sentences if _share(words, each, source) >= _ABOUT_COVER]
    return any(not any(_has_date(date, text, found) for text, found, _ in about) for date in dates) or any(
        not any(_has_amount(amount, text, found) for text, _, found in about) for amount in amounts
    )


def _values_of(sentence: AlignedSentence) -> tuple[str, list[PartialDate], list[Quantity]]:
    text = unicodedata.normalize("NFKC", sentence.text)
    dates = find_dates(text)
    return text, dates, find_amounts(text, dates)


def _has_date(date: PartialDate, text: str, others: Sequence[PartialDate]) -> bool:
    is_year = date.year is not None and date.month is None and date.year in read_values(text)
    return is_year or any(agree_dates(date, other) for other in others)


def _has_amount(amount: Quantity, text: str, others: Sequence[Quantity]) -> bool:
    is_written = not read_values(amount.written).isdisjoint(read_values(text))
    return is_written or any(agree_amounts(amount, other) for other in others)


def _is_other_date(date: PartialDate, others: Sequence[PartialDate]) -> bool:
    alike = [other for other in others if share_parts(date, other)]
    return bool(alike) and not any(agree_dates(date, other) for other in alike)


def _is_other_amount(claim: str, amount: Quantity, sentence: str, others: Sequence[Quantity]) -> bool:
    """Say whether a sentence has another amount of the same unit, or of the same thing where there is no unit."""
    counted = _COUNTED.match(claim, amount.end)
    alike = [
        other
        for other in others
        if other.dimension == amount.dimension
        and (amount.dimension or _is_same_thing(counted, _COUNTED.match(sentence, other.end)))
    ]
    return bool(alike) and not any(agree_amounts(amount, other) for other in alike)


def _is_same_thing(one: re.Match[str] | None, other: re.Match[str] | None) -> bool:
    return one is not None and other is not None and one[1].lower() == other[1].lower()


def _share(words: Sequence[Token], sentence: AlignedSentence, source: PreparedSource) -> float:
    """Return what share of some words a sentence has together with the title."""
    return sum(max(similarity(word, sentence), similarity(word, source.title)) for word in words) / len(words)


def has_other_name(claim: str, source: PreparedSource, closest: Sequence[AlignedSentence]) -> bool:
    """Say whether a sentence that has the rest of a claim has another name in the place of one of its own."""
    tokens = tuple(tokenize(claim))
    content = [place for place, token in enumerate(tokens) if token.is_content]
    for name in _names(claim, tokens):
        for place in name:
            token = tokens[place]
            others = [tokens[each] for each in content if each != place]
            if len(others) < _SAME_WORDS or _is_named(token, place, name, tokens, source):
                continue
            holders = [each for each in source.sentences if _has(token, each)]
            if any(_share(others, each, source) >= _ABOUT_COVER for each in holders):
                continue
            if any(
                not _has(token, sentence)
                and _share(others, sentence, source) >= _NAME_COVER
                and _has_name_in_place(tokens, place, name, sentence)
                and _is_missing(token, claim, sentence.text)
                for sentence in closest
            ):
                return True
    return False


def _names(claim: str, tokens: Sequence[Token]) -> Iterator[list[int]]:
    """Yield the places of the words of each name."""
    known = _words_of_names(claim)
    name: list[int] = []
    for place, token in enumerate(tokens):
        if name and (place != name[-1] + 1 or token.clause != tokens[place - 1].clause):
            yield name
            name = []
        if _is_name(token, known):
            name = [*name, place]
    if name:
        yield name


def _words_of_names(text: str) -> frozenset[str]:
    return frozenset(word.lower() for name in find_names(text) for word in (name, *name.split("-")))


def _is_name(token: Token, known: frozenset[str]) -> bool:
    return token.is_content and not token.is_number and (token.is_name or token.surface in known)


def _has(token: Token, sentence: AlignedSentence) -> bool:
    return similarity(token, sentence) >= _LIKE


def _is_named(
    token: Token, place: int, name: Sequence[int], tokens: Sequence[Token], source: PreparedSource
) -> bool:
    """Say whether the title has a word of a name, or the source writes it beside its neighbour in the name."""
    if _has(token, source.title):
        return True
    beside = [tokens[each].term for each in (place - 1, place + 1) if each in name]
    return any(
        abs(here - there) == 1
        for sentence in source.sentences
        for here in sentence.places.get(token.term, ())
        for term in beside
        for there in sentence.places.get(term, ())
    )


def _is_missing(token: Token, claim: str, text: str) -> bool:
    missing = find_missing(claim, text, frozenset(terms(text)))
    return any(token.surface in each.lower() or each.lower() in token.surface for each in missing)


def _has_name_in_place(
    tokens: Sequence[Token], place: int, name: Sequence[int], sentence: AlignedSentence
) -> bool:
    """Say whether a sentence has a name that the claim lacks between, or beside, the neighbours of a word or its name."""
    spans = [(place, place)]
    if not any(_has(tokens[each], sentence) for each in name):
        spans.append((name[0], name[-1]))
    here = {token.term for token in tokens}
    known = _words_of_names(sentence.text)
    other = {
        there
        for there, token in enumerate(sentence.tokens)
        if token.term not in here and _is_name(token, known)
    }
    return bool(other) and any(_is_in_place(tokens, span, sentence, other) for span in spans)


def _is_in_place(
    tokens: Sequence[Token], span: tuple[int, int], sentence: AlignedSentence, other: set[int]
) -> bool:
    first, last = span
    left = next((each for each in range(first - 1, -1, -1) if tokens[each].is_content), None)
    right = next((each for each in range(last + 1, len(tokens)) if tokens[each].is_content), None)
    lefts = [] if left is None else sentence.places.get(tokens[left].term, [])
    rights = [] if right is None else sentence.places.get(tokens[right].term, [])
    clauses = [token.clause for token in sentence.tokens]
    for start in lefts:
        for end in rights:
            if start < end <= start + _MOST_BETWEEN + 1 and any(
                each in other and clauses[each] == clauses[start] for each in range(start + 1, end)
            ):
                return True
    if left is not None and tokens[left].clause == tokens[first].clause:
        between = [token.term for token in tokens[left + 1 : first]]
        for start in lefts:
            end = start + 1 + len(between)
            said = [token.term for token in sentence.tokens[start + 1 : end]]
            if said == between and end in other and clauses[end] == clauses[start]:
                return True
    if right is not None and tokens[right].clause == tokens[last].clause:
        between = [token.term for token in tokens[last + 1 : right]]
        for end in rights:
            start = end - 1 - len(between)
            said = [token.term for token in sentence.tokens[start + 1 : end]]
            if said == between and start in other and clauses[start] == clauses[end]:
                return True
    return False


def has_other_subject(claim: str, source: PreparedSource) -> bool:
    """Say whether the source says in the same words what the claim says, but of something else."""
    tokens = tuple(tokenize(claim))
    return any(
        token.surface in _VERBS and tokens[place - 1].is_content and _is_of_another(tokens, place, source)
        for place, token in enumerate(tokens[: 1 - _PREDICATE_WORDS])
        if place
    )


def _is_of_another(tokens: Sequence[Token], place: int, source: PreparedSource) -> bool:
    run = [token.term for token in tokens[place : place + _PREDICATE_WORDS]]
    own = [token.term for token in tokens[:place] if token.is_content][-2:]
    is_found = False
    for sentence in source.sentences:
        for there in sentence.places.get(run[0], ()):
            if [token.term for token in sentence.tokens[there : there + len(run)]] != run:
                continue
            before = sentence.tokens[max(0, there - _SUBJECT_WORDS) : there]
            if not before or before[-1].clause != sentence.tokens[there].clause:
                return False
            if before[-1].surface in _OPEN or not before[-1].is_content:
                return False
            if any(token.term in own for token in before):
                return False
            is_found = True
    return is_found


def is_denied_in_run(claim: str, source: PreparedSource, closest: Sequence[AlignedSentence]) -> bool:
    """Say whether a sentence has the words of a claim around a negation that only one of both has."""
    tokens = tuple(tokenize(claim))
    words = [token for token in tokens if token.is_content]
    if len(words) < _SAME_WORDS:
        return False
    return any(
        _share(words, sentence, source) >= _NAME_COVER and _differs_in_negation(tokens, sentence.tokens)
        for sentence in closest[:1]
    )


def _differs_in_negation(claim: Sequence[Token], sentence: Sequence[Token]) -> bool:
    matcher = difflib.SequenceMatcher(
        None, [token.term for token in claim], [token.term for token in sentence], autojunk=False
    )
    changes = matcher.get_opcodes()
    for at, (kind, start, end, there, until) in enumerate(changes):
        if kind == "equal" or max(end - start, until - there) > _MOST_CHANGED:
            continue
        is_within = (not start or at > 0) and at + 1 < len(changes)
        if is_within and _denies(claim[start:end]) != _denies(sentence[there:until]):
            return True
    return False


def _denies(tokens: Sequence[Token]) -> bool:
    return any(has_negation(token.surface) for token in tokens)
