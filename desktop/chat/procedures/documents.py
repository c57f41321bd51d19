"""Documents to summarize: finding the one that a question means, its sections, and whole links and files."""

import hashlib
import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.chat.source_lookup import GatherRequest, attachment_base
from desktop.domain.addresses import path_of
from desktop.domain.knowledge import ItemInfo, ItemKind, ItemState, PassageInfo, scope_of
from desktop.domain.procedures import DocumentSection, KeyPoint, ReadDocument, SummaryState
from desktop.domain.sources import SECTION_JOIN, Locator, Passage, SourceKind
from desktop.errors import DocumentGone, DocumentUnreadable, NoDocumentChosen
from desktop.search.gather import GatherResult
from desktop.search.passage_selection import Candidate
from desktop.text.sentences import split_sentences
from desktop.text.tokens import estimate_tokens

if TYPE_CHECKING:  # imported for types only, as a turn without files needs no worker
    from desktop.knowledge.worker.client import KnowledgeClient

_NAME_JOIN = " · "
_SEARCHABLE = frozenset({ItemState.KEYWORD_READY, ItemState.READY})


@dataclass(frozen=True)
class Origin:
    """A text in a document. Its passages begin at `start` in the document; `text` is set for a web page."""

    kind: SourceKind
    title: str
    url: str
    sha256: str
    start: int = 0
    text: str = ""


@dataclass(frozen=True)
class OpenDocument:
    """A document and its passages in text order; it can consist of several texts, one after the other."""

    info: ReadDocument
    origins: tuple[Origin, ...]
    passages: tuple[PassageInfo, ...]

    def origin(self, info: PassageInfo) -> Origin:
        """Return the text that a passage comes from."""
        return self.origins[bisect_right(self.origins, info.start, key=lambda origin: origin.start) - 1]

    def passage(self, info: PassageInfo) -> Passage:
        """Return a passage in the form for the ledger, equal to the one that a retrieval returns."""
        origin = self.origin(info)
        where = Locator(info.page, info.section, info.start - origin.start, info.end - origin.start)
        return Passage(origin.kind, origin.title, info.text, origin.url, origin.sha256, where)

    def whole_passages(self) -> tuple[Passage, ...]:
        """Return the whole document as sources: the text of each page, the passages of each file."""
        files = (self.passage(info) for info in self.passages if not self.origin(info).text)
        pages = (
            Passage(SourceKind.WEB, origin.title, origin.text, origin.url)
            for origin in self.origins
            if origin.text
        )
        return (*pages, *files)

    @property
    def is_long(self) -> bool:
        """Whether the document has more content than one part."""
        return len(sections_of(self.passages, sum(estimate_tokens(each.text) for each in self.passages))) > 1


def join_documents(
    texts: Sequence[tuple[Origin, Sequence[PassageInfo]]], urls: tuple[str, ...]
) -> OpenDocument | None:
    """Return several texts with their passages as one document; None if there are none."""
    start, origins, passages = 0, list[Origin](), list[PassageInfo]()
    for origin, infos in texts:
        if not infos:
            continue
        origins.append(replace(origin, start=start))
        passages += (replace(info, start=info.start + start, end=info.end + start) for info in infos)
        start += infos[-1].end + 1
    if not origins:
        return None
    name = _NAME_JOIN.join(origin.title for origin in origins)
    digest = hashlib.sha256("".join(origin.sha256 for origin in origins).encode()).hexdigest()
    return OpenDocument(ReadDocument("", name, digest, urls=urls), tuple(origins), tuple(passages))


async def document_of(
    state: SummaryState, request: GatherRequest, documents: "KnowledgeClient"
) -> OpenDocument:
    """Return the document of a summary, or the one that a question means.

    That is the file sent with the question, an item in its scope, a file of an earlier question, or the only
    item of a base.

    Raises:
        NoDocumentChosen: the question does not determine a document.
        DocumentUnreadable: the document was not read into the base.
        DocumentGone: the summary began with other content.
    """
    item = await _item(request, documents)
    known = state.document
    if known is not None and (item is None or item.document != known.sha256):
        raise DocumentGone(name=known.name)
    if item is None:
        raise NoDocumentChosen
    if item.state not in _SEARCHABLE:
        raise DocumentUnreadable(name=item.name, detail=item.error)
    passages = await documents.passages(item.id)
    info = ReadDocument(item.id, item.name, item.document, item.pages)
    origin = Origin(SourceKind.FILE, item.name, url_of(item), item.document)
    return OpenDocument(info, (origin,), passages)


