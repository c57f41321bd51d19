"""Adds the pages and files behind an answer to a knowledge base, as they were read."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from desktop.domain.addresses import path_text
from desktop.domain.knowledge import AdditionOutcome, ItemInfo, OriginalState, SourceAddition
from desktop.domain.search import PageStatus
from desktop.domain.sources import PageTexts, Source, SourceKind, canonical_url, document_of, is_page
from desktop.errors import AppError, CitedPageDamaged, IndexInUse, IndexUnavailable, UnknownBase
from desktop.knowledge.worker.client import KnowledgeClient
from desktop.phrases import translatable
from desktop.settings import egress
from desktop.settings.egress import EgressContext

if TYPE_CHECKING:
    from desktop.search.reader.reader import PageReader
    from desktop.search.reader.recent_pages import RecentPages

_NO_DOCUMENT: Final = translatable("Only pages and files can be added to a knowledge base.")
_NOTHING: Final = translatable("The page has no text.")
_CHANGED: Final = translatable("The file has changed since it was read.")
_GONE: Final = translatable("The file is no longer where it was read.")


@dataclass(frozen=True)
class ReadPageText:
    """The main text of a page, and when it was read."""

    title: str
    text: str
    read_at: datetime


EgressContextOf = Callable[[str, bool], Awaitable[EgressContext]]


@dataclass(frozen=True)
class SourceTexts:
    """The text of a page as it was read, which is kept if it is cited; else the page itself, within the chat's limits."""

    kept: Callable[[str, int], Awaitable[PageTexts | None]]
    recent: "Callable[[], RecentPages]"
    reader: "Callable[[], PageReader]"
    egress_context: EgressContextOf

    async def load(self, conversation_id: str, source: Source) -> ReadPageText | str:
        """Return the text of a page, or why there is none."""
        with suppress(CitedPageDamaged):  # then it is read again
            if kept := await self.kept(conversation_id, source.number):
                return ReadPageText(kept.page.title or source.title, kept.text, kept.page.read_at)
        if recent := self.recent().find(source.url):
            return ReadPageText(recent.page.title or source.title, recent.page.text, recent.read_at)
        with egress.on(await self.egress_context(conversation_id, False)):
            egress.check_egress(source.url)
            page = await self.reader().read(source.url)
        if page.status is not PageStatus.READ or not page.text.strip():
            return page.error or _NOTHING
        return ReadPageText(page.title or source.title, page.text, datetime.now(UTC))


async def add_sources(
    knowledge: KnowledgeClient,
    texts: SourceTexts,
    base_id: str,
    sources: Sequence[Source],
    conversation_id: str,
) -> AsyncGenerator[SourceAddition]:
    """Add the documents of sources to a base, and yield the outcome of each; see `Knowledge.add_sources`."""
    documents: dict[str, list[Source]] = {}
    for source in sources:
        documents.setdefault(_document_key(source), []).append(source)
    for done, group in enumerate(documents.values(), 1):
        first = group[0]
        try:
            outcome, item, detail = await _add(knowledge, texts, base_id, first, conversation_id)
        except AppError as error:
            if isinstance(error, UnknownBase | IndexUnavailable | IndexInUse):
                raise
            outcome, item, detail = AdditionOutcome.REFUSED, None, str(error)
        numbers = tuple(source.number for source in group)
        title = (item.name if item else "") or first.title or first.url
        yield SourceAddition(numbers, title, outcome, done, len(documents), item, detail)


_Added = tuple[AdditionOutcome, ItemInfo | None, str]


async def _add(
    knowledge: KnowledgeClient, texts: SourceTexts, base_id: str, source: Source, conversation_id: str
) -> _Added:
    document = document_of(source)
    if is_page(source):
        known = await knowledge.find_same(base_id, source.url, document)
        if known and known[0].document:
            return AdditionOutcome.KNOWN, known[0], ""
        page: ReadPageText | str
        if document and (text := await knowledge.text_of(document)):
            page = ReadPageText(source.title, text, source.read_at)
        else:
            page = await texts.load(conversation_id, source)
        if isinstance(page, str):
            return AdditionOutcome.REFUSED, None, page
        put = await knowledge.put_page(
            base_id, source.url, page.title or source.url, page.text, page.read_at.timestamp()
        )
        return AdditionOutcome.ADDED if put.is_new else AdditionOutcome.KNOWN, put.item, ""
    if source.kind is SourceKind.FILE and source.url.startswith("file:"):
        return await _add_file(knowledge, base_id, file_of(source), document)
    return AdditionOutcome.REFUSED, None, _NO_DOCUMENT


async def _add_file(knowledge: KnowledgeClient, base_id: str, path: Path, document: str) -> _Added:
    """Add a file if it is still the one that was read: the address alone, out of an import, proves nothing."""
    known = await knowledge.find_same(base_id, path_text(path), document)
    if known and known[0].document:
        return AdditionOutcome.KNOWN, known[0], ""
    state = await knowledge.state_of(path, document)
    if state is not OriginalState.UNCHANGED:
        return AdditionOutcome.REFUSED, None, _GONE if state is OriginalState.GONE else _CHANGED
    item = None
    async for step in knowledge.add(base_id, (path,)):
        item = step.item
    return AdditionOutcome.ADDED, item, item.error if item else ""


def file_of(source: Source) -> Path:
    """Return the path of a source that is a file."""
    return Path(unquote(urlsplit(source.url).path))


def _document_key(source: Source) -> str:
    if is_page(source):
        return canonical_url(source.url)
    return document_of(source) or source.key
