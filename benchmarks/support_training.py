"""Train the trees that weigh what the check of citations measures, and say how good they are on claims held back.

    python -m benchmarks.support_training --data FOLDER [--write]

FOLDER holds `support/` (WiCE dev, BEGIN dev: judged by people), `entailment/` (other collections judged by people, see
benchmarks/support_sets.py), `citations/` (see benchmarks/support.py; the half of the questions called `choose`) and
`extraction/` (news, of which benchmarks/support_news.py makes claims). Five-fold: all claims about one text, and all texts
with one claim, are in one fold. Then each family of collections is judged by trees that have seen none of it, with news
and without: the news are made by a program. The summaries of models are measured and never trained on. `--write` trains on all of it and writes `resources/check_trees.json`. The
trees are monotonic: more words found never make a claim less supported.

Run it with OMP_NUM_THREADS=1 on a machine that has other work: the threads wait for each other.
"""

import argparse
import csv
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GroupKFold

from benchmarks.support import WRONG, in_half, pairs_of
from benchmarks.support_news import news_claims
from benchmarks.support_sets import Judgement, read_entailment_sets, read_summaries
from desktop.chat.checking.alignment import measure_alignment
from desktop.chat.checking.scoring import is_of_another, is_unsourced_denial, least_score, states_opposite
from desktop.chat.checking.words import prepare_source

DOUBTED_SHARES = (0.05, 0.12, 0.2, 0.3)
OUT = Path(__file__).parents[1] / "resources" / "check_trees.json"
_LOWERS = (
    "lost_", "names_apart", "pair_reversed", "parts_lost", "negation_", "opposed", "speaking", "question", "values_missing",
    "mentions_missing", "copy_far", "hedge",
)  # fmt: skip
_RAISES = (
    "cover_", "words_", "anywhere", "window", "part_worst", "part_mean", "pair_near", "pair_ordered", "pair_together",
    "order", "copied", "copy_density", "copy_longest",
)  # fmt: skip
_WEIGHTS = {
    "wice": (3.0, 5.0),
    "begin": (2.0, 2.0),
    "news": (0.7, 0.7),
    "described": (1.0, 1.0),
    "citations": (1.0, 3.0),
    "fever": (1.0, 1.0),
    "fever_long": (0.5, 0.5),
    "fm2": (0.5, 0.5),
    "fm2_long": (0.5, 0.5),
    "symmetric": (0.5, 0.5),
    "mnli": (1.0, 1.0),
    "ocnli": (0.5, 0.5),
}
"""What the wrong and the right claims of a set count for; those about sources as people cite them for more."""
_NEWS = frozenset({"news", "described"})
FAMILIES = (
    frozenset({"wice"}),
    frozenset({"begin"}),
    frozenset({"fever", "fever_long", "symmetric"}),
    frozenset({"fm2", "fm2_long"}),
    _NEWS,
)
"""Collections of one origin: trees that are judged by one of them have seen none of the others."""


def read_judgements(folder: Path) -> Iterator[Judgement]:
    """Yield all claims that the trees are trained on."""
    for line in (folder / "support" / "wice_claim_dev.jsonl").read_text("utf-8").splitlines():
        row = json.loads(line)
        yield Judgement(
            "wice", row["claim"], row["claim"], "", "\n".join(row["evidence"]), row["label"] == "supported"
        )
    with (folder / "support" / "begin_dev_wow.tsv").open(encoding="utf-8") as rows:
        for row in csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE):
            is_right = row["begin_label"].startswith("Fully")
            yield Judgement("begin", row["knowledge"], row["response"], "", row["knowledge"], is_right)
    yield from read_entailment_sets(folder / "entailment")
    for made in news_claims(folder / "extraction"):
        collection = "described" if made.kind.startswith("description") else "news"
        yield Judgement(collection, f"article {made.article}", made.claim, "", made.text, made.is_right)
    for pair in pairs_of(folder / "citations"):
        is_doubtful = (
            pair.collection == "alignbench_zh" and pair.kind == "cited"
        )  # half of them are not: docs/support.md
        if in_half(pair, "choose") and pair.kind in {*WRONG, "cited"} and not is_doubtful:
            yield Judgement(
                "citations",
                pair.question,
                pair.claim,
                pair.document.title,
                pair.document.text,
                pair.kind == "cited",
            )


def build_model(names: Sequence[str]) -> HistGradientBoostingClassifier:
    """Return a model of few small trees, for claims are few."""
    signs = [-1 if name.startswith(_LOWERS) else 1 if name.startswith(_RAISES) else 0 for name in names]
    return HistGradientBoostingClassifier(
        max_iter=150, max_leaf_nodes=7, learning_rate=0.05, l2_regularization=10.0, min_samples_leaf=20,
        monotonic_cst=signs, max_features=0.4, random_state=0,
    )  # fmt: skip


def weigh(judgements: Sequence[Judgement]) -> NDArray[np.float64]:
    """Return weights: each set counts alike, and in it the right and the wrong, but for `_WEIGHTS`."""
    keys = [(one.collection, one.is_right) for one in judgements]
    share = {key: _WEIGHTS[key[0]][key[1]] / keys.count(key) for key in set(keys)}
    weights = np.array([share[key] for key in keys])
    return weights * len(keys) / weights.sum()


def trees_json(model: HistGradientBoostingClassifier, names: Sequence[str]) -> dict[str, Any]:
    """Return a trained model in the form that `desktop.chat.checking.scoring` reads."""
    trees = []
    for (predictor,) in model._predictors:
        trees.append(
            [
                [-1, round(float(node["value"]), 5), 0, 0]
                if node["is_leaf"]
                else [
                    int(node["feature_idx"]),
                    round(float(node["num_threshold"]), 5),
                    int(node["left"]),
                    int(node["right"]),
                ]
                for node in predictor.nodes
            ]
        )
    return {
        "features": list(names),
        "baseline": round(float(model._baseline_prediction.item()), 5),
        "trees": trees,
    }


