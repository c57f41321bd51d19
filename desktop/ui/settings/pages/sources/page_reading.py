"""Settings of reading pages: how much of them is read, which services help, and which sites are left out."""

from collections.abc import Awaitable, Callable, Sequence

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QWidget

from desktop.domain.search import WEB_AUTO, WEB_OFF
from desktop.ui.labels.common import localize_message
from desktop.ui.settings.controls import TestButton
from desktop.ui.settings.rows import (
    Choice,
    HeadingRow,
    Panel,
    SettingsContext,
    SettingsPageWidget,
    SettingsRow,
    TextList,
)


def _title() -> str:
    return QCoreApplication.translate("reading_page", "Pages")


def _rows(_context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    return (
        Choice(
            translate("reading_page", "Text sent from each page"),
            (
                ("passages", translate("reading_page", "Relevant passages only")),
                ("cut", translate("reading_page", "Beginning of the page")),
                ("off", translate("reading_page", "Full text, as far as it fits")),
            ),
            "search.page_mode",
        ),
        Choice(
            translate("reading_page", "If a page can’t be read"),
            (
                (WEB_AUTO, translate("reading_page", "Use a connected service")),
                ("tavily", "Tavily"),
                ("jina", "Jina"),
                (WEB_OFF, translate("reading_page", "Do nothing")),
            ),
            "search.page_service",
            translate("reading_page", "The service receives the page address, never a private one."),
        ),
        HeadingRow(
            translate("reading_page", "Sites"),
            translate(
                "reading_page",
                "One per line: example.com, *.example.com/shop/*, or a regular expression between slashes.",
            ),
        ),
        TextList(
            translate("reading_page", "Blocked sites"),
            "search.exclude_sites",
        ),
        TextList(
            translate("reading_page", "Allowed sites"),
            "search.include_sites",
            translate("reading_page", "Leave empty to allow all sites."),
        ),
        TextList(
            translate("reading_page", "Blocklist subscriptions"),
            "search.block_lists",
            translate(
                "reading_page",
                "Addresses of uBlacklist lists or hosts files, updated daily.",
            ),
            "https://example.com/list.txt",
        ),
        Panel(_fetch_button, (translate("reading_page", "Update lists now"),)),
    )


def _fetch_button(context: SettingsContext, parent: QWidget) -> QWidget:
    def prepare() -> Callable[[], Awaitable[object]]:
        return context.preferences.fetch_block_lists

    name = QCoreApplication.translate("reading_page", "Update lists now")
    return TestButton(prepare, _describe_result, context.loop, parent, name)


def _describe_result(result: object) -> str:
    return localize_message(str(result))


PAGE = SettingsPageWidget("reading", "file", _title, _rows)
