"""Reading a long document: bounded requests, marks that lead to its passages, an end at any time, going on."""

import asyncio
from contextlib import aclosing

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.chat.procedures.summary import cost_of, summarize
from desktop.chat.prompt import MOST_PAGES, PageImageLoader
from desktop.domain.events import ProcedureChanged
from desktop.domain.knowledge import PagePicture
from desktop.domain.messages import StepStatus
from desktop.domain.models import QUOTES_MODEL
from desktop.domain.procedures import AnswerNow, NoteKind, Pause, Phase, Resume, SummaryState
from desktop.domain.sources import document_of as sha256_of
from desktop.errors.servers import ContextTooLong, ProviderDown
from desktop.render.markdown.tree import RenderTarget
from desktop.render.message import render_message
from desktop.text.tokens import estimate_tokens
from tests.turns import run_with
from tests.unit.chat.procedures.library import Desk, NotingModel, document_of, long_pages

pytestmark = pytest.mark.anyio

BEGUN = SummaryState("")


async def reading(desk, document, state=BEGUN):
    async with aclosing(run_with(desk.context, summarize, state, document)) as events:
        async for event in events:
            desk.events.append(event)
    return desk.states[-1]


def assert_marks_lead_to(desk, document, text):
    """Every mark of the text, and every number of a note, is a kept source whose words stand at its offsets."""
    named = {number for note in desk.states[-1].notes for number in note.numbers}
    assert desk.marks() | named
    for number in desk.marks() | named:
        source = desk.kept[number]
        assert source == desk.ledger.get(number)
        assert source.text == text[source.locator.start : source.locator.end]
        assert sha256_of(source) == document.info.sha256
        assert source.locator.page


async def test_a_model_that_sees_is_shown_the_pages_of_each_part_under_their_numbers():
    async def draw(_sha256, page):
        return PagePicture(f"page {page}".encode())

    document, _text = document_of(long_pages(12))
    desk = Desk(NotingModel(), page_images=PageImageLoader(draw, see=True))
    await reading(desk, document)
    shown = [request.messages[-1].images for request in desk.model.requests]
    assert shown[0][0].data == b"page 1"
    assert all(1 <= len(images) <= MOST_PAGES for images in shown[:-1])
    assert all("[1]" in images[0].label for images in shown[:-1])
    assert shown[-1] == ()
    sent = {image.data for images in shown for image in images}
    (step,) = [step for step in desk.context.log.steps if "given to the model as images" in step.detail]
    assert step.detail.startswith(f"{len(sent)} page")


@pytest.mark.parametrize("model_id", ["some/model", QUOTES_MODEL])
async def test_a_book_of_300_pages_is_read_in_requests_that_fit(model_id):
    document, text = document_of(long_pages(300))
    model = NotingModel()
    desk = Desk(model, model_id=model_id, context_tokens=8_000)
    state = await reading(desk, document)
    assert estimate_tokens(text) > 5 * 8_000
    assert all(
        sum(estimate_tokens(message.text) for message in request.messages) + request.max_output_tokens
        <= 8_000
        for request in model.requests
    )
    assert len(state.sections) > 12
    assert state.read_count == len(state.sections)
    assert (state.sections[0].first_page, state.sections[-1].last_page) == (1, 300)
    assert_marks_lead_to(desk, document, text)
    assert len(desk.kept) < len(document.passages) / 3  # only what is cited has a number
    assert "## Outline" in desk.text
    assert "pp. 1–" in desk.text
    assert "–300)" in desk.text
    assert "## Key points" in desk.text
    if model_id == QUOTES_MODEL:
        pages = sorted(desk.kept[number].locator.page for number in desk.marks())
        assert pages[0] <= 10
        assert pages[-1] > 290  # what is quoted is from all over the book


async def test_without_a_model_the_sentences_that_claim_and_prove_are_quoted():
    pages = [
        (
            "1 Introduction",
            "We introduce a novel pump for old houses.\nHouses are often old and badly insulated.",
        ),
        (
            "2 Results",
            "Our experiments show that the pump needs 30 % less power.\nThe pump is loud at night.",
        ),
    ]
    document, text = document_of(pages)
    desk = Desk(None, model_id=QUOTES_MODEL)
    await reading(desk, document)
    _, new = desk.text.split("## What is new\n\n")
    new, claimed = new.split("## What is claimed\n\n")
    claimed, evidence = claimed.split("## With what evidence\n\n")
    assert "We introduce a novel pump for old houses. [" in new
    assert "show that the pump needs" in claimed
    assert "30 % less power" in evidence
    assert_marks_lead_to(desk, document, text)


