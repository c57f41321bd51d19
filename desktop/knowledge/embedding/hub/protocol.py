"""What the program and the download process share: their messages, and which files of a model are fetched, none with code."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

REQUEST_LIMIT_S: Final = 24 * 3600.0
DOWNLOAD_LOCK: Final = ".lock"
"""File in the folder of a model that is locked while it is downloaded or deleted."""

_MODULE = r"(?:\d+_\w+/)?"
_PARTS = re.compile(
    _MODULE + r"(?:config|modules|config_sentence_transformers|sentence_\w+_config|tokenizer|tokenizer_config"
    r"|special_tokens_map|added_tokens|vocab|model\.safetensors\.index)\.json"
    r"|" + _MODULE + r"(?:vocab|merges)\.txt"
    r"|" + _MODULE + r"[\w.-]+\.(?:spm|model)"
)
_WEIGHTS = re.compile(rf"({_MODULE})model(?:-\d+-of-\d+)?\.safetensors")
_PICKLED = re.compile(rf"({_MODULE})pytorch_model\.bin")


@dataclass(frozen=True)
class HubFile:
    """A file of a model; the hub knows the `sha256` only of large files (LFS)."""

    name: str
    size: int = 0
    sha256: str = ""

    @property
    def is_pickled(self) -> bool:
        """Whether it contains weights in a pickle format that must be converted before use."""
        return _PICKLED.fullmatch(self.name) is not None


def partial_file(path: Path, revision: str) -> Path:
    """Return where the part of a file that has arrived is kept until all of it is here."""
    return path.with_name(f"{path.name}.{revision[:8]}.partial")


def select_model_files(files: Iterable[HubFile]) -> list[HubFile]:
    """Return the files needed to load a model, small ones first; pickled weights only as a last resort."""
    known = list(files)
    safe = {match[1] for file in known if (match := _WEIGHTS.fullmatch(file.name))}
    wanted = [
        file
        for file in known
        if _PARTS.fullmatch(file.name)
        or _WEIGHTS.fullmatch(file.name)
        or ((match := _PICKLED.fullmatch(file.name)) and match[1] not in safe)
    ]
    return sorted(wanted, key=lambda file: (file.size, file.name))


class Fetch(msgspec.Struct, frozen=True):
    """→ Arrived, repeatedly; then `ModelDownloaded` or `NotFetched`.

    `endpoint` is the address of the hub or a mirror; `proxy` may contain a password, so it is sent as a message
    rather than as an argument. `only` names one file of the commit `revision` to download, instead of the files of
    an embedding model; its size and hash are those that it must have.
    """

    model: str
    folder: str
    endpoint: str
    proxy: str = ""
    only: HubFile | None = None
    revision: str = ""

    def __repr__(self) -> str:
        """Return a representation that is safe to log."""
        return f"Fetch({self.model!r}, {self.folder!r}, {self.endpoint!r})"


class Arrived(msgspec.Struct, frozen=True, tag="arrived"):
    """The number of bytes downloaded so far."""

    done_bytes: int
    total_bytes: int


class ModelDownloaded(msgspec.Struct, frozen=True, tag="fetched"):
    """The model is complete."""


class NotFetched(msgspec.Struct, frozen=True, tag="failed"):
    """The download failed; `detail` is a sentence for the user."""

    detail: str


HubReply = Arrived | ModelDownloaded | NotFetched
