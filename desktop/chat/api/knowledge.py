"""The interface of knowledge bases for the window; implemented in `desktop.services`."""

from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Protocol

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
    SourceAddition,
    Transfer,
)
from desktop.domain.sources import Source
from desktop.settings.model import ChromaServer


class Knowledge(Protocol):
    """Knowledge bases and their items: files, links and notes."""

    async def bases(self) -> tuple[BaseInfo, ...]:
        """Return the user's bases, sorted by name."""
        ...

    async def create(self, name: str) -> BaseInfo:
        """Create an empty base."""
        ...

    async def update(self, base: BaseInfo) -> BaseInfo:
        """Apply a base's name, icon, options and pause; its other fields are ignored."""
        ...

    async def delete(self, base_id: str) -> None:
        """Remove a base from the list; `restore` brings it back. The user's files are not touched."""
        ...

    async def restore(self, base_id: str) -> BaseInfo:
        """Undo `delete`; if the name is in use by now, the base gets another one."""
        ...

    async def forget(self, base_id: str) -> None:
        """Permanently delete a base that was deleted; this happens automatically after a day."""
        ...

    async def items(self, base_id: str) -> tuple[ItemInfo, ...]:
        """Return the items of a base."""
        ...

    def add(self, base_id: str, paths: Sequence[Path]) -> AsyncIterator[ItemProgress]:
        """Read files and folders into a base; each file ends READY or FAILED."""
        ...

    def add_link(self, base_id: str, url: str) -> AsyncIterator[ItemProgress]:
        """Fetch a page or PDF and read it into a base."""
        ...

    def add_sources(
        self, base_id: str, sources: Sequence[Source], conversation_id: str
    ) -> AsyncIterator[SourceAddition]:
        """Add pages and files that answers of a conversation cite or were given; passages of one are one document.

        A page is added as it was read; one of which only a passage is there is fetched. Nothing is added twice.
        Closing the iterator stops it; what was added stays.
        """
        ...

    async def bases_with(self, source: Source) -> tuple[BaseInfo, ...]:
        """Return the bases that contain the page or file of a source, sorted by name."""
        ...

    def watch_items(self, item_ids: Sequence[str]) -> AsyncIterator[ItemProgress]:
        """Yield the steps of items until each has ended."""
        ...

    def put_note(self, base_id: str, title: str, text: str, item_id: str = "") -> AsyncIterator[ItemProgress]:
        """Write a note into a base, or replace the text of the note `item_id`."""
        ...

    async def note(self, item_id: str) -> str:
        """Return the text of a note as typed; empty if the note does not exist."""
        ...

    def read_again(self, item_ids: Sequence[str]) -> AsyncIterator[ItemProgress]:
        """Read items again, fetching links; the old text stays searchable until then, or if a fetch fails."""
        ...

    async def cancel(self, item_ids: Sequence[str]) -> None:
        """Remove items that are not searchable yet; items that were searchable before keep their old text."""
        ...

    async def remove(self, item_ids: Sequence[str]) -> None:
        """Remove items from their base; unknown ids are ignored."""
        ...

    async def tag(self, item_ids: Sequence[str], tags: Sequence[str]) -> None:
        """Replace the tags of items."""
        ...

    async def passages(self, item_id: str) -> tuple[PassageInfo, ...]:
        """Return the passages of an item, in order."""
        ...

    async def try_search(self, base_id: str, query: str) -> SearchTrial:
        """Return what a query finds in a base, with the scores of each stage."""
        ...

    async def folders(self, base_id: str) -> tuple[FolderInfo, ...]:
        """Return the folders that a base watches."""
        ...

    async def watch_folder(self, base_id: str, path: Path) -> FolderInfo:
        """Make a base follow a folder: new, changed, moved and deleted files are updated in the base."""
        ...

    async def unwatch_folder(self, folder_id: str) -> None:
        """Stop following a folder; what was read from it stays in the base."""
        ...

    def steps(self) -> AsyncIterator[ItemProgress]:
        """Yield every future step of every item, for all callers; never ends by itself.

        Steps in quick succession are combined: only the latest of each item is yielded.
        """
        ...

    def export(self, base_id: str, path: Path) -> AsyncIterator[Transfer]:
        """Write a base with its vectors into one file; closing the iterator leaves no file."""
        ...

    def import_(self, path: Path) -> AsyncIterator[Transfer]:
        """Create a new base from such a file; closing the iterator leaves no base."""
        ...

    async def state_of(self, path: Path, document: str) -> OriginalState:
        """Return whether the file at `path` has changed since its SHA-256 was `document`."""
        ...

    async def text_of(self, sha256: str) -> str:
        """Return the text that was read from a file, to which offsets refer; empty if no base contains it."""
        ...


class Embedders(Protocol):
    """Embedding models, rerankers and entailment models, and their servers. Uses the saved settings."""

    async def models(self) -> tuple[EmbeddingModel, ...]:
        """Return the built-in model, the recommended ones, and the user's own, in this order."""
        ...

    async def rerankers(self) -> tuple[EmbeddingModel, ...]:
        """Return the rerankers that run on this machine: recommended ones, then the user's own."""
        ...

    async def entailment_models(self) -> tuple[EmbeddingModel, ...]:
        """Return the models that judge citations on this machine: recommended ones, then the user's own."""
        ...

    def download(self, model_id: str) -> AsyncIterator[Download]:
        """Download a model from the hub; its last step has all bytes.

        Closing the iterator cancels; the bytes received so far are kept, and the next download continues from
        there.

        Raises:
            ModelNotDownloaded: it could not be downloaded, or is not a usable model.
        """
        ...

    async def library(self) -> ModelLibrary:
        """Return whether the packages that run models of the user's choice are installed."""
        ...

    def install_library(self) -> AsyncIterator[Download]:
        """Install these packages; a step has the bytes of one file, 0 of 0 while nothing is downloaded.

        Closing the iterator cancels.

        Raises:
            LibraryNotInstalled: it failed, or nothing can be added to this installation.
        """
        ...

    async def delete(self, model_id: str) -> None:
        """Delete a downloaded model, or the remains of a cancelled download; a missing one is ignored.

        Raises:
            ModelInUse: a knowledge base is embedded with it.
        """
        ...

    async def test(self, model_id: str) -> str:
        """Embed two sentences and return a message about the result; raises `KnowledgeError`."""
        ...

    async def test_server(self, server: ChromaServer, token: str | None) -> str:
        """Connect to a Chroma server and return a message; if `token` is None, the stored one is used."""
        ...

    async def test_reranker(self) -> str:
        """Let the reranker of the settings score a passage and return a message about the result."""
        ...

    async def test_entailment(self) -> str:
        """Let the entailment model of the settings judge two claims and return a message about the result."""
        ...
