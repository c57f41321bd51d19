"""Carries out the calls of other programs, within what the user has opened to them."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Final

from desktop.chat.api.engine import Question
from desktop.chat.checking.texts import EvidenceSearch, TextChecker, prepare_text
from desktop.chat.turn.runner import TurnRunner
from desktop.domain.assistants import Assistant
from desktop.domain.citation_check import VERDICTS, CitationCheck
from desktop.domain.events import (
    CheckEvent,
    CitationsChecked,
    SourcesAdded,
    StepFinished,
    StepStarted,
    ToolAsks,
    TurnEvent,
    TurnFailed,
    TurnFinished,
)
from desktop.domain.knowledge import BaseInfo, ItemInfo, ItemKind, Scope, parse_scope
from desktop.domain.messages import Message, MessageStatus
from desktop.domain.procedures import TextClaim
from desktop.domain.search import WEB_AUTO, WEB_OFF, WEB_OWN, PageStatus, WebPage
from desktop.domain.serving import ServedTool
from desktop.domain.sources import Ledger, Passage, Source, SourceKind, document_of
from desktop.domain.tools import Consent
from desktop.errors.servers import ArgumentsRejected, BaseNotOpen, ServingError, ToolNotOpen, UnknownResource
from desktop.render.labels import EN
from desktop.render.message import render_message
from desktop.search.intent import links_in
from desktop.search.web_gatherer import ReadWebPage
from desktop.services.knowledge import KnowledgeService
from desktop.services.serving.schemas import (
    MAX_TEXT_CHARS,
    Ask,
    BaseList,
    CheckedCitation,
    CheckedClaim,
    CheckedTextResult,
    CheckText,
    CitedAnswer,
    ListedBase,
    ListOpenBases,
    PageText,
    ReadPage,
    Result,
    SearchBase,
    SearchWeb,
    ServedSource,
    SourceList,
    parse_arguments,
)
from desktop.settings.model import Settings
from desktop.storage.conversation_store import ConversationStore

FILE_URI: Final = "footnote://file/"
"""Start of the address of a file; the rest is the SHA-256 of its content."""

MAX_CLAIMS: Final = 100
MAX_WEB_CLAIMS: Final = 20
"""How many claims of a text are searched on the web."""
_AT_ONCE = 8
_SHOWN_KINDS = frozenset({SourceKind.WEB, SourceKind.FILE})
_ANYONE: Final = Assistant(id="", name="", servers=())
"""The assistant that answers others: the user's tool servers are not for them."""

Tell = Callable[[str], Awaitable[None]]
"""Reports progress in words."""


@dataclass(frozen=True)
class OpenParts:
    """What is open to other programs; `bases` are ids."""

    tools: frozenset[ServedTool] = frozenset()
    bases: frozenset[str] = frozenset()


@dataclass(frozen=True)
class FileText:
    """A file of an open base."""

    uri: str
    name: str
    base: str
    text: str = ""


