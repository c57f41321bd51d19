"""The panels of procedures in their answers: research, the check of a text, summaries and drafts."""

import re
from collections.abc import Collection, Iterable, Sequence

from desktop.domain.citation_check import DOUBTED, SupportLevel
from desktop.domain.messages import Message
from desktop.domain.procedures import (
    CLAIM_RANK,
    MOST_CHAPTERS,
    MOST_PLANNED,
    NOT_WRITTEN,
    QUERY_CHARS,
    REMARK_CHARS,
    TITLE_CHARS,
    DocumentSection,
    DraftState,
    Finding,
    KeyPoint,
    NoteKind,
    Phase,
    Procedure,
    Query,
    Research,
    Round,
    SearchTarget,
    SummaryState,
    TextCheck,
    TextClaim,
)
from desktop.phrases import localize, pluralize
from desktop.render.labels import Labels
from desktop.render.page.panel_parts import (
    NO_WISHES,
    PanelKind,
    PanelView,
    PendingCommands,
    bar,
    editor_buttons,
    hold_piece,
    make_collapsible,
    marks,
    notes_piece,
    panel_html,
    piece,
    progress_piece,
    remove_button,
    text_field,
)
from desktop.render.procedure_labels import (
    DocumentLabels,
    ResearchLabels,
    TextCheckLabels,
    document_labels,
    research_labels,
    text_check_labels,
)
from desktop.text.html_element import EMPTY, Html, button, element, fragment, icon

_STEERED = frozenset({Phase.SEARCHING, Phase.PAUSED})
_LARGE = 1_000
"""The general format writes larger numbers as powers."""


_ResearchView = PanelView[Research, ResearchLabels]


def _research_head(view: _ResearchView) -> str:
    research, words = view.state, view.words
    name = words.titles[research.depth]
    rounds = len(research.rounds)
    is_checking = view.is_live and research.phase is Phase.CHECKING  # the check is reported below the answer
    if research.phase is Phase.DONE or is_checking:
        sources = {number for done in research.rounds for number in done.sources}
        state = words.done.format(
            rounds=pluralize(words.rounds, rounds),
            sources=pluralize(words.sources_found, len(sources)),
            findings=pluralize(words.findings_made, len(research.findings)),
        )
    elif not view.is_live:
        state = words.broken_off
    else:
        most = research.budget.rounds
        state = words.phases[research.phase].format(round=max(1, rounds), rounds=most)
    return f"{name} · {state}"


def _research_pieces(view: _ResearchView) -> Iterable[Html]:
    research = view.state
    if research.plan.queries:
        is_edited = view.is_live and research.phase is Phase.PLANNED
        plan = _plan_editor(view) if is_edited else _plan(view)
        yield piece("plan", plan)
    for number, done in enumerate(research.rounds, 1):
        yield piece(f"round-{number}", _round(number, done, view))
    if research.asides or view.wishes.remarks:
        yield piece("remarks", _remarks(view))
    yield from notes_piece((research.ended_by,), view.labels)
    yield piece("spent", _spent_html(view))
    yield from hold_piece(view, Phase.SEARCHING)
    if view.is_live and research.phase in _STEERED:
        yield piece("steer", _steer(view.words))
    yield piece("record", _record_button(view.labels))


# The plan


def _plan(view: _ResearchView) -> Html:
    plan, words = view.state.plan, view.words
    is_folded = bool(view.state.rounds)
    body = fragment(_needs(view), element("h3", words.queries), _queries(plan.queries, words))
    return make_collapsible(words.plan, body, is_folded=is_folded)


def _needs(view: _ResearchView) -> Html:
    if not view.state.plan.needs:
        return EMPTY
    rows = (element("li", need, dir="auto") for need in view.state.plan.needs)
    return fragment(element("h3", view.words.needs), element("ul", *rows, class_="needs"))


def _queries(queries: Sequence[Query], words: ResearchLabels) -> Html:
    rows = (
        element(
            "li",
            element("span", words.places[query.place], class_="place"),
            element("span", query.text, dir="auto"),
        )
        for query in queries
    )
    return element("ul", *rows, class_="queries")


def _plan_editor(view: _ResearchView) -> Html:
    words, plan = view.words, view.state.plan
    places = view.state.places or tuple(dict.fromkeys(query.place for query in plan.queries))
    rows = (_plan_row(str(number), query, places, words) for number, query in enumerate(plan.queries, 1))
    blank = _plan_row("{number}", Query("", places[0]), places, words)
    start = words.starting if view.wishes.is_started else words.start
    return element(
        "div",
        _needs(view),
        element("h3", words.queries),
        element("ol", *rows),
        element("template", blank),
        editor_buttons(start, words.add, is_off=view.wishes.is_started),
        class_="editor",
        role="group",
        aria_label=words.plan,
        data_most=MOST_PLANNED,
    )


