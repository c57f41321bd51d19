"""`footnote kb`: knowledge bases."""

import argparse
import asyncio
import sys
from contextlib import aclosing
from urllib.parse import unquote, urlsplit

import msgspec

from desktop.cli.ask import base_id
from desktop.cli.output import Answer, locator_json, print_json, print_words, run_batch
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
    return {"base": msgspec.to_builtins(await rooms.knowledge.create(arguments.base))}, 0


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
        return {"bases": msgspec.to_builtins(await rooms.knowledge.bases())}, 0
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
        return await _found(rooms, base, str(request["query"]), int(request.get("count") or arguments.count))

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
            await rooms.knowledge.remove(item.id)
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


def _words(answer: Answer) -> str:
    rows = answer.get("passages") if isinstance(answer.get("passages"), list) else None
    if rows is None:
        rows = answer.get("files") or answer.get("bases")
    if isinstance(rows, list):
        return "\n".join(
            "  ".join(str(value) for value in row.values() if value not in ("", None)) for row in rows
        )
    return "\n".join(f"{name}: {value}" for name, value in answer.items())
