"""Copies on a shelf: whole, small, never old over new, and honest about damage."""

import asyncio
import json
import random
import shutil
from contextlib import aclosing
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest

from desktop.errors import BackupFailed, StorageFull
from desktop.storage.backup_archive import PIECE_BYTES, Archive
from desktop.storage.backup_targets import FolderTarget

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def place(tmp_path):
    folder = tmp_path / "stick"
    folder.mkdir()
    return folder


def archive_at(place):
    return Archive(FolderTarget("Stick", place), "Stick")


async def put(archive, files, now=NOON):
    async with aclosing(archive.put(files, now)) as steps:
        return [step async for step in steps]


async def fetch(archive, name, folder):
    folder.mkdir()
    async with aclosing(archive.fetch(name, folder)) as steps:
        async for _ in steps:
            pass
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def sample(tmp_path, size, seed=1):
    path = tmp_path / "conversations.db"
    path.write_bytes(random.Random(seed).randbytes(size))
    return path


def pieces(place):
    return {path.name for path in (place / "pieces").iterdir()}


@pytest.mark.parametrize("size", [0, 1, PIECE_BYTES - 1, PIECE_BYTES, 3 * PIECE_BYTES + 17])
def test_a_copy_comes_back_as_it_was(tmp_path, place, size):
    path = sample(tmp_path, size)
    settings = tmp_path / "settings.json"
    settings.write_text("{}")

    async def scenario():
        archive = archive_at(place)
        steps = await put(archive, {path.name: path, settings.name: settings})
        assert steps[0].done == 0
        assert steps[-1].done == steps[-1].total == size + 2
        [copy] = await archive.copies()
        assert copy.taken_at == NOON
        back = await fetch(archive_at(place), copy.name, tmp_path / "back")
        assert back == {path.name: path.read_bytes(), settings.name: b"{}"}

    asyncio.run(scenario())


def test_the_next_copy_costs_only_what_has_changed(tmp_path, place):
    path = sample(tmp_path, 5 * PIECE_BYTES)

    async def scenario():
        archive = archive_at(place)
        await put(archive, {path.name: path})
        before = pieces(place)
        with path.open("r+b") as file:
            file.seek(2 * PIECE_BYTES + 9)
            file.write(b"changed")
        await put(archive, {path.name: path}, NOON + HOUR)
        assert len(pieces(place) - before) == 1
        newest, oldest = await archive.copies()
        back = await fetch(archive, newest.name, tmp_path / "new")
        assert back[path.name] == path.read_bytes()
        assert await fetch(archive, oldest.name, tmp_path / "old") != back

    asyncio.run(scenario())


def test_a_clock_that_was_set_back_writes_nothing_over(tmp_path, place):
    async def scenario():
        archive = archive_at(place)
        await put(archive, {"a": sample(tmp_path, 10)}, NOON)
        await put(archive, {"a": sample(tmp_path, 20)}, NOON - 100 * HOUR)
        newest, first = await archive.copies()
        assert newest.taken_at == NOON - 100 * HOUR
        assert len((await fetch(archive, newest.name, tmp_path / "back"))["a"]) == 20
        assert len((await fetch(archive, first.name, tmp_path / "first"))["a"]) == 10
        await put(archive, {"a": sample(tmp_path, 30)}, NOON)
        newest, *_ = await archive.copies()
        assert newest.name == "20260301T120001Z.json"
        assert len((await fetch(archive, newest.name, tmp_path / "again"))["a"]) == 30

    asyncio.run(scenario())


@pytest.mark.parametrize("has_number", [True, False])
def test_a_copy_dated_in_the_future_does_not_replace_later_ones(tmp_path, place, has_number):
    async def scenario():
        archive = archive_at(place)
        await put(archive, {"a": sample(tmp_path, 10)}, NOON)
        await put(archive, {"a": sample(tmp_path, 20)}, datetime(2099, 1, 1, tzinfo=UTC))
        if not has_number:  # as an earlier version left them
            for path in (place / "copies").glob("*Z.0*"):
                path.unlink()
        for hours in range(1, 30):
            await put(archive, {"a": sample(tmp_path, 1_000, seed=hours)}, NOON + hours * HOUR)
        dates = [copy.taken_at for copy in await archive_at(place).copies()]
        assert dates[:24] == [NOON + hours * HOUR for hours in range(29, 5, -1)]
        numbered = {path.stem for path in (place / "copies").glob("*Z.0*")}
        assert numbered <= {path.stem for path in (place / "copies").glob("*.json")}

    asyncio.run(scenario())


def test_the_number_of_a_copy_that_is_being_made_elsewhere_is_kept(tmp_path, place):
    async def scenario():
        archive = archive_at(place)
        await put(archive, {"a": sample(tmp_path, 10)}, NOON)
        (place / "copies" / "20260301T130000Z.000009").write_text("9")
        await put(archive, {"a": sample(tmp_path, 20)}, NOON + HOUR * 2)
        assert (place / "copies" / "20260301T130000Z.000009").exists()
        assert [copy.number for copy in await archive.copies()] == [2, 1]

    asyncio.run(scenario())


def test_old_copies_go_with_what_only_they_needed(tmp_path, place):
    async def scenario():
        archive = archive_at(place)
        for hours in range(40):
            await put(archive, {"a": sample(tmp_path, 1_000, seed=hours)}, NOON + hours * HOUR)
        copies = await archive.copies()
        assert 24 <= len(copies) <= 30
        assert len(pieces(place)) == len(copies)
        assert (await fetch(archive, copies[-1].name, tmp_path / "back"))["a"]

    asyncio.run(scenario())


