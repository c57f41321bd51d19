"""Claims judged by people in public collections of entailment and fact verification, on which the check is trained.

`FOLDER/entailment` holds, as published:

- `binary-FEVER-NLI_dev.txt`, `binary-FEVER-NLI_test.txt`, `binary-MNLI_test.txt` (github.com/salesforce/DocNLI, its
  folders `Data/binary-FEVER-NLI` and `Data/binary-MNLI`): FEVER (Thorne et al., 2018) and MultiNLI (Williams et al., 2018),
- `fm2_dev.jsonl`, `fm2_test.jsonl` (github.com/google-research/fool-me-twice, `dataset`): Eisenschlos et al., 2021,
- `fever_symmetric_dev.jsonl`, `fever_symmetric_test.jsonl` (github.com/TalSchuster/FeverSymmetric, `symmetric_v0.2`),
- `ocnli_dev.json` (github.com/CLUEbenchmark/OCNLI, `data/ocnli/dev.json`): Chinese, Hu et al., 2020,
- `xsumfaith.json`, `factcc.json`, `summeval.json` (github.com/tingofurro/summac, `data` of pull request 15): summaries of news by
  models, with their articles (Maynez et al., 2020; Kryściński et al., 2020; Fabbri et al., 2021),
- `summedits_news.json` (github.com/salesforce/factualNLG, `data/summedits`): summaries edited by a model (Laban et al., 2023).

The last four are only measured: trees trained on three of them did not judge the fourth any better.

`fever_long` and `fm2_long` are the same claims with sentences beside the evidence that do not bear on them: a source is
rarely as short as a piece of evidence.
"""

import json
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

_SEED = 20_261_126
_MOST_FEVER = 5_000
_MOST_LONG = 3_000
_MOST_MNLI = 3_000
_BRACKETS = {
    "-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "``": '"', "''": '"', "--": "–",
}  # fmt: skip
_DISTRACTOR_CHARS = 300


class Judgement(NamedTuple):
    """A claim, its source and whether it is supported; `group` keeps what belongs together in one fold."""

    collection: str
    group: str
    claim: str
    title: str
    text: str
    is_right: bool


def read_entailment_sets(folder: Path) -> Iterator[Judgement]:
    """Yield the claims of all collections in `folder`; always the same."""
    chance = random.Random(_SEED)
    fever = [
        Judgement("fever", claim, _plain(claim), "", _plain(premise), label == "entailment")
        for name in ("dev", "test")
        for label, premise, claim in _tab_separated(folder / f"binary-FEVER-NLI_{name}.txt")
    ]
    fever = chance.sample(list(dict.fromkeys(fever)), _MOST_FEVER)
    yield from fever
    for one in fever[:_MOST_LONG]:
        others = chance.sample(fever, chance.randint(2, 5))
        yield _among(one, [other.text[:_DISTRACTOR_CHARS] for other in others], chance)
    for name in ("dev", "test"):
        for row in _rows(folder / f"fm2_{name}.jsonl"):
            yield from _fool_me_twice(row, chance)
    for name in ("dev", "test"):
        for row in _rows(folder / f"fever_symmetric_{name}.jsonl"):
            claim = row["claim"]
            is_right = row["label"] == "SUPPORTS"
            yield Judgement("symmetric", claim, _plain(claim), "", _plain(row["evidence"]), is_right)
    mnli = list(_tab_separated(folder / "binary-MNLI_test.txt"))
    for label, premise, claim in chance.sample(mnli, _MOST_MNLI):
        yield Judgement("mnli", premise, claim, "", premise, label == "entailment")
    for row in _rows(folder / "ocnli_dev.json"):
        if row["label"] != "-":
            premise, is_right = row["sentence1"], row["label"] == "entailment"
            yield Judgement("ocnli", premise, row["sentence2"], "", premise, is_right)


def read_summaries(folder: Path) -> Iterator[Judgement]:
    """Yield the summaries of news in `folder`, each as one claim about its article."""
    for name in ("xsumfaith", "factcc", "summeval"):
        for row in json.loads((folder / f"{name}.json").read_text("utf-8")).values():
            article = row["document"]
            yield Judgement(name, article[:200], _plain(row["claim"]), "", article, row["label"] == 1)
    for row in json.loads((folder / "summedits_news.json").read_text("utf-8")):
        yield Judgement("summedits", row["doc"][:200], row["summary"], "", row["doc"], row["label"] == 1)


def _fool_me_twice(row: dict[str, Any], chance: random.Random) -> Iterator[Judgement]:
    gold = [found["text"].strip(" ,") for found in row["gold_evidence"]]
    page = row["wikipedia_page"].replace("_", " ")
    one = Judgement("fm2", page, row["text"], page, " ".join(gold), row["label"] == "SUPPORTS")
    yield one
    others = [found["text"].strip(" ,") for found in row["retrieved_evidence"]]
    others = [other for other in others if other not in gold]
    yield _among(one, chance.sample(others, min(len(others), chance.randint(5, 14))), chance)


def _among(one: Judgement, others: list[str], chance: random.Random) -> Judgement:
    """Return a judgement with its evidence among other texts."""
    texts = [one.text, *others]
    chance.shuffle(texts)
    return one._replace(collection=f"{one.collection}_long", text="\n".join(texts))


def _plain(text: str) -> str:
    """Return a text without the spaces and signs of the Penn Treebank's tokens."""
    for token, sign in _BRACKETS.items():
        text = text.replace(token, sign)
    text = re.sub(r"\s+([,.;:!?)\]%])", r"\1", text)
    text = re.sub(r"([(\[])\s+", r"\1", text)
    return re.sub(r"\s+('s|n't|'re|'ve|'ll|'d|'m)\b", r"\1", text)


def _tab_separated(path: Path) -> Iterator[tuple[str, str, str]]:
    for line in path.read_text("utf-8").splitlines():
        cells = line.split("\t")
        if len(cells) == 3:
            yield cells[0], cells[1], cells[2]


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)
