"""How far the way of a question and of a token is: limits for the number of functions that they pass."""

import ast
import asyncio
import sys
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path

import pytest

from desktop.chat.emit import stream
from desktop.chat.retries import Retries, RetryingModel
from desktop.domain.events import TurnFinished
from desktop.domain.models import TextDelta
from desktop.providers.anthropic.reader import MessageReader
from desktop.providers.openai.chat_reader import ChatReader
from desktop.providers.quotes import model as quotes
from desktop.providers.registry import RotatingProvider
from desktop.storage.conversation_store import ConversationStore
from tests.unit.chat.turn.test_runner import Bench, file
from tests.unit.providers.requests import opened
from tests.unit.providers.wire import named_sse, serving, sse, streaming

ROOT = Path(__file__).parents[4] / "desktop"
MOST_FRAMES = 9
MOST_PASSED_ON = 10
SENTENCE = "The lighthouse of Brest was built in 1820."

pytestmark = pytest.mark.anyio


def our_frames():
    """Return the frames of the program in the current stack, the outermost first."""
    frames, frame = [], sys._getframe(1)
    while frame is not None:
        if frame.f_code.co_filename.startswith(str(ROOT)):
            frames.append(frame)
        frame = frame.f_back
    return frames[::-1]


@pytest.fixture
def stacks(monkeypatch):
    """Record the stacks in which a reader reads, and those in which text is put into the queue."""
    read, put = [], []

    def recorded(function):
        def recording(*arguments):
            for event in function(*arguments):
                read.append(our_frames())
                yield event

        return recording

    for owner, name in ((ChatReader, "read"), (MessageReader, "read"), (quotes, "_answer")):
        monkeypatch.setattr(owner, name, recorded(getattr(owner, name)))
    put_nowait = asyncio.Queue.put_nowait

    def recording_put(queue, item):
        if isinstance(item, TextDelta):
            put.append(our_frames())
        put_nowait(queue, item)

    monkeypatch.setattr(asyncio.Queue, "put_nowait", recording_put)
    return read, put


async def frames_of_a_token(folder, model, stacks):
    """Return the frames through which the second token goes: up from the reader, and down to the queue.

    Both stacks begin with the same callers, which see no token; the last of these passes the token on.
    """
    store = await ConversationStore.open(folder)
    try:
        desk = Bench(
            store, model, [file("harbours.md", f"{SENTENCE} Its lamp is electric."), file("b", SENTENCE)]
        )
        events = [
            event async for event in stream(partial(desk.runner.run, await desk.question("What of Brest?")))
        ]
    finally:
        await store.close()
    assert isinstance(events[-1], TurnFinished)
    assert sum(isinstance(event, TextDelta) for event in events) > 1
    read, put = (stack[1] for stack in stacks)
    shared = sum(one is other for one, other in zip(read, put, strict=False))
    return [*read[: shared - 2 : -1], *put[shared:]]


OPENAI = sse(
    *({"choices": [{"index": 0, "delta": {"content": word}}]} for word in ("One", " two", " three")),
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
)
ANTHROPIC = named_sse(
    {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 1}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    *(
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": word}}
        for word in ("One", " two", " three")
    ),
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}},
    {"type": "message_stop"},
)


@asynccontextmanager
async def several_keys(base_url):
    async with opened(base_url, key="first") as one, opened(base_url, key="second") as other:
        yield RotatingProvider(one.settings, ("first", "second"), {"first": one, "second": other}.__getitem__)


@pytest.mark.parametrize(
    ("said", "open_model"),
    [
        (OPENAI, several_keys),
        (ANTHROPIC, partial(opened, kind="anthropic")),
        (b"", None),
    ],
    ids=["OpenAI's protocol, several keys", "Anthropic's", "Quotes"],
)
async def test_a_token_passes_few_functions(tmp_path, stacks, said, open_model):
    if open_model is None:
        passed = await frames_of_a_token(tmp_path, quotes.QuotesModel(), stacks)
    else:
        async with serving(streaming(said)) as wire, open_model(wire.base_url) as model:
            passed = await frames_of_a_token(tmp_path, RetryingModel(model, Retries()), stacks)
    names = ["read", *(frame.f_code.co_qualname for frame in passed)]
    assert names[-1].endswith("emit")
    assert len(names) <= MOST_FRAMES, names


def passed_on(module):
    """Return the lines where a module passes the events of an iterator on and does nothing else."""
    return [
        node.lineno
        for node in ast.walk(ast.parse(module.read_text("utf-8")))
        if isinstance(node, ast.AsyncFor) and ast.unparse(node.body) == f"yield {ast.unparse(node.target)}"
    ]


def test_few_functions_only_pass_events_on():
    modules = [path for path in sorted(ROOT.rglob("*.py")) if "async for" in path.read_text("utf-8")]
    found = [f"{path.relative_to(ROOT)}:{line}" for path in modules for line in passed_on(path)]
    assert len(found) <= MOST_PASSED_ON, found
