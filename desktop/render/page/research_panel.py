"""The panel of a research: its plan, rounds, usage and controls."""

from collections.abc import Iterable, Sequence

from desktop.domain.procedures import (
    MOST_PLANNED,
    QUERY_CHARS,
    REMARK_CHARS,
    Finding,
    Phase,
    Query,
    Research,
    Round,
    SearchTarget,
)
from desktop.phrases import localize, pluralize
from desktop.render.labels import Labels
from desktop.render.page.buttons import button
from desktop.render.page.procedure_panel import (
    PanelKind,
    PanelView,
    bar,
    editor_buttons,
    folding,
    hold_piece,
    marks,
    notes_piece,
    piece,
    remove_button,
    text_field,
)
from desktop.render.procedure_labels import ResearchLabels, research_labels
from desktop.text.html.element import EMPTY, Html, element, fragment

_STEERED = frozenset({Phase.SEARCHING, Phase.PAUSED})


_ResearchView = PanelView[Research, ResearchLabels]


def _head(view: _ResearchView) -> str:
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


def _pieces(view: _ResearchView) -> Iterable[Html]:
    research = view.state
    if research.plan.queries:
        is_edited = view.is_live and research.phase is Phase.PLANNED
        plan = _editor(view) if is_edited else _plan(view)
        yield piece("plan", plan)
    for number, done in enumerate(research.rounds, 1):
        yield piece(f"round-{number}", _round(number, done, view))
    if research.asides or view.wishes.remarks:
        yield piece("remarks", _remarks(view))
    yield from notes_piece((research.ended_by,), view.labels)
    yield piece("spent", _spent(view))
    yield from hold_piece(view, Phase.SEARCHING)
    if view.is_live and research.phase in _STEERED:
        yield piece("steer", _steer(view.words))
    yield piece("record", _record_button(view.labels))


# The plan


def _plan(view: _ResearchView) -> Html:
    plan, words = view.state.plan, view.words
    is_folded = bool(view.state.rounds)
    body = fragment(_needs(view), element("h3", words.queries), _queries(plan.queries, words))
    return folding(words.plan, body, is_folded=is_folded)


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


def _editor(view: _ResearchView) -> Html:
    words, plan = view.words, view.state.plan
    places = view.state.places or tuple(dict.fromkeys(query.place for query in plan.queries))
    rows = (_editor_row(str(number), query, places, words) for number, query in enumerate(plan.queries, 1))
    blank = _editor_row("{number}", Query("", places[0]), places, words)
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


def _editor_row(number: str, query: Query, places: Sequence[SearchTarget], words: ResearchLabels) -> Html:
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
    return folding(" · ".join(facts), fragment(*body), is_folded=is_folded)


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


def _spent(view: _ResearchView) -> Html:
    words, spent, budget = view.words, view.state.spent, view.state.budget
    bars = (
        _bar(words.spent_rounds, spent.rounds, budget.rounds, f"{spent.rounds}", words),
        _bar(words.spent_pages, spent.pages, budget.pages, f"{spent.pages}", words),
        _bar(words.spent_tokens, spent.tokens, budget.tokens, f"{spent.tokens:,}", words),
        _bar(words.spent_minutes, spent.seconds / 60, budget.minutes, f"{spent.seconds / 60:.1f}", words),
    )
    return element("div", *bars, class_="bars", role="group", aria_label=words.spent)


def _bar(name: str, spent: float, most: float, told_spent: str, words: ResearchLabels) -> Html:
    text = words.of.format(spent=told_spent, most=f"{most:,g}" if most < 1_000 else f"{most:,.0f}")  # noqa: PLR2004 - `g` would write a large number as a power
    return bar(name, spent, most, text)


def _steer(words: ResearchLabels) -> Html:
    field = text_field("remark", REMARK_CHARS, words.remark, words.remark)
    return element(
        "div", field, button(words.send, class_="way", data_research="remark"), class_="board-ways"
    )


RESEARCH_PANEL = PanelKind(research_labels, _head, _pieces)
