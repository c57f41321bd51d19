"""`footnote write`: writes a text from knowledge bases, chapter by chapter."""

import argparse
import asyncio

from desktop.chat.api.engine import Question
from desktop.cli.ask import temporary_services
from desktop.cli.kb import find_scope
from desktop.cli.output.answer import Report, answer_at_terminal
from desktop.domain.procedures import DocumentTask
from desktop.domain.search import WEB_OFF
from desktop.services.container import ServiceContainer
from desktop.settings import egress
from desktop.settings.egress import EgressContext


def run(arguments: argparse.Namespace) -> int:
    """Write one text; the conversation is not stored."""
    with egress.on(EgressContext(stays_here=arguments.only_here)):
        return asyncio.run(_write(arguments))


async def _write(arguments: argparse.Namespace) -> int:
    async with temporary_services(arguments.data_dir, has_files=bool(arguments.file)) as services:
        report = Report(arguments, arguments.topic)
        await answer_at_terminal(services, await _question(services, arguments), report)
    return report.close()


async def _question(services: ServiceContainer, arguments: argparse.Namespace) -> Question:
    for path in arguments.file:
        path.open("rb").close()
    scopes = [await find_scope(services, name) for name in arguments.kb]
    conversation = await services.store.create()
    return Question(
        text=arguments.topic,
        conversation_id=conversation.id,
        model=arguments.model or services.preferences.settings.chat.model,
        web=WEB_OFF,
        bases=tuple(scope.key for scope in scopes),
        files=tuple(path.resolve() for path in arguments.file),
        procedure=DocumentTask.WRITE,
        confirms_plan=arguments.plan,
    )
