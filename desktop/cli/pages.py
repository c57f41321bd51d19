"""`footnote pages`: the web pages that a chat cites, as they were read, and whether they have changed."""

import argparse
import asyncio
from contextlib import aclosing
from pathlib import Path
from typing import Any

from desktop.cli.output.terminal import print_json, print_words, tell, tell_notice
from desktop.domain.sources import KeptPage, PageState, PageTexts, TextChange
from desktop.errors import AmbiguousConversation, CitedPageDamaged, CitedPageMissing
from desktop.render.page_checks import SIGNS, describe_page_check
from desktop.services.container import ServiceContainer, running_services
from desktop.settings.folders import folders_for
from desktop.text.comparison import list_changes


def run(arguments: argparse.Namespace) -> int:
    """List pages; with --check the status is a failure if one of them is another one now, or is gone."""
    return asyncio.run(_run(arguments))


async def _run(arguments: argparse.Namespace) -> int:
    async with running_services(folders_for(arguments.data_dir), tell=tell_notice) as services:
        arguments.chat = await find_chat(services, arguments.chat)
        if arguments.text is not None:
            return await _print_text(services, arguments)
        if arguments.save is not None:
            path = arguments.to or Path(f"page-{arguments.save}.html")
            await services.page_archive.save_file(arguments.chat, arguments.save, path)
            print_json({"file": str(path)}) if arguments.json else print_words(str(path))
            return 0
        if arguments.check:
            await _check(services, arguments)
        pages = await services.page_archive.pages(arguments.chat)
        texts = {page.number: await _changes(services, arguments.chat, page) for page in pages}
    if arguments.json:
        print_json({"pages": [_json(page, texts[page.number]) for page in pages]})
    else:
        lines = [line for page in pages for line in _lines(page, texts[page.number])]
        print_words("\n".join(lines) or "no page of this chat is saved")
    is_other = any(page.check is not None and page.check.is_warning for page in pages)
    return int(not pages or (arguments.check and is_other))


async def find_chat(services: ServiceContainer, name: str) -> str:
    """Return the id of the only chat that has a title or id."""
    chats = await services.store.recent()
    found = [chat.id for chat in chats if chat.id == name] or [
        chat.id for chat in chats if chat.title == name
    ]
    if len(found) != 1:
        raise AmbiguousConversation(name=name)
    return found[0]


async def _print_text(services: ServiceContainer, arguments: argparse.Namespace) -> int:
    found = await _load(services, arguments.chat, arguments.text)
    if arguments.json:
        print_json({**_json(found.page, ()), "text": found.text, "newer": found.newer})
    else:
        print_words(found.text)
    return 0


async def _load(services: ServiceContainer, chat: str, number: int) -> PageTexts:
    found = await services.page_archive.load(chat, number)
    if found is None:
        raise CitedPageMissing(number=number)
    return found


async def _check(services: ServiceContainer, arguments: argparse.Namespace) -> None:
    async with aclosing(services.page_archive.check(arguments.chat)) as steps:
        async for step in steps:
            if not arguments.json and step.total:
                tell(f"read again: {step.done} of {step.total}")


async def _changes(services: ServiceContainer, chat: str, page: KeptPage) -> tuple[TextChange, ...]:
    if not page.newer_hash:
        return ()
    try:
        texts = await _load(services, chat, page.number)
    except CitedPageDamaged as error:  # the other pages can still be listed
        tell(f"[{page.number}] {error}")
        return ()
    sources = (await services.store.load(chat)).sources
    passages = next((each.passages for each in sources if each.number == page.number), ())
    return list_changes(texts.text, texts.newer, passages)


def _json(page: KeptPage, changes: tuple[TextChange, ...]) -> dict[str, Any]:
    check = page.check
    return {
        "number": page.number,
        "address": page.address,
        "final_address": page.final_address,
        "title": page.title,
        "read_at": page.read_at.isoformat(),
        "text_sha256": page.text_hash,
        "file_bytes": page.file_bytes,
        "check": None
        if check is None
        else {
            "state": check.state.value,
            "checked_at": check.checked_at.isoformat(),
            "address": check.address,
            "passage_unchanged": check.has_passage,
            "detail": check.detail,
            "changes": [
                {"removed": each.removed, "added": each.added, "in_passage": each.is_in_passage}
                for each in changes
            ],
        },
    }


def _lines(page: KeptPage, changes: tuple[TextChange, ...]) -> list[str]:
    lines = [f"[{page.number}] {page.title or page.address}", f"    {page.final_address}"]
    lines.append(f"    read {page.read_at.astimezone():%Y-%m-%d %H:%M}")
    if (check := page.check) is not None:
        lines.append(f"    {SIGNS[check.state]} {describe_page_check(check)}")
        for change in changes if check.state is not PageState.GONE else ():
            lines += [f"    - {line}" for line in change.removed.splitlines()]
            lines += [f"    + {line}" for line in change.added.splitlines()]
    return lines
