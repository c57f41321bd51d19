"""Selection of the loader for a file by its format, which is known by suffix or else by content."""

import stat
from importlib import import_module
from pathlib import Path
from typing import cast
from zipfile import BadZipFile, ZipFile

from desktop.domain.file_formats import PDF, PICTURE, PLAIN, FileFormat, format_named
from desktop.domain.pictures import ICO, picture_type
from desktop.errors import FileUnreadable, NothingToRead, ReadingFailed, UnsupportedFile, plain_reason
from desktop.knowledge.loaders.document import Document, Draw, Loader, LoaderContext, Pixels
from desktop.knowledge.loaders.plain import looks_like_text
from desktop.phrases import translatable

MAX_FILE_BYTES = 512 * 1024 * 1024

MAX_UNPACKED_BYTES = 1024 * 1024 * 1024

_TOO_LARGE = translatable("it is larger than {size} MB")
_BOMB = translatable("it is larger than {size} MB when unpacked")

_PACKAGE = "desktop.knowledge.loaders"
_PDF_MAGIC = b"%PDF-"
"""May be preceded by other bytes."""
_MAGIC_BYTES = 1_024
_ZIP_MAGIC = b"PK\x03\x04"


def load(path: Path, context: LoaderContext = LoaderContext()) -> Document:
    """Return the text of a file.

    Raises:
        NeedsScan: as `LoaderContext.read_picture` does.
        KnowledgeError: it cannot be opened, or is of an unknown type, damaged, locked or empty.
    """
    try:
        _check(path)
        document = _loader_for(path)(path, context)
    except OSError as error:
        raise FileUnreadable(name=path.name, detail=plain_reason(error, within_sentence=True)) from error
    except RecursionError as error:
        raise ReadingFailed(name=path.name, detail=translatable("its parts are nested too deeply")) from error
    except MemoryError as error:
        raise ReadingFailed(name=path.name, detail=translatable("it needs too much memory")) from error
    if not document.parts and not document.wordless:
        raise NothingToRead(name=path.name, detail="")
    return document


def draw(path: Path, page: int | None) -> "Pixels | None":
    """Return a page or a picture file as a picture; None if it was not read as a picture."""
    drawer = _format_of(path).drawer
    return cast("Draw", _import_named(drawer))(path, page) if drawer else None


def check_file(path: Path) -> None:
    """Reject files that should not be opened, as reading could take forever: a sparse file can have any size.

    Raises:
        KnowledgeError: it is not a regular file, is empty, or exceeds the maximum size.
        OSError: it does not exist.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise UnsupportedFile(name=path.name, detail=translatable("not a regular file"))
    if found.st_size == 0:
        raise NothingToRead(name=path.name, detail=translatable("It is empty."))
    if found.st_size > MAX_FILE_BYTES:
        raise ReadingFailed(name=path.name, detail=_TOO_LARGE.format(size=MAX_FILE_BYTES // 2**20))


def is_large(path: Path, max_bytes: int) -> bool:
    """Say whether an archive unpacks to more than `max_bytes`; False if `load` rejects it anyway."""
    try:
        return path.is_file() and max_bytes < _unpacked_bytes(path) <= MAX_UNPACKED_BYTES
    except OSError:
        return False


def _check(path: Path) -> None:
    check_file(path)
    if _unpacked_bytes(path) > MAX_UNPACKED_BYTES:
        raise ReadingFailed(name=path.name, detail=_BOMB.format(size=MAX_UNPACKED_BYTES // 2**20))


def _unpacked_bytes(path: Path) -> int:
    """Return the declared unpacked size of an archive, such as a docx file; 0 for any other file."""
    if _head(path, len(_ZIP_MAGIC)) != _ZIP_MAGIC:
        return 0
    try:
        with ZipFile(path) as archive:
            return sum(member.file_size for member in archive.infolist())
    except (BadZipFile, NotImplementedError, ValueError):  # its loader reports the error
        return 0


def _head(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        return file.read(size)


def _loader_for(path: Path) -> Loader:
    found = _format_of(path)
    if not found.loader:
        suffix = path.suffix.lower()
        words = found.instead if suffix else translatable("no suffix")
        raise UnsupportedFile(name=path.name, detail=words.format(suffix=suffix))
    return cast("Loader", _import_named(found.loader))


def _format_of(path: Path) -> FileFormat:
    found = format_named(path)
    return found if found.loader else _by_content(path) or found


def _import_named(address: str) -> object:
    module, name = address.split(":")
    return getattr(import_module(f"{_PACKAGE}.{module}"), name)


def _by_content(path: Path) -> FileFormat | None:
    head = _head(path, _MAGIC_BYTES)
    if picture_type(head) not in {"", ICO}:
        return PICTURE
    if _PDF_MAGIC in head:
        return PDF
    return PLAIN if looks_like_text(path) else None
