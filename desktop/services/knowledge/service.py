"""Knowledge bases, embedding models and their servers."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
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
from desktop.knowledge.embedding.catalogue import entailment_models_of, models_of, rerankers_of
from desktop.knowledge.embedding.hub.download import download
from desktop.knowledge.embedding.model_store import ModelStore
from desktop.knowledge.protocol import WorkerConfig
from desktop.knowledge.worker.client import KnowledgeClient, Prepare
from desktop.knowledge.worker.connection import Describe, Tell
from desktop.services import example
from desktop.services.knowledge.additions import SourceTexts, add_sources
from desktop.services.knowledge.model_library import install_model_library, model_library
from desktop.services.web.links import LinkFetcher
from desktop.settings.model import ChromaServer, KnowledgeSettings
from desktop.settings.proxies import ProxyChoice

if TYPE_CHECKING:
    from desktop.search.reader.reader import PageReader


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
