"""Retrieval quality of the default, offline set-up: nDCG@10 and recall@10.

Measured for keywords, for vectors and for both fused.

    python -m benchmarks.retrieval DATA [--index DIR] [--set NAME]… [--queries N] [--asked-only]

DATA has a folder per collection with `corpus.jsonl` ({_id, title, text}), `queries.jsonl` ({_id, text}) and
`qrels.tsv` (query, document, grade). Indexes are kept in DIR and used again. Every document is taken in as
a text file whose first line is its title, and every query asked as a question of the user is, so that
splitting, fusing and joining are measured too. A document ranks where its first passage does.

`keyword` and `vector` are these alone, `fused` is both, `asked` what a question gets, `several` what it
gets together with two queries that each lost a third of it, as those of a model may; `--asked-only` leaves out the
others, which takes a fifth of the time. Behind each figure
stand those of the two halves of the queries, by the SHA-256 of their texts: tune with the
first one only. The time is that of `asked`.

It ends with 1 where `asked` is below its goal, or below the better of keywords and vectors, on a whole collection. It does
with SciFact (0.733 of 0.74).
"""

import argparse
import asyncio
import hashlib
import json
import math
import sys
import tempfile
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from desktop.domain.knowledge import BUILT_IN_MODEL, ItemState, Retrieval
from desktop.errors import AppError
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.items import ItemStore
from desktop.knowledge.index.passages import Passages
from desktop.knowledge.loaders.document import DocumentPart, document_of
from desktop.knowledge.reader.protocol import reading_of
from desktop.knowledge.rerankers import BundledJudge
from desktop.knowledge.retrieval.excerpts import Ranked, select
from desktop.knowledge.retrieval.fusion import fuse
from desktop.knowledge.retrieval.hybrid_search import POOL, HybridSearch, ModelGroup
from desktop.knowledge.retrieval.retriever import HybridRetriever
from desktop.knowledge.vector_service import VectorService

DEPTH = 10
RANKINGS = ("keyword", "vector", "fused", "asked", "several")
EMBED_BATCH = 256
GOALS = {"scifact": 0.74, "cmrc2018_zh": 0.985, "rgb_zh": 0.82}
"""nDCG@10 of `asked` that is wanted over all queries of a collection; docs/knowledge.md says which are not reached."""


@dataclass(frozen=True)
class Collection:
    name: str
    documents: dict[str, str]
    queries: dict[str, str]
    grades: dict[str, dict[str, float]]


