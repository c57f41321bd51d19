"""Measures how the words of a claim match a source: covered parts, word order, and missing words.

`measure_alignment` returns the numbers that `desktop.chat.checking.scoring` weighs, of Chinese as well as English. It has
no side effects.
"""

import heapq
import itertools
import math
import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from desktop.chat.checking.mentions import find_missing, find_names, find_numbers, read_values
from desktop.chat.checking.negations import measure_polarity
from desktop.chat.checking.words import AlignedSentence, PreparedSource, Token, similarity, tokenize

_BEST_SENTENCES = 3
_QUESTION = re.compile(r"[?？]\s*$")
_SPEAKER = frozenset({
    "i", "i'm", "i've", "i'd", "i'll", "me", "my", "mine", "we", "we're", "our", "you", "you're",
    "your", "yeah", "yes", "oh", "wow", "haha", "lol", "我", "我们", "你", "你们", "您",
})  # fmt: skip
GENERIC = frozenset({
    "become", "include", "use", "call", "know", "say", "state", "start", "begin", "locate", "name",
    "one", "two", "several", "various", "also", "well", "way", "time", "year", "people", "person",
    "thing", "part", "kind", "type", "number", "example", "good", "new", "old", "great", "big",
    "large", "small", "high", "long", "first", "last", "next", "around", "near", "main", "major",
    "different", "common", "important", "popular", "famous", "many", "lot", "find", "take", "give",
    "come", "go", "see", "look", "help", "mean", "show", "provide", "own", "like", "work", "live",
    "serve", "feature", "base", "involve", "relate", "contain", "consist", "form", "create",
    "make", "have", "be", "包括", "进行", "成为", "使用", "表示", "称为", "主要", "重要", "方面", "问题", "情况", "年",
    "月", "日", "人", "名", "位", "个", "种", "次", "目前", "同时", "通过", "其中", "相关",
})  # fmt: skip
_INTERJECTION = re.compile("ah|aha|ha|haha|hey|hi|hm|hmm|oh|ok|okay|wow|yeah|yep|yes|yup|嗯|哦|是的|好的")
_NEAR_WORDS = 6
_LONG_WORD_CHARS = 7
_HALF = 0.5
_MOST_COUNTED = 8
"""Missing words are counted up to this number."""


@dataclass(frozen=True)
class _Cover:
    """How well some sentences cover the words of a claim: one similarity for each word."""

    sentences: tuple[int, ...]
    likeness: tuple[float, ...]

    def share(self, weights: Sequence[float]) -> float:
        total = sum(weights)
        return sum(map(float.__mul__, self.likeness, weights)) / total if total else 0.0


@dataclass(frozen=True)
class Alignment:
    """The measures of a claim and its source, by name; `best` are the sentences that cover most of the claim."""

    features: dict[str, float]
    best: tuple[str, ...]
    missing: tuple[str, ...]
    """Content words of the claim that the best sentences lack."""
    closest: tuple[AlignedSentence, ...]
    """The sentences that by themselves have most of its words."""


def measure_alignment(claim: str, source: PreparedSource) -> Alignment:
    """Return measures of the words of a claim in a source, their order and their positions."""
    tokens = tuple(_without_interjections(tokenize(claim)))
    content = [token for token in tokens if token.is_content]
    weights = [_weight(token, source) for token in content]
    table = [[similarity(token, sentence) for token in content] for sentence in source.sentences]
    titled = [similarity(token, source.title) for token in content]
    covers = _covers(table, titled, weights)
    best, everywhere = covers[-1], _merge(table, titled)
    found = {f"cover_{count}": cover.share(weights) for count, cover in enumerate(covers, 1)}
    equal = [1.0] * len(content)
    found["words_1"] = covers[0].share(equal)
    found["words_best"] = best.share(equal)
    found["anywhere"] = _Cover((), everywhere).share(weights)
    found |= _missing_features(content, best.likeness, everywhere, weights)
    found |= _clause_features(content, table, titled, weights)
    found |= _order_features(content, source, best.sentences)
    found |= _copy_features(tokens, source)
    found |= measure_polarity(claim, tokens, content, source, best.sentences)
    found |= _shape_features(claim, tokens, content, source, best.sentences)
    found |= _mention_features(claim, source)
    found["window"] = _best_window(table, titled, weights)
    lacking = tuple(
        dict.fromkeys(
            token.surface for token, likeness in zip(content, best.likeness, strict=True) if likeness < _HALF
        )
    )
    shares = [sum(map(max, row, titled)) for row in table]
    closest = heapq.nlargest(_BEST_SENTENCES, range(len(shares)), key=shares.__getitem__)
    return Alignment(
        found,
        tuple(source.sentences[place].text for place in best.sentences),
        lacking,
        tuple(source.sentences[place] for place in closest),
    )


def _without_interjections(tokens: Iterator[Token]) -> Iterator[Token]:
    """Leave out “Oh yes, …” at the beginning of an answer: no source says it."""
    return itertools.dropwhile(lambda token: _INTERJECTION.fullmatch(token.surface), tokens)


