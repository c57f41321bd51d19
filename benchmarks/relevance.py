"""Whether a search says that the files hold nothing on a question, and what its floor leaves out.

    python -m benchmarks.relevance DATA [--index DIR] [--set NAME]… [--queries N] [--documents N] [--blocks NAME] [--keywords]

DATA is that of `benchmarks/retrieval.py`. Every query is asked twice: with its own documents, and without them. “Own”
are those that answer it; for a set named with --blocks also those that follow them in the corpus up to the next query's, which in
RGB are the other snippets found for the same question. `--keywords` asks with the keywords of a query, as is done
where no model chooses queries.

`wrong` is the share of queries whose documents are there and that are said to be unanswered, `right` that of those whose
documents are not there, with the network where it has a floor. Without it: `at 3 %` is what `right` would be with the floor of this set alone at which `wrong` is 3 %;
`held out` is `wrong` and `right` with the floor at which `wrong` is 3 % in the other sets of its language. The floor of the
relative score is measured on the first ten passages: how many of the right documents stay, and how many passages of others go,
also of all that were found (up to 100).
"""

import argparse
import asyncio
import sys
import tempfile
from bisect import bisect_right
from collections.abc import Collection as Keys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from benchmarks.retrieval import Collection, Index, load, sample
from desktop.domain.knowledge import BUILT_IN_MODEL
from desktop.knowledge.index.bases import drop_document
from desktop.knowledge.index.keyword_search import holders_of, query_terms, rarity_of
from desktop.knowledge.retrieval.hybrid_search import HybridSearch, ModelGroup, QueryHits
from desktop.knowledge.retrieval.relevance import QueryTerms, evidence_for
from desktop.knowledge.vector_service import Nearest, VectorService
from desktop.search.keywords import keyword_query
from desktop.settings.model import KnowledgeSettings
from desktop.text.language import language_of

WRONG = 0.03
FIRST = 10
_REACH = 2
FLOOR = KnowledgeSettings().floor
FLOORS = (0.35, 0.4, 0.45, 0.5, 0.55, 0.6)


class VectorsWithout:
    """The vectors of an index but those of some passages."""

    def __init__(self, vectors: VectorService) -> None:
        self._vectors = vectors
        self.gone: Keys[int] = ()

    def languages(self, model: str) -> tuple[str, ...]:
        return self._vectors.languages(model)

    async def nearest(
        self, queries: Sequence[str], base_ids: Sequence[str], count: int, model: str
    ) -> list[Nearest]:
        found = await self._vectors.nearest(queries, base_ids, count + len(self.gone), model)
        return [replace(near, cosines=self._kept(near.cosines, count)) for near in found]

    async def nearest_to(self, query: bytes, base_ids: Sequence[str], count: int, model: str) -> Nearest:
        near = await self._vectors.nearest_to(query, base_ids, count + len(self.gone), model)
        return replace(near, cosines=self._kept(near.cosines, count))

    async def embed(self, texts: Sequence[str], model: str) -> list[bytes]:
        return await self._vectors.embed(texts, model)

    def _kept(self, cosines: dict[int, float], count: int) -> dict[int, float]:
        rest = [(passage, cosine) for passage, cosine in cosines.items() if passage not in self.gone]
        return dict(sorted(rest, key=lambda pair: -pair[1])[:count])


@dataclass
class Measured:
    """Evidence and verdicts of the queries with their documents, and without; shares of the best score."""

    language: str
    evidence: dict[bool, list[float]] = field(default_factory=lambda: {True: [], False: []})
    verdicts: dict[bool, list[bool]] = field(default_factory=lambda: {True: [], False: []})
    right: list[float] = field(default_factory=list)
    others: list[float] = field(default_factory=list)
    others_in_pool: list[float] = field(default_factory=list)

    def share(self, floor: float, *, is_there: bool) -> float:
        """Return the share of queries with less evidence than `floor`."""
        return float(np.mean(np.array(self.evidence[is_there]) < floor))

    def floor_at(self, wrong: float) -> float:
        return float(np.quantile(self.evidence[True], wrong))


def own_documents(collection: Collection, has_blocks: bool) -> dict[str, set[str]]:
    own = {key: set(collection.grades[key]) for key in collection.queries}
    if not has_blocks:
        return own
    places = {key: place for place, key in enumerate(collection.documents)}
    answering = {
        key: [places[each] for each in grades if each in places] for key, grades in collection.grades.items()
    }
    first = {key: min(found) for key, found in answering.items() if found}
    begins, keys = sorted(set(first.values())), list(places)
    for key in own:
        end = bisect_right(begins, first[key])
        own[key] |= set(keys[first[key] : begins[end] if end < len(begins) else None])
    return own


