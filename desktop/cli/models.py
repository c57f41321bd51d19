"""`footnote models`: the language models that run on this computer: listed, downloaded, added, removed."""

import argparse
import asyncio
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from desktop.cli.output.terminal import Answer, print_json, print_words, tell
from desktop.domain.models import LOCAL_PROVIDER, LocalModel
from desktop.errors.servers import LocalModelUnknown
from desktop.services.container import ServiceContainer, running_services
from desktop.settings.folders import folders_for

_GB = 10**9
_STEP = 5
"""Progress is printed every so many percent."""


def run(arguments: argparse.Namespace) -> int:
    """Run one action, then list the models that it left."""
    return asyncio.run(_run(arguments))


async def _run(arguments: argparse.Namespace) -> int:
    async with running_services(folders_for(arguments.data_dir)) as services:
        match arguments.action:
            case "download":
                await _download(services, (await _find_model(services, arguments.model)).id)
            case "add":
                await _add(services, arguments.file.absolute())
            case "remove":
                await _remove(services, await _find_model(services, arguments.model))
        models = await services.local_models.models()
        problem = await services.local_models.problem()
    if arguments.json:
        print_json({"models": list(map(_document, models)), "problem": problem})
    else:
        print_words("\n".join(filter(None, (*map(_line, models), problem))))
    return 0


async def _find_model(services: ServiceContainer, name: str) -> LocalModel:
    wanted = name.removeprefix(f"{LOCAL_PROVIDER}/")
    for model in await services.local_models.models():
        if model.id == wanted:
            return model
    raise LocalModelUnknown(model=name)


async def _download(services: ServiceContainer, model_id: str) -> None:
    told = -1
    async with aclosing(services.local_models.download(model_id)) as steps:
        async for step in steps:
            percent = 100 * step.done_bytes // max(step.total_bytes, 1)
            if percent - percent % _STEP != told:
                told = percent - percent % _STEP
                tell(f"{told} %")


async def _add(services: ServiceContainer, path: Path) -> None:
    model = await services.local_models.inspect(path)
    files = services.preferences.settings.local_models.files
    await _save_files(services, tuple(dict.fromkeys((*files, str(model.path)))))


async def _remove(services: ServiceContainer, model: LocalModel) -> None:
    if model.is_own:
        files = services.preferences.settings.local_models.files
        await _save_files(services, tuple(file for file in files if file != str(model.path)))
    else:
        await services.local_models.delete(model.id)


async def _save_files(services: ServiceContainer, files: tuple[str, ...]) -> None:
    settings = services.preferences.settings
    local = replace(settings.local_models, files=files)
    await services.preferences.save(replace(settings, local_models=local))


def _document(model: LocalModel) -> Answer:
    return {
        "id": f"{LOCAL_PROVIDER}/{model.id}",
        "name": model.name,
        "is_here": model.is_here,
        "path": str(model.path or ""),
        "size_bytes": model.size_bytes,
        "received_bytes": model.received_bytes,
        "memory_bytes": model.memory_bytes,
        "licence": model.licence,
        "source": model.source,
        "error": model.error,
        "warning": model.warning,
    }


def _line(model: LocalModel) -> str:
    if model.path is None:
        paused = (
            f", {100 * model.received_bytes // model.size_bytes} % is here" if model.received_bytes else ""
        )
        where = f"to download{paused}"
    else:
        where = str(model.path)
    facts = (
        f"{model.size_bytes / _GB:.1f} GB",
        f"{model.memory_bytes / _GB:.1f} GB of memory",
        model.licence,
    )
    notes = "".join(f"\n    {note}" for note in (model.error, model.warning) if note)
    return f"{LOCAL_PROVIDER}/{model.id}  {', '.join(filter(None, facts))}  {where}{notes}"
