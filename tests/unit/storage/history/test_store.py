"""What was said is found again: by words half typed, in every script, once, and no longer when it is gone."""

import asyncio
import shutil
import sqlite3
import threading
from contextlib import aclosing, asynccontextmanager, closing
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.history import HistoryQuery
from desktop.domain.messages import Message, MessageStatus, Speaker
from desktop.errors import DatabaseBusy, StorageError, UnknownConversation
from desktop.storage import history_index
from desktop.storage import history_store as storage_history
from desktop.storage.branch_operations import BranchOperations
from desktop.storage.conversation_store import FILE_NAME, ConversationStore
from desktop.storage.db.database import forget_history
from desktop.storage.db.rows import MESSAGE_COLUMNS, MESSAGE_PLACES, message_values
from desktop.storage.history_index import EXCERPT_CHARS, LINES, PAGE, HistoryIndex, compile_query, excerpt_of
from desktop.storage.history_index import FILE_NAME as INDEX
from desktop.storage.history_store import HistoryStore
from tests.cases import cases

pytestmark = pytest.mark.anyio

DAY = datetime(2026, 1, 1, 12, tzinfo=UTC)
_numbers = count()


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch):
    monkeypatch.setattr(storage_history, "LOOK_S", 0.01)


def said(conversation_id: str, text: str, speaker: Speaker = Speaker.USER, at: datetime = DAY) -> Message:
    return Message(f"m{next(_numbers)}", conversation_id, speaker, text, at)


@asynccontextmanager
async def opened(folder):
    store = ConversationStore(folder)
    history = HistoryStore(store.database)
    try:
        yield store, history
    finally:
        await history.aclose()
        await store.close()


async def put(store, messages):
    """Put messages on the disk all at once."""
    statement = f"INSERT INTO messages ({MESSAGE_COLUMNS}) VALUES ({MESSAGE_PLACES})"
    rows = [message_values(message) for message in messages]
    await store.database.execute_many(statement, rows)


async def talk(store, *texts, assistant="", at=DAY):
    """Have a conversation in which person and model say `texts` in turn; return its id."""
    info = await store.create(assistant)
    first, *others = [
        said(info.id, text, (Speaker.USER, Speaker.MODEL)[number % 2], at + timedelta(seconds=number))
        for number, text in enumerate(texts)
    ]
    await store.add_message(first)
    await put(store, others)
    return info.id


async def texts(history, words, **narrowed):
    page = await history.search(HistoryQuery(words, **narrowed))
    return [hit.excerpt.text for hit in page.hits]


async def all_of(history):
    """Keep up until there is nothing left to do."""
    async with aclosing(history.keep_up()) as shares:
        async for share in shares:
            if share == 1.0:
                return


FOUND = (
    "tide", "TIDES", "tid", "highes", "tides moon", "机器学习", "机器学", "器学", "习", "器", "café", "cafe", "3.11",
    "report_final.pd", '"the highest tides"', '"highest  TIDES"', "“the moon”",
)  # fmt: skip
NOT_FOUND = (
    "tides harbour", "学机", "我想知道机器学习", '"tides highest"', "安녕", "", "   ", '"', "* OR (",
)  # fmt: skip


async def test_words_are_found_as_people_type_them(tmp_path):
    async with opened(tmp_path) as (store, history):
        text = "When are the **highest** tides, and is it the moon? 机器学习 in a Café, Python 3.11.4, report_final.pdf"
        await talk(store, text)
        found = [words for words in (*FOUND, *NOT_FOUND) if await texts(history, words)]
        assert found == list(FOUND)


async def test_newest_come_first_and_pages_go_on_where_they_ended(tmp_path):
    async with opened(tmp_path) as (store, history):
        for number in range(PAGE + 5):
            # Imported conversations are older than what was there before them.
            await talk(store, f"tide number {number}", at=DAY - timedelta(days=number))
        first = await history.search(HistoryQuery("tide"))
        second = await history.search(HistoryQuery("tide"), first.rest)
        found = [hit.excerpt.text for hit in (*first.hits, *second.hits)]
        assert found == [f"tide number {number}" for number in range(PAGE + 5)]
        assert second.rest is None


async def test_many_messages_of_one_moment_are_all_found(tmp_path):
    async with opened(tmp_path) as (store, history):
        info = await store.create()
        first, *others = [said(info.id, f"tide {number:02}") for number in range(60)]
        await store.add_message(first)
        await put(store, others)
        first = await history.search(HistoryQuery("tide"))
        second = await history.search(HistoryQuery("tide"), first.rest)
        assert len({hit.message_id for hit in (*first.hits, *second.hits)}) == 60


