"""The package for Debian and Ubuntu."""

import gzip
import hashlib
import os
import re
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Final

import slim
from desktop_files import write_desktop_files
from project import FILES, NAME, ROOT, SUMMARY, read_version, run, set_dates, source_date
from tree import INSTALL_FOLDER, size_of

PACKAGES: Final = {
    "ld-linux-x86-64.so.2": "libc6",
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libXcomposite.so.1": "libxcomposite1",
    "libXdamage.so.1": "libxdamage1",
    "libXext.so.6": "libxext6",
    "libXfixes.so.3": "libxfixes3",
    "libXrandr.so.2": "libxrandr2",
    "libXtst.so.6": "libxtst6",
    "libasound.so.2": "libasound2t64 | libasound2",
    "libatomic.so.1": "libatomic1",
    "libbrotlicommon.so.1": "libbrotli1",
    "libbrotlidec.so.1": "libbrotli1",
    "libbz2.so.1.0": "libbz2-1.0",
    "libc.so.6": "libc6",
    "libcrypt.so.1": "libcrypt1",
    "libcrypto.so.3": "libssl3t64 | libssl3",
    "libcups.so.2": "libcups2t64 | libcups2",
    "libdbus-1.so.3": "libdbus-1-3",
    "libdl.so.2": "libc6",
    "libdrm.so.2": "libdrm2",
    "libexpat.so.1": "libexpat1",
    "libffi.so.8": "libffi8",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libgbm.so.1": "libgbm1",
    "libgcc_s.so.1": "libgcc-s1",
    "libgio-2.0.so.0": "libglib2.0-0t64 | libglib2.0-0",
    "libglib-2.0.so.0": "libglib2.0-0t64 | libglib2.0-0",
    "libgmodule-2.0.so.0": "libglib2.0-0t64 | libglib2.0-0",
    "libgobject-2.0.so.0": "libglib2.0-0t64 | libglib2.0-0",
    "libgomp.so.1": "libgomp1",
    "libgthread-2.0.so.0": "libglib2.0-0t64 | libglib2.0-0",
    "libgssapi_krb5.so.2": "libgssapi-krb5-2",
    "liblzma.so.5": "liblzma5",
    "libm.so.6": "libc6",
    "libncursesw.so.6": "libncursesw6",
    "libnspr4.so": "libnspr4",
    "libnss3.so": "libnss3",
    "libnssutil3.so": "libnss3",
    "libpanelw.so.6": "libncursesw6",
    "libplc4.so": "libnspr4",
    "libplds4.so": "libnspr4",
    "libpthread.so.0": "libc6",
    "libreadline.so.8": "libreadline8t64 | libreadline8",
    "libresolv.so.2": "libc6",
    "librt.so.1": "libc6",
    "libsmime3.so": "libnss3",
    "libsqlite3.so.0": "libsqlite3-0",
    "libssl.so.3": "libssl3t64 | libssl3",
    "libstdc++.so.6": "libstdc++6",
    "libtinfo.so.6": "libtinfo6",
    "libudev.so.1": "libudev1",
    "libutil.so.1": "libc6",
    "libuuid.so.1": "libuuid1",
    "libwayland-client.so.0": "libwayland-client0",
    "libwayland-cursor.so.0": "libwayland-cursor0",
    "libwayland-egl.so.1": "libwayland-egl1",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-dri3.so.0": "libxcb-dri3-0",
    "libxcb-glx.so.0": "libxcb-glx0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb.so.1": "libxcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
    "libxkbfile.so.1": "libxkbfile1",
    "libz.so.1": "zlib1g",
    "libzstd.so.1": "libzstd1",
}
"""The package of every library of the system that the tree may need; a library that is not here stops the build."""

OPTIONAL: Final = ("libqgtk3.so",)
"""Plugins that are loaded only on desktops that have what they need."""

ALSO: Final = ("ca-certificates", "fontconfig", "xdg-utils")
RECOMMENDED: Final = (
    "chromium | google-chrome-stable | microsoft-edge-stable",
    "fonts-noto-cjk",
    "gnome-keyring | kwalletmanager",
)
OLDEST_GLIBC: Final = "2.35"
"""That of Ubuntu 22.04; a tree that needs a newer one stops the build."""

_DESCRIPTION = """\
 Footnote searches the web and your files for a question, numbers what it finds
 as sources, lets a model answer from them, and shows the answer with citations
 that lead back to the sources. It brings its own Python.
"""
_GLIBC = re.compile(r"\bGLIBC_(\d+)\.(\d+)\b")


def system_libraries(tree: Path) -> set[str]:
    """Return the names of the libraries that the tree needs and does not contain."""
    present = {each.name for each in tree.rglob("*.so*")}
    files = (each for each in slim.elf_files(tree) if each.name not in OPTIONAL)
    return {name for each in files for name in slim.needed_libraries(each)} - present