def _weight(token: Token, source: PreparedSource) -> float:
    """Return the weight of a word: rare words, long words, names and numbers weigh most."""
    rarity = math.log(1 + (len(source.sentences) + 1) / (source.frequency[token.term] + 1)) + 0.5
    if token.is_name or token.is_number:
        return rarity * 1.5
    return rarity * (0.5 if token.term in GENERIC or token.surface in GENERIC else 1.0)


def _merge(table: Sequence[Sequence[float]], titled: Sequence[float]) -> tuple[float, ...]:
    return tuple(map(max, zip(titled, *table, strict=True))) if table else tuple(titled)


def _covers(
    table: Sequence[Sequence[float]], titled: Sequence[float], weights: Sequence[float]
) -> list[_Cover]:
    """Return the best sentence plus title, the best two, and the best three, each chosen for what it adds."""
    chosen: list[int] = []
    likeness = tuple(0.0 for _ in weights)
    covers: list[_Cover] = []
    for _ in range(_BEST_SENTENCES):
        added = [
            (
                sum(
                    max(0.0, new - had) * weight
                    for new, had, weight in zip(row, likeness, weights, strict=True)
                ),
                -place,
            )
            for place, row in enumerate(table)
            if place not in chosen
        ]
        gain, place = max(added, default=(0.0, 0))
        if gain > 0:
            chosen.append(-place)
            likeness = tuple(map(max, likeness, table[-place]))
        covers.append(_Cover(tuple(chosen), tuple(map(max, likeness, titled)) if titled else likeness))
    return covers


def _missing_features(
    content: Sequence[Token], best: Sequence[float], everywhere: Sequence[float], weights: Sequence[float]
) -> dict[str, float]:
    """Return how much is missing, by kind of word, in the best sentences and in the whole source."""
    found: dict[str, float] = {}
    total = sum(weights) or 1.0
    for where, likeness in (("best", best), ("all", everywhere)):
        lost = [(token, 1 - value) for token, value in zip(content, likeness, strict=True)]
        kinds = {
            "name": [loss for token, loss in lost if token.is_name],
            "number": [loss for token, loss in lost if token.is_number],
            "long": [
                loss for token, loss in lost if len(token.term) >= _LONG_WORD_CHARS and not token.is_name
            ],
            "word": [loss for token, loss in lost if not token.is_name and not token.is_number],
        }
        for kind, losses in kinds.items():
            found[f"lost_{kind}_{where}"] = min(_MOST_COUNTED, sum(losses))
            found[f"lost_{kind}_share_{where}"] = sum(losses) / len(losses) if losses else 0.0
        found[f"lost_most_{where}"] = max(
            (loss * weight / total for (_, loss), weight in zip(lost, weights, strict=True)), default=0.0
        )
        found[f"lost_count_{where}"] = min(_MOST_COUNTED, sum(loss for _, loss in lost))
    return found


def _clause_features(
    content: Sequence[Token],
    table: Sequence[Sequence[float]],
    titled: Sequence[float],
    weights: Sequence[float],
) -> dict[str, float]:
    """Return how well single sentences cover each part of the claim: the minimum and the mean."""
    clauses: dict[int, list[int]] = {}
    for place, token in enumerate(content):
        clauses.setdefault(token.clause, []).append(place)
    parts: list[list[int]] = []
    for places in clauses.values():
        if parts and (len(places) <= 1 or len(parts[-1]) <= 1):  # a single word is not a part
            parts[-1] += places
        else:
            parts.append(list(places))
    shares: list[tuple[float, float]] = []
    for part in parts:
        weight = sum(weights[place] for place in part)
        rows = [sum(max(row[place], titled[place] * 0.8) * weights[place] for place in part) for row in table]
        shares.append((max(rows, default=0.0) / weight if weight else 0.0, weight))
    total = sum(weight for _, weight in shares) or 1.0
    return {
        "part_worst": min((share for share, _ in shares), default=0.0),
        "part_mean": sum(share * weight for share, weight in shares) / total,
        "parts": float(min(6, len(shares))),
        "parts_lost": float(sum(share < _HALF for share, _ in shares)),
    }


