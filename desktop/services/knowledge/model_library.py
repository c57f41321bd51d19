"""Installs the packages of the extra “models”, which run embedding models and rerankers of the user's choice."""

import contextlib
import importlib
import importlib.util
import re
import shlex
import sys
from collections.abc import AsyncGenerator
from importlib.metadata import PackageNotFoundError, requires, version

from desktop.domain.knowledge import Download, ModelLibrary
from desktop.errors import LibraryNotInstalled, plain_reason
from desktop.installation import PROGRAM, Installation, InstallForm, installation, own_environment
from desktop.knowledge.embedding.model_store import MODEL_LIBRARY
from desktop.phrases import translatable
from desktop.settings.model import NO_PROXY, PROXY_OF_SYSTEM
from desktop.settings.proxies import ProxyChoice
from desktop.text.subprocess.installer import read_output, running_installer

_EXTRA = "models"
_INSTEAD = f"pipx install '{PROGRAM}[{_EXTRA}]'"
_CPU_INDEX = "https://download.pytorch.org/whl/cpu"
"""On Linux, the package index itself has PyTorch with CUDA, several gigabytes of it."""
_PACKAGE_INDEX = "https://pypi.org/simple"
_FIRST_WITH_RAW = (24, 1)
"""The first version of pip that reports its progress as numbers."""
_PROGRESS = re.compile(r"Progress (\d+) of (\d+)")
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
    async with contextlib.AsyncExitStack() as stack:
        try:
            running = running_installer(*command, environment=_environment(installed, proxy))
            process = await stack.enter_async_context(running)
        except OSError as error:
            is_missing = isinstance(error, FileNotFoundError)
            reason = _NOT_FOUND.format(program=command[0]) if is_missing else plain_reason(error)
            raise _failure(reason, command) from error
        heard = await stack.enter_async_context(contextlib.aclosing(read_output(process)))
        async for new in heard:
            for line in filter(None, map(str.strip, new)):
                if match := _PROGRESS.fullmatch(line):
                    yield Download(int(match[1]), int(match[2]))
                else:
                    lines.append(line)
                    yield Download()
        status = await process.wait()
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


def _reason(lines: list[str]) -> str:
    """Return what the installer says of its failure: its errors, else its last line."""
    errors = [line.partition(" ")[2].strip() for line in lines if line.lower().startswith("error")]
    return " ".join(errors or lines[-1:])[:_MAX_DETAIL_CHARS]


def _failure(reason: str, command: tuple[str, ...]) -> LibraryNotInstalled:
    return LibraryNotInstalled(detail=_FAILED.format(reason=reason, command=shlex.join(command)))
