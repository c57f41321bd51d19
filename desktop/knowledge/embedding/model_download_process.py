"""The process that downloads a model with the hub's own library; a download is cancelled by killing it.

Partial files are kept, and the next process resumes them. Weights that are only available as pickle files are
loaded with torch's safe weights-only reader, which runs no code, and saved as safetensors.
"""

import hashlib
import ipaddress
import logging
import os
import shutil
import socket
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

import httpx2
import msgspec
from filelock import FileLock, Timeout

from desktop.domain.addresses import is_public
from desktop.errors import ModelLibraryMissing, ModelNotDownloaded, ModelUnusable, plain_reason
from desktop.knowledge.embedding.model_download import (
    DOWNLOAD_LOCK,
    REQUEST_LIMIT_S,
    Arrived,
    Fetch,
    HubFile,
    HubReply,
    ModelDownloaded,
    NotFetched,
    partial_file,
    select_model_files,
)
from desktop.knowledge.embedding.model_store import (
    MANIFEST,
    ModelManifest,
    check_folder,
    require_model_library,
)
from desktop.phrases import IN_KNOWLEDGE, translatable
from desktop.text.child_server import Send, serve
from desktop.text.message_codec import encode_msgpack

if TYPE_CHECKING:
    from huggingface_hub.hf_api import ModelInfo

# The hub's library reads its settings from the environment when it is imported.
# ruff: noqa: PLC0415

MAX_MEMORY_BYTES = 24 * 2**30
"""Converting weights takes twice their size in memory; a model that needs more is too large for a desktop."""

_PATIENCE_S = 30.0
_CHUNK_BYTES = 256 * 1024
_TOLD_EVERY_S = 0.1
_TOLD_EVERY_SHARE = 0.01
_SPARE_BYTES = 200 * 2**20
_MOST_UNTOLD_BYTES = 64 * 2**20
"""Maximum size of a file whose size the hub does not report; this is never the case for weights."""
_FAKE = ipaddress.ip_network("198.18.0.0/15")
_OFFLINE = translatable(
    "The hub can’t be reached. Check your connection, or set a mirror {in_settings}."
).format(**IN_KNOWLEDGE)
_UNKNOWN = translatable("The hub has no such model.")
_CLOSED = translatable("The hub requires you to sign in for this model.")
_BUSY = translatable("It is already being downloaded.")
_FULL = translatable("It needs {size} MB, more than the free disk space.")
_EMPTY = translatable("It contains no weights that Footnote can use.")
_WRONG = translatable("“{name}” was damaged during the download. Try again.")
_INSIDE = translatable("The hub redirects to {host}, which is in a private network or not encrypted.")
_HUB_FAILED = translatable("The hub returned an error ({detail}).")
_DISK = translatable("Writing to the disk failed ({detail}).")

_log = logging.getLogger(__name__)


def main() -> NoReturn:
    """Serve requests until the program has ended."""
    os.environ["HF_HUB_DISABLE_XET"] = "1"  # it bypasses mirrors and proxies
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    os.environ.pop("HF_HUB_OFFLINE", None)
    serve(_answer, timeout_s=REQUEST_LIMIT_S, max_memory_bytes=MAX_MEMORY_BYTES)


def _answer(payload: bytes, send: Send) -> None:
    request = msgspec.msgpack.decode(payload, type=Fetch)

    def reply(message: HubReply) -> None:
        send(encode_msgpack(message))

    try:
        _fetch(request, reply)
        reply(ModelDownloaded())
    except Exception as error:  # noqa: BLE001 - top level of the process; unknown errors are reported by name
        _log.info("%s was not downloaded", request.model, exc_info=True)
        reply(NotFetched(words_of(error)))


