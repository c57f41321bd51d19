"""Knowledge bases for the window, except those for the files of a conversation; embedding models and servers."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from pathlib import Path

from desktop.chat.retrieval.attachments import is_attachment_base
from desktop.domain.knowledge import (
    BaseInfo,
    Download,
    EmbeddingModel,
    FolderInfo,
    ItemInfo,
    ItemProgress,
    ModelLibrary,
    OriginalState,
    PassageInfo,
    SearchTrial,
    Transfer,
)
from desktop.errors import FileUnreadable, KnowledgeError
from desktop.knowledge.embedding.catalogue import entailment_models_of, models_of, rerankers_of
from desktop.knowledge.embedding.hub.download import download
from desktop.knowledge.embedding.model_store import ModelStore
from desktop.knowledge.worker.client import KnowledgeClient
from desktop.services import example
from desktop.services.knowledge.model_library import install_model_library, model_library
from desktop.services.web.links import LinkFetcher
from desktop.settings.model import ChromaServer, KnowledgeSettings
from desktop.settings.proxies import ProxyChoice


class KnowledgeService:
    """See `desktop.chat.api.knowledge.Knowledge`."""

    def __init__(self, client: KnowledgeClient, links: LinkFetcher) -> None:
        self._client = client
        self._links = links

    async def bases(self) -> tuple[BaseInfo, ...]:
        """Return the user's bases by name."""
        return tuple(base for base in await self._client.bases() if not is_attachment_base(base))

    async def create(self, name: str) -> BaseInfo:
        """Create an empty base."""
        return await self._client.create(name)

    async def update(self, base: BaseInfo) -> BaseInfo:
        """Apply changes to a base's name, icon, options and pause."""
        return await self._client.update(base)

    async def delete(self, base_id: str) -> None:
        """Remove a base from the list."""
        await self._client.delete(base_id)

    async def restore(self, base_id: str) -> BaseInfo:
        """Undo `delete`."""
        return await self._client.restore(base_id)

    async def forget(self, base_id: str) -> None:
        """Permanently delete a base that was removed."""
        await self._client.forget(base_id)

    async def items(self, base_id: str) -> tuple[ItemInfo, ...]:
        """Return the items of a base."""
        return await self._client.items(base_id)

    def add(self, base_id: str, paths: Sequence[Path]) -> AsyncIterator[ItemProgress]:
        """Read files and folders into a base."""
        return self._client.add(base_id, paths)

    def add_link(self, base_id: str, url: str) -> AsyncIterator[ItemProgress]:
        """Fetch a page or PDF and read it into a base."""
        self._links.start()
        return self._client.add_link(base_id, url)

    def put_note(self, base_id: str, title: str, text: str, item_id: str = "") -> AsyncIterator[ItemProgress]:
        """Add a note to a base, or replace the text of the note `item_id`."""
        return self._client.put_note(base_id, title, text, item_id)

    async def note(self, item_id: str) -> str:
        """Return a note as it was typed."""
        return await self._client.note(item_id)

    def read_again(self, item_ids: Sequence[str]) -> AsyncIterator[ItemProgress]:
        """Read items again; links are fetched again."""
        self._links.start()
        return self._client.read_again(item_ids)

    async def cancel(self, item_ids: Sequence[str]) -> None:
        """Cancel items that are not searchable yet."""
        await self._client.cancel(item_ids)

    async def remove(self, item_ids: Sequence[str]) -> None:
        """Remove items from their base."""
        await self._client.remove(item_ids)

    async def tag(self, item_ids: Sequence[str], tags: Sequence[str]) -> None:
        """Replace the tags of items."""
        await self._client.tag(item_ids, tags)

    async def passages(self, item_id: str) -> tuple[PassageInfo, ...]:
        """Return the passages into which an item was split, in order."""
        return await self._client.passages(item_id)

    async def try_search(self, base_id: str, query: str) -> SearchTrial:
        """Return the results of a query in a base with the scores of each stage."""
        return await self._client.try_search(base_id, query)

    async def folders(self, base_id: str) -> tuple[FolderInfo, ...]:
        """Return the folders that a base watches."""
        return await self._client.folders(base_id)

    async def watch_folder(self, base_id: str, path: Path) -> FolderInfo:
        """Make a base watch a folder."""
        return await self._client.watch_folder(base_id, path)

    async def unwatch_folder(self, folder_id: str) -> None:
        """Stop watching a folder."""
        await self._client.unwatch_folder(folder_id)

    def steps(self) -> AsyncIterator[ItemProgress]:
        """Yield the progress of all items from now on."""
        self._links.start()
        return self._client.steps()

    def export(self, base_id: str, path: Path) -> AsyncIterator[Transfer]:
        """Write a base with its vectors into one file."""
        return self._client.export(base_id, path)

    def import_(self, path: Path) -> AsyncIterator[Transfer]:
        """Create a base from an exported file."""
        return self._client.import_(path)

    async def state_of(self, path: Path, document: str) -> OriginalState:
        """Return what happened to a file since it was read."""
        return await asyncio.to_thread(_state_of, path, document)

    async def text_of(self, document: str) -> str:
        """Return the extracted text of a file: one in a base, or the guide."""
        return example.text_of(document) or await self._client.text(document)


