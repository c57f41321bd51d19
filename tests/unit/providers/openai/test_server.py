"""OpenAI-compatible servers over real HTTP through the real SDK."""

import itertools
from base64 import b64encode
from dataclasses import replace

import pytest

from desktop.domain.models import (
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
    AuthFailed,
    ModelNotFound,
    ProviderDown,
    ProviderGarbage,
    RequestRejected,
    StreamBroken,
)
from desktop.providers.openai_chat import OPTIONAL, to_openai
from desktop.providers.sdk_client import find_refused_option, without_options
from tests.cases import cases
from tests.unit.providers.requests import HELLO, KEY, ask, opened
from tests.unit.providers.wire import answering, serving, sse, streaming

pytestmark = pytest.mark.anyio


def delta(reason=None, **fields):
    return {
        "id": "c",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m-1",
        "choices": [{"index": 0, "delta": fields, "finish_reason": reason}],
    }


def call(index=None, id_=None, name=None, arguments=None):
    function = {"name": name, "arguments": arguments}
    fields = {"index": index, "id": id_, "type": "function", "function": function}
    return delta(tool_calls=[{name: value for name, value in fields.items() if value is not None}])


USAGE = {
    "choices": [],
    "usage": {
        "prompt_tokens": 11,
        "completion_tokens": 22,
        "prompt_tokens_details": {"cached_tokens": 3},
        "completion_tokens_details": {"reasoning_tokens": 4},
    },
}
STOP = delta("stop")
ANSWER = sse(
    delta(role="assistant", content=""),
    delta(reasoning_content="Let me think, 让我想想。"),
    delta(content="你好，"),
    delta(content="world 🌍."),
    STOP,
    USAGE,
)


async def answer_to(*events, request=HELLO, **options):
    async with serving(streaming(sse(*events))) as wire, opened(wire.base_url, **options) as provider:
        return await ask(provider, request)


@cases("seed, largest", [(0, 1), (1, 3), (2, 7), (3, 64), (4, 4096)])
async def test_an_answer_is_the_same_however_it_is_cut(seed, largest):
    async with (
        serving(streaming(ANSWER, seed=seed, largest=largest)) as wire,
        opened(wire.base_url) as provider,
    ):
        answer = await ask(provider)

    assert answer.error is None
    assert answer.text == "你好，world 🌍."
    assert answer.reasoning == "Let me think, 让我想想。"
    assert answer.usage == UsageReported(11, 22, 3, 4)
    assert answer.reason is FinishReason.STOP


