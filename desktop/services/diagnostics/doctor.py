"""Checks what is installed, reachable and configured, including knowledge bases, and suggests fixes."""

import asyncio
import importlib.util
import os
import platform
import shlex
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from functools import partial
from typing import TYPE_CHECKING

from desktop import __version__
from desktop.domain.knowledge import ItemState
from desktop.domain.program import Check, CheckStatus, FixAction
from desktop.domain.search import EngineHealth, SearchStatus
from desktop.errors import AppError, BrowserMissing, KnowledgeError, plain_reason
from desktop.installation import installation
from desktop.phrases import TranslatableMessage, pluralize, sentences, translatable
from desktop.services.updates import FORM_NAMES
from desktop.settings.model import ChromaServer, ProviderSettings

if TYPE_CHECKING:  # it imports what builds all services
    from desktop.services.container import ServiceContainer

CheckUp = Callable[["ServiceContainer"], Awaitable[Check]]

_OCR = "rapidocr"
_COUNTED = translatable(
    "{bases} knowledge bases, {items} items, {passages} passages; {waiting} waiting, {failed} failed"
)
_SEE_WHY = translatable("See why: {command}; try again: {again}")
_ENGINE, _MODEL_SERVER, _CHROMA_SERVER = "engine {name}", "model server {name}", "chroma server {name}"
"""Names of checks, by which the window finds its own; the command line shows them as they are."""

_CHOOSE_MODEL = translatable("Choose another model in Settings > Knowledge, or download this one there.")
_NOT_SET = translatable("{model} is not in the settings")
_NOT_HERE = translatable("{model} is not on this computer")
_SERVED = translatable("{model} on your own server. {result}")
_LOCAL = translatable("{model} on this computer. {result}")
_INSTALL = translatable("Install it: {command}")
_INCOMPLETE = translatable("Reinstall Footnote: a part of it is missing.")
_NO_OCR = translatable("{package} is not installed, so scans are not read")
_OCR_OFF = translatable("{package} is installed; reading scans is off in the settings")
_OCR_ON = translatable("scans are read with {package}")
_DESCRIBED = translatable("scans are read with {package}; images without text are described by {model}")
_OTHER_RERANKER = translatable("Choose another one in Settings > Knowledge.")
_CHECK_TOKEN = translatable("Check the address {address} and the token in Settings > Knowledge.")
_OPEN = (ItemState.WAITING, ItemState.READING, ItemState.KEYWORD_READY)

_LIMIT_S = 60.0
"""Timeout of a local check in seconds: a browser or the embedding model starts slowly from a cold disk."""

_SERVER_LIMIT_S = 20.0

_NO_ANSWER = translatable("no response within {limit} s")
_PROGRAM = translatable("Footnote {version}, {form}; Python {python}, {system}")
_PORTABLE = translatable("{folder}, beside the program")
_NEWER = translatable("version {version} is available; this is {current}")
_COMMAND = translatable("Command: {command}")
_PAGE = translatable("Page: {address}")
_NEWEST = translatable("this is the newest version, as of {day}")
_NOT_ASKED = translatable("not checked yet whether there is a newer version")
_NEVER_ASKED = translatable("the check for newer versions is off")
_READ_ONLY = translatable("{folder} is read-only")
_MAKE_WRITABLE = translatable(
    "Give yourself permission to write there, or choose another folder with --data-dir."
)
_SET_ASIDE = translatable("Check the file that was set aside.")
_NO_BROWSER = translatable("no browser for web search")
_OTHER_BROWSER = translatable("Choose another one in Settings, or install what is missing.")
_NO_KEYRING = translatable(
    "Install a keyring, such as gnome-keyring or KWallet, or give keys by environment variable."
)
_KEYRING = translatable("keys are saved in the system keyring")
_KEYS_STAY = translatable("keys are kept in the keyring of this computer, and not in the portable folder")
_HAS_KEY = translatable("has a key")
_HAS_NO_KEY = translatable("no key; searches go through the browser")
_ENGINE_ANSWERS = translatable("responds, usually within {seconds} s")
_LEFT_ALONE = translatable("Paused for another {seconds} s.")
_TRY_ENGINE = translatable("Try it: {command}")
_DO_AS_ASKED = translatable("Follow its instructions: {command}")
_CHECK_SERVER = translatable("Check the address {address} and the key in Settings.")
_SILENT = translatable("no response")
_ENGINE_ALONE = translatable("llama.cpp is installed; no model is on this computer")
_NO_ENGINE = translatable("llama.cpp is not installed; no model on this computer needs it")
_RUNNABLE = translatable("llama.cpp is installed; models on this computer: {names}")
_NOT_RUNNABLE = translatable("llama.cpp is not installed; models on this computer: {names}")
_REPLACE_FILE = translatable("Delete it in Settings > Models, and download it or add it again.")
_MODELS = (translatable("{address} offers {count} model"), translatable("{address} offers {count} models"))


