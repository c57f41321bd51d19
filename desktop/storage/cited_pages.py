"""The web pages that chats cite: rows and main texts in the database of the conversations, files beside it.

Texts and files are stored under the SHA-256 of their contents, so that chats share them. Triggers delete a text with
the last row that refers to it; `remove_unused_files` does that for files.
"""

import asyncio
import gzip
import hashlib
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Final

from desktop.domain.sources import (
    MAX_FILE_BYTES,
    MAX_FILES_BYTES,
    MAX_TEXT_CHARS,
    MAX_TEXTS_BYTES,
    KeptPage,
    PageCheck,
    PageTexts,
    PageTotals,
    Source,
)
from desktop.errors import CitedPageDamaged, CitedPagesFull
from desktop.settings.atomic_files import write_whole
from desktop.sqlite import translate_errors, translate_read_errors
from desktop.storage.db.database import Database
from desktop.storage.db.row_checksums import readable, unsound
from desktop.storage.db.rows import SOURCE_COLUMNS, Row, decode_text, encode_text, micros, moment, source_of
from desktop.text.message_codec import decode_json, encode_json

# ruff: noqa: S608 - statements are composed from the constants below, never from data

FOLDER: Final = "cited-pages"

_SUFFIX = ".gz"
_MOST_BYTES: Final = 4 * MAX_TEXT_CHARS
_LONGEST_FILE: Final = 64 * 2**20
_GZIP: Final = 16 + zlib.MAX_WBITS
_COLUMNS = "number, address, final_address, title, read_at, text_hash, file, file_bytes, media_type, newer_hash, page_check"
_OF_CONVERSATION = (
    f"SELECT {_COLUMNS} FROM cited_pages WHERE conversation_id = CAST(? AS TEXT) ORDER BY number"
)
_ONE = f"SELECT {_COLUMNS} FROM cited_pages WHERE conversation_id = CAST(? AS TEXT) AND number = ?"
_TEXT = "SELECT packed FROM page_texts WHERE hash = CAST(? AS TEXT)"
_ADD_TEXT = "INSERT OR IGNORE INTO page_texts (hash, packed) VALUES (CAST(? AS TEXT), ?)"
# Nothing is inserted for a conversation that was permanently deleted meanwhile.
_ADD = """INSERT OR IGNORE INTO cited_pages (conversation_id, number, address, final_address, title, read_at,
        text_hash, file, file_bytes, media_type)
    SELECT id, ?, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), ?, CAST(? AS TEXT), CAST(? AS TEXT), ?,
        CAST(? AS TEXT)
    FROM conversations WHERE id = CAST(? AS TEXT)"""
_CHECKED = """UPDATE cited_pages SET page_check = CAST(? AS TEXT), newer_hash = CAST(? AS TEXT)
    WHERE conversation_id = CAST(? AS TEXT) AND number = ?"""
_UNKEPT = f"""SELECT {SOURCE_COLUMNS}, {unsound("sources")} FROM sources
    WHERE conversation_id = CAST(? AS TEXT) AND kind = 'web' AND number NOT IN
        (SELECT number FROM cited_pages WHERE conversation_id = CAST(? AS TEXT))
    ORDER BY number"""
_CHECKS = "SELECT number, page_check FROM cited_pages WHERE conversation_id = ? AND page_check <> 'null'"
_TEXTS_BYTES = "SELECT coalesce(sum(length(packed)), 0) FROM page_texts"
_FILES = "SELECT DISTINCT file FROM cited_pages WHERE file <> ''"
_PAGES = "SELECT count(*) FROM (SELECT DISTINCT final_address, text_hash FROM cited_pages)"
_REMOVE_UNUSED = """DELETE FROM page_texts WHERE hash = CAST(? AS TEXT)
    AND NOT EXISTS (SELECT 1 FROM cited_pages WHERE text_hash = page_texts.hash)
    AND NOT EXISTS (SELECT 1 FROM cited_pages WHERE newer_hash = page_texts.hash)"""
_OLDER = "DELETE FROM cited_pages WHERE read_at < ?"


