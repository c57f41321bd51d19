"""Creates the reranker and the entailment model from the settings."""

from collections.abc import Sequence
from dataclasses import dataclass

from desktop.errors import EntailmentFailed, RerankerFailed
from desktop.knowledge.embedding.model_store import ModelStore
from desktop.knowledge.protocol import WorkerConfig
from desktop.knowledge.reranking.local import LocalEntailmentModel, LocalReranker, RunWithModels
from desktop.knowledge.reranking.reranker import Pair, Reranker, Reranking
from desktop.phrases import translatable
from desktop.settings.model import LOCAL_RERANKER

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
    from desktop.knowledge.reranking.api import ApiReranker  # noqa: PLC0415 - a server needs the HTTP library

    key = setup.secret(f"rerank/{own.id}")
    return ApiReranker(own.name, own.base_url, own.model, key, setup.proxy)
