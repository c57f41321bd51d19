"""Builds the packages of Footnote for this system into dist/: see docs/packaging.md.

    python scripts/bundle [deb] [appimage] [wheel]      without a name all of them
    python scripts/bundle tree                          what packaging/windows and packaging/macos start from

A Python of another origin, such as a release of python-build-standalone (flavour install_only), is given by its path or
https address: --python PLACE --python-sha256 HASH. Without it the Python that runs this is copied.
"""

import argparse
import shutil
import sys
import time
from pathlib import Path

from appimage import build_appimage, find_runtime
from deb import build_deb
from desktop_files import write_desktop_files
from project import NAME, OUTPUT, ROOT, WORK, PinnedFile, read_version, run, say, set_dates
from tree import build_tree, size_of

_MB = 1_000_000
LIMIT_MB = 500
"""The most that a package may weigh."""
_LEVEL = 19


def build_wheel(output: Path, *targets: str) -> Path:
    """Build the wheel, and what else is named, into a folder; return the path of the wheel."""
    output.mkdir(parents=True, exist_ok=True)
    for old in output.glob("footnote-*.whl"):
        old.unlink()
    options = [word for target in ("wheel", *targets) for word in ("-t", target)]
    run(sys.executable, "-m", "hatchling", "build", *options, "-d", output, cwd=ROOT, stdout=sys.stderr)
    (wheel,) = output.glob("footnote-*.whl")
    return wheel


def pack_desktop_files(share: Path) -> Path:
    """Pack the files for the desktop, which a Flatpak is built with, and return the path."""
    path = OUTPUT / "share.tar.gz"
    set_dates(share)
    run("tar", "--sort=name", "--owner=0", "--group=0", "--numeric-owner", "-czf", path, "-C", share, ".")
    return path


def write_bill_of_materials(tree: Path) -> Path:
    """Write which packages a tree contains, in the format CycloneDX, and return the path."""
    path = OUTPUT / f"{NAME}-{read_version()}.cdx.json"
    OUTPUT.mkdir(parents=True, exist_ok=True)
    what = (
        "environment",
        "--pyproject",
        ROOT / "pyproject.toml",
        "--output-reproducible",
        "--output-format",
        "JSON",
    )
    (python,) = (*tree.glob("python/bin/python3.*"), *tree.glob("python/python.exe"))[:1]
    run(sys.executable, "-m", "cyclonedx_py", *what, "--output-file", path, python)
    return path


def main() -> int:
    """Build what is asked for; return 1 where a package is too large that was not compressed in a hurry."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("packages", nargs="*", metavar="deb|appimage|wheel|tree")
    parser.add_argument("--python", metavar="PLACE", default="", help="a Python to bring along")
    parser.add_argument("--python-sha256", metavar="HASH", default="", help="its SHA-256")
    parser.add_argument("--runtime", metavar="PLACE", default="", help="the runtime of the AppImage")
    parser.add_argument("--runtime-sha256", metavar="HASH", default="", help="its SHA-256")
    parser.add_argument("--level", type=int, default=_LEVEL, help=f"of zstd, 1 to 22 ({_LEVEL})")
    parser.add_argument("--keep-tree", action="store_true", help="use the tree of the last build")
    arguments = parser.parse_args()
    wanted = set(arguments.packages) or {"deb", "appimage", "wheel"}
    if unknown := wanted - {"deb", "appimage", "wheel", "tree"}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    started = time.monotonic()
    built = build_packages(wanted, arguments)
    for path in built:
        say(f"{path}: {path.stat().st_size / _MB:.0f} MB")
    say(f"{time.monotonic() - started:.0f} s")
    too_large = [path.name for path in built if path.stat().st_size > LIMIT_MB * _MB]
    if too_large:
        say(f"More than {LIMIT_MB} MB: {', '.join(too_large)}")
    return int(bool(too_large) and arguments.level >= _LEVEL)


def build_packages(wanted: set[str], arguments: argparse.Namespace) -> list[Path]:
    """Build packages and return their paths."""
    built: list[Path] = []
    if "wheel" in wanted:
        wheel = build_wheel(OUTPUT, "sdist")
        built += [wheel, *OUTPUT.glob("footnote-*.tar.gz")]
    if not wanted & {"deb", "appimage", "tree"}:
        return built
    tree = WORK / "tree"
    if not (arguments.keep_tree and tree.is_dir()):
        python = PinnedFile(arguments.python, arguments.python_sha256) if arguments.python else None
        build_tree(tree, python, build_wheel(WORK / "wheel"))
        say(f"The tree has {size_of(tree) / _MB:.0f} MB")
    built.append(write_bill_of_materials(tree))
    shutil.rmtree(WORK / "share", ignore_errors=True)
    write_desktop_files(WORK / "share")
    if "tree" in wanted:
        built.append(pack_desktop_files(WORK / "share"))
    if "deb" in wanted:
        say("Debian package")
        built.append(build_deb(tree, WORK / "deb", OUTPUT, arguments.level))
        shutil.rmtree(WORK / "deb")
    if "appimage" in wanted:
        say("AppImage")
        given = PinnedFile(arguments.runtime, arguments.runtime_sha256) if arguments.runtime else None
        runtime = find_runtime(given, arguments.level)
        built += build_appimage(tree, WORK / "appimage", OUTPUT, runtime)
        shutil.rmtree(WORK / "appimage")
    return built


if __name__ == "__main__":
    sys.exit(main())
