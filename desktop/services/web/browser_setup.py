"""Finds the browser for web search, and downloads one."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from pathlib import Path

from typing_extensions import override

from desktop.chat.api.system import BrowserSetup
from desktop.domain.search import InstallProgress
from desktop.errors import BrowserMissing
from desktop.settings.model import SearchSettings

# Playwright is heavy, and most runs of Footnote neither look for a browser here nor download one.
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
