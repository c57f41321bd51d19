"""Watched topics are part of exports, copies and the recovery; what a chat told is deleted with it."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime

from desktop.domain.messages import Message, Speaker
from desktop.domain.topics import FindingKind, FoundSource, Interval, Topic, TopicFinding, TopicRun
from desktop.errors import DatabaseDamaged
from desktop.render.export.topic_feed import run_line
from desktop.render.labels import EN
from desktop.services.container import ServiceContainer
from desktop.services.window import window_services
from desktop.settings.folders import folders_for
from desktop.storage.recovery import leave_out_kept_here, recover_database
from desktop.storage.topics import TopicStore
from tests.unit.services.data.test_backups import copied

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CLOSED, OPEN = "The bridge is closed.", "The ferry runs."


@asynccontextmanager
async def rooms_in(folder):
    services = ServiceContainer(folders_for(folder))
    try:
        yield services
    finally:
        await services.aclose()


async def watch(services):
    """Keep a topic with two runs, each with a chat of its own."""
    runs = []
    for number, text in enumerate((CLOSED, OPEN)):
        chat = await services.store.create()
        await services.store.add_message(Message(f"m{number}", chat.id, Speaker.USER, "What is new?", NOW))
        finding = TopicFinding(FindingKind.NEW, text, (FoundSource("News", "https://n.example/", text),))
        runs.append(TopicRun(f"r{number}", NOW, findings=(finding,), conversation_id=chat.id))
    topic = Topic("t", "What is new?", Interval.DAILY, NOW, known=(CLOSED, OPEN), runs=tuple(runs))
    await TopicStore(services.store.database).save(topic)
    return topic


async def topics(services):
    return await TopicStore(services.store.database).all()


def test_topics_go_with_an_export_and_come_in_paused_with_undo(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path / "one") as services:
            topic = await watch(services)
            steps = services.keeping.transfers.export_profile(
                tmp_path / "x.footnote-profile", has_bases=False
            )
            async for _ in steps:
                pass
            last = [
                step async for step in services.keeping.transfers.import_from(tmp_path / "x.footnote-profile")
            ]
            assert last[-1].topics == ()  # it is here already
        async with rooms_in(tmp_path / "two") as services:
            async for step in services.keeping.transfers.import_from(tmp_path / "x.footnote-profile"):
                last = step
            assert last.problems == ()
            assert await topics(services) == (replace(topic, is_paused=True),)
            await services.keeping.transfers.undo(last)
            assert await topics(services) == ()

    asyncio.run(scenario())


def test_topics_come_back_out_of_a_copy_and_out_of_a_damaged_database(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            topic = await watch(services)
            backups = services.keeping.backups
            copy = await copied(services)
            await TopicStore(services.store.database).remove("t")
            done = await backups.merge(copy)
            assert await topics(services) == (topic,)
            await backups.undo(done)
            assert await topics(services) == ()
            done = await backups.merge(copy, [])
            assert await topics(services) == (replace(topic, is_paused=True),)
            await backups.undo(done)
            newer = replace(topic, id="newer")
            await TopicStore(services.store.database).save(newer)
            path = services.store.database.path
        await recover_database(path, DatabaseDamaged(path=path, detail="a test"))
        async with rooms_in(tmp_path) as services:
            assert {one.id for one in await topics(services)} == {"t", "newer"}

    asyncio.run(scenario())


def test_what_a_topic_told_is_deleted_with_its_chat(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            topic = await watch(services)
            (ferry,) = topic.runs[1].findings
            differs = replace(
                topic.runs[1], findings=(replace(ferry, earlier=CLOSED, values=("", "closed")),)
            )
            topic = replace(topic, runs=(topic.runs[0], differs))
            await TopicStore(services.store.database).save(topic)
            await services.store.delete(topic.runs[0].conversation_id)
            assert await topics(services) == (topic,)  # the chat can still be restored
            await services.privacy.erase()
            (left,) = await topics(services)
            assert (left.known, left.runs[1].findings) == ((OPEN,), (ferry,))
            assert (left.runs[0].findings, left.runs[0].conversation_id) == ((), "")
            assert "deleted with their chat" in run_line(left.runs[0], EN)
            database = services.store.database.path
        assert CLOSED.encode() not in database.read_bytes()

    asyncio.run(scenario())


def test_a_backup_that_leaves_the_machine_has_no_topic_that_stays_and_nothing_out_of_a_chat_that_does(
    tmp_path,
):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            topic = await watch(services)
            private = replace(topic, id="private", question="A secret question?", stays_here=True)
            await TopicStore(services.store.database).save(private)
            await window_services(services).privacy.keep_here(topic.runs[0].conversation_id, is_kept=True)
            path = services.store.database.path
        leave_out_kept_here(path)
        for secret in (CLOSED, private.question):
            assert secret.encode() not in path.read_bytes()
        async with rooms_in(tmp_path) as services:
            (left,) = await topics(services)
            assert (left.id, left.known, left.runs[1]) == ("t", (OPEN,), topic.runs[1])
            assert "not in this backup" in run_line(left.runs[0], EN)

    asyncio.run(scenario())
