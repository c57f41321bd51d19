"""What is known of models: from lists, from servers of one's own, by name, and by hand."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.models import NO_FACTS, Ability, ModelFacts, Price, UsageReported
from desktop.providers.model_listing import facts_by_name, facts_in
from tests.cases import cases
from tests.unit.providers.requests import opened
from tests.unit.providers.wire import Connection, answering, serving

TOOLS, IMAGES, FILES, REASONING = Ability.TOOLS, Ability.IMAGES, Ability.FILES, Ability.REASONING


def test_a_market_place_says_price_window_and_abilities():
    facts = facts_in(
        {
            "id": "maker/model",
            "context_length": 200_000,
            "top_provider": {"context_length": 200_000, "max_completion_tokens": 64_000},
            "pricing": {"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003"},
            "architecture": {"input_modalities": ["text", "image"]},
            "supported_parameters": ["max_tokens", "tools"],
        }
    )
    assert facts == ModelFacts(
        200_000, 64_000, Price(3.0, 15.0, "USD", 0.3), (IMAGES, TOOLS), (FILES, REASONING)
    )


@cases(
    "row, has, lacks",
    [
        ({"capabilities": {"function_calling": True, "vision": False}}, (TOOLS,), (IMAGES,)),
        ({"capabilities": {"image_input": {"supported": True}}}, (IMAGES,), ()),
        ({"capabilities": {"server_tools": {"web_search": {"supported": True}}}}, (Ability.SEARCH,), ()),
        ({"capabilities": {"server_tools": {"web_search": {"supported": False}}}}, (), (Ability.SEARCH,)),
        ({"supports_image_in": True, "supports_reasoning": False}, (IMAGES,), (REASONING,)),
        ({"object": "model", "arch": "q", "type": "vlm", "capabilities": ["tool_use"]}, (IMAGES, TOOLS), ()),
        ({"capabilities": ["completion"]}, (), ()),
        ({}, (), ()),
    ],
)
def test_abilities_are_read_in_the_words_of_each_server(row, has, lacks):
    facts = facts_in(row)
    assert (facts.has, facts.lacks) == (has, lacks)


@cases("price", ["-1", "free", "inf", None, [], {}])
def test_a_price_that_is_none_is_not_guessed(price):
    assert facts_in({"pricing": {"prompt": price, "completion": "0.1"}}).price is None


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
_NAMES = ("capabilities", "architecture", "pricing", "supported_parameters", "meta", "top_provider", "arch")


@given(st.dictionaries(st.sampled_from((*_NAMES, "context_length", "max_tokens")), _json))
def test_no_list_is_odd_enough_to_break_anything(row):
    facts = facts_in(row)
    assert not set(facts.has) & set(facts.lacks)


@cases(
    "name, expected",
    [
        ("gpt-4o-mini", {IMAGES, TOOLS}),
        ("o3-mini", {IMAGES, TOOLS, REASONING}),
        ("anthropic/claude-sonnet-4-5", {IMAGES, TOOLS, FILES, REASONING}),
        ("deepseek-reasoner", {REASONING}),
        ("deepseek-ai/DeepSeek-V4-Flash", {REASONING, TOOLS}),
        ("glm-5.2", {REASONING, TOOLS}),
        ("kimi-k3", {REASONING, TOOLS}),
        ("claude-fable-5", {IMAGES, TOOLS, FILES, REASONING}),
        ("gpt-6", {IMAGES, TOOLS, REASONING}),
        ("qwen2.5-vl-7b-instruct", {IMAGES, TOOLS}),
        ("my-own-finetune", set()),
    ],
)
def test_known_families_are_known_by_name(name, expected):
    assert set(facts_by_name(name).has) == expected


def test_what_is_set_by_hand_counts_more_than_what_was_found_out():
    found = ModelFacts(8_000, 2_000, Price(1, 2), (IMAGES,), (TOOLS,))
    own = ModelFacts(context_tokens=4_000, has=(TOOLS,), lacks=(IMAGES,))
    assert own.over(found) == ModelFacts(4_000, 2_000, Price(1, 2), (TOOLS,), (IMAGES,))
    assert NO_FACTS.over(found) == found


def test_cost_counts_what_was_cached_at_its_own_price():
    usage = UsageReported(input_tokens=1_000_000, output_tokens=100_000, cached_tokens=400_000)
    assert usage.cost(Price(3.0, 15.0, cached=0.3)) == pytest.approx(1.8 + 0.12 + 1.5)
    assert usage.cost(Price(3.0, 15.0)) == pytest.approx(4.5)


def by_path(answers):
    """Answer by the last part of the path, with 404 where nothing is set."""

    async def script(connection: Connection) -> None:
        path = connection.request.path.removeprefix("/")
        known = answers.get(path)
        if callable(known):
            known = known(connection.request.json)
        status, body = (200, known) if known is not None else (404, {"error": "no"})
        await answering(status, body)(connection)

    return script


async def facts_from(answers, **fields):
    async with serving(by_path(answers)) as wire, opened(wire.base_url, **fields) as provider:
        return {model.name: model.facts for model in await provider.models()}


@pytest.mark.anyio
async def test_ollama_is_asked_for_each_model():
    shown = {
        "seeing": {
            "capabilities": ["completion", "tools", "vision"],
            "model_info": {"llama.context_length": 131_072},
            "parameters": "stop x\nnum_ctx                        8192",
        },
        "plain": {"capabilities": ["completion"], "model_info": {"x.context_length": 4_096}},
        "broken": {"error": "not found"},
    }
    listed = {"data": [{"id": name, "object": "model", "owned_by": "library"} for name in shown]}
    facts = await facts_from({"v1/models": listed, "api/show": lambda asked: shown[asked["model"]]})
    assert facts["seeing"] == ModelFacts(8_192, has=(IMAGES, TOOLS), lacks=(REASONING,))
    assert facts["plain"] == ModelFacts(4_096, lacks=(IMAGES, REASONING, TOOLS))
    assert facts["broken"] == NO_FACTS


@pytest.mark.anyio
async def test_llama_cpp_says_what_its_template_can():
    listed = {"data": [{"id": "m", "owned_by": "llamacpp", "meta": {"n_ctx": 512}}]}
    props = {
        "default_generation_settings": {"n_ctx": 2_048},
        "modalities": {"vision": False, "audio": False},
        "chat_template_caps": {"supports_tools": True},
    }
    facts = await facts_from({"v1/models": listed, "props": props})
    assert facts["m"] == ModelFacts(2_048, has=(TOOLS,), lacks=(IMAGES,))


@pytest.mark.anyio
async def test_lm_studio_lists_more_at_an_address_of_its_own():
    row = {"id": "m", "object": "model", "type": "llm", "arch": "qwen2", "capabilities": ["tool_use"]}
    rich = {"data": [row | {"max_context_length": 32_768, "loaded_context_length": 4_096}]}
    facts = await facts_from({"v1/models": {"data": [{"id": "m"}]}, "api/v0/models": rich}, id_="lmstudio-2")
    assert facts["m"] == ModelFacts(4_096, has=(TOOLS,), lacks=(IMAGES,))


@pytest.mark.anyio
@cases("said", [None, [], {"model_info": 5}, {"model_info": {}, "capabilities": 5}, "<html>"])
async def test_a_server_that_tells_nothing_still_has_its_list(said):
    listed = {"data": [{"id": "m", "owned_by": "library"}]}
    facts = await facts_from({"v1/models": listed, "api/show": json.loads(json.dumps(said))})
    assert facts == {"m": NO_FACTS}
