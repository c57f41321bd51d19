"""Write the pairs of claim and passage that the bundled network for pairs is trained and measured on.

    python -m benchmarks.entailment_pairs --data FOLDER --out pairs.jsonl.xz

`FOLDER/support` and `FOLDER/extraction` are those of benchmarks/support_training.py. `FOLDER/entailment` holds, as
published in repositories of github.com (licence of the data in brackets, as the repository or the paper states it):

- salesforce/DocNLI (BSD-3-Clause): `binary-FEVER-NLI_{dev,test}.txt` (FEVER: CC BY-SA 3.0), `binary-MNLI_{dev,test}.txt`
  (MultiNLI: OANC and others, free to use), `mctest_*.txt` (its folder `Data/MCTest-NLI`; MCTest: free for research),
- google-research/fool-me-twice (CC BY-SA 3.0): `fm2_{dev,test}.jsonl`,
- TalSchuster/FeverSymmetric (MIT): `fever_symmetric_{dev,test}.jsonl`,
- CLUEbenchmark/OCNLI (CC BY-NC 2.0): `ocnli_train.10k.json`, `ocnli_dev.json`,
- facebookresearch/XNLI in Chinese (CC BY-NC 4.0), as in zhang45258/ERNIE01: `xnli_zh_{dev,test}.tsv`,
- CMNLI (CLUE; translated MultiNLI) and PAWS-X in Chinese (free for any purpose), as in Eric8932/CURC (`data/CMNLI`, `data/PAWS`):
  `cmnli_{dev,test}.json`, `pawsx_zh_{dev,test}.json`,
- facebookresearch/anli (CC BY-NC 4.0; `anlizinganli`): `anli_r{1,2,3}.csv`,
- csitfun/ConTRoL-dataset (MIT): `control_{dev,test}.jsonl`,
- RTE (free for research), as in marcwww/nlu_eval: `rte_{train,dev}.tsv`,
- SICK (CC BY-NC-SA 3.0), as in mylius/nlp_similiarity_benchmark: `SICK.txt`,
- BIU-NLP/Breaking_NLI (CC BY-SA 4.0): `breaking_nli.jsonl`,
- asaakyan/covidfact (MIT): `covidfact.jsonl`, and SciFact (CC BY-NC 2.0) as pairs: `scifact_rte_train.tsv`,
- tdiggelm/climate-fever-dataset (free to use): `climate-fever.jsonl`,
- sarrouti/HealthVer (MIT): `healthver_{dev,test}.csv`,
- salesforce/factualNLG, SummEdits (CC BY 4.0): `summedits_*.json`,
- orhonovich/q-squared (MIT): `q2_*.csv` (the four files named consistent and inconsistent),
- ryokamoi/wice (ODC-BY), only the training part of `data/non_supported_tokens`: `wice_non_supported_train.jsonl`,
- IAAR-Shanghai/UHGEval (Apache-2.0): `uhgeval.jsonl`; IAAR-Shanghai/CRUD_RAG (no licence named): `crud_*.txt`, Chinese news,
- realtimeqa/realtimeqa_public (no licence named): `rtqa_*.jsonl`, English pages that a search engine found.

Of the last two only texts are taken, of which benchmarks/support_news.py makes claims. These are measured and never trained on:
WiCE dev, BEGIN dev, `fm2_test.jsonl`, `ocnli_dev.json`, a third of FEVER's test half, `summedits_news.json`, a fifth of XNLI,
FaithBench (vectara/FaithBench, CC BY-NC-SA 4.0: `faithbench_*.json`), and XSumFaith, FactCC and SummEval as in
tingofurro/summac, pull request 15 (`xsumfaith.json`, `factcc.json`, `summeval.json`).

The passage of a claim has the sentences that cover most of it, as the check finds them, and those around them.
"""

import argparse
import csv
import json
import lzma
import random
import re
import time
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.support_news import Article, claims_about, read_article
from desktop.chat.checking.alignment import measure_alignment
from desktop.chat.checking.scoring import MOST_TOKENS, select_passage
from desktop.chat.checking.words import prepare_source
from desktop.text.sentences import split_sentences
from desktop.text.tokens import estimate_tokens

