"""Locates the files of `resources/`: beside the package in a checkout, inside it when installed."""

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

_PACKAGE = Path(__file__).resolve().parent
_CHANGELOG = "CHANGELOG.md"
GUIDE_PAGES: Final = ("first-question", "files", "models", "privacy", "troubleshooting", "install")
"""The pages of the user guide that come with the program, in English and Chinese."""
_FIELD = re.compile(r"\{(\w+)\}")


@cache
def resources_dir() -> Path:
    """Return the folder with page, icons, prompts and translations."""
    installed = _PACKAGE / "resources"
    return installed if installed.is_dir() else _PACKAGE.parent / "resources"


def changelog_text(language: str) -> str:
    """Return the changelog in a language such as zh_CN; the English one contains every version."""
    if language.startswith("zh"):
        return resource_text("translations/changelog_zh_CN.md")
    packaged = resources_dir() / _CHANGELOG
    return (packaged if packaged.is_file() else _PACKAGE.parent / _CHANGELOG).read_text("utf-8")


def guide_text(page: str, language: str) -> str:
    """Return a page of the user guide in a language such as zh_CN."""
    packaged = resources_dir() / "guide"
    folder = packaged if packaged.is_dir() else _PACKAGE.parent / "docs" / "guide"
    ending = "zh.md" if language.startswith("zh") else "md"
    return (folder / f"{page}.{ending}").read_text("utf-8")


@cache
def resource_text(name: str) -> str:
    """Return a text resource, such as `prompts/intent.txt`."""
    return (resources_dir() / name).read_text(encoding="utf-8")


def fill_resource(name: str, fields: Mapping[str, str]) -> str:
    """Return a text resource with its `{fields}`, filled in one pass: text in a field is never taken for a field."""
    return _FIELD.sub(lambda match: fields.get(match[1], match[0]), resource_text(name).strip())
