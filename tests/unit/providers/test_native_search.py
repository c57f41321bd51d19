"""Searches of model servers and what they cite: asked for, shown, and told from text."""

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.models import CitedPage, CitedPages, ModelRequest, PromptMessage, ServerSearch, ToolSpec
from desktop.providers import anthropic as anthropic_request
from desktop.providers import openai_responses
from desktop.providers.native_search import BlockCitations, LinkedCitations
from tests.cases import cases
from tests.unit.providers.requests import ask, opened
from tests.unit.providers.wire import named_sse, serving, streaming

ASKED = ModelRequest("m", (PromptMessage("user", "Q"),), (ToolSpec("t", "T.", {}),), searches=True)
SEARCHED = {"type": "web_search_call", "id": "ws_1", "status": "in_progress"}
NOTE = {"type": "url_citation", "url": "https://a.org/x?y=1", "title": "A", "start_index": 0, "end_index": 1}


def test_the_search_is_asked_for_only_where_it_is_wanted_and_may_be_called():
    def tools(**fields):
        request = replace(ASKED, **fields)
        return (
            openai_responses.arguments_of(request, "openai", frozenset())["tools"],
            anthropic_request.to_anthropic(request)["tools"],
        )

    assert [given[-1]["type"] for given in tools()] == ["web_search", "web_search_20250305"]
    for fields in ({"searches": False}, {"may_call": False}):
        assert [len(given) for given in tools(**fields)] == [1, 1]


def said(citations, *pieces):
    """Feed texts and annotations; return text and, where they came, pages."""
    told = []
    for piece in pieces:
        told += citations.text(piece) if isinstance(piece, str) else citations.annotation(piece)
    told += citations.rest()
    out = ""
    for event in told:
        out += (
            "".join(f"<{page.url}>" for page in event.pages) if isinstance(event, CitedPages) else event.text
        )
    return out


def searching() -> LinkedCitations:
    citations = LinkedCitations()
    citations.search(SEARCHED, is_done=False)
    return citations


LINK = f"([a.org]({NOTE['url']}))"


@cases(
    "pieces, wanted",
    [
        (["It is. ", LINK, NOTE], f"It is. <{NOTE['url']}>"),
        (["It is. " + LINK, NOTE, " So."], f"It is. <{NOTE['url']}> So."),
        (["It is. (", LINK[1:], NOTE], f"It is. <{NOTE['url']}>"),
        (["Nothing linked.", NOTE], f"Nothing linked.<{NOTE['url']}>"),
        (["A ", "[plain](https://b.org) link"], "A [plain](https://b.org) link"),
        (["An array[0", "] and (so on)"], "An array[0] and (so on)"),
        (["Open ["], "Open ["),
        (["x", {"type": "file_citation", "file_id": "f"}, "y"], "xy"),
    ],
)
def test_marks_take_the_places_of_the_links_that_say_the_same(pieces, wanted):
    assert said(searching(), *pieces) == wanted


@given(st.lists(st.text(alphabet="ab []()\n,:/.", max_size=12), max_size=12))
def test_without_citations_no_letter_is_lost(pieces):
    assert said(searching(), *pieces) == "".join(pieces)
    assert said(LinkedCitations(), *pieces) == "".join(pieces)


@pytest.mark.anyio
async def test_a_search_of_openai_is_told_with_its_query():
    done = SEARCHED | {"status": "completed", "action": {"type": "search", "query": "tides"}}
    events = [
        {"type": "response.output_item.added", "output_index": 0, "item": SEARCHED},
        {"type": "response.output_item.done", "output_index": 0, "item": done},
        {"type": "response.output_text.delta", "output_index": 1, "delta": f"Twice a day. {LINK}"},
        {"type": "response.output_text.annotation.added", "output_index": 1, "annotation": NOTE},
        {"type": "response.completed", "response": {"status": "completed"}},
    ]
    wire_bytes = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events)
    async with (
        serving(streaming(wire_bytes.encode())) as wire,
        opened(wire.base_url, "openai-responses") as provider,
    ):
        answer = await ask(provider)
    assert answer.searches == [ServerSearch("ws_1"), ServerSearch("ws_1", "tides", is_done=True)]
    assert answer.text == "Twice a day. "
    assert answer.cited == [(13, CitedPage(NOTE["url"], "A"))]


def block(number, **fields):
    return ("content_block_start", {"index": number, "content_block": fields})


def delta(number, **fields):
    return ("content_block_delta", {"index": number, "delta": fields})


@pytest.mark.anyio
async def test_a_search_of_anthropic_is_told_and_cites_behind_its_text():
    citation = {
        "type": "web_search_result_location",
        "url": "https://a.org",
        "title": "A",
        "cited_text": "Twice. ",
    }
    events = [
        ("message_start", {"message": {"content": [], "usage": {"input_tokens": 1}}}),
        block(0, type="server_tool_use", id="s1", name="web_search", input={}),
        delta(0, type="input_json_delta", partial_json='{"query": "ti'),
        delta(0, type="input_json_delta", partial_json='des"}'),
        ("content_block_stop", {"index": 0}),
        block(1, type="web_search_tool_result", tool_use_id="s1", content=[{}, {}]),
        ("content_block_stop", {"index": 1}),
        block(2, type="text", text="", citations=[]),
        delta(2, type="citations_delta", citation=citation),
        delta(2, type="citations_delta", citation=citation),
        delta(2, type="text_delta", text="Twice a day"),
        ("content_block_stop", {"index": 2}),
        ("message_delta", {"delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 3}}),
    ]
    data = named_sse(*({"type": name} | fields for name, fields in events))
    async with serving(streaming(data)) as wire, opened(wire.base_url, "anthropic") as provider:
        answer = await ask(provider)
    assert answer.error is None
    assert answer.searches == [
        ServerSearch("s1"),
        ServerSearch("s1", "tides"),
        ServerSearch("s1", "tides", is_done=True, count=2),
    ]
    assert (answer.text, answer.calls) == ("Twice a day", [])
    assert answer.cited == [(11, CitedPage("https://a.org", "A", "Twice."))]


def test_a_search_that_failed_says_so():
    error = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
    told = list(
        BlockCitations().start(0, {"type": "web_search_tool_result", "tool_use_id": "s", "content": error})
    )
    assert told == [ServerSearch("s", is_done=True, error="max_uses_exceeded")]
