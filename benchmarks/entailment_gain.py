"""Measure what the bundled network for pairs would add to the check of citations: trees with and without it, and it alone.

    python -m benchmarks.entailment_gain --data FOLDER [--most N]

FOLDER is that of benchmarks/entailment_pairs.py and of benchmarks/support_training.py. Only claims are used that the network
was not trained on, at most N of each set. Both kinds of trees are trained on the same claims: with the measures of words, and
with the network's log odds of entailed and its likelihood of contradicted besides. *five-fold*: they have seen other claims of
the same set; *unseen*: none of the set, nor of others that come from it; *citations*: those of benchmarks/support.py, of which
neither has seen any. It takes about a minute of processor for each 500 claims.
"""

import argparse
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import GroupKFold

from benchmarks.entailment_pairs import ENTAILED, PairReader, SourcedClaim, passage_for
from benchmarks.support import pairs_of
from benchmarks.support_training import build_model
from desktop.chat.checking.alignment import measure_alignment, prepare_source
from desktop.chat.checking.scoring import is_denied
from desktop.knowledge.bundled_models import BundledPairModel, load_pair_model

_BOUND = 0.48
_SETS = {
    "wice": (3.0, 5.0),
    "begin": (2.0, 2.0),
    "xsumfaith": (1.5, 2.0),
    "factcc": (2.0, 2.0),
    "summeval": (1.0, 1.0),
    "faithbench": (1.0, 1.0),
    "fever": (1.0, 1.0),
    "fm2": (0.5, 0.5),
    "summedits_news": (1.0, 1.0),
    "ocnli": (1.0, 1.0),
}
"""What the wrong and the right claims of a set count for."""
_UNSEEN = (("wice",), ("begin",), ("xsumfaith",), ("factcc", "summeval"), ("faithbench",))
_ODDS, _AGAINST = "cover_network", "opposed_network"
"""Names of the network's measures; their beginnings say that the first raises a score and the second lowers it."""
Scores = NDArray[np.float64]
Flags = NDArray[np.bool_]


class Claim(NamedTuple):
    """A claim and its source; `group` keeps what belongs together in one fold."""

    collection: str
    group: str
    claim: str
    title: str
    text: str
    is_right: bool


class _ClaimReader(PairReader):
    """Keeps the sources of the claims that are measured."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.claims: list[Claim] = []

    def _see(self, claim: SourcedClaim) -> None:
        if claim.split == "dev" and claim.set in _SETS:
            is_right = claim.label == ENTAILED
            group = claim.group or claim.claim
            self.claims.append(Claim(claim.set, group, claim.claim, claim.title, claim.text, is_right))


def read_claims(folder: Path, most: int) -> list[Claim]:
    """Return the claims that are measured, at most so many of each set, evenly taken."""
    reader = _ClaimReader(folder)
    for _ in reader.measured():
        pass
    counts = Counter(one.collection for one in reader.claims)
    seen: Counter[str] = Counter()
    chosen = []
    for one in reader.claims:
        seen[one.collection] += 1
        if seen[one.collection] % max(1, -(-counts[one.collection] // most)) == 0:
            chosen.append(one)
    return chosen


def measure(claims: Sequence[Claim], network: BundledPairModel) -> Iterator[dict[str, float]]:
    """Yield the measures of each claim, those of the network among them."""
    for one in claims:
        features = measure_alignment(one.claim, prepare_source(one.title, one.text)).features
        judged = network.judge([(one.claim, passage_for(one.claim, one.title, one.text))])[0]
        likely = min(max(judged.entailed, 1e-6), 1 - 1e-6)
        yield features | {_ODDS: float(np.log(likely / (1 - likely))), _AGAINST: judged.contradicted}


def weigh(claims: Sequence[Claim]) -> Scores:
    """Return weights: each set as `_SETS` says, and in it the right and the wrong."""
    keys = [(one.collection, one.is_right) for one in claims]
    counts = Counter(keys)
    weights = np.array([_SETS[name][is_right] / counts[name, is_right] for name, is_right in keys])
    return np.asarray(weights * len(keys) / weights.sum())


def report(kind: str, claims: Sequence[Claim], scores: Scores, bound: float = _BOUND) -> None:
    """Print for each set the shares of right ones found and wrong ones caught."""
    for name in dict.fromkeys(one.collection for one in claims):
        places = [place for place, one in enumerate(claims) if one.collection == name]
        truth: Flags = np.array([claims[place].is_right for place in places])
        found = scores[places] >= bound
        right, wrong = found[truth].mean(), (~found[~truth]).mean()
        print(
            f"{kind:24}{name:16}{(right + wrong) / 2:6.3f}   right {right:.2f} wrong {wrong:.2f} of {len(truth)}"
        )


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--most", type=int, default=1_500)
    arguments = parser.parse_args()
    network = load_pair_model()
    claims = read_claims(arguments.data, arguments.most)
    cited = [
        Claim(pair.collection, "", pair.claim, pair.document.title, pair.document.text, pair.kind == "cited")
        for pair in pairs_of(arguments.data / "citations")
        if pair.kind != "same"
    ]
    rows = [*measure([*claims, *cited], network)]
    truth = np.array([one.is_right for one in claims])
    groups = np.unique([f"{one.collection}/{one.group}" for one in claims], return_inverse=True)[1]
    collections = np.array([one.collection for one in claims])
    words = sorted(set(rows[0]) - {_ODDS, _AGAINST})
    report("network alone", claims, np.array([row[_ODDS] for row in rows[: len(claims)]]), 0.0)
    refused = np.array([is_denied(row) or row["mentions_missing"] > 0 for row in rows[len(claims) :]])
    odds = np.array([row[_ODDS] for row in rows[len(claims) :]])
    report("network alone, citations", cited, np.where(refused, -np.inf, odds), 0.0)
    for kind, names in (("words", words), ("with network", [*words, _ODDS, _AGAINST])):
        measured = np.array([[row[name] for name in names] for row in rows])
        scores = np.zeros(len(claims))
        for known, held in GroupKFold(5, shuffle=True, random_state=1).split(truth, truth, groups):
            weights = weigh([claims[place] for place in known])
            model = build_model(names).fit(measured[known], truth[known], sample_weight=weights)
            scores[held] = model.predict_proba(measured[held])[:, 1]
        report(f"{kind}, five-fold", claims, scores)
        for family in _UNSEEN:
            held, known = (
                np.flatnonzero(mask) for mask in (np.isin(collections, family), ~np.isin(collections, family))
            )
            weights = weigh([claims[place] for place in known])
            model = build_model(names).fit(measured[known], truth[known], sample_weight=weights)
            report(
                f"{kind}, unseen",
                [claims[place] for place in held],
                model.predict_proba(measured[held])[:, 1],
            )
        model = build_model(names).fit(measured[: len(claims)], truth, sample_weight=weigh(claims))
        likely = model.predict_proba(measured[len(claims) :])[:, 1]
        report(f"{kind}, citations", cited, np.where(refused, 0.0, likely))


if __name__ == "__main__":
    _main()
