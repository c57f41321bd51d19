"""A data folder that cannot be written to: it is said, and what is in it is read, found and exported."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.chat.api.engine import Question
from desktop.domain.history import HistoryQuery
from desktop.errors import DataReadOnly
from desktop.services.container import running_services
from desktop.services.window import window_services
from desktop.settings.folders import folders_for
from desktop.storage import local_copies

pytestmark = pytest.mark.anyio


@pytest.fixture
async def folder(tmp_path, monkeypatch):
    """Return a folder with one answered question that the system says to be read-only."""
    data = tmp_path / "data"
    async with running_services(folders_for(data)) as services:
        created = await services.store.create()
        async for _event in window_services(services).turns.ask(
            Question("Where is the lighthouse?", created.id, web="off")
        ):
            pass
    for path in data.iterdir():
        if not path.name.startswith("conversations"):
            path.unlink()
    allowed = os.access
    monkeypatch.setattr(  # modes mean nothing to root, and a disk cannot be mounted here
        local_copies.os,
        "access",
        lambda path, mode: not (mode == os.W_OK and Path(path).is_relative_to(data)) and allowed(path, mode),
    )
    return data


async def test_conversations_are_listed_read_found_and_exported(folder, tmp_path):
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    async with running_services(folders_for(folder)) as services:
        engine = window_services(services)
        (known,) = await engine.conversations.recent()
        conversation = await engine.conversations.load(known.id)
        assert conversation.messages[0].text == "Where is the lighthouse?"
        async for share in services.history.keep_up():
            if share >= 1:
                break
        assert (await services.history.search(HistoryQuery("lighthouse"))).hits
        await engine.transfers.export_conversation(known.id, tmp_path / "one.footnote")
        async for _step in engine.transfers.export_profile(tmp_path / "all.footnote", has_bases=False):
            pass
    assert (tmp_path / "one.footnote").stat().st_size
    assert (tmp_path / "all.footnote").stat().st_size
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


async def test_what_would_be_lost_is_refused_and_the_window_is_told_at_once(folder):
    async with running_services(folders_for(folder)) as services:
        engine = window_services(services)
        troubles = engine.conversations.troubles()
        assert isinstance(await anext(troubles), DataReadOnly)
        await troubles.aclose()
        (known,) = await engine.conversations.recent()
        question = replace(Question("And who kept it?", known.id, web="off"), message_id="q")
        with pytest.raises(DataReadOnly):
            async for _event in engine.turns.ask(question):
                pass
        with pytest.raises(DataReadOnly):
            await engine.conversations.rename(known.id, "Light")
