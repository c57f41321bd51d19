"""Measures how well a sentence fits a question, as features by which `ranking` predicts whether it answers.

The features compare question and sentence by their terms, by the kind of answer, by words of the same
subject, by meaning, and by what other sources and sentences say.
"""

import math
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from itertools import pairwise

from desktop.providers.quotes.answer_type import (
    AnswerType,
    detect_answer_type,
    has_asked_unit,
    spans_of_type,
    subject_of,
)
from desktop.providers.quotes.candidates import PRONOUN, Sentence, SourcePart, readability
from desktop.text.terms import content_terms, terms

_NEAR_WORTH = ((-1, 0.5), (-2, 0.3), (1, 0.25))
_TOPIC_WORTH = 0.75
_ELSEWHERE_WORTH = 0.2
"""Weight of a question term that occurs not in the sentence but nearby: in title, beginning or part."""

_UNKNOWN_SHARE = 0.4
"""Factor for terms that occur nowhere: in Chinese often not words, but a name is the subject itself."""

_NAME = re.compile(r"(?<!^)\b[A-Z0-9][\w.-]*")
_KEY = re.compile(r"《([^》]+)》|\b(?:1[5-9]|20)\d\d\b")
_YEAR = re.compile(r"(?<!\d)(?:1[5-9]|20)\d\d(?!\d)")
_REACH = 40
_CHINESE_REACH = 16
"""Number of characters around a possible answer that count as near it."""
_MOST_SPANS = 6
_MOST_NEWS = 6
_LEAST_NEAR = 0.3
_LITTLE_COVERED = 0.6
_LEAST_COVERED = 0.45
"""Shares of the question below which a sentence becomes less likely to answer."""
_TYPICAL_CHARS = 60
_TYPICAL_CHINESE_CHARS = 30

UNKNOWN = -1.0
"""Value of a feature that was not measured."""

_FOCUS = re.compile(
    r"\b(?:which|what|how many|how much) ((?:\w+ )?\w+)|(?:哪[一]?[个些支家部所款本首条种届位]?|多少[个名位]?|什么)([\u4e00-\u9fff]{2})",
    re.IGNORECASE,
)
"""What the question asks for: `which team`, `哪个城市`."""
_NAMED_KINDS = frozenset(
    {AnswerType.NUMBER, AnswerType.DATE, AnswerType.PERSON, AnswerType.PLACE, AnswerType.NAME}
)


@dataclass(frozen=True)
class QuestionUnit:
    """A piece of the question that counts once, even if several of its terms are found."""

    terms: frozenset[str]
    weight: float


@dataclass(frozen=True)
class WeighedQuestion:
    """A question whose pieces are weighted by how distinctive they are among the sentences."""

    text: str
    units: tuple[QuestionUnit, ...]
    terms: frozenset[str]
    wanted: AnswerType | None
    cues: tuple[re.Pattern[str], ...]
    years: frozenset[str]
    names: frozenset[str]
    focus: frozenset[str]
    in_order: tuple[str, ...]
    pairs: frozenset[tuple[str, str]]
    weight: float

    def share(self, found: frozenset[str], *, beside: frozenset[str] = frozenset()) -> float:
        """Return the share of the question that `found` covers and `beside` does not, 0 to 1."""
        covered = sum(
            unit.weight
            for unit in self.units
            if not unit.terms.isdisjoint(found) and unit.terms.isdisjoint(beside)
        )
        return covered / self.weight


