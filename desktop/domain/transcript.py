"""The messages that a conversation shows, and how the events of a turn change them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from desktop.domain.events import (
    Beside,
    CitationsChecked,
    ProcedureChanged,
    SourcesAdded,
    StepFinished,
    StepStarted,
    TextReplaced,
    ThinkingEnded,
    TurnEvent,
    TurnFailed,
    TurnFinished,
    TurnStarted,
)
from desktop.domain.messages import AnswerCost, Message, MessageStatus, Speaker, Step, retire_answers
from desktop.domain.models import ReasoningDelta, TextDelta
from desktop.domain.sources import PagesChecked, Source, with_page_checks


@dataclass(frozen=True)
class Transcript:
    """The shown messages of a conversation by id, in order, and its sources by number.

    It is a value: an event makes a new one. The chat session of a conversation holds the current one and is the only
    part that makes new ones; all others read what they got from it.
    """

    by_id: Mapping[str, Message] = field(default_factory=dict)
    sources: Mapping[int, Source] = field(default_factory=dict)
    answers: tuple[str, ...] = ()
    """Ids of the answers that belong to the running turn."""
    usual: str = ""
    """Id of the answer that events refer to which are not `Beside`; empty if no turn is running."""

    @classmethod
    def of(cls, messages: Iterable[Message], sources: Iterable[Source] = ()) -> "Transcript":
        """Return messages and sources from the disk, without a running turn."""
        return cls(
            {message.id: message for message in messages}, {source.number: source for source in sources}
        )

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages in order."""
        return tuple(self.by_id.values())

    @property
    def unfinished(self) -> tuple[str, ...]:
        """Ids of the answers that are being written."""
        return tuple(
            each
            for each in self.answers
            if each in self.by_id and self.by_id[each].status is MessageStatus.STREAMING
        )

    @property
    def last_answer(self) -> str:
        """Id of the last answer; empty if there is none."""
        answers = (each.id for each in reversed(self.messages) if each.speaker is Speaker.MODEL)
        return next(answers, "")

    @property
    def last_message(self) -> str:
        """Id of the last message; empty if there is none."""
        return next(reversed(tuple(self.by_id)), "")

    @property
    def last_with_versions(self) -> Message | None:
        """The last message that has several versions."""
        return next((each for each in reversed(self.messages) if each.variants), None)

    def get(self, message_id: str) -> Message | None:
        """Return a shown message."""
        return self.by_id.get(message_id)

    def question_of(self, message_id: str) -> Message | None:
        """Return the last question up to and including a message."""
        question = None
        for message in self.by_id.values():
            if message.speaker is Speaker.USER:
                question = message
            if message.id == message_id:
                return question
        return None

    def contains_turn(self, turn: "Transcript") -> bool:
        """Say whether these messages contain an answer of the running turn of `turn`."""
        return any(each in self.by_id for each in turn.answers)

    def with_turn(self, turn: "Transcript") -> "Transcript":
        """Return these messages, from the disk, with the answers of the running turn as they are in `turn`."""
        if not turn.answers:
            return self
        answers = {each: turn.by_id[each] for each in turn.answers if each in turn.by_id}
        return Transcript(
            {**self.by_id, **answers}, {**self.sources, **turn.sources}, turn.answers, turn.usual
        )

    def without_turn(self) -> "Transcript":
        """Return the same messages after the end of the turn."""
        return replace(self, answers=(), usual="")

    def after(self, event: TurnEvent) -> "Transcript":
        """Return what is shown after an event."""
        if isinstance(event, TextDelta):  # by far the most frequent one
            return _continue(self, self.usual, event)
        shown = self
        match event:
            case TurnStarted():
                shown = _begin(self, event)
            case Beside(_, TurnStarted(_, answer)):
                shown = _begin_answer(self, answer, self.usual)
            case Beside(_, TurnFinished(message) | TurnFailed(message)):
                shown = _update(self, message)
            case TurnFinished(message) | TurnFailed(message):
                usual = "" if message.id == self.usual else self.usual
                shown = replace(_update(self, message), usual=usual)
            case CitationsChecked(message_id, check):
                if (checked := self.get(message_id)) is not None:
                    shown = _update(self, replace(checked, check=check))
            case PagesChecked(checks):
                sources = with_page_checks(self.sources.values(), checks)
                shown = replace(self, sources={source.number: source for source in sources})
            case Beside(message_id, inner):
                shown = _continue(self, message_id, inner)
            case _:
                shown = _continue(self, self.usual, event)
        return shown


