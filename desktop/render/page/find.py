"""Finds words in a conversation, including messages that the page has not rendered yet.

The search covers what users see: the text of the page's own HTML, block by block, so that the page finds
the same occurrences in its DOM when it marks them. Messages whose source contains the words come first;
the others follow, because marks and entities may separate the letters.
"""

import re
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from html import unescape
from time import monotonic
from typing import Final

from desktop.domain.messages import Message, Speaker

SLICE_S: Final = 0.02
"""Time limit of one call in seconds, as streaming answers have to wait for it."""

_BLOCK = re.compile(r"</?(?:p|h[1-6]|li|ul|ol|pre|div|tr|t[dh]|table|blockquote|section|hr)\b[^<>]*>")
_TAG = re.compile(r"<[^<>]*>")
_MARK = re.compile(r'<sup><a class="citation".*?</sup>')
_SIGNS = re.compile(r"[*_~`\\]|\[\d+\]")
_SPACE = re.compile(r"\s")
_BREAK: Final = "\0"


@dataclass(frozen=True)
class FindState:
    """The progress of a search. `position` counts from 1; it is 0 while nothing is found."""

    needle: str
    position: int
    total: int
    is_complete: bool


@dataclass(frozen=True)
class Spot:
    """One occurrence: the message, and the index of the occurrence in it, from 0."""

    message_id: str
    occurrence: int


def extract_visible_text(html: str) -> str:
    """Return the visible text of HTML as the page searches it: no tags, blocks separated, plain spaces."""
    return _SPACE.sub(" ", unescape(_TAG.sub("", _BLOCK.sub(_BREAK, _MARK.sub("", html)))))


def _bare(source: str) -> str:
    """Return a message's source approximately as displayed, to decide where to search first."""
    return _SPACE.sub(" ", _SIGNS.sub("", source))


class Finder:
    """Runs one search at a time. `write` returns the HTML of an answer's text."""

    def __init__(self, write: Callable[[Message], str]) -> None:
        self._write = write
        self._needle = ""
        self._pattern = re.compile("")
        self._messages: Mapping[str, Message] = {}
        self._order: list[str] = []
        self._left: deque[str] = deque()
        self._counts: dict[str, int] = {}
        self._texts: dict[str, tuple[str, str]] = {}
        self._start = ""
        self._spot: Spot | None = None

    @property
    def is_searching(self) -> bool:
        """Whether some messages have not been searched."""
        return bool(self._left)

    @property
    def needle(self) -> str:
        """The text to search for; empty if there is no search."""
        return self._needle

    @property
    def spot(self) -> Spot | None:
        """The occurrence that is currently shown."""
        return self._spot

    @property
    def found(self) -> FindState:
        """The progress of the search."""
        position = 0
        if self._spot is not None:
            before = self._order[: self._order.index(self._spot.message_id)]
            position = sum(self._counts.get(key, 0) for key in before) + self._spot.occurrence + 1
        return FindState(self._needle, position, sum(self._counts.values()), not self._left)

    def search(self, needle: str, messages: Mapping[str, Message], start: str = "") -> None:
        """Start a search in `messages`, by id and in order; the first occurrence in or after the message `start` becomes the current one."""
        self._needle = _SPACE.sub(" ", needle)
        self._pattern = re.compile(re.escape(self._needle), re.IGNORECASE)
        self._messages = messages if needle else {}
        self._order = list(self._messages)
        self._counts = {}
        self._spot = None
        self._start = start if start in self._messages else ""
        turned = self._order
        if self._start:
            at = self._order.index(self._start)
            turned = self._order[at:] + self._order[:at]
        likely = [key for key in turned if self._pattern.search(_bare(self._messages[key].text))]
        known = set(likely)
        self._left = deque((*likely, *(key for key in turned if key not in known)))

    def forget(self) -> None:
        """End the search and drop all texts, as another conversation was opened."""
        self.search("", {})
        self._texts = {}

    def advance(self) -> bool:
        """Search some more messages; return whether anything was found in them."""
        until = monotonic() + SLICE_S
        has_found = False
        while self._left:
            key = self._left.popleft()
            count = len(self._pattern.findall(self._text(self._messages[key])))
            if count:
                self._counts[key] = count
                has_found = True
                if self._spot is None:
                    self._spot = Spot(key, 0)
            if monotonic() > until:
                break
        return has_found

    def step(self, by: int) -> None:
        """Go to the next (1) or previous (-1) occurrence, wrapping around."""
        if self._spot is None:
            return
        occurrence = self._spot.occurrence + by
        if 0 <= occurrence < self._counts[self._spot.message_id]:
            self._spot = Spot(self._spot.message_id, occurrence)
            return
        with_any = [key for key in self._order if key in self._counts]
        key = with_any[(with_any.index(self._spot.message_id) + by) % len(with_any)]
        self._spot = Spot(key, 0 if by > 0 else self._counts[key] - 1)

    def _text(self, message: Message) -> str:
        """Return the displayed text of a message; each is rendered only once."""
        known = self._texts.get(message.id)
        if known is None or known[0] != message.text:
            is_question = message.speaker is Speaker.USER
            text = (
                _SPACE.sub(" ", message.text) if is_question else extract_visible_text(self._write(message))
            )
            known = self._texts[message.id] = (message.text, text)
        return known[1]