_CUES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = tuple(
    (re.compile(asked, re.IGNORECASE), re.compile(given, re.IGNORECASE))
    for asked, given in (
        (
            r"冠军|金牌|夺冠|夺得|得主|最佳|亚军|季军|获奖|获得|\bw[io]n\b|winner|champion|gold medal|award",
            r"夺冠|夺得|获得|荣获|摘[得下取]|斩获|击败|战胜|赢得|逆转|问鼎|捧|封王|折桂|当选|加冕|卫冕成功|获评|\bwon\b|\bwins?\b|beat|defeat|champion|victor|claimed|earned|awarded|took home",
        ),
        (
            r"举[办行]|召开|地点|在哪|哪里|哪儿|where|\bheld\b|\blocat|\bhosted?|venue",
            r"[在于][^，。]{1,24}(?:举[办行]|召开|开幕|开赛|进行|上演|打响|拉开|开跑|揭幕)|位于|地处|坐落|坠|落户|\b(?:in|at|near|outside) (?:the )?[A-Z]|\blocated|\bheld\b|\bhost",
        ),
        (
            r"主演|出演|饰演|谁演|扮演|starr|\bplay(?:s|ed)\b|\bcast\b|actor|actress",
            r"主演|领衔|出演|饰|扮演|演员|演绎|加盟|特邀|starr|\bplay(?:s|ed)\b|portray|\bcast\b|as the",
        ),
        (r"导演|执导|direct", r"导演|执导|direct"),
        (
            r"演唱|唱的|歌手|\bsang|sings?\b|singer|recorded",
            r"演唱|献唱|歌手|带来|合唱|\bsang|sings?\b|singer|recorded|vocal",
        ),
        (
            r"作者|编剧|写的|创作|\bwr[io]te|written|author|compose|invent|creat|found(?:ed|er)|创办|创立|创始|制作|开发|研发|discover",
            r"作者|著|编剧|创作|创办|创立|创建|创始|成立|出品|制作|开发|研发|推出|发明|发现|\bwr[io]t|author|compos|invent|creat|found|establish|develop|discover|\bby\b",
        ),
        (
            r"叫什么|名[字称]|全称|吉祥物|主题|口号|称为|name|called|known as|title|theme|slogan",
            r"名为|命名|取名|叫做?|称[为作]|全称|简称|正式公布|口号[是为：“]|主题[是为：“]|[是为]“|“[^”]{2,20}”|name|call|known as|titled|dubbed|theme",
        ),
        (
            r"时间|时候|何时|日期|when|\bdate\b|哪[天年日]",
            r"将?[于在][^，。]{0,12}(?:\d|今|明|昨)|[日月号](?:起|在|开|举|上|下|正式|晚|前|至|，)|正式|起(?:施行|实施|开)|首[播发次]|定档|开[幕播售赛启]|上映|发[布售射]|\b(?:on|in|since|from|until|by|between) (?:the )?(?:[A-Z]|\d)",
        ),
        (
            r"多少|几[个次人名位]|人数|产量|票房|率|收入|how many|how much|number of|population|percent",
            r"达到?|为|共|约|超过?|突破|增长|下降|上涨|总计|合计|累计|实现|仅|至少|\b(?:about|around|nearly|over|more than|total|approximately|at least|some|only|estimated)\b",
        ),
        (
            r"总理|首席执行官|主教练|议长|市长|总裁|长官|总统|首相|指令长|president|CEO|coach|mayor|minister|king|queen|captain|leader|head of",
            r"出任|担任|就任|上任|当选|任命|接任|宣誓|调任|接替|聘任|执教|作为|appointed|elected|became|succeed|named|sworn|serv|inaugurat|\bled\b",
        ),
        (
            r"死亡|遇难|丧生|killed|\bdie|death",
            r"死亡|遇难|丧生|身亡|罹难|去世|逝世|kill|\bdie|dead|death|passed away",
        ),
        (r"\bborn\b|birth|出生", r"\bborn\b|birth|出生|生于"),
        (
            r"marri|wife|husband|spouse|妻子|丈夫|结婚",
            r"marri|wife|husband|spouse|\bwed|妻|丈夫|夫妇|结婚|嫁|娶",
        ),
        (
            r"为什么|原因|为何|\bwhy\b|reason|cause",
            r"因|由于|导致|造成|原因|为了|\bbecause\b|due to|reason|cause|result|\bas\b|since|so that|in order",
        ),
        (
            r"类型|什么(?:电影|游戏|电视剧|事件)|是什么|what (?:kind|type|sort)|genre",
            r"是(?:一[款部种个家]|由)|属于|类型|题材|一[款部]|喜剧|爱情|悬疑|科幻|\b(?:is|was|are|were) an? ",
        ),
        (
            r"成员|有哪些|哪些|都有谁|which (?:\w+s|of)\b|who (?:are|were)",
            r"、|分别|包括|其中|以及|组成|和|including|such as|consist|, and|members?",
        ),
    )
)
"""Pairs of patterns: words in questions, and words of the same subject in sentences that answer them."""