NOTHING_SHOWN: Final = Transcript()
"""An empty conversation."""


def messages_before_turn(messages: Sequence[Message], started: TurnStarted) -> tuple[Message, ...]:
    """Return those of `messages` that are still shown after a turn has begun.

    A regenerated answer replaces everything that followed its question. An edited question replaces the earlier
    one and everything that followed it.
    """
    ids = [message.id for message in messages]
    if started.answer.id in ids:
        return tuple(messages)
    if started.question.id in ids:
        return tuple(messages[: ids.index(started.question.id) + 1])
    earlier = [ids.index(each) for each in started.question.variants if each in ids]
    return tuple(messages[: min(earlier, default=len(ids))])


def _begin(shown: Transcript, started: TurnStarted) -> Transcript:
    question, answer = started.question, started.answer
    kept = {each.id: each for each in messages_before_turn(shown.messages, started)}
    if question.id not in kept:
        # The conversation continues, so the answers that were not chosen are left behind.
        kept.update((each.id, each) for each in retire_answers(kept.values()))
        kept[question.id] = question
    return _begin_answer(replace(shown, by_id=kept), answer, answer.id)


def _begin_answer(shown: Transcript, answer: Message, usual: str) -> Transcript:
    """Return the messages with an answer that begins or is continued."""
    running = replace(answer, status=MessageStatus.STREAMING, error="")
    answers = (*(each for each in shown.answers if each != answer.id), answer.id)
    return replace(shown, by_id={**shown.by_id, answer.id: running}, answers=answers, usual=usual)


def _update(shown: Transcript, message: Message) -> Transcript:
    """Return the messages with another state of one of them."""
    if message.id not in shown.by_id:
        return shown
    return Transcript({**shown.by_id, message.id: message}, shown.sources, shown.answers, shown.usual)


def _continue(shown: Transcript, message_id: str, event: TurnEvent) -> Transcript:
    """Return what is shown after an event of an answer that is being written."""
    if isinstance(event, SourcesAdded):
        added = {source.number: source for source in event.sources}
        shown = replace(shown, sources={**shown.sources, **added})
    answer = shown.get(message_id)
    if answer is None or answer.status is not MessageStatus.STREAMING:
        return shown
    continued = _continue_answer(answer, event)
    return shown if continued is answer else _update(shown, continued)


def _continue_answer(answer: Message, event: TurnEvent) -> Message:
    match event:
        case TextDelta(text):
            answer = replace(answer, text=answer.text + text)
        case ReasoningDelta(text):
            answer = replace(answer, reasoning=answer.reasoning + text, spent=None)
        case StepStarted(step) | StepFinished(step):
            answer = replace(answer, steps=_with_step(answer.steps, step))
        case SourcesAdded(sources):
            answer = answer.with_sources(sources)
        case ProcedureChanged(procedure):
            answer = replace(answer, procedure=procedure)
        case ThinkingEnded(seconds):
            answer = replace(answer, spent=AnswerCost(thinking_s=seconds))
        case TextReplaced(text):
            answer = replace(answer, text=text, is_damaged=False)
    return answer


def _with_step(steps: Sequence[Step], step: Step) -> tuple[Step, ...]:
    if any(each.id == step.id for each in steps):
        return tuple(step if each.id == step.id else each for each in steps)
    return (*steps, step)
