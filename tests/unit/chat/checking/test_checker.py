"""A whole check: progress, meanings where they can be had, a model where one has the last word, and what fails of it."""

from datetime import UTC, datetime

import pytest

from desktop.chat.checking.checker import CheckProgress, ClaimJudges, JudgeModel, check, check_claim
from desktop.chat.source_lookup import SelectedModel
from desktop.domain.citation_check import CheckMethod, SupportLevel
from desktop.domain.models import FinishReason, StreamEnded, TextDelta
from desktop.domain.sources import Locator, Source, SourceKind
from desktop.errors import EntailmentFailed
from desktop.errors.servers import ProviderDown
from tests.cases import cases

pytestmark = pytest.mark.anyio


def source(number: int, text: str, title: str = "Velmora") -> Source:
    return Source(
        number,
        SourceKind.WEB,
        str(number),
        title,
        "",
        "",
        Locator(),
        text,
        "",
        datetime(2026, 1, 2, tzinfo=UTC),
    )


SOURCES = (
    source(1, "The lighthouse of Velmora was built in 1873 by Ada Korsten. Its lamp reaches 42 kilometres."),
    source(2, "Visitors climb 219 steps to the gallery."),
)
TEXT = "The lighthouse was built in 1873 by Ada Korsten [1]. Its lamp reaches 45 kilometres [1]. It is red [2]. See [9]."


class Model:
    def __init__(self, *events) -> None:
        self.events = events
        self.requests = []

    async def stream(self, request):
        self.requests.append(request)
        for event in self.events:
            if isinstance(event, Exception):
                raise event
            yield event


async def run(text=TEXT, model=None, sources=SOURCES):
    examiner = JudgeModel(SelectedModel(model, "some/model", "model"), 4_000) if model else None
    events = [event async for event in check(text, sources, examiner)]
    return events[:-1], events[-1]


async def test_every_mark_is_judged_in_order_and_numbers_without_a_source_are_listed():
    progress, found = await run()
    assert [(mark.number, mark.occurrence, mark.support) for mark in found.marks] == [
        (1, 0, SupportLevel.SUPPORTED),
        (1, 1, SupportLevel.CONTRADICTED),
        (2, 0, SupportLevel.NOT_FOUND),
    ]
    assert found.marks[1].missing == ("45",)
    assert found.marks[1].words == "Its lamp reaches 42 kilometres."
    assert found.unknown == (9,)
    assert found.problem == ""
    assert {mark.judge for mark in found.marks} == {CheckMethod.WORDS}
    assert progress[0] == CheckProgress(0, 3)
    assert progress[-1] == CheckProgress(3, 3)


async def test_chinese_is_checked_alike():
    _, found = await run(
        "灯塔建于1873年[1]。灯塔建于1875年[1]。", sources=(source(1, "灯塔由工程师于1873年建成。", "灯塔"),)
    )
    assert [mark.support for mark in found.marks] == [SupportLevel.SUPPORTED, SupportLevel.WEAK]
    assert found.marks[1].missing == ("1875",)


async def test_a_claim_may_have_its_parts_in_several_sources():
    one = ("Velmora", "The lighthouse of Velmora was built in 1873 by Ada Korsten.")
    two = ("Velmora", "The lighthouse of Velmora has a lamp that reaches 42 kilometres.")
    claim = "The lighthouse was built by Ada Korsten in 1873 and its lamp reaches 42 kilometres."
    assert (await check_claim(claim, [one, two])).support is SupportLevel.SUPPORTED
    assert (await check_claim(claim, [one])).support is SupportLevel.WEAK
    assert await check_claim(claim, []) is None


RECORD = ("Records", "The longest field goal kick in the league was 64 yards, a record set by Matt Prater.")
FESTIVAL = ("Festivals", "Ostrava holds a festival of film each May.")
WAR = ("The harbour war", "The harbour war was fought between 1807 and 1809 off Velmora.")
PEACE = (
    "Velmora",
    "The harbour war of Velmora is not over. Off Velmora it was fought again between 1807, 1808 and 1809.",
)


async def test_a_source_about_something_else_completes_no_claim():
    claim = "The longest field goal kick in Ostrava was 64 yards, a record set by Matt Prater."
    found = await check_claim(claim, [RECORD, FESTIVAL])
    assert (found.support, found.missing) == (SupportLevel.WEAK, ("Ostrava",))


async def test_a_sentence_that_denies_a_claim_decides_over_sources_that_have_less_of_it():
    claim = "The harbour war was not fought between 1807 and 1809 off Velmora."
    assert (await check_claim(claim, [PEACE])).support is SupportLevel.SUPPORTED
    assert (await check_claim(claim, [WAR, PEACE])).support is SupportLevel.CONTRADICTED


class Entailment:
    """Finds entailed what a passage with one word is read for, and contradicted what one with another is."""

    def __init__(self, entailed="", contradicted="", error=None):
        self.entailed = entailed
        self.contradicted = contradicted
        self.error = error
        self.pairs = []

    async def entail(self, pairs):
        self.pairs += pairs
        if self.error:
            raise self.error
        return tuple(
            (0.9 * (self.entailed in passage), 0.8 * (self.contradicted in passage)) for passage, _ in pairs
        )


async def judge(entailment):
    events = [event async for event in check(TEXT, SOURCES, None, ClaimJudges(entailment))]
    return events[-1]