def needed_packages(libraries: Iterable[str]) -> list[str]:
    """Return the packages that contain libraries; SystemExit names those that no package is known for."""
    libraries = set(libraries)
    if unknown := sorted(libraries - PACKAGES.keys()):
        raise SystemExit(f"scripts/bundle/deb.py names no package for {', '.join(unknown)}")
    return sorted({PACKAGES[name] for name in libraries})


def newest_glibc(tree: Path) -> str:
    """Return the newest version of glibc whose symbols the tree needs."""
    found = {version for each in slim.elf_files(tree) for version in _glibc_versions(each)}
    return "{}.{}".format(*max(found))


def _glibc_versions(path: Path) -> set[tuple[int, int]]:
    shown = slim.version_needs(path)
    return {(int(major), int(minor)) for major, minor in _GLIBC.findall(shown)}


def build_deb(tree: Path, stage: Path, output: Path, level: int) -> Path:
    """Put the package together from a tree in an empty folder, and write it; the tree is used up."""
    shutil.rmtree(stage, ignore_errors=True)
    home = stage / INSTALL_FOLDER.lstrip("/")
    home.parent.mkdir(parents=True)
    shutil.copytree(tree, home, symlinks=True, copy_function=os.link)
    libraries = system_libraries(home)
    if (glibc := newest_glibc(home)) > OLDEST_GLIBC:
        raise SystemExit(
            f"The tree needs glibc {glibc}, Ubuntu 22.04 has {OLDEST_GLIBC}: build on an older system"
        )
    (home / "INSTALLED_BY").write_text("deb\n", "utf-8")
    (home / "share").mkdir()
    shutil.copyfile(FILES / "apparmor", home / "share" / "apparmor")
    share = stage / "usr" / "share"
    write_desktop_files(share)
    command = stage / "usr" / "bin" / NAME
    command.parent.mkdir(parents=True)
    command.symlink_to(f"{INSTALL_FOLDER}/{NAME}")
    doc = share / "doc" / NAME
    doc.mkdir(parents=True)
    (doc / "copyright").write_text(_copyright(), "utf-8")
    (doc / "changelog.gz").write_bytes(gzip.compress((ROOT / "CHANGELOG.md").read_bytes(), mtime=0))
    _set_modes(stage)
    _write_control(stage, needed_packages(libraries))
    set_dates(stage)
    deb = output / f"{NAME}_{debian_version()}_amd64.deb"
    output.mkdir(parents=True, exist_ok=True)
    run("dpkg-deb", "--root-owner-group", "-Zzstd", f"-z{level}", "--build", stage, deb)
    return deb


def debian_version() -> str:
    """Return the version as Debian orders it: 1.0rc1 is before 1.0."""
    return re.sub(r"(a|b|rc|\.dev)(\d+)$", r"~\1\2", read_version())


def _set_modes(stage: Path) -> None:
    for path in stage.rglob("*"):
        if not path.is_symlink():
            is_program = path.is_dir() or path.stat().st_mode & 0o111
            path.chmod(0o755 if is_program else 0o644)


def _write_control(stage: Path, packages: list[str]) -> None:
    folder = stage / "DEBIAN"
    size_kib = size_of(stage) // 1024
    sums = [
        f"{hashlib.md5(each.read_bytes(), usedforsecurity=False).hexdigest()}  {each.relative_to(stage)}\n"
        for each in sorted(stage.rglob("*"))
        if each.is_file() and not each.is_symlink()
    ]
    folder.mkdir()
    folder.chmod(0o755)
    (folder / "md5sums").write_text("".join(sums), "utf-8")
    (folder / "control").write_text(
        f"Package: {NAME}\n"
        f"Version: {debian_version()}\n"
        "Architecture: amd64\n"
        "Maintainer: The Footnote project <footnote@footnote.invalid>\n"
        f"Installed-Size: {size_kib}\n"
        f"Depends: {', '.join(sorted((*packages, *ALSO)))}\n"
        f"Recommends: {', '.join(RECOMMENDED)}\n"
        "Section: web\n"
        "Priority: optional\n"
        f"Description: {SUMMARY}\n{_DESCRIPTION}",
        "utf-8",
    )
    for name in ("postinst", "prerm"):
        shutil.copyfile(FILES / name, folder / name)
        (folder / name).chmod(0o755)


def _copyright() -> str:
    licence = (ROOT / "LICENSE").read_text("utf-8").strip()
    body = "\n".join(f" {line}" if line.strip() else " ." for line in licence.splitlines())
    return (
        "Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/\n"
        f"Upstream-Name: Footnote\n\nFiles: *\nCopyright: {_year()} The Footnote project\nLicense: Expat\n{body}\n\n"
        f"Files: {INSTALL_FOLDER}/python/*\nCopyright: their authors\nLicense: various\n"
        " Python and each package keep their licences in site-packages, in the folder PACKAGE-VERSION.dist-info.\n"
    )


def _year() -> int:
    import time  # noqa: PLC0415 - only here

    return time.gmtime(source_date()).tm_year
