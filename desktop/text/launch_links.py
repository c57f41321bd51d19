"""Links that open Footnote: `footnote://ask?question=TEXT` and `footnote://conversation/ID`.

Any page or program can offer such a link, so it can only show: it fills the composer or opens a conversation. It sends
nothing, and names neither files nor settings.
"""

import re
from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlsplit

SCHEME: Final = "footnote"
MAX_CHARS: Final = 10_000
"""Longest link, in characters."""

FORMS: Final = "a link is footnote://ask?question=TEXT or footnote://conversation/ID"
"""What is said of other links."""

_CONVERSATION_ID = re.compile(r"[0-9a-f]{32}")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters other than tab and line end, and those that turn the direction of text."""


@dataclass(frozen=True)
class LaunchLink:
    """A question for the composer of a new conversation, or the id of a conversation; both may be empty."""

    question: str = ""
    conversation_id: str = ""


def is_launch_link(text: str) -> bool:
    """Say whether a text is a link for Footnote, well formed or not."""
    return text[: len(SCHEME) + 1].lower() == f"{SCHEME}:"


def parse_launch_link(text: str) -> LaunchLink:
    """Return what a link asks for.

    Raises:
        ValueError: it is none of the two forms, or too long.
    """
    if len(text) > MAX_CHARS:
        raise ValueError(f"a link of more than {MAX_CHARS} characters")
    parts = urlsplit(text)
    path = parts.path.strip("/")
    if parts.scheme == SCHEME and parts.netloc == "ask" and not path:
        questions = [value for name, value in parse_qsl(parts.query) if name == "question"]
        return LaunchLink(question=_CONTROLS.sub("", questions[-1]) if questions else "")
    if parts.scheme == SCHEME and parts.netloc == "conversation" and _CONVERSATION_ID.fullmatch(path):
        return LaunchLink(conversation_id=path)
    raise ValueError(FORMS)
