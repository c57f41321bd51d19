"""Writing a text: an outline in the hands of the user, chapters with marks, single ones written anew."""

from contextlib import aclosing
from dataclasses import replace

import pytest

from desktop.chat.procedures.draft import draft
from desktop.chat.prompt import PageImageLoader
from desktop.domain.events import ProcedureChanged, StepFinished, StepStarted, TextDelta, TextReplaced
from desktop.domain.knowledge import PagePicture
from desktop.domain.messages import Step, StepKind, StepStatus
from desktop.domain.models import QUOTES_MODEL, FinishReason, StreamEnded
from desktop.domain.procedures import (
    AnswerNow,
    Chapter,
    DraftState,
    OutlineHeading,
    Phase,
    StartOutline,
    with_outline,
)
from desktop.domain.sources import Locator, Passage, SourceKind
from desktop.errors.servers import ContextTooLong, ProviderDown
from desktop.search.gather import GatherResult
from tests.turns import run_with
from tests.unit.chat.procedures.library import Desk

pytestmark = pytest.mark.anyio

TOPIC = "Heat pumps in old houses"
BEGUN = DraftState(TOPIC, ("base",), confirms=False)
OUTLINE = "<outline><heading>How they work</heading><heading>What they cost</heading></outline>"
SHELF = {
    "How they work": "A heat pump moves heat from the air into the house.",
    "What they cost": "A heat pump for an old house costs 20,000 crowns.",
    "Who pays": "The landlord pays for the heat pump.",
}


async def look_up(intent, _where, emit):
    """Find what stands under the heading that is asked for; for the topic, all of it."""
    step = Step(1, StepKind.KNOWLEDGE, " · ".join(intent.knowledge_queries))
    await emit(StepStarted(step))
    wanted = [title for title in SHELF if title in intent.knowledge_queries] or list(SHELF)
    await emit(StepFinished(replace(step, status=StepStatus.DONE, count=len(wanted))))
    return GatherResult(
        tuple(
            Passage(
                SourceKind.FILE,
                "pumps.md",
                SHELF[title],
                "file:///pumps.md",
                "f" * 64,
                Locator(section=f"Pumps › {title}", start=place * 100, end=place * 100 + len(SHELF[title])),
            )
            for place, title in enumerate(SHELF)
            if title in wanted
        )
    )


class Author:
    """Says texts in turn; what is an exception is raised."""

    def __init__(self, *texts) -> None:
        self.texts = list(texts)
        self.requests = []

    async def stream(self, request):
        self.requests.append(request)
        text = self.texts.pop(0)
        if isinstance(text, BaseException):
            raise text
        half = len(text) // 2
        yield TextDelta(text[:half])
        yield TextDelta(text[half:])
        yield StreamEnded(FinishReason.STOP)


async def writing(desk, state=BEGUN, stop=lambda _event: False):
    """Return the state at the end, and the text as the user sees it."""
    text = desk.context.answer_so_far
    async with aclosing(run_with(desk.context, draft, state)) as events:
        async for event in events:
            desk.events.append(event)
            if isinstance(event, TextReplaced):
                text = event.text
            if isinstance(event, TextDelta):
                text += event.text
            if stop(event):
                break
    return desk.states[-1], text


def desk_of(*texts, **fields):
    return Desk(Author(*texts), look_up=look_up, **fields)


async def test_an_outline_and_its_chapters_become_one_text_with_marks():
    desk = desk_of(OUTLINE, "They move heat [1].", "Much [2].")
    state, text = await writing(desk)
    assert text == "## How they work\n\nThey move heat [1].\n\n## What they cost\n\nMuch [2].\n\n"
    assert state.text == text
    assert state.phase is Phase.DONE
    assert [chapter.numbers for chapter in state.chapters] == [(1,), (2,)]
    assert desk.marks() <= set(desk.kept)
    assert "How they work" in desk.model.requests[2].messages[1].text  # a chapter knows the whole outline
    assert "They move heat [1]." in desk.model.requests[2].messages[1].text  # and what stands before it


async def test_outline_and_chapters_are_written_with_the_pages_of_scans_in_sight():
    async def draw(_sha256, _page):
        return PagePicture(b"the page")

    desk = desk_of(
        OUTLINE, "They move heat [1].", "It costs a lot [2].", page_images=PageImageLoader(draw, see=True)
    )
    await writing(desk)
    shown = [[image.data for image in request.messages[-1].images] for request in desk.model.requests]
    assert shown == [[b"the page"]] * 3


async def test_the_person_changes_the_outline_before_anything_is_written():
    desk = desk_of(OUTLINE, "The landlord [3].", "They move heat [1].")

    def start(event):
        if isinstance(event, ProcedureChanged) and event.procedure.phase is Phase.PLANNED:
            desk.control.take(
                StartOutline(
                    (OutlineHeading("Who pays"), OutlineHeading("How they work"), OutlineHeading("  "))
                )
            )
        return False

    state, text = await writing(desk, replace(BEGUN, confirms=True), start)
    assert [chapter.title for chapter in state.chapters] == ["Who pays", "How they work"]
    assert text.startswith("## Who pays\n\nThe landlord [3].")
    assert Phase.PLANNED in [told.phase for told in desk.states]


