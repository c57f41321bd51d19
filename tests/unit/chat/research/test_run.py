"""Research plans, searches, judges, and answers from what it found; budgets, pauses and deaths included."""

import asyncio
from contextlib import aclosing
from dataclasses import replace
from datetime import date

import pytest

from desktop.chat.lookup import PickedModel
from desktop.chat.research.control import Control
from desktop.chat.research.run import Bench, research
from desktop.chat.steps import StepLog
from desktop.domain.events import ResearchChanged, SourcesAdded, StepFinished, StepStarted
from desktop.domain.messages import Step, StepKind, StepStatus
from desktop.domain.models import (
    QUOTES_MODEL,
    FinishReason,
    ModelRequest,
    StreamEnded,
    TextDelta,
    UsageReported,
)
from desktop.domain.research import (
    AnswerNow,
    Depth,
    Pause,
    Phase,
    Place,
    Plan,
    Query,
    Remark,
    Research,
    Resume,
    StartPlan,
)
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.errors import ProviderDown
from desktop.search.gather import Gathered

pytestmark = pytest.mark.anyio

PLAN = '<plan><need>length</need><query>first</query><query place="wikipedia">second</query></plan>'
MORE = '<information source="1">One.</information><missing>more</missing><query>third</query>'
ENOUGH = '<information source="2">Two.</information><verdict>enough</verdict>'


USAGE = UsageReported(100, 10)


class Scripted:
    """Answers with texts in turn; what is an exception is raised."""

    def __init__(self, *texts, usage=USAGE) -> None:
        self.texts = list(texts)
        self.usage = usage
        self.requests: list[ModelRequest] = []

    async def stream(self, request):
        self.requests.append(request)
        text = self.texts.pop(0)
        if isinstance(text, BaseException):
            raise text
        yield TextDelta(text)
        yield self.usage
        yield StreamEnded(FinishReason.STOP)


class Laboratory:
    """Everything around one piece of research; every query finds one page of its own name."""

    def __init__(self, model, *, model_id="some/model", depth=Depth.BALANCED, **fields) -> None:
        self.model = model
        self.looked_up = []
        self.saved = []
        self.kept = []
        self.events = []
        self.time = 0.0
        self.control = Control()
        self.text = "Some words."
        self.state = Research("Which is longer?", depth)
        self.bench = Bench(
            picked=PickedModel(model, model_id, "m"),
            look_up=self.look_up,
            places=fields.pop("places", (Place.WEB, Place.WIKIPEDIA)),
            web="duckduckgo",
            ledger=fields.pop("ledger", None) or Ledger(),
            log=StepLog(),
            keep=self.keep,
            today=date(2026, 1, 2),
            context_tokens=fields.pop("context_tokens", 16_000),
            answer_tokens=1_000,
            control=self.control,
            clock=lambda: self.time,
            **fields,
        )

    async def look_up(self, intent, where):
        queries = (*intent.web_queries, *intent.knowledge_queries)
        self.looked_up.append((where, queries))
        passages = []
        for number, query in enumerate(queries, 1):
            step = Step(number, StepKind.READ, query)
            yield StepStarted(step)
            yield StepFinished(replace(step, status=StepStatus.DONE, count=1))
            passages.append(Passage(SourceKind.WEB, query, self.text, url=f"https://e.org/{query}"))
        yield Gathered(tuple(passages))

    async def keep(self, sources):
        self.kept.extend(source.number for source in sources)

    async def run(self, state=None):
        async with aclosing(research(state or self.state, self.bench)) as events:
            async for event in events:
                self.take(event)
        return self

    def take(self, event):
        self.events.append(event)
        if isinstance(event, ResearchChanged):
            self.saved.append(event.research)

    @property
    def last(self):
        return self.saved[-1]

    @property
    def answer(self):
        return "".join(event.text for event in self.events if isinstance(event, TextDelta))


