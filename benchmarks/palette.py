"""What a letter costs in the palette, in processor time of the GUI thread: python -m benchmarks.palette [CHATS]."""

import random
import sys
import time

from desktop.ui.widgets.choice_list import CompletionItem, best_matching

WORDS = [
    "lighthouse",
    "harbour",
    "keeper",
    "lamp",
    "tide",
    "basalt",
    "engineer",
    "model",
    "python",
    "heat",
    "pump",
    "notice",
    "period",
    "contract",
    "report",
    "quarterly",
    "budget",
    "travel",
]
QUERIES = ("l", "la", "lamp", "lmp", "zebra", "hrbr kpr")


def ignore() -> None:
    """Stand for what choosing an item does."""


def main() -> None:
    """Search as many chats as asked for, and print how long each query takes."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    chance = random.Random(1)
    items = [CompletionItem("Chats", " ".join(chance.choices(WORDS, k=7)), ignore) for _ in range(count)]
    best_matching(items, "warm", 6)
    for query in QUERIES:
        began = time.process_time()
        found = sum(group.count for group in best_matching(items, query, 6))
        print(f"{query!r}: {found} found, {(time.process_time() - began) * 1000:.1f} ms")


if __name__ == "__main__":
    main()
