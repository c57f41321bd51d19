"""`footnote kb`: knowledge bases."""

import argparse
import asyncio
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from desktop.cli.output.terminal import (
    Answer,
    WrongArguments,
    locator_json,
    print_json,
    print_words,
    run_batch,
    tell,
    tell_notice,
    text_of,
)
from desktop.domain.addresses import path_text
from desktop.domain.knowledge import (
    AdditionOutcome,
    BaseInfo,
    EmbeddingModel,
    ItemInfo,
    ItemKind,
    ItemProgress,
    ItemState,
    Scope,
    SourceAddition,
    Transfer,
    TrialRow,
    parse_scope,
)
from desktop.domain.messages import Speaker
from desktop.domain.sources import Passage
from desktop.errors import NothingToRead, UnknownBase, UnknownItem
from desktop.phrases import pluralize
from desktop.services.container import ServiceContainer, running_services
from desktop.settings.folders import folders_for
from desktop.text.message_codec import in_english

Outcome = tuple[Answer, int]
"""The output of an action, and the exit status."""

_PASSAGES = ("{count} passage", "{count} passages")
_Action = Callable[[ServiceContainer, argparse.Namespace], Awaitable[Outcome]]
_NOTHING_ON_IT = (
    "The files do not seem to say anything on this; with `kb set BASE --floor 0` what is nearest is given."
)
_IN_OPTIONS = ("model", "passage_tokens", "passage_count", "threshold", "floor", "place")

_CUT = "(too long: only its beginning was read)"
_REMOVED = "removed"
"""The state of an item that was removed from its base, also because its file was deleted."""
_SKIPPED = "skipped"
_LINKS = ("http://", "https://")


async def find_base(services: ServiceContainer, name: str) -> BaseInfo:
    """Return the base with a name or id.

    Raises:
        UnknownBase: there is none.
    """
    for base in await services.knowledge.bases():
        if name in {base.name, base.id}:
            return base
    raise UnknownBase(base=name)


async def find_scope(services: ServiceContainer, text: str) -> Scope:
    """Return the scope of `base`, `base#tag` or `base/item`; the item may be given by name or path.

    Raises:
        UnknownBase: there is none.
        UnknownItem: the base has no such item, or no item with this tag.
    """
    bases = await services.knowledge.bases()
    scope = parse_scope(text, bases)
    if scope is None:
        raise UnknownBase(base=text)
    base = next(base for base in bases if base.id == scope.base_id)
    if scope.tag and scope.tag not in base.tags:
        raise UnknownItem(item=f"#{scope.tag}", base=base.name)
    if scope.item_id:
        (item,) = await find_items(services, base, [scope.item_id])
        return Scope(base.id, item_id=item.id)
    return scope


async def find_items(services: ServiceContainer, base: BaseInfo, names: Sequence[str]) -> list[ItemInfo]:
    """Return an item for each name: its id, its path or address, or a name that no other item has.

    Raises:
        UnknownItem: there is none, or more than one.
    """
    items = await services.knowledge.items(base.id)
    return [_one(name, base, items) for name in names]


def _one(name: str, base: BaseInfo, items: Sequence[ItemInfo]) -> ItemInfo:
    said = {name, path_text(Path(name))}
    exact = [item for item in items if said & {item.id, item.path}]
    found = exact or [item for item in items if item.name in said]
    if len(found) != 1:
        raise UnknownItem(item=name, base=base.name)
    return found[0]


def item_json(item: ItemInfo) -> Answer:
    """Return an item as JSON."""
    return {
        "file": item.path,
        "name": item.name,
        "kind": item.kind.value,
        "id": item.id,
        "state": item.state.value,
        "pages": item.pages,
        "scanned": item.scanned,
        "is_cut": item.is_cut,
        "passages": item.passages,
        "tags": list(item.tags),
        "read_at": None if item.read_at is None else datetime.fromtimestamp(item.read_at, UTC).isoformat(),
        "error": item.error,
    }


def run(arguments: argparse.Namespace) -> int:
    """Run one action on the knowledge bases."""
    return asyncio.run(_run(arguments))


async def _run(arguments: argparse.Namespace) -> int:
    async with running_services(folders_for(arguments.data_dir), tell=tell_notice) as services:
        return await perform(services, arguments)


