"""Settings of the prompts that are offered behind a “/”."""

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from desktop.ui.settings.page import Page
from desktop.ui.settings.prompts_panel import PromptsPanel
from desktop.ui.settings.rows import Context, Panel, Row, Words


def _title() -> str:
    return QCoreApplication.translate("prompts_page", "Prompts")


def _rows(_context: Context) -> Sequence[Row]:
    words = QCoreApplication.translate(
        "prompts_page",
        "Words that you send often. Type “/” where you ask questions, and pick one; tool servers offer theirs there as well.",
    )
    return (Words(words), Panel(PromptsPanel))


PAGE = Page("prompts", "note", _title, _rows)