def _fetch(request: Fetch, reply: Callable[[HubReply], None]) -> None:
    from huggingface_hub import HfApi, constants, set_client_factory

    constants.DOWNLOAD_CHUNK_SIZE = (
        _CHUNK_BYTES  # chunks of ten megabytes would show no progress, and be lost on cancelling
    )
    set_client_factory(lambda: _client(request))
    folder = Path(request.folder)
    folder.mkdir(parents=True, exist_ok=True)
    with FileLock(folder / DOWNLOAD_LOCK, timeout=0):
        if request.only is not None:
            meter = _Meter(request.only.size, reply)
            _check_free_space(request.model, folder, [request.only])
            _fetch_file(request, request.revision, request.only, meter)
            reply(Arrived(request.only.size, request.only.size))
            return
        api = HfApi(endpoint=request.endpoint, token=False)
        info = api.model_info(request.model, files_metadata=True, timeout=_PATIENCE_S)
        files = select_model_files(_files_of(info))
        if not any(file.name.endswith((".safetensors", ".bin")) for file in files):
            raise ModelNotDownloaded(model=request.model, detail=_EMPTY)
        if any(file.is_pickled for file in files):
            require_model_library(request.model)  # needed to convert the weights
        meter = _Meter(sum(file.size for file in files), reply)
        _check_free_space(request.model, folder, files)
        for file in files:
            _fetch_file(request, info.sha or "main", file, meter)
        for file in files:
            if file.is_pickled:
                _convert(folder / file.name)
        check_folder(folder, request.model)
        _finish(folder, ModelManifest(request.model, info.sha or "", {}), files)


def _files_of(info: "ModelInfo") -> list[HubFile]:
    return [
        HubFile(file.rfilename, file.size or 0, file.lfs.sha256 if file.lfs else "")
        for file in info.siblings or ()
    ]


def _check_free_space(model: str, folder: Path, files: list[HubFile]) -> None:
    there = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    missing = sum(file.size * (2 if file.is_pickled else 1) for file in files) - there
    if missing + _SPARE_BYTES > shutil.disk_usage(folder).free:
        raise ModelNotDownloaded(model=model, detail=_FULL.format(size=round(missing / 1e6)))


def _fetch_file(request: Fetch, revision: str, file: HubFile, meter: "_Meter") -> None:
    """Download a file, and resume an earlier unfinished download."""
    from huggingface_hub import hf_hub_url
    from huggingface_hub.file_download import http_get

    path = Path(request.folder, file.name)
    is_converted = file.is_pickled and _safetensors_path(path).is_file()
    if is_converted or (path.is_file() and path.stat().st_size == file.size):
        meter.add(file.size)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    before = meter.done
    # Not with the library's own function for files, which starts from the beginning each time (2.4).
    partial = partial_file(path, revision)
    try:
        with partial.open("ab") as content:
            http_get(
                hf_hub_url(request.model, file.name, revision=revision, endpoint=request.endpoint),
                content,
                resume_size=content.tell(),
                expected_size=file.size or None,
                tqdm_class=_bar_for(meter, file.size or _MOST_UNTOLD_BYTES),
            )
    except _OversizedFile as error:
        partial.unlink()
        raise ModelNotDownloaded(model=request.model, detail=_WRONG.format(name=file.name)) from error
    meter.add(file.size - (meter.done - before))  # no bar counts a file that was complete already
    if file.sha256 and _digest(partial) != file.sha256:
        partial.unlink()
        raise ModelNotDownloaded(model=request.model, detail=_WRONG.format(name=file.name))
    partial.replace(path)


def _digest(path: Path) -> str:
    with path.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _safetensors_path(path: Path) -> Path:
    return path.with_name("model.safetensors")


def _convert(path: Path) -> None:
    if not path.is_file():
        return
    import torch
    from safetensors.torch import save_file

    weights = torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    partial = path.with_name("model.safetensors.partial")
    save_file({name: weight.contiguous() for name, weight in weights.items()}, partial, {"format": "pt"})
    partial.replace(_safetensors_path(path))
    path.unlink()


def _finish(folder: Path, manifest: ModelManifest, files: list[HubFile]) -> None:
    names = [
        _safetensors_path(Path(file.name)).as_posix() if file.is_pickled else file.name for file in files
    ]
    sizes = {name: (folder / name).stat().st_size for name in names}
    for leftover in folder.rglob("*.partial"):  # left over from another revision
        leftover.unlink()
    complete = msgspec.structs.replace(manifest, files=sizes)
    partial = folder / f"{MANIFEST}.partial"
    partial.write_bytes(msgspec.json.encode(complete))
    partial.replace(folder / MANIFEST)


