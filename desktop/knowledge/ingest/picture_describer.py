"""Descriptions of pictures without recognisable text, by a vision model.

The worker has no network access: it sends the pictures to the program, which asks the model and returns the
description.
"""

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from dataclasses import replace

import msgspec

from desktop.domain.knowledge import Description
from desktop.domain.sources import DESCRIPTION
from desktop.errors import KnowledgeError
from desktop.knowledge import protocol as wire
from desktop.knowledge.loaders.document import PART_JOIN, DocumentPart, document_of
from desktop.knowledge.reader.protocol import IndexEntry, ParsedFile, ReadOptions, reading_of
from desktop.phrases import translatable

MOST_PAGES = 20
"""Maximum pages per file to describe, as each is a request that may cost money."""
_AT_ONCE = 2

_UNDESCRIBED = translatable("Not all images in it are described: {reason}")
_TOO_MANY = translatable("at most {count} pages per file are described.")


class Describer:
    """Describes the pages of a file one after another, for two files at a time."""

    def __init__(self, send: Callable[[wire.Reply], None]) -> None:
        self._send = send
        self._turn = asyncio.Semaphore(_AT_ONCE)
        self._splitting = asyncio.Lock()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, asyncio.Future[Description]] = {}

    def take(self, picture: int, description: Description) -> None:
        """Receive the description of a picture; one that is no longer needed is ignored."""
        waiting = self._waiting.get(picture)
        if waiting is not None and not waiting.done():
            waiting.set_result(description)

    async def complete(
        self,
        reading: ParsedFile,
        name: str,
        options: ReadOptions,
        draw: Callable[[int | None], Awaitable[bytes]],
    ) -> tuple[ParsedFile, str]:
        """Return the parsed file with descriptions of its pages without text, and a note on missing ones.

        Stops at the first page that cannot be rendered or described. Cancelling stops the model.
        """
        parts: list[DocumentPart] = []
        problem = ""
        async with self._turn:
            for page in reading.wordless[:MOST_PAGES]:
                said = await self._describe_page(page, draw)
                if problem := said.problem:
                    break
                parts.append(DocumentPart(said.text, page, f"{DESCRIPTION}{said.model}"))
            else:
                if len(reading.wordless) > MOST_PAGES:
                    problem = _TOO_MANY.format(count=MOST_PAGES)
        async with self._splitting:  # the token counter is not thread-safe
            more = await asyncio.to_thread(reading_of, document_of("", parts), name, options)
        return _append_file(reading, more, len(parts)), problem and _UNDESCRIBED.format(reason=problem)

    async def _describe_page(
        self, page: int | None, draw: Callable[[int | None], Awaitable[bytes]]
    ) -> Description:
        try:
            jpeg = await draw(page)
        except KnowledgeError as error:
            return Description(problem=str(error))
        return await self._ask_description(jpeg) if jpeg else Description()

    async def _ask_description(self, jpeg: bytes) -> Description:
        number = next(self._numbers)
        waiting: asyncio.Future[Description] = asyncio.get_running_loop().create_future()
        self._waiting[number] = waiting
        self._send(wire.ShowPicture(number, jpeg))
        try:
            return await waiting
        except asyncio.CancelledError:
            self._send(wire.HidePicture(number))
            raise
        finally:
            del self._waiting[number]


def _append_file(reading: ParsedFile, more: ParsedFile, pages: int) -> ParsedFile:
    """Return a parsed file with another one appended."""
    if not more.entries:
        return reading
    before = f"{reading.text}{PART_JOIN}" if reading.text else ""
    moved = (_shift_entry(entry, len(before)) for entry in more.entries)
    return msgspec.structs.replace(
        reading,
        text=before + more.text,
        entries=(*reading.entries, *moved),
        scanned=reading.scanned + pages,
    )


def _shift_entry(entry: IndexEntry, by: int) -> IndexEntry:
    chunk = entry.chunk
    return msgspec.structs.replace(entry, chunk=replace(chunk, start=chunk.start + by, end=chunk.end + by))
