"""The file format of an exported base: its layout, writing and reading.

Files can come from untrusted sources, so all sizes are limited and all content is checked when it is read.
"""

import io
import sqlite3
import zipfile
import zlib
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, TypeVar

import msgspec
import numpy as np

from desktop.domain.knowledge import BaseInfo, BaseOptions, ItemKind
from desktop.errors import BaseIncomplete, BundleUnreadable, IndexDamaged, UnknownBase, plain_reason
from desktop.knowledge.index.bases import base_of
from desktop.knowledge.index.row_checksums import TEXT_DAMAGED, build_damage_check, install
from desktop.knowledge.index.vector_rows import FINGERPRINT
from desktop.phrases import translatable
from desktop.sqlite import open_read_only
from desktop.text.message_codec import encode_message

FORMAT = "footnote-base"
VERSION = 1
SUFFIX = ".footnote-base"

MANIFEST = "manifest.json"
DOCUMENTS = "documents.jsonl"
PASSAGES = "passages.jsonl"
VECTORS = "vectors.f32"
ITEMS = "items.jsonl"
MEMBERS = (MANIFEST, DOCUMENTS, PASSAGES, VECTORS, ITEMS)

FLOAT_BYTES = 4
MAX_BYTES = 64 * 2**30
MAX_RATIO = 200
"""Maximum compression ratio of large members; no large text reaches it, but repetitive logs and tables can."""
_SMALL_BYTES = 2**30
MAX_LINE_BYTES = 256 * 2**20
MAX_COUNT = 10_000_000
MAX_DIMENSIONS = 16_384
MAX_PASSAGES = 250_000
"""Maximum passages per document, which is imported as a whole; the largest text that can be read gives
fewer.
"""
MAX_VECTOR_BYTES = 2**30
"""Maximum size of the vectors of a document, for the same reason."""
_LENGTHS = (0.9, 1.1)
"""Permitted lengths of vectors: unit length with the rounding error of 16 bits. Longer vectors would outrank
all others in a search.
"""
MAX_NAME_CHARS = 1_000
MAX_MANIFEST_BYTES = 2**20
_MAX_SIP_BYTES = 4 * 2**20
"""Maximum bytes per read; otherwise, the central directory of an archive could be as long as the file
itself.
"""
_DIGEST_CHARS = 64
_KINDS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
_NO_BASE = translatable("it is not a knowledge base file")
_TOO_NEW = translatable("it was saved by a newer version of Footnote; update Footnote")
_TOO_LARGE = translatable("it is suspiciously large when unpacked")
_DAMAGED = translatable("it is damaged ({detail})")
_BROKEN = translatable("it is damaged or incomplete; copy or download it again")
_T = TypeVar("_T")
_UNREAD = translatable("It had not been read when its knowledge base was exported. Read it again.")
_MOMENT = (1980, 1, 1, 0, 0, 0)
"""The earliest date that a zip archive can store, used for all members."""
_REPORT_EVERY = 500
_OF_BASE = """
    FROM documents d JOIN bases b ON b.id = d.base_id JOIN passages p ON p.document_id = d.id
"""
_BEGIN = (b"PK\x03\x04", 30)
"""The first bytes of an archive, and where the name of its first member begins."""
_MOST_NAMES = 5
_CHECKED = {
    "documents": "FROM documents r WHERE r.base_id = ?",
    "texts": "FROM documents d JOIN texts r ON r.document_id = d.id WHERE d.base_id = ?",
    "passages": "FROM documents d JOIN passages r ON r.document_id = d.id WHERE d.base_id = ?",
    "items": "FROM items r WHERE r.base_id = ?",
    "contents": "FROM items i JOIN contents r ON r.item_id = i.id WHERE i.base_id = ?",
}
"""The rows `r` of a base in each table that has checksums."""
_VECTOR = "JOIN vectors v ON v.passage_id = p.id AND v.model = b.model"


class BundleManifest(msgspec.Struct, frozen=True):
    """The manifest: counts and sizes of the content that follows.

    `vectors` is the number of passages with a vector of `dimensions` numbers. The `fingerprint` distinguishes
    the model that made them from others of the same name.
    """

    format: str
    version: int
    name: str
    icon: str
    options: BaseOptions
    model: str
    fingerprint: str
    dimensions: int
    documents: int
    passages: int
    vectors: int
    items: int


