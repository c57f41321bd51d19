"""OpenAI's Responses: what is sent, what is read, and what goes back with the results of calls."""

import json

import pytest

from desktop.domain.models import (
    FinishReason,
    Image,
    ModelRequest,
    PromptMessage,
    Replay,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    ToolSpec,
)
from desktop.errors.servers import ProviderError, RateLimited, StreamBroken
from desktop.providers.openai_responses import OPTIONAL, ResponsesReader, arguments_of
from desktop.providers.sdk_client import find_refused_option
from tests.cases import cases
from tests.unit.providers.requests import ask, opened
from tests.unit.providers.wire import serving, streaming

pytestmark = pytest.mark.anyio

SEARCH = ToolSpec("search", "Searches.", {"type": "object"})
REASONING = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "SEALED"}
CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "search",
    "arguments": '{"q":"x"}',
}

ANSWER = [
    {"type": "response.created", "response": {"status": "in_progress"}},
    {"type": "response.output_item.added", "output_index": 0, "item": REASONING | {"status": "in_progress"}},
    {"type": "response.reasoning_summary_part.added", "output_index": 0},
    {"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "First."},
    {"type": "response.reasoning_summary_part.added", "output_index": 0},
    {"type": "response.reasoning_summary_text.delta", "output_index": 0, "delta": "Then."},
    {"type": "response.output_item.done", "output_index": 0, "item": REASONING | {"status": "completed"}},
    {"type": "response.output_text.delta", "output_index": 1, "delta": "潮"},
    {"type": "response.output_text.delta", "output_index": 1, "delta": "汐"},
    {
        "type": "response.completed",
        "response": {
            "status": "completed",
            "usage": {
                "input_tokens": 9,
                "output_tokens": 4,
                "output_tokens_details": {"reasoning_tokens": 2},
                "input_tokens_details": {"cached_tokens": 1},
            },
        },
    },
]
CALLING = [
    *ANSWER[:7],
    {
        "type": "response.output_item.added",
        "output_index": 1,
        "item": CALL | {"arguments": "", "status": "in_progress"},
    },
    {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": '{"q":'},
    {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": '"x"}'},
    {"type": "response.output_item.done", "output_index": 1, "item": CALL | {"status": "completed"}},
    ANSWER[-1],
]


def wire_of(events):
    return "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()


async def answered(events):
    async with (
        serving(streaming(wire_of(events))) as wire,
        opened(wire.base_url, "openai-responses") as provider,
    ):
        return await ask(provider)


async def test_text_thoughts_and_usage_arrive():
    answer = await answered(ANSWER)
    assert answer.error is None
    assert answer.text == "潮汐"
    assert answer.reasoning == "First.\n\nThen."
    assert answer.reason is FinishReason.STOP
    assert (answer.usage.input_tokens, answer.usage.output_tokens) == (9, 4)
    assert (answer.usage.cached_tokens, answer.usage.reasoning_tokens) == (1, 2)


async def test_a_call_arrives_under_the_id_that_its_result_needs():
    answer = await answered(CALLING)
    assert answer.calls == [ToolCall("call_1", "search", '{"q":"x"}')]
    assert answer.reason is FinishReason.TOOL_CALLS


@cases(
    "reason, finish",
    [("max_output_tokens", FinishReason.LENGTH), ("content_filter", FinishReason.REFUSED)],
)
async def test_an_answer_that_ended_early_says_why(reason, finish):
    end = {"type": "response.incomplete", "response": {"incomplete_details": {"reason": reason}}}
    assert (await answered([*ANSWER[:-1], end])).reason is finish


async def test_an_error_inside_the_stream_is_one_error_and_the_text_stays():
    error = {"type": "error", "code": "rate_limit_exceeded", "message": "Rate limit reached", "param": None}
    answer = await answered([*ANSWER[:8], error])
    assert answer.text == "潮"
    assert isinstance(answer.error, ProviderError)
    failed = {
        "type": "response.failed",
        "response": {"status": "failed", "error": {"code": "rate_limit_exceeded", "message": "slow down"}},
    }
    assert isinstance((await answered([ANSWER[0], failed])).error, RateLimited)


async def test_a_stream_that_just_stops_is_broken():
    assert isinstance((await answered(ANSWER[:-1])).error, StreamBroken)


def read(events):
    reader = ResponsesReader()
    told = [event for chunk in events for event in reader.read(chunk)]
    return [*told, *reader.finish()]


def after_call(*replay, **fields):
    messages = (
        PromptMessage("system", "Be good."),
        PromptMessage("user", "Q", images=fields.pop("images", ())),
        PromptMessage(
            "assistant", "", tool_calls=(ToolCall("call_1", "search", '{"q":"x"}'),), replay=replay
        ),
        PromptMessage("tool", "found", call_id="call_1"),
    )
    return arguments_of(ModelRequest("m", messages, (SEARCH,), **fields), "openai", frozenset())


def test_sealed_thoughts_go_back_with_the_calls_they_led_to():
    replays = [event for event in read(CALLING) if isinstance(event, Replay)]
    assert [replay.item for replay in replays] == [REASONING, CALL]
    assert after_call(*replays)["input"][1:] == [
        REASONING,
        CALL,
        {"type": "function_call_output", "call_id": "call_1", "output": "found"},
    ]


def test_calls_without_thoughts_are_told_again_in_our_words():
    assert after_call()["input"][1] == {name: CALL[name] for name in ("type", "call_id", "name", "arguments")}


@cases(
    "said, option",
    [
        ("Encrypted content is not supported with this model.", "include"),
        ("Unsupported parameter: 'reasoning.effort' is not supported with this model.", "reasoning"),
        ("Unsupported parameter: 'temperature' is not supported with this model.", "temperature"),
        ("Invalid value: 'bogus'.", None),
    ],
)
def test_what_a_model_does_not_take_is_left_out(said, option):
    assert find_refused_option(after_call(temperature=0.2), said, OPTIONAL) == option


def test_what_is_sent():
    picture = Image("image/png", b"png", "Page 2:")
    arguments = after_call(images=(picture,), max_output_tokens=50, effort="high")
    assert arguments["instructions"] == "Be good."
    assert arguments["input"][0] == {
        "role": "user",
        "content": [
            {"type": "input_text", "text": "Q"},
            {"type": "input_text", "text": "Page 2:"},
            {"type": "input_image", "image_url": "data:image/png;base64,cG5n"},
        ],
    }
    assert arguments["store"] is False
    assert arguments["include"] == ["reasoning.encrypted_content"]
    assert arguments["reasoning"] == {"summary": "auto", "effort": "high"}
    assert arguments["max_output_tokens"] == 50
    assert arguments["tools"][0]["name"] == "search"
    assert "tool_choice" not in arguments
    assert after_call(may_call=False)["tool_choice"] == "none"
    assert after_call(thinks=False)["reasoning"] == {"effort": "low"}


def test_what_should_be_text_and_is_none_becomes_text():
    strange = CALL | {"name": 7, "call_id": ["c"], "arguments": {"q": "x"}}
    events = [
        *ANSWER[:1],
        {"type": "response.output_item.done", "output_index": 0, "item": strange},
        ANSWER[-1],
    ]
    (piece,) = [event for event in read(events) if isinstance(event, ToolCallDelta)]
    assert (piece.id, piece.name, piece.arguments) == ('["c"]', "7", '{"q": "x"}')


@cases("content", [["hi"], "hi", [{"text": ["a"]}], [5], {"text": "a"}])
def test_a_whole_answer_of_a_strange_shape_is_no_bug(content):
    whole = {"object": "response", "status": "completed", "output": [{"type": "message", "content": content}]}
    assert all(isinstance(event.text, str) for event in read([whole]) if isinstance(event, TextDelta))
