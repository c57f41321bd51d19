"""Adds a question and its answer to a conversation: at its end, or as another branch."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from desktop.chat.answer_recorder import new_messages
from desktop.chat.api.engine import Question
from desktop.chat.procedures.dispatcher import question_to_resume
from desktop.domain.messages import (
    Conversation,
    Message,
    MessageStatus,
    Speaker,
    main_branch,
    offered_numbers,
)
from desktop.domain.procedures import SummaryState
from desktop.domain.search import WEB_OFF
from desktop.errors import QuestionDamaged, UnknownConversation
from desktop.storage.branch_operations import BranchOperations
from desktop.storage.conversation_store import ConversationStore
from desktop.storage.message_tree import InsertPoint

_BROKEN_OFF = frozenset({MessageStatus.FAILED, MessageStatus.STOPPED, MessageStatus.INTERRUPTED})


@dataclass(frozen=True)
class TurnStart:
    """A question and its empty answer, both on disk, and the messages that led to them.

    `question` says how to answer: a repeated question is answered in the same way as before.
    """

    question: Question
    before: Conversation
    asked: Message
    answer: Message


async def start_turn(question: Question, conversation: Conversation, store: ConversationStore) -> TurnStart:
    """Write a question and its empty answer to disk.

    Raises:
        UnknownConversation: the message that it edits or repeats is not shown.
        QuestionDamaged: the text of the repeated question is lost.
    """
    earlier = question.edits or question.repeats
    before = conversation.messages
    asked, answer = new_messages(question)
    if earlier:
        position = _position(before, earlier)
        before, repeated, rest = before[:position], before[position], before[position + 1 :]
    if question.repeats:
        asked = with_words(repeated)
        question = replace(_in_same_manner(question, takewhile(_is_answer, rest)), files=asked.files)
        await _drop_empty(rest, store)
    else:
        asked = await store.add_message(asked, InsertPoint(instead_of=question.edits))
    before = main_branch(before)
    answer = replace(answer, known=offered_numbers(before))
    answer = await store.add_message(answer, InsertPoint(after=asked.id))
    return TurnStart(question, replace(conversation, messages=before), asked, answer)


def with_words(asked: Message) -> Message:
    """Return a question that is asked again.

    Raises:
        QuestionDamaged: its text is lost.
    """
    if asked.is_damaged:
        raise QuestionDamaged
    return asked


def conversation_up_to(conversation: Conversation, message_id: str) -> Conversation:
    """Return a conversation as it led to an answer: earlier messages, the question, and that answer.

    Raises:
        UnknownConversation: the answer is not shown, or has no question.
    """
    position = _position(conversation.messages, message_id)
    earlier = conversation.messages[:position]
    asked = [n for n, message in enumerate(earlier) if message.speaker is Speaker.USER]
    if not asked:
        raise UnknownConversation
    before = main_branch(conversation.messages[: asked[-1]])
    return replace(
        conversation, messages=(*before, conversation.messages[asked[-1]], conversation.messages[position])
    )


def _position(messages: Sequence[Message], message_id: str) -> int:
    for position, message in enumerate(messages):
        if message.id == message_id:
            return position
    raise UnknownConversation


def _in_same_manner(question: Question, answers: Iterable[Message]) -> Question:
    """Return a repeated question with the procedure of its answer, unless it sets another one."""
    state = next((answer.procedure for answer in answers if answer.procedure is not None), None)
    wants_other = question.procedure or question.queries or question.without or question.also
    if state is None or wants_other:
        return question
    question = question_to_resume(question, state)
    is_wish = isinstance(state, SummaryState) and not state.question
    return replace(question, is_wish=is_wish, web=WEB_OFF if question.stays_here else question.web)


async def _drop_empty(answers: Sequence[Message], store: ConversationStore) -> None:
    """Delete the last answers that were interrupted before their first word."""
    is_last = all(map(_is_answer, answers))
    if is_last and all(map(_is_empty, answers)):
        for message in answers:
            await BranchOperations(store).delete(message.id)


def _is_answer(message: Message) -> bool:
    return message.speaker is Speaker.MODEL


def _is_empty(message: Message) -> bool:
    said = message.text.strip() or message.reasoning.strip() or message.procedure
    return message.status in _BROKEN_OFF and not said
