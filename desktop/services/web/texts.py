"""Reads texts that are to be checked, in child processes, with their links and notes."""

import asyncio
from collections.abc import Callable
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from desktop.chat.procedures.text_check import OutsideText
from desktop.domain.search import PageStatus, WebPage
from desktop.domain.sources import SECTION_JOIN
from desktop.errors import PageUnreadable
from desktop.phrases import translatable
from desktop.services.web.links import is_document, suffix_of
from desktop.storage.local_copies import scratch_folder
from desktop.text.decode import decode_html
from desktop.text.html_element import element

if TYPE_CHECKING:
    from desktop.knowledge.reader.pool import ReaderPool
    from desktop.knowledge.reader.protocol import ParsedFile
    from desktop.search.fetcher import FetchedResponse
    from desktop.search.reader.reader import PageReader

_IS_CUT = translatable("Only the beginning of the file was read.")
_NO_LINKS = translatable("The page was read in a browser, so its links to sources are not known.")
_HTML = frozenset({"text/html", "application/xhtml+xml"})
_HEADED = frozenset({".docx", ".docm", ".html", ".htm", ".xhtml", ".mhtml", ".mht"})
"""Formats whose text has headings without a sign, and paragraphs on one line each."""


class TextReader:
    """See `desktop.chat.procedures.text_check.OutsideTexts`."""

    def __init__(self, reader: Callable[[], "PageReader"]) -> None:
        self._reader = reader
        self._pool: ReaderPool | None = None

    async def load_file(self, path: Path, report: Callable[[int, int], None]) -> OutsideText:
        """Return a file as Markdown."""
        # The splitter that they bring is only needed here: most programs never check a text.
        from desktop.knowledge.reader.pool import ReaderPool  # noqa: PLC0415 - see above
        from desktop.knowledge.reader.protocol import ReadOptions  # noqa: PLC0415 - see above

        self._pool = self._pool or ReaderPool()
        read = await self._pool.read(path, report, ReadOptions(keeps_links=True))
        text = _with_headings(read) if path.suffix.lower() in _HEADED else read.text
        return OutsideText(path.name, text, (_IS_CUT,) if read.is_cut else ())

    async def load_page(self, address: str) -> OutsideText:
        """Return a page, or a file at an address."""
        heard: list[FetchedResponse] = []

        def keep(answer: "FetchedResponse") -> bool:
            heard.append(answer)
            return is_document(answer)

        found = await self._reader().read_fresh(address, keep)
        if not isinstance(found, WebPage):
            name = unquote(PurePosixPath(urlsplit(found.url).path).name) or address
            return await self._load_bytes(name, found.body, suffix_of(found))
        if found.status is not PageStatus.READ or not found.text.strip():
            raise PageUnreadable(address=address, detail=found.error or found.status.value)
        name = found.title or address
        answer = heard[-1] if heard else None
        if answer is None or answer.media_type not in _HTML:
            return OutsideText(name, found.text, found.notes)
        source = f"{element('base', href=answer.url)}{decode_html(answer.body, declared=answer.charset)}"
        loaded = await self._load_bytes(name, f"\ufeff{source}".encode(errors="replace"), ".html")
        if len(loaded.text) < len(found.text) // 2:  # the browser has more than the source of the page
            return OutsideText(name, found.text, (*found.notes, _NO_LINKS))
        return OutsideText(name, loaded.text, (*found.notes, *loaded.notes))

    async def _load_bytes(self, name: str, body: bytes, suffix: str) -> OutsideText:
        with scratch_folder("page") as folder:
            path = folder / f"page{suffix}"
            await asyncio.to_thread(path.write_bytes, body)
            loaded = await self.load_file(path, lambda _done, _total: None)
        return OutsideText(name, loaded.text, loaded.notes)

    async def aclose(self) -> None:
        """End the child processes."""
        if self._pool is not None:
            await self._pool.aclose()


def _with_headings(read: "ParsedFile") -> str:
    """Return the paragraphs of a file apart, and its headings as those of Markdown."""
    headings = {part for entry in read.entries for part in entry.chunk.section.split(SECTION_JOIN)} - {""}
    headings.add(read.title)
    lines = (" ".join(line.split()) if line.strip() in headings else line for line in read.text.split("\n"))
    return "\n\n".join(f"## {line}" if line in headings else line for line in lines if line.strip())
