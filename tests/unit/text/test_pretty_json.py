import json

from hypothesis import given
from hypothesis import strategies as st

from desktop.text.decode import pretty_json, printable
from tests.cases import cases


def test_json_is_laid_out_and_chinese_stays_chinese():
    assert pretty_json('{"path": "潮汐.txt", "deep": {"a": [1]}}') == (
        '{\n  "path": "潮汐.txt",\n  "deep": {\n    "a": [\n      1\n    ]\n  }\n}'
    )
    assert pretty_json("") == "{}"


@cases("hidden", ["\u202e", "\u200b", "\x1b", "\u2028", "\U000e0041"])
def test_what_hides_is_written_out(hidden):
    shown = pretty_json(json.dumps({"path": f"a{hidden}b"}, ensure_ascii=False))
    assert hidden not in shown
    assert f"{ord(hidden):04x}" in shown
    assert hidden not in pretty_json(f"not json {hidden}")


@given(st.text())
def test_everything_that_is_shown_can_be_seen(text):
    assert all(char.isprintable() or char.isspace() for char in printable(text))
