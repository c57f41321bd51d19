"""`footnote ask`: answers one question, or a batch of questions with their sources, on stdout."""

import argparse
import asyncio
import locale
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from desktop.chat.api.engine import MOST_MODELS, Question
from desktop.chat.assistants import find, list_assistants
from desktop.cli.kb import find_scope
from desktop.cli.output.answer import Report, answer_at_terminal, print_compared
from desktop.cli.output.exports import sources_from_json
from desktop.cli.output.interaction import has_terminal
from desktop.cli.output.terminal import (
    Answer,
    WrongArguments,
    run_batch,
    tell_notice,
    text_of,
)
from desktop.domain.assistants import Assistant
from desktop.domain.events import CheckEvent
from desktop.domain.knowledge import parse_scope
from desktop.domain.models import QUOTES_MODEL, ModelRequest, TextDelta
from desktop.domain.procedures import Depth
from desktop.domain.search import WEB_AUTO, WEB_OFF, WEB_OWN
from desktop.errors import ModelUnusable, UnknownAssistant, UnknownEngine
from desktop.knowledge.bundled_models import BundledPairModel, load_bundled, load_pair_model
from desktop.knowledge.embedding.model_cards import BUILT_IN
from desktop.providers.quotes.model import QuotesModel
from desktop.services.container import ServiceContainer, running_services
from desktop.settings import egress
from desktop.settings.egress import EgressContext
from desktop.settings.folders import folders_for
from desktop.storage.local_copies import scratch_folder


@asynccontextmanager
async def temporary_services(data_dir: Path | None, *, has_files: bool) -> AsyncIterator[ServiceContainer]:
    """Open services on the user's data; with `has_files`, attached files are deleted with the question."""
    with scratch_folder("ask") as scratch:
        running = running_services(folders_for(data_dir), conversations=scratch, tell=tell_notice)
        async with running as services:
            try:
                yield services
            finally:
                if has_files:
                    await _forget_files(services)


async def _forget_files(services: ServiceContainer) -> None:
    own = await services.store.ids()
    for base in await services.knowledge.all_bases() if own else ():
        if base.owner in own:
            await services.knowledge.delete(base.id)
            await services.knowledge.forget(base.id)


def find_assistant(services: ServiceContainer, name: str) -> Assistant:
    """Return the assistant with a name or id; the general one for an empty name.

    Raises:
        UnknownAssistant: there is none.
    """
    settings = services.preferences.settings
    language = settings.window.language or locale.getlocale()[0] or ""
    assistants = list_assistants(settings, language)
    found = find(assistants, name)
    if found is None:
        raise UnknownAssistant(assistant=name, known=", ".join(each.name for each in assistants))
    return found


async def bases_of(services: ServiceContainer, assistant: Assistant) -> tuple[str, ...]:
    """Return the keys of an assistant's knowledge bases; missing ones are reported on stderr."""
    if not assistant.bases:
        return ()
    bases = await services.knowledge.bases()
    scopes = {key: parse_scope(key, bases) for key in assistant.bases}
    for missing in (key for key, scope in scopes.items() if scope is None):
        sys.stderr.write(f"footnote: “{assistant.name}” goes without “{missing}”, which is not there\n")
    return tuple(dict.fromkeys(scope.key for scope in scopes.values() if scope is not None))


def run(arguments: argparse.Namespace) -> int:
    """Answer one question without storing its conversation, or a batch of questions."""
    if arguments.batch:
        _check_batch(arguments)
        model = QuotesModel(_BundledEmbedder(), _load_judge())
        return asyncio.run(run_batch(arguments.batch, lambda request: _respond(request, model)))
    with egress.on(EgressContext(stays_here=arguments.only_here)):
        return asyncio.run(_ask(arguments))


def _check_batch(arguments: argparse.Namespace) -> None:
    if arguments.model != [QUOTES_MODEL]:
        raise WrongArguments("--batch quotes from the sources of each line; add --model quotes")
    if arguments.question or arguments.format:
        raise WrongArguments("--batch goes with neither a question nor --format")


class _BundledEmbedder:
    """Embeds texts in this process: a batch needs neither the user's data nor a worker for it."""

    def __init__(self) -> None:
        self._encoder = load_bundled(BUILT_IN.id)

    async def __call__(self, texts: Sequence[str], *, is_query: bool = False) -> list[bytes]:
        prefix = BUILT_IN.query_prefix if is_query else BUILT_IN.passage_prefix
        return await asyncio.to_thread(self._encoder.encode, [prefix + text for text in texts])


