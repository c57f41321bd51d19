"""The panels of summaries and drafts, and the panel of any procedure in its answer."""

from collections.abc import Collection, Iterable

from desktop.domain.messages import Message
from desktop.domain.procedures import (
    MOST_CHAPTERS,
    NOT_WRITTEN,
    TITLE_CHARS,
    DocumentSection,
    DraftState,
    KeyPoint,
    NoteKind,
    Phase,
    Procedure,
    Research,
    SummaryState,
    TextCheck,
)
from desktop.phrases import localize, pluralize
from desktop.render.labels import Labels
from desktop.render.page.buttons import button, icon
from desktop.render.page.procedure_panel import (
    NO_WISHES,
    PanelKind,
    PanelView,
    PendingCommands,
    editor_buttons,
    folding,
    hold_piece,
    marks,
    notes_piece,
    panel_html,
    piece,
    progress_piece,
    remove_button,
    text_field,
)
from desktop.render.page.research_panel import RESEARCH_PANEL
from desktop.render.page.text_check_panel import TEXT_CHECK_PANEL
from desktop.render.procedure_labels import (
    DocumentLabels,
    document_labels,
    research_labels,
    text_check_labels,
)
from desktop.text.html.element import EMPTY, Html, element, fragment

_UP = icon("M12 19V6M6 12l6-6 6 6")
_SummaryView = PanelView[SummaryState, DocumentLabels]
_OutlineView = PanelView[DraftState, DocumentLabels]


def _summary_head(view: _SummaryView) -> str:
    reading, words = view.state, view.words
    name = words.reading.format(name=reading.document.name if reading.document else "…")
    if reading.phase is Phase.DONE:
        parts = pluralize(words.parts, reading.read_count)
        state = f"{parts} · {pluralize(words.notes, len(reading.notes))}"
    elif not view.is_live:
        state = words.broken_off
    else:
        place = min(reading.read_count + 1, len(reading.sections))
        state = words.reading_phases[reading.phase].format(place=place, count=len(reading.sections))
    return f"{name} · {state}"


def _summary_pieces(view: _SummaryView) -> Iterable[Html]:
    reading, words = view.state, view.words
    if reading.sections:
        done, count = reading.read_count, len(reading.sections)
        text = words.of.format(done=done, count=count)
        yield progress_piece(words.progress, done, count, text)
    for number, section in enumerate(reading.sections, 1):
        if section.is_read:
            yield piece(f"part-{section.start}", _section(number, section, view))
    yield from notes_piece((reading.ended_by,), view.labels)
    yield from hold_piece(view, Phase.READING)


def _section(number: int, section: DocumentSection, view: _SummaryView) -> Html:
    words = view.words
    facts = [section.title or words.part.format(number=number), _pages(section, words)]
    facts.append(pluralize(words.notes, len(section.notes)))
    body: list[Html] = []
    if section.problem:
        body.append(element("p", localize(section.problem, view.labels.language), class_="verdict poor"))
    for kind in NoteKind:
        notes = [note for note in section.notes if note.kind is kind]
        if notes:
            rows = (_note(note, view) for note in notes)
            body += (element("h3", words.kinds[kind]), element("ul", *rows, class_="findings"))
    return folding(" · ".join(filter(None, facts)), fragment(*body), is_folded=True)


def _note(note: KeyPoint, view: _SummaryView) -> Html:
    return element("li", note.text, marks(note.numbers, view.known, view.labels), dir="auto")


def _pages(section: DocumentSection, words: DocumentLabels) -> str:
    if section.first_page is None:
        return ""
    template = words.page if section.first_page == section.last_page else words.pages
    return template.format(first=section.first_page, last=section.last_page)


def _outline_head(view: _OutlineView) -> str:
    writing, words = view.state, view.words
    if writing.phase is Phase.DONE:
        state = pluralize(words.chapters, writing.written_count)
    elif not view.is_live:
        state = words.broken_off
    else:
        place = 0 if writing.current is None else writing.current + 1
        count = len(writing.chapters)
        state = words.writing_phases[writing.phase].format(place=place or count, count=count)
    return f"{words.writing} · {state}"


