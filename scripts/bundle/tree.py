"""The tree that every package is made of: a Python of its own, the locked packages, and a launcher.

footnote            the launcher, a shell script; on Windows footnote.exe and, for terminals, footnote-cli.exe
INSTALLED_BY        the form of the package, for desktop/installation.py
python/             CPython with all packages in its site-packages, compiled
"""

import os
import re
import shutil
import sys
import sysconfig
import tarfile
import zipfile
from importlib.metadata import Distribution, distributions
from pathlib import Path
from typing import Final

import slim
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from project import NAME, ROOT, WORK, PinnedFile, build_environment, fetch, run, run_for_text, say

INSTALL_FOLDER: Final = "/opt/footnote"
"""Where the .deb puts the tree; the paths in compiled modules are below it, those of the AppImage too."""

EXTRAS: Final = ("local",)
"""The extras of pyproject.toml whose packages come along: models on this computer."""

_LAUNCHER = """\
#!/bin/sh
# Starts Footnote with the Python that comes with it. Settings of the user's own Python are kept for other programs:
# desktop/installation.py restores FOOTNOTE_ORIGINAL_*.
launcher=$(readlink -f -- "$0")
export FOOTNOTE_LAUNCHER="$launcher"
export FOOTNOTE_ORIGINAL_PYTHONNOUSERSITE="${{PYTHONNOUSERSITE-}}" PYTHONNOUSERSITE=1
if [ -n "${{PYTHONHOME+set}}" ]; then export FOOTNOTE_ORIGINAL_PYTHONHOME="$PYTHONHOME"; unset PYTHONHOME; fi
if [ -n "${{PYTHONPATH+set}}" ]; then export FOOTNOTE_ORIGINAL_PYTHONPATH="$PYTHONPATH"; unset PYTHONPATH; fi
# Python looks for the certificates of authorities where Debian has them. Other systems have them elsewhere.
if [ -z "${{SSL_CERT_FILE-}}${{SSL_CERT_DIR-}}" ] && ! [ -e {certificates} ]; then
    for file in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/ca-bundle.pem /etc/ssl/cert.pem; do
        if [ -r "$file" ]; then export SSL_CERT_FILE="$file"; break; fi
    done
fi
exec "${{launcher%/*}}/python/bin/{python}" -P -m desktop "$@"
"""

_WINDOWS_MAIN = """\
import os, sys

os.environ["FOOTNOTE_LAUNCHER"] = os.path.abspath(sys.argv[0])
os.environ["FOOTNOTE_ORIGINAL_PYTHONNOUSERSITE"] = os.environ.get("PYTHONNOUSERSITE", "")
os.environ["PYTHONNOUSERSITE"] = "1"
from desktop.__main__ import main

sys.exit(main())
"""


def build_tree(tree: Path, python: PinnedFile | None, wheel: Path) -> None:
    """Build the tree in an empty folder, with the wheel of the project."""
    shutil.rmtree(tree, ignore_errors=True)
    tree.mkdir(parents=True)
    say("Python")
    interpreter = _copy_python(tree) if python is None else _unpack_python(tree, python)
    say("Packages")
    install_packages(interpreter, wheel)
    removed = remove_unneeded_distributions(_site_packages(tree), EXTRAS)
    say(f"Without {', '.join(removed)}: only builds need them")
    say("Leaving out what Footnote does not use")
    slim.slim_python(_library(tree))
    slim.slim_packages(_site_packages(tree))
    if sys.platform == "win32":
        write_programs(tree)
    else:
        if sys.platform == "linux":
            slim.strip_symbols(tree)
        write_launcher(tree, interpreter)
    say("Compiling")
    compile_modules(tree, interpreter)


def write_launcher(tree: Path, interpreter: Path) -> None:
    """Write the launcher, which finds Python beside itself."""
    certificates = run_for_text(
        interpreter, "-c", "import ssl; print(ssl.get_default_verify_paths().openssl_capath)"
    )
    launcher = tree / NAME
    launcher.write_text(_LAUNCHER.format(python=interpreter.name, certificates=certificates), "utf-8")
    launcher.chmod(0o755)


def _library(tree: Path) -> Path:
    """Return the folder of Python's own modules: lib/python3.N, on Windows Lib."""
    (found,) = (*tree.glob("python/lib/python3.*/os.py"), *tree.glob("python/Lib/os.py"))[:1]
    return found.parent


def _site_packages(tree: Path) -> Path:
    return _library(tree) / "site-packages"


def _copy_python(tree: Path) -> Path:
    """Copy the Python that runs this, without its packages, so that it works in any folder."""
    base = Path(sys.base_prefix)
    version = f"python{sys.version_info.major}.{sys.version_info.minor}"
    library = base / "lib" / version
    if base == Path("/usr") or not (library / "os.py").is_file():
        raise SystemExit(
            f"{base} cannot be copied: Debian's own Python looks for packages elsewhere. Give --python, a release of "
            "python-build-standalone, or build with one of pyenv or uv."
        )
    target = tree / "python"
    ignored = shutil.ignore_patterns("site-packages", "__pycache__", "*.a")
    shutil.copytree(library, target / "lib" / version, symlinks=True, ignore=ignored)
    (target / "lib" / version / "site-packages").mkdir()
    interpreter = target / "bin" / version
    interpreter.parent.mkdir()
    shutil.copy2(base / "bin" / version, interpreter)
    shared = sysconfig.get_config_var("INSTSONAME") or ""
    if shared.endswith((".so", ".so.1.0")):
        shutil.copy2((base / "lib" / shared).resolve(), target / "lib" / shared)
        run("patchelf", "--set-rpath", "$ORIGIN/../lib", interpreter)
    for module in (target / "lib" / version / "lib-dynload").glob("*.so"):
        run("patchelf", "--set-rpath", "$ORIGIN/../..", module)
    return interpreter


