"""Memories are in the data folder whatever becomes of a conversation, and files are read with care."""

import os

import pytest

from desktop.domain.memory import MemoryOrigin
from desktop.errors import FileUnreadable, NotExported, NotRemembered, StorageError
from desktop.services import memories as engine_memory
from desktop.services.container import running_services
from desktop.settings.folders import folders_for

pytestmark = pytest.mark.anyio


async def test_what_one_program_remembers_another_knows(tmp_path):
    folders = folders_for(tmp_path / "data")
    async with running_services(folders) as window:
        await window.memories.add("I live in Oslo.")
        async with running_services(folders, conversations=tmp_path / "scratch") as question:
            assert [memory.text for memory in await question.memories.all()] == ["I live in Oslo."]
            confirmed = await question.memories.keep_confirmed("I ski.")
            assert confirmed.origin is MemoryOrigin.CONFIRMED
        assert len(await window.memories.all()) == 2
    assert not (tmp_path / "scratch").exists()


async def test_a_database_that_cannot_be_opened_is_tried_again(tmp_path):
    folders = folders_for(tmp_path / "data")
    blocker = tmp_path / "data" / "conversations.db"
    blocker.mkdir(parents=True)
    async with running_services(folders, conversations=tmp_path / "scratch") as services:
        with pytest.raises(StorageError):
            await services.memories.all()
        blocker.rmdir()
        assert await services.memories.all() == ()


async def test_files_that_hold_no_memories_are_refused_with_words(tmp_path, monkeypatch):
    async with running_services(folders_for(tmp_path / "data")) as services:
        memories = services.memories
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(FileUnreadable, match="not a file"):
            await memories.import_from(tmp_path / "pipe")
        with pytest.raises(FileUnreadable):
            await memories.import_from(tmp_path / "nowhere")
        (tmp_path / "notes.txt").write_bytes(b"\xff\xfeI am no JSON")
        with pytest.raises(NotRemembered, match="line 1"):
            await memories.import_from(tmp_path / "notes.txt")
        monkeypatch.setattr(engine_memory, "MAX_BYTES", 4)
        with pytest.raises(NotRemembered, match="larger"):
            await memories.import_from(tmp_path / "notes.txt")
        (tmp_path / "folder").mkdir()
        with pytest.raises(NotExported, match="folder"):
            await memories.export_to(tmp_path / "folder")
        assert await memories.all() == ()
