"""What was not sent is there after a restart, and gone with its conversation."""

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import asynccontextmanager, closing
from dataclasses import replace
from pathlib import Path

import anyio
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.domain.drafts import Draft
from desktop.domain.history import PastAnswer
from desktop.domain.messages import Speaker
from desktop.storage.conversation_store import FILE_NAME, ConversationStore
from desktop.storage.db.database import Database
from desktop.storage.db.migrations import MIGRATIONS, apply
from desktop.storage.drafts import DraftStore
from tests.unit.storage.samples import question

pytestmark = pytest.mark.anyio


@asynccontextmanager
async def opened(folder):
    """Give the drafts of a folder."""
    database = Database(folder / FILE_NAME)
    try:
        yield DraftStore(database)
    finally:
        await database.close()


async def test_drafts_survive_a_restart_and_empty_ones_are_forgotten(tmp_path):
    whole = Draft("潮汐 of \udc80\0 \n", (Path("/tmp/月亮.txt"), Path("/b")), also=("a/月", "b/c"))
    async with opened(tmp_path) as drafts:
        await drafts.keep({"": Draft("new"), "a": whole, "b": Draft("", (Path("x"),))})
        await drafts.keep({"": Draft(), "a": whole})
    async with opened(tmp_path) as drafts:
        assert await drafts.all() == {"a": whole, "b": Draft("", (Path("x"),))}


async def test_a_draft_goes_with_its_conversation(tmp_path):
    store = ConversationStore(tmp_path)
    try:
        conversation = await store.create()
        await store.add_message(question(conversation.id))
        drafts = DraftStore(store.database)
        await drafts.keep({conversation.id: Draft("and the sun?"), "": Draft("new")})
        await store.delete(conversation.id)
        await store.restore(conversation.id)
        assert (await drafts.all())[conversation.id].text == "and the sun?"
        await store.database.write(
            lambda connection: connection.execute("DELETE FROM conversations").rowcount
        )
        assert await drafts.all() == {"": Draft("new")}
    finally:
        await store.close()


async def test_a_cited_answer_is_read_again_and_one_that_was_deleted_is_named(tmp_path):
    store = ConversationStore(tmp_path)
    try:
        conversation = await store.create()
        asked = await store.add_message(question(conversation.id))
        said = await store.add_message(
            replace(asked, id="said", speaker=Speaker.MODEL, text="At noon.", offered=(3,))
        )
        drafts = DraftStore(store.database)
        cited = PastAnswer(
            conversation.id, "said", "An older title", "no backup contains the original", said.created_at
        )
        await drafts.keep({"": Draft("and?", (), (cited,))})
        (answer,) = (await drafts.all())[""].past
        assert answer == replace(cited, title=answer.title, text="At noon.", offered=(3,))
        await store.delete(conversation.id)
        (gone,) = (await drafts.all())[""].past
        assert gone == replace(cited, text="", is_gone=True)
        await drafts.keep({"": Draft("and?", (), (gone,))})
        await store.restore(conversation.id)
        assert [each.text for each in (await drafts.all())[""].past] == ["At noon."]
    finally:
        await store.close()


async def test_models_alone_are_no_draft(tmp_path):
    async with opened(tmp_path) as drafts:
        await drafts.keep({"": Draft("new", also=("a/b",))})
        await drafts.keep({"": Draft(also=("a/b",))})
        assert await drafts.all() == {}


async def test_drafts_from_before_they_could_cite_are_read(tmp_path):
    names = [migration.name for migration in MIGRATIONS]
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as old:
        for migration in MIGRATIONS[: names.index("0015-cited-in-drafts")]:
            apply(old, migration)
        old.execute("INSERT INTO drafts VALUES ('', 'begun', '[\"/a\"]', 1)")
    async with opened(tmp_path) as drafts:
        assert await drafts.all() == {"": Draft("begun", (Path("/a"),))}


_WRITER = """
import asyncio, sys
from pathlib import Path
from desktop.domain.drafts import Draft
from desktop.storage.db.database import Database
from desktop.storage.drafts import DraftStore

async def main():
    database = Database(Path(sys.argv[1]))
    drafts = DraftStore(database)
    for count in range(100_000):
        await drafts.keep({"": Draft("word " * count)})
        print(count, flush=True)

asyncio.run(main())
"""


def test_what_was_kept_is_there_after_a_kill(tmp_path):
    path = tmp_path / FILE_NAME
    with subprocess.Popen([sys.executable, "-c", _WRITER, path], stdout=subprocess.PIPE, text=True) as writer:
        for line in writer.stdout:
            kept = int(line)
            if kept == 5:
                os.kill(writer.pid, signal.SIGKILL)
                break
        kept = max([kept, *map(int, writer.stdout.read().split())])

    async def kept_text():
        async with opened(tmp_path) as drafts:
            return (await drafts.all())[""].text

    assert anyio.run(kept_text) in ("word " * kept, "word " * (kept + 1))


_TEXTS = st.text(st.characters())


@settings(max_examples=20, deadline=None)
@given(texts=st.dictionaries(_TEXTS, _TEXTS))
def test_any_text_comes_back_as_it_was(texts, tmp_path_factory):
    async def round_trip():
        async with opened(tmp_path_factory.mktemp("drafts")) as drafts:
            given_drafts = {key: Draft(text) for key, text in texts.items()}
            await drafts.keep(given_drafts)
            assert await drafts.all() == {key: draft for key, draft in given_drafts.items() if draft}

    anyio.run(round_trip)
