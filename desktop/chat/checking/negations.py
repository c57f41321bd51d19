"""Finds where the sentences that have the words of a claim say the opposite: by a negation, or a word of opposite meaning."""

import difflib
import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from desktop.chat.checking.words import (
    AlignedSentence,
    PreparedSource,
    Token,
    make_token,
    share_of_words,
    similarity,
    tokenize,
)

NEGATION = re.compile(
    r"\b(?:not|no|never|none|nobody|nothing|neither|nor|without|cannot|can't|\w+n['’]t|fail(?:ed|s)? to|denied|denies|refus\w+|"
    r"unable|lack(?:s|ed)?)\b|不|没|未|无(?!线)|非(?!常|洲)|否",
    re.IGNORECASE,
)
NO_NEGATION = re.compile(
    r"\b(?:not (?:only|just|merely|least)|no (?:doubt|matter|(?:fewer|less|more) than))\b|\bno\.? ?(?=\d)|不(?:过|仅|只|单|但|光|止|同|断|少|久|管|论|料|禁|时|愧|妨|得不)|非常|未来|未婚|否则|无论|无数|无线|除非",
    re.IGNORECASE,
)
"""Words that deny nothing, though they have a sign of negation."""
_OPENING = re.compile(r"no|none|neither|nobody|nothing|没有|并?无")
"""Negations that stand before all that they deny: “No library is open”, “None of the libraries is open”."""
_PRONOUNS = frozenset({"one", "such"})
_EXCEPTING = frozenset({
    "than", "but", "except", "besides", "until", "till", "before", "unless", "as", "other", "比", "除", "除了", "直到", "之前", "以前", "如",
})  # fmt: skip
"""Words behind them that leave something out of what is denied: “No library was open before 1990”."""
_HEDGE = re.compile(
    r"\b(?:may|might|could|would|should|alleged\w*|reported\w*|possibl\w*|perhaps|probabl\w*|plan(?:s|ned)?|expect\w*|likely|"
    r"if|claim\w*|suspect\w*|propos\w*|consider\w*|rumou?r\w*)\b|可能|或许|也许|据称|据说|计划|预计|拟|疑似|涉嫌|如果",
    re.IGNORECASE,
)
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
_SAME_COVER = 0.7
_SAME_WORDS = 3
"""A sentence says the same but for a negation if it shares at least this part, and this many, of the words."""
_MOST_CHANGED = 3
"""A longer change than so many words is more than a negation."""
_LONGEST = 300
"""Longer sentences are not aligned word by word, which takes the square of their length."""


