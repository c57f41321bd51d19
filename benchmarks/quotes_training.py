"""Train the trees by which Quotes ranks sentences and stays silent, and say how good they are on what is held back.

    python -m benchmarks.quotes_training --english FILE… --chinese FILE… --vectors FOLDER [--network] [--write]

Each FILE is one collection of rows, as `benchmarks.quotes_data` and `benchmarks.quotes --rows` write them. FOLDER keeps
the vectors of their sentences from one run to the next. Printed is how each collection is answered by trees that have
seen none of it, with and without comparing meanings, then by trees that have seen four fifths of its questions, with
`--network` beside the bundled network as well, whose judgements FOLDER keeps too.
`--write` trains on all and writes `resources/quotes_trees.json`.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import GroupKFold

from benchmarks.quotes import Row, holds, rows_of_lines
from desktop.cli.output.exports import sources_from_json
from desktop.knowledge.bundled_models import BUILT_IN_MODEL, BundledPairModel, load_bundled, load_pair_model
from desktop.providers.quotes.candidates import parts_of
from desktop.providers.quotes.extraction import pick_answers
from desktop.providers.quotes.ranking import (
    CHINESE,
    OTHER,
    QuotesTrees,
    RankedSentences,
    compare_best,
    features_of_best,
    judge_best,
    odds_of_answer,
    rank_judged,
)
from desktop.providers.quotes.relevance import UNKNOWN, MeasuredSentence, measure_sentences
from desktop.text.likelihoods import DecisionTrees

OUT = Path(__file__).parents[1] / "resources" / "quotes_trees.json"
_OTHER_SUBJECT = "-other"
_NEXT = 11
"""Which other question is asked of the sources of a row."""
WRONGLY_SILENT = 0.045
"""Share of answered questions on which Quotes may stay silent; sets the least likelihood."""

_CURVE = (0.01, 0.02, 0.03, 0.04, 0.05, 0.08, 0.1)
"""Shares of answered questions left unanswered, at which the share of the others left unanswered is printed."""

_WORTH = {"rgb_zh": 4.0}
"""Weights of collections other than 1: what Quotes reads most are snippets of pages, as in this one."""


class Vectors:
    """Vectors of texts by the bundled model, kept in a folder."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._path = folder / "vectors.npz"
        self._known: dict[str, NDArray[np.float32]] = {}
        self._new = 0
        self._encoder: Any = None
        if self._path.is_file():
            kept = np.load(self._path)
            self._known = dict(zip(kept["keys"].tolist(), kept["vectors"], strict=True))

    def compare(self, question: str, texts: Sequence[str]) -> list[float]:
        """Return the cosine of the question and each text."""
        asked = self._vector(f"query: {question}")
        return [float(asked @ self._vector(f"passage: {text}")) for text in texts]

    def _vector(self, text: str) -> NDArray[np.float32]:
        key = hashlib.sha256(text.encode()).hexdigest()[:24]
        if key not in self._known:
            self._encoder = self._encoder or load_bundled(BUILT_IN_MODEL)
            self._known[key] = np.frombuffer(self._encoder.encode([text])[0], np.float32)
            self._new += 1
            if self._new % 4000 == 0:
                self.keep()
        return self._known[key]

    def keep(self) -> None:
        """Write what was encoded."""
        if self._new:
            np.savez(
                self._path, keys=np.array(list(self._known)), vectors=np.array(list(self._known.values()))
            )


