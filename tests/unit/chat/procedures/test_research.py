"""Research plans, searches, judges, and answers from what it found; budgets, pauses and deaths included."""

import asyncio
from contextlib import aclosing
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from desktop.chat.procedures.context import ProcedureContext, ProcedureControl
from desktop.chat.procedures.research import research
from desktop.chat.prompt import PageImageLoader
from desktop.chat.source_lookup import SelectedModel, TokenWindow
from desktop.chat.step_log import StepLog
from desktop.domain.events import (
    ProcedureChanged,
    SourcesAdded,
    StepFinished,
    StepStarted,
    TraceReported,
)
from desktop.domain.knowledge import PagePicture
from desktop.domain.messages import Message, Speaker, Step, StepKind, StepStatus
from desktop.domain.models import (
    QUOTES_MODEL,
    FinishReason,
    ModelRequest,
    StreamEnded,
    TextDelta,
    UsageReported,
)
from desktop.domain.procedures import (
    AnswerNow,
    Depth,
    Finding,
    Pause,
    Phase,
    Plan,
    QualityVerdict,
    Query,
    Research,
    Resume,
    Round,
    SearchTarget,
    StartPlan,
    UserNote,
)
from desktop.domain.sources import Ledger, Passage, SourceKind, source_key
from desktop.domain.trace import Decider, SourceTrace, SourceUse, Trace
from desktop.errors import IndexUnavailable
from desktop.errors.servers import ContextTooLong, ProviderDown
from desktop.search.gather import GatherResult
from desktop.search.passage_selection import trace_passage
from desktop.text.tokens import estimate_tokens
from tests.cases import cases
from tests.turns import discard, run_with

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
        self.control = ProcedureControl()
        self.text = "Some words."
        self.state = Research("Which is longer?", depth)
        self.context = ProcedureContext(
            emit=discard,
            picked=SelectedModel(model, model_id, "m"),
            look_up=self.look_up,
            places=fields.pop("places", (SearchTarget.WEB, SearchTarget.WIKIPEDIA)),
            web="duckduckgo",
            ledger=fields.pop("ledger", None) or Ledger(),
            log=StepLog(),
            keep=self.keep,
            today=date(2026, 1, 2),
            window=TokenWindow(fields.pop("context_tokens", 16_000), 1_000),
            control=self.control,
            clock=lambda: self.time,
            **fields,
        )

    async def look_up(self, intent, where, emit):
        queries = (*intent.web_queries, *intent.knowledge_queries)
        self.looked_up.append((where, queries))
        passages = []
        for number, query in enumerate(queries, 1):
            step = Step(number, StepKind.READ, query)
            await emit(StepStarted(step))
            await emit(StepFinished(replace(step, status=StepStatus.DONE, count=1)))
            passages.append(Passage(SourceKind.WEB, query, self.text, url=f"https://e.org/{query}"))
        found = tuple(SourceTrace(SourceKind.WEB, source_key(passage), passage.title) for passage in passages)
        return GatherResult(tuple(passages), trace=Trace(queries=queries, sources=found))

    async def keep(self, sources):
        self.kept.extend(source.number for source in sources)

    async def run(self, state=None):
        async with aclosing(run_with(self.context, research, state or self.state)) as events:
            async for event in events:
                self.take(event)
        return self

    def take(self, event):
        self.events.append(event)
        if isinstance(event, ProcedureChanged):
            self.saved.append(event.procedure)

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
    assert lab.last.ended_by == "Enough information found."
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


@cases("number, answer_sees", [(1, []), (9, [b"the page"])], ids=["findings", "no findings"])
async def test_pages_of_scans_are_in_sight_where_sources_are_read(number, answer_sees):
    async def look_up(_intent, _where, _emit):
        return GatherResult((Passage(SourceKind.FILE, "Scan", "Words.", document="a" * 64),))

    async def draw(_sha256, _page):
        return PagePicture(b"the page")

    reading = ENOUGH.replace("2", str(number))
    lab = Laboratory(
        Scripted(PLAN, reading, "Yes [1]."),
        places=(SearchTarget.FILES,),
        page_images=PageImageLoader(draw, see=True),
    )
    lab.context = replace(lab.context, look_up=look_up)
    await lab.run()
    shown = [[image.data for image in request.messages[-1].images] for request in lab.model.requests]
    assert shown == [[], [b"the page"], answer_sees]


