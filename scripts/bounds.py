"""The bounds of the dependencies in pyproject.toml: what requirements.lock was tested with.

A dependency is accepted from the locked version up to, and without, the next one that may break: the next major version,
the next minor one of a package at 0, the second year after that of a version that is a date. Limits that are known for a
reason stand in `[tool.uv] constraint-dependencies` and count as well where they are narrower.

    python scripts/bounds.py            writes the bounds into pyproject.toml; scripts/lock calls it
    python scripts/bounds.py --check    fails where they are others
    python scripts/bounds.py --plain [EXTRA…]    prints the dependencies without bounds, for a new lock
"""

import argparse
import re
import sys
import tomllib
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent
_PIN = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;]+)", re.MULTILINE)
_LISTED = re.compile(r'^(    ")([^"]+)(",.*)$', re.MULTILINE)
_FIRST_YEAR = 2000


def parse_pins(lock: str) -> dict[str, Version]:
    """Return the version of every locked package, by its canonical name."""
    return {canonicalize_name(name): Version(version) for name, version in _PIN.findall(lock)}


def next_breaking(version: Version) -> Version:
    """Return the first version that is not accepted any more."""
    if version.major >= _FIRST_YEAR:
        return Version(str(version.major + 2))
    return Version(str(version.major + 1)) if version.major else Version(f"0.{version.minor + 1}")


def bounded(requirement: Requirement, pinned: Version, limits: SpecifierSet) -> str:
    """Return a requirement with the bounds of a tested version."""
    upper = min((next_breaking(pinned), *(Version(each.version) for each in limits if each.operator == "<")))
    extras = f"[{','.join(sorted(requirement.extras))}]" if requirement.extras else ""
    marker = f"; {str(requirement.marker).replace(chr(34), chr(39))}" if requirement.marker else ""
    return f"{requirement.name}{extras}>={pinned.public},<{upper}{marker}"


def plain(requirement: Requirement) -> str:
    """Return a requirement without its bounds."""
    unbounded = Requirement(str(requirement))
    unbounded.specifier = SpecifierSet()
    return str(unbounded)


def limits_of(project: dict[str, Any]) -> dict[str, SpecifierSet]:
    """Return the limits that were set by hand, by the canonical name of the package."""
    listed = map(Requirement, project["tool"]["uv"]["constraint-dependencies"])
    return {canonicalize_name(each.name): each.specifier for each in listed}


def with_bounds(text: str, lock: str) -> str:
    """Return the text of pyproject.toml with the bounds of a lock; raises KeyError where a dependency is not locked."""
    project, pins = tomllib.loads(text), parse_pins(lock)
    limits, head = limits_of(project), text.index("\ndependencies = [")
    end = text.index("\n]", head)

    def replace(match: re.Match[str]) -> str:
        requirement = Requirement(match[2])
        name = canonicalize_name(requirement.name)
        return f"{match[1]}{bounded(requirement, pins[name], limits.get(name, SpecifierSet()))}{match[3]}"

    return text[:head] + _LISTED.sub(replace, text[head:end]) + text[end:]


def plain_requirements(text: str, extras: list[str]) -> list[str]:
    """Return what the project and some of its extras need, without bounds but those of the extras."""
    project = tomllib.loads(text)["project"]
    wanted = [plain(Requirement(each)) for each in project["dependencies"]]
    return [*wanted, *(each for extra in extras for each in project["optional-dependencies"][extra])]


def main() -> int:
    """Write, check or print; return 1 where a check fails."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--plain", nargs="*", metavar="EXTRA")
    arguments = parser.parse_args()
    path = ROOT / "pyproject.toml"
    text = path.read_text("utf-8")
    if arguments.plain is not None:
        print("\n".join(plain_requirements(text, arguments.plain)))
        return 0
    wanted = with_bounds(text, (ROOT / "requirements.lock").read_text("utf-8"))
    if arguments.check and wanted != text:
        print("The bounds in pyproject.toml are not those of requirements.lock: make lock", file=sys.stderr)
        return 1
    if wanted != text:
        path.write_text(wanted, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
