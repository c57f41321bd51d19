"""Measures how the words of a claim match a source: covered parts, word order, and missing words.

`measure_alignment` returns the numbers that `desktop.chat.checking.scoring` weighs. It has no side effects and
handles Chinese as well as English: Chinese words are segmented by jieba, and a word counts as found if a
sentence contains its characters.
"""

import heapq
import itertools
import math
import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from desktop.chat.checking.mentions import find_missing, find_names, find_numbers, read_values, word_value
from desktop.text.sentences import split_sentences
from desktop.text.terms import STOP_WORDS, terms

MAX_CHARS = 60_000
"""How many characters of a source are read."""
_BEST_SENTENCES = 3
_HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_WORD = re.compile(
    rf"[{_HAN}]+|\d+(?:[.,:]\d+)*(?:(?:st|nd|rd|th|s)(?![A-Za-z]))?|[^\W\d_{_HAN}]+(?:['’-][^\W\d_{_HAN}]+)*|\w+"
)
_CLAUSE_END = re.compile(
    r"[,;:()（），；：、—–]|\s-\s|\b(?:and|but|or|which|who|that|while|when|where|after|before|because|although|as|by|with)\b|"
    r"[和与及但而并]"
)
_QUESTION = re.compile(r"[?？]\s*$")
NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|can't|\w+n['’]t|fail(?:ed|s)? to|denied|denies|refus\w+|"
    r"unable|lack(?:s|ed)?)\b|不|没|未|无(?!线)|非(?!常|洲)|否",
    re.IGNORECASE,
)
NO_NEGATION = re.compile(
    r"\b(?:not (?:only|just|merely|least)|no (?:doubt|matter|(?:fewer|less|more) than))\b|不(?:过|仅|只|单|但|光|止|同|断|少|久|管|论|料|禁|时|愧|妨|得不)|非常|未来|未婚|否则|无论|无数|无线|除非"
)
"""Words that deny nothing, though they have a sign of negation."""
_HEDGE = re.compile(
    r"\b(?:may|might|could|would|should|alleged\w*|reported\w*|possibl\w*|perhaps|probabl\w*|plan(?:s|ned)?|expect\w*|likely|"
    r"if|claim\w*|suspect\w*|propos\w*|consider\w*|rumou?r\w*)\b|可能|或许|也许|据称|据说|计划|预计|拟|疑似|涉嫌|如果",
    re.IGNORECASE,
)
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
_ANTONYMS = (
    "increase rise grow gain up higher/decrease fall drop decline lose down lower reduce",
    "win beat defeat victory/lose loss",
    "first/last second final",
    "before/after",
    "more most above over exceed/less least fewer below under",
    "north northern/south southern",
    "east eastern/west western",
    "male man men boy father son husband brother king/female woman women girl mother daughter wife sister queen",
    "buy purchase acquire/sell sold",
    "open begin start launch found/close end stop finish cancel",
    "accept approve allow permit support agree/reject refuse deny ban oppose prohibit",
    "hot warm/cold cool",
    "old older oldest/young younger youngest new",
    "early earlier/late later",
    "left/right",
    "best better/worst worse",
    "guilty convict/innocent acquit",
    "success succeed/fail failure",
    "arrive enter join/leave depart exit quit",
    "true correct/false wrong",
    "major majority/minor minority",
    "import/export",
    "husband/wife",
    "增长 上升 增加 提高 涨 上涨/下降 减少 降低 跌 下跌 下滑",
    "胜 赢 击败 战胜/败 输 负于",
    "男 男性 男子 父亲 儿子/女 女性 女子 母亲 女儿",
    "之前 以前/之后 以后",
    "买 收购 购买/卖 出售",
    "同意 支持 批准 允许 通过/反对 拒绝 禁止 否决",
    "东 东部/西 西部",
    "南 南部/北 北部",
    "最大 最高 最多/最小 最低 最少",
)
_UNITS = {
    word: unit
    for unit, *words in (
        ("m", "metre", "metres", "meter", "meters", "米"),
        ("km", "kilometre", "kilometres", "kilometer", "kilometers", "公里", "千米"),
        ("cm", "centimetre", "centimetres", "centimeter", "centimeters", "厘米"),
        ("mm", "millimetre", "millimetres", "millimeter", "millimeters", "毫米"),
        ("kg", "kilogram", "kilograms", "kilogramme", "公斤", "千克"),
        ("ft", "foot", "feet"),
        ("mi", "mile", "miles"),
        ("h", "hour", "hours"),
    )
    for word in words
}
"""Spellings of the same unit: in a short clause the unit is half of the content."""
_INTERJECTION = re.compile("ah|aha|ha|haha|hey|hi|hm|hmm|oh|ok|okay|wow|yeah|yep|yes|yup|嗯|哦|是的|好的")
_LEAST_PREFIX = 5
_LONGEST_ENDING = 3
_NEAR_WORDS = 6
_LONG_WORD_CHARS = 7
_HALF = 0.5
_MOST_COUNTED = 8
"""Missing words are counted up to this number."""


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a text in comparable form: `term` is its stem or its Chinese characters."""

    term: str
    surface: str
    is_content: bool
    is_name: bool
    is_number: bool
    clause: int = 0


@dataclass(frozen=True)
class AlignedSentence:
    """A sentence of a source, prepared for comparison."""

    text: str
    plain: str
    tokens: tuple[Token, ...]
    places: dict[str, list[int]]
    """The positions of each term in `tokens`."""


@dataclass(frozen=True)
class PreparedSource:
    """A source prepared for comparison: its sentences in order, and the sentence frequency of each word."""

    text: str
    sentences: tuple[AlignedSentence, ...]
    title: AlignedSentence
    frequency: Counter[str]
    index_terms: frozenset[str]
    """The index terms of title and text, used to look up names."""

    def text_of_sentences(self) -> tuple[str, ...]:
        """Return the original text of the sentences."""
        return tuple(sentence.text for sentence in self.sentences)


@lru_cache(maxsize=64)
def prepare_source(title: str, text: str) -> PreparedSource:
    """Return a source prepared for comparison."""
    text = text[:MAX_CHARS]
    sentences = tuple(_sentence(text[span.start : span.end]) for span in split_sentences(text))
    frequency = Counter(term for sentence in sentences for term in sentence.places)
    index_terms = frozenset(terms(f"{title}\n{text}"))
    return PreparedSource(text, sentences, _sentence(title), frequency, index_terms)


def _sentence(text: str) -> AlignedSentence:
    tokens = tuple(tokenize(text))
    places: dict[str, list[int]] = {}
    for place, token in enumerate(tokens):
        places.setdefault(token.term, []).append(place)
    return AlignedSentence(text, unicodedata.normalize("NFKC", text).lower(), tokens, places)


def tokenize(text: str) -> Iterator[Token]:
    """Yield the words of a text, each with the number of its clause."""
    plain = unicodedata.normalize("NFKC", text)
    ends = [match.start() for match in _CLAUSE_END.finditer(plain)]
    clause = 0
    is_first = True
    for match in _WORD.finditer(plain):
        while clause < len(ends) and ends[clause] < match.start():
            clause += 1
        for surface in _cut(match[0]):
            yield _token(surface, is_first=is_first, clause=clause)
            is_first = False


def _cut(run: str) -> Sequence[str]:
    if not "\u3400" <= run[0] <= "\ufaff":
        return (run,)
    import rjieba  # noqa: PLC0415 - loading its dictionary takes 0.1 s, which would delay the start

    words: list[str] = rjieba.cut(run)
    return words


def _token(surface: str, *, is_first: bool, clause: int) -> Token:
    lower = surface.lower().replace("’", "'")
    is_number = surface[0].isdigit()
    is_name = surface[0].isupper() and not (is_first and surface[1:].islower()) and lower not in STOP_WORDS
    value = word_value(lower)
    if value is not None:
        term = str(value)
    elif lower in _UNITS:
        term = _UNITS[lower]
    else:
        stems = terms(lower) if surface.isascii() else ()
        term = stems[0] if stems else lower
    return Token(term, lower, lower not in STOP_WORDS, is_name, is_number, clause)


def similarity(token: Token, sentence: AlignedSentence) -> float:
    """Return how certainly a sentence contains a word, 0…1."""
    if token.term in sentence.places:
        return 1.0
    if "\u3400" <= token.term[0] <= "\ufaff":
        return _han_similarity(token.term, sentence.plain)
    if token.is_number:
        return 0.0
    if len(token.term) >= _LEAST_PREFIX:
        return _form_similarity(token.term, sentence)
    return 0.0


def _han_similarity(word: str, plain: str) -> float:
    if word in plain:
        return 1.0
    if len(word) == 1:
        return 0.0
    if len(word) == 2:  # noqa: PLR2004 - 收购 and 购入 share a character and most of their meaning
        return 0.4 if word[0] in plain or word[1] in plain else 0.0
    pairs = [word[at : at + 2] for at in range(len(word) - 1)]
    return sum(pair in plain for pair in pairs) / len(pairs)


def _form_similarity(term: str, sentence: AlignedSentence) -> float:
    """Return the similarity of a word to the one with the longest common prefix: publish, publication."""
    best = 0.0
    for other in sentence.places:
        if len(other) < _LEAST_PREFIX or other[:4] != term[:4]:
            continue
        shared = _shared_prefix(term, other)
        longer = max(len(term), len(other))
        if shared >= _LEAST_PREFIX or longer - shared <= _LONGEST_ENDING:
            best = max(best, shared / longer)
    return best if best >= 0.6 else 0.0  # noqa: PLR2004 - below this they only share a beginning


def _shared_prefix(one: str, other: str) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


@lru_cache(maxsize=4)
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _ANTONYMS:
        one, other = (
            frozenset(_token(word, is_first=False, clause=0).term for word in side.split())
            for side in line.split("/")
        )
        for word in one:
            found[word] = found.get(word, frozenset()) | other
        for word in other:
            found[word] = found.get(word, frozenset()) | one
    return found


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
    found |= _polarity_features(claim, tokens, content, source, best.sentences)
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


def has_negation(text: str) -> bool:
    """Say whether a text denies something."""
    return NEGATION.search(NO_NEGATION.sub(" ", text)) is not None


def _polarity_features(
    claim: str, tokens: Sequence[Token], content: Sequence[Token], source: PreparedSource, best: Sequence[int]
) -> dict[str, float]:
    """Return whether claim and best sentence differ in negation, certainty, or by a word of opposite meaning."""
    said = " ".join(source.sentences[place].plain for place in best[:2])
    first = source.sentences[best[0]].plain if best else ""
    is_negated, is_source_negated = has_negation(claim), has_negation(first)
    terms_there = {term for place in best[:2] for term in source.sentences[place].places}
    terms_here = {token.term for token in tokens}
    opposites = _opposites()
    between = _between_matches(content, source.sentences[best[0]]) if best else ()
    opposed_between = {token.term for token in between} - terms_here
    opposed = sum(
        1
        for term in terms_here
        if term in opposites and term not in terms_there and opposites[term] & (terms_there - terms_here)
    )
    return {
        "negation_inside": float(is_negated != has_negation(" ".join(token.surface for token in between))),
        "opposed_inside": float(
            any(opposites.get(term, frozenset()) & opposed_between for term in terms_here - terms_there)
        ),
        "negation_added": float(is_negated and not has_negation(said)),
        "negation_dropped": float(is_source_negated and not is_negated),
        "negation_differs": float(is_negated != is_source_negated),
        "hedge_dropped": float(bool(_HEDGE.search(first)) and not _HEDGE.search(claim)),
        "opposed": float(min(3, opposed)),
    }


def _between_matches(content: Sequence[Token], sentence: AlignedSentence) -> tuple[Token, ...]:
    """Return the words of a sentence between the first and the last word that the claim shares."""
    places = [place for token in content for place in sentence.places.get(token.term, ())]
    return sentence.tokens[min(places) : max(places) + 1] if places else ()


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