async def test_sources_are_kept_before_they_are_shown():
    lab = Laboratory(Scripted(PLAN, ENOUGH, "Done."))
    async with aclosing(run_with(lab.context, research, lab.state)) as events:
        async for event in events:
            if isinstance(event, SourcesAdded):
                assert {source.number for source in event.sources} <= set(lab.kept)


@cases("depth, rounds", [(Depth.QUICK, 2), (Depth.BALANCED, 4), (Depth.THOROUGH, 8)])
async def test_rounds_are_bounded(depth, rounds):
    more = [f"<missing>x</missing><query>q{number}</query>" for number in range(rounds)]
    lab = await Laboratory(Scripted(PLAN, *more, "Done."), depth=depth).run()
    assert lab.last.spent.rounds == rounds
    assert lab.last.ended_by == "The round limit was reached."
    assert lab.answer == "Done."


async def test_tokens_are_bounded():
    lab = await Laboratory(Scripted(PLAN, MORE, "Done.", usage=UsageReported(90_000, 0))).run()
    assert lab.last.ended_by == "The token limit was reached."


async def test_time_is_bounded_and_counted():
    lab = Laboratory(Scripted(PLAN, MORE, "Done."))
    lab.context = replace(lab.context, keep=lambda _: pass_time(lab, 500))
    await lab.run()
    assert lab.last.ended_by == "The time limit was reached."
    assert lab.last.spent.seconds >= 500


async def test_a_model_that_writes_on_when_the_time_is_up_is_not_waited_for():
    lab = Laboratory(Scripted(PLAN), depth=Depth.QUICK)

    class Endless(Scripted):
        async def stream(self, request):
            if len(self.requests) == 1:
                self.requests.append(request)
                yield TextDelta('<information source="1">One.</information>')
                while True:
                    lab.time += 10
                    yield TextDelta("and so on ")
            async with aclosing(super().stream(request)) as events:
                async for event in events:
                    yield event

    model = Endless(PLAN, "Done.")
    lab.model = model
    lab.context = replace(lab.context, picked=replace(lab.context.picked, model=model))
    await lab.run()
    assert [finding.text for finding in lab.last.findings] == ["One."]
    assert lab.last.ended_by == "The model’s assessment couldn’t be read."
    assert 180 <= lab.last.spent.seconds < 300
    assert lab.answer == "Done."


async def pass_time(lab, seconds):
    lab.time += seconds


async def test_a_verdict_that_cannot_be_read_ends_the_searching_and_says_so():
    lab = await Laboratory(Scripted(PLAN, "Fine!", "Done.")).run()
    steps = [event.step for event in lab.events if isinstance(event, StepFinished)]
    judged = next(step for step in steps if step.kind is StepKind.JUDGE)
    assert judged.status is StepStatus.DEGRADED
    assert "couldn’t be read" in judged.detail
    assert lab.last.ended_by == "The model’s assessment couldn’t be read."
    assert lab.answer == "Done."


async def test_without_findings_the_answer_is_written_from_the_sources_and_says_so():
    lab = await Laboratory(Scripted(PLAN, "<nonsense><<", "Done [1].")).run()
    steps = [event.step for event in lab.events if isinstance(event, StepFinished)]
    told = next(step for step in steps if step.kind is StepKind.CONTEXT)
    assert "Nothing was extracted" in told.detail
    last = lab.model.requests[-1]
    assert [source.number for source in last.references] == [1, 2]
    assert "Some words." in last.messages[-1].text
    assert lab.answer == "Done [1]."


async def test_a_source_larger_than_the_window_is_cut_for_the_answer_rather_than_left_out():
    lab = Laboratory(Scripted(PLAN, "nonsense", "nonsense", "Done."), context_tokens=2_000)
    lab.text = "word " * 70_000
    await lab.run()
    assert lab.model.requests[-1].references
    assert estimate_tokens(lab.model.requests[-1].messages[-1].text) < 2_000


