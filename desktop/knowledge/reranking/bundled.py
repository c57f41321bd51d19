"""The bundled network that judges pairs of texts, in the model thread, a few pairs at a time."""

from collections.abc import Callable, Sequence

from desktop.errors import AppError, IndexUnavailable, ModelUnusable, RerankerFailed
from desktop.knowledge.bundled_models import BundledPairModel, PairJudgement, load_pair_model
from desktop.knowledge.reranking.local import RunWithModels

_AT_ONCE = 4
"""More would delay searches: a passage takes up to 0.1 s."""


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
