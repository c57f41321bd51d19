"""`footnote search`: searches the web, or parses a saved result page."""

import argparse
import asyncio
import sys
from dataclasses import replace
from pathlib import Path

from desktop.cli.output.terminal import (
    Answer,
    WrongArguments,
    print_json,
    print_words,
    run_batch,
    tell_notice,
    text_of,
)
from desktop.cli.read import page_json
from desktop.domain.search import SearchOutcome, SearchStatus
from desktop.errors import UnknownEngine
from desktop.phrases import translatable
from desktop.search.engines import ENGINES, is_template
from desktop.search.engines.parse import parse_results
from desktop.search.web_search import WebSearch
from desktop.services.container import running_services
from desktop.settings.folders import folders_for
from desktop.text.message_codec import in_english

_STRANGE = translatable("There is no search engine “{engine}”, so only the structure of the page was used.")
_SHOWN = translatable("The page of {engine} opens in a window. Follow its instructions, or press Ctrl+C.")


def run(arguments: argparse.Namespace) -> int:
    """Search, or parse one saved result page or a batch of them."""
    if arguments.batch:
        return asyncio.run(run_batch(arguments.batch, _respond))
    if arguments.from_file:
        return _report(outcome_json(_parse(arguments.engine, arguments.from_file)), is_json=arguments.json)
    if not arguments.query:
        raise WrongArguments("say what to search for, or give --from-file")
    return _report(asyncio.run(_search(arguments)), is_json=arguments.json)


async def _respond(request: Answer) -> Answer:
    return outcome_json(_parse(text_of(request, "engine", ""), Path(text_of(request, "file"))))


def _parse(engine: str, path: Path) -> SearchOutcome:
    """Parse a saved page; for an unknown engine by its structure, which is reported."""
    outcome = parse_results(engine, path.read_bytes())
    if not engine or engine in ENGINES or is_template(engine):
        return outcome
    if outcome.status is SearchStatus.LAYOUT_CHANGED:
        return replace(outcome, error=str(UnknownEngine(engine=engine, known=", ".join(ENGINES))))
    return replace(outcome, notes=(*outcome.notes, _STRANGE.format(engine=engine)))


async def _search(arguments: argparse.Namespace) -> Answer:
    async with running_services(folders_for(arguments.data_dir), tell=tell_notice) as services:
        web = services.web_services.web
        outcomes = await web.search(arguments.query, arguments.engine or "auto", arguments.count)
        if arguments.show_captcha:
            outcomes = (*await _show_blocked(web, outcomes), *outcomes)
        outcome = next((o for o in outcomes if o.status is SearchStatus.RESULTS), outcomes[0])
        answer = outcome_json(outcome)
        answer["attempts"] = [
            {"engine": tried.engine, "status": tried.status.value, "error": tried.error} for tried in outcomes
        ]
        if arguments.read:
            urls = [result.url for result in outcome.results]
            pages = {url: page async for url, page in services.web_services.reader.read_many(urls)}
            answer["pages"] = [page_json(pages[url]) for url in dict.fromkeys(urls)]
        return answer


async def _show_blocked(web: WebSearch, outcomes: tuple[SearchOutcome, ...]) -> tuple[SearchOutcome, ...]:
    """Show the page of the first blocked engine to the user, unless another engine had results."""
    if any(outcome.status is SearchStatus.RESULTS for outcome in outcomes):
        return ()
    blocked = next((outcome for outcome in outcomes if outcome.can_be_shown), None)
    if blocked is None:
        return ()
    sys.stderr.write(_SHOWN.format(engine=web.name(blocked.engine)) + "\n")
    return (await web.show(blocked.engine, blocked.query),)


def outcome_json(outcome: SearchOutcome) -> Answer:
    """Return an outcome as JSON for scripts."""
    return {
        "status": outcome.status.value,
        "engine": outcome.engine,
        "results": [in_english(result) for result in outcome.results],
        "error": outcome.error,
        "notes": list(outcome.notes),
    }


def _report(answer: Answer, *, is_json: bool) -> int:
    if is_json:
        print_json(answer)
    else:
        print_words(f"{answer['engine']}: {answer['status']} {answer['error']}".rstrip())
        for rank, result in enumerate(answer["results"], 1):
            print_words(f"{rank}. {result['title']}\n   {result['url']}\n   {result['snippet']}")
    return 0 if answer["status"] == SearchStatus.RESULTS else 1
