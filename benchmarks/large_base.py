"""How a large base answers: query times through the worker, keyword and vector together, and its memory.

    python -m benchmarks.large_base [--passages 100000] [--queries 200] [--keep FOLDER] [--parts]

The base is made of words as rare and as common as in real text (Zipf), in documents of a hundred
passages on a topic each; vectors are unit vectors around their topic's. It is filled past the
embedding model, as only asking is measured; queries are embedded as always. Beside the times stands the
processor time of the worker, which a busy machine changes less, and that of the same questions put to
FTS5, to the embedding model and to Chroma with nothing around them. `--parts` asks in this process and lists the
processor time of each step of the search in place of all that.

Bounds, on an idle machine of two cores: p95 40 ms, worker 1.5 GB.
"""

import argparse
import asyncio
import functools
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import psutil

from desktop.domain.knowledge import BUILT_IN_MODEL
from desktop.knowledge.bundled_models import load_bundled
from desktop.knowledge.chroma_index import ChromaIndex, CollectionKey, LocalChroma
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.items import ItemStore
from desktop.knowledge.index.keyword_search import query_terms
from desktop.knowledge.index.passages import Passages
from desktop.knowledge.index.vector_rows import VectorRows
from desktop.knowledge.loaders.document import DocumentPart, document_of
from desktop.knowledge.protocol import WorkerConfig
from desktop.knowledge.reader.protocol import reading_of
from desktop.knowledge.retrieval import hybrid_search, retriever
from desktop.knowledge.retrieval.retriever import HybridRetriever
from desktop.knowledge.vector_service import VectorService
from desktop.knowledge.worker.client import KnowledgeClient

WORDS = 60_000
PASSAGES_PER_DOCUMENT = 100
WORDS_PER_PASSAGE = 45
"""About as many tokens of the embedding model as a passage has room for: its words are none that it knows."""
SYLLABLES = [
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ha",
    "je",
    "ki",
    "lo",
    "mu",
    "na",
    "pe",
    "qui",
    "ro",
    "su",
    "ta",
    "ve",
    "wi",
    "xo",
    "yu",
    "za",
    "bre",
    "cla",
    "dri",
    "fro",
    "glu",
]
SEED = 7
FIRST = "a first question loads the model and opens the index"
STEPS: dict[Any, Sequence[str]] = {
    hybrid_search: (
        "holders_of",
        "rarity_of",
        "best_by_keyword",
        "surroundings_scores",
        "support_scores",
        "_evidence",
    ),
    Passages: ("neighbourhoods", "terms", "load", "stretch", "excerpt", "embedding_states"),
    VectorRows: ("of",),
    retriever: ("select", "within_section", "_rank", "_passage"),
}
REST_S = 3.0
REST_SHARE = 0.05
MAX_P95_S = 0.040
MAX_BYTES = 1.5 * 2**30


def vocabulary(random: np.random.Generator) -> list[str]:
    words: dict[str, None] = {}
    while len(words) < WORDS:
        words["".join(random.choice(SYLLABLES, random.integers(2, 5)))] = None
    return list(words)


