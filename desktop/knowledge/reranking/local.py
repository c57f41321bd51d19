"""Local rerankers and entailment models, and the bundled network: in the model thread, in batches so that they can be cancelled."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from desktop.errors import (
    AppError,
    EntailmentFailed,
    IndexUnavailable,
    ModelLibraryMissing,
    ModelMissing,
    ModelUnusable,
    RerankerFailed,
)
from desktop.knowledge.bundled_models import BundledPairModel, PairJudgement, load_pair_model
from desktop.knowledge.embedding.model_store import require_model_library
from desktop.knowledge.reranking.reranker import Pair
from desktop.phrases import translatable

if TYPE_CHECKING:
    from desktop.knowledge.reranking.cross_encoder import LoadedCrossEncoder, LoadedEntailmentModel

BATCH = 8
"""Larger batches are no faster on a CPU, and delay cancelling and other searches."""

_AT_ONCE = 4
"""Pairs for the bundled network. More would delay searches: a passage takes up to 0.1 s."""
_UNUSABLE = translatable("{name} can’t be used ({detail}).")
_T = TypeVar("_T")


class RunWithModels(Protocol):
    """Runs work in the one thread in which models are loaded and used."""

    def __call__(self, work: Callable[[], _T]) -> Awaitable[_T]:
        """Run `work` after all earlier work; raises IndexUnavailable for any exception of `work`."""
        ...


class LocalReranker:
    """A local reranker: the user's own folder, or the id of a downloaded model; `find` returns its folder.

    The weights are loaded at first use.
    """

    def __init__(self, model_id: str, find: Callable[[str], Path], run: RunWithModels) -> None:
        self.id = model_id
        self._find = find
        self._run = run
        self._model: LoadedCrossEncoder | None = None

    @property
    def name(self) -> str:
        """The name of the folder, or the id without its owner."""
        return Path(self.id).name

    async def scores(self, pairs: Sequence[Pair]) -> list[float]:
        """Score the longest pairs first, so that the pairs in a batch have similar lengths."""
        folder = await self._folder()
        order = sorted(range(len(pairs)), key=lambda place: -sum(map(len, pairs[place])))
        found = [0.0] * len(pairs)
        for begin in range(0, len(order), BATCH):
            batch = order[begin : begin + BATCH]
            judged = await self._judge(folder, [pairs[place] for place in batch])
            for place, score in zip(batch, judged, strict=True):
                found[place] = score
        return found

    async def _folder(self) -> Path:
        try:
            return await asyncio.to_thread(self._find, self.id)
        except (ModelMissing, ModelUnusable) as error:
            raise RerankerFailed(detail=str(error)) from error

    async def _judge(self, folder: Path, pairs: Sequence[Pair]) -> list[float]:
        try:
            return await self._run(lambda: self._loaded(folder).scores(pairs))
        except ModelLibraryMissing as error:
            raise RerankerFailed(detail=str(error)) from error
        except IndexUnavailable as error:
            reason = str(error.__cause__ or error)
            raise RerankerFailed(detail=_UNUSABLE.format(name=self.name, detail=reason)) from error

    def _loaded(self, folder: Path) -> "LoadedCrossEncoder":
        if self._model is None:
            require_model_library(self.name)
            from desktop.knowledge.reranking.cross_encoder import (  # noqa: PLC0415 - torch takes seconds to import
                LoadedCrossEncoder,
            )

            self._model = LoadedCrossEncoder(str(folder))
        return self._model


class LocalEntailmentModel:
    """Judges whether passages entail claims; loaded at first use. `find` returns the model's folder."""

    def __init__(self, model_id: str, find: Callable[[str], Path], run: RunWithModels) -> None:
        self.id = model_id
        self._find = find
        self._run = run
        self._model: LoadedEntailmentModel | None = None

    async def judge(self, pairs: Sequence[Pair]) -> list[tuple[float, float]]:
        """Return the probabilities (0…1) of entailment and contradiction for each (passage, claim).

        Raises:
            EntailmentFailed: the model is not installed, or cannot be used.
        """
        try:
            folder = await asyncio.to_thread(self._find, self.id)
        except (ModelMissing, ModelUnusable) as error:
            raise EntailmentFailed(detail=str(error)) from error
        judged: list[tuple[float, float]] = []
        for begin in range(0, len(pairs), BATCH):
            judged += await self._judge(folder, pairs[begin : begin + BATCH])
        return judged

    async def _judge(self, folder: Path, pairs: Sequence[Pair]) -> list[tuple[float, float]]:
        try:
            return await self._run(lambda: self._loaded(folder).judge(pairs))
        except IndexUnavailable as error:
            reason = str(error.__cause__ or error)
            name = Path(self.id).name
            raise EntailmentFailed(detail=_UNUSABLE.format(name=name, detail=reason)) from error

    def _loaded(self, folder: Path) -> "LoadedEntailmentModel":
        if self._model is None:
            from desktop.knowledge.reranking.cross_encoder import (  # noqa: PLC0415 - torch takes seconds to import
                LoadedEntailmentModel,
            )

            self._model = LoadedEntailmentModel(str(folder))
        return self._model


class BundledJudge:
    """Judges pairs of texts; loaded at first use.

    If it cannot be loaded, `tell` is called with the reason, and it is not tried again.
    """

    def __init__(self, run: RunWithModels, tell: Callable[[AppError], None]) -> None:
        self._run = run
        self._tell = tell
        self._model: BundledPairModel | None = None
        self._failure = ""

    async def judge(self, pairs: Sequence[tuple[str, str]]) -> list[PairJudgement]:
        """Judge (claim or question, passage) pairs.

        Raises:
            RerankerFailed: the network is missing or damaged.
        """
        if self._failure:
            raise RerankerFailed(detail=self._failure)
        found: list[PairJudgement] = []
        for begin in range(0, len(pairs), _AT_ONCE):
            found += await self._judge(pairs[begin : begin + _AT_ONCE])
        return found

    async def _judge(self, pairs: Sequence[tuple[str, str]]) -> list[PairJudgement]:
        try:
            return await self._run(lambda: self._loaded().judge(pairs))
        except ModelUnusable as error:
            if not self._failure:
                self._tell(error)
            self._failure = str(error)
            raise RerankerFailed(detail=self._failure) from error
        except IndexUnavailable as error:
            raise RerankerFailed(detail=str(error.__cause__ or error)) from error

    def _loaded(self) -> BundledPairModel:
        if self._model is None:
            self._model = load_pair_model()
        return self._model
