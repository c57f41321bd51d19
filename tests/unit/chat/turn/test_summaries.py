"""Whoever wants the gist of a link or a file has all of it read: entire where it fits, else part by part."""

from contextlib import aclosing
from pathlib import Path

import pytest

from desktop.chat.source_lookup import GatherRequest
from desktop.domain.events import ProcedureChanged
from desktop.domain.messages import MessageStatus
from desktop.domain.models import QUOTES_MODEL
from desktop.domain.procedures import Phase, SummaryState
from desktop.domain.search import WEB_OFF
from desktop.domain.sources import canonical_url
from desktop.errors.servers import ProviderDown
from desktop.search.intent import Intent
from tests.cases import cases
from tests.turns import ask, discard, go_on
from tests.unit.chat.procedures.library import NotingModel
from tests.unit.chat.turn.summary_server import CHINESE, ENGLISH, lab, page_of, paragraphs, seen_of_page

pytestmark = pytest.mark.anyio

URL = "https://example.org/cancer-research"
REPORT = Path("/report.txt")
ASKED = {ENGLISH: f"Summarize {URL}", CHINESE: f"总结一下 {URL}"}


@cases("pattern", [ENGLISH, CHINESE])
async def test_every_paragraph_of_a_long_page_is_seen_and_marks_lead_to_its_parts(tmp_path, pattern):
    text = page_of(20_000, pattern)
    async with lab(tmp_path, {URL: text}) as at:
        message = await at.ask(ASKED[pattern])
        sources = (await at.store.load(message.conversation_id)).sources
    assert message.status is MessageStatus.COMPLETE
    assert paragraphs(at.seen) >= paragraphs(text)
    assert at.pages.queries == []
    assert isinstance(message.procedure, SummaryState)
    assert message.procedure.phase is Phase.DONE
    assert message.procedure.language == ("zh" if pattern is CHINESE else "en")
    assert len(sources) > 3
    for source in sources:
        where = source.locator
        assert canonical_url(source.url) == canonical_url(URL)
        assert source.text == text[where.start : where.end]


@cases(
    "asked",
    [f"Summarize {URL}", URL, f"What does this say? {URL}", f"Summarize the abstracts at {URL} please"],
)
async def test_a_page_that_fits_is_given_entire(tmp_path, asked):
    text = page_of(4_000)
    async with lab(tmp_path, {URL: text}, model=NotingModel("no decision", "Gist [1].")) as at:
        if "abstracts" not in asked:
            at.model.texts.pop(0)
        message = await at.ask(asked)
    assert message.procedure is None
    assert message.text == "Gist [1]."
    assert text in at.model.requests[-1].messages[-1].text
    assert at.pages.queries == []


@cases("pattern", [ENGLISH, CHINESE])
async def test_a_model_behind_http_is_sent_every_third_of_a_page(tmp_path, pattern):
    seen = await seen_of_page(tmp_path, 12_000, pattern)
    assert seen.is_complete
    assert seen.thirds == (1.0, 1.0, 1.0)
    assert all(seen.cited)


async def test_a_question_about_a_thing_on_a_page_is_answered_from_passages(tmp_path):
    text = page_of(20_000)
    asked = f"How many patients does study 77 follow? {URL}"
    async with lab(tmp_path, {URL: text}, model=NotingModel("no decision", "544 [1].")) as at:
        message = await at.ask(asked)
    assert message.procedure is None
    assert 77 in paragraphs(at.seen)
    assert len(paragraphs(at.seen)) < len(paragraphs(text))


async def test_a_file_is_read_as_a_whole_and_a_file_and_a_link_are_one_document(tmp_path):
    text, more = page_of(12_000), page_of(12_000, CHINESE)
    async with lab(tmp_path, {URL: more}, {REPORT: text}) as at:
        alone = await at.ask("Please summarize this file.", REPORT)
        assert paragraphs(at.seen) >= paragraphs(text)
        both = await at.ask(f"Summarize both. {URL}", REPORT)
        sources = (await at.store.load(both.conversation_id)).sources
    assert isinstance(alone.procedure, SummaryState)
    assert at.seen.count("比较了两种疗法") >= len(paragraphs(more))
    assert {source.kind.value for source in sources} == {"web", "file"}
    texts = {"web": more, "file": text}
    for source in sources:
        assert source.text == texts[source.kind.value][source.locator.start : source.locator.end]


