"""Variants of messages: which are shown, what is deleted, and conversations that begin from a message."""

import sqlite3
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.domain.messages import AnswerRole, Message, MessageStatus, SettingsPage, Speaker
from desktop.domain.trace import Trace
from desktop.errors import UnknownConversation
from desktop.storage.branch_operations import BranchOperations
from desktop.storage.conversation_store import FILE_NAME, ConversationStore
from desktop.storage.db.migrations import MIGRATIONS, apply
from desktop.storage.message_tree import InsertPoint, Node, Tree
from tests.unit.storage.samples import NOW
from tests.unit.storage.test_conversation_store import source

pytestmark = pytest.mark.anyio


class Talk:
    """A conversation whose messages are called by their texts, which are their ids as well."""

    def __init__(self, store, conversation_id):
        self.store = store
        self.id = conversation_id
        self.branching = BranchOperations(store)

    async def say(self, *texts, **place):
        for text in texts:
            speaker = Speaker.USER if text.startswith("q") else Speaker.MODEL
            message = Message(text, self.id, speaker, text, NOW)
            added = await self.store.add_message(message, InsertPoint(**place))
        return added

    async def shown(self):
        return " ".join(message.text for message in (await self.store.load(self.id)).messages)

    async def variants(self):
        return {one.id: one.variants for one in (await self.store.load(self.id)).messages if one.variants}


@asynccontextmanager
async def talk(folder, *texts):
    store = ConversationStore(folder)
    try:
        one = Talk(store, (await store.create("someone")).id)
        await one.say(*texts)
        yield one
    finally:
        await store.close()


async def test_a_question_in_other_words_takes_the_place_of_the_earlier_one(tmp_path):
    async with talk(tmp_path, "q1", "a1", "q2", "a2") as one:
        asked = await one.say("q1b", instead_of="q1")
        assert asked.variants == ("q1", "q1b")
        await one.say("a1b", after="q1b")
        assert await one.shown() == "q1b a1b"
        assert await one.variants() == {"q1b": ("q1", "q1b")}
        await one.branching.show("q1")
        assert await one.shown() == "q1 a1 q2 a2"
        assert await one.variants() == {"q1": ("q1", "q1b")}


async def test_an_answer_given_once_more_begins_a_branch_and_the_others_are_kept(tmp_path):
    async with talk(tmp_path, "q1", "a1", "q2", "a2") as one:
        answered = await one.say("a1b", after="q1")
        assert answered.variants == ("a1", "a1b")
        await one.say("q3", "a3")
        assert await one.shown() == "q1 a1b q3 a3"
        await one.branching.show("a1")
        await one.say("a1c", after="q1")
        assert await one.shown() == "q1 a1c"
        assert await one.variants() == {"a1c": ("a1", "a1b", "a1c")}
        # Turning back finds what was shown there, however deep.
        await one.branching.show("a3")
        assert await one.shown() == "q1 a1b q3 a3"


async def test_turning_to_a_message_turns_to_all_that_led_to_it(tmp_path):
    async with talk(tmp_path, "q1", "a1", "q2", "a2") as one:
        await one.say("a2b", after="q2")
        await one.say("q1b", instead_of="q1")
        await one.branching.show("a2")
        assert await one.shown() == "q1 a1 q2 a2"
        with pytest.raises(UnknownConversation):
            await one.branching.show("nowhere")


async def test_answers_beside_each_other_are_one_variant(tmp_path):
    async with talk(tmp_path, "q1", "a1") as one:
        beside = Message("b1", one.id, Speaker.MODEL, "b1", NOW, standing=AnswerRole.COMPARED)
        await one.store.add_message(beside, InsertPoint(beside="a1"))
        await one.say("a1b", after="q1")
        assert await one.shown() == "q1 a1b"
        assert await one.variants() == {"a1b": ("a1", "a1b")}
        await one.branching.show("a1")
        assert await one.shown() == "q1 a1 b1"
        await one.store.choose("b1")
        assert await one.variants() == {"b1": ("b1", "a1b")}
        await one.say("q2")
        messages = (await one.store.load(one.id)).messages
        assert [(each.text, each.standing) for each in messages] == [
            ("q1", AnswerRole.USUAL),
            ("a1", AnswerRole.LEFT),
            ("b1", AnswerRole.USUAL),
            ("q2", AnswerRole.USUAL),
        ]


async def test_going_on_leaves_only_what_was_compared_there(tmp_path):
    async with talk(tmp_path, "q1", "a1") as one:
        beside = Message("b1", one.id, Speaker.MODEL, "b1", NOW, standing=AnswerRole.COMPARED)
        await one.store.add_message(beside, InsertPoint(beside="a1"))
        await one.say("q1b", instead_of="q1")
        await one.say("a1b", "q2")
        await one.branching.show("a1")
        assert (await one.store.load(one.id)).messages[-1].standing is AnswerRole.COMPARED


