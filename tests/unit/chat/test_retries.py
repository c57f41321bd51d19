"""A model whose server is busy is asked again before the first word, visibly, within bounds, and not without end."""

import asyncio
from contextlib import aclosing
from dataclasses import replace

import pytest

from desktop.chat import retries
from desktop.chat.api.engine import Question
from desktop.chat.retries import Retries, RetryingModel
from desktop.domain.events import StepFinished, StepStarted, TurnFailed, TurnFinished, TurnStarted
from desktop.domain.messages import MessageStatus, StepKind, StepStatus
from desktop.domain.models import FinishReason, RetryWaits, StreamEnded, TextDelta, UsageReported
from desktop.domain.search import WEB_OFF
from desktop.errors import AppError
from desktop.errors.servers import (
    AuthFailed,
    EmptyAnswer,
    ProviderFailing,
    ProviderNotRunning,
    QuotaExceeded,
    RateLimited,
    ServiceOverloaded,
    StreamBroken,
)
from desktop.services.container import running_services
from desktop.services.window import window_services
from desktop.settings.folders import folders_for
from desktop.settings.model import ChatSettings, ProviderSettings, Settings
from tests.cases import cases
from tests.unit.providers.requests import HELLO, opened
from tests.unit.providers.wire import answering, hanging_up, openai_says, serving, sse, streaming

pytestmark = pytest.mark.anyio

SAID = openai_says("Ada.")
BUSY = answering(503, {"error": {"message": "Busy"}}, Retry_After="0")
OVERLOADED = answering(529, {"error": {"type": "overloaded_error", "message": "Overloaded"}}, Retry_After="0")
LIMITED = answering(429, {"error": {"message": "Slow down"}}, Retry_After="0")


async def _heard(*scripts, retries=None, shows_waits=True):
    """Return what a model says that is behind a server with these scripts, the error, and how often it was asked."""
    events, error = [], None
    async with serving(*scripts) as wire, opened(wire.base_url) as provider:
        model = RetryingModel(provider, retries or Retries())
        try:
            async with aclosing(model.stream(replace(HELLO, shows_waits=shows_waits))) as stream:
                async for event in stream:
                    events.append(event)  # noqa: PERF401 (what comes before an error is kept)
        except AppError as caught:
            error = caught
        return events, error, len(wire.requests)


def _text(events):
    return "".join(event.text for event in events if isinstance(event, TextDelta))


@cases("failing", [BUSY, OVERLOADED, LIMITED, hanging_up(b"")])
async def test_a_failure_that_passes_is_got_over(failing, monkeypatch):
    monkeypatch.setattr(retries, "FIRST_WAIT_S", 0.01)
    events, error, requests = await _heard(failing, failing, streaming(SAID))
    assert (_text(events), error, requests) == ("Ada.", None, 3)
    assert {event.attempt for event in events if isinstance(event, RetryWaits)} == {1, 2}


@cases("failing, kind", [(BUSY, ProviderFailing), (OVERLOADED, ServiceOverloaded), (LIMITED, RateLimited)])
async def test_after_three_retries_the_failure_is_told(failing, kind):
    _events, error, requests = await _heard(failing)
    assert (type(error), requests) == (kind, 4)


async def test_overload_is_called_by_its_name():
    _events, error, _requests = await _heard(OVERLOADED)
    assert "is overloaded" in str(error)


@cases(
    "failing, kind",
    [
        (answering(401, {"error": {"message": "no"}}), AuthFailed),
        (answering(402, {"error": {"message": "no"}}), QuotaExceeded),
        (answering(429, {"error": {"message": "busy"}}, Retry_After="61"), RateLimited),
        (answering(503, {"error": {"message": "busy"}}, Retry_After="3600"), ProviderFailing),
    ],
)
async def test_what_does_not_pass_within_a_minute_is_told_at_once(failing, kind):
    _events, error, requests = await _heard(failing)
    assert (type(error), requests) == (kind, 1)


async def test_waits_together_take_no_longer_than_a_minute(monkeypatch):
    """The second wait of 0.6 would exceed 1, which stands for the minute."""
    monkeypatch.setattr(retries, "MAX_WAIT_S", 1.0)
    _events, error, requests = await _heard(answering(503, {}, Retry_After="0.6"))
    assert (type(error), requests) == (ProviderFailing, 2)


async def test_a_request_whose_waits_are_not_seen_does_not_wait_long():
    _events, error, requests = await _heard(answering(429, {}, Retry_After="20"), shows_waits=False)
    assert (type(error), requests) == (RateLimited, 1)


async def test_a_request_whose_waits_are_not_seen_is_asked_again_after_short_ones():
    events, error, requests = await _heard(BUSY, streaming(SAID), shows_waits=False)
    assert (_text(events), error, requests) == ("Ada.", None, 2)


async def test_cancelling_ends_a_wait_at_once():
    seen = asyncio.Event()

    async def listen(provider):
        async with aclosing(
            RetryingModel(provider, Retries()).stream(replace(HELLO, shows_waits=True))
        ) as events:
            async for event in events:
                if isinstance(event, RetryWaits):
                    seen.set()

    async with serving(answering(503, {}, Retry_After="50")) as wire, opened(wire.base_url) as provider:
        task = asyncio.create_task(listen(provider))
        await seen.wait()
        task.cancel()
        done, _ = await asyncio.wait({task}, timeout=40)
        assert done == {task}


async def test_after_the_first_word_nothing_is_asked_again():
    half = sse({"choices": [{"index": 0, "delta": {"content": "Ada"}}]}, done=False)
    events, error, requests = await _heard(streaming(half, end=b""))
    assert (_text(events), type(error), requests) == ("Ada", StreamBroken, 1)


