"""What a caller can compare or judge changes the order of sentences that words cannot tell apart."""

import asyncio
from array import array

import pytest

from desktop.domain.models import QUOTES_MODEL, ModelRequest, TextDelta
from desktop.providers.quotes.candidates import parts_of
from desktop.providers.quotes.model import QuotesModel
from desktop.providers.quotes.ranking import COMPARED, JUDGED, JUDGED_SOURCES, judge_best, rank_sentences
from desktop.providers.quotes.relevance import measure_sentences
from tests.unit.providers.quotes.test_model import source

pytestmark = pytest.mark.anyio

QUESTION = "Who built the Harbour Bridge in Northford?"
TEXTS = [
    "The Harbour Bridge in Northford was praised by Anna Lind.",
    "The Harbour Bridge in Northford was crossed by Eva Roth.",
]


def parts(*texts):
    sources = [source(number, text) for number, text in enumerate(texts, 1)]
    return [part for of_source in parts_of(sources) for part in of_source]


def best(compare):
    return max(rank_sentences(QUESTION, parts(*TEXTS), compare).sentences, key=lambda one: one.score).text


def test_the_sentence_nearest_in_meaning_comes_first():
    for text in TEXTS:
        assert best(lambda _, asked, text=text: [0.9 if one == text else 0.75 for one in asked]) == text


def test_what_cannot_be_compared_is_ranked_by_words():
    ranked = rank_sentences(QUESTION, parts(*TEXTS))
    assert rank_sentences(QUESTION, parts(*TEXTS), lambda *_: None) == ranked


def test_only_the_likeliest_sentences_are_compared():
    compared = []
    texts = [f"Northford has {number} bridges and a harbour, says guide {number}." for number in range(60)]
    rank_sentences(QUESTION, parts(*texts), lambda _, asked: compared.extend(asked) or [0.8] * len(asked))
    assert len(compared) == COMPARED


async def test_a_model_asks_for_vectors_of_the_question_and_of_sentences():
    asked = []

    async def embed(texts, *, is_query=False):
        await asyncio.sleep(0)
        asked.append((len(texts), is_query))
        return [array("f", [1.0, 0.0]).tobytes() for _ in texts]

    request = ModelRequest(
        QUOTES_MODEL, (), question=QUESTION, references=(source(1, TEXTS[0]), source(2, TEXTS[1]))
    )
    answer = "".join(
        [event.text async for event in QuotesModel(embed).stream(request) if isinstance(event, TextDelta)]
    )
    assert asked[:2] == [(1, True), (2, False)]
    assert answer


def judged(likelihoods, of_sources=None):
    """Return a judge that knows some texts; others it thinks unlikely."""

    def judge(_, texts, of_sentences):
        known = likelihoods if of_sentences else of_sources or likelihoods
        return [known.get(text, 0.02) for text in texts]

    return judge


def test_the_sentence_that_the_network_finds_comes_first():
    for text in TEXTS:
        ranked = rank_sentences(QUESTION, parts(*TEXTS), judge=judged({text: 0.9}))
        assert ranked.is_answered
        assert max(ranked.sentences, key=lambda one: one.score).text == text


def test_the_network_leaves_a_question_unanswered_that_words_would_answer():
    asked = "When was the Harbour Bridge in Northford opened?"
    others = [f"The {name} Bridge is a bridge of steel." for name in ("Lind", "Roth", "Feld", "Berg")]
    found = parts("The Harbour Bridge in Northford was opened in 1961.", *others)
    assert rank_sentences(asked, found).is_answered
    assert not rank_sentences(asked, found, judge=judged({})).is_answered
    assert rank_sentences(asked, found, judge=lambda *_: None) == rank_sentences(asked, found)


def test_a_lone_source_answers_at_a_likelihood_that_would_do_among_others():
    asked = "可以带宠物入园吗？"
    likely = {"公园禁止携带宠物入园。": 0.16, "公园每天六点开放。": 0.07, "停车场收费每小时五元。": 0.07}
    texts = list(likely)
    of_sources = {texts[0]: 0.31}
    assert rank_sentences(asked, parts(texts[0]), judge=judged(likely, of_sources)).is_answered
    assert not rank_sentences(asked, parts(texts[2]), judge=judged(likely, of_sources)).is_answered


def test_a_likely_sentence_counts_more_if_its_own_source_answers():
    measured = measure_sentences(QUESTION, parts(*TEXTS))
    scores = [0.5] * len(measured)
    found = [
        judge_best(QUESTION, measured, scores, judged({TEXTS[0]: 0.9}, {source: 0.9})).odds
        for source in TEXTS[:2]
    ]
    assert found[0] > found[1]


def test_the_network_reads_the_likeliest_sentences_and_what_is_around_them():
    read = {True: [], False: []}

    def judge(_, texts, of_sentences):
        read[of_sentences] += texts
        return [0.5] * len(texts)

    pages = [
        " ".join(
            f"Northford has {number} bridges and {page} harbours, says guide {number}."
            for number in range(30)
        )
        for page in range(9)
    ]
    rank_sentences(QUESTION, parts(*pages), judge=judge)
    assert len(read[True]) == JUDGED
    assert 1 <= len(read[False]) <= JUDGED_SOURCES
    for text in read[False]:
        assert any(sentence in text for sentence in read[True])
        assert any(text in page for page in pages)
        assert 200 < len(text) < 800


async def test_a_model_has_sentences_and_passages_judged():
    asked = []

    async def judge(question, texts, *, of_sentences):
        await asyncio.sleep(0)
        asked.append((question, of_sentences))
        return [0.9] * len(texts)

    request = ModelRequest(QUOTES_MODEL, (), question=QUESTION, references=(source(1, TEXTS[0]),))
    events = [event async for event in QuotesModel(judge=judge).stream(request)]
    assert asked == [(QUESTION, True), (QUESTION, False)]
    assert "Anna Lind" in "".join(event.text for event in events if isinstance(event, TextDelta))
