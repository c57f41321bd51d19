"""Whether passages say anything on a query, and where that is not judged."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from desktop.knowledge.bundled_models import PairJudgement
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.items import ItemStore
from desktop.knowledge.index.passages import Passages
from desktop.knowledge.loaders.document import DocumentPart, document_of
from desktop.knowledge.reader.protocol import reading_of
from desktop.knowledge.retrieval.base_means import LEAST, Background, BaseMeans
from desktop.knowledge.retrieval.relevance import (
    COVERAGE_WEIGHT,
    FLOORS,
    FLOORS_WHEN_READ,
    KEYWORDS_LOWER,
    LEAST_POOL,
    MEASURED,
    MOST_TERMS,
    AnswerEvidence,
    QueryTerms,
    evidence_for,
    floor_for,
    weigh_evidence,
)

E5 = "multilingual-e5-small"
QUERY = "How deep is the harbour of Brest?"
RARITY = {"deep": 2.0, "harbour": 3.0, "brest": 5.0}
BACKGROUND = Background(E5, cosine=0.8, likeness=0.75, passages=3_000)


def pool(words, lead=0.0, size=LEAST_POOL):
    """Return scores, cosines and terms of a pool whose first passage has these words and this lead."""
    cosines = dict.fromkeys(range(size), 0.8) | {0: 0.8 + lead}
    terms = {passage: ["the", "wind", "was", "cold"] for passage in range(size)} | {0: words}
    scores = {passage: 1.0 / (1 + passage) for passage in range(size)}
    return scores, cosines, QueryTerms({passage: [passage] for passage in terms}, terms, RARITY)


def is_unanswered(*found):
    evidence = weigh_evidence(*found)
    return evidence is not None and evidence.is_too_little


def test_evidence_is_the_lead_of_the_cosine_and_the_share_of_the_terms():
    assert evidence_for(*pool(["cold"], 0.02), 0.8) == pytest.approx(0.02)
    assert evidence_for(*pool(["cold"], 0.02), 0.75) == pytest.approx(0.07)
    assert evidence_for(*pool(["brest", "harbour"]), 0.8) == pytest.approx(0.8 * COVERAGE_WEIGHT)
    assert evidence_for({}, {}, QueryTerms({}, {}, RARITY), 0.8) == 0.0


def test_terms_around_a_passage_count_as_its_own():
    terms = QueryTerms({1: [1, 2]}, {1: ["deep"], 2: ["harbour", "brest"]}, RARITY)
    assert terms.coverage(1) == pytest.approx(1.0)


def test_passages_that_share_little_with_a_query_say_nothing_on_it():
    assert is_unanswered(QUERY, *pool(["deep", "water"], 0.01), BACKGROUND)
    assert not is_unanswered(QUERY, *pool(["the", "harbour", "of", "brest"], 0.06), BACKGROUND)
    assert not is_unanswered(QUERY, *pool(["cold", "water"], 0.14), BACKGROUND)


def test_a_chinese_question_that_names_little_is_answered_by_half_of_its_words():
    question, rarity = "亚麻适宜生活在什么气候？", {"亚麻": 6.0, "适宜": 3.0, "气候": 3.0}

    def says_nothing(lead):
        words = ["亚麻", "喜", "凉爽", "湿润", "的", "环境"]
        scores, cosines, terms = pool(words, lead)
        others = {passage: ["河流", "流经", "三个", "省"] for passage in terms.terms if passage}
        found = QueryTerms(terms.around, others | {0: words}, rarity)
        return is_unanswered(question, scores, cosines, found, replace(BACKGROUND, likeness=0.83))

    assert not says_nothing(0.045)
    assert says_nothing(0.035)


def test_where_all_passages_are_alike_less_is_enough():
    found = pool(["brest", "harbour"], 0.01)
    assert is_unanswered(QUERY, *found, BACKGROUND)
    assert not is_unanswered(QUERY, *found, replace(BACKGROUND, likeness=0.83))
    for model, floors in FLOORS.items():
        for language, points in floors.items():
            for likeness, floor in points:
                assert floor_for(language, Background(model, 0.8, likeness, MEASURED)) == pytest.approx(floor)
            assert points == tuple(sorted(points))


def test_in_a_small_base_less_is_enough():
    floors = [
        floor_for("en", replace(BACKGROUND, passages=count)) for count in (0, 300, 1_000, 3_000, 90_000)
    ]
    assert floors == sorted(floors)
    assert floors[0] > 0
    assert floors[-1] == floors[-2]


def test_what_was_not_measured_is_not_judged():
    assert not is_unanswered(QUERY, *pool(["cold"]), replace(BACKGROUND, model="BAAI/bge-m3"))
    assert not is_unanswered("Wie tief ist der Hafen und wo liegt er?", *pool(["cold"]), BACKGROUND)
    assert not is_unanswered(QUERY, *pool(["cold"], size=LEAST_POOL - 1), BACKGROUND)
    assert not is_unanswered(QUERY, *pool(["cold"]), None)


def test_a_pasted_text_is_not_judged():
    scores, cosines, terms = pool(["cold"])
    many = {f"word{number}": 1.0 for number in range(MOST_TERMS + 1)}
    assert not is_unanswered(QUERY, scores, cosines, QueryTerms(terms.around, terms.terms, many), BACKGROUND)


def test_a_statement_is_not_judged():
    for query in ("The harbour of Brest is deep.", "Brest lies at the sea. "):
        assert not is_unanswered(query, *pool(["cold"]), BACKGROUND)
    assert is_unanswered("The harbour of Brest is deep", *pool(["cold"]), BACKGROUND)


def test_keywords_are_answered_by_less_than_a_question():
    floors = {
        query: weigh_evidence(query, *pool(["cold"]), BACKGROUND).floor
        for query in (QUERY, "deep harbour of Brest", "deep harbour water Brest")
    }
    question, *others = floors.values()
    assert others == [question, pytest.approx(question - KEYWORDS_LOWER)]


def test_what_is_read_decides_where_there_is_little_evidence():
    def judge_pair(likely):
        return PairJudgement(0.0, 0.0, likely, likely)

    question, rarity = "亚麻适宜生活在什么气候？", {"亚麻": 6.0}
    scores, cosines, terms = pool(["河流"], 0.05)
    others = {passage: ["河流", "流经", "三个", "省"] for passage in terms.terms}
    found = weigh_evidence(
        question, scores, cosines, QueryTerms(terms.around, others, rarity), replace(BACKGROUND, passages=300)
    )
    assert found.amount == pytest.approx(0.05)
    assert found.floor_when_read < FLOORS_WHEN_READ["zh"]  # as in a small base less is enough
    evidence = replace(found, floor_when_read=0.07)
    assert evidence.is_worth_reading
    assert evidence.is_too_little_with(judge_pair(0.5))
    assert not evidence.is_too_little_with(judge_pair(0.99))
    assert replace(evidence, amount=0.1).is_too_little_with(judge_pair(0.001))
    clear = replace(evidence, amount=0.14)
    assert not clear.is_worth_reading
    assert not clear.is_too_little_with(judge_pair(0.0))
    assert not AnswerEvidence(0.0, 0.1).is_worth_reading  # no floor of this language was measured


def test_passages_in_another_script_are_not_judged_by_their_words():
    assert not is_unanswered(QUERY, *pool(["布雷斯特", "港口", "水深", "十二", "米"]), BACKGROUND)
    assert not is_unanswered("布雷斯特港有多深？", *pool(["harbour", "of", "brest"]), BACKGROUND)


def test_the_floors_are_for_english_and_chinese():
    assert all(set(floors) == {"en", "zh"} for floors in FLOORS.values())


def row(*values):
    return np.array(values, np.float32).tobytes()


class Filled:
    """A base on disk whose passages are embedded by hand."""

    def __init__(self, folder):
        self.database = IndexDatabase(folder / "knowledge.db")
        self.base = Bases(self.database).create("mixed")
        self.means = BaseMeans(self.database)
        self._library, self._passages = ItemStore(self.database), Passages(self.database)

    def put(self, text, count):
        for number in range(count):
            (item,) = self._library.enqueue(self.base.id, [Path(f"/{text}{number}")])
            reading = reading_of(document_of("", [DocumentPart(f"{text} {number}")]), "")
            self._library.put(item, f"{text}{number}", reading)

    def embed(self, vector, count=1_000):
        pending = self._passages.pending(count)
        self._passages.put_vectors(self.base.model, [(passage.id, vector) for passage in pending])

    def background(self, query):
        return self.means.background(query, row(1, 0), [self.base.id], self.base.model)


@pytest.fixture
def filled(tmp_path):
    made = Filled(tmp_path)
    yield made
    made.database.close()


def test_a_base_is_compared_with_a_query_by_its_passages_in_that_script(filled):
    assert filled.background(QUERY) is None
    filled.put("Boats lie in the harbour", LEAST)
    filled.embed(row(0.6, 0.8))
    filled.put("港口里停着很多船只", LEAST)
    filled.embed(row(0.8, 0.6))
    english, chinese = map(filled.background, (QUERY, "布雷斯特港有多深？"))
    assert (english.cosine, english.likeness) == (pytest.approx(0.6), pytest.approx(1.0))
    assert english.passages == 2 * LEAST
    assert chinese.cosine == pytest.approx(0.8)
    assert filled.background("Насколько глубока гавань Бреста?") is None


def test_a_base_is_sampled_again_when_it_has_grown_or_has_its_vectors(filled):
    filled.put("Boats lie in the harbour", LEAST)
    assert filled.background(QUERY) is None
    filled.embed(row(0.6, 0.8))
    assert filled.background(QUERY).cosine == pytest.approx(0.6)
    filled.put("Gulls sit on the roof", LEAST)
    filled.embed(row(0, 1))
    assert filled.background(QUERY).cosine == pytest.approx(0.3)
