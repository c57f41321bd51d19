"""Models that run on this computer: which are offered, their files, and the process that runs one."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from typing_extensions import override

from desktop.chat.api.engine import LocalModels
from desktop.domain.knowledge import Download
from desktop.domain.models import LocalModel
from desktop.errors import ModelNotDownloaded, plain_reason
from desktop.errors.servers import LocalModelError, LocalModelNotDeleted, LocalModelUnusable
from desktop.knowledge.embedding.model_download import DOWNLOAD_LOCK, HubFile, download, partial_file
from desktop.phrases import translatable
from desktop.providers.gguf import (
    INCOMPLETE,
    USUAL_CONTEXT,
    GgufHeader,
    Machine,
    estimate_memory,
    measure_machine,
    plan_run,
    read_gguf,
)
from desktop.providers.llama_cpp import LlamaRunner, LocalProvider, ModelFile, engine_problem
from desktop.settings.model import Settings
from desktop.settings.proxies import ProxyChoice

FOLDER: Final = "local-models"
"""Folder of downloaded models in the data folder."""

_MINUTE_S = 60.0
_GB = 10**9
_UNKNOWN = translatable("There is no model with this name.")
_DELETED = translatable("It was deleted before the download was complete.")
_BUSY = translatable("another program is downloading it; stop that download first")
_TIGHT = translatable("Needs about {needed} GB of memory; {free} GB is free now.")


@dataclass(frozen=True)
class LocalModelCard:
    """A model that is offered: one file of one commit of a repository, with its size and hash.

    `memory_bytes` is what `estimate_memory` says of it with the usual context.
    """

    id: str
    name: str
    repository: str
    revision: str
    file: HubFile
    licence: str
    description: str
    memory_bytes: int


CARDS: Final = (
    LocalModelCard(
        "qwen2.5-1.5b",
        "Qwen2.5 1.5B",
        "Qwen/Qwen2.5-1.5B-Instruct-GGUF",
        "91cad51170dc346986eccefdc2dd33a9da36ead9",
        HubFile(
            "qwen2.5-1.5b-instruct-q4_k_m.gguf",
            1_117_320_736,
            "6a1a2eb6d15622bf3c96857206351ba97e1af16c30d7a74ee38970e434e9407e",
        ),
        "Apache 2.0",
        translatable("Fast, on any computer. Short answers from a few sources; makes mistakes."),
        1_500_000_000,
    ),
    LocalModelCard(
        "qwen3-4b",
        "Qwen3 4B",
        "Qwen/Qwen3-4B-GGUF",
        "bc640142c66e1fdd12af0bd68f40445458f3869b",
        HubFile(
            "Qwen3-4B-Q4_K_M.gguf",
            2_497_280_256,
            "7485fe6f11af29433bc51cab58009521f205840f5b4ae3a32fa7f92e8534fdf5",
        ),
        "Apache 2.0",
        translatable("For most computers. Follows instructions and cites well; can use tools."),
        3_400_000_000,
    ),
    LocalModelCard(
        "qwen3-8b",
        "Qwen3 8B",
        "Qwen/Qwen3-8B-GGUF",
        "7c41481f57cb95916b40956ab2f0b139b296d974",
        HubFile(
            "Qwen3-8B-Q4_K_M.gguf",
            5_027_783_488,
            "d98cdcbd03e17ce47681435b5150e34c1417f50b5c0019dd560e4882c5745785",
        ),
        "Apache 2.0",
        translatable("For computers with 16 GB of memory. The best answers of the three, and the slowest."),
        5_900_000_000,
    ),
)
"""Each reads and writes English, Chinese and other languages. Facts from the hub in 2026."""


class LocalModelService(LocalModels):
    """Downloads models to this computer and runs them; `provider` answers with them."""

    def __init__(
        self,
        folder: Path,
        settings: Callable[[], Settings],
        proxy: Callable[[], Awaitable[ProxyChoice]],
        measure: Callable[[], Machine] = measure_machine,
        cards: tuple[LocalModelCard, ...] = CARDS,
    ) -> None:
        self._folder = folder
        self._settings = settings
        self._proxy = proxy
        self._measure = measure
        self._cards = cards
        self._downloads: dict[asyncio.Task[None], str] = {}
        self.runner = LlamaRunner(lambda: settings().local_models.idle_minutes * _MINUTE_S, measure)
        self.provider = LocalProvider(self._files, self.runner)

    @override
    async def models(self) -> tuple[LocalModel, ...]:
        return await asyncio.to_thread(self._list)

    @override
    async def problem(self) -> str:
        """Return why no model can run here, and what to do; empty if they can."""
        problem = engine_problem(self._cards[0].name)
        return "" if problem is None else str(problem)

    @override
    async def download(self, model_id: str) -> AsyncGenerator[Download, None]:
        card = self._card(model_id)
        if card is None:
            raise ModelNotDownloaded(model=model_id, detail=_UNKNOWN)
        steps: asyncio.Queue[Download | None] = asyncio.Queue()
        # A task, so that `delete` can end it as well.
        task = asyncio.create_task(self._fetch(card, steps))
        self._downloads[task] = card.id
        task.add_done_callback(lambda _: steps.put_nowait(None))
        try:
            while (step := await steps.get()) is not None:
                yield step
            if task.cancelled():
                raise ModelNotDownloaded(model=card.name, detail=_DELETED)
            await task
        finally:
            del self._downloads[task]
            await _cancel(task)

    async def _fetch(self, card: LocalModelCard, steps: asyncio.Queue[Download | None]) -> None:
        arriving = download(
            card.repository,
            self._folder / card.id,
            self._settings().knowledge.hub,
            await self._proxy(),
            only=card.file,
            revision=card.revision,
        )
        async with aclosing(arriving):
            async for step in arriving:
                steps.put_nowait(step)

    @override
    async def delete(self, model_id: str) -> None:
        """Delete the file of an offered model, or what has arrived of it; the user's own files stay."""
        for task in [task for task, downloaded in self._downloads.items() if downloaded == model_id]:
            await _cancel(task)
        await self.runner.end(model_id)
        if (card := self._card(model_id)) is not None:
            await asyncio.to_thread(_delete_folder, self._folder / card.id, card.name)

    @override
    async def inspect(self, path: Path) -> LocalModel:
        header = await asyncio.to_thread(read_gguf, path)
        return self._own(ModelFile(path.stem, path, header.name))

    async def aclose(self) -> None:
        """End the process and close its connections."""
        await self.provider.aclose()
        await self.runner.aclose()

    def _card(self, model_id: str) -> LocalModelCard | None:
        return next((card for card in self._cards if card.id == model_id), None)

    def _path(self, card: LocalModelCard) -> Path:
        return self._folder / card.id / card.file.name

    def _files(self) -> tuple[ModelFile, ...]:
        """Return the models whose files are here, without reading them."""
        offered = [
            ModelFile(card.id, self._path(card), card.name)
            for card in self._cards
            if self._path(card).is_file()
        ]
        return (*offered, *self._own_files())

    def _own_files(self) -> tuple[ModelFile, ...]:
        taken = {card.id for card in self._cards}
        found: list[ModelFile] = []
        for path in map(Path, self._settings().local_models.files):
            names = (path.stem, *(f"{path.stem}-{number}" for number in range(2, len(taken) + 2)))
            name = next(name for name in names if name not in taken)
            taken.add(name)
            found.append(ModelFile(name, path, name))
        return tuple(found)

    def _list(self) -> tuple[LocalModel, ...]:
        free = self._measure().free_bytes
        return (
            *(self._describe_card(card, free) for card in self._cards),
            *(self._own(file) for file in self._own_files()),
        )

    def _describe_card(self, card: LocalModelCard, free_bytes: int) -> LocalModel:
        path = self._path(card)
        partial = partial_file(path, card.revision)
        error = warning = ""
        if path.is_file():
            error, warning = self._problems_of(card)
        elif card.memory_bytes > free_bytes:
            warning = _TIGHT.format(needed=_gb(card.memory_bytes), free=_gb(free_bytes))
        return LocalModel(
            card.id,
            card.name,
            card.file.size,
            card.memory_bytes,
            card.licence,
            card.description,
            card.repository,
            path if path.is_file() else None,
            received_bytes=partial.stat().st_size if partial.is_file() else 0,
            error=error,
            warning=warning,
        )

    def _problems_of(self, card: LocalModelCard) -> tuple[str, str]:
        """Return why a downloaded model cannot be used, and why perhaps not now; empty if it can."""
        path = self._path(card)
        try:
            header = read_gguf(path)
        except LocalModelError as error:
            return str(error), ""
        if path.stat().st_size != card.file.size:
            return str(LocalModelUnusable(model=card.name, detail=INCOMPLETE)), ""
        return "", self._warning_of(card.id, header, card.file.size)

    def _warning_of(self, model_id: str, header: GgufHeader, size_bytes: int) -> str:
        """Return why a model cannot run now; empty if it can."""
        if self.runner.is_running(model_id):
            return ""
        try:
            plan_run(header, size_bytes, self._measure())
        except LocalModelError as error:
            return str(error)
        return ""

    def _own(self, file: ModelFile) -> LocalModel:
        try:
            header, size = read_gguf(file.path), file.path.stat().st_size
        except LocalModelError as error:
            return LocalModel(file.id, file.name, path=file.path, is_own=True, error=str(error))
        needed = estimate_memory(header, size, USUAL_CONTEXT)
        warning = self._warning_of(file.id, header, size)
        return LocalModel(file.id, file.name, size, needed, path=file.path, is_own=True, warning=warning)


async def _cancel(task: asyncio.Task[None]) -> None:
    """End a download, with its process, and wait until both have ended."""
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _delete_folder(folder: Path, name: str) -> None:
    from filelock import FileLock, Timeout  # noqa: PLC0415 - rarely used

    if not folder.exists():  # nothing of it is here
        return
    try:
        with FileLock(folder / DOWNLOAD_LOCK, timeout=0):  # another program may be downloading it
            for each in folder.iterdir():
                if each.name != DOWNLOAD_LOCK:
                    each.unlink()
        with suppress(OSError):  # it may be downloaded again from now on
            (folder / DOWNLOAD_LOCK).unlink()
            folder.rmdir()
    except Timeout as error:
        raise LocalModelNotDeleted(model=name, detail=_BUSY) from error
    except OSError as error:
        raise LocalModelNotDeleted(model=name, detail=plain_reason(error)) from error


def _gb(size_bytes: int) -> str:
    return f"{size_bytes / _GB:.1f}"
