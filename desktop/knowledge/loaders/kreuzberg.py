"""Older office documents and e-books through kreuzberg, which converts them to Markdown.

kreuzberg holds the file in memory twice, so large archives are passed to it without their pictures.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from html import unescape
from pathlib import Path, PurePosixPath
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZIP_DEFLATED, BadZipFile, ZipFile

from kreuzberg import (
    ExtractionConfig,
    ExtractionResult,
    ImageExtractionConfig,
    KreuzbergError,
    PageConfig,
    extract_file_sync,
)

from desktop.errors import CorruptFile
from desktop.knowledge.loaders.document import Document, DocumentPart, LoaderContext, document_of
from desktop.knowledge.loaders.markdown import split_by_headings
from desktop.knowledge.loaders.ooxml import is_ole
from desktop.phrases import translatable

_UNREADABLE = translatable("it is not a readable {kind} file")
_MARKER = "\n\n\ue000{page_num}\ue000\n\n"
"""Separator between slides; these private-use characters do not occur in documents."""
_MARKED = re.compile("\ue000(\\d+)\ue000")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_LOCKED = re.compile(r"password|encrypt|protected", re.IGNORECASE)

_config: Any = ExtractionConfig  # its type hints lack `disable_ocr`
_CONFIG = _config(
    use_cache=False,
    disable_ocr=True,
    enable_quality_processing=False,
    images=ImageExtractionConfig(extract_images=False),
    output_format="markdown",
    pages=PageConfig(extract_pages=True, insert_page_markers=True, marker_format=_MARKER),
)
MOST_BYTES = 32 * 1024 * 1024
_SUFFIXES = frozenset({".odt", ".epub"})
_WITH_WORDS = frozenset({"", ".xml", ".rdf", ".opf", ".ncx", ".xhtml", ".html", ".htm"})


def load_office(path: Path, context: LoaderContext) -> Document:
    """Load a document by headings, a presentation by slides, a workbook by sheets, a mail with its header.

    Raises:
        CorruptFile: kreuzberg cannot open it, or it needs a password.
    """
    try:
        with strip_media(path) as words:
            result = extract_file_sync(words, config=_CONFIG)
    except (KreuzbergError, BadZipFile) as error:
        raise CorruptFile(name=path.name, detail=_reason(path, error)) from error
    parts = _parts(result.content)
    pages = max((part.page for part in parts if part.page is not None), default=None)
    if pages is not None:
        context.report(pages, pages)
    return document_of(_title(result), parts, pages)


def _parts(markdown: str) -> list[DocumentPart]:
    before, *marked = _MARKED.split(markdown)
    pieces: list[tuple[int | None, str]] = [(None, before)]
    pieces.extend((int(number), text) for number, text in zip(marked[::2], marked[1::2], strict=True))
    return [
        DocumentPart(unescape(_ESCAPED.sub(r"\1", part.text)), part.page, unescape(part.section))
        for page, text in pieces
        for part in split_by_headings(text, page)
    ]


def _title(result: ExtractionResult) -> str:
    return str(result.metadata.get("title") or result.metadata.get("subject") or "")


def _reason(path: Path, error: Exception) -> str:
    is_container, suffix = is_ole(path), path.suffix.lower()
    # A locked xlsx or pptx file is an OLE container instead of a zip archive.
    if _LOCKED.search(str(error)) or (is_container and suffix in {".xlsx", ".pptx"}):
        return translatable("it needs a password")
    # older than PowerPoint 97, or with a rare structure
    if is_container and suffix == ".ppt":
        return translatable("its slides can’t be read; save it as pptx")
    return _UNREADABLE.format(kind=suffix.removeprefix("."))


@contextmanager
def strip_media(path: Path) -> Iterator[Path]:
    """Provide the path of a copy of a large archive without pictures; for other files, the path itself.

    Raises:
        BadZipFile: it is not an archive, or a damaged one.
    """
    if path.suffix.lower() not in _SUFFIXES or path.stat().st_size <= MOST_BYTES:
        yield path
        return
    with TemporaryDirectory() as folder:
        copy = Path(folder, path.name)
        with ZipFile(path) as archive, ZipFile(copy, "w", ZIP_DEFLATED) as words:
            for member in archive.infolist():
                if PurePosixPath(member.filename).suffix.lower() in _WITH_WORDS:
                    words.writestr(member.filename, archive.read(member))
        yield copy
