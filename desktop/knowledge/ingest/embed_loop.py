"""The loop that embeds passages, running beside the one that reads files.

First, it embeds passages without a vector of the base's current model. Then it embeds bases whose options or
settings name another model, while their old vectors are still searched; once all vectors are there, the base
switches.
"""

import asyncio
import itertools
import sqlite3
from collections.abc import Iterable, Sequence
from dataclasses import replace

from desktop.domain.knowledge import BaseInfo, ItemProgress
from desktop.errors import AppError
from desktop.knowledge.bundled_models import BUNDLED
from desktop.knowledge.index.bases import Bases
from desktop.knowledge.index.database import IndexDatabase
from desktop.knowledge.index.disk_errors import is_full, storage_full
from desktop.knowledge.index.items import ItemStore
from desktop.knowledge.index.passages import Passages, PendingPassage
from desktop.knowledge.index.vector_rows import VectorRows
from desktop.knowledge.progress import ProgressBroadcast
from desktop.knowledge.vector_service import VectorService

_WINDOW = 256
"""Number of passages taken together, so that passages of similar length share a batch."""
_OLDEST_EVERY = 4
"""Every n-th time, the longest waiting document is first, even a long one; otherwise, new short ones could
delay it forever.
"""
GIVE_WAY_S = 60.0
"""Maximum time that embedding pauses while files wait to be read: quick keyword search is more important."""
FULL_PAUSE_S = 20.0
"""Pause after the disk was full; a request of the user ends it early."""
RETRY_S = 20.0
"""Time before a model that may only be busy is tried again."""


