"""Turns that read or write: their state is on disk with the answer, they go on after a death, outlines change."""

from contextlib import aclosing

import pytest

from desktop.chat.procedures.dispatcher import ProcedureDispatcher
from desktop.domain.assistants import Assistant, Parameters
from desktop.domain.events import ProcedureChanged, TextReplaced, TurnFailed, TurnFinished
from desktop.domain.knowledge import PassageInfo
from desktop.domain.messages import MessageStatus
from desktop.domain.models import FinishReason, StreamEnded, TextDelta, WishesLeftOut
from desktop.domain.procedures import NOT_WRITTEN, DocumentTask, OutlineHeading, Phase, StartOutline
from desktop.errors.servers import ProviderDown
from desktop.settings.model import Settings
from desktop.storage.conversation_store import ConversationStore
from tests.cases import cases
from tests.turns import ask, go_on
from tests.unit.chat.procedures.test_documents import Shelf
from tests.unit.chat.turn.test_runner import Bench, look_up, recall_nothing
from tests.unit.chat.turn.test_tools import TalkingModel

pytestmark = pytest.mark.anyio

STOP = StreamEnded(FinishReason.STOP)
DOWN = ProviderDown(provider="X", detail="")


def says(text):
    return [TextDelta(text), STOP]


NOTED = says('<gist source="1">It is about dams.</gist><claim source="2">They hold.</claim>')
POINTS = says("## Key points\n\n- They hold [2].")
OUTLINE = says("<heading>Dams</heading><heading>Rivers</heading>")


class Library(Shelf):
    """One document of several parts, in a base."""

    def __init__(self) -> None:
        super().__init__()
        self.item = self.put("base", "/dams.pdf")

    async def passages(self, _item_id):
        words = "The dam holds the water of the river. " * 150
        return tuple(
            PassageInfo(
                place,
                f"{words}{place}",
                place + 1,
                f"Chapter {place // 2}",
                place * 9_000,
                place * 9_000 + len(words) + 1,
                is_embedded=True,
            )
            for place in range(6)
        )


class CraftBench(Bench):
    def __init__(self, store, *replies) -> None:
        super().__init__(store, TalkingModel(*replies))
        procedures = ProcedureDispatcher(look_up, Settings, Library(), recall_nothing)
        self.runner._procedures = lambda: procedures


async def collect(turn):
    async with aclosing(turn) as events:
        return [event async for event in events]


def reading(context, **fields):
    return context.question("Why?", procedure=DocumentTask.READ, web="off", bases=("base/base-0",), **fields)


def writing(context, **fields):
    return context.question("Water", procedure=DocumentTask.WRITE, web="off", bases=("base",), **fields)


async def test_a_reading_that_died_is_continued_after_a_restart(tmp_path):
    store = ConversationStore(tmp_path)
    dying = CraftBench(store, NOTED, [DOWN])
    question = await reading(dying)
    events = await collect(ask(dying.runner, question))
    assert isinstance(events[-1], TurnFailed)
    assert events[-1].message.procedure.read_count == 1
    await store.close()
    store = ConversationStore(tmp_path)
    stored = (await store.load(question.conversation_id)).messages[-1]
    assert stored.procedure == events[-1].message.procedure
    left = len(stored.procedure.sections) - 1
    context = CraftBench(store, *[NOTED] * left, POINTS)
    await collect(go_on(context.runner, question.conversation_id, stored.id, "some/model"))
    conversation = await store.load(question.conversation_id)
    message = conversation.messages[-1]
    await store.close()
    assert message.status is MessageStatus.COMPLETE
    assert message.procedure.phase is Phase.DONE
    assert message.text.startswith("## Outline")
    assert message.text.endswith("- They hold [2].")
    assert {source.number for source in conversation.sources} == set(message.offered)
    assert set(message.offered) == {number for note in message.procedure.notes for number in note.numbers}


async def test_what_is_told_of_a_procedure_is_on_disk(tmp_path):
    store = ConversationStore(tmp_path)
    context = CraftBench(store, OUTLINE, says("A [1]."), says("B [2]."))
    question = await writing(context)
    async with aclosing(ask(context.runner, question)) as events:
        async for event in events:
            if isinstance(event, ProcedureChanged):
                stored = (await store.load(question.conversation_id)).messages[-1]
                assert stored.procedure == event.procedure
    await store.close()


