"""`footnote doctor`: reports what is installed, reachable and configured, and how to fix problems."""

import argparse
import asyncio

from desktop.cli.output.terminal import print_json, print_words, tell_notice
from desktop.domain.program import Check, CheckStatus
from desktop.services.container import running_services
from desktop.services.diagnostics.doctor import examine
from desktop.settings.folders import folders_for
from desktop.text.message_codec import in_english


def run(arguments: argparse.Namespace) -> int:
    """Report on this installation; returns 1 if something that Footnote needs is missing."""
    checks = asyncio.run(_checks(arguments))
    if arguments.json:
        print_json({"checks": in_english(checks)})
    else:
        for check in checks:
            advice = f"\n         → {check.advice}" if check.advice else ""
            print_words(f"{check.status.value:8} {check.name}: {check.detail}{advice}")
    return 1 if any(check.status is CheckStatus.FAILED for check in checks) else 0


async def _checks(arguments: argparse.Namespace) -> list[Check]:
    async with running_services(folders_for(arguments.data_dir), tell=tell_notice) as services:
        return [check async for check in examine(services)]
