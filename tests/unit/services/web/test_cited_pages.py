"""Cited pages through the real services: kept after a turn, read again from a server, exported and erased."""

import asyncio
import base64
import gzip
import json
import os
import random
import socket
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from desktop.chat.api.engine import Question
from desktop.domain.sources import PageState
from desktop.errors import CitedPageDamaged, StaysHere
from desktop.services.container import running_services
from desktop.services.window import window_services
from desktop.settings.folders import folders_for
from desktop.settings.model import BackupDestination
from desktop.storage.cited_pages import CitedPageStore
from tests.unit.search.page_server import PageServer

pytestmark = pytest.mark.anyio

LAMP = "The lamp of the lighthouse of Velmora reaches 42 kilometres over the sea."
HEAD = "The lighthouse was built in 1874 by the engineer Hanna Orso and stands on a rock."
TAIL = "Visitors may climb its 212 steps on every Sunday between May and September."


def page_of(*sentences, extra=""):
    paragraphs = "".join(f"<p>{sentence}</p>" for sentence in sentences)
    return (
        "<html><head><title>Velmora</title></head><body><article><h1>Velmora</h1>"
        f"{paragraphs}</article>{extra}</body></html>"
    )


HTML = {"Content_Type": "text/html"}
WHOLE = page_of(HEAD, LAMP, TAIL, extra="<script>steal()</script>")


@asynccontextmanager
async def rooms_in(folder, **cited_pages):
    async with running_services(folders_for(folder)) as services:
        settings = services.preferences.settings
        search = replace(settings.search, allowed_hosts=("127.0.0.1",))
        pages = replace(settings.cited_pages, **cited_pages)
        await services.preferences.save(replace(settings, search=search, cited_pages=pages))
        yield services


async def ask(services, address, **fields):
    """Ask about a page; return the id of the conversation, whose answer cites it."""
    info = await services.store.create()
    question = Question(
        f"How far does the lamp of the lighthouse of Velmora reach? {address}", info.id, web="off", **fields
    )
    async for _ in window_services(services).turns.ask(question):
        pass
    await services.page_archive.wait_kept()
    return info.id


async def check(services, conversation_id):
    steps = [step async for step in services.page_archive.check(conversation_id)]
    assert (steps[0].done, steps[-1].done) == (0, steps[-1].total)
    return steps[-1].checks[1]


async def test_a_cited_page_is_kept_as_it_was_read_once_for_all_chats(tmp_path):
    async with PageServer() as server, rooms_in(tmp_path, keeps_files=True) as services:
        server.redirect("/old", server.page("/lamp", WHOLE, **HTML))
        archive = services.page_archive
        first = await ask(services, server.url("/old"))
        second = await ask(services, server.url("/lamp"))
        server.handlers.clear()

        (page,) = await archive.pages(first)
        assert (page.address, page.final_address) == (server.url("/old"), server.url("/lamp"))
        loaded = await archive.load(first, 1)
        assert (loaded.page.title, loaded.newer) == ("Velmora", "")
        assert [HEAD in loaded.text, LAMP in loaded.text, TAIL in loaded.text] == [True] * 3
        await archive.save_file(first, 1, tmp_path / "page.html")
        assert (tmp_path / "page.html").read_text() == WHOLE
        (other,) = await archive.pages(second)
        assert (other.text_hash, other.file) == (page.text_hash, page.file)
        files = list((tmp_path / "cited-pages").iterdir())
        assert ([path.name for path in files], (await archive.totals()).pages) == ([f"{page.file}.gz"], 1)

        await services.store.erase(first)
        assert (await archive.load(second, 1)).text == loaded.text
        await services.store.delete(second)
        await services.privacy.erase()
        assert list((tmp_path / "cited-pages").iterdir()) == []
        totals = await archive.totals()
        assert (totals.pages, totals.text_bytes) == (0, 0)
        assert LAMP[9:40].encode() not in (tmp_path / "conversations.db").read_bytes()


async def test_nothing_is_kept_where_that_is_not_wanted(tmp_path):
    async with PageServer() as server, rooms_in(tmp_path, keeps="never") as services:
        address = server.page("/lamp", WHOLE, **HTML)
        assert await services.page_archive.pages(await ask(services, address)) == ()
        settings = services.preferences.settings
        always = replace(settings.cited_pages, keeps="always")
        await services.preferences.save(replace(settings, cited_pages=always))
        here = await ask(services, address, stays_here=True)
        assert await services.page_archive.pages(here) == ()
        assert not (tmp_path / "cited-pages").exists()