async def test_the_places_of_a_round_are_asked_side_by_side_and_numbered_in_their_order():
    both = asyncio.Barrier(2)

    lab = Laboratory(Scripted(PLAN, ENOUGH, "Done."))
    look_up = lab.look_up

    async def together(intent, where, emit):
        await both.wait()
        if where == "duckduckgo":
            await asyncio.sleep(0)
        return await look_up(intent, where, emit)

    lab.context = replace(lab.context, look_up=together)
    await asyncio.wait_for(lab.run(), 20)
    assert [source.title for source in lab.context.ledger.sources] == ["first", "second"]


async def test_a_place_that_fails_is_a_failed_step_and_the_others_go_on():
    lab = Laboratory(Scripted(PLAN, ENOUGH, "Done."))
    look_up = lab.look_up

    async def failing(intent, where, emit):
        if where == "wikipedia":
            raise IndexUnavailable(detail="gone")
        return await look_up(intent, where, emit)

    lab.context = replace(lab.context, look_up=failing)
    await lab.run()
    failed = [step for step in lab.context.log.steps if step.status is StepStatus.FAILED]
    assert [(step.kind, step.subject) for step in failed] == [(StepKind.SEARCH, "second")]
    assert lab.answer == "Done."


async def test_the_answer_wanted_breaks_off_what_still_searches_and_keeps_what_was_found():
    lab = Laboratory(Scripted(PLAN, "Early."))
    look_up = lab.look_up

    async def half(intent, where, emit):
        if where == "wikipedia":
            await emit(StepStarted(Step(1, StepKind.SEARCH, "second")))
            await asyncio.Event().wait()
        return await look_up(intent, where, emit)

    lab.context = replace(lab.context, look_up=half)
    async with aclosing(run_with(lab.context, research, lab.state)) as events:
        async for event in events:
            lab.take(event)
            if isinstance(event, SourcesAdded):
                lab.control.take(AnswerNow())
    assert lab.answer == "Early."
    assert lab.last.rounds[0].sources == (1,)
    assert lab.last.ended_by == "You requested the answer."
    assert all(step.status is not StepStatus.RUNNING for step in lab.context.log.steps)


@cases("said", ["", "<information sources='1'>It is long.</information> And"])
async def test_the_answer_wanted_does_not_wait_for_a_model_that_still_reads(said):
    closed = []

    class Slow(Scripted):
        async def stream(self, request):
            if len(self.requests) != 1:
                async for event in super().stream(request):
                    yield event
                return
            self.requests.append(request)
            try:
                if said:
                    yield TextDelta(said)
                lab.control.take(AnswerNow())
                await asyncio.Event().wait()
            finally:
                closed.append(request)

    lab = Laboratory(Slow(PLAN, "Early."))
    await lab.run()
    assert lab.answer == "Early."
    assert len(closed) == 1
    assert len(lab.last.rounds[0].findings) == bool(said)
    assert lab.last.ended_by == "You requested the answer."
    (judged,) = (step for step in lab.context.log.steps if step.kind is StepKind.JUDGE)
    assert judged.detail == "Stopped because you requested the answer."


async def test_stopping_closes_the_model_that_reads():
    began, closed = asyncio.Event(), []

    class Silent(Scripted):
        async def stream(self, request):
            if not self.requests:
                async for event in super().stream(request):
                    yield event
                return
            try:
                began.set()
                await asyncio.Event().wait()
                yield TextDelta("")
            finally:
                closed.append(request)

    lab = Laboratory(Silent(PLAN))
    running = asyncio.create_task(lab.run())
    await began.wait()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert len(closed) == 1


async def test_the_record_tells_of_every_round():
    lab = Laboratory(Scripted(PLAN, MORE, ENOUGH, "Done."))
    kept = []

    async def keep_trace(trace):
        kept.append(trace)

    lab.context = replace(lab.context, keep_trace=keep_trace)
    await lab.run()
    told = [event.trace for event in lab.events if isinstance(event, TraceReported)]
    assert told == kept
    assert kept[-1].queries == ("first", "second", "third")
    assert [source.number for source in kept[-1].sources] == [1, 2, 3]
    assert kept[-1].decider is Decider.MODEL