async def list_attachments(
    request: GatherRequest, documents: "KnowledgeClient", *, earlier: bool
) -> tuple[ItemInfo, ...]:
    """Return the items of the files of a question; if it has none, those of the last `earlier` question with any.

    Raises:
        KnowledgeError: the files are unavailable.
    """
    files = request.question.files
    if not files and earlier:
        files = next((message.files for message in reversed(request.history) if message.files), ())
    if not files:
        return ()
    base = await attachment_base(documents, request.question.conversation_id)
    items = {item.path: item for item in await documents.items(base.id) if item.state in _SEARCHABLE}
    return tuple(items[str(path)] for path in files if str(path) in items)


async def _item(request: GatherRequest, documents: "KnowledgeClient") -> ItemInfo | None:
    question = request.question
    if question.files:
        return await _find_attached(question.conversation_id, question.files[0], documents)
    scopes = [scope_of(key) for key in question.bases]
    for scope in scopes:
        if scope.item_id:
            items = await documents.items(scope.base_id)
            return next((item for item in items if item.id == scope.item_id), None)
    earlier = [path for message in request.history for path in message.files]
    if earlier:
        return await _find_attached(question.conversation_id, earlier[-1], documents)
    for scope in scopes:
        whole = _filter_by_tag(await documents.items(scope.base_id), scope.tag)
        if len(whole) == 1:
            return whole[0]
    return None


async def _find_attached(conversation_id: str, path: Path, documents: "KnowledgeClient") -> ItemInfo | None:
    base = await attachment_base(documents, conversation_id)
    return next((item for item in await documents.items(base.id) if item.path == str(path)), None)


def _filter_by_tag(items: Sequence[ItemInfo], tag: str) -> list[ItemInfo]:
    return [item for item in items if item.state in _SEARCHABLE and (not tag or tag in item.tags)]


def url_of(item: ItemInfo) -> str:
    """Return the address of an item; empty for a note."""
    return path_of(item.path).as_uri() if item.kind is ItemKind.FILE else item.path


_FEWEST = 12
"""Approximate minimum number of parts of a document, even if the model could read larger parts."""
_LEAST_TOKENS = 1_200
_MARKUP_TOKENS = 40
"""Tokens that a passage needs in addition to its text."""
_TOLD_HEADINGS = 3


