"""What does not fit the model's window goes by a rule: old results first, nobody's words."""

from hypothesis import given
from hypothesis import strategies as st

from desktop.chat.tools.results import fit_messages
from desktop.domain.models import PromptMessage, ToolCall
from desktop.text.tokens import estimate_tokens

CALL = ToolCall("c", "find", "{}")


def talk(*results):
    messages = [PromptMessage("system", "Be good."), PromptMessage("user", "Who was it?")]
    for number, words in enumerate(results):
        messages.append(PromptMessage("assistant", f"Look {number}.", tool_calls=(CALL,)))
        messages.append(PromptMessage("tool", "word " * words, call_id="c"))
    return messages


def cost(messages):
    return sum(estimate_tokens(message.text) for message in messages)


def test_what_fits_is_left_alone():
    messages = talk(100, 100)
    assert fit_messages(messages, 1_000).messages == tuple(messages)
    assert fit_messages(messages, 1_000).shortened == 0


def test_the_oldest_results_go_first_and_no_more_than_needed():
    messages = talk(1_000, 1_000, 1_000)
    fitting = fit_messages(messages, 2_100)
    texts = [message.text for message in fitting.messages if message.role == "tool"]
    assert "left out to save space" in texts[0]
    assert texts[1:] == [messages[5].text, messages[7].text]
    assert fitting.shortened == 1


def test_the_last_result_is_cut_only_when_all_others_are_gone():
    fitting = fit_messages(talk(1_000, 1_000), 600)
    texts = [message.text for message in fitting.messages if message.role == "tool"]
    assert "left out to save space" in texts[0]
    assert texts[1].startswith("word word")
    assert "cut:" in texts[1]
    assert fitting.shortened == 2


@given(st.lists(st.integers(0, 500), max_size=6), st.integers(0, 2_000))
def test_words_of_people_and_models_stay_and_calls_keep_their_results(results, limit):
    messages = talk(*results)
    fitting = fit_messages(messages, limit)
    assert [message.role for message in fitting.messages] == [message.role for message in messages]
    said = [message for message in messages if message.role != "tool"]
    assert [message for message in fitting.messages if message.role != "tool"] == said
    assert cost(fitting.messages) <= max(limit, cost(said) + 230 + 30 * len(results), 0) or not results
    assert cost(fitting.messages) <= cost(messages)