@dataclass(frozen=True)
class ReadCitedPage:
    """A cited page as it was read: its main text, and what the server sent if that is to be kept."""

    numbers: tuple[int, ...]
    address: str
    final_address: str
    title: str
    read_at: datetime
    text: str
    body: bytes = b""
    media_type: str = ""


class CitedPageStore:
    """Stores cited pages; methods raise `StorageError`s. `folder` is that of the files; it is created when needed."""

    def __init__(
        self,
        database: Database,
        folder: Path,
        *,
        most_text_bytes: int = MAX_TEXTS_BYTES,
        most_file_bytes: int = MAX_FILES_BYTES,
    ) -> None:
        self._database = database
        self._folder = folder
        self._most_text_bytes = most_text_bytes
        self._most_file_bytes = most_file_bytes

    async def unkept_sources(self, conversation_id: str) -> tuple[Source, ...]:
        """Return the web pages among the sources of a conversation of which no page is kept."""
        identity = encode_text(conversation_id)
        names = SOURCE_COLUMNS.split(", ")

        def read(connection: sqlite3.Connection) -> tuple[Source, ...]:
            rows = connection.execute(_UNKEPT, (identity, identity))
            return tuple(source_of(readable("sources", names, row)) for row in rows)

        with translate_read_errors(self._database.path):
            return await self._database.read(read)

    async def keep(self, conversation_id: str, pages: Sequence[ReadCitedPage]) -> None:
        """Keep pages for sources of a conversation; one that is kept already stays as it is.

        Raises:
            CitedPagesFull: the limit in total is reached; what was there stays.
        """
        rows = await asyncio.to_thread(self._prepare, pages)
        if await self._database.write(partial(self._insert, conversation_id, rows)):
            raise CitedPagesFull(limit=self._most_text_bytes >> 20)

    async def pages(self, conversation_id: str) -> tuple[KeptPage, ...]:
        """Return the pages of a conversation, by the numbers of their sources."""
        values = (encode_text(conversation_id),)
        with translate_read_errors(self._database.path):
            return await self._database.read(
                lambda connection: tuple(map(_page_of, connection.execute(_OF_CONVERSATION, values)))
            )

    async def load(self, conversation_id: str, number: int) -> PageTexts | None:
        """Return the page of a source, None if none is kept.

        Raises:
            CitedPageDamaged: its text was damaged on the disk.
        """

        def read(connection: sqlite3.Connection) -> PageTexts | None:
            values = (encode_text(conversation_id), number)
            for row in connection.execute(_ONE, values):
                page = _page_of(row)
                return PageTexts(
                    page, load_text(connection, page.text_hash), load_text(connection, page.newer_hash)
                )
            return None

        with translate_read_errors(self._database.path):
            return await self._database.read(read)

    async def save_check(
        self, conversation_id: str, numbers: Iterable[int], check: PageCheck, newer: str = ""
    ) -> None:
        """Store what reading a page again showed for all its sources; `newer` is its text now if that changed."""
        packed = await asyncio.to_thread(pack_text, newer) if newer else ("", b"")
        value = encode_text(encode_json(check).decode())
        identity = encode_text(conversation_id)
        rows = [(value, encode_text(packed[0]), identity, number) for number in numbers]

        def write(connection: sqlite3.Connection) -> None:
            if newer:
                add_text(connection, *packed)
            connection.executemany(_CHECKED, rows)
            if newer:  # the chat may have been deleted meanwhile
                remove_unused_text(connection, packed[0])

        await self._database.write(write)

    async def load_file(self, page: KeptPage) -> bytes:
        """Return what the server sent for a page.

        Raises:
            CitedPageDamaged: the file is missing, or was damaged on the disk.
        """
        return await asyncio.to_thread(self._load_file, page.file)

    async def totals(self) -> PageTotals:
        """Return how much is kept."""

        def read(connection: sqlite3.Connection) -> tuple[int, int]:
            return connection.execute(_PAGES).fetchone()[0], texts_bytes(connection)

        pages, texts = await self._database.read(read)
        return PageTotals(pages, texts, await asyncio.to_thread(self._files_bytes))

    async def remove_older(self, moment: datetime) -> None:
        """Delete the pages that were read before `moment`."""
        if await self._database.execute(_OLDER, (micros(moment),)):
            await self._database.truncate_log()

    async def clear(self) -> None:
        """Delete all pages; the cited passages stay with their answers."""
        await self._database.execute("DELETE FROM cited_pages")
        await self._database.truncate_log()
        await self.remove_unused_files()

    async def remove_unused_files(self, older_than_s: float = 0.0) -> None:
        """Delete the files that no chat refers to, unless they are younger: their row may be about to be written."""
        if not await asyncio.to_thread(self._folder.is_dir):
            return
        used = await self._database.read(list_files)
        await asyncio.to_thread(self._remove_files, used, older_than_s)

    async def read_packed_files(self, names: Iterable[str]) -> Mapping[str, bytes]:
        """Return those files of pages that are sound, compressed, by their names."""
        return await asyncio.to_thread(self._read_packed, frozenset(names))

    async def add_files(self, files: Iterable[tuple[str, bytes]]) -> int:
        """Add compressed files from elsewhere by their names, unless they are damaged or too large.

        They are taken one after the other, in a thread. Returns how many are not added.
        """
        return await asyncio.to_thread(self._add_files, files)

    def _read_packed(self, names: Iterable[str]) -> Mapping[str, bytes]:
        found = {}
        for name in filter(None, names):
            with suppress(CitedPageDamaged):
                self._load_file(name)
                found[name] = self._path(name).read_bytes()
        return found

    def _add_files(self, files: Iterable[tuple[str, bytes]]) -> int:
        free = self._most_file_bytes - self._files_bytes()
        refused = 0
        for name, packed in files:
            if len(packed) > min(MAX_FILE_BYTES, free) or not _is_packed(packed, name):
                refused += 1
                continue
            with translate_errors(self._folder):
                write_whole(self._path(name), packed)
            free -= len(packed)
        return refused

    def _prepare(self, pages: Sequence[ReadCitedPage]) -> list["_NewRow"]:
        """Compress pages and write their files; blocks.

        A file that cannot be kept is left out: the text matters more.
        """
        free = self._most_file_bytes - self._files_bytes() if any(page.body for page in pages) else 0
        rows = []
        for page in pages:
            text = page.text[:MAX_TEXT_CHARS]
            digest, packed = pack_text(text)
            name, size = self._write_file(page.body, free) if page.body else ("", 0)
            free -= size
            rows.append(_NewRow(page, digest, packed, name, size))
        return rows

    def _write_file(self, body: bytes, free: int) -> tuple[str, int]:
        name = hashlib.sha256(body).hexdigest()
        path = self._path(name)
        with translate_errors(self._folder):
            with suppress(FileNotFoundError):
                os.utime(path)
                return name, path.stat().st_size
            packed = gzip.compress(body, compresslevel=6, mtime=0)
            if len(packed) > min(MAX_FILE_BYTES, free):
                return "", 0
            write_whole(path, packed)
        return name, len(packed)

    def _insert(
        self, conversation_id: str, rows: Sequence["_NewRow"], connection: sqlite3.Connection
    ) -> bool:
        """Write rows; say whether the limit was reached, so that not all of them were written."""
        size = texts_bytes(connection)
        is_full = False
        for row in rows:
            digest = encode_text(row.digest)
            is_known = connection.execute(_TEXT, (digest,)).fetchone() is not None
            if not is_known and size + len(row.packed) > self._most_text_bytes:
                is_full = True
                continue
            size += 0 if is_known else len(row.packed)
            add_text(connection, row.digest, row.packed)
            for number in row.page.numbers:
                connection.execute(_ADD, row.values(number, conversation_id))
            remove_unused_text(connection, row.digest)
        return is_full

    def _load_file(self, name: str) -> bytes:
        packed = b""
        with translate_errors(self._folder), suppress(FileNotFoundError):
            packed = self._path(name).read_bytes()
        return unpack_file(packed, name)

    def _path(self, name: str) -> Path:
        return self._folder / f"{name}{_SUFFIX}"

    def _files_bytes(self) -> int:
        with translate_errors(self._folder):
            if not self._folder.is_dir():
                return 0
            return sum(entry.stat().st_size for entry in os.scandir(self._folder) if entry.is_file())

    def _remove_files(self, used: frozenset[str], older_than_s: float) -> None:
        with translate_errors(self._folder):
            for path in self._folder.iterdir():
                is_old = time.time() - path.stat().st_mtime >= older_than_s
                if is_old and path.name.removesuffix(_SUFFIX) not in used:
                    path.unlink(missing_ok=True)