def weigh_question(question: str, sentences: Sequence[Sentence]) -> WeighedQuestion:
    """Return `question` as weighted pieces, with the kind of answer that it asks for."""
    subject = subject_of(question)
    asked = frozenset(content_terms(subject) or terms(question))
    names = frozenset(content_terms(" ".join(_NAME.findall(subject)))) | frozenset(
        term for match in _KEY.finditer(question) for term in content_terms(match.group())
    )
    rarities = {term: _rarity(term, sentences) for term in asked}
    occurring = frozenset[str]().union(*(sentence.terms for sentence in sentences))
    in_order = _in_order(subject)
    units = []
    for spelling in _pieces(subject, asked):
        weight = max(rarities[term] for term in (spelling & occurring) or spelling) * _size(spelling)
        if spelling.isdisjoint(occurring | names):
            weight *= _UNKNOWN_SHARE
        units.append(QuestionUnit(spelling, weight))
    return WeighedQuestion(
        question,
        tuple(units),
        asked,
        detect_answer_type(question),
        tuple(given for pattern, given in _CUES if pattern.search(question)),
        frozenset(_YEAR.findall(question)),
        names,
        frozenset(content_terms(" ".join(match[1] or match[2] for match in _FOCUS.finditer(question)))),
        in_order,
        frozenset(pairwise(in_order)),
        sum(unit.weight for unit in units) or 1.0,
    )


def _pieces(question: str, asked: frozenset[str]) -> list[frozenset[str]]:
    """Return the pieces of the question: words of alphabetic scripts, and single Chinese characters.

    The piece of a Chinese character contains all terms with that character, as words and bigrams overlap.
    """
    text = unicodedata.normalize("NFKC", question).lower()
    holders: list[set[str]] = [set() for _ in text]
    for term in asked:
        if not term.isascii():
            for match in re.finditer(re.escape(term), text):
                for position in range(*match.span()):
                    holders[position].add(term)
    spelled = frozenset().union(*holders) if holders else frozenset[str]()
    return [frozenset({term}) for term in sorted(asked - spelled)] + [
        frozenset(held) for held in holders if held
    ]


def _size(spelling: frozenset[str]) -> float:
    """Return the size of a piece: a word counts as much as two Chinese characters."""
    return 2.0 if all(term.isascii() for term in spelling) else 1.0


def _rarity(term: str, sentences: Sequence[Sentence]) -> float:
    holders = sum(term in sentence.terms for sentence in sentences)
    return math.log(1 + (len(sentences) - holders + 0.5) / (holders + 0.5))


@dataclass(frozen=True)
class AnswerMatch:
    """A possible answer in a sentence, and how much of the question occurs around it."""

    text: str
    near: float
    has_unit: bool | None


def find_matches(sentence: Sentence, asked: WeighedQuestion) -> list[AnswerMatch]:
    """Return the possible answers of the wanted kind in a sentence."""
    if asked.wanted is None:
        return []
    reach = _REACH if sentence.text.isascii() else _CHINESE_REACH
    found = []
    for start, end in spans_of_type(asked.wanted, sentence.text, asked.terms):
        around = frozenset(terms(_whole_words(sentence.text, start - reach, end + reach)))
        unit = has_asked_unit(asked.text, sentence.text, end) if asked.wanted is AnswerType.NUMBER else None
        found.append(AnswerMatch(_plain(sentence.text[start:end]), asked.share(around), unit))
        if len(found) >= _MOST_SPANS:
            break
    return found


