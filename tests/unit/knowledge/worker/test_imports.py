"""What the worker loads before it can answer: libraries that take long are imported when they are needed."""

import subprocess
import sys

_HEAVY = (
    "chromadb",
    "torch",
    "sentence_transformers",
    "transformers",
    "onnxruntime",
    "httpx",
    "tokenizers",
    "watchfiles",
)


def test_the_worker_starts_without_heavy_libraries():
    code = f"import sys, desktop.knowledge.worker.main; print([name for name in {_HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
