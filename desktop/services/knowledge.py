"""Knowledge bases, embedding models and their servers, and what is added to a base from an answer.

The packages of the extra “models”, which run models of the user's choice, are installed here too.
"""

import asyncio
import contextlib
import importlib
import importlib.util
import re
import shlex
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urlsplit

from typing_extensions import override

from desktop.chat.api.knowledge import Embedders, Knowledge
from desktop.domain.addresses import path_text
from desktop.domain.knowledge import (
    AdditionOutcome,
    BaseInfo,
    Download,
    EmbeddingModel,
    ItemInfo,
    ItemProgress,
    ModelLibrary,
    OriginalState,
    SourceAddition,
)
from desktop.domain.search import PageStatus
from desktop.domain.sources import PageTexts, Source, SourceKind, canonical_url, document_of, is_page
from desktop.errors import (
    AppError,
    CitedPageDamaged,
    IndexInUse,
    IndexUnavailable,
    LibraryNotInstalled,
    UnknownBase,
    plain_reason,
)
from desktop.installation import PROGRAM, Installation, InstallForm, installation, own_environment
from desktop.knowledge.embedding.model_download import download
from desktop.knowledge.embedding.model_store import (
    MODEL_LIBRARY,
    ModelStore,
    entailment_models_of,
    models_of,
    rerankers_of,
)
from desktop.knowledge.protocol import WorkerConfig
from desktop.knowledge.worker.client import KnowledgeClient, Prepare
from desktop.knowledge.worker.connection import Describe, Tell
from desktop.phrases import translatable
from desktop.services import example
from desktop.services.web.links import LinkFetcher
from desktop.settings import egress
from desktop.settings.egress import EgressContext
from desktop.settings.model import NO_PROXY, PROXY_OF_SYSTEM, ChromaServer, KnowledgeSettings
from desktop.settings.proxies import ProxyChoice
from desktop.text.child_processes import read_output, running_installer

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


_EXTRA = "models"
_INSTEAD = f"pipx install '{PROGRAM}[{_EXTRA}]'"
_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
"""On Linux, the package index itself has PyTorch with CUDA, several gigabytes of it."""
_PACKAGE_INDEX = "https://pypi.org/simple"
_FIRST_WITH_RAW = (24, 1)
"""The first version of pip that reports its progress as numbers."""
_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")
_MAX_DETAIL_CHARS = 300

_OWN_PYTHON = translatable(
    "Packages can’t be added to this installation of Footnote. To use these models, install Footnote "
    "from a terminal; your data is kept: {command}"
)
_FAILED = translatable("{reason} In a terminal: {command}")
_NOT_FOUND = translatable("“{program}” was not found.")
_STATUS = translatable("The installer ended with status {status}.")


class KnowledgeService(KnowledgeClient, Knowledge):
    """The client of the worker, with what the worker cannot do.

    `reader` fetches the links of the bases, `texts` has the pages of answers.
    """

    def __init__(
        self,
        data_dir: Path,
        reader: Callable[[], "PageReader"],
        setup: Callable[[], Awaitable[WorkerConfig]],
        describe: Describe,
        *,
        prepare: Prepare,
        tell_user: Tell,
        texts: SourceTexts,
    ) -> None:
        super().__init__(data_dir, setup, describe, prepare=prepare, tell_user=tell_user)
        self._links = LinkFetcher(self, reader)
        self._texts = texts

    @override
    def add_link(self, base_id: str, url: str) -> AsyncGenerator[ItemProgress]:
        self._links.start()
        return super().add_link(base_id, url)

    @override
    def add_sources(
        self, base_id: str, sources: Sequence[Source], conversation_id: str
    ) -> AsyncGenerator[SourceAddition]:
        return add_sources(self, self._texts, base_id, sources, conversation_id)

    @override
    async def bases_with(self, source: Source) -> tuple[BaseInfo, ...]:
        return await self.bases_at(source.url if is_page(source) else "", document_of(source))

    @override
    def read_again(self, item_ids: Sequence[str]) -> AsyncGenerator[ItemProgress]:
        """Read items again; links are fetched again."""
        self._links.start()
        return super().read_again(item_ids)

    @override
    def steps(self) -> AsyncGenerator[ItemProgress]:
        self._links.start()
        return super().steps()

    @override
    async def text_of(self, sha256: str) -> str:
        """Return the extracted text of a file: one in a base, or the guide."""
        return example.text_of(sha256) or await super().text_of(sha256)

    async def aclose(self) -> None:
        """Stop fetching links, and the worker."""
        await self._links.aclose()
        await super().aclose()


