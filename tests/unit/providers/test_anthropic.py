"""Servers that speak Anthropic's Messages over real HTTP through the real SDK."""

from base64 import b64encode

import pytest

from desktop.domain.models import (
    Ability,
    FinishReason,
    Image,
    ModelFacts,
    ModelInfo,
    ModelRequest,
    PromptMessage,
    ToolCall,
    ToolSpec,
    UsageReported,
)
from desktop.errors.servers import (
    ProviderError,
    RateLimited,
    RequestRejected,
    ServiceOverloaded,
    StreamBroken,
)
from desktop.providers.anthropic import DEFAULT_OUTPUT_TOKENS, to_anthropic
from tests.cases import cases
from tests.unit.providers.requests import HELLO, KEY, ask, opened
from tests.unit.providers.wire import answering, named_sse, serving, streaming

pytestmark = pytest.mark.anyio

START = {
    "type": "message_start",
    "message": {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "content": [],
        "model": "m-1",
        "stop_reason": None,
        "usage": {
            "input_tokens": 10,
            "cache_read_input_tokens": 5,
            "cache_creation_input_tokens": 2,
            "output_tokens": 1,
        },
    },
}
STOP = {"type": "message_stop"}


def block(index, *deltas, **fields):
    return [
        {"type": "content_block_start", "index": index, "content_block": fields},
        *({"type": "content_block_delta", "index": index, "delta": one} for one in deltas),
        {"type": "content_block_stop", "index": index},
    ]


def words(index, *pieces):
    return block(index, *({"type": "text_delta", "text": piece} for piece in pieces), type="text", text="")


def thoughts(index, *pieces):
    deltas = [{"type": "thinking_delta", "thinking": piece} for piece in pieces]
    signature = {"type": "signature_delta", "signature": "c2ln"}
    return block(index, *deltas, signature, type="thinking", thinking="", signature="")


def tool(index, id_, *pieces, kind="tool_use", given=None):
    deltas = [{"type": "input_json_delta", "partial_json": piece} for piece in pieces]
    return block(index, *deltas, type=kind, id=id_, name="search", input=given or {})


def end(reason="end_turn", **usage):
    usage = {"output_tokens": 7, **usage}
    return {"type": "message_delta", "delta": {"stop_reason": reason, "stop_sequence": None}, "usage": usage}


ANSWER = named_sse(
    START,
    {"type": "ping"},
    *thoughts(0, "让我", "想想。"),
    *words(1, "你好，", "world 🌍."),
    end(output_tokens_details={"thinking_tokens": 4}),
    STOP,
)


async def answer_to(*events, request=HELLO):
    async with (
        serving(streaming(named_sse(START, *events))) as wire,
        opened(wire.base_url, "anthropic") as provider,
    ):
        return await ask(provider, request)


@cases("seed, largest", [(0, 1), (1, 3), (2, 7), (3, 64), (4, 4096)])
async def test_an_answer_is_the_same_however_it_is_cut(seed, largest):
    async with (
        serving(streaming(ANSWER, seed=seed, largest=largest)) as wire,
        opened(wire.base_url, "anthropic") as provider,
    ):
        answer = await ask(provider)

    assert answer.error is None
    assert (answer.reasoning, answer.text) == ("让我想想。", "你好，world 🌍.")
    assert answer.usage == UsageReported(17, 7, 5, 4)
    assert answer.reason is FinishReason.STOP


@cases("address", ["", "/v1", "/v1/"])
async def test_the_address_is_taken_with_and_without_its_version(address):
    async with serving(streaming(ANSWER)) as wire:
        base_url = wire.base_url.removesuffix("/v1") + address
        async with opened(base_url, "anthropic") as provider:
            await ask(provider)

    [request] = wire.requests
    assert (request.method, request.path) == ("POST", "/v1/messages")
    assert KEY in request.headers.get("authorization", "") + request.headers.get("x-api-key", "")
    assert request.headers["anthropic-version"]
    assert request.json["stream"] is True


async def test_local_servers_get_no_key_at_all(monkeypatch):
    monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-of-another-service")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "token-of-another-service")
    async with serving(streaming(ANSWER)) as wire, opened(wire.base_url, "anthropic", key=None) as provider:
        answer = await ask(provider)

    assert answer.text == "你好，world 🌍."
    assert not {"authorization", "x-api-key"} & wire.requests[0].headers.keys()


async def test_calls_are_counted_apart_from_other_blocks():
    answer = await answer_to(
        *words(0, "I look."),
        *tool(1, "srv_1", '{"query": "x"}', kind="server_tool_use"),
        *block(2, type="web_search_tool_result", tool_use_id="srv_1", content=[]),
        *tool(3, "toolu_a", "", '{"q": ', '"é"}'),
        *tool(4, "toolu_b"),
        *tool(5, "toolu_c", given={"q": 1}),
        end("tool_use"),
    )

    assert answer.text == "I look."
    assert answer.calls == [
        ToolCall("toolu_a", "search", '{"q": "é"}'),
        ToolCall("toolu_b", "search", "{}"),
        ToolCall("toolu_c", "search", '{"q": 1}'),
    ]
    assert answer.reason is FinishReason.TOOL_CALLS


