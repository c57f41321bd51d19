"""Settings of research: what each depth may spend, and whose plan the user sees first."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication

from desktop.domain.procedures import Depth
from desktop.settings.model import Settings, with_plan_shown
from desktop.ui.labels.chat import depth_name, format_budget
from desktop.ui.settings.rows import (
    Binding,
    HeadingRow,
    Paragraph,
    SettingsContext,
    SettingsPageWidget,
    SettingsRow,
    Toggle,
)


def _title() -> str:
    return QCoreApplication.translate("research_page", "Research")


def _rows(_context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    explained = translate(
        "research_page",
        "Research searches in several rounds. After each round the model decides what is still missing.",
    )
    heading = HeadingRow(
        translate("research_page", "Review the plan before searching"),
        translate("research_page", "Nothing is searched until you approve the plan."),
    )
    return (Paragraph(explained), heading, *map(_toggle, Depth))


def _toggle(depth: Depth) -> Toggle:
    return Toggle(
        depth_name(depth), Binding(partial(_is_shown, depth), partial(_write, depth)), format_budget(depth)
    )


def _is_shown(depth: Depth, settings: Settings) -> bool:
    return depth in settings.research.plans_shown


def _write(depth: Depth, settings: Settings, is_shown: bool) -> Settings:
    return with_plan_shown(settings, depth, is_shown=is_shown)


PAGE = SettingsPageWidget("research", "research", _title, _rows)
