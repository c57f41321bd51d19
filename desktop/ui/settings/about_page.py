"""What this program is."""

from collections.abc import Sequence

from PySide6 import __version__ as pyside_version
from PySide6.QtCore import QCoreApplication, qVersion

from desktop import __version__
from desktop.ui.settings.page import Page
from desktop.ui.settings.rows import Context, Heading, Row, Words


def _title() -> str:
    return QCoreApplication.translate("about_page", "About")


def _rows(_context: Context) -> Sequence[Row]:
    translate = QCoreApplication.translate
    versions = translate("about_page", "Version {version} · Qt {qt} · PySide {pyside}")
    return (
        Heading("Footnote", translate("about_page", "A chat client whose answers carry their sources.")),
        Words(versions.format(version=__version__, qt=qVersion(), pyside=pyside_version)),
        Words(
            translate(
                "about_page",
                "What you ask goes to the model that you pick and to the search engines that you leave on, "
                "and nowhere else. Conversations, files and keys stay on this machine.",
            )
        ),
    )


PAGE = Page("about", "info", _title, _rows)
