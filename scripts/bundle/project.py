"""What the builders of all packages share: names, version, date, running commands, fetching files that are pinned."""

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final
from urllib.request import urlopen

ROOT: Final = Path(__file__).resolve().parents[2]
OUTPUT: Final = ROOT / "dist"
WORK: Final = Path(os.environ.get("FOOTNOTE_DIST_WORK") or ROOT / "build" / "dist")
"""Where packages are put together; some gigabytes, and nothing in it is needed afterwards."""

FILES: Final = ROOT / "packaging" / "linux"
NAME: Final = "footnote"
APP_ID: Final = "app.footnote.Footnote"
SUMMARY: Final = "Chat client whose answers carry their sources"
_VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)
_CHUNK = 1 << 20


@dataclass(frozen=True)
class PinnedFile:
    """A file by its path or its https address, with its SHA-256; without one only a path is accepted."""

    place: str
    sha256: str = ""


def read_version(root: Path = ROOT) -> str:
    """Return the version of the project, which stands in one place only."""
    found = _VERSION.search((root / "desktop" / "__init__.py").read_text("utf-8"))
    if found is None:
        raise ValueError("desktop/__init__.py has no line with __version__")
    return found[1]


def source_date() -> int:
    """Return the time that all files of a build carry, in seconds: that of the last commit, or SOURCE_DATE_EPOCH."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    return int(given or run_for_text("git", "log", "-1", "--format=%ct", cwd=ROOT))


def build_environment() -> dict[str, str]:
    """Return the environment of every tool: without the user's Python settings, with the date of the source."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return kept | {"SOURCE_DATE_EPOCH": str(source_date()), "LC_ALL": "C.UTF-8", "PYTHONHASHSEED": "0"}


def run(*command: str | Path, env: Mapping[str, str] | None = None, **options: Any) -> None:
    """Run a command; SystemExit says what failed."""
    try:
        subprocess.run(tuple(map(str, command)), check=True, env=env or build_environment(), **options)
    except FileNotFoundError as error:
        raise SystemExit(f"{command[0]} is not installed.{_package_hint(str(command[0]))}") from error
    except subprocess.CalledProcessError as error:
        raise SystemExit(f"failed with status {error.returncode}: {' '.join(map(str, command))}") from error


def run_for_text(*command: str | Path, cwd: Path | None = None) -> str:
    """Run a command and return what it prints."""
    done = subprocess.run(tuple(map(str, command)), cwd=cwd, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _package_hint(tool: str) -> str:
    packages = {
        "mksquashfs": "squashfs-tools",
        "dpkg-deb": "dpkg",
        "zsyncmake": "zsync",
        "readelf": "binutils",
    }
    return f" On Debian: sudo apt install {packages.get(tool, tool)}"


def fetch(file: PinnedFile, cache: Path) -> Path:
    """Return the path of a pinned file, downloaded where it is an address; SystemExit where its hash is another."""
    if not file.place.startswith("https://"):
        path = Path(file.place)
    else:
        if not file.sha256:
            raise SystemExit(f"{file.place}: an address needs its SHA-256")
        path = cache / f"{file.sha256[:16]}-{file.place.rpartition('/')[2]}"
        if not path.is_file():
            cache.mkdir(parents=True, exist_ok=True)
            partial = path.with_suffix(".part")
            with urlopen(file.place, timeout=60) as answer, partial.open("wb") as out:  # noqa: S310 - https, as checked above
                shutil.copyfileobj(answer, out, _CHUNK)
            partial.replace(path)
    if file.sha256 and (found := sha256_of(path)) != file.sha256:
        raise SystemExit(f"{path}: the SHA-256 is {found}, not {file.sha256}")
    return path


def sha256_of(path: Path) -> str:
    """Return the SHA-256 of a file, in hexadecimal digits."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def set_dates(folder: Path) -> None:
    """Give everything in a folder the date of the source, so that two builds are the same."""
    date = source_date()
    for path in (folder, *folder.rglob("*")):
        os.utime(path, (date, date), follow_symlinks=False)


def say(text: str) -> None:
    """Print what is being done, on stderr and at once."""
    print(text, file=sys.stderr, flush=True)
