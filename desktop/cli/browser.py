"""`footnote browser`: shows the browser that searches the web, or downloads one."""

import argparse
import asyncio
from contextlib import aclosing

from desktop.cli.output.terminal import print_json, print_words, tell
from desktop.domain.search import InstallPhase, InstallProgress
from desktop.services.container import ServiceContainer, running_services
from desktop.settings.folders import folders_for

_STEP = 10
"""Progress is printed every so many percent."""


def run(arguments: argparse.Namespace) -> int:
    """Print the path of the browser, after downloading one if asked to."""
    path = asyncio.run(_run(arguments))
    if arguments.json:
        print_json({"browser": path})
    else:
        print_words(path)
    return 0


async def _run(arguments: argparse.Namespace) -> str:
    async with running_services(folders_for(arguments.data_dir)) as services:
        if arguments.action == "install":
            await _install(services)
        return str(await services.browser_setup.find())


async def _install(services: ServiceContainer) -> None:
    told = ""
    async with aclosing(services.browser_setup.install()) as steps:
        async for progress in steps:
            if (words := _words(progress)) != told:
                told = words
                tell(words)


def _words(progress: InstallProgress) -> str:
    if progress.phase is not InstallPhase.DOWNLOADING or not progress.total_bytes:
        return progress.phase.value
    percent = 100 * progress.done_bytes // progress.total_bytes
    return f"{progress.phase.value} {percent - percent % _STEP} %"
