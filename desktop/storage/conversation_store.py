"""The conversation store: implements `desktop.chat.api.conversations.Conversations`, and is written to by turns.

The stream journal: what is on the screen reaches the disk a quarter of a second later. An answer that is being
written is a row of `messages` with its initial text, and rows of `journal` with the text since. When a message
ends, its journal rows are deleted in the same transaction. Text found in the journal after a crash is the text that
the user saw.
"""

import asyncio
import logging
import sqlite3
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from typing import TypeVar

from desktop.domain.citation_check import CitationCheck
from desktop.domain.messages import Conversation, ConversationInfo, Message, MessageStatus, Placement
from desktop.domain.privacy import EgressEvent, merge_events
from desktop.domain.sources import Source
from desktop.domain.trace import Trace
from desktop.errors import (
    AppError,
    CopyDateInFuture,
    DatabaseDamaged,
    DatabaseRestored,
    DataReadOnly,
    UnknownConversation,
    WordsDamaged,
)
from desktop.sqlite import translate_read_errors
from desktop.storage import message_tree as branches
from desktop.storage.db.database import Database
from desktop.storage.db.row_checksums import backfill, readable, unsound
from desktop.storage.db.rows import (
    CONVERSATION_COLUMNS,
    MESSAGE_COLUMNS,
    MESSAGE_PLACES,
    SOURCE_COLUMNS,
    SOURCE_PLACES,
    Value,
    attachments_of,
    conversation_of,
    cost_of,
    encode_text,
    message_values,
    micros,
    source_values,
    to_json,
    trace_of,
    trace_value,
)
from desktop.storage.local_copies import LocalBackups, RowRepair, copy_database, is_read_only, scratch_folder
from desktop.storage.memories import UNDO_FOR, MemoryRepository
from desktop.storage.message_tree import AT_END, InsertPoint, Unsaved, add_all, load, put_title
from desktop.storage.topics import forget_erased

# ruff: noqa: S608 - statements are composed from the constants above, never from data

FILE_NAME = "conversations.db"

_LOOK_S = 60.0
"""How often the store checks whether a new backup is due, in seconds."""

_SEALED_AT_ONCE = 500
_BREATH_S = 0.02
"""Pause between two steps in seconds, in which others may use the disk."""

_T = TypeVar("_T")

_log = logging.getLogger(__name__)

_RECENT = f"""SELECT {CONVERSATION_COLUMNS}, {unsound("conversations")} FROM conversations
    WHERE deleted_at IS NULL ORDER BY updated_at DESC, rowid DESC"""
_INFO = f"""SELECT {CONVERSATION_COLUMNS}, {unsound("conversations")} FROM conversations
    WHERE deleted_at IS NULL AND id = ?"""
_TRACE = f"SELECT trace, {unsound('traces')} FROM traces WHERE message_id = ?"
_INFO_NAMES = CONVERSATION_COLUMNS.split(", ")
_SAVE_SOURCE = f"""INSERT INTO sources ({SOURCE_COLUMNS}, conversation_id) VALUES ({SOURCE_PLACES}, ?)
    ON CONFLICT (conversation_id, number) DO UPDATE
    SET text = excluded.text, text_hash = excluded.text_hash, is_damaged = excluded.is_damaged,
        title = excluded.title, published = excluded.published, read_at = excluded.read_at"""


# Nothing is inserted for a message that was permanently deleted while it was being written.
_SAVE_TRACE = """INSERT OR REPLACE INTO traces (message_id, trace)
    SELECT id, CAST(? AS TEXT) FROM messages WHERE id = ?"""
_ERASE = "DELETE FROM conversations WHERE id = CAST(? AS TEXT)"
_ATTACHED = "SELECT attachments FROM messages WHERE attachments <> '[]' UNION SELECT files FROM drafts"
_ASSIGN = "UPDATE conversations SET assistant = CAST(? AS TEXT) WHERE id = ?"
_MARK_DELETED = "UPDATE conversations SET deleted_at = ? WHERE id = ?"
_PIN = "UPDATE sources SET is_pinned = ? WHERE conversation_id = ? AND number = ?"


