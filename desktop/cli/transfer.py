"""`footnote transfer`: exports conversations, and imports them from Footnote or another program."""

import argparse
import asyncio
from contextlib import aclosing

from desktop.cli.output.terminal import Answer, print_json, print_words, tell, tell_notice
from desktop.domain.backups import Imported
from desktop.services.container import ServiceContainer, running_services
from desktop.settings.folders import folders_for


def run(arguments: argparse.Namespace) -> int:
    """Run one action."""
    return asyncio.run(_run(arguments))


async def _run(arguments: argparse.Namespace) -> int:
    async with running_services(folders_for(arguments.data_dir), tell=tell_notice) as services:
        await services.store.database.open()
        if problem := services.store.database.read_only:
            tell(f"footnote: {problem}")
        answer = await _ACTIONS[arguments.action](services, arguments)
    if arguments.json:
        print_json(answer)
    else:
        print_words("\n".join(line for name, value in answer.items() for line in _lines(name, value)))
    return 0


def _lines(name: str, value: object) -> list[str]:
    """Return the lines for one part of an answer: one per list item, none for an empty list."""
    if isinstance(value, list):
        return [f"{name}:", *(f"  {each}" for each in value)] if value else []
    return [f"{name}: {value}"]


async def _export(services: ServiceContainer, arguments: argparse.Namespace) -> Answer:
    if arguments.conversation:
        await services.keeping.transfers.export_conversation(arguments.conversation, arguments.file)
    else:
        work = services.keeping.transfers.export_profile(arguments.file, has_bases=not arguments.no_bases)
        async with aclosing(work) as steps:
            async for _ in steps:
                pass
    return {"written": str(arguments.file)}


async def _show(services: ServiceContainer, arguments: argparse.Namespace) -> Answer:
    contents = await services.keeping.transfers.examine(arguments.file)
    titles = [f"{one.title} ({one.messages}, {one.difference.value})" for one in contents.conversations]
    return {
        "from": contents.origin.value,
        "conversations": titles,
        "memories": contents.memories,
        "problems": list(contents.problems),
    }


async def _import(services: ServiceContainer, arguments: argparse.Namespace) -> Answer:
    done = Imported()
    work = services.keeping.transfers.import_from(arguments.file, has_settings=arguments.settings)
    async with aclosing(work) as steps:
        async for step in steps:
            if isinstance(step, Imported):
                done = step
    return {
        "conversations": len(done.conversations),
        "memories": len(done.memories),
        "bases": len(done.bases),
        "problems": list(done.problems),
    }


_ACTIONS = {"export": _export, "show": _show, "import": _import}
