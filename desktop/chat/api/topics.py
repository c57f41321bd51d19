"""What a window can ask about watched topics."""

from typing import Protocol

from desktop.domain.topics import Topic, TopicRun


class Topics(Protocol):
    """Questions that are looked up on a schedule."""

    async def all(self) -> tuple[Topic, ...]:
        """Return all topics, the oldest first."""
        ...

    async def add(self, topic: Topic) -> Topic:
        """Watch a topic from now on, and return it with its id; its first run is due at once."""
        ...

    async def pause(self, topic_id: str, is_paused: bool) -> None:
        """Pause a topic, or go on with it."""
        ...

    async def restore(self, topic: Topic) -> None:
        """Bring a removed topic back."""
        ...

    async def remove(self, topic_id: str) -> None:
        """Watch a topic no more; conversations of its runs stay."""
        ...

    async def run(self, topic: Topic) -> tuple[Topic, TopicRun]:
        """Look up a topic now, and return it with its run; cancelling leaves nothing behind.

        Raises:
            TopicsInUse: another program on this data folder looks up topics.
        """
        ...

    async def run_due(self) -> tuple[tuple[Topic, TopicRun], ...]:
        """Run all topics that are due, each once; raises as `run`."""
        ...
