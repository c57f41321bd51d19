"""The tag protocol: the same calls however the text is cut, and text that is no call stays text."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.tools.text_protocol import TagParser, TextToolModel, to_text_request
from desktop.domain.models import (
    FinishReason,
    MarkupLeftOut,
    ModelRequest,
    PromptMessage,
    ReasoningDelta,
    StreamEnded,
    TextDelta,
    ToolCall,
    ToolCallDelta,
    ToolSpec,
)
from tests.cases import cases

SEARCH = ToolSpec(
    "search",
    "Searches.",
    {"type": "object", "properties": {"queries": {"type": "array"}}, "required": ["queries"]},
)
OPEN = ToolSpec(
    "open", "Opens.", {"type": "object", "properties": {"url": {"type": "string"}}, "required": ["url"]}
)
TOOLS = {"search": SEARCH, "open": OPEN}


def read(*pieces):
    reader = TagParser(TOOLS)
    events = []
    for piece in pieces:
        events += reader.feed(piece)
        if reader.is_done:
            break
    return events + reader.finish()


def text_of(events):
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def calls_of(events):
    return [(event.name, event.arguments) for event in events if isinstance(event, ToolCallDelta)]


TAGS = (
    '<tool_call>{"name": "search", "arguments": {"queries": ["a"]}}</tool_call>',
    '<tool_call>\n{"function": {"name": "search", "arguments": "{\\"queries\\": [\\"a\\"]}"}}\n</tool_call>',
    "<function=search>\n<parameter=queries>\na\n</parameter>\n</function>",
    '<tool_call>\n<function=search>\n<parameter=queries>["a"]</parameter>\n</function>\n</tool_call>',
    '<function=search>{"queries": ["a"]}</function>',
    '<invoke name="search"><parameter name="queries">["a"]</parameter></invoke>',
    '<function_calls>\n<invoke name="search">\n<parameter name="queries">a</parameter>\n</invoke>\n</function_calls>',
    '<x:function_calls><x:invoke name="search"><x:parameter name="queries">a</x:parameter></x:invoke></x:function_calls>',
    '<|tool_call|>[{"name": "search", "arguments": {"queries": ["a"]}}]',
    '<|tool_call_begin|>functions.search:0<|tool_call_argument_begin|>{"queries": ["a"]}<|tool_call_end|>',
    '<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>search\n{"queries": ["a"]}\n<｜tool▁calls▁end｜>',
    '<|python_tag|>{"name": "search", "parameters": {"queries": ["a"]}}',
    '[TOOL_CALLS][{"name": "search", "arguments": {"queries": ["a"]}}]',
    '[TOOL_CALLS]search[ARGS]{"queries": ["a"]}',
)
FORMS = (
    *TAGS,
    '```tool_code\nsearch(queries=["a"])\n```',
    '```tool_code\nprint(default_api.search(queries=["a"]))\n```\n',
    '```tool_call\n{"name": "search", "arguments": {"queries": ["a"]}}\n```',
)
CASES = [
    ("Just text.", "Just text.", []),
    ("a < b, <to, <tool, <tools>, </tool> 潮汐", "a < b, <to, <tool, <tools>, </tool> 潮汐", []),
    (
        'Look: <tool name="search">{"queries": ["潮汐"]}</tool>',
        "Look: ",
        [("search", '{"queries": ["潮汐"]}')],
    ),
    ("<tool name='open'>https://a.example/</tool>", "", [("open", '{"url": "https://a.example/"}')]),
    ("<tool name=search>tides\nmoon\n</tool>", "", [("search", '{"queries": ["tides", "moon"]}')]),
    (
        '<tool name="search">{"queries": ["a"]}</tool>\n<tool name="open">{"url": "b"}</tool>\n<result>made up',
        "",
        [("search", '{"queries": ["a"]}'), ("open", '{"url": "b"}')],
    ),
    ('<tool name="nowhere">{}</tool> goes', " goes", []),
    ('<tool name="search">{"queries": ["a"]}', "", [("search", '{"queries": ["a"]}')]),
    ('<tool name="search">{"queries": ["a"', "", []),
    *((f"Look:\n{form}", "Look:\n", [("search", '{"queries": ["a"]}')]) for form in FORMS),
    *(
        (f"`{form}` and\n\n```xml\n{form}\n```\nstay", f"`{form}` and\n\n```xml\n{form}\n```\nstay", [])
        for form in TAGS
    ),
    ("A ` alone. <tool_call>{}</tool_call>", "A ` alone. ", []),
    ("<tool_call>\nThe tide is high.", "\nThe tide is high.", []),
    (
        "List[int] [1] <b>x</b> <toolbox> <function> [TOOL]",
        "List[int] [1] <b>x</b> <toolbox> <function> [TOOL]",
        [],
    ),
    ('<tool name="search">```json\n{"queries": ["a"]}\n```</tool>', "", [("search", '{"queries": ["a"]}')]),
]


@cases("text, shown, calls", CASES)
def test_calls_are_told_from_text(text, shown, calls):
    for events in (read(text), read(*text)):
        assert text_of(events) == shown
        assert calls_of(events) == calls


@given(st.sampled_from(CASES), st.lists(st.integers(0, 120), max_size=6))
def test_the_cut_of_the_stream_makes_no_difference(case, cuts):
    text, shown, calls = case
    borders = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]
    events = read(*(text[start:end] for start, end in pairwise(borders)))
    assert (text_of(events), calls_of(events)) == (shown, calls)


@given(st.text(alphabet='<tool name="srch>/ab\n{}'))
def test_text_without_a_call_is_never_lost_or_changed(text):
    events = read(*text)
    if not any(isinstance(event, ToolCallDelta | MarkupLeftOut) for event in events):
        assert text_of(events) == text


def test_of_a_call_without_end_the_words_stay_but_not_the_arguments():
    words = '<tool name="search">' + "x" * 30_000
    pieces = [words[start : start + 1_000] for start in range(0, len(words), 1_000)]
    assert text_of(read(*pieces)) == "x" * 30_000
    arguments = '<tool name="search">{"queries": ["' + "x" * 30_000 + '"]}</tool>'
    assert (
        text_of(read("Look: ", *(arguments[at : at + 1_000] for at in range(0, len(arguments), 1_000))))
        == "Look: "
    )


class Echo:
    def __init__(self, *events) -> None:
        self.events = events
        self.requests = []
        self.is_closed = False

    async def stream(self, request):
        self.requests.append(request)
        try:
            for event in self.events:
                yield event
        finally:
            self.is_closed = True


@pytest.mark.anyio
async def test_a_model_is_stopped_when_it_writes_the_result_itself():
    model = Echo(
        ReasoningDelta("hm"),
        TextDelta('<tool name="search">{"queries": ["a"]}</tool>'),
        TextDelta("\n<result>invented"),
        TextDelta(" more"),
        StreamEnded(FinishReason.STOP),
    )
    request = ModelRequest("m", (PromptMessage("system", "Be good."), PromptMessage("user", "Q")), (SEARCH,))
    events = [event async for event in TextToolModel(model).stream(request)]
    assert events == [
        ReasoningDelta("hm"),
        ToolCallDelta(0, "tag-1", "search", '{"queries": ["a"]}'),
        StreamEnded(FinishReason.TOOL_CALLS),
    ]
    assert model.is_closed
    sent = model.requests[0]
    assert sent.tools == ()
    assert [message.role for message in sent.messages] == ["system", "user"]
    assert "search: Searches." in sent.messages[0].text
    assert "Be good." in sent.messages[0].text


@pytest.mark.anyio
async def test_a_model_that_only_answers_ends_as_it_ended():
    model = Echo(TextDelta("An answer, a < b"), StreamEnded(FinishReason.LENGTH))
    events = [event async for event in TextToolModel(model).stream(ModelRequest("m", (), (SEARCH,)))]
    assert text_of(events) == "An answer, a < b"
    assert events[-1] == StreamEnded(FinishReason.LENGTH)


def test_rounds_that_were_are_told_as_text_and_roles_take_turns():
    call = ToolCall("tag-1", "search", json.dumps({"queries": ["a"]}))
    request = ModelRequest(
        "m",
        (
            PromptMessage("user", "Q"),
            PromptMessage("assistant", "Let me see.", tool_calls=(call,)),
            PromptMessage("tool", "one", call_id="tag-1"),
            PromptMessage("tool", "two", call_id="tag-2"),
            PromptMessage("user", "Answer now."),
        ),
        (SEARCH,),
        may_call=False,
    )
    messages = to_text_request(request).messages
    assert [message.role for message in messages] == ["user", "assistant", "user"]
    assert messages[1].text == 'Let me see.\n<tool name="search">{"queries": ["a"]}</tool>'
    assert messages[2].text == "<result>\none\n</result>\n\n<result>\ntwo\n</result>\n\nAnswer now."
