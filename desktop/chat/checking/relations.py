"""Finds claims that exchange who did something and to whom it was done."""

import itertools
import re
from collections.abc import Iterator, Sequence

from desktop.chat.checking.alignment import AlignedSentence, PreparedSource, Token, tokenize
from desktop.chat.checking.mentions import find_names

_PASSIVE = re.compile(r"被|由|遭|受到")
"""Marks of the Chinese passive; “by” ends a clause, so that the English one is never compared."""
_SYMMETRIC = frozenset({
    "meet", "met", "marry", "married", "play", "played", "border", "bordered", "join", "joined", "between", "near", "same",
    "together", "equal", "similar", "resemble", "divorce", "divorced", "share", "shared", "merge", "merged", "talk",
    "talked", "discuss", "discussed", "fight", "fought", "versus", "vs", "draw", "drew", "of", "is", "for", "和", "与", "跟",
    "同", "结婚", "会面", "会谈", "合并", "比赛", "相同", "接壤", "交谈", "离婚", "是",
})  # fmt: skip
"""Words of relations that hold in both directions, or of none that has a direction."""
_MOST_BETWEEN = 5
"""Two names with more content words between them are in no single relation."""
_Participant = frozenset[str]
"""The terms of a name."""


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
        if not is_end or not 0 < len(between) <= _MOST_BETWEEN:
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
