"""What a GGUF file says of its model, and how that model runs on this machine: how much context, on how many threads."""

import os
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, Final

import psutil

from desktop.errors.servers import LocalModelUnusable, NotEnoughMemory
from desktop.phrases import translatable

MAGIC: Final = b"GGUF"
_VERSIONS = (2, 3)
_NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING, _ARRAY = 8, 9
_MOST_ENTRIES = 100_000
_MOST_TEXT_BYTES = 2**24
_KEPT_ITEMS = 1_024
"""Longer arrays are those of the vocabulary, of which only the length counts."""
_DEFAULT_ALIGNMENT = 32
_BYTES_PER_VALUE = 2
"""The context is kept as 16-bit numbers."""

_NOT_GGUF = translatable("it is not a GGUF file, the format that llama.cpp reads")
INCOMPLETE: Final = translatable("the file is damaged or incomplete; download or copy it again")
_NO_CHAT = translatable("it is not a chat model ({architecture})")
_GONE = translatable("its file is missing or can’t be read")


@dataclass(frozen=True)
class GgufHeader:
    """What a file says of its model. `token_bytes` is the memory that a token of context takes."""

    architecture: str
    name: str
    context_tokens: int
    token_bytes: int
    vocabulary: int
    template: str
    """The chat template, which shows what the model can do; empty if it has none."""

    @property
    def has_tools(self) -> bool:
        """Whether tools can be offered to the model."""
        return "tools" in self.template


def read_gguf(path: Path) -> GgufHeader:
    """Return the header of a model's file.

    Raises:
        LocalModelUnusable: the file is missing, damaged, or no model that can chat.
    """
    try:
        found = path.stat()
        return _read(path, found.st_size, found.st_mtime_ns)
    except OSError as error:
        raise LocalModelUnusable(model=path.stem, detail=_GONE) from error


@lru_cache(maxsize=64)
def _read(path: Path, size_bytes: int, _changed_ns: int) -> GgufHeader:
    with path.open("rb") as file:
        if file.read(4) != MAGIC:
            raise LocalModelUnusable(model=path.stem, detail=_NOT_GGUF)
        try:
            values, tensor_count = _read_values(file)
            last = max((_read_offset(file) for _ in range(tensor_count)), default=0)
            begin = _align(file.tell(), values)
        except (struct.error, ValueError, UnicodeDecodeError, OverflowError) as error:
            raise LocalModelUnusable(model=path.stem, detail=INCOMPLETE) from error
    if not tensor_count or begin + last >= size_bytes:
        raise LocalModelUnusable(model=path.stem, detail=INCOMPLETE)
    return _header(path, values)


def _header(path: Path, values: Mapping[str, object]) -> GgufHeader:
    architecture = str(values.get("general.architecture", ""))

    def number(key: str) -> int:
        return _count(values.get(f"{architecture}.{key}"))

    heads, layers = number("attention.head_count"), number("block_count")
    if not layers or not number("context_length") or number("pooling_type"):
        raise LocalModelUnusable(
            model=path.stem, detail=_NO_CHAT.format(architecture=architecture or path.name)
        )
    width = number("embedding_length") // max(heads, 1)
    per_layer = values.get(f"{architecture}.attention.head_count_kv", heads)
    shared = sum(map(_count, per_layer)) if isinstance(per_layer, list) else layers * _count(per_layer)
    lengths = (number("attention.key_length") or width) + (number("attention.value_length") or width)
    return GgufHeader(
        architecture,
        str(values.get("general.name") or path.stem),
        number("context_length"),
        shared * lengths * _BYTES_PER_VALUE,
        _count(values.get("tokenizer.ggml.tokens")),
        str(values.get("tokenizer.chat_template", "")),
    )


def _count(value: object) -> int:
    """Return a number of things; 0 if a file has something else in its place."""
    return value if isinstance(value, int) and value > 0 else 0


def _read_values(file: BinaryIO) -> tuple[dict[str, object], int]:
    (version, tensors, entries) = _unpack(file, "<IQQ")
    if version not in _VERSIONS or max(tensors, entries) > _MOST_ENTRIES:
        raise ValueError
    values: dict[str, object] = {}
    for _ in range(entries):
        key = _read_text(file)
        (kind,) = _unpack(file, "<I")
        values[key] = _read_value(file, kind)
    return values, tensors


