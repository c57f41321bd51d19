"""Knowledge bases, embedding models and their servers, and the packages of the extra “models” that run models of the user's choice."""

import asyncio
import contextlib
import importlib
import importlib.util
import re
import shlex
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path
from typing import TYPE_CHECKING

from typing_extensions import override

from desktop.chat.api.knowledge import Embedders, Knowledge
from desktop.domain.knowledge import (
    BaseInfo,
    Download,
    EmbeddingModel,
    ItemProgress,
    ModelLibrary,
    SourceAddition,
)
from desktop.domain.sources import Source, document_of, is_page
from desktop.errors import LibraryNotInstalled, plain_reason
from desktop.installation import PROGRAM, Installation, InstallForm, installation, own_environment
from desktop.knowledge.embedding.catalogue import entailment_models_of, models_of, rerankers_of
from desktop.knowledge.embedding.hub.download import download
from desktop.knowledge.embedding.model_store import MODEL_LIBRARY, ModelStore
from desktop.knowledge.protocol import WorkerConfig
from desktop.knowledge.worker.client import KnowledgeClient, Prepare
from desktop.knowledge.worker.connection import Describe, Tell
from desktop.phrases import translatable
from desktop.services import example
from desktop.services.knowledge.additions import SourceTexts, add_sources
from desktop.services.web.links import LinkFetcher
from desktop.settings.model import NO_PROXY, PROXY_OF_SYSTEM, ChromaServer, KnowledgeSettings
from desktop.settings.proxies import ProxyChoice
from desktop.text.child_processes import read_output, running_installer

if TYPE_CHECKING:
    from desktop.search.reader.reader import PageReader

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
