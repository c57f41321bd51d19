"""`footnote check`: checks whether sources support the claims that cite them, or where sources disagree."""

import argparse
import asyncio
from functools import partial

from desktop.chat.checking.checker import EntailmentModel, check_claim
from desktop.chat.checking.disagreements import Disagreement, find_disagreements
from desktop.cli.output.terminal import Answer, run_batch, tell_notice, text_of
from desktop.domain.citation_check import VERDICTS, CheckedMark
from desktop.services.container import running_services
from desktop.settings.folders import folders_for


def run(arguments: argparse.Namespace) -> int:
    """Check a batch of claims, each with all its sources together; or find where the sources of questions disagree."""
    if arguments.disagreements:
        return asyncio.run(run_batch(arguments.batch, _compare))
    return asyncio.run(_check(arguments))


async def _check(arguments: argparse.Namespace) -> int:
    async with running_services(folders_for(arguments.data_dir), tell=tell_notice) as services:
        is_chosen = bool(services.preferences.settings.knowledge.entailment_model)
        respond = partial(_respond, entailment=services.knowledge if is_chosen else None)
        return await run_batch(arguments.batch, respond)


async def _respond(request: Answer, entailment: EntailmentModel | None) -> Answer:
    return verdict_json(await check_claim(text_of(request, "claim"), _sources(request), entailment))


def verdict_json(mark: CheckedMark | None) -> Answer:
    """Return a verdict as JSON for scripts; without a source the result is "not found"."""
    if mark is None:
        return {"verdict": "not_found", "score": 0.0, "passage": ""}
    return {"verdict": VERDICTS[mark.support], "score": mark.score, "passage": mark.words}


async def _compare(request: Answer) -> Answer:
    found = find_disagreements(text_of(request, "question"), _sources(request))
    return {"disagreements": [disagreement_json(one) for one in found]}


def disagreement_json(found: Disagreement) -> Answer:
    """Return a disagreement as JSON for scripts: `sources` has, for each value, the numbers of those that say it."""
    return {"about": found.about, "values": list(found.values), "sources": list(map(list, found.sources))}


def _sources(request: Answer) -> list[tuple[str, str]]:
    listed = request.get("sources")
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
        raise ValueError("“sources” must be a list of objects with “title” and “text”")
    return [(str(item.get("title") or ""), text_of(item, "text")) for item in listed]
