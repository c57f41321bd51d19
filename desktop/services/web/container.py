"""The web services, rebuilt as a whole when the user changes a setting that they depend on, and the browser for them."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar
from urllib.parse import urlsplit

from typing_extensions import override

from desktop.chat.api.system import BrowserSetup
from desktop.domain.addresses import leads_to_a_server
from desktop.domain.search import InstallProgress
from desktop.errors import BrowserMissing
from desktop.services.preferences import PreferencesService
from desktop.settings.folders import AppFolders
from desktop.settings.model import SearchSettings

if TYPE_CHECKING:
    import httpx

    from desktop.search.browser.browser import Browser
    from desktop.search.fetcher import Fetcher, Limits
    from desktop.search.icon_store import IconStore
    from desktop.search.picture_fetcher import IconCollector, PictureFetcher
    from desktop.search.reader.reader import PageReader
    from desktop.search.reader.recent_pages import RecentPages
    from desktop.search.site_filter import SiteFilter
    from desktop.search.ssrf_guard import SsrfGuard
    from desktop.search.web_search import WebSearch
    from desktop.services.preferences import Proxies

# Each service is imported where it is first created: see `desktop.services.container`. Playwright is heavy, and most
# runs neither look for a browser here nor download one.
# ruff: noqa: PLC0415


class BrowserSetupService(BrowserSetup):
    """A new browser is used for the next page that is loaded."""

    def __init__(self, settings: Callable[[], SearchSettings]) -> None:
        self._settings = settings

    async def find(self) -> Path:
        """Return the browser that would be started.

        Raises:
            BrowserMissing: there is none.
        """
        from desktop.search.browser.discovery import find_browser
        from desktop.search.browser.download import playwright_browser_path

        configured = self._settings().browser_path
        bundled = "" if configured else await playwright_browser_path()
        return await asyncio.to_thread(find_browser, configured, bundled)

    @override
    async def problem(self) -> str:
        from desktop.search.browser.discovery import find_browser

        # First without Playwright, which takes a second to load: a window calls this when it opens.
        with suppress(BrowserMissing):
            await asyncio.to_thread(find_browser, self._settings().browser_path)
            return ""
        try:
            await self.find()
        except BrowserMissing as error:
            return str(error)
        return ""

    @override
    def install(self) -> AsyncGenerator[InstallProgress, None]:
        from desktop.search.browser.download import install_browser

        return install_browser()


_STATE_FILE = "search-cookies.json"
_HEALTH_FILE = "engines.json"


class Closable(Protocol):
    """An object that holds connections, processes or files."""

    async def aclose(self) -> None:
        """Close its resources."""
        ...


_T = TypeVar("_T", bound=Closable)


class WebServices:
    """The SSRF guard and all services that use it; each is created when it is first used.

    `close_later` receives a close function for each created service.
    """

    def __init__(
        self,
        folders: AppFolders,
        preferences: PreferencesService,
        proxies: "Proxies",
        *,
        client: "Callable[[], httpx.AsyncClient]",
        sites: "Callable[[], SiteFilter]",
        icon_store: "Callable[[], IconStore]",
        recent: "Callable[[], RecentPages]",
        close_later: Callable[[Callable[[], Awaitable[object]]], object],
    ) -> None:
        self._folders = folders
        self._preferences = preferences
        self._proxies = proxies
        self._client = client
        self._sites = sites
        self._icon_store = icon_store
        self._recent = recent
        self._close_later = close_later

    @cached_property
    def guard(self) -> "SsrfGuard":
        """The guard that decides which addresses may be connected to."""
        from desktop.search.ssrf_guard import SsrfGuard

        return SsrfGuard(_list_allowed(self._preferences.settings.search))

    @cached_property
    def browser(self) -> "Browser":
        """The browser; it starts with its first page."""
        from desktop.search.browser.browser import Browser, BrowserOptions

        search = self._preferences.settings.search
        options = BrowserOptions(
            executable=search.browser_path,
            state_file=self._folders.data / _STATE_FILE,
            locale=search.language,
            is_allowed=self.guard.may_request,
            addresses=self.guard.addresses,
            choose_proxy=lambda purpose: self._proxies.choice(purpose.value),
        )
        browser = Browser(options)
        self._close_later(browser.close)
        return browser

    @cached_property
    def web(self) -> "WebSearch":
        """The search engines."""
        from desktop.search.web_search import WebSearch

        return WebSearch(
            self._preferences.settings.search,
            browser=self.browser,
            secret=self._preferences.secret,
            client=self._client(),
            health_file=self._folders.cache / _HEALTH_FILE,
            sites=self._sites(),
        )

    @cached_property
    def fetcher(self) -> "Fetcher":
        """Fetches pages over plain HTTP."""
        return self._new_fetcher()

    @cached_property
    def reader(self) -> "PageReader":
        """Reads web pages."""
        from desktop.search.reader.reader import PageReader
        from desktop.search.reader.remote_services import PageServices

        helper = PageServices(
            lambda: self._preferences.settings.search, self._preferences.secret, self._client()
        )
        reader = PageReader(
            self.fetcher, self.browser, helper=helper, icons=self.icons, recent=self._recent()
        )
        return self._close_at_end(reader)

    @cached_property
    def icons(self) -> "IconCollector":
        """Collects icons of the sites that are read, through the guard and the proxy for reading."""
        from desktop.search.picture_fetcher import ICON_LIMITS, IconCollector

        return self._close_at_end(IconCollector(self._new_fetcher(ICON_LIMITS), self._icon_store()))

    @cached_property
    def pictures(self) -> "PictureFetcher":
        """Fetches pictures of answers, through the guard and the proxy for reading."""
        from desktop.search.picture_fetcher import PICTURE_LIMITS, PictureFetcher

        return PictureFetcher(self._new_fetcher(PICTURE_LIMITS))

    def use(self, search: SearchSettings) -> None:
        """Apply new settings, as far as that requires no service to be recreated."""
        if "web" in self.__dict__:
            self.web.settings = search

    async def retire(self) -> None:
        """Close the browser once its pages are loaded; running work continues with all other services."""
        if "browser" in self.__dict__:
            await self.browser.close_when_idle()

    def _new_fetcher(self, limits: "Limits | None" = None) -> "Fetcher":
        from desktop.search.fetcher import Fetcher

        fetcher = Fetcher(self.guard, limits, choose_proxy=self._proxies.chooser_for("reading"))
        return self._close_at_end(fetcher)

    def _close_at_end(self, service: _T) -> _T:
        self._close_later(service.aclose)
        return service


def build_inputs(search: SearchSettings) -> tuple[object, ...]:
    """Return the settings on which the construction of guard and browser depends."""
    own = tuple(engine.address for engine in search.own_engines)
    return search.allowed_hosts, search.engine_addresses, own, search.browser_path, search.language


def _list_allowed(search: SearchSettings) -> tuple[str, ...]:
    """Return the private hosts that the user allowed, including those of their own search engines."""
    known = [address for _, address in search.engine_addresses]
    engines = filter(leads_to_a_server, (*known, *(own.address for own in search.own_engines)))
    return (*search.allowed_hosts, *(urlsplit(address).netloc for address in engines))
