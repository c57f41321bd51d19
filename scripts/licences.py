"""The licences of all that comes with an installation, for docs/licences.md; `make audit` writes it anew."""

import re
import sys
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

PROJECT = Path(__file__).parent.parent / "pyproject.toml"
_NAME = re.compile(r"^[A-Za-z0-9._-]+")
_LONGEST = 60
_IN_RESOURCES = (
    (
        "mermaid (`resources/page/mermaid`, draws diagrams; with the libraries in it: MIT, ISC, BSD, Apache-2.0)",
        "11.17.2",
        "MIT",
    ),
    ("jieba's dictionary (`resources/words`, finds Chinese words)", "0.42.1", "MIT"),
    ("TeX Gyre Pagella Math (`resources/page/math`, the font of formulas)", "1.632", "GUST Font License"),
)
"""What comes with the program outside of packages: name, version, licence."""
_NOT_WANTED = re.compile(r"AGPL|Affero|SSPL|Commons Clause|Business Source", re.IGNORECASE)


def normalize_name(name: str) -> str:
    """Return the one spelling of a package name that has many (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()


def project_requirements(*, with_tests: bool = False) -> list[str]:
    """Return what the project itself needs, with llama.cpp, which the lock includes, and its tests and its site too where asked for."""
    project = tomllib.loads(PROJECT.read_text("utf-8"))
    groups = project["dependency-groups"]
    needed = [*project["project"]["dependencies"], *project["project"]["optional-dependencies"]["local"]]
    return [*needed, *((*groups["dev"], *groups["docs"]) if with_tests else ())]


def installed_with(requirements: list[str]) -> dict[str, Distribution]:
    """Return the packages that requirements bring with them on this system, by name."""
    found: dict[str, Distribution] = {}
    waiting = list(requirements)
    while waiting:
        requirement = waiting.pop()
        if "extra ==" in requirement or not (match := _NAME.match(requirement)):
            continue
        name = normalize_name(match[0])
        if name in found:
            continue
        try:
            found[name] = distribution(name)
        except PackageNotFoundError:  # of another system
            continue
        waiting += found[name].requires or []
    return found


def licence_of(package: Distribution) -> str:
    """Return a licence as the package names it, in one line."""
    metadata = package.metadata
    if expression := metadata.get("License-Expression"):
        return expression
    classified = [
        each.rpartition(" :: ")[2]
        for each in metadata.get_all("Classifier") or ()
        if each.startswith("License ::")
    ]
    named = [each for each in classified if each != "OSI Approved"]
    first = (metadata.get("License") or "").strip().partition("\n")[0]
    return ", ".join(named) or (first if len(first) <= _LONGEST else f"{first[:_LONGEST]}…") or "not named"


def unwanted(packages: dict[str, Distribution]) -> list[str]:
    """Return packages whose licence would bind what a person does with Footnote."""
    return [
        f"{name}: {licence}"
        for name, each in packages.items()
        if _NOT_WANTED.search(licence := licence_of(each))
    ]


def table(packages: dict[str, Distribution]) -> str:
    """Return all of them as Markdown."""
    rows = (
        f"| {each.metadata['Name']} | {each.version} | {licence_of(each)} |"
        for _, each in sorted(packages.items())
    )
    return "\n".join(
        (
            "# Licences",
            "",
            "What an installation on Linux brings with it beside Footnote, which is under the MIT licence. Written by: make audit",
            "",
            "| package | version | licence |",
            "| - | - | - |",
            *rows,
            *(f"| {name} | {version} | {licence} |" for name, version, licence in _IN_RESOURCES),
            "",
        )
    )


def main() -> int:
    """Print the table, unless there is something in it that must not be there."""
    packages = installed_with(project_requirements())
    if found := unwanted(packages):
        sys.stderr.writelines(f"{each}\n" for each in found)
        return 1
    sys.stdout.write(table(packages))
    return 0


if __name__ == "__main__":
    sys.exit(main())