class DocumentLine(msgspec.Struct, frozen=True):
    """A document: the extracted text of a file, or its beginning.

    The next `passages` lines in the list of passages belong to it.
    """

    sha256: str
    title: str
    pages: int | None
    scanned: int
    passages: int
    text: str
    is_cut: bool = False


class PassageLine(msgspec.Struct, frozen=True, omit_defaults=True):
    """A passage; without a `text`, it is the text of its document from `start` to `end`."""

    page: int | None
    section: str
    start: int
    end: int
    head: str
    body: str
    is_embedded: bool
    text: str = ""


class ItemLine(msgspec.Struct, frozen=True):
    """An item; `document` is the line number of its document, from 0. `note` is the text of a note as typed."""

    name: str
    kind: ItemKind
    path: str
    error: str
    tags: tuple[str, ...]
    read_at: float | None
    document: int | None
    note: str


@dataclass(frozen=True)
class BundledDocument:
    """A document with its passages; `vectors` are those of the passages that have one, in order."""

    line: DocumentLine
    passages: tuple[PassageLine, ...]
    vectors: tuple[bytes, ...]


class Bundle:
    """The reader of an exported base. Everything it yields is valid and consistent."""

    def __init__(self, name: str, archive: zipfile.ZipFile) -> None:
        self._name = name
        self._archive = archive
        self._check_members()
        self.manifest = self._read_manifest()
        self._check_manifest()

    def contents(self) -> Iterator[BundledDocument]:
        """Yield the documents."""
        manifest = self.manifest
        size = manifest.dimensions * FLOAT_BYTES
        passages = self._lines(PASSAGES, PassageLine)
        seen: set[str] = set()
        counts = [0, 0, 0]
        with self._archive.open(VECTORS) as vectors:
            for document in self._lines(DOCUMENTS, DocumentLine):
                self._check_document(document, seen)
                own = tuple(self._passages_of(document, passages))
                embedded = sum(passage.is_embedded for passage in own)
                self._require(embedded * size <= MAX_VECTOR_BYTES, VECTORS)
                found = tuple(self._vector(vectors, size) for _ in range(embedded))
                counts = [counts[0] + 1, counts[1] + len(own), counts[2] + len(found)]
                yield BundledDocument(document, own, found)
            self._require(next(passages, None) is None and not vectors.read(1), "counts")
        self._require(counts == [manifest.documents, manifest.passages, manifest.vectors], "counts")

    def items(self) -> Iterator[ItemLine]:
        """Yield the items."""
        paths: set[str] = set()
        count = 0
        for item in self._lines(ITEMS, ItemLine):
            count += 1
            self._check_item(item)
            if item.kind is not ItemKind.NOTE:
                self._require(item.path not in paths, "paths")
                paths.add(item.path)
            yield item
        self._require(count == self.manifest.items, "counts")

    def _check_members(self) -> None:
        members = self._archive.infolist()
        if tuple(member.filename for member in members) != MEMBERS:
            raise BundleUnreadable(name=self._name, detail=_NO_BASE)
        for member in members:
            is_plain = member.compress_type in _KINDS and not member.flag_bits & _ENCRYPTED
            self._require(is_plain, "compression")
            ratio = member.file_size / max(1, member.compress_size)
            if member.file_size > _SMALL_BYTES and ratio > MAX_RATIO:
                raise BundleUnreadable(name=self._name, detail=_TOO_LARGE)
        if sum(member.file_size for member in members) > MAX_BYTES:
            raise BundleUnreadable(name=self._name, detail=_TOO_LARGE)

    def _check_manifest(self) -> None:
        manifest = self.manifest
        if manifest.format != FORMAT:
            raise BundleUnreadable(name=self._name, detail=_NO_BASE)
        if manifest.version > VERSION:
            raise BundleUnreadable(name=self._name, detail=_TOO_NEW)
        counts = (manifest.documents, manifest.passages, manifest.vectors, manifest.items)
        self._require(
            manifest.version == VERSION and all(0 <= count <= MAX_COUNT for count in counts), MANIFEST
        )
        self._require(manifest.vectors == 0 or 0 < manifest.dimensions <= MAX_DIMENSIONS, MANIFEST)
        names = (
            manifest.name,
            manifest.icon,
            manifest.model,
            manifest.fingerprint,
            manifest.options.model,
        )
        self._require(all(len(name) <= MAX_NAME_CHARS for name in names), MANIFEST)
        self._require(bool(manifest.name.strip()) and manifest.name.isprintable(), MANIFEST)
        self._require(0 <= manifest.options.passage_tokens <= MAX_COUNT, MANIFEST)
        self._require(0 <= manifest.options.passage_count <= MAX_COUNT, MANIFEST)

    def _check_document(self, document: DocumentLine, seen: set[str]) -> None:
        is_digest = len(document.sha256) == _DIGEST_CHARS and set(document.sha256) <= set("0123456789abcdef")
        self._require(is_digest and document.sha256 not in seen, DOCUMENTS)
        self._require(0 < document.passages <= MAX_PASSAGES and 0 <= document.scanned <= MAX_COUNT, DOCUMENTS)
        self._require(document.pages is None or 0 <= document.pages <= MAX_COUNT, DOCUMENTS)
        seen.add(document.sha256)

    def _passages_of(self, document: DocumentLine, passages: Iterator[PassageLine]) -> Iterator[PassageLine]:
        for _ in range(document.passages):
            passage = next(passages, None)
            if passage is None:
                raise self._make_damage_error("counts")
            self._require(0 <= passage.start <= passage.end <= len(document.text), PASSAGES)
            self._require(passage.page is None or 0 <= passage.page <= MAX_COUNT, PASSAGES)
            yield passage

    def _vector(self, file: IO[bytes], size: int) -> bytes:
        vector = file.read(size)
        self._require(size > 0 and len(vector) == size, VECTORS)
        length = float(np.linalg.norm(np.frombuffer(vector, "<f4").astype(np.float64)))
        self._require(_LENGTHS[0] <= length <= _LENGTHS[1], VECTORS)  # also rejects NaN
        return vector

    def _check_item(self, item: ItemLine) -> None:
        self._require(item.document is None or 0 <= item.document < self.manifest.documents, ITEMS)
        is_place = {
            ItemKind.FILE: any(kind(item.path).is_absolute() for kind in (PurePosixPath, PureWindowsPath)),
            ItemKind.LINK: item.path.startswith(("http://", "https://")),
            ItemKind.NOTE: not item.path,
        }
        self._require(is_place[item.kind] and (not item.note or item.kind is ItemKind.NOTE), ITEMS)
        self._require(item.document is not None or bool(item.error), ITEMS)
        self._require(all(0 < len(tag) <= MAX_NAME_CHARS for tag in item.tags), ITEMS)
        self._require(len(set(item.tags)) == len(item.tags), ITEMS)

    def _read_manifest(self) -> BundleManifest:
        with self._archive.open(MANIFEST) as file:
            content = file.read(MAX_MANIFEST_BYTES + 1)
        self._require(len(content) <= MAX_MANIFEST_BYTES, MANIFEST)
        return msgspec.json.decode(content, type=BundleManifest)

    def _lines(self, member: str, kind: type[_T]) -> Iterator[_T]:
        decoder = msgspec.json.Decoder(kind)
        with self._archive.open(member) as file:
            while line := file.readline(MAX_LINE_BYTES + 1):
                self._require(len(line) <= MAX_LINE_BYTES, member)
                yield decoder.decode(line)

    def _require(self, is_sound: bool, detail: str) -> None:
        if not is_sound:
            raise self._make_damage_error(detail)

    def _make_damage_error(self, detail: str) -> BundleUnreadable:
        return BundleUnreadable(name=self._name, detail=_DAMAGED.format(detail=detail))


