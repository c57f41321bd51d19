"""`footnote memory`: the memories shared by all conversations."""

import argparse
import asyncio

from desktop.chat.memory_retriever import match_memories
from desktop.cli.output.terminal import Answer, print_json, print_words, tell_notice
from desktop.domain.memory import Memory, likeness
from desktop.errors import UnknownMemory
from desktop.render.labels import EN
from desktop.services.container import ServiceContainer, running_services
from desktop.settings.folders import folders_for
from desktop.storage.memories import memory_json


def run(arguments: argparse.Namespace) -> int:
    """Run one action on the memories."""
    return asyncio.run(_run(arguments))


async def _run(arguments: argparse.Namespace) -> int:
    async with running_services(folders_for(arguments.data_dir), tell=tell_notice) as services:
        answer = await _ACTIONS[arguments.action](services, arguments)
    if arguments.json:
        print_json(answer)
    else:
        print_words(_words(answer))
    return 0


async def _list(services: ServiceContainer, arguments: argparse.Namespace) -> Answer:
    memories = await services.memories.all()
    if arguments.words:
        memories = tuple(memory for memory, _ in match_memories(memories, [arguments.words]))
    return {"memories": list(map(memory_json, memories))}


async def _add(services: ServiceContainer, arguments: argparse.Namespace) -> Answer:
    memory = await services.memories.add(arguments.text, arguments.assistant or None)
    return {"remembered": memory_json(memory)}


async def _remove(services: ServiceContainer, arguments: argparse.Namespace) -> Answer:
    memory = _find_memory(await services.memories.all(), arguments.memory)
    await services.memories.delete(memory.id)
    return {"forgotten": memory_json(memory)}


async def _export(services: ServiceContainer, arguments: argparse.Namespace) -> Answer:
    return {"written": await services.memories.export_to(arguments.file)}


async def _import(services: ServiceContainer, arguments: argparse.Namespace) -> Answer:
    return {"taken": await services.memories.import_from(arguments.file)}


_ACTIONS = {"list": _list, "add": _add, "remove": _remove, "export": _export, "import": _import}


def _find_memory(memories: tuple[Memory, ...], name: str) -> Memory:
    """Return the memory with an id, a unique beginning of an id, or a text.

    Raises:
        UnknownMemory: there is none, or more than one.
    """
    by_text = [memory for memory in memories if likeness(memory.text) == likeness(name)]
    found = by_text or [memory for memory in memories if name and memory.id.startswith(name)]
    if len(found) != 1:
        raise UnknownMemory
    return found[0]


def _words(answer: Answer) -> str:
    if "memories" in answer:
        return "\n".join(map(_line, answer["memories"])) or "nothing is remembered"
    return "\n".join(f"{name}: {_line(value)}" for name, value in answer.items())


def _line(value: object) -> str:
    if not isinstance(value, dict):
        return str(value)
    assistant = f"  ({value['assistant']})" if value["assistant"] else ""
    return f"{value['id'][:8]}  {value['created_at'][:10]}  {value['origin']}{assistant}  {value['text'] or EN.damaged}"
