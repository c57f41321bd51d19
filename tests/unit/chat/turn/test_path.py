"""How far the way of a question and of a token is: limits for the number of functions that they pass."""

import ast
import asyncio
import sys
from contextlib import aclosing, asynccontextmanager
from contextvars import ContextVar
from functools import partial
from inspect import CO_ASYNC_GENERATOR, CO_COROUTINE
from itertools import groupby
from pathlib import Path

import pytest

from desktop.chat.api.engine import Question
from desktop.chat.emit import stream
from desktop.chat.retries import Retries, RetryingModel
from desktop.domain.events import TurnFinished
from desktop.domain.models import QUOTES_MODEL, TextDelta
from desktop.domain.search import WEB_OFF
from desktop.providers.anthropic import MessageReader
from desktop.providers.openai_chat import ChatReader
from desktop.providers.quotes import model as quotes
from desktop.providers.registry import RotatingProvider
from desktop.services.container import running_services
from desktop.services.window import window_services
from desktop.settings.folders import folders_for
from desktop.storage.conversation_store import ConversationStore
from tests.unit.chat.turn.test_runner import Bench, file
from tests.unit.providers.requests import opened
from tests.unit.providers.wire import named_sse, serving, sse, streaming

ROOT = Path(__file__).parents[4] / "desktop"
MOST_FRAMES = 9
MOST_PASSED_ON = 10
MOST_MODULES = 12
MOST_STAYS = 30
MOST_CLIMBS = 3
LAYERS = {"services": 3, "chat": 4, "providers": 5, "storage": 5}
"""The packages in which a question is followed, with their layers in ARCHITECTURE.md."""
IS_FOLLOWED = ContextVar("is_followed", default=False)
"""Set for a question, and inherited by the tasks that it starts."""
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
    store = ConversationStore(folder)
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


def package_module(code):
    """Return the module of code in one of `LAYERS`, else None."""
    if not code.co_filename.startswith(str(ROOT)):
        return None
    module = Path(code.co_filename).relative_to(ROOT).with_suffix("")
    return ".".join(module.parts) if module.parts[0] in LAYERS else None


class Follower:
    """Follows a question: notes each function that can wait (`async def`) when it is called for the first time.

    Functions that cannot wait are left out, as they return to where they were called from. So are tasks that the
    question did not start. A stay is a run of first calls in one module. A climb is a first call of a function in a
    higher layer than its caller, through a callback.
    """

    def __init__(self):
        self.path = []
        self.climbs = []
        self._seen = set()

    def note(self, frame, event, _argument):
        is_waiting = frame.f_code.co_flags & (CO_COROUTINE | CO_ASYNC_GENERATOR)
        module = package_module(frame.f_code) if event == "call" and is_waiting else None
        if module is None or frame.f_code in self._seen or not IS_FOLLOWED.get():
            return
        caller = frame.f_back
        while caller is not None and package_module(caller.f_code) is None:
            caller = caller.f_back
        self._seen.add(frame.f_code)
        self.path.append(module)
        if caller is not None and self._layer(module) < self._layer(package_module(caller.f_code)):
            self.climbs.append(frame.f_code.co_qualname)

    def _layer(self, module):
        return LAYERS[module.partition(".")[0]]


async def test_a_question_visits_few_modules(tmp_path):
    notes = tmp_path / "notes.md"
    notes.write_text(f"# Brest\n\n{SENTENCE}\n", "utf-8")
    follower = Follower()
    async with running_services(folders_for(tmp_path / "data")) as services:
        store = services.store
        for profile in (None, follower.note):  # the first question opens what the second one needs
            question = Question(
                "When was it built?", (await store.create()).id, QUOTES_MODEL, web=WEB_OFF, files=(notes,)
            )
            IS_FOLLOWED.set(profile is not None)
            sys.setprofile(profile)
            try:
                async with aclosing(window_services(services).turns.ask(question)) as events:
                    last = [event async for event in events][-1]
            finally:
                sys.setprofile(None)
            assert isinstance(last, TurnFinished)
    stays = [module for module, _ in groupby(follower.path)]
    assert len(set(stays)) <= MOST_MODULES, sorted(set(stays))
    assert len(stays) <= MOST_STAYS, stays
    assert len(follower.climbs) <= MOST_CLIMBS, follower.climbs


def passed_on(module):
    """Return the lines where a module yields the events of an iterator and does nothing else, as handling errors."""
    tree = ast.parse(module.read_text("utf-8"))
    handled = {
        inner
        for node in ast.walk(tree)
        if isinstance(node, ast.Try) and node.handlers
        for inner in ast.walk(node)
    }
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.AsyncFor)
        and node not in handled
        and ast.unparse(node.body) == f"yield {ast.unparse(node.target)}"
    ]


def test_few_functions_only_pass_events_on():
    modules = [path for path in sorted(ROOT.rglob("*.py")) if "async for" in path.read_text("utf-8")]
    found = [f"{path.relative_to(ROOT)}:{line}" for path in modules for line in passed_on(path)]
    assert len(found) <= MOST_PASSED_ON, found