async def test_a_question_is_deleted_with_its_answers_and_what_follows_stays(tmp_path):
    async with talk(tmp_path, "q1", "a1", "q2", "a2", "q3", "a3") as one:
        gone = await one.branching.delete("q2")
        assert set(gone) == {"q2", "a2"}
        assert await one.shown() == "q1 a1 q3 a3"
        await one.say("q4")
        assert await one.shown() == "q1 a1 q3 a3 q4"
        await one.branching.restore(gone)
        assert await one.shown() == "q1 a1 q2 a2 q3 a3 q4"


async def test_what_is_deleted_with_the_rest_comes_back_as_it_was(tmp_path):
    async with talk(tmp_path, "q1", "a1", "q2", "a2", "q3", "a3") as one:
        await one.say("a3b", after="q3")
        before = await one.branching.delete("a3")
        gone = await one.branching.delete("a2", with_rest=True)
        assert await one.shown() == "q1 a1 q2"
        await one.branching.restore(gone)
        # What had been deleted before is no business of this one.
        assert set(before).isdisjoint(gone)
        assert await one.shown() == "q1 a1 q2 a2 q3 a3b"
        assert await one.variants() == {}


async def test_where_a_variant_is_deleted_another_one_is_shown(tmp_path):
    async with talk(tmp_path, "q1", "a1", "q2") as one:
        await one.say("a1b", after="q1")
        await one.say("a1c", after="q1")
        gone = await one.branching.delete("a1c")
        assert await one.shown() == "q1 a1b"
        assert await one.variants() == {"a1b": ("a1", "a1b")}
        await one.branching.delete("a1b")
        assert await one.shown() == "q1 a1 q2"
        await one.branching.restore(gone)
        assert await one.shown() == "q1 a1c"


async def test_where_the_usual_answer_is_deleted_one_beside_it_takes_its_place(tmp_path):
    async with talk(tmp_path, "q1", "a1") as one:
        beside = Message("b1", one.id, Speaker.MODEL, "b1", NOW, standing=AnswerRole.COMPARED)
        await one.store.add_message(beside, InsertPoint(beside="a1"))
        await one.say("q2")
        await one.branching.delete("a1")
        messages = (await one.store.load(one.id)).messages
        assert [(each.text, each.standing) for each in messages] == [
            ("q1", AnswerRole.USUAL),
            ("b1", AnswerRole.USUAL),
            ("q2", AnswerRole.USUAL),
        ]


async def test_what_was_deleted_can_be_purged_and_leaves_no_gap(tmp_path):
    async with talk(tmp_path, "q1", "a1", "q2", "a2", "q3", "a3") as one:
        await one.say("a3b", after="q3")
        await one.say("q4", "a4")
        await one.branching.show("a3")
        await one.branching.delete("q2")
        await one.branching.delete("a3b")
        assert await one.store.purge(timedelta(days=1)) == 0
        await one.store.purge()
        assert await one.shown() == "q1 a1 q3 a3"
        database = sqlite3.connect(tmp_path / FILE_NAME)
        left = [text for (text,) in database.execute("SELECT text FROM messages ORDER BY text")]
        database.close()
        # Nobody could have turned to what followed the variant that was deleted.
        assert left == ["a1", "a3", "q1", "q3"]


async def test_a_conversation_begins_from_a_message_with_the_same_numbers(tmp_path):
    async with talk(tmp_path, "q1", "a1", "q2", "a2", "q3") as one:
        await one.store.save_sources(one.id, [source(1), source(2), source(7)])
        await one.store.pin(one.id, 2, True)
        await one.store.database.execute("INSERT INTO conversations_kept_here VALUES (?)", (one.id,))
        await one.store.save_trace("a2", Trace(queries=("tides",)))
        info = await one.branching.branch_off(one.id, "a2", "A copy")
        copy = await one.store.load(info.id)
        assert [message.text for message in copy.messages] == ["q1", "a1", "q2", "a2"]
        assert (copy.info.title, copy.info.assistant) == ("A copy", "someone")
        assert [each.number for each in copy.sources] == [1, 2, 7]
        assert copy.pinned == (2,)
        kept_here = await one.store.database.read(
            lambda c: c.execute(
                "SELECT 1 FROM conversations_kept_here WHERE conversation_id = ?", (info.id,)
            ).fetchone()
        )
        assert kept_here
        trace = await one.store.trace(copy.messages[-1].id)
        assert trace is not None
        assert trace.queries == ("tides",)
        assert await one.shown() == "q1 a1 q2 a2 q3"
        await one.store.delete(one.id)
        await one.store.purge()
        assert len((await one.store.load(info.id)).messages) == 4


