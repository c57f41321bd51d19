"""Prints, for flatpak-builder, the address and SHA-256 of each locked package that Footnote needs on Linux with Python 3.12.

python packaging/flatpak/sources.py >packaging/flatpak/python-sources.json
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ARCHITECTURES = ("x86_64", "aarch64")
PYTHON = "3.12"
"""That of the runtime org.freedesktop.Platform 24.08."""
GLIBC = "2_39"


def find_wheels(architecture: str) -> list[dict[str, object]]:
    """Ask pip which files it would install from requirements.lock; nothing is downloaded that a name does not tell."""
    platforms = [f"manylinux_2_{minor}_{architecture}" for minor in range(17, 40)]
    platforms += [f"manylinux2014_{architecture}"]
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--dry-run",
            "--quiet",
            "--ignore-installed",
            "--no-deps",
        ]
        command += [
            "--only-binary",
            ":all:",
            "--require-hashes",
            "--requirement",
            str(ROOT / "requirements.lock"),
        ]
        command += [
            "--python-version",
            PYTHON,
            "--implementation",
            "cp",
            "--target",
            folder,
            "--report",
            str(report),
        ]
        command += [word for each in platforms for word in ("--platform", each)]
        subprocess.run(command, check=True)
        found = json.loads(report.read_text("utf-8"))["install"]
    return [each["download_info"] for each in found]


def main() -> None:
    """Print the list; a file for one processor only says so."""
    sources: dict[str, dict[str, object]] = {}
    for architecture in ARCHITECTURES:
        for each in find_wheels(architecture):
            url = str(each["url"])
            entry: dict[str, object] = {
                "type": "file",
                "url": url,
                "sha256": each["archive_info"]["hashes"]["sha256"],
            }  # type: ignore[index]
            if not url.endswith("-any.whl"):
                entry["only-arches"] = [architecture]
            sources[url] = entry
    print(json.dumps([sources[url] for url in sorted(sources)], indent=2))


if __name__ == "__main__":
    main()
