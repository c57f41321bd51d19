"""How many passages a second the recommended rerankers judge on this machine's processor.

    python -m benchmarks.reranking [--tokens N] [--batches N] [--threads N]

The models have the layers and sizes of the recommended ones and random weights, as the time does not depend on the weights
and nothing is downloaded. A batch has as many pairs as the program gives at once, all of them `--tokens` long. What a
reranker gains in quality is not measured here: that needs its weights.
"""

import argparse
import time

import torch
from transformers import (
    BertConfig,
    BertForSequenceClassification,
    XLMRobertaConfig,
    XLMRobertaForSequenceClassification,
)

from desktop.knowledge.rerankers import BATCH
from desktop.knowledge.reranking import JUDGED

MODELS = {
    "MS MARCO MiniLM L6": (
        BertForSequenceClassification,
        BertConfig(
            num_labels=1,
            hidden_size=384,
            num_hidden_layers=6,
            num_attention_heads=12,
            intermediate_size=1_536,
        ),
    ),
    "BGE Reranker base": (
        XLMRobertaForSequenceClassification,
        XLMRobertaConfig(num_labels=1, vocab_size=250_002, max_position_embeddings=514),
    ),
    "BGE Reranker v2 M3": (
        XLMRobertaForSequenceClassification,
        XLMRobertaConfig(
            num_labels=1,
            vocab_size=250_002,
            max_position_embeddings=8_194,
            hidden_size=1_024,
            num_hidden_layers=24,
            num_attention_heads=16,
            intermediate_size=4_096,
        ),
    ),
}
FIRST_ID = 1_000
"""Of ordinary words in both vocabularies."""


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--tokens", type=int, default=256)
    parser.add_argument("--batches", type=int, default=3)
    parser.add_argument("--threads", type=int, default=torch.get_num_threads())
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    ids = torch.randint(FIRST_ID, 30_000, (BATCH, arguments.tokens))
    for name, (kind, config) in MODELS.items():
        model = kind(config).eval()
        with torch.inference_mode():
            model(input_ids=ids[:1])
            started, used = time.perf_counter(), time.process_time()
            for _ in range(arguments.batches):
                model(input_ids=ids, attention_mask=torch.ones_like(ids))
        share = JUDGED / (BATCH * arguments.batches)
        spent, used = (time.perf_counter() - started) * share, (time.process_time() - used) * share
        print(
            f"{name}: {JUDGED} passages of {arguments.tokens} tokens in {spent:.1f} s, {used:.1f} s of processor time",
            flush=True,
        )


if __name__ == "__main__":
    main()