ENTAILED, NEUTRAL, CONTRADICTED, NOT_ENTAILED = range(4)
"""Labels; the last one is either of the two before."""
_SEED = 20_261_126
_LABELS = {
    "entailment": ENTAILED, "e": ENTAILED, "SUPPORTED": ENTAILED, "SUPPORTS": ENTAILED, "Supports": ENTAILED, "蕴含": ENTAILED,
    "ENTAILMENT": ENTAILED, "c": CONTRADICTED, "contradiction": CONTRADICTED, "contradictory": CONTRADICTED,
    "CONTRADICTION": CONTRADICTED, "REFUTED": CONTRADICTED, "REFUTES": CONTRADICTED, "Refutes": CONTRADICTED,
    "矛盾": CONTRADICTED, "n": NEUTRAL, "neutral": NEUTRAL, "NEUTRAL": NEUTRAL, "Neutral": NEUTRAL, "NOT_ENOUGH_INFO": NEUTRAL,
    "中立": NEUTRAL, "not_entailment": NOT_ENTAILED, "non_entailment": NOT_ENTAILED,
}  # fmt: skip
_BRACKETS = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "``": '"', "''": '"', "--": "–",
}  # fmt: skip
_MOST_ARTICLES = 500
_SENTENCES_OF_AN_ARTICLE = 5
_DOCUMENT_CHARS = 5_000
_SHORT_PREMISE = 400
_AMONG = 0.4
"""Share of the short pieces of evidence that are put among sentences of others: a source is rarely as short."""


class Pair(NamedTuple):
    """A claim and a passage; `set` is where it is from, `split` whether it is trained on (train) or measured (dev)."""

    claim: str
    passage: str
    label: int
    set: str
    split: str
    group: str = ""


class SourcedClaim(NamedTuple):
    """A claim with the whole of its source; the rest is as in `Pair`."""

    claim: str
    title: str
    text: str
    label: int
    set: str
    split: str
    group: str


def passage_for(claim: str, title: str, text: str) -> str:
    """Return what the check reads of a source for this claim."""
    if estimate_tokens(f"{title} {text}") <= MOST_TOKENS:  # all of it, as `select_passage` would find
        return f"{title}. {' '.join(text.split())}".lstrip(". ")
    source = prepare_source(title, text)
    return select_passage(source, measure_alignment(claim, source).best)


