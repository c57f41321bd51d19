"""`footnote update`: asks whether there is a newer version, and says how this installation is updated."""

import argparse
import asyncio

from desktop.cli.output.terminal import Answer, print_json, print_words
from desktop.domain.program import InstalledProgram, UpdateStatus
from desktop.services.container import running_services
from desktop.settings.folders import folders_for


def run(arguments: argparse.Namespace) -> int:
    """Print the newest version; returns 1 if it is not known because the request failed."""
    return asyncio.run(_run(arguments))


async def _run(arguments: argparse.Namespace) -> int:
    async with running_services(folders_for(arguments.data_dir)) as services:
        updates = services.updates
        status = await updates.check()
        news = (await updates.news("en")).text if arguments.news else ""
        program = updates.program
    if arguments.json:
        print_json(_document(program, status, news))
    else:
        print_words("\n".join(_lines(program, status, news)))
    return 1 if status.address and status.problem else 0


def _document(program: InstalledProgram, status: UpdateStatus, news: str) -> Answer:
    release = status.release
    newest = (
        {
            "version": release.version,
            "date": release.day,
            "address": release.address,
            "notes": dict(release.notes),
        }
        if release
        else None
    )
    document = {
        "version": program.version,
        "form": program.installation.form.value,
        "command": program.command,
        "address": status.address,
        "newer": newest,
        "problem": status.problem,
    }
    return document | ({"news": news} if news else {})


def _lines(program: InstalledProgram, status: UpdateStatus, news: str) -> list[str]:
    lines = [f"Footnote {program.version}, {program.form}"]
    if status.release is not None:
        lines += [
            f"Version {status.release.version} of {status.release.day} is there: {status.release.address}",
            *filter(None, [status.release.notes_in("en")]),
            program.advice,
            *filter(None, [f"  {program.command}" if program.command else ""]),
        ]
    else:
        lines.append(status.problem or "This is the newest version.")
    return [*lines, *(["", news] if news else [])]
