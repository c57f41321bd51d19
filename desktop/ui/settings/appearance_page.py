"""Settings of how the window looks and listens."""

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QCoreApplication

from desktop.settings.model import Settings
from desktop.ui.settings.page import Page
from desktop.ui.settings.rows import Choice, Context, Row
from desktop.ui.translations import LANGUAGES

_ZOOMS = (0.8, 0.9, 1.0, 1.1, 1.25, 1.5, 1.75, 2.0)


def _title() -> str:
    return QCoreApplication.translate("appearance_page", "Appearance")


def _rows(_context: Context) -> Sequence[Row]:
    translate = QCoreApplication.translate
    system = translate("appearance_page", "As the system")
    return (
        Choice(
            translate("appearance_page", "Theme"),
            (
                ("system", system),
                ("light", translate("appearance_page", "Light")),
                ("dark", translate("appearance_page", "Dark")),
            ),
            lambda settings: settings.window.theme,
            _write_theme,
        ),
        Choice(
            translate("appearance_page", "Language"),
            (("", system), *LANGUAGES),
            lambda settings: settings.window.language,
            _write_language,
        ),
        Choice(
            translate("appearance_page", "Size of the conversation"),
            tuple((zoom, f"{zoom:.0%}") for zoom in _ZOOMS),
            lambda settings: settings.window.zoom,
            _write_zoom,
        ),
        Choice(
            translate("appearance_page", "Send with"),
            (
                (True, translate("appearance_page", "Enter")),
                (False, translate("appearance_page", "Ctrl+Enter")),
            ),
            lambda settings: settings.window.sends_on_enter,
            _write_sends_on_enter,
            translate("appearance_page", "Shift+Enter always breaks the line."),
        ),
    )


def _write_theme(settings: Settings, theme: object) -> Settings:
    match theme:
        case "light" | "dark" as chosen:
            return replace(settings, window=replace(settings.window, theme=chosen))
        case _:
            return replace(settings, window=replace(settings.window, theme="system"))


def _write_language(settings: Settings, language: object) -> Settings:
    return replace(settings, window=replace(settings.window, language=str(language)))


def _write_zoom(settings: Settings, zoom: object) -> Settings:
    return replace(settings, window=replace(settings.window, zoom=float(str(zoom))))


def _write_sends_on_enter(settings: Settings, sends: object) -> Settings:
    return replace(settings, window=replace(settings.window, sends_on_enter=bool(sends)))


PAGE = Page("appearance", "appearance", _title, _rows)