class EmbedderService(Embedders):
    """Embedding and server requests run in the client's worker."""

    def __init__(
        self,
        client: KnowledgeClient,
        models: Path,
        settings: Callable[[], KnowledgeSettings],
        proxy: Callable[[], Awaitable[ProxyChoice]],
    ) -> None:
        self._client = client
        self._store = ModelStore(models)
        self._settings = settings
        self._proxy = proxy

    @override
    async def models(self) -> tuple[EmbeddingModel, ...]:
        return await asyncio.to_thread(models_of, self._settings(), self._store)

    @override
    async def rerankers(self) -> tuple[EmbeddingModel, ...]:
        return await asyncio.to_thread(rerankers_of, self._settings(), self._store)

    @override
    async def entailment_models(self) -> tuple[EmbeddingModel, ...]:
        return await asyncio.to_thread(entailment_models_of, self._settings(), self._store)

    @override
    def download(self, model_id: str) -> AsyncGenerator[Download, None]:
        folder, hub = self._store.folder_of(model_id), self._settings().hub
        return self._fetch(lambda proxy: download(model_id, folder, hub, proxy))

    @override
    async def library(self) -> ModelLibrary:
        return await asyncio.to_thread(model_library)

    @override
    def install_library(self) -> AsyncGenerator[Download, None]:
        return self._fetch(install_model_library)

    async def _fetch(
        self, begin: Callable[[ProxyChoice], AsyncGenerator[Download, None]]
    ) -> AsyncGenerator[Download, None]:
        async with aclosing(begin(await self._proxy())) as steps:
            async for step in steps:
                yield step
        await self._client.reconfigure()  # work that waits for a model continues

    @override
    async def delete(self, model_id: str) -> None:
        await self._client.delete_model(model_id)

    @override
    async def test(self, model_id: str) -> str:
        return await self._client.test_embedder(model_id)

    @override
    async def test_server(self, server: ChromaServer, token: str | None) -> str:
        return await self._client.test_server(server, token)

    @override
    async def test_reranker(self) -> str:
        return await self._client.test_reranker()

    @override
    async def test_entailment(self) -> str:
        return await self._client.test_entailment()


def model_library(installed: Installation | None = None) -> ModelLibrary:
    """Return whether the packages are installed, and the command that installs them."""
    importlib.invalidate_caches()
    is_here = all(importlib.util.find_spec(name) is not None for name in MODEL_LIBRARY)
    command = (installed or installation()).packages_command(_packages(), _index())
    return ModelLibrary(is_here, bool(command), shlex.join(command) if command else _INSTEAD)


async def install_model_library(
    proxy: ProxyChoice, installed: Installation | None = None
) -> AsyncGenerator[Download, None]:
    """Run the command that installs the packages; see `Embedders.install_library`."""
    installed = installed or installation()
    command = installed.packages_command(_packages(), _index())
    if not command:
        raise LibraryNotInstalled(detail=_OWN_PYTHON.format(command=_INSTEAD))
    yield Download()
    lines: list[str] = []
    async with contextlib.AsyncExitStack() as stack:
        try:
            running = running_installer(*command, environment=_environment(installed, proxy))
            process = await stack.enter_async_context(running)
        except OSError as error:
            is_missing = isinstance(error, FileNotFoundError)
            reason = _NOT_FOUND.format(program=command[0]) if is_missing else plain_reason(error)
            raise _failure(reason, command) from error
        heard = await stack.enter_async_context(contextlib.aclosing(read_output(process)))
        async for new in heard:
            for line in filter(None, map(str.strip, new)):
                if match := _PROGRESS.fullmatch(line):
                    yield Download(int(match[1]), int(match[2]))
                else:
                    lines.append(line)
                    yield Download()
        status = await process.wait()
    if status:
        raise _failure(_reason(lines) or _STATUS.format(status=status), command)


def _packages() -> list[str]:
    """Return the requirements of the extra, as the project names them."""
    marker = f"extra == '{_EXTRA}'"
    try:
        wanted = [each for each in requires(PROGRAM) or () if marker in each.replace('"', "'")]
    except PackageNotFoundError:
        wanted = []
    return [each.partition(";")[0].strip() for each in wanted] or [
        name.replace("_", "-") for name in MODEL_LIBRARY
    ]


def _index() -> str:
    return _CPU_INDEX if sys.platform == "linux" else ""


def _environment(installed: Installation, proxy: ProxyChoice) -> dict[str, str]:
    environment = own_environment() | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONUNBUFFERED": "1"}
    if installed.form in {InstallForm.PIP, InstallForm.SOURCE} and _has_raw_progress():
        environment["PIP_PROGRESS_BAR"] = "raw"
    if proxy.address != PROXY_OF_SYSTEM:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            environment.pop(name, None)
            environment.pop(name.upper(), None)
    if proxy.address not in {PROXY_OF_SYSTEM, NO_PROXY} and (found := proxy.proxy_for(_PACKAGE_INDEX)):
        environment["HTTPS_PROXY"] = environment["HTTP_PROXY"] = found.url
    return environment


def _has_raw_progress() -> bool:
    try:
        numbers = re.findall(r"\d+", version("pip"))[:2]
    except PackageNotFoundError:
        return False
    return tuple(map(int, numbers)) >= _FIRST_WITH_RAW


def _reason(lines: list[str]) -> str:
    """Return what the installer says of its failure: its errors, else its last line."""
    errors = [line.partition(" ")[2].strip() for line in lines if line.lower().startswith("error")]
    return " ".join(errors or lines[-1:])[:_MAX_DETAIL_CHARS]


def _failure(reason: str, command: tuple[str, ...]) -> LibraryNotInstalled:
    return LibraryNotInstalled(detail=_FAILED.format(reason=reason, command=shlex.join(command)))