async def test_a_page_read_again_is_the_same_has_changed_moved_or_gone(tmp_path):
    async with PageServer() as server, rooms_in(tmp_path) as services:
        address = server.page("/lamp", WHOLE, **HTML)
        chat = await ask(services, address)
        archive = services.page_archive

        found = await check(services, chat)
        assert (found.state, found.changes, found.has_passage) == (PageState.SAME, 0, True)

        server.page("/lamp", page_of(HEAD, LAMP, TAIL.replace("212", "214")), **HTML)
        found = await check(services, chat)
        assert (found.state, found.changes, found.is_warning) == (PageState.CHANGED, 1, True)
        texts = await archive.load(chat, 1)
        assert ("212" in texts.text, "214" in texts.newer) == (True, True)

        server.page("/lamp", page_of(HEAD, LAMP.replace("42", "37"), TAIL), **HTML)
        found = await check(services, chat)
        assert (found.state, found.has_passage) == (PageState.CHANGED, False)

        moved = server.page("/new", WHOLE, **HTML)
        server.redirect("/lamp", moved)
        found = await check(services, chat)
        assert (found.state, found.address, found.changes) == (PageState.MOVED, moved, 0)
        assert (await archive.load(chat, 1)).newer == ""

        server.page("/lamp", "no more", status=410, **HTML)
        assert (await check(services, chat)).state is PageState.GONE

        server.page("/lamp", "broken", status=503, **HTML)
        found = await check(services, chat)
        assert (found.state, found.is_warning, bool(found.detail)) == (PageState.UNREACHED, False, True)

        source = (await services.store.load(chat)).sources[0]
        assert source.page_check == found
        assert LAMP in source.text
        await services.privacy.keep_here(chat, is_kept=True)
        with pytest.raises(StaysHere):
            await check(services, await _moved_away(services, chat))


async def _moved_away(services, chat):
    """Let the kept page of a chat be one of another machine, which may not be asked."""
    statement = "UPDATE cited_pages SET address = 'https://lamp.example/'"
    await services.store.database.execute(statement)
    return chat


async def test_a_page_is_kept_also_if_a_window_that_waits_for_it_is_closed(tmp_path):
    async with PageServer() as server, rooms_in(tmp_path) as services:
        archive = services.page_archive
        address, context_of, may_go = (
            server.page("/lamp", WHOLE, **HTML),
            archive._egress_context,
            asyncio.Event(),
        )

        async def wait(*arguments):
            await may_go.wait()
            return await context_of(*arguments)

        archive._egress_context = wait
        info = await services.store.create()
        question = Question(f"How far does the lamp of Velmora reach? {address}", info.id, web="off")
        async for _ in window_services(services).turns.ask(question):
            pass
        viewer = asyncio.create_task(archive.load(info.id, 1))
        await asyncio.sleep(0)
        viewer.cancel()
        await asyncio.wait({viewer})
        may_go.set()
        await archive.wait_kept()
        assert len(await archive.pages(info.id)) == 1


async def test_damage_on_the_disk_is_told_and_loses_nothing(tmp_path):
    async with PageServer() as server, rooms_in(tmp_path, keeps_files=True) as services:
        chat = await ask(services, server.page("/lamp", WHOLE, **HTML))
        archive = services.page_archive
        (page,) = await archive.pages(chat)
        path = tmp_path / "cited-pages" / f"{page.file}.gz"
        for broken in (b"", path.read_bytes()[:-40], gzip.compress(b"other"), b"\x1f\x8b" + b"x" * 40):
            path.write_bytes(broken)
            with pytest.raises(CitedPageDamaged):
                await archive.save_file(chat, 1, tmp_path / "page.html")
        assert not (tmp_path / "page.html").exists()
        await services.store.database.execute("UPDATE page_texts SET packed = x'00ff'")
        with pytest.raises(CitedPageDamaged):
            await archive.load(chat, 1)
        found = await check(services, chat)
        assert (found.state, "damaged" in found.detail) == (PageState.UNREACHED, True)
        (source,) = (await services.store.load(chat)).sources
        assert LAMP in source.text


