"""Speed of the models that come with Footnote beside MiniLM by Sentence Transformers, which version 0.1 used, in one run.

    python -m benchmarks.embedding DATA [--passages 400]

DATA is a folder with collections as for `benchmarks.retrieval`. The three take turns, a part of the passages each, so
that what else the machine does hits all; what counts is the time of the processor, with one thread each. English
passages are what MiniLM reads. The bound is half as many passages a second with E5.
"""

import argparse
import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import torch

from desktop.domain.knowledge import BUILT_IN_MODEL, MINILM_MODEL
from desktop.knowledge.bundled_models import load_bundled
from desktop.knowledge.sentence_transformers_models import SentenceTransformersEncoder
from tests.unit.knowledge.embedding.tiny_model import MINILM

COLLECTIONS = ("scifact", "cmrc2018_zh", "rgb_zh")
PART = 32
CHARS = 900
MIN_RATIO = 0.5


def passages(folder: Path, count: int) -> list[str]:
    with (folder / "corpus.jsonl").open(encoding="utf-8") as lines:
        rows = [json.loads(line) for _, line in zip(range(count), lines, strict=False)]
    return [f"{row.get('title', '')}\n{row['text'][:CHARS]}" for row in rows]


def spent(work: Callable[[Sequence[str]], object], texts: Sequence[str]) -> float:
    started = time.process_time()
    work(texts)
    return time.process_time() - started


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("--passages", type=int, default=400)
    arguments = parser.parse_args()
    encoders = {
        "E5, onnxruntime": load_bundled(BUILT_IN_MODEL),
        "MiniLM, onnxruntime": load_bundled(MINILM_MODEL),
        "MiniLM, PyTorch": SentenceTransformersEncoder(MINILM),
    }
    torch.set_num_threads(1)
    ratios = {}
    for name in COLLECTIONS:
        texts = passages(arguments.data / name, arguments.passages)
        for encoder in encoders.values():
            encoder.encode(texts[:PART])
        times = dict.fromkeys(encoders, 0.0)
        for begin in range(0, len(texts), PART):
            for key, encoder in encoders.items():
                times[key] += spent(encoder.encode, texts[begin : begin + PART])
        speeds = {key: len(texts) / seconds for key, seconds in times.items()}
        ratios[name] = speeds["E5, onnxruntime"] / speeds["MiniLM, PyTorch"]
        print(f"{name}: " + ", ".join(f"{key} {speed:.1f} passages/s" for key, speed in speeds.items()))
        print(f"  E5 by MiniLM, PyTorch: {ratios[name]:.2f}", flush=True)
    return 0 if ratios["scifact"] >= MIN_RATIO else 1


if __name__ == "__main__":
    sys.exit(main())
