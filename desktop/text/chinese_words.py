"""Chinese words by jieba's dictionary, of which only the part that the texts need is in memory.

rjieba keeps all 349,045 words, which takes 30 MB and a tenth of a second. Here one of its dictionaries begins empty, and gets the
words that begin with a character or a pair of characters of a text before it cuts the text. The cut is the same: no other
word can occur in the text, and a filler keeps the sum of all frequencies, which the probabilities are computed with.
Where so much is read that this would cost more time than the whole dictionary, that is built, and dropped when it is idle.
"""

import mmap
import struct
import sys
import threading
import time
import weakref
from bisect import bisect_left
from collections.abc import Iterable
from functools import cache
from importlib.machinery import PathFinder
from importlib.util import find_spec, module_from_spec
from operator import add
from pathlib import Path
from typing import TYPE_CHECKING, Any

from desktop.resources import resources_dir
from desktop.text.heap import release_memory

if TYPE_CHECKING:  # importing it builds the whole dictionary
    from rjieba import Jieba

_MOST_KEYS = 12_000
"""The keys of some 20,000 characters, and 5 MB."""
_BULK_S = 60.0
"""A text of so many keys within this time is one of many."""
_IDLE_S = 300.0
_FILLER = "  "
"""No text is cut into such a word: each space is one."""


def cut_words(text: str) -> list[str]:
    """Return the words of a text in order, together the whole text."""
    return _dictionary().call("cut", text)


def cut_for_search(text: str) -> list[str]:
    """Return the words of a text, each after the shorter words in it."""
    return _dictionary().call("cut_for_search", text)


def tag_words(text: str) -> list[tuple[str, str]]:
    """Return the words of a text in order, each with its part of speech by jieba's tags."""
    return _dictionary().call("tag", text)


class WordTable:
    """The words of a file by their key: the first two characters, or the only one.

    The file has two little-endian numbers of 32 bits, the count of keys and the sum of all frequencies; the keys in order, in UTF-16,
    as such numbers; where the lines of each begin, and where the last ones end, counted from the first; and the lines:
    word, frequency, tag. The numbers are mapped, not read.
    """

    def __init__(self, path: Path) -> None:
        """Open a file; raises OSError."""
        self._file = path.open("rb", buffering=0)
        weakref.finalize(self, self._file.close)
        count, self.total = struct.unpack("<II", self._file.read(8))
        self._begin = 12 + 8 * count
        mapped = memoryview(mmap.mmap(self._file.fileno(), self._begin, access=mmap.ACCESS_READ))
        self._keys = mapped[8 : 8 + 4 * count].cast("I")
        self._ends = mapped[8 + 4 * count :].cast("I")

    def find(self, keys: Iterable[str]) -> list[tuple[str, int, str]]:
        """Return the words of these keys, each with frequency and tag; one thread at a time."""
        found: list[bytes] = []
        for key in keys:
            number = int.from_bytes(key.encode("utf-16-be"))
            place = bisect_left(self._keys, number)
            if place < len(self._keys) and self._keys[place] == number:
                self._file.seek(self._begin + self._ends[place])
                found.append(self._file.read(self._ends[place + 1] - self._ends[place]))
        fields = iter(b"".join(found).decode().split())
        return [
            (word, int(frequency), tag) for word, frequency, tag in zip(fields, fields, fields, strict=True)
        ]


class PartialDictionary:
    """Calls rjieba with a dictionary that has what a text needs; any thread may use it."""

    def __init__(self, table: WordTable, *, most_keys: int = _MOST_KEYS, idle_s: float = _IDLE_S) -> None:
        """Begin with no words; `idle_s` after its last use the whole dictionary is dropped."""
        self._table = table
        self._most_keys = most_keys
        self._idle_s = idle_s
        self._lock = threading.Lock()
        self._whole: Jieba | None = None
        self._last_use = 0.0
        self._forget()

    @property
    def is_whole(self) -> bool:
        """Whether the whole dictionary is in memory."""
        return self._whole is not None

    def call(self, method: str, text: str) -> list[Any]:
        """Return what a method of `rjieba.Jieba` makes of a text."""
        whole = self._whole
        if whole is None:
            with self._lock:
                self._learn(text.replace("\0", " "))  # a pair with it would look like a single character
                whole = self._whole
                if whole is None:
                    return list(getattr(self._part, method)(text))
        self._last_use = time.monotonic()
        return list(getattr(whole, method)(text))

    def _learn(self, text: str) -> None:
        keys = {*map(add, text, text[1:]), *text}
        new = keys - self._known
        if not new or self._whole is not None:
            return
        if len(self._known) + len(new) > self._most_keys:
            if len(keys) > self._most_keys or time.monotonic() - self._begun < _BULK_S:
                self._load_whole()
                return
            self._forget()
            new = keys
        words = self._table.find(new)
        for word, frequency, tag in words:
            self._part.add_word(word, frequency, tag)
            self._sum += frequency
        if words:
            self._part.add_word(_FILLER, self._table.total - self._sum, None)
        self._known |= new

    def _forget(self) -> None:
        self._part: Jieba = _jieba().empty()
        self._known: set[str] = set()
        self._sum = 0
        self._begun = time.monotonic()

    def _load_whole(self) -> None:
        self._whole = _jieba()()
        self._forget()
        self._drop_later(self._idle_s)

    def _drop_later(self, seconds: float) -> None:
        timer = threading.Timer(seconds, self._drop_if_idle)
        timer.daemon = True
        timer.start()

    def _drop_if_idle(self) -> None:
        left = self._last_use + self._idle_s - time.monotonic()
        if left > 0:
            self._drop_later(left)
            return
        with self._lock:  # else a text that found it there would be cut by the part without its words
            self._whole = None
        release_memory()


@cache
def _dictionary() -> PartialDictionary:
    return PartialDictionary(WordTable(resources_dir() / "words" / "chinese.bin"))


def _jieba() -> Any:
    """Return the class `rjieba.Jieba`, from the library within the package, as the package builds the whole dictionary."""
    name = "rjieba.rjieba"
    if name not in sys.modules:
        package = find_spec("rjieba")
        spec = PathFinder.find_spec(name, package.submodule_search_locations) if package else None
        if spec is None or spec.loader is None:
            raise ModuleNotFoundError(name)
        module = module_from_spec(spec)
        spec.loader.exec_module(module)
        sys.modules[name] = module
    return sys.modules[name].Jieba