async def test_a_model_that_finds_the_sources_too_long_is_given_less_at_a_time():
    too_long = ContextTooLong(provider="X", detail="")
    lab = Laboratory(Scripted(PLAN, too_long, ENOUGH, ENOUGH, "Done."), context_tokens=4_000)
    lab.text = "word " * 700
    await lab.run()
    asked = [request.messages[1].text.count("<source ") for request in lab.model.requests[1:4]]
    assert asked == [2, 1, 1]
    judged = next(step for step in lab.context.log.steps if step.kind is StepKind.JUDGE)
    assert "too long" in judged.detail
    assert lab.answer == "Done."


async def test_an_answer_request_that_is_too_long_is_sent_once_more_with_less():
    too_long = ContextTooLong(provider="X", detail="")
    lab = Laboratory(Scripted(PLAN, "nonsense", too_long, "Done."), context_tokens=4_000)
    lab.text = "word " * 700
    await lab.run()
    sizes = [len(request.messages[-1].text) for request in lab.model.requests[-2:]]
    assert sizes[0] > sizes[1]
    assert lab.answer == "Done."


async def test_a_model_that_takes_nothing_fails_in_the_end():
    lab = Laboratory(Scripted(PLAN, *[ContextTooLong(provider="X", detail="")] * 10), context_tokens=4_000)
    with pytest.raises(ContextTooLong):
        await lab.run()


async def test_near_the_end_of_the_tokens_a_round_reads_less_and_says_so():
    lab = Laboratory(Scripted(PLAN, ENOUGH, "Done.", usage=UsageReported(39_500, 0)), depth=Depth.QUICK)
    lab.text = "word " * 700
    await lab.run()
    judged = next(step for step in lab.context.log.steps if step.kind is StepKind.JUDGE)
    assert "not read because" in judged.detail
    assert lab.model.requests[1].messages[1].text.count("<source ") == 1


async def test_a_round_that_broke_off_in_the_middle_is_searched_again():
    lab = Laboratory(Scripted(ENOUGH, "Done."))
    queries = (Query("first"), Query("second", SearchTarget.WIKIPEDIA))
    state = replace(
        lab.state,
        phase=Phase.SEARCHING,
        plan=Plan((), queries),
        rounds=(Round(queries, is_searched=False),),
    )
    await lab.run(state)
    assert lab.looked_up == [("duckduckgo", ("first",)), ("wikipedia", ("second",))]
    assert lab.last.spent.rounds == 1
    assert len(lab.last.rounds) == 1


async def test_what_broke_off_while_it_was_planned_is_a_research_and_still_waits_for_the_person():
    dying = Laboratory(Scripted(ProviderDown(provider="X", detail="")))
    dying.state = replace(dying.state, confirms=True)
    with pytest.raises(ProviderDown):
        await dying.run()
    assert dying.last.phase is Phase.PLANNING
    lab = Laboratory(Scripted(PLAN, ENOUGH, "Done."))
    lab.control.take(StartPlan(Plan((), (Query("mine"),))))
    await lab.run(dying.last)
    assert lab.looked_up == [("duckduckgo", ("mine",))]


async def test_what_was_paused_when_the_program_ended_goes_on():
    lab = Laboratory(Scripted(ENOUGH, "Done."))
    done = Round((Query("first"),), verdict=QualityVerdict(missing="more", queries=(Query("third"),)))
    state = replace(lab.state, phase=Phase.PAUSED, plan=Plan((), (Query("first"),)), rounds=(done,))
    await lab.run(state)
    assert lab.looked_up == [("duckduckgo", ("third",))]
    assert lab.saved[0].phase is Phase.SEARCHING
    assert lab.last.phase is Phase.DONE


async def test_an_answer_that_broke_off_is_continued():
    lab = Laboratory(Scripted(" rest."))
    found = Round(
        (Query("first"),), findings=(Finding("One.", (1,)),), verdict=QualityVerdict(is_enough=True)
    )
    lab.context = replace(lab.context, answer_so_far="The")
    state = replace(lab.state, phase=Phase.WRITING, plan=Plan((), (Query("first"),)), rounds=(found,))
    await lab.run(state)
    request = lab.model.requests[0]
    assert [message.role for message in request.messages] == ["system", "user", "assistant", "user"]
    assert request.messages[2].text == request.answer_so_far == "The"
    assert lab.answer == " rest."


