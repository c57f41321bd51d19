"""Settings of the web search."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QCoreApplication

from desktop.domain.search import WEB_AUTO, WEB_OFF
from desktop.settings.model import Settings
from desktop.ui.settings.engine_list import EngineKeys, EngineOrder
from desktop.ui.settings.page import Page
from desktop.ui.settings.rows import Choice, Context, Heading, Number, Panel, Row, Text


def _title() -> str:
    return QCoreApplication.translate("search_page", "Search")


def _rows(context: Context) -> Sequence[Row]:
    translate = QCoreApplication.translate
    ready = [engine for engine in context.catalogue.engines if engine.is_ready]
    return (
        Choice(
            translate("search_page", "Search the web"),
            (
                (WEB_OFF, translate("search_page", "Off")),
                (WEB_AUTO, translate("search_page", "Automatic")),
                *((engine.id, engine.name) for engine in ready),
            ),
            lambda settings: settings.search.choice,
            _write_choice,
            translate(
                "search_page",
                "Automatic uses a service with a key when there is one, else the engines below.",
            ),
        ),
        Number(
            translate("search_page", "Pages read for a question"),
            (1, 20),
            lambda settings: settings.search.result_count,
            lambda settings, count: replace(settings, search=replace(settings.search, result_count=count)),
        ),
        Heading(
            translate("search_page", "Engines without a key"),
            translate("search_page", "Tried from top to bottom until one gives results."),
        ),
        Panel(EngineOrder),
        Heading(
            translate("search_page", "Services with a key"),
            translate("search_page", "Keys are kept in the keyring of the system, never in a file."),
        ),
        Panel(EngineKeys),
        Heading(translate("search_page", "Browser")),
        Text(
            translate("search_page", "Program"),
            lambda settings: settings.search.browser_path,
            lambda settings, path: replace(settings, search=replace(settings.search, browser_path=path)),
            translate(
                "search_page", "The Chromium, Chrome or Edge that reads result pages. Empty: found by itself."
            ),
            translate("search_page", "Found by itself"),
        ),
    )


def _write_choice(settings: Settings, choice: object) -> Settings:
    return replace(settings, search=replace(settings.search, choice=str(choice)))


PAGE = Page("search", "globe", _title, _rows)