def knowledge_checks(services: "ServiceContainer") -> dict[str, CheckUp]:
    """Return the checks by the component they examine; components the user has not set up are skipped."""
    knowledge = services.preferences.settings.knowledge
    checks: dict[str, CheckUp] = {"knowledge": _bases, "embedding model": _embedding, "scans": _scans}
    if knowledge.reranker:
        checks["reranker"] = _reranker
    return checks | {_name_of(server): partial(_server, server) for server in knowledge.chroma_servers}


async def _bases(services: "ServiceContainer") -> Check:
    bases = await services.knowledge.bases()
    states: Counter[ItemState] = Counter()
    failing = ""
    for base in bases:
        found = Counter(item.state for item in await services.knowledge.items(base.id))
        states += found
        failing = failing or (base.name if found[ItemState.FAILED] else "")
    waiting, failed = sum(states[state] for state in _OPEN), states[ItemState.FAILED]
    passages = sum(base.passages for base in bases)
    detail = _COUNTED.format(
        bases=len(bases), items=states.total(), passages=passages, waiting=waiting, failed=failed
    )
    if failed:
        name = shlex.quote(failing)
        advice = _SEE_WHY.format(command=f"footnote kb status {name}", again=f"footnote kb retry {name}")
        return Check("knowledge", CheckStatus.WARNING, detail, advice, FixAction.READ_REASONS)
    return Check("knowledge", CheckStatus.OK, detail)


async def _embedding(services: "ServiceContainer") -> Check:
    chosen = services.preferences.settings.knowledge.embedding_model
    model = next((each for each in await services.embedders.models() if each.id == chosen), None)
    if model is None:
        return Check("embedding model", CheckStatus.WARNING, _NOT_SET.format(model=chosen), _CHOOSE_MODEL)
    if not model.is_here:
        return Check(
            "embedding model", CheckStatus.WARNING, _NOT_HERE.format(model=model.name), _CHOOSE_MODEL
        )
    try:
        result = await services.embedders.test(chosen)
    except KnowledgeError as error:
        return Check("embedding model", CheckStatus.WARNING, str(error), _CHOOSE_MODEL)
    words = _SERVED if model.kind == "api" else _LOCAL
    return Check("embedding model", CheckStatus.OK, words.format(model=model.name, result=result))


async def _scans(services: "ServiceContainer") -> Check:
    if importlib.util.find_spec(_OCR) is None:
        command = installation().package_command(_OCR)
        advice = _INSTALL.format(command=command) if command else _INCOMPLETE
        return Check("scans", CheckStatus.WARNING, _NO_OCR.format(package=_OCR), advice)
    if not services.preferences.settings.knowledge.reads_scans:
        return Check("scans", CheckStatus.OK, _OCR_OFF.format(package=_OCR))
    if describer := services.preferences.settings.knowledge.describer:
        return Check("scans", CheckStatus.OK, _DESCRIBED.format(package=_OCR, model=describer))
    return Check("scans", CheckStatus.OK, _OCR_ON.format(package=_OCR))