async def test_filters_narrow_what_is_found(tmp_path):
    async with opened(tmp_path) as (store, history):
        await talk(store, "tide asked", "tide answered", at=DAY)
        cook = await talk(store, "tide of soup", assistant="cook", at=DAY + timedelta(days=40))
        assert await texts(history, "tide", speaker=Speaker.MODEL) == ["tide answered"]
        assert await texts(history, "tide", assistant="cook") == ["tide of soup"]
        assert await texts(history, "tide", assistant="") == ["tide answered", "tide asked"]
        assert await texts(history, "tide", since=DAY + timedelta(days=1)) == ["tide of soup"]
        assert await texts(history, "tide", until=DAY + timedelta(seconds=1)) == ["tide asked"]
        await store.assign(cook, "")
        assert await texts(history, "tide", assistant="cook") == []


async def test_titles_are_found_before_messages(tmp_path):
    async with opened(tmp_path) as (store, history):
        conversation = await talk(store, "hello")
        await store.rename(conversation, "All about 潮汐 at 100%")
        for words in ("about", "潮汐", "100%"):
            (hit,) = (await history.search(HistoryQuery(words))).hits
            assert (hit.message_id, hit.conversation_id) == ("", conversation)
        assert await texts(history, "%") == ["All about 潮汐 at 100%"]
        assert await texts(history, "about", speaker=Speaker.USER) == []


async def test_an_answer_is_found_with_its_last_words_and_as_often_as_it_changes(tmp_path):
    async with opened(tmp_path) as (store, history):
        conversation = await talk(store, "question")
        answer = replace(said(conversation, "", Speaker.MODEL), status=MessageStatus.STREAMING)
        await store.add_message(answer)
        assert await texts(history, "ebb") == []
        await store.update_message(replace(answer, text="ebb", status=MessageStatus.COMPLETE))
        assert await texts(history, "ebb") == ["ebb"]
        await store.update_message(replace(answer, text="flow", status=MessageStatus.COMPLETE))
        assert (await texts(history, "ebb"), await texts(history, "flow")) == ([], ["flow"])


async def test_what_a_crash_cut_off_is_found_by_what_was_shown(tmp_path):
    async with opened(tmp_path) as (store, _):
        conversation = await talk(store, "question")
        answer = replace(said(conversation, "ebb", Speaker.MODEL), status=MessageStatus.STREAMING)
        await store.add_message(answer)
        await store.journal(answer.id, " and flow")
    async with opened(tmp_path) as (_, history):
        assert await texts(history, '"ebb and flow"') == ["ebb and flow"]


async def test_archived_conversations_are_found_and_say_that_they_are(tmp_path):
    async with opened(tmp_path) as (store, history):
        await talk(store, "the tide")
        await store.database.execute("UPDATE conversations SET is_archived = 1, title = 'Sea tide'")
        hits = (await history.search(HistoryQuery("tide"))).hits
        assert [(hit.excerpt.text, hit.is_archived) for hit in hits] == [
            ("Sea tide", True),
            ("the tide", True),
        ]


async def test_a_message_that_was_taken_out_is_not_found_until_it_is_brought_back(tmp_path):
    async with opened(tmp_path) as (store, history):
        await talk(store, "ebb and flow", "the tide")
        (hit,) = (await history.search(HistoryQuery("tide"))).hits
        taken = await BranchOperations(store).delete(hit.message_id)
        assert await texts(history, "tide") == []
        await BranchOperations(store).restore(taken)
        assert await texts(history, "tide") == ["the tide"]


async def test_deleted_conversations_are_not_found_and_purged_ones_leave_no_word_behind(tmp_path):
    async with opened(tmp_path) as (store, history):
        secret = await talk(store, "the zanzibarine password")
        await talk(store, *["tide"] * 50)
        assert await texts(history, "zanzibarine")
        await store.delete(secret)
        assert await texts(history, "zanzibarine") == []
        await store.restore(secret)
        assert await texts(history, "zanzibarine")
        await store.delete(secret)
        await store.purge()
        async with aclosing(history.keep_up()) as shares:
            async for _ in shares:
                if not any(b"zanzibarin" in path.read_bytes() for path in tmp_path.glob("*.db*")):
                    break
        assert len(await texts(history, "tide")) == PAGE


