"""The packages of the extra “models”: installed by the real pip into an environment of its own, cancelled, refused."""

import asyncio
import base64
import hashlib
import os
import select
import shlex
import subprocess
import sys
import venv
import zipfile
from contextlib import aclosing
from pathlib import Path

import pip
import pytest

from desktop.errors import LibraryNotInstalled
from desktop.installation import Installation, InstallForm
from desktop.services import knowledge as module
from desktop.services.knowledge import install_model_library, model_library
from desktop.settings.proxies import ProxyChoice
from tests.cases import cases

PACKAGES = ("torch", "sentence-transformers")


def wheel(folder: Path, name: str) -> None:
    """Write a wheel that holds one empty module."""
    module_name, info = name.replace("-", "_"), f"{name.replace('-', '_')}-1.0.dist-info"
    files = {
        f"{module_name}.py": b"",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(
        f"{path},sha256={base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b'=').decode()},{len(content)}\n"
        for path, content in files.items()
    )
    with zipfile.ZipFile(folder / f"{module_name}-1.0-py3-none-any.whl", "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
        archive.writestr(f"{info}/RECORD", record + f"{info}/RECORD,,\n")


@pytest.fixture
def python(tmp_path, monkeypatch):
    """An environment without packages but with pip, and an index that is a folder."""
    home = tmp_path / "environment"
    venv.create(home, with_pip=False, symlinks=os.name != "nt")
    (site,) = home.rglob("site-packages")
    (site / "pip").symlink_to(Path(pip.__file__).parent)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    monkeypatch.setattr(module, "_packages", lambda: list(PACKAGES))
    (tmp_path / "wheels").mkdir()
    found = home / ("Scripts" if os.name == "nt" else "bin") / "python"
    monkeypatch.setattr(sys, "executable", str(found))
    return str(found)


async def run(installed):
    async with aclosing(install_model_library(ProxyChoice("none"), installed)) as steps:
        return [step async for step in steps]


def pip_installation(python):
    return Installation(InstallForm.PIP, (python, "-m", "desktop"))


def test_the_packages_are_installed_by_pip(python, tmp_path):
    for name in PACKAGES:
        wheel(tmp_path / "wheels", name)
    steps = asyncio.run(run(pip_installation(python)))
    assert steps
    subprocess.run([python, "-c", "import torch, sentence_transformers"], check=True)


def test_a_failure_names_the_reason_and_the_command(python):
    with pytest.raises(LibraryNotInstalled) as raised:
        asyncio.run(run(pip_installation(python)))
    assert "torch" in str(raised.value).partition("In a terminal")[0]
    assert "-m pip install" in str(raised.value)


def has_ended(process_id):
    """Return whether a process ends; one that was told to still closes its files for a moment."""
    try:
        process = os.pidfd_open(process_id)
    except ProcessLookupError:
        return True
    try:
        return bool(select.select([process], [], [], 60)[0])
    finally:
        os.close(process)


def test_closing_ends_the_installer_and_its_children(tmp_path, monkeypatch):
    started = tmp_path / "started"
    script = tmp_path / "uv"
    script.write_text(f"#!/bin/sh\nsleep 600 &\necho $! > {shlex.quote(str(started))}\necho waiting\nwait\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)

    async def cancel():
        steps = install_model_library(ProxyChoice(), Installation(InstallForm.UV, ("python",)))
        await anext(steps)
        await anext(steps)
        await steps.aclose()

    asyncio.run(cancel())
    assert has_ended(int(started.read_text()))


@cases(
    "form, words",
    [
        (InstallForm.PIP, "-m pip install --extra-index-url"),
        (InstallForm.UV_TOOL, "uv pip install --python"),
        (InstallForm.PIPX, "pipx inject '--pip-args=--extra-index-url"),
    ],
)
def test_the_command_is_that_of_the_installation(form, words):
    library = model_library(Installation(form, ("python",)))
    assert library.can_install
    assert words in library.command or sys.platform != "linux"
    assert "torch==2.13.0" in library.command


def test_nothing_is_added_to_a_package_with_a_python_of_its_own():
    installed = Installation(InstallForm.APPIMAGE, ("/opt/Footnote.AppImage",))
    library = model_library(installed)
    assert not library.can_install
    assert library.command == "pipx install 'footnote[models]'"
    with pytest.raises(LibraryNotInstalled) as raised:
        asyncio.run(run(installed))
    assert library.command in str(raised.value)
