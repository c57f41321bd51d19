"""Calls of models: pieces come in any cut, arguments are checked before anything runs."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.tools.executor import ArgumentsRefused, CallAssembler, canonical, read_arguments
from desktop.domain.models import ToolCall, ToolCallDelta
from tests.cases import cases

SCHEMA = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "count": {"type": "integer", "minimum": 1}},
    "required": ["query"],
    "additionalProperties": False,
}

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


def call(arguments: str, name: str = "web_search") -> ToolCall:
    return ToolCall("call_1", name, arguments)


@given(
    st.lists(st.dictionaries(st.text(), json_values, max_size=3), min_size=1, max_size=4),
    st.randoms(use_true_random=False),
)
def test_parallel_calls_are_put_together_from_pieces_in_any_order_of_their_indexes(arguments, random):
    texts = [json.dumps(value) for value in arguments]
    left = dict(enumerate(texts))
    assembler = CallAssembler()
    for index in random.sample(list(left), len(left)):
        assembler.add(ToolCallDelta(index, f"id{index}", f"tool{index}"))
    while any(left.values()):
        index = random.choice([index for index, text in left.items() if text])
        length = random.randint(1, len(left[index]))
        assembler.add(ToolCallDelta(index, arguments=left[index][:length]))
        left[index] = left[index][length:]
    assert assembler.calls == tuple(
        ToolCall(f"id{index}", f"tool{index}", text) for index, text in enumerate(texts)
    )


def test_an_id_that_comes_again_is_not_added_to_the_first():
    assembler = CallAssembler()
    assembler.add(ToolCallDelta(0, "a", "web_search", '{"q'))
    assembler.add(ToolCallDelta(0, "a", "web_search", 'uery": "x"}'))
    assert assembler.calls == (ToolCall("a", "web_search", '{"query": "x"}'),)


def test_arguments_that_fit_are_read():
    assert read_arguments(call('{"query": "潮汐", "count": 3}'), SCHEMA) == {"query": "潮汐", "count": 3}
    assert read_arguments(call(""), {"type": "object"}) == {}


@cases(
    "arguments, words",
    [
        ("{", "not JSON"),
        ("query=潮汐", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("[1]", "JSON object"),
        ("null", "JSON object"),
        ("{}", "'query' is a required property"),
        ('{"query": 3}', "query: 3 is not of type 'string'"),
        ('{"query": "a", "count": 0}', "count: 0 is less than the minimum"),
        ('{"query": "a", "page": 1}', "page"),
    ],
)
def test_arguments_that_do_not_fit_are_refused_with_words_for_the_model(arguments, words):
    with pytest.raises(ArgumentsRefused, match=words.replace("(", r"\(")):
        read_arguments(call(arguments), SCHEMA)


@cases(
    "schema",
    [
        {"type": "nonsense"},
        {"$ref": "http://127.0.0.1:1/schema.json"},
        {"$ref": "file:///etc/passwd"},
        {"$ref": "#/nowhere"},
    ],
)
def test_a_broken_schema_is_said_and_nothing_is_fetched_for_it(schema):
    with pytest.raises(ArgumentsRefused, match="The tool itself is broken"):
        read_arguments(call('{"query": "x"}'), schema)


def test_a_schema_that_refers_to_itself_is_followed():
    schema = {"type": "object", "properties": {"child": {"$ref": "#"}}, "additionalProperties": False}
    assert read_arguments(call('{"child": {"child": {}}}'), schema) == {"child": {"child": {}}}
    with pytest.raises(ArgumentsRefused, match=r"child\.child"):
        read_arguments(call('{"child": {"child": 1}}'), schema)


def test_calls_are_the_same_however_their_json_is_spelt():
    assert canonical(call('{"a":1,"b":"x"}')) == canonical(call('{ "b": "\\u0078", "a": 1 }'))
    assert canonical(call('{"a":1}')) != canonical(call('{"a":2}'))
    assert canonical(call('{"a":1}')) != canonical(call('{"a":1}', "other"))
    assert canonical(call("not json")) == canonical(call("not json"))


def test_patterns_of_strangers_are_left_to_them_and_a_property_may_be_called_pattern():
    schema = {
        "type": "object",
        "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}, "pattern": {"type": "integer"}},
        "required": ["a"],
    }
    slow = json.dumps({"a": "a" * 60 + "!"})
    assert read_arguments(call(slow), schema, is_ours=False) == json.loads(slow)
    with pytest.raises(ArgumentsRefused, match="pattern: 'x' is not of type 'integer'"):
        read_arguments(call('{"a": "b", "pattern": "x"}'), schema, is_ours=False)
    with pytest.raises(ArgumentsRefused, match="does not match"):
        read_arguments(call('{"a": "b"}'), schema)


DOUBLED = {f"d{place}": {"allOf": [{"$ref": f"#/$defs/d{place + 1}"}] * 2} for place in range(60)}
LAST = {"d60": {"type": "integer"}}


@cases(
    "rules",
    [
        {"properties": {"a": {"$ref": "#/$defs/d0"}}},
        {"allOf": [{"$ref": "#/$defs/d0"}], "unevaluatedProperties": False},
        {"properties": {"a": {"items": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}}}},
    ],
)
def test_references_that_multiply_end_and_are_left_to_the_server(rules):
    deep = "1"
    for _ in range(30):
        deep = f'{{"a": [{deep}]}}'
    schema = {"$defs": {**DOUBLED, **LAST}, "type": "object", **rules}
    assert read_arguments(call(deep), schema, is_ours=False) == json.loads(deep)


def test_a_schema_of_many_references_is_held_to():
    schema = {"$defs": LAST, "properties": {"a": {"items": {"$ref": "#/$defs/d60"}}}}
    read_arguments(call(json.dumps({"a": [1] * 900})), schema, is_ours=False)
    with pytest.raises(ArgumentsRefused, match="not of type 'integer'"):
        read_arguments(call(json.dumps({"a": [1] * 900 + ["x"]})), schema, is_ours=False)


@cases(
    "schema",
    [
        {"$schema": {}},
        {"$schema": 5},
        {"properties": {"query": {"$ref": "#/x"}}, "x": {"type": "nosuch"}},
        {"properties": {"query": {"$ref": "#/x"}}, "x": 5},
    ],
)
def test_whatever_a_schema_holds_the_model_hears_that_the_tool_is_broken(schema):
    with pytest.raises(ArgumentsRefused, match="The tool itself is broken"):
        read_arguments(call('{"query": "x"}'), schema, is_ours=False)


def test_half_a_character_is_never_passed_on():
    assert read_arguments(call('{"query": "\\ud83d x"}'), SCHEMA) == {"query": "\ufffd x"}
