"""`footnote read`: extracts the text of a page; with `--for-me`, summarizes a document for the user."""

import argparse
import asyncio
from pathlib import Path

from desktop.chat.api.engine import Question
from desktop.cli.ask import temporary_services
from desktop.cli.kb import find_base, find_items
from desktop.cli.output.answer import Report, answer_at_terminal
from desktop.cli.output.terminal import (
    Answer,
    WrongArguments,
    print_json,
    print_words,
    run_batch,
    tell_notice,
    text_of,
)
from desktop.domain.knowledge import Scope
from desktop.domain.procedures import DocumentTask
from desktop.domain.search import WEB_OFF, PageStatus, WebPage
from desktop.search.reader.reader import read_file
from desktop.services.container import ServiceContainer, running_services
from desktop.settings import egress
from desktop.settings.egress import EgressContext
from desktop.settings.folders import folders_for


def run(arguments: argparse.Namespace) -> int:
    """Read one page, a batch of saved ones, or a long document for the user."""
    with egress.on(EgressContext(stays_here=arguments.only_here)):
        return _run(arguments)


def _run(arguments: argparse.Namespace) -> int:
    if arguments.batch:
        return asyncio.run(run_batch(arguments.batch, _respond))
    if not arguments.target:
        raise WrongArguments("say which address or file to read")
    if arguments.for_me:
        return read_for_user(arguments)
    page = asyncio.run(_read(arguments))
    if arguments.json:
        print_json(page_json(page))
    else:
        print_words(f"{page.title}\n\n{page.text}" if page.text else f"{page.status}: {page.error}")
    return 0 if page.status is PageStatus.READ else 1


async def _respond(request: Answer) -> Answer:
    return page_json(await read_file(Path(text_of(request, "file")), text_of(request, "url", "")))


async def _read(arguments: argparse.Namespace) -> WebPage:
    if arguments.target.startswith(("http://", "https://")):
        async with running_services(folders_for(arguments.data_dir), tell=tell_notice) as services:
            return await services.web_services.reader.read(arguments.target)
    return await read_file(Path(arguments.target))


def page_json(page: WebPage) -> Answer:
    """Return a page as JSON for scripts."""
    return {
        "status": page.status.value,
        "url": page.url,
        "title": page.title,
        "author": page.author,
        "published": page.published,
        "text": page.text,
        "error": page.error,
    }


def read_for_user(arguments: argparse.Namespace) -> int:
    """Read one document; the conversation is not stored."""
    return asyncio.run(_read_for_user(arguments))


async def _read_for_user(arguments: argparse.Namespace) -> int:
    async with temporary_services(arguments.data_dir, has_files=not arguments.kb) as services:
        report = Report(arguments, arguments.question or arguments.target)
        await answer_at_terminal(services, await _question(services, arguments), report)
    return report.close()


def readable_file(name: str) -> Path:
    """Return the whole path of a file; raises OSError if it cannot be opened."""
    path = Path(name)
    path.open("rb").close()
    return path.resolve()


async def _question(services: ServiceContainer, arguments: argparse.Namespace) -> Question:
    bases: tuple[str, ...] = ()
    files: tuple[Path, ...] = ()
    if arguments.kb:
        base = await find_base(services, arguments.kb)
        (item,) = await find_items(services, base, [arguments.target])
        bases = (Scope(base.id, item_id=item.id).key,)
    else:
        files = (readable_file(arguments.target),)
    conversation = await services.store.create()
    return Question(
        text=arguments.question,
        conversation_id=conversation.id,
        model=arguments.model or services.preferences.settings.chat.model,
        web=WEB_OFF,
        bases=bases,
        files=files,
        procedure=DocumentTask.READ,
    )