def _outline_pieces(view: _OutlineView) -> Iterable[Html]:
    writing, words = view.state, view.words
    if writing.chapters and view.is_live and writing.phase is Phase.PLANNED:
        yield piece("plan", _editor(view, words.outline_hint))
    elif writing.chapters:
        yield piece("outline", _outline(view))
    yield from notes_piece((writing.ended_by,), view.labels)
    yield from hold_piece(view, Phase.WRITING)
    if writing.chapters and not view.is_live:
        yield piece("plan", folding(words.change, _editor(view, words.change_hint), is_folded=False))


def _outline(view: _OutlineView) -> Html:
    writing, words = view.state, view.words
    rows = []
    for place, chapter in enumerate(writing.chapters):
        state = words.written if chapter.is_written else words.not_written
        if view.is_live and place == writing.current:
            state = words.being_written
        title = element("span", chapter.title, dir="auto")
        rows.append(element("li", title, " ", element("span", state, class_="verdict")))
    return fragment(element("h3", words.outline), element("ol", *rows))


def _editor(view: _OutlineView, hint: str) -> Html:
    words, chapters = view.words, view.state.chapters
    rows = (
        _row(str(place + 1), chapter.title, place if chapter.is_written else NOT_WRITTEN, view)
        for place, chapter in enumerate(chapters)
    )
    start = words.start if view.is_live else words.apply
    name = words.starting if view.wishes.is_started else start
    return element(
        "div",
        element("p", hint, class_="hint"),
        element("ol", *rows),
        element("template", _row("{number}", "", NOT_WRITTEN, view)),
        editor_buttons(name, words.add, is_off=view.wishes.is_started),
        class_="editor",
        role="group",
        aria_label=words.outline,
        data_kind="outline",
        data_most=MOST_CHAPTERS,
    )


def _row(number: str, title: str, origin: int, view: _OutlineView) -> Html:
    words = view.words
    name = words.heading.format(number=number)
    again = words.rewrite_named.format(number=number)
    return element(
        "li",
        text_field("query", TITLE_CHARS, words.new_heading, name, title),
        button(words.rewrite, class_="way", data_research="rewrite", aria_label=again)
        if origin != NOT_WRITTEN
        else None,
        button(_UP, class_="action", data_research="up", title=words.up.format(number=number)),
        remove_button(words.remove.format(number=number)),
        data_origin=origin,
    )


_SUMMARY_PANEL = PanelKind(document_labels, _summary_head, _summary_pieces)
_DRAFT_PANEL = PanelKind(
    document_labels, _outline_head, _outline_pieces, over=frozenset({Phase.CHECKING, Phase.DONE})
)


def procedure_html(
    message: Message, known: Collection[int], labels: Labels, wishes: PendingCommands = NO_WISHES
) -> Html:
    """Return the panel of an answer's procedure; empty for an answer without one."""
    known = frozenset(filter(message.knows, known))
    match message.procedure:
        case Research() as research:
            return panel_html(
                RESEARCH_PANEL, research, message.status, known=known, labels=labels, wishes=wishes
            )
        case SummaryState() as summary:
            return panel_html(
                _SUMMARY_PANEL, summary, message.status, known=known, labels=labels, wishes=wishes
            )
        case DraftState() as draft:
            return panel_html(_DRAFT_PANEL, draft, message.status, known=known, labels=labels, wishes=wishes)
        case TextCheck() as check:
            return panel_html(
                TEXT_CHECK_PANEL, check, message.status, known=known, labels=labels, wishes=wishes
            )
        case None:
            return EMPTY


def words_to_go_on(procedure: Procedure, labels: Labels) -> tuple[str, str]:
    """Return the label of the button that continues an interrupted procedure, and what is kept of it."""
    if isinstance(procedure, Research):
        research = research_labels(labels)
        return research.go_on, research.kept
    words = document_labels(labels)
    if isinstance(procedure, TextCheck):
        return text_check_labels(labels).go_on, words.kept
    return (words.go_on_reading if isinstance(procedure, SummaryState) else words.go_on_writing), words.kept
