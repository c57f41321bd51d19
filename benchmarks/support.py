"""How often the check of citations is wrong: citations as people set them, the same of other sources, and altered ones.

    python -m benchmarks.support [--data FOLDER] [--half choose|report|all] [--worst N]

FOLDER holds `alce/demo_answers.jsonl` (answers with [n] and the documents that they number, each with a
`summary`) and `alignbench_zh/data_v1.1_release.jsonl` (answers with the quotes that are their evidence).
A claim is measured with

- `cited`: the document it cites. It should be supported.
- `same`: a document of the same question that it does not cite. That may say the same, so no verdict is wrong.
- `other`: a document of another question. It should not be found.
- `number`, `name`: the document it cites, after one number or name in the claim was made another one. It
  should not be supported.

The check was trained on the half of the questions called `choose` among other data (benchmarks/support_training.py).
Which question is in which half is a matter of its text.
"""

import argparse
import hashlib
import json
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from desktop.chat.checking.claims import extract_claims
from desktop.chat.checking.mentions import find_names, find_numbers
from desktop.chat.checking.scoring import collect_evidence, judge_support
from desktop.chat.checking.words import PreparedSource, prepare_source
from desktop.domain.citation_check import DOUBTED, SupportLevel
from desktop.text.sentences import split_sentences
from desktop.text.terms import content_terms

FOLDER = Path(__file__).parents[2] / "shared" / "data" / "citations"
ALCE = "alce/demo_answers.jsonl"
ALIGNBENCH = "alignbench_zh/data_v1.1_release.jsonl"
KINDS = ("cited", "same", "other", "number", "name")
WRONG = frozenset({"other", "number", "name"})
SEED = 20_261_121
LEAST_TERMS = 4
"""Sentences of fewer words say nothing that could be checked: “Yes.”"""
_ABOUT_DOCUMENT = re.compile(r"document|irrelevant|not mention|does not provide", re.IGNORECASE)
"""Some summaries say that a document says nothing: no document says so itself."""
WHOLE_ANSWER = 3
"""Of longer Chinese answers only the first sentence is taken: the quotes are evidence for what was asked."""


@dataclass(frozen=True)
class Document:
    title: str
    text: str

    @property
    def passage(self) -> PreparedSource:
        return prepare_source(self.title, self.text)


@dataclass(frozen=True)
class Pair:
    """A claim and a document that is said to support it; `beside` are cited with it."""

    collection: str
    kind: str
    question: str
    claim: str
    document: Document
    beside: tuple[Document, ...] = ()
    context: str = ""


@dataclass(frozen=True)
class Judged:
    pair: Pair
    support: SupportLevel


def pairs_of(folder: Path) -> list[Pair]:
    """Return all pairs, the altered ones among them; always the same."""
    chance = random.Random(SEED)
    rows = list(_rows(folder / ALCE))
    pairs = [
        *_answers(rows, chance),
        *_summaries(rows, chance),
        *_evidence(list(_rows(folder / ALIGNBENCH)), chance),
    ]
    return pairs + [
        altered for pair in pairs if pair.kind == "cited" for altered in _altered(pair, pairs, chance)
    ]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


def _documents(row: Mapping[str, Any]) -> tuple[Document, ...]:
    return tuple(Document(found["title"], found["text"]) for found in row["docs"])


def _answers(rows: Sequence[dict[str, Any]], chance: random.Random) -> Iterator[Pair]:
    """Yield the claims of the answers, each once: the same answer comes with several prompts."""
    seen: set[tuple[str, str]] = set()
    for row in rows:
        question, documents = row["question"], _documents(row)
        strange = [
            document for other in rows if other["question"] != question for document in _documents(other)
        ]
        titles = {number: document.title for number, document in enumerate(documents, 1)}
        for claim in extract_claims(row["answer"], titles):
            if (question, claim.text) in seen:
                continue
            seen.add((question, claim.text))
            cited = {number: documents[number - 1] for number in claim.numbers}
            for number, document in cited.items():
                beside = tuple(other for at, other in cited.items() if at != number)
                yield Pair("alce", "cited", question, claim.text, document, beside, claim.context)
            for document in set(documents) - set(cited.values()):
                yield Pair("alce", "same", question, claim.text, document, context=claim.context)
            for document in chance.sample(strange, 2):
                yield Pair("alce", "other", question, claim.text, document, context=claim.context)


def _summaries(rows: Sequence[dict[str, Any]], chance: random.Random) -> Iterator[Pair]:
    """Yield the sentences in which a model has summed up a document for a question."""
    summed = {
        found["text"]: (row["question"], Document(found["title"], found["text"]), found["summary"])
        for row in rows
        for found in row["docs"]
        if found.get("summary")
    }
    for question, document, summary in summed.values():
        same = [other for asked, other, _ in summed.values() if asked == question and other != document]
        strange = [other for asked, other, _ in summed.values() if asked != question]
        if _ABOUT_DOCUMENT.search(summary):
            continue
        for claim in _sentences(summary):
            yield Pair("summaries", "cited", question, claim, document)
            yield Pair("summaries", "same", question, claim, chance.choice(same))
            yield Pair("summaries", "other", question, claim, chance.choice(strange))