async def test_the_request_is_a_streaming_chat_completion_with_the_key_in_its_header():
    async with serving(streaming(ANSWER)) as wire, opened(wire.base_url) as provider:
        await ask(provider)

    [request] = wire.requests
    assert (request.method, request.path) == ("POST", "/v1/chat/completions")
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert request.json == {
        "model": "m-1",
        "messages": [{"role": "user", "content": "Hello"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


@cases("key", [None, "", "  "])
async def test_local_servers_get_no_key_at_all(key, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-service")
    async with serving(streaming(ANSWER)) as wire, opened(wire.base_url, key=key) as provider:
        answer = await ask(provider)

    assert answer.text == "你好，world 🌍."
    assert "authorization" not in wire.requests[0].headers


async def test_what_the_environment_holds_for_openai_goes_to_no_other_server(monkeypatch):
    names = (
        "OPENAI_API_KEY",
        "OPENAI_ADMIN_KEY",
        "OPENAI_ORG_ID",
        "OPENAI_PROJECT_ID",
        "OPENAI_WEBHOOK_SECRET",
    )
    for name in names:
        monkeypatch.setenv(name, f"secret-of-{name}")
    monkeypatch.setenv("OPENAI_BASE_URL", "http://127.0.0.1:1")
    async with (
        serving(streaming(ANSWER), answering(200, {"data": []})) as wire,
        opened(wire.base_url, key=None) as provider,
    ):
        await ask(provider)
        await provider.models()

    assert len(wire.requests) == 2
    assert "secret-of" not in str(wire.requests)


async def test_spaces_around_a_pasted_key_do_no_harm():
    async with serving(streaming(ANSWER)) as wire, opened(wire.base_url, key=f" {KEY}\n") as provider:
        await ask(provider)

    assert wire.requests[0].headers["authorization"] == f"Bearer {KEY}"


async def test_a_key_that_no_header_can_carry_is_refused_before_it_is_sent():
    async with serving(streaming(ANSWER)) as wire, opened(wire.base_url, key="sk-密钥-1234") as provider:
        answer = await ask(provider)
        with pytest.raises(AuthFailed):
            await provider.models()

    assert isinstance(answer.error, AuthFailed)
    assert "sk-密钥-1234" not in str(answer.error)
    assert wire.requests == []


async def test_reasoning_goes_by_several_names():
    for name in ("reasoning_content", "reasoning"):
        answer = await answer_to(delta(**{name: "Hm."}), delta(content="Yes."), STOP)
        assert (answer.reasoning, answer.text) == ("Hm.", "Yes.")

    details = [{"type": "reasoning.text", "text": "Hm."}, {"type": "reasoning.encrypted", "data": "x"}]
    answer = await answer_to(delta(reasoning_details=details), delta(content="Yes."), STOP)
    assert answer.reasoning == "Hm."

    answer = await answer_to(delta(reasoning="Hm.", reasoning_details=details), delta(content="Yes."), STOP)
    assert answer.reasoning == "Hm."

    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "Hm."}]},
        {"type": "text", "text": "Yes."},
    ]
    answer = await answer_to(delta(content=parts), STOP)
    assert (answer.reasoning, answer.text) == ("Hm.", "Yes.")


async def test_reasoning_that_a_local_server_leaves_in_the_text_is_told_apart():
    pieces = ("<th", "ink>\nHm", ".\n</", "think", ">\n\nYes", ".")
    answer = await answer_to(*(delta(content=piece) for piece in pieces), STOP)

    assert (answer.reasoning, answer.text) == ("Hm.", "Yes.")


async def test_calls_are_told_apart_by_their_index():
    answer = await answer_to(
        call(0, "call_a", "search", ""),
        call(0, arguments='{"query":'),
        call(1, "call_b", "read", '{"url": "x"}'),
        call(0, arguments=' "é"}'),
        delta("tool_calls"),
    )

    assert answer.calls == [
        ToolCall("call_a", "search", '{"query": "é"}'),
        ToolCall("call_b", "read", '{"url": "x"}'),
    ]
    assert answer.reason is FinishReason.TOOL_CALLS


@cases("indexes", [(0, 0), (None, None), (0, 1)])
async def test_complete_calls_are_told_apart_by_their_ids(indexes):
    first, second = indexes
    answer = await answer_to(
        call(first, "a", "search", '{"q": 1}'),
        call(second, "b", "search", '{"q": 2}'),
        delta("stop"),
    )

    assert answer.calls == [ToolCall("a", "search", '{"q": 1}'), ToolCall("b", "search", '{"q": 2}')]
    assert answer.reason is FinishReason.TOOL_CALLS, "a stop after calls means the calls"


async def test_ids_and_names_that_are_repeated_count_once():
    answer = await answer_to(
        call(0, "a", "search", '{"q"'), call(0, "a", "search", ": 1}"), delta("tool_calls")
    )

    assert answer.calls == [ToolCall("a", "search", '{"q": 1}')]


async def test_arguments_that_are_an_object_become_json():
    answer = await answer_to(call(0, "a", "search", {"q": 1}), delta("tool_calls"))

    assert answer.calls == [ToolCall("a", "search", '{"q": 1}')]


@cases(
    "word, reason",
    [
        ("stop", FinishReason.STOP),
        ("length", FinishReason.LENGTH),
        ("model_length", FinishReason.LENGTH),
        ("content_filter", FinishReason.REFUSED),
        ("sensitive", FinishReason.REFUSED),
        ("eos", FinishReason.STOP),
    ],
)
async def test_ends_are_put_into_our_words(word, reason):
    assert (await answer_to(delta(content="a"), delta(word))).reason is reason