class _BundledJudge:
    """Judges texts in this process."""

    def __init__(self, model: BundledPairModel) -> None:
        self._model = model

    async def __call__(self, question: str, texts: Sequence[str], *, of_sentences: bool) -> list[float]:
        judged = await asyncio.to_thread(self._model.judge, [(question, text) for text in texts])
        return [one.holds_answer if of_sentences else one.answers for one in judged]


def _load_judge() -> _BundledJudge | None:
    """Return the judge; None, with the reason on stderr, if its files are missing or damaged."""
    try:
        return _BundledJudge(load_pair_model())
    except ModelUnusable as error:
        sys.stderr.write(f"footnote: {error}\n")
        return None


async def _respond(request: Answer, model: QuotesModel) -> Answer:
    """Answer the question of one line with quotes from the sources of that line, numbered from 1."""
    listed = request.get("sources", [])
    if not isinstance(listed, list) or not all(isinstance(item, dict) for item in listed):
        raise ValueError("“sources” must be a list of objects with a “text”")
    for item in listed:
        text_of(item, "text")
    sources = sources_from_json([item | {"number": number} for number, item in enumerate(listed, start=1)])
    question = ModelRequest(QUOTES_MODEL, (), question=text_of(request, "question"), references=sources)
    events = [event async for event in model.stream(question)]
    return {"answer": "".join(event.text for event in events if isinstance(event, TextDelta))}


async def _ask(arguments: argparse.Namespace) -> int:
    async with temporary_services(arguments.data_dir, has_files=bool(arguments.file)) as services:
        report = Report(arguments, arguments.question)
        question = await _question(services, arguments)
        if question.also:
            return await print_compared(services, question, is_json=arguments.json)
        await answer_at_terminal(services, question, report)
        if arguments.check and report.answer_id and not report.is_checked:

            async def show(event: CheckEvent) -> None:
                report.take(event)

            await services.turns.checks().check(question.conversation_id, report.answer_id, show)
    return report.close()


async def _question(services: ServiceContainer, arguments: argparse.Namespace) -> Question:
    if not arguments.question.strip():
        raise WrongArguments("say what to ask")
    if len(arguments.model) > 1 and (arguments.format or arguments.research or arguments.check):
        raise WrongArguments("several models cannot be had with --format, --research or --check")
    if len(set(arguments.model)) < len(arguments.model) or len(arguments.model) > MOST_MODELS:
        raise WrongArguments(f"name at most {MOST_MODELS} models, each once")
    if arguments.plan and not arguments.research:
        raise WrongArguments("--plan is for --research")
    if arguments.plan and not has_terminal():
        raise WrongArguments(
            "--plan waits for you to start the research, which needs a terminal; leave it out to start at once"
        )
    for path in arguments.file:
        path.open("rb").close()
    settings = services.preferences.settings
    assistant = find_assistant(services, arguments.assistant)
    web = arguments.web or (WEB_OFF if arguments.only_here else assistant.web or settings.search.choice)
    if web not in {WEB_OFF, WEB_AUTO, WEB_OWN}:
        await check_engine(services, web)
    named = [(await find_scope(services, name)).key for name in arguments.kb]
    conversation = await services.store.create(assistant.id)
    return Question(
        text=arguments.question,
        conversation_id=conversation.id,
        model=next(filter(None, (*arguments.model, assistant.model)), settings.chat.model),
        also=tuple(arguments.model[1:]),
        web=web,
        bases=tuple(named) or await bases_of(services, assistant),
        files=tuple(path.resolve() for path in arguments.file),
        queries=tuple(filter(None, map(str.strip, arguments.query))),
        uses_memory=not arguments.no_memory,
        procedure=Depth(arguments.research) if arguments.research else None,
        confirms_plan=arguments.plan,
        assistant=assistant,
    )


async def check_engine(services: ServiceContainer, engine: str) -> None:
    """Raise UnknownEngine if there is no such search engine."""
    known = [info.id for info in await services.web_services.web.engines()]
    if engine not in known and "%s" not in engine:
        raise UnknownEngine(engine=engine, known=", ".join(known))
