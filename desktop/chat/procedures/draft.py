"""Writes a text from the user's bases, chapter by chapter, as one async iterator of events.

    outline ─▶ (the user changes and starts it) ─▶ look up a chapter ─▶ write it ─▶ the next

Every change event contains the whole state, with the text of the finished chapters: a caller that stores it can
resume the writing, or have single chapters rewritten.
"""

import asyncio
from collections.abc import Sequence
from functools import partial
from html import escape

from desktop.chat.emit import Emit
from desktop.chat.procedures.context import (
    NOTHING,
    FinalRequest,
    ModelSession,
    ProcedureContext,
    ProcedureRun,
    fill_templates,
    format_list,
    look_up_visibly,
    next_part,
)
from desktop.chat.procedures.quoting import build_chapter_from_quotes, build_outline_from_quotes
from desktop.chat.prompt import format_source, in_manner
from desktop.chat.step_log import join_traces
from desktop.domain.events import (
    TextReplaced,
    TurnEvent,
)
from desktop.domain.messages import StepKind, StepStatus
from desktop.domain.models import QUOTES_MODEL, ModelRequest, PromptMessage, TextDelta
from desktop.domain.procedures import (
    MOST_CHAPTERS,
    TITLE_CHARS,
    Chapter,
    DraftState,
    Phase,
    head,
    with_outline,
)
from desktop.domain.search import WEB_OFF
from desktop.domain.sources import Source
from desktop.errors.servers import ContextTooLong
from desktop.phrases import pluralize, translatable
from desktop.search.intent import Intent
from desktop.text.almost_xml import elements
from desktop.text.language import language_of

_BEFORE_CHARS = 1_200
"""How many characters of the previous chapter a model is shown, to continue from."""


def outline_messages(writing: DraftState, sources: Sequence[Source]) -> tuple[PromptMessage, ...]:
    """Return the request for an outline."""
    fields = {
        "topic": escape(writing.topic, quote=False),
        "sources": "\n\n".join(map(format_source, sources)) or NOTHING,
    }
    return fill_templates("write_outline", fields, writing.language)


def read_outline(written: str) -> tuple[Chapter, ...]:
    """Return the chapters that a model proposes; none if the reply is unreadable."""
    found = (element.text[:TITLE_CHARS].strip() for element in elements(written, ("heading",)))
    return tuple(Chapter(title) for title in dict.fromkeys(filter(None, found)))[:MOST_CHAPTERS]


def chapter_messages(writing: DraftState, place: int, sources: Sequence[Source]) -> tuple[PromptMessage, ...]:
    """Return the request for the chapter at `place`."""
    before = "".join(chapter.text for chapter in writing.chapters[:place] if chapter.is_written)
    fields = {
        "topic": escape(writing.topic, quote=False),
        "outline": format_list(chapter.title for chapter in writing.chapters),
        "before": escape(before[-_BEFORE_CHARS:], quote=False) or NOTHING,
        "sources": "\n\n".join(map(format_source, sources)) or NOTHING,
        "chapter": writing.chapters[place].title,
    }
    return fill_templates("write_chapter", fields, writing.language)


_SOURCE_SHARE = 0.5
"""Share of the model's window that passages can fill."""

_PERSON_ENDED = translatable("You stopped the draft here.")
_SOURCES_LEFT_OUT = (translatable("{count} source left out."), translatable("{count} sources left out."))
_OWN_OUTLINE = translatable("The model’s outline couldn’t be read, so the headings that were found are used.")
_NOTHING_FOUND = {
    "zh": "资料中没有找到与本章有关的内容。",
    "en": "Nothing was found about this.",
}


async def draft(state: DraftState, context: ProcedureContext) -> None:
    """Write a text from its current state. Cancelling it stops everything.

    Raises:
        ProviderError: the model failed; the writing can be resumed.
    """
    await _DraftRun(state, context).run()


