"""The requests of the worker to a reader process, the replies, and the parsed file, split into small passages."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import msgspec

from desktop.knowledge.bundled_models import minilm_tokenizer
from desktop.knowledge.loaders.document import PART_JOIN, Document, DocumentPart
from desktop.text.sentences import Span, split_sentences
from desktop.text.terms import terms_line

MAX_PASSAGE_TOKENS = 200
"""MiniLM reads 256 word pieces; the rest is for the title that is embedded with the passage."""

_KNOWN_WORDS = 200_000
_WINDOW_CHARS = 200_000
"""Longer parts are split in windows, because each sentence takes some hundred bytes of memory meanwhile."""

CountTokens = Callable[[Sequence[str]], list[int]]


@dataclass(frozen=True)
class Chunk:
    """A passage to index: `text` is `document.text[start:end]`."""

    text: str
    start: int
    end: int
    page: int | None = None
    section: str = ""


@dataclass(frozen=True)
class _Piece:
    """A sentence, or a part of one that is too long."""

    start: int
    end: int
    tokens: int


@lru_cache(maxsize=4)
def token_counter(tokenizer: str = "") -> CountTokens:
    """Return a function that counts tokens with the `tokenizer.json` at that path.

    The default is MiniLM's: its tokenizer is small, and its counts are close to those of E5, which makes fewer
    tokens of Chinese. As no model makes a token of more than one word, the count of each distinct word is
    cached.
    """
    from tokenizers import Tokenizer  # noqa: PLC0415 - the worker imports this module but splits nothing

    model = Tokenizer.from_file(tokenizer or str(minilm_tokenizer()))
    model.no_truncation()
    model.no_padding()
    known: dict[str, int] = {}

    def count(texts: Sequence[str]) -> list[int]:
        words = [text.split() for text in texts]
        unknown = list({word for row in words for word in row if word not in known})
        if len(known) + len(unknown) > _KNOWN_WORDS:
            known.clear()
            unknown = list({word for row in words for word in row})
        encodings = model.encode_batch_fast(unknown, add_special_tokens=False)
        known.update(zip(unknown, map(len, encodings), strict=True))
        return [sum([known[word] for word in row]) for row in words]

    return count


def split(document: Document, count: CountTokens, limit: int = MAX_PASSAGE_TOKENS) -> Iterator[Chunk]:
    """Yield the passages of a document in order; none crosses a page or a heading.

    Every passage has at most `limit` tokens, and together they contain all of the text except white space
    between sentences.
    """
    offset = 0
    for part in document.parts:
        begin = 0
        for text in _windows(part.text):
            yield from _split_part(replace(part, text=text), offset + begin, count, limit)
            begin += len(text)
        offset += len(part.text) + len(PART_JOIN)


def _windows(text: str) -> Iterator[str]:
    """Split a long text after lines, else at spaces, else anywhere."""
    begin = 0
    while len(text) - begin > _WINDOW_CHARS:
        end = begin + _WINDOW_CHARS
        least = begin + _WINDOW_CHARS // 2
        cut = text.rfind("\n", least, end) + 1 or text.rfind(" ", least, end) + 1 or end
        yield text[begin:cut]
        begin = cut
    yield text[begin:]


def _split_part(part: DocumentPart, offset: int, count: CountTokens, limit: int) -> Iterator[Chunk]:
    if len(part.text.encode("utf-8", "replace")) <= limit:  # no model makes more tokens than there are bytes
        bare = part.text.strip()
        begin = offset + part.text.index(bare)
        if bare:
            yield Chunk(bare, begin, begin + len(bare), part.page, part.section)
        return
    for group in _groups(_pieces(part.text, count, limit), limit):
        start, end = group[0].start, group[-1].end
        yield Chunk(part.text[start:end], offset + start, offset + end, part.page, part.section)


def _pieces(text: str, count: CountTokens, limit: int) -> list[_Piece]:
    """Return the sentences with their token counts, halving those over the limit."""
    done: list[_Piece] = []
    spans = split_sentences(text)
    while spans:
        sizes = count([text[span.start : span.end] for span in spans])
        done.extend(
            _Piece(span.start, span.end, size)
            for span, size in zip(spans, sizes, strict=True)
            if _fits(span, size, limit)
        )
        spans = [
            half
            for span, size in zip(spans, sizes, strict=True)
            if not _fits(span, size, limit)
            for half in _halves(text, span)
        ]
    return sorted(done, key=lambda piece: piece.start)


def _fits(span: Span, tokens: int, limit: int) -> bool:
    return tokens <= limit or span.end - span.start == 1


def _halves(text: str, span: Span) -> tuple[Span, Span]:
    """Split near the middle, after a space if there is one."""
    middle = (span.start + span.end) // 2
    space = text.rfind(" ", span.start + (middle - span.start) // 2, middle) + 1
    cut = space or middle
    return Span(span.start, cut), Span(cut, span.end)


def _groups(pieces: Sequence[_Piece], limit: int) -> Iterator[list[_Piece]]:
    """Group whole sentences into passages of similar size, rather than leaving a tiny last one."""
    total = sum(piece.tokens for piece in pieces)
    target = total / max(1, -(-total // limit))
    group: list[_Piece] = []
    size = 0
    for piece in pieces:
        if group and (size + piece.tokens > limit or size + piece.tokens / 2 > target):
            yield group
            group, size = [], 0
        group.append(piece)
        size += piece.tokens
    if group:
        yield group


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
