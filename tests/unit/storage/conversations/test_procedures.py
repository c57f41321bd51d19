"""Procedures on disk: every kind comes back as it was, also researches from before there were other kinds."""

import json
import sqlite3
from contextlib import closing
from dataclasses import replace

import msgspec
import pytest

from desktop.domain.messages import MessageStatus
from desktop.domain.procedures import (
    Chapter,
    Depth,
    DocumentSection,
    DraftState,
    Finding,
    KeyPoint,
    NoteKind,
    Phase,
    ReadDocument,
    Research,
    Round,
    SummaryState,
)
from desktop.storage.conversation_store import FILE_NAME, ConversationStore
from desktop.storage.db.migrations import MIGRATIONS, apply
from tests.cases import cases
from tests.unit.storage.samples import answer, question

pytestmark = pytest.mark.anyio

RESEARCH = Research("Wie? \ud800", Depth.QUICK, rounds=(Round((), (1,), (Finding("So.", (1,)),)),))
PROCEDURES = (
    RESEARCH,
    SummaryState(
        "为什么？",
        ("base/item",),
        ReadDocument("item", "报告.pdf", "f" * 64, 300),
        Phase.READING,
        (
            DocumentSection(
                "1", 0, 10, 1, 2, (KeyPoint(NoteKind.CLAIM, "So \ud800.", (1, 2)),), is_read=True
            ),
            DocumentSection("", 10, 20),
        ),
        language="zh",
    ),
    DraftState(
        "Pumps", ("base",), Phase.PLANNED, (Chapter("A", "a [1]", (1,), is_written=True), Chapter("B"))
    ),
)


@cases("procedure", PROCEDURES, ids=lambda procedure: type(procedure).__name__)
async def test_a_procedure_comes_back_as_it_was(tmp_path, procedure):
    store = ConversationStore(tmp_path)
    info = await store.create()
    await store.add_message(question(info.id))
    await store.add_message(replace(answer(info.id, status=MessageStatus.STREAMING), procedure=procedure))
    await store.close()
    store = ConversationStore(tmp_path)
    stored = (await store.load(info.id)).messages[-1]
    await store.close()
    assert stored.procedure == procedure
    assert stored.status is MessageStatus.INTERRUPTED


async def test_researches_from_before_there_were_other_procedures_are_kept(tmp_path):
    names = [migration.name for migration in MIGRATIONS]
    state = json.dumps(msgspec.to_builtins(RESEARCH), ensure_ascii=False).encode("utf-8", "surrogatepass")
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as old:
        for migration in MIGRATIONS[: names.index("0008-procedures")]:
            apply(old, migration)
        old.execute("INSERT INTO conversations (id, title, created_at, updated_at) VALUES ('c', 'T', 1, 1)")
        for name, research in (("a", state), ("b", b"null")):
            old.execute(
                "INSERT INTO messages (id, conversation_id, speaker, text, created_at, status, model, reasoning,"
                " steps, offered, usage, error, attachments, research) VALUES"
                " (?, 'c', 'assistant', 'So [1].', 1, 'complete', '', '', '[]', '[]', 'null', '', '[]',"
                " CAST(? AS TEXT))",
                (name, research),
            )
    store = ConversationStore(tmp_path)
    researched, plain = (await store.load("c")).messages
    await store.close()
    assert researched.procedure == RESEARCH
    assert plain.procedure is None
