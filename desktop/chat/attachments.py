"""Attachments of a question: when its files are read far enough, and the answers of other conversations as sources."""

import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from typing import Final

from desktop.domain.history import PastAnswer
from desktop.domain.knowledge import ItemState
from desktop.domain.messages import Conversation
from desktop.domain.sources import Ledger, Passage, SourceKind
from desktop.storage.conversation_store import ConversationStore

IN_FULL = frozenset({ItemState.READY, ItemState.FAILED})
"""Final states of a file that is searched by words and embeddings."""
AS_TEXT = IN_FULL | {ItemState.KEYWORD_READY}
"""Final states of a file that only needs its text; its embeddings can follow later."""


MAX_CHARS: Final = 40_000
"""Longer answers are cut to this length when cited."""

_MARK = re.compile(r" ?\[(\d+(?:[,，]\s*\d+)*)\]")


async def with_past(
    past: Iterable[PastAnswer], conversation: Conversation, store: ConversationStore
) -> Conversation:
    """Return a conversation with past answers as sources, which the model gets with every question from now on.

    The conversation is already on disk.
    """
    ledger = Ledger.of(conversation.sources)
    numbers = ledger.register(map(_passage, past))
    cited = [source for source in ledger.sources if source.number in numbers]
    await store.save_sources(conversation.info.id, cited)
    for number in numbers:
        await store.pin(conversation.info.id, number, is_pinned=True)
    pinned = tuple(dict.fromkeys((*conversation.pinned, *numbers)))
    return replace(conversation, sources=ledger.sources, pinned=pinned)


def _passage(answer: PastAnswer) -> Passage:
    text = without_marks(answer.text, answer.offered)
    return Passage(
        SourceKind.ANSWER,
        answer.title,
        text[:MAX_CHARS],
        document=answer.document,
        published=answer.created_at.astimezone().date().isoformat(),
    )


def without_marks(text: str, numbers: Collection[int]) -> str:
    """Return an answer without the marks of its own sources, whose numbers belong to other sources here."""

    def remove_if_own(mark: re.Match[str]) -> str:
        return "" if {int(number) for number in re.findall(r"\d+", mark[1])} <= set(numbers) else mark[0]

    return _MARK.sub(remove_if_own, text)
