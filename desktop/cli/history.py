"""`footnote history`: searches the messages of all conversations."""

import argparse
import asyncio
from datetime import date, datetime, time, timedelta
from typing import Any

from desktop.cli.output.terminal import print_json, print_words, tell, tell_notice
from desktop.domain.history import HistoryQuery, Hit
from desktop.domain.messages import Speaker
from desktop.services.container import ServiceContainer, running_services
from desktop.settings.folders import folders_for

_SPEAKERS = {"me": Speaker.USER, "model": Speaker.MODEL, None: None}


def run(arguments: argparse.Namespace) -> int:
    """Search messages; without a hit the status is a failure, as with grep."""
    hits = asyncio.run(_run(arguments))
    if arguments.json:
        print_json({"hits": list(map(_json, hits))})
    else:
        print_words("\n".join(map(_line, hits)) or "nothing was found")
    return 0 if hits else 1


async def _run(arguments: argparse.Namespace) -> list[Hit]:
    query = HistoryQuery(
        " ".join(arguments.words),
        _SPEAKERS[arguments.by],
        arguments.assistant,
        arguments.since and _midnight(arguments.since),
        arguments.until and _midnight(arguments.until + timedelta(days=1)),
    )
    async with running_services(folders_for(arguments.data_dir), tell=tell_notice) as services:
        await services.store.database.open()
        if problem := services.store.database.read_only:
            tell(f"footnote: {problem}")
        await services.history.search(query)  # rebuilds a damaged index
        await services.history.list_all()
        return await _find_hits(services, query, arguments.limit)


async def _find_hits(services: ServiceContainer, query: HistoryQuery, limit: int) -> list[Hit]:
    page = await services.history.search(query)
    hits = list(page.hits)
    while page.rest is not None and len(hits) < limit:
        page = await services.history.search(query, page.rest)
        hits += page.hits
    return hits[:limit]


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time()).astimezone()


def _json(hit: Hit) -> dict[str, Any]:
    return {
        "conversation": hit.conversation_id,
        "title": hit.title,
        "message": hit.message_id,
        "speaker": hit.speaker.value,
        "at": hit.created_at.isoformat(),
        "assistant": hit.assistant,
        "text": hit.excerpt.text,
        "marks": [list(mark) for mark in hit.excerpt.marks],
    }


def _line(hit: Hit) -> str:
    who = (
        {Speaker.USER: "you", Speaker.MODEL: hit.model or "model"}[hit.speaker] if hit.message_id else "title"
    )
    return f"{hit.created_at.astimezone():%Y-%m-%d %H:%M}  {who}  {hit.title}\n    {hit.excerpt.text}"