def scored_collections(
    judgements: Sequence[Judgement], scores: NDArray[np.float64]
) -> Iterator[tuple[str, list[int]]]:
    """Yield each collection that has scores, with the places of its claims that have one."""
    places: dict[str, list[int]] = {}
    for place, one in enumerate(judgements):
        if not np.isnan(scores[place]):
            places.setdefault(one.collection, []).append(place)
    yield from places.items()


def report(
    kind: str, judgements: Sequence[Judgement], scores: NDArray[np.float64], least: NDArray[np.float64]
) -> None:
    """Print for each set how many right and wrong claims are recognized, and the mean of the two.

    `least` is the minimum score of each claim.
    """
    for collection, places in scored_collections(judgements, scores):
        right = [scores[place] >= least[place] for place in places if judgements[place].is_right]
        wrong = [scores[place] < least[place] for place in places if not judgements[place].is_right]
        balanced = (np.mean(right) + np.mean(wrong)) / 2
        print(
            f"{kind:16}{collection:11} balanced accuracy {balanced:.3f}   right accepted {np.mean(right):.2f} of {len(right)}, "
            f"wrong caught {np.mean(wrong):.2f} of {len(wrong)}"
        )


def report_curve(
    kind: str, judgements: Sequence[Judgement], scores: NDArray[np.float64], least: NDArray[np.float64]
) -> None:
    """Print for each set how many wrong claims pass if all bounds are moved until so many right ones are doubted."""
    for collection, places in scored_collections(judgements, scores):
        margins = np.where(scores[places] > 0, scores[places] - least[places], -np.inf)
        is_right = np.array([judgements[place].is_right for place in places])
        right, wrong = np.sort(margins[is_right]), margins[~is_right]
        cells = []
        for share in DOUBTED_SHARES:
            bound = right[int(share * len(right))]
            passes = np.mean(wrong >= bound)
            known = f"{share:.0%}: {passes:.2f} ({(1 - share + 1 - passes) / 2:.3f})"
            cells.append(f"{share:.0%}: none" if np.isinf(bound) else known)
        print(
            f"{kind:16}{collection:11} doubted {np.mean(right < 0):.2f}, passes {np.mean(wrong >= 0):.2f}   "
            f"passes (balanced accuracy) if doubted are {', '.join(cells)}"
        )


def _measure(one: Judgement) -> tuple[dict[str, float], bool, float]:
    """Return the measures of a claim, whether it is doubted whatever its score, and its minimum score."""
    source = prepare_source(one.title, one.text)
    alignment = measure_alignment(one.claim, source)
    is_refused = (
        alignment.features["mentions_missing"] > 0
        or states_opposite(one.claim, source, alignment, ())
        or is_of_another(one.claim, source, alignment)
    )
    is_lone = is_unsourced_denial(one.claim, source, alignment)
    least = least_score(alignment.features["copied"], source, is_unsourced_denial=is_lone)
    return alignment.features, is_refused, least


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help=f"write {OUT.name}")
    arguments = parser.parse_args()
    trained = list(read_judgements(arguments.data))
    judgements = [*trained, *read_summaries(arguments.data / "entailment")]
    rows, is_refused, bounds = zip(*map(_measure, judgements), strict=True)
    names = sorted(rows[0])
    least = np.array(bounds)
    measured = np.array([[row[name] for name in names] for row in rows])
    truth = np.array([one.is_right for one in judgements])
    places = np.arange(len(trained))
    groups = np.unique([one.group for one in trained], return_inverse=True)[1]
    scores = np.full(len(truth), np.nan)
    for known, held in GroupKFold(5, shuffle=True, random_state=1).split(places, truth[places], groups):
        weights = weigh([judgements[place] for place in known])
        model = build_model(names).fit(measured[known], truth[known], sample_weight=weights)
        scores[held] = model.predict_proba(measured[held])[:, 1]
    known_scores = np.where(np.isnan(scores), np.nan, np.where(is_refused, 0.0, scores))
    report("five-fold", judgements, known_scores, least)
    report_curve("five-fold", judgements, known_scores, least)
    whole = build_model(names).fit(measured[places], truth[places], sample_weight=weigh(trained))
    scores[:] = np.nan
    scores[len(trained) :] = whole.predict_proba(measured[len(trained) :])[:, 1]
    untrained = np.where(np.isnan(scores), np.nan, np.where(is_refused, 0.0, scores))
    report("never trained on", judgements, untrained, least)
    report_curve("never trained on", judgements, untrained, least)
    collections = np.array([one.collection for one in judgements])
    for family in FAMILIES:
        for others in (frozenset[str](), _NEWS - family):
            held = np.isin(collections, list(family))
            known = np.flatnonzero(~np.isin(collections[places], list(family | others)))
            weights = weigh([judgements[place] for place in known])
            model = build_model(names).fit(measured[known], truth[known], sample_weight=weights)
            scores = np.full(len(truth), np.nan)
            scores[held] = np.where(
                np.array(is_refused)[held], 0.0, model.predict_proba(measured[held])[:, 1]
            )
            kind = "unseen, no news" if others else "unseen"
            report(kind, judgements, scores, least)
            report_curve(kind, judgements, scores, least)
    if arguments.write:
        OUT.write_text(json.dumps(trees_json(whole, names), separators=(",", ":")) + "\n", "utf-8")


if __name__ == "__main__":
    _main()
