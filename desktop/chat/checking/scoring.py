"""Scores how well a source supports a claim, with trees that weigh the measures of `alignment`.

The trees were trained on claims judged by people. Of sources that it can read nearly whole, the bundled network that
judges pairs of texts counts beside the words; `benchmarks.entailment_gain` measured what it adds, see docs/support.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import msgspec

from desktop.chat.checking.alignment import Alignment, measure_alignment
from desktop.chat.checking.mentions import find_missing, find_numbers
from desktop.chat.checking.names import has_other_agent, has_other_name, has_other_subject, is_swapped
from desktop.chat.checking.negations import (
    has_negation,
    has_unsourced_denial,
    is_denied_elsewhere,
    is_denied_in_run,
)
from desktop.chat.checking.numbers import has_other_value
from desktop.chat.checking.words import PreparedSource
from desktop.domain.citation_check import SupportLevel
from desktop.resources import resource_text
from desktop.text.language import language_of, readable_share
from desktop.text.likelihoods import DecisionTrees, logistic, logit
from desktop.text.terms import content_terms
from desktop.text.tokens import estimate_tokens, within_tokens

ENOUGH = 0.48
ENOUGH_LONG = 0.42
"""Minimum score of a supported claim about a long source, such as a web page, which words it more freely."""
ENOUGH_COPIED = 0.6
"""Minimum score of a supported claim that is copied, or that alone denies something: a wrong one has nearly all of its words in the source, too."""
COPIED = 0.8
"""Share of a claim in runs of words that the source has, from which it is copied."""
ENOUGH_CHINESE = 0.4
"""Minimum score of a supported claim in Chinese.

