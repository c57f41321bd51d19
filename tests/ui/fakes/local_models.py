"""Models of this computer in memory; a download waits at `gate` between its steps."""

import asyncio
from collections.abc import AsyncGenerator
from dataclasses import replace
from pathlib import Path
from typing import Any

from desktop.domain.knowledge import Download
from desktop.domain.models import LocalModel
from desktop.errors import AppError
from desktop.errors.servers import LocalModelUnusable

SMALL = LocalModel(
    "qwen2.5-1.5b",
    "Qwen2.5 1.5B",
    1_117_320_736,
    1_500_000_000,
    "Apache 2.0",
    "Fast, on any computer. Short answers from a few sources; makes mistakes.",
    "Qwen/Qwen2.5-1.5B-Instruct-GGUF",
)
MIDDLE = LocalModel(
    "qwen3-4b",
    "Qwen3 4B",
    2_497_280_256,
    3_400_000_000,
    "Apache 2.0",
    "For most computers. Follows instructions and cites well; can use tools.",
    "Qwen/Qwen3-4B-GGUF",
)
LARGE = LocalModel(
    "qwen3-8b",
    "Qwen3 8B",
    5_027_783_488,
    5_900_000_000,
    "Apache 2.0",
    "For computers with 16 GB of memory. The best answers of the three, and the slowest.",
    "Qwen/Qwen3-8B-GGUF",
    warning="Needs about 5.9 GB of memory; 4.2 GB is free now.",
)


class FakeLocalModels:
    def __init__(self) -> None:
        self.known = [SMALL, MIDDLE, LARGE]
        self.missing = ""
        self.gate = asyncio.Event()
        self.failure: AppError | None = None
        self.deleted: list[str] = []

    def change(self, model_id: str, **fields: Any) -> None:
        self.known = [replace(model, **fields) if model.id == model_id else model for model in self.known]

    async def models(self) -> tuple[LocalModel, ...]:
        return tuple(self.known)

    async def problem(self) -> str:
        return self.missing

    async def download(self, model_id: str) -> AsyncGenerator[Download, None]:
        total = next(model.size_bytes for model in self.known if model.id == model_id)
        yield Download(0, total)
        self.change(model_id, received_bytes=total // 2)
        yield Download(total // 2, total)
        await self.gate.wait()
        if self.failure is not None:
            raise self.failure
        self.change(model_id, received_bytes=0, path=Path(f"{model_id}.gguf"))
        yield Download(total, total)

    async def delete(self, model_id: str) -> None:
        self.deleted.append(model_id)
        self.change(model_id, received_bytes=0, path=None)

    async def inspect(self, path: Path) -> LocalModel:
        if path.suffix != ".gguf" or "broken" in path.name:
            raise LocalModelUnusable(
                model=path.stem, detail="it is not a GGUF file, the format that llama.cpp reads"
            )
        return LocalModel(path.stem, path.stem, 98_000_000, 300_000_000, path=path, is_own=True)
