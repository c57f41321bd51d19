"""A conversation that stays here reaches no other machine; what left for others is told; what is erased is gone."""

import asyncio
import os
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from datetime import timedelta

import pytest

from desktop.chat.api.engine import Question
from desktop.chat.attachments import AS_TEXT
from desktop.chat.source_lookup import attachment_base
from desktop.domain.drafts import Draft
from desktop.domain.events import TurnFailed, TurnFinished
from desktop.domain.history import PastAnswer
from desktop.domain.privacy import Channel, DeletedData, Recipient
from desktop.domain.search import WEB_OFF
from desktop.services import data as keeping_rooms
from desktop.services.container import running_services
from desktop.services.privacy import PrivacyService, recipients_of
from desktop.services.window import window_services
from desktop.settings import egress as egress_log
from desktop.settings.folders import folders_for
from desktop.settings.model import (
    ChatSettings,
    KnowledgeSettings,
    McpServer,
    OwnEmbedder,
    ProviderSettings,
    SearchSettings,
    Settings,
)
from desktop.storage.egress_log import EgressLog
from desktop.storage.local_copies import LocalBackups
from tests.e2e.model_server import running_model_server

pytestmark = pytest.mark.anyio

SECRET = "the heron of Altmühl sleeps"


@pytest.fixture(scope="module")
def server():
    with running_model_server() as running:
        yield running


@asynccontextmanager
async def rooms_with(folder, server):
    """Give rooms whose model answers."""
    async with running_services(folders_for(folder)) as services:
        provider = ProviderSettings("far", "Far", "openai", f"{server.origin}/v1", needs_key=False)
        await services.preferences.save(
            Settings(providers=(provider,), chat=ChatSettings(model="far/scripted"))
        )
        yield services


async def last_of(engine, question):
    events = [event async for event in engine.turns.ask(question)]
    return events[-1]


async def ask(engine, *, stays_here=False, text="Say hello"):
    info = await engine.conversations.create()
    question = Question(text, info.id, "far/scripted", web=WEB_OFF, stays_here=stays_here)
    return question, await last_of(engine, question)


async def test_a_model_elsewhere_is_not_asked_and_the_choice_outlives_the_program(
    tmp_path, server, monkeypatch
):
    monkeypatch.setattr(egress_log, "is_loopback", lambda _address: False)  # the server plays one far away
    before = len(server.requests)
    async with rooms_with(tmp_path, server) as services:
        question, end = await ask(window_services(services), stays_here=True)
        assert isinstance(end, TurnFailed)
        assert "stays on this computer" in end.message.error
        assert await window_services(services).privacy.stays_here(question.conversation_id)
        assert await window_services(services).privacy.list_egress() == ()
    async with rooms_with(tmp_path, server) as services:
        again = replace(question, stays_here=False)  # what the disk says counts
        assert isinstance(await last_of(window_services(services), again), TurnFailed)
        assert len(server.requests) == before
        await window_services(services).privacy.keep_here(question.conversation_id, is_kept=False)
        assert isinstance(await last_of(window_services(services), again), TurnFinished)
        (left,) = await window_services(services).privacy.list_egress(question.conversation_id)
        assert (left.host, left.channel) == ("127.0.0.1", Channel.MODEL)
        assert left.sent_bytes > len("Say hello")
        assert left.requests >= 1


async def test_a_question_that_cites_what_stays_here_stays_here_whatever_its_switch_says(
    tmp_path, server, monkeypatch
):
    async with rooms_with(tmp_path, server) as services:
        kept, _ = await ask(window_services(services), stays_here=True)
        monkeypatch.setattr(egress_log, "is_loopback", lambda _address: False)
        before = len(server.requests)
        store = services.store
        answer = (await store.load(kept.conversation_id)).messages[-1]
        past = PastAnswer(kept.conversation_id, answer.id, "Kept", answer.text, answer.created_at)
        info = await services.store.create()
        question = Question("And then?", info.id, "far/scripted", web=WEB_OFF, past=(past,))
        assert isinstance(await last_of(window_services(services), question), TurnFailed)
        assert len(server.requests) == before
        assert await window_services(services).privacy.stays_here(info.id)


async def test_a_model_on_this_machine_answers_and_nothing_is_noted(tmp_path, server):
    async with rooms_with(tmp_path, server) as services:
        _, end = await ask(window_services(services), stays_here=True)
        assert isinstance(end, TurnFinished)
        assert await window_services(services).privacy.list_egress() == ()


async def test_what_left_just_before_the_program_was_closed_is_noted(tmp_path, server, monkeypatch):
    noting = EgressLog.note

    async def note_slowly(*given):
        for _ in range(5_000):
            await asyncio.sleep(0)
        await noting(*given)

    async with rooms_with(tmp_path, server) as services:
        question, _ = await ask(window_services(services))
        monkeypatch.setattr(EgressLog, "note", note_slowly)
        with egress_log.on(await services.egress_log.egress_context(question.conversation_id)):
            egress_log.require_egress("https://example.com/herons", Channel.READING, 7)
    async with rooms_with(tmp_path, server) as services:
        (left,) = await window_services(services).privacy.list_egress(question.conversation_id)
        assert (left.host, left.sent_bytes) == ("example.com", 7)


async def test_a_search_is_told_as_not_made(tmp_path, server):
    async with rooms_with(tmp_path, server) as services:
        before = await services.web_services.web.health()
        with egress_log.on(egress_log.EgressContext(stays_here=True)):
            (outcome,) = await services.web_services.web.search("herons", "bing")
            page = await services.web_services.reader.read("https://example.com/herons")
            tools = await services.tool_servers.tools()
        assert "stays on this computer" in outcome.error
        assert "stays on this computer" in page.error
        assert tools == ()
        assert await services.web_services.web.health() == before