def _unpack_python(tree: Path, source: PinnedFile) -> Path:
    """Unpack a release of python-build-standalone, of the flavour `install_only`, which contains a folder `python`."""
    with tarfile.open(fetch(source, WORK / "downloads")) as archive:
        archive.extractall(tree, filter="tar")
    for name in ("include", "share"):
        shutil.rmtree(tree / "python" / name, ignore_errors=True)
    if (windows := tree / "python" / "python.exe").is_file():
        _empty(_site_packages(tree))
        return windows
    binaries = tree / "python" / "bin"
    (interpreter,) = (each for each in binaries.iterdir() if re.fullmatch(r"python3\.\d+", each.name))
    for each in binaries.iterdir():
        if each != interpreter:
            each.unlink()
    _empty(_site_packages(tree))
    return interpreter


def _empty(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.mkdir()


def write_programs(tree: Path) -> None:
    """Write the programs of Windows: the launchers that pip makes for scripts, with Python found beside them."""
    from pip._vendor.distlib import scripts  # noqa: PLC0415 - only on Windows

    code = tree / "__main__.py"
    code.write_text(_WINDOWS_MAIN, "utf-8")
    for name, kind, python in ((NAME, "w64", "pythonw.exe"), (f"{NAME}-cli", "t64", "python.exe")):
        head = (Path(scripts.__file__).parent / f"{kind}.exe").read_bytes()
        archive = WORK / f"{kind}.zip"
        with zipfile.ZipFile(archive, "w") as out:
            out.write(code, code.name)
        shebang = f"#!<launcher_dir>\\python\\{python} -P\r\n".encode()
        (tree / f"{name}.exe").write_bytes(head + shebang + archive.read_bytes())
        archive.unlink()
    code.unlink()


def install_packages(interpreter: Path, wheel: Path) -> None:
    """Install what requirements.lock names, by hash, and the project."""
    install = (
        sys.executable,
        "-m",
        "uv",
        "pip",
        "install",
        "--no-config",
        "--quiet",
        "--python",
        interpreter,
    )
    options = ("--no-deps", "--only-binary", ":all:", "--link-mode", "copy", "--break-system-packages")
    run(*install, *options, "--require-hashes", "--requirement", ROOT / "requirements.lock")
    run(*install, *options, "--no-verify-hashes", wheel)
    shutil.rmtree(interpreter.parents[1] / "share", ignore_errors=True)
    for each in interpreter.parent.glob("*") if interpreter.parent.name == "bin" else ():
        if each != interpreter:  # the scripts name the interpreter where it was built
            each.unlink()


def needed_names(root: str, found: dict[str, Distribution], extras: tuple[str, ...]) -> set[str]:
    """Return the names of the packages that one needs, with itself, as their metadata say."""
    waiting = [(root, extras)]
    seen: set[tuple[str, tuple[str, ...]]] = set()
    while waiting:
        name, wanted = waiting.pop()
        if (name, wanted) in seen or name not in found:
            continue
        seen.add((name, wanted))
        for line in found[name].requires or ():
            requirement = Requirement(line)
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": each}) for each in ("", *wanted)):
                waiting.append((canonicalize_name(requirement.name), tuple(sorted(requirement.extras))))
    return {name for name, _ in seen}


def remove_unneeded_distributions(site_packages: Path, extras: tuple[str, ...]) -> list[str]:
    """Remove packages that only the build of the project needs; return their names."""
    found = {canonicalize_name(each.name): each for each in distributions(path=[str(site_packages)])}
    needed = needed_names(NAME, found, extras)
    kept_files = {top for name in needed for top in _top_levels(found[name])}
    for name in (unneeded := sorted(found.keys() - needed)):
        for top in _top_levels(found[name]) - kept_files:
            path = site_packages / top
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink(missing_ok=True)
    return unneeded


def _top_levels(distribution: Distribution) -> set[str]:
    """Return the files and folders of a package in site-packages."""
    return {file.parts[0] for file in distribution.files or () if file.parts[0] != ".."}


def compile_modules(tree: Path, interpreter: Path) -> None:
    """Compile all modules; Python is not to look whether the source has changed, as nothing changes it.

    One process compiles them in the order of their names, as what is compiled depends a little on what was before.
    """
    # -f: what Python has compiled itself, while it was asked for its certificates, is to be no other than the rest.
    command = (interpreter, "-I", "-m", "compileall", "-q", "-f", "--invalidation-mode", "unchecked-hash")
    places = ("-s", str(tree), "-p", INSTALL_FOLDER)
    run(*command, *places, _library(tree), env=build_environment() | {"PYTHONDONTWRITEBYTECODE": "1"})


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    # Not of folders: how much one takes on the disk depends on what was in it before.
    return sum(os.lstat(each).st_size for each in folder.rglob("*") if each.is_symlink() or not each.is_dir())
