"""What servers want back with the results of calls goes back as it came."""

from desktop.domain.models import (
    FinishReason,
    ModelRequest,
    PromptMessage,
    Replay,
    ToolCall,
    ToolCallDelta,
    ToolSpec,
)
from desktop.providers.anthropic import MessageReader
from desktop.providers.anthropic import to_anthropic as anthropic_arguments
from desktop.providers.openai_chat import ChatReader
from desktop.providers.openai_chat import to_openai as openai_arguments

SEARCH = ToolSpec("search", "Searches.", {"type": "object"})
CALL = ToolCall("toolu_1", "search", '{"q": "x"}')

THINKING_STREAM = [
    {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 3}}},
    {"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": ""}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Let me "}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "see."}},
    {"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "SIG"}},
    {"type": "content_block_stop", "index": 0},
    {
        "type": "content_block_start",
        "index": 1,
        "content_block": {"type": "redacted_thinking", "data": "ENC"},
    },
    {"type": "content_block_stop", "index": 1},
    {"type": "content_block_start", "index": 2, "content_block": {"type": "text", "text": ""}},
    {"type": "content_block_delta", "index": 2, "delta": {"type": "text_delta", "text": "I look."}},
    {"type": "content_block_stop", "index": 2},
    {
        "type": "content_block_start",
        "index": 3,
        "content_block": {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {}},
    },
    {
        "type": "content_block_delta",
        "index": 3,
        "delta": {"type": "input_json_delta", "partial_json": '{"q": "x"}'},
    },
    {"type": "content_block_stop", "index": 3},
    {"type": "message_delta", "delta": {"stop_reason": "tool_use"}, "usage": {"output_tokens": 9}},
    {"type": "message_stop"},
]
CONTENT = [
    {"type": "thinking", "thinking": "Let me see.", "signature": "SIG"},
    {"type": "redacted_thinking", "data": "ENC"},
    {"type": "text", "text": "I look."},
    {"type": "tool_use", "id": "toolu_1", "name": "search", "input": {"q": "x"}},
]


def after_call(*replay, may_call=True) -> ModelRequest:
    return ModelRequest(
        "m",
        (
            PromptMessage("user", "Q"),
            PromptMessage("assistant", "I look.", tool_calls=(CALL,), replay=replay),
            PromptMessage("tool", "found", call_id="toolu_1"),
        ),
        (SEARCH,),
        may_call=may_call,
        max_output_tokens=4_000,
    )


def read_all(reader, events):
    return [told for event in events for told in reader.read(event)]


def test_signed_thoughts_go_back_to_anthropic_in_their_places():
    reader = MessageReader()
    told = read_all(reader, THINKING_STREAM)
    replays = [event for event in told if isinstance(event, Replay)]
    assert replays == [Replay({"content": CONTENT})]
    assert reader.reason is FinishReason.TOOL_CALLS
    arguments = anthropic_arguments(after_call(*replays), thinking="enabled")
    assert arguments["messages"][1] == {"role": "assistant", "content": CONTENT}
    assert arguments["thinking"]["type"] == "enabled"


def test_a_thought_without_its_signature_is_not_sent_back():
    unsigned = [event for event in THINKING_STREAM if "signature" not in str(event)]
    assert not any(isinstance(event, Replay) for event in read_all(MessageReader(), unsigned))


def test_after_a_call_without_a_thought_nobody_thinks():
    arguments = anthropic_arguments(after_call(), thinking="enabled")
    assert "thinking" not in arguments
    assert [block["type"] for block in arguments["messages"][1]["content"]] == ["text", "tool_use"]


def test_where_no_more_calls_may_be_made_anthropic_still_gets_the_tools_explained():
    arguments = anthropic_arguments(after_call(may_call=False))
    assert arguments["tool_choice"] == {"type": "none"}
    assert [tool["name"] for tool in arguments["tools"]] == ["search"]
    assert "tool_choice" not in anthropic_arguments(after_call())


def test_where_no_more_calls_may_be_made_openai_gets_no_tools():
    assert "tools" in openai_arguments(after_call(), thinking_off={})
    assert "tools" not in openai_arguments(after_call(may_call=False), thinking_off={})


def chunk(**delta):
    return {"choices": [{"index": 0, "delta": delta}]}


def called(**extra):
    function = {"name": "search", "arguments": '{"q": "x"}'}
    return chunk(tool_calls=[{"index": 0, "id": "toolu_1", "function": function} | extra])


def end():
    return {"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}


def replayed(*chunks):
    reader = ChatReader()
    told = [*read_all(reader, [*chunks, end()]), *reader.finish()]
    assert any(isinstance(event, ToolCallDelta) for event in told)
    return tuple(event for event in told if isinstance(event, Replay))


def assistant(replay):
    return openai_arguments(after_call(*replay), thinking_off={})["messages"][1]


def test_reasoning_content_goes_back_under_the_name_that_it_came_with():
    replay = replayed(chunk(reasoning_content="Let me "), chunk(reasoning_content="see."), called())
    assert assistant(replay)["reasoning_content"] == "Let me see."


def test_reasoning_details_go_back_as_they_came():
    details = [{"type": "reasoning.encrypted", "data": "ENC", "id": "r1"}]
    replay = replayed(chunk(reasoning="hm", reasoning_details=details), called())
    assert assistant(replay)["reasoning_details"] == details
    assert "reasoning_content" not in assistant(replay)


def test_what_is_added_to_a_call_goes_back_with_the_call():
    signature = {"google": {"thought_signature": "SIG"}}
    replay = replayed(called(extra_content=signature))
    (call,) = assistant(replay)["tool_calls"]
    assert call["extra_content"] == signature
    assert call["id"] == "toolu_1"


def test_servers_that_think_nothing_get_nothing_back():
    assert replayed(called()) == ()
    assert set(assistant(())) == {"role", "content", "tool_calls"}
