"""The panel of a research: its plan, rounds, usage and controls."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from html import escape

from desktop.domain.messages import Message, MessageStatus
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
from desktop.render.page.procedure_panel import (
    NO_WISHES,
    OVER,
    PendingCommands,
    bar,
    folding,
    hold_buttons,
    marks,
    panel_html,
    piece,
    remove_button,
)
from desktop.render.procedure_labels import ResearchLabels, research_labels

_STEERED = frozenset({Phase.SEARCHING, Phase.PAUSED})


@dataclass(frozen=True)
class _ResearchView:
    """The data for the pieces; `known` are the numbers that have a source."""

    research: Research
    is_live: bool
    known: Collection[int]
    wishes: PendingCommands
    labels: Labels
    words: ResearchLabels

    @property
    def edits_plan(self) -> bool:
        """Whether the plan waits for the user's approval."""
        return self.is_live and self.research.phase is Phase.PLANNED


def research_html(
    message: Message, known: Collection[int], labels: Labels, wishes: PendingCommands = NO_WISHES
) -> str:
    """Return the panel of an answer's research, open while it runs; empty for an answer without one."""
    research = message.procedure
    if not isinstance(research, Research):
        return ""
    is_live = message.status is MessageStatus.STREAMING
    view = _ResearchView(research, is_live, known, wishes, labels, research_labels(labels))
    is_busy = is_live and research.phase not in OVER and research.phase not in {Phase.PLANNED, Phase.PAUSED}
    is_folded = not is_live or research.phase in OVER
    return panel_html(_head(view), _pieces(view), is_busy=is_busy, is_folded=is_folded)


def _head(view: _ResearchView) -> str:
    research, words = view.research, view.words
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


def _pieces(view: _ResearchView) -> Iterable[str]:
    research = view.research
    if research.plan.queries:
        plan = _editor(view) if view.edits_plan else _plan(view)
        yield piece("plan", plan)
    for number, done in enumerate(research.rounds, 1):
        yield piece(f"round-{number}", _round(number, done, view))
    if research.asides or view.wishes.remarks:
        yield piece("remarks", _remarks(view))
    if research.ended_by:
        yield piece("ended", f"<p>{escape(localize(research.ended_by, view.labels.language))}</p>")
    yield piece("spent", _spent(view))
    if view.is_live and research.phase in _STEERED:
        yield piece("buttons", hold_buttons(research.phase, view.wishes, view.labels))
        yield piece("steer", _steer(view.words))


# The plan


def _plan(view: _ResearchView) -> str:
    plan, words = view.research.plan, view.words
    is_folded = bool(view.research.rounds)
    body = f"{_needs(view)}<h3>{escape(words.queries)}</h3>{_queries(plan.queries, words)}"
    return folding(words.plan, body, is_folded=is_folded)


def _needs(view: _ResearchView) -> str:
    if not view.research.plan.needs:
        return ""
    rows = "".join(f'<li dir="auto">{escape(need)}</li>' for need in view.research.plan.needs)
    return f'<h3>{escape(view.words.needs)}</h3><ul class="needs">{rows}</ul>'


def _queries(queries: Sequence[Query], words: ResearchLabels) -> str:
    rows = "".join(
        f'<li><span class="place">{escape(words.places[query.place])}</span>'
        f'<span dir="auto">{escape(query.text)}</span></li>'
        for query in queries
    )
    return f'<ul class="queries">{rows}</ul>'


def _editor(view: _ResearchView) -> str:
    words, plan = view.words, view.research.plan
    places = view.research.places or tuple(dict.fromkeys(query.place for query in plan.queries))
    rows = "".join(
        _editor_row(str(number), query, places, words) for number, query in enumerate(plan.queries, 1)
    )
    blank = _editor_row("{number}", Query("", places[0]), places, words)
    off = " disabled" if view.wishes.is_started else ""
    start = words.starting if view.wishes.is_started else words.start
    return (
        f'<div class="editor" role="group" aria-label="{escape(words.plan)}" data-most="{MOST_PLANNED}">'
        f"{_needs(view)}<h3>{escape(words.queries)}</h3><ol>{rows}</ol><template>{blank}</template>"
        f'<div class="board-ways"><button type="button" class="way main" data-research="start"{off}>'
        f"{escape(start)}</button>"
        f'<button type="button" class="way" data-research="add"{off}>{escape(words.add)}</button></div></div>'
    )