DELAY_S = 0.2
"""How long pieces are collected; with the write itself the disk stays within 250 ms of the screen."""

RETRY_S = 1.0
"""How long to wait after a disk error, in seconds."""

_UPDATE = f"UPDATE messages SET ({MESSAGE_COLUMNS}) = ({MESSAGE_PLACES}) WHERE id = ?"
_TOUCH = """UPDATE conversations SET updated_at = max(updated_at, ?)
    WHERE id = (SELECT conversation_id FROM messages WHERE id = ?)"""
_SETTLE = "DELETE FROM journal WHERE message_id = ?"
# Nothing is inserted for a message that was permanently deleted while it was being written.
_INSERT = """INSERT OR REPLACE INTO journal (message_id, start, text, reasoning)
    SELECT id, ?, CAST(? AS TEXT), CAST(? AS TEXT) FROM messages WHERE id = ?"""

_Statement = tuple[str, tuple[Value | str, ...]]


@dataclass
class _Live:
    """A message that is being written, or whose end is not on the disk yet.

    `message` is what its row should contain, None once it does. `pieces` are text and reasoning received since,
    of which the first `written` are in the journal.
    """

    message: Message | None
    is_open: bool
    pieces: list[tuple[str, str]] = field(default_factory=list)
    written: int = 0

    @property
    def is_dirty(self) -> bool:
        return self.message is not None or self.written < len(self.pieces)

    def statements(self, message_id: str) -> list[_Statement]:
        """Return the statements that bring the disk up to date; they are idempotent."""
        statements: list[_Statement] = []
        if self.message is not None:
            statements += [
                (_UPDATE, (*message_values(self.message), message_id)),
                (_SETTLE, (message_id,)),
                (_TOUCH, (micros(datetime.now(UTC)), message_id)),
            ]
        if self.written < len(self.pieces):
            text, reasoning = _join_pieces(self.pieces[self.written :])
            statements.append(
                (_INSERT, (self.written, encode_text(text), encode_text(reasoning), message_id))
            )
        return statements


class StreamJournal:
    """Keeps the disk up to date with the messages that are being written. Belongs to the asyncio thread.

    After a disk error, writes are retried until they succeed; `problem` says why, and `problems` receives the
    first error of each such period.
    """

    def __init__(self, database: Database, delay_s: float = DELAY_S) -> None:
        self.problem: AppError | None = None
        self.problems: asyncio.Queue[AppError] = asyncio.Queue()
        self._database = database
        self._delay_s = delay_s
        self._live: dict[str, _Live] = {}
        self._lock = asyncio.Lock()
        self._flushing: asyncio.Task[None] | None = None

    @property
    def is_writing(self) -> bool:
        """Whether a message is being written, or its end is not on the disk yet."""
        return bool(self._live)

    def begin(self, message_id: str) -> None:
        """Start the journal of a message whose row is on the disk."""
        self._live[message_id] = _Live(None, is_open=True)

    def append(self, message_id: str, text: str = "", reasoning: str = "") -> None:
        """Append text to a started message; it is on the disk after the delay."""
        self._live[message_id].pieces.append((text, reasoning))
        self._flush_soon()

    async def replace(self, message: Message) -> None:
        """Rewrite a message, including all its pieces so far.

        Raises:
            StorageError: it is not on the disk yet; the write will be retried.
        """
        self._live[message.id] = _Live(message, is_open=message.status is MessageStatus.STREAMING)
        try:
            await self.flush()
        finally:
            self._flush_soon()

    def overlay(self) -> Callable[[Message], Message | None]:
        """Return a function that turns a message as stored now into the message as shown on the screen.

        It returns None for messages that this process is not writing.
        """
        shown = {key: (live.message, *_join_pieces(live.pieces)) for key, live in self._live.items()}

        def look_up(row: Message) -> Message | None:
            if row.id not in shown:
                return None
            newer, text, reasoning = shown[row.id]
            base = newer or row
            return replace(base, text=base.text + text, reasoning=base.reasoning + reasoning)

        return look_up

    async def flush(self) -> None:
        """Bring the disk up to date now.

        Raises:
            StorageError: nothing is lost; the write will be retried.
        """
        async with self._lock:
            batch = [(key, live, len(live.pieces)) for key, live in self._live.items()]
            statements = [statement for key, live, _ in batch for statement in live.statements(key)]
            if statements:
                try:
                    await self._database.write(partial(_execute, statements))
                except AppError as error:
                    if self.problem is None:
                        self.problems.put_nowait(error)
                    self.problem = error
                    raise
            self.problem = None
            for key, live, count in batch:
                live.message, live.written = None, count
                if not live.is_open and self._live[key] is live:
                    del self._live[key]

    def _flush_soon(self) -> None:
        if self._flushing is None and any(live.is_dirty for live in self._live.values()):
            self._flushing = asyncio.get_running_loop().create_task(self._keep_flushing())

    async def _keep_flushing(self) -> None:
        try:
            while any(live.is_dirty for live in self._live.values()):
                await asyncio.sleep(self._delay_s if self.problem is None else RETRY_S)
                try:
                    await self.flush()
                except AppError as error:
                    _log.warning("The disk refuses what is on the screen, it is kept for now: %s", error)
        finally:
            self._flushing = None