async def test_rows_of_tables_are_not_quoted_and_the_outline_is_one_list():
    pages = [
        (f"{number} Part", f"| Year | Tons | {number} |\nThe harvest of part {number} was good.")
        for number in range(1, 31)
    ]
    pages = [(section, "\n".join([words] * 30)) for section, words in pages]
    document, _ = document_of(pages)
    desk = Desk(None, model_id=QUOTES_MODEL)
    await reading(desk, document)
    assert "Tons" not in desk.text
    rendered = render_message(desk.text.split("## Key points")[0], {}, RenderTarget.PAGE, "Source").html
    assert rendered.count("<ol") == 1


async def test_a_chinese_document_is_read_in_chinese():
    pages = [
        ("第一章 引言", "本文首次提出一种新的灌溉方法。\n农田灌溉是农业生产的重要环节。"),
        ("第二章 结果", "实验表明，该方法比以往节水百分之三十。\n调查了四百个村庄的数据。"),
    ]
    document, text = document_of(pages)
    desk = Desk(None, model_id=QUOTES_MODEL)
    state = await reading(desk, document)
    assert state.language == "zh"
    assert "## 提纲" in desk.text
    assert "第 1" in desk.text
    assert "本文首次提出一种新的灌溉方法。" in desk.text.split("## 有什么新内容")[1]
    assert_marks_lead_to(desk, document, text)
    model = NotingModel()
    await reading(Desk(model), document)
    assert all(
        "规则" in request.messages[0].text or "笔记" in request.messages[0].text for request in model.requests
    )


async def test_the_question_of_the_person_is_asked_of_every_part_and_answered():
    document, _ = document_of(long_pages(40))
    model = NotingModel(answer="## Answer\n\nIt is so [1].")
    desk = Desk(model)
    await reading(desk, document, SummaryState("How much does dam 12 hold?"))
    assert all("How much does dam 12 hold?" in request.messages[1].text for request in model.requests)
    quoting = Desk(None, model_id=QUOTES_MODEL)
    state = await reading(quoting, document, SummaryState("How much more water does dam 12 hold?"))
    answer = quoting.text.split("## Answer")[1].split("## Key points")[0]
    assert "87 % more water" in answer
    assert any(note.kind is NoteKind.ANSWER for note in state.notes)


async def test_what_is_read_stays_when_it_is_stopped_and_the_rest_is_read_later():
    document, text = document_of(long_pages(120))
    first = Desk(NotingModel())
    async with aclosing(run_with(first.context, summarize, BEGUN, document)) as events:
        async for event in events:
            first.events.append(event)
            if isinstance(event, ProcedureChanged) and event.procedure.read_count == 3:
                break
    stopped = first.states[-1]
    assert stopped.phase is Phase.READING
    again = Desk(NotingModel(), ledger=first.ledger)
    again.kept.update(first.kept)
    state = await reading(again, document, stopped)
    assert len(again.model.requests) == len(state.sections) - 3 + 1
    assert state.sections[:3] == stopped.sections[:3]
    assert state.phase is Phase.DONE
    assert_marks_lead_to(again, document, text)


async def test_stopping_in_the_middle_of_a_request_ends_the_request():
    document, _ = document_of(long_pages(60))
    waits, closed = asyncio.Event(), []

    class Waiting:
        async def stream(self, _request):
            try:
                waits.set()
                await asyncio.Event().wait()
                yield None
            finally:
                closed.append(True)

    task = asyncio.create_task(reading(Desk(Waiting()), document))
    await waits.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert closed == [True]


