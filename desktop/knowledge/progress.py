"""Progress of items for subscribers: frequent, but throttled so that it does not slow them down."""

import asyncio
from collections.abc import AsyncGenerator, Collection, Iterable

from desktop.domain.knowledge import ItemProgress

INTERVAL_S = 0.1
"""Seconds between two batches of steps. Of several steps of an item within that time, only the last is sent."""
MOST_AT_ONCE = 500


class ProgressBroadcast:
    """Broadcasts the progress of all items; subscribers get the last step of each, in order."""

    def __init__(self) -> None:
        self._followers: set[_Follower] = set()

    def is_wanted(self, item_id: str) -> bool:
        """Whether an item has a subscriber, so that progress without subscribers need not be computed."""
        return any(follower.wants(item_id) for follower in self._followers)

    def publish(self, progress: ItemProgress) -> None:
        """Publish a step."""
        for follower in self._followers:
            if follower.wants(progress.item.id):
                follower.put(progress)

    async def follow(
        self, item_ids: Collection[str] | None = None, first: Iterable[ItemProgress] = ()
    ) -> AsyncGenerator[tuple[ItemProgress, ...]]:
        """Yield the steps of these items, or of all items if None, after the steps in `first`."""
        follower = _Follower(None if item_ids is None else frozenset(item_ids))
        for progress in first:
            follower.put(progress)
        self._followers.add(follower)
        try:
            while True:
                yield await follower.batch()
        finally:
            self._followers.discard(follower)


class _Follower:
    """The steps that one subscriber has not received yet."""

    def __init__(self, item_ids: frozenset[str] | None) -> None:
        self._item_ids = item_ids
        self._latest: dict[str, ItemProgress] = {}
        self._filled = asyncio.Event()
        self._told_at = 0.0

    def wants(self, item_id: str) -> bool:
        return self._item_ids is None or item_id in self._item_ids

    def put(self, progress: ItemProgress) -> None:
        self._latest.pop(progress.item.id, None)  # move it to the end, behind the newest
        self._latest[progress.item.id] = progress
        self._filled.set()

    async def batch(self) -> tuple[ItemProgress, ...]:
        await self._filled.wait()
        loop = asyncio.get_running_loop()
        await asyncio.sleep(max(0.0, self._told_at + INTERVAL_S - loop.time()))
        self._told_at = loop.time()
        ids = list(self._latest)[:MOST_AT_ONCE]
        batch = tuple(self._latest.pop(item_id) for item_id in ids)
        if not self._latest:
            self._filled.clear()
        return batch
