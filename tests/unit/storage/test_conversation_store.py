"""Conversations on disk."""

import asyncio
import sqlite3
from dataclasses import replace
from datetime import UTC, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.domain.messages import Message, MessageStatus, Speaker, Step, StepKind, StepStatus
from desktop.domain.models import UsageReported
from desktop.domain.sources import Ledger, Locator, Passage, Source, SourceKind
from desktop.errors import UnknownConversation
from desktop.storage.conversation_store import FILE_NAME, ConversationStore
from desktop.storage.db.row_checksums import SEALED
from tests.unit.storage.samples import answer, question, source


def run(scenario, folder):
    """Run `scenario(store)` on a store that is opened and closed around it."""

    async def whole():
        store = ConversationStore(folder)
        try:
            return await scenario(store)
        finally:
            await store.close()

    return asyncio.run(whole())


def reopen(scenario, check, folder):
    """Run `check(store, result)` in a new store after `scenario(store)`."""
    result = run(scenario, folder)
    return run(lambda store: check(store, result), folder)


async def started(store, title=""):
    info = await store.create()
    await store.add_message(question(info.id))
    if title:
        await store.rename(info.id, title)
    return info.id


def test_an_empty_conversation_is_not_on_disk(tmp_path):
    async def scenario(store):
        info = await store.create()
        assert (await store.load(info.id)).messages == ()
        assert await store.recent() == ()
        return info.id

    async def check(store, conversation_id):
        with pytest.raises(UnknownConversation):
            await store.load(conversation_id)

    reopen(scenario, check, tmp_path)


def test_what_was_added_is_there_again(tmp_path):
    async def scenario(store):
        info = await store.create()
        messages = (question(info.id), answer(info.id, text="An answer", status=MessageStatus.COMPLETE))
        for message in messages:
            await store.add_message(message)
        return info, messages

    async def check(store, expected):
        info, messages = expected
        loaded = await store.load(info.id)
        assert loaded.messages == messages
        assert loaded.info.created_at == info.created_at
        assert [known.id for known in await store.recent()] == [info.id]

    reopen(scenario, check, tmp_path)


def test_a_message_of_a_conversation_that_is_not_there_is_refused(tmp_path):
    async def scenario(store):
        with pytest.raises(UnknownConversation):
            await store.add_message(question("nowhere"))

    run(scenario, tmp_path)


def test_the_last_used_comes_first(tmp_path):
    async def scenario(store):
        first, second, third = [await started(store) for _ in range(3)]
        await store.add_message(question(first, 1))
        await store.update_message(answer(second, 9, "nobody knows this one", MessageStatus.COMPLETE))
        return first, second, third

    async def check(store, expected):
        first, second, third = expected
        assert [info.id for info in await store.recent()] == [first, third, second]

    reopen(scenario, check, tmp_path)


def test_using_a_conversation_moves_its_time(tmp_path):
    async def scenario(store):
        info = await store.create()
        await store.add_message(answer(info.id))
        before = (await store.recent())[0].updated_at
        await store.update_message(answer(info.id, text="x", status=MessageStatus.COMPLETE))
        assert (await store.recent())[0].updated_at > before

    run(scenario, tmp_path)


def test_a_title_that_was_given_is_kept(tmp_path):
    async def scenario(store):
        conversation_id = await started(store)
        await store.set_title(conversation_id, "made")
        await store.set_title(conversation_id, "made again")
        assert (await store.recent())[0].title == "made again"
        await store.rename(conversation_id, "given \udcff\0名")
        await store.set_title(conversation_id, "made once more")
        return conversation_id

    async def check(store, conversation_id):
        assert (await store.load(conversation_id)).info.title == "given \udcff\0名"

    reopen(scenario, check, tmp_path)


def test_a_title_given_before_the_first_message_is_kept(tmp_path):
    async def scenario(store):
        info = await store.create()
        await store.rename(info.id, "given")
        await store.set_title(info.id, "made")
        await store.add_message(question(info.id))
        await store.set_title(info.id, "made")
        assert (await store.load(info.id)).info.title == "given"

    run(scenario, tmp_path)


def test_deleting_can_be_undone(tmp_path):
    async def scenario(store):
        conversation_id = await started(store, "mine")
        before = await store.load(conversation_id)
        await store.delete(conversation_id)
        assert await store.recent() == ()
        await store.restore(conversation_id)
        assert await store.load(conversation_id) == before

    run(scenario, tmp_path)


def test_deleting_an_empty_conversation_forgets_it(tmp_path):
    async def scenario(store):
        info = await store.create()
        await store.delete(info.id)
        with pytest.raises(UnknownConversation):
            await store.load(info.id)

    run(scenario, tmp_path)


def test_purged_text_is_nowhere_in_the_files(tmp_path):
    needle = "a-secret-that-nobody-may-find-again"

    async def scenario(store):
        info = await store.create()
        await store.add_message(question(info.id, text=needle * 500))
        await store.save_sources(info.id, [source(1, text=needle)])
        await store.delete(info.id)
        kept = await started(store)
        assert await store.purge(timedelta(days=30)) == 0
        assert await store.purge() == 1
        assert [known.id for known in await store.recent()] == [kept]
        with pytest.raises(UnknownConversation):
            await store.load(info.id)
        assert all(needle.encode() not in path.read_bytes() for path in tmp_path.iterdir())

    run(scenario, tmp_path)


def test_purging_takes_sources_and_journal_along(tmp_path):
    async def scenario(store):
        info = await store.create()
        await store.add_message(answer(info.id))
        await store.journal(answer(info.id).id, text="x")
        await store.save_sources(info.id, [source(1)])
        await store.delete(info.id)
        await store.purge()
        await store.update_message(answer(info.id, text="late", status=MessageStatus.COMPLETE))

    run(scenario, tmp_path)
    database = sqlite3.connect(tmp_path / FILE_NAME)
    for table in ("conversations", "messages", "sources", "journal", *(one.seals for one in SEALED.values())):
        assert database.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
    database.close()