@dataclass(frozen=True)
class _NewRow:
    """A page that is ready to be written."""

    page: ReadCitedPage
    digest: str
    packed: bytes
    file: str
    file_bytes: int

    def values(self, number: int, conversation_id: str) -> tuple[bytes | int, ...]:
        page = self.page
        return (
            number,
            encode_text(page.address),
            encode_text(page.final_address),
            encode_text(page.title),
            micros(page.read_at),
            encode_text(self.digest),
            encode_text(self.file),
            self.file_bytes,
            encode_text(page.media_type),
            encode_text(conversation_id),
        )


def load_checks(connection: sqlite3.Connection, conversation_id: str) -> Mapping[int, PageCheck]:
    """Return what reading the pages of a conversation again showed, by the numbers of their sources."""
    rows = connection.execute(_CHECKS, (conversation_id,))
    return {number: decode_json(value, PageCheck) for number, value in rows}


def pack_text(text: str) -> tuple[str, bytes]:
    """Return the hash of a text, and the text compressed."""
    data = encode_text(text)
    return hashlib.sha256(data).hexdigest(), zlib.compress(data)


def unpack_text(digest: str, packed: bytes) -> str:
    """Return a text that was packed.

    Raises:
        CitedPageDamaged: it is not the text of this hash.
    """
    try:
        data = zlib.decompressobj().decompress(packed, _MOST_BYTES)
    except zlib.error as error:
        raise CitedPageDamaged from error
    if hashlib.sha256(data).hexdigest() != digest:
        raise CitedPageDamaged
    return decode_text(data)


