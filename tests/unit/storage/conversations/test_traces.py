"""The record of an answer and the pins of a conversation: kept with them, gone with them."""

import sqlite3
from contextlib import closing

import pytest

from desktop.domain.messages import MessageStatus
from desktop.domain.search import PageStatus, SearchStatus
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.domain.trace import Decider, EngineHit, EngineTrace, SourceTrace, SourceUse, TextSpan, Trace
from desktop.storage.conversation_store import FILE_NAME, ConversationStore
from desktop.storage.db.migrations import MIGRATIONS, apply
from tests.unit.storage.samples import answer, question

pytestmark = pytest.mark.anyio

TRACE = Trace(
    queries=("潮汐 Brest", "half \ud83d character"),
    file_queries=("When is the tide?",),
    links=("https://a.example/",),
    decider=Decider.MODEL,
    searches=(
        EngineTrace("潮汐 Brest", "bing", SearchStatus.BLOCKED, 1.25, "Bing asks who you are.", ("cut",)),
        EngineTrace("潮汐 Brest", "baidu", SearchStatus.RESULTS, 0.5, hits=(EngineHit(1, "Tide", "https://b.example/"),)),
    ),
    sources=(
        SourceTrace(
            SourceKind.WEB, "https://b.example", "Tide", "https://b.example/", "https://a.example", SourceUse.GIVEN, ("bing", "baidu"),
            PageStatus.READ, is_cached=True, score=1.5, number=1, tokens=20, total_tokens=90,
            pieces=(TextSpan("The tide comes in.", 20, 1.5, SourceUse.GIVEN), TextSpan("Menu", 70, 0.0, SourceUse.IRRELEVANT)),
        ),
        SourceTrace(SourceKind.FILE, "file:1", "a.pdf", source_use=SourceUse.NO_BUDGET),
    ),
    budget_tokens=6_000,
    without=("https://c.example",),
)  # fmt: skip


async def stored(tmp_path):
    """Return a store with one conversation, which has an answer and two sources."""
    store = ConversationStore(tmp_path)
    info = await store.create()
    await store.add_message(question(info.id))
    await store.add_message(answer(info.id, status=MessageStatus.COMPLETE))
    ledger = Ledger()
    ledger.register(Passage(SourceKind.WEB, name, name, f"https://{name}.example/") for name in "ab")
    await store.save_sources(info.id, ledger.sources)
    return store, info.id


async def test_a_record_survives_a_restart_exactly(tmp_path):
    store, conversation = await stored(tmp_path)
    await store.save_trace(f"a0-{conversation}", Trace())
    await store.save_trace(f"a0-{conversation}", TRACE)
    await store.close()
    store = ConversationStore(tmp_path)
    assert await store.trace(f"a0-{conversation}") == TRACE
    assert await store.trace(f"q0-{conversation}") is None
    await store.close()


async def test_a_record_goes_with_its_conversation_and_none_is_kept_for_nothing(tmp_path):
    store, conversation = await stored(tmp_path)
    await store.save_trace(f"a0-{conversation}", TRACE)
    await store.delete(conversation)
    assert await store.trace(f"a0-{conversation}") == TRACE  # it may be restored
    await store.purge()
    await store.save_trace(f"a0-{conversation}", TRACE)
    assert await store.trace(f"a0-{conversation}") is None
    await store.close()


async def test_pins_are_kept_and_stay_when_a_source_is_found_again(tmp_path):
    store, conversation = await stored(tmp_path)
    await store.pin(conversation, 2, is_pinned=True)
    await store.save_sources(conversation, (await store.load(conversation)).sources)
    await store.close()
    store = ConversationStore(tmp_path)
    assert (await store.load(conversation)).pinned == (2,)
    await store.pin(conversation, 2, is_pinned=False)
    assert (await store.load(conversation)).pinned == ()
    await store.close()


async def test_conversations_from_before_keep_their_sources(tmp_path):
    store, conversation = await stored(tmp_path)
    await store.close()
    with (
        closing(sqlite3.connect(tmp_path / FILE_NAME)) as new,
        closing(sqlite3.connect(tmp_path / "old")) as old,
    ):
        old.isolation_level = None
        apply(old, MIGRATIONS[0])
        for table in ("conversations", "messages", "sources"):
            columns = ", ".join(row[1] for row in old.execute(f"PRAGMA table_info({table})"))
            rows = new.execute(f"SELECT {columns} FROM {table}").fetchall()
            places = ", ".join("?" * len(rows[0]))
            old.executemany(f"INSERT INTO {table} ({columns}) VALUES ({places})", rows)
    for file in tmp_path.glob(f"{FILE_NAME}*"):
        file.unlink()
    (tmp_path / "old").rename(tmp_path / FILE_NAME)
    store = ConversationStore(tmp_path)
    loaded = await store.load(conversation)
    assert [source.title for source in loaded.sources] == ["a", "b"]
    assert loaded.pinned == ()
    assert len(loaded.messages) == 2
    await store.close()
