"""When a watched topic is due: after its interval, once for all missed runs, and not at once after a failure."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from desktop.domain.topics import RETRY_AFTER, Interval, RunState, Topic, TopicRun
from tests.cases import cases

START = datetime(2026, 1, 31, 12, tzinfo=UTC)
TOPIC = Topic("t", "What is new?", Interval.DAILY, START)


def ran(topic, *moments, state=RunState.DONE, tokens=0):
    runs = tuple(TopicRun(str(moment), moment, state, tokens=tokens) for moment in moments)
    return replace(topic, runs=(*topic.runs, *runs))


@cases(
    "interval, due",
    [
        (Interval.HOURLY, START + timedelta(hours=1)),
        (Interval.DAILY, START + timedelta(days=1)),
        (Interval.WEEKLY, START + timedelta(days=7)),
        (Interval.MONTHLY, datetime(2026, 2, 28, 12, tzinfo=UTC)),
    ],
)
def test_a_topic_is_due_at_once_and_then_after_its_interval(interval, due):
    topic = replace(TOPIC, interval=interval)
    assert topic.is_due(START)
    topic = ran(topic, START)
    assert topic.next_run_at() == due
    assert not topic.is_due(due - timedelta(seconds=1))
    assert topic.is_due(due)
    assert not replace(topic, is_paused=True).is_due(due)


def test_missed_runs_are_made_up_for_once():
    back = START + timedelta(days=30)
    topic = ran(TOPIC, START)
    assert topic.is_due(back)
    assert ran(topic, back).next_run_at() == back + timedelta(days=1)


def test_a_failure_is_repeated_later_and_does_not_count_as_a_run():
    topic = ran(ran(TOPIC, START), START + timedelta(days=1), state=RunState.FAILED)
    assert topic.next_run_at() == START + timedelta(days=1) + RETRY_AFTER
    assert ran(TOPIC, START, state=RunState.FAILED).next_run_at() == START + RETRY_AFTER


def test_tokens_are_counted_by_calendar_month():
    topic = ran(TOPIC, START, START + timedelta(days=1), START + timedelta(days=2), tokens=10)
    assert topic.tokens_in_month(START) == 10
    assert topic.tokens_in_month(START + timedelta(days=3)) == 20