def _evidence(rows: Sequence[dict[str, Any]], chance: random.Random) -> Iterator[Pair]:
    quoted = {
        row["question"]: Document("", "\n".join(quote["quote"] for quote in row["evidences"]))
        for row in rows
        if row.get("evidences")
    }
    for row in rows:
        question = row["question"]
        claims = _sentences(row["reference"])
        if question not in quoted or not claims:
            continue
        strange = [document for asked, document in quoted.items() if asked != question]
        for claim in claims if len(claims) <= WHOLE_ANSWER else claims[:1]:
            yield Pair("alignbench_zh", "cited", question, claim, quoted[question])
            yield Pair("alignbench_zh", "other", question, claim, chance.choice(strange))


def _sentences(text: str) -> list[str]:
    found = (text[span.start : span.end] for span in split_sentences(text))
    return [sentence for sentence in found if len(content_terms(sentence)) >= LEAST_TERMS]


def _altered(pair: Pair, pairs: Sequence[Pair], chance: random.Random) -> Iterator[Pair]:
    """Yield the claim with another number, and with a name from elsewhere in place of one of its own."""
    if stated := find_numbers(pair.claim):
        figure = chance.choice(stated)
        other = str(figure.value.to_integral_value() + chance.choice([1, 2, 7, 10]))
        yield replace(pair, kind="number", claim=pair.claim.replace(figure.written, other, 1))
    if own := find_names(pair.claim):
        elsewhere = sorted(
            {
                name
                for other in pairs
                if other.collection == pair.collection and other.question != pair.question
                for name in find_names(other.claim)
                if name not in pair.claim and name not in pair.document.text
            }
        )
        claim = pair.claim.replace(chance.choice(own), chance.choice(elsewhere), 1)
        yield replace(pair, kind="name", claim=claim)


def in_half(pair: Pair, half: str) -> bool:
    """Say whether a pair is of the half that bounds are chosen on, or of the one that is reported."""
    first = hashlib.sha256(pair.question.encode()).digest()[0] % 2 == 0
    return half == "all" or first == (half == "choose")


def judge(pairs: Sequence[Pair]) -> list[Judged]:
    """Return what the check says of each pair."""
    judged: list[Judged] = []
    for pair in pairs:
        beside = [document.passage for document in pair.beside]
        evidence = collect_evidence(pair.claim, pair.document.passage, beside)
        judged.append(Judged(pair, judge_support(pair.claim, pair.document.passage, evidence)))
    return judged


def shares(judged: Iterable[Judged]) -> dict[tuple[str, str], Counter[SupportLevel]]:
    """Return how often each verdict was given, by collection and kind."""
    counts: dict[tuple[str, str], Counter[SupportLevel]] = defaultdict(Counter)
    for one in judged:
        counts[one.pair.collection, one.pair.kind][one.support] += 1
    return counts


def error_rates(
    counts: Mapping[tuple[str, str], Counter[SupportLevel]], collection: str
) -> tuple[float, float, float]:
    """Return the shares of citations doubted, of those not found at all, and of wrong ones said to be supported."""
    cited = counts[collection, "cited"]
    wrong = sum((counts[collection, kind] for kind in WRONG), Counter[SupportLevel]())
    doubted = sum(cited[support] for support in DOUBTED)
    total = cited.total()
    return (
        doubted / total,
        cited[SupportLevel.NOT_FOUND] / total,
        wrong[SupportLevel.SUPPORTED] / wrong.total(),
    )


def _print(judged: Sequence[Judged], worst: int) -> None:
    counts = shares(judged)
    for collection in dict.fromkeys(one.pair.collection for one in judged):
        print(
            f"{collection:16}{'n':>5}{'supported':>11}{'weak':>7}{'opposed':>9}{'not found':>11}{'uncompared':>12}"
        )
        for kind in KINDS:
            if total := (found := counts[collection, kind]).total():
                cells = zip((11, 7, 9, 11, 12), tuple(SupportLevel)[:-1], strict=True)  # all sources are read
                row = "".join(f"{found[support] / total:>{width}.0%}" for width, support in cells)
                print(f"  {kind:14}{total:>5}{row}")
        doubted, lost, missed = error_rates(counts, collection)
        print(
            f"  right ones doubted {doubted:.1%} (not found {lost:.1%}), wrong ones supported {missed:.1%}\n"
        )
    for one in [one for one in judged if _is_error(one)][:worst]:
        print(
            f"{one.pair.collection} {one.pair.kind} {one.support}: {one.pair.claim}\n    {one.pair.document.text[:300]!r}"
        )


def _is_error(one: Judged) -> bool:
    is_supported = one.support is SupportLevel.SUPPORTED
    return is_supported if one.pair.kind in WRONG else one.pair.kind == "cited" and not is_supported


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, default=FOLDER)
    parser.add_argument("--half", choices=("choose", "report", "all"), default="all")
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="print N errors")
    arguments = parser.parse_args()
    _print(
        judge([pair for pair in pairs_of(arguments.data) if in_half(pair, arguments.half)]), arguments.worst
    )


if __name__ == "__main__":
    _main()
