"""The history of all conversations: search by words, and by meaning once the user requests it."""

import asyncio
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import aclosing
from typing import Final, Protocol

from typing_extensions import override

from desktop.chat.api.conversations import History
from desktop.domain.history import HistoryPage, HistoryQuery, PastAnswer
from desktop.errors import KnowledgeError
from desktop.storage.history_store import HistoryStore

AT_ONCE: Final = 16
"""How many messages are embedded in one step: a search in a base waits for one step at most."""
LOOK_S: Final = 2.0
"""How often the service checks for messages to embed, in seconds."""


class Embedder(Protocol):
    """Computes embeddings of texts."""

    async def embed(self, texts: Sequence[str], *, is_query: bool = False) -> tuple[bytes, ...]:
        """Return a float32 vector for each text, a query or text to be searched; raises KnowledgeError."""
        ...


class HistoryService(History):
    """Searches the index of the history.

    Messages are embedded in the background from the first semantic search on, newest first. After a restart
    this resumes with the next semantic search, as it needs the worker process of the bases.
    """

    def __init__(self, store: HistoryStore, embedder: Callable[[], Embedder]) -> None:
        self._store = store
        self._embedder = embedder
        self._asked = asyncio.Event()

    @override
    async def search(self, query: HistoryQuery, rest: int | None = None) -> HistoryPage:
        return await self._store.search(query, rest)

    @override
    async def find_similar(self, query: HistoryQuery) -> HistoryPage:
        self._asked.set()
        (asked,) = await self._embedder().embed((query.words,), is_query=True)
        return await self._store.find_similar(query, asked)

    async def list_all(self) -> None:
        """Index all messages that are not indexed yet, then return; raises StorageErrors."""
        await self._store.list_all()

    @override
    async def keep_up(self) -> AsyncGenerator[float, None]:
        """Keep the index up to date; never ends by itself."""
        embedding = asyncio.create_task(self._keep_embedding())
        try:
            async with aclosing(self._store.keep_up()) as shares:
                async for share in shares:
                    yield share
        finally:
            embedding.cancel()
            await asyncio.gather(embedding, return_exceptions=True)

    @override
    async def answer(self, message_id: str) -> PastAnswer:
        return await self._store.answer(message_id)

    async def _keep_embedding(self) -> None:
        await self._asked.wait()
        clock = asyncio.get_running_loop().time
        while True:
            began = clock()
            try:
                is_more = await self.embed_some()
            except KnowledgeError:  # a semantic search reports the error
                is_more = False
                self._asked.clear()
                await self._asked.wait()
            # Pause for as long as a step took, so that half of the time is left to other work.
            await asyncio.sleep(clock() - began if is_more else LOOK_S)

    async def embed_some(self) -> bool:
        """Embed some messages; return whether there were any."""
        waiting = await self._store.list_unembedded(AT_ONCE)
        pieces = [piece for message in waiting for piece in message.pieces]
        vectors = iter(await self._embedder().embed(pieces) if pieces else ())
        known = {message.key: [next(vectors) for _ in message.pieces] for message in waiting}
        await self._store.put_meanings(known)
        return bool(waiting)
