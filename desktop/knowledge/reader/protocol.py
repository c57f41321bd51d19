"""The requests of the worker to a reader process, the replies, and the parsed file."""

from collections.abc import Callable

import msgspec

from desktop.knowledge.loaders.document import Document
from desktop.knowledge.reader.split import MAX_PASSAGE_TOKENS, Chunk, split, token_counter
from desktop.text.terms import terms_line

MAX_PASSAGES = 200_000
"""Maximum passages per file, ten times the number for the longest text of sentences. Headings or keys without
text between them would give 250,000 per megabyte.
"""


class ReadOptions(msgspec.Struct, frozen=True):
    """Options for reading a file.

    A passage has at most `passage_tokens` tokens; 0 means the default of the built-in model. They are counted
    with the `tokenizer.json` at the path `tokenizer`, or with that of the built-in model. With `ocr`, pages
    without a text layer are read as pictures; with `describes`, those of them that show something other than
    text are listed. With `keeps_links`, the text has the links and notes of the file as Markdown.
    """

    passage_tokens: int = 0
    tokenizer: str = ""
    ocr: bool = True
    describes: bool = False
    keeps_links: bool = False


class IndexEntry(msgspec.Struct, frozen=True):
    """A passage with its index terms; `head` and `body` are terms separated by spaces.

    `head` has the terms of the document's name, title and section, so that a passage can be found by them
    without repeating them.
    """

    chunk: Chunk
    head: str
    body: str


class ParsedFile(msgspec.Struct, frozen=True):
    """A file ready for the index; `scanned` is the number of pages read as pictures.

    If it `is_cut`, it has only the beginning of the file. `wordless` is as in `Document`.
    """

    title: str
    pages: int | None
    text: str
    entries: tuple[IndexEntry, ...]
    scanned: int = 0
    is_cut: bool = False
    wordless: tuple[int | None, ...] = ()


def _always() -> bool:
    """Set no limit."""
    return True


def reading_of(
    document: Document,
    name: str,
    options: ReadOptions = ReadOptions(),
    goes_on: Callable[[], bool] = _always,
) -> ParsedFile:
    """Return the passages of a document called `name` with their terms; stops when `goes_on` returns False."""
    limit = options.passage_tokens or MAX_PASSAGE_TOKENS
    heads: dict[str, str] = {}
    entries: list[IndexEntry] = []
    text, is_cut = document.text, document.is_cut
    for chunk in split(document, token_counter(options.tokenizer), limit):
        if (not goes_on() or len(entries) == MAX_PASSAGES) and entries:
            text, is_cut = text[: entries[-1].chunk.end], True
            break
        if chunk.section not in heads:
            heads[chunk.section] = terms_line(f"{name}\n{document.title}\n{chunk.section}")
        entries.append(IndexEntry(chunk, heads[chunk.section], terms_line(chunk.text)))
    return ParsedFile(
        document.title,
        document.pages,
        text,
        tuple(entries),
        document.scanned,
        is_cut,
        document.wordless,
    )


class ReadFile(msgspec.Struct, frozen=True, tag="read"):
    """Requests the content of a file.

    Without `reads_pictures`, the reply can be `ScanNeeded`; for a file that unpacks to more than `max_bytes`,
    it is `LargeFile`.
    """

    path: str
    options: ReadOptions
    reads_pictures: bool
    max_bytes: int | None = None


class DrawFile(msgspec.Struct, frozen=True, tag="draw"):
    """Requests a page of a file as a picture."""

    path: str
    page: int | None


ReaderRequest = ReadFile | DrawFile


class Drawn(msgspec.Struct, frozen=True, tag="drawn"):
    """A rendered page; empty if the page has a text layer."""

    jpeg: bytes


class PageDone(msgspec.Struct, frozen=True, tag="page"):
    """The reader has processed `done` of `total` pages."""

    done: int
    total: int


class ReadOk(msgspec.Struct, frozen=True, tag="read"):
    """The reader has read a file."""

    reading: ParsedFile


class ReadFailed(msgspec.Struct, frozen=True, tag="unread"):
    """The reader could not read a file."""

    error: str
    fields: dict[str, str]


class ScanNeeded(msgspec.Struct, frozen=True, tag="scan"):
    """There are pages without a text layer, and this reader does not read pictures."""


class LargeFile(msgspec.Struct, frozen=True, tag="large"):
    """The file unpacks to more than this reader accepts."""


ReaderReply = PageDone | ReadOk | ReadFailed | ScanNeeded | LargeFile | Drawn