def _state_of(path: Path, document: str) -> OriginalState:
    from desktop.knowledge.ingest.originals import digest_of  # noqa: PLC0415 (brings the splitter; only a card asks)

    if not path.is_file():  # a pipe or a device may never end
        return OriginalState.GONE
    try:
        digest = digest_of(path)
    except FileUnreadable:  # moved, deleted, on a missing disk, or without permission now
        return OriginalState.GONE
    except KnowledgeError:  # empty, or larger than any file that was read
        return OriginalState.CHANGED
    return OriginalState.UNCHANGED if digest == document else OriginalState.CHANGED


class EmbedderService:
    """See `desktop.chat.api.knowledge.Embedders`. Embedding and server requests run in the client's worker."""

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

    async def models(self) -> tuple[EmbeddingModel, ...]:
        """Return all available models."""
        return await asyncio.to_thread(models_of, self._settings(), self._store)

    async def rerankers(self) -> tuple[EmbeddingModel, ...]:
        """Return the rerankers that run on this machine."""
        return await asyncio.to_thread(rerankers_of, self._settings(), self._store)

    async def entailment_models(self) -> tuple[EmbeddingModel, ...]:
        """Return the models that judge whether a passage entails a claim."""
        return await asyncio.to_thread(entailment_models_of, self._settings(), self._store)

    def download(self, model_id: str) -> AsyncGenerator[Download, None]:
        """Download a model from the hub."""
        folder, hub = self._store.folder_of(model_id), self._settings().hub
        return self._fetch(lambda proxy: download(model_id, folder, hub, proxy))

    async def library(self) -> ModelLibrary:
        """Return the state of the packages that run models of the user's choice."""
        return await asyncio.to_thread(model_library)

    def install_library(self) -> AsyncGenerator[Download, None]:
        """Install these packages."""
        return self._fetch(install_model_library)

    async def _fetch(
        self, begin: Callable[[ProxyChoice], AsyncGenerator[Download, None]]
    ) -> AsyncGenerator[Download, None]:
        async with aclosing(begin(await self._proxy())) as steps:
            async for step in steps:
                yield step
        await self._client.reconfigure()  # work that waits for a model continues

    async def delete(self, model_id: str) -> None:
        """Remove a downloaded model."""
        await self._client.delete_model(model_id)

    async def test(self, model_id: str) -> str:
        """Embed two sentences and return the result in words."""
        return await self._client.test_embedder(model_id)

    async def test_server(self, server: ChromaServer, token: str | None) -> str:
        """Connect to a Chroma server and return the result in words."""
        return await self._client.test_server(server, token)

    async def test_reranker(self) -> str:
        """Let the reranker score a passage and return the result in words."""
        return await self._client.test_reranker()

    async def test_entailment(self) -> str:
        """Let the entailment model judge two claims and return the result in words."""
        return await self._client.test_entailment()
