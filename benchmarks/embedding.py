"""Embedding throughput beside `SentenceTransformer.encode` with its defaults, the same passages, in one run.

    python -m benchmarks.embedding [--data ../shared/data/ir] [--passages 400]

The two take turns, a part of the passages each, so that what else the machine does hits both. The bound
is 1.5 times as many passages a second.
"""

import argparse
import json
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch
from sentence_transformers import SentenceTransformer

from desktop.knowledge.builtin_model import minilm_folder
from desktop.knowledge.embedding.local import LocalEncoder

COLLECTIONS = ("scifact", "cmrc2018_zh", "rgb_zh")
PART = 64
MIN_RATIO = 1.5


def passages(data: Path, count: int) -> list[str]:
    found: list[str] = []
    for name in COLLECTIONS:
        with (data / name / "corpus.jsonl").open(encoding="utf-8") as lines:
            rows = [
                json.loads(line) for _, line in zip(range(count // len(COLLECTIONS)), lines, strict=False)
            ]
        found += [f"{row.get('title', '')}\n{row['text'][:900]}" for row in rows]
    return found


def spent(work: Callable[[Sequence[str]], object], texts: Sequence[str]) -> float:
    started = time.perf_counter()
    work(texts)
    return time.perf_counter() - started


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", type=Path, default=Path("../shared/data/ir"))
    parser.add_argument("--passages", type=int, default=400)
    arguments = parser.parse_args()
    texts = passages(arguments.data, arguments.passages)
    default_threads = torch.get_num_threads()
    ours, theirs = LocalEncoder(minilm_folder()), SentenceTransformer(str(minilm_folder()), device="cpu")
    our_threads = torch.get_num_threads()
    times = {"ours": 0.0, "default": 0.0}
    for begin in range(0, len(texts), PART):
        part = texts[begin : begin + PART]
        torch.set_num_threads(our_threads)
        times["ours"] += spent(ours.encode, part)
        torch.set_num_threads(default_threads)
        times["default"] += spent(lambda batch: theirs.encode(list(batch), show_progress_bar=False), part)
    for name, seconds in times.items():
        print(f"{name}: {len(texts) / seconds:.1f} passages/s")
    print(
        f"ratio {times['default'] / times['ours']:.2f} (bound {MIN_RATIO}); threads {our_threads} and {default_threads}"
    )


if __name__ == "__main__":
    main()