async def test_nobody_behind_an_address_is_told_at_once():
    async with serving(BUSY) as wire:
        address = wire.base_url
    async with opened(address) as provider:
        with pytest.raises(ProviderNotRunning):
            async for _ in RetryingModel(provider, Retries()).stream(HELLO):
                pass


async def test_counts_before_the_first_word_are_no_word():
    class Model:
        asked = 0

        async def stream(self, _request):
            self.asked += 1
            yield UsageReported(5)
            if self.asked == 1:
                error = StreamBroken(provider="X", detail="")
                error.may_retry, error.retry_after_s = True, 0.0
                raise error
            yield TextDelta("Ada.")
            yield StreamEnded(FinishReason.STOP)

    events = [event async for event in RetryingModel(Model(), Retries()).stream(HELLO)]
    assert _text(events) == "Ada."


async def _turn(tmp_path, wire, on_event=None):
    """Ask through the whole engine; return the events."""
    provider = ProviderSettings("far", "Far", "openai", wire.base_url, needs_key=False, models=("seeing",))
    events = []
    async with running_services(folders_for(tmp_path)) as rooms:
        await rooms.preferences.save(Settings(providers=(provider,), chat=ChatSettings(model="far/seeing")))
        info = await rooms.store.create()
        question = Question("Who?", info.id, "far/seeing", web=WEB_OFF)
        async with aclosing(window_services(rooms).turns.ask(question)) as stream:
            async for event in stream:
                events.append(event)
                if on_event is not None:
                    await on_event(rooms, event, events)
    return events


def _posts_only(*scripts):
    """Give the scripts to requests for answers; the list of models is refused, and named by hand."""
    left = list(scripts)

    async def script(connection):
        if connection.request.method == "GET":
            await answering(404, {})(connection)
        else:
            await (left.pop(0) if len(left) > 1 else left[0])(connection)

    return script


async def test_the_wait_is_a_step_with_a_countdown_that_can_be_skipped(tmp_path):
    async def skip(rooms, event, events):
        if isinstance(event, StepStarted) and event.step.kind is StepKind.RETRY:
            answer = next(each.answer for each in events if isinstance(each, TurnStarted))
            await window_services(rooms).turns.skip_wait(answer.id)

    waiting = answering(429, {"error": {"message": "Slow down"}}, Retry_After="50")
    async with serving(_posts_only(waiting, streaming(SAID))) as wire:
        async with asyncio.timeout(40):
            events = await _turn(tmp_path, wire, skip)

    steps = [event.step for event in events if isinstance(event, StepStarted | StepFinished)]
    waits = [step for step in steps if step.kind is StepKind.RETRY]
    assert "Trying again in 50 s (attempt 1 of 3)." in waits[0].detail
    assert waits[-1].status is StepStatus.DEGRADED
    assert isinstance(events[-1], TurnFinished)
    assert events[-1].message.text == "Ada."


async def test_the_wait_can_be_stopped(tmp_path):
    waiting = answering(429, {"error": {"message": "Slow down"}}, Retry_After="50")
    async with serving(_posts_only(waiting)) as wire, running_services(folders_for(tmp_path)) as rooms:
        provider_settings = ProviderSettings(
            "far", "Far", "openai", wire.base_url, needs_key=False, models=("seeing",)
        )
        await rooms.preferences.save(
            Settings(providers=(provider_settings,), chat=ChatSettings(model="far/seeing"))
        )
        info = await rooms.store.create()
        async with asyncio.timeout(40):
            async with aclosing(
                window_services(rooms).turns.ask(Question("Who?", info.id, "far/seeing", web=WEB_OFF))
            ) as events:
                async for event in events:
                    if isinstance(event, StepStarted) and event.step.kind is StepKind.RETRY:
                        break
        conversation = await rooms.store.load(info.id)
    assert conversation.messages[-1].status is MessageStatus.STOPPED


async def test_an_empty_reply_fails_with_its_reason(tmp_path):
    empty = sse({"choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "length"}]})
    async with serving(_posts_only(streaming(empty))) as wire:
        events = await _turn(tmp_path, wire)
    assert isinstance(events[-1], TurnFailed)
    assert events[-1].message.status is MessageStatus.FAILED
    assert "far/seeing did not write an answer. It reached its output limit" in events[-1].message.error
    assert EmptyAnswer.is_transient


async def test_a_conversation_that_is_too_long_is_sent_again_with_less(tmp_path):
    too_long = answering(400, {"error": {"code": "context_length_exceeded", "message": "too long"}})
    async with serving(_posts_only(streaming(SAID), streaming(SAID), too_long, streaming(SAID))) as wire:
        provider = ProviderSettings(
            "far", "Far", "openai", wire.base_url, needs_key=False, models=("seeing",)
        )
        async with running_services(folders_for(tmp_path)) as rooms:
            await rooms.preferences.save(
                Settings(providers=(provider,), chat=ChatSettings(model="far/seeing"))
            )
            info = await rooms.store.create()
            for text in ("First? " + "word " * 300, "Second?", "Third?"):
                question = Question(text, info.id, "far/seeing", web=WEB_OFF)
                async for event in window_services(rooms).turns.ask(question):
                    last = event
    asked = [request.json["messages"] for request in wire.requests if request.method == "POST"]
    sizes = [sum(len(str(message["content"])) for message in messages) for messages in asked]
    assert isinstance(last, TurnFinished)
    assert last.message.text == "Ada."
    assert sizes[-1] < sizes[-2]
