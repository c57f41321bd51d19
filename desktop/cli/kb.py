"""`footnote kb`: knowledge bases."""

import argparse
import asyncio
import sys
from contextlib import aclosing
from urllib.parse import unquote, urlsplit

import msgspec

from desktop.chat.attachments import is_attachment_base
from desktop.cli.ask import base_id
from desktop.cli.output import Answer, locator_json, print_json, print_words, run_batch, text_of
from desktop.domain.knowledge import ItemInfo, ItemState
from desktop.engine.assembly import Rooms, running_rooms
from desktop.errors import FileUnreadable
from desktop.settings.folders import folders_for


def run(arguments: argparse.Namespace) -> int:
    """Run one action on the knowledge bases."""
    return asyncio.run(_run(arguments))


async def _run(arguments: argparse.Namespace) -> int:
    async with running_rooms(folders_for(arguments.data_dir)) as rooms:
        if arguments.action == "search" and arguments.batch:
            return await _search_batch(rooms, arguments)
        answer, status = await _ACTIONS[arguments.action](rooms, arguments)
    if arguments.json:
        print_json(answer)
    else:
        print_words(_words(answer))
    return status


async def _create(rooms: Rooms, arguments: argparse.Namespace) -> tuple[Answer, int]:
    if not arguments.base.strip() or not arguments.base.isprintable():
        raise ValueError("a knowledge base needs a name that can be read")
    return {"base": msgspec.to_builtins(await rooms.knowledge.create(arguments.base.strip()))}, 0


async def _add(rooms: Rooms, arguments: argparse.Namespace) -> tuple[Answer, int]:
    base = await base_id(rooms, arguments.base)
    ended: dict[str, ItemInfo] = {}
    paths = [path.resolve() for path in arguments.paths]
    async with aclosing(rooms.knowledge.add(base, paths)) as progress:
        async for step in progress:
            if step.item.state in {ItemState.READY, ItemState.FAILED}:
                ended[step.item.id] = step.item
                sys.stderr.write(f"{step.item.state} {step.item.path} {step.item.error}".rstrip() + "\n")
    failed = sum(item.state is ItemState.FAILED for item in ended.values())
    return {"files": [_item_json(item) for item in ended.values()], "failed": failed}, 1 if failed else 0


async def _list(rooms: Rooms, arguments: argparse.Namespace) -> tuple[Answer, int]:
    if not arguments.base:
        bases = [base for base in await rooms.knowledge.bases() if not is_attachment_base(base)]
        return {"bases": msgspec.to_builtins(bases)}, 0
    items = await rooms.knowledge.items(await base_id(rooms, arguments.base))
    return {"files": [_item_json(item) for item in items]}, 0


async def _status(rooms: Rooms, arguments: argparse.Namespace) -> tuple[Answer, int]:
    items = await rooms.knowledge.items(await base_id(rooms, arguments.base))
    states = {state.value: sum(item.state is state for item in items) for state in ItemState}
    return {"base": arguments.base, "passages": sum(item.passages for item in items), "states": states}, 0


async def _search(rooms: Rooms, arguments: argparse.Namespace) -> tuple[Answer, int]:
    base = await base_id(rooms, arguments.base)
    return await _found(rooms, base, arguments.query, arguments.count), 0


async def _search_batch(rooms: Rooms, arguments: argparse.Namespace) -> int:
    base = await base_id(rooms, arguments.base)

    async def respond(request: Answer) -> Answer:
        return await _found(
            rooms, base, text_of(request, "query"), _count(request.get("count", arguments.count))
        )

    return await run_batch(arguments.batch, respond)


async def _found(rooms: Rooms, base: str, query: str, count: int) -> Answer:
    retrieval = await rooms.knowledge.retrieve([query], [base], count)
    return {
        "passages": [
            {
                "text": passage.text,
                "file": unquote(urlsplit(passage.url).path),
                "locator": locator_json(passage.locator),
                "score": passage.score,
            }
            for passage in retrieval.passages
        ],
        "notes": list(retrieval.notes),
    }


async def _remove(rooms: Rooms, arguments: argparse.Namespace) -> tuple[Answer, int]:
    base = await base_id(rooms, arguments.base)
    if not arguments.file:
        await rooms.knowledge.delete(base)
        return {"removed": arguments.base}, 0
    for item in await rooms.knowledge.items(base):
        if arguments.file in {item.id, item.name, item.path}:
            await rooms.knowledge.remove([item.id])
            return {"removed": item.path}, 0
    raise FileUnreadable(name=arguments.file, detail="it is not in this base")


_ACTIONS = {
    "create": _create,
    "add": _add,
    "list": _list,
    "status": _status,
    "search": _search,
    "remove": _remove,
}


def _item_json(item: ItemInfo) -> Answer:
    return {
        "file": item.path,
        "state": item.state.value,
        "pages": item.pages,
        "passages": item.passages,
        "error": item.error,
    }


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError("“count” must be a number of 1 or more")
    return value


def _words(answer: Answer) -> str:
    """Return an answer as lines for people: a line for each base, file or passage."""
    for name in ("passages", "files", "bases"):
        if name in answer:
            return "\n".join(map(_line, answer[name])) or f"no {name}"
    return "\n".join(f"{name}: {_line(value)}" for name, value in answer.items())


def _line(value: object) -> str:
    if isinstance(value, dict):
        return "  ".join(
            f"{key} {_line(item)}" for key, item in value.items() if item not in ("", None, 0, {})
        )
    return str(value)
