"""Keeps the web pages that answers cite, and reads them again to see whether they have changed."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from desktop.chat.api.data import PageArchive
from desktop.domain.messages import Message
from desktop.domain.search import PageStatus, WebPage
from desktop.domain.sources import (
    MAX_TEXT_CHARS,
    KeptPage,
    PageCheck,
    PagesChecked,
    PageState,
    PageTexts,
    PageTotals,
    Source,
    TextChange,
    canonical_url,
)
from desktop.errors import (
    AppError,
    CitedPageDamaged,
    CitedPagesFull,
    CitedPagesNotKept,
    NotExported,
    plain_reason,
)
from desktop.settings import egress
from desktop.settings.atomic_files import write_whole
from desktop.settings.egress import EgressContext
from desktop.settings.model import CitedPageSettings
from desktop.storage.cited_pages import CitedPageStore, ReadCitedPage
from desktop.storage.conversation_store import ConversationStore
from desktop.text.comparison import list_changes, locate

if TYPE_CHECKING:
    from desktop.search.reader.reader import PageReader
    from desktop.search.reader.recent_pages import RecentPages

_AT_ONCE: Final = 4
_MOST_REMOVED_CHARS: Final = 20_000
_YOUNG_S: Final = 3_600.0
"""A younger file may belong to a row that is about to be written."""

_log = logging.getLogger(__name__)


class PageArchiveService(PageArchive):
    """See `PageArchive`. `tell` gets what the user should know about the disk, each once. Belongs to the asyncio thread."""

    def __init__(
        self,
        pages: CitedPageStore,
        store: ConversationStore,
        *,
        recent: "RecentPages",
        reader: "Callable[[], PageReader]",
        settings: Callable[[], CitedPageSettings],
        egress_context: Callable[[str, bool], Awaitable[EgressContext]],
        tell: Callable[[AppError], None],
    ) -> None:
        self._pages = pages
        self._store = store
        self._recent = recent
        self._reader = reader
        self._settings = settings
        self._egress_context = egress_context
        self._tell = tell
        self._told: set[type[AppError]] = set()
        self._keeping: set[asyncio.Task[None]] = set()

    def keep_soon(self, conversation_id: str, answer: Message) -> None:
        """Begin to keep the pages that an answer cites, which is stored; an error does not harm it."""
        if self._recent.is_empty or self._settings().keeps == "never" or "[" not in answer.text:
            return
        work = self._keep(conversation_id, answer)
        task = asyncio.create_task(work, context=egress.make_detached_context())
        self._keeping.add(task)
        task.add_done_callback(self._keeping.discard)

    async def wait_kept(self) -> None:
        """Wait until the pages of all stored answers are kept."""
        if self._keeping:  # not `gather`: who stops waiting would stop the keeping as well
            await asyncio.wait(set(self._keeping))

    async def aclose(self) -> None:
        """Finish what has been begun."""
        await self.wait_kept()

    async def delete_expired(self) -> None:
        """Delete pages after the time that the settings say, and files that no chat refers to."""
        settings = self._settings()
        if settings.keeps == "days":
            await self._pages.remove_older(datetime.now(UTC) - timedelta(days=settings.days))
        await self._pages.remove_unused_files(_YOUNG_S)

    @override
    async def pages(self, conversation_id: str) -> tuple[KeptPage, ...]:
        return await self._pages.pages(conversation_id)

    @override
    async def load(self, conversation_id: str, number: int) -> PageTexts | None:
        await self.wait_kept()
        return await self._pages.load(conversation_id, number)

    @override
    async def check(
        self, conversation_id: str, numbers: Collection[int] = ()
    ) -> AsyncGenerator[PagesChecked]:
        await self.wait_kept()
        kept = await self._pages.pages(conversation_id)
        wanted = [page for page in kept if not numbers or page.number in numbers]
        context = await self._egress_context(conversation_id, False)
        sources = {each.number: each for each in (await self._store.load(conversation_id)).sources}
        groups: dict[tuple[str, str], list[KeptPage]] = {}
        for page in kept:  # the result holds for all sources of the page
            key = (canonical_url(page.address), page.text_hash)
            if any((canonical_url(one.address), one.text_hash) == key for one in wanted):
                groups.setdefault(key, []).append(page)
        slots = asyncio.Semaphore(_AT_ONCE)
        tasks = {
            asyncio.create_task(self._check(conversation_id, group, sources, context, slots))
            for group in groups.values()
        }
        waiting = set(tasks)
        try:
            yield PagesChecked({}, 0, len(tasks))
            while waiting:
                done, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
                found = {number: check for task in done for number, check in task.result().items()}
                yield PagesChecked(found, len(tasks) - len(waiting), len(tasks))
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    @override
    async def save_file(self, conversation_id: str, number: int, path: Path) -> None:
        pages = {page.number: page for page in await self._pages.pages(conversation_id)}
        body = await self._pages.load_file(pages.get(number) or _NOT_KEPT)
        try:
            await asyncio.to_thread(write_whole, path, body)
        except OSError as error:
            raise NotExported(name=path.name, detail=plain_reason(error)) from error

    @override
    async def totals(self) -> PageTotals:
        return await self._pages.totals()

    @override
    async def clear(self) -> None:
        await self.wait_kept()
        await self._pages.clear()

    async def _keep(self, conversation_id: str, answer: Message) -> None:
        try:
            if (await self._egress_context(conversation_id, False)).stays_here:
                return
            unkept = await self._pages.unkept_sources(conversation_id)
            sources = answer.sources_among(unkept)
            if pages := await asyncio.to_thread(_list_cited, answer.text, sources, self._recent):
                await self._pages.keep(conversation_id, pages)
            self._recent.drop_old()
        except AppError as error:
            _log.warning("The cited pages are not kept: %s", error)
            if type(error) not in self._told:
                self._told.add(type(error))
                is_full = isinstance(error, CitedPagesFull)
                self._tell(error if is_full else CitedPagesNotKept(detail=str(error)))

    async def _check(
        self,
        conversation_id: str,
        pages: Sequence[KeptPage],
        sources: Mapping[int, Source],
        context: EgressContext,
        slots: asyncio.Semaphore,
    ) -> Mapping[int, PageCheck]:
        """Read one page again, and store the result for its sources."""
        first = pages[0]
        numbers = [page.number for page in pages]
        async with slots:
            with egress.on(context):
                egress.check_egress(first.address)
                page = await self._reader().read_fresh(first.address, lambda _answer: False)
        assert isinstance(page, WebPage), "no response is left to the caller"
        text = ""
        if page.status is PageStatus.READ:
            try:
                kept = await self._pages.load(conversation_id, first.number)
            except CitedPageDamaged as error:  # the other pages can still be compared
                page = WebPage(PageStatus.FAILED, page.url, error=str(error))
            else:
                text = kept.text if kept is not None else ""
        compared = _Compared(first, text, [sources[number] for number in numbers if number in sources])
        found = await asyncio.to_thread(_judge, compared, page)
        for number, check in found.items():
            newer = page.text[:MAX_TEXT_CHARS] if check.changes else ""
            await self._pages.save_check(conversation_id, (number,), check, newer)
        return found


_NOT_KEPT: Final = KeptPage(0, "", "", "", datetime(1970, 1, 1, tzinfo=UTC), "")


@dataclass(frozen=True)
class _Compared:
    """A kept page, its text, and the sources that are passages of it."""

    page: KeptPage
    text: str
    sources: Sequence[Source]


def _list_cited(text: str, sources: Iterable[Source], recent: "RecentPages") -> list[ReadCitedPage]:
    """Return the pages that an answer cites, as they were read; blocks.

    A source that is no passage of its page, such as the snippet of a search engine, has no page that was read.
    """
    from desktop.render.page.cited_sentence import marks_in  # noqa: PLC0415 - with the first answer

    by_number = {source.number: source for source in sources}
    numbers: dict[tuple[str, str], list[int]] = {}
    pages: dict[tuple[str, str], ReadCitedPage] = {}
    for number in dict.fromkeys(number for number, _ in marks_in(text, by_number)):
        source = by_number[number]
        found = recent.find(source.url)
        if found is None or not source.passages or not _contains(found.page.text, source.passages[0]):
            continue
        key = (found.address, found.page.text)
        numbers.setdefault(key, []).append(number)
        pages[key] = ReadCitedPage(
            tuple(numbers[key]),
            found.address,
            found.page.url,
            found.page.title or source.title,
            found.read_at,
            found.page.text,
            found.body,
            found.media_type,
        )
    return list(pages.values())


def _contains(text: str, passage: str) -> bool:
    return passage in text or locate(passage, text) is not None


def _judge(compared: _Compared, now: WebPage) -> Mapping[int, PageCheck]:
    """Return what a page that was read again shows, for each of its sources; blocks."""
    moment = datetime.now(UTC)
    numbers = [source.number for source in compared.sources] or [compared.page.number]
    if now.status is PageStatus.NOT_FOUND or now.has_no_host:
        return dict.fromkeys(numbers, PageCheck(PageState.GONE, moment, detail=now.error))
    if now.status is not PageStatus.READ:
        return dict.fromkeys(numbers, PageCheck(PageState.UNREACHED, moment, detail=now.error))
    is_moved = canonical_url(now.url) != canonical_url(compared.page.final_address)
    text = now.text[:MAX_TEXT_CHARS]
    found = {}
    for source in compared.sources:
        changes = list_changes(compared.text, text, source.passages)
        state = PageState.MOVED if is_moved else PageState.CHANGED if changes else PageState.SAME
        found[source.number] = PageCheck(
            state,
            moment,
            address=now.url if is_moved else "",
            changes=len(changes),
            has_passage=not any(change.is_in_passage for change in changes),
            removed=_list_removed(changes),
        )
    return found


def _list_removed(changes: Iterable[TextChange]) -> tuple[str, ...]:
    """Return what changes took out of the cited passage; nothing if that is too much to tell the marks apart."""
    removed = tuple(change.removed for change in changes if change.is_in_passage)
    return removed if sum(map(len, removed)) <= _MOST_REMOVED_CHARS else ()
