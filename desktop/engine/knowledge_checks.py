"""What the doctor says of knowledge: bases, models, what reads pictures, and the servers."""

import importlib.util
import shlex
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial

from desktop.domain.knowledge import EmbeddingModel, ItemState
from desktop.engine.assembly import Rooms
from desktop.engine.checks import Check, CheckStatus
from desktop.errors import KnowledgeError
from desktop.settings.model import ChromaServer

CheckUp = Callable[[Rooms], Awaitable[Check]]

_OCR = "rapidocr"
_OPEN = (ItemState.WAITING, ItemState.READING, ItemState.KEYWORD_READY)


def knowledge_checks(rooms: Rooms) -> dict[str, CheckUp]:
    """Return the checks by what they look at; what the person has not set up is not looked at."""
    knowledge = rooms.preferences.settings.knowledge
    checks: dict[str, CheckUp] = {"knowledge": _bases, "embedding model": _embedding, "scans": _scans}
    if knowledge.reranker:
        checks["reranker"] = _reranker
    return checks | {_name_of(server): partial(_server, server) for server in knowledge.chroma_servers}


async def _bases(rooms: Rooms) -> Check:
    bases = await rooms.bases.bases()
    states: Counter[ItemState] = Counter()
    failing = ""
    for base in bases:
        found = Counter(item.state for item in await rooms.bases.items(base.id))
        states += found
        failing = failing or (base.name if found[ItemState.FAILED] else "")
    waiting, failed = sum(states[state] for state in _OPEN), states[ItemState.FAILED]
    passages = sum(base.passages for base in bases)
    detail = (
        f"{len(bases)} bases, {states.total()} items, {passages} passages; {waiting} waiting, {failed} failed"
    )
    if failed:
        name = shlex.quote(failing)
        advice = f"See why: footnote kb status {name}; try again: footnote kb retry {name}"
        return Check("knowledge", CheckStatus.WARNING, detail, advice)
    return Check("knowledge", CheckStatus.OK, detail)


async def _embedding(rooms: Rooms) -> Check:
    chosen = rooms.preferences.settings.knowledge.embedding_model
    model = next((each for each in await rooms.embedders.models() if each.id == chosen), None)
    advice = "Choose another model in Settings, Knowledge, or download this one there."
    if model is None:
        return Check("embedding model", CheckStatus.WARNING, f"{chosen} is not in the settings", advice)
    if not model.is_here:
        return Check("embedding model", CheckStatus.WARNING, f"{model.name} is not on this computer", advice)
    try:
        return Check(
            "embedding model", CheckStatus.OK, f"{_told(model)}. {await rooms.embedders.test(chosen)}"
        )
    except KnowledgeError as error:
        return Check("embedding model", CheckStatus.WARNING, str(error), advice)


def _told(model: EmbeddingModel) -> str:
    return f"{model.name} on your own server" if model.kind == "api" else f"{model.name} on this computer"


async def _scans(rooms: Rooms) -> Check:
    if importlib.util.find_spec(_OCR) is None:
        advice = f"Install it: pip install {_OCR}"
        return Check("scans", CheckStatus.WARNING, f"{_OCR} is not there, so scans are not read", advice)
    if not rooms.preferences.settings.knowledge.reads_scans:
        return Check("scans", CheckStatus.OK, f"{_OCR} is there; reading scans is off in the settings")
    describer = rooms.preferences.settings.knowledge.describer
    described = f"; pictures without text are described by {describer}" if describer else ""
    return Check("scans", CheckStatus.OK, f"read with {_OCR}{described}")


async def _reranker(rooms: Rooms) -> Check:
    try:
        return Check("reranker", CheckStatus.OK, await rooms.embedders.test_reranker())
    except KnowledgeError as error:
        return Check(
            "reranker", CheckStatus.WARNING, str(error), "Choose another one in Settings, Knowledge."
        )


async def _server(server: ChromaServer, rooms: Rooms) -> Check:
    try:
        return Check(_name_of(server), CheckStatus.OK, await rooms.embedders.test_server(server, None))
    except KnowledgeError as error:
        advice = f"Check the address {server.url} and the token in Settings, Knowledge."
        return Check(_name_of(server), CheckStatus.WARNING, str(error), advice)


def _name_of(server: ChromaServer) -> str:
    return f"chroma server {server.name}"
