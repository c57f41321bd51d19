"""Folders, pins, colours and the archive on disk."""

import asyncio
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.domain.messages import Folder, LabelColor, Placement, PlacementChange
from desktop.errors import UnknownConversation
from desktop.storage.conversation_store import FILE_NAME, ConversationStore
from desktop.storage.db.database import Database
from desktop.storage.db.migrations import MIGRATIONS
from desktop.storage.folders import FolderStore
from tests.unit.storage.samples import question


def run(scenario, folder):
    """Run `scenario(store, cabinet)` on a store that is opened and closed around it."""

    async def whole():
        store = ConversationStore(folder)
        try:
            return await scenario(store, FolderStore(store.database))
        finally:
            await store.close()

    return asyncio.run(whole())


async def begun(store, **options):
    info = await store.create(**options)
    await store.add_message(question(info.id))
    return info.id


async def places(store):
    return {info.id: info.place for info in await store.recent()}


def test_what_was_arranged_is_there_again_and_can_be_put_back(tmp_path):
    async def scenario(store, cabinet):
        one, two = await begun(store), await begun(store)
        folder = await cabinet.create_folder("旅行 \udcff", LabelColor.TEAL)
        before = await cabinet.arrange((one, "gone"), PlacementChange(folder=folder.id, tint=LabelColor.RED))
        assert before == {one: Placement()}
        await cabinet.arrange((one, two), PlacementChange(is_pinned=True))
        return one, two, folder, before

    one, two, folder, before = run(scenario, tmp_path)

    async def check(store, cabinet):
        assert await cabinet.folders() == (folder,)
        assert await places(store) == {
            one: Placement(is_pinned=True, folder=folder.id, tint=LabelColor.RED),
            two: Placement(is_pinned=True),
        }
        await cabinet.put_back(before)
        assert (await store.info(one)).place == Placement()

    run(check, tmp_path)


def test_a_folder_is_renamed_closed_and_never_made_by_a_change(tmp_path):
    async def scenario(store, cabinet):
        folder = await cabinet.create_folder("Work")
        changed = replace(folder, name="Play", tint=LabelColor.BLUE, is_open=False)
        await cabinet.change_folder(changed)
        await cabinet.change_folder(Folder("nowhere", "Ghost"))
        assert await cabinet.folders() == (changed,)

    run(scenario, tmp_path)


def test_folders_stand_in_their_order_again_and_come_back_to_their_place(tmp_path):
    async def placed(_store, cabinet):
        made = [await cabinet.create_folder(name) for name in ("a", "b", "c")]
        assert {folder.position for folder in made} == {0}
        await cabinet.place_folders({made[2].id: 1, made[0].id: 2, made[1].id: 3, "gone": 4})
        await cabinet.change_folder(replace(made[1], name="B", position=3))
        await cabinet.delete_folder(made[0].id)
        await cabinet.restore_folder(replace(made[0], position=2), ())

    async def again(_store, cabinet):
        found = sorted(await cabinet.folders(), key=lambda folder: folder.position)
        assert [(folder.name, folder.position) for folder in found] == [("c", 1), ("a", 2), ("B", 3)]

    run(placed, tmp_path)
    run(again, tmp_path)


def test_a_deleted_folder_lets_its_conversations_go_and_comes_back_with_them(tmp_path):
    async def scenario(store, cabinet):
        one, two, three = [await begun(store) for _ in range(3)]
        folder, other = await cabinet.create_folder("A"), await cabinet.create_folder("B")
        await cabinet.arrange((one, two, three), PlacementChange(folder=folder.id))
        inside = await cabinet.delete_folder(folder.id)
        assert set(inside) == {one, two, three}
        assert set((await places(store)).values()) == {Placement()}
        await cabinet.arrange((three,), PlacementChange(folder=other.id))
        await cabinet.restore_folder(folder, inside)
        assert set(await cabinet.folders()) == {folder, other}
        assert {each: place.folder for each, place in (await places(store)).items()} == {
            one: folder.id,
            two: folder.id,
            three: other.id,
        }

    run(scenario, tmp_path)


def test_a_folder_that_is_gone_is_no_folder(tmp_path):
    async def scenario(store, cabinet):
        conversation = await begun(store, folder="gone before the first message")
        assert await places(store) == {conversation: Placement()}
        await cabinet.arrange((conversation,), PlacementChange(folder="gone", is_pinned=True))
        assert await places(store) == {conversation: Placement(is_pinned=True)}

    run(scenario, tmp_path)


def test_a_conversation_may_begin_in_a_folder(tmp_path):
    async def scenario(store, cabinet):
        folder = await cabinet.create_folder("Work")
        conversation = await begun(store, folder=folder.id)
        assert (await store.load(conversation)).info.place == Placement(folder=folder.id)

    run(scenario, tmp_path)


def test_many_are_deleted_and_restored_at_once(tmp_path):
    async def scenario(store, _cabinet):
        ids = [await begun(store) for _ in range(4)]
        await store.delete(*ids[:3])
        assert set(await places(store)) == {ids[3]}
        with pytest.raises(UnknownConversation):
            await store.info(ids[0])
        await store.restore(*ids[:3])
        assert set(await places(store)) == set(ids)

    run(scenario, tmp_path)


def test_conversations_of_an_older_database_stand_where_they_stood(tmp_path):
    older = [migration for migration in MIGRATIONS if migration.name < "0009"]

    async def make():
        database = Database(tmp_path / FILE_NAME, older)
        await database.open()
        await database.close()
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection:
            connection.execute(
                "INSERT INTO conversations (id, title, created_at, updated_at) VALUES ('c', 'Old', 1, 2)"
            )
            connection.commit()

    asyncio.run(make())

    async def check(store, cabinet):
        assert await cabinet.folders() == ()
        (info,) = await store.recent()
        assert (info.title, info.place) == ("Old", Placement())

    run(check, tmp_path)


PLACES = st.builds(
    Placement, st.booleans(), st.sampled_from(["", "f"]), st.sampled_from(LabelColor), st.booleans()
)
CHANGES = st.builds(
    PlacementChange,
    st.none() | st.booleans(),
    st.none() | st.sampled_from(["", "f"]),
    st.none() | st.sampled_from(LabelColor),
    st.none() | st.booleans(),
)


@given(PLACES, CHANGES)
def test_a_change_changes_what_it_names_and_nothing_else(place, change):
    changed = change.of(place)
    for name in ("is_pinned", "folder", "tint", "is_archived"):
        wanted = getattr(change, name)
        assert getattr(changed, name) == (getattr(place, name) if wanted is None else wanted)
    assert change.of(changed) == changed
