"""Measure what the bundled network for pairs adds to the check of citations: words alone, and with the network.

    python -m benchmarks.entailment_gain --data FOLDER [--most N]

FOLDER is that of benchmarks/entailment_pairs.py and of benchmarks/support_training.py. Only claims are used that the network
was not trained on, at most N of each set. The trees of the words are trained as benchmarks/support_training.py does it:
*five-fold* they have seen other claims of the same set, *unseen* none of the set, nor of others that come from it. The rest is
as in the program: the network is asked where its answer could change the verdict. *citations* are those of
benchmarks/support.py, judged as installed. It takes some ten minutes of processor.
"""

import argparse
import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold

from benchmarks.entailment_pairs import ENTAILED, PairReader, SourcedClaim
from benchmarks.support import in_half, pairs_of
from benchmarks.support_sets import Judgement
from benchmarks.support_training import FAMILIES, build_model, read_judgements, weigh
from desktop.chat.checking.alignment import measure_alignment
from desktop.chat.checking.scoring import (
    Evidence,
    collect_evidence,
    is_of_another,
    judge_support,
    passages_to_judge,
    weigh_network,
)
from desktop.chat.checking.words import PreparedSource, prepare_source
from desktop.domain.citation_check import SupportLevel
from desktop.knowledge.bundled_models import BundledPairModel, load_pair_model

_OPPOSED_SCORE = 0.1
Scores = NDArray[np.float64]


