"""Going back to copies: shown first, merged or replaced, and taken back; from this computer and from servers."""

import asyncio
import os
import sqlite3
import tempfile
import zipfile
import zlib
from contextlib import aclosing, asynccontextmanager, closing, contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from desktop.domain.backups import HERE, CopyKind, Difference
from desktop.domain.knowledge import ATTACHMENTS
from desktop.domain.messages import MessageStatus
from desktop.domain.privacy import Channel
from desktop.errors import AnswerUnderWay, BackupFailed, DatabaseDamaged, StorageUnavailable
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from desktop.services import backups as backups_module
from desktop.services.container import running_services
from desktop.services.knowledge_backups import FOLDER, KnowledgeBackups
from desktop.services.window import window_services
from desktop.settings.folders import SETTINGS_FILE, AppFolders
from desktop.settings.model import BackupDestination, BackupSettings, ProviderSettings
from desktop.storage.archive_files import MOST_SETTINGS_BYTES
from desktop.storage.backup_archive import Archive
from desktop.storage.backup_targets import FolderTarget
from desktop.storage.local_copies import KEPT_BEFORE_RESTORE, LocalBackups
from tests.cases import cases
from tests.unit.services.holding import begun_in, held
from tests.unit.storage.backup import servers
from tests.unit.storage.samples import answer, question


@asynccontextmanager
async def rooms_in(folder):
    async with running_services(AppFolders(folder, folder / "cache", folder / "logs")) as services:
        yield services


async def done(steps):
    async with aclosing(steps):
        return [step async for step in steps]


async def say(store, text="什么是 SQLite?"):
    info = await store.create()
    await store.add_message(question(info.id, text=text))
    return info.id


async def ids(store):
    return {info.id for info in await store.recent()}


async def copied(services, place=HERE):
    await done(services.keeping.backups.back_up(place))
    return (await services.keeping.backups.copies(place))[0]


async def add_destination(services, destination):
    settings = services.preferences.settings
    known = (*settings.backup.destinations, destination)
    await services.preferences.save(replace(settings, backup=BackupSettings(known)))
    return destination.id