def _join_pieces(pieces: list[tuple[str, str]]) -> tuple[str, str]:
    return "".join(text for text, _ in pieces), "".join(reasoning for _, reasoning in pieces)


def _execute(statements: list[_Statement], connection: sqlite3.Connection) -> None:
    for statement, values in statements:
        connection.execute(statement, values)


class ConversationStore:
    """Stores conversations. Data survives a power failure once the write has been awaited.

    Constructing it is cheap and possible in any thread; the rest belongs to the asyncio thread. Methods raise
    `StorageError`s. The file is opened at the first use, see `Database`.
    """

    def __init__(
        self,
        folder: Path,
        delay_s: float = DELAY_S,
        *,
        on_open: Callable[["ConversationStore"], Awaitable[None]] | None = None,
    ) -> None:
        """`on_open` is awaited when the file has been opened, before anyone else can use it."""
        self.database = Database(folder / FILE_NAME, opener=self._open)
        self.restored: DatabaseRestored | None = None
        """What was done when the file was opened, if it was damaged."""
        self._path = folder / FILE_NAME
        self._on_open = on_open
        self._journal = StreamJournal(self.database, delay_s)
        self._unsaved: dict[str, Unsaved] = {}

    async def _open(self) -> None:
        """Open or create the file; start hourly backups and the purge of deleted conversations.

        If it is damaged, or missing although there are backups, the newest sound backup replaces it, with
        everything still readable added, and `restored` reports that. Of a read-only file a copy is opened.

        Raises:
            DatabaseTooNew: the file is unchanged.
        """
        database = self.database
        if await asyncio.to_thread(is_read_only, self._path):
            await self._open_copy()
        else:
            try:
                has_copies = bool(await asyncio.to_thread(LocalBackups(self._path).all_copies))
                await database.connect(self._path, is_expected=has_copies)
            except DatabaseDamaged as damage:
                from desktop.storage.recovery import recover_database  # noqa: PLC0415 - rarely needed

                self.restored = await recover_database(self._path, damage)
                await database.connect(self._path)
        loop = asyncio.get_running_loop()
        database.repair = RowRepair(
            self._backups.moments, lambda damage: loop.call_soon_threadsafe(self.tell, damage)
        )
        database.closing.push_async_callback(self._journal.flush)
        if self._on_open is not None:
            await self._on_open(self)
        if database.read_only is None:
            database.closing.callback(asyncio.create_task(self._back_up_hourly()).cancel)

    async def _open_copy(self) -> None:
        """Open a copy of a read-only database: SQLite needs to write in order to read, and so do migrations."""
        copy = self.database.closing.enter_context(scratch_folder("reading")) / FILE_NAME
        await asyncio.to_thread(copy_database, self._path, copy)
        await self.database.connect(copy)
        self.database.read_only = DataReadOnly(path=self._path.parent)

    async def close(self) -> None:
        """Write pending texts and close the file."""
        await self.database.close()

    async def back_up(self) -> None:
        """Back up the conversations now, unless nothing has changed since the last backup."""
        await self.run_with_repair(partial(asyncio.to_thread, self._backups.take, datetime.now(UTC)))

    async def run_with_repair(self, copying: Callable[[], Awaitable[_T]]) -> _T:
        """Run a function that copies the conversations; if it finds damaged rows, repair them and retry."""
        await self.database.open()
        try:
            return await copying()
        except WordsDamaged:
            await self.database.repair_all()
            return await copying()

    async def seal_older(self) -> None:
        """Add checksums to rows from before there were checksums, step by step."""
        is_more = True
        while is_more:
            is_more = await self.database.write(partial(backfill, _SEALED_AT_ONCE))
            await asyncio.sleep(_BREATH_S)

    async def _back_up_hourly(self) -> None:
        said = None
        while True:
            await asyncio.sleep(_LOOK_S)
            try:
                await self.purge(UNDO_FOR)
                await MemoryRepository(self.database).purge(UNDO_FOR)
                await self.seal_older()
                future = await asyncio.to_thread(self._backups.future_date, datetime.now(UTC))
                if future is not None and future != said:
                    self.tell(CopyDateInFuture(moment=f"{future:%Y-%m-%d %H:%M} UTC"))
                    said = future
                if await asyncio.to_thread(self._backups.is_due, datetime.now(UTC)):
                    await self.back_up()
            except AppError as error:
                _log.warning("The conversations could not be copied: %s", error)

    @property
    def _backups(self) -> LocalBackups:
        return LocalBackups(self.database.path)

    @property
    def problem(self) -> AppError | None:
        """Why the disk does not accept what is on the screen; None while it does."""
        return self._journal.problem

    @property
    def is_writing(self) -> bool:
        """Whether an answer is being written, or its end is not on the disk yet."""
        return self._journal.is_writing

    def tell(self, trouble: AppError) -> None:
        """Report a problem with the data to the user; see `troubles`."""
        self._journal.problems.put_nowait(trouble)

    async def troubles(self) -> AsyncGenerator[AppError, None]:
        """Yield problems with the data as they happen; never ends by itself."""
        await self.database.open()
        for known in (self.restored, self.database.read_only):
            if known is not None:
                yield known
        while True:
            yield await self._journal.problems.get()

    async def recent(self) -> tuple[ConversationInfo, ...]:
        """Return all conversations, most recently used first."""
        rows = await self.database.read(lambda connection: connection.execute(_RECENT).fetchall())
        with translate_read_errors(self.database.path):
            return tuple(conversation_of(readable("conversations", _INFO_NAMES, row)) for row in rows)

    async def info(self, conversation_id: str) -> ConversationInfo:
        """Return the list entry of a conversation.

        Raises:
            UnknownConversation: it was deleted, or has no message yet.
        """
        row = await self.database.read(
            lambda connection: connection.execute(_INFO, (conversation_id,)).fetchone()
        )
        if row is None:
            raise UnknownConversation
        with translate_read_errors(self.database.path):
            return conversation_of(readable("conversations", _INFO_NAMES, row))

    async def create(self, assistant: str = "", folder: str = "") -> ConversationInfo:
        """Start an empty conversation with an assistant; it is on disk only once it has a message."""
        now = datetime.now(UTC)
        info = ConversationInfo(uuid.uuid4().hex, "", now, now, assistant, Placement(folder=folder))
        self._unsaved[info.id] = Unsaved(info)
        return info

    async def load(self, conversation_id: str) -> Conversation:
        """Return a conversation; answers interrupted by a crash come back as INTERRUPTED.

        An answer that is being written is returned as far as it is on the screen.

        Raises:
            UnknownConversation: it does not exist.
            DatabaseDamaged: a row is invalid.
        """
        if conversation_id in self._unsaved:
            return Conversation(self._unsaved[conversation_id].info, (), ())
        # Taken before the rows are read, without an await in between: the two are consistent.
        live = self._journal.overlay()
        with translate_read_errors(self.database.path):
            stored = await self.database.read(partial(load, conversation_id))
        messages = (live(message) or stored.recover(message) for message in stored.messages)
        return Conversation(stored.info, tuple(messages), stored.sources, stored.pinned)

    async def add_message(self, message: Message, joint: InsertPoint = AT_END) -> Message:
        """Add a message to its conversation and return it with its variants; once awaited it is on the disk.

        Raises:
            UnknownConversation: the conversation was permanently deleted.
        """
        (added,) = await self.add_messages([(message, joint)])
        return added

    async def add_messages(
        self, placed: Sequence[tuple[Message, InsertPoint]], title: str = ""
    ) -> tuple[Message, ...]:
        """Add messages to one conversation, and give it a title unless the user has set one: all of it, or nothing.

        Raises:
            UnknownConversation: the conversation was permanently deleted.
        """
        conversation_id = placed[0][0].conversation_id
        unsaved = self._unsaved.get(conversation_id)
        added = await self.database.write(partial(add_all, placed, title, unsaved))
        self._unsaved.pop(conversation_id, None)
        for message in added:
            if message.status is MessageStatus.STREAMING:
                self._journal.begin(message.id)
        return added

    async def journal(self, message_id: str, text: str = "", reasoning: str = "") -> None:
        """Append text to a STREAMING message; it is on the disk within 250 ms.

        Never fails: while the disk fails, `problem` says so and the text is kept in memory.
        """
        self._journal.append(message_id, text, reasoning)

    async def update_message(self, message: Message) -> None:
        """Rewrite a message; its text includes the pieces journalled before.

        Raises:
            StorageError: the disk failed; the message is kept and written as soon as possible.
        """
        await self._journal.replace(message)

    async def choose(self, message_id: str) -> None:
        """Continue the conversation with one of several answers to a question."""
        await self.database.write(partial(branches.choose, message_id))

    async def save_sources(self, conversation_id: str, sources: Iterable[Source]) -> None:
        """Store sources of a conversation that has a message; the text of a known source may have grown."""
        rows = [(*source_values(source), conversation_id) for source in sources]
        await self.database.execute_many(_SAVE_SOURCE, rows)

    async def pin(self, conversation_id: str, number: int, is_pinned: bool) -> None:
        """Pin or unpin a source, which is then given to the model with every further question."""
        values = (is_pinned, conversation_id, number)
        await self.database.execute(_PIN, values)

    async def save_trace(self, message_id: str, trace: Trace) -> None:
        """Store the record of how an answer got its sources."""
        values = (trace_value(trace), message_id)
        await self.database.execute(_SAVE_TRACE, values)

    async def save_check(self, message_id: str, check: CitationCheck) -> None:
        """Store the result of the citation check of an answer."""
        statement = "UPDATE messages SET citation_check = CAST(? AS TEXT) WHERE id = ?"
        values = (to_json(check), message_id)
        await self.database.execute(statement, values)

    async def add_sent(self, message_id: str, sent: Sequence[EgressEvent]) -> None:
        """Add what was sent for an answer after its end; nothing if it is not known what was sent before."""

        def write(connection: sqlite3.Connection) -> None:
            row = connection.execute("SELECT spent FROM messages WHERE id = ?", (message_id,)).fetchone()
            spent = cost_of(row[0]) if row else None
            if spent is not None and spent.sent is not None:
                whole = replace(spent, sent=merge_events(spent.sent, sent))
                connection.execute(
                    "UPDATE messages SET spent = CAST(? AS TEXT) WHERE id = ?",
                    (to_json(whole), message_id),
                )

        if sent:
            await self.database.write(write)

    async def trace(self, message_id: str) -> Trace | None:
        """Return the record of how an answer got its sources, or None if there is none."""
        row = await self.database.read(
            lambda connection: connection.execute(_TRACE, (message_id,)).fetchone()
        )
        with translate_read_errors(self.database.path):
            return trace_of(readable("traces", ("trace",), row)[0]) if row else None

    async def set_title(self, conversation_id: str, title: str) -> None:
        """Set a title made by the program, unless the user has set one."""
        await self._title(conversation_id, title, is_given=False)

    async def assign(self, conversation_id: str, assistant: str) -> None:
        """Assign a conversation to another assistant, by id."""
        if unsaved := self._unsaved.get(conversation_id):
            info = replace(unsaved.info, assistant=assistant)
            self._unsaved[conversation_id] = replace(unsaved, info=info)
            return
        values = (encode_text(assistant), conversation_id)
        await self.database.execute(_ASSIGN, values)

    async def rename(self, conversation_id: str, title: str) -> None:
        """Set a title, which is then not replaced automatically."""
        await self._title(conversation_id, title, is_given=True)

    async def delete(self, *conversation_ids: str) -> None:
        """Remove conversations from the list; `restore` brings them back."""
        for conversation_id in conversation_ids:
            self._unsaved.pop(conversation_id, None)
        await self._mark_deleted(conversation_ids, micros(datetime.now(UTC)))

    async def restore(self, *conversation_ids: str) -> None:
        """Undo `delete`."""
        await self._mark_deleted(conversation_ids, None)

    async def count_deleted(self) -> int:
        """Return how many deleted conversations can be restored."""
        count = "SELECT count(*) FROM conversations WHERE deleted_at IS NOT NULL"
        return int(await self.database.read(lambda connection: connection.execute(count).fetchone()[0]))

    async def ids(self) -> frozenset[str]:
        """Return the ids of all conversations, including those without a message and those that can be restored."""
        rows = await self.database.read(
            lambda connection: connection.execute("SELECT id FROM conversations").fetchall()
        )
        return frozenset({*(identity for (identity,) in rows), *self._unsaved})

    async def attachments(self) -> frozenset[str]:
        """Return the paths of all files attached to a message or a draft."""
        rows = await self.database.read(lambda connection: connection.execute(_ATTACHED).fetchall())
        with translate_read_errors(self.database.path):
            return frozenset(path for (value,) in rows for path in attachments_of(value))

    async def purge(self, deleted_for: timedelta = timedelta(0)) -> int:
        """Permanently delete conversations and messages deleted that long ago; returns how many conversations.

        Their text is overwritten in the database and removed from its log.
        """
        before = micros(datetime.now(UTC) - deleted_for)
        count = await self.database.write(
            lambda connection: (
                connection.execute("DELETE FROM conversations WHERE deleted_at <= ?", (before,)).rowcount
            )
        )
        if count:
            await self.database.write(forget_erased)
        if count + await self.database.write(partial(branches.purge, before)):
            await self.database.truncate_log()
        return count

    async def erase(self, conversation_id: str) -> None:
        """Permanently delete one conversation; others that were deleted can still be restored."""
        self._unsaved.pop(conversation_id, None)
        if await self.database.execute(_ERASE, (encode_text(conversation_id),)):
            await self.database.write(forget_erased)
            await self.database.truncate_log()

    async def _title(self, conversation_id: str, title: str, *, is_given: bool) -> None:
        unsaved = self._unsaved.get(conversation_id)
        if unsaved is not None:
            if is_given or not unsaved.is_title_given:
                info = replace(unsaved.info, title=title)
                self._unsaved[conversation_id] = Unsaved(info, is_given)
            return
        await self.database.write(partial(put_title, conversation_id, title, is_given))

    async def _mark_deleted(self, conversation_ids: Sequence[str], moment: int | None) -> None:
        values = [(moment, conversation_id) for conversation_id in conversation_ids]
        await self.database.execute_many(_MARK_DELETED, values)