async def test_the_way_from_plan_to_answer():
    lab = await Laboratory(Scripted(PLAN, MORE, ENOUGH, "It is one [1] and two [2].")).run()
    assert lab.looked_up == [
        ("duckduckgo", ("first",)),
        ("wikipedia", ("second",)),
        ("duckduckgo", ("third",)),
    ]
    assert lab.answer == "It is one [1] and two [2]."
    assert lab.last.phase is Phase.DONE
    assert [finding.text for finding in lab.last.findings] == [
        "One."
    ]  # the second names a source not shown then
    assert lab.last.spent.rounds == 2
    assert lab.last.spent.pages == 3
    assert lab.last.spent.tokens == 330
    assert lab.last.ended_by == "The model found that it knows enough."
    assert lab.kept == [1, 1, 2, 3]
    kinds = [event.step.kind for event in lab.events if isinstance(event, StepFinished)]
    assert kinds == [
        StepKind.PLAN,
        StepKind.READ,
        StepKind.READ,
        StepKind.JUDGE,
        StepKind.READ,
        StepKind.JUDGE,
        StepKind.ANSWER,
    ]


async def test_the_answer_is_written_by_a_fresh_request_without_the_sources():
    lab = await Laboratory(Scripted(PLAN, MORE, ENOUGH, "Done.")).run()
    last = lab.model.requests[-1]
    assert [message.role for message in last.messages] == ["system", "user"]
    assert "- One. [1]" in last.messages[1].text
    assert "Some words." not in last.messages[1].text
    assert last.references == ()


async def test_sources_are_kept_before_they_are_shown():
    lab = Laboratory(Scripted(PLAN, ENOUGH, "Done."))
    async with aclosing(research(lab.state, lab.bench)) as events:
        async for event in events:
            if isinstance(event, SourcesAdded):
                assert {source.number for source in event.sources} <= set(lab.kept)


@pytest.mark.parametrize(("depth", "rounds"), [(Depth.QUICK, 2), (Depth.BALANCED, 4), (Depth.THOROUGH, 8)])
async def test_rounds_are_bounded(depth, rounds):
    more = [f"<missing>x</missing><query>q{number}</query>" for number in range(rounds)]
    lab = await Laboratory(Scripted(PLAN, *more, "Done."), depth=depth).run()
    assert lab.last.spent.rounds == rounds
    assert lab.last.ended_by == "The rounds are used up."
    assert lab.answer == "Done."


async def test_tokens_are_bounded():
    lab = await Laboratory(Scripted(PLAN, MORE, "Done.", usage=UsageReported(90_000, 0))).run()
    assert lab.last.ended_by == "The tokens are used up."


async def test_time_is_bounded_and_counted():
    lab = Laboratory(Scripted(PLAN, MORE, "Done."))
    lab.bench = replace(lab.bench, keep=lambda _: pass_time(lab, 500))
    await lab.run()
    assert lab.last.ended_by == "The time is used up."
    assert lab.last.spent.seconds >= 500


async def pass_time(lab, seconds):
    lab.time += seconds


async def test_a_verdict_that_cannot_be_read_ends_the_searching_and_says_so():
    lab = await Laboratory(Scripted(PLAN, "Fine!", "Done.")).run()
    judged = [event.step for event in lab.events if isinstance(event, StepFinished)][-2]
    assert (judged.kind, judged.status) == (StepKind.JUDGE, StepStatus.DEGRADED)
    assert "could not be read" in judged.detail
    assert lab.answer == "Done."


async def test_the_person_starts_an_edited_plan():
    lab = Laboratory(Scripted(PLAN, ENOUGH, "Done."), confirms=True)
    async with aclosing(research(lab.state, lab.bench)) as events:
        async for event in events:
            lab.take(event)
            if isinstance(event, ResearchChanged) and event.research.phase is Phase.PLANNED:
                assert lab.looked_up == []
                asyncio.get_running_loop().call_soon(
                    lab.control.take, StartPlan(Plan(("mine",), (Query("my query"),)))
                )
    assert lab.looked_up == [("duckduckgo", ("my query",))]
    assert lab.last.plan.needs == ("mine",)