async def test_a_plan_of_the_person_s_that_cannot_be_asked_is_mended():
    lab = Laboratory(Scripted(ENOUGH, "Done."), places=(SearchTarget.WIKIPEDIA,))
    planned = replace(lab.state, phase=Phase.PLANNED, plan=Plan((), (Query("x"),)))
    lab.control.take(StartPlan(Plan((), (Query("a"), Query(" "), Query("a")))))
    await lab.run(planned)
    assert lab.last.rounds[0].queries == (Query("a", SearchTarget.WIKIPEDIA),)
    empty = Laboratory(Scripted(ENOUGH, "Done."))
    empty.control.take(StartPlan(Plan()))
    await empty.run(planned)
    assert empty.last.rounds[0].queries == (Query("Which is longer?"),)


async def test_the_person_starts_an_edited_plan():
    lab = Laboratory(Scripted(PLAN, ENOUGH, "Done."))
    lab.state = replace(lab.state, confirms=True)
    async with aclosing(run_with(lab.context, research, lab.state)) as events:
        async for event in events:
            lab.take(event)
            if isinstance(event, ProcedureChanged) and event.procedure.phase is Phase.PLANNED:
                assert lab.looked_up == []
                asyncio.get_running_loop().call_soon(
                    lab.control.take, StartPlan(Plan(("mine",), (Query("my query"),)))
                )
    assert lab.looked_up == [("duckduckgo", ("my query",))]
    assert lab.last.plan.needs == ("mine",)


async def test_a_pause_waits_between_rounds_and_costs_no_time():
    lab = Laboratory(Scripted(PLAN, MORE, ENOUGH, "Done."))
    async with aclosing(run_with(lab.context, research, lab.state)) as events:
        async for event in events:
            lab.take(event)
            if not isinstance(event, ProcedureChanged):
                continue
            if event.procedure.phase is Phase.SEARCHING and event.procedure.spent.rounds == 1:
                lab.control.take(Pause())
            if event.procedure.phase is Phase.PAUSED:
                assert lab.control.is_paused
                lab.time += 10_000
                asyncio.get_running_loop().call_soon(lab.control.take, Resume())
    assert lab.last.phase is Phase.DONE
    assert lab.last.spent.seconds < 10_000


async def remembers(emit):
    step = Step(1, StepKind.MEMORY, "Which is longer?")
    await emit(StepStarted(step))
    await emit(StepFinished(replace(step, status=StepStatus.DONE, count=1)))
    fact = Passage(SourceKind.MEMORY, "You said", "I measure in miles.", document="m1")
    return GatherResult((fact,), trace=Trace(sources=(trace_passage(fact, SourceUse.GIVEN),)))


async def test_what_is_remembered_is_for_the_answer_and_for_nobody_who_writes_queries():
    model = Scripted(
        PLAN, MORE, '<information source="4">7 km.</information><verdict>enough</verdict>', "In miles [1]."
    )
    lab = await Laboratory(model, recall=remembers).run()
    *writers, answer = ("\n".join(message.text for message in request.messages) for request in model.requests)
    assert len(writers) == 3
    assert not any("miles" in asked or "memory" in asked for asked in writers)
    assert "asked to remember, in an earlier conversation: I measure in miles. [1]" in answer
    assert "- 7 km. [4]" in answer
    assert lab.last.remembered == (1,)
    assert 1 not in lab.last.rounds[0].sources
    assert lab.kept[0] == 1
    first = next(event.trace for event in lab.events if isinstance(event, TraceReported))
    assert [source.kind for source in first.sources] == [SourceKind.MEMORY]
    assert "miles" not in str(lab.looked_up)


