"""Download of a model, as used by the program: the messages to its process, and which files are fetched, none with code."""

import asyncio
import os
import re
from collections.abc import AsyncGenerator, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import msgspec

from desktop.domain.knowledge import Download
from desktop.errors import ModelNotDownloaded
from desktop.phrases import translatable
from desktop.settings.proxies import ProxyChoice
from desktop.text.child_processes import ParserDied, ParserProcess
from desktop.text.message_codec import decode_msgpack

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


HUB = "https://huggingface.co"
_ENDED = translatable("The process that downloads it ended ({status}).")
_NO_ADDRESS = translatable("“{address}” is not the address of a hub. It must begin with https://.")


def hub_address(chosen: str) -> str:
    """Return the address of the hub: the user's choice, else the one from the environment, else the default."""
    return (chosen.strip() or os.environ.get("HF_ENDPOINT", "").strip() or HUB).rstrip("/")


async def download(
    model: str,
    folder: Path,
    hub: str,
    proxy: ProxyChoice,
    *,
    only: HubFile | None = None,
    revision: str = "",
) -> AsyncGenerator[Download, None]:
    """Download a model from the hub to `folder`, and resume an earlier unfinished download.

    With `only`, this file of the commit `revision` is downloaded, instead of those of an embedding model. Closing
    the iterator stops it immediately; downloaded data is kept.

    Raises:
        ModelNotDownloaded: the download failed; the reason is for the user.
        ProxyUnusable: see `ProxyChoice`.
    """
    address = hub_address(hub)
    if not address.startswith(("https://", "http://")):
        raise ModelNotDownloaded(model=model, detail=_NO_ADDRESS.format(address=address))
    found = proxy.proxy_for(address)
    request = Fetch(model, str(folder), address, found.url if found else "", only, revision)
    steps: asyncio.Queue[Download | None] = asyncio.Queue()

    def take(payload: bytes) -> HubReply | None:
        reply: HubReply = decode_msgpack(payload, HubReply)
        if not isinstance(reply, Arrived):
            return reply
        steps.put_nowait(Download(reply.done_bytes, reply.total_bytes))
        return None

    child = ParserProcess("desktop.knowledge.embedding.model_download_process")
    asking = asyncio.create_task(child.ask(msgspec.msgpack.encode(request), take, REQUEST_LIMIT_S))
    asking.add_done_callback(lambda _: steps.put_nowait(None))
    try:
        while (step := await steps.get()) is not None:
            yield step
        outcome = await asking
    except ParserDied as error:
        raise ModelNotDownloaded(model=model, detail=_ENDED.format(status=error)) from error
    finally:
        asking.cancel()
        await asyncio.wait({asking})
        await child.aclose()
    if isinstance(outcome, NotFetched):
        raise ModelNotDownloaded(model=model, detail=outcome.detail)
