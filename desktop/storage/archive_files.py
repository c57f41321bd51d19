"""The files of exports: written atomically, read within limits; see docs/formats.md.

A profile is a zip archive. It does not depend on when or where it was written, so that the same data gives the
same bytes; members are stored in this order:

    profile.json               format and version, and how much is in it
    memories.jsonl             as `footnote memory export` writes them
    settings.json              without keys; may be missing
    conversations/<n>.json     one each, the first used first
    bases/<n>.footnote-base    knowledge bases with their vectors; may be missing
"""

import json
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Final

from desktop.errors import NotExported, NotImported, plain_reason
from desktop.phrases import translatable
from desktop.settings.atomic_files import sync

PROFILE_FORMAT: Final = "footnote-profile"
PROFILE_VERSION: Final = 1
PROFILE, MEMORIES, SETTINGS = "profile.json", "memories.jsonl", "settings.json"
TOPICS = "topics.json"
CONVERSATIONS, BASES = "conversations/", "bases/"

MOST_BYTES: Final = 512 * 2**20
"""Maximum unpacked size of a file of conversations; a larger one would exhaust the memory."""
MOST_SETTINGS_BYTES: Final = 8 * 2**20
"""Maximum size of settings; with pictures and texts of all assistants they take some hundred kilobytes."""

MOST_MEMBERS: Final = 200_000
_MOST_GROWTH: Final = 50
_EPOCH: Final = (1980, 1, 1, 0, 0, 0)

_BROKEN: Final = (
    OSError,
    zipfile.BadZipFile,
    zlib.error,
    RuntimeError,  # includes NotImplementedError: a password, an unknown method
    EOFError,
    ValueError,
    struct.error,
)

_NO_FILE = translatable("It is not a file or does not exist.")
_TOO_LARGE = translatable("A file in it is larger than {limit} MB.")
_NOT_JSON = translatable("It contains no JSON.")
_DAMAGED = translatable("The archive is damaged.")
_TOO_MANY = translatable("It contains too many files.")


@contextmanager
def new_archive(path: Path) -> Iterator["ArchiveWriter"]:
    """Write an archive that is renamed to `path` by `finish`; otherwise it is discarded.

    Raises:
        NotExported: the disk fails; an existing file of that name is unchanged.
    """
    part = path.with_name(f"{path.name}.part")
    try:
        with zipfile.ZipFile(part, "w", allowZip64=True) as archive:
            yield ArchiveWriter(archive, part, path)
    except OSError as error:
        raise NotExported(name=path.name, detail=plain_reason(error)) from error
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


class ArchiveWriter:
    """Adds members without any data on when and where they were added. Every method blocks."""

    def __init__(self, archive: zipfile.ZipFile, part: Path, path: Path) -> None:
        self._archive = archive
        self._part = part
        self._path = path

    def add(self, name: str, data: bytes) -> None:
        """Add a member, compressed."""
        self._archive.writestr(_member(name, zipfile.ZIP_DEFLATED), data)

    def add_file(self, name: str, path: Path) -> None:
        """Add an already compressed file."""
        with path.open("rb") as source, self._archive.open(_member(name), "w", force_zip64=True) as target:
            while piece := source.read(2**20):
                target.write(piece)

    def finish(self) -> None:
        """Rename the archive to its final name, once it is synced to the disk."""
        self._archive.close()
        sync(self._part)
        self._part.replace(self._path)
        sync(self._path.parent)


def _member(name: str, compression: int = zipfile.ZIP_STORED) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _EPOCH)
    info.compress_type = compression
    info.create_system = 3
    info.external_attr = 0o600 << 16
    return info


class FileReader:
    """Reads an untrusted file or archive: every read is bounded, and member names are never used as paths.

    Raises:
        NotImported: from every method, if the file is invalid.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._last: tuple[str, bytes] | None = None
        self._unpacked = 0
        try:
            if not path.is_file():  # a pipe or a device may never end
                raise NotImported(name=path.name, detail=_NO_FILE)
            self._archive = zipfile.ZipFile(path) if zipfile.is_zipfile(path) else None
        except _BROKEN as error:
            raise self._make_damage_error(error) from error
        if self._archive is not None and len(self._archive.namelist()) > MOST_MEMBERS:
            self.close()
            raise NotImported(name=path.name, detail=_TOO_MANY)

    def __enter__(self) -> "FileReader":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._last = None
        if self._archive is not None:
            self._archive.close()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the members in order; none if it is not an archive."""
        return tuple(dict.fromkeys(self._archive.namelist())) if self._archive else ()

    def read(self, name: str = "", most: int = MOST_BYTES) -> bytes:
        """Return a member, or without a name the file itself; the last one read is cached."""
        if self._last is None or self._last[0] != name:
            self._last = (name, self._read(name, most))
        return self._last[1]

    def _read(self, name: str, most: int) -> bytes:
        try:
            # All members may refer to the same data in the file: unpacking all of them would take days.
            if self._unpacked > max(MOST_BYTES, _MOST_GROWTH * self.path.stat().st_size):
                raise NotImported(name=self.path.name, detail=_DAMAGED)
            with self._open(name) as file:
                data = file.read(most + 1)
            self._unpacked += len(data)
        except _BROKEN as error:
            raise self._make_damage_error(error) from error
        except KeyError as error:
            raise NotImported(name=self.path.name, detail=_DAMAGED) from error
        if len(data) > most:
            raise NotImported(name=self.path.name, detail=_TOO_LARGE.format(limit=most // 2**20))
        return data

    def head(self, size: int = 4_096) -> bytes:
        """Return the beginning of the file itself."""
        try:
            with self.path.open("rb") as file:
                return file.read(size)
        except OSError as error:
            raise self._make_damage_error(error) from error

    def json(self, name: str = "") -> Any:
        """Return the parsed JSON of a member."""
        try:
            return json.loads(self.read(name))
        except (ValueError, RecursionError) as error:
            raise NotImported(name=self.path.name, detail=_NOT_JSON) from error

    def copy_out(self, name: str, target: Path) -> None:
        """Copy a member into a file, up to the size that the archive states.

        Such members are already compressed: one that would still grow many times over is meant to fill the
        disk.
        """
        info = self._archive.getinfo(name) if self._archive is not None else None
        if info is not None and info.file_size > _MOST_GROWTH * max(info.compress_size, 2**10):
            raise NotImported(name=self.path.name, detail=_DAMAGED)
        try:
            with self._open(name) as source, target.open("wb") as file:
                while piece := source.read(2**20):
                    file.write(piece)
        except _BROKEN as error:
            raise self._make_damage_error(error) from error

    def _open(self, name: str) -> IO[bytes]:
        if self._archive is not None and name:
            return self._archive.open(name)
        return self.path.open("rb")

    def _make_damage_error(self, error: Exception) -> NotImported:
        detail = plain_reason(error) if isinstance(error, OSError) else _DAMAGED
        return NotImported(name=self.path.name, detail=detail)