def test_each_message_knows_the_one_before_it(tmp_path):
    async def scenario(store):
        info, other = await store.create(), await store.create()
        for number in range(3):
            await store.add_message(question(info.id, number))
            await store.add_message(question(other.id, number))
        return info.id

    conversation_id = run(scenario, tmp_path)
    database = sqlite3.connect(tmp_path / FILE_NAME)
    parents = database.execute(
        "SELECT id, parent_id FROM messages WHERE conversation_id = ? ORDER BY position", (conversation_id,)
    ).fetchall()
    database.close()
    ids = [identity for identity, _ in parents]
    assert [parent for _, parent in parents] == [None, *ids[:-1]]


def test_sources_come_back_by_number_and_may_grow(tmp_path):
    async def scenario(store):
        info = await store.create()
        await store.add_message(question(info.id))
        await store.save_sources(info.id, [source(2), source(1)])
        read = replace(source(2, "longer passage"), title="A page that was read")
        await store.save_sources(info.id, [read, source(3)])
        return info.id

    async def check(store, conversation_id):
        loaded = await store.load(conversation_id)
        read = replace(source(2, "longer passage"), title="A page that was read")
        assert loaded.sources == (source(1), read, source(3))

    reopen(scenario, check, tmp_path)


def test_the_ledger_goes_on_after_a_restart(tmp_path):
    def passage(page):
        return Passage(SourceKind.WEB, "t", "text", url=f"https://example.org/{page}")

    async def scenario(store):
        info = await store.create()
        await store.add_message(question(info.id))
        ledger = Ledger()
        ledger.register([passage(1), passage(2)])
        await store.save_sources(info.id, ledger.sources)
        return info.id

    async def check(store, conversation_id):
        ledger = Ledger.of((await store.load(conversation_id)).sources)
        assert ledger.register([passage(2), passage(3)]) == (2, 3)

    reopen(scenario, check, tmp_path)


TEXTS = st.text(max_size=40) | st.sampled_from(
    [
        "",
        "\0",
        "a\0b",
        "\ud800",
        "\udfff\ud800",
        "\ud83d\ude00",
        "👩‍👩‍👧",
        "שלום",
        "\u202e",
        "'; DROP TABLE messages; --",
    ]
)
ANY_TEXT = st.text(st.characters(exclude_categories=()), max_size=20) | TEXTS
MOMENTS = st.datetimes().map(lambda moment: moment.replace(tzinfo=UTC))
COUNTS = st.integers(0, 2**31)
STEPS = st.builds(
    Step,
    COUNTS,
    st.sampled_from(StepKind),
    ANY_TEXT,
    st.sampled_from(StepStatus),
    st.none() | COUNTS,
    ANY_TEXT,
)
MESSAGES = st.builds(
    Message,
    id=st.uuids().map(str),
    conversation_id=st.just("c"),
    speaker=st.sampled_from(Speaker),
    text=ANY_TEXT,
    created_at=MOMENTS,
    status=st.sampled_from([status for status in MessageStatus if status is not MessageStatus.STREAMING]),
    model=ANY_TEXT,
    reasoning=ANY_TEXT,
    steps=st.lists(STEPS, max_size=3).map(tuple),
    offered=st.lists(COUNTS, max_size=3).map(tuple),
    usage=st.none() | st.builds(UsageReported, COUNTS, COUNTS, COUNTS, COUNTS),
    error=ANY_TEXT,
    attachments=st.lists(ANY_TEXT, max_size=2).map(tuple),
)
SOURCES = st.builds(
    Source,
    number=st.integers(1, 10**6),
    kind=st.sampled_from(SourceKind),
    key=ANY_TEXT,
    title=ANY_TEXT,
    url=ANY_TEXT,
    host=ANY_TEXT,
    locator=st.builds(Locator, st.none() | COUNTS, ANY_TEXT, st.none() | COUNTS, st.none() | COUNTS),
    text=ANY_TEXT,
    text_hash=ANY_TEXT,
    read_at=MOMENTS,
    published=ANY_TEXT,
)


@settings(max_examples=60)
@given(
    st.lists(MESSAGES, max_size=4, unique_by=lambda message: message.id),
    st.lists(SOURCES, max_size=4, unique_by=(lambda item: item.number, lambda item: item.key)),
)
def test_anything_comes_back_exactly_as_it_was(tmp_path_factory, messages, sources):
    async def scenario(store):
        info = await store.create()
        mine = [replace(message, conversation_id=info.id) for message in messages]
        await store.add_message(question(info.id))
        for message in mine:
            await store.add_message(replace(message, text="", steps=(), status=MessageStatus.STREAMING))
            await store.update_message(message)
        await store.save_sources(info.id, sources)
        return info.id, mine

    async def check(store, expected):
        conversation_id, mine = expected
        loaded = await store.load(conversation_id)
        assert list(loaded.messages[1:]) == mine
        assert sorted(sources, key=lambda item: item.number) == list(loaded.sources)

    reopen(scenario, check, tmp_path_factory.mktemp("any"))


def test_ten_megabytes_are_a_message_like_any_other(tmp_path):
    text = "十兆字节\0\ud800🙂" * 500_000

    async def scenario(store):
        info = await store.create()
        await store.add_message(question(info.id, text=text))
        return info.id

    async def check(store, conversation_id):
        assert (await store.load(conversation_id)).messages[0].text == text

    reopen(scenario, check, tmp_path)
