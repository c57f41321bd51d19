"""Looks up watched topics, and tells only what is new or different since the last time.

A run asks the question in a conversation of its own and checks the citations of the answer. Each cited statement is
compared with those told before: one that they support is known, one whose numbers, dates or names differ, or that they
deny, is different, and any other is new. Where nothing is left, the conversation is deleted.
"""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from filelock import FileLock, Timeout
from typing_extensions import override

from desktop.chat.api.conversations import Topics
from desktop.chat.api.engine import Question
from desktop.domain.citation_check import CitationCheck
from desktop.domain.events import CheckEvent, CitationsChecked, ToolAsks, TurnEvent, TurnFailed, TurnFinished
from desktop.domain.messages import Message, MessageStatus, StepStatus
from desktop.domain.tools import Consent
from desktop.domain.topics import Interval, RunState, Topic, TopicRun
from desktop.errors import AppError, TopicsInUse, UnknownTopic
from desktop.phrases import sentences, translatable
from desktop.settings.egress import EgressContext, on
from desktop.storage.conversation_store import ConversationStore
from desktop.storage.topics import TopicStore

if TYPE_CHECKING:  # it imports heavy services
    from desktop.chat.turn.runner import TurnRunner

MOST_RUNS: Final = 400
"""Older runs of a topic are forgotten, unless they count for the budget; what they told stays known."""
MOST_KNOWN: Final = 2_000
_OVER_BUDGET = translatable("The {used} tokens of this month have reached the budget of {budget}.")
_NO_ANSWER = translatable("The question was not answered.")


@dataclass
class _Answer:
    """What a turn told."""

    message: Message | None = None
    check: CitationCheck = field(default_factory=CitationCheck)