class Judgements:
    """What the bundled network says of texts, kept in a folder."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "judgements.json"
        self._known: dict[str, float] = json.loads(self._path.read_text()) if self._path.is_file() else {}
        self._model: BundledPairModel | None = None

    def judge(self, question: str, texts: Sequence[str], of_sentences: bool) -> list[float]:
        """Return how likely each text answers a question."""
        return [self._likelihood(question, text, of_sentences) for text in texts]

    def _likelihood(self, question: str, text: str, of_sentences: bool) -> float:
        key = hashlib.sha256(f"{of_sentences} {question} {text}".encode()).hexdigest()[:24]
        if key not in self._known:
            self._model = self._model or load_pair_model()
            (judged,) = self._model.judge([(question, text)])
            self._known[key] = judged.holds_answer if of_sentences else judged.answers
        return self._known[key]

    def keep(self) -> None:
        """Write what was judged."""
        self._path.write_text(json.dumps(self._known))


@dataclass(frozen=True)
class Example:
    """A row with its measured sentences, and which of them hold an answer."""

    collection: str
    row: Row
    measured: tuple[MeasuredSentence, ...]
    right: tuple[bool, ...]

    @property
    def group(self) -> str:
        """What the rows of one question share."""
        return f"{self.collection} {self.row.question}"


def read_examples(path: Path, vectors: Vectors) -> Iterator[Example]:
    """Yield the rows of a file, each as measured with meanings and without."""
    rows = list(rows_of_lines(path))
    whole = [row for row in rows if row.answers and not row.id.endswith("-one")]
    for row in [*rows, *map(_ask_other, whole, whole[_NEXT:])]:
        sources = sources_from_json([{"number": n, "text": text} for n, text in enumerate(row.texts, 1)])
        parts = [part for of_source in parts_of(sources) for part in of_source]
        measured = measure_sentences(row.question, parts)
        guessed = [one.features["covered"] + one.features["near"] for one in measured]
        right = tuple(holds(one.sentence.text, row.answers) for one in measured)
        if measured:
            compared = compare_best(row.question, measured, guessed, vectors.compare)
            yield Example(path.stem, row, tuple(compared), right)


def _ask_other(row: Row, other: Row) -> Row:
    """Return the question of another row asked of the sources of this one, which do not answer it."""
    return Row(f"{row.id}{_OTHER_SUBJECT}", other.question, row.texts, ())


def without_meaning(example: Example) -> Example:
    """Return an example as it is where meanings cannot be compared."""
    unknown = dict.fromkeys(("meaning", "meaning_to_best", "source_meaning_to_best"), UNKNOWN)
    return replace(
        example, measured=tuple(replace(one, features=one.features | unknown) for one in example.measured)
    )


@dataclass(frozen=True)
class Trained:
    """Trained models, the names of their features, and the least likelihood that a question is answered."""

    sentences: HistGradientBoostingClassifier
    sentence_names: tuple[str, ...]
    answers: HistGradientBoostingClassifier
    answer_names: tuple[str, ...]
    least: float = 0.0

    def as_trees(self) -> QuotesTrees:
        """Return the models in the form that `ranking` reads."""
        return QuotesTrees(
            _as_trees(self.sentences, self.sentence_names),
            _as_trees(self.answers, self.answer_names),
            self.least,
        )


def train(examples: Sequence[Example]) -> Trained:
    """Return the models for what the examples are in; each collection counts as `_WORTH` says."""
    both = [*examples, *map(without_meaning, examples)]
    names = tuple(sorted(both[0].measured[0].features))
    scores: dict[int, list[float]] = {}
    groups = [example.group for example in both]
    for known, held in GroupKFold(3, shuffle=True, random_state=1).split(both, groups=groups):
        part = _train_sentences([both[place] for place in known], names)
        found = _score_all(part, [both[place] for place in held], names)
        scores.update(zip(held.tolist(), found, strict=True))
    rows = [features_of_best(example.measured, scores[place]) for place, example in enumerate(both)]
    truth = [_is_found(example, scores[place]) for place, example in enumerate(both)]
    answer_names = tuple(sorted(rows[0]))
    measured = np.array([[row[name] for name in answer_names] for row in rows])
    weights = _weights([example.collection for example in both])
    answers = _model(100, 7).fit(measured, truth, sample_weight=weights)
    trained = Trained(_train_sentences(both, names), names, answers, answer_names)
    return replace(trained, least=_least_likelihood(both, groups, measured, truth))


def _least_likelihood(
    examples: Sequence[Example],
    groups: Sequence[str],
    measured: NDArray[np.float64],
    truth: Sequence[bool],
) -> float:
    """Return the likelihood below which as many answered questions are as may be left unanswered."""
    weights = _weights([example.collection for example in examples])
    by_collection: dict[str, list[float]] = {}
    for known, held in GroupKFold(4, shuffle=True, random_state=3).split(examples, groups=groups):
        model = _model(100, 7).fit(measured[known], np.array(truth)[known], sample_weight=weights[known])
        for place, likelihood in zip(held, model.predict_proba(measured[held])[:, 1], strict=True):
            if examples[place].row.answers:
                by_collection.setdefault(examples[place].collection, []).append(float(likelihood))
    limits = [float(np.quantile(values, WRONGLY_SILENT)) for values in by_collection.values()]
    return round(float(np.mean(limits)), 4)


def _score_all(
    model: HistGradientBoostingClassifier, examples: Sequence[Example], names: Sequence[str]
) -> list[list[float]]:
    rows = [[one.features[name] for name in names] for example in examples for one in example.measured]
    found = iter(model.predict_proba(np.array(rows))[:, 1].tolist())
    return [[next(found) for _ in example.measured] for example in examples]


def _is_found(example: Example, scores: Sequence[float]) -> bool:
    """Say whether one of the three best sentences is right."""
    best = sorted(range(len(scores)), key=lambda place: -scores[place])[:3]
    return any(example.right[place] for place in best)


def _train_sentences(examples: Sequence[Example], names: Sequence[str]) -> HistGradientBoostingClassifier:
    rows = [[one.features[name] for name in names] for example in examples for one in example.measured]
    truth = [is_right for example in examples for is_right in example.right]
    share = _weights([example.collection for example in examples])
    weights = np.repeat(
        share / np.array([len(example.right) for example in examples]),
        [len(example.right) for example in examples],
    )
    weights *= len(weights) / weights.sum()
    return _model(120, 9).fit(np.array(rows), truth, sample_weight=weights)


def _weights(collections: Sequence[str]) -> NDArray[np.float64]:
    names, places, counts = np.unique(collections, return_inverse=True, return_counts=True)
    worth = np.array([_WORTH.get(name, 1.0) for name in names])
    return (len(collections) / worth.sum() * worth / counts)[places]


def _model(count: int, leaves: int) -> HistGradientBoostingClassifier:
    return HistGradientBoostingClassifier(
        max_iter=count, max_leaf_nodes=leaves, learning_rate=0.07, l2_regularization=20.0, min_samples_leaf=30,
        max_features=0.3, random_state=0,
    )  # fmt: skip


def _as_trees(model: HistGradientBoostingClassifier, names: Sequence[str]) -> DecisionTrees:
    trees = []
    for (predictor,) in model._predictors:
        trees.append(
            tuple(
                (-1, round(float(node["value"]), 5), 0, 0)
                if node["is_leaf"]
                else (
                    int(node["feature_idx"]),
                    round(float(node["num_threshold"]), 5),
                    int(node["left"]),
                    int(node["right"]),
                )
                for node in predictor.nodes
            )
        )
    return DecisionTrees(tuple(names), round(float(model._baseline_prediction.item()), 5), tuple(trees))


@dataclass(frozen=True)
class Answered:
    """An example, the scores of its sentences, and whether one is likely enough an answer."""

    example: Example
    scores: list[float]
    likelihood: float
    least: float


def answer(trained: Trained, examples: Sequence[Example]) -> list[Answered]:
    """Return how trained models rank the sentences of examples."""
    scores = _score_all(trained.sentences, examples, trained.sentence_names)
    rows = [features_of_best(one.measured, found) for one, found in zip(examples, scores, strict=True)]
    measured = np.array([[row[name] for name in trained.answer_names] for row in rows])
    likely = trained.answers.predict_proba(measured)[:, 1].tolist()
    return [
        Answered(example, found, likelihood, trained.least)
        for example, found, likelihood in zip(examples, scores, likely, strict=True)
    ]


def report(name: str, answered: Sequence[Answered], judgements: Judgements | None = None) -> None:
    """Print how well examples are answered, by the trees alone or with the network."""
    found: dict[str, list[bool]] = {"answered": [], "first": [], "wrongly silent": [], "silent": []}
    likelihoods: tuple[list[float], list[float]] = ([], [])
    lines = []
    for one in answered:
        example = one.example
        if example.row.id.endswith(_OTHER_SUBJECT):  # silence is easy there
            continue
        ranked, odds = _ranked(one, judgements)
        quotes = pick_answers(example.row.question, ranked)
        likelihoods[bool(example.row.answers)].append(odds)
        if example.row.answers:
            hits = [holds(quote.text, example.row.answers) for quote in quotes]
            found["answered"].append(any(hits))
            found["first"].append(bool(hits) and hits[0])
            found["wrongly silent"].append(not quotes)
            lines.append(len(quotes))
        else:
            found["silent"].append(not quotes)
    figures = "  ".join(f"{kind} {np.mean(said):.3f}" for kind, said in found.items())
    curve = "  ".join(
        f"{share:.2f} {np.mean(np.array(likelihoods[0]) < np.quantile(likelihoods[1], share)):.2f}"
        for share in _CURVE
    )
    counts = f"of {len(likelihoods[1])} and {len(likelihoods[0])}"
    print(
        f"{name:24} {figures}  {counts}  lines {np.mean(lines):.2f}  (wrongly silent, silent: {curve})",
        flush=True,
    )


def _ranked(one: Answered, judgements: Judgements | None) -> tuple[RankedSentences, float]:
    """Return the ranked sentences, and the odds or likelihood that decides whether the question is answered."""
    measured, question = one.example.measured, one.example.row.question
    judged = judge_best(question, measured, one.scores, judgements.judge) if judgements else None
    if judged is not None:
        return rank_judged(measured, judged, one.likelihood), odds_of_answer(judged, one.likelihood)
    scored = tuple(
        replace(each.sentence, score=score) for each, score in zip(measured, one.scores, strict=True)
    )
    return RankedSentences(scored, one.likelihood >= one.least), one.likelihood


def report_all(examples: Sequence[Example], judgements: Judgements | None, folds: int = 4) -> None:
    """Print how well each collection is answered."""
    groups = [example.group for example in examples]
    found: dict[str, list[Answered]] = {}
    for known, held in GroupKFold(folds, shuffle=True, random_state=2).split(examples, groups=groups):
        trained = train([examples[place] for place in known])
        own = [examples[place] for place in held]
        for one in answer(trained, own):
            found.setdefault(f"{one.example.collection}, {folds}-fold", []).append(one)
        for one in answer(trained, list(map(without_meaning, own))):
            found.setdefault(f"{one.example.collection}, words only", []).append(one)
    names = list(dict.fromkeys(example.collection for example in examples))
    for name in names if len(names) > 1 else ():
        trained = train([example for example in examples if example.collection != name])
        own = [example for example in examples if example.collection == name]
        found[f"{name}, not seen"] = answer(trained, own)
    for name in sorted(found):
        report(name, found[name])
        if judgements and "words only" not in name:
            report(f"{name}, network", found[name], judgements)
            judgements.keep()


def main() -> int:
    """Train and report."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--english", type=Path, nargs="+", required=True)
    parser.add_argument("--chinese", type=Path, nargs="+", required=True)
    parser.add_argument("--vectors", type=Path, required=True)
    parser.add_argument("--network", action="store_true", help="answer with the bundled network as well")
    parser.add_argument("--write", action="store_true", help=f"write {OUT.name}")
    options = parser.parse_args()
    vectors = Vectors(options.vectors)
    written = {}
    for language, paths in ((OTHER, options.english), (CHINESE, options.chinese)):
        examples = [example for path in paths for example in read_examples(path, vectors)]
        vectors.keep()
        if options.write:
            written[language] = train(examples).as_trees()
        else:
            report_all(examples, Judgements(options.vectors) if options.network else None)
    if options.write:
        OUT.write_text(json.dumps(msgspec.to_builtins(written), separators=(",", ":")) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
