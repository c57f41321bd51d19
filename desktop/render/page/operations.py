"""The operations that the page executes. The `op` of each one names a function in `chat.js`."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from desktop.phrases import english_text
from desktop.render.labels import Labels
from desktop.render.stream import AppendText, Patch
from desktop.text.html_element import Html


@dataclass(frozen=True)
class SetWords:
    """Set the texts of the page's scripts."""

    words: dict[str, Any]
    op: Literal["words"] = "words"


@dataclass(frozen=True)
class OpenPage:
    """Replace the whole content of the page. With `stays`, keep the scroll position."""

    html: str
    stays: bool = False
    op: Literal["open"] = "open"


@dataclass(frozen=True)
class Placeholder:
    """A message that is not rendered yet: enough information to reserve its space.

    `units` is the number of its characters, with wide ones counted twice; `lines` the number of line ends.
    """

    id: str
    is_question: bool
    name: str
    units: int
    lines: int


@dataclass(frozen=True)
class PrependPlaceholders:
    """Add placeholders for older messages above those shown."""

    places: tuple[Placeholder, ...]
    op: Literal["older"] = "older"


@dataclass(frozen=True)
class LetGo:
    """Unload messages far from the viewport; only their placeholders remain."""

    places: tuple[Placeholder, ...]
    op: Literal["let_go"] = "let_go"


@dataclass(frozen=True)
class SetMessage:
    """Add a message at the end, or replace one. With `stays` the page does not scroll to it."""

    id: str
    html: str
    stays: bool = False
    op: Literal["message"] = "message"


@dataclass(frozen=True)
class Cut:
    """Remove a message and all that follow it.

    With `stays` its replacement keeps the position of the message; otherwise the page follows the end.
    """

    id: str
    stays: bool = False
    op: Literal["cut"] = "cut"


@dataclass(frozen=True)
class SetPart:
    """Set a part of an answer."""

    id: str
    part: str
    html: str
    op: Literal["part"] = "part"


@dataclass(frozen=True)
class AppendReasoning:
    """Append to the reasoning of an answer."""

    id: str
    text: str
    op: Literal["reasoning"] = "reasoning"


@dataclass(frozen=True)
class PatchText:
    """Apply changes to the text of an answer."""

    id: str
    patches: tuple[Patch, ...]
    op: Literal["patches"] = "patches"


@dataclass(frozen=True)
class Finish:
    """Finish an answer; screen readers announce `words`."""

    id: str
    words: str
    op: Literal["finished"] = "finished"


@dataclass(frozen=True)
class DoubtedMark:
    """The `occurrence`th mark (from 0) of a number: a kind of `SupportLevel`, and its label."""

    number: int
    occurrence: int
    kind: str
    words: str


@dataclass(frozen=True)
class ShowSupport:
    """Highlight the marks of an answer that their sources do not clearly support; reset all others."""

    id: str
    marks: tuple[DoubtedMark, ...]
    op: Literal["support"] = "support"


@dataclass(frozen=True)
class ShowPlace:
    """Scroll to a message and highlight it for a moment."""

    id: str
    op: Literal["place"] = "place"


@dataclass(frozen=True)
class MarkFound:
    """Mark each `needle` and show the `occurrence`th (from 0) of a message; without an id, none is current."""

    needle: str
    id: str = ""
    occurrence: int = 0
    op: Literal["found"] = "found"


Operation = (
    SetWords
    | OpenPage
    | PrependPlaceholders
    | LetGo
    | SetMessage
    | Cut
    | SetPart
    | AppendReasoning
    | PatchText
    | Finish
    | ShowSupport
    | ShowPlace
    | MarkFound
)


def write_script(operations: Sequence[Operation]) -> str:
    """Return the script by which the page executes operations.

    Most frames only append words: a call with plain arguments costs the page a third of what a nested literal does.
    """
    match operations:
        case [PatchText(message_id, (AppendText(path, text, is_outer=False),))]:
            return f"footnote.append({_encode(message_id)},{_encode(path)},{_encode(text)})"
    return f"footnote.update({_encode(operations)})"


def write_card_script(message_id: str, number: int, html: str) -> str:
    """Return the script that shows the card of a mark at once, beside what the page has yet to draw."""
    return f"footnote.showCard({_encode(message_id)},{number},{_encode(html)})"


def _encode(value: object) -> str:
    try:
        return msgspec.json.encode(value, enc_hook=_plain_text).decode()
    except UnicodeEncodeError:  # a lone surrogate, which only an escape can express
        return json.dumps(msgspec.to_builtins(value, enc_hook=_plain_text))


def _plain_text(text: object) -> str:
    """Return a text of a class that msgspec does not know."""
    return str.__str__(text) if isinstance(text, Html) else english_text(text)


_WORD_NAMES: Final = (
    "language",
    "conversation",
    "lines",
    "copy_code",
    "wrap_code",
    "more_lines",
    "copied",
    "picture",
    "load_picture",
    "cut_note",
    "drawing",
    "code",
    "is_drawing",
    "stop_drawing",
    "save_drawing",
    "not_drawn",
    "to_end",
    "quote",
)


def script_words(labels: Labels) -> dict[str, Any]:
    """Return the texts by the names that the scripts use."""
    return {name: getattr(labels, name) for name in _WORD_NAMES}
