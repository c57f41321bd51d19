"""Watched topics in memory; a run takes its result from `found`."""

from dataclasses import replace
from datetime import UTC, datetime

from desktop.domain.topics import Topic, TopicRun


class FakeTopics:
    def __init__(self) -> None:
        self.topics: dict[str, Topic] = {}
        self.found: list[TopicRun] = []

    async def all(self) -> tuple[Topic, ...]:
        return tuple(self.topics.values())

    async def add(self, topic: Topic) -> Topic:
        added = replace(topic, id=f"topic-{len(self.topics)}")
        self.topics[added.id] = added
        return added

    async def pause(self, topic_id: str, is_paused: bool) -> Topic | None:
        self.topics[topic_id] = replace(self.topics[topic_id], is_paused=is_paused)
        return self.topics[topic_id]

    async def restore(self, topic: Topic) -> None:
        self.topics[topic.id] = topic

    async def remove(self, topic_id: str) -> None:
        del self.topics[topic_id]

    async def run(self, topic: Topic) -> tuple[Topic, TopicRun]:
        run = self.found.pop(0) if self.found else TopicRun("run", datetime.now(UTC))
        self.topics[topic.id] = replace(topic, runs=(*topic.runs, run))
        return self.topics[topic.id], run

    async def run_due(self) -> tuple[tuple[Topic, TopicRun], ...]:
        return tuple(
            [await self.run(topic) for topic in self.topics.values() if topic.is_due(datetime.now(UTC))]
        )
