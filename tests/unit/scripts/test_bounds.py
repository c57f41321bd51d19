"""The bounds in pyproject.toml are those of the versions that were tested."""

import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

from tests.cases import cases
from tests.unit.scripts.test_lock import ROOT, load_script

bounds = load_script("bounds")
PYPROJECT = (ROOT / "pyproject.toml").read_text("utf-8")
LOCK = (ROOT / "requirements.lock").read_text("utf-8")


def dependencies(text):
    """Return the dependencies in the text of a pyproject.toml."""
    return [Requirement(each) for each in tomllib.loads(text)["project"]["dependencies"]]


def test_the_bounds_are_those_of_the_lock():
    assert bounds.with_bounds(PYPROJECT, LOCK) == PYPROJECT, "make lock"


def test_every_dependency_accepts_its_locked_version_and_has_both_bounds():
    pins = bounds.parse_pins(LOCK)
    for requirement in dependencies(PYPROJECT):
        assert pins[bounds.canonicalize_name(requirement.name)] in requirement.specifier
        assert sorted(each.operator for each in requirement.specifier) == ["<", ">="]


@cases(
    "version, first_refused",
    [("2.11.0", "3"), ("0.28.1", "0.29"), ("0.0.34", "0.1"), ("5.0.0.93", "6"), ("2026.11.15", "2028")],
)
def test_the_first_version_that_may_break_is_refused(version, first_refused):
    assert bounds.next_breaking(Version(version)) == Version(first_refused)


def test_new_pins_move_the_bounds_and_nothing_else():
    text = """[project]
dependencies = [
    "httpx[socks]>=0.1,<0.2",  # a comment
    "jeepney; sys_platform == 'linux'",
    "PySide6",
]

[dependency-groups]
dev = [
    "ruff",
]

[tool.uv]
constraint-dependencies = [
    "PySide6<6.12",
]
"""
    lock = "httpx==0.28.1 \\\n    --hash=sha256:0\njeepney==1.9.0 ; sys_platform == 'linux' \\\npyside6==6.11.3 \\\n"
    expected = (
        text.replace(">=0.1,<0.2", ">=0.28.1,<0.29")
        .replace("jeepney;", "jeepney>=1.9.0,<2;")
        .replace('"PySide6"', '"PySide6>=6.11.3,<6.12"')
    )
    assert bounds.with_bounds(text, lock) == expected
    assert bounds.plain_requirements(expected, []) == [
        "httpx[socks]",
        'jeepney; sys_platform == "linux"',
        "PySide6",
    ]


def test_a_dependency_that_is_not_locked_is_an_error():
    with pytest.raises(KeyError, match="pyside6"):
        bounds.with_bounds(PYPROJECT, LOCK.replace("\npyside6==", "\nother=="))
