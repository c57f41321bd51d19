"""The interface of rerankers, normalisation of scores, and reranking with a time limit."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from desktop.errors import RerankerFailed
from desktop.knowledge.index.passages import FoundPassage
from desktop.phrases import sentences, translatable
from desktop.settings.model import KnowledgeSettings
from desktop.text.likelihoods import logistic

Pair = tuple[str, str]
"""A query and a passage."""
JUDGED = 50
"""Number of passages to rerank. More would take seconds on a CPU, and the answer is hardly ever in lower
ranks.
"""
_DEFAULTS = KnowledgeSettings()
_LIMIT_S = 15.0
_AS_FOUND = translatable("Passages are in the order in which they were found.")
_SLOW = translatable("The reranker “{name}” took longer than {seconds} s.")


class Reranker(Protocol):
    """Judges how well passages answer queries."""

    @property
    def name(self) -> str:
        """The name to show to the user."""
        ...

    async def scores(self, pairs: Sequence[Pair]) -> list[float]:
        """Return one score in 0…1 per pair, in order; scores are only comparable within one call.

        Raises:
            RerankerFailed: it is unavailable, or did not score all pairs.
        """
        ...


def normalize_scores(scores: Sequence[float]) -> list[float]:
    """Return scores in 0…1: probabilities unchanged, logits through the logistic function.

    Servers do not say which of the two they send. If all numbers are within 0…1, they are treated as
    probabilities, as dozens of logits are hardly ever all in this range.
    """
    if all(0 <= score <= 1 for score in scores):
        return list(scores)
    return [logistic(score) for score in scores]


@dataclass(frozen=True)
class Reranking:
    """The reranker, the default thresholds for passages, and the time limit.

    `threshold` applies to passages with a reranker score, `floor` to others: a share of the best score.
    """

    reranker: Reranker | None = None
    threshold: float = _DEFAULTS.threshold
    floor: float = _DEFAULTS.floor
    limit_s: float = _LIMIT_S


async def rerank(
    judging: Reranking, asked_for: Mapping[int, str], pool: Sequence[FoundPassage]
) -> tuple[dict[int, float], str]:
    """Return the reranker's scores of the first passages of `pool`, or else the reason why there are none.

    `asked_for` has the query for each passage. Both results are empty without a reranker.
    """
    reranker = judging.reranker
    first = pool[:JUDGED]
    if reranker is None or not first:
        return {}, ""
    pairs = [(asked_for[passage.id], _format_passage(passage)) for passage in first]
    try:
        async with asyncio.timeout(judging.limit_s):
            scores = await reranker.scores(pairs)
    except TimeoutError:
        return {}, sentences((_SLOW.format(name=reranker.name, seconds=round(judging.limit_s)), _AS_FOUND))
    except RerankerFailed as error:
        return {}, sentences((str(error), _AS_FOUND))
    return {passage.id: score for passage, score in zip(first, scores, strict=True)}, ""


def _format_passage(passage: FoundPassage) -> str:
    """Return a passage with its heading, as given to the reranker."""
    return "\n".join(line for line in (passage.section, passage.text) if line)
