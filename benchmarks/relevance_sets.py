"""Make English collections for `benchmarks/relevance.py` of open ones.

    python -m benchmarks.relevance_sets OUT --nq FILE --xquad FILE --trec FOLDER --healthver FOLDER

- `nq_en`, `xquad_en`: 500 questions each of Natural Questions (`qa_data/nq-open-oracle.jsonl.gz` of
  github.com/nelson-liu/lost-in-the-middle) and of `xquad.en.json` (github.com/google-deepmind/xquad), both to the
  paragraphs of Wikipedia of both.
- `trec_en`: questions to the sentences of newspapers that people judged (`jacana-qa-naacl2013-data-results/*.xml` of
  github.com/aseveryn/deep-qa); up to eight sentences that do not answer remain of each question's own search.
- `healthver`: claims on COVID-19 and the evidence for or against them (`data/healthver_dev.csv` and `…_test.csv` of
  github.com/sarrouti/HealthVer): a collection on one subject.

OUT gets a folder of each with `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`.
"""

import argparse
import csv
import gzip
import json
import random
import re
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks.quotes_data import untagged

QUERIES = 500
TREC_QUERIES = 250
_WRONG_SENTENCES = 8


@dataclass
class Collected:
    """Documents by key, of the same text only one; queries and the keys of what answers them."""

    documents: dict[str, str] = field(default_factory=dict)
    queries: dict[str, str] = field(default_factory=dict)
    answering: dict[str, list[str]] = field(default_factory=dict)

    def key_of(self, text: str) -> str:
        """Return the key of a document, which is added if it is new."""
        return self.documents.setdefault(text, f"d{len(self.documents)}")

    def ask(self, query: str, texts: Sequence[str]) -> None:
        """Add a query, or what else answers it."""
        known = self.queries.setdefault(query, f"q{len(self.queries)}")
        found = self.answering.setdefault(known, [])
        found += [key for key in map(self.key_of, texts) if key not in found]

    def write(self, folder: Path) -> None:
        """Write the files of the collection."""
        folder.mkdir(parents=True, exist_ok=True)
        _write_rows(folder / "corpus.jsonl", {key: text for text, key in self.documents.items()})
        _write_rows(folder / "queries.jsonl", {key: text for text, key in self.queries.items()})
        lines = [f"{query}\t{key}\t1\n" for query, keys in self.answering.items() for key in keys]
        (folder / "qrels.tsv").write_text("".join(["query\tdocument\tgrade\n", *lines]), "utf-8")
        print(f"{folder.name}: {len(self.documents)} documents, {len(self.queries)} queries")


def _write_rows(path: Path, texts: Mapping[str, str]) -> None:
    rows = [
        json.dumps({"_id": key, "title": "", "text": text}, ensure_ascii=False) for key, text in texts.items()
    ]
    path.write_text("\n".join(rows) + "\n", "utf-8")


def read_wikipedia(nq: Path, xquad: Path) -> dict[str, Collected]:
    """Return the questions of both collections, each with the paragraphs of both."""
    dice = random.Random(5)
    with gzip.open(nq, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    asked = [(row["question"], f"{row['ctxs'][0]['title']}\n\n{row['ctxs'][0]['text']}") for row in rows]
    articles: list[dict[str, Any]] = json.loads(xquad.read_bytes())["data"]
    paragraphs = [paragraph for article in articles for paragraph in article["paragraphs"]]
    of_xquad = [
        (item["question"], paragraph["context"]) for paragraph in paragraphs for item in paragraph["qas"]
    ]
    collected = {}
    for name, questions in {"nq_en": asked, "xquad_en": of_xquad}.items():
        collected[name] = Collected()
        for _, text in [*asked, *of_xquad]:
            collected[name].key_of(text)
        for question, text in dice.sample(questions, QUERIES):
            collected[name].ask(question, [text])
    return collected


def read_trec(folder: Path) -> Collected:
    """Return the first questions, those for testing before those for training."""
    collected = Collected()
    for path in sorted(folder.glob("*.xml"), key=lambda path: ("train" in path.name, path.name)):
        text = path.read_text("utf-8", "replace")
        for block in re.findall(r"<QApairs id='[^']+'>\n(.*?)</QApairs>", text, re.DOTALL):
            right, wrong = (
                list(dict.fromkeys(map(untagged, re.findall(rf"<{kind}>\n(.*?)</{kind}>", block, re.DOTALL))))
                for kind in ("positive", "negative")
            )
            if right and len(collected.queries) < TREC_QUERIES:
                for sentence in wrong[:_WRONG_SENTENCES]:
                    collected.key_of(sentence)
                collected.ask(untagged(block.partition("<question>\n")[2]), right)
    return collected


def read_healthver(folder: Path) -> Collected:
    """Return the claims for or against which there is evidence."""
    collected = Collected()
    for part in ("dev", "test"):
        with (folder / f"healthver_{part}.csv").open(encoding="utf-8", errors="replace", newline="") as lines:
            for row in csv.DictReader(lines):
                evidence = row["evidence"].strip()
                collected.key_of(evidence)
                if row["label"] != "Neutral":
                    collected.ask(row["claim"].strip(), [evidence])
    return collected


def main() -> int:
    """Write the collections whose sources are given."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("out", type=Path)
    for name in ("nq", "xquad", "trec", "healthver"):
        parser.add_argument(f"--{name}", type=Path)
    options = parser.parse_args()
    found = read_wikipedia(options.nq, options.xquad) if options.nq and options.xquad else {}
    if options.trec:
        found["trec_en"] = read_trec(options.trec)
    if options.healthver:
        found["healthver"] = read_healthver(options.healthver)
    for name, collected in found.items():
        collected.write(options.out / name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
