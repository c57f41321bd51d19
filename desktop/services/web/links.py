"""Fetches the links of knowledge bases: in this process, through the guard."""

import asyncio
import logging
import mimetypes
from collections.abc import Callable
from contextlib import aclosing
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from desktop.domain.file_formats import format_named
from desktop.domain.knowledge import ItemInfo
from desktop.domain.search import PageStatus, WebPage
from desktop.errors import AppError
from desktop.knowledge.worker.client import KnowledgeClient
from desktop.phrases import translatable
from desktop.settings import egress

if TYPE_CHECKING:
    from desktop.search.fetcher import FetchedResponse
    from desktop.search.reader.reader import PageReader

_AT_ONCE = 4
_OK = 200
_PLAIN_LABELS = frozenset({"", "application/octet-stream", "binary/octet-stream"})
_TOO_LARGE = translatable("The file at this address is too large.")
_NOTHING = translatable("The page has no text.")

_log = logging.getLogger(__name__)


class LinkFetcher:
    """Fetches links for the bases, from the first `start` on."""

    def __init__(self, client: KnowledgeClient, reader: Callable[[], "PageReader"]) -> None:
        self._client = client
        self._reader = reader
        self._slots = asyncio.Semaphore(_AT_ONCE)
        self._serving: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start fetching pending links; also restarts after a fatal failure of the worker."""
        if self._serving is None or self._serving.done():
            self._serving = asyncio.create_task(self._serve(), context=egress.make_detached_context())

    async def aclose(self) -> None:
        """Stop fetching; pending links wait for the next run."""
        if self._serving is not None:
            self._serving.cancel()
            await asyncio.wait({self._serving})

    async def _serve(self) -> None:
        try:
            async with asyncio.TaskGroup() as tasks, aclosing(self._client.links()) as steps:
                async for step in steps:
                    tasks.create_task(self._fetch(step.item))
        except* AppError as failures:  # the next request to the bases reports it to the user
            _log.warning("links are not fetched: %s", failures.exceptions[0])

    async def _fetch(self, item: ItemInfo) -> None:
        async with self._slots:
            found = await self._reader().read_fresh(item.path, is_document)
            try:
                await self._keep(item, found)
            except (
                AppError
            ) as error:  # the worker died, or the disk is full: the link stays pending for the next run
                _log.warning("%s was fetched in vain: %s", item.path, error)

    async def _keep(self, item: ItemInfo, found: "WebPage | FetchedResponse") -> None:
        if not isinstance(found, WebPage):
            await self._keep_document(item, found)
        elif found.status is PageStatus.READ and found.text.strip():
            title = found.title or item.path
            await self._client.put_fetched(item.id, title, ".txt", found.text.encode())
        else:
            await self._client.put_unfetched(item.id, found.error or _NOTHING)

    async def _keep_document(self, item: ItemInfo, found: "FetchedResponse") -> None:
        if found.is_truncated:
            await self._client.put_unfetched(item.id, _TOO_LARGE)
            return
        name = unquote(PurePosixPath(urlsplit(found.url).path).name) or item.path
        await self._client.put_fetched(item.id, name, suffix_of(found), found.body)


def is_document(answer: "FetchedResponse") -> bool:
    """Say whether a response is read as a file, with its pages."""
    return answer.status == _OK and format_named(f"x{suffix_of(answer)}").is_document


def suffix_of(answer: "FetchedResponse") -> str:
    """Return the file type, by the content type or, if that says nothing, by the name."""
    if answer.media_type in _PLAIN_LABELS:
        return PurePosixPath(urlsplit(answer.url).path).suffix.lower()
    return mimetypes.guess_extension(answer.media_type) or ""