class _BoundedReader(io.BufferedReader):
    """A file that is only read in small pieces."""

    def read(self, size: int | None = -1, /) -> bytes:
        content = super().read(
            _MAX_SIP_BYTES + 1 if size is None or size < 0 else min(size, _MAX_SIP_BYTES + 1)
        )
        if len(content) > _MAX_SIP_BYTES:
            raise zipfile.BadZipFile
        return content


def read_bundle(path: Path) -> Generator[BundleManifest | BundledDocument | ItemLine]:
    """Yield the manifest of a base, then its documents, then its items.

    Raises:
        BundleUnreadable: the file is invalid; everything yielded before must be discarded.
        OSError: the file cannot be read.
    """
    try:
        if not path.is_file():  # reading from a pipe or a device may never end
            raise BundleUnreadable(name=path.name, detail=_NO_BASE)
        with _BoundedReader(io.FileIO(path)) as file, zipfile.ZipFile(file) as archive:
            bundle = Bundle(path.name, archive)
            yield bundle.manifest
            yield from bundle.contents()
            yield from bundle.items()
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise BundleUnreadable(
            name=path.name, detail=_BROKEN if _begins_as_base(path) else _NO_BASE
        ) from error
    except (ValueError, RecursionError) as error:  # raised for invalid JSON and invalid text
        raise BundleUnreadable(name=path.name, detail=_DAMAGED.format(detail=plain_reason(error))) from error