async def test_conversations_from_before_are_listed_step_by_step_after_the_start(tmp_path, monkeypatch):
    monkeypatch.setattr(storage_history, "AT_ONCE", 50)
    async with opened(tmp_path) as (store, _):
        await talk(store, *(f"tide {number}" for number in range(250)))
        await store.database.execute("DELETE FROM history_due")
    async with opened(tmp_path) as (_, history):
        async with aclosing(history.keep_up()) as shares:
            seen = [await anext(shares)]
            while seen[-1] < 1.0:
                assert (await history.search(HistoryQuery("tide"))).reach >= seen[-1]
                seen.append(await anext(shares))
        assert seen == sorted(seen)
        assert len(seen) > 2
        assert await texts(history, '"tide 0"') == ["tide 0"]


async def test_memory_of_opening_and_searching_is_given_back_once_all_is_listed(tmp_path):
    async with opened(tmp_path) as (store, history):
        await talk(store, "tide")
        await all_of(history)
        assert await texts(history, "tide")
        owners = [holder._owner for holder in await history._connections()]
        said = [[], []]
        for owner, statements in zip(owners, said, strict=True):
            owner.connection.set_trace_callback(statements.append)
        async with aclosing(history.keep_up()) as shares:
            async for _ in shares:
                if all("PRAGMA shrink_memory" in statements for statements in said):
                    break


@cases("harm", ["damaged", "other", "gone", "restored"])
async def test_an_index_that_is_of_no_use_is_made_anew(tmp_path, harm):
    copy = tmp_path / "copy.db"
    async with opened(tmp_path) as (store, history):
        await talk(store, "tide")
        assert await texts(history, "tide")
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as now, closing(sqlite3.connect(copy)) as then:
            now.backup(then)
        await talk(store, "ebb")
        assert await texts(history, "ebb")
    index = tmp_path / INDEX
    match harm:
        case "damaged":
            index.write_bytes(b"SQLite format 3\0" + b"\xff" * 8_000)
        case "other":
            with closing(sqlite3.connect(index)) as connection:
                connection.execute("PRAGMA user_version = 999")
        case "gone":
            index.unlink()
        case "restored":  # the conversations are those of an older copy
            shutil.copy(copy, tmp_path / FILE_NAME)
    async with opened(tmp_path) as (_, history):
        await all_of(history)
        assert await texts(history, "tide") == ["tide"]
        assert await texts(history, "ebb") == ([] if harm == "restored" else ["ebb"])


async def test_conversations_that_are_replaced_while_they_are_open_are_listed_anew(tmp_path):
    elsewhere = tmp_path / "elsewhere"
    async with opened(elsewhere) as (store, _):
        await talk(store, "ebb and flow")
        await store.database.write(forget_history)
    async with opened(tmp_path) as (store, history):
        await talk(store, "tide")
        assert await texts(history, "tide")
        await store.database.replace_by(elsewhere / FILE_NAME, lambda: None)
        assert await texts(history, "tide") == []
        await all_of(history)
        assert await texts(history, "ebb") == ["ebb and flow"]


async def test_damage_that_shows_while_it_is_used_is_mended(tmp_path):
    async with opened(tmp_path) as (store, history):
        await talk(store, *["tide and more of it"] * 300)
        for _ in range(5):
            await texts(history, "tide")
    index = tmp_path / INDEX
    data = bytearray(index.read_bytes())
    data[8192:] = b"\x55" * (len(data) - 8192)
    index.write_bytes(data)
    async with opened(tmp_path) as (_, history):
        await texts(history, "tide")
        await all_of(history)
        assert len(await texts(history, "tide")) == PAGE


