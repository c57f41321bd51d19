"""Export and import of bases, with progress; a cancelled transfer leaves nothing behind."""

import asyncio
import threading
import time
import uuid
from collections.abc import AsyncGenerator, Callable, Iterator
from contextlib import aclosing, suppress
from dataclasses import replace
from pathlib import Path, PureWindowsPath

import msgspec

from desktop.domain.knowledge import BUILT_IN_MODEL, BaseInfo, BaseOptions, ItemKind, ItemState, Transfer
from desktop.errors import BundleUnreadable, BundleUnwritable, KnowledgeError, plain_reason
from desktop.knowledge.bundle_archive import (
    FLOAT_BYTES,
    BundledDocument,
    BundleManifest,
    DocumentLine,
    ItemLine,
    PassageLine,
    read_bundle,
    write_bundle,
)
from desktop.knowledge.embedding.model_store import is_folder
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.passages import DocumentFacts, put_document
from desktop.knowledge.vector_service import VectorService

_AT_ONCE = 500
"""Passages per transaction."""
_SERVERS = ("//", "\\\\")
_UNFINISHED = 0.0
"""The time of deletion of an unfinished base: long ago, so that it is purged at the next start."""
_TOLD_EVERY_S = 0.1
_PROBE = "?"
"""Any text; its vector shows the dimension of the model's vectors."""


class Import:
    """The import of one base; its methods write in transactions.

    The base counts as deleted until `show` is called, so that it is purged at the next start if the program
    ends before. If it `keeps_vectors`, the vectors of the file are used; otherwise, all passages are embedded
    again, with the built-in model if the file's model is not installed.
    """

    def __init__(
        self, database: IndexDatabase, manifest: BundleManifest, *, has_model: bool, keeps_vectors: bool
    ) -> None:
        self._database = database
        self._db = database.connection
        self._bases = Bases(database)
        self._manifest = manifest
        self._keeps_vectors = keeps_vectors
        self._documents: list[tuple[int, ItemState]] = []
        self.base_id = uuid.uuid4().hex
        now = time.time()
        options = _options_here(manifest, has_model=has_model)
        with database.transaction():
            self._db.execute(
                """
                INSERT INTO bases (id, name, icon, options, model, created_at, deleted_at)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
                (
                    self.base_id,
                    manifest.name,
                    manifest.icon,
                    msgspec.json.encode(options).decode(),
                    manifest.model if has_model else BUILT_IN_MODEL,
                    now,
                    _UNFINISHED,
                ),
            )

    def put(self, content: BundledDocument) -> Iterator[None]:
        """Store a document, some passages per step, so that other requests can be served in between."""
        vectors = iter(content.vectors)
        is_embedded = self._keeps_vectors and len(content.vectors) == len(content.passages)
        with self._database.transaction():
            document = self._put_document(content.line)
        for begin in range(0, len(content.passages), _AT_ONCE):
            with self._database.transaction():
                for ordinal, line in enumerate(content.passages[begin : begin + _AT_ONCE], begin):
                    passage = self._put_passage(document, ordinal, line, content.line.text)
                    if line.is_embedded and self._keeps_vectors:
                        self._put_vector(passage, next(vectors))
            yield
        with self._database.transaction():
            self._db.execute("UPDATE documents SET is_embedded = ? WHERE id = ?", (is_embedded, document))
        self._documents.append((document, ItemState.READY if is_embedded else ItemState.KEYWORD_READY))

    def put_item(self, line: ItemLine) -> None:
        """Store an item, after all documents."""
        document, state = (
            (None, ItemState.FAILED) if line.document is None else self._documents[line.document]
        )
        item_id = uuid.uuid4().hex
        path = _here(line.path) if line.kind is ItemKind.FILE else line.path
        with self._database.transaction():
            self._db.execute(
                """
                INSERT INTO items (id, base_id, kind, name, path, state, error, document_id, read_at)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
                (
                    item_id,
                    self.base_id,
                    line.kind,
                    line.name,
                    path,
                    state,
                    line.error,
                    document,
                    line.read_at,
                ),
            )
            self._db.executemany(
                "INSERT INTO item_tags (item_id, tag) VALUES (?, ?)", ((item_id, tag) for tag in line.tags)
            )
            if line.kind is ItemKind.NOTE:
                self._db.execute(
                    "INSERT INTO contents (item_id, suffix, body) VALUES (?, '.md', ?)",
                    (item_id, line.note.encode()),
                )

    def show(self) -> BaseInfo:
        """Make the base visible, under a unique name."""
        return self._bases.restore(self.base_id)

    def _put_document(self, line: DocumentLine) -> int:
        facts = DocumentFacts(line.sha256, line.title, line.pages, line.scanned, line.is_cut, line.passages)
        return put_document(self._db, self.base_id, facts, line.text)

    def _put_passage(self, document: int, ordinal: int, line: PassageLine, text: str) -> int:
        passage = self._db.execute(
            """
            INSERT INTO passages (document_id, ordinal, page, section, start, "end", text)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """,
            (
                document,
                ordinal,
                line.page,
                line.section,
                line.start,
                line.end,
                line.text or text[line.start : line.end],
            ),
        ).lastrowid
        assert passage is not None
        self._db.execute(
            "INSERT INTO passages_fts (rowid, base, head, body) VALUES (?, ?, ?, ?)",
            (passage, self.base_id, line.head, line.body),
        )
        return passage

    def _put_vector(self, passage: int, vector: bytes) -> None:
        self._db.execute(
            "INSERT INTO vectors (passage_id, model, vector) VALUES (?, ?, ?)",
            (passage, self._manifest.model, vector),
        )


