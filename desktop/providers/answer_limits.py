"""Limits for one answer of a model, independent of the protocol.

Numbers, lists and lengths come from a server, which may be broken or hostile. Exceeding a limit ends the
answer with an error; token counts are clamped to their range.
"""

import json

from desktop.domain.models import (
    CitedPages,
    ModelEvent,
    ReasoningDelta,
    Replay,
    ServerSearch,
    TextDelta,
    ToolCallDelta,
)
from desktop.phrases import translatable
from desktop.text.stream_limits import LimitExceeded, StreamMeter

MAX_CALLS = 128
"""Maximum number of tool calls in one response."""

MAX_ARGUMENT_CHARS = 4_000_000
"""Maximum length of the arguments of all calls in a response; they may include a file to be written."""

MAX_REPLAY_BYTES = 16 * 1024 * 1024
"""Maximum size of what a server wants back with the tool results: signed or encrypted reasoning."""

MAX_TEXT_CHARS = 8_000_000
"""Maximum length of text and reasoning together; the limit that users see, `chat.bounds`, is lower."""

MAX_SEARCHES = 1_000
MAX_PAGES = 2_000
MAX_PAGE_CHARS = 4_000_000
MAX_TOKENS = 10**12
"""Higher token counts are clamped to this value."""

_TOO_MANY_CALLS = translatable("It called more than {count} tools at once.")
_TOO_LONG = translatable("It sent more data than any answer needs.")


def token_count(value: int | None) -> int:
    """Return a token count from a server, clamped to 0 … `MAX_TOKENS`."""
    return min(max(value or 0, 0), MAX_TOKENS)


def size_of(item: object) -> int:
    """Return the approximate size of a JSON value in bytes."""
    return len(json.dumps(item, default=str))


class Amount:
    """A counter that may not exceed a limit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._used = 0

    def add(self, size: int) -> None:
        """Add `size` to the amount used.

        Raises:
            LimitExceeded: the limit is exceeded.
        """
        self._used += size
        if self._used > self._limit:
            raise LimitExceeded(_TOO_LONG)


def check_call_count(count: int) -> None:
    """Check that another call may follow the `count` calls so far.

    Raises:
        LimitExceeded: `count` has reached `MAX_CALLS`.
    """
    if count >= MAX_CALLS:
        raise LimitExceeded(_TOO_MANY_CALLS.format(count=MAX_CALLS))


class AnswerLimits:
    """Counts the events of one answer and tells `meter`, which counts bytes, how much of them is content."""

    def __init__(self, meter: StreamMeter | None = None) -> None:
        self._meter = meter
        self._text = Amount(MAX_TEXT_CHARS)
        self._arguments = Amount(MAX_ARGUMENT_CHARS)
        self._replay = Amount(MAX_REPLAY_BYTES)
        self._searches = Amount(MAX_SEARCHES)
        self._pages = Amount(MAX_PAGES)
        self._page_chars = Amount(MAX_PAGE_CHARS)

    def take(self, event: ModelEvent) -> None:
        """Count an event.

        Raises:
            LimitExceeded: the answer is too large.
        """
        size = self._size(event)
        if size and self._meter is not None:
            self._meter.note_content()

    def _size(self, event: ModelEvent) -> int:
        """Return the amount of content in an event, in any unit; 0 means none."""
        size = 0
        match event:
            case TextDelta(text) | ReasoningDelta(text):
                size = len(text)
                self._text.add(size)
            case ToolCallDelta():
                check_call_count(event.index)
                size = len(event.id) + len(event.name) + len(event.arguments)
                self._arguments.add(size)
            case Replay(item):
                size = size_of(item)
                self._replay.add(size)
            case ServerSearch():
                size = 1
                self._searches.add(size)
            case CitedPages(pages):
                size = len(pages)
                self._pages.add(size)
                self._page_chars.add(sum(len(page.url) + len(page.title) + len(page.text) for page in pages))
            case _:
                pass
        return size
