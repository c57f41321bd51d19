"""What of an answer only the user has: it is listed before it is handed on, and can be left out source by source."""

from collections.abc import Collection
from dataclasses import replace
from itertools import chain

from desktop.domain.citation_check import CheckedMark, CitationCheck
from desktop.domain.messages import Conversation, Message, Speaker
from desktop.domain.procedures import EvidencePlace, TextCheck, TextClaim
from desktop.domain.sources import Locator, Source, SourceKind
from desktop.render.labels import Labels
from desktop.render.message import render_message

PRIVATE = frozenset({SourceKind.FILE, SourceKind.MEMORY, SourceKind.ANSWER})
"""Kinds of sources that only the user has."""


def private_sources(conversation: Conversation, *, with_read: bool = False) -> tuple[Source, ...]:
    """Return the private sources that the messages of a conversation cite, by number; also those only read if asked."""
    used = set(cited_numbers(conversation))
    if with_read:
        used.update(number for message in conversation.messages for number in message.offered)
    found = (source for source in conversation.sources if source.number in used and source.kind in PRIVATE)
    return tuple(sorted(found, key=lambda source: source.number))


def cited_numbers(conversation: Conversation) -> frozenset[int]:
    """Return the numbers that the messages of a conversation cite."""
    return frozenset(
        number
        for message in conversation.messages
        if message.speaker is Speaker.MODEL
        for number in render_message(message.text, message.sources_among(conversation.sources)).cited
    )


def without_passages(conversation: Conversation) -> Conversation:
    """Return a conversation in which private sources have their title and place, but no passage."""
    kept = (
        replace(source, text="", text_hash="") if source.kind in PRIVATE else source
        for source in conversation.sources
    )
    numbers = {source.number for source in conversation.sources if source.kind in PRIVATE}
    messages = (_without_quotes(message, numbers) for message in conversation.messages)
    return replace(conversation, sources=tuple(kept), messages=tuple(messages))


def leave_out(conversation: Conversation, numbers: Collection[int], labels: Labels) -> Conversation:
    """Return a conversation in which only the number and the kind are left of some sources.

    What checks quote of them is removed, too; the words of the answers stay.
    """
    kept = (
        _without_content(source, labels) if source.number in numbers else source
        for source in conversation.sources
    )
    messages = (_without_quotes(message, numbers) for message in conversation.messages)
    return replace(conversation, sources=tuple(kept), messages=tuple(messages))


def _without_content(source: Source, labels: Labels) -> Source:
    return replace(
        source,
        key="",
        title=labels.left_out,
        url="",
        host="",
        locator=Locator(),
        text="",
        text_hash="",
        published="",
        is_damaged=False,
    )


def _without_quotes(message: Message, numbers: Collection[int]) -> Message:
    if not numbers:
        return message
    check, state = message.check, message.procedure
    if isinstance(state, TextCheck):
        state = replace(state, claims=tuple(_claim(claim, numbers) for claim in state.claims))
    return replace(message, check=check and _check(check, numbers), procedure=state)


def _check(check: CitationCheck, numbers: Collection[int]) -> CitationCheck:
    marks = tuple(_mark(mark) if mark.number in numbers else mark for mark in check.marks)
    kept = (each for each in check.disagreements if not set(numbers) & set(chain(*each.sources)))
    return replace(check, marks=marks, disagreements=tuple(kept))


def _claim(claim: TextClaim, numbers: Collection[int]) -> TextClaim:
    # 0 is the closest passage of a place that decides nothing.
    hidden = {*numbers, 0} if claim.place is EvidencePlace.BASES else set(numbers)
    return replace(
        claim, judged=tuple(_mark(mark) if mark.number in hidden else mark for mark in claim.judged)
    )


def _mark(mark: CheckedMark) -> CheckedMark:
    return replace(mark, words="", missing=())
