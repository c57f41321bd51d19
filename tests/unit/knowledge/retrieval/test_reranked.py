"""A reranker within retrieval: its order, its threshold, and what is said when it fails."""

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from desktop.domain.knowledge import BaseOptions
from desktop.domain.trace import SourceUse
from desktop.errors import RerankerFailed
from desktop.knowledge.bundled_models import PairJudgement
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.items import ItemStore
from desktop.knowledge.loaders.document import DocumentPart, document_of
from desktop.knowledge.reader.protocol import reading_of
from desktop.knowledge.reranking import Reranking
from desktop.knowledge.retrieval.hybrid_search import POOL
from desktop.knowledge.retrieval.relevance import MOST_READ, AnswerEvidence
from desktop.knowledge.retrieval.retriever import HybridRetriever
from desktop.knowledge.vector_service import VectorService

BOOKS = {
    "heron": "Herons nest in high trees, heron beside heron, and the heron's young stay for weeks.",
    "stork": "Storks nest on roofs; a heron was never seen there.",
    "boat": "A boat called Heron was sold last year in the old port.",
}


@dataclass
class Judge:
    """Judges passages by a word that they hold; without words it fails."""

    worth: dict[str, float]
    name: str = "Judge"
    pairs: list[tuple[str, str]] = field(default_factory=list)

    async def scores(self, pairs):
        if not self.worth:
            raise RerankerFailed(detail="It sleeps.")
        self.pairs = list(pairs)
        return [next((worth for word, worth in self.worth.items() if word in text), 0.0) for _, text in pairs]


@pytest.fixture
def books(tmp_path):
    async def made():
        database = IndexDatabase(tmp_path / "knowledge.db")
        bases, library = Bases(database), ItemStore(database)
        base = bases.create("books")
        for name, text in BOOKS.items():
            (item,) = library.enqueue(base.id, [Path(f"/{name}.txt")])
            library.put(item, name, reading_of(document_of("", [DocumentPart(text)]), ""))
        return database, bases, base

    database, bases, base = asyncio.run(made())
    yield database, bases, base, tmp_path
    database.close()


@dataclass
class Reader:
    """Judges passages as the bundled network does: those with a word answer, in so far as it can be loaded."""

    word: str = ""
    is_missing: bool = False
    read: list[tuple[str, str]] = field(default_factory=list)

    async def __call__(self, pairs):
        self.read += pairs
        if self.is_missing:
            raise RerankerFailed(detail="It is missing.")
        likely = [0.99 if self.word and self.word in text else 0.01 for _, text in pairs]
        return [PairJudgement(0.0, 0.0, each, each) for each in likely]


def ask(books, judging, call, reader=None):
    database, _, _, folder = books

    async def run():
        budget = VectorService(folder / "vectors", folder / "knowledge.db")
        try:
            return await call(HybridRetriever(database, budget, judging, reader))
        finally:
            budget.close()

    return asyncio.run(run())


def retrieve(books, judging, *queries):
    return ask(books, judging, lambda searcher: searcher.retrieve(queries or ["heron"], [books[2].id], 5))


def names(retrieval):
    return [passage.document for passage in retrieval.passages]


def test_the_order_is_the_judges_and_the_weak_are_told(books):
    retrieval = retrieve(books, Reranking(Judge({"Storks": 0.9, "Herons": 0.5, "boat": 0.1})))
    assert names(retrieval) == ["stork", "heron"]
    assert [passage.score for passage in retrieval.passages] == [0.9, 0.5]
    (left,) = retrieval.left_out
    assert (left.passage.document, left.source_use) == ("boat", SourceUse.IRRELEVANT)
    assert "0.10" in left.reason


def test_a_base_has_a_threshold_of_its_own(books):
    _, bases, base, _ = books
    bases.update(replace(base, options=BaseOptions(threshold=0.0)))
    assert len(names(retrieve(books, Reranking(Judge({"Herons": 0.1}))))) == 3


def test_of_passages_that_are_all_weak_the_best_is_given_and_marked(books):
    retrieval = retrieve(books, Reranking(Judge({"Storks": 0.2, "Herons": 0.1})))
    assert names(retrieval) == ["stork"]
    assert len(retrieval.left_out) == 2
    assert any("is used anyway (0.20)" in note for note in retrieval.notes)


def test_without_a_judge_no_threshold_drops_anything(books):
    retrieval = retrieve(books, Reranking(threshold=1.0))
    assert set(names(retrieval)) == set(BOOKS)


def test_a_judge_that_fails_is_noted_and_the_order_is_as_found(books):
    alone = retrieve(books, Reranking())
    failed = retrieve(books, Reranking(Judge({})))
    assert names(failed) == names(alone)
    assert any("It sleeps." in note and "order in which they were found" in note for note in failed.notes)


def test_each_passage_is_judged_by_the_query_that_found_it(books):
    judge = Judge({"Herons": 0.9})
    retrieve(books, Reranking(judge), "heron trees", "boat sold")
    asked = {text.split()[0]: query for query, text in judge.pairs}
    assert (asked["Herons"], asked["A"]) == ("heron trees", "boat sold")