class Text:
    """Passages and questions about topics: a topic has two hundred words of its own."""

    def __init__(self, seed: int) -> None:
        self.random = np.random.default_rng(seed)
        self.words = vocabulary(self.random)
        ranks = np.arange(1, WORDS + 1)
        self.shares = np.cumsum(1 / ranks) / np.sum(1 / ranks)

    def topic(self, number: int) -> list[str]:
        return list(np.random.default_rng([SEED, number]).choice(self.words, 200))

    def passage(self, topic: list[str]) -> str:
        drawn = np.searchsorted(self.shares, self.random.random(WORDS_PER_PASSAGE * 2 // 3))
        common = [self.words[place] for place in drawn]
        own = self.random.choice(topic, WORDS_PER_PASSAGE // 3)
        words = self.random.permutation(np.concatenate([common, own]))
        return " ".join(words).capitalize() + "."

    def question(self, topic: list[str]) -> str:
        own = self.random.choice(topic, 4)
        return " ".join([*own, *self.random.choice(self.words[:300], 3)])


def fill(folder: Path, passages: int, text: Text) -> None:
    database = IndexDatabase(folder / "knowledge" / "knowledge.db")
    library, rows = ItemStore(database), Passages(database)
    base = Bases(database).create("large")
    for number in range(passages // PASSAGES_PER_DOCUMENT):
        topic = text.topic(number)
        parts = [DocumentPart(text.passage(topic), page=page) for page in range(1, PASSAGES_PER_DOCUMENT + 1)]
        (item,) = library.enqueue(base.id, [Path(f"/{number}.txt")])
        library.put(item, f"{number:064}", reading_of(document_of(f"Document {number}", parts), ""))
        pending = rows.pending(10 * PASSAGES_PER_DOCUMENT)
        centre = text.random.normal(size=384)
        vectors = centre + 0.7 * text.random.normal(size=(len(pending), 384))
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        rows.put_vectors(
            base.model,
            ((p.id, v.tobytes()) for p, v in zip(pending, vectors.astype(np.float32), strict=True)),
        )
        rows.finish_documents({p.document for p in pending})
    vectors = ChromaIndex(LocalChroma(folder / "knowledge" / "vectors"), VectorRows(database))
    (base,) = Bases(database).all()
    for _ in vectors.settle(CollectionKey(base.id, BUILT_IN_MODEL)):
        pass
    vectors.close()
    database.close()


@dataclass(frozen=True)
class Asked:
    """Seconds of the first question and of each one behind it, the worker's processor time of one, its bytes."""

    first_s: float
    spent: Sequence[float]
    processor_s: float
    memory: int


async def ask(folder: Path, questions: Sequence[str]) -> Asked:
    client = KnowledgeClient(folder)
    try:
        (base,) = await client.bases()
        # Its vectors have nothing to do with the words: without this, most questions would seem not to be answered in it.
        await client.update(replace(base, options=replace(base.options, floor=0.0)))
        started = time.perf_counter()
        first = await client.retrieve([FIRST], [base.id], 8)
        first_s = time.perf_counter() - started
        while first.notes:  # the vectors were put past Chroma
            await asyncio.sleep(1)
            first = await client.retrieve([FIRST], [base.id], 8)
        worker = psutil.Process((await client.status()).pid)
        await rest(worker)
        spent, before = [], sum(worker.cpu_times()[:2])
        for question in questions:
            started = time.perf_counter()
            found = await client.retrieve([question], [base.id], 8)
            spent.append(time.perf_counter() - started)
            assert found.passages
            assert not found.notes, found.notes
        processor_s = (sum(worker.cpu_times()[:2]) - before) / len(questions)
        return Asked(first_s, spent, processor_s, worker.memory_info().rss)
    finally:
        await client.aclose()


async def rest(worker: psutil.Process) -> None:
    """Wait until the worker does nothing: while it loads Chroma, it compares a question with all vectors."""
    before = 0.0
    while (now := sum(worker.cpu_times()[:2])) - before > REST_SHARE * REST_S:
        before = now
        await asyncio.sleep(REST_S)


def ask_bare(folder: Path, questions: Sequence[str]) -> dict[str, float]:
    """Return the processor time of a question to each part alone."""
    database = IndexDatabase(folder / "knowledge" / "knowledge.db")
    encoder = load_bundled(BUILT_IN_MODEL)
    vectors = ChromaIndex(LocalChroma(folder / "knowledge" / "vectors"), VectorRows(database))
    (base,) = Bases(database).all()
    spent = dict.fromkeys(("words", "embedding", "Chroma"), 0.0)
    for question in (FIRST, *questions):
        match = " OR ".join(f'"{term}"' for term in query_terms(question))
        marks = [time.process_time()]
        database.connection.execute(
            "SELECT rowid FROM passages_fts WHERE passages_fts MATCH ? ORDER BY rank LIMIT 100", (match,)
        ).fetchall()
        marks.append(time.process_time())
        (vector,) = encoder.encode([question])
        marks.append(time.process_time())
        vectors.nearest(CollectionKey(base.id, BUILT_IN_MODEL), vector, 100)
        marks.append(time.process_time())
        if question is not FIRST:  # which opens and loads
            for part, begin, end in zip(spent, marks, marks[1:], strict=False):
                spent[part] += (end - begin) / len(questions)
    vectors.close()
    database.close()
    return spent


async def ask_in_parts(folder: Path, questions: Sequence[str]) -> None:
    """Print the processor time that each step of a search takes in the thread of the event loop, without the steps in it."""
    spent: Counter[str] = Counter()
    inner: list[float] = []

    def measure(owner: Any, name: str) -> None:
        step = getattr(owner, name)

        @functools.wraps(step)
        def measured(*arguments: Any, **named: Any) -> Any:
            began = time.thread_time()
            inner.append(0.0)
            try:
                return step(*arguments, **named)
            finally:
                took = time.thread_time() - began
                spent[name] += took - inner.pop()
                if inner:
                    inner[-1] += took

        setattr(owner, name, measured)

    database = IndexDatabase(folder / "knowledge" / "knowledge.db")
    vectors = VectorService(folder / "knowledge" / "vectors", folder / "knowledge" / "knowledge.db")
    await vectors.configure(WorkerConfig())
    (base,) = Bases(database).all()
    retrieval = HybridRetriever(database, vectors)
    bringing = asyncio.create_task(vectors.run())
    await vectors._at("").settle([CollectionKey(base.id, BUILT_IN_MODEL)])
    await retrieval.retrieve([FIRST], [base.id], 8)
    for owner, names in STEPS.items():
        for name in names:
            measure(owner, name)
    thread, process = time.thread_time(), time.process_time()
    for question in questions:
        await retrieval.retrieve([question], [base.id], 8)
    thread, process = time.thread_time() - thread, time.process_time() - process
    each_ms = 1000 / len(questions)
    print(f"a question takes {process * each_ms:.1f} ms, {thread * each_ms:.1f} of them in the event loop:")
    for name, took in [*spent.most_common(), ("the rest", thread - spent.total())]:
        print(f"  {name:<24}{took * each_ms:>8.2f} ms")
    bringing.cancel()
    await asyncio.wait({bringing})
    vectors.close()
    database.close()


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--passages", type=int, default=100_000)
    parser.add_argument("--queries", type=int, default=200)
    parser.add_argument("--keep", type=Path)
    parser.add_argument("--parts", action="store_true")
    arguments = parser.parse_args()
    text = Text(SEED)
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        is_there = (folder / "knowledge" / "knowledge.db").exists()
        started = time.perf_counter()
        if not is_there:
            fill(folder, arguments.passages, text)
            print(f"filled in {time.perf_counter() - started:.0f} s")
        chosen = text.random.choice(arguments.passages // PASSAGES_PER_DOCUMENT, arguments.queries)
        questions = [text.question(text.topic(number)) for number in chosen]
        if arguments.parts:
            asyncio.run(ask_in_parts(folder, questions))
            return
        asked = asyncio.run(ask(folder, questions))
        bare = ask_bare(folder, questions)
    p50, p95 = np.percentile(asked.spent, [50, 95])
    print(f"first question {asked.first_s:.1f} s, then p50 {p50 * 1000:.1f} ms, p95 {p95 * 1000:.1f} ms")
    parts = ", ".join(f"{part} {spent_s * 1000:.1f}" for part, spent_s in bare.items())
    print(f"processor time of a question {asked.processor_s * 1000:.1f} ms, of its parts alone: {parts} ms")
    print(f"{asked.processor_s / sum(bare.values()):.2f} times its parts")
    print(f"worker {asked.memory / 2**20:.0f} MB")
    print(f"bounds: p95 {MAX_P95_S * 1000:.0f} ms, {MAX_BYTES / 2**20:.0f} MB")


if __name__ == "__main__":
    main()
