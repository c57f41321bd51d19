"""What a turn makes of what is known of its model: pictures, tools, effort, prices, its own search."""

from contextlib import asynccontextmanager

import pytest

from desktop.chat.source_lookup import SelectedModel
from desktop.domain.events import StepFinished, TurnFinished
from desktop.domain.messages import StepKind, StepStatus
from desktop.domain.models import Ability, CitedPage, CitedPages, ModelFacts, Price, TextDelta, UsageReported
from desktop.domain.search import WEB_OWN
from desktop.settings.model import ChatSettings, Settings
from desktop.storage.conversation_store import ConversationStore
from tests.cases import cases
from tests.turns import ask
from tests.unit.chat.prompt.test_images import PNG
from tests.unit.chat.tools.test_loop import finds
from tests.unit.chat.turn.test_runner import END, Bench, ScriptedModel

pytestmark = pytest.mark.anyio

SEES = ModelFacts(has=(Ability.IMAGES,))


@asynccontextmanager
async def turns(tmp_path, facts, *script, settings=None):
    """Give a bench whose model is known for `facts`."""
    store = ConversationStore(tmp_path / "data")
    context = Bench(store, ScriptedModel(*(script or (TextDelta("A tide table."), END))), settings=settings)

    async def pick(model_id):
        return SelectedModel(context.model, model_id, "model", facts)

    context.runner._pick_model = pick
    try:
        yield context
    finally:
        await store.close()


async def asked(context, text="What is this?", conversation_id="", **fields):
    question = await context.question(text, conversation_id, **fields)
    return [event async for event in ask(context.runner, question)], question.conversation_id


def picture(tmp_path):
    path = tmp_path / "tides.png"
    path.write_bytes(PNG)
    return path


async def test_a_picture_is_shown_and_shown_again_with_the_next_question(tmp_path):
    async with turns(tmp_path, SEES) as context:
        _events, conversation = await asked(context, files=(picture(tmp_path),))
        await asked(context, "And now?", conversation)
        first, second = context.model.requests
        assert [len(message.images) for message in first.messages] == [0, 1]
        assert [len(message.images) for message in second.messages] == [0, 1, 0, 0]


async def test_a_model_that_does_not_see_is_asked_without_and_it_is_said(tmp_path):
    async with turns(tmp_path, ModelFacts()) as context:
        events, _ = await asked(context, files=(picture(tmp_path),))
        assert not any(message.images for message in context.model.requests[0].messages)
        steps = [event.step for event in events if isinstance(event, StepFinished)]
        [said] = [step for step in steps if "tides.png" in step.detail]
        assert (said.kind, said.status) == (StepKind.READ, StepStatus.DEGRADED)


async def test_a_picture_alone_is_a_question_named_after_it(tmp_path):
    async with turns(tmp_path, SEES) as context:
        events, conversation = await asked(context, "", files=(picture(tmp_path),))
        assert isinstance(events[-1], TurnFinished)
        loaded = await context.store.load(conversation)
        assert (loaded.info.title, loaded.messages[0].text) == ("tides.png", "")
        assert "tides.png" in context.model.requests[0].messages[-1].text


@cases("lacks, effort", [((), "high"), ((Ability.REASONING,), "")])
async def test_effort_is_asked_of_models_that_may_think(tmp_path, lacks, effort):
    settings = Settings(chat=ChatSettings(effort="high"))
    async with turns(tmp_path, ModelFacts(lacks=lacks), settings=settings) as context:
        await asked(context)
        assert context.model.requests[0].effort == effort


async def test_what_an_answer_cost_and_took_is_kept(tmp_path):
    usage = UsageReported(input_tokens=2_000_000, output_tokens=1_000_000)
    async with turns(
        tmp_path, ModelFacts(price=Price(1.0, 2.0, "EUR")), TextDelta("So."), usage, END
    ) as context:
        _events, conversation = await asked(context)
        spent = (await context.store.load(conversation)).messages[1].spent
        assert (spent.cost, spent.currency) == (4.0, "EUR")
        assert spent.seconds > 0


async def test_a_model_that_searches_itself_is_asked_to_and_its_sources_are_kept(tmp_path):
    page = CitedPage("https://a.org/tides", "Tides", "Twice a day.")
    script = (TextDelta("Twice a day."), CitedPages((page,)), END)
    async with turns(tmp_path, ModelFacts(has=(Ability.SEARCH,)), *script) as context:
        _events, conversation = await asked(context, web=WEB_OWN)
        assert context.model.requests[0].searches
        loaded = await context.store.load(conversation)
        assert loaded.messages[1].text == "Twice a day.[1]"
        assert [source.url for source in loaded.sources] == ["https://a.org/tides"]
        assert loaded.messages[1].offered == (1,)


async def test_one_that_cannot_is_not_and_it_is_said(tmp_path):
    async with turns(tmp_path, ModelFacts()) as context:
        events, _ = await asked(context, web=WEB_OWN)
        assert not context.model.requests[0].searches
        details = [event.step.detail for event in events if isinstance(event, StepFinished)]
        assert any("of its own" in detail for detail in details)


@cases("lacks, offered", [((), 1), ((Ability.TOOLS,), 0)])
async def test_tools_are_asked_in_writing_of_models_that_call_none(tmp_path, lacks, offered):
    async def tools(_request, _ledger):
        return (finds("lookup", "found"),)

    async with turns(tmp_path, ModelFacts(lacks=lacks)) as context:
        context.runner._tools = tools
        await asked(context)
        [request] = context.model.requests
        assert len(request.tools) == offered
        assert ("<tool name=" in request.messages[0].text) is not bool(offered)