Nearly all training claims were English, and Chinese claims paraphrase their sources more often.
"""
_LEAST_COVER = 0.35
_LEAST_COVER_CHINESE = 0.304
"""If three sentences contain less of the words of a claim, the source does not mention it."""
_FOUND_COVER_CHINESE = 0.4
"""A Chinese claim needs at least this part of its words in three sentences to be supported, whatever its score."""
_OPPOSED_COVER = 0.7
"""A sentence can contradict a claim by one word only if it shares at least this part of the other words."""
_READABLE = 0.5
_TELLING_CHARS = 25
_OPPOSED_SCORE = 0.1
"""Maximum score of a claim that the source contradicts."""
_TREES = "check_trees.json"


MOST_TOKENS = 190
"""How long a passage can be that the network reads."""
_MOST_SHORT_TOKENS = 300
"""Of longer sources the network reads too little: it doubts what the rest says."""
_WEIGHT = 0.2
"""Weight of the logit of its likelihood beside that of the score."""
_EVEN = 0.3
"""The likelihood that leaves the score as it is: the network was trained on sources where most claims are wrong."""
_SMALLEST = 1e-3
_FARTHEST = 6
"""Sentences that are farther from the best ones are not read."""


@dataclass(frozen=True)
class Evidence:
    """Evidence for and against a claim: `score`, 0…1, is the predicted likelihood that it is supported.

    `copied` is the share of it in runs of words that the source has, `nearest` that of its words in a single sentence.
    `missing` are its numbers and names that none of the sources cited together mentions; `best` are the
    sentences of the source that contain most of it. `is_opposed` says that the source denies it, or states another number or
    date about the same thing. `is_unsourced_denial` says that it denies what no source denies, `is_confirmed` that the bundled network raised the score.
    """

    score: float
    cover: float
    copied: float
    is_opposed: bool
    missing: tuple[str, ...]
    best: tuple[str, ...]
    nearest: float
    is_unsourced_denial: bool = False
    is_confirmed: bool = False


def collect_evidence(claim: str, source: PreparedSource, beside: Sequence[PreparedSource] = ()) -> Evidence:
    """Return the evidence for a claim; numbers and names can also be in `beside`, sources cited with this one."""
    alignment = measure_alignment(claim, source)
    sources = (source, *beside)
    missing = find_missing(
        claim,
        "\n".join(f"{one.title.text}\n{one.text}" for one in sources),
        frozenset[str]().union(*(one.index_terms for one in sources)),
    )
    is_opposed = states_opposite(claim, source, alignment, missing)
    is_doubted = is_opposed or is_of_another(claim, source, alignment)
    score = predict_support(alignment)
    return Evidence(
        score=min(score, _OPPOSED_SCORE) if is_doubted else score,
        cover=max(alignment.features["words_best"], alignment.features["cover_3"]),
        copied=alignment.features["copied"],
        is_opposed=is_opposed,
        missing=missing,
        best=alignment.best,
        nearest=alignment.features["words_1"],
        is_unsourced_denial=is_unsourced_denial(claim, source, alignment, beside),
    )


def predict_support(alignment: Alignment) -> float:
    """Return how likely people would judge a claim with this alignment as supported, 0…1."""
    return _trees().predict(alignment.features)


def judge_support(claim: str, source: PreparedSource, evidence: Evidence) -> SupportLevel:
    """Return the verdict for the evidence. A claim with a missing number or name is never supported."""
    if not content_terms(claim) or not source.text.strip():
        return SupportLevel.UNCOMPARED
    is_latin = readable_share(claim) >= _READABLE
    is_foreign = are_foreign(claim, source.text)
    if evidence.is_opposed and not (is_foreign and evidence.missing):
        return SupportLevel.CONTRADICTED
    if is_foreign:
        has_number = any(find_numbers(written) for written in evidence.missing)
        return SupportLevel.WEAK if has_number else SupportLevel.UNCOMPARED
    least = least_score(evidence.copied, source, is_unsourced_denial=evidence.is_unsourced_denial)
    is_enough = evidence.score >= (least if is_latin else ENOUGH_CHINESE)
    has_words = is_latin or evidence.is_confirmed or evidence.cover >= _FOUND_COVER_CHINESE
    if is_enough and not evidence.missing and has_words:
        return SupportLevel.SUPPORTED
    least_cover = _LEAST_COVER if is_latin else _LEAST_COVER_CHINESE
    return SupportLevel.NOT_FOUND if evidence.cover < least_cover else SupportLevel.WEAK


def least_score(copied: float, source: PreparedSource, *, is_unsourced_denial: bool = False) -> float:
    """Return the minimum score of a supported claim in English of which this share is copied from the source."""
    if copied >= COPIED or is_unsourced_denial:
        return ENOUGH_COPIED
    return ENOUGH_LONG if _is_long(source) else ENOUGH


def _is_long(source: PreparedSource) -> bool:
    return estimate_tokens(f"{source.title.text} {source.text}") > _MOST_SHORT_TOKENS


def states_opposite(claim: str, source: PreparedSource, alignment: Alignment, missing: Sequence[str]) -> bool:
    """Say whether a sentence denies a claim, or states another number or date about the same thing."""
    if all(find_numbers(written) for written in missing) and has_other_value(
        claim, source, alignment.closest
    ):
        return True
    return not missing and (
        is_denied(claim, alignment)
        or is_denied_in_run(claim, source, alignment.closest)
        or is_swapped(claim, source)
    )


def is_of_another(claim: str, source: PreparedSource, alignment: Alignment) -> bool:
    """Say whether the source says nearly the same with another name, or of another subject or agent."""
    return (
        has_other_name(claim, source, alignment.closest)
        or has_other_subject(claim, source)
        or has_other_agent(claim, source)
    )


def is_unsourced_denial(
    claim: str, source: PreparedSource, alignment: Alignment, beside: Sequence[PreparedSource] = ()
) -> bool:
    """Say whether an English claim denies what neither its best sentences deny, nor any other of the sources cited together."""
    return (
        alignment.features["negation_added"] > 0
        and readable_share(claim) >= _READABLE
        and has_unsourced_denial(claim, (source, *beside))
    )


def is_denied(claim: str, alignment: Alignment) -> bool:
    """Say whether a sentence has nearly all words of the claim, but negates it or has a word of opposite meaning.

    A negation that the sentence has elsewhere may be that of the claim, or of something else.
    """
    found = alignment.features
    is_negated = (
        found["negation_inside"]
        and found["negation_differs"]
        and (has_negation(claim) or not is_denied_elsewhere(claim, alignment.closest[0]))
    )
    return found["words_1"] >= _OPPOSED_COVER and bool(is_negated or found["opposed_inside"])


@lru_cache(maxsize=1)
def _trees() -> DecisionTrees:
    return msgspec.json.decode(resource_text(_TREES), type=DecisionTrees)


def are_foreign(claim: str, text: str) -> bool:
    """Say whether claim and source are in different languages, so that comparing words is meaningless.

    The language of a few words in the script of the source cannot be determined: “Lloró, Colombia”.
    """
    is_one_script = (readable_share(claim) >= _READABLE) == (readable_share(text) >= _READABLE)
    return language_of(claim) != language_of(text) and (not is_one_script or len(claim) >= _TELLING_CHARS)


def share_of_terms(claim: str, source: PreparedSource) -> float:
    """Return what share of the content words of a claim a source has."""
    found = frozenset(content_terms(claim))
    return len(found & source.index_terms) / max(1, len(found))


def passages_to_judge(source: PreparedSource, evidence: Evidence) -> tuple[str, ...]:
    """Return what the network reads of a source: its passage and its best sentence.

    That is nothing of a long source, nor where it could not change the verdict.
    """
    if evidence.is_opposed or evidence.missing or not source.text.strip():
        return ()
    if _weigh(evidence, 1.0) < ENOUGH_CHINESE or _weigh(evidence, 0.0) >= ENOUGH_COPIED:
        return ()
    if _is_long(source):
        return ()
    passage = whole_or_passage(source, evidence.best)
    single = [f"{source.title.text}. {sentence}".lstrip(". ") for sentence in evidence.best[:1]]
    return tuple(dict.fromkeys((passage, *single)))


def weigh_network(evidence: Evidence, likelihoods: Sequence[float]) -> Evidence:
    """Return the evidence with a score that counts how likely the network finds the claim in the passages."""
    likelihood = max(likelihoods)
    return replace(evidence, score=_weigh(evidence, likelihood), is_confirmed=likelihood > _EVEN)


def whole_or_passage(source: PreparedSource, best: Sequence[str]) -> str:
    """Return a source behind its title, or of a longer one the passage around its best sentences."""
    if estimate_tokens(f"{source.title.text} {source.text}") > MOST_TOKENS:
        return select_passage(source, best)
    return f"{source.title.text}. {' '.join(source.text.split())}".lstrip(". ")


def select_passage(source: PreparedSource, best: Sequence[str]) -> str:
    """Return the sentences of a source that cover a claim best, in their order, and those around them, behind the title.

    `best` are sentences of the source, the best first. A source without any of them is read from its beginning.
    """
    sentences = source.text_of_sentences()
    places = [sentences.index(sentence) for sentence in best if sentence in sentences] or [0]
    left = MOST_TOKENS - estimate_tokens(source.title.text)
    chosen: dict[int, str] = {}
    for place in _nearest_first(places, len(sentences)):
        cost = estimate_tokens(sentences[place])
        if place not in chosen and cost <= left:
            chosen[place] = sentences[place]
            left -= cost
        elif not chosen:
            chosen[place] = within_tokens(sentences[place], max(left, MOST_TOKENS // 2))
            left = 0
    passage = " ".join(" ".join(chosen[place] for place in sorted(chosen)).split())
    return f"{source.title.text}. {passage}".lstrip(". ")


def _nearest_first(places: Sequence[int], count: int) -> Iterator[int]:
    for distance in range(_FARTHEST + 1):
        for place in places:
            for near in dict.fromkeys((place - distance, place + distance)):
                if 0 <= near < count:
                    yield near


def _weigh(evidence: Evidence, likelihood: float) -> float:
    score, found, even = (logit(each, _SMALLEST) for each in (evidence.score, likelihood, _EVEN))
    return logistic(score + _WEIGHT * (found - even))
