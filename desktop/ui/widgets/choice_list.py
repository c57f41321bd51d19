"""Items to choose from by typing: which match a query, in groups, and their list model."""

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nsmallest
from itertools import groupby
from typing import Any

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QListView, QWidget

from desktop.text.terms import without_accents
from desktop.ui.widgets.icons import icon
from desktop.ui.widgets.item_views import TAGS_ROLE, TagDelegate
from desktop.ui.widgets.layout import cut_words, plain_tip

SHOWN = 7
"""The number of items shown per group; typing more letters finds the others."""


@dataclass(frozen=True)
class CompletionItem:
    """An item to select. `words` are alternative names; `beside` adds the item to the current selection."""

    group: str
    title: str
    pick: Callable[[], None]
    detail: str = ""
    icon: str = ""
    words: str = ""
    is_on: bool = False
    beside: Callable[[], None] | None = None

    def is_like(self, other: "CompletionItem") -> bool:
        """Say whether `other` offers the same item, even if it was created anew."""
        return (self.group, self.title, self.detail) == (other.group, other.title, other.detail)

    @cached_property
    def names(self) -> str:
        """All searchable text. Cached because there can be thousands of items, searched at every keystroke."""
        return _fold(f"{self.title} {self.words}")


def _fold(text: str) -> str:
    return without_accents(text.casefold())


@dataclass(frozen=True)
class CompletionGroup:
    """Items under a heading: `count` match, and `choices` contains the best of them."""

    name: str
    choices: tuple[CompletionItem, ...]
    count: int


def filter_choices(choices: Iterable[CompletionItem], query: str) -> tuple[CompletionGroup, ...]:
    """Return the items that contain all words of `query`; items that begin with it come first in each group.

    The groups keep their order; items of the same group are adjacent in `choices`.
    """
    words = _fold(query).split()
    found = list(choices)
    for word in words:
        found = [choice for choice in found if word in choice.names]
    return tuple(
        CompletionGroup(
            name, tuple(nsmallest(SHOWN, members, key=lambda choice: _rank(choice, words))), len(members)
        )
        for name, members in (
            (name, list(each)) for name, each in groupby(found, lambda choice: choice.group)
        )
    )


def _rank(choice: CompletionItem, words: Sequence[str]) -> int:
    """Return 0 if an item begins with the first word, 1 if one of its words does, 2 otherwise."""
    if not words:
        return 0
    if choice.names.startswith(words[0]):
        return 0
    return 1 if f" {words[0]}" in choice.names else 2


_FUZZY = 3
"""The rank of an item that has the letters of a word only in their order."""

_MOST_FUZZY = 3000
"""How many items of a group are searched for that, so that a letter costs less than a frame."""


def best_matching(choices: Iterable[CompletionItem], query: str, most: int) -> tuple[CompletionGroup, ...]:
    """Return the items that contain all words of `query`, with at most `most` in a group, the best group first.

    In a group without such an item, those count that have the letters of the words in their order: words with a
    letter left out, and the initials of several.
    """
    words = _fold(query).split()
    patterns = [_in_order(word) for word in words]
    found: list[tuple[int, CompletionGroup]] = []
    for name, each in groupby(choices, lambda choice: choice.group):
        members = list(each)
        hits = [(_rank(item, words), item) for item in members if all(word in item.names for word in words)]
        if not hits:
            near = members[:_MOST_FUZZY]
            hits = [(_FUZZY, item) for item in near if all(one.search(item.names) for one in patterns)]
        if hits:
            best = nsmallest(most, hits, key=lambda hit: hit[0])
            found.append((best[0][0], CompletionGroup(name, tuple(item for _, item in best), len(hits))))
    return tuple(group for _, group in sorted(found, key=lambda hit: hit[0]))


def _in_order(word: str) -> re.Pattern[str]:
    """Return the pattern of the letters of a word: each near the one before, or at the beginning of a later word."""
    return re.compile(r"(?<!\w)" + r"(?:\w{0,2}|\w*\W+)".join(map(re.escape, word)))


_Index = QModelIndex | QPersistentModelIndex


class ChoiceModel(QAbstractListModel):
    """A list of groups, each under a heading that cannot be selected."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rows: list[CompletionItem | str] = []
        self._palette = QPalette()

    def show(self, groups: Sequence[CompletionGroup], palette: QPalette) -> None:
        """Show `groups`, with icons in the colours of `palette`."""
        self.beginResetModel()
        self._palette = palette
        self._rows = []
        for group in groups:
            more = group.count > len(group.choices)
            count = self.tr("{shown} of {count}").format(shown=len(group.choices), count=group.count)
            self._rows += [f"{group.name} · {count}" if more else group.name, *group.choices]
        self.endResetModel()

    def choice(self, index: _Index) -> CompletionItem | None:
        """Return the item at `index`; None for a heading."""
        row = self._rows[index.row()] if index.isValid() else ""
        return None if isinstance(row, str) else row

    def row_of(self, choice: CompletionItem | None) -> int:
        """Return the row of the item equal to `choice`, or of the first item; -1 without items."""
        if choice is not None:
            for row, each in enumerate(self._rows):
                if isinstance(each, CompletionItem) and each.is_like(choice):
                    return row
        return self.step(-1, 0)

    def step(self, row: int, step: int) -> int:
        """Return the row `step` items further, wrapping around; -1 without items."""
        rows = [at for at, each in enumerate(self._rows) if isinstance(each, CompletionItem)]
        if not rows:
            return -1
        return rows[(rows.index(row) + step) % len(rows)] if row in rows else rows[0]

    def rowCount(self, parent: _Index = QModelIndex()) -> int:
        """Return the number of items and headings."""
        return 0 if parent.isValid() else len(self._rows)

    def flags(self, index: _Index) -> Qt.ItemFlag:
        """Make items selectable, and headings not."""
        return super().flags(index) if self.choice(index) else Qt.ItemFlag.NoItemFlags

    @cut_words
    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the data of a row."""
        if not self.checkIndex(index, self.CheckIndexOption.IndexIsValid):
            return None
        row = self._rows[index.row()]
        if isinstance(row, str):
            return row if role == Qt.ItemDataRole.DisplayRole else None
        if role == Qt.ItemDataRole.DecorationRole and row.icon:
            return icon(row.icon, self._palette)
        return _data_of(row).get(role)


def _data_of(choice: CompletionItem) -> dict[int, str]:
    roles = Qt.ItemDataRole
    return {
        roles.DisplayRole: f"{choice.title}  ✓" if choice.is_on else choice.title,
        roles.ToolTipRole: plain_tip(choice.detail or choice.title),
        roles.AccessibleTextRole: ", ".join(filter(None, (choice.title, choice.detail))),
        TAGS_ROLE: choice.detail,
    }


def make_choice_view(model: ChoiceModel, parent: QWidget) -> QListView:
    """Return the list of the choices of a model; the keys stay with the field above it."""
    view = QListView(parent)
    view.setObjectName("choices")
    view.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    view.setMouseTracking(True)
    view.setIconSize(QSize(16, 16))
    view.setUniformItemSizes(True)
    view.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
    view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    view.setEditTriggers(QListView.EditTrigger.NoEditTriggers)
    view.setModel(model)
    view.setItemDelegate(TagDelegate(view))
    return view
