"""What the packages leave out: parts of Python and of libraries that Footnote never loads.

Of Qt everything stays that the modules which Footnote imports need, with their plugins and the libraries of both; the rest
goes. Every other line names a folder or file that was measured to be worth it.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Final

from project import ROOT, run_for_text

_PYTHON: Final = (
    "ensurepip",
    "idlelib",
    "lib2to3",
    "pydoc_data",
    "test",
    "tkinter",
    "turtledemo",
    "turtle.py",
)
_DYNAMIC: Final = ("_ctypes_test*", "_test*", "_tkinter*", "_xxtestfuzz*", "nis.*", "xxlimited*")
_PACKAGES: Final = (
    "bin",
    "numpy/_core/lib",
    "numpy/random/lib",
    "olefile/olefile2.py",  # for Python 2
    "onnxruntime/capi/libonnxruntime.so.*",  # for programs in C; the module for Python contains all of it
    "onnxruntime/tools",
    "onnxruntime/transformers",
    "onnxruntime/quantization",
    "playwright/driver/package/lib/vite",  # the viewer of traces
)
_SUFFIXES: Final = (".a", ".c", ".cc", ".cpp", ".h", ".hpp", ".lib", ".pxd", ".pyi", ".pyx")
_TESTS: Final = ("test", "tests")

_QT_LOCALES: Final = ("en-US", "zh-CN", "zh-TW")
"""Languages of menus and messages inside web pages."""
_QT_TRANSLATIONS: Final = ("qtbase_zh_CN.qm",)
_QT_RESOURCES: Final = ("qtwebengine_devtools_resources.pak",)
_QT_FOLDERS: Final = ("qml", "metatypes")
_QT_PLUGINS: Final = (
    "generic", "iconengines", "imageformats", "networkinformation", "platforminputcontexts", "platforms",
    "platformthemes", "printsupport", "tls", "wayland-decoration-client", "wayland-graphics-integration-client",
    "wayland-shell-integration", "xcbglintegrations",
)  # fmt: skip
_NO_PLUGINS: Final = re.compile(
    r"lib(qeglfs|qlinuxfb|qminimalegl|qvkkhrdisplay|qvnc|qtvirtualkeyboard|qtuiotouch)"
)
_IMPORTED: Final = re.compile(r"\bPySide6\.(Qt\w+)")


def slim_python(library: Path) -> None:
    """Leave out of Python's library what no program uses, such as its own tests."""
    for name in _PYTHON:
        _remove(library / name)
    for pattern in _DYNAMIC:
        for each in (library / "lib-dynload").glob(pattern):
            each.unlink()
    for each in library.glob("config-3.*"):
        shutil.rmtree(each)


def slim_packages(site_packages: Path) -> None:
    """Leave out of the packages what Footnote never loads."""
    for each in [found for pattern in _PACKAGES for found in site_packages.glob(pattern)]:
        _remove(each)
    for package in (each for each in site_packages.iterdir() if each.is_dir()):
        for name in _TESTS:
            _remove(package / name)
    for each in list(site_packages.rglob("*")):
        if each.name == "__pycache__":
            shutil.rmtree(each)
        elif each.suffix in _SUFFIXES and each.is_file():
            each.unlink()
    for name in (
        "RECORD",
        "REQUESTED",
        "INSTALLER",
        "direct_url.json",
        "uv_cache.json",
    ):  # untrue or of this machine
        for file in site_packages.glob(f"*.dist-info/{name}"):
            file.unlink()
    _slim_qt(site_packages / "PySide6")


def strip_symbols(folder: Path) -> None:
    """Remove the symbols that only debuggers read.

    What other tools have rewritten (the folders NAME.libs of wheels, Qt) is left alone, as is what `strip` refuses.
    """
    for each in elf_files(folder):
        if not any(part.endswith(".libs") or part == "PySide6" for part in each.parts):
            stripped = each.with_name(f"{each.name}.stripped")
            command = ("strip", "--strip-unneeded", "-o", stripped, each)
            if subprocess.run(command, capture_output=True, check=False).returncode == 0:
                shutil.copymode(each, stripped)
                stripped.replace(each)
            else:
                stripped.unlink(missing_ok=True)


def imported_qt_modules(package: Path) -> set[str]:
    """Return the modules of Qt that the code of a package imports."""
    return {name for each in package.rglob("*.py") for name in _IMPORTED.findall(each.read_text("utf-8"))}


def _slim_qt(pyside: Path) -> None:
    qt = pyside if sys.platform == "win32" else pyside / "Qt"
    for name in _QT_FOLDERS:
        _remove(qt / name)
    if sys.platform != "linux":  # what follows was measured and tried on Linux alone
        return
    _keep_only(qt / "translations", (*_QT_TRANSLATIONS, "qtwebengine_locales"))
    _keep_only(qt / "translations" / "qtwebengine_locales", (f"{each}.pak" for each in _QT_LOCALES))
    _keep_only(qt / "libexec", ("QtWebEngineProcess",))
    for name in _QT_RESOURCES:
        _remove(qt / "resources" / name)
    _keep_only(qt / "plugins", _QT_PLUGINS)
    for plugin in qt.glob("plugins/*/*.so"):
        if _NO_PLUGINS.match(plugin.name):
            plugin.unlink()
    # QtPrintSupport, QtDBus and others are loaded by modules that name them, so they come in through needed libraries.
    modules = imported_qt_modules(ROOT / "desktop") | {"QtDBus", "QtOpenGL", "QtPrintSupport"}
    kept = {f"{name}.abi3.so" for name in modules} | {"Qt"}
    for each in pyside.iterdir():
        is_module = each.name.endswith(".abi3.so") and each.name.startswith("Qt")
        is_tool = each.is_file() and not each.suffix and _is_elf(each)
        if each.name not in kept and (is_module or is_tool or (each.is_dir() and each.name != "support")):
            _remove(each)
    _keep_needed(pyside, qt / "lib")


def _keep_needed(pyside: Path, libraries: Path) -> None:
    """Remove the libraries that no module, plugin or program of what is left needs."""
    by_name = {each.name: each for each in libraries.iterdir()}
    roots = [
        each for each in pyside.rglob("*") if each.is_file() and each.parent != libraries and _is_elf(each)
    ]
    needed: set[str] = set()
    waiting = [name for each in roots for name in needed_libraries(each)]
    while waiting:
        name = waiting.pop()
        if name in by_name and name not in needed:
            needed.add(name)
            waiting += needed_libraries(by_name[name])
    for name, path in by_name.items():
        if name not in needed:
            _remove(path)
    for module in pyside.glob(
        "*.abi3.so"
    ):  # what a module names is there, as else it fails only when it is imported
        missing = {name for name in needed_libraries(module) if name.startswith("libQt6")} - needed
        assert not missing, (module, missing)


@cache
def needed_libraries(path: Path) -> tuple[str, ...]:
    """Return the names of the shared libraries that an ELF file names."""
    return tuple(re.findall(r"\(NEEDED\).*\[(.+)\]", run_for_text("readelf", "-dW", path)))


def version_needs(path: Path) -> str:
    """Return what readelf shows of the versions of symbols that an ELF file needs."""
    return run_for_text("readelf", "-VW", path)


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def elf_files(folder: Path) -> list[Path]:
    """Return all programs and libraries in a folder."""
    return [each for each in folder.rglob("*") if each.is_file() and not each.is_symlink() and _is_elf(each)]


def _keep_only(folder: Path, names: Iterable[str]) -> None:
    kept = set(names)
    for each in folder.iterdir():
        if each.name not in kept:
            _remove(each)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