async def perform(services: ServiceContainer, arguments: argparse.Namespace) -> int:
    """Run one action and print its output; returns the exit status."""
    if arguments.action == "follow":
        return await follow(services, arguments)
    if arguments.action == "search" and arguments.batch:
        return await search_batch(services, arguments)
    answer, status = await _ACTIONS[arguments.action](services, arguments)
    if arguments.json:
        print_json(answer)
    else:
        print_words(_words(answer))
    return status


async def _create(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    knowledge = services.knowledge
    base = await knowledge.create(arguments.base)
    changed = _with_options(base, arguments)
    if changed != base:
        base = await knowledge.update(changed)
    return {"base": in_english(base)}, 0


async def _rename(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    return await _update(services, replace(await find_base(services, arguments.base), name=arguments.name))


async def _set(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    return await _update(services, _with_options(await find_base(services, arguments.base), arguments))


async def _pause(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    is_paused = arguments.action == "pause"
    return await _update(services, replace(await find_base(services, arguments.base), is_paused=is_paused))


async def _update(services: ServiceContainer, base: BaseInfo) -> Outcome:
    return {"base": in_english(await services.knowledge.update(base))}, 0


async def _list(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    if not arguments.base:
        return {"bases": in_english(await services.knowledge.bases())}, 0
    base = await find_base(services, arguments.base)
    return {"files": [item_json(item) for item in await services.knowledge.items(base.id)]}, 0


async def _status(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    base = await find_base(services, arguments.base)
    items = await services.knowledge.items(base.id)
    return {
        "base": base.name,
        "passages": sum(item.passages for item in items),
        "model": base.model,
        "is_paused": base.is_paused,
        "options": in_english(base.options),
        "tags": list(base.tags),
        "states": {state.value: sum(item.state is state for item in items) for state in ItemState},
        "failed": [item_json(item) for item in items if item.state is ItemState.FAILED],
    }, 0


async def _remove(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    base = await find_base(services, arguments.base)
    knowledge = services.knowledge
    if not arguments.items:
        await knowledge.delete(base.id)
        return {"removed": base.name, "id": base.id}, 0
    items = await find_items(services, base, arguments.items)
    await knowledge.remove([item.id for item in items])
    return {"removed": [item.path or item.name for item in items]}, 0


async def _restore(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    return {"base": in_english(await services.knowledge.restore(arguments.base))}, 0


def _with_options(base: BaseInfo, arguments: argparse.Namespace) -> BaseInfo:
    """Return `base` with the options from the command line."""
    named = {name: value for name in _IN_OPTIONS if (value := getattr(arguments, name)) is not None}
    named |= dict.fromkeys((name for name in ("threshold", "floor") if named.get(name) == "default"), None)
    icon = base.icon if arguments.icon is None else arguments.icon.strip()
    return replace(base, icon=icon, options=replace(base.options, **named))


def _words(answer: dict[str, object]) -> str:
    """Return an answer as readable lines: one for each base, file, passage, folder or model."""
    for name in ("passages", "found", "files", "bases", "folders", "models"):
        if isinstance(rows := answer.get(name), list | tuple):
            notes = answer.get("notes")
            lines = [*map(_line, rows), *(notes if isinstance(notes, list) else ())]
            return "\n".join(lines) or f"no {name}"
    return "\n".join(f"{name}: {_line(value)}" for name, value in answer.items())


def _line(value: object) -> str:
    if isinstance(value, dict):
        shown = {key: words for key, item in value.items() if item and (words := _line(item))}
        return "  ".join(f"{key} {words}" for key, words in shown.items())
    return ", ".join(map(_line, value)) if isinstance(value, list | tuple) else str(value)


async def add(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    """Add files, folders and links to a base, or what the answers of a chat are based on."""
    base = await find_base(services, arguments.base)
    knowledge = services.knowledge
    paths, links = _separate_links(arguments.paths)
    if arguments.from_chat:
        if arguments.paths:
            raise WrongArguments("--from-chat adds what a chat read: leave the paths away")
        return await _add_from_chat(services, base, arguments)
    if not arguments.paths or arguments.cited or arguments.read:
        raise WrongArguments("say what to add: files, folders, addresses or --from-chat CHAT")
    ended: dict[str, ItemProgress] = {}
    if paths:
        ended |= await _wait_for_items(knowledge.add(base.id, paths))
    for link in links:
        ended |= await _wait_for_items(knowledge.add_link(base.id, link))
    return _outcome(ended)


async def _add_from_chat(
    services: ServiceContainer, base: BaseInfo, arguments: argparse.Namespace
) -> Outcome:
    """Add the pages and files behind the answers of a chat, and wait until they are searchable."""
    from desktop.cli.pages import find_chat  # noqa: PLC0415 - only this needs a chat
    from desktop.render.page.cited_sentence import document_sources  # noqa: PLC0415

    conversation = await services.store.load(await find_chat(services, arguments.from_chat))
    answers = [each for each in conversation.messages if each.speaker is Speaker.MODEL]
    found = {
        source.number: source
        for answer in answers
        for source in document_sources(answer, conversation.sources, is_cited=not arguments.read)
    }
    knowledge = services.knowledge
    outcomes: list[SourceAddition] = []
    sources = [found[number] for number in sorted(found)]
    if not sources:
        tell("the answers of this chat are based on no page or file")
    async for step in knowledge.add_sources(base.id, sources, conversation.info.id):
        outcomes.append(step)
        tell(f"{step.outcome} {step.done}/{step.total} {step.title} {step.detail}".rstrip())
    added = [each.item.id for each in outcomes if each.item and each.outcome is AdditionOutcome.ADDED]
    ended = await _wait_for_items(knowledge.watch_items(added)) if added else {}
    refused = sum(each.outcome is AdditionOutcome.REFUSED for each in outcomes)
    answer, status = _outcome(ended)
    rows = [
        {
            "sources": list(each.numbers),
            "title": each.title,
            "outcome": each.outcome.value,
            "item": each.item.id if each.item else "",
            "detail": each.detail,
        }
        for each in outcomes
    ]
    return answer | {"added": rows}, 1 if refused else status


async def note(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    """Write a note, or replace its text."""
    base = await find_base(services, arguments.base)
    text = sys.stdin.read() if arguments.text is None else arguments.text
    if not text.strip():
        raise NothingToRead(name=arguments.title, detail="Give its text, or write it to stdin.")
    old = await find_items(services, base, [arguments.item]) if arguments.item else []
    if any(item.kind is not ItemKind.NOTE for item in old):
        raise ValueError(f"“{arguments.item}” is no note")
    item_id = old[0].id if old else ""
    return _outcome(
        await _wait_for_items(services.knowledge.put_note(base.id, arguments.title, text, item_id))
    )


async def tag(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    """Set the tags of an item."""
    base = await find_base(services, arguments.base)
    (item,) = await find_items(services, base, arguments.items)
    tags = list(dict.fromkeys(name for text in arguments.tags if (name := text.strip().lstrip("#").strip())))
    await services.knowledge.tag([item.id], tags)
    (item,) = await find_items(services, base, [item.id])
    return {"files": [item_json(item)]}, 0


async def retry(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    """Process items again."""
    base = await find_base(services, arguments.base)
    knowledge = services.knowledge
    if arguments.items:
        items = await find_items(services, base, arguments.items)
    else:
        wanted = {ItemState.FAILED, ItemState.WAITING, ItemState.READING}
        items = [item for item in await knowledge.items(base.id) if item.state in wanted]
    return _outcome(await _wait_for_items(knowledge.read_again([item.id for item in items])) if items else {})


async def cancel(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    """Remove items that are not searchable yet from the queue."""
    base = await find_base(services, arguments.base)
    knowledge = services.knowledge
    if arguments.items:
        items = await find_items(services, base, arguments.items)
    else:
        waiting = {ItemState.WAITING, ItemState.READING}
        items = [item for item in await knowledge.items(base.id) if item.state in waiting]
    await knowledge.cancel([item.id for item in items])
    left = {item.id for item in await knowledge.items(base.id)}
    return {"cancelled": [item.path or item.name for item in items if item.id not in left]}, 0


async def passages(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    """Show the passages of an item."""
    base = await find_base(services, arguments.base)
    (item,) = await find_items(services, base, arguments.items)
    return {"passages": in_english(await services.knowledge.passages(item.id))}, 0


async def follow(services: ServiceContainer, arguments: argparse.Namespace) -> int:
    """Print every step of every item until the user interrupts."""
    async for step in services.knowledge.steps():
        if arguments.json:
            removed = {"state": _REMOVED, "error": ""} if step.is_removed else {}
            print_json(item_json(step.item) | {"done": step.done, "total": step.total} | removed)
        else:
            _say(step)
    return 0


def _separate_links(texts: Sequence[str]) -> tuple[list[Path], list[str]]:
    """Separate `texts` into paths and links."""
    links = [text for text in texts if text.casefold().startswith(_LINKS)]
    return [Path(text).resolve() for text in texts if text not in links], links


async def _wait_for_items(steps: AsyncIterator[ItemProgress]) -> dict[str, ItemProgress]:
    """Wait for all items of an addition and return the last step of each; reports progress on stderr.

    An item that the worker will retry later, because of a disk or index error, ends with its error.
    """
    ended: dict[str, ItemProgress] = {}
    async for step in steps:
        if step.item.state.has_ended or step.item.error:
            ended[step.item.id] = step
            _say(step)
    return ended


def _say(step: ItemProgress) -> None:
    item = step.item
    if step.is_removed:
        tell(f"{_REMOVED} {item.path or item.name}")
        return
    state = _SKIPPED if step.is_skipped else item.state
    of = f" {step.done}/{step.total}" if step.total else ""
    note = item.error or (_CUT if item.is_cut else "")
    tell(f"{state}{of} {item.path or item.name} {note}".rstrip())


def _outcome(ended: dict[str, ItemProgress]) -> Outcome:
    """Return the results of items: added and failed ones, and links that were left out."""
    items = [step.item for step in ended.values() if not step.is_skipped and not step.is_removed]
    failed = sum(item.state is ItemState.FAILED or not item.state.has_ended for item in items)
    skipped = [step.item for step in ended.values() if step.is_skipped]
    notes = [f"{_SKIPPED}: {item.path} ({item.error})" for item in skipped]
    answer = {
        "files": [item_json(item) for item in items],
        "failed": failed,
        _SKIPPED: [{"file": item.path, "reason": item.error} for item in skipped],
        "notes": notes,
    }
    return answer, 1 if failed else 0


async def models(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    """List the models, or run an action on one of them."""
    embedders = services.embedders
    if arguments.verb == "list":
        return {"models": in_english(await embedders.models())}, 0
    model = await _find_model(services, arguments.model)
    match arguments.verb:
        case "download":
            await _download_model(services, model)
        case "delete":
            await embedders.delete(model.id)
        case "test":
            return {"model": model.id, "test": await embedders.test(model.id)}, 0
    return {"model": in_english(await _find_model(services, model.id))}, 0


async def _find_model(services: ServiceContainer, name: str) -> EmbeddingModel:
    if not name:
        raise WrongArguments("say which model: `footnote kb models` lists them")
    for model in await services.embedders.models():
        if name in {model.id, model.name}:
            return model
    raise ValueError(f"there is no embedding model “{name}”: `footnote kb models` lists them")


async def _download_model(services: ServiceContainer, model: EmbeddingModel) -> None:
    told = -1
    async for step in services.embedders.download(model.id):
        percent = 100 * step.done_bytes // step.total_bytes if step.total_bytes else 0
        if percent // 5 > told:
            told = percent // 5
            sys.stderr.write(f"{percent} % of {step.total_bytes / 1e6:.0f} MB\n")


async def search(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    """Search passages for one query."""
    if not arguments.query.strip():
        raise WrongArguments("say what to search for")
    scope = await find_scope(services, arguments.base)
    if arguments.explain:
        return await _explain(services, scope, arguments.query), 0
    return await _retrieve(services, scope, arguments.query, arguments.count), 0


async def search_batch(services: ServiceContainer, arguments: argparse.Namespace) -> int:
    """Answer a file of queries."""
    scope = await find_scope(services, arguments.base)

    async def respond(request: Answer) -> Answer:
        return await _retrieve(
            services, scope, text_of(request, "query"), _count(request.get("count", arguments.count))
        )

    return await run_batch(arguments.batch, respond)


async def _retrieve(services: ServiceContainer, scope: Scope, query: str, count: int) -> Answer:
    retrieval = await services.knowledge.retrieve([query], [scope.key], count)
    notes = [*retrieval.notes, _NOTHING_ON_IT] if retrieval.is_unanswered else list(retrieval.notes)
    return {
        "is_unanswered": retrieval.is_unanswered,
        "passages": [_passage_json(passage) | {"score": passage.score} for passage in retrieval.passages],
        "notes": notes,
        "left_out": [_passage_json(left.passage) | {"reason": left.reason} for left in retrieval.left_out],
    }


async def _explain(services: ServiceContainer, scope: Scope, query: str) -> Answer:
    if scope != Scope(scope.base_id):
        raise WrongArguments("--explain looks into a whole base: leave the tag or item away")
    trial = await services.knowledge.try_search(scope.base_id, query)
    return {
        "is_unanswered": trial.is_unanswered,
        "found": list(map(_row_json, trial.rows)),
        "notes": list(trial.notes),
    }


def _row_json(row: TrialRow) -> Answer:
    return {
        "source_use": row.source_use,
        "keyword": row.keyword,
        "vector": row.vector,
        "fused": row.fused,
        "reranked": row.reranked,
    } | _passage_json(row.passage)


def _passage_json(passage: Passage) -> Answer:
    address = urlsplit(passage.url)
    return {
        "text": passage.text,
        "file": unquote(address.path) if address.scheme == "file" else passage.url,
        "locator": locator_json(passage.locator),
    }


def _count(value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise ValueError("“count” must be a number of 1 or more")
    return value


async def watch(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    """Watch a folder, or list the watched folders."""
    base = await find_base(services, arguments.base)
    knowledge = services.knowledge
    if arguments.folder is not None:
        await knowledge.watch_folder(base.id, arguments.folder.resolve(strict=True))
    return {"folders": in_english(await knowledge.folders(base.id))}, 0


async def unwatch(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    """Stop watching a folder."""
    base = await find_base(services, arguments.base)
    knowledge = services.knowledge
    path = str(arguments.folder.resolve())
    folder = next((each for each in await knowledge.folders(base.id) if each.path == path), None)
    if folder is None:
        raise ValueError(f"“{base.name}” does not follow {path}")
    await knowledge.unwatch_folder(folder.id)
    return {"folders": in_english(await knowledge.folders(base.id))}, 0


async def export(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    """Export a base to a file."""
    base = await find_base(services, arguments.base)
    path = arguments.file.resolve()
    last = await _wait_for_transfer(services.knowledge.export(base.id, path))
    result = {"base": base.name, "file": str(path), "passages": last.total}
    without_text = [item.name for item in await services.knowledge.items(base.id) if not item.document]
    return result | ({"without_text": without_text} if without_text else {}), 0


async def import_(services: ServiceContainer, arguments: argparse.Namespace) -> Outcome:
    """Import a base from a file."""
    last = await _wait_for_transfer(services.knowledge.import_(arguments.file.resolve(strict=True)))
    return {"base": in_english(last.base)}, 0


async def _wait_for_transfer(steps: AsyncIterator[Transfer]) -> Transfer:
    """Wait for the last step; reports progress on stderr."""
    last, told = Transfer(0, 0), -1
    async for last in steps:
        percent = 100 * last.done // last.total if last.total else 0
        if percent // 10 > told:
            told = percent // 10
            sys.stderr.write(f"{last.done} of {pluralize(_PASSAGES, last.total)}\n")
    return last


_ACTIONS: Final[dict[str, _Action]] = {
    "list": _list,
    "status": _status,
    "create": _create,
    "rename": _rename,
    "set": _set,
    "pause": _pause,
    "resume": _pause,
    "remove": _remove,
    "restore": _restore,
    "add": add,
    "note": note,
    "tag": tag,
    "retry": retry,
    "cancel": cancel,
    "passages": passages,
    "search": search,
    "watch": watch,
    "unwatch": unwatch,
    "export": export,
    "import": import_,
    "models": models,
}
