"""A question on the command line leaves nothing: no conversation, and nothing of the files that came with it."""

import sqlite3
from contextlib import aclosing, closing

import pytest

from desktop.chat.attachments import AS_TEXT
from desktop.chat.source_lookup import attachment_base
from desktop.cli.ask import temporary_services
from desktop.settings.folders import SETTINGS_FILE

pytestmark = pytest.mark.anyio


async def test_of_the_files_of_a_question_nothing_stays(tmp_path):
    birds, data = tmp_path / "birds.txt", tmp_path / "data"
    birds.write_text("Herons stand in rivers. " * 40)
    data.mkdir()
    # Of a model that is not here: this is about files.
    (data / SETTINGS_FILE).write_text('{"knowledge": {"embedding_model": "nobody/nothing"}}')
    async with temporary_services(data, has_files=True) as services:
        await services.knowledge.create("mine")
        conversation = await services.store.create()
        base = await attachment_base(services.knowledge, conversation.id)
        async with aclosing(services.knowledge.add(base.id, [birds])) as steps:
            async for step in steps:
                if step.item.state in AS_TEXT:
                    break
    assert not (data / "conversations.db").exists()
    with closing(sqlite3.connect(data / "knowledge" / "knowledge.db")) as connection:
        assert connection.execute("SELECT name FROM bases").fetchall() == [("mine",)]
        for table in ("items", "documents", "texts", "passages"):
            assert connection.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,), table