async def _reranker(services: "ServiceContainer") -> Check:
    try:
        return Check("reranker", CheckStatus.OK, await services.embedders.test_reranker())
    except KnowledgeError as error:
        return Check("reranker", CheckStatus.WARNING, str(error), _OTHER_RERANKER)


async def _server(server: ChromaServer, services: "ServiceContainer") -> Check:
    try:
        return Check(_name_of(server), CheckStatus.OK, await services.embedders.test_server(server, None))
    except KnowledgeError as error:
        return Check(
            _name_of(server), CheckStatus.WARNING, str(error), _CHECK_TOKEN.format(address=server.url)
        )


def _name_of(server: ChromaServer) -> str:
    return TranslatableMessage(_CHROMA_SERVER, {"name": server.name})


async def examine(services: "ServiceContainer") -> AsyncIterator[Check]:
    """Yield the findings one by one."""
    for name, check in (_CHECKS | knowledge_checks(services)).items():
        yield await _finding(name, check, services)
    for health in await services.web_services.web.health():
        if health.last is not None:
            yield engine_check(health)
    for provider in await services.models.list_offered():
        yield await _provider(services, provider)


async def _finding(name: str, check: CheckUp, services: "ServiceContainer") -> Check:
    try:
        async with asyncio.timeout(_LIMIT_S):
            return await check(services)
    except TimeoutError:
        return Check(name, CheckStatus.FAILED, _NO_ANSWER.format(limit=f"{_LIMIT_S:.0f}"))
    except (AppError, OSError) as error:
        named = error.filename if isinstance(error, OSError) else None
        reason = plain_reason(error)
        detail = (
            TranslatableMessage("{path}: {reason}", {"path": named, "reason": reason}) if named else reason
        )
        return Check(name, CheckStatus.FAILED, detail)


async def _program(_services: "ServiceContainer") -> Check:
    detail = _PROGRAM.format(
        version=__version__,
        form=FORM_NAMES[installation().form],
        python=platform.python_version(),
        system=platform.platform(),
    )
    return Check("program", CheckStatus.OK, detail)


async def _data(services: "ServiceContainer") -> Check:
    folder = services.folders.data
    services.folders.create()
    if not os.access(folder, os.W_OK):
        return Check("data", CheckStatus.FAILED, _READ_ONLY.format(folder=folder), _MAKE_WRITABLE)
    problem = services.preferences.settings_problem
    if problem:
        return Check("data", CheckStatus.WARNING, problem, _SET_ASIDE)
    detail = _PORTABLE.format(folder=folder) if services.folders.is_portable else str(folder)
    return Check("data", CheckStatus.OK, detail)


async def _updates(services: "ServiceContainer") -> Check:
    status, program = await services.updates.status(), services.updates.program
    if status.release is not None:
        detail = _NEWER.format(version=status.release.version, current=program.version)
        way = _COMMAND.format(command=program.command) if program.command else ""
        advice = sentences((program.advice, way, _PAGE.format(address=status.release.address)))
        return Check("updates", CheckStatus.WARNING, detail, advice)
    if status.problem:
        return Check("updates", CheckStatus.OK, status.problem)
    if not status.is_on:
        return Check("updates", CheckStatus.OK, _NEVER_ASKED)
    if status.asked_at is None:
        return Check("updates", CheckStatus.OK, _NOT_ASKED)
    return Check("updates", CheckStatus.OK, _NEWEST.format(day=f"{status.asked_at:%Y-%m-%d}"))


