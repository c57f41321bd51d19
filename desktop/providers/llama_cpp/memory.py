"""How a model runs on this machine: how much context its memory allows, on how many threads."""

import os
from dataclasses import dataclass
from typing import Final

import psutil

from desktop.errors.servers import NotEnoughMemory
from desktop.providers.llama_cpp.gguf import GgufHeader

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
