"""Whatever numbers, lists and lengths a server sends: the answer ends in bounded time and memory."""

import pytest

from desktop.domain.models import ToolCallDelta
from desktop.errors.servers import ProviderGarbage
from desktop.providers import answer_limits
from desktop.providers.answer_limits import MAX_CALLS, MAX_TOKENS
from desktop.text.stream_limits import LimitExceeded, StreamLimits, StreamMeter, Unpacker
from tests.cases import cases
from tests.unit.providers.faults import KINDS
from tests.unit.providers.requests import ask, opened
from tests.unit.providers.stream_floods import CALLS, EMPTY, END_OF_CALLS, FRAMES, USAGE, endless, pack
from tests.unit.providers.wire import answering, serving, streaming

pytestmark = pytest.mark.anyio


async def _answer(script, kind):
    async with serving(script) as wire, opened(wire.base_url, kind) as provider:
        return await ask(provider)


@cases("kind", KINDS)
@cases("number", [1_000_000_000, -1, 10**30])
async def test_any_number_tells_calls_apart(kind, number):
    data = CALLS[kind](number, 1) + CALLS[kind](7, 2) + END_OF_CALLS[kind]

    answer = await _answer(streaming(data), kind)

    assert answer.error is None
    assert [call.name for call in answer.calls] == ["tool_1", "tool_2"]


@cases("kind", KINDS)
async def test_calls_without_end_are_an_error(kind):
    data = b"".join(CALLS[kind](number, number) for number in range(MAX_CALLS + 1)) + END_OF_CALLS[kind]

    answer = await _answer(streaming(data), kind)

    assert type(answer.error) is ProviderGarbage
    assert f"more than {MAX_CALLS} tools" in str(answer.error)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("given", "believed"), [(-5, 0), (10**30, MAX_TOKENS), (12, 12)])
async def test_token_counts_are_brought_into_their_range(kind, given, believed):
    answer = await _answer(streaming(USAGE[kind](given) + END_OF_CALLS[kind]), kind)

    assert answer.usage is not None
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (believed, believed)


@cases("kind", KINDS)
async def test_arguments_without_end_are_an_error(kind, monkeypatch):
    monkeypatch.setattr(answer_limits, "MAX_ARGUMENT_CHARS", 50)

    answer = await _answer(streaming(b"".join(CALLS[kind](n, n) for n in range(9))), kind)

    assert type(answer.error) is ProviderGarbage


@cases("kind, frame", [(kind, frame) for kind in KINDS for frame in EMPTY[kind]])
async def test_a_flood_of_empty_frames_is_an_error(kind, frame):
    answer = await _answer(pack(frame * (FRAMES // 10)), kind)

    assert type(answer.error) is ProviderGarbage
    assert "nearly empty" in str(answer.error)


async def test_a_flood_that_does_not_end_is_an_error():
    answer = await _answer(endless(b"data: {}\n\n" * 1_000), "openai")

    assert type(answer.error) is ProviderGarbage


async def test_an_answer_in_one_piece_that_unpacks_to_gigabytes_is_an_error():
    answer = await _answer(pack(b" \n" * 40_000_000, b"application/json"), "openai")

    assert type(answer.error) is ProviderGarbage
    assert "32 MB" in str(answer.error)


async def test_a_refusal_that_is_long_is_cut_off():
    answer = await _answer(answering(500, "x" * 2_000_000), "openai")

    assert answer.error is not None
    assert len(str(answer.error)) < 1_000


async def test_a_packing_that_was_not_asked_for_is_an_error():
    answer = await _answer(answering(200, b"x", Content_Encoding="br"), "openai")

    assert type(answer.error) is ProviderGarbage
    assert "(br)" in str(answer.error)


@cases("kind", KINDS)
async def test_a_list_of_models_without_end_is_cut(kind):
    listed = {"data": [{"id": f"m-{n}", "object": "model"} for n in range(6_000)]}
    async with serving(answering(200, listed)) as wire, opened(wire.base_url, kind) as provider:
        assert len(await provider.models()) == 5_000


def test_a_call_outside_of_the_range_is_refused():
    with pytest.raises(LimitExceeded):
        answer_limits.AnswerLimits().take(ToolCallDelta(MAX_CALLS))


def test_content_and_time_refill_a_budget():
    now = [0.0]
    limits = StreamLimits(burst_lines=10, lines_per_s=1, lines_per_content=5)
    meter = StreamMeter(limits, lambda: now[0])
    meter.take(b"\n" * 10)
    now[0] = 3
    meter.take(b"\n" * 3)
    meter.note_content()
    meter.take(b"\n" * 5)

    with pytest.raises(LimitExceeded):
        meter.take(b"\n")


def test_time_without_content_is_limited():
    now = [0.0]
    meter = StreamMeter(StreamLimits(silence_s=60), lambda: now[0])
    now[0] = 59
    meter.take(b"\n")
    meter.note_content()
    now[0] = 118
    meter.take(b"\n")
    now[0] = 120

    with pytest.raises(LimitExceeded):
        meter.take(b"\n")


@cases("size", [1, 7, 1_000])
@cases("encoding", ["gzip", "deflate", "raw", "", "members"])
def test_unpacking_gives_the_same_in_small_pieces(encoding, size):
    import gzip
    import random
    import zlib

    text = random.Random(1).randbytes(100_000) + b"\0" * 1_000_000
    raw = zlib.compressobj(wbits=-15)
    data = {
        "gzip": gzip.compress(text),
        "members": gzip.compress(text[:50_000]) + gzip.compress(text[50_000:]),
        "deflate": zlib.compress(text),
        "raw": raw.compress(text) + raw.flush(),
        "": text,
    }[encoding]
    unpacker = Unpacker({"raw": "deflate", "members": "gzip"}.get(encoding, encoding))
    pieces = [piece for at in range(0, len(data), size) for piece in unpacker.feed(data[at : at + size])]

    assert max(map(len, pieces)) <= 65_536
    assert b"".join(pieces) == text