def test_a_search_test_shows_both_scores_and_why(books):
    judging = Reranking(Judge({"Storks": 0.9, "Herons": 0.5}))
    trial = ask(books, judging, lambda searcher: searcher.try_search(books[2].id, "heron"))
    told = {row.passage.document: row for row in trial.rows}
    assert (told["stork"].reranked, told["boat"].reranked) == (0.9, 0.0)
    assert told["stork"].fused < told["heron"].fused
    assert told["stork"].source_use == "It would be used."
    assert "below 0.35" in told["boat"].source_use
    assert all(row.vector is None for row in trial.rows)


@pytest.fixture
def many_books(books):
    """Add texts on other subjects that share a word with the others."""
    database, _, base, _ = books
    library = ItemStore(database)
    for number in range(POOL):
        (item,) = library.enqueue(base.id, [Path(f"/{number}.txt")])
        text = f"Page {number} of the price list of the timber yard: {number + 3} boards of trees, dried."
        library.put(item, f"list {number}", reading_of(document_of("", [DocumentPart(text)]), ""))
    return books


def test_without_a_reranker_a_floor_below_the_best_score_decides(many_books):
    def found(judging):
        return ask(
            many_books, judging, lambda search: search.retrieve(["heron nest trees"], [many_books[2].id], 8)
        )

    high = found(Reranking(floor=0.9))
    assert names(high) == ["heron"]
    reasons = {left.source_use: left.reason for left in high.left_out}
    assert "below the limit of 0.90" in reasons[SourceUse.IRRELEVANT]
    assert len(found(Reranking(floor=0.0)).passages) == 8
    assert names(found(Reranking(Judge({}), floor=0.9))) == [
        "heron"
    ]  # a reranker that fails has no threshold


def test_a_base_has_a_floor_of_its_own(many_books):
    _, bases, base, _ = many_books
    bases.update(replace(base, options=BaseOptions(floor=0.0)))
    found = ask(many_books, Reranking(floor=0.9), lambda found: found.retrieve(["heron trees"], [base.id], 8))
    assert len(found.passages) == 8


def test_among_few_passages_there_is_no_floor(books):
    found = ask(books, Reranking(floor=0.9), lambda found: found.retrieve(["heron"], [books[2].id], 8))
    assert len(found.passages) == len(BOOKS)


@pytest.fixture
def silent_files(monkeypatch):
    """Find too little evidence for every query, unless what is read answers it."""
    evidence = AnswerEvidence(0.05, 0.09, 0.07)
    monkeypatch.setattr("desktop.knowledge.retrieval.hybrid_search.weigh_evidence", lambda *_: evidence)


@pytest.mark.usefixtures("silent_files")
def test_files_that_say_nothing_give_nothing_and_what_was_nearest_is_named(books):
    _, bases, base, _ = books
    found = ask(books, Reranking(), lambda found: found.retrieve(["heron"], [base.id], 8))
    assert (found.is_unanswered, found.passages) == (True, ())
    assert {left.source_use for left in found.left_out} == {SourceUse.IRRELEVANT}
    trial = ask(books, Reranking(), lambda found: found.try_search(base.id, "heron"))
    assert trial.is_unanswered
    assert "do not seem to answer this" in trial.notes[-1]
    bases.update(replace(base, options=BaseOptions(floor=0.0)))
    assert ask(books, Reranking(), lambda found: found.retrieve(["heron"], [base.id], 8)).passages


@pytest.mark.usefixtures("silent_files")
def test_a_reranker_decides_by_its_own_scores(books):
    judging = Reranking(Judge({"Herons": 0.9}))
    found = ask(books, judging, lambda found: found.retrieve(["heron"], [books[2].id], 8))
    assert not found.is_unanswered
    assert [passage.title for passage in found.passages] == ["heron.txt"]


@pytest.mark.usefixtures("silent_files")
def test_in_doubt_the_best_passages_are_read_until_one_answers(many_books):
    def found(reader, *queries, judging=None):
        return ask(
            many_books,
            judging or Reranking(),
            lambda search: search.retrieve(queries or ["heron trees"], [many_books[2].id], 8),
            reader,
        )

    first = Reader("Herons")
    assert not found(first).is_unanswered
    assert [(query, text.split()[0]) for query, text in first.read] == [("heron trees", "Herons")]
    none = Reader()
    assert found(none).is_unanswered
    assert len(none.read) == MOST_READ
    other = Reader("Storks")
    assert not found(other, "timber yard", "Storks nest on roofs").is_unanswered
    assert other.read[-1][0] == "Storks nest on roofs"
    missing = Reader(is_missing=True)
    assert found(missing).is_unanswered  # the evidence decides alone
    assert len(missing.read) == 1
    unasked = Reader()
    assert not found(unasked, judging=Reranking(Judge({"Herons": 0.9}))).is_unanswered
    assert unasked.read == []