class _Meter:
    """Counts the downloaded bytes, through the progress bars of the hub's library."""

    def __init__(self, total: int, reply: Callable[[HubReply], None]) -> None:
        self.done = 0
        self._total = total
        self._reply = reply
        self._told = 0
        self._told_at = 0.0
        self.add(0)

    def add(self, count: int) -> None:
        """Add to the count; negative if a server restarted a file."""
        self.done += count
        is_step = abs(self.done - self._told) >= self._total * _TOLD_EVERY_SHARE
        if is_step or time.monotonic() - self._told_at >= _TOLD_EVERY_S:
            self._told, self._told_at = self.done, time.monotonic()
            self._reply(Arrived(max(0, min(self.done, self._total)), self._total))


class _OversizedFile(Exception):
    """A server sends more data than the size of the file."""


def _bar_for(meter: _Meter, size: int) -> type[Any]:
    """Return a replacement for the library's progress bar class, for a file of `size` bytes.

    `initial` is the size of an earlier partial download. The library checks the size only at the end.
    """

    class Bar:
        def __init__(self, *, initial: int = 0, **_options: object) -> None:
            self._done = 0
            self.update(initial)

        def __enter__(self) -> Self:
            return self

        def __exit__(self, *_: object) -> None:
            self.close()

        def update(self, count: int = 1) -> None:
            self._done += count
            meter.add(count)
            if self._done > size:
                raise _OversizedFile

        def close(self) -> None:
            pass

    return Bar


def _client(request: Fetch) -> httpx2.Client:
    hub = httpx2.URL(request.endpoint)

    def judge(hop: httpx2.Request) -> None:
        is_hub = (hop.url.host, hop.url.scheme) == (hub.host, hub.scheme)
        is_downgrade = hub.scheme == "https" != hop.url.scheme
        if not is_hub and (is_downgrade or leads_inside(hop.url.host)):
            raise ModelNotDownloaded(model=request.model, detail=_INSIDE.format(host=hop.url.host))

    return httpx2.Client(
        proxy=request.proxy or None,
        trust_env=False,
        follow_redirects=True,
        event_hooks={"request": [judge]},
        timeout=httpx2.Timeout(_PATIENCE_S),
    )


def leads_inside(host: str) -> bool:
    """Say whether a host is in the user's private network; False for names that only a proxy can resolve.

    Hubs store files on other hosts and redirect there. Responses of proxies that assign a fake address
    (198.18.0.0/15) to every name do not count as a private network.
    """
    try:
        found = {entry[4][0] for entry in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    addresses = [ipaddress.ip_address(str(address).partition("%")[0]) for address in found]
    return not all(is_public(address) or address in _FAKE for address in addresses)


def words_of(error: Exception) -> str:
    """Return the reason for a failed download as a sentence for the user."""
    from huggingface_hub import errors

    reasons: tuple[tuple[type[Exception], str], ...] = (
        (Timeout, _BUSY),
        (errors.GatedRepoError, _CLOSED),
        (errors.RepositoryNotFoundError, _UNKNOWN),
        (errors.HfHubHTTPError, _HUB_FAILED),
        (httpx2.HTTPError, _OFFLINE),
        (OSError, _DISK),
        (Exception, _HUB_FAILED),
    )
    if isinstance(error, ModelNotDownloaded):
        return str(error.fields["detail"])
    if isinstance(error, ModelUnusable | ModelLibraryMissing):
        return str(error)
    reason = next(words for kind, words in reasons if isinstance(error, kind))
    return reason.format(detail=_detail(error))


def _detail(error: Exception) -> str:
    status = getattr(getattr(error, "response", None), "status_code", None)
    return str(status) if status else plain_reason(error)


if __name__ == "__main__":
    main()