def _options_here(manifest: BundleManifest, *, has_model: bool) -> BaseOptions:
    """Return the options without references to the other machine, except a model that is available here."""
    is_same = has_model and manifest.options.model == manifest.model
    return replace(manifest.options, model=manifest.model if is_same else "", place="")


def is_unproven(database: IndexDatabase, item_id: str) -> bool:
    """Say whether only an import links an item, which is to be read again, to its file.

    The author of the file chose the path: another file may be there, which must not get into a base. Items
    added by the user are read as usual.
    """
    query = "SELECT 1 FROM items WHERE id = ? AND is_again AND stamp = '' AND document_id IS NOT NULL"
    return database.connection.execute(query, (item_id,)).fetchone() is not None


def _here(path: str) -> str:
    """Return a path from any operating system as an absolute path on this one; it need not exist.

    It is never on a network share: checking whether a file exists there would reveal the user to the server.
    """
    if Path(path).is_absolute() and not path.startswith(_SERVERS):
        return path
    return str(Path("/").absolute() / PureWindowsPath(path).as_posix().lstrip("/"))


class _Ended(Exception):
    """The user has cancelled the transfer."""


class BundleTransfers:
    """Exports bases from the database at `path` to files, and imports them."""

    def __init__(
        self, database: IndexDatabase, path: Path, vectors: VectorService, continue_work: Callable[[], None]
    ) -> None:
        """`continue_work` is called when a base was imported, which may have to be embedded."""
        self._database = database
        self._path = path
        self._bases = Bases(database)
        self._vectors = vectors
        self._continue_work = continue_work

    async def export(self, base_id: str, target: Path) -> AsyncGenerator[Transfer]:
        """Export a base to one file, which is renamed to its final name once it is complete.

        Raises:
            UnknownBase: there is no such base.
            BundleUnwritable: the file cannot be written.
        """
        part = target.with_name(f"{target.name}.part")
        steps = _Steps()
        writing = asyncio.create_task(asyncio.to_thread(self._write, base_id, target, part, steps.report))
        try:
            while not writing.done():
                await asyncio.wait({writing}, timeout=_TOLD_EVERY_S)
                if not writing.done():
                    yield steps.latest
            yield Transfer(steps.latest.total, steps.latest.total, writing.result())
        finally:
            steps.end()
            await asyncio.wait({writing})
            if not writing.cancelled():
                writing.exception()  # already raised above, or irrelevant

    def _write(self, base_id: str, target: Path, part: Path, report: Callable[[int, int], None]) -> BaseInfo:
        try:
            base = write_bundle(self._path, base_id, part, report)
            part.replace(target)
        except OSError as error:
            detail = plain_reason(error, within_sentence=True)
            raise BundleUnwritable(name=target.name, detail=detail) from error
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
        return base

    async def import_(self, path: Path) -> AsyncGenerator[Transfer]:
        """Import an exported base as a new one.

        Raises:
            BundleUnreadable: the file is not an exported base, damaged, malicious, or from a newer version of
                the program.
        """
        async with aclosing(_Parts(path)) as parts:
            manifest = await parts.next()
            assert isinstance(manifest, BundleManifest)
            manifest = self._as_here(manifest)
            has_model, keeps_vectors = await self._look(manifest)
            coming = Import(self._database, manifest, has_model=has_model, keeps_vectors=keeps_vectors)
            is_whole = False
            try:
                async for done in self._take_in(coming, parts):
                    yield Transfer(done, manifest.passages)
                base = coming.show()
                self._vectors.refresh()
                self._continue_work()
                is_whole = True
            finally:
                if not is_whole:
                    await self._undo(coming.base_id)
        yield Transfer(manifest.passages, manifest.passages, base)

    def _as_here(self, manifest: BundleManifest) -> BundleManifest:
        """Return the manifest with the model's id on this machine, if the model is known here.

        The id of a server is specific to a machine: servers count as equal if they are asked for the same
        model.
        """
        settings = self._vectors.setup.settings
        servers = [own.id for own in settings.own_embedders]
        same = (key for key in servers if self._vectors.fingerprint(key) == manifest.fingerprint)
        model = manifest.model if manifest.model in servers else next(same, manifest.model)
        wanted = manifest.options.model
        # Otherwise, a base with other settings would be embedded again with this machine's settings after the
        # import.
        is_its_own = wanted == manifest.model or (not wanted and model != settings.embedding_model)
        options = replace(manifest.options, model=model) if is_its_own else manifest.options
        return msgspec.structs.replace(manifest, model=model, options=options)

    async def _look(self, manifest: BundleManifest) -> tuple[bool, bool]:
        """Return whether the model of a file is available here, and whether its vectors are compatible.

        A folder is only accessed if the user has configured it: other paths could be anywhere, including a
        server of the file's author. A server that is down is assumed to be unchanged.
        """
        if is_folder(manifest.model) and manifest.model not in self._vectors.setup.settings.own_models:
            return False, False
        try:
            fingerprint = self._vectors.fingerprint(manifest.model)
            if fingerprint != manifest.fingerprint or not manifest.vectors:
                return True, False
            (probe,) = await self._vectors.embed([_PROBE], manifest.model)
        except KnowledgeError as error:
            return error.is_transient, error.is_transient
        return True, len(probe) == manifest.dimensions * FLOAT_BYTES

    async def _take_in(self, coming: Import, parts: "_Parts") -> AsyncGenerator[int]:
        clock = asyncio.get_running_loop().time
        told_at, done = clock(), 0
        while (part := await parts.next()) is not None:
            if isinstance(part, BundledDocument):
                for _ in coming.put(part):
                    await asyncio.sleep(0)
                done += len(part.passages)
            elif isinstance(part, ItemLine):
                coming.put_item(part)
            if clock() - told_at >= _TOLD_EVERY_S:
                told_at = clock()
                yield done

    async def _undo(self, base_id: str) -> None:
        for _ in self._bases.forget(base_id):
            await asyncio.sleep(0)
        await self._vectors.remove_leftovers()


class _Steps:
    """The progress of a thread, and the means to cancel it."""

    def __init__(self) -> None:
        self.latest = Transfer(0, 0)
        self._is_over = threading.Event()

    def report(self, done: int, total: int) -> None:
        if self._is_over.is_set():
            raise _Ended
        self.latest = Transfer(done, total)

    def end(self) -> None:
        self._is_over.set()


class _Parts:
    """The parts of a file, each read in a thread."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._parts = read_bundle(path)
        self._next: asyncio.Task[BundleManifest | BundledDocument | ItemLine | None] | None = None

    async def next(self) -> BundleManifest | BundledDocument | ItemLine | None:
        """Return the next part, or None at the end."""
        self._next = asyncio.create_task(asyncio.to_thread(next, self._parts, None))
        try:
            return await asyncio.shield(self._next)
        except OSError as error:
            detail = plain_reason(error, within_sentence=True)
            raise BundleUnreadable(name=self._path.name, detail=detail) from error

    async def aclose(self) -> None:
        """Close the file when the current read has finished."""
        if self._next is not None:
            await asyncio.wait({self._next})
        self._parts.close()