class Asking:
    """Asks queries with all documents, or without some."""

    def __init__(self, index: Index, base: str) -> None:
        self.index = index
        self.vectors = VectorsWithout(index.vectors)
        self.search = HybridSearch(index.database, self.vectors, index.judge)
        self.group = ModelGroup(BUILT_IN_MODEL, whole=(base,), parts=(), within=frozenset())
        rows = index.database.connection.execute("SELECT id, sha256 FROM documents")
        self.documents = {row["sha256"]: row["id"] for row in rows}

    @contextmanager
    def without(self, keys: Keys[str]) -> Iterator[None]:
        connection = self.index.database.connection
        connection.execute("BEGIN")
        try:
            documents = [self.documents[key] for key in keys if key in self.documents]
            self.vectors.gone = {
                passage for document in documents for passage in drop_document(connection, document)
            }
            yield
        finally:
            self.vectors.gone = ()
            connection.execute("ROLLBACK")

    async def ask(self, query: str) -> tuple[QueryHits, float, bool]:
        """Return what was found, the evidence without the network, and the verdict."""
        (hits,) = await self.search.answers([query], [self.group])
        connection = self.index.database.connection
        rarity = rarity_of(connection, holders_of(connection, query_terms(query)))
        around = self.index.passages.neighbourhoods(list(hits.scores), _REACH)
        terms = QueryTerms(around, hits.terms, rarity)
        (found,) = hits.group_hits
        common = found.background.cosine if found.background else 0.0
        cosines = found.vector if found.cosines is None else found.cosines
        evidence = evidence_for(hits.scores, cosines, terms, common)
        return hits, evidence, await self.search.is_unanswered(hits)


async def measure(collection: Collection, folder: Path, has_blocks: bool, asks_keywords: bool) -> Measured:
    index = Index(folder)
    asking = Asking(index, await index.fill(collection.documents))
    own = own_documents(collection, has_blocks)
    measured = Measured(language_of(next(iter(collection.queries.values()))))
    for key, text in collection.queries.items():
        query = keyword_query(text, ()) or text if asks_keywords else text
        hits, evidence, is_unanswered = await asking.ask(query)
        measured.evidence[True].append(evidence)
        measured.verdicts[True].append(is_unanswered)
        _add_shares(measured, index, hits, collection.grades[key].keys())
        with asking.without(own[key]):
            _, evidence, is_unanswered = await asking.ask(query)
        measured.evidence[False].append(evidence)
        measured.verdicts[False].append(is_unanswered)
    index.close()
    return measured


def _add_shares(measured: Measured, index: Index, hits: QueryHits, right: Keys[str]) -> None:
    ranked = sorted(hits.scores, key=lambda passage: -hits.scores[passage])
    best = hits.scores[ranked[0]]
    answering: dict[str, float] = {}
    for place, passage in enumerate(index.passages.load(ranked)):
        share = hits.scores[passage.id] / best
        if passage.sha256 not in right:
            measured.others_in_pool.append(share)
            if place < FIRST:
                measured.others.append(share)
        elif place < FIRST:
            answering[passage.sha256] = max(share, answering.get(passage.sha256, 0.0))
    measured.right.extend(answering.values())


def report(name: str, measured: Measured, others: Sequence[Measured]) -> None:
    wrong, right = (float(np.mean(measured.verdicts[is_there])) for is_there in (True, False))
    floor = measured.floor_at(WRONG)
    line = f"{name}: wrong {wrong:.3f}, right {right:.2f}; at 3 % ({floor:.4f}) {measured.share(floor, is_there=False):.2f}"
    if others:
        floor = min(other.floor_at(WRONG) for other in others)
        line += (
            f"; held out ({floor:.4f}) wrong {measured.share(floor, is_there=True):.3f}, "
            f"right {measured.share(floor, is_there=False):.2f}"
        )
    print(line)
    for floor in sorted({*FLOORS, FLOOR}):
        kept = np.mean(np.array(measured.right) >= floor)
        left_out, of_pool = (
            np.mean(np.array(others) < floor) for others in (measured.others, measured.others_in_pool)
        )
        print(
            f"  floor {floor:.2f}: right documents kept {kept:.3f}, "
            f"other passages left out {left_out:.2f}, of the pool {of_pool:.2f}",
            flush=True,
        )


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--index", type=Path)
    parser.add_argument("--set", action="append", dest="sets")
    parser.add_argument("--queries", type=int, default=0)
    parser.add_argument("--documents", type=int, default=0)
    parser.add_argument("--blocks", action="append", default=[], metavar="NAME")
    parser.add_argument("--keywords", action="store_true")
    arguments = parser.parse_args()
    found: dict[str, Measured] = {}
    with tempfile.TemporaryDirectory() as scratch:
        for folder in sorted(path.parent for path in arguments.data.glob("*/queries.jsonl")):
            if arguments.sets and folder.name not in arguments.sets:
                continue
            collection = load(folder, arguments.queries)
            if arguments.documents:
                collection = sample(collection, arguments.documents)
            where = (arguments.index or Path(scratch)) / folder.name
            has_blocks = folder.name in arguments.blocks
            found[folder.name] = asyncio.run(measure(collection, where, has_blocks, arguments.keywords))
    for name, measured in found.items():
        alike = [other for key, other in found.items() if key != name and other.language == measured.language]
        report(name, measured, alike)
    return 0


if __name__ == "__main__":
    sys.exit(main())