class _ClaimReader(PairReader):
    """Keeps the claims that are measured, with their sources."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.claims: list[Judgement] = []

    def _see(self, claim: SourcedClaim) -> None:
        if claim.split == "dev":
            is_right = claim.label == ENTAILED
            group = claim.group or claim.claim
            self.claims.append(Judgement(claim.set, group, claim.claim, claim.title, claim.text, is_right))


class Measured(NamedTuple):
    """A claim with its source and the evidence of the words."""

    claim: Judgement
    source: PreparedSource
    evidence: Evidence


def read_claims(folder: Path, most: int) -> list[Judgement]:
    """Return the claims that are measured, at most so many of each set; always the same."""
    reader = _ClaimReader(folder)
    for _ in reader.measured():
        pass
    by_set: dict[str, list[Judgement]] = defaultdict(list)
    for one in dict.fromkeys(reader.claims):
        by_set[one.collection].append(one)
    chance = random.Random(1)
    return [one for found in by_set.values() for one in chance.sample(found, min(most, len(found)))]


class WordScores:
    """The scores of trees that have not seen a claim; a claim of no set that is trained on has those of all."""

    def __init__(self, folder: Path) -> None:
        trained = list(read_judgements(folder))
        rows = [measure_alignment(one.claim, prepare_source(one.title, one.text)).features for one in trained]
        self._names = sorted(rows[0])
        self._measured = np.array([[row[name] for name in self._names] for row in rows])
        self._truth = np.array([one.is_right for one in trained])
        self._trained = trained
        self._places = {(one.claim, one.title, one.text): place for place, one in enumerate(trained)}
        places = np.arange(len(trained))
        self._whole = self._fit(places)
        self.five_fold = np.zeros(len(trained))
        groups = np.unique([one.group for one in trained], return_inverse=True)[1]
        for known, held in GroupKFold(5, shuffle=True, random_state=1).split(places, self._truth, groups):
            self.five_fold[held] = self._fit(known)(self._measured[held])
        self.unseen = self.five_fold.copy()
        collections = np.array([one.collection for one in trained])
        for family in (*FAMILIES, frozenset({"ocnli"})):
            is_held = np.isin(collections, list(family))
            self.unseen[is_held] = self._fit(np.flatnonzero(~is_held))(self._measured[is_held])

    def _fit(self, known: NDArray[np.intp]) -> Callable[[Scores], Scores]:
        weights = weigh([self._trained[place] for place in known])
        model = build_model(self._names).fit(self._measured[known], self._truth[known], sample_weight=weights)
        return lambda measured: np.asarray(model.predict_proba(measured)[:, 1])

    def of(self, claim: Judgement, known: Scores) -> float:
        """Return the score of a claim by trees that have not seen it; `known` are those of the trained ones."""
        place = self._places.get((claim.claim, claim.title, claim.text))
        if place is not None:
            return float(known[place])
        found = measure_alignment(claim.claim, prepare_source(claim.title, claim.text)).features
        return float(self._whole(np.array([[found[name] for name in self._names]]))[0])


def judge(claim: Judgement, source: PreparedSource, evidence: Evidence, network: BundledPairModel) -> bool:
    """Say whether the words and the network together find a claim."""
    passages = passages_to_judge(source, evidence)
    if passages:
        judged = network.judge([(claim.claim, passage) for passage in passages])
        evidence = weigh_network(evidence, [one.entailed for one in judged])
    return _is_found(claim, source, evidence)


def _is_found(claim: Judgement, source: PreparedSource, evidence: Evidence) -> bool:
    return judge_support(claim.claim, source, evidence) is SupportLevel.SUPPORTED


def report(kind: str, truths: Sequence[Judgement], found: Sequence[bool]) -> None:
    """Print for each set the shares of right ones found and wrong ones caught."""
    for name in dict.fromkeys(one.collection for one in truths):
        counts: Counter[tuple[bool, bool]] = Counter(
            (one.is_right, is_found)
            for one, is_found in zip(truths, found, strict=True)
            if one.collection == name
        )
        right, wrong = (counts[truth, True] + counts[truth, False] for truth in (True, False))
        kept, passed = counts[True, True] / right, counts[False, True] / wrong
        print(
            f"{kind:24}{name:22}{(kept + 1 - passed) / 2:6.3f}   right found {kept:.1%} of {right}, "
            f"wrong pass {passed:.1%} of {wrong}",
            flush=True,
        )


def cited_claims(folder: Path) -> Iterator[Measured]:
    """Yield the citations of answers, by the half that the words were trained on and the other."""
    for pair in pairs_of(folder / "citations"):
        if pair.kind == "same":
            continue
        half = "choose" if in_half(pair, "choose") else "report"
        claim = Judgement(
            f"{pair.collection} {half}",
            "",
            pair.claim,
            pair.document.title,
            pair.document.text,
            pair.kind == "cited",
        )
        beside = [document.passage for document in pair.beside]
        source = pair.document.passage
        yield Measured(claim, source, collect_evidence(pair.claim, source, beside))


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--most", type=int, default=1_100)
    arguments = parser.parse_args()
    network = load_pair_model()
    cited = list(cited_claims(arguments.data))
    judgements = [one.claim for one in cited]
    report("citations, words", judgements, [_is_found(*one) for one in cited])
    report("citations, network", judgements, [judge(*one, network) for one in cited])
    claims = read_claims(arguments.data, arguments.most)
    prepared = []
    for one in claims:
        source = prepare_source(one.title, one.text)
        evidence = collect_evidence(one.claim, source)
        alignment = measure_alignment(one.claim, source)
        is_doubted = evidence.is_opposed or is_of_another(one.claim, source, alignment)
        prepared.append((one, source, evidence, is_doubted))
    scores = WordScores(arguments.data)
    for kind, known in (("five-fold", scores.five_fold), ("unseen", scores.unseen)):
        measured = []
        for one, source, evidence, is_doubted in prepared:
            score = scores.of(one, known)
            score = min(score, _OPPOSED_SCORE) if is_doubted else score
            measured.append(Measured(one, source, replace(evidence, score=score)))
        report(f"{kind}, words", claims, [_is_found(*one) for one in measured])
        report(f"{kind}, network", claims, [judge(*one, network) for one in measured])


if __name__ == "__main__":
    _main()