def _begins_as_base(path: Path) -> bool:
    """Say whether a file begins as an exported base, however it goes on."""
    signature, place = _BEGIN
    with path.open("rb") as file:
        begin = file.read(place + len(MANIFEST))
    return begin.startswith(signature) and begin[place:] == MANIFEST.encode()


def base_name(path: Path) -> str:
    """Return the name of an exported base.

    Raises:
        BundleUnreadable: the file is invalid.
    """
    with closing(read_bundle(path)) as parts:
        manifest = next(parts)
    assert isinstance(manifest, BundleManifest)
    return manifest.name


Report = Callable[[int, int], None]
"""Receives the numbers of passages written and of all passages; an exception that it raises ends the
writing.
"""


def write_bundle(database: Path, base_id: str, target: Path, report: Report) -> BaseInfo:
    """Write a snapshot of a base to a file; later changes are not included.

    Raises:
        UnknownBase: there is no such base.
        BaseIncomplete: damaged passages of it were deleted, and have not been read again.
        IndexDamaged: rows of it are damaged.
        OSError: the file cannot be written.
    """
    with open_read_only(database) as connection:
        connection.row_factory = sqlite3.Row
        connection.execute("BEGIN")  # a consistent snapshot
        base = base_of(connection, base_id)
        if base is None:
            raise UnknownBase(base=base_id)
        _check_complete(connection, base)
        _check_sound(connection, database, base, report)
        with zipfile.ZipFile(target, "w", allowZip64=True) as archive:
            _Bundle(connection, archive, base, report).write()
    return base


def _check_complete(connection: sqlite3.Connection, base: BaseInfo) -> None:
    rows = connection.execute(
        """
        SELECT (SELECT name FROM items WHERE document_id = d.id ORDER BY position LIMIT 1) AS name
        FROM documents d WHERE base_id = ?
            AND passages <> (SELECT count(*) FROM passages p WHERE p.document_id = d.id) ORDER BY id
        """,
        (base.id,),
    )
    if names := [f"“{row['name']}”" for row in rows]:
        listed = ", ".join(names[:_MOST_NAMES]) + ("…" if len(names) > _MOST_NAMES else "")
        raise BaseIncomplete(base=base.name, names=listed)


def _check_sound(connection: sqlite3.Connection, database: Path, base: BaseInfo, report: Report) -> None:
    """Compare all rows with their checksums, before anything is decoded."""
    install(connection)
    for table, rows in _CHECKED.items():
        query = f"SELECT {build_damage_check(table, 'r')} {rows}"
        for done, (is_damaged,) in enumerate(connection.execute(query, (base.id,))):
            if done % _REPORT_EVERY == 0:
                report(0, base.passages)
            if is_damaged:
                raise IndexDamaged(path=database, detail=TEXT_DAMAGED)