def words_on_disk(folder):
    wanted = SECRET.encode()
    return [path for path in folder.rglob("*") if path.is_file() and wanted in path.read_bytes()]


async def test_what_is_erased_is_on_the_disk_no_more(tmp_path, server):
    attached = tmp_path.parent / f"{tmp_path.name}-attached.txt"
    attached.write_text(f"It is said that {SECRET}.", encoding="utf-8")
    async with rooms_with(tmp_path, server) as services:
        engine = window_services(services)
        info = await engine.conversations.create()
        question = Question(SECRET, info.id, "far/scripted", web=WEB_OFF)
        assert isinstance(await last_of(engine, question), TurnFinished)
        await attach(services, info.id, attached)
        memory = await services.memories.add(SECRET)
        kept, _ = await ask(engine)
        await services.store.back_up()
        await engine.conversations.delete(info.id)
        await engine.memories.delete(memory.id)
        assert await engine.privacy.remains() == DeletedData(1, 1, 1)
        assert words_on_disk(tmp_path)
        await engine.privacy.erase(with_copies=True)
        assert await engine.privacy.remains() == DeletedData(0, 0, 1)
        assert [each.id for each in await engine.conversations.recent()] == [kept.conversation_id]
        assert words_on_disk(tmp_path) == []
    assert words_on_disk(tmp_path) == []


async def attach(services, conversation_id, path):
    base = await attachment_base(services.knowledge, conversation_id)
    async with aclosing(services.knowledge.add(base.id, [path])) as steps:
        async for step in steps:
            if step.item.state in AS_TEXT:
                break


async def test_what_came_with_a_conversation_goes_once_that_is_gone_for_good(tmp_path, server):
    attached = tmp_path.parent / f"{tmp_path.name}-attached.txt"
    attached.write_text(f"It is said that {SECRET}.", encoding="utf-8")
    async with rooms_with(tmp_path, server) as services:
        kept, gone = [(await ask(window_services(services)))[0].conversation_id for _ in range(2)]
        for conversation_id in (kept, gone):
            await attach(services, conversation_id, attached)
        await services.knowledge.delete((await services.knowledge.create("mine")).id)
        await services.store.delete(gone)
        await services.privacy.remove_leftovers()
        assert len(await services.knowledge.all_bases()) == 2
        await services.store.purge(timedelta(0))
        await services.privacy.remove_leftovers()
        assert [base.owner for base in await services.knowledge.all_bases()] == [kept]
        assert words_on_disk(tmp_path)
        assert (await services.knowledge.restore("mine")).name == "mine"
        await services.store.delete(kept)
        await services.store.purge(timedelta(0))
        await services.privacy.remove_leftovers()
        assert words_on_disk(tmp_path) == []


async def test_a_program_that_stays_open_tidies_up_by_itself(tmp_path, monkeypatch):
    tidied = asyncio.Event()

    async def remove_leftovers(_self):
        tidied.set()

    monkeypatch.setattr(keeping_rooms, "_FIRST_TIDY_S", 0.0)
    monkeypatch.setattr(PrivacyService, "remove_leftovers", remove_leftovers)
    async with running_services(folders_for(tmp_path)) as services, asyncio.timeout(60):
        await services.keeping.begin()
        await tidied.wait()


async def test_where_nothing_came_with_conversations_no_process_is_started_to_tidy(tmp_path, server):
    async with rooms_with(tmp_path, server) as services:
        await ask(window_services(services))
        await services.privacy.remove_leftovers()
        assert not (tmp_path / "knowledge").exists()


async def test_without_copies_the_copies_stay(tmp_path, server):
    async with rooms_with(tmp_path, server) as services:
        question, _ = await ask(window_services(services), text=SECRET)
        store = services.store
        await store.back_up()
        await services.store.delete(question.conversation_id)
        await window_services(services).privacy.erase()
        (copy,) = await asyncio.to_thread(LocalBackups(store.database.path).copies)
        assert words_on_disk(tmp_path) == [copy.path]


def test_who_is_told_is_read_off_the_settings():
    settings = Settings(
        providers=(
            ProviderSettings("far", "Far", "openai", "https://api.example.com/v1"),
            ProviderSettings("own", "Own", "openai", "http://127.0.0.1:8080/v1"),
        ),
        chat=ChatSettings(model="far/large", small_model="own/small"),
        search=SearchSettings(choice=WEB_OFF),
        knowledge=KnowledgeSettings(
            embedding_model="e", own_embedders=(OwnEmbedder("e", "Embeds", "https://e.example.com", "m"),)
        ),
        mcp_servers=(
            McpServer("p", "Files", ("files",)),
            McpServer("off", "Off", url="https://x", is_enabled=False),
        ),
    )
    here = Recipient(Channel.MODEL, "Own · small", "127.0.0.1", is_here=True)
    far = Recipient(Channel.MODEL, "Far · large", "api.example.com")
    embeds = Recipient(Channel.EMBEDDING, "Embeds", "e.example.com")
    files = Recipient(Channel.TOOLS, "Files", is_here=True)
    assert recipients_of(settings, ()) == (here, far, embeds, files)
    barred = recipients_of(settings, (), stays_here=True)
    assert [each.is_barred for each in barred] == [False, True, True, True]


async def test_what_a_draft_holds_is_not_left_over(tmp_path, server):
    async with rooms_with(tmp_path, server) as services:
        engine = window_services(services)
        held = await engine.pasted.keep("a text of a draft", "Held.txt")
        left = await engine.pasted.keep("a text of nothing", "Left.txt")
        for path in (held, left):
            os.utime(path, (0, 0))
        await engine.drafts.keep({"": Draft("", (held,))})
        await engine.privacy.erase()
        assert held.read_text() == "a text of a draft"
        assert not left.exists()