@lru_cache(maxsize=4)
def _opposites() -> dict[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for line in _ANTONYMS:
        one, other = (frozenset(make_token(word).term for word in side.split()) for side in line.split("/"))
        for word in one:
            found[word] = found.get(word, frozenset()) | other
        for word in other:
            found[word] = found.get(word, frozenset()) | one
    return found


def has_negation(text: str) -> bool:
    """Say whether a text denies something."""
    return NEGATION.search(NO_NEGATION.sub(" ", text)) is not None


def measure_polarity(
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
    """Return the words of a sentence between the first and the last word that the claim shares, and a negation that opens them."""
    places = [place for token in content for place in sentence.places.get(token.term, ())]
    if not places:
        return ()
    return sentence.tokens[_begin_of_denied(sentence.tokens, min(places)) : max(places) + 1]


def _begin_of_denied(tokens: Sequence[Token], place: int) -> int:
    """Return the place of the negation that opens what a sentence says from a place on, else the place itself.

    It does not count where something is left out of it, or denied once more.
    """
    before = place - 1
    while before >= 0 and tokens[before].clause == tokens[place].clause:
        if _OPENING.fullmatch(tokens[before].surface):
            return before if _denies_all(tokens[before], tokens[before + 1 :]) else place
        if tokens[before].is_content:
            break
        before -= 1
    return place


def _denies_all(negation: Token, behind: Sequence[Token]) -> bool:
    if negation.surface == "no" and not (behind[0].is_content or behind[0].surface in _PRONOUNS):
        return False  # the answer in “no it’s open”
    clause = [token for token in behind if token.clause == negation.clause]
    return not _count_negations(clause) and _EXCEPTING.isdisjoint(token.surface for token in behind)


def is_denied_in_run(claim: str, source: PreparedSource, closest: Sequence[AlignedSentence]) -> bool:
    """Say whether a sentence has the words of a claim around a negation that only one of both has."""
    tokens = tuple(tokenize(claim))
    words = [token for token in tokens if token.is_content]
    if len(words) < _SAME_WORDS or len(tokens) > _LONGEST:
        return False
    return any(
        len(sentence.tokens) <= _LONGEST
        and share_of_words(words, sentence, source) >= _SAME_COVER
        and _differs_in_negation(tokens, sentence.tokens)
        for sentence in closest[:1]
    )


def _differs_in_negation(claim: Sequence[Token], sentence: Sequence[Token]) -> bool:
    matcher = difflib.SequenceMatcher(
        None, [token.term for token in claim], [token.term for token in sentence], autojunk=False
    )
    changes = matcher.get_opcodes()
    common = [change for change in changes if change[0] == "equal"]
    if not common:
        return False
    said = sentence[_begin_of_denied(sentence, common[0][3]) : common[-1][4]]
    if _count_negations(claim) == _count_negations(said):  # said in another way: “denied that”, “said … not”
        return False
    for at, (kind, start, end, there, until) in enumerate(changes):
        if kind == "equal" or max(end - start, until - there) > _MOST_CHANGED:
            continue
        is_within = (not start or at > 0) and at + 1 < len(changes)
        if is_within and bool(_count_negations(claim[start:end])) != bool(
            _count_negations(sentence[there:until])
        ):
            return True
    return False


def _count_negations(tokens: Sequence[Token]) -> int:
    return len(NEGATION.findall(NO_NEGATION.sub(" ", " ".join(token.surface for token in tokens))))


def has_unsourced_denial(claim: str, sources: Sequence[PreparedSource]) -> bool:
    """Say whether a claim denies something that no sentence denies, or that is nowhere: “has no parks”, of a text without parks."""
    sentences = [sentence for source in sources for sentence in (*source.sentences, source.title)]
    denying = [sentence for sentence in sentences if has_negation(sentence.plain)]
    tokens = tuple(tokenize(claim))
    return any(
        not any(_has_any(words, sentence) for sentence in denying) for words in _clauses_that_deny(tokens)
    ) or any(
        not any(_has_any(words, sentence) for sentence in sentences)
        for words in _words_behind_negations(tokens)
    )


def _has_any(words: Sequence[Token], sentence: AlignedSentence) -> bool:
    return any(similarity(word, sentence) > 0 for word in words)


def _clauses_that_deny(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Yield the content words of each clause with a negation."""
    for _, group in itertools.groupby(tokens, key=lambda token: token.clause):
        clause = list(group)
        words = _content_of(clause)
        if words and has_negation(" ".join(token.surface for token in clause)):
            yield words


def _words_behind_negations(tokens: Sequence[Token]) -> Iterable[list[Token]]:
    """Return the content words behind the last negation of each clause: those behind an earlier one are these and more."""
    found: dict[int, list[Token]] = {}
    for place, token in enumerate(tokens):
        beside = " ".join(each.surface for each in tokens[max(0, place - 1) : place + 2])
        if NEGATION.fullmatch(token.surface) and has_negation(beside):
            clause = [each for each in tokens[place + 1 :] if each.clause == token.clause]
            if words := _content_of(clause):
                found[token.clause] = words
    return found.values()


def _content_of(tokens: Sequence[Token]) -> list[Token]:
    return [token for token in tokens if token.is_content and not NEGATION.fullmatch(token.surface)]


def is_denied_elsewhere(claim: str, sentence: AlignedSentence) -> bool:
    """Say whether the negations of a sentence stand only in clauses with half of the words that it shares with a claim or less."""
    shared = {token.term for token in tokenize(claim) if token.is_content} & sentence.places.keys()
    clauses: dict[int, list[Token]] = {}
    for token in sentence.tokens:
        clauses.setdefault(token.clause, []).append(token)
    denied = [tokens for tokens in clauses.values() if _count_negations(tokens)]
    return bool(denied) and all(
        2 * len(shared & {token.term for token in tokens}) <= len(shared) for tokens in denied
    )