def sections_of(passages: Sequence[PassageInfo], budget: int) -> tuple[DocumentSection, ...]:
    """Return the parts of a document, in order; together they contain all passages.

    Once a part is half full, it ends at the next chapter. It never has more than `budget` tokens, unless a
    single passage is larger.
    """
    total = sum(map(_tokens, passages))
    budget = min(budget, max(_LEAST_TOKENS, total // _FEWEST))
    return tuple(_section(part) for part in _parts(passages, budget))


def passages_in(section: DocumentSection, passages: Sequence[PassageInfo]) -> list[PassageInfo]:
    """Return the passages of a part."""
    return [each for each in passages if section.start <= each.start < section.end]


def halves(section: DocumentSection, passages: Sequence[PassageInfo]) -> tuple[DocumentSection, ...]:
    """Return a part split in two; a single passage is not split."""
    inside = passages_in(section, passages)
    middle = len(inside) // 2
    return tuple(_section(half) for half in (inside[:middle], inside[middle:]) if half)


def join_sections(parts: Sequence[DocumentSection], notes: tuple[KeyPoint, ...]) -> DocumentSection:
    """Return consecutive parts as one, with other notes."""
    first, last = parts[0], parts[-1]
    titles = list(dict.fromkeys(filter(None, (first.title, last.title))))
    return replace(first, title=" – ".join(titles), end=last.end, last_page=last.last_page, notes=notes)


def _parts(passages: Sequence[PassageInfo], budget: int) -> Iterator[list[PassageInfo]]:
    part: list[PassageInfo] = []
    size = 0
    for _, run in groupby(passages, key=lambda passage: passage.section):
        chapter = list(run)
        whole = sum(map(_tokens, chapter))
        ends = part and _chapter(chapter[0]) != _chapter(part[-1]) and size * 2 > budget
        if part and (ends or size + whole > budget >= whole):
            yield part
            part, size = [], 0
        for passage in chapter:
            if part and size + _tokens(passage) > budget:
                yield part
                part, size = [], 0
            part.append(passage)
            size += _tokens(passage)
    if part:
        yield part


def _section(part: Sequence[PassageInfo]) -> DocumentSection:
    pages = [passage.page for passage in part if passage.page is not None]
    section = DocumentSection(_title(part), part[0].start, part[-1].end)
    return replace(section, first_page=min(pages), last_page=max(pages)) if pages else section


def _title(part: Sequence[PassageInfo]) -> str:
    """Return the common heading of a part, with the headings of the next level."""
    paths = list(dict.fromkeys(passage.section for passage in part if passage.section))
    if len(paths) <= 1:
        return "".join(paths)
    split = [path.split(SECTION_JOIN) for path in paths]
    shared = 0
    while all(len(path) > shared + 1 and path[shared] == split[0][shared] for path in split):
        shared += 1
    heads = list(dict.fromkeys(path[shared] for path in split))
    below = " · ".join(heads[:_TOLD_HEADINGS]) + (" …" if len(heads) > _TOLD_HEADINGS else "")
    return SECTION_JOIN.join([*split[0][:shared], below])


def _chapter(passage: PassageInfo) -> str:
    return passage.section.split(SECTION_JOIN)[0]


def _tokens(passage: PassageInfo) -> int:
    return estimate_tokens(passage.text) + _MARKUP_TOKENS


_PASSAGE_TOKENS = 200
_HEADING = re.compile(r"(#{1,6})\s+(\S.*)")


async def whole_document(
    request: GatherRequest, gathered: GatherResult, documents: "KnowledgeClient"
) -> OpenDocument | None:
    """Return the linked pages and attached files of a question that asks for their gist; None without any.

    If the question has no link, file or base, files of earlier questions are used. Unreadable ones are left
    out.

    Raises:
        KnowledgeError: the files are unavailable.
    """
    if not gathered.intent.summarizes:
        return None
    items = await list_attachments(request, documents, earlier=not (gathered.whole or request.question.bases))
    pages = [_page(page) for page in gathered.whole]
    files = [(_file(item), await documents.passages(item.id)) for item in items]
    return join_documents([*pages, *files], tuple(page.url for page in gathered.whole))


def passages_of(text: str) -> tuple[PassageInfo, ...]:
    """Return the passages of a page in text order: sentences under one heading; together they are the whole text."""
    return tuple(
        PassageInfo(ordinal, text[start:end], None, section, start, end, is_embedded=False)
        for ordinal, (start, end, section) in enumerate(_stretches(text))
    )


def _stretches(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, headings) for runs of sentences."""
    path: list[tuple[int, str]] = []
    start = end = tokens = 0
    for sentence in split_sentences(text):
        words = text[sentence.start : sentence.end]
        heading = _HEADING.fullmatch(words)
        cost = estimate_tokens(words)
        if tokens and (heading or tokens + cost > _PASSAGE_TOKENS):
            yield start, end, _part_of(path)
            tokens = 0
        if heading:
            level = len(heading[1])
            path = [*(above for above in path if above[0] < level), (level, heading[2].strip())]
        if not tokens:
            start = sentence.start
        end, tokens = sentence.end, tokens + cost
    if tokens:
        yield start, end, _part_of(path)


def _part_of(path: Sequence[tuple[int, str]]) -> str:
    return SECTION_JOIN.join(title for _, title in path)


def _page(page: Candidate) -> tuple[Origin, tuple[PassageInfo, ...]]:
    digest = hashlib.sha256(page.text.encode("utf-8", "surrogatepass")).hexdigest()
    origin = Origin(SourceKind.WEB, page.title or page.url, page.url, digest, text=page.text)
    return origin, passages_of(page.text)


def _file(item: ItemInfo) -> Origin:
    return Origin(SourceKind.FILE, item.name, url_of(item), item.document)