class ServedCalls:
    """Carries out calls; `for_this_run` is open in addition to what the settings open."""

    def __init__(
        self,
        *,
        settings: Callable[[], Settings],
        knowledge: KnowledgeService,
        evidence: EvidenceSearch,
        read: ReadWebPage,
        turns: TurnRunner,
        store: ConversationStore,
    ) -> None:
        self.for_this_run = OpenParts()
        self._settings = settings
        self._knowledge = knowledge
        self._evidence = evidence
        self._read = read
        self._turns = turns
        self._store = store

    async def call(self, name: str, arguments: Mapping[str, Any], tell: Tell) -> Result:
        """Carry out a call.

        Raises:
            AppError: it is not allowed, its arguments are wrong, or the work failed.
        """
        if name not in set(ServedTool):
            raise ArgumentsRejected(detail=f"there is no tool “{name[:80]}”")
        tool = ServedTool(name)
        parsed = parse_arguments(tool, arguments)
        self._require(tool)
        match parsed:
            case SearchWeb():
                return await self._search_web(parsed, tell)
            case ReadPage():
                return await self._read_page(parsed, tell)
            case ListOpenBases():
                return await self._list_bases()
            case SearchBase():
                return await self._search_base(parsed)
            case Ask():
                return await self._ask(parsed, tell)
            case CheckText():
                return await self._check_text(parsed, tell)
            case _:
                raise AssertionError(tool)

    async def files(self) -> tuple[FileText, ...]:
        """Return the files, links and notes of the open bases, without their text."""
        return tuple(
            [
                FileText(FILE_URI + item.document, item.name, base.name)
                for base in await self._open_bases()
                for item in await self._knowledge.items(base.id)
                if item.document
            ]
        )

    async def read_file(self, uri: str) -> FileText:
        """Return a file with its text.

        Raises:
            UnknownResource: no open base contains it.
        """
        document = uri.removeprefix(FILE_URI)
        for base in await self._open_bases() if uri.startswith(FILE_URI) else ():
            for item in await self._knowledge.items(base.id):
                if item.document and item.document == document:
                    return FileText(uri, item.name, base.name, await self._text_of(item))
        raise UnknownResource(uri=uri[:200])

    async def _text_of(self, item: ItemInfo) -> str:
        if item.kind is ItemKind.NOTE:
            return await self._knowledge.note(item.id)
        return await self._knowledge.text_of(item.document)

    @property
    def _open(self) -> OpenParts:
        serving, extra = self._settings().serving, self.for_this_run
        return OpenParts(extra.tools.union(serving.tools), extra.bases.union(serving.bases))

    def _require(self, tool: ServedTool) -> None:
        if tool not in self._open.tools:
            raise ToolNotOpen(tool=tool.value)

    async def _open_bases(self) -> tuple[BaseInfo, ...]:
        allowed = self._open.bases
        return tuple(
            [base for base in await self._knowledge.bases() if base.id in allowed] if allowed else []
        )

    async def _scope(self, name: str, bases: Sequence[BaseInfo]) -> Scope:
        scope = parse_scope(name, bases)
        if scope is None:
            raise BaseNotOpen(base=name)
        if scope.item_id and scope.item_id not in {
            item.id for item in await self._knowledge.items(scope.base_id)
        }:
            raise BaseNotOpen(base=name)
        return scope

    async def _places(self, names: list[str] | None, web: bool | None) -> tuple[tuple[str, ...], str]:
        """Return the keys of the scopes to search, and off, auto or the engine for the web."""
        bases = await self._open_bases()
        wanted = [base.id for base in bases] if names is None else names
        scopes = tuple([(await self._scope(name, bases)).key for name in wanted])
        if web is None:
            web = not scopes and ServedTool.SEARCH_WEB in self._open.tools
        if not web:
            return scopes, WEB_OFF
        self._require(ServedTool.SEARCH_WEB)
        return scopes, self._engine

    @property
    def _engine(self) -> str:
        choice = self._settings().search.choice
        return WEB_AUTO if choice in {WEB_OFF, WEB_OWN} else choice

    async def _search_web(self, arguments: SearchWeb, tell: Tell) -> SourceList:
        async def show(event: StepStarted | StepFinished) -> None:
            if isinstance(event, StepStarted):
                await tell(_words(event))

        found = await self._evidence.look_up(arguments.query, self._engine, show)
        return SourceList(_number_sources(Ledger(), found.passages), list(found.notes))

    async def _read_page(self, arguments: ReadPage, tell: Tell) -> PageText:
        await tell(f"Reading {arguments.address}")
        page = await self._read(arguments.address)
        if page.status is not PageStatus.READ:
            raise ServingError(detail=_why_unread(page))
        return PageText(
            number=1,
            title=page.title,
            address=page.url,
            passage=page.text[:MAX_TEXT_CHARS],
            author=page.author,
            published=page.published,
            is_cut=len(page.text) > MAX_TEXT_CHARS,
            notes=list(page.notes),
        )

    async def _list_bases(self) -> BaseList:
        bases = await self._open_bases()
        return BaseList([ListedBase(base.name, base.items, base.passages, list(base.tags)) for base in bases])

    async def _search_base(self, arguments: SearchBase) -> SourceList:
        scope = await self._scope(arguments.base, await self._open_bases())
        found = await self._knowledge.retrieve([arguments.query], [scope.key], arguments.count)
        return SourceList(_number_sources(Ledger(), found.passages), list(found.notes))

    async def _ask(self, arguments: Ask, tell: Tell) -> CitedAnswer:
        if links_in(arguments.question):  # its pages would be read
            self._require(ServedTool.READ_PAGE)
        scopes, web = await self._places(arguments.bases, arguments.web)
        conversation = await self._store.create()
        try:
            question = Question(
                arguments.question,
                conversation.id,
                model=self._settings().chat.model,
                web=web,
                bases=scopes,
                uses_memory=False,
                assistant=_ANYONE,
            )
            return await self._answer(question, tell)
        finally:
            await self._store.erase(conversation.id)

    async def _answer(self, question: Question, tell: Tell) -> CitedAnswer:
        report = _AnswerReport(tell, self._turns)
        await self._turns.run(question, report.take)
        message = report.message
        assert message is not None, "every turn ends with a message"
        if message.status is not MessageStatus.COMPLETE:
            raise ServingError(detail=message.error or "The answer was not finished.")
        known = message.sources_among(tuple(report.sources.values()))
        cited = render_message(message.text, known).cited
        if cited and not report.check.marks:
            await tell("Checking citations")
            await self._turns.checks().check(question.conversation_id, message.id, report.take)
        return CitedAnswer(
            answer=message.text,
            model=message.model,
            sources=[
                _convert_source(source, is_cited=source.number in cited)
                for source in known
                if _is_shown(source)
            ],
            citations=[
                CheckedCitation(mark.number, mark.claim, VERDICTS[mark.support], mark.words)
                for mark in report.check.marks
            ],
            notes=list(filter(None, (report.check.problem,))),
        )

    async def _check_text(self, arguments: CheckText, tell: Tell) -> CheckedTextResult:
        scopes, web = await self._places(arguments.bases, arguments.web)
        if not scopes and web == WEB_OFF:
            raise ArgumentsRejected(
                detail="there is nothing to check the text against: no base, and not the web"
            )
        ledger = Ledger()
        most = MAX_CLAIMS if web == WEB_OFF else MAX_WEB_CLAIMS
        prepared = await asyncio.to_thread(prepare_text, arguments.text, ledger, most)
        opens_pages = ServedTool.READ_PAGE in self._open.tools
        places = self._evidence.places(scopes, web, opens_pages=opens_pages)
        checked: list[TextClaim] = []
        async with aclosing(TextChecker(places, ledger)) as checker:
            for start in range(0, len(prepared.claims), _AT_ONCE):
                await tell(f"Checking claim {start + 1} of {len(prepared.claims)}")
                checked += await checker.check(prepared.claims[start : start + _AT_ONCE])
            notes = [*prepared.notes, *checker.notes]
        used = {number for claim in checked for number in claim.numbers}
        sources = [_convert_source(source) for source in ledger.sources if source.number in used]
        return CheckedTextResult(list(map(_convert_claim, checked)), sources, notes)