def _editor_row(number: str, query: Query, places: Sequence[SearchTarget], words: ResearchLabels) -> str:
    options = "".join(
        f'<option value="{place.value}"{" selected" if place is query.place else ""}>'
        f"{escape(words.places[place])}</option>"
        for place in places
    )
    return (
        f'<li><select aria-label="{escape(words.place.format(number=number))}">{options}</select>'
        f'<input type="text" class="query" dir="auto" maxlength="{QUERY_CHARS}" value="{escape(query.text)}" '
        f'placeholder="{escape(words.new_query)}" aria-label="{escape(words.query.format(number=number))}">'
        f"{remove_button(words.remove.format(number=number))}</li>"
    )


# The rounds


def _round(number: int, done: Round, view: _ResearchView) -> str:
    words = view.words
    is_last = number == len(view.research.rounds)
    facts = [words.round.format(number=number)]
    if done.is_searched:
        facts.append(pluralize(words.sources_found, len(done.sources)))
        facts.append(pluralize(words.findings_made, len(done.findings)))
    body = _queries(done.queries, words)
    if done.sources:
        body += f"<h3>{escape(words.sources)}</h3><p>{marks(done.sources, view.known, view.labels)}</p>"
    if done.findings:
        rows = "".join(_finding(finding, view) for finding in done.findings)
        body += f'<h3>{escape(words.findings)}</h3><ul class="findings">{rows}</ul>'
    body += _verdict(done, view, is_last=is_last)
    is_folded = not is_last
    return folding(" · ".join(facts), body, is_folded=is_folded)


def _finding(finding: Finding, view: _ResearchView) -> str:
    return f'<li dir="auto">{escape(finding.text)}{marks(finding.numbers, view.known, view.labels)}</li>'


def _verdict(done: Round, view: _ResearchView, *, is_last: bool) -> str:
    words, verdict = view.words, done.verdict
    is_running = view.is_live and is_last and view.research.phase in _STEERED
    if not done.is_searched:
        return f'<p class="verdict">{escape(words.searching)}</p>' if is_running else ""
    if verdict.problem:
        return f'<p class="verdict poor">{escape(localize(verdict.problem, view.labels.language))}</p>'
    if verdict.is_enough:
        return f'<p class="verdict good">{escape(words.enough)}</p>'
    if not verdict.missing and not verdict.queries:
        text = words.reading if is_running else words.unjudged
        nothing = "" if done.sources else f"<p>{escape(words.nothing_found)}</p>"
        return f'{nothing}<p class="verdict">{escape(text)}</p>'
    missing = escape(words.missing.format(missing=verdict.missing)) if verdict.missing else ""
    html = f'<p class="verdict" dir="auto">{missing}</p>' if missing else ""
    if verdict.queries:
        html += f"<h3>{escape(words.next)}</h3>{_queries(verdict.queries, words)}"
    return html


# What was said and spent, and what can be done


def _remarks(view: _ResearchView) -> str:
    rows = [f'<li dir="auto">{escape(aside)}</li>' for aside in view.research.asides]
    rows += [
        f'<li dir="auto" class="waiting">{escape(text)} <span>({escape(view.words.waiting)})</span></li>'
        for text in view.wishes.remarks
    ]
    return f"<h3>{escape(view.words.remarks)}</h3><ul>{''.join(rows)}</ul>"


def _spent(view: _ResearchView) -> str:
    words, spent, budget = view.words, view.research.spent, view.research.budget
    bars = (
        _bar(words.spent_rounds, spent.rounds, budget.rounds, f"{spent.rounds}", words),
        _bar(words.spent_pages, spent.pages, budget.pages, f"{spent.pages}", words),
        _bar(words.spent_tokens, spent.tokens, budget.tokens, f"{spent.tokens:,}", words),
        _bar(words.spent_minutes, spent.seconds / 60, budget.minutes, f"{spent.seconds / 60:.1f}", words),
    )
    return f'<div class="bars" role="group" aria-label="{escape(words.spent)}">{"".join(bars)}</div>'


def _bar(name: str, spent: float, most: float, told_spent: str, words: ResearchLabels) -> str:
    text = words.of.format(spent=told_spent, most=f"{most:,g}" if most < 1_000 else f"{most:,.0f}")  # noqa: PLR2004 - `g` would write a large number as a power
    return bar(name, spent, most, text)


def _steer(words: ResearchLabels) -> str:
    return (
        f'<div class="board-ways"><input type="text" class="remark" dir="auto" maxlength="{REMARK_CHARS}" '
        f'placeholder="{escape(words.remark)}" aria-label="{escape(words.remark)}">'
        f'<button type="button" class="way" data-research="remark">{escape(words.send)}</button></div>'
    )