def _whole_words(text: str, start: int, end: int) -> str:
    start, end = max(0, start), min(len(text), end)
    while start and text[start - 1].isascii() and text[start - 1].isalnum():
        start -= 1
    while end < len(text) and text[end].isascii() and text[end].isalnum():
        end += 1
    return text[start:end]


def _plain(text: str) -> str:
    return "".join(character for character in text.lower() if character.isalnum())


_ASKS = re.compile(r"[?？][\"'”’」』)）]*(?: ?\.\.\.)?$")


@dataclass(frozen=True)
class _AnswerCandidate:
    """A sentence with the inputs of its features; `around` is what the context adds to `direct`."""

    sentence: Sentence
    context: frozenset[str]
    direct: float
    around: float
    matches: tuple[AnswerMatch, ...]

    @property
    def covered(self) -> float:
        return self.direct + self.around

    @property
    def near(self) -> float:
        return max((match.near for match in self.matches), default=0.0)


@dataclass(frozen=True)
class MeasuredSentence:
    """A sentence with its features for a question, by name; those of `meaning` are `UNKNOWN` until compared."""

    sentence: Sentence
    features: dict[str, float]


def measure_sentences(question: str, parts: Sequence[SourcePart]) -> list[MeasuredSentence]:
    """Return the sentences of `parts` without headings, with their features."""
    asked = weigh_question(question, [sentence for part in parts for sentence in part.sentences])
    candidates = [candidate for part in parts for candidate in _candidates(part, asked)]
    best = _BestValues(
        max((candidate.direct for candidate in candidates), default=0.0) or 1.0,
        max((candidate.near for candidate in candidates), default=0.0) or 1.0,
        max((candidate.covered for candidate in candidates), default=0.0) or 1.0,
        max((asked.share(context) for context in {one.context for one in candidates}), default=0.0) or 1.0,
        _statements(candidates),
    )
    return [
        MeasuredSentence(candidate.sentence, _features_of(candidate, asked, best)) for candidate in candidates
    ]


def with_meanings(
    measured: Sequence[MeasuredSentence], cosines: Mapping[int, float]
) -> list[MeasuredSentence]:
    """Return `measured` with the similarity to the question of those whose places are in `cosines`."""
    best = max(cosines.values(), default=0.0)
    of_source: dict[int, float] = {}
    for place, cosine in cosines.items():
        number = measured[place].sentence.numbers[0]
        of_source[number] = max(of_source.get(number, UNKNOWN), cosine)
    found = []
    for place, one in enumerate(measured):
        meanings: dict[str, float] = {}
        if place in cosines:
            meanings |= {"meaning": cosines[place], "meaning_to_best": best - cosines[place]}
        if one.sentence.numbers[0] in of_source:
            meanings["source_meaning_to_best"] = best - of_source[one.sentence.numbers[0]]
        found.append(replace(one, features=one.features | meanings))
    return found


@dataclass(frozen=True)
class _BestValues:
    """The highest values among the sentences of a question, and the sources that state each match."""

    direct: float
    near: float
    covered: float
    in_source: float
    statements: Mapping[str, Mapping[int, float]]


def _candidates(part: SourcePart, asked: WeighedQuestion) -> Iterator[_AnswerCandidate]:
    everywhere = part.topic.union(*(sentence.terms for sentence in part.sentences))
    for sentence in part.sentences:
        if sentence.is_heading:
            continue
        near = [(part.topic, _TOPIC_WORTH), (everywhere, _ELSEWHERE_WORTH)] + [
            (part.sentences[sentence.position + step].terms, worth)
            for step, worth in _NEAR_WORTH
            if 0 <= sentence.position + step < len(part.sentences)
        ]
        around, seen = 0.0, sentence.terms
        for found, worth in sorted(near, key=lambda item: -item[1]):
            around += worth * asked.share(found, beside=seen)
            seen |= found
        matches = tuple(find_matches(sentence, asked))
        yield _AnswerCandidate(sentence, everywhere, asked.share(sentence.terms), around, matches)


