"""Streams of models that break in every way, and answers that are stopped at any moment."""

import asyncio
import gc
import random
import time
from contextlib import aclosing

import psutil
import pytest

from benchmarks.faults import run
from desktop.chat.api.engine import Question
from desktop.domain.messages import MessageStatus
from desktop.domain.search import WEB_OFF
from desktop.errors.servers import ProviderGarbage
from desktop.providers.answer_limits import MAX_CALLS
from desktop.services.container import running_services
from desktop.services.window import window_services
from desktop.settings.folders import folders_for
from desktop.settings.model import ChatSettings, ProviderSettings, Settings
from tests.e2e.model_server import running_model_server
from tests.unit.mcp.raw_server import repeating, sending, sound_except
from tests.unit.mcp.test_floods import COMMENTS, NOTES, bomb, state_of
from tests.unit.providers.faults import KINDS
from tests.unit.providers.requests import ask, opened
from tests.unit.providers.stream_floods import CALLS, EMPTY, END_OF_CALLS, FRAMES, USAGE, endless, pack
from tests.unit.providers.wire import serving, streaming
from tests.unit.render.pattern_steps import assert_grows_evenly, patterns

pytestmark = pytest.mark.anyio

SIGNS = "a1x ,.;-^~[](){}<>|*_`#$\\&!:=/@w\"'\n【】［，、–"
"""What the expressions of a stream look for."""


async def test_a_stream_that_breaks_keeps_its_text_and_the_next_answer_is_whole(times, told):
    count = times(40, 1_000)
    failures = await run(count, 8, 41)
    assert not failures, failures.most_common(3)
    told(
        "Faults of model streams over three protocols",
        count,
        "text kept, one clear error, the next answer whole",
    )


async def test_an_answer_may_be_stopped_at_any_moment(tmp_path, times, told):
    count = times(20, 1_000)
    chance = random.Random(42)
    with running_model_server() as server:
        server.pieces = tuple(f"piece {number} " for number in range(30))
        async with running_services(folders_for(tmp_path)) as rooms:
            provider = ProviderSettings("far", "Far", "openai", f"{server.origin}/v1", needs_key=False)
            await rooms.preferences.save(
                Settings(providers=(provider,), chat=ChatSettings(model="far/scripted"))
            )
            engine = window_services(rooms)
            stopped = 0
            for number in range(count):
                info = await engine.conversations.create()
                wanted = chance.randrange(40)
                heard = 0
                async with aclosing(
                    engine.turns.ask(Question(f"Question {number}", info.id, "far/scripted", web=WEB_OFF))
                ) as events:
                    async for _ in events:
                        heard += 1
                        if heard > wanted:
                            break
                conversation = await engine.conversations.load(info.id)
                assert conversation.messages[0].text == f"Question {number}"
                last = conversation.messages[-1]
                assert last.status in {MessageStatus.STOPPED, MessageStatus.COMPLETE}
                assert "".join(server.pieces).startswith(last.text)
                stopped += last.status is MessageStatus.STOPPED
            assert len(asyncio.all_tasks()) < 20
    told(
        "Answers stopped at random moments",
        count,
        f"{stopped} were cut short; each kept its text, none was left running",
    )


async def test_floods_of_empty_frames_end_in_bounded_time_and_memory(times, told):
    frames = [(kind, frame) for kind in KINDS for frame in EMPTY[kind]]
    count = times(3, 10 * len(frames))
    slowest = 0.0
    before = _memory_mb()
    for number in range(count):
        kind, frame = frames[number % len(frames)]
        script = pack(frame * FRAMES) if number % 2 else endless(frame * 10_000)
        async with serving(script) as wire, opened(wire.base_url, kind) as provider:
            started = time.process_time()
            answer = await ask(provider)
            slowest = max(slowest, time.process_time() - started)
        assert type(answer.error) is ProviderGarbage, (kind, frame)
    grown = _memory_mb() - before
    assert grown < 200
    told(
        "Streams of 3 million empty frames, or of empty frames without end, over three protocols",
        count,
        f"one clear error each; at most {slowest:.1f} s of processor time, {grown:.0f} MB more in the end",
    )


async def test_wild_numbers_in_answers_are_borne(times, told):
    count = times(30, 3_000)
    chance = random.Random(43)
    for _ in range(count):
        kind = chance.choice(KINDS)
        data = b"".join(
            chance.choice((CALLS[kind](_wild(chance), number), USAGE[kind](_wild(chance))))
            for number in range(chance.randrange(1, 200))
        )
        async with (
            serving(streaming(data + END_OF_CALLS[kind])) as wire,
            opened(wire.base_url, kind) as provider,
        ):
            answer = await ask(provider)
        assert answer.error is None or type(answer.error) is ProviderGarbage
        assert len(answer.calls) <= MAX_CALLS
    told("Calls and token counts with wild numbers over three protocols", count, "read, or one clear error")


async def test_tool_servers_that_send_without_end_are_ended(times, told):
    count = times(3, 300)
    chance = random.Random(44)
    faults = (
        lambda: sending(bomb(chance.choice((100, 500, 2_000)))),
        lambda: repeating(COMMENTS),
        lambda: repeating(NOTES),
    )
    slowest = 0.0
    before = _memory_mb()
    for number in range(count):
        method = chance.choice(("initialize", "tools/list", "tools/call"))
        script = sound_except(method, faults[number % len(faults)]())
        started = time.process_time()
        problems, result, _ = await state_of(script)
        slowest = max(slowest, time.process_time() - started)
        assert problems or result.is_error, method
    grown = _memory_mb() - before
    assert grown < 300
    told(
        "Tool servers over HTTP: 2 MB that unpack to 2 GB, comments and notifications without end",
        count,
        f"one clear error each; at most {slowest:.1f} s of processor time, {grown:.0f} MB more in the end",
    )


def _wild(chance):
    return chance.choice((-1, 0, 1, 2**31, 2**63, 10**9, 10**30, chance.randrange(10**12)))


def _memory_mb():
    gc.collect()
    return psutil.Process().memory_info().rss / 2**20


def test_no_text_makes_a_pattern_of_the_stream_slow(times, told):
    count = times(100, 20_000)
    chance = random.Random(44)
    known = tuple(patterns())
    for _ in range(count):
        begun, unit = ("".join(chance.choices(SIGNS, k=chance.randint(1, most))) for most in (3, 6))
        _name, pattern, goes_through = chance.choice(known)
        assert_grows_evenly(pattern, begun, unit, goes_through=goes_through)
    told(
        "Random texts, repeated, for the regular expressions of the stream, steps counted",
        count,
        f"{len(known)} expressions: twice the text never takes more than 2.7 times the steps",
    )