async def test_an_answer_that_broke_off_is_continued_where_it_stopped():
    document, _ = document_of(long_pages(60))
    first = Desk(NotingModel(answer="## Key points\n\n- It holds [1].\n"))
    state = await reading(first, document)
    head = first.text.split("## Key points")[0]
    writing = next(told for told in first.states if told.phase is Phase.WRITING)
    half = head + "## Key points\n\n- It"
    again = Desk(NotingModel(answer=" holds [1].\n"), ledger=first.ledger, answer_so_far=half)
    await reading(again, document, writing)
    assert again.text == " holds [1].\n"
    assert again.model.requests[-1].answer_so_far == "## Key points\n\n- It"
    quoted = Desk(None, model_id=QUOTES_MODEL)
    state = await reading(quoted, document)
    writing = next(told for told in quoted.states if told.phase is Phase.WRITING)
    for cut in (10, len(quoted.text) // 2, len(quoted.text) - 3):
        rest = Desk(None, model_id=QUOTES_MODEL, ledger=quoted.ledger, answer_so_far=quoted.text[:cut])
        assert await reading(rest, document, writing) == state
        assert quoted.text[:cut] + rest.text == quoted.text


async def test_the_person_may_have_the_answer_before_all_is_read():
    document, _ = document_of(long_pages(120))
    desk = Desk(NotingModel())

    def stop_at(number):
        if number == 3:
            desk.control.take(AnswerNow())

    desk.model = desk.context.picked.model._at_request = stop_at
    state = await reading(desk, document)
    assert 0 < state.read_count < len(state.sections)
    assert state.ended_by == "You requested the answer."
    assert "not read" in desk.text
    assert "## Key points" in desk.text


async def test_a_pause_waits_and_goes_on():
    document, _ = document_of(long_pages(60))
    desk = Desk(NotingModel())
    async with aclosing(run_with(desk.context, summarize, BEGUN, document)) as events:
        async for event in events:
            desk.events.append(event)
            if isinstance(event, ProcedureChanged) and event.procedure.read_count == 2:
                desk.control.take(Pause())
            if isinstance(event, ProcedureChanged) and event.procedure.phase is Phase.PAUSED:
                desk.control.take(Resume())
    phases = [state.phase for state in desk.states]
    assert Phase.PAUSED in phases
    assert phases[-1] is Phase.DONE


async def test_a_part_that_is_too_long_for_the_model_is_read_in_halves():
    document, text = document_of(long_pages(60))
    desk = Desk(NotingModel(ContextTooLong(provider="X", detail="")))
    state = await reading(desk, document)
    plain = Desk(NotingModel())
    assert len(state.sections) == len((await reading(plain, document)).sections) + 1
    step = next(step for step in desk.context.log.steps if step.subject == "report.pdf")
    assert step.status is StepStatus.DEGRADED
    assert "too long" in step.detail
    assert_marks_lead_to(desk, document, text)


async def test_notes_that_cannot_be_read_are_replaced_by_sentences_and_it_is_said():
    document, text = document_of(long_pages(30))
    desk = Desk(NotingModel("I had rather not.", "<notes></notes>"))
    state = await reading(desk, document)
    assert [bool(section.problem) for section in state.sections[:3]] == [True, True, False]
    assert state.sections[0].notes
    step = next(step for step in desk.context.log.steps if step.subject == "report.pdf")
    assert "2 parts have no notes from the model." in step.detail
    assert_marks_lead_to(desk, document, text)


async def test_the_tags_of_a_confused_model_never_stand_in_the_answer():
    document, _text = document_of(long_pages(30))
    answer = (
        '<notes><gist source="1">Dams hold.</gist>\n<claim source="1,2">More water.</claim></notes>'
        '\n<tool name="read_part">{"part": 2}</tool>\n```xml\n<claim>kept</claim>\n```'
    )
    desk = Desk(NotingModel(answer=answer))
    await reading(desk, document)
    assert desk.text.endswith("\n\nDams hold.[1]\nMore water.[1][2]\n\n```xml\n<claim>kept</claim>\n```")
    assert [step for step in desk.context.log.steps if "not shown" in step.detail]


async def test_a_model_that_fails_leaves_what_was_read():
    document, _ = document_of(long_pages(60))
    notes = '<gist source="1">So.</gist>'
    desk = Desk(NotingModel(notes, notes, ProviderDown(provider="X", detail="")))
    with pytest.raises(ProviderDown):
        await reading(desk, document)
    assert desk.states[-1].read_count == 2


async def test_notes_that_do_not_fit_the_last_request_are_brought_together_and_no_part_is_lost():
    document, text = document_of(long_pages(400))
    desk = Desk(NotingModel(), context_tokens=3_000)
    state = await reading(desk, document)
    assert state.digest
    assert cost_of(state.sections) > 2 * cost_of(state.digest)
    assert (state.digest[0].first_page, state.digest[-1].last_page) == (1, 400)
    assert any("Notes merged" in step.detail for step in desk.context.log.steps)
    last = desk.model.requests[-1].messages[1].text
    assert all(note.text in last for part in state.digest for note in part.notes)
    assert_marks_lead_to(desk, document, text)


async def test_notes_that_a_model_does_not_bring_together_are_shared_out_and_the_rest_is_counted():
    document, _ = document_of(long_pages(200))
    long_note = "".join(f'<point source="{n}">Point {n}: {"word " * 60}</point>' for n in range(1, 6))
    count = len((await reading(Desk(None, model_id=QUOTES_MODEL, context_tokens=5_000), document)).sections)
    notes = [f'<gist source="1">Short.</gist>{long_note}'] * count
    desk = Desk(NotingModel(*notes, *["Never."] * 60, answer="So [1]."), context_tokens=5_000)
    await reading(desk, document)
    assert any("left out for lack of space" in step.detail for step in desk.context.log.steps)


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "A", "A › B", "A › C", "D › E › F", "[1] *x*"]),
            st.text("ab .,。好[]1\n", min_size=1, max_size=300).filter(lambda words: words.strip()),
        ),
        min_size=1,
        max_size=25,
    )
)
def test_every_mark_is_in_the_ledger_and_stands_at_its_offsets(pages):
    document, text = document_of(pages)

    async def both():
        for desk in (Desk(NotingModel()), Desk(None, model_id=QUOTES_MODEL)):
            await reading(desk, document)
            for number in {number for note in desk.states[-1].notes for number in note.numbers}:
                source = desk.kept[number]
                assert source.text == text[source.locator.start : source.locator.end]

    asyncio.run(both())
