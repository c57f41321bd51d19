"""Finds where the sentences that have the words of a claim speak of someone else: another name, subject, or exchanged roles.

A name of the claim may well stand elsewhere in the source. What counts is what the sentence that has the other words
says in its place, as long as no sentence that has half of them agrees with the claim.
"""

import itertools
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from desktop.chat.checking.mentions import find_missing, find_names
from desktop.chat.checking.words import (
    AlignedSentence,
    PreparedSource,
    Token,
    share_of_words,
    similarity,
    tokenize,
)
from desktop.text.terms import terms

_NAME_COVER = 0.7
_SAME_WORDS = 3
"""A sentence has another name in the place of one if it shares at least this part, and this many, of the other words."""
_ABOUT_COVER = 0.5
"""A sentence with this part of the other words can say that the claim is right."""
_MOST_BETWEEN = 5
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
_PASSIVE = re.compile(r"被|由|遭|受到")
"""Marks of the Chinese passive; “by” ends a clause, so that the English one is never compared."""
_SYMMETRIC = frozenset({
    "meet", "met", "marry", "married", "play", "played", "border", "bordered", "join", "joined", "between", "near", "same",
    "together", "equal", "similar", "resemble", "divorce", "divorced", "share", "shared", "merge", "merged", "talk",
    "talked", "discuss", "discussed", "fight", "fought", "versus", "vs", "draw", "drew", "of", "is", "for", "和", "与", "跟",
    "同", "结婚", "会面", "会谈", "合并", "比赛", "相同", "接壤", "交谈", "离婚", "是",
})  # fmt: skip
"""Words of relations that hold in both directions, or of none that has a direction."""
_PARTICIPLE = re.compile(
    r"\w{2,}ed|\w+(?:own|awn|ewn)|written|made|built|led|sung|won|held|given|taken|chosen|founded|begun|beaten|stolen|driven|hidden|"
    r"bought|sold|found|sent|taught|caught|brought|told|shot|cut|set|run|hosted|wrote|sang|took|gave|chose|began|beat"
)
"""Verbs of which “by” names who did it, and those that follow the name."""
_ARTICLES = frozenset({"the", "a", "an"})
_WORDS_BEFORE_NAME = 2
"""At most so many words say what someone is: “the young writer Ann”."""
_MOST_IN_RELATION = 5
"""Two names with more content words between them are in no single relation."""
_Participant = frozenset[str]
"""The terms of a name."""


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
            if any(share_of_words(others, each, source) >= _ABOUT_COVER for each in holders):
                continue
            if any(
                not _has(token, sentence)
                and share_of_words(others, sentence, source) >= _NAME_COVER
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
        neighbour.term in beside
        for sentence in source.sentences
        for here in sentence.places.get(token.term, ())
        for neighbour in (*sentence.tokens[max(0, here - 1) : here], *sentence.tokens[here + 1 : here + 2])
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
        at = bisect_right(rights, start)
        for end in rights[at : at + _MOST_BETWEEN + 1]:
            if end <= start + _MOST_BETWEEN + 1 and any(
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


def has_other_agent(claim: str, source: PreparedSource) -> bool:
    """Say whether a claim names one who did something, and a sentence another: “opened by Ann” where Ben opened it. English only.

    No sentence may leave it open that the one of the claim did it, too.
    """
    tokens = tuple(tokenize(claim))
    return any(_is_by_another(tokens, *found, source) for found in _find_verbs(claim, tokens))


def _find_verbs(claim: str, tokens: Sequence[Token]) -> Iterator[tuple[int, list[int]]]:
    """Yield the place of each verb with those of the words that name who did it: “opened by the writer Ann”, “Ann opened”."""
    for name in _names(claim, tokens):
        before = name[0] - 1
        while name[0] - before <= _WORDS_BEFORE_NAME and before > 0 and tokens[before].is_content:
            before -= 1
        if tokens[before].surface in _ARTICLES:
            before -= 1
        after = name[-1] + 1
        has_more = after < len(tokens) and tokens[after].clause == tokens[name[0]].clause
        if before > 0 and tokens[before].surface == "by" and _is_participle(tokens[before - 1]):
            if not (has_more and tokens[after].is_content):  # “by an American director” gives no name
                yield before - 1, name
        elif has_more and _is_participle(tokens[after]):
            yield after, name


def _is_participle(token: Token) -> bool:
    return token.is_content and not token.is_name and _PARTICIPLE.fullmatch(token.surface) is not None


def _is_by_another(tokens: Sequence[Token], verb: int, name: Sequence[int], source: PreparedSource) -> bool:
    clause = tokens[name[0]].clause
    own = {  # “by American director Ann Smith” is by all of these
        part
        for token in tokens
        if token.clause == clause and token.is_name
        for part in (token.term, *token.surface.split("-"))
    }
    others = [
        token
        for place, token in enumerate(tokens)
        if token.is_content and place != verb and place not in name
    ]
    if not others or own & source.title.places.keys():
        return False
    is_found = False
    for sentence in source.sentences:
        for place in sentence.places.get(tokens[verb].term, ()):
            agent = _agent_of(sentence, place)
            if agent is None or own & {token.term for token in agent}:
                if own & sentence.places.keys():
                    return False
            elif share_of_words(others, sentence, source) >= _ABOUT_COVER:
                is_found = True
    return is_found


def _agent_of(sentence: AlignedSentence, verb: int) -> tuple[Token, ...] | None:
    """Return the words from “by” behind a verb to that of another one; None unless they begin with a name, as “the writer Ann”."""
    if [token.surface for token in sentence.tokens[verb + 1 : verb + 2]] != ["by"]:
        return None
    start = end = verb + 2
    while end < len(sentence.tokens) and not (
        sentence.tokens[end].surface == "by" and _is_participle(sentence.tokens[end - 1])
    ):
        end += 1
    words = sentence.tokens[start:end]
    if words and words[0].surface in _ARTICLES:
        words = words[1:]
    first = itertools.takewhile(lambda token: token.is_content, words[: _WORDS_BEFORE_NAME + 1])
    return words if any(token.is_name for token in first) else None


def is_swapped(claim: str, source: PreparedSource) -> bool:
    """Say whether the source has two names of the claim in exchanged roles: “A sued B” instead of “B sued A”.

    All the words between the two names must be between them in one clause of the source, in the other order, and
    nowhere in the order of the claim. Where only one of both is in the passive voice, the order says nothing.
    """
    for before, between, after in _relations(claim, source):
        places = [_directions(sentence, before, between, after) for sentence in source.sentences]
        if any(behind for _, behind in places) and not any(ahead for ahead, _ in places):
            return True
    return False


def _relations(
    claim: str, source: PreparedSource
) -> Iterator[tuple[_Participant, list[Token], _Participant]]:
    """Yield neighbouring names of the claim with the content words between them."""
    tokens = list(tokenize(claim))
    names = {term.lower() for name in find_names(claim) for term in (name, *re.split(r"[\s’'-]", name))}
    is_name = [
        (token.is_name or token.surface in names or (place == 0 and _is_name_there(token, source)))
        and not token.is_number
        for place, token in enumerate(tokens)
    ]
    groups = [
        (known, [place for place, _ in group])
        for known, group in itertools.groupby(enumerate(is_name), key=lambda pair: pair[1])
    ]
    for (_, left), (_, middle), (is_end, right) in zip(groups, groups[1:], groups[2:], strict=False):
        between = [tokens[place] for place in middle if tokens[place].is_content]
        if not is_end or not 0 < len(between) <= _MOST_IN_RELATION:
            continue
        if any(token.surface in _SYMMETRIC for token in (tokens[place] for place in middle)):
            continue
        before = frozenset(tokens[place].term for place in left)
        after = frozenset(tokens[place].term for place in right)
        clauses = {tokens[place].clause for place in (left[-1], *middle, right[0])}
        if not before & after and len(clauses) == 1:
            yield before, [tokens[place] for place in middle], after


def _is_name_there(token: Token, source: PreparedSource) -> bool:
    """Say whether the first word of a claim is a name: the source writes it with a capital within a sentence."""
    return token.is_content and any(
        other.term == token.term and other.is_name
        for sentence in source.sentences
        for other in sentence.tokens
    )


def _directions(
    sentence: AlignedSentence, before: _Participant, middle: Sequence[Token], after: _Participant
) -> tuple[bool, bool]:
    """Return whether a sentence has the relation in the order of the claim, and whether in the other order."""
    left = [place for term in before for place in sentence.places.get(term, ())]
    right = [place for term in after for place in sentence.places.get(term, ())]
    between = [sentence.places.get(token.term, []) for token in middle if token.is_content]
    if not left or not right or not all(between):
        return False, False
    inner = [place for places in between for place in places]
    is_ahead = min(left) < max(inner) and max(right) > min(inner) and min(left) < max(right)
    start, end = max(right), min(left)
    is_behind = start < min(inner) and max(inner) < end
    span = sentence.tokens[start : end + 1] if is_behind else ()
    is_one_clause = len({token.clause for token in span}) == 1
    said = "".join(token.surface for token in span)
    claimed = "".join(token.surface for token in middle)
    is_same_voice = bool(_PASSIVE.search(said)) == bool(_PASSIVE.search(claimed))
    return is_ahead, is_one_clause and is_same_voice
