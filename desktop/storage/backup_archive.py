"""Deduplicated backups on a target, each of which costs only what has changed.

A file is cut into pieces of one size, stored compressed under the SHA-256 of their contents; a backup is the
list of its files' pieces. SQLite changes its pages in place, so most pieces are on the target already.

    pieces/<sha256>                       zlib
    copies/20260301T120000Z.json          the state at noon, in UTC
    copies/20260301T120000Z.000007        its number

Nothing is ever overwritten, so an old state cannot replace a newer one. Backups are ordered by their numbers,
since a clock may be wrong. The number is a separate file because earlier versions, also on other computers,
only recognise backups by the names above and would delete the pieces of any others. Backups without a number,
made by those versions, come before all others.
"""

import asyncio
import hashlib
import json
import re
import shutil
import zlib
from collections.abc import AsyncGenerator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec

from desktop.domain.backups import TransferProgress
from desktop.errors import BackupFailed, StorageFull
from desktop.phrases import translatable
from desktop.sqlite import translate_errors
from desktop.storage.backup_targets import BackupTarget
from desktop.storage.db.database import NUMBER
from desktop.storage.local_copies import LocalBackup, select_superseded

PIECE_BYTES: Final = 2**20
FORMAT: Final = "footnote-backup"
VERSION: Final = 1

_STAMP = "%Y%m%dT%H%M%SZ"
_PIECES, _COPIES = "pieces", "copies"
_DAMAGED: Final = translatable("The backup of {moment} is damaged.")
_NEWER: Final = translatable("The backup of {moment} was made by a newer version of Footnote.")
_PROBE = "footnote-test"
_NUMBERED: Final = re.compile(r"(\d{8}T\d{6}Z)\.(\d{6,12})")


class FileEntry(msgspec.Struct, frozen=True):
    """A file of a backup: the SHA-256 of its pieces in order."""

    size: int
    pieces: tuple[str, ...]


class ArchiveManifest(msgspec.Struct, frozen=True):
    """The contents of a backup. Names of files contain no folders."""

    format: str
    version: int
    taken_at: datetime
    files: dict[str, FileEntry]


@dataclass(frozen=True)
class ArchivedBackup:
    """A backup on a target."""

    name: str
    taken_at: datetime
    number: int = 0


