"""What an assistant changes about a turn: the system message, the parameters, the tools."""

from dataclasses import replace
from types import SimpleNamespace

import pytest

from desktop.chat.source_lookup import GatherRequest, SelectedModel
from desktop.chat.tools.toolset import Toolset
from desktop.domain.assistants import GENERAL, Assistant, Parameters
from desktop.domain.messages import StepStatus
from desktop.domain.models import (
    FinishReason,
    StreamEnded,
    TextDelta,
    ToolCallDelta,
    ToolSpec,
    WishesLeftOut,
)
from desktop.domain.sources import Ledger
from desktop.domain.tools import Tool
from desktop.settings.model import ChatSettings, Settings
from desktop.storage.conversation_store import ConversationStore
from tests.cases import cases
from tests.turns import ask
from tests.unit.chat.turn.test_runner import END, Bench, loop_context
from tests.unit.chat.turn.test_tools import TalkingModel

pytestmark = pytest.mark.anyio

LAWYER = Assistant(
    "lawyer",
    "Lawyer",
    prompt="Name the {paragraph}. Never cite.",
    parameters=Parameters(0.1, "high", 9_000, 700, top_p=0.5, fields='{"seed": 7}'),
)


async def asked(tmp_path, assistant):
    """Return the request that a model gets when `assistant` is asked."""
    async with loop_context(tmp_path, TextDelta("x"), END) as b:
        question = await b.question(assistant=assistant)
        async for _event in ask(b.runner, question):
            pass
        return b.model.requests[0]


async def test_the_prompt_stands_before_our_rules_which_count(tmp_path):
    plain, special = await asked(tmp_path / "a", GENERAL), await asked(tmp_path / "b", LAWYER)
    rules, whole = plain.messages[0].text, special.messages[0].text
    assert whole.endswith(rules)
    assert LAWYER.prompt in whole.removesuffix(rules)
    assert "the rules below count" in whole.removesuffix(rules)
    assert plain.messages[1:] == special.messages[1:]


async def test_the_parameters_reach_the_model(tmp_path):
    request = await asked(tmp_path, LAWYER)
    assert (request.temperature, request.effort, request.max_output_tokens) == (0.1, "high", 700)
    assert (request.top_p, request.fields) == (0.5, {"seed": 7})


async def test_what_the_model_does_not_take_is_said_once(tmp_path):
    left_out = WishesLeftOut(("temperature", "seed"))
    calling = [left_out, ToolCallDelta(0, "c1", "nothing", "{}"), StreamEnded(FinishReason.TOOL_CALLS)]
    model = TalkingModel(calling, [left_out, TextDelta("x"), END])
    store = ConversationStore(tmp_path)
    b = Bench(store, model)
    events = [event async for event in ask(b.runner, await b.question(assistant=LAWYER))]
    await store.close()
    assert len(model.requests) == 2
    said = [step.detail for step in events[-1].message.steps if step.status is StepStatus.DEGRADED]
    assert said == ["Settings that this model does not support were left out: temperature, seed."]


async def test_a_long_prompt_takes_room_from_the_sources(tmp_path):
    wordy = replace(LAWYER, prompt="word " * 3_000)
    async with loop_context(tmp_path, TextDelta("x"), END) as b:
        budgets = []
        gather = b.runner._gather

        def noted(request, emit):
            budgets.append(request.budget_tokens)
            return gather(request, emit)

        b.runner._gather = noted
        for assistant in (LAWYER, wordy):
            async for _event in ask(b.runner, await b.question(assistant=assistant)):
                pass
    assert budgets[1] < budgets[0]


def tool(name, server=""):
    async def run(_arguments):
        yield

    return Tool(ToolSpec(name, "", {}), run, server)


@cases(
    "assistant, expected",
    [
        (GENERAL, {"web_search", "wikipedia_search", "read_page", "knowledge_search", "list", "delete"}),
        (replace(LAWYER, tools=("read_page",)), {"read_page", "list", "delete"}),
        (replace(LAWYER, tools=(), servers=("Files",)), {"list"}),
    ],
)
async def test_it_has_only_the_tools_that_it_may_use(assistant, expected, tmp_path):
    async def servers():
        return tool("list", "Files"), tool("delete", "Disk")

    async with loop_context(tmp_path) as b:
        question = await b.question(assistant=assistant, bases=("b1",), uses_memory=False)
        toolset = Toolset(
            lookup=SimpleNamespace(look_up=lambda *_: None),
            settings=lambda: Settings(chat=ChatSettings()),
            servers=servers,
        )
        request = GatherRequest(question, (), SelectedModel(b.model, "some/model", "model"), 100)
        found = await toolset.tools(request, Ledger())
    assert {each.spec.name for each in found} - {"remember"} == expected


async def test_a_conversation_keeps_its_assistant(tmp_path):
    async with loop_context(tmp_path, TextDelta("x"), END) as b:
        info = await b.store.create("lawyer")
        await b.ask("Who?", info.id)
        assert [each.assistant for each in await b.store.recent()] == ["lawyer"]
        await b.store.assign(info.id, "coder")
        assert (await b.store.load(info.id)).info.assistant == "coder"
        empty = await b.store.create()
        await b.store.assign(empty.id, "writer")
        await b.ask("Who?", empty.id)
        assert (await b.store.load(empty.id)).info.assistant == "writer"
