"""Which conversations stay on this machine, and which data was sent: rows beside the conversations."""

import asyncio
import logging
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial

from desktop.domain.privacy import Channel, EgressEvent, EgressSummary
from desktop.errors import AppError
from desktop.settings.egress import EgressContext
from desktop.sqlite import translate_read_errors
from desktop.storage.db.database import Database
from desktop.storage.db.rows import encode_text, micros, moment

_KEEP = "INSERT OR IGNORE INTO conversations_kept_here (conversation_id) VALUES (CAST(? AS TEXT))"
_LET_GO = "DELETE FROM conversations_kept_here WHERE conversation_id = CAST(? AS TEXT)"
_IS_KEPT = "SELECT 1 FROM conversations_kept_here WHERE conversation_id = CAST(? AS TEXT)"
# Nothing is recorded for a conversation that was permanently deleted while it was being answered.
_NOTE = """INSERT INTO departures (conversation_id, host, channel, requests, sent_bytes, first_at, last_at)
    SELECT id, CAST(? AS TEXT), CAST(? AS TEXT), 1, ?, ?, ? FROM conversations WHERE id = CAST(? AS TEXT)
    ON CONFLICT (conversation_id, host, channel) DO UPDATE SET
        requests = requests + 1, sent_bytes = sent_bytes + excluded.sent_bytes, last_at = excluded.last_at"""
_DEPARTURES = """SELECT host, channel, sum(requests), sum(sent_bytes), max(last_at)
    FROM departures WHERE ?1 = '' OR conversation_id = ?1
    GROUP BY host, channel ORDER BY max(last_at) DESC, host, channel"""

_log = logging.getLogger(__name__)


class EgressLog:
    """Stores both; methods raise `StorageError`s. Belongs to the asyncio thread."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pending: dict[str, list[EgressEvent]] = {}
        self._writing: asyncio.Task[None] | None = None

    async def egress_context(self, conversation_id: str, stays_here: bool = False) -> EgressContext:
        """Return the egress context for work on a conversation; `stays_here` also keeps it here from now on."""
        if stays_here:
            await self.keep_here(conversation_id, is_kept=True)
        else:
            stays_here = await self.stays_here(conversation_id)
        return EgressContext(stays_here, partial(self._note_soon, conversation_id))

    async def stays_here(self, conversation_id: str) -> bool:
        """Say whether a conversation is kept on this machine."""
        values = (encode_text(conversation_id),)
        return bool(
            await self._database.read(lambda connection: connection.execute(_IS_KEPT, values).fetchone())
        )

    async def keep_here(self, conversation_id: str, is_kept: bool) -> None:
        """Keep a conversation on this machine from now on, or stop doing so."""
        statement = _KEEP if is_kept else _LET_GO
        values = (encode_text(conversation_id),)
        await self._database.execute(statement, values)

    async def note(self, conversation_id: str, egress_events: Sequence[EgressEvent]) -> None:
        """Record requests that were sent for a conversation."""
        now = micros(datetime.now(UTC))
        identity = encode_text(conversation_id)
        rows = [
            (encode_text(each.host), encode_text(each.channel), each.sent_bytes, now, now, identity)
            for each in egress_events
        ]
        await self._database.execute_many(_NOTE, rows)

    async def list_egress(self, conversation_id: str = "") -> tuple[EgressSummary, ...]:
        """Return what was sent to each recipient, most recent first: for one conversation or for all."""
        await self.aclose()

        def read(connection: sqlite3.Connection) -> list[tuple[str, str, int, int, int]]:
            return connection.execute(_DEPARTURES, (conversation_id,)).fetchall()

        rows = await self._database.read(read)
        with translate_read_errors(self._database.path):
            return tuple(
                EgressSummary(host, Channel(channel), requests, sent_bytes, moment(last))
                for host, channel, requests, sent_bytes, last in rows
            )

    async def aclose(self) -> None:
        """Write what is pending to the database."""
        if self._writing is not None:
            await asyncio.shield(self._writing)

    def _note_soon(self, conversation_id: str, egress_event: EgressEvent) -> None:
        self._pending.setdefault(conversation_id, []).append(egress_event)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())

    async def _write(self) -> None:
        while self._pending:
            conversation_id, egress_events = self._pending.popitem()
            try:
                await self.note(conversation_id, egress_events)
            except AppError as error:  # the journal of the answer reports disk errors to the window
                _log.warning("What left the machine could not be noted: %s", error)
