"""The reranker that the settings name."""

from desktop.knowledge.embedding.store import ModelStore
from desktop.knowledge.reranking.api import ApiReranker
from desktop.knowledge.reranking.judging import Judging
from desktop.knowledge.reranking.local import LocalReranker, RunWithModels
from desktop.knowledge.reranking.reranker import Reranker
from desktop.knowledge.setup import Setup
from desktop.settings.model import LOCAL_RERANKER


def judging_of(setup: Setup, store: ModelStore, run: RunWithModels) -> Judging:
    """Return who judges what was found, and what a passage must reach; one that is not set up judges nothing."""
    return Judging(_reranker_of(setup, store, run), setup.settings.threshold)


def _reranker_of(setup: Setup, store: ModelStore, run: RunWithModels) -> Reranker | None:
    chosen = setup.settings.reranker
    if chosen.startswith(LOCAL_RERANKER):
        return LocalReranker(chosen.removeprefix(LOCAL_RERANKER), store.find, run)
    own = next((own for own in setup.settings.own_rerankers if own.id == chosen), None)
    if own is None:
        return None
    key = setup.secret(f"rerank/{own.id}")
    return ApiReranker(own.name, own.base_url, own.model, key, setup.proxy)
