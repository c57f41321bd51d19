"""Watched topics on disk: runs, the user and other programs change them at once, and nothing of it is lost."""

import asyncio
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta

from desktop.chat.watching import MOST_RUNS, TopicWatcher, with_run
from desktop.domain.search import WEB_OFF
from desktop.domain.topics import (
    FindingKind,
    FoundSource,
    Interval,
    RunState,
    Topic,
    TopicFinding,
    TopicRun,
    private_sources_of,
    without_private,
)
from desktop.errors import TopicsInUse
from desktop.render.export.topic_feed import atom_feed, topic_markdown
from desktop.render.labels import EN
from desktop.services.container import running_services
from desktop.settings.folders import folders_for
from desktop.storage.conversation_store import ConversationStore
from desktop.storage.db.database import Database
from desktop.storage.topics import TopicStore
from tests.unit.search.page_server import PageServer

START = datetime(2026, 1, 1, tzinfo=UTC)
TOPIC = Topic("a", "What is new?", Interval.HOURLY, START)


@asynccontextmanager
async def open_store(folder):
    database = Database(folder / "x.db")
    try:
        yield TopicStore(database)
    finally:
        await database.close()


def test_runs_of_this_month_are_kept_for_the_budget_and_older_ones_are_forgotten():
    topic = TOPIC
    for hours in range(24 * 31):
        topic = with_run(topic, TopicRun(str(hours), START + timedelta(hours=hours), tokens=1))
    assert topic.tokens_in_month(START) == 24 * 31
    later = with_run(topic, TopicRun("later", datetime(2026, 2, 1, tzinfo=UTC)))
    assert len(later.runs) == MOST_RUNS
    assert later.runs[-1].id == "later"


def test_runs_over_the_budget_are_one_line_a_month():
    topic = TOPIC
    for days in (0, 1, 2, 31, 32):
        moment = START + timedelta(days=days)
        topic = with_run(topic, TopicRun(str(days), moment, RunState.OVER_BUDGET))
    assert [run.id for run in topic.runs] == ["2", "32"]
    assert not topic.is_due(START + timedelta(days=32, minutes=59))


def test_private_sources_are_left_out_of_what_is_handed_on():
    sources = (
        FoundSource("News", "https://n.example/", "The bridge is closed."),
        FoundSource("diary.md", "file:///home/me/diary.md", "I fell off the bridge."),
        FoundSource("In a base", "https://intranet.example/", "Our bridge budget.", is_private=True),
    )
    run = TopicRun("r", START, findings=(TopicFinding(FindingKind.NEW, "It is closed.", sources),))
    topic = replace(TOPIC, runs=(run,))
    private = private_sources_of([topic])
    assert [source.title for source, _ in private] == ["diary.md", "In a base"]
    for kept, words in (((), ()), ((sources[1],), ("diary.md",))):
        bare = without_private(topic, kept)
        feed = atom_feed([bare], "x", EN, feed_id="t").decode()
        markdown = topic_markdown(bare, EN)
        for text in (feed, markdown):
            assert "It is closed." in text
            assert "https://n.example/" in text
            assert "a private source" in text
            assert ("diary.md" in text) is bool(words)
            assert "intranet" not in text
        assert "The bridge is closed." in feed
        assert ("I fell off" in feed) is bool(words)


def test_pausing_keeps_what_a_run_has_found_meanwhile(tmp_path):
    async def scenario():
        async with open_store(tmp_path) as store:
            await store.save(TOPIC)
            run = TopicRun("r", START, findings=(TopicFinding(FindingKind.NEW, "The bridge is closed."),))
            await asyncio.gather(
                store.pause("a", True),
                store.update("a", lambda topic: with_run(topic, run)),
                store.pause("removed", True),
            )
            return await store.all()

    (topic,) = asyncio.run(scenario())
    assert (topic.is_paused, topic.known, len(topic.runs)) == (True, ("The bridge is closed.",), 1)