def _plan_row(number: str, query: Query, places: Sequence[SearchTarget], words: ResearchLabels) -> Html:
    options = (
        element("option", words.places[place], value=place.value, selected=place is query.place)
        for place in places
    )
    name = words.query.format(number=number)
    return element(
        "li",
        element("select", *options, aria_label=words.place.format(number=number)),
        text_field("query", QUERY_CHARS, words.new_query, name, query.text),
        remove_button(words.remove.format(number=number)),
    )


# The rounds


def _round(number: int, done: Round, view: _ResearchView) -> Html:
    words = view.words
    is_last = number == len(view.state.rounds)
    facts = [words.round.format(number=number)]
    if done.is_searched:
        facts.append(pluralize(words.sources_found, len(done.sources)))
        facts.append(pluralize(words.findings_made, len(done.findings)))
    body = [_queries(done.queries, words)]
    if done.sources:
        body += (
            element("h3", words.sources),
            element("p", marks(done.sources, view.known, view.labels), class_="numbers"),
        )
    if done.findings:
        rows = (_finding(finding, view) for finding in done.findings)
        body += (element("h3", words.findings), element("ul", *rows, class_="findings"))
    body.append(_verdict(done, view, is_last=is_last))
    is_folded = not is_last
    return make_collapsible(" · ".join(facts), fragment(*body), is_folded=is_folded)


def _finding(finding: Finding, view: _ResearchView) -> Html:
    return element("li", finding.text, marks(finding.numbers, view.known, view.labels), dir="auto")


def _verdict(done: Round, view: _ResearchView, *, is_last: bool) -> Html:
    words, verdict = view.words, done.verdict
    is_running = view.is_live and is_last and view.state.phase in _STEERED
    if not done.is_searched:
        return element("p", words.searching, class_="verdict") if is_running else EMPTY
    if verdict.problem:
        return element("p", localize(verdict.problem, view.labels.language), class_="verdict poor")
    if verdict.is_enough:
        return element("p", words.enough, class_="verdict good")
    if not verdict.missing and not verdict.queries:
        text = words.reading if is_running else words.unjudged
        nothing = EMPTY if done.sources else element("p", words.nothing_found)
        return fragment(nothing, element("p", text, class_="verdict"))
    parts: list[Html] = []
    if verdict.missing:
        missing = words.missing.format(missing=verdict.missing)
        parts.append(element("p", missing, class_="verdict", dir="auto"))
    if verdict.queries:
        parts += (element("h3", words.next), _queries(verdict.queries, words))
    return fragment(*parts)


# What was said and spent, and what can be done


def _remarks(view: _ResearchView) -> Html:
    waiting = element("span", f"({view.words.waiting})")
    rows = [element("li", aside, dir="auto") for aside in view.state.asides]
    rows += [element("li", text, " ", waiting, dir="auto", class_="waiting") for text in view.wishes.remarks]
    return fragment(element("h3", view.words.remarks), element("ul", *rows))


def _record_button(labels: Labels) -> Html:
    """Return the button that shows the research beside the answer, or in a window."""
    opener = button(labels.actions["details"], class_="way", data_action="details", data_focus="record")
    return element("div", opener, class_="board-ways")


def _spent_html(view: _ResearchView) -> Html:
    words, spent, budget = view.words, view.state.spent, view.state.budget
    bars = (
        _bar(words.spent_rounds, spent.rounds, budget.rounds, f"{spent.rounds}", words),
        _bar(words.spent_pages, spent.pages, budget.pages, f"{spent.pages}", words),
        _bar(words.spent_tokens, spent.tokens, budget.tokens, f"{spent.tokens:,}", words),
        _bar(words.spent_minutes, spent.seconds / 60, budget.minutes, f"{spent.seconds / 60:.1f}", words),
    )
    return element("div", *bars, class_="bars", role="group", aria_label=words.spent)


def _bar(name: str, spent: float, most: float, told_spent: str, words: ResearchLabels) -> Html:
    told_most = f"{most:,g}" if most < _LARGE else f"{most:,.0f}"
    text = words.of.format(spent=told_spent, most=told_most)
    return bar(name, spent, most, text)


def _steer(words: ResearchLabels) -> Html:
    field = text_field("remark", REMARK_CHARS, words.remark, words.remark)
    return element(
        "div", field, button(words.send, class_="way", data_research="remark"), class_="board-ways"
    )


RESEARCH_PANEL = PanelKind(research_labels, _research_head, _research_pieces)


_MOST_MISSING = 6


_TextCheckView = PanelView[TextCheck, TextCheckLabels]


def _check_head(view: _TextCheckView) -> str:
    state, words = view.state, view.words
    name = words.name.format(name=state.name or "…")
    done = len(state.checked)
    if state.phase is Phase.DONE:
        told = f"{pluralize(words.claims, done)} · {verdict_counts(state, view.labels)}"
    elif not view.is_live:
        told = words.broken_off
    else:
        count = len(state.claims)
        told = words.phases.get(state.phase, "").format(place=min(done + 1, count), count=count)
    return f"{name} · {told}"