class _DraftRun(ProcedureRun[DraftState]):
    def __init__(self, state: DraftState, context: ProcedureContext) -> None:
        super().__init__(state, context)
        self._model_session = ModelSession(context)
        self._found: tuple[Source, ...] = ()
        """Results of the last lookup."""
        self._outlined: tuple[Source, ...] = ()
        """Sources of the outline."""

    async def run(self) -> None:
        context = self._context
        if not self.state.chapters:
            await self._outline()
        if self.state.phase is Phase.PLANNED:
            headings = await context.control.wait_for_outline()
            self.state = with_outline(self.state, headings)
        await self._change(phase=Phase.WRITING)
        if context.answer_so_far != self.state.text:
            # An interrupted chapter starts again; one may also have been removed from the outline.
            await self._emit(TextReplaced(self.state.text))
        await self._write_all()
        await self._change(phase=Phase.DONE)

    async def _outline(self) -> None:
        context, topic = self._context, self.state.topic
        await self._change(phase=Phase.PLANNING, language=language_of(topic))
        await self._look_up(topic)
        self._outlined = self._found
        step = context.log.start(StepKind.PLAN)
        await self._emit(step)
        chapters: tuple[Chapter, ...] = ()
        if context.picked.id != QUOTES_MODEL:
            chapters = read_outline(await self._plan())
        status, detail = StepStatus.DONE, ""
        if not chapters:
            chapters = build_outline_from_quotes(topic, self._found)
            if context.picked.id != QUOTES_MODEL:
                status, detail = StepStatus.DEGRADED, _OWN_OUTLINE
        await self._emit(context.log.finish(step, status=status, count=len(chapters), detail=detail))
        await self._model_session.report_pages()
        await self._change(chapters=chapters, phase=Phase.PLANNED if self.state.confirms else Phase.WRITING)

    async def _plan(self) -> str:
        while True:
            part, _ = next_part(self._found, self._budget(self._model_session))
            try:
                messages = self._model_session.with_page_images(outline_messages(self.state, part), part)
                return await self._model_session.complete(messages)
            except ContextTooLong:
                if not self._model_session.shrink():
                    raise

    async def _write_all(self) -> None:
        context = self._context
        while (place := self.state.current) is not None:
            await self._wait_while_paused(Phase.WRITING)
            if context.control.wants_answer:
                await self._change(ended_by=_PERSON_ENDED)
                return
            title = self.state.chapters[place].title
            await self._look_up(f"{self.state.topic} {title}", title)
            await self._write(place)

    async def _write(self, place: int) -> None:
        """Write one chapter: append it as it is streamed, or replace its old text once it is complete."""
        chapter = self.state.chapters[place]
        is_last = not any(after.is_shown for after in self.state.chapters[place:])
        if is_last:
            await self._emit(TextDelta(head(chapter)))
        pieces: list[str] = []

        async def collect(event: TurnEvent) -> None:
            if isinstance(event, TextDelta):
                pieces.append(event.text)
            if is_last or not isinstance(event, TextDelta):
                await self._emit(event)

        await self._write_pieces(place, collect)
        numbers = tuple(source.number for source in self._found)
        done = Chapter(chapter.title, "".join(pieces), numbers, is_written=True)
        known = self.state.chapters
        if is_last:
            await self._emit(TextDelta("\n\n"))
        await self._change(chapters=(*known[:place], done, *known[place + 1 :]))
        if not is_last:
            await self._emit(TextReplaced(self.state.text))

    async def _write_pieces(self, place: int, emit: Emit) -> None:
        chapter = self.state.chapters[place]
        if not self._found:
            await emit(TextDelta(_NOTHING_FOUND.get(self.state.language, _NOTHING_FOUND["en"])))
        elif self._context.picked.id == QUOTES_MODEL:
            said = {line for before in self.state.chapters for line in before.text.split("\n")}
            sources = tuple(dict.fromkeys((*self._found, *self._outlined)))
            rows = await asyncio.to_thread(
                build_chapter_from_quotes, chapter.title, self.state.topic, sources, said
            )
            for row in rows or [_NOTHING_FOUND.get(self.state.language, _NOTHING_FOUND["en"])]:
                await emit(TextDelta(f"{row}\n"))
        else:
            await self._model_session.write(
                lambda model_session: self._request(model_session, place), chapter.title, emit
            )

    def _request(self, model_session: ModelSession, place: int) -> FinalRequest:
        context = self._context
        part, left = next_part(self._found, self._budget(model_session))
        messages = model_session.with_page_images(
            in_manner(chapter_messages(self.state, place, part), context.manner), part
        )
        request = ModelRequest(
            model=context.picked.name,
            messages=messages,
            max_output_tokens=model_session.window.answer_tokens,
            effort=context.effort,
            question=self.state.chapters[place].title,
            references=part,
        )
        return FinalRequest(request, (pluralize(_SOURCES_LEFT_OUT, len(left)),) if left else ())

    def _budget(self, model_session: ModelSession) -> int:
        return int(model_session.window.context_tokens * _SOURCE_SHARE)

    async def _look_up(self, *queries: str) -> None:
        """Search the bases; results are numbered and stored."""
        context = self._context
        found = await look_up_visibly(
            partial(context.look_up, Intent(knowledge_queries=queries), WEB_OFF), context
        )
        self._found = self._sources(context.ledger.register(found.passages))
        await self._keep_sources(self._found)
        await self._model_session.look(self._found)
        await self._keep_trace(join_traces(self._trace, found.trace, self._found))
