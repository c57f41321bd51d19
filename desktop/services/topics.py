"""Watched topics for a window: what runs them is only loaded when there is one to run."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from desktop.domain.topics import Topic, TopicRun

if TYPE_CHECKING:  # it imports the turn runner
    from desktop.chat.watching import TopicWatcher
    from desktop.storage.topics import TopicStore


class TopicService:
    """See `desktop.chat.api.topics.Topics`."""

    def __init__(self, store: Callable[[], "TopicStore"], watcher: Callable[[], "TopicWatcher"]) -> None:
        self._store = store
        self._watcher = watcher

    async def all(self) -> tuple[Topic, ...]:
        """Return all topics, the oldest first."""
        return await self._store().all()

    async def add(self, topic: Topic) -> Topic:
        """Watch a topic from now on."""
        return await self._watcher().add(topic)

    async def change(self, topic: Topic) -> None:
        """Store a changed topic."""
        await self._store().save(topic)

    async def remove(self, topic_id: str) -> None:
        """Watch a topic no more."""
        await self._store().remove(topic_id)

    async def run(self, topic: Topic) -> tuple[Topic, TopicRun]:
        """Look up a topic now."""
        return await self._watcher().run(topic)

    async def run_due(self) -> tuple[tuple[Topic, TopicRun], ...]:
        """Run all topics that are due."""
        return await self._watcher().run_due() if await self._store().all() else ()