class PairReader:
    """Reads the sets of a folder; always in the same way."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._files = folder / "entailment"
        self._chance = random.Random(_SEED)
        self._texts: list[str] = []

    def pairs(self) -> Iterator[Pair]:
        """Yield all pairs."""
        for read in (
            self._judged, self._fever, self._mnli, self._stories, self._fool_me_twice, self._symmetric, self._chinese, self._translated,
            self._small_sets, self._hard_sets, self._science, self._summaries, self._answers, self._news,
        ):  # fmt: skip
            yield from read()

    def measured(self) -> Iterator[Pair]:
        """Yield the pairs of the sets that have a part that is measured."""
        for read in (self._judged, self._fever, self._fool_me_twice, self._chinese, self._summaries):
            yield from read()

    # --- sets --------------------------------------------------------------------------------------------------

    def _judged(self) -> Iterator[Pair]:
        for row in _json_lines(self._folder / "support" / "wice_claim_dev.jsonl"):
            label = ENTAILED if row["label"] == "supported" else NOT_ENTAILED
            yield self._pair(row["claim"], "\n".join(row["evidence"]), label, "wice", "dev")
        with (self._folder / "support" / "begin_dev_wow.tsv").open(encoding="utf-8") as rows:
            for row in csv.DictReader(rows, delimiter="\t", quoting=csv.QUOTE_NONE):
                label = ENTAILED if row["begin_label"].startswith("Fully") else NOT_ENTAILED
                yield self._pair(row["response"], row["knowledge"], label, "begin", "dev")
        for name in ("xsumfaith", "factcc", "summeval"):
            rows = json.loads((self._files / f"{name}.json").read_text("utf-8"))
            for key, row in rows.items():
                label = ENTAILED if row["label"] == 1 else NOT_ENTAILED
                for claim in _sentences(row["claim"]):
                    yield self._pair(claim, row["document"], label, name, "dev", key)
        for path in sorted(self._files.glob("faithbench_*.json")):
            for row in json.loads(path.read_text("utf-8"))["samples"]:
                yield from self._faithbench(row, path.stem)

    def _faithbench(self, row: dict[str, Any], stem: str) -> Iterator[Pair]:
        """Yield the sentences of a summary: wrong are those with a span that is not wanted; doubtful ones are left out."""
        wrong = [
            (found["summary_start"], found["summary_end"], "".join(found["label"]))
            for found in row["annotations"]
            if found.get("summary_start") is not None
        ]
        for span in split_sentences(row["summary"]):
            marks = [kind for start, end, kind in wrong if start < span.end and end > span.start]
            is_wrong = any("Unwanted" in kind for kind in marks)
            claim = row["summary"][span.start : span.end].strip()
            if (is_wrong or not marks) and len(claim) > 20:
                label = NOT_ENTAILED if is_wrong else ENTAILED
                yield self._pair(
                    claim, row["source"], label, "faithbench", "dev", f"{stem}/{row['sample_id']}"
                )

    def _fever(self) -> Iterator[Pair]:
        for name in ("dev", "test"):
            rows = [
                (claim, plain(text), _LABELS[label])
                for label, text, claim in _tabbed(self._files / f"binary-FEVER-NLI_{name}.txt")
            ]
            self._texts = [text for _, text, _ in rows]
            measured = {claim for claim, _, _ in rows if name == "test" and _is_in_part(claim, 3)}
            for claim, text, label in rows:
                yield self._mixed(plain(claim), text, label, "fever", "dev" if claim in measured else "train")

    def _mnli(self) -> Iterator[Pair]:
        for name in ("dev", "test"):
            for label, text, claim in _tabbed(self._files / f"binary-MNLI_{name}.txt"):
                if label in _LABELS:
                    yield self._pair(claim, text, _LABELS[label], "mnli", "train")

    def _stories(self) -> Iterator[Pair]:
        for path in sorted(self._files.glob("mctest_*.txt")):
            for label, text, claim in _tabbed(path):
                yield self._pair(claim, text, _LABELS[label], "mctest", "train")

    def _fool_me_twice(self) -> Iterator[Pair]:
        for name, split in (("dev", "train"), ("test", "dev")):
            for row in _json_lines(self._files / f"fm2_{name}.jsonl"):
                gold = [found["text"].strip(" ,") for found in row["gold_evidence"]]
                page = row["wikipedia_page"].replace("_", " ")
                label = ENTAILED if row["label"] == "SUPPORTS" else CONTRADICTED
                claim = row["text"]
                yield self._pair(claim, " ".join(gold), label, "fm2", split, title=page)
                rest = [found["text"].strip(" ,") for found in row["retrieved_evidence"]]
                rest = [text for text in rest if text not in gold]
                among = self._chance.sample(rest, min(len(rest), self._chance.randint(3, 10)))
                if split == "train":
                    yield self._pair(claim, self._shuffled(gold + among), label, "fm2", split, title=page)
                    if among:
                        yield self._pair(claim, "\n".join(among), NEUTRAL, "fm2_other", split, title=page)

    def _symmetric(self) -> Iterator[Pair]:
        for name in ("dev", "test"):
            for row in _json_lines(self._files / f"fever_symmetric_{name}.jsonl"):
                label = _LABELS[row["label"]]
                yield self._mixed(plain(row["claim"]), plain(row["evidence"]), label, "symmetric", "train")

    def _chinese(self) -> Iterator[Pair]:
        rows = list(_json_lines(self._files / "ocnli_train.10k.json"))
        self._texts = [row["sentence1"] for row in rows]
        for row in rows:
            if row["label"] in _LABELS:
                yield self._mixed(row["sentence2"], row["sentence1"], _LABELS[row["label"]], "ocnli", "train")
        for row in _json_lines(self._files / "ocnli_dev.json"):
            if row["label"] in _LABELS:
                yield self._pair(row["sentence2"], row["sentence1"], _LABELS[row["label"]], "ocnli", "dev")

    def _translated(self) -> Iterator[Pair]:
        measured = set()
        for name in ("test", "dev"):
            for text, claim, label in _tabbed(self._files / f"xnli_zh_{name}.tsv"):
                if label in _LABELS:
                    split = "dev" if name == "test" and _is_in_part(text, 5) else "train"
                    if split == "dev":
                        measured.add(text)
                    yield self._mixed(claim, text, _LABELS[label], "xnli_zh", split)
        yield from self._clue(measured)

    def _clue(self, measured: Container[str]) -> Iterator[Pair]:
        for name in ("dev", "test"):
            for row in json.loads((self._files / f"cmnli_{name}.json").read_text("utf-8")):
                if row["label"] in _LABELS and row["text_a"] not in measured:
                    yield self._pair(row["text_b"], row["text_a"], _LABELS[row["label"]], "cmnli", "train")
            for row in json.loads((self._files / f"pawsx_zh_{name}.json").read_text("utf-8")):
                label = ENTAILED if row["label"] == "匹配" else NOT_ENTAILED
                yield self._pair(row["text_b"], row["text_a"], label, "paws_zh", "train")

    def _small_sets(self) -> Iterator[Pair]:
        for name in ("train", "dev"):
            for _, text, claim, label in _tabbed(self._files / f"rte_{name}.tsv", 4):
                if label in _LABELS:
                    yield self._mixed(claim, text, _LABELS[label], "rte", "train")
        for _, text, claim, _, label in _tabbed(self._files / "SICK.txt", 5):
            if label in _LABELS:
                yield self._pair(claim, text, _LABELS[label], "sick", "train")

    def _hard_sets(self) -> Iterator[Pair]:
        for number in (1, 2, 3):
            with (self._files / f"anli_r{number}.csv").open(encoding="utf-8", newline="") as rows:
                for row in csv.DictReader(rows):
                    if row["gold_label"] in _LABELS:
                        yield self._pair(
                            row["statement"], row["context"], _LABELS[row["gold_label"]], "anli", "train"
                        )
        for name in ("dev", "test"):
            for row in _json_lines(self._files / f"control_{name}.jsonl"):
                yield self._pair(row["hypothesis"], row["premise"], _LABELS[row["label"]], "control", "train")
        for row in _json_lines(self._files / "breaking_nli.jsonl"):
            if row["gold_label"] in _LABELS and self._chance.random() < 0.4:
                yield self._pair(
                    row["sentence2"], row["sentence1"], _LABELS[row["gold_label"]], "breaking", "train"
                )

    def _science(self) -> Iterator[Pair]:
        covid = list(_json_lines(self._files / "covidfact.jsonl"))
        self._texts = [" ".join(row["evidence"]) for row in covid]
        for row in covid:
            label = _LABELS[row["label"]]
            yield self._mixed(row["claim"], " ".join(row["evidence"]), label, "covidfact", "train")
        for _, text, claim, label in _tabbed(self._files / "scifact_rte_train.tsv", 4):
            if label in _LABELS:
                yield self._mixed(claim, text, _LABELS[label], "scifact", "train")
        for row in _json_lines(self._files / "climate-fever.jsonl"):
            texts = [found["evidence"].strip('"') for found in row["evidences"]]
            for found, text in zip(row["evidences"], texts, strict=True):
                label = _LABELS[found["evidence_label"]]
                yield self._pair(row["claim"], text, label, "climate", "train", title=found["article"])
            if row["claim_label"] in {"SUPPORTS", "REFUTES"}:
                label = _LABELS[row["claim_label"]]
                yield self._pair(row["claim"], "\n".join(texts), label, "climate_all", "train")
        for name in ("dev", "test"):
            with (self._files / f"healthver_{name}.csv").open(encoding="utf-8", newline="") as rows:
                for row in csv.DictReader(rows):
                    yield self._pair(
                        row["claim"], row["evidence"], _LABELS[row["label"]], "healthver", "train"
                    )

    def _summaries(self) -> Iterator[Pair]:
        for path in sorted(self._files.glob("summedits_*.json")):
            split = "dev" if path.stem == "summedits_news" else "train"
            for row in json.loads(path.read_text("utf-8")):
                label = ENTAILED if row["label"] == 1 else NOT_ENTAILED
                for claim in _sentences(row["summary"]):
                    if label == ENTAILED or claim not in row["original_summary"]:
                        yield self._pair(claim, row["doc"], label, path.stem, split, row["id"])

    def _answers(self) -> Iterator[Pair]:
        for path in sorted(self._files.glob("q2_*.csv")):
            label = NOT_ENTAILED if "inconsistent" in path.stem else ENTAILED
            with path.open(encoding="utf-8", newline="") as rows:
                for row in csv.DictReader(rows):
                    yield self._pair(row["response"], row["knowledge"], label, "q2", "train")
        for row in _json_lines(self._files / "wice_non_supported_train.jsonl"):
            lines = [line for line in row["evidence"] if not line.startswith("(meta data)")]
            yield self._pair(row["claim"], "\n".join(lines), NOT_ENTAILED, "wice_train", "train")
            long = [line for line in lines if 60 < len(line) < 300 and line[-1] in ".!?”\""]  # fmt: skip
            if long:
                yield self._pair(
                    self._chance.choice(long), "\n".join(lines), ENTAILED, "wice_train_copied", "train"
                )

    def _news(self) -> Iterator[Pair]:
        for row in _json_lines(self._files / "uhgeval.jsonl"):
            text = row["newsBeginning"] + row["realContinuation"] + row["newsRemainder"]
            for claim in _sentences(row["hallucinatedContinuation"].strip())[:1]:
                yield self._pair(claim, text, NOT_ENTAILED, "uhgeval", "train")
        for name, articles in (("news_zh", self._chinese_articles()), ("news_en", self._english_articles())):
            for made in claims_about(list(articles), _SEED, _SENTENCES_OF_AN_ARTICLE):
                label = ENTAILED if made.is_right else NOT_ENTAILED
                yield self._pair(made.claim, made.text, label, name, "train")

    def _chinese_articles(self) -> Iterator[Article]:
        rows = [row for path in sorted(self._files.glob("crud_*.txt")) for row in _lines(path)]
        for number, row in enumerate(self._chance.sample(rows, min(_MOST_ARTICLES, len(rows)))):
            yield from read_article(f"zh/{number}", row.split("正文：")[-1][: _DOCUMENT_CHARS // 3])

    def _english_articles(self) -> Iterator[Article]:
        texts = list(
            dict.fromkeys(
                found["text"][:_DOCUMENT_CHARS]
                for path in sorted(self._files.glob("rtqa_*.jsonl"))
                for row in _json_lines(path)
                for found in row["search_result"]
                if len(found.get("text") or "") > 1_000
            )
        )
        for number, text in enumerate(self._chance.sample(texts, min(_MOST_ARTICLES, len(texts)))):
            yield from read_article(f"en/{number}", text)

    # --- passages ----------------------------------------------------------------------------------------------

    def _pair(  # noqa: PLR0917 - they are those of a Pair
        self, claim: str, text: str, label: int, name: str, split: str, group: str = "", *, title: str = ""
    ) -> Pair:
        self._see(SourcedClaim(claim, title, text, label, name, split, group))
        return Pair(claim, passage_for(claim, title, text), label, name, split, group)

    def _see(self, claim: SourcedClaim) -> None:
        """Called for each pair before its passage is chosen; a subclass can keep the whole source."""

    def _mixed(self, claim: str, text: str, label: int, name: str, split: str) -> Pair:
        """Return a pair whose evidence is, for some, among sentences that do not bear on the claim."""
        if len(text) < _SHORT_PREMISE and self._texts and self._chance.random() < _AMONG:
            others = self._chance.sample(self._texts, self._chance.randint(1, 4))
            text = self._shuffled([text, *(other[:_SHORT_PREMISE] for other in others)])
        return self._pair(claim, text, label, name, split)

    def _shuffled(self, texts: Sequence[str]) -> str:
        return "\n".join(self._chance.sample(texts, len(texts)))


def plain(text: str) -> str:
    """Return a text without the spaces and signs of the Penn Treebank's tokens."""
    for token, sign in _BRACKETS.items():
        text = text.replace(token, sign)
    text = re.sub(r"\s+([,.;:!?)\]%])", r"\1", text)
    text = re.sub(r"([(\[])\s+", r"\1", text)
    return re.sub(r"\s+('s|n't|'re|'ve|'ll|'d|'m)\b", r"\1", text)


