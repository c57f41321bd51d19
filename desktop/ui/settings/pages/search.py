"""Settings of the web: its search and the browser for it, how pages are read, and what a research may spend."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial

from PySide6.QtCore import QCoreApplication, QLocale, Slot
from PySide6.QtWidgets import QPushButton, QWidget

from desktop.domain.procedures import Depth
from desktop.domain.search import WEB_AUTO, WEB_OFF, WEB_OWN
from desktop.settings.model import Settings, with_plan_shown
from desktop.ui.dialogs.browser_dialogs import BrowserDownloadDialog
from desktop.ui.i18n import Retranslated
from desktop.ui.settings.controls import TestButton
from desktop.ui.settings.pages.search_engines import EngineKeys, EngineOrder
from desktop.ui.settings.rows import (
    Binding,
    Choice,
    HeadingRow,
    Number,
    Panel,
    Paragraph,
    SettingsContext,
    SettingsPageWidget,
    SettingsRow,
    Text,
    TextList,
    Toggle,
)
from desktop.ui.widgets.labels import depth_name, format_budget, localize_message, untranslated_error
from desktop.ui.widgets.layout import hbox
from desktop.ui.widgets.notice_bar import StatusLabel


def _research_title() -> str:
    return QCoreApplication.translate("research_page", "Research")


def _research_rows(_context: SettingsContext) -> Sequence[SettingsRow]:
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


RESEARCH_PAGE = SettingsPageWidget("research", "research", _research_title, _research_rows)


def _reading_title() -> str:
    return QCoreApplication.translate("reading_page", "Pages")


def _reading_rows(_context: SettingsContext) -> Sequence[SettingsRow]:
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


READING_PAGE = SettingsPageWidget("reading", "file", _reading_title, _reading_rows)


_LANGUAGES = (
    *(
        "en",
        "zh-CN",
        "zh-TW",
        "ar",
        "cs",
        "da",
        "de",
        "el",
        "es",
        "fi",
        "fr",
        "he",
        "hi",
        "hu",
        "id",
        "it",
        "ja",
    ),
    *("ko", "nl", "no", "pl", "pt", "ro", "ru", "sv", "th", "tr", "uk", "vi"),
)
_REGIONS = (
    *(
        "AR",
        "AU",
        "AT",
        "BE",
        "BR",
        "CA",
        "CH",
        "CL",
        "CN",
        "CZ",
        "DE",
        "DK",
        "ES",
        "FI",
        "FR",
        "GB",
        "HK",
        "ID",
    ),
    *(
        "IE",
        "IN",
        "IT",
        "JP",
        "KR",
        "MX",
        "MY",
        "NL",
        "NO",
        "NZ",
        "PH",
        "PL",
        "PT",
        "RU",
        "SE",
        "SG",
        "TH",
        "TR",
    ),
    *("TW", "UA", "US", "VN", "ZA"),
)


class BrowserStatus(Retranslated, QWidget):
    """Shows the browser that searches use; offers to download one where there is none."""

    def __init__(self, context: SettingsContext, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._context = context
        self._problem: str | None = None
        self.words = StatusLabel(self, "muted")
        self.offer = QPushButton(self)
        row = hbox(self, spacing=16, margins=(0, 4, 0, 4))
        row.addWidget(self.words, 1)
        row.addWidget(self.offer)
        self.offer.clicked.connect(self._on_offer_clicked)
        context.store.saved.connect(self.refresh)
        self._refresh()
        self.refresh()

    def _retranslate(self) -> None:
        self._refresh()

    @Slot()
    def refresh(self) -> None:
        """Search for a browser again."""
        self._context.loop.run(self, self._context.browser.problem, self._on_loaded, self._on_failed)

    def _refresh(self) -> None:
        self.offer.setText(self.tr("Download…"))
        # A program that the user has named is never replaced, so a download would not help.
        is_named = bool(self._context.store.settings.search.browser_path)
        self.offer.setVisible(bool(self._problem) and not is_named)
        if self._problem:
            self.words.show_error(self._problem)
        else:
            found, searching = self.tr("Browser found"), self.tr("Looking for a browser…")
            self.words.setText(searching if self._problem is None else found)

    @Slot(object)
    def _on_loaded(self, problem: str) -> None:
        self._problem = problem
        self._refresh()

    @Slot(object)
    def _on_failed(self, error: Exception) -> None:
        self._problem = untranslated_error(error)
        self._refresh()

    @Slot()
    def _on_offer_clicked(self) -> None:
        offer = BrowserDownloadDialog(self._context.browser, self._context.loop, self)
        offer.installed.connect(self.refresh)
        offer.finished.connect(offer.deleteLater)
        offer.open()


def _title() -> str:
    return QCoreApplication.translate("search_page", "Search")


def _rows(context: SettingsContext) -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    ready = [engine for engine in context.catalogue.engines if engine.is_ready]
    return (
        Choice(
            translate("search_page", "Search the web"),
            (
                (WEB_OFF, translate("search_page", "Off")),
                (WEB_AUTO, translate("search_page", "Automatic")),
                (WEB_OWN, translate("search_page", "Model’s own search, if available")),
                *((engine.id, engine.name) for engine in ready),
            ),
            "search.choice",
            translate(
                "search_page",
                "Automatic prefers a service with a key over the engines below.",
            ),
        ),
        Toggle(
            translate("search_page", "Add results from other engines"),
            "search.fills_up",
            translate(
                "search_page",
                "If the chosen engine returns too few results, others are searched too.",
            ),
        ),
        Number(
            translate("search_page", "Pages read per question"),
            (1, 20),
            "search.result_count",
        ),
        *_wishes(),
        HeadingRow(
            translate("search_page", "Engines without a key"),
            translate("search_page", "Used in this order until one returns results."),
        ),
        Panel(
            EngineOrder,
            (translate("search_page", "Engine order"), *_engine_names(context, needs_key=False)),
        ),
        HeadingRow(
            translate("search_page", "Services with a key"),
            translate("search_page", "API keys are stored in the system keyring, never in a file."),
        ),
        Panel(
            EngineKeys,
            (translate("search_page", "Service API keys"), *_engine_names(context, needs_key=True)),
        ),
        *_browser_rows(),
    )


def _browser_rows() -> Sequence[SettingsRow]:
    translate = QCoreApplication.translate
    return (
        HeadingRow(translate("search_page", "Browser")),
        Text(
            translate("search_page", "Program"),
            "search.browser_path",
            translate("search_page", "Path to Chromium, Chrome or Edge. Leave empty to detect it."),
            translate("search_page", "Detected automatically"),
        ),
        Panel(BrowserStatus, (translate("search_page", "Download browser"),)),
    )


def _wishes() -> Sequence[SettingsRow]:
    """Return what is asked of every engine that knows how to heed it."""
    translate = QCoreApplication.translate
    return (
        Choice(
            translate("search_page", "Result language"),
            (("", translate("search_page", "Any language")), *((tag, _own_name(tag)) for tag in _LANGUAGES)),
            "search.language",
        ),
        Choice(
            translate("search_page", "Region"),
            (("", translate("search_page", "Any region")), *((code, _country(code)) for code in _REGIONS)),
            "search.region",
        ),
        Choice(
            translate("search_page", "Result age"),
            (
                ("", translate("search_page", "Any time")),
                ("day", translate("search_page", "Past day")),
                ("week", translate("search_page", "Past week")),
                ("month", translate("search_page", "Past month")),
                ("year", translate("search_page", "Past year")),
            ),
            "search.time_range",
        ),
        Choice(
            translate("search_page", "Safe search"),
            (
                ("off", translate("search_page", "Off")),
                ("moderate", translate("search_page", "Moderate")),
                ("strict", translate("search_page", "Strict")),
            ),
            "search.safe_search",
            translate("search_page", "Not all engines support every option."),
        ),
    )


def _own_name(tag: str) -> str:
    """Return what a language calls itself."""
    name = QLocale(tag).nativeLanguageName()
    return name[:1].upper() + name[1:]


def _country(code: str) -> str:
    """Return what most of its people call a country."""
    territory = QLocale.codeToTerritory(code)
    return QLocale(QLocale.Language.AnyLanguage, territory).nativeTerritoryName()


def _engine_names(context: SettingsContext, *, needs_key: bool) -> Sequence[str]:
    return [engine.name for engine in context.catalogue.engines if engine.needs_key is needs_key]


PAGE = SettingsPageWidget("search", "globe", _title, _rows)
