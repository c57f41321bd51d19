"""The rows of the table of items, sorted and filtered as they change."""

import re
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Any, Final

from desktop.domain.knowledge import ItemInfo, ItemProgress, ItemState
from desktop.ui.labels.common import localize_message

_DIGITS: Final = re.compile(r"\d+")
_LONGEST_NUMBER: Final = 12
_NAMES_KEPT: Final = 65_536
"""As many names are sorted in another way without being looked at again."""
_RANKS: Final = {
    ItemState.FAILED: 0,
    ItemState.READING: 1,
    ItemState.WAITING: 2,
    ItemState.KEYWORD_READY: 3,
    ItemState.READY: 4,
}
"""What wants attention comes first."""

SortKey = tuple[Any, int]
"""The position of an item: its sort key, and its number, which makes it unique."""


class ItemColumn(IntEnum):
    """The columns of the table."""

    NAME = 0
    STATE = 1
    PAGES = 2
    PASSAGES = 3
    TAGS = 4
    READ = 5


@lru_cache(_NAMES_KEPT)
def name_key(name: str) -> bytes:
    """Return the sort key of a name: 2 before 10, ignoring case, Chinese by pinyin.

    GB 18030 has the common characters in the order of their pinyin.
    """
    padded = _DIGITS.sub(lambda number: number[0].zfill(_LONGEST_NUMBER), name.casefold())
    return padded.encode("gb18030", "replace")


_KEYS: Final[dict[ItemColumn, Callable[[ItemInfo], Any]]] = {
    ItemColumn.NAME: lambda item: name_key(item.name),
    ItemColumn.STATE: lambda item: (_RANKS[item.state], name_key(item.name)),
    ItemColumn.PAGES: lambda item: item.pages or 0,
    ItemColumn.PASSAGES: lambda item: item.passages,
    ItemColumn.TAGS: lambda item: tuple(map(name_key, item.tags)),
    ItemColumn.READ: lambda item: item.read_at or 0.0,
}


def key_of(column: ItemColumn) -> Callable[[ItemInfo], Any]:
    """Return the sort key of an item in a column."""
    return _KEYS[column]


@dataclass(frozen=True)
class ItemFilter:
    """Which items are shown; empty fields match all items."""

    words: str = ""
    states: frozenset[ItemState] = frozenset()
    tag: str = ""

    def accepts(self, progress: ItemProgress) -> bool:
        """Say whether an item is shown: every word occurs in its name, place, tags or error as it is shown."""
        item = progress.item
        if self.states and item.state not in self.states:
            return False
        if self.tag and self.tag not in item.tags:
            return False
        if not self.words:
            return True
        text = "\n".join((item.name, item.path, *item.tags, localize_message(item.error))).casefold()
        return all(word in text for word in self.words.casefold().split())


class ItemRows:
    """The rows of items, sorted and filtered. A change costs what has changed: a base may have 50,000 items.

    Items are numbered in the order of their arrival; `places` are those of the items shown, ascending.
    """

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._items: dict[int, ItemProgress] = {}
        self._place_by_number: dict[int, SortKey] = {}
        self._places: list[SortKey] = []
        self._next = 0
        self.filter = ItemFilter()
        self.column = ItemColumn.NAME
        self.is_descending = False
        self.states: Counter[ItemState] = Counter()

    def __len__(self) -> int:
        return len(self._places)

    @property
    def total(self) -> int:
        """The number of items, shown or not."""
        return len(self._items)

    def at(self, row: int) -> ItemProgress:
        """Return the item in a row."""
        return self._items[self._places[self._flipped(row)][1]]

    def known(self, item_id: str) -> ItemProgress | None:
        """Return the progress of an item, shown or not."""
        number = self._numbers.get(item_id)
        return None if number is None else self._items[number]

    def all(self) -> Iterable[ItemProgress]:
        """Return all items in the order of their arrival."""
        return self._items.values()

    def row_of(self, item_id: str) -> int:
        """Return the row of an item; -1 if it is not shown."""
        place = self.place_of(item_id)
        return -1 if place is None else self.row_of_place(place)

    def put(self, progress: ItemProgress) -> tuple[int, SortKey | None, SortKey | None]:
        """Store the progress of an item; return its number, its previous place and its new place.

        The rows are unchanged until `take_out` and `put_in`, or `rearrange`.
        """
        number = self.keep(progress)
        return number, self._place_by_number.get(number), self._place_for(number)

    def keep(self, progress: ItemProgress) -> int:
        """Store the progress of an item and return its number; the rows are unchanged until `arrange`."""
        number = self._numbers.get(progress.item.id)
        if number is None:
            number = self._numbers[progress.item.id] = self._next
            self._next += 1
        else:
            self.states[self._items[number].item.state] -= 1
        self._items[number] = progress
        self.states[progress.item.state] += 1
        return number

    def place_of(self, item_id: str) -> SortKey | None:
        """Return the place of an item; None if it is not shown."""
        return self._place_by_number.get(self._numbers.get(item_id, -1))

    def forget(self, item_id: str) -> None:
        """Delete an item that is not shown, or will not be after the next `arrange`."""
        if (number := self._numbers.pop(item_id, None)) is not None:
            self.states[self._items.pop(number).item.state] -= 1

    def row_for(self, place: SortKey) -> int:
        """Return the row at which a new place would be inserted."""
        at = bisect_left(self._places, place)
        return len(self._places) - at if self.is_descending else at

    def put_in(self, place: SortKey) -> None:
        """Insert the row of an item."""
        insort(self._places, place)
        self._place_by_number[place[1]] = place

    def take_out(self, place: SortKey) -> None:
        """Remove the row of an item."""
        del self._places[bisect_left(self._places, place)]
        del self._place_by_number[place[1]]

    def row_of_place(self, place: SortKey) -> int:
        """Return the row of an item that is shown."""
        return self._flipped(bisect_left(self._places, place))

    def arrange(self) -> None:
        """Filter and sort all items again."""
        places = (self._place_for(number) for number in self._items)
        self._places = sorted(place for place in places if place is not None)
        self._place_by_number = {place[1]: place for place in self._places}

    def rearrange(self, changes: Iterable[tuple[int, SortKey | None, SortKey | None]]) -> None:
        """Apply many changes at once; most of the order stays, which makes sorting cheap."""
        gone = {old for _, old, _ in changes if old is not None}
        kept = [place for place in self._places if place not in gone] if gone else self._places
        for number, _old, new in changes:
            self._place_by_number.pop(number, None)
            if new is not None:
                kept.append(new)
                self._place_by_number[number] = new
        kept.sort()
        self._places = kept

    def clear(self) -> None:
        """Delete all items; filter and order stay."""
        for kept in (self._numbers, self._items, self._place_by_number, self._places, self.states):
            kept.clear()

    def _place_for(self, number: int) -> SortKey | None:
        progress = self._items[number]
        return (key_of(self.column)(progress.item), number) if self.filter.accepts(progress) else None

    def _flipped(self, at: int) -> int:
        return len(self._places) - 1 - at if self.is_descending else at