class Archive:
    """The backups on one target; `place` is its name for the user. Methods raise `BackupFailed`."""

    def __init__(self, target: BackupTarget, place: str) -> None:
        self._target = target
        self._place = place
        self._manifests: dict[str, ArchiveManifest] = {}

    async def copies(self) -> tuple[ArchivedBackup, ...]:
        """Return the backups, newest first; files with other names are ignored."""
        names = await self._target.names(_COPIES)
        return _list_backups(names, _numbers(names))

    async def put(self, files: Mapping[str, Path], now: datetime) -> AsyncGenerator[TransferProgress]:
        """Back up files that are not being written; every new piece is read back before the backup counts.

        Remains of an interrupted backup are removed by the next one.
        """
        before = await self.copies()
        taken_at = now.replace(microsecond=0)
        while taken_at in {copy.taken_at for copy in before}:
            taken_at += timedelta(seconds=1)
        number = max((copy.number for copy in before), default=0) + 1
        there = set(await self._target.names(_PIECES))
        sizes = await asyncio.to_thread(_sizes, files)
        total, done = sum(sizes.values()), 0
        entries = {}
        yield TransferProgress(0, total)
        for name, path in files.items():
            pieces: list[str] = []
            with path.open("rb") as file:
                while piece := await asyncio.to_thread(file.read, PIECE_BYTES):
                    pieces.append(await self._put_piece(piece, there))
                    done += len(piece)
                    yield TransferProgress(done, total)
            entries[name] = FileEntry(sizes[name], tuple(pieces))
        manifest = ArchiveManifest(FORMAT, VERSION, taken_at, entries)
        stamp = taken_at.strftime(_STAMP)
        name = f"{stamp}.json"
        await self._target.put(f"{_COPIES}/{stamp}.{NUMBER.format(number)}", str(number).encode())
        await self._target.put(f"{_COPIES}/{name}", msgspec.json.encode(manifest))
        await self._check_whole(name)
        await self._remove_leftovers()

    async def manifest(self, name: str) -> ArchiveManifest:
        """Return the contents of a backup.

        Raises:
            BackupFailed: it is damaged, or from a newer version.
        """
        if name not in self._manifests:
            data = await self._target.get(f"{_COPIES}/{name}")
            self._manifests[name] = self._check_manifest(name, data)
        return self._manifests[name]

    async def fetch(self, name: str, folder: Path) -> AsyncGenerator[TransferProgress]:
        """Restore a backup into an existing, dedicated folder; every piece is checked against its digest."""
        manifest = await self.manifest(name)
        total, done = sum(entry.size for entry in manifest.files.values()), 0
        if any(len(entry.pieces) != -(-entry.size // PIECE_BYTES) for entry in manifest.files.values()):
            raise self._make_damage_error(name)
        if total > shutil.disk_usage(folder).free:  # checked before the disk is filled
            raise StorageFull(detail="")
        yield TransferProgress(0, total)
        for file_name, entry in manifest.files.items():
            path = folder / file_name
            with translate_errors(path), path.open("wb") as file:
                for digest in entry.pieces:
                    piece = await self._piece(name, digest)
                    await asyncio.to_thread(file.write, piece)
                    done += len(piece)
                    yield TransferProgress(done, total)
                size = file.tell()
            if size != entry.size:
                raise self._make_damage_error(name)

    async def keep_newest(self) -> None:
        """Delete all backups except the newest, and the pieces that only they used."""
        for copy in (await self.copies())[1:]:
            await self._delete(copy.name)
        await self._remove_leftovers()

    async def try_out(self) -> None:
        """Write, read and delete a small test file."""
        data = datetime.now(UTC).isoformat().encode()
        await self._target.put(_PROBE, data)
        if await self._target.get(_PROBE) != data:
            raise BackupFailed(
                place=self._place, detail=translatable("The file written there was different when read back.")
            )
        await self._target.delete(_PROBE)

    async def _put_piece(self, piece: bytes, there: set[str]) -> str:
        digest = await asyncio.to_thread(_digest, piece)
        if digest not in there:
            packed = await asyncio.to_thread(zlib.compress, piece)
            name = f"{_PIECES}/{digest}"
            await self._target.put(name, packed)
            if await self._target.get(name) != packed:
                await self._target.delete(name)
                raise BackupFailed(
                    place=self._place,
                    detail=translatable("The file written there was different when read back."),
                )
            there.add(digest)
        return digest

    async def _piece(self, copy: str, digest: str) -> bytes:
        packed = await self._target.get(f"{_PIECES}/{digest}")
        try:
            piece = await asyncio.to_thread(zlib.decompressobj().decompress, packed, PIECE_BYTES)
        except zlib.error as error:
            raise self._make_damage_error(copy) from error
        if await asyncio.to_thread(_digest, piece) != digest:
            raise self._make_damage_error(copy)
        return piece

    async def _check_whole(self, name: str) -> None:
        """Check that a new backup is complete: another computer may have deleted pieces meanwhile."""
        manifest = await self.manifest(name)
        if not _pieces_of([manifest]) <= await self._target.names(_PIECES):
            await self._target.delete(f"{_COPIES}/{name}")
            raise self._make_damage_error(name)

    async def _remove_leftovers(self) -> None:
        """Delete backups that are no longer needed, and unreferenced pieces."""
        copies = [LocalBackup(Path(copy.name), copy.taken_at) for copy in await self.copies()]
        old = {copy.path.name for copy in select_superseded(copies)}
        kept = [await self._find_manifest(copy.path.name) for copy in copies if copy.path.name not in old]
        if None in kept:  # it is unknown which pieces an unreadable backup needs
            return
        for name in old:
            await self._delete(name)
        await self._delete_unused_numbers()
        needed = _pieces_of(manifest for manifest in kept if manifest is not None)
        for piece in filter(_is_ours, await self._target.names(_PIECES) - needed):
            await self._target.delete(f"{_PIECES}/{piece}")

    async def _delete(self, name: str) -> None:
        await self._target.delete(f"{_COPIES}/{name}")
        self._manifests.pop(name, None)

    async def _delete_unused_numbers(self) -> None:
        """Delete the numbers of deleted backups; a number above all others belongs to a backup in progress."""
        names = await self._target.names(_COPIES)
        numbers = _numbers(names)
        newest = max((copy.number for copy in _list_backups(names, numbers)), default=0)
        for name in names:
            if (named := _NUMBERED.fullmatch(name)) is None:
                continue
            is_used = f"{named[1]}.json" in names and int(named[2]) == numbers[named[1]]
            if not is_used and int(named[2]) <= newest:
                await self._target.delete(f"{_COPIES}/{name}")

    async def _find_manifest(self, name: str) -> ArchiveManifest | None:
        try:
            return await self.manifest(name)
        except BackupFailed:
            return None

    def _check_manifest(self, name: str, data: bytes) -> ArchiveManifest:
        try:
            if json.loads(data)["version"] > VERSION:
                raise BackupFailed(place=self._place, detail=_NEWER.format(moment=name.removesuffix(".json")))
            manifest = msgspec.json.decode(data, type=ArchiveManifest)
        except (ValueError, TypeError, KeyError, RecursionError) as error:
            raise self._make_damage_error(name) from error
        is_ours = manifest.format == FORMAT and all(map(_is_plain, manifest.files))
        if not is_ours or not all(map(_is_digest, _pieces_of([manifest]))):
            raise self._make_damage_error(name)
        return manifest

    def _make_damage_error(self, name: str) -> BackupFailed:
        return BackupFailed(place=self._place, detail=_DAMAGED.format(moment=name.removesuffix(".json")))


def _numbers(names: Iterable[str]) -> dict[str, int]:
    """Return the numbers of backups by the times in their names."""
    found: dict[str, int] = {}
    for named in filter(None, map(_NUMBERED.fullmatch, names)):
        found[named[1]] = max(int(named[2]), found.get(named[1], 0))
    return found


def _list_backups(names: Iterable[str], numbers: Mapping[str, int]) -> tuple[ArchivedBackup, ...]:
    found = []
    for name in names:
        stamp = name.removesuffix(".json")
        try:
            taken_at = datetime.strptime(stamp, _STAMP).replace(tzinfo=UTC)
        except ValueError:
            continue
        if name != stamp:
            found.append(ArchivedBackup(name, taken_at, numbers.get(stamp, 0)))
    return tuple(sorted(found, key=lambda copy: (copy.number, copy.taken_at), reverse=True))


def _sizes(files: Mapping[str, Path]) -> dict[str, int]:
    return {name: path.stat().st_size for name, path in files.items()}


def _digest(piece: bytes) -> str:
    return hashlib.sha256(piece).hexdigest()


def _pieces_of(manifests: Iterable[ArchiveManifest]) -> frozenset[str]:
    def each() -> Iterator[str]:
        for manifest in manifests:
            for entry in manifest.files.values():
                yield from entry.pieces

    return frozenset(each())


def _is_plain(name: str) -> bool:
    """Say whether a name stays inside the folder into which it is put."""
    return Path(name).name == name and "\\" not in name and ":" not in name


def _is_ours(name: str) -> bool:
    """Say whether a name is that of a complete or partly written piece; other files are left alone."""
    return _is_digest(name.partition(".")[0])


def _is_digest(name: str) -> bool:
    return len(name) == hashlib.sha256().digest_size * 2 and set(name) <= set("0123456789abcdef")