@cases("pattern", [ENGLISH, CHINESE])
async def test_without_a_model_sentences_come_from_all_of_it(tmp_path, pattern):
    text = page_of(20_000, pattern)
    async with lab(tmp_path, {URL: text}, model_id=QUOTES_MODEL) as at:
        message = await at.ask(ASKED[pattern])
        sources = (await at.store.load(message.conversation_id)).sources
    assert message.status is MessageStatus.COMPLETE
    thirds = {
        source.locator.start * 3 // len(text) for source in sources if f"[{source.number}]" in message.text
    }
    assert thirds == {0, 1, 2}


async def test_a_short_page_is_quoted_whatever_words_its_address_has(tmp_path):
    async with lab(tmp_path, {URL: page_of(300)}, model_id=QUOTES_MODEL) as at:
        message = await at.ask(f"Summarize {URL}")
    assert "treatment" in message.text
    assert "[1]" in message.text


async def test_a_stopped_reading_keeps_its_notes_and_goes_on_with_the_same_page(tmp_path):
    text = page_of(20_000)
    async with lab(tmp_path, {URL: text}) as at:
        question = await at.question(f"Summarize {URL}")
        async with aclosing(ask(at.runner, question)) as turn:
            async for event in turn:
                if isinstance(event, ProcedureChanged) and event.procedure.read_count == 2:
                    break
        stopped = (await at.store.load(question.conversation_id)).messages[-1]
        assert stopped.status is MessageStatus.STOPPED
        assert stopped.procedure.read_count == 2
        before = len(at.model.requests)
        async with aclosing(go_on(at.runner, question.conversation_id, stopped.id, "some/model")) as turn:
            last = [event async for event in turn][-1].message
        assert last.status is MessageStatus.COMPLETE
        assert last.procedure.read_count == len(last.procedure.sections)
        assert 1 not in paragraphs(at.model.requests[before].messages[-1].text)


async def test_a_reading_whose_page_has_changed_says_so(tmp_path):
    model = NotingModel(ProviderDown(provider="X", detail=""))
    async with lab(tmp_path, {URL: page_of(20_000)}, model=model) as at:
        failed = await at.ask(f"Summarize {URL}")
        assert failed.status is MessageStatus.FAILED
        at.pages.texts[URL] = page_of(9_000)
        async with aclosing(go_on(at.runner, failed.conversation_id, failed.id, "some/model")) as turn:
            last = [event async for event in turn][-1].message
    assert last.status is MessageStatus.FAILED
    assert "Abstracts" in last.error


async def test_a_page_that_cannot_be_read_is_said_and_answered_without(tmp_path):
    async with lab(tmp_path, model=NotingModel("I cannot read it.")) as at:
        message = await at.ask(f"Summarize {URL}")
    assert message.text == "I cannot read it."
    assert any("does not exist" in step.detail for step in message.steps)


async def test_models_side_by_side_each_read_all_of_it(tmp_path):
    text = page_of(12_000)
    async with lab(tmp_path, {URL: text}) as at:
        question = await at.question(f"Summarize {URL}", also=("other/model",))
        async with aclosing(ask(at.runner, question)) as turn:
            async for _ in turn:
                pass
        answers = (await at.store.load(question.conversation_id)).messages[1:]
    assert len(answers) == 2
    assert all(answer.status is MessageStatus.COMPLETE for answer in answers)
    assert all(isinstance(answer.procedure, SummaryState) for answer in answers)


async def test_a_tool_that_is_called_for_a_summary_finds_what_it_asks_for(tmp_path):
    async with lab(tmp_path, {URL: page_of(1_000)}) as at:
        question = await at.question(f"Summarize the abstracts at {URL}")
        request = GatherRequest(question, (), await at.pick("some/model"), 2_000)
        intent = Intent(links=(URL,), rewrite="What of study 3?")
        found = await at.lookup.look_up(request, intent, WEB_OFF, discard)
    assert found.whole == ()
    assert [passage.url for passage in found.passages] == [URL]
