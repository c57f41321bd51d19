"""Watched topics for a window: what runs them is only loaded when there is one to run."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from typing_extensions import override

from desktop.chat.api.topics import Topics
from desktop.domain.topics import Topic, TopicRun

if TYPE_CHECKING:  # it imports the turn runner
    from desktop.chat.watching import TopicWatcher
    from desktop.storage.topics import TopicStore


class TopicService(Topics):
    """Opens the store of topics at the first call."""

    def __init__(self, store: Callable[[], "TopicStore"], watcher: Callable[[], "TopicWatcher"]) -> None:
        self._store = store
        self._watcher = watcher

    @override
    async def all(self) -> tuple[Topic, ...]:
        return await self._store().all()

    @override
    async def add(self, topic: Topic) -> Topic:
        return await self._watcher().add(topic)

    @override
    async def pause(self, topic_id: str, is_paused: bool) -> None:
        await self._store().pause(topic_id, is_paused)

    @override
    async def restore(self, topic: Topic) -> None:
        await self._store().save(topic)

    @override
    async def remove(self, topic_id: str) -> None:
        await self._store().remove(topic_id)

    @override
    async def run(self, topic: Topic) -> tuple[Topic, TopicRun]:
        return await self._watcher().run(topic)

    @override
    async def run_due(self) -> tuple[tuple[Topic, TopicRun], ...]:
        return await self._watcher().run_due() if await self._store().all() else ()