async def _browser(services: "ServiceContainer") -> Check:
    from desktop.search.browser.requests import RenderStatus  # noqa: PLC0415 (only the doctor asks)

    try:
        path = await services.browser_setup.find()
    except BrowserMissing as error:
        # A missing browser that is named in the settings is not replaced by another.
        is_named = bool(services.preferences.settings.search.browser_path)
        remedy = FixAction.NONE if is_named else FixAction.GET_BROWSER
        return Check("browser", CheckStatus.FAILED, _NO_BROWSER, str(error), remedy)
    blank = await services.web_services.browser.fetch("about:blank")
    if blank.status is RenderStatus.FAILED:
        return Check(
            "browser",
            CheckStatus.FAILED,
            TranslatableMessage("{path}: {reason}", {"path": path, "reason": blank.error}),
            _OTHER_BROWSER,
        )
    return Check("browser", CheckStatus.OK, str(path))


async def _keyring(services: "ServiceContainer") -> Check:
    problem = await services.preferences.probe_keyring()
    if problem:
        return Check("keyring", CheckStatus.WARNING, problem, _NO_KEYRING)
    return Check("keyring", CheckStatus.OK, _KEYS_STAY if services.folders.is_portable else _KEYRING)


async def _local_models(services: "ServiceContainer") -> Check:
    models = [model for model in await services.local_models.models() if model.path is not None]
    names = ", ".join(model.name for model in models)
    if problem := await services.local_models.problem():
        if not models:
            return Check("local models", CheckStatus.OK, _NO_ENGINE)
        return Check("local models", CheckStatus.WARNING, _NOT_RUNNABLE.format(names=names), problem)
    if errors := [model.error for model in models if model.error]:
        return Check("local models", CheckStatus.WARNING, sentences(errors), _REPLACE_FILE)
    if warnings := [model.warning for model in models if model.warning]:
        return Check("local models", CheckStatus.WARNING, sentences(warnings))
    return Check("local models", CheckStatus.OK, _RUNNABLE.format(names=names) if names else _ENGINE_ALONE)


async def _tavily(services: "ServiceContainer") -> Check:
    if await services.preferences.has_secret("search/tavily"):
        return Check("tavily", CheckStatus.OK, _HAS_KEY)
    return Check("tavily", CheckStatus.OK, _HAS_NO_KEY)


_CHECKS: dict[str, CheckUp] = {
    "program": _program,
    "data": _data,
    "updates": _updates,
    "browser": _browser,
    "keyring": _keyring,
    "tavily": _tavily,
    "local models": _local_models,
}


def engine_check(health: EngineHealth) -> Check:
    """Return a finding on the last search of an engine."""
    name = TranslatableMessage(_ENGINE, {"name": health.name})
    if health.last in {SearchStatus.RESULTS, SearchStatus.NOTHING_FOUND}:
        return Check(name, CheckStatus.OK, _ENGINE_ANSWERS.format(seconds=f"{health.typical_s:.1f}"))
    pause = _LEFT_ALONE.format(seconds=f"{health.paused_s:.0f}") if health.paused_s else ""
    command = f"footnote search --engine {health.engine} Wikipedia"
    advice, remedy = _TRY_ENGINE.format(command=command), FixAction.TEST_ENGINE
    if health.can_be_shown:
        command = f"footnote search --engine {health.engine} --show-captcha Wikipedia"
        advice, remedy = _DO_AS_ASKED.format(command=command), FixAction.SHOW_PAGE
    return Check(name, CheckStatus.WARNING, sentences((health.error, pause)), advice, remedy)


async def _provider(services: "ServiceContainer", provider: ProviderSettings) -> Check:
    name = TranslatableMessage(_MODEL_SERVER, {"name": provider.name})
    try:
        async with asyncio.timeout(_SERVER_LIMIT_S):
            models = await services.models.test(provider, None)
    except (AppError, TimeoutError) as error:
        advice = _CHECK_SERVER.format(address=provider.base_url)
        return Check(
            name,
            CheckStatus.WARNING,
            _SILENT if isinstance(error, TimeoutError) else plain_reason(error),
            advice,
        )
    return Check(name, CheckStatus.OK, pluralize(_MODELS, len(models), address=provider.base_url))
