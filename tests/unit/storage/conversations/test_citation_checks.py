"""The check of an answer on disk: beside its text, also in databases from before there were checks."""

import sqlite3
from contextlib import closing

import pytest

from desktop.domain.citation_check import CheckedMark, CheckMethod, CitationCheck, SupportLevel
from desktop.domain.messages import MessageStatus
from desktop.storage.conversation_store import FILE_NAME, ConversationStore
from desktop.storage.db.migrations import MIGRATIONS, apply
from tests.unit.storage.samples import answer, question

pytestmark = pytest.mark.anyio

CHECK = CitationCheck(
    (
        CheckedMark(
            1, 0, SupportLevel.WEAK, "灯塔建于1875年 \ud800", "灯塔建于1873年。", ("1875",), CheckMethod.MODEL
        ),
    ),
    (7,),
    "Meanings could not be compared.",
)


async def test_a_check_comes_back_as_it_was_and_changes_nothing_else(tmp_path):
    store = ConversationStore(tmp_path)
    info = await store.create()
    await store.add_message(question(info.id))
    await store.add_message(answer(info.id, text="Built [1].", status=MessageStatus.COMPLETE))
    (before,) = (await store.load(info.id)).messages[1:]
    await store.save_check(before.id, CHECK)
    await store.close()
    store = ConversationStore(tmp_path)
    (after,) = (await store.load(info.id)).messages[1:]
    await store.close()
    assert before.check is None
    assert after.check == CHECK
    assert after.text == before.text
    assert after.status is before.status


async def test_a_check_of_a_message_that_is_gone_is_no_error(tmp_path):
    store = ConversationStore(tmp_path)
    info = await store.create()
    await store.add_message(answer(info.id, text="Built [1].", status=MessageStatus.COMPLETE))
    await store.save_check("gone", CHECK)
    assert all(message.check is None for message in (await store.load(info.id)).messages)
    await store.close()


async def test_answers_from_before_there_were_checks_have_none(tmp_path):
    names = [migration.name for migration in MIGRATIONS]
    with closing(sqlite3.connect(tmp_path / FILE_NAME, isolation_level=None)) as old:
        for migration in MIGRATIONS[: names.index("0004-citation-checks")]:
            apply(old, migration)
        old.execute("INSERT INTO conversations VALUES ('c', 'T', 0, 1, 1, NULL)")
        old.execute(
            "INSERT INTO messages (id, conversation_id, speaker, text, created_at, status, model, reasoning, steps,"
            " offered, usage, error, attachments) VALUES"
            " ('a', 'c', 'assistant', 'Built [1].', 1, 'complete', '', '', '[]', '[]', 'null', '', '[]')"
        )
    store = ConversationStore(tmp_path)
    (message,) = (await store.load("c")).messages
    await store.close()
    assert message.text == "Built [1]."
    assert message.check is None