@cases(
    "word, reason",
    [
        ("end_turn", FinishReason.STOP),
        ("stop_sequence", FinishReason.STOP),
        ("max_tokens", FinishReason.LENGTH),
        ("model_context_window_exceeded", FinishReason.LENGTH),
        ("refusal", FinishReason.REFUSED),
        ("something_new", FinishReason.STOP),
    ],
)
async def test_ends_are_put_into_our_words(word, reason):
    assert (await answer_to(*words(0, "a"), end(word), STOP)).reason is reason


async def test_an_error_inside_the_stream_keeps_the_text_so_far():
    for said, kind in (("overloaded_error", ServiceOverloaded), ("rate_limit_error", RateLimited)):
        error = {"type": "error", "error": {"type": said, "message": "Come back later."}}
        answer = await answer_to(*words(0, "half")[:2], error)

        assert answer.text == "half"
        assert type(answer.error) is kind
        assert "Come back later." in str(answer.error)


async def test_an_answer_that_ends_without_a_reason_is_broken():
    answer = await answer_to(*words(0, "half")[:2])

    assert answer.text == "half"
    assert isinstance(answer.error, StreamBroken)


async def test_blocks_and_events_of_tomorrow_are_passed_over():
    answer = await answer_to(
        {"type": "context_weather", "index": 0},
        *block(0, {"type": "hologram_delta", "hologram": "x"}, type="hologram"),
        *words(1, "a"),
        end(),
        STOP,
    )

    assert (answer.text, answer.error) == ("a", None)


async def test_a_server_that_ignores_the_wish_to_stream_is_understood():
    whole = {
        "type": "message",
        "content": [
            {"type": "thinking", "thinking": "Hm."},
            {"type": "text", "text": "Yes."},
            {"type": "tool_use", "id": "t", "name": "f", "input": {}},
        ],
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 1, "output_tokens": 2},
    }
    async with serving(answering(200, whole)) as wire, opened(wire.base_url, "anthropic") as provider:
        answer = await ask(provider)

    assert (answer.reasoning, answer.text, answer.error) == ("Hm.", "Yes.", None)
    assert answer.calls == [ToolCall("t", "f", "{}")]
    assert answer.usage == UsageReported(1, 2)


async def test_an_error_that_calls_itself_a_success_is_an_error():
    body = {"type": "error", "error": {"type": "rate_limit_error", "message": "Slowly."}}
    async with serving(answering(200, body)) as wire, opened(wire.base_url, "anthropic") as provider:
        answer = await ask(provider)

    assert isinstance(answer.error, RateLimited)


def listed(id_, **types):
    support = {name: {"supported": value} for name, value in types.items()}
    return {
        "type": "model",
        "id": id_,
        "display_name": id_.title(),
        "max_input_tokens": 200_000,
        "capabilities": {"thinking": {"supported": True, "types": support}},
    }


async def test_models_that_the_list_says_can_think_are_asked_to():
    models = {
        "data": [
            listed("new", adaptive=True, enabled=True),
            listed("old", adaptive=False, enabled=True),
            listed("plain", adaptive=False, enabled=False),
            {"id": "bare"},
        ]
    }
    async with (
        serving(answering(200, models), streaming(ANSWER)) as wire,
        opened(wire.base_url, "anthropic") as provider,
    ):
        facts = ModelFacts(200_000, has=(Ability.REASONING,))
        assert (await provider.models())[0] == ModelInfo("test/new", "New", "Test", facts)
        for model in ("new", "old", "plain", "bare"):
            await ask(provider, ModelRequest(model, (PromptMessage("user", "a"),), max_output_tokens=4_000))

    assert wire.requests[0].path.startswith("/v1/models?")
    wishes = [request.json.get("thinking") for request in wire.requests[1:]]
    assert wishes == [
        {"type": "adaptive", "display": "summarized"},
        {"type": "enabled", "budget_tokens": 2_000},
        None,
        None,
    ]


async def test_a_list_that_cannot_be_had_is_an_error():
    async with (
        serving(answering(500, {"error": "x"})) as wire,
        opened(wire.base_url, "anthropic") as provider,
    ):
        with pytest.raises(ProviderError):
            await provider.models()


async def test_options_that_a_model_refuses_are_left_out_and_remembered():
    refusal = {
        "type": "error",
        "error": {"type": "invalid_request_error", "message": "`temperature` is deprecated"},
    }
    request = ModelRequest("m-1", (PromptMessage("user", "a"),), temperature=0.3)
    async with (
        serving(answering(400, refusal), streaming(ANSWER)) as wire,
        opened(wire.base_url, "anthropic") as provider,
    ):
        first = await ask(provider, request)
        second = await ask(provider, request)

    assert first.text == second.text == "你好，world 🌍."
    assert [request.json.get("temperature") for request in wire.requests] == [0.3, None, None]


