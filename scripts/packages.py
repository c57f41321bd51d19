"""Packages and what is known of them. Needs nothing but Python: it runs before any of them is there.

packages.py wanted                 the requirements of the project and its tests, a line each
packages.py hashes < REQUIREMENTS  what `uv pip compile --generate-hashes` wrote, a line for each package
packages.py locked REPORT          what pip is about to install, pinned to its file; refuses what hashes.txt does not hold
"""

import json
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==(\S+)")
_HASH = re.compile(r"--hash=(sha256:[0-9a-f]{64})")


def plain(name: str) -> str:
    """Return the one spelling of a name that has many (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def project_requirements() -> list[str]:
    """Return what the project itself needs."""
    return list(_project()["project"]["dependencies"])


def wanted() -> list[str]:
    """Return the requirements of the project and of its tests."""
    return [*project_requirements(), *_project()["dependency-groups"]["dev"]]


def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))


def condensed(requirements: str) -> dict[str, set[str]]:
    """Return the hashes of all files of each package out of a list with `--hash` options."""
    found: dict[str, set[str]] = {}
    name = ""
    for line in requirements.splitlines():
        if pin := _PIN.match(line):
            name = f"{plain(pin[1])}=={pin[2]}"
        found.setdefault(name, set()).update(_HASH.findall(line))
    return {name: hashes for name, hashes in found.items() if hashes}


def known() -> dict[str, set[str]]:
    """Return what hashes.txt holds."""
    lines = (ROOT / "hashes.txt").read_text("utf-8").splitlines()
    return {
        name: set(hashes) for name, *hashes in (line.split() for line in lines if not line.startswith("#"))
    }


def locked(report: Path) -> tuple[list[str], list[str]]:
    """Return requirements for exactly the files of a report of pip, and those that are not known."""
    hashes = known()
    pinned, strangers = [], []
    for entry in json.loads(report.read_text("utf-8"))["install"]:
        name, version = plain(entry["metadata"]["name"]), entry["metadata"]["version"].partition("+")[0]
        found = f"sha256:{entry['download_info']['archive_info']['hashes']['sha256']}"
        pinned.append(f"{name} @ {entry['download_info']['url']} --hash={found}")
        if found not in hashes.get(f"{name}=={version}", set()):
            strangers.append(f"{name}=={version} {found} {entry['download_info']['url']}")
    return pinned, strangers


def main() -> int:
    """Do what the command line says."""
    match sys.argv[1:]:
        case ["wanted"]:
            lines, strangers = wanted(), []
        case ["hashes"]:
            lines = [
                " ".join((name, *sorted(found)))
                for name, found in sorted(condensed(sys.stdin.read()).items())
            ]
            strangers = []
        case ["locked", report]:
            lines, strangers = locked(Path(report))
        case _:
            sys.stderr.write(__doc__ or "")
            return 2
    if strangers:
        sys.stderr.write(
            "These files are not in hashes.txt, so nothing was installed (make lock writes it anew):\n"
        )
        sys.stderr.writelines(f"    {stranger}\n" for stranger in strangers)
        return 1
    sys.stdout.writelines(f"{line}\n" for line in lines)
    return 0


if __name__ == "__main__":
    sys.exit(main())
