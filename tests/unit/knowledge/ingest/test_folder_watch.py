"""Followed folders: what happens in them happens in the base."""

import os
from contextlib import aclosing
from pathlib import Path

import pytest

from desktop.domain.knowledge import ItemState
from desktop.errors import FileUnreadable, UnknownBase
from desktop.knowledge.ingest.folders import (
    FolderChanges,
    FolderSnapshot,
    SeenFile,
    changes_of,
    list_folder,
)
from desktop.knowledge.worker.client import KnowledgeClient
from tests.unit.knowledge import progress
from tests.unit.knowledge.knowledge_files import make_text


async def until(client, base, is_so):
    """Return the items of a base by the names of their files once they are as wanted."""

    async def look():
        return {Path(item.path).name: item for item in await client.items(base.id)}

    return await progress.until(client, look, is_so)


def searchable(*names):
    done = {ItemState.KEYWORD_READY, ItemState.READY}
    return lambda items: items.keys() == set(names) and {item.state for item in items.values()} <= done


async def find(client, base, query):
    return {passage.text for passage in (await client.retrieve([query], [base.id], 9)).passages}


def test_new_changed_moved_and_deleted_files_are_followed(runner, client, base, tmp_path):
    folder = tmp_path / "folder"
    (folder / ".hidden").mkdir(parents=True)
    (folder / "deep").mkdir()
    make_text(folder / "one.txt", "The heron eats fish.")
    make_text(folder / ".hidden" / "no.txt", "Never to be read.")

    async def scenario():
        watched = await client.watch_folder(base.id, folder)
        assert await client.folders(base.id) == (watched,)
        assert await client.watch_folder(base.id, folder) == watched
        first = await until(client, base, searchable("one.txt"))
        await client.tag([first["one.txt"].id], ["birds"])

        make_text(folder / "two.txt", "The otter eats fish too.")
        await until(client, base, searchable("one.txt", "two.txt"))
        (folder / "one.txt").rename(folder / "deep" / "moved.txt")
        moved = await until(client, base, searchable("moved.txt", "two.txt"))
        assert (moved["moved.txt"].id, moved["moved.txt"].tags) == (first["one.txt"].id, ("birds",))

        make_text(folder / "two.txt", "The badger eats worms.")
        await until(
            client, base, lambda items: items["two.txt"].document not in {"", moved["two.txt"].document}
        )
        texts = {"The heron eats fish.", "The badger eats worms."}
        assert await find(client, base, "eats") == texts

        (folder / "two.txt").unlink()
        await until(client, base, searchable("moved.txt"))
        await client.remove([first["one.txt"].id])
        make_text(folder / "three.txt", "The stork eats frogs.")
        await until(client, base, searchable("three.txt"))

        await client.unwatch_folder(watched.id)
        assert await client.folders(base.id) == ()
        assert await find(client, base, "eats") == {"The stork eats frogs."}

    runner.run(scenario())


def test_a_file_that_could_not_be_opened_is_read_once_it_can(runner, client, base, tmp_path):
    shut = make_text(tmp_path / "shut.txt", "The heron eats fish.")
    shut.chmod(0)
    if os.access(shut, os.R_OK):
        pytest.skip("whoever runs this may open everything")

    async def scenario():
        await client.watch_folder(base.id, tmp_path)
        failed = await until(
            client, base, lambda items: items and items["shut.txt"].state is ItemState.FAILED
        )
        assert "permission denied" in failed["shut.txt"].error
        shut.chmod(0o600)
        make_text(tmp_path / "other.txt", "The otter swims.")
        await until(client, base, searchable("shut.txt", "other.txt"))
        shut.chmod(0)
        await runner_reads(client, failed["shut.txt"].id)
        kept = (await until(client, base, searchable("shut.txt", "other.txt")))["shut.txt"]
        assert "permission denied" in kept.error
        assert "The heron eats fish." in await find(client, base, "heron")
        shut.chmod(0o600)
        make_text(tmp_path / "other.txt", "The badger digs.")
        await until(client, base, lambda items: not items["shut.txt"].error)
        await client.unwatch_folder((await client.folders(base.id))[0].id)

    async def runner_reads(client, item_id):
        async with aclosing(client.read_again([item_id])) as steps:
            async for _ in steps:
                pass

    runner.run(scenario())