async def test_a_pause_waits_between_rounds_and_costs_no_time():
    lab = Laboratory(Scripted(PLAN, MORE, ENOUGH, "Done."))
    async with aclosing(research(lab.state, lab.bench)) as events:
        async for event in events:
            lab.take(event)
            if not isinstance(event, ResearchChanged):
                continue
            if event.research.phase is Phase.SEARCHING and event.research.spent.rounds == 1:
                lab.control.take(Pause())
            if event.research.phase is Phase.PAUSED:
                assert lab.control.is_paused
                lab.time += 10_000
                asyncio.get_running_loop().call_soon(lab.control.take, Resume())
    assert lab.last.phase is Phase.DONE
    assert lab.last.spent.seconds < 10_000


async def test_what_the_person_adds_is_read_to_the_model_from_then_on():
    lab = Laboratory(Scripted(PLAN, MORE, ENOUGH, "Done."))
    async with aclosing(research(lab.state, lab.bench)) as events:
        async for event in events:
            lab.take(event)
            if isinstance(event, SourcesAdded):
                lab.control.take(Remark("only stone bridges"))
    assert lab.last.asides == ("only stone bridges",) * 3
    assert "only stone bridges" in lab.model.requests[1].messages[1].text
    assert "only stone bridges" in lab.model.requests[-1].messages[1].text


async def test_the_answer_can_be_had_early():
    lab = Laboratory(Scripted(PLAN, MORE, "Early."))
    lab.control.take(AnswerNow())
    await lab.run()
    assert lab.last.spent.rounds == 1
    assert lab.last.ended_by == "You asked for the answer."
    assert lab.answer == "Early."


@pytest.mark.parametrize("deaths", range(4))
async def test_it_goes_on_from_where_it_died(deaths):
    texts = [PLAN, MORE, ENOUGH, "Done."]
    dying = Laboratory(Scripted(*texts[:deaths], ProviderDown(provider="X", detail="")))
    with pytest.raises(ProviderDown):
        await dying.run()
    state = dying.saved[-1] if dying.saved else dying.state
    lab = await Laboratory(Scripted(*texts[deaths:]), ledger=dying.bench.ledger).run(state)
    assert lab.answer == "Done."
    assert dying.looked_up + lab.looked_up == [
        ("duckduckgo", ("first",)),
        ("wikipedia", ("second",)),
        ("duckduckgo", ("third",)),
    ]
    assert lab.last.spent.rounds == 2


async def test_more_than_the_model_can_read_at_once_is_read_in_parts():
    lab = Laboratory(Scripted(PLAN, ENOUGH, ENOUGH, "Done."), context_tokens=2_000)
    lab.text = "word " * 700
    await lab.run()
    readings = [request.messages[1].text for request in lab.model.requests[1:3]]
    assert ['number="1"' in readings[0], 'number="2"' in readings[0]] == [True, False]
    assert ['number="1"' in readings[1], 'number="2"' in readings[1]] == [False, True]


async def test_a_source_that_fits_into_no_request_is_cut():
    lab = Laboratory(Scripted(PLAN, ENOUGH, ENOUGH, "Done."), context_tokens=2_000)
    lab.text = "word " * 70_000
    await lab.run()
    assert all(len(request.messages[1].text) < 10_000 for request in lab.model.requests[1:3])


async def test_without_a_model_one_round_is_searched_and_the_quotes_come_from_all_sources():
    lab = await Laboratory(Scripted("Quoted [1]."), model_id=QUOTES_MODEL).run()
    assert lab.looked_up == [("duckduckgo", ("Which is longer?",)), ("wikipedia", ("Which is longer?",))]
    assert [source.number for source in lab.model.requests[0].references] == [1]
    assert "no model" in lab.last.ended_by
    assert lab.answer == "Quoted [1]."


async def test_closing_stops_it():
    started = asyncio.Event()

    async def forever(_intent, _where):
        started.set()
        await asyncio.Event().wait()
        yield Gathered()

    lab = Laboratory(Scripted(PLAN))
    lab.bench = replace(lab.bench, look_up=forever)
    task = asyncio.create_task(lab.run())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert lab.last.plan.queries == (Query("first"), Query("second", Place.WIKIPEDIA))
