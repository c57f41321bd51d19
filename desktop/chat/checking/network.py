"""What the bundled network that judges pairs of texts adds to the words: for sources that it can read nearly whole.

`benchmarks.entailment_gain` measured it; see docs/support.md.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from desktop.chat.checking.alignment import PreparedSource
from desktop.chat.checking.scoring import ENOUGH_CHINESE, ENOUGH_COPIED, Evidence
from desktop.text.tokens import estimate_tokens, within_tokens

MOST_TOKENS = 190
"""How long a passage can be that the network reads."""
_MOST_SOURCE_TOKENS = 300
"""Of longer sources it reads too little: it doubts what the rest says."""
_WEIGHT = 0.2
"""Weight of the logit of its likelihood beside that of the score."""
_EVEN = 0.3
"""The likelihood that leaves the score as it is: the network was trained on sources where most claims are wrong."""
_SMALLEST = 1e-3
_FARTHEST = 6
"""Sentences that are farther from the best ones are not read."""


def passages_to_judge(source: PreparedSource, evidence: Evidence) -> tuple[str, ...]:
    """Return what the network reads of a source: its passage and its best sentence.

    That is nothing of a long source, nor where it could not change the verdict.
    """
    if evidence.is_opposed or evidence.missing or not source.text.strip():
        return ()
    if _weighed(evidence, 1.0) < ENOUGH_CHINESE or _weighed(evidence, 0.0) >= ENOUGH_COPIED:
        return ()
    if estimate_tokens(f"{source.title.text} {source.text}") > _MOST_SOURCE_TOKENS:
        return ()
    passage = whole_or_passage(source, evidence.best)
    single = [f"{source.title.text}. {sentence}".lstrip(". ") for sentence in evidence.best[:1]]
    return tuple(dict.fromkeys((passage, *single)))


def weigh_network(evidence: Evidence, likelihoods: Sequence[float]) -> Evidence:
    """Return the evidence with a score that counts how likely the network finds the claim in the passages."""
    likelihood = max(likelihoods)
    return replace(evidence, score=_weighed(evidence, likelihood), is_confirmed=likelihood > _EVEN)


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


def _weighed(evidence: Evidence, likelihood: float) -> float:
    return 1 / (1 + math.exp(-_logit(evidence.score) - _WEIGHT * (_logit(likelihood) - _logit(_EVEN))))


def _logit(likelihood: float) -> float:
    bounded = min(max(likelihood, _SMALLEST), 1 - _SMALLEST)
    return math.log(bounded / (1 - bounded))
