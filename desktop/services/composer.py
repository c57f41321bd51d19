"""Unsaved input on disk: drafts, long pasted texts, and sent questions not yet stored in a conversation.

A sent question is kept in a file, written in its own thread, until its turn has begun.
"""

import asyncio
import json
import logging
import uuid
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, Final

from typing_extensions import override

from desktop.chat.api.conversations import Drafts, Pasted
from desktop.chat.api.engine import Question, QuestionJournal
from desktop.domain.drafts import Draft
from desktop.domain.messages import Conversation, MessageStatus
from desktop.errors import AppError, UnknownConversation, plain_reason
from desktop.settings.atomic_files import sync

# The database and the modules that use it are imported with the conversations, after the window is shown.
# ruff: noqa: PLC0415
if TYPE_CHECKING:
    import sqlite3

    from desktop.domain.history import PastAnswer
    from desktop.storage.conversation_store import ConversationStore
import hashlib
from collections.abc import Mapping
from pathlib import PurePath

from desktop.errors import StorageUnavailable
from desktop.settings.atomic_files import write_whole
from desktop.storage.db.database import Database
from desktop.storage.drafts import DraftStore

_HASH_CHARS = 12

WAIT_S: Final = 0.1
"""The longest time the window waits for the file of a question, so that a slow disk does not block it."""

_SUFFIX = ".json"

_log = logging.getLogger(__name__)


class DraftService(Drafts):
    """The drafts in the database of the conversations."""

    def __init__(self, database: Database) -> None:
        self._store = DraftStore(database)
        self._writing = asyncio.Lock()

    @override
    async def all(self) -> dict[str, Draft]:
        return await self._store.all()

    @override
    async def keep(self, drafts: Mapping[str, Draft]) -> None:
        async with self._writing:
            await self._store.keep(drafts)

    async def aclose(self) -> None:
        """Wait for pending writes: the user may have typed just before closing the window."""
        async with self._writing:
            pass


class PastedTexts(Pasted):
    """Stores the texts in a folder, each identical text once under each name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @override
    async def keep(self, text: str, name: str) -> Path:
        """Write a text to disk as a file called `name`; an identical text is stored once under each name."""
        return await asyncio.to_thread(self._keep, text, PurePath(name).name)

    def _keep(self, text: str, name: str) -> Path:
        data = text.encode("utf-8", "replace")
        path = self._folder / hashlib.sha256(data).hexdigest()[:_HASH_CHARS] / name
        try:
            write_whole(path, data)
        except OSError as error:
            raise StorageUnavailable(path=path, detail=plain_reason(error)) from error
        return path


class QuestionJournalService(QuestionJournal):
    """Keeps each question as a file in `folder`, which is created with the first one."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._run = uuid.uuid4().hex
        """Prefix of the names of this run's files, which are not recovered while their questions are being asked."""
        self._thread = ThreadPoolExecutor(1, "question-journal")

    @override
    def keep(self, question: Question, folder: str = "") -> None:
        """Write a question to its file; after the return, killing the program loses nothing.

        A disk that takes longer than `WAIT_S` is not waited for. The file is synced after the return, so that
        it also survives a power failure.
        """
        written = Event()
        self._thread.submit(self._write, _encode(question, folder), question.message_id, written)
        written.wait(WAIT_S)

    @override
    def forget(self, message_id: str) -> None:
        """Delete the file of a question after any pending write; a missing file is no error."""
        self._thread.submit(self._path(message_id).unlink, missing_ok=True)

    async def recover(self, store: "ConversationStore") -> None:
        """Add the questions of earlier runs to their conversations, each with an interrupted answer."""
        for path in await asyncio.to_thread(self._earlier):
            try:
                await _recover(await asyncio.to_thread(_decode, path), store)
                await asyncio.to_thread(path.unlink, missing_ok=True)
            except ValueError as error:  # incomplete after a power failure
                _log.warning("%s holds no question: %s", path, error)
            except (AppError, OSError) as error:  # such as a full disk: the next start tries again
                _log.warning("A question of an earlier run could not be put back: %s", error)

    async def aclose(self) -> None:
        """Wait for pending writes."""
        await asyncio.to_thread(self._thread.shutdown)

    def _path(self, message_id: str) -> Path:
        return self._folder / f"{self._run}.{message_id}{_SUFFIX}"

    def _write(self, data: bytes, message_id: str, written: Event) -> None:
        path = self._path(message_id)
        part = path.with_suffix(".part")
        try:
            self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            part.write_bytes(data)
            part.replace(path)
            written.set()
            sync(path)
            sync(self._folder)
        except OSError as error:  # the turn meets the same disk error and reports it to the user
            _log.warning("A question could not be kept in %s: %s", self._folder, error)
        finally:
            written.set()

    def _earlier(self) -> list[Path]:
        if not self._folder.is_dir():
            return []
        files = (path for path in self._folder.iterdir() if not path.name.startswith(self._run))
        return sorted(
            (path for path in files if path.suffix == _SUFFIX), key=lambda path: path.stat().st_mtime
        )


