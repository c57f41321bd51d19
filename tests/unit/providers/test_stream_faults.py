"""Faults of streams, over all protocols: the text so far is kept, and one clear error says what happened."""

import json

import pytest

from desktop.errors.servers import (
    AuthFailed,
    ContextTooLong,
    ModelNotFound,
    ProviderDown,
    ProviderError,
    ProviderFailing,
    ProviderGarbage,
    ProviderNotRunning,
    ProviderTimedOut,
    QuotaExceeded,
    RateLimited,
    RequestRejected,
    ServiceOverloaded,
    StreamBroken,
)
from desktop.providers import transport
from desktop.providers.transport import Timeouts
from tests.cases import cases
from tests.unit.providers.faults import COMPLETE, HALF, KINDS, TEXT, faults, tried
from tests.unit.providers.requests import HELLO, KEY, ask, opened
from tests.unit.providers.wire import (
    SSE_HEAD,
    answering,
    chunk,
    hanging_up,
    serving,
    stalling,
    streaming,
)

pytestmark = pytest.mark.anyio


every_kind = cases("kind", KINDS)


async def answer_to(script, kind, **options):
    async with serving(script) as wire, opened(wire.base_url, kind, **options) as provider:
        answer = await ask(provider)
    assert len(wire.requests) <= 1, "nothing is sent again behind the user's back"
    if answer.error is not None:
        assert isinstance(answer.error, ProviderError)
        assert KEY not in str(answer.error)
        assert answer.error.__cause__ is None, "no SDK exception leaves the room"
    return answer


def said(message, **fields):
    return {"type": "error", "error": {"message": message, **fields}}


REFUSALS = {
    "wrong key": (401, said(f"Incorrect API key provided: {KEY}"), {}, AuthFailed),
    "not allowed": (403, said("No."), {}, AuthFailed),
    "no credit": (402, said("Insufficient Balance"), {}, QuotaExceeded),
    "quota": (429, said("Quota.", code="insufficient_quota", type="insufficient_quota"), {}, QuotaExceeded),
    "unknown model": (404, said("The model `m-1` does not exist."), {}, ModelNotFound),
    "rate limit": (429, said("Slowly."), {"Retry_After": "3"}, RateLimited),
    "too long": (400, said("prompt is too long: 9 tokens > 8 maximum"), {}, ContextTooLong),
    "too large": (413, said("Request too large"), {}, ContextTooLong),
    "bad request": (400, said("messages: field required"), {}, RequestRejected),
    "teapot": (418, "", {}, RequestRejected),
    "server error": (500, said("Oops."), {}, ProviderFailing),
    "bad gateway": (502, "<html><title>502 Bad Gateway</title></html>", {}, ProviderFailing),
    "overloaded": (529, said("Overloaded", type="overloaded_error"), {}, ServiceOverloaded),
    "redirect": (307, "", {"Location": "https://elsewhere.invalid/v1"}, ModelNotFound),
    "web page": (200, "<html><title>Log in</title></html>", {}, ProviderGarbage),
    "another protocol": (200, {"hello": "world"}, {}, ProviderGarbage),
    "a list": (200, [1, 2, 3], {}, ProviderGarbage),
    "broken JSON": (200, b'{"choices": [', {"Content_Type": "application/json"}, ProviderGarbage),
    "empty": (200, "", {"Content_Type": "text/event-stream"}, ProviderGarbage),
    "binary": (200, bytes(range(256)), {"Content_Type": "text/event-stream"}, ProviderGarbage),
    "not gzip": (
        200,
        "plain",
        {"Content_Encoding": "gzip", "Content_Type": "text/event-stream"},
        ProviderGarbage,
    ),
}


@every_kind
@cases("fault", REFUSALS)
async def test_answers_that_are_none(fault, kind):
    status, body, headers, error = REFUSALS[fault]

    answer = await answer_to(answering(status, body, **headers), kind)

    assert type(answer.error) is error
    assert (answer.text, answer.reason) == ("", None)
    if error is RateLimited:
        assert answer.error.retry_after_s == 3


@every_kind
@cases(
    "address, error",
    [
        ("http://127.0.0.1:1/v1", ProviderNotRunning),
        ("http://no-such-host.invalid/v1", ProviderDown),
        ("no address at all", ModelNotFound),
        ("ftp://127.0.0.1/v1", ModelNotFound),
    ],
)
async def test_servers_that_are_not_there(address, error, kind):
    async with opened(address, kind) as provider:
        answer = await ask(provider)
        with pytest.raises(error):
            await provider.models()

    assert type(answer.error) is error


@every_kind
@cases(
    "first", [b"", b"HTTP/1.1 200 OK\r\nContent-Ty", b"SSH-2.0-OpenSSH_9.6\r\n"], ids=["no", "half", "other"]
)
async def test_a_connection_that_dies_before_the_answer(first, kind):
    answer = await answer_to(hanging_up(first), kind)

    assert type(answer.error) is ProviderDown


@every_kind
@cases("lost", [1, 2, 3, 5, 9, 30])
async def test_a_connection_that_dies_inside_a_chunk(lost, kind):
    whole = chunk(HALF[kind]) + chunk(COMPLETE[kind])
    answer = await answer_to(
        hanging_up(SSE_HEAD, chunk(HALF[kind]), whole[len(chunk(HALF[kind])) : -lost]), kind
    )

    assert answer.text.startswith("half")
    assert answer.error is None or type(answer.error) is StreamBroken