async def test_a_plan_that_names_what_an_earlier_answer_knew_from_memory_goes_without():
    fact = Passage(SourceKind.MEMORY, "You said", "I live in Lisbon.", document="m1")
    ledger, other = Ledger(), Ledger()
    for each in (ledger, other):
        each.register([fact])
    places = (SearchTarget.WEB, SearchTarget.FILES)
    told = Message("m", "c", Speaker.MODEL, "You live in Lisbon [1].", datetime.now(UTC))
    plan = '<plan><query>hotels Lisbon</query><query>hotels</query><query place="files">my flat in Lisbon</query>'
    lab = Laboratory(Scripted(plan, ENOUGH, "Done."), ledger=ledger, history=(told,), places=places)
    await lab.run()
    asked = [query.text for query in lab.last.rounds[0].queries]
    assert asked == ["hotels", "my flat in Lisbon"]
    details = [event.step.detail for event in lab.events if isinstance(event, StepFinished)]
    assert "1 query left out because it contains private details from your memories or files." in details
    only = Laboratory(Scripted("<plan><query>hotels Lisbon</query>", ENOUGH, "Done."), ledger=other)
    await only.run()
    assert [query.text for query in only.last.rounds[0].queries] == [only.state.question]


async def test_where_nothing_is_found_out_the_answer_still_knows_what_is_remembered():
    model = Scripted(PLAN, "<verdict>enough</verdict>", "In miles [1].")
    await Laboratory(model, recall=remembers).run()
    answer = "\n".join(message.text for message in model.requests[-1].messages)
    assert '<source number="1" kind="memory"' in answer
    assert '<source number="2"' in answer


async def test_what_was_remembered_is_not_looked_for_again_after_a_death():
    model = Scripted(PLAN, ProviderDown(provider="X", detail=""))
    lab = Laboratory(model, recall=remembers)
    with pytest.raises(ProviderDown):
        await lab.run()
    again = Laboratory(Scripted(ENOUGH, "Done [2]."), ledger=lab.context.ledger, recall=remembers)
    await again.run(lab.last)
    assert again.last.remembered == (1,)
    assert not any(
        isinstance(event, StepStarted) and event.step.kind is StepKind.MEMORY for event in again.events
    )


async def test_what_the_person_adds_is_read_to_the_model_from_then_on():
    lab = Laboratory(Scripted(PLAN, MORE, ENOUGH, "Done."))
    async with aclosing(run_with(lab.context, research, lab.state)) as events:
        async for event in events:
            lab.take(event)
            if isinstance(event, SourcesAdded):
                lab.control.take(UserNote("only stone bridges"))
    assert lab.last.asides == ("only stone bridges",) * 3
    assert "only stone bridges" in lab.model.requests[1].messages[1].text
    assert "only stone bridges" in lab.model.requests[-1].messages[1].text


async def test_the_answer_can_be_had_early():
    lab = Laboratory(Scripted(PLAN, "Early."))
    lab.control.take(AnswerNow())
    await lab.run()
    assert lab.last.spent.rounds == 1
    assert lab.last.ended_by == "You requested the answer."
    assert lab.answer == "Early."


@cases("deaths", range(4))
async def test_it_goes_on_from_where_it_died(deaths):
    texts = [PLAN, MORE, ENOUGH, "Done."]
    dying = Laboratory(Scripted(*texts[:deaths], ProviderDown(provider="X", detail="")))
    with pytest.raises(ProviderDown):
        await dying.run()
    state = dying.saved[-1] if dying.saved else dying.state
    lab = await Laboratory(Scripted(*texts[deaths:]), ledger=dying.context.ledger).run(state)
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
    assert lab.looked_up == [("duckduckgo", ("Which is longer?",)), ("wikipedia", ("longer",))]
    assert [source.number for source in lab.model.requests[0].references] == [1, 2]
    assert "No model" in lab.last.ended_by
    assert lab.answer == "Quoted [1]."


async def test_closing_stops_it():
    started = asyncio.Event()

    async def forever(_intent, _where, _emit):
        started.set()
        await asyncio.Event().wait()

    lab = Laboratory(Scripted(PLAN))
    lab.context = replace(lab.context, look_up=forever)
    task = asyncio.create_task(lab.run())
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert lab.last.plan.queries == (Query("first"), Query("second", SearchTarget.WIKIPEDIA))