async def test_a_full_disk_harms_no_answer_and_is_told_once(tmp_path):
    async with PageServer() as server, rooms_in(tmp_path, keeps_files=True) as services:
        told = []
        services.page_archive._tell = told.append
        address = server.page("/lamp", page_of(HEAD, LAMP, TAIL, extra=f"<!--{'x' * 99_999}-->"), **HTML)
        (tmp_path / "cited-pages").write_text("in the way")
        first = await ask(services, address)
        second = await ask(services, address)
        (error,) = told
        assert "cited web pages couldn’t be saved" in str(error)
        for chat in (first, second):
            (source,) = (await services.store.load(chat)).sources
            assert LAMP in source.text


async def test_a_limit_in_total_keeps_what_is_there(tmp_path):
    async with PageServer() as server, rooms_in(tmp_path) as services:
        told = []
        archive = services.page_archive
        archive._tell = told.append
        first = await ask(services, server.page("/one", WHOLE, **HTML))
        archive._pages = CitedPageStore(
            services.store.database, tmp_path / "cited-pages", most_text_bytes=300
        )
        second = await ask(services, server.page("/two", page_of(HEAD, LAMP, TAIL, "More."), **HTML))
        assert (len(await archive.pages(first)), len(await archive.pages(second))) == (1, 0)
        assert len(told) == 1


async def test_pages_go_with_an_exported_chat_and_come_back(tmp_path):
    file = tmp_path / "chat.json"
    async with PageServer() as server, rooms_in(tmp_path / "one", keeps_files=True) as services:
        chat = await ask(services, server.page("/lamp", WHOLE, **HTML))
        server.page("/lamp", page_of(HEAD, LAMP.replace("42", "37"), TAIL), **HTML)
        found = await check(services, chat)
        await services.keeping.transfers.export_conversation(chat, file)
        branch = await window_services(services).branches.branch_off(
            chat, (await services.store.load(chat)).messages[-1].id, "Branch"
        )
        assert (await services.page_archive.load(branch.id, 1)).newer
    async with rooms_in(tmp_path / "two") as services:
        [step async for step in services.keeping.transfers.import_from(file)]
        texts = await services.page_archive.load(chat, 1)
        assert (LAMP in texts.text, "37 kilometres" in texts.newer) == (True, True)
        assert (await services.store.load(chat)).sources[0].page_check == found
        await services.page_archive.save_file(chat, 1, tmp_path / "page.html")
        assert (tmp_path / "page.html").read_text() == WHOLE
        await services.page_archive.clear()
        [step async for step in services.keeping.transfers.import_from(file)]
        assert await services.store.ids() == {chat}


async def test_a_backup_elsewhere_has_the_pages_and_brings_their_files_back(tmp_path):
    place = BackupDestination("disk", "Disk", "folder", str(tmp_path / "disk"))

    async def use(services):
        backup = replace(services.preferences.settings.backup, destinations=(place,))
        await services.preferences.save(replace(services.preferences.settings, backup=backup))
        return services.keeping.backups

    (tmp_path / "disk").mkdir()
    async with PageServer() as server, rooms_in(tmp_path / "one", keeps_files=True) as services:
        chat = await ask(services, server.page("/lamp", WHOLE, **HTML))
        [step async for step in (await use(services)).back_up("disk")]
    async with rooms_in(tmp_path / "two") as services:
        backups = await use(services)
        (copy,) = await backups.copies("disk")
        await backups.merge(copy)
        assert LAMP in (await services.page_archive.load(chat, 1)).text
        await services.page_archive.save_file(chat, 1, tmp_path / "page.html")
        assert (tmp_path / "page.html").read_text() == WHOLE


async def test_a_huge_page_in_a_broken_encoding_is_kept_as_text_without_its_file(tmp_path):
    noise = random.Random(1).randbytes(6_000_000).hex().encode()
    body = WHOLE.encode().replace(b"212", b"212 \xff\xfe \xe9") + b"<!--" + noise + b"-->"
    async with PageServer() as server, rooms_in(tmp_path, keeps_files=True) as services:
        address = server.page("/lamp", body, Content_Type="text/html; charset=utf-8")
        chat = await ask(services, address)
        texts = await services.page_archive.load(chat, 1)
        assert (LAMP in texts.text, "steal" in texts.text, texts.page.file_bytes) == (True, False, 0)
        assert (await check(services, chat)).state is PageState.SAME