def _encode(question: Question, folder: str) -> bytes:
    """Return a question as ASCII JSON, which can hold any text and any path."""
    kept = {
        "id": question.message_id,
        "conversation": question.conversation_id,
        "folder": folder,
        "assistant": question.assistant.id,
        "model": question.model,
        "text": question.text,
        "files": [str(path) for path in question.files],
        "past": [each.message_id for each in question.past],
        "edits": question.edits,
        "stays_here": question.stays_here,
    }
    return json.dumps(kept).encode()


def _decode(path: Path) -> tuple[Question, dict[str, Any]]:
    """Return the question in a file, without its citations, and the whole content of the file.

    Raises:
        ValueError: it is not a valid question file.
    """
    kept = json.loads(path.read_bytes())
    try:
        question = Question(
            kept["text"],
            kept["conversation"],
            model=kept["model"],
            files=tuple(map(Path, kept["files"])),
            edits=kept["edits"],
            stays_here=kept["stays_here"],
            message_id=kept["id"],
        )
    except (KeyError, TypeError) as error:
        raise ValueError(plain_reason(error)) from error
    return question, kept


async def _recover(sent: tuple[Question, dict[str, Any]], store: "ConversationStore") -> None:
    """Begin the turn of a question and end it at once; an existing turn is left as it is."""
    from desktop.chat.answer_recorder import start_turn
    from desktop.chat.attachments import with_past

    question, kept = sent
    if await store.database.read(lambda connection: _is_there(connection, question.message_id)):
        return
    conversation = await _conversation(question, kept, store)
    if all(message.id != question.edits for message in conversation.messages):
        question = replace(question, edits="")
    question = replace(question, conversation_id=conversation.info.id)
    await _keep_here(question, kept["past"], store)
    beginning = await start_turn(question, conversation, store)
    await store.update_message(replace(beginning.answer, status=MessageStatus.INTERRUPTED))
    cited = await _past_answers(kept["past"], store)
    if cited:
        await with_past(cited, conversation, store)
    await _drop_draft(kept["conversation"], question.text, store)


async def _conversation(question: Question, kept: dict[str, Any], store: "ConversationStore") -> Conversation:
    """Return the conversation of a question, or a new one if it had none or that was deleted."""
    if question.conversation_id:
        try:
            return await store.load(question.conversation_id)
        except UnknownConversation:
            pass
    return await store.load((await store.create(kept["assistant"], kept["folder"])).id)


async def _keep_here(question: Question, past: Sequence[str], store: "ConversationStore") -> None:
    """Keep the conversation on this machine if its question required it, by itself or through its citations."""
    from desktop.storage.egress_log import EgressLog

    log = EgressLog(store.database)
    cited = await _past_answers(past, store)
    if question.stays_here or any([await log.stays_here(each.conversation_id) for each in cited]):
        await log.keep_here(question.conversation_id, is_kept=True)


async def _past_answers(message_ids: Sequence[str], store: "ConversationStore") -> list["PastAnswer"]:
    from desktop.storage.db.rows import encode_text
    from desktop.storage.message_tree import past_answer

    def find(connection: "sqlite3.Connection") -> list["PastAnswer | None"]:
        return [past_answer(encode_text(each), connection) for each in message_ids]

    found = await store.database.read(find) if message_ids else []
    return [each for each in found if each is not None and not each.is_gone]


async def _drop_draft(conversation_id: str, text: str, store: "ConversationStore") -> None:
    """Delete the draft from which a question was sent, if it had been saved."""
    from desktop.storage.drafts import DraftStore

    drafts = DraftStore(store.database)
    draft = (await drafts.all()).get(conversation_id, Draft())
    if draft and draft.text.strip() == text:
        await drafts.keep({conversation_id: Draft()})


def _is_there(connection: "sqlite3.Connection", message_id: str) -> bool:
    found = connection.execute("SELECT 1 FROM messages WHERE id = ?", (message_id,)).fetchone()
    return found is not None