def _is_in_part(text: str, parts: int) -> bool:
    return sum(text.encode()) % parts == 0


def _sentences(text: str) -> list[str]:
    found = [text[span.start : span.end].strip() for span in split_sentences(text)]
    return [sentence for sentence in found if len(sentence) > 12] or [text]


def _json_lines(path: Path) -> Iterator[dict[str, Any]]:
    return map(json.loads, _lines(path))


def _lines(path: Path) -> Iterator[str]:
    with path.open(encoding="utf-8") as lines:
        yield from lines


def _tabbed(path: Path, count: int = 3) -> Iterator[list[str]]:
    for line in path.read_text("utf-8").split("\n"):
        cells = line.rstrip("\r").split("\t")
        if len(cells) == count:
            yield cells


def write_pairs(pairs: Iterable[Pair], out: Path) -> Counter[tuple[str, str]]:
    """Write pairs as JSON lines; returns how many there are of each set and split."""
    counts: Counter[tuple[str, str]] = Counter()
    seen: set[Pair] = set()
    with lzma.open(out, "wt", encoding="utf-8", preset=4) as lines:
        for pair in pairs:
            if pair in seen:
                continue
            seen.add(pair)
            if (pair.set, pair.split) not in counts:
                print(f"{time.process_time():6.0f} s  {pair.set}", flush=True)
            counts[pair.set, pair.split] += 1
            row = {
                "task": "entails",
                "a": pair.claim,
                "b": pair.passage,
                "label": pair.label,
                "set": pair.set,
                "split": pair.split,
            }
            lines.write(json.dumps(row | ({"group": pair.group} if pair.group else {}), ensure_ascii=False))
            lines.write("\n")
    return counts


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    for (name, split), count in write_pairs(PairReader(arguments.data).pairs(), arguments.out).items():
        print(f"{name:24}{split:8}{count:>8,}")


if __name__ == "__main__":
    _main()