def _read_value(file: BinaryIO, kind: int) -> object:
    if kind == _STRING:
        return _read_text(file)
    if kind == _ARRAY:
        kind, count = _unpack(file, "<IQ")
        return _read_array(file, kind, count)
    (value,) = _unpack(file, f"<{_code(kind)}")
    return value


def _read_array(file: BinaryIO, kind: int, count: int) -> object:
    """Return the numbers of a short array, else how many items it has."""
    if kind == _STRING:
        for _ in range(count):
            file.seek(_length(file), 1)
        return count
    code = _code(kind)
    if count <= _KEPT_ITEMS:
        return list(_unpack(file, f"<{count}{code}"))
    file.seek(count * struct.calcsize(f"<{code}"), 1)
    return count


def _read_offset(file: BinaryIO) -> int:
    """Return where a tensor begins, from the begin of all tensors."""
    file.seek(_length(file), 1)
    (dimensions,) = _unpack(file, "<I")
    *_, offset = _unpack(file, f"<{dimensions}QIQ")
    return int(offset)


def _read_text(file: BinaryIO) -> str:
    content = file.read(_length(file))
    return content.decode()


def _length(file: BinaryIO) -> int:
    (length,) = _unpack(file, "<Q")
    if length > _MOST_TEXT_BYTES:
        raise ValueError
    return int(length)


def _unpack(file: BinaryIO, layout: str) -> tuple[int, ...]:
    size = struct.calcsize(layout)
    if size > _MOST_TEXT_BYTES:
        raise ValueError
    return struct.unpack(layout, file.read(size))


def _code(kind: int) -> str:
    if kind not in _NUMBERS:
        raise ValueError
    return _NUMBERS[kind]


def _align(position: int, values: Mapping[str, object]) -> int:
    alignment = values.get("general.alignment", _DEFAULT_ALIGNMENT)
    size = alignment if isinstance(alignment, int) and alignment > 0 else _DEFAULT_ALIGNMENT
    return position + -position % size


CONTEXT_SIZES: Final = (8_192, 4_096, 2_048)
"""The largest that fits is used. More would take minutes to read on a processor."""
USUAL_CONTEXT: Final = 4_096
BATCH_TOKENS: Final = 256
"""How many tokens of a prompt are computed at once; the results of each take memory."""

_RESULT_BYTES = 4
_SPARE_BYTES = 100_000_000
"""For the program itself and its buffers."""
_USABLE_SHARE = 0.9
"""Share of the free memory that a model may take."""
_GB = 10**9


@dataclass(frozen=True)
class Machine:
    """Memory that is free, in bytes, and processor cores."""

    free_bytes: int
    cores: int


@dataclass(frozen=True)
class RunPlan:
    """How a model is run."""

    context_tokens: int
    threads: int


def measure_machine() -> Machine:
    """Return the machine as it is now; memory that the system can free counts as free."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    # Two threads of one core share what computes.
    cores = min(filter(None, (psutil.cpu_count(logical=False), usable)), default=1)
    return Machine(psutil.virtual_memory().available, cores)


def estimate_memory(header: GgufHeader, size_bytes: int, context_tokens: int) -> int:
    """Return how many bytes of memory a model takes, about: its file, its context, and what it computes."""
    tokens = min(context_tokens, header.context_tokens)
    results = BATCH_TOKENS * header.vocabulary * _RESULT_BYTES
    return size_bytes + tokens * header.token_bytes + results + _SPARE_BYTES


def plan_run(header: GgufHeader, size_bytes: int, machine: Machine) -> RunPlan:
    """Return how to run a model.

    Raises:
        NotEnoughMemory: it does not fit, even with the smallest context.
    """
    for size in CONTEXT_SIZES:
        if estimate_memory(header, size_bytes, size) <= machine.free_bytes * _USABLE_SHARE:
            return RunPlan(min(size, header.context_tokens), machine.cores)
    needed = estimate_memory(header, size_bytes, CONTEXT_SIZES[-1]) / _USABLE_SHARE
    raise NotEnoughMemory(
        model=header.name, needed=f"{needed / _GB:.1f}", free=f"{machine.free_bytes / _GB:.1f}"
    )