async def test_the_outline_of_a_finished_text_is_changed_and_only_what_is_new_is_written(tmp_path):
    store = ConversationStore(tmp_path)
    context = CraftBench(store, OUTLINE, says("A [1]."), says("B [2]."), says("C [3]."))
    question = await writing(context)
    finished = (await collect(ask(context.runner, question)))[-1]
    assert finished.message.text == "## Dams\n\nA [1].\n\n## Rivers\n\nB [2].\n\n"
    outline = StartOutline((OutlineHeading("Lakes", NOT_WRITTEN), OutlineHeading("Rivers", 1)))
    events = await collect(
        go_on(context.runner, question.conversation_id, finished.message.id, "some/model", outline=outline)
    )
    stored = (await store.load(question.conversation_id)).messages[-1]
    await store.close()
    assert isinstance(events[-1], TurnFinished)
    assert any(isinstance(event, TextReplaced) for event in events)
    assert stored == events[-1].message
    assert stored.text == "## Lakes\n\nC [3].\n\n## Rivers\n\nB [2].\n\n"
    assert stored.text == stored.procedure.text
    assert stored.status is MessageStatus.COMPLETE


async def test_a_rewriting_that_fails_leaves_the_text_that_was_there(tmp_path):
    store = ConversationStore(tmp_path)
    context = CraftBench(store, OUTLINE, says("A [1]."), says("B [2]."), [DOWN], says("A2 [1]."))
    question = await writing(context)
    finished = (await collect(ask(context.runner, question)))[-1]
    outline = StartOutline((OutlineHeading("Dams", 0, is_anew=True), OutlineHeading("Rivers", 1)))
    answer = (question.conversation_id, finished.message.id, "some/model")
    failed = (await collect(go_on(context.runner, *answer, outline=outline)))[-1]
    assert failed.message.text == finished.message.text
    again = (await collect(go_on(context.runner, *answer)))[-1]
    await store.close()
    assert again.message.text == "## Dams\n\nA2 [1].\n\n## Rivers\n\nB [2].\n\n"


@cases(
    "task, words",
    [(DocumentTask.READ, "Choose a document"), (DocumentTask.WRITE, "Choose a knowledge base")],
)
async def test_without_material_it_is_said_what_to_do(tmp_path, task, words):
    store = ConversationStore(tmp_path)
    context = CraftBench(store)
    events = await collect(ask(context.runner, await context.question(procedure=task, web="off")))
    await store.close()
    assert isinstance(events[-1], TurnFailed)
    assert words in events[-1].message.error


async def test_a_wish_to_read_is_no_question(tmp_path):
    store = ConversationStore(tmp_path)
    context = CraftBench(store, *[NOTED] * 9, POINTS)
    wish = await context.question(
        "Read “dams.pdf” for me.",
        procedure=DocumentTask.READ,
        web="off",
        bases=("base/base-0",),
        is_wish=True,
    )
    events = await collect(ask(context.runner, wish))
    await store.close()
    assert events[-1].message.procedure.question == ""


async def test_an_assistants_parameters_are_for_what_the_person_reads(tmp_path):
    store = ConversationStore(tmp_path)
    left_out = WishesLeftOut(("seed",))
    context = CraftBench(store, *[NOTED] * 6, [left_out, *POINTS])
    parameters = Parameters(temperature=0.7, top_p=0.5, fields='{"seed": 7}')
    assistant = Assistant("a", "A", parameters=parameters)
    events = await collect(ask(context.runner, await reading(context, assistant=assistant)))
    await store.close()
    asked = [(each.temperature, each.top_p, dict(each.fields)) for each in context.model.requests]
    assert set(map(str, asked[:-1])) == {str((0.0, None, {}))}
    assert asked[-1] == (0.7, 0.5, {"seed": 7})
    said = [step.detail for step in events[-1].message.steps]
    assert said.count("Settings that this model does not support were left out: seed.") == 1