async def test_an_end_that_is_a_failure_is_one():
    answer = await answer_to(delta(content="a"), delta("error"))

    assert answer.text == "a"
    assert isinstance(answer.error, ProviderDown)


async def test_a_count_without_choices_ends_an_answer_that_got_no_reason():
    answer = await answer_to(delta(content="a"), USAGE)

    assert (answer.text, answer.reason) == ("a", FinishReason.STOP)


async def test_what_a_server_sends_beside_the_answer_is_passed_over():
    answer = await answer_to(
        {"choices": [], "prompt_filter_results": [{}]},
        {"id": "c", "object": "ping"},
        delta(content="a", annotations=[{"type": "url_citation"}]),
        {"choices": [{"index": 1, "delta": {"content": "the second choice"}}]},
        {"choices": [{"index": 0, "delta": None, "finish_reason": "stop"}]},
        {"choices": None, "usage": None},
    )

    assert (answer.text, answer.reason, answer.error) == ("a", FinishReason.STOP, None)


async def test_comments_keep_the_line_alive_and_say_nothing():
    data = b": OPENROUTER PROCESSING\n\n" * 3 + sse(delta(content="a"), STOP) + b": bye\n\n"
    async with serving(streaming(data)) as wire, opened(wire.base_url) as provider:
        answer = await ask(provider)

    assert (answer.text, answer.error) == ("a", None)


async def test_a_refusal_is_shown():
    answer = await answer_to(delta(refusal="I can't."), delta("content_filter"))

    assert (answer.text, answer.reason) == ("I can't.", FinishReason.REFUSED)


async def test_a_server_that_ignores_the_wish_to_stream_is_understood():
    whole = {
        "choices": [
            {
                "index": 0,
                "message": {
                    "role": "assistant",
                    "content": "<think>Hm.</think>Yes.",
                    "tool_calls": [{"id": "a", "function": {"name": "f", "arguments": "{}"}}],
                },
                "finish_reason": "tool_calls",
            }
        ],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2},
    }
    async with serving(answering(200, whole)) as wire, opened(wire.base_url) as provider:
        answer = await ask(provider)

    assert (answer.reasoning, answer.text, answer.error) == ("Hm.", "Yes.", None)
    assert answer.calls == [ToolCall("a", "f", "{}")]
    assert answer.usage == UsageReported(1, 2)


async def test_a_complete_answer_survives_a_connection_that_dies_behind_it():
    data = sse(delta(content="a"), STOP, done=False)
    async with serving(streaming(data, end=b"")) as wire, opened(wire.base_url) as provider:
        answer = await ask(provider)

    assert (answer.text, answer.reason, answer.error) == ("a", FinishReason.STOP, None)


async def test_an_answer_that_ends_without_a_reason_is_broken():
    async with (
        serving(streaming(sse(delta(content="half"), done=False))) as wire,
        opened(wire.base_url) as provider,
    ):
        answer = await ask(provider)

    assert answer.text == "half"
    assert isinstance(answer.error, StreamBroken)


async def test_options_that_a_model_refuses_are_left_out_and_remembered():
    refusals = [
        {"error": {"message": "Unknown field: stream_options", "type": "invalid_request_error"}},
        {"detail": [{"loc": ["body", "temperature"], "msg": "Extra inputs are not permitted"}]},
        {"error": {"message": "Use 'max_completion_tokens' instead of max_tokens.", "param": "max_tokens"}},
    ]
    scripts = [answering(status, body) for status, body in zip((400, 422, 400), refusals, strict=True)]
    request = ModelRequest("m-1", (PromptMessage("user", "a"),), temperature=0.0, max_output_tokens=5)
    async with serving(*scripts, streaming(ANSWER)) as wire, opened(wire.base_url) as provider:
        first = await ask(provider, request)
        second = await ask(provider, request)

    assert first.text == second.text == "你好，world 🌍."
    assert len(wire.requests) == 5
    kept = {"model", "messages", "stream", "max_completion_tokens"}
    assert set(wire.requests[3].json) == set(wire.requests[4].json) == kept