async def test_an_imported_chat_cannot_bring_other_files_or_more_than_it_says(tmp_path):
    file = tmp_path / "chat.json"
    async with PageServer() as server, rooms_in(tmp_path / "one", keeps_files=True) as services:
        chat = await ask(services, server.page("/lamp", WHOLE, **HTML))
        await services.keeping.transfers.export_conversation(chat, file)
    record = json.loads(file.read_text())
    (page,) = record["pages"]
    (packed,) = record["page_files"].values()
    bomb = base64.b64encode(gzip.compress(bytes(80_000_000))).decode()
    refused = (
        {"pages": [{**page, "file": "../../../evil"}]},
        {"pages": [{**page, "text_hash": "unknown"}]},
        {"pages": [page, page]},
        {"pages": [{**page, "page_check": {"state": "fine"}}]},
        {"page_texts": {page["text_hash"]: 7}},
        {"pages": "none"},
        {"pages": 7},
        {"pages": [{**page, "file": []}]},
        {"pages": [{**page, "file": {"a": 1}}], "page_files": [[]]},
    )
    async with rooms_in(tmp_path / "two") as services:

        async def imported(**changes):
            file.write_text(json.dumps({**record, **changes}))
            steps = [step async for step in services.keeping.transfers.import_from(file)]
            return steps[-1]

        for changes in refused:
            done = await imported(**changes)
            assert (done.conversations, bool(done.problems)) == ((), True), changes
        done = await imported(page_files={page["file"]: bomb, "../../evil": packed, "a" * 64: packed})
        assert (done.conversations, len(done.problems)) == ((chat,), 1)
        with pytest.raises(CitedPageDamaged):
            await services.page_archive.save_file(chat, 1, tmp_path / "page.html")
        assert LAMP in (await services.page_archive.load(chat, 1)).text
        assert (await services.page_archive.totals()).file_bytes == 0
    assert not list(tmp_path.rglob("*evil*"))


async def test_pages_are_deleted_after_the_days_that_the_settings_say(tmp_path):
    async with (
        PageServer() as server,
        rooms_in(tmp_path, keeps="days", days=30, keeps_files=True) as services,
    ):
        old = await ask(services, server.page("/one", WHOLE, **HTML))
        new = await ask(services, server.page("/two", page_of(HEAD, LAMP, TAIL, "More."), **HTML))
        archive = services.page_archive
        await archive.delete_expired()
        assert len(await archive.pages(old)) == 1
        statement = "UPDATE cited_pages SET read_at = read_at - 31 * 86400000000 WHERE conversation_id = CAST(? AS TEXT)"
        await services.store.database.execute(statement, (old.encode(),))
        (page,) = await archive.pages(old)
        path = tmp_path / "cited-pages" / f"{page.file}.gz"
        os.utime(path, (0, 0))
        await archive.delete_expired()
        assert (await archive.pages(old), len(await archive.pages(new))) == ((), 1)
        assert (path.exists(), len(list(path.parent.iterdir()))) == (False, 1)


async def test_a_name_that_no_server_knows_is_gone_and_one_that_cannot_be_looked_up_is_not_reached(tmp_path):
    async with PageServer() as server, rooms_in(tmp_path) as services:
        chat = await ask(services, server.page("/lamp", WHOLE, **HTML))
        await _moved_away(services, chat)
        states = []
        for number in (socket.EAI_NONAME, socket.EAI_AGAIN):

            async def resolve(_host, _port, number=number):
                raise socket.gaierror(number, "no answer")

            object.__setattr__(services.web_services.guard, "resolve", resolve)
            states.append((await check(services, chat)).state)
        assert states == [PageState.GONE, PageState.UNREACHED]


async def test_a_check_ends_at_once_when_it_is_stopped(tmp_path):
    asked_again, is_ended = asyncio.Event(), asyncio.Event()

    async def wait(_request, _writer):
        asked_again.set()
        await is_ended.wait()

    async with PageServer() as server, rooms_in(tmp_path) as services:
        chat = await ask(services, server.page("/lamp", WHOLE, **HTML))
        server.on("/lamp", wait)
        steps = services.page_archive.check(chat)
        assert (await anext(steps)).total == 1
        await asked_again.wait()
        await steps.aclose()
        assert (await services.page_archive.pages(chat))[0].check is None
        is_ended.set()