class _AnswerReport:
    """Collects what a turn tells; a tool that asks is refused, as there is no user to ask."""

    def __init__(self, tell: Tell, turns: TurnRunner) -> None:
        self._tell = tell
        self._turns = turns
        self.sources: dict[int, Source] = {}
        self.message: Message | None = None
        self.check = CitationCheck()

    async def take(self, event: TurnEvent | CheckEvent) -> None:
        """Take an event."""
        match event:
            case ToolAsks(id=asked):
                await self._turns.decide(asked, Consent.NO)
            case StepStarted():
                await self._tell(_words(event))
            case SourcesAdded(added):
                self.sources.update({source.number: source for source in added})
            case CitationsChecked(_, checked):
                self.check = checked
            case TurnFinished(ended) | TurnFailed(ended):
                self.message = ended
            case _:
                pass


def _convert_claim(claim: TextClaim) -> CheckedClaim:
    verdict = claim.verdict
    return CheckedClaim(
        claim.text, VERDICTS[verdict.support], verdict.score, list(claim.numbers), verdict.words
    )


def _words(started: StepStarted) -> str:
    name = EN.steps[started.step.kind]
    return f"{name}: {started.step.subject}" if started.step.subject else name


def _why_unread(page: WebPage) -> str:
    return page.error or f"The page could not be read ({page.status.value})."


def _number_sources(ledger: Ledger, passages: Sequence[Passage]) -> list[ServedSource]:
    ledger.register(passages)
    return list(map(_convert_source, ledger.sources))


def _is_shown(source: Source) -> bool:
    return source.kind in _SHOWN_KINDS


def _convert_source(source: Source, *, is_cited: bool | None = None) -> ServedSource:
    return ServedSource(
        number=source.number,
        kind=source.kind.value,
        title=source.title,
        address=_address(source),
        passage=source.text,
        place=str(source.locator),
        published=source.published,
        is_cited=is_cited,
    )


def _address(source: Source) -> str:
    """Return the address of a web page or link; for a file not its path, but the address of its resource."""
    if source.url.startswith(("http://", "https://")):
        return source.url
    document = document_of(source)
    return FILE_URI + document if document else ""
