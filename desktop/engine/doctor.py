"""What is installed, reachable and configured, and what to do about what is not."""

import asyncio
import os
import platform
from collections.abc import AsyncIterator, Awaitable, Callable

from desktop import __version__
from desktop.domain.search import EngineHealth, SearchStatus
from desktop.engine.assembly import Rooms
from desktop.engine.checks import Check, CheckStatus
from desktop.engine.knowledge_checks import knowledge_checks
from desktop.errors import AppError, BrowserMissing
from desktop.settings.model import ProviderSettings

_LIMIT_S = 20.0


async def examine(rooms: Rooms) -> AsyncIterator[Check]:
    """Yield one finding after another."""
    for name, check in (_CHECKS | knowledge_checks(rooms)).items():
        try:
            async with asyncio.timeout(_LIMIT_S):
                yield await check(rooms)
        except TimeoutError:
            yield Check(name, CheckStatus.FAILED, f"no answer within {_LIMIT_S:.0f} s")
        except (AppError, OSError) as error:
            yield Check(name, CheckStatus.FAILED, str(error))
    for health in await rooms.web_rooms.web.health():
        if health.last is not None:
            yield engine_check(health)
    for provider in await rooms.models.offered():
        yield await _provider(rooms, provider)


async def _program(_rooms: Rooms) -> Check:
    detail = f"Footnote {__version__}, Python {platform.python_version()}, {platform.platform()}"
    return Check("program", CheckStatus.OK, detail)


async def _data(rooms: Rooms) -> Check:
    folder = rooms.folders.data
    rooms.folders.create()
    if not os.access(folder, os.W_OK):
        advice = "Give yourself the right to write there, or choose another folder with --data-dir."
        return Check("data", CheckStatus.FAILED, f"{folder} is read-only", advice)
    problem = rooms.preferences.settings_problem
    if problem:
        return Check("data", CheckStatus.WARNING, problem, "Look at the file that was set aside.")
    return Check("data", CheckStatus.OK, str(folder))


async def _browser(rooms: Rooms) -> Check:
    from desktop.search.rendering import RenderStatus  # noqa: PLC0415 (only the doctor asks)

    try:
        path = await rooms.browser_setup.find()
    except BrowserMissing as error:
        return Check("browser", CheckStatus.FAILED, "none for the web search", str(error))
    blank = await rooms.web_rooms.browser.fetch("about:blank")
    if blank.status is RenderStatus.FAILED:
        advice = "Choose another one in Settings, or install what it says is missing."
        return Check("browser", CheckStatus.FAILED, f"{path}: {blank.error}", advice)
    return Check("browser", CheckStatus.OK, str(path))


async def _keyring(rooms: Rooms) -> Check:
    problem = await rooms.preferences.probe_keyring()
    if problem:
        advice = "Install a keyring, such as gnome-keyring or KWallet, or give keys by environment variable."
        return Check("keyring", CheckStatus.WARNING, problem, advice)
    return Check("keyring", CheckStatus.OK, "keys are kept in the keyring of the system")


async def _tavily(rooms: Rooms) -> Check:
    if await rooms.preferences.has_secret("search/tavily"):
        return Check("tavily", CheckStatus.OK, "has a key")
    return Check("tavily", CheckStatus.OK, "no key; searches go through the browser")


_CHECKS: dict[str, Callable[[Rooms], Awaitable[Check]]] = {
    "program": _program,
    "data": _data,
    "browser": _browser,
    "keyring": _keyring,
    "tavily": _tavily,
}


def engine_check(health: EngineHealth) -> Check:
    """Return how an engine did when it was last asked."""
    name = f"engine {health.name}"
    if health.last in {SearchStatus.RESULTS, SearchStatus.NOTHING_FOUND}:
        return Check(name, CheckStatus.OK, f"answers, typically within {health.typical_s:.1f} s")
    pause = f" Left alone for another {health.paused_s:.0f} s." if health.paused_s else ""
    advice = f"Try it: footnote search --engine {health.engine} Wikipedia"
    if health.can_be_shown:
        advice = f"Do what it asks for: footnote search --engine {health.engine} --show-captcha Wikipedia"
    return Check(name, CheckStatus.WARNING, f"{health.error}{pause}", advice)


async def _provider(rooms: Rooms, provider: ProviderSettings) -> Check:
    name = f"model server {provider.name}"
    try:
        async with asyncio.timeout(_LIMIT_S):
            models = await rooms.models.test(provider, None)
    except (AppError, TimeoutError) as error:
        advice = f"Check the address {provider.base_url} and the key in Settings."
        return Check(name, CheckStatus.WARNING, str(error) or "no answer", advice)
    return Check(name, CheckStatus.OK, f"models at {provider.base_url}: {len(models)}")