@every_kind
async def test_an_answer_cut_at_every_byte_is_kept_to_the_cut(kind):
    data = COMPLETE[kind]
    for cut_at in range(0, len(data), 23):
        answer = await answer_to(streaming(data[:cut_at], end=b""), kind)

        assert TEXT.startswith(answer.text)
        if answer.error is None:
            assert answer.text == TEXT
        else:
            assert isinstance(answer.error, StreamBroken | ProviderGarbage)


GARBAGE = {
    "broken JSON": b'data: {"choices": [\n\n',
    "a number": b"data: 5\n\n",
    "a text": b'data: "x"\n\n',
    "a list": b"data: []\n\n",
    "wrong types": b'data: {"choices": 5, "type": 5}\n\n',
    "not UTF-8": b"data: \xff\xfe\n\n",
    "nested": b"data: " + b"[" * 100_000 + b"\n\n",
}


@every_kind
@cases("fault", GARBAGE)
async def test_garbage_in_the_middle(fault, kind):
    event = b"event: content_block_delta\n" if kind == "anthropic" else b""
    data = HALF[kind] + event + GARBAGE[fault]

    answer = await answer_to(streaming(data), kind)

    assert answer.text == "half"
    assert type(answer.error) is ProviderGarbage


@every_kind
@cases(
    "body, error",
    [
        ({"error": {"message": "Slowly.", "type": "rate_limit_error", "code": 429}}, RateLimited),
        ({"error": {"message": "Upstream died.", "code": 502}}, ProviderFailing),
        (
            {"error": {"message": "maximum context length is 8", "type": "invalid_request_error"}},
            ContextTooLong,
        ),
        ({"error": "just a text"}, ProviderFailing),
        ({"message": "Quota.", "code": "insufficient_quota", "type": "error"}, QuotaExceeded),
    ],
)
async def test_an_error_event_in_the_middle(body, error, kind):
    data = HALF[kind] + f"event: error\ndata: {json.dumps(body)}\n\n".encode()

    answer = await answer_to(streaming(data), kind)

    assert answer.text == "half"
    assert type(answer.error) is error


@every_kind
async def test_a_server_that_never_answers(kind):
    answer = await answer_to(stalling(), kind, timeouts=Timeouts(2, 0.2, 0.2))

    assert type(answer.error) is ProviderTimedOut


@every_kind
async def test_a_stream_that_never_begins(kind):
    answer = await answer_to(stalling(SSE_HEAD), kind, timeouts=Timeouts(2, 0.3, 0.1))

    assert type(answer.error) is ProviderTimedOut


@every_kind
async def test_a_stream_that_stalls(kind):
    answer = await answer_to(stalling(SSE_HEAD, chunk(HALF[kind])), kind, timeouts=Timeouts(2, 9, 0.2))

    assert answer.text == "half"
    assert type(answer.error) is ProviderTimedOut


@every_kind
async def test_a_slow_start_is_borne(kind):
    async def script(connection):
        import asyncio

        await connection.send(SSE_HEAD)
        await asyncio.sleep(1.2)  # the slowness is what is tested
        await connection.send(chunk(COMPLETE[kind]), b"0\r\n\r\n")

    answer = await answer_to(script, kind, timeouts=Timeouts(20, 30, 1.0))

    assert (answer.text, answer.error) == (TEXT, None)


@every_kind
async def test_a_line_that_does_not_end(kind, monkeypatch):
    monkeypatch.setattr(transport, "MAX_LINE_BYTES", 20_000)
    endless = b"data: " + b"x" * 30_000

    answer = await answer_to(streaming(HALF[kind] + endless), kind)

    assert answer.text == "half"
    assert type(answer.error) is ProviderGarbage


@every_kind
async def test_long_answers_of_short_lines_are_no_fault(kind, monkeypatch):
    monkeypatch.setattr(transport, "MAX_LINE_BYTES", 1_000)
    padded = b": alive\n\n" * 1_000 + COMPLETE[kind]

    answer = await answer_to(streaming(padded), kind)

    assert (answer.text, answer.error) == (TEXT, None)


@every_kind
async def test_a_provider_works_again_after_a_fault(kind):
    async with (
        serving(hanging_up(SSE_HEAD, chunk(HALF[kind])), streaming(COMPLETE[kind])) as wire,
        opened(wire.base_url, kind) as provider,
    ):
        broken = await ask(provider, HELLO)
        whole = await ask(provider, HELLO)

    assert type(broken.error) is StreamBroken
    assert (whole.text, whole.error) == (TEXT, None)


@every_kind
def test_there_are_sixty_kinds_of_fault(kind):
    assert len(faults(kind)) >= 60


@every_kind
async def test_after_every_kind_of_fault_the_text_is_kept_and_the_next_question_answered(kind):
    # Those that wait have tests of their own, and `benchmarks/faults.py` runs them all many times.
    at_once = {name: fault for name, fault in faults(kind).items() if not fault.waits}
    problems = {name: await tried(kind, fault) for name, fault in at_once.items()}
    assert {name: problem for name, problem in problems.items() if problem} == {}