def test_a_copy_is_shown_before_anything_changes(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            store, backups = services.store, services.keeping.backups
            same, longer, deleted = [await say(store) for _ in range(3)]
            await services.memories.add("I live in Oslo")
            copy = await copied(services)
            await store.add_message(answer(longer, status=MessageStatus.COMPLETE))
            await store.delete(deleted)
            new = await say(store)
            before = await ids(store)
            contents = await backups.preview(copy)
            assert {one.id: one.difference for one in contents.conversations} == {
                same: Difference.SAME,
                longer: Difference.OLDER,
                deleted: Difference.MISSING,
            }
            assert (contents.only_here, contents.memories, contents.memories_missing) == (1, 1, 0)
            assert await ids(store) == before >= {new}
            assert copy.size_bytes

    asyncio.run(scenario())


def test_merging_brings_what_is_missing_and_changes_nothing_else(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            store, backups = services.store, services.keeping.backups
            kept, lost = await say(store), await say(store, "lost")
            memory = await services.memories.add("I live in Oslo")
            copy = await copied(services)
            await store.delete(lost)
            await store.purge()
            await services.memories.delete(memory.id)
            await store.add_message(answer(kept, text="Later", status=MessageStatus.COMPLETE))
            result = await backups.merge(copy)
            assert result.added == (lost,)
            assert await ids(store) == {kept, lost}
            assert len((await store.load(kept)).messages) == 2
            assert [one.text for one in await services.memories.all()] == ["I live in Oslo"]
            assert (await backups.merge(copy)).added == ()
            await backups.undo(result)
            assert await ids(store) == {kept}
            assert await services.memories.all() == ()

    asyncio.run(scenario())


def test_an_older_state_that_is_wanted_comes_in_beside(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            store = services.store
            kept = await say(store)
            copy = await copied(services)
            await store.add_message(answer(kept, status=MessageStatus.COMPLETE))
            result = await services.keeping.backups.merge(copy, [kept])
            [beside] = result.added
            assert await ids(store) == {kept, beside}
            assert [len((await store.load(one)).messages) for one in (kept, beside)] == [2, 1]

    asyncio.run(scenario())


def test_replacing_makes_everything_what_it_was_and_can_be_undone(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            store, backups = services.store, services.keeping.backups
            old = await say(store)
            copy = await copied(services)
            new = await say(store)
            await store.rename(old, "renamed")
            result = await backups.replace_all(copy)
            assert await ids(store) == {old}
            assert (await store.load(old)).info.title == ""
            later = await say(store)  # whoever works with the database goes on
            assert await ids(store) == {old, later}
            await backups.undo(result)
            assert await ids(store) == {old, new}
            kinds = [each.kind for each in await backups.copies()]
            assert kinds.count(CopyKind.BEFORE_RESTORE) == 2
        async with rooms_in(tmp_path) as services:
            assert await ids(services.store) == {old, new}

    asyncio.run(scenario())


def test_what_was_found_in_the_history_is_found_anew_after_replacing(tmp_path):
    from desktop.domain.history import HistoryQuery

    async def scenario():
        async with rooms_in(tmp_path) as services:
            store = services.store
            await say(store, "lighthouse")
            copy = await copied(services)
            await say(store, "windmill")
            assert (await services.history.search(HistoryQuery("windmill"))).hits
            await services.keeping.backups.replace_all(copy)
            assert not (await services.history.search(HistoryQuery("windmill"))).hits
            async with asyncio.timeout(60):
                while not (await services.history.search(HistoryQuery("lighthouse"))).hits:
                    await anext(services.history.keep_up())

    asyncio.run(scenario())


def test_an_answer_under_way_is_not_replaced(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            store = services.store
            identity = await say(store)
            copy = await copied(services)
            message = answer(identity)
            await store.add_message(message)
            with pytest.raises(AnswerUnderWay):
                await services.keeping.backups.replace_all(copy)
            await store.update_message(replace(message, text="whole", status=MessageStatus.COMPLETE))
            assert (await services.keeping.backups.replace_all(copy)).before

    asyncio.run(scenario())


def test_what_is_said_while_everything_is_replaced_is_not_lost(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            store, backups = services.store, services.keeping.backups
            identity = await say(store)
            copy = await copied(services)
            with held(LocalBackups, "take_before_restore") as begun:
                replacing = await begun_in(begun, backups.replace_all(copy))
                late = question(identity, 7, text="late")
                adding = asyncio.create_task(store.add_message(late))
                await asyncio.wait({adding}, timeout=1.0)
            await replacing
            await adding
            assert [message.text for message in (await store.load(identity)).messages][-1] == "late"

    asyncio.run(scenario())


def test_of_the_copies_before_going_back_the_newest_are_kept(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            await say(services.store)
            copy = await copied(services)
            for _ in range(KEPT_BEFORE_RESTORE + 2):
                await services.keeping.backups.replace_all(copy)
            kinds = [each.kind for each in await services.keeping.backups.copies()]
            assert kinds.count(CopyKind.BEFORE_RESTORE) == KEPT_BEFORE_RESTORE
            assert kinds.count(CopyKind.REGULAR) == 1

    asyncio.run(scenario())


def test_a_damaged_copy_is_told_and_changes_nothing(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            store = services.store
            identity = await say(store)
            copy = await copied(services)
            path = tmp_path / "backups" / copy.name
            content = bytearray(path.read_bytes())
            content[4096 : 4096 * 3] = b"\xa5" * 4096 * 2
            path.write_bytes(content)
            for attempt in (
                services.keeping.backups.preview,
                services.keeping.backups.merge,
                services.keeping.backups.replace_all,
            ):
                with pytest.raises(BackupFailed, match="This backup is damaged"):
                    await attempt(copy)
            path.unlink()
            with pytest.raises(BackupFailed, match="no longer exists"):
                await services.keeping.backups.preview(copy)
            assert await ids(store) == {identity}

    asyncio.run(scenario())


@pytest.fixture(scope="module")
def destinations(tmp_path_factory):
    root = tmp_path_factory.mktemp("far")
    (root / "disk").mkdir()
    with servers.webdav(root / "webdav") as webdav, servers.s3(root / "s3") as s3:
        yield {
            "folder": BackupDestination("f", "Stick", "folder", str(root / "disk")),
            "webdav": BackupDestination("w", "Cloud", "webdav", webdav, servers.NAME),
            "s3": BackupDestination("s", "Bucket", "s3", s3, servers.NAME, servers.BUCKET),
        }


@pytest.mark.parametrize("kind", ["folder", "webdav", "s3"])
def test_another_computer_gets_all_of_it_from_a_destination(tmp_path, destinations, kind):
    destination = destinations[kind]

    async def scenario():
        async with rooms_in(tmp_path / "one") as services:
            await services.preferences.set_secret(f"backup/{destination.id}", servers.SECRET)
            place = await add_destination(services, destination)
            window = replace(services.preferences.settings.window, zoom=1.5)
            await services.preferences.save(replace(services.preferences.settings, window=window))
            identity = await say(services.store, "from far away")
            assert "deleted" in await services.keeping.backups.test(destination, None)
            with_progress = await done(services.keeping.backups.back_up(place))
            assert with_progress[-1].done == with_progress[-1].total > 0
            states = {state.place: state for state in await services.keeping.backups.places()}
            assert states[place].newest is not None
            assert states[place].problem == ""
        async with rooms_in(tmp_path / "two") as services:
            await services.preferences.set_secret(f"backup/{destination.id}", servers.SECRET)
            await add_destination(services, destination)
            [copy] = await services.keeping.backups.copies(place)
            contents = await services.keeping.backups.preview(copy)
            assert [one.id for one in contents.conversations] == [identity]
            assert contents.has_settings
            await services.keeping.backups.use_settings(copy)
            assert services.preferences.settings.window.zoom == 1.5
            assert (await services.keeping.backups.merge(copy)).added == (identity,)
            message = (await services.store.load(identity)).messages[0]
            assert message.text == "from far away"

    asyncio.run(scenario())


def test_a_password_in_an_address_is_in_no_copy_and_no_export(tmp_path):
    (tmp_path / "disk").mkdir()
    place = BackupDestination("d", "Disk", "folder", str(tmp_path / "disk"))
    server = ProviderSettings("p", "P", "openai", "https://me:hunter22@127.0.0.1:1/v1", needs_key=False)

    async def scenario():
        async with rooms_in(tmp_path / "one") as services:
            await add_destination(services, place)
            await services.preferences.save(replace(services.preferences.settings, providers=(server,)))
            await say(services.store)
            copy = await copied(services, "d")
            async with services.keeping.backups._fetch(copy) as found:
                kept = found.database.with_name(SETTINGS_FILE).read_text()
            profile = tmp_path / "a.footnote-profile"
            await done(services.keeping.transfers.export_profile(profile, has_bases=False))
            with zipfile.ZipFile(profile) as archive:
                exported = archive.read(SETTINGS_FILE).decode()
            for text in (kept, exported):
                assert "https://me:•••@127.0.0.1:1/v1" in text
            assert services.preferences.settings.providers == (server,)

    asyncio.run(scenario())


def test_copies_go_to_destinations_by_themselves_and_trouble_is_told_once(tmp_path, monkeypatch):
    monkeypatch.setattr(backups_module, "LOOK_S", 0.01)
    monkeypatch.setattr(backups_module, "FIRST_LOOK_S", 0.01)
    (tmp_path / "disk").mkdir()
    good = BackupDestination("good", "Disk", "folder", str(tmp_path / "disk"))
    bad = BackupDestination("bad", "Stick", "folder", str(tmp_path / "away"))
    off = BackupDestination("off", "Off", "folder", str(tmp_path / "off"), is_enabled=False)

    async def scenario():
        async with rooms_in(tmp_path / "one") as services:
            for destination in (bad, good, off):
                await add_destination(services, destination)
            store = services.store
            await say(store)
            await services.keeping.begin()
            async with asyncio.timeout(60), aclosing(store.troubles()) as troubles:
                assert "Check that the disk is connected" in str(await anext(troubles))
                while not await services.keeping.backups.copies("good"):  # noqa: ASYNC110 - files raise no event
                    await asyncio.sleep(0.01)
            assert len(await services.keeping.backups.copies("good")) == 1
            states = {state.place: state for state in await services.keeping.backups.places()}
            assert "Stick" in states["bad"].problem
            assert states["off"].problem == ""
            assert store._journal.problems.empty()

    asyncio.run(scenario())


def test_a_copy_is_due_when_the_newest_is_older_than_wished(tmp_path):
    (tmp_path / "disk").mkdir()
    place = BackupDestination("d", "Disk", "folder", str(tmp_path / "disk"), every_hours=2)

    async def scenario():
        async with rooms_in(tmp_path / "one") as services:
            await add_destination(services, place)
            await done(services.keeping.backups.back_up("d"))
            await services.keeping.backups._copy_if_due(place)
            assert len(await services.keeping.backups.copies("d")) == 1
            [copy] = (tmp_path / "disk" / "footnote" / "copies").glob("*.json")
            moment = datetime.now(UTC) - timedelta(hours=3)
            copy.rename(copy.with_name(f"{moment:%Y%m%dT%H%M%SZ}.json"))
            await services.keeping.backups._copy_if_due(place)
            assert len(await services.keeping.backups.copies("d")) == 2

    asyncio.run(scenario())


def test_damaged_settings_of_a_copy_do_not_take_the_place_of_ours(tmp_path):
    async def scenario():
        (tmp_path / "disk").mkdir()
        async with rooms_in(tmp_path / "one") as services:
            settings = services.preferences.settings
            await services.preferences.save(replace(settings, window=replace(settings.window, zoom=1.5)))
            place = await add_destination(
                services, BackupDestination("d", "Disk", "folder", str(tmp_path / "disk"))
            )
            (tmp_path / "one" / SETTINGS_FILE).write_text("{")
            copy = await copied(services, place)
            with pytest.raises(BackupFailed, match="damaged"):
                await services.keeping.backups.use_settings(copy)
            assert services.preferences.settings.window.zoom == 1.5

    asyncio.run(scenario())


def test_settings_of_a_copy_that_fill_the_memory_are_refused(tmp_path):
    async def scenario():
        (tmp_path / "disk").mkdir()
        async with rooms_in(tmp_path / "one") as services:
            zoom = services.preferences.settings.window.zoom
            place = await add_destination(
                services, BackupDestination("d", "Disk", "folder", str(tmp_path / "disk"))
            )
            settings = b'{"window": {"zoom": 1.5}}' + b" " * MOST_SETTINGS_BYTES
            (tmp_path / "one" / SETTINGS_FILE).write_bytes(settings)
            copy = await copied(services, place)
            with pytest.raises(BackupFailed, match="larger than 8 MB"):
                await services.keeping.backups.use_settings(copy)
            assert services.preferences.settings.window.zoom == zoom

    asyncio.run(scenario())


HOSTILE = {
    "late": "UPDATE conversations SET updated_at = 9223372036854775807",
    "early": "UPDATE conversations SET created_at = -9223372036854775808",
    "colour": "UPDATE conversations SET tint = 'evil'",
    "draft": "INSERT INTO drafts (conversation_id, text, files, changed_at) VALUES ('', 'x', '{', 1)",
    "memory": "INSERT INTO memories VALUES ('m', 'x', 'evil', NULL, 1, 1, NULL)",
    "no id": "UPDATE messages SET id = ''",
    "no room": "UPDATE messages SET position = 9223372036854775807",
}


@cases("statement", HOSTILE.values(), ids=HOSTILE)
def test_a_copy_from_elsewhere_that_would_leave_the_window_without_lists_takes_no_place(tmp_path, statement):
    (tmp_path / "disk").mkdir()
    place = BackupDestination("d", "Disk", "folder", str(tmp_path / "disk"))

    async def scenario():
        async with rooms_in(tmp_path / "one") as services:
            await say(services.store)
            await services.store.database.execute(statement)
            await add_destination(services, place)
            await copied(services, "d")
        async with rooms_in(tmp_path / "two") as services:
            store, backups = services.store, services.keeping.backups
            mine = await say(store)
            await add_destination(services, place)
            [copy] = await backups.copies("d")
            with pytest.raises(BackupFailed, match="This backup is damaged"):
                await backups.replace_all(copy)
            for attempt in (backups.preview, backups.merge):
                with suppress(BackupFailed):
                    await attempt(copy)
            assert mine in await ids(store)
            assert (await store.load(mine)).messages

    asyncio.run(scenario())


CONVERSATIONS = {
    "round": "UPDATE messages SET parent_id = id",
    "speaker": "UPDATE messages SET speaker = 'nobody'",
    "time": "UPDATE messages SET created_at = 9223372036854775807",
    "procedure": """UPDATE messages SET procedure = '{"evil": {}}'""",
    "json": "UPDATE messages SET steps = '{'",
    "depth": f"UPDATE messages SET steps = '{'[' * 100_000}'",
}


@cases("change", CONVERSATIONS.values(), ids=CONVERSATIONS)
def test_a_conversation_that_cannot_be_read_keeps_no_other_from_coming_back(tmp_path, change):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            store = services.store
            bad = await say(store)
            await store.rename(bad, "Bad")
            await store.database.execute(change)
            good = await say(store)
            copy = await copied(services)
            await store.delete(bad, good)
            await store.purge()
            result = await services.keeping.backups.merge(copy)
            assert result.added == (good,)
            assert result.notes == ("“Bad” can’t be read.",)
            await services.keeping.backups.replace_all(copy)
            assert await ids(store) == {bad, good}
            with suppress(DatabaseDamaged):
                await store.load(bad)
            [message] = await store.database.read(
                lambda connection: connection.execute(
                    "SELECT id FROM messages WHERE conversation_id = ?", (bad,)
                ).fetchone()
            )
            with suppress(DatabaseDamaged):
                await window_services(services).branches.show(message)  # as a hit of the search does
            assert (await store.load(good)).messages

    asyncio.run(scenario())


def test_where_nothing_can_be_put_down_for_a_moment_that_is_said_and_copying_goes_on(tmp_path, monkeypatch):
    (tmp_path / "disk").mkdir()
    place = BackupDestination("d", "Disk", "folder", str(tmp_path / "disk"))

    async def scenario():
        async with rooms_in(tmp_path / "one") as services:
            await add_destination(services, place)
            backups = services.keeping.backups
            store = services.store
            identity = await say(store)
            copy = await copied(services)
            with monkeypatch.context() as patched:
                patched.setattr(tempfile, "tempdir", str(tmp_path / "gone"))
                for attempt in (backups.preview, backups.merge, backups.replace_all):
                    with pytest.raises(StorageUnavailable, match="gone can’t be used"):
                        await attempt(copy)
                await backups._copy_if_due(place)
                states = {state.place: state for state in await backups.places()}
                assert "gone can’t be used" in states["d"].problem
            await backups._copy_if_due(place)
            assert len(await backups.copies("d")) == 1
            assert await ids(store) == {identity}

    asyncio.run(scenario())


def test_an_unknown_place_is_said(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            with pytest.raises(BackupFailed, match="no longer a backup location"):
                await services.keeping.backups.copies("nobody")

    asyncio.run(scenario())


def test_the_parts_of_the_data_are_counted(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            await say(services.store)
            (tmp_path / "pictures").mkdir()
            (tmp_path / "pictures" / "a.png").write_bytes(b"x" * 1_000)
            (tmp_path / "pictures" / "loop").symlink_to(tmp_path)
            parts = {part.name: part for part in await services.keeping.backups.parts()}
            assert parts["pictures"].size_bytes == 1_000
            assert parts["conversations"].size_bytes > 0
            assert parts["models"].size_bytes == 0
            assert all(part.path.is_relative_to(tmp_path) for part in parts.values())

    asyncio.run(scenario())


def test_what_stays_on_this_machine_is_in_no_copy_that_leaves_it(tmp_path, destinations):
    (tmp_path / "disk").mkdir()
    near = BackupDestination("near", "Disk", "folder", str(tmp_path / "disk"))
    far = replace(destinations["webdav"], id="far", prefix="kept-here")

    async def scenario():
        async with rooms_in(tmp_path / "one") as services:
            await services.preferences.set_secret("backup/far", servers.SECRET)
            for destination in (near, far):
                await add_destination(services, destination)
            store = services.store
            open_one, private = await say(store), await say(store, "a private question")
            await window_services(services).privacy.keep_here(private, is_kept=True)
            found = {}
            for place in ("near", "far"):
                contents = await services.keeping.backups.preview(await copied(services, place))
                found[place] = {one.id for one in contents.conversations}
            assert found == {"near": {open_one, private}, "far": {open_one}}
            recipients = await window_services(services).privacy.recipients()
            assert [each.name for each in recipients if each.channel is Channel.BACKUP] == ["Cloud"]

    asyncio.run(scenario())


def test_what_stays_on_this_machine_does_so_when_it_comes_back_from_a_copy(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            store, backups, privacy = (
                services.store,
                services.keeping.backups,
                window_services(services).privacy,
            )
            gone, before = await say(store, "private"), await say(store, "not private yet")
            await privacy.keep_here(gone, is_kept=True)
            copy = await copied(services)
            await store.delete(gone)
            await privacy.erase()
            assert not await privacy.stays_here(gone)
            assert (await backups.merge(copy)).added == (gone,)
            assert await privacy.stays_here(gone)
            await privacy.keep_here(before, is_kept=True)
            await store.add_message(answer(before, text="Later", status=MessageStatus.COMPLETE))
            [beside] = (await backups.merge(copy, [before])).added
            assert beside != before
            assert await privacy.stays_here(beside)
            await backups.replace_all(copy)
            assert await privacy.stays_here(before)
            assert await privacy.stays_here(gone)

    asyncio.run(scenario())


@contextmanager
def bases_of(folder):
    """Give the bases in a data folder, without the worker: it takes seconds to start."""
    database = IndexDatabase(folder / "knowledge" / "knowledge.db")
    try:
        yield Bases(database)
    finally:
        database.close()


def names(folder):
    with bases_of(folder) as bases:
        return [base.name for base in bases.all()]


def test_knowledge_bases_are_copied_shown_replaced_and_brought_back(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            backups = services.keeping.backups
            with bases_of(tmp_path) as bases:
                first = bases.create("Lighthouses")
                bases.create(f"{ATTACHMENTS}c1")
            await done(backups.back_up())
            [copy] = [each for each in await backups.copies() if each.kind is CopyKind.KNOWLEDGE]
            assert (await backups.preview(copy)).bases == ("Lighthouses",)
            with bases_of(tmp_path) as bases:
                bases.create("Windmills")
                bases.delete(first.id)
            (tmp_path / "knowledge" / "vectors").mkdir()
            result = await backups.replace_all(copy)
            assert "Lighthouses" in names(tmp_path)
            assert "Windmills" not in names(tmp_path)
            assert list((tmp_path / "knowledge" / "vectors").iterdir()) == []
            await backups.undo(result)
            assert "Windmills" in names(tmp_path)
            assert (await backups.merge(copy)).added == ()

    asyncio.run(scenario())


def test_knowledge_is_copied_once_a_day_and_only_when_it_has_changed(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            copies = KnowledgeBackups(tmp_path, lambda: services.knowledge)
            now = datetime.now(UTC)
            assert not await copies.is_due(now)
            names(tmp_path)
            assert await copies.is_due(now)
            await done(copies.take())
            assert not await copies.is_due(now)
            assert not await copies.is_due(now + timedelta(days=2))
            with bases_of(tmp_path) as bases:
                bases.create("Lighthouses")
            later = (now + timedelta(hours=1)).timestamp()
            os.utime(tmp_path / "knowledge" / "knowledge.db", (later, later))
            assert not await copies.is_due(now + timedelta(hours=2))
            assert await copies.is_due(now + timedelta(days=2))

    asyncio.run(scenario())


def test_copies_of_knowledge_go_on_after_one_that_is_dated_in_the_future(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            copies = KnowledgeBackups(tmp_path, lambda: services.knowledge)
            names(tmp_path)
            await done(copies.take())
            for path in (tmp_path / "backups" / "knowledge" / "copies").iterdir():
                path.rename(path.with_name("20990101T000000Z" + path.suffix))
            assert await copies.is_due(datetime.now(UTC))
            await done(copies.take())
            assert not await copies.is_due(datetime.now(UTC))
            newest, older = await services.keeping.backups.copies()
            assert (newest.taken_at.year, older.taken_at.year) != (2099, 2099)
            assert older.taken_at.year == 2099

    asyncio.run(scenario())


def test_beginning_anew_leaves_one_copy_of_knowledge_and_nothing_of_the_past(tmp_path):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            copies = KnowledgeBackups(tmp_path, lambda: services.knowledge)
            await copies.begin_anew()
            assert await copies.copies() == ()
            with bases_of(tmp_path) as bases:
                gone = bases.create("a secret name")
            await done(copies.take())
            with bases_of(tmp_path) as bases:
                bases.delete(gone.id)
                for _ in bases.forget(gone.id):
                    pass
            with closing(sqlite3.connect(tmp_path / "knowledge" / "knowledge.db")) as connection:
                connection.execute("VACUUM")
            await copies.begin_anew()
            assert len(await copies.copies()) == 1
            packed = (tmp_path / "backups" / "knowledge" / "pieces").iterdir()
            assert not any(b"a secret name" in zlib.decompress(piece.read_bytes()) for piece in packed)

    asyncio.run(scenario())


@cases("harm, words", [("newer", "newer version of Footnote"), ("other", "damaged")])
def test_a_copy_of_knowledge_that_cannot_be_used_replaces_nothing(tmp_path, harm, words):
    async def scenario():
        async with rooms_in(tmp_path) as services:
            names(tmp_path)
            path = tmp_path / "knowledge" / "knowledge.db"
            with closing(sqlite3.connect(path)) as connection:
                if harm == "newer":
                    connection.execute("PRAGMA user_version = 999")
                    connection.execute("ALTER TABLE bases ADD COLUMN later INTEGER")
                else:
                    connection.execute("ALTER TABLE bases RENAME COLUMN name TO title")
            # Of such a database none is made here: it comes from another program.
            (tmp_path / "backups").mkdir(exist_ok=True)
            archive = Archive(FolderTarget("here", tmp_path / "backups", FOLDER), "here")
            await done(archive.put({path.name: path}, datetime.now(UTC)))
            path.unlink()
            names(tmp_path)
            [copy] = await services.keeping.backups.copies()
            with pytest.raises(BackupFailed, match=words):
                await services.keeping.backups.replace_all(copy)
            assert names(tmp_path) == []

    asyncio.run(scenario())
