"""What changes on the page while a message is written: plain data that travels as JSON."""

from dataclasses import dataclass
from typing import Literal

Path = tuple[int, ...]
"""Index of a top-level block, of its child, and so on: the element children on our page."""


@dataclass(frozen=True)
class SetBlock:
    """The element at `path` is `html` from now on; it may be new. Once `is_closed` it never changes."""

    path: Path
    html: str
    is_closed: bool
    kind: Literal["set"] = "set"


@dataclass(frozen=True)
class DropBlocks:
    """The element at `path` and those behind it in its parent are gone."""

    path: Path
    kind: Literal["drop"] = "drop"


@dataclass(frozen=True)
class AppendText:
    """`text` goes behind the last text of the element at `path`."""

    path: Path
    text: str
    kind: Literal["append"] = "append"


@dataclass(frozen=True)
class AppendCode:
    """`text` goes to the end of the code block at `path`."""

    path: Path
    text: str
    kind: Literal["code"] = "code"


@dataclass(frozen=True)
class SetClass:
    """The element at `path` has this class."""

    path: Path
    name: str
    kind: Literal["class"] = "class"


Patch = SetBlock | DropBlocks | AppendText | AppendCode | SetClass
