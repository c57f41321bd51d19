"""Reasoning between tags, however the text is cut."""

from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.models import ReasoningDelta, TextDelta
from desktop.providers.openai_chat import ThinkSplitter
from tests.cases import cases


def split(pieces):
    splitter = ThinkSplitter()
    events = [event for piece in pieces for event in splitter.feed(piece)] + splitter.finish()
    assert all(event.text for event in events)
    reasoning = "".join(event.text for event in events if isinstance(event, ReasoningDelta))
    return reasoning, "".join(event.text for event in events if isinstance(event, TextDelta))


@cases(
    "text, reasoning, answer",
    [
        ("Hello", "", "Hello"),
        ("<think>Let me see.</think>Yes.", "Let me see.", "Yes."),
        ("\n<think>\nLet me see.\n\n</think>\n\nYes.\n", "Let me see.", "Yes.\n"),
        ("<think></think>Yes.", "", "Yes."),
        ("<think>a < b </thin k</think>c", "a < b </thin k", "c"),
        ("<think>never closed", "never closed", ""),
        ("<think>broken off </thi", "broken off </thi", ""),
        ("<thi", "", "<thi"),
        ("<thinking>no tag of ours", "", "<thinking>no tag of ours"),
        ("Write <think> to begin, </think> to end.", "", "Write <think> to begin, </think> to end."),
        ("<think>a</think>Then <think>b</think>", "a", "Then <think>b</think>"),
        ("<think>想一想。</think>好。", "想一想。", "好。"),
        ("", "", ""),
    ],
)
def test_only_a_tag_at_the_beginning_opens_reasoning(text, reasoning, answer):
    assert split([text]) == (reasoning, answer)


fragments = st.sampled_from(
    ["<think>", "</think>", "<", ">", "</", "think", " ", "\n", "a", "好", "<thi", "nk>"]
)


@given(st.lists(fragments, max_size=12).map("".join), st.data())
def test_the_cuts_make_no_difference(text, data):
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)))))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]

    assert split(pieces) == split([text])


def test_text_is_not_held_back_once_reasoning_is_ruled_out():
    splitter = ThinkSplitter()

    assert splitter.feed("<thi") == []
    assert splitter.feed("s is text") == [TextDelta("<this is text")]
    assert splitter.feed(" <think>") == [TextDelta(" <think>")]