async def test_an_entailment_model_judges_and_says_what_it_has_read():
    found = await judge(Entailment(entailed="Ada Korsten", contradicted="steps"))
    assert [mark.support for mark in found.marks] == [
        SupportLevel.SUPPORTED,
        SupportLevel.WEAK,
        SupportLevel.CONTRADICTED,
    ]
    assert found.marks[2].words == "Visitors climb 219 steps to the gallery."
    assert found.marks[0].score == pytest.approx(0.9)
    assert {mark.judge for mark in found.marks} == {CheckMethod.ENTAILMENT}


async def test_what_an_entailment_model_finds_neither_is_weak_or_not_found():
    found = await judge(Entailment(entailed="nowhere", contradicted="nowhere"))
    assert [mark.support for mark in found.marks] == [
        SupportLevel.WEAK,
        SupportLevel.WEAK,
        SupportLevel.NOT_FOUND,
    ]


async def test_where_an_entailment_model_fails_the_words_count_and_it_is_said_once():
    model = Entailment(error=EntailmentFailed(detail="it is not here."))
    text = "The lighthouse was built in 1873 by Ada Korsten [1]. " * 20
    events = [event async for event in check(text, SOURCES, None, ClaimJudges(model))]
    assert {mark.judge for mark in events[-1].marks} == {CheckMethod.WORDS}
    assert events[-1].problem.count("it is not here") == 1


class Network:
    """Finds every claim as likely as it is told."""

    def __init__(self, likelihood):
        self.likelihood = likelihood
        self.pairs = []

    async def entail(self, pairs):
        self.pairs += pairs
        return tuple((self.likelihood, 0.0) for _ in pairs)


PLAUSIBLE = (
    "The lighthouse keeper Ada Korsten was responsible for the decision to build the harbour.",
    ("Velmora", "Ada Korsten kept the lighthouse. The council decided to build a harbour in Velmora."),
)


async def test_the_bundled_network_counts_beside_the_words():
    claim, source = PLAUSIBLE
    scores = {}
    for likelihood in (0.001, 0.3, 0.999):
        network = Network(likelihood)
        mark = await check_claim(claim, [source], ClaimJudges(network=network))
        assert network.pairs[0] == (f"Velmora. {source[1]}", claim)
        assert mark.judge is CheckMethod.WORDS
        scores[likelihood] = mark
    words = await check_claim(claim, [source])
    assert scores[0.3].score == pytest.approx(words.score, abs=0.001)
    assert scores[0.001].score < words.score < scores[0.999].score
    assert scores[0.001].support is SupportLevel.WEAK
    assert scores[0.999].support is SupportLevel.SUPPORTED


@cases(
    "claim, text",
    [
        (PLAUSIBLE[0], " ".join([PLAUSIBLE[1][1], *["A heron nests in the high trees by the sea."] * 60])),
        (PLAUSIBLE[0].replace("harbour", "harbour in 1888"), PLAUSIBLE[1][1]),
        ("Bread was first baked by the queen of Ostrava.", PLAUSIBLE[1][1]),
        (PLAUSIBLE[0], ""),
    ],
    ids=["long source", "a number is missing", "nothing of it is there", "no text"],
)
async def test_the_network_is_not_asked_where_it_says_nothing(claim, text):
    network = Network(0.999)
    judges = ClaimJudges(network=network)
    assert await check_claim(claim, [("Velmora", text)], judges) == await check_claim(
        claim, [("Velmora", text)]
    )
    assert network.pairs == []


async def test_where_the_network_fails_the_words_count_and_it_is_said():
    claim, source = PLAUSIBLE
    judges = ClaimJudges(network=Entailment(error=EntailmentFailed(detail="it is damaged.")))
    told = []
    assert await check_claim(claim, [source], judges, told.append) == await check_claim(claim, [source])
    assert "it is damaged" in "".join(told)
    with pytest.raises(EntailmentFailed):
        await check_claim(claim, [source], ClaimJudges(judges.network))


async def test_a_model_has_the_last_word_in_one_request():
    written = (
        '<verdict id="1">supported</verdict><verdict id="2">no</verdict><verdict id="3">supported</verdict>'
    )
    model = Model(TextDelta(written[:30]), TextDelta(written[30:]), StreamEnded(FinishReason.STOP))
    _, found = await run(model=model)
    assert [mark.support for mark in found.marks] == [
        SupportLevel.SUPPORTED,
        SupportLevel.NOT_FOUND,
        SupportLevel.SUPPORTED,
    ]
    assert {mark.judge for mark in found.marks} == {CheckMethod.MODEL}
    assert len(model.requests) == 1
    assert "Its lamp reaches 45 kilometres" in model.requests[0].messages[-1].text


@cases(
    "events, problem",
    [
        ((ProviderDown(provider="X", detail="it is out"),), "couldn’t be asked"),
        ((TextDelta("I cannot say."),), "couldn’t be read"),
        ((TextDelta('<verdict id="1">supported</verdict>'),), "checked 1 of 3"),
    ],
)
async def test_where_a_model_fails_the_words_count_and_it_is_said(events, problem):
    _, found = await run(model=Model(*events))
    assert [mark.support for mark in found.marks] == [
        SupportLevel.SUPPORTED,
        SupportLevel.CONTRADICTED,
        SupportLevel.NOT_FOUND,
    ]
    assert problem in found.problem


async def test_an_answer_that_cites_nothing_has_nothing_to_check():
    progress, found = await run("No marks.")
    assert progress == [CheckProgress(0, 0)]
    assert found.marks == ()
    assert found.unknown == ()


async def test_of_very_many_citations_the_first_are_checked_and_it_is_said():
    _, found = await run("Built in 1873 [1]. " * 500)
    assert len(found.marks) == 400
    assert "first 400" in found.problem