async def test_a_limit_that_is_too_high_is_the_persons_to_hear():
    message = "max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for m-1"
    refusal = {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
    async with serving(answering(400, refusal)) as wire, opened(wire.base_url, "anthropic") as provider:
        answer = await ask(provider)

    assert isinstance(answer.error, RequestRejected)
    assert "4096" in str(answer.error)
    assert len(wire.requests) == 1


PICTURE = Image("image/png", b"\x89PNG")


def text(words):
    return {"type": "text", "text": words}


def messages(*given):
    return to_anthropic(ModelRequest("m", given))["messages"]


def test_system_messages_are_set_apart_in_their_order():
    arguments = to_anthropic(
        ModelRequest(
            "m",
            (
                PromptMessage("system", "One."),
                PromptMessage("user", "Hi"),
                PromptMessage("system", "Two."),
            ),
        )
    )

    assert arguments["system"] == "One.\n\nTwo."
    assert arguments["messages"] == [{"role": "user", "content": [text("Hi")]}]
    assert arguments["max_tokens"] == DEFAULT_OUTPUT_TOKENS
    assert set(arguments) == {"model", "max_tokens", "messages", "system"}


def test_results_of_parallel_calls_are_one_turn_with_what_the_person_says_next():
    calls = (ToolCall("t1", "search", '{"q": "a"}'), ToolCall("t2", "search", ""))

    assert messages(
        PromptMessage("assistant", "I look.", tool_calls=calls),
        PromptMessage("tool", "A", call_id="t1"),
        PromptMessage("tool", "", call_id="t2"),
        PromptMessage("user", "Go on"),
    ) == [
        {
            "role": "assistant",
            "content": [
                text("I look."),
                {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "a"}},
                {"type": "tool_use", "id": "t2", "name": "search", "input": {}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "t1", "content": [text("A")]},
                {"type": "tool_result", "tool_use_id": "t2", "content": []},
                text("Go on"),
            ],
        },
    ]


@cases("written, sent", [("not json", "not json"), ("[1]", [1]), ('"a"', "a")])
def test_arguments_that_are_no_object_are_wrapped_into_one(written, sent):
    [message] = messages(PromptMessage("assistant", "", tool_calls=(ToolCall("t", "f", written),)))

    assert message["content"][0]["input"] == {"arguments": sent}


def test_pictures_stand_before_the_words():
    [message] = messages(PromptMessage("user", "What?", images=(PICTURE,)))

    assert message["content"] == [
        {
            "type": "image",
            "source": {
                "type": "base64",
                "media_type": "image/png",
                "data": b64encode(PICTURE.data).decode(),
            },
        },
        text("What?"),
    ]


def test_blank_messages_and_trailing_space_are_not_sent():
    assert messages(
        PromptMessage("user", "Hi"),
        PromptMessage("assistant", " \n"),
        PromptMessage("user", "Still there?"),
        PromptMessage("assistant", "Yes, and \n"),
    ) == [
        {"role": "user", "content": [text("Hi"), text("Still there?")]},
        {"role": "assistant", "content": [text("Yes, and")]},
    ]


def test_tools_and_limits_are_sent():
    spec = ToolSpec("search", "Searches.", {"type": "object"})
    request = ModelRequest("m", (), tools=(spec,), temperature=0.2, max_output_tokens=50)

    arguments = to_anthropic(request)

    assert arguments["tools"] == [
        {"name": "search", "description": "Searches.", "input_schema": {"type": "object"}}
    ]
    assert (arguments["extra_body"], arguments["max_tokens"]) == ({"temperature": 0.2}, 50)


def test_thinking_is_asked_for_in_the_way_the_model_takes_it():
    request = ModelRequest("m", (PromptMessage("user", "a"),), temperature=0.2, max_output_tokens=4_000)

    adaptive = to_anthropic(request, thinking="adaptive")
    enabled = to_anthropic(request, thinking="enabled")

    assert adaptive["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert enabled["thinking"] == {"type": "enabled", "budget_tokens": 2_000}
    assert "extra_body" not in adaptive


def test_thinking_is_not_asked_for_where_it_is_unwanted_or_refused():
    person = PromptMessage("user", "a")
    called = PromptMessage("assistant", "", tool_calls=(ToolCall("t", "f", "{}"),))
    result = PromptMessage("tool", "b", call_id="t")

    for request in (
        ModelRequest("m", (person,), thinks=False),
        ModelRequest("m", (person, called, result)),
        ModelRequest("m", (person,), max_output_tokens=100),
    ):
        assert "thinking" not in to_anthropic(request, thinking="enabled")


@cases(
    "fields, takes_effort, told",
    [
        ({"effort": "high"}, True, {"effort": "high"}),
        ({"effort": "high"}, False, None),
        ({"effort": ""}, True, None),
        ({"effort": "high", "thinks": False}, True, None),
    ],
)
def test_effort_is_told_to_models_that_take_it(fields, takes_effort, told):
    request = ModelRequest("m", (PromptMessage("user", "Q"),), **fields)
    assert to_anthropic(request, takes_effort=takes_effort).get("output_config") == told
