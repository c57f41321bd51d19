"""Which loader reads which file: by suffix, and by content where the suffix says nothing."""

import stat
from importlib import import_module
from pathlib import Path
from typing import cast

from desktop.errors import FileUnreadable, NothingToRead, UnsupportedFile
from desktop.knowledge.loaders.document import Desk, Document, Loader
from desktop.knowledge.loaders.plain import looks_like_text
from desktop.phrases import phrase

MAX_FILE_BYTES = 512 * 1024 * 1024

_TOO_LARGE = phrase("larger than {size} MB")

_PLAIN = "desktop.knowledge.loaders.plain:load_plain"
_MARKDOWN = "desktop.knowledge.loaders.markdown:load_markdown"
_PDF = "desktop.knowledge.loaders.pdf:load_pdf"
_HTML = "desktop.knowledge.loaders.web:load_html"
_MHTML = "desktop.knowledge.loaders.web:load_mhtml"
_TABLE = "desktop.knowledge.loaders.table:load_table"
_WORD = "desktop.knowledge.loaders.word:load_word"
_OFFICE = "desktop.knowledge.loaders.office:load_office"
_PICTURE = "desktop.knowledge.loaders.picture:load_picture"

_BY_SUFFIX: dict[str, str] = {
    **dict.fromkeys((".txt", ".text", ".log", ".rst", ".srt"), _PLAIN),
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd"), _MARKDOWN),
    ".pdf": _PDF,
    **dict.fromkeys((".html", ".htm", ".xhtml"), _HTML),
    **dict.fromkeys((".mhtml", ".mht"), _MHTML),
    **dict.fromkeys((".csv", ".tsv"), _TABLE),
    **dict.fromkeys((".docx", ".docm"), _WORD),
    **dict.fromkeys((".doc", ".pptx", ".ppt", ".xlsx", ".xls", ".odt", ".rtf"), _OFFICE),
    **dict.fromkeys((".epub", ".eml", ".msg"), _OFFICE),
    **dict.fromkeys((".png", ".jpg", ".jpeg", ".webp", ".tif", ".tiff", ".bmp", ".gif"), _PICTURE),
}
_BY_MAGIC: tuple[tuple[bytes, str], ...] = ((b"%PDF-", _PDF),)
_MAGIC_BYTES = 1_024


def load(path: Path, desk: Desk = Desk()) -> Document:  # noqa: B008 - frozen
    """Return the text of a file.

    Raises:
        NeedsScan: as `desk.read_picture` does.
        KnowledgeError: it cannot be opened, is of no known kind, damaged, locked or empty.
    """
    try:
        _check(path)
        document = _loader_for(path)(path, desk)
    except OSError as error:
        raise FileUnreadable(name=path.name, detail=(error.strerror or str(error)).lower()) from error
    except MemoryError as error:
        raise UnsupportedFile(
            name=path.name, detail=phrase("it takes more memory than a file may")
        ) from error
    if not document.parts:
        raise NothingToRead(name=path.name, detail="")
    return document


def _check(path: Path) -> None:
    found = path.stat()
    if not stat.S_ISREG(found.st_mode):
        raise UnsupportedFile(name=path.name, detail=phrase("not a regular file"))
    if found.st_size == 0:
        raise NothingToRead(name=path.name, detail=phrase("It is empty."))
    if found.st_size > MAX_FILE_BYTES:
        raise UnsupportedFile(name=path.name, detail=_TOO_LARGE.format(size=MAX_FILE_BYTES // 2**20))


def _loader_for(path: Path) -> Loader:
    address = _BY_SUFFIX.get(path.suffix.lower()) or _by_content(path)
    if address is None:
        raise UnsupportedFile(name=path.name, detail=path.suffix.lower() or phrase("no suffix"))
    module, name = address.split(":")
    return cast("Loader", getattr(import_module(module), name))


def _by_content(path: Path) -> str | None:
    with path.open("rb") as file:
        head = file.read(_MAGIC_BYTES)
    for magic, address in _BY_MAGIC:
        if magic in head:
            return address
    return _PLAIN if looks_like_text(path) else None