async def test_a_refusal_of_something_else_is_an_error_at_once():
    body = {"error": {"message": "messages: too few", "type": "invalid_request_error"}}
    async with serving(answering(400, body)) as wire, opened(wire.base_url) as provider:
        answer = await ask(provider)

    assert isinstance(answer.error, RequestRejected)
    assert "messages: too few" in str(answer.error)
    assert len(wire.requests) == 1


async def test_reasoning_is_switched_off_in_the_words_of_the_server():
    request = ModelRequest("m-1", (PromptMessage("user", "a"),), thinks=False)
    async with serving(streaming(ANSWER)) as wire, opened(wire.base_url, id_="siliconflow") as provider:
        await ask(provider, request)
        await ask(provider)

    assert wire.requests[0].json["enable_thinking"] is False
    assert "enable_thinking" not in wire.requests[1].json


NO_CHAT = (
    "text-embedding-3",
    "bge-m3:latest",
    "all-minilm:22m",
    "paraphrase-multilingual",
    "multilingual-e5-large",
    "gte-large",
)


async def test_models_come_from_the_server_and_behind_them_those_named_by_hand():
    listed = {
        "data": [
            {"id": "chat-1", "object": "model", "context_length": 8192},
            *({"id": name, "object": "model"} for name in NO_CHAT),
            {"id": "/models/tiny.gguf", "meta": {"n_ctx": 4096}},
        ]
    }
    async with (
        serving(answering(200, listed)) as wire,
        opened(wire.base_url, models=("chat-1", "my-own")) as provider,
    ):
        models = await provider.models()

    assert models == (
        ModelInfo("test/chat-1", "chat-1", "Test", ModelFacts(8192)),
        ModelInfo("test//models/tiny.gguf", "tiny.gguf", "Test", ModelFacts(4096)),
        ModelInfo("test/my-own", "my-own", "Test"),
    )
    assert (wire.requests[0].method, wire.requests[0].path) == ("GET", "/v1/models")


async def test_a_server_without_a_list_has_the_models_named_by_hand():
    async with serving(answering(404, {"error": "no"})) as wire:
        async with opened(wire.base_url, models=("my-own",)) as provider:
            assert [model.id for model in await provider.models()] == ["test/my-own"]
        async with opened(wire.base_url) as provider:
            with pytest.raises(ModelNotFound):
                await provider.models()


@cases("body", ["<html><title>Router login</title></html>", {"hello": 1}, [1], "", {"data": 5}])
async def test_a_list_that_is_none_is_garbage(body):
    async with serving(answering(200, body)) as wire, opened(wire.base_url) as provider:
        with pytest.raises(ProviderGarbage):
            await provider.models()


async def test_several_questions_at_once_do_not_mix():
    import asyncio

    numbers = itertools.count()

    async def script(connection):
        number = next(numbers)
        await streaming(sse(delta(content=f"answer {number}"), STOP))(connection)

    async with serving(script) as wire, opened(wire.base_url) as provider:
        answers = await asyncio.gather(*(ask(provider) for _ in range(5)))

    assert sorted(answer.text for answer in answers) == [f"answer {number}" for number in range(5)]


PICTURE = Image("image/png", b"\x89PNG")
PICTURE_PART = {
    "type": "image_url",
    "image_url": {"url": f"data:image/png;base64,{b64encode(PICTURE.data).decode()}"},
}


def messages(*given):
    return to_openai(ModelRequest("m", given), thinking_off={})["messages"]


def test_roles_and_text_go_as_they_are():
    assert messages(
        PromptMessage("system", "Be kind."),
        PromptMessage("user", "你好"),
        PromptMessage("assistant", "Hi."),
        PromptMessage("user", "Bye"),
    ) == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "你好"},
        {"role": "assistant", "content": "Hi."},
        {"role": "user", "content": "Bye"},
    ]


