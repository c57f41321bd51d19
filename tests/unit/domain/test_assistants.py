"""Fields that an assistant adds to requests: what is taken, and what never is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.assistants import OWN_FIELDS, FieldsTaken, Parameters, request_fields
from tests.cases import cases


def test_an_object_is_taken_as_it_is():
    fields = {"seed": 7, "stop": None, "provider": {"order": ["a"]}, "潮": 0.5}
    assert request_fields(json.dumps(fields)) == fields
    assert request_fields("{}") == request_fields(" \n") == request_fields("") == {}


@cases(
    "text",
    ["7", "[]", '"seed"', "null", "{", "{'a': 1}", '{"a": NaN}', '{"a": ' + "[" * 9_000, '{"a": "\\ud800"}'],
)
def test_what_is_no_object_is_refused(text):
    with pytest.raises(ValueError, match="no JSON object"):
        request_fields(text)


@cases("name", sorted(OWN_FIELDS))
def test_what_footnote_says_itself_is_never_taken(name):
    with pytest.raises(FieldsTaken) as raised:
        Parameters(fields=json.dumps({"seed": 1, name: "other"}))
    assert raised.value.names == (name,)


def test_the_fields_that_matter_are_among_them():
    assert {"model", "messages", "input", "system", "instructions", "tools", "stream"} <= OWN_FIELDS


@given(st.text() | st.recursive(st.none() | st.integers() | st.text(), st.lists).map(json.dumps))
def test_any_text_is_an_object_or_refused(text):
    try:
        fields = request_fields(text)
    except ValueError:
        return
    assert OWN_FIELDS.isdisjoint(fields)