class EmbedLoop:
    """Embeds the passages stored on disk, resuming the work of the previous run."""

    def __init__(self, database: IndexDatabase, vectors: VectorService, steps: ProgressBroadcast) -> None:
        self._path = database.path
        self._bases = Bases(database)
        self._library = ItemStore(database)
        self._passages = Passages(database)
        self._rows = VectorRows(database)
        self._vectors = vectors
        self._steps = steps
        self._to_embed = asyncio.Event()
        self._is_free = asyncio.Event()
        self._is_free.set()
        self._patient_until = 0.0
        self._turns = itertools.count(1)
        self._failed: dict[str, AppError] = {}
        self._checked: set[str] = set()
        self._reached: dict[tuple[str, str], int] = {}
        self._anew: dict[str, int] = {}

    def wake(self) -> None:
        """Signal that there may be new work."""
        self._to_embed.set()

    def count_embedded_anew(self, base_id: str) -> int:
        """Return how many passages have a vector of the model that the base will switch to."""
        return self._anew.get(base_id, 0)

    def give_way(self) -> None:
        """Pause embedding in favour of reading files until `go_on`, but not forever.

        Queries are still embedded.
        """
        if self._is_free.is_set():
            self._is_free.clear()
            self._patient_until = asyncio.get_running_loop().time() + GIVE_WAY_S

    def go_on(self) -> None:
        """Signal that no file is waiting to be read."""
        self._is_free.set()

    def retry(self) -> None:
        """Signal that failed models may work again."""
        self._checked.clear()
        self._to_embed.set()
        self._failed.clear()

    async def run(self) -> None:
        """Work until cancelled."""
        while True:
            self._to_embed.clear()
            pause_s = None
            try:
                pending = await self._next()
                if pending:
                    await self._try(pending)
                    continue
                if any(error.is_transient for error in self._failed.values()):
                    pause_s = RETRY_S
            except sqlite3.OperationalError as error:
                if not is_full(error, self._path):
                    raise
                self._give_up(self._passages.pending(_WINDOW), storage_full(error))
                pause_s = FULL_PAUSE_S
            await wait_for(self._to_embed, pause_s)
            self._failed = {key: error for key, error in self._failed.items() if not error.is_transient}

    async def _next(self) -> list[PendingPassage]:
        """Return passages of one model without vectors, after switching the bases that are complete."""
        bases = [base for base in self._bases.all() if not base.is_paused]
        targets = {base.id: self._vectors.target_of(base) for base in bases}
        for base in bases:
            if base.model != targets[base.id] and not self._rows.has_any(base.id, base.model):
                self._rows.begin_with(base.id, targets[base.id])
                self._passages.finish_documents()  # those with kept vectors by this model
                self._vectors.refresh()
            else:
                await self._check(base.model)
        oldest_first = next(self._turns) % _OLDEST_EVERY == 0
        if pending := self._passages.pending(_WINDOW, without=tuple(self._failed), oldest_first=oldest_first):
            first = pending[0]
            if oldest_first:  # not together with shorter texts, which would be embedded first
                return [passage for passage in pending if passage.document == first.document]
            return [passage for passage in pending if passage.model == first.model]
        for base in bases:
            if pending := await self._for_change(base, targets[base.id]):
                return pending
        await self._vectors.keep_models({*targets.values(), *(base.model for base in bases)})
        return []

    async def _for_change(self, base: BaseInfo, target: str) -> list[PendingPassage]:
        """Return passages without a vector of the base's next model; if there are none, switch to it.

        Vectors by the bundled models are kept, so that going back to one of them embeds nothing.
        """
        for _ in self._rows.drop_others(base.id, {base.model, target, *BUNDLED}):
            await asyncio.sleep(0)  # let other tasks run between two batches
        if target == base.model or target in self._failed:
            self._anew.pop(base.id, None)
            return []
        await self._check(target)
        if target in self._failed:
            self._give_up(self._rows.lacking(base.id, target, 0, _WINDOW), self._failed[target])
            return []
        key = (base.id, target)
        pending = self._rows.lacking(base.id, target, self._reached.get(key, 0), _WINDOW)
        if pending:
            self._reached[key] = pending[-1].id
            self._anew[base.id] = self._rows.count_of_base(base.id, target)
            return pending
        if self._reached.pop(key, 0):  # start again, as some may have failed or been added since
            return await self._for_change(base, target)
        if self._rows.switch(base.id, target):
            self._anew.pop(base.id, None)
            self._vectors.refresh()
            self._publish_base(base)
            return await self._for_change(replace(base, model=target), target)
        return []

    async def _check(self, model: str) -> None:
        """Delete vectors that the model would no longer produce."""
        if model in self._checked or model in self._failed:
            return
        try:
            fingerprint = self._vectors.fingerprint(model)
        except AppError as error:
            self._failed[model] = error
            lacking = self._passages.pending(_WINDOW)
            self._give_up([passage for passage in lacking if passage.model == model], error)
            return
        self._checked.add(model)
        if not self._rows.is_current(model, fingerprint):
            self._rows.renew(model, fingerprint)
            await self._vectors.forget(model)

    async def _try(self, pending: Sequence[PendingPassage]) -> None:
        model = pending[0].model
        try:
            await self._embed(model, sorted(pending, key=lambda passage: len(passage.text)))
        except AppError as error:
            self._failed[model] = error
            self._give_up(pending, error)

    async def _embed(self, model: str, pending: Sequence[PendingPassage]) -> None:
        size = self._vectors.batch_of(model)
        for begin in range(0, len(pending), size):
            await self._wait_for_readers()
            batch = pending[begin : begin + size]
            vectors = await self._vectors.embed([passage.embedded_text for passage in batch], model)
            await asyncio.gather(*self._keep(model, batch, vectors))
            for passage in batch:
                if (passage.base_id, model) in self._reached and passage.base_id in self._anew:
                    self._anew[passage.base_id] += 1
            documents = {passage.document for passage in batch}
            self._passages.finish_documents(documents)
            for document in documents:
                done = self._rows.count_held(document, model)
                for item in self._library.items_of(document):
                    self._steps.publish(ItemProgress(item, done, item.passages))
            if self._to_embed.is_set():  # new work: a short document should not wait for a long one
                return

    async def _wait_for_readers(self) -> None:
        patience_s = self._patient_until - asyncio.get_running_loop().time()
        if patience_s > 0:
            await wait_for(self._is_free, patience_s)

    def _keep(
        self, model: str, batch: Sequence[PendingPassage], vectors: Sequence[bytes]
    ) -> list[asyncio.Future[None]]:
        """Store vectors and queue their indexing immediately, so that a later removal is processed after it."""
        by_base: dict[str, list[tuple[int, bytes]]] = {}
        for passage, vector in zip(batch, vectors, strict=True):
            by_base.setdefault(passage.base_id, []).append((passage.id, vector))
        futures = []
        for base_id, rows in by_base.items():
            kept = self._passages.put_vectors(model, rows)
            if kept:
                futures.append(self._vectors.upsert(base_id, kept, model))
        return futures

    def _give_up(self, pending: Iterable[PendingPassage], error: AppError) -> None:
        for document in {passage.document for passage in pending}:
            for item in self._library.items_of(document):
                self._steps.publish(ItemProgress(replace(item, error=str(error))))

    def _publish_base(self, base: BaseInfo) -> None:
        for item in self._library.items(base.id):
            self._steps.publish(ItemProgress(item))


async def wait_for(event: asyncio.Event, at_most_s: float | None) -> None:
    """Wait for an event, at most `at_most_s` seconds."""
    try:
        async with asyncio.timeout(at_most_s):
            await event.wait()
    except TimeoutError:
        return