def test_pictures_follow_the_words():
    [message] = messages(PromptMessage("user", "What is this?", images=(PICTURE,)))

    assert message["content"] == [{"type": "text", "text": "What is this?"}, PICTURE_PART]


def test_a_label_stands_before_its_picture():
    [message] = messages(PromptMessage("user", "What?", images=(PICTURE, replace(PICTURE, label="Page 2:"))))

    words, label = ({"type": "text", "text": text} for text in ("What?", "Page 2:"))
    assert message["content"] == [words, PICTURE_PART, label, PICTURE_PART]


def test_calls_and_their_results_keep_the_ids_of_the_provider():
    call = ToolCall("call_7", "search", '{"query": "a"}')

    assert messages(
        PromptMessage("assistant", "", tool_calls=(call,)),
        PromptMessage("tool", "found", call_id="call_7"),
    ) == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "call_7",
                    "type": "function",
                    "function": {"name": "search", "arguments": '{"query": "a"}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "call_7", "content": "found"},
    ]


def test_pictures_of_results_follow_all_results():
    sent = messages(
        PromptMessage("tool", "one", call_id="1", images=(PICTURE,)),
        PromptMessage("tool", "two", call_id="2"),
        PromptMessage("assistant", "Nice."),
        PromptMessage("tool", "three", call_id="3", images=(PICTURE,)),
    )

    assert [message["role"] for message in sent] == ["tool", "tool", "user", "assistant", "tool", "user"]
    assert sent[2]["content"] == sent[5]["content"] == [PICTURE_PART]


def test_only_what_is_wished_is_sent():
    arguments = to_openai(ModelRequest("m", (PromptMessage("user", "a"),)), thinking_off={"x": 1})

    assert set(arguments) == {"model", "messages", "stream_options"}


def test_wishes_are_sent():
    spec = ToolSpec("search", "Searches.", {"type": "object"})
    request = ModelRequest(
        "m",
        (PromptMessage("user", "a"),),
        tools=(spec,),
        temperature=0.0,
        max_output_tokens=9,
        thinks=False,
    )

    arguments = to_openai(request, thinking_off={"enable_thinking": False})

    assert arguments["temperature"] == 0.0
    assert arguments["max_tokens"] == 9
    assert arguments["extra_body"] == {"enable_thinking": False}
    assert arguments["tools"][0]["function"]["parameters"] == {"type": "object"}
    assert arguments["stream_options"] == {"include_usage": True}


def test_a_refused_option_is_left_out_or_called_by_its_other_name():
    request = ModelRequest("m", (PromptMessage("user", "a"),), max_output_tokens=9, thinks=False)
    arguments = to_openai(request, thinking_off={"enable_thinking": False})

    said = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."
    assert find_refused_option(arguments, said, OPTIONAL) == "max_tokens"
    assert (
        find_refused_option(
            arguments, '{"type": "extra_forbidden", "loc": ["body", "stream_options"]}', OPTIONAL
        )
        == "stream_options"
    )
    assert find_refused_option(arguments, "enable_thinking is not supported", OPTIONAL) == "enable_thinking"
    assert (
        find_refused_option(arguments | {"temperature": 9}, "temperature must be between 0 and 2", OPTIONAL)
        is None
    )
    too_large = "max_tokens is too large: 32000. This model supports at most 16384 completion tokens."
    assert find_refused_option(arguments, too_large, OPTIONAL) is None
    assert find_refused_option(arguments, "max_completion_tokens is too small", OPTIONAL) is None

    other = without_options(arguments, ["max_tokens"])
    assert "max_tokens" not in other
    assert other["max_completion_tokens"] == 9
    assert "extra_body" not in without_options(arguments, ["enable_thinking"])
    assert "stream_options" not in to_openai(request, thinking_off={}, refused=frozenset({"stream_options"}))
