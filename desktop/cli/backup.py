"""`footnote backup`: manages backup copies of the user's data."""

import argparse
import asyncio
from contextlib import aclosing
from datetime import UTC, datetime

from desktop.cli.output.terminal import Answer, print_json, print_words, tell_notice
from desktop.domain.backups import HERE, BackupCopy, CopyKind, Difference, is_in_future
from desktop.errors import BackupFailed
from desktop.phrases import translatable
from desktop.services.container import ServiceContainer, running_services
from desktop.settings.folders import folders_for

_NEWEST = "newest"


def run(arguments: argparse.Namespace) -> int:
    """Run one backup action."""
    return asyncio.run(_run(arguments))


async def _run(arguments: argparse.Namespace) -> int:
    async with running_services(folders_for(arguments.data_dir), tell=tell_notice) as services:
        answer = await _ACTIONS[arguments.action](services, arguments)
    if arguments.json:
        print_json(answer)
    else:
        print_words("\n".join(answer.get("lines", [f"{name}: {value}" for name, value in answer.items()])))
    return 0


async def _list(services: ServiceContainer, arguments: argparse.Namespace) -> Answer:
    copies = await services.keeping.backups.copies(_place(services, arguments.place))
    if arguments.json:
        return {"copies": list(map(_copy_json, copies))}
    lines = [f"{each.name}  {each.taken_at:%Y-%m-%d %H:%M} UTC{_doubt(each)}  {each.kind}" for each in copies]
    return {"lines": lines or ["no backups"]}


async def _take(services: ServiceContainer, arguments: argparse.Namespace) -> Answer:
    place = _place(services, arguments.place)
    async with aclosing(services.keeping.backups.back_up(place)) as steps:
        async for _ in steps:
            pass
    return {"copied": (await _find_copy(services, place, _NEWEST)).name}


async def _show(services: ServiceContainer, arguments: argparse.Namespace) -> Answer:
    contents = await services.keeping.backups.preview(await _find_named(services, arguments))
    missing = sum(one.difference is Difference.MISSING for one in contents.conversations)
    return {
        "conversations": len(contents.conversations),
        "missing": missing,
        "only_here": contents.only_here,
        "memories": contents.memories,
    }


async def _restore(services: ServiceContainer, arguments: argparse.Namespace) -> Answer:
    backups, copy = services.keeping.backups, await _find_named(services, arguments)
    if arguments.replace:
        done = await backups.replace_all(copy)
        return {"replaced": copy.name, "before": done.before.name if done.before else ""}
    done = await backups.merge(copy)
    return {"conversations": len(done.added), "memories": len(done.memories)}


_ACTIONS = {"list": _list, "take": _take, "show": _show, "restore": _restore}


def _place(services: ServiceContainer, name: str) -> str:
    """Return the id of a destination from its id or name; `HERE` without one."""
    if not name:
        return HERE
    for destination in services.preferences.settings.backup.destinations:
        if name in {destination.id, destination.name}:
            return destination.id
    raise BackupFailed(
        place=name, detail=translatable("It is not one of the backup locations in Settings > Data.")
    )


async def _find_named(services: ServiceContainer, arguments: argparse.Namespace) -> BackupCopy:
    return await _find_copy(services, _place(services, arguments.place), arguments.copy)


async def _find_copy(services: ServiceContainer, place: str, name: str) -> BackupCopy:
    """Return the copy with a name; `newest` is the latest regular copy, whatever was copied since."""
    for copy in await services.keeping.backups.copies(place):
        if copy.name == name or (name == _NEWEST and copy.kind is CopyKind.REGULAR):
            return copy
    raise BackupFailed(place=name, detail=translatable("This backup no longer exists."))


def _doubt(copy: BackupCopy) -> str:
    is_doubtful = is_in_future(copy.taken_at, datetime.now(UTC))
    return " (in the future: the clock was wrong then, or is wrong now)" if is_doubtful else ""


def _copy_json(copy: BackupCopy) -> dict[str, object]:
    return {
        "name": copy.name,
        "taken_at": copy.taken_at.isoformat(),
        "is_in_future": is_in_future(copy.taken_at, datetime.now(UTC)),
        "kind": copy.kind.value,
        "size_bytes": copy.size_bytes,
    }