class _Bundle:
    """Writes one base to an archive."""

    def __init__(
        self, connection: sqlite3.Connection, archive: zipfile.ZipFile, base: BaseInfo, report: Report
    ) -> None:
        self._db = connection
        self._archive = archive
        self._base = base
        self._report = report

    def write(self) -> None:
        manifest = self._manifest()
        self._put(MANIFEST, [msgspec.json.format(msgspec.json.encode(manifest))])
        self._put(DOCUMENTS, map(_line, self._documents()))
        self._put(PASSAGES, self._count_lines(map(_line, self._passages()), manifest.passages))
        self._put(VECTORS, self._vectors(), zipfile.ZIP_STORED)
        self._put(ITEMS, map(_line, self._items()))

    def _put(self, name: str, pieces: Iterable[bytes], kind: int = zipfile.ZIP_DEFLATED) -> None:
        member = zipfile.ZipInfo(name, _MOMENT)
        member.compress_type = kind
        member.create_system = 3
        member.external_attr = 0o600 << 16
        with self._archive.open(member, "w", force_zip64=True) as file:
            for piece in pieces:
                file.write(piece)

    def _count_lines(self, lines: Iterable[bytes], total: int) -> Iterator[bytes]:
        for done, line in enumerate(lines):
            if done % _REPORT_EVERY == 0:
                self._report(done, total)
            yield line
        self._report(total, total)

    def _manifest(self) -> BundleManifest:
        base = self._base
        documents, passages = self._db.execute(
            "SELECT count(*), coalesce(sum(passages), 0) FROM documents WHERE base_id = ?", (base.id,)
        ).fetchone()
        vectors, size_bytes = self._db.execute(
            f"SELECT count(*), coalesce(max(length(v.vector)), 0) {_OF_BASE} {_VECTOR} WHERE b.id = ?",
            (base.id,),
        ).fetchone()
        return BundleManifest(
            FORMAT,
            VERSION,
            name=base.name,
            icon=base.icon,
            options=replace(base.options, place=""),  # the place of the vectors is a setting of this machine
            model=base.model,
            fingerprint=self._fingerprint(),
            dimensions=size_bytes // FLOAT_BYTES,
            documents=documents,
            passages=passages,
            vectors=vectors,
            items=base.items,
        )

    def _fingerprint(self) -> str:
        query = "SELECT value FROM facts WHERE name = ?"
        row = self._db.execute(query, (FINGERPRINT + self._base.model,)).fetchone()
        return str(row["value"]) if row else ""

    def _documents(self) -> Iterator[DocumentLine]:
        for row in self._db.execute(
            """
            SELECT d.sha256, d.title, d.pages, d.scanned, d.passages, t.text, d.is_cut
            FROM documents d JOIN texts t ON t.document_id = d.id WHERE d.base_id = ? ORDER BY d.id
            """,
            (self._base.id,),
        ):
            yield DocumentLine(**{**dict(row), "is_cut": bool(row["is_cut"])})

    def _passages(self) -> Iterator[PassageLine]:
        for document, text in self._db.execute(
            """
            SELECT d.id, t.text FROM documents d JOIN texts t ON t.document_id = d.id
            WHERE d.base_id = ? ORDER BY d.id
            """,
            (self._base.id,),
        ):
            for row in self._db.execute(
                f"""
                SELECT p.page, p.section, p.start, p."end", f.head, f.body, p.text,
                       v.vector IS NOT NULL AS is_embedded
                {_OF_BASE} JOIN passages_fts f ON f.rowid = p.id LEFT {_VECTOR}
                WHERE d.id = ? ORDER BY p.ordinal
                """,
                (document,),
            ):
                line = PassageLine(**{**row, "is_embedded": bool(row["is_embedded"])})
                is_told = line.text == text[line.start : line.end]
                yield msgspec.structs.replace(line, text="") if is_told else line

    def _vectors(self) -> Iterator[bytes]:
        for row in self._db.execute(
            f"SELECT v.vector {_OF_BASE} {_VECTOR} WHERE b.id = ? ORDER BY d.id, p.ordinal",
            (self._base.id,),
        ):
            yield row["vector"]

    def _items(self) -> Iterator[ItemLine]:
        places = {
            row["id"]: place
            for place, row in enumerate(
                self._db.execute("SELECT id FROM documents WHERE base_id = ? ORDER BY id", (self._base.id,))
            )
        }
        for row in self._db.execute(
            """
            SELECT i.name, i.kind, i.path, i.error, i.read_at, i.document_id,
                   iif(i.kind = 'note', c.body, NULL) AS note,
                   (SELECT json_group_array(tag) FROM item_tags t WHERE t.item_id = i.id) AS tags
            FROM items i LEFT JOIN contents c ON c.item_id = i.id WHERE i.base_id = ? ORDER BY i.position
            """,
            (self._base.id,),
        ):
            document = places.get(row["document_id"])
            yield ItemLine(
                row["name"],
                ItemKind(row["kind"]),
                row["path"],
                row["error"] or ("" if document is not None else encode_message(_UNREAD)),
                tuple(msgspec.json.decode(row["tags"], type=list[str])),
                row["read_at"],
                document,
                (row["note"] or b"").decode(),
            )


def _line(line: msgspec.Struct) -> bytes:
    return msgspec.json.encode(line) + b"\n"
