"""The bundled models for answers and checks that do not need the user's files.

The knowledge worker runs them where it runs anyway; else a process of their own does, which ends when it is idle.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

import msgspec

from desktop.errors import KnowledgeError, ModelUnusable
from desktop.knowledge.bundled_models import (
    LIMIT_S,
    EmbedTexts,
    JudgePairs,
    ModelCall,
    ModelCallFailed,
    ModelReply,
    PairJudgement,
    PairJudgements,
    TextVectors,
)
from desktop.knowledge.embedding.model_cards import BUILT_IN
from desktop.phrases import translatable
from desktop.text.child_processes import ParserDied, ParserProcess
from desktop.text.decode import strip_surrogates
from desktop.text.message_codec import error_of

if TYPE_CHECKING:  # imported for types only
    from desktop.knowledge.worker.client import KnowledgeClient

_IDLE_S = 120.0
"""How long the process stays after its last use: its memory is worth more than the second that its start takes."""
_EMBEDDING_PATIENCE_S = 1.0
_WORKER_PATIENCE_S = 3.0
"""How long an answer waits for a knowledge worker, which may be busy with files."""
_PATIENCE_S = 10.0
"""How long it waits for the models to be loaded, and again for likelihoods; a quiet machine takes a second."""
_NETWORK = "entailment"
_T = TypeVar("_T", TextVectors, PairJudgements)

_SLOW = translatable("it took longer than {seconds} s")
_ENDED = translatable("its process ended ({status})")
_CLOSING = translatable("Footnote is closing")


class BundledModels:
    """Runs the bundled models for one event loop. Closing it ends its process."""

    def __init__(self, worker: Callable[[], "KnowledgeClient"]) -> None:
        self._worker = worker
        self._process = ParserProcess("desktop.knowledge.bundled_models")
        self._asking = asyncio.Lock()
        self._asked: asyncio.Task[msgspec.Struct] | None = None
        self._is_closed = False
        self._loading: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None
        self._idle: asyncio.TimerHandle | None = None

    @property
    def pid(self) -> int | None:
        """The id of the process, or None."""
        return self._process.pid

    def load_early(self) -> None:
        """Begin to load the models, for an answer whose sources are still looked up."""
        if self._is_closed or self._uses_worker or self.pid is not None:
            return
        if self._loading is None or self._loading.done():
            self._loading = asyncio.create_task(self._load())

    async def embed(self, texts: Sequence[str], *, is_query: bool = False) -> tuple[bytes, ...] | None:
        """Return the embedding of each text by the built-in model; None if that takes too long or fails."""
        try:
            if self._uses_worker:
                async with asyncio.timeout(_EMBEDDING_PATIENCE_S):
                    return await self._worker().embed(texts, is_query=is_query)
            await self._wait_until_loaded()
            prefix = BUILT_IN.query_prefix if is_query else BUILT_IN.passage_prefix
            call = EmbedTexts(tuple(strip_surrogates(prefix + text) for text in texts))
            return (await self._ask(call, TextVectors, _PATIENCE_S)).vectors
        except (KnowledgeError, TimeoutError):
            return None

    async def judge(self, question: str, texts: Sequence[str], *, of_sentences: bool) -> tuple[float, ...]:
        """Return how likely each passage, or each sentence, answers a question.

        Raises:
            KnowledgeError: the network is missing or damaged, or it takes too long.
        """
        if not self._uses_worker:
            await self._wait_until_loaded()
        pairs = [(question, text) for text in texts]
        judged = await self._judge(pairs, _PATIENCE_S, _WORKER_PATIENCE_S)
        return tuple(one.holds_answer if of_sentences else one.answers for one in judged)

    async def entail(self, pairs: Sequence[tuple[str, str]]) -> tuple[tuple[float, float], ...]:
        """Return how likely each (passage, claim) is entailed and contradicted, each 0…1; raises KnowledgeError."""
        turned = [(claim, passage) for passage, claim in pairs]
        judged = await self._judge(turned, LIMIT_S, LIMIT_S)
        return tuple((one.entailed, one.contradicted) for one in judged)

    async def _judge(
        self, pairs: Sequence[tuple[str, str]], patience_s: float, worker_patience_s: float
    ) -> tuple[PairJudgement, ...]:
        if not self._uses_worker:
            call = JudgePairs(
                tuple((strip_surrogates(first), strip_surrogates(second)) for first, second in pairs)
            )
            return (await self._ask(call, PairJudgements, patience_s)).judgements
        try:
            async with asyncio.timeout(worker_patience_s):
                return await self._worker().judge_pairs(pairs)
        except TimeoutError as error:
            raise _too_slow(worker_patience_s) from error

    async def aclose(self) -> None:
        """End the process. What is being asked raises an error: threads of Quotes ask on after their answer ended."""
        self._is_closed = True
        if self._idle is not None:
            self._idle.cancel()
        tasks = [task for task in (self._loading, self._ending, self._asked) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        async with self._asking:
            await self._process.aclose()

    @property
    def _uses_worker(self) -> bool:
        return self.pid is None and self._worker().is_warm

    async def _load(self) -> None:
        with suppress(KnowledgeError):  # who needs a model asks for it again, and is told
            await self._ask(EmbedTexts(()), TextVectors, LIMIT_S)
            await self._ask(JudgePairs(()), PairJudgements, LIMIT_S)

    async def _wait_until_loaded(self) -> None:
        self.load_early()
        if self._loading is not None:
            _, waiting = await asyncio.wait({self._loading}, timeout=_PATIENCE_S)
            if waiting:
                raise _too_slow(_PATIENCE_S)

    async def _ask(self, call: ModelCall, kind: type[_T], patience_s: float) -> _T:
        """Return the reply to a call; raises KnowledgeError."""
        async with self._asking:
            if self._is_closed:
                raise ModelUnusable(model=_NETWORK, detail=_CLOSING)
            asked = self._process.ask(msgspec.msgpack.encode(call), _decode, patience_s)
            self._asked = asyncio.create_task(asked)
            try:
                reply = await self._asked
            except asyncio.CancelledError as error:
                if self._is_closed and not _is_cancelled():
                    raise ModelUnusable(model=_NETWORK, detail=_CLOSING) from error
                raise
            except TimeoutError as error:
                raise _too_slow(patience_s) from error
            except (ParserDied, OSError) as error:
                raise ModelUnusable(model=_NETWORK, detail=_ENDED.format(status=error)) from error
            finally:
                self._end_when_idle()
        if isinstance(reply, ModelCallFailed):
            raise error_of(reply.error, reply.fields)
        assert isinstance(reply, kind)
        return reply

    def _end_when_idle(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
        if self._is_closed:
            return
        self._idle = asyncio.get_running_loop().call_later(_IDLE_S, self._begin_to_end)

    def _begin_to_end(self) -> None:
        self._ending = asyncio.create_task(self._end())

    async def _end(self) -> None:
        async with self._asking:
            await self._process.aclose()


def _is_cancelled() -> bool:
    """Say whether the current task itself is cancelled, and not just what it waits for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _decode(payload: bytes) -> ModelReply:
    reply: ModelReply = msgspec.msgpack.decode(payload, type=ModelReply)
    return reply


def _too_slow(seconds: float) -> ModelUnusable:
    return ModelUnusable(model=_NETWORK, detail=_SLOW.format(seconds=round(seconds)))
