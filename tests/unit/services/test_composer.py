"""What was sent and not begun is in its conversation after the next start, with all that belongs to it."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.chat.api.engine import Question
from desktop.domain.drafts import Draft
from desktop.domain.history import PastAnswer
from desktop.domain.messages import MessageStatus, Speaker
from desktop.errors import StorageUnavailable
from desktop.services import composer
from desktop.services.composer import PastedTexts
from desktop.services.container import ServiceContainer, running_services
from desktop.services.window import window_services
from desktop.settings.folders import folders_for
from tests.cases import cases

pytestmark = pytest.mark.anyio


async def send_and_end(data, *questions, folder=""):
    """Put questions into the journal, and end before any turn has begun."""
    async with running_services(folders_for(data)) as services:
        for number, question in enumerate(questions):
            services.question_journal.keep(replace(question, message_id=f"q{number}"), folder)


async def next_start(data):
    """Return the services of a window that starts anew."""
    return ServiceContainer(folders_for(data), recovers_questions=True)


async def conversations_of(data):
    services = await next_start(data)
    try:
        found = services.store
        return [await found.load(info.id) for info in await found.recent()]
    finally:
        await services.aclose()


async def answered(data, text):
    """Return the conversation of a question that was answered."""
    async with running_services(folders_for(data)) as services:
        created = await services.store.create()
        async for _event in window_services(services).turns.ask(Question(text, created.id, web="off")):
            pass
        return await services.store.load(created.id)


async def test_a_question_becomes_a_message_whose_answer_broke_off(tmp_path):
    file = tmp_path / "a\udcff.md"
    sent = Question("潮汐 \ud800?", "", model="ollama/one", files=(file,))
    await send_and_end(tmp_path / "data", sent)
    (conversation,) = await conversations_of(tmp_path / "data")
    asked, answer = conversation.messages
    assert asked.text.startswith("潮汐")
    assert asked.files == (file,)
    assert answer.status is MessageStatus.INTERRUPTED
    assert answer.model == "ollama/one"
    assert conversation.info.title
    assert list((tmp_path / "data/sent-questions").iterdir()) == []


async def test_it_goes_behind_what_was_said_and_in_the_place_of_what_it_edits(tmp_path):
    before = await answered(tmp_path, "First")
    await send_and_end(
        tmp_path,
        Question("Second", before.info.id),
        Question("First, in other words", before.info.id, edits=before.messages[0].id),
    )
    (after,) = await conversations_of(tmp_path)
    assert [each.text for each in after.messages if each.speaker is Speaker.USER] == ["First, in other words"]
    assert len(after.messages[0].variants) == 2


async def test_where_its_conversation_or_what_it_edits_is_gone_the_words_are_kept(tmp_path):
    await send_and_end(tmp_path, Question("Whereto?", "gone", edits="gone as well"))
    (conversation,) = await conversations_of(tmp_path)
    assert conversation.messages[0].text == "Whereto?"


async def test_what_was_to_stay_here_stays_here_and_cites_what_it_cited(tmp_path):
    before = await answered(tmp_path, "Where is the key?")
    past = PastAnswer(before.info.id, before.messages[1].id, "Keys", "", before.info.created_at)
    await send_and_end(tmp_path, Question("And the lock?", "", past=(past,), stays_here=True))
    services = await next_start(tmp_path)
    (known, _) = await services.store.recent()
    conversation = await services.store.load(known.id)
    context = await services.egress_log.egress_context(known.id)
    await services.aclose()
    assert conversation.messages[0].text == "And the lock?"
    assert [source.number for source in conversation.sources] == list(conversation.pinned) == [1]
    assert context.stays_here


async def test_the_draft_that_it_was_typed_as_is_forgotten(tmp_path):
    async with running_services(folders_for(tmp_path)) as services:
        await services.drafts.keep({"": Draft("Why? "), "other": Draft("Why?")})
    await send_and_end(tmp_path, Question("Why?", ""))
    await conversations_of(tmp_path)
    async with running_services(folders_for(tmp_path)) as services:
        assert await services.drafts.all() == {"other": Draft("Why?")}


async def test_a_turn_that_has_begun_takes_it_out_of_the_journal(tmp_path, monkeypatch):
    monkeypatch.setattr(composer, "WAIT_S", 60)  # however slow the disk is
    async with running_services(folders_for(tmp_path)) as services:
        created = await services.store.create()
        question = Question("Once", created.id, web="off", message_id="q1")
        services.question_journal.keep(question)
        assert len(list((tmp_path / "sent-questions").iterdir())) == 1
        async for _event in window_services(services).turns.ask(question):
            pass
    assert list((tmp_path / "sent-questions").iterdir()) == []
    (conversation,) = await conversations_of(tmp_path)
    assert conversation.messages[0].id == "q1"


async def test_a_question_that_is_a_message_already_is_not_put_there_twice(tmp_path):
    await send_and_end(tmp_path, Question("Once", ""))
    (kept,) = (tmp_path / "sent-questions").iterdir()
    data = kept.read_bytes()
    await conversations_of(tmp_path)
    kept.write_bytes(data)  # killed before its file was deleted
    (conversation,) = await conversations_of(tmp_path)
    assert len(conversation.messages) == 2


async def test_what_is_no_question_harms_no_other(tmp_path):
    await send_and_end(tmp_path, Question("Sound", ""))
    for name, data in (("a", b""), ("b", b"[]"), ("c", b'{"text": 1}'), ("d", b"\xff\x00")):
        (tmp_path / f"sent-questions/{name}.json").write_bytes(data)
    (conversation,) = await conversations_of(tmp_path)
    assert conversation.messages[0].text == "Sound"


async def test_a_command_beside_the_window_leaves_its_questions_alone(tmp_path):
    await send_and_end(tmp_path, Question("Mine", ""))
    async with running_services(folders_for(tmp_path)) as services:
        assert await services.store.recent() == ()


async def test_a_slow_disk_does_not_hold_the_window(tmp_path, monkeypatch):
    may_go_on = threading.Event()

    def write_late(path: Path, data: bytes) -> int:
        may_go_on.wait()
        with path.open("wb") as file:
            return file.write(data)

    monkeypatch.setattr(Path, "write_bytes", write_late)
    monkeypatch.setattr(composer, "WAIT_S", 0.001)
    journal = composer.QuestionJournalService(tmp_path)
    journal.keep(Question("Slow", "", message_id="q"))  # returns although nothing is written
    assert list(tmp_path.iterdir()) == []
    may_go_on.set()
    await journal.aclose()
    assert len(list(tmp_path.iterdir())) == 1


async def test_a_text_is_kept_once_and_letter_by_letter(tmp_path):
    kept = PastedTexts(tmp_path / "pasted")
    first = await kept.keep("潮汐\r\n tides", "Tides.txt")
    assert await kept.keep("潮汐\r\n tides", "Tides.txt") == first
    assert first.read_bytes() == "潮汐\r\n tides".encode()
    assert first.name == "Tides.txt"
    assert await kept.keep("other", "Tides.txt") != first


@cases("name", ["../../away.txt", "/etc/away.txt", "a/b/away.txt"])
async def test_no_name_leads_out_of_the_folder(tmp_path, name):
    path = await PastedTexts(tmp_path).keep("x\udc80", name)
    assert path.name == "away.txt"
    assert path.parent.parent == tmp_path


async def test_a_disk_that_refuses_is_our_error(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with pytest.raises(StorageUnavailable):
        await PastedTexts(blocked).keep("x", "a.txt")
