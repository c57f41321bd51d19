"""Files that mean harm: what comes in can be used, what cannot be used stays out, and nothing that was here changes."""

import asyncio
import json
import random
import zipfile

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from desktop.domain.sources import document_of
from desktop.errors import NotImported
from desktop.render.export import Format, export_conversation
from desktop.render.labels import labels_of
from desktop.render.page.article import question_html
from desktop.services.window import window_services
from desktop.storage.branch_operations import BranchOperations
from desktop.storage.conversation_store import ConversationStore
from desktop.storage.importers.scan import conversations_in, scan_file
from desktop.storage.merge import import_records
from desktop.storage.records import read_record, record_bytes
from tests.cases import cases
from tests.unit.services.data.test_transfers import asked, import_file, rooms_in
from tests.unit.storage.importers.test_importers import JUNK, changed, places
from tests.unit.storage.samples import NOW, question

HOSTILE = (
    *(
        "9999-12-31T23:59:59.999999+00:00",
        "0001-01-01T00:00:00.000000+00:00",
        "\ud800",
        "a\0b",
        "<b>",
        "https://[",
    ),
    *("y" * 5_000, 2**70, -1, "file", "b", ["b"], {"f": 1}, float("nan"), json.loads("[" * 90 + "]" * 90)),
)
FOLDER = {"id": "f", "name": "F", "tint": ""}


@cases(
    "folder, its",
    [
        (FOLDER, None),
        (FOLDER, "g"),
        (FOLDER | {"position": 2**62}, "f"),
        (FOLDER | {"name": None}, "f"),
        (["f"], "f"),
    ],
)
def test_a_conversation_that_cannot_be_is_refused_and_the_others_of_its_file_come_in(tmp_path, folder, its):
    async def scenario():
        async with rooms_in(tmp_path / "one") as services:
            info = await asked(services)
            file = tmp_path / "a.footnote.json"
            await services.keeping.transfers.export_conversation(info.id, file)
        good = json.loads(file.read_bytes())
        bad = good | {"folder": folder, "conversation": good["conversation"] | {"id": "bad", "folder": its}}
        bad["messages"] = [good["messages"][0] | {"id": "bad"}]
        path = tmp_path / "a.footnote-profile"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("profile.json", '{"format": "footnote-profile", "version": 1}')
            for number, record in enumerate((bad, good)):
                archive.writestr(f"conversations/{number}.json", json.dumps(record))
        async with rooms_in(tmp_path / "two") as services:
            result = await import_file(services, path)
            assert result.conversations == (info.id,)
            assert len(result.problems) == 1
            assert await window_services(services).filing.folders() == ()

    asyncio.run(scenario())


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    """A store with a conversation of the user's, and what runs on its loop."""
    with asyncio.Runner() as runner:
        store = ConversationStore(tmp_path_factory.mktemp("here"))
        info = runner.run(store.create())
        runner.run(store.add_message(question(info.id)))
        yield runner.run, store, info.id
        runner.run(store.close())


@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 10**6), junk=JUNK | st.sampled_from(HOSTILE))
def test_any_value_anywhere_comes_in_whole_or_not_at_all(here, tmp_path_factory, seed, junk):
    run, store, mine = here
    path = tmp_path_factory.mktemp("junk") / "file.footnote.json"
    spots = list(places(full_record()))
    path.write_text(json.dumps(changed(full_record(), random.Random(seed).choice(spots), junk)))
    try:
        scan_file(path)
        with conversations_in(path) as found:
            [record] = found
        identity = run(import_records(store.database, record, is_foreign=True))
    except NotImported:
        identity = None
    assert [one.id for one in run(store.recent()) if one.id != identity] == [mine]
    assert len(run(store.load(mine)).messages) == 1
    if identity is not None:
        try:
            run(used(store, identity))
        finally:
            run(store.delete(identity))
            run(store.purge())


async def used(store, identity):
    """Do with a conversation what a person may do, with every version of it."""
    rows = "SELECT id FROM messages WHERE conversation_id = ?"
    ids = await store.database.read(lambda connection: connection.execute(rows, (identity,)).fetchall())
    for (message_id,) in ids:
        await BranchOperations(store).show(message_id)
        await store.trace(message_id)
        conversation = await store.load(identity)
        assert export_conversation(conversation, Format.HTML, labels_of("zh_CN"))
        for message in conversation.messages:
            assert message.is_foreign
            assert question_html(message, labels_of("en"))
    for source in (await store.load(identity)).sources:
        assert ":" not in document_of(source)
    record = await store.database.read(lambda connection: read_record(connection, identity))
    assert json.loads(record_bytes(record))


def full_record():
    """Return a conversation with something in every place."""
    moment = NOW.isoformat(timespec="microseconds")
    base = {"created_at": moment, "status": "complete", "model": "quotes", "reasoning": "", "error": ""}
    base |= {"offered": [1], "usage": {"input_tokens": 3, "output_tokens": 4}, "attachments": ["/tmp/a.png"]}
    base |= {
        "steps": [{"id": 1, "kind": "search", "subject": "s", "status": "done", "count": 2, "detail": "d"}]
    }
    base |= {"standing": "", "variant": 0, "is_aside": False, "deleted_at": None, "cure": "", "trace": None}
    asked = base | {"id": "q", "parent_id": None, "speaker": "user", "text": "Why?"}
    shown = base | {"id": "a", "parent_id": "q", "speaker": "assistant", "text": "So [1]."}
    aside = shown | {"id": "b", "variant": 1, "is_aside": True}
    shown["trace"] = {"queries": ["why"], "sources": [{"kind": "web", "key": "k", "title": "t", "url": "u"}]}
    shown["procedure"] = {"research": {"question": "Why?", "depth": "quick", "web": "auto", "bases": []}}
    shown["citation_check"] = {"marks": [], "unknown": [2], "problem": ""}
    source = {"number": 1, "kind": "file", "key": "file:aa:0", "title": "T", "url": "file:///t", "host": ""}
    source |= {"locator": {"page": 1, "section": "", "start": 0, "end": 1}, "text": "t", "text_hash": "h"}
    about = {"id": "c", "title": "T", "created_at": moment, "updated_at": moment, "folder": "f", "tint": ""}
    return {
        "format": "footnote-conversation",
        "version": 1,
        "conversation": about,
        "folder": {"id": "f", "name": "F", "tint": ""},
        "uses_memory": True,
        "messages": [asked, shown, aside],
        "sources": [source | {"read_at": moment, "published": "", "is_pinned": False}],
    }
