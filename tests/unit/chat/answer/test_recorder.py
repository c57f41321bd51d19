"""An answer without end: it is cut where it is full, closed, kept, and the user is told."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from desktop.chat.answer_recorder import (
    PIECE_CHARS,
    REASONING_CHARS,
    TEXT_CHARS,
    AnswerRecorder,
    AnswerTimer,
    limit_output,
)
from desktop.chat.step_log import StepLog
from desktop.domain.events import StepFinished, StepStarted, ThinkingEnded, TurnFinished
from desktop.domain.messages import (
    AnswerCost,
    Message,
    MessageStatus,
    Speaker,
    Step,
    StepKind,
    StepStatus,
    TokenPrice,
)
from desktop.domain.models import FinishReason, Price, ReasoningDelta, StreamEnded, TextDelta, UsageReported
from desktop.domain.privacy import Channel, EgressEvent
from desktop.phrases import localize
from desktop.settings import egress
from tests.cases import cases
from tests.turns import ask, emitting
from tests.unit.chat.turn.test_runner import loop_context

USAGE = UsageReported(input_tokens=1_000_000, output_tokens=10_000)
STEP = StepStarted(Step(1, StepKind.TOOL))


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


def after(watch, clock, *timed):
    told = []
    for seconds, event in timed:
        clock.now += seconds
        told.append(watch.note(event))
    return [event for event in told if event is not None]


def test_thought_is_timed_until_something_else_comes():
    clock = Clock()
    watch = AnswerTimer(clock=clock)
    told = after(
        watch,
        clock,
        (5, ReasoningDelta("a")),
        (2, ReasoningDelta("b")),
        (1, UsageReported()),
        (1, TextDelta("c")),
        (7, TextDelta("d")),
    )
    assert told == [ThinkingEnded(4.0)]
    assert watch.measure(None) == AnswerCost(seconds=16.0, thinking_s=4.0)


def test_thoughts_between_tools_add_up_and_one_that_is_cut_off_counts():
    clock = Clock()
    watch = AnswerTimer(clock=clock)
    told = after(watch, clock, (0, ReasoningDelta("a")), (3, STEP), (9, ReasoningDelta("b")), (2, STEP))
    assert told == [ThinkingEnded(3.0), ThinkingEnded(5.0)]
    after(watch, clock, (1, ReasoningDelta("c")))
    clock.now += 4
    assert watch.measure(None).thinking_s == 9.0


def test_an_answer_that_goes_on_goes_on_counting():
    clock = Clock()
    watch = AnswerTimer(AnswerCost(10.0, 2.0, 0.5, "EUR"), clock)
    after(watch, clock, (1, ReasoningDelta("a")), (1, TextDelta("b")))
    assert watch.measure(None) == AnswerCost(12.0, 3.0, 0.5, "EUR")


def test_cost_is_known_where_a_price_is():
    watch = AnswerTimer(clock=Clock())
    assert watch.measure(USAGE).cost is None
    watch.price = Price(2.0, 10.0, "CNY")
    assert watch.measure(None).cost is None
    spent = watch.measure(USAGE)
    assert (spent.cost, spent.currency) == (2.1, "CNY")


def test_what_was_sent_has_its_own_part_of_the_cost_and_a_price_for_each_token():
    watch = AnswerTimer(clock=Clock())
    watch.price = Price(2.0, 10.0, "CNY", cached=0.2)
    usage = UsageReported(input_tokens=1_000, output_tokens=50, cached_tokens=500)
    spent = watch.measure(usage)
    assert (spent.input_cost, spent.cost) == (pytest.approx(0.0011), pytest.approx(0.0016))
    answer = Message("a", "c", Speaker.MODEL, "Hi.", datetime.now(UTC), usage=usage, spent=spent)
    assert answer.token_price == TokenPrice(pytest.approx(1.1e-6), "CNY")
    for unknown in (
        replace(answer, usage=None),
        replace(answer, usage=UsageReported()),
        replace(answer, spent=None),
        replace(answer, spent=AnswerCost(1.0, cost=0.5, currency="CNY")),
    ):
        assert unknown.token_price is None
    assert AnswerTimer(spent, Clock()).measure(None) == spent


pytestmark = pytest.mark.anyio


def message(text="", reasoning=""):
    return Message("a", "c", Speaker.MODEL, text, datetime.now(UTC), reasoning=reasoning)


class Endless:
    """Says the same for ever, and knows whether somebody hung up."""

    def __init__(self, *events):
        self.events = events
        self.is_closed = False

    async def stream(self, _request=None):
        try:
            while True:
                for event in self.events:
                    yield event
        finally:
            self.is_closed = True


@cases(
    "delta, limit, words",
    [
        (TextDelta, TEXT_CHARS, "The answer was stopped at the limit of 2000000 characters"),
        (ReasoningDelta, REASONING_CHARS, "its reasoning reached the limit of 1000000 characters"),
    ],
)
async def test_an_endless_answer_ends_full_and_says_so(tmp_path, delta, limit, words):
    model = Endless(delta("abcdefg" * 1000), UsageReported(1, 1))
    async with loop_context(tmp_path) as b:
        b.model = model
        *_, told_of, finished = [event async for event in ask(b.runner, await b.question())]
        assert model.is_closed
        assert isinstance(told_of, StepFinished)
        assert told_of.step.kind is StepKind.ANSWER
        assert told_of.step.status is StepStatus.DEGRADED
        assert words in told_of.step.detail
        assert localize(told_of.step.detail, "zh_CN") != told_of.step.detail
        assert isinstance(finished, TurnFinished)
        assert finished.message.status is MessageStatus.COMPLETE
        full = finished.message.text if delta is TextDelta else finished.message.reasoning
        assert full == ("abcdefg" * limit)[:limit]
        stored = (await b.store.load(finished.message.conversation_id)).messages[-1]
        assert stored == finished.message


async def test_an_answer_that_just_fits_is_whole(tmp_path):
    async with loop_context(tmp_path, TextDelta("x" * TEXT_CHARS), StreamEnded(FinishReason.STOP)) as b:
        *_, last = await b.ask()
        assert len(last.message.text) == TEXT_CHARS
        assert last.message.steps[-1].status is StepStatus.DONE


async def limited(events, message, log):
    seen = []

    async def see(event):
        seen.append(event)

    await limit_output(emitting(events), message, log, see)
    return seen


async def test_what_an_answer_had_before_counts():
    log = StepLog()
    log.start(StepKind.ANSWER)
    model = Endless(TextDelta("xy"))
    events = await limited(model.stream(), message("x" * (TEXT_CHARS - 3)), log)
    assert [event.text for event in events if isinstance(event, TextDelta)] == ["xy", "x"]
    assert log.steps[-1].status is StepStatus.DEGRADED
    events = await limited(model.stream(), message("x" * TEXT_CHARS), log)
    assert events == []


async def test_long_pieces_are_cut_and_nothing_is_lost():
    text = "".join(chr(0x4E00 + index % 1000) for index in range(3 * PIECE_CHARS + 5))

    async def stream():
        yield TextDelta(text)
        yield ReasoningDelta(text)

    events = await limited(stream(), message(), StepLog())
    for kind in (TextDelta, ReasoningDelta):
        pieces = [event.text for event in events if isinstance(event, kind)]
        assert "".join(pieces) == text
        assert max(map(len, pieces)) == PIECE_CHARS


class Sending:
    """A model on another machine, which first lets a page be read."""

    def __init__(self, *hosts):
        self.hosts = hosts

    async def stream(self, _request=None):
        for host, channel in self.hosts:
            egress.require_egress(f"https://{host}/a", channel, 10)
        yield TextDelta("Noon.")


async def test_an_answer_keeps_where_data_was_sent_for_it_and_a_local_one_that_nothing_was(tmp_path):
    api, page = ("api.maker.example", Channel.MODEL), ("tides.example", Channel.READING)
    noted = []
    async with loop_context(tmp_path) as b:
        b.model = Sending(api, page, api, ("127.0.0.1", Channel.MODEL))
        with egress.on(egress.EgressContext(note=noted.append)):
            *_, finished = [event async for event in ask(b.runner, await b.question())]
        assert len(noted) == 3
        answer = finished.message
        assert answer.spent.sent == (EgressEvent(*api, 20), EgressEvent(*page, 10))
        await b.store.add_sent(
            answer.id, [EgressEvent("title.example", Channel.MODEL, 5), EgressEvent(*page, 1)]
        )
        stored = (await b.store.load(answer.conversation_id)).messages[-1]
        assert stored.spent.sent == (
            EgressEvent(*api, 20),
            EgressEvent(*page, 11),
            EgressEvent("title.example", Channel.MODEL, 5),
        )
        b.model = Sending(("127.0.0.1", Channel.MODEL))
        *_, finished = [event async for event in ask(b.runner, await b.question())]
        assert finished.message.spent.sent == ()


def test_what_was_sent_before_the_record_began_is_not_claimed_later():
    old = replace(message("Half"), spent=AnswerCost(3.0))
    crashed = message("Half")
    known = replace(message("Half"), spent=AnswerCost(3.0, sent=()))
    befores = [AnswerRecorder(each, each, None)._sent_before for each in (old, crashed, known, message())]
    assert befores == [None, None, (), ()]