def load(folder: Path, limit: int) -> Collection:
    documents = {
        row["_id"]: f"{row.get('title', '')}\n\n{row['text']}" for row in _rows(folder / "corpus.jsonl")
    }
    grades: dict[str, dict[str, float]] = {}
    for line in (folder / "qrels.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        query, document, grade = line.split("\t")
        grades.setdefault(query, {})[document] = float(grade)
    queries = {row["_id"]: row["text"] for row in _rows(folder / "queries.jsonl") if row["_id"] in grades}
    step = max(1, len(queries) // limit) if limit else 1
    return Collection(folder.name, documents, dict(list(queries.items())[::step]), grades)


def _rows(path: Path) -> Iterable[dict[str, str]]:
    with path.open(encoding="utf-8") as lines:
        yield from map(json.loads, lines)


class Index:
    """An index of one collection, built with the parts that the worker is built of."""

    def __init__(self, folder: Path) -> None:
        self.database = IndexDatabase(folder / "knowledge.db")
        self.bases = Bases(self.database)
        self.library = ItemStore(self.database)
        self.passages = Passages(self.database)
        self.vectors = VectorService(folder / "vectors", folder / "knowledge.db")
        self.judge = BundledJudge(self.vectors.with_models, _fail).judge

    def searcher(self) -> HybridRetriever:
        """Return what a question of the user is asked."""
        return HybridRetriever(self.database, self.vectors, judge=self.judge)

    async def fill(self, documents: Mapping[str, str]) -> str:
        known = self.bases.all()
        base = known[0] if known else self.bases.create("benchmark")
        if base.items < len(documents):
            for key in documents:
                text = documents[key]
                (item,) = self.library.enqueue(base.id, [Path(f"/{key}")])
                if not self.library.link_known(item, key):
                    self.library.put(item, key, reading_of(document_of("", [DocumentPart(text)]), ""))
        while pending := sorted(self.passages.pending(EMBED_BATCH), key=lambda passage: len(passage.text)):
            encoded = await self.vectors.embed([passage.embedded_text for passage in pending])
            kept = self.passages.put_vectors(
                base.model, [(p.id, v) for p, v in zip(pending, encoded, strict=True)]
            )
            await self.vectors.upsert(base.id, kept)
        self.passages.finish_documents()
        assert all(item.state is ItemState.READY for item in self.library.items(base.id))
        return base.id

    def close(self) -> None:
        self.vectors.close()
        self.database.close()

    def ranking(self, scores: Mapping[int, float]) -> list[str]:
        best = sorted(scores, key=lambda passage: -scores[passage])[:POOL]
        ranked = (
            Ranked(passage, scores[passage.id], passage.base_id, DEPTH)
            for passage in self.passages.load(best)
        )
        shown = select(ranked, self.passages.terms(best), DEPTH)
        return list(dict.fromkeys(excerpt.best.sha256 for excerpt in shown.excerpts))


def _fail(error: AppError) -> None:
    raise error


def ndcg(ranking: Sequence[str], grades: Mapping[str, float]) -> float:
    gained = sum(grades.get(key, 0) / math.log2(rank + 2) for rank, key in enumerate(ranking[:DEPTH]))
    ideal = sorted(grades.values(), reverse=True)[:DEPTH]
    return gained / sum(grade / math.log2(rank + 2) for rank, grade in enumerate(ideal))


def recall(ranking: Sequence[str], grades: Mapping[str, float]) -> float:
    return len(set(ranking[:DEPTH]) & grades.keys()) / min(DEPTH, len(grades))


def sample(collection: Collection, documents: int) -> Collection:
    """Keep what answers the queries, and about as many documents beside it as are wanted in all."""
    wanted = {key for query in collection.queries for key in collection.grades[query]}
    others = [key for key in collection.documents if key not in wanted]
    step = max(1, len(others) // max(1, documents - len(wanted)))
    kept = wanted | set(others[::step])
    texts = {key: text for key, text in collection.documents.items() if key in kept}
    return replace(collection, documents=texts)


def parts_of(query: str) -> list[str]:
    """Return a query without its first and without its last third."""
    words = query.split() if " " in query.strip() else list(query)
    joint = " " if " " in query.strip() else ""
    third = len(words) // 3
    return [joint.join(words[third:]), joint.join(words[: len(words) - third])]


def is_held_out(query: str) -> bool:
    return hashlib.sha256(query.encode()).digest()[-1] % 2 == 1


@dataclass
class Measured:
    """Rankings by what made them and by query; seconds of each question, and of building the index."""

    rankings: dict[str, dict[str, list[str]]]
    spent: list[float]
    built_s: float

    def quality(self, collection: Collection, ranking: str, held_out: bool | None = None) -> float:
        """Return the mean nDCG of all queries, or of a half of them."""
        return _mean(
            ndcg(found, collection.grades[key])
            for key, found in self.rankings[ranking].items()
            if held_out is None or is_held_out(collection.queries[key]) is held_out
        )

    def reach(self, collection: Collection, ranking: str) -> float:
        """Return the mean recall."""
        found = self.rankings[ranking].items()
        return _mean(recall(documents, collection.grades[key]) for key, documents in found)


def _mean(values: Iterable[float]) -> float:
    known = list(values)
    return sum(known) / max(1, len(known))


async def measure(collection: Collection, folder: Path, *, is_asked_only: bool = False) -> Measured:
    index = Index(folder)
    started = time.perf_counter()
    base = await index.fill(collection.documents)
    built_s = time.perf_counter() - started
    searcher = index.searcher()
    legs = HybridSearch(index.database, index.vectors)
    groups = [ModelGroup(BUILT_IN_MODEL, whole=(base,), parts=(), within=frozenset())]
    rankings: dict[str, dict[str, list[str]]] = {
        name: {} for name in RANKINGS if name == "asked" or not is_asked_only
    }
    spent: list[float] = []
    for key, query in collection.queries.items():
        started = time.perf_counter()
        answer = await searcher.retrieve([query], [base], DEPTH)
        spent.append(time.perf_counter() - started)
        rankings["asked"][key] = _documents(answer)
        if is_asked_only:
            continue
        (found,) = await legs.answers([query], groups)
        (hits,) = found.group_hits
        rankings["keyword"][key] = index.ranking(hits.keyword)
        rankings["vector"][key] = index.ranking(hits.vector)
        rankings["fused"][key] = index.ranking(fuse(hits.keyword, hits.vector, hits.trust))
        several = await searcher.retrieve([query, *parts_of(query)], [base], DEPTH)
        rankings["several"][key] = _documents(several)
    index.close()
    return Measured(rankings, sorted(spent), built_s)


def _documents(found: Retrieval) -> list[str]:
    return list(dict.fromkeys(passage.document for passage in found.passages))


def report(collection: Collection, measured: Measured) -> None:
    spent = measured.spent
    print(
        f"{collection.name}: {len(collection.documents)} documents, {len(spent)} queries, "
        f"built in {measured.built_s:.0f} s"
    )
    for name in measured.rankings:
        whole, one, other = (measured.quality(collection, name, half) for half in (None, False, True))
        reach = measured.reach(collection, name)
        print(f"  {name:8} nDCG@10 {whole:.4f} ({one:.4f}, {other:.4f})  recall@10 {reach:.4f}")
    middle, late = spent[len(spent) // 2], spent[int(len(spent) * 0.95)]
    print(f"  query p50 {middle * 1e3:.0f} ms, p95 {late * 1e3:.0f} ms", flush=True)


def is_good(collection: Collection, measured: Measured) -> bool:
    """Say whether what a question gets is as good as the goal, and as the better kind of hits."""
    quality = {name: measured.quality(collection, name) for name in measured.rankings}
    parts = [quality[name] for name in ("keyword", "vector") if name in quality]
    return quality["asked"] >= max([GOALS.get(collection.name, 0.0), *parts])


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--set", action="append", dest="sets")
    parser.add_argument(
        "--queries", type=int, default=0, help="about how many queries of each set; 0 means all"
    )
    parser.add_argument("--asked-only", action="store_true")
    arguments = parser.parse_args()
    all_are_good = True
    folders = [path.parent for path in sorted(arguments.data.glob("*/queries.jsonl"))]
    with tempfile.TemporaryDirectory() as scratch:
        for folder in folders:
            if not arguments.sets or folder.name in arguments.sets:
                where = (arguments.index or Path(scratch)) / folder.name
                collection = load(folder, arguments.queries)
                measured = asyncio.run(measure(collection, where, is_asked_only=arguments.asked_only))
                report(collection, measured)
                if not arguments.queries and not is_good(collection, measured):
                    print("  worse than the goal, or than keywords or vectors alone", flush=True)
                    all_are_good = False
    return 0 if all_are_good else 1


if __name__ == "__main__":
    sys.exit(main())
