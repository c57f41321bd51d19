"""Finds the browser for web search, and downloads one."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from pathlib import Path

from desktop.domain.search import InstallProgress
from desktop.errors import BrowserMissing
from desktop.settings.model import SearchSettings

# Playwright is heavy, and most runs of Footnote neither look for a browser here nor download one.
# ruff: noqa: PLC0415


class BrowserSetupService:
    """See `desktop.chat.api.engine.BrowserSetup`. A new browser is used for the next page that is loaded."""

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

    async def problem(self) -> str:
        """Return why no browser can be started; empty when one is found."""
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

    def install(self) -> AsyncGenerator[InstallProgress, None]:
        """Download a browser."""
        from desktop.search.browser.download import install_browser

        return install_browser()