def test_what_happened_while_the_program_was_not_running_is_made_up_for(runner, tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    same = make_text(folder / "same.txt", "The heron eats fish.")
    make_text(folder / "old.txt", "The otter swims.")
    make_text(folder / "gone.txt", "The badger digs.")

    async def first():
        client = KnowledgeClient(tmp_path / "data")
        try:
            base = await client.create("base")
            await client.watch_folder(base.id, folder)
            return base, await until(client, base, searchable("same.txt", "old.txt", "gone.txt"))
        finally:
            await client.aclose()

    async def second(base):
        client = KnowledgeClient(tmp_path / "data")
        try:
            return await until(client, base, searchable("same.txt", "new.txt"))
        finally:
            await client.aclose()

    base, before = runner.run(first())
    os.utime(same, (1, 1))
    (folder / "old.txt").rename(folder / "new.txt")
    (folder / "gone.txt").unlink()
    after = runner.run(second(base))
    assert after["new.txt"].id == before["old.txt"].id
    assert after["same.txt"].read_at == before["same.txt"].read_at  # the same content is not read again


def test_what_cannot_be_followed_is_said(runner, client, base, tmp_path):
    for nothing in (tmp_path / "nowhere", make_text(tmp_path / "file.txt", "text"), client.data_dir):
        with pytest.raises(FileUnreadable):
            runner.run(client.watch_folder(base.id, nothing))
    with pytest.raises(UnknownBase):
        runner.run(client.watch_folder("nowhere", tmp_path))


def test_a_folder_that_is_suddenly_empty_costs_nothing(runner, tmp_path):
    drive = tmp_path / "drive"
    drive.mkdir()
    make_text(drive / "one.txt", "The heron eats fish.")

    async def scenario():
        client = KnowledgeClient(tmp_path / "data")
        try:
            base = await client.create("base")
            await client.watch_folder(base.id, drive)
            items = await until(client, base, searchable("one.txt"))
        finally:
            await client.aclose()
        (drive / "one.txt").rename(tmp_path / "one.txt")  # as a drive that is not mounted
        errors: list[str] = []
        client = KnowledgeClient(tmp_path / "data")
        try:
            async with aclosing(client.add(base.id, [tmp_path / "one.txt"])) as steps:
                async for _ in steps:
                    pass  # the folder is looked at before anything is read
            errors.extend(folder.error for folder in await client.folders(base.id))
            return items, await client.items(base.id), errors
        finally:
            await client.aclose()

    items, after, (error,) = runner.run(scenario())
    assert "empty" in error
    assert (after[0].id, after[0].document) == (items["one.txt"].id, items["one.txt"].document)


def seen(item_id, path, stamp, digest="", state=ItemState.READY):
    return {path: SeenFile(item_id, path, stamp, digest, state)}


def test_only_files_that_may_have_changed_are_looked_into():
    opened = []

    def digest(path):
        opened.append(str(path))
        contents = {
            "/a/touched": "T",
            "/a/changed": "C2",
            "/a/to": "M",
            "/a/opened": "O",
            "/a/same again": "A",
        }
        return contents.get(str(path), "")

    known = {
        **seen("1", "/a/same", "1 10", "S"),
        **seen("2", "/a/touched", "1 10", "T"),
        **seen("3", "/a/changed", "1 10", "C"),
        **seen("4", "/a/from", "1 77", "M"),
        **seen("5", "/a/gone", "1 5", "G"),
        **seen("6", "/a/closed/inside", "1 5", "I"),
        **seen("7", "/a/waiting", "", state=ItemState.WAITING),
        **seen("8", "/a/reading", "1 1", state=ItemState.READING),
        **seen("9", "/a/failed", "1 1", state=ItemState.FAILED),
        **seen("10", "/a/shut", "", state=ItemState.FAILED),
        **seen("11", "/a/opened", "", state=ItemState.FAILED),
        **seen("12", "/a/same again", "", "A"),
    }
    stamps = {
        "/a/same": "1 10",
        "/a/touched": "2 10",
        "/a/changed": "2 10",
        "/a/to": "1 77",
        "/a/new": "1 3",
        "/a/unwanted": "1 3",
        "/a/waiting": "1 1",
        "/a/reading": "2 1",
        "/a/failed": "2 1",
        "/a/shut": "1 1",
        "/a/opened": "1 1",
        "/a/same again": "1 1",
    }
    changes = changes_of(FolderSnapshot(stamps, {"/a/closed": "no"}), known, {"/a/unwanted"}, digest)
    touched = {"2": "2 10", "12": "1 1"}
    assert changes == FolderChanges(("/a/new",), ("3", "9", "11"), ("5",), {"4": "/a/to"}, touched, True)
    assert sorted(opened) == [
        f"/a/{name}" for name in ("changed", "opened", "same again", "shut", "to", "touched")
    ]


def test_a_listing_leaves_out_what_is_hidden_or_our_own(tmp_path):
    for name in ("a.txt", "sub/b.txt", ".git/c.txt", "sub/.d.txt", "data/e.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("text")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "nowhere").symlink_to(tmp_path / "missing")
    (tmp_path / "inner").symlink_to(tmp_path / "a.txt")
    (tmp_path / "itself").symlink_to(tmp_path / "itself")
    listing = list_folder(tmp_path, tmp_path / "data")
    assert listing.outside == ()
    assert [str(Path(path).relative_to(tmp_path)) for path in listing.stamps] == [
        "a.txt",
        "inner",
        "sub/b.txt",
    ]
    with pytest.raises(FileNotFoundError):
        list_folder(tmp_path / "missing", tmp_path)


@pytest.fixture
def linked(tmp_path):
    """Make a folder with links that stay in it and links that lead out of it; return it and the latter."""
    outside = tmp_path / "outside"
    outside.mkdir()
    make_text(outside / "secret.txt", "The password is walrus.")
    folder = tmp_path / "folder"
    folder.mkdir()
    make_text(folder / "one.txt", "The heron eats fish.")
    (folder / "inner.txt").symlink_to("one.txt")
    (folder / "notes.txt").symlink_to(outside / "secret.txt")
    (folder / "more").symlink_to(outside)
    (folder / "gone.txt").symlink_to(outside / "missing.txt")
    return folder, sorted(str(folder / name) for name in ("notes.txt", "more", "gone.txt"))


def test_links_that_lead_out_of_an_added_folder_are_skipped_and_named(runner, client, base, linked):
    folder, outside = linked

    async def scenario():
        steps = [step async for step in client.add(base.id, [folder])]
        skipped = [step.item for step in steps if step.is_skipped]
        assert [item.path for item in skipped] == outside
        assert all(item.state is ItemState.FAILED and "outside the folder" in item.error for item in skipped)
        names = {item.name for item in await client.items(base.id)}
        assert names == {"one.txt", "inner.txt"}
        assert await find(client, base, "password walrus") == {"The heron eats fish."}
        # A file that the user names is read, whatever it leads to.
        assert [step async for step in client.add(base.id, [folder / "notes.txt"])]
        assert "The password is walrus." in await find(client, base, "password walrus")

    runner.run(scenario())


def test_links_that_lead_out_of_a_followed_folder_are_skipped_and_named(runner, client, base, linked):
    folder, outside = linked

    async def scenario():
        await client.watch_folder(base.id, folder)
        await until(client, base, searchable("one.txt", "inner.txt"))
        (followed,) = await progress.until(
            client, lambda: client.folders(base.id), lambda folders: bool(folders[0].error)
        )
        assert all(path in followed.error for path in outside)
        (folder / "one.txt").unlink()
        (folder / "one.txt").symlink_to(folder.parent / "outside" / "secret.txt")
        await until(client, base, lambda items: not items)
        assert await find(client, base, "password walrus") == set()

    runner.run(scenario())