class TopicWatcher(Topics):
    """Runs topics; one at a time, as each searches and reads as much as a question of the user."""

    def __init__(
        self,
        *,
        topics: TopicStore,
        egress_context: Callable[[str, bool], Awaitable[EgressContext]],
        store: ConversationStore,
        turns: Callable[[], "TurnRunner"],
        lock_file: Path,
        expire_pages: Callable[[], None],
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._topics = topics
        self._egress_context = egress_context
        self._store = store
        self._turns = turns
        self._expire_pages = expire_pages
        self._now = now
        self._turn = asyncio.Lock()
        self._lock = FileLock(lock_file, timeout=0)

    @override
    async def all(self) -> tuple[Topic, ...]:
        return await self._topics.all()

    async def find(self, name: str) -> Topic:
        """Return the topic with an id, or the only one whose question or id begins with `name`.

        Raises:
            UnknownTopic: there is none, or more than one.
        """
        topics = await self._topics.all()
        wanted = name.strip().casefold()
        found = [topic for topic in topics if wanted in {topic.id, topic.question.casefold()}] or [
            topic
            for topic in topics
            if wanted and (topic.id.startswith(wanted) or topic.question.casefold().startswith(wanted))
        ]
        if len(found) != 1:
            raise UnknownTopic(topic=name)
        return found[0]

    @override
    async def add(self, topic: Topic) -> Topic:
        added = replace(topic, id=uuid.uuid4().hex[:12], created_at=self._now())
        await self._topics.save(added)
        return added

    @override
    async def pause(self, topic_id: str, is_paused: bool) -> Topic | None:
        return await self._topics.pause(topic_id, is_paused)

    @override
    async def change(self, topic_id: str, interval: Interval, budget_tokens: int) -> Topic | None:
        return await self._topics.update(
            topic_id, lambda topic: replace(topic, interval=interval, budget_tokens=budget_tokens)
        )

    @override
    async def restore(self, topic: Topic) -> None:
        await self._topics.save(topic)

    @override
    async def remove(self, topic_id: str) -> None:
        await self._topics.remove(topic_id)

    @override
    async def run_due(self) -> tuple[tuple[Topic, TopicRun], ...]:
        """Run all topics that are due, each once however many runs were missed.

        Raises:
            TopicsInUse: there are topics, and another program on this data folder looks them up.
        """
        if not await self._topics.all():
            return ()
        async with self._alone():
            done: list[tuple[Topic, TopicRun]] = []
            for listed in await self._topics.all():
                # The user may have paused or removed it while those before it were looked up.
                topic = next((each for each in await self._topics.all() if each.id == listed.id), None)
                if topic is not None and topic.is_due(self._now()):
                    done.append(await self._run(topic))
            return tuple(done)

    @override
    async def run(self, topic: Topic) -> tuple[Topic, TopicRun]:
        """Look up a topic now; return it with its run. A failure is a run that says why.

        Raises:
            TopicsInUse: another program on this data folder looks up topics.
        """
        async with self._alone():
            return await self._run(await self.find(topic.id))

    @asynccontextmanager
    async def _alone(self) -> AsyncIterator[None]:
        async with self._turn:
            try:
                self._lock.acquire()
            except Timeout as error:
                raise TopicsInUse from error
            try:
                yield
            finally:
                self._lock.release()

    async def _run(self, topic: Topic) -> tuple[Topic, TopicRun]:
        run = TopicRun(uuid.uuid4().hex, self._now())
        used = topic.tokens_in_month(run.started_at)
        if topic.budget_tokens and used >= topic.budget_tokens:
            words = _OVER_BUDGET.format(used=used, budget=topic.budget_tokens)
            return await self._keep(topic, replace(run, state=RunState.OVER_BUDGET, problem=words))
        conversation = await self._store.create()
        try:
            run = await self._look_up(topic, replace(run, conversation_id=conversation.id))
        except AppError as error:
            run = replace(run, state=RunState.FAILED, problem=str(error))
        except asyncio.CancelledError:
            await asyncio.shield(self._forget(conversation.id))
            raise
        if not run.findings:
            await self._forget(conversation.id)
            run = replace(run, conversation_id="")
        return await self._keep(topic, run)

    async def _keep(self, topic: Topic, run: TopicRun) -> tuple[Topic, TopicRun]:
        """Add a run to a topic as it is now, unless the user has removed it meanwhile."""
        changed = await self._topics.update(topic.id, lambda now: with_run(now, run))
        return changed or with_run(topic, run), run

    async def _forget(self, conversation_id: str) -> None:
        await self._store.erase(conversation_id)

    async def _look_up(self, topic: Topic, run: TopicRun) -> TopicRun:
        from desktop.chat.checking.news import find_news  # noqa: PLC0415 - only a run compares statements

        question = Question(
            topic.question,
            run.conversation_id,
            model=topic.model,
            web=topic.web,
            bases=topic.bases,
            procedure=topic.depth,
            uses_memory=False,
        )
        answer = await self._answer(question, stays_here=topic.stays_here)
        message = answer.message
        if message is None:
            return replace(run, state=RunState.FAILED, problem=_NO_ANSWER)
        tokens = message.usage.input_tokens + message.usage.output_tokens if message.usage else 0
        run = replace(run, tokens=tokens)
        failed = [step.detail for step in message.steps if step.status is StepStatus.FAILED and step.detail]
        if message.status is not MessageStatus.COMPLETE or (failed and not message.offered):
            problem = message.error or sentences(dict.fromkeys(failed)) or _NO_ANSWER
            return replace(run, state=RunState.FAILED, problem=problem)
        sources = message.sources_among((await self._store.load(run.conversation_id)).sources)
        findings = await find_news(topic, message.text, sources, answer.check)
        return replace(run, findings=findings)

    async def _answer(self, question: Question, *, stays_here: bool) -> _Answer:
        answer = _Answer()
        turns = self._turns()
        self._expire_pages()  # one that was read for another answer may have changed since

        async def take(event: TurnEvent | CheckEvent) -> None:
            match event:
                case ToolAsks(id=asked):
                    await turns.decide(asked, Consent.NO)  # there is no user to ask
                case CitationsChecked(_, check):
                    answer.check = check
                case TurnFinished(message) | TurnFailed(message):
                    answer.message = message
                case _:
                    pass

        with on(await self._egress_context(question.conversation_id, stays_here)):
            await turns.run(question, take)
            if answer.message and answer.message.status is MessageStatus.COMPLETE and not answer.check.marks:
                await turns.checks().check(question.conversation_id, answer.message.id, take)
        return answer


def with_run(topic: Topic, run: TopicRun) -> Topic:
    """Return a topic with one more run, and what it told as known; runs over the budget are one line a month.

    A statement that no source makes any more is not known any more: if it is made again, that is told.
    """
    last = topic.runs[-1] if topic.runs else None
    if (
        run.state is RunState.OVER_BUDGET
        and last
        and last.state is run.state
        and last.is_in_month(run.started_at)
    ):
        return replace(topic, runs=(*topic.runs[:-1], run))
    replaced = {finding.earlier.rstrip(".") for finding in run.findings if finding.is_replacement}
    still_known = (text for text in topic.known if text.rstrip(".") not in replaced)
    known = (*still_known, *(finding.text for finding in run.findings))
    kept = topic.runs[-(MOST_RUNS - 1) :]
    month = (
        tuple(each for each in topic.runs[: -len(kept)] if each.is_in_month(run.started_at)) if kept else ()
    )
    return replace(topic, known=known[-MOST_KNOWN:], runs=(*month, *kept, run))
