"""The conversation list with many conversations: filling, updating, looking for titles, folding, opening.

    python benchmarks/conversation_list.py [--conversations 10000] [--rounds 9]

A generated database is opened as the program does, and its list shown in the sidebar, beside a bare QListView of
as many plain strings in the same run. Times are what the window's thread computes (`time.thread_time`, so that
other programs do not count) from the call until everything is painted again; the median of the rounds, and the longest. `ratio` is to the bare view doing the same, where it can.
"""

import argparse
import asyncio
import os
import random
import statistics
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from PySide6.QtCore import QStringListModel
from PySide6.QtWidgets import QApplication, QListView

from desktop.domain.messages import Conversation, ConversationInfo, Folder
from desktop.storage.conversation_store import ConversationStore
from desktop.storage.folders import FolderStore
from desktop.ui.sidebar.conversation_groups import PINNED
from desktop.ui.sidebar.sidebar import Sidebar

WORDS = (
    "tides",
    "moon",
    "caching",
    "Lisbon",
    "train",
    "report",
    "量子",
    "计算",
    "论文",
    "weekly",
    "budget",
    "Kant",
)
FOLDERS = 20
OPEN_FOLDERS = 5
MESSAGES = 4


@dataclass(frozen=True)
class Listed:
    """What the disk gave, and how long it took in milliseconds."""

    infos: tuple[ConversationInfo, ...]
    folders: tuple[Folder, ...]
    reading_ms: float
    opening_ms: list[float]


def generate(data: Path, count: int) -> None:
    """Write conversations of four messages of 1 KB over three years, a third of them in folders, a few of these open."""

    async def write() -> None:
        store = ConversationStore(data)
        cabinet = FolderStore(store.database)
        folders = [await cabinet.create_folder(f"Folder {number}") for number in range(FOLDERS)]
        for folder in folders[OPEN_FOLDERS:]:
            await cabinet.change_folder(replace(folder, is_open=False))
        chance, now = random.Random(7), datetime.now(UTC)
        rows, messages = [], []
        for number in range(count):
            micros = int((now - timedelta(minutes=number * 150)).timestamp() * 1e6)
            title = " ".join(chance.choices(WORDS, k=4))
            inside = chance.choice(folders).id if chance.random() < 1 / 3 else None
            rows.append((f"c{number}", title, micros, micros, inside))
            for place in range(MESSAGES):
                speaker = "assistant" if place % 2 else "user"
                messages.append((f"m{number}-{place}", f"c{number}", speaker, "tide " * 200, micros))
        await store.database.write(
            lambda connection: connection.executemany(
                "INSERT INTO conversations (id, title, created_at, updated_at, folder) VALUES (?, ?, ?, ?, ?)",
                rows,
            ).close()
        )
        await store.database.write(
            lambda connection: connection.executemany(
                "INSERT INTO messages (id, conversation_id, speaker, text, created_at, status, model, reasoning, steps,"
                " offered, usage, error, attachments) VALUES (?, ?, ?, ?, ?, 'complete', '', '', '[]', '[]', 'null',"
                " '', '[]')",
                messages,
            ).close()
        )
        await store.close()

    asyncio.run(write())


def read(folder: Path) -> Listed:
    """Read the list as the program does, and open some conversations."""

    async def listed() -> Listed:
        store = ConversationStore(folder)
        began = time.perf_counter()
        infos = await store.recent()
        reading_ms = (time.perf_counter() - began) * 1000
        folders = await FolderStore(store.database).folders()
        opening = []
        for info in infos[:: max(1, len(infos) // 50)]:
            began = time.perf_counter()
            conversation: Conversation = await store.load(info.id)
            opening.append((time.perf_counter() - began) * 1000)
            assert len(conversation.messages) == MESSAGES
        await store.close()
        return Listed(infos, folders, reading_ms, opening)

    return asyncio.run(listed())


def report(name: str, times: list[float], bare: list[float] | None = None) -> None:
    """Print the median, the longest, and how many times the bare view's median it is."""
    median = statistics.median(times)
    ratio = f"{median / statistics.median(bare):8.2f}" if bare else " " * 8
    print(f"{name:42} {median:8.2f} ms {max(times):8.2f} ms {ratio}")


@dataclass
class Trial:
    """The sidebar beside a bare view; `infos` is what it shows now."""

    app: QApplication
    listed: Listed
    rounds: int

    def __post_init__(self) -> None:
        self.infos = self.listed.infos
        self.chance = random.Random(3)
        self.strings, self.bare, self.sidebar = QStringListModel(), QListView(), Sidebar()
        self.bare.setUniformItemSizes(True)
        self.bare.setModel(self.strings)
        for widget in (self.bare, self.sidebar):
            widget.resize(260, 780)
            widget.show()
        self.app.processEvents()

    def run(self) -> None:
        """Measure everything and print it."""
        sidebar, folders, titles = self.sidebar, self.listed.folders, [info.title for info in self.infos]
        sidebar.model.show_folders(folders)
        fill = [self._once(lambda: self.strings.setStringList(titles)) for _ in range(self.rounds)]
        report("filling the list", [self._once(self._show)], fill)
        report("an old conversation is used again", self._all([self._touch] * self.rounds), fill)
        report("a conversation is pinned", self._all([self._pin] * self.rounds), fill)
        typed = [partial(sidebar.filter.setText, text) for text in ("t", "ti", "tid", "tide", "", "论", "")]
        report("a letter is typed into the filter", self._all(typed), fill)
        folds = [
            partial(sidebar.model.show_folders, [replace(each, is_open=each is folder) for each in folders])
            for folder in folders
        ]
        report("folders are opened and closed", self._all(folds), fill)
        picks = [partial(sidebar.select, self.chance.choice(self.infos).id) for _ in range(self.rounds)]
        report("another conversation is marked as open", self._all(picks))
        report("all are chosen", [self._once(sidebar.view.selectAll)])
        report("midnight", [self._once(sidebar.model.refresh_dates)])

    def _all(self, doings: Sequence[Callable[[], object]]) -> list[float]:
        return [self._once(do) for do in doings]

    def _once(self, do: Callable[[], object]) -> float:
        began = time.thread_time()
        do()
        self.app.sendPostedEvents()
        self.app.processEvents()
        return (time.thread_time() - began) * 1000

    def _show(self) -> None:
        self.sidebar.show_conversations(self.infos)

    def _touch(self) -> None:
        number = self.chance.randrange(len(self.infos))
        touched = replace(self.infos[number], updated_at=datetime.now(UTC))
        self.infos = (touched, *self.infos[:number], *self.infos[number + 1 :])
        self._show()

    def _pin(self) -> None:
        number = self.chance.randrange(len(self.infos))
        info = self.infos[number]
        pinned = replace(info, place=PINNED.of(info.place))
        self.infos = (*self.infos[:number], pinned, *self.infos[number + 1 :])
        self._show()


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--conversations", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=15)
    arguments = parser.parse_args()
    app = QApplication([])
    with tempfile.TemporaryDirectory() as data:
        generate(Path(data), arguments.conversations)
        listed = read(Path(data))
    print(f"{len(listed.infos)} conversations, {FOLDERS} folders{'':15} median     longest    ratio")
    report("the list from the disk", [listed.reading_ms])
    report("a conversation from the disk", listed.opening_ms)
    Trial(app, listed, arguments.rounds).run()


if __name__ == "__main__":
    main()