@pytest.mark.parametrize("harm", ["flip", "truncate", "delete", "other"])
def test_damage_is_found_and_said(tmp_path, place, harm):
    path = sample(tmp_path, 2 * PIECE_BYTES)

    async def scenario():
        await put(archive_at(place), {path.name: path})
        victim, other = sorted((place / "pieces").iterdir())
        match harm:
            case "flip":
                content = bytearray(victim.read_bytes())
                content[len(content) // 2] ^= 1
                victim.write_bytes(content)
            case "truncate":
                victim.write_bytes(victim.read_bytes()[:-9])
            case "delete":
                victim.unlink()
            case "other":
                victim.write_bytes(other.read_bytes())
        archive = archive_at(place)
        [copy] = await archive.copies()
        with pytest.raises(BackupFailed, match=r"damaged|does not exist"):
            await fetch(archive, copy.name, tmp_path / "back")

    asyncio.run(scenario())


def manifest(**changes):
    digest = "a" * 64
    entry = {"size": 1, "pieces": [digest]}
    whole = {
        "format": "footnote-backup",
        "version": 1,
        "taken_at": "2026-03-01T12:00:00Z",
        "files": {"a": entry},
    }
    return json.dumps(whole | changes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "damaged"),
        ("[]", "damaged"),
        ("[" * 100_000, "damaged"),
        (manifest(version=2), "newer version of Footnote"),
        (manifest(format="other"), "damaged"),
        (manifest(files={"../a": {"size": 0, "pieces": []}}), "damaged"),
        (manifest(files={"C:\\a": {"size": 0, "pieces": []}}), "damaged"),
        (manifest(files={"a": {"size": 1, "pieces": ["../../secret"]}}), "damaged"),
        (manifest(files=7), "damaged"),
    ],
)
def test_manifests_that_mean_harm_are_refused(tmp_path, place, text, words):
    (place / "copies").mkdir()
    (place / "copies" / "20260301T120000Z.json").write_text(text)

    async def scenario():
        archive = archive_at(place)
        [copy] = await archive.copies()
        with pytest.raises(BackupFailed, match=words):
            await fetch(archive, copy.name, tmp_path / "back")

    asyncio.run(scenario())
    assert [path.name for path in tmp_path.iterdir()] == ["stick", "back"] or not any(
        (tmp_path / "back").iterdir()
    )


def test_with_a_copy_that_cannot_be_read_nothing_is_thrown_away(tmp_path, place):
    async def scenario():
        archive = archive_at(place)
        await put(archive, {"a": sample(tmp_path, 100)})
        before = pieces(place)
        (place / "copies" / "20260301T110000Z.json").write_text("damaged")
        await put(archive_at(place), {"a": sample(tmp_path, 100, seed=2)}, NOON + HOUR)
        assert before < pieces(place)

    asyncio.run(scenario())


def test_a_copy_that_was_broken_off_is_none(tmp_path, place):
    path = sample(tmp_path, 4 * PIECE_BYTES)

    async def scenario():
        archive = archive_at(place)
        async with aclosing(archive.put({path.name: path}, NOON)) as steps:
            async for step in steps:
                if step.done >= 2 * PIECE_BYTES:
                    break
        assert await archive.copies() == ()
        await put(archive, {path.name: sample(tmp_path, PIECE_BYTES, seed=9)}, NOON + HOUR)
        assert len(pieces(place)) == 1

    asyncio.run(scenario())


def test_names_that_are_no_copies_are_passed_over(place):
    (place / "copies").mkdir()
    for name in ("notes.txt", "20260301T120000Z.json.part", "20260301T120000Z", "99999999T999999Z.json"):
        (place / "copies" / name).write_text("")
    assert asyncio.run(archive_at(place).copies()) == ()


def test_a_place_is_tried_out_without_leaving_anything(place):
    asyncio.run(archive_at(place).try_out())
    assert list(place.iterdir()) == []


def manifest_with(place, **entry):
    [copy] = (place / "copies").glob("*.json")
    told = json.loads(copy.read_bytes())
    told["files"]["conversations.db"] |= entry
    copy.write_text(json.dumps(told))
    return copy.name


@pytest.mark.parametrize("count", [1, 500_000])
def test_a_copy_that_would_fill_the_disk_is_refused_before_it_does(tmp_path, place, count):
    path = sample(tmp_path, 100)

    async def scenario():
        await put(archive_at(place), {"conversations.db": path})
        [piece] = pieces(place)
        size = 2**62 if count == 1 else 100
        name = manifest_with(place, size=size, pieces=[piece] * count)
        with pytest.raises(BackupFailed, match="damaged"):
            await fetch(archive_at(place), name, tmp_path / "out")
        assert list((tmp_path / "out").iterdir()) == []

    asyncio.run(scenario())


def test_more_than_there_is_room_for_is_not_begun(tmp_path, place, monkeypatch):
    path = sample(tmp_path, 100)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: SimpleNamespace(free=99))

    async def scenario():
        archive = archive_at(place)
        await put(archive, {"conversations.db": path})
        [copy] = await archive.copies()
        with pytest.raises(StorageFull):
            await fetch(archive, copy.name, tmp_path / "out")

    asyncio.run(scenario())


def test_what_is_no_piece_is_left_where_it_lies(tmp_path, place):
    path = sample(tmp_path, 100)
    foreign = place / "pieces" / "holiday.jpg"
    foreign.parent.mkdir()
    foreign.write_bytes(b"not ours")

    async def scenario():
        await put(archive_at(place), {"conversations.db": path})
        assert foreign.read_bytes() == b"not ours"
        broken_off = place / "pieces" / f"{'a' * 64}.x1.part"
        broken_off.write_bytes(b"ours")
        await put(archive_at(place), {"conversations.db": path}, NOON + HOUR)
        assert not broken_off.exists()

    asyncio.run(scenario())
