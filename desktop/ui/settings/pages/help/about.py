"""The about page: the versions of Footnote and its libraries, and their licences."""

import asyncio
import re
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, metadata, requires
from textwrap import shorten

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import QCoreApplication, qVersion
from PySide6.QtWidgets import QWidget

from desktop import __version__
from desktop.domain.program import InstalledProgram
from desktop.ui.labels.common import localize_message
from desktop.ui.settings.controls import Fact, FactList
from desktop.ui.settings.rows import (
    HeadingRow,
    Panel,
    Paragraph,
    SettingsContext,
    SettingsPageWidget,
    SettingsRow,
)

_PROGRAM = "footnote"
_CLASSIFIER = "License :: OSI Approved :: "
_MOST_CHARS = 48
"""Some packages put the whole text of a licence where its name belongs."""

_NAME = re.compile(r"[\w.-]+")


async def load_libraries() -> tuple[Fact, ...]:
    """Return a fact for each library that is installed."""
    return await asyncio.to_thread(_installed)


def identity(facts: object) -> Sequence[Fact]:
    """Return loaded facts unchanged, for a `FactList`."""
    assert isinstance(facts, tuple)
    return facts


def _installed() -> tuple[Fact, ...]:
    found = {}
    for name in _names():
        try:
            about = metadata(name)
        except PackageNotFoundError:  # one of another system, or none of a checkout that was never installed
            continue
        fields = {key.casefold(): about[key] for key in about}
        found[name] = Fact(
            f"{fields['name']} {fields['version']}", value=_license(fields, about.get_all("Classifier"))
        )
    return tuple(found[name] for name in sorted(found))


def _names() -> tuple[str, ...]:
    try:
        wanted = requires(_PROGRAM) or []
    except PackageNotFoundError:
        return ()
    matches = (_NAME.match(requirement) for requirement in wanted if "extra ==" not in requirement)
    return tuple(found.group().casefold() for found in matches if found is not None)


def _license(fields: dict[str, str], classifiers: Sequence[str] | None) -> str:
    if expression := fields.get("license-expression", ""):
        return shorten(expression, _MOST_CHARS, placeholder=" …")
    first = fields.get("license", "").strip().partition("\n")[0]
    if first and len(first) <= _MOST_CHARS:
        return first
    named = (each.removeprefix(_CLASSIFIER) for each in classifiers or () if each.startswith(_CLASSIFIER))
    return next(named, "")


def _title() -> str:
    return QCoreApplication.translate("about_page", "About")


def _rows(context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    versions = translate("about_page", "Version {version} · Qt {qt} · PySide {pyside}")
    return (
        HeadingRow("Footnote", translate("about_page", "A chat client whose answers cite their sources.")),
        Paragraph(versions.format(version=__version__, qt=qVersion(), pyside=pyside_version)),
        Paragraph(_describe_installation(context.engine.updates.program)),
        Paragraph(
            translate(
                "about_page",
                "Questions go to the model and search engines you choose. Chats and files stay on this computer. See Settings > Privacy.",
            )
        ),
        HeadingRow(
            translate("about_page", "Made with"),
            translate(
                "about_page",
                "Third-party libraries, each under its own license. Footnote is under the MIT license.",
            ),
        ),
        Panel(_libraries, (translate("about_page", "Licenses"),)),
    )


def _describe_installation(program: InstalledProgram) -> str:
    words = QCoreApplication.translate("about_page", "This copy is {form}.")
    return words.format(form=localize_message(program.form))


def _libraries(context: SettingsContext, parent: QWidget) -> QWidget:
    return FactList(load_libraries, identity, "", context.loop, parent)


PAGE = SettingsPageWidget("about", "info", _title, _rows)
