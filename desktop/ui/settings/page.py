"""What a settings page is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from desktop.ui.settings.rows import Context, Row


@dataclass(frozen=True)
class Page:
    """A page; title and rows are asked for again when the language changes."""

    id: str
    icon: str
    title: Callable[[], str]
    rows: Callable[[Context], Sequence[Row]]