async def test_bits_that_flip_in_the_index_hide_no_message(tmp_path):
    """What the words say and what the messages say are compared: SQLite itself notices none of these."""
    async with opened(tmp_path) as (store, history):
        for number in range(8):
            await talk(store, *[f"tide {number} and ebb"] * 6, at=DAY + timedelta(days=number))
        await all_of(history)
        fresh = await texts(history, "tide")
    index = tmp_path / INDEX
    with closing(sqlite3.connect(index)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    sound = index.read_bytes()
    places = [place for place in range(len(sound)) if sound.startswith((b"tide", b"0tide"), place)]
    assert places
    for place in places:
        data = bytearray(sound)
        data[place + 1] ^= 1
        index.write_bytes(data)
        async with opened(tmp_path) as (_, history):
            await all_of(history)
            assert await texts(history, "tide") == fresh


async def test_a_disk_that_refuses_is_told_to_who_searches_and_tried_again(tmp_path):
    (tmp_path / INDEX).mkdir()
    async with opened(tmp_path) as (store, history):
        await talk(store, "tide")
        listing = asyncio.create_task(all_of(history))
        with pytest.raises(StorageError):
            await texts(history, "tide")
        (tmp_path / INDEX).rmdir()
        await listing
        assert await texts(history, "tide") == ["tide"]


async def test_an_index_that_somebody_else_holds_is_not_thrown_away(tmp_path, monkeypatch):
    monkeypatch.setattr(history_index, "_BUSY_S", 0.0)
    async with opened(tmp_path) as (store, history):
        await talk(store, "tide")
        assert await texts(history, "tide")
    before = (tmp_path / INDEX).stat().st_ino
    with closing(sqlite3.connect(tmp_path / INDEX, isolation_level=None)) as somebody:
        somebody.execute("PRAGMA locking_mode = EXCLUSIVE")
        somebody.execute("BEGIN EXCLUSIVE")
        async with opened(tmp_path) as (_, history):
            with pytest.raises(DatabaseBusy):
                await texts(history, "tide")
    async with opened(tmp_path) as (_, history):
        assert await texts(history, "tide")
    assert (tmp_path / INDEX).stat().st_ino == before


async def test_a_crash_between_the_two_files_loses_nothing(tmp_path):
    async with opened(tmp_path) as (store, history):
        await talk(store, "tide")
        assert await texts(history, "tide")
        await talk(store, "ebb")
        await store.database.write(lambda _: None)
        index = HistoryIndex(tmp_path / FILE_NAME)
        try:
            assert index.follow(100) is not None  # and the log still has it
        finally:
            index.close()
    before = (tmp_path / INDEX).stat().st_ino
    async with opened(tmp_path) as (_, history):
        assert (await texts(history, "tide"), await texts(history, "ebb")) == (["tide"], ["ebb"])
    assert (tmp_path / INDEX).stat().st_ino == before


async def test_an_answer_can_be_asked_about_as_long_as_it_is_there(tmp_path):
    async with opened(tmp_path) as (store, history):
        conversation = await talk(store, "When?", "At noon.")
        await store.rename(conversation, "Tides")
        (hit,) = (await history.search(HistoryQuery("noon"))).hits
        answer = await history.answer(hit.message_id)
        assert (answer.title, answer.text, answer.created_at) == ("Tides", "At noon.", hit.created_at)
        assert answer.document == f"{conversation}/{hit.message_id}"
        with pytest.raises(UnknownConversation):
            await history.answer("nobody")


@given(st.text(max_size=60))
def test_any_query_is_understood(words):
    wanted = compile_query(HistoryQuery(words))
    with closing(sqlite3.connect(":memory:")) as db:
        db.execute(LINES)
        if wanted is not None:
            db.execute("SELECT 1 FROM lines WHERE lines MATCH ?", (wanted.expression,)).fetchall()
            assert wanted.holds(words)


@given(st.text(max_size=400), st.text(max_size=20))
def test_marks_of_an_excerpt_lie_in_it_and_follow_each_other(text, words):
    wanted = compile_query(HistoryQuery(words))
    excerpt = excerpt_of(text, wanted.pattern if wanted else None)
    assert len(excerpt.text) <= EXCERPT_CHARS + 2
    ends = [0, *(place for mark in excerpt.marks for place in mark), len(excerpt.text)]
    assert ends == sorted(ends)


@cases(
    "words, reads",
    [
        ("height", "Keepers Feature · Value Height · 219 m see a page"),
        (
            "example",
            "…Value | |---|---:| | Height | 219 m | see [a page](https://example.org)",
        ),
    ],
)
def test_an_excerpt_reads_as_words_unless_the_match_is_in_an_address(words, reads):
    text = "## Keepers\n\n| Feature | Value |\n|---|---:|\n| **Height** | `219` m |\n\n> see [a page](https://example.org)"
    wanted = compile_query(HistoryQuery(words))
    excerpt = excerpt_of(text, wanted.pattern)
    assert excerpt.text == reads
    assert [excerpt.text[start:end].lower() for start, end in excerpt.marks] == [words]


async def test_a_search_that_is_cancelled_while_it_makes_the_index_lets_the_next_one_use_it(
    tmp_path, monkeypatch
):
    """As with every letter that is typed, before the index is there."""
    began, released, make = threading.Event(), threading.Event(), history_index._make
    made = []

    def make_slowly(connection):
        made.append(connection)
        began.set()
        released.wait()
        make(connection)

    monkeypatch.setattr(history_index, "_make", make_slowly)
    async with opened(tmp_path) as (store, history):
        conversation = await store.create()
        await store.add_message(said(conversation.id, "When is the ebb?"))
        first = asyncio.create_task(history.search(HistoryQuery("eb")))
        await asyncio.to_thread(began.wait)
        first.cancel()
        await asyncio.wait({first})
        second = asyncio.create_task(history.search(HistoryQuery("ebb")))
        released.set()
        assert [hit.excerpt.text for hit in (await second).hits] == ["When is the ebb?"]
        assert len(made) == 1
