"""Creates the reranker and the entailment model from the settings, and runs the local ones.

They run in the model thread, in batches so that they can be cancelled.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
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
from desktop.knowledge.embedding.model_store import ModelStore, require_model_library
from desktop.knowledge.protocol import WorkerConfig
from desktop.knowledge.reranking import Pair, Reranker, Reranking
from desktop.phrases import translatable
from desktop.settings.model import LOCAL_RERANKER

if TYPE_CHECKING:
    from desktop.knowledge.sentence_transformers_models import LoadedCrossEncoder, LoadedEntailmentModel

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
            return await self._run(lambda: self._load(folder).scores(pairs))
        except ModelLibraryMissing as error:
            raise RerankerFailed(detail=str(error)) from error
        except IndexUnavailable as error:
            reason = str(error.__cause__ or error)
            raise RerankerFailed(detail=_UNUSABLE.format(name=self.name, detail=reason)) from error

    def _load(self, folder: Path) -> "LoadedCrossEncoder":
        if self._model is None:
            require_model_library(self.name)
            from desktop.knowledge.sentence_transformers_models import (  # noqa: PLC0415 - torch takes seconds to import
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
            return await self._run(lambda: self._load(folder).judge(pairs))
        except IndexUnavailable as error:
            reason = str(error.__cause__ or error)
            name = Path(self.id).name
            raise EntailmentFailed(detail=_UNUSABLE.format(name=name, detail=reason)) from error

    def _load(self, folder: Path) -> "LoadedEntailmentModel":
        if self._model is None:
            from desktop.knowledge.sentence_transformers_models import (  # noqa: PLC0415 - torch takes seconds to import
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
            return await self._run(lambda: self._load().judge(pairs))
        except ModelUnusable as error:
            if not self._failure:
                self._tell(error)
            self._failure = str(error)
            raise RerankerFailed(detail=self._failure) from error
        except IndexUnavailable as error:
            raise RerankerFailed(detail=str(error.__cause__ or error)) from error

    def _load(self) -> BundledPairModel:
        if self._model is None:
            self._model = load_pair_model()
        return self._model


_NONE = translatable("None is chosen.")
_GONE = translatable("It is no longer in the settings.")
_WORKS = translatable("It works. A passage that answers scores {right}, another one {wrong}.")
_PROBES = (
    ("Where do herons nest? 苍鹭在哪里筑巢？", "Herons nest in high trees. 苍鹭在高树上筑巢。"),
    ("Where do herons nest? 苍鹭在哪里筑巢？", "The train leaves at noon. 火车中午出发。"),
)
_JUDGES = translatable("It works. A supported claim scores {right}, an unsupported one {wrong}.")
_ENTAILMENT_PROBES = (
    ("Herons nest in high trees. 苍鹭在高树上筑巢。", "Herons nest in trees. 苍鹭在树上筑巢。"),
    ("Herons nest in high trees. 苍鹭在高树上筑巢。", "Herons nest on the ground. 苍鹭在地面筑巢。"),
)


@dataclass(frozen=True)
class _Missing:
    """A reranker that is configured but not installed."""

    name: str

    async def scores(self, pairs: Sequence[Pair]) -> list[float]:  # noqa: ARG002 (of the protocol)
        raise RerankerFailed(detail=_GONE)


def reranking_for(setup: WorkerConfig, store: ModelStore, run: RunWithModels, before: Reranking) -> Reranking:
    """Return the configured reranker and its thresholds; reuses loaded weights of `before`."""
    chosen = _reranker_of(setup, store, run)
    known = before.reranker
    if isinstance(chosen, LocalReranker) and isinstance(known, LocalReranker) and chosen.id == known.id:
        chosen = known
    return Reranking(chosen, setup.settings.threshold, setup.settings.floor)


async def probe_reranker(judging: Reranking) -> str:
    """Let a reranker score two passages and return the result in words.

    Raises:
        RerankerFailed: it failed, or none is configured.
    """
    if judging.reranker is None:
        raise RerankerFailed(detail=_NONE)
    right, wrong = await judging.reranker.scores(_PROBES)
    return _WORKS.format(right=f"{right:.2f}", wrong=f"{wrong:.2f}")


def entailment_for(
    setup: WorkerConfig, store: ModelStore, run: RunWithModels, before: LocalEntailmentModel | None
) -> LocalEntailmentModel | None:
    """Return the configured entailment model; reuses loaded weights of `before`."""
    chosen = setup.settings.entailment_model
    if not chosen:
        return None
    return before if before and before.id == chosen else LocalEntailmentModel(chosen, store.find, run)


async def judge_entailment(
    model: LocalEntailmentModel | None, pairs: Sequence[Pair]
) -> list[tuple[float, float]]:
    """Return the entailment model's judgement of each (passage, claim), or raise EntailmentFailed."""
    if model is None:
        raise EntailmentFailed(detail=_NONE)
    return await model.judge(pairs)


async def probe_entailment(model: LocalEntailmentModel | None) -> str:
    """Let the entailment model judge two claims and return the result in words; raises EntailmentFailed."""
    (right, _), (wrong, _) = await judge_entailment(model, _ENTAILMENT_PROBES)
    return _JUDGES.format(right=f"{right:.2f}", wrong=f"{wrong:.2f}")


def _reranker_of(setup: WorkerConfig, store: ModelStore, run: RunWithModels) -> Reranker | None:
    chosen = setup.settings.reranker
    if not chosen:
        return None
    if chosen.startswith(LOCAL_RERANKER):
        return LocalReranker(chosen.removeprefix(LOCAL_RERANKER), store.find, run)
    own = next((own for own in setup.settings.own_rerankers if own.id == chosen), None)
    if own is None:
        return _Missing(chosen)
    from desktop.knowledge.reranker_api import ApiReranker  # noqa: PLC0415 - a server needs the HTTP library

    key = setup.secret(f"rerank/{own.id}")
    return ApiReranker(own.name, own.base_url, own.model, key, setup.proxy)