def add_text(connection: sqlite3.Connection, digest: str, packed: bytes) -> None:
    """Store a text, in the caller's transaction, which also writes the row that refers to it."""
    connection.execute(_ADD_TEXT, (encode_text(digest), packed))


def texts_bytes(connection: sqlite3.Connection) -> int:
    """Return how much all stored texts take."""
    return int(connection.execute(_TEXTS_BYTES).fetchone()[0])


def remove_unused_text(connection: sqlite3.Connection, digest: str) -> None:
    """Delete a text to which no row refers, which the triggers do not see."""
    connection.execute(_REMOVE_UNUSED, (encode_text(digest),))


def unpack_file(packed: bytes, name: str) -> bytes:
    """Return what is in a compressed file whose contents have the hash `name`.

    Raises:
        CitedPageDamaged: it has other contents, or is too large.
    """
    body = b""
    with suppress(zlib.error):
        body = zlib.decompressobj(_GZIP).decompress(packed, _LONGEST_FILE)
    if not name or hashlib.sha256(body).hexdigest() != name:
        raise CitedPageDamaged
    return body


def list_files(connection: sqlite3.Connection) -> frozenset[str]:
    """Return the names of the files to which rows refer."""
    return frozenset(name for (name,) in connection.execute(_FILES))


def _is_packed(packed: bytes, name: str) -> bool:
    try:
        unpack_file(packed, name)
    except CitedPageDamaged:
        return False
    return True


def load_text(connection: sqlite3.Connection, digest: str) -> str:
    """Return a stored text; the empty hash is that of no text.

    Raises:
        CitedPageDamaged: it is missing or damaged.
    """
    if not digest:
        return ""
    found = connection.execute(_TEXT, (encode_text(digest),)).fetchone()
    if found is None:
        raise CitedPageDamaged
    return unpack_text(digest, found[0])


def _page_of(row: Row) -> KeptPage:
    number, address, final_address, title, read_at, text_hash, file, file_bytes, media_type, newer, check = (
        row
    )
    return KeptPage(
        number,
        address,
        final_address,
        title,
        moment(read_at),
        text_hash,
        file,
        file_bytes,
        media_type,
        newer,
        None if check == "null" else decode_json(check, PageCheck),
    )