async def test_a_conversation_begins_from_one_of_several_answers(tmp_path):
    async with talk(tmp_path, "q1", "a1") as one:
        beside = Message("b1", one.id, Speaker.MODEL, "b1", NOW, standing=AnswerRole.COMPARED)
        await one.store.add_message(beside, InsertPoint(beside="a1"))
        info = await one.branching.branch_off(one.id, "b1", "")
        copied = (await one.store.load(info.id)).messages
        assert [(each.text, each.standing) for each in copied] == [
            ("q1", AnswerRole.USUAL),
            ("b1", AnswerRole.USUAL),
        ]
        with pytest.raises(UnknownConversation):
            await one.branching.branch_off(one.id, "nowhere", "")


async def test_what_is_being_written_is_found_in_its_branch(tmp_path):
    async with talk(tmp_path, "q1", "a1") as one:
        new = Message("a1b", one.id, Speaker.MODEL, "", NOW, MessageStatus.STREAMING)
        new = await one.store.add_message(new, InsertPoint(after="q1"))
        await one.store.journal("a1b", "half")
        shown = (await one.store.load(one.id)).messages[-1]
        assert (shown.text, shown.variants) == ("half", ("a1", "a1b"))
        await one.store.update_message(replace(new, text="whole", status=MessageStatus.COMPLETE))
        assert await one.shown() == "q1 whole"


async def test_conversations_from_before_there_were_branches_are_shown_whole(tmp_path):
    names = [migration.name for migration in MIGRATIONS]
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as old:
        for migration in MIGRATIONS[: names.index("0011-branches")]:
            apply(old, migration)
        old.execute("INSERT INTO conversations (id, title, created_at, updated_at) VALUES ('c', 'T', 1, 1)")
        rows = (
            ("q1", None, "user", ""),
            ("a1", "q1", "assistant", ""),
            ("b1", "q1", "assistant", "left"),
            ("q2", "a1", "user", ""),
        )
        for name, parent, speaker, standing in rows:
            old.execute(
                "INSERT INTO messages (id, conversation_id, parent_id, speaker, text, created_at, status, model,"
                " reasoning, steps, offered, usage, error, attachments, standing) VALUES"
                " (?, 'c', ?, ?, ?, 1, 'complete', '', '', '[]', '[]', 'null', '', '[]', ?)",
                (name, parent, speaker, name, standing),
            )
    store = ConversationStore(tmp_path)
    try:
        one = Talk(store, "c")
        assert await one.shown() == "q1 a1 b1 q2"
        await one.say("a2", "q3")
        await one.say("a1b", after="q1")
        assert await one.shown() == "q1 a1b"
    finally:
        await store.close()


@given(
    st.lists(
        st.tuples(
            st.integers(0, 30), st.integers(0, 3), st.booleans(), st.booleans(), st.sampled_from(AnswerRole)
        ),
        max_size=30,
    )
)
@settings(max_examples=60)
def test_any_tree_has_one_way_on_which_variants_name_what_they_can_be_turned_to(drawn):
    nodes = [
        Node(str(n), str(parent) if parent < n else "", variant, aside, deleted, Speaker.MODEL, standing)
        for n, (parent, variant, aside, deleted, standing) in enumerate(drawn)
    ]
    tree = Tree(nodes)
    shown = tree.list_shown()
    ids = [one.id for one in shown]
    assert len(set(ids)) == len(ids)
    for one in shown:
        assert not tree.nodes[one.id].is_deleted
        assert not one.variants or one.id in one.variants
        for other in one.variants:
            assert not tree.nodes[other].is_deleted
    assert bool(shown) or all(node.is_deleted or node.parent for node in nodes)


def test_a_long_conversation_is_walked_without_deep_recursion():
    nodes = [
        Node(str(n), str(n - 1) if n else "", 0, False, False, Speaker.MODEL, AnswerRole.USUAL)
        for n in range(20_000)
    ]
    tree = Tree(nodes)
    assert len(tree.list_shown()) == len(tree.below("0")) == 20_000


@given(st.dictionaries(st.sampled_from(["", *"abcdef"]), st.sampled_from(["", *"abcdefx"]), max_size=7))
def test_a_ruined_tree_is_walked_to_an_end(parents):
    nodes = [
        Node(one, parent, 0, False, False, Speaker.MODEL, AnswerRole.USUAL) for one, parent in parents.items()
    ]
    tree = Tree(nodes)
    assert len(tree.list_shown()) <= len(nodes)
    for one in tree.nodes:
        above = [node.id for node in tree.above(one)]
        for way in (above, tree.below(one)):
            assert way[0] == one
            assert len(way) == len(set(way))


async def test_the_store_keeps_where_an_error_can_be_mended(tmp_path):
    async with talk(tmp_path, "q1") as one:
        failed = Message(
            "a1", one.id, Speaker.MODEL, "", NOW, MessageStatus.FAILED, settings_page=SettingsPage.NETWORK
        )
        await one.store.add_message(failed)
        assert (await one.store.load(one.id)).messages[-1].settings_page is SettingsPage.NETWORK