def _order_features(
    content: Sequence[Token], source: PreparedSource, best: Sequence[int]
) -> dict[str, float]:
    """Return how often neighbouring words of the claim are neighbours in a sentence, and in the same order."""
    near = ordered = reversed_ = together = 0
    pairs = list(itertools.pairwise(content))
    known: dict[tuple[str, str], tuple[bool, bool, bool]] = {}
    for left, right in pairs:
        pair = (left.term, right.term)
        if pair not in known:
            known[pair] = _neighbours(*pair, source)
        is_together, ahead, behind = known[pair]
        together += is_together
        near += ahead or behind
        ordered += ahead
        reversed_ += behind and not ahead
    count = len(pairs) or 1
    names = Counter(token.term for token in content if token.is_name or token.is_number)
    holders = {
        name: {at for at, each in enumerate((*source.sentences, source.title)) if name in each.places}
        for name in names
    }
    joined = apart = 0
    for one, other in itertools.combinations([name for name in names if holders[name]], 2):
        count_of_pairs = names[one] * names[other]
        if holders[one].isdisjoint(holders[other]):
            apart += count_of_pairs
        else:
            joined += count_of_pairs
    longest, matched = 0, 0
    for place in best[:1]:
        sequence = [
            source.sentences[place].places[token.term][0]
            for token in content
            if token.term in source.sentences[place].places
        ]
        longest, matched = _longest_rise(sequence), len(sequence)
    return {
        "pair_near": near / count,
        "pair_ordered": ordered / count,
        "pair_reversed": reversed_ / count,
        "pair_together": together / count,
        "names_apart": float(min(apart, 6)),
        "names_apart_share": apart / (joined + apart) if joined + apart else 0.0,
        "order": longest / matched if matched else 0.0,
        "order_all": longest / len(content) if content else 0.0,
    }


def _neighbours(left: str, right: str, source: PreparedSource) -> tuple[bool, bool, bool]:
    """Return whether two words are in one sentence, and whether the second is near behind, and near before, the first."""
    is_together = is_ahead = is_behind = False
    for sentence in source.sentences:
        heres, theres = sentence.places.get(left, ()), sentence.places.get(right, ())
        is_together |= bool(heres and theres)
        for here in heres if theres else ():
            after = bisect_right(theres, here)
            before = bisect_left(theres, here) - 1
            is_ahead |= after < len(theres) and theres[after] - here <= _NEAR_WORDS
            is_behind |= before >= 0 and here - theres[before] <= _NEAR_WORDS
        if is_ahead and is_behind:
            break
    return is_together, is_ahead, is_behind


def _longest_rise(sequence: Sequence[int]) -> int:
    tails: list[int] = []
    for value in sequence:
        place = bisect_left(tails, value)
        tails[place : place + 1] = [value]
    return len(tails)


def _copy_features(tokens: Sequence[Token], source: PreparedSource) -> dict[str, float]:
    """Return how much of the claim is copied in runs: share, length, and number of sentences they come from."""
    claim = [token.term for token in tokens]
    at = runs = copied = squares = longest = 0
    origins: list[int] = []
    while at < len(claim):
        length, origin = 0, -1
        for number, sentence in enumerate(source.sentences):
            for place in sentence.places.get(claim[at], ()):
                run = 0
                while (
                    at + run < len(claim)
                    and place + run < len(sentence.tokens)
                    and sentence.tokens[place + run].term == claim[at + run]
                ):
                    run += 1
                if run > length or (run == length and origins and number == origins[-1]):
                    length, origin = run, number
        if length > 1:
            runs += 1
            copied += length
            squares += length * length
            longest = max(longest, length)
            origins.append(origin)
        at += max(1, length)
    count = len(claim) or 1
    jumps = [abs(one - other) for one, other in itertools.pairwise(origins)]
    return {
        "copied": copied / count,
        "copy_density": math.sqrt(squares) / count,
        "copy_longest": longest / count,
        "copy_runs": min(10, runs) / 10,
        "copy_sources": float(min(5, len(set(origins)))),
        "copy_far_jumps": float(min(5, sum(jump > 1 for jump in jumps))),
    }


def _best_window(
    table: Sequence[Sequence[float]], titled: Sequence[float], weights: Sequence[float]
) -> float:
    """Return how much of the claim any three consecutive sentences cover."""
    windows = (
        table[first : first + _BEST_SENTENCES] for first in range(max(1, len(table) - _BEST_SENTENCES + 1))
    )
    return max((_Cover((), _merge(window, titled)).share(weights) for window in windows), default=0.0)


def _mention_features(claim: str, source: PreparedSource) -> dict[str, float]:
    missing = find_missing(claim, source.text, source.index_terms)
    demanded = len(find_numbers(claim)) + len(find_names(claim))
    return {
        "mentions_missing": float(min(5, len(missing))),
        "mentions_missing_share": len(missing) / demanded if demanded else 0.0,
    }


def _shape_features(
    claim: str, tokens: Sequence[Token], content: Sequence[Token], source: PreparedSource, best: Sequence[int]
) -> dict[str, float]:
    said = {token.surface for place in best for token in source.sentences[place].tokens}
    speaking = sum(token.surface in _SPEAKER and token.surface not in said for token in tokens)
    held = read_values(source.text)
    stated = read_values(claim)
    return {
        "speaking": float(min(3, speaking)),
        "question": float(bool(_QUESTION.search(claim))),
        "length": math.log1p(len(content)),
        "source_length": math.log1p(len(source.sentences)),
        "names": float(min(8, sum(token.is_name for token in content))),
        "numbers": float(min(4, sum(token.is_number for token in content))),
        "values_missing": float(min(4, len(stated - held))),
        "spread": math.log1p(max(best) - min(best)) if len(best) > 1 else 0.0,
        "best_length": math.log1p(len(source.sentences[best[0]].tokens)) if best else 0.0,
    }