def verdict_counts(state: TextCheck, labels: Labels) -> str:
    """Return how many claims have each verdict, the worst first."""
    words = text_check_labels(labels)
    found = [claim.verdict.support for claim in state.checked]
    counts = (f"{words.verdicts[level]}: {found.count(level)}" for level in CLAIM_RANK if level in found)
    return labels.comma.join(counts)


def _check_pieces(view: _TextCheckView) -> Iterable[Html]:
    state, words = view.state, view.words
    if state.claims and state.phase is not Phase.DONE:
        done, count = len(state.checked), len(state.claims)
        text = words.of.format(done=done, count=count)
        yield progress_piece(words.progress, done, count, text)
    if state.claims:
        yield from hold_piece(view, Phase.CHECKING)
        rows = (_claim_row(claim, view) for claim in state.checked)
        heading = element("h3", words.worst_first)
        yield piece("claims", fragment(heading, element("ol", *rows, class_="claims")))
    yield from notes_piece((*state.notes, state.ended_by), view.labels)


def _claim_row(claim: TextClaim, view: _TextCheckView) -> Html:
    verdict = claim.verdict
    told = " ".join(claim_reasons(claim, view.labels))
    passage = element("blockquote", verdict.words, dir="auto")
    return element(
        "li",
        element("strong", view.words.verdicts[verdict.support], class_="claim-verdict"),
        " ",
        element("span", _with_missing(claim), class_="claim-text", dir="auto"),
        marks(claim.numbers, view.known, view.labels),
        element("p", told, " ", _way_to_text(view), class_="claim-note"),
        element("details", element("summary", view.words.closest), passage) if verdict.words else None,
        class_=f"claim {verdict.support.value}",
    )


def _way_to_text(view: _TextCheckView) -> Html:
    if view.is_live:  # the text comes when all claims are checked
        return EMPTY
    return button(view.words.show_in_text, class_="way find-claim")


def claim_reasons(claim: TextClaim, labels: Labels) -> Iterable[str]:
    """Yield the reasons for a verdict, as sentences: where it is from, how sure it is, and what differs."""
    words, verdict = text_check_labels(labels), claim.verdict
    if verdict.unread is not None:
        yield labels.unread_notes[verdict.unread]
        return
    if not claim.judged:
        yield words.nothing
        return
    if verdict.support is SupportLevel.UNCOMPARED:
        yield words.uncompared
        return
    place = words.places[claim.place] if claim.place and verdict.number else ""
    sure = words.likelihood.format(percent=round(100 * verdict.score))
    told = " · ".join(filter(None, (place, sure)))
    yield f"{told[:1].upper()}{told[1:]}{words.full_stop}"
    if verdict.missing and verdict.support in DOUBTED:
        yield words.differs.format(missing=labels.comma.join(verdict.missing[:_MOST_MISSING]))


def _with_missing(claim: TextClaim) -> Html:
    """Return a claim with the numbers and names marked that the source does not have."""
    verdict = claim.verdict
    wanted = {*verdict.missing[:_MOST_MISSING]} - {""} if verdict.support in DOUBTED else set()
    if not wanted:
        return fragment(claim.text)
    parts: list[str] = []
    for piece_of_text in re.split(
        f"({'|'.join(map(re.escape, sorted(wanted, key=len, reverse=True)))})", claim.text
    ):
        is_first = piece_of_text in wanted
        wanted.discard(piece_of_text)
        parts.append(element("mark", piece_of_text) if is_first else piece_of_text)
    return fragment(*parts)


TEXT_CHECK_PANEL = PanelKind(
    text_check_labels, _check_head, _check_pieces, over=frozenset({Phase.DONE}), is_result=True
)


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
    return make_collapsible(" · ".join(filter(None, facts)), fragment(*body), is_folded=True)


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
        yield piece("plan", _outline_editor(view, words.outline_hint))
    elif writing.chapters:
        yield piece("outline", _outline(view))
    yield from notes_piece((writing.ended_by,), view.labels)
    yield from hold_piece(view, Phase.WRITING)
    if writing.chapters and not view.is_live:
        yield piece(
            "plan", make_collapsible(words.change, _outline_editor(view, words.change_hint), is_folded=False)
        )


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


def _outline_editor(view: _OutlineView, hint: str) -> Html:
    words, chapters = view.words, view.state.chapters
    rows = (
        _outline_row(str(place + 1), chapter.title, place if chapter.is_written else NOT_WRITTEN, view)
        for place, chapter in enumerate(chapters)
    )
    start = words.start if view.is_live else words.apply
    name = words.starting if view.wishes.is_started else start
    return element(
        "div",
        element("p", hint, class_="hint"),
        element("ol", *rows),
        element("template", _outline_row("{number}", "", NOT_WRITTEN, view)),
        editor_buttons(name, words.add, is_off=view.wishes.is_started),
        class_="editor",
        role="group",
        aria_label=words.outline,
        data_kind="outline",
        data_most=MOST_CHAPTERS,
    )


def _outline_row(number: str, title: str, origin: int, view: _OutlineView) -> Html:
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