async def test_without_a_model_chapters_are_sentences_of_the_base_with_their_marks():
    desk = Desk(None, model_id=QUOTES_MODEL, look_up=look_up)
    state, text = await writing(desk)
    assert [chapter.title for chapter in state.chapters] == list(SHELF)
    for number, words in enumerate(SHELF.values(), 1):
        assert f"{words} [{number}]" in text
        assert desk.kept[number].text == words
    assert text.count("20,000 crowns") == 1  # nothing is said twice


async def test_one_chapter_is_written_anew_and_the_others_stay():
    first = desk_of(OUTLINE, "They move heat [1].", "Much [2].")
    state, text = await writing(first)
    headings = (OutlineHeading("How they work", 0, is_anew=True), OutlineHeading("Costs", 1))
    again = replace(with_outline(state, headings), phase=Phase.WRITING)
    desk = desk_of("They pump [1].", ledger=first.ledger, answer_so_far=text)
    state, text = await writing(desk, again)
    assert text == "## How they work\n\nThey pump [1].\n\n## Costs\n\nMuch [2].\n\n"
    assert state.text == text
    assert len(desk.model.requests) == 1
    replaced = [event.text for event in desk.events if isinstance(event, TextReplaced)]
    assert [told.count("They move heat") for told in replaced] == [
        1,
        0,
    ]  # the old one stays until the new is there


async def test_a_chapter_may_be_added_at_the_end_and_one_taken_away():
    first = desk_of(OUTLINE, "They move heat [1].", "Much [2].")
    state, text = await writing(first)
    again = replace(
        with_outline(state, (OutlineHeading("What they cost", 1), OutlineHeading("Who pays"))),
        phase=Phase.WRITING,
    )
    desk = desk_of("The landlord [3].", ledger=first.ledger, answer_so_far=text)
    _, text = await writing(desk, again)
    assert text == "## What they cost\n\nMuch [2].\n\n## Who pays\n\nThe landlord [3].\n\n"


async def test_a_text_that_was_stopped_goes_on_with_the_chapter_that_broke_off():
    first = desk_of(OUTLINE, "They move heat [1].", "Much [2].")
    pieces = []

    def in_the_second(event):
        pieces.append(event)
        told = [one.text for one in pieces if isinstance(one, TextDelta)]
        return "## What they cost\n\n" in told and told[-1] == "Much"

    state, text = await writing(first, stop=in_the_second)
    assert text.endswith("## What they cost\n\nMuch")
    assert state.written_count == 1
    desk = desk_of("Very much [2].", ledger=first.ledger, answer_so_far=text)
    state, text = await writing(desk, state)
    assert text == "## How they work\n\nThey move heat [1].\n\n## What they cost\n\nVery much [2].\n\n"
    assert state.phase is Phase.DONE


async def test_the_person_may_end_it_between_two_chapters():
    desk = desk_of(OUTLINE, "They move heat [1].")

    def end(event):
        if isinstance(event, TextDelta):
            desk.control.take(AnswerNow())
        return False

    state, text = await writing(desk, stop=end)
    assert text == "## How they work\n\nThey move heat [1].\n\n"
    assert state.ended_by == "You stopped the draft here."
    assert [chapter.is_written for chapter in state.chapters] == [True, False]


async def test_an_outline_that_cannot_be_read_is_made_of_the_headings_and_it_is_said():
    desk = desk_of("I would rather not.", "A [1].", "B [2].", "C [3].")
    state, _ = await writing(desk)
    assert [chapter.title for chapter in state.chapters] == list(SHELF)
    (plan,) = [step for step in desk.context.log.steps if step.kind is StepKind.PLAN]
    assert plan.status is StepStatus.DEGRADED
    assert "headings that were found" in plan.detail


async def test_a_model_that_finds_it_too_long_is_given_less():
    too_long = ContextTooLong(provider="X", detail="")
    desk = desk_of(too_long, OUTLINE, too_long, "They move heat [1].", "Much [2].")
    _, text = await writing(desk)
    assert "They move heat [1]." in text
    outputs = [request.max_output_tokens for request in desk.model.requests]
    assert outputs[3] == outputs[2] // 2


async def test_a_model_that_fails_leaves_the_chapters_that_are_written():
    desk = desk_of(OUTLINE, "They move heat [1].", ProviderDown(provider="X", detail=""))
    with pytest.raises(ProviderDown):
        await writing(desk)
    assert desk.states[-1].written_count == 1


async def test_a_chapter_of_which_nothing_is_found_says_so():
    async def nothing(_intent, _where, _emit):
        return GatherResult(())

    desk = Desk(Author(OUTLINE), look_up=nothing)
    _, text = await writing(desk)
    assert text.count("Nothing was found about this.") == 2
    assert desk.marks() == set()


def test_an_outline_keeps_the_texts_that_its_headings_name():
    written = DraftState(TOPIC, chapters=(Chapter("A", "a", (1,), is_written=True), Chapter("B")))
    changed = with_outline(
        written,
        (OutlineHeading("B2", 1), OutlineHeading("A2", 0), OutlineHeading("C", 7), OutlineHeading("")),
    )
    assert [(each.title, each.text, each.is_written) for each in changed.chapters] == [
        ("B2", "", False),
        ("A2", "a", True),
        ("C", "", False),
    ]
    assert with_outline(written, ()) == written