def _statements(candidates: Sequence[_AnswerCandidate]) -> dict[str, dict[int, float]]:
    """Return for each match how well the best sentence of each source with it fits the question."""
    stated: dict[str, dict[int, float]] = {}
    for candidate in candidates:
        for match in candidate.matches:
            by_source = stated.setdefault(match.text, {})
            number = candidate.sentence.numbers[0]
            by_source[number] = max(by_source.get(number, 0.0), 0.5 * (match.near + candidate.covered))
    return stated


def _features_of(candidate: _AnswerCandidate, asked: WeighedQuestion, best: _BestValues) -> dict[str, float]:
    sentence, text = candidate.sentence, candidate.sentence.text
    years = frozenset(_YEAR.findall(text))
    units = [match.has_unit for match in candidate.matches if match.has_unit is not None]
    cues = sum(cue.search(text) is not None for cue in asked.cues)
    own = _in_order(text)
    return {
        "direct": candidate.direct,
        "around": candidate.around,
        "covered": candidate.covered,
        "near": candidate.near,
        "in_source": asked.share(candidate.context),
        "in_source_to_best": asked.share(candidate.context) / best.in_source,
        "names": _share(asked.names, sentence.terms),
        "names_around": _share(asked.names, candidate.context),
        "focus": _share(asked.focus, sentence.terms),
        "pairs": len(asked.pairs & frozenset(pairwise(own))) / (len(asked.pairs) or 1),
        "run": _longest_run(asked.in_order, own) / (len(asked.in_order) or 1),
        "other_year": bool(asked.years and years) and asked.years.isdisjoint(years),
        "matches": min(_MOST_SPANS, len(candidate.matches)),
        "no_match": asked.wanted in _NAMED_KINDS and not candidate.matches,
        "has_unit": any(units),
        "no_unit": asked.wanted is AnswerType.NUMBER and not any(units) and not sentence.is_row,
        "agreement": math.log1p(_agreement(candidate, best.statements)),
        "readable": 1.0 if sentence.is_row else readability(sentence),
        "early": 1 / (1 + sentence.position),
        "news": min(_MOST_NEWS, len(sentence.terms - asked.terms)) / _MOST_NEWS,
        "length": math.log(len(text) / (_TYPICAL_CHARS if text.isascii() else _TYPICAL_CHINESE_CHARS)),
        "fragment": text.startswith("...") or text.endswith("..."),
        "direct_to_best": candidate.direct / best.direct,
        "near_to_best": candidate.near / best.near,
        "covered_to_best": candidate.covered / best.covered,
        "best_covered": best.covered,
        "cue": cues / (len(asked.cues) or 1),
        "no_cue": bool(asked.cues) and not cues and not sentence.is_row,
        "asks": _ASKS.search(text) is not None,
        "begins_with_pronoun": PRONOUN.match(text) is not None,
        "question_terms": len(asked.units),
        "meaning": UNKNOWN,
        "meaning_to_best": UNKNOWN,
        "source_meaning_to_best": UNKNOWN,
    } | {f"wanted_{kind.name.lower()}": kind is asked.wanted for kind in AnswerType}


def _share(wanted: frozenset[str], found: frozenset[str]) -> float:
    return len(wanted & found) / len(wanted) if wanted else UNKNOWN


def _in_order(text: str) -> tuple[str, ...]:
    return tuple(content_terms(text))


def _longest_run(asked: Sequence[str], own: Sequence[str]) -> int:
    """Return how many terms of the question the sentence has one after the other."""
    match = SequenceMatcher(None, asked, own, autojunk=False).find_longest_match()
    return match.size


def _agreement(candidate: _AnswerCandidate, statements: Mapping[str, Mapping[int, float]]) -> float:
    """Return how well other sources state the same match; the best of all matches."""
    own = candidate.sentence.numbers[0]
    return max(
        (
            (_LEAST_NEAR + match.near)
            * sum(fit for number, fit in statements[match.text].items() if number != own)
            for match in candidate.matches
        ),
        default=0.0,
    )
