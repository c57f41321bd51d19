"""Installs the packages of the extra “models”, which run embedding models and rerankers of the user's choice."""

import asyncio
import contextlib
import importlib
import importlib.util
import os
import re
import shlex
import signal
import sys
from asyncio.subprocess import DEVNULL, PIPE, STDOUT, Process
from collections.abc import AsyncGenerator
from importlib.metadata import PackageNotFoundError, requires, version

from desktop.domain.knowledge import Download, ModelLibrary
from desktop.errors import LibraryNotInstalled, plain_reason
from desktop.installation import PROGRAM, Installation, InstallForm, installation, own_environment
from desktop.knowledge.embedding.model_store import MODEL_LIBRARY
from desktop.phrases import translatable
from desktop.settings.model import NO_PROXY, PROXY_OF_SYSTEM
from desktop.settings.proxies import ProxyChoice

_EXTRA = "models"
_INSTEAD = f"pipx install '{PROGRAM}[{_EXTRA}]'"
_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
"""On Linux, the package index itself has PyTorch with CUDA, several gigabytes of it."""
_PACKAGE_INDEX = "https://pypi.org/simple"
_FIRST_WITH_RAW = (24, 1)
"""The first version of pip that reports its progress as numbers."""
_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")
_NO_WINDOW = 0x0800_0000 if sys.platform == "win32" else 0
_ENDING_S = 3.0
_CHUNK_BYTES = 4_096
_MAX_DETAIL_CHARS = 300

_OWN_PYTHON = translatable(
    "Packages can’t be added to this installation of Footnote. To use these models, install Footnote "
    "from a terminal; your data is kept: {command}"
)
_FAILED = translatable("{reason} In a terminal: {command}")
_NOT_FOUND = translatable("“{program}” was not found.")
_STATUS = translatable("The installer ended with status {status}.")


def model_library(installed: Installation | None = None) -> ModelLibrary:
    """Return whether the packages are installed, and the command that installs them."""
    importlib.invalidate_caches()
    is_here = all(importlib.util.find_spec(name) is not None for name in MODEL_LIBRARY)
    command = (installed or installation()).packages_command(_packages(), _index())
    return ModelLibrary(is_here, bool(command), shlex.join(command) if command else _INSTEAD)


async def install_model_library(
    proxy: ProxyChoice, installed: Installation | None = None
) -> AsyncGenerator[Download, None]:
    """Run the command that installs the packages; see `Embedders.install_library`."""
    installed = installed or installation()
    command = installed.packages_command(_packages(), _index())
    if not command:
        raise LibraryNotInstalled(detail=_OWN_PYTHON.format(command=_INSTEAD))
    yield Download()
    lines: list[str] = []
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=DEVNULL,
            stdout=PIPE,
            stderr=STDOUT,
            env=_environment(installed, proxy),
            start_new_session=True,
            creationflags=_NO_WINDOW,
        )
    except OSError as error:
        is_missing = isinstance(error, FileNotFoundError)
        reason = _NOT_FOUND.format(program=command[0]) if is_missing else plain_reason(error)
        raise _failure(reason, command) from error
    try:
        async with contextlib.aclosing(_lines(process)) as heard:
            async for line in heard:
                if match := _PROGRESS.fullmatch(line):
                    yield Download(int(match[1]), int(match[2]))
                elif line:
                    lines.append(line)
                    yield Download()
        status = await process.wait()
    finally:
        await _end(process)
    if status:
        raise _failure(_reason(lines) or _STATUS.format(status=status), command)


def _packages() -> list[str]:
    """Return the requirements of the extra, as the project names them."""
    marker = f"extra == '{_EXTRA}'"
    try:
        wanted = [each for each in requires(PROGRAM) or () if marker in each.replace('"', "'")]
    except PackageNotFoundError:
        wanted = []
    return [each.partition(";")[0].strip() for each in wanted] or [
        name.replace("_", "-") for name in MODEL_LIBRARY
    ]


def _index() -> str:
    return _CPU_INDEX if sys.platform == "linux" else ""


def _environment(installed: Installation, proxy: ProxyChoice) -> dict[str, str]:
    environment = own_environment() | {"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PYTHONUNBUFFERED": "1"}
    if installed.form in {InstallForm.PIP, InstallForm.SOURCE} and _has_raw_progress():
        environment["PIP_PROGRESS_BAR"] = "raw"
    if proxy.address != PROXY_OF_SYSTEM:
        for name in ("http_proxy", "https_proxy", "all_proxy"):
            environment.pop(name, None)
            environment.pop(name.upper(), None)
    if proxy.address not in {PROXY_OF_SYSTEM, NO_PROXY} and (found := proxy.proxy_for(_PACKAGE_INDEX)):
        environment["HTTPS_PROXY"] = environment["HTTP_PROXY"] = found.url
    return environment


def _has_raw_progress() -> bool:
    try:
        numbers = re.findall(r"\d+", version("pip"))[:2]
    except PackageNotFoundError:
        return False
    return tuple(map(int, numbers)) >= _FIRST_WITH_RAW


async def _lines(process: Process) -> AsyncGenerator[str, None]:
    assert process.stdout is not None
    rest = b""
    while chunk := await process.stdout.read(_CHUNK_BYTES):
        *lines, rest = re.split(rb"[\r\n]+", rest + chunk)
        for line in lines:
            yield line.decode("utf-8", "replace").strip()
    yield rest.decode("utf-8", "replace").strip()


def _reason(lines: list[str]) -> str:
    """Return what the installer says of its failure: its errors, else its last line."""
    errors = [line.partition(" ")[2].strip() for line in lines if line.lower().startswith("error")]
    return " ".join(errors or lines[-1:])[:_MAX_DETAIL_CHARS]


def _failure(reason: str, command: tuple[str, ...]) -> LibraryNotInstalled:
    return LibraryNotInstalled(detail=_FAILED.format(reason=reason, command=shlex.join(command)))


async def _end(process: Process) -> None:
    """End the installer and its children."""
    _signal(process, signal.SIGTERM)
    try:
        async with asyncio.timeout(_ENDING_S):
            await process.communicate()
    except TimeoutError:
        _signal(process, signal.SIGTERM if sys.platform == "win32" else signal.SIGKILL)
        await process.communicate()


def _signal(process: Process, number: signal.Signals) -> None:
    if process.returncode is not None:
        return  # the process id may have been reused
    with contextlib.suppress(ProcessLookupError):
        if sys.platform == "win32":
            process.terminate()
        else:
            os.killpg(process.pid, number)