def test_a_topic_that_stays_here_sends_nothing_in_its_runs(tmp_path):
    asked = []

    async def egress_context(conversation_id, stays_here):
        asked.append(stays_here)
        raise TopicsInUse

    async def scenario():
        chats = ConversationStore(tmp_path)
        store = TopicStore(chats.database)
        watcher = TopicWatcher(
            topics=store,
            egress_context=egress_context,
            store=chats,
            turns=lambda: None,
            lock_file=tmp_path / "lock",
            expire_pages=lambda: None,
        )
        await store.save(replace(TOPIC, stays_here=True))
        try:
            await watcher.run_due()
        finally:
            await chats.close()

    asyncio.run(scenario())
    assert asked == [True]


def test_a_topic_that_is_removed_or_paused_while_others_are_looked_up_is_not_looked_up(tmp_path, monkeypatch):
    used_up = replace(TOPIC, budget_tokens=1, runs=(TopicRun("r", START, tokens=1),))

    async def scenario():
        async with open_store(tmp_path) as store:
            for number, name in enumerate("abc"):
                await store.save(replace(used_up, id=name, created_at=START + timedelta(seconds=number)))
            update = store.update

            async def update_then_change_others(topic_id, change):
                changed = await update(topic_id, change)
                await store.remove("b")
                await update("c", lambda topic: replace(topic, is_paused=True))
                return changed

            monkeypatch.setattr(store, "update", update_then_change_others)
            watcher = TopicWatcher(
                topics=store,
                egress_context=None,
                store=None,
                turns=None,
                lock_file=tmp_path / "lock",
                expire_pages=lambda: None,
                now=lambda: START + timedelta(hours=2),
            )
            return await watcher.run_due()

    ((topic, run),) = asyncio.run(scenario())
    assert (topic.id, run.state) == ("a", RunState.OVER_BUDGET)


def test_a_page_that_changed_minutes_ago_is_read_again_and_its_change_told(tmp_path):
    def page(*reaches):
        sentences = (
            f"The lamp of the lighthouse of Velmora reaches {reach} kilometres over the sea."
            for reach in reaches
        )
        body = "".join(f"<p>{sentence}</p>" for sentence in sentences)
        return f"<html><head><title>Velmora</title></head><body><article>{body}</article></body></html>"

    async def scenario():
        async with PageServer() as server, running_services(folders_for(tmp_path)) as services:
            settings = services.preferences.settings
            search = replace(settings.search, allowed_hosts=("127.0.0.1",))
            await services.preferences.save(replace(settings, search=search))
            headers = {"Content_Type": "text/html", "Cache_Control": "max-age=3600"}
            address = server.page("/lamp", page(42), **headers)
            question = f"How far does the lamp of the lighthouse of Velmora reach? {address}"
            topic = await services.topics.add(replace(TOPIC, question=question, web=WEB_OFF))
            runs = []
            for reaches in ((42,), (42,), (55,), (42,), (42, 55), (42, 55)):
                server.page("/lamp", page(*reaches), **headers)
                topic, run = await services.topics.run(topic)
                runs.append(run)
            return runs, [info.id for info in await services.store.recent()]

    (first, same, changed, changed_back, *both), chats = asyncio.run(scenario())
    assert [finding.kind for finding in first.findings] == [FindingKind.NEW]
    assert (same.findings, same.problem, same.conversation_id) == ((), "", "")
    (finding,) = changed.findings
    assert (finding.kind, finding.values) == (FindingKind.DIFFERENT, ("55 kilometres", "42 kilometres"))
    assert "42 kilometres" in finding.earlier
    assert "55 kilometres" in finding.sources[0].passage
    (finding,) = changed_back.findings
    assert (finding.kind, finding.values) == (FindingKind.DIFFERENT, ("42 kilometres", "55 kilometres"))
    # What the sources say beside one another is told once, not in turns.
    assert [len(run.findings) for run in both] == [1, 0]
    told = (first, changed, changed_back, both[0])
    assert set(chats) == {run.conversation_id for run in told}
