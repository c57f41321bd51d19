"""Cuts a release: one version everywhere, the changelog, packages with their SHA-256, the bill of materials, a tag.

    python scripts/release.py VERSION              in a checkout without changes; commits, builds into dist/, then tags
    python scripts/release.py VERSION --dry-run    does the same in a copy that is deleted, and shows what would change
    python scripts/release.py --check              fails where a page names another version than the program

Options after `--` go to scripts/bundle. Nothing is sent anywhere: the last lines say what to send. docs/packaging.md has more.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from packaging.version import Version

ROOT: Final = Path(__file__).resolve().parents[1]
_VERSION = re.compile(r'^__version__ = "([^"]+)"$', re.MULTILINE)
_FILE_NAMES: Final = re.compile(
    r"(?P<head>footnote_|Footnote-|footnote-)(?P<version>\d+\.\d[\w.]*?)"
    r"(?P<tail>_amd64\.deb|-x86_64\.AppImage|-py3-none-any\.whl|\.tar\.gz|\.cdx\.json|-setup\.exe|\.dmg)"
)
_PAGES: Final = ("README.md", "docs/**/*.md", "packaging/flatpak/*.yaml")
_CHANGELOGS: Final = ("CHANGELOG.md", "resources/translations/changelog_zh_CN.md")
_UNRELEASED: Final = {"CHANGELOG.md": "Unreleased", "resources/translations/changelog_zh_CN.md": "未发布"}


def read_version(root: Path) -> str:
    """Return the version of the program."""
    found = _VERSION.search((root / "desktop" / "__init__.py").read_text("utf-8"))
    assert found is not None
    return found[1]


def find_pages(root: Path) -> list[Path]:
    """Return the pages that name the files of a release."""
    return sorted(page for pattern in _PAGES for page in root.glob(pattern))


def find_other_versions(root: Path) -> list[str]:
    """Return the places that name a file of another version, and what else disagrees with the version."""
    version = read_version(root)
    found = [
        f"{page.relative_to(root)}: {match[0]}"
        for page in find_pages(root)
        for match in _FILE_NAMES.finditer(page.read_text("utf-8"))
        if match["version"] != version
    ]
    if not re.search(
        rf"^## {re.escape(version)} - \d{{4}}-", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE
    ):
        found.append(f"CHANGELOG.md: no section for {version}")
    return found


def set_version(root: Path, version: str) -> None:
    """Write the version into its one place, and into the names of files on all pages."""
    path = root / "desktop" / "__init__.py"
    path.write_text(_VERSION.sub(f'__version__ = "{version}"', path.read_text("utf-8")), "utf-8")
    for page in find_pages(root):
        text = page.read_text("utf-8")
        changed = _FILE_NAMES.sub(lambda match: f"{match['head']}{version}{match['tail']}", text)
        if changed != text:
            page.write_text(changed, "utf-8")


def move_unreleased(changelog: str, version: str, day: str, heading: str = "Unreleased") -> str:
    """Return a changelog whose unreleased entries stand under a version.

    A version that has a section already, as it was never published, gets them in front of its own, area by area.
    """
    head, found, rest = changelog.partition(f"\n## {heading}\n")
    if not found:
        return changelog
    entries, separator, older = rest.partition("\n## ")
    older = separator + older
    existing = re.search(rf"\n## {re.escape(version)}(?: - [\d-]+)?\n(.*?)(?=\n## |\Z)", older, re.DOTALL)
    if existing:
        entries = _merge_areas(entries, existing[1])
        older = older[: existing.start()] + older[existing.end() :]
    return f"{head}{found}\n## {version} - {day}\n\n{entries.strip()}\n{older}"


def _merge_areas(newer: str, older: str) -> str:
    merged: dict[str, list[str]] = {}
    intro = [line for line in older.partition("### ")[0].splitlines() if line]
    for text in (newer, older):
        for part in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
            name, _, body = part.partition("\n")
            merged.setdefault(name.strip(), []).extend(line for line in body.splitlines() if line)
    sections = [f"### {name}\n\n" + "\n".join(lines) for name, lines in merged.items()]
    return "\n\n".join(("\n".join(intro), *sections)) if intro else "\n\n".join(sections)


def section_of(changelog: str, version: str) -> str:
    """Return the entries of a version, without its heading; empty if it has none."""
    found = re.search(
        rf"^## {re.escape(version)}(?: - [\d-]+)?\n(.*?)(?=^## |\Z)", changelog, re.DOTALL | re.MULTILINE
    )
    return found[1].strip() if found else ""


def announcement(root: Path, version: str, day: str, address: str) -> dict[str, object]:
    """Return what the program reads once a day; see docs/updates.md."""
    english, chinese = ((root / name).read_text("utf-8") for name in _CHANGELOGS)
    notes = {"en": section_of(english, version), "zh_CN": section_of(chinese, version)}
    return {
        "version": version,
        "date": day,
        "address": address,
        "notes": {name: text for name, text in notes.items() if text},
    }


def releases_address(root: Path) -> str:
    """Return the address of the page of releases, from [project.urls] or FOOTNOTE_RELEASES; empty if there is none."""
    urls = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"].get("urls", {})
    return os.environ.get("FOOTNOTE_RELEASES", urls.get("Releases", urls.get("Homepage", "")))


def edit(root: Path, version: str, day: str) -> None:
    """Make the changes of a release in a checkout."""
    set_version(root, version)
    for name in _CHANGELOGS:
        path = root / name
        path.write_text(move_unreleased(path.read_text("utf-8"), version, day, _UNRELEASED[name]), "utf-8")


def build(root: Path, version: str, day: str, options: Sequence[str]) -> list[Path]:
    """Build the packages into dist/, with their sums and the announcement; return what belongs to the release."""
    output = root / "dist"
    shutil.rmtree(output, ignore_errors=True)
    run(ROOT / ".venv" / "bin" / "python", root / "scripts" / "bundle", *options, cwd=root)
    if address := releases_address(root):
        text = json.dumps(announcement(root, version, day, address), ensure_ascii=False, indent=2)
        (output / "latest.json").write_text(f"{text}\n", "utf-8")
    else:
        print("latest.json is not written: pyproject.toml names no address under [project.urls] Releases.")
    files = sorted(each for each in output.iterdir() if each.is_file())
    sums = run_for_text("sha256sum", *(each.name for each in files), cwd=output)
    (output / "SHA256SUMS").write_text(f"{sums}\n", "utf-8")
    return [*files, output / "SHA256SUMS"]


def run(*command: str | Path, cwd: Path) -> None:
    """Run a command."""
    subprocess.run(tuple(map(str, command)), cwd=cwd, check=True)


def run_for_text(*command: str | Path, cwd: Path) -> str:
    """Run a command and return what it prints."""
    done = subprocess.run(tuple(map(str, command)), cwd=cwd, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def check_version(root: Path, version: str) -> str:
    """Return why a version cannot be released; empty if it can."""
    if str(Version(version)) != version:
        return f"Write the version as {Version(version)}."
    if run_for_text("git", "tag", "--list", f"v{version}", cwd=root):
        return f"The tag v{version} is there already."
    if Version(version) < Version(read_version(root)):
        return f"{version} is older than {read_version(root)}."
    if run_for_text("git", "status", "--porcelain", cwd=root):
        return "Commit or undo your changes first."
    return ""


def release(root: Path, version: str, options: Sequence[str], *, has_packages: bool) -> list[Path]:
    """Edit, commit, build and tag in a checkout; return what belongs to the release."""
    day = datetime.now(UTC).date().isoformat()
    edit(root, version, day)
    if found := find_other_versions(root):
        raise SystemExit("\n".join(found))
    run("git", "commit", "--all", "--quiet", "--message", f"release: cut version {version}", cwd=root)
    print(run_for_text("git", "show", "--stat", "--format=%h %s", cwd=root))
    built = build(root, version, day, options) if has_packages else []
    notes = section_of((root / "CHANGELOG.md").read_text("utf-8"), version)
    message = f"Footnote {version}\n\n{notes}"
    run("git", "tag", "--annotate", "--cleanup=verbatim", "--message", message, f"v{version}", cwd=root)
    return built


def rehearse(version: str, options: Sequence[str], *, has_packages: bool) -> None:
    """Do all of it in a clone that is deleted, and show what changes."""
    with tempfile.TemporaryDirectory(prefix="footnote-release-") as folder:
        copy = Path(folder) / "footnote"
        run("git", "clone", "--quiet", "--no-hardlinks", ROOT, copy, cwd=ROOT)
        for name in (".venv", "resources/models"):  # not committed, and not changed here
            if (ROOT / name).exists():
                (copy / name).symlink_to(ROOT / name)
        before = run_for_text("git", "rev-parse", "HEAD", cwd=copy)
        built = release(copy, version, options, has_packages=has_packages)
        print(run_for_text("git", "diff", "--unified=0", before, "HEAD", cwd=copy))
        print(run_for_text("git", "show", "--no-patch", f"v{version}", cwd=copy).partition("\ncommit ")[0])
        for path in built:
            print(f"{path.stat().st_size:>12} {path.name}")


def split_options(words: Sequence[str]) -> tuple[Sequence[str], Sequence[str]]:
    """Return the words of a command line before `--`, and those after it, which argparse would take for its own."""
    end = words.index("--") if "--" in words else len(words)
    return words[:end], words[end + 1 :]


def main() -> int:
    """Release, rehearse or check; return 1 where something is in the way."""
    own, options = split_options(sys.argv[1:])
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("version", nargs="?", help="the new version, such as 0.2.0")
    parser.add_argument("--check", action="store_true", help="only compare the pages with the version")
    parser.add_argument("--dry-run", action="store_true", help="work in a copy that is deleted")
    parser.add_argument("--no-packages", action="store_true", help="build nothing")
    arguments = parser.parse_args(own)
    if arguments.check:
        print("\n".join(found := find_other_versions(ROOT)), end="\n" if found else "")
        return int(bool(found))
    if not arguments.version:
        parser.error("give a version")
    if reason := check_version(ROOT, arguments.version):
        print(reason, file=sys.stderr)
        return 1
    has_packages = not arguments.no_packages
    if arguments.dry_run:
        rehearse(arguments.version, options, has_packages=has_packages)
        return 0
    built = release(ROOT, arguments.version, options, has_packages=has_packages)
    print(
        f"Next: git push --follow-tags, and put these on the page of the release:\n{chr(10).join(map(str, built))}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
