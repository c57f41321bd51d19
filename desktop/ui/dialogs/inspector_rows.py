"""How an answer got its sources, as rows: its record, its steps while it runs, and the plan and the rounds of a research."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from PySide6.QtCore import (
    QCoreApplication,
    QLocale,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    Qt,
    Signal,
    Slot,
)
from PySide6.QtGui import QFont, QGuiApplication, QPalette, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QFrame, QProgressBar, QPushButton, QWidget

from desktop.domain.messages import Message, MessageStatus, Step, StepKind, StepStatus, TokenPrice
from desktop.domain.procedures import AnswerNow, Pause, Phase, Query, Research, Resume, Round
from desktop.domain.search import PageStatus, SearchStatus
from desktop.domain.sources import Source, SourceKind, canonical_url, host_of
from desktop.domain.trace import Decider, EngineTrace, SourceTrace, SourceUse, TextSpan, Trace
from desktop.phrases import localize, pluralize
from desktop.render.labels import Labels
from desktop.render.page.article import name_step
from desktop.render.procedure_labels import ResearchLabels, research_labels
from desktop.ui.i18n import Retranslated
from desktop.ui.widgets.labels import localize_message, money
from desktop.ui.widgets.layout import WrappingRow, cut_words, label, plain_tip, vbox

_Index = QModelIndex | QPersistentModelIndex
_ROW = Qt.ItemDataRole.UserRole
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


def format_search(status: SearchStatus, count: int) -> str:
    """Return the text for the outcome of a search in one engine."""
    translate = QCoreApplication.translate
    match status:
        case SearchStatus.RESULTS:
            one, many = translate("inspector", "1 result"), translate("inspector", "{count} results")
            text = one if count == 1 else many.format(count=count)
        case SearchStatus.NOTHING_FOUND:
            text = translate("inspector", "Nothing found")
        case SearchStatus.BLOCKED:
            text = translate("inspector", "Blocked")
        case SearchStatus.LAYOUT_CHANGED:
            text = translate("inspector", "Couldn’t read results")
        case SearchStatus.TIMED_OUT:
            text = translate("inspector", "Timed out")
        case SearchStatus.OFFLINE:
            text = translate("inspector", "Couldn’t connect")
    return text


def format_page(status: PageStatus) -> str:
    """Return the text for the outcome of reading a page."""
    translate = QCoreApplication.translate
    match status:
        case PageStatus.READ:
            text = translate("inspector", "Read")
        case PageStatus.EMPTY:
            text = translate("inspector", "No text on page")
        case PageStatus.BLOCKED:
            text = translate("inspector", "Blocked")
        case PageStatus.REFUSED:
            text = translate("inspector", "Not allowed")
        case PageStatus.NOT_FOUND:
            text = translate("inspector", "Page not found")
        case PageStatus.TIMED_OUT:
            text = translate("inspector", "Timed out")
        case PageStatus.OFFLINE:
            text = translate("inspector", "Couldn’t connect")
        case PageStatus.UNSUPPORTED:
            text = translate("inspector", "Couldn’t read")
        case PageStatus.FAILED:
            text = translate("inspector", "Failed")
    return text


def source_use_label(source_use: SourceUse) -> str:
    """Return the text that says how a source or a part of it was used."""
    translate = QCoreApplication.translate
    match source_use:
        case SourceUse.GIVEN:
            text = translate("inspector", "Used")
        case SourceUse.IRRELEVANT:
            text = translate("inspector", "Dropped: not relevant")
        case SourceUse.NO_BUDGET:
            text = translate("inspector", "Dropped: context full")
        case SourceUse.DUPLICATE:
            text = translate("inspector", "Merged with identical source")
        case SourceUse.EXCLUDED:
            text = translate("inspector", "Excluded by you")
        case SourceUse.NOT_NEEDED:
            text = translate("inspector", "Not read: enough sources")
        case SourceUse.NOTHING:
            text = translate("inspector", "No text")
    return text


def format_decider(trace: Trace) -> str:
    """Return who chose the queries; if it was not the model, say why."""
    translate = QCoreApplication.translate
    match trace.decider:
        case Decider.MODEL:
            text = translate("inspector", "Queries chosen by the model.")
        case Decider.USER:
            text = translate("inspector", "Queries chosen by you.")
        case Decider.MEMORY:
            text = translate("inspector", "Answered from memory, so the web was not searched.")
        case Decider.KEYWORDS:
            text = localize_message(trace.reason)
        case Decider.NONE:
            text = translate("inspector", "No search was needed.")
    return text


def format_seconds(seconds: float) -> str:
    """Return a duration as text; empty for zero."""
    if not seconds:
        return ""
    if seconds < 1:
        words = QCoreApplication.translate("inspector", "{milliseconds} ms")
        return words.format(milliseconds=round(1_000 * seconds))
    return QCoreApplication.translate("inspector", "{seconds} s").format(
        seconds=QLocale().toString(seconds, "f", 1)
    )


def cost_words(tokens: int, price: TokenPrice | None) -> str:
    """Return the approximate cost of `tokens` sent tokens; empty if the price is unknown."""
    return f"≈ {money(tokens * price.amount, price.currency)}" if price and tokens else ""


def format_number(number: int) -> str:
    """Return a number with digits grouped as in the user's language."""
    return QLocale().toString(number)


class Emphasis(Enum):
    """Emphasis of a row."""

    HEADING = "heading"
    PLAIN = "plain"
    MUTED = "muted"
    PROBLEM = "problem"


@dataclass(frozen=True)
class InspectorRow:
    """One row: its name, outcome, time, tokens and cost, and the rows below it."""

    name: str
    outcome: str = ""
    time: str = ""
    tokens: str = ""
    tone: Emphasis = Emphasis.PLAIN
    url: str = ""
    source: SourceTrace | None = None
    children: tuple["InspectorRow", ...] = ()
    cost: str = ""


def rows_of(
    trace: Trace, engines: Mapping[str, str], price: TokenPrice | None = None
) -> tuple[InspectorRow, ...]:
    """Return the sections of a record; `engines` maps ids to names, `price` is the price of a sent token."""
    translate = QCoreApplication.translate
    sections = []
    if trace.sources:
        sources = sorted(trace.sources, key=lambda source: source.source_use is not SourceUse.GIVEN)
        rows = tuple(
            replace(_source_row(source, trace, engines), cost=cost_words(source.tokens, price))
            for source in sources
        )
        given = sum(source.source_use is SourceUse.GIVEN for source in trace.sources)
        outcome = translate("inspector", "{count} used").format(count=given)
        tokens = _of(trace.tokens, trace.budget_tokens)
        cost = cost_words(trace.tokens, price)
        name = translate("inspector", "Sources")
        sections.append(
            InspectorRow(name, outcome, tokens=tokens, tone=Emphasis.HEADING, children=rows, cost=cost)
        )
    if trace.searches:
        rows = tuple(_query_row(query, trace, engines) for query in _queries(trace))
        sections.append(
            InspectorRow(translate("inspector", "Searches"), tone=Emphasis.HEADING, children=rows)
        )
    return tuple(sections)


def _queries(trace: Trace) -> Iterable[str]:
    return dict.fromkeys(search.query for search in trace.searches)


def _query_row(query: str, trace: Trace, engines: Mapping[str, str]) -> InspectorRow:
    sources = {source.found_as: source for source in trace.sources}
    searches = [search for search in trace.searches if search.query == query]
    found = {canonical_url(hit.url) for search in searches for hit in search.hits}
    translate = QCoreApplication.translate
    one, many = translate("inspector", "1 result"), translate("inspector", "{count} results")
    several = many.format(count=len(found)) if found else translate("inspector", "Nothing found")
    outcome = one if len(found) == 1 else several
    rows = tuple(_engine_row(search, engines, sources) for search in searches)
    return InspectorRow(f"“{query}”", outcome, children=rows)


def _engine_row(
    search: EngineTrace, engines: Mapping[str, str], sources: Mapping[str, SourceTrace]
) -> InspectorRow:
    has_results = search.status is SearchStatus.RESULTS
    said = [
        InspectorRow(localize_message(text), tone=Emphasis.MUTED)
        for text in (search.error, *search.notes)
        if text
    ]
    hits = [_hit_row(hit.rank, hit.title, hit.url, sources) for hit in search.hits]
    return InspectorRow(
        engines.get(search.engine, search.engine),
        format_search(search.status, len(search.hits)),
        format_seconds(search.seconds),
        tone=Emphasis.PLAIN if has_results and not search.notes else Emphasis.PROBLEM,
        children=(*said, *hits),
    )


def _hit_row(rank: int, title: str, url: str, sources: Mapping[str, SourceTrace]) -> InspectorRow:
    source = sources.get(canonical_url(url))
    is_given = source is not None and source.source_use is SourceUse.GIVEN
    return InspectorRow(
        f"{rank}. {title or url} – {host_of(url)}",
        source_use_label(source.source_use) if source else "",
        tone=Emphasis.PLAIN if is_given else Emphasis.MUTED,
        url=url,
    )


def _source_row(source: SourceTrace, trace: Trace, engines: Mapping[str, str]) -> InspectorRow:
    number = f"[{source.number}] " if source.number else ""
    where = f" – {host_of(source.url)}" if source.kind is SourceKind.WEB else ""
    title = localize_message(source.title) if source.kind is SourceKind.MEMORY else source.title
    is_given = source.source_use is SourceUse.GIVEN
    tone = Emphasis.PLAIN if is_given else Emphasis.MUTED
    if source.status not in {None, PageStatus.READ}:
        tone = Emphasis.PROBLEM
    return InspectorRow(
        f"{number}{title or source.url}{where}",
        _source_outcome(source),
        format_seconds(source.seconds),
        _of(source.tokens, source.total_tokens) if source.total_tokens else "",
        tone,
        source.url if source.kind is SourceKind.WEB else "",
        source,
        (*_note_rows(source, trace, engines), *map(_piece_row, source.pieces)),
    )


def _source_outcome(source: SourceTrace) -> str:
    translate = QCoreApplication.translate
    words = [source_use_label(source.source_use)]
    if source.is_pinned:
        words.append(translate("inspector", "pinned"))
    if source.is_snippet:
        words.append(translate("inspector", "snippet only"))
    if source.is_cached:
        words.append(translate("inspector", "cached"))
    return " · ".join(words)


def _note_rows(source: SourceTrace, trace: Trace, engines: Mapping[str, str]) -> Iterable[InspectorRow]:
    translate = QCoreApplication.translate
    if source.engines:
        names = ", ".join(engines.get(engine, engine) for engine in source.engines)
        found = translate("inspector", "Found by {engines}").format(engines=names)
        yield InspectorRow(found, tone=Emphasis.MUTED)
    if source.status not in {None, PageStatus.READ}:
        yield InspectorRow(localize_message(source.error), format_page(source.status), tone=Emphasis.PROBLEM)
    for note in source.notes:
        yield InspectorRow(localize_message(note), tone=Emphasis.MUTED)
    if source.same_as:
        twins = (other.title or other.url for other in trace.sources if other.key == source.same_as)
        same = translate("inspector", "Same as {title}").format(title=next(twins, source.same_as))
        yield InspectorRow(same, tone=Emphasis.MUTED)


def _piece_row(piece: TextSpan) -> InspectorRow:
    translate = QCoreApplication.translate
    score = translate("inspector", "score {score}").format(score=f"{piece.score:.2f}") if piece.score else ""
    outcome = " · ".join(filter(None, (source_use_label(piece.source_use), score)))
    tone = Emphasis.PLAIN if piece.source_use is SourceUse.GIVEN else Emphasis.MUTED
    return InspectorRow(f"“{piece.text}”", outcome, tokens=format_number(piece.tokens), tone=tone)


def _of(part: int, whole: int) -> str:
    if part == whole:
        return format_number(part)
    words = QCoreApplication.translate("inspector", "{part} of {whole}")
    return words.format(part=format_number(part), whole=format_number(whole))


_COLOURS = {
    Emphasis.MUTED: QPalette.ColorRole.PlaceholderText,
    Emphasis.PROBLEM: QPalette.ColorRole.BrightText,
}


class TraceModel(QStandardItemModel):
    """The rows as a tree model with five columns."""

    NAME, OUTCOME, TIME, TOKENS, COST = range(5)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(0, 5, parent)
        for column in (self.TIME, self.TOKENS, self.COST):
            self.setHeaderData(column, Qt.Orientation.Horizontal, _RIGHT, Qt.ItemDataRole.TextAlignmentRole)

    def show(self, rows: Iterable[InspectorRow]) -> None:
        """Replace the rows; the headers are in the current language."""
        became, time, tokens = self.tr("Result"), self.tr("Time"), self.tr("Tokens")
        self.setHorizontalHeaderLabels(["", became, time, tokens, self.tr("Cost")])
        self.removeRows(0, self.rowCount())
        for row in rows:
            self.appendRow(_items(row))

    def row_at(self, index: _Index) -> InspectorRow:
        """Return the row at `index`."""
        row: InspectorRow = self.index(index.row(), self.NAME, index.parent()).data(_ROW)
        return row

    @cut_words
    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the data of a cell; colours and fonts are the current ones."""
        if role == Qt.ItemDataRole.ForegroundRole and index.isValid():
            tone = self.row_at(index).tone
            return QGuiApplication.palette().brush(_COLOURS[tone]) if tone in _COLOURS else None
        if role == Qt.ItemDataRole.FontRole and index.isValid():
            return bold_font() if self.row_at(index).tone is Emphasis.HEADING else None
        return super().data(index, role)


def bold_font() -> QFont:
    """Return the font of headings."""
    font = QGuiApplication.font()
    font.setBold(True)
    return font


def _items(row: InspectorRow) -> list[QStandardItem]:
    items = [QStandardItem(text) for text in (row.name, row.outcome, row.time, row.tokens, row.cost)]
    for item in items:
        item.setEditable(False)
    for item in items[TraceModel.TIME :]:
        item.setTextAlignment(_RIGHT)
    name = items[TraceModel.NAME]
    name.setData(row, _ROW)
    name.setToolTip(plain_tip(row.url or row.name))
    items[TraceModel.OUTCOME].setToolTip(plain_tip(row.outcome))  # it is cut in a narrow panel
    for child in row.children:
        name.appendRow(_items(child))
    return items


_TONES = {
    StepStatus.RUNNING: Emphasis.PLAIN,
    StepStatus.DONE: Emphasis.PLAIN,
    StepStatus.DEGRADED: Emphasis.PROBLEM,
    StepStatus.FAILED: Emphasis.PROBLEM,
}
_MINUTE_S = 60
_BUSY_HEIGHT = 3
_STEERED = frozenset({Phase.SEARCHING, Phase.PAUSED})
_HAS_TIME_LEFT = _STEERED | {Phase.PLANNING, Phase.PLANNED}
_WAITS = frozenset({Phase.PLANNED, Phase.PAUSED})
"""Phases in which a research does nothing until the user does."""


def course_rows(
    message: Message, sources: Mapping[int, Source], labels: Labels, *, has_record: bool
) -> tuple[InspectorRow, ...]:
    """Return the sections in the order of time; steps only if there is no record, which says the same with times."""
    research = message.procedure if isinstance(message.procedure, Research) else None
    sections = list(_research_rows(research, sources, labels)) if research is not None else []
    steps = () if has_record else tuple(_step_row(step, labels) for step in message.steps)
    if steps:
        heading = QCoreApplication.translate("inspector", "Steps")
        sections.append(InspectorRow(heading, tone=Emphasis.HEADING, children=steps))
    return tuple(sections)


def _step_row(step: Step, labels: Labels) -> InspectorRow:
    outcome = localize(step.detail, labels.language)
    if step.status is StepStatus.RUNNING:
        outcome = QCoreApplication.translate("inspector", "Running…")
    elif step.count is not None and step.kind in labels.counts:
        outcome = pluralize(labels.counts[step.kind], step.count)
    details = (step.detail,) if step.detail and outcome != localize(step.detail, labels.language) else ()
    rows = (InspectorRow(localize(detail, labels.language), tone=Emphasis.MUTED) for detail in details)
    return InspectorRow(name_step(step, labels), outcome, tone=_TONES[step.status], children=tuple(rows))


def _research_rows(
    research: Research, sources: Mapping[int, Source], labels: Labels
) -> Iterable[InspectorRow]:
    words = research_labels(labels)
    # While the plan waits for the user, it stands in the answer, where it can be changed.
    if research.plan.queries and research.phase is not Phase.PLANNED:
        needs = (InspectorRow(need) for need in research.plan.needs)
        queries = (_planned_query_row(query, words) for query in research.plan.queries)
        yield InspectorRow(words.plan, tone=Emphasis.HEADING, children=(*needs, *queries))
    for number, done in enumerate(research.rounds, 1):
        facts = ""
        if done.is_searched:
            found = pluralize(words.sources_found, len(done.sources))
            facts = f"{found}, {pluralize(words.findings_made, len(done.findings))}"
        rows = tuple(_round_rows(done, sources, labels, words))
        yield InspectorRow(words.round.format(number=number), facts, tone=Emphasis.HEADING, children=rows)


def _planned_query_row(query: Query, words: ResearchLabels) -> InspectorRow:
    return InspectorRow(f"“{query.text}”", words.places[query.place], tone=Emphasis.MUTED)


def _round_rows(
    done: Round, sources: Mapping[int, Source], labels: Labels, words: ResearchLabels
) -> Iterable[InspectorRow]:
    for query in done.queries:
        yield _planned_query_row(query, words)
    for number in done.sources:
        if (source := sources.get(number)) is not None:
            url = source.url if source.url.startswith("http") else ""
            yield InspectorRow(f"[{number}] {source.title or source.url}", url=url)
    if done.findings:
        findings = (
            InspectorRow(f"{finding.text} {''.join(f'[{number}]' for number in finding.numbers)}")
            for finding in done.findings
        )
        yield InspectorRow(words.findings, children=tuple(findings))
    verdict = done.verdict
    if verdict.problem:
        yield InspectorRow(localize(verdict.problem, labels.language), tone=Emphasis.PROBLEM)
    elif verdict.is_enough:
        yield InspectorRow(words.enough, tone=Emphasis.MUTED)
    elif verdict.missing:
        yield InspectorRow(words.missing.format(missing=verdict.missing))
    for query in verdict.queries:
        yield InspectorRow(f"{words.next}: “{query.text}”", words.places[query.place], tone=Emphasis.MUTED)


class CourseBar(Retranslated, QFrame):
    """Where an answer that runs is, what is still missing and the time left; with buttons that steer and stop it.

    Signals:
        steered: a command of the user to the research.
        stop_asked: the answer is to be stopped.
    """

    steered = Signal(object)
    stop_asked = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("panel")
        self._research: Research | None = None
        self.state = label(self)
        self.state.setProperty("strong", "true")
        self.busy = QProgressBar(self)
        self.busy.setRange(0, 0)
        self.busy.setTextVisible(False)
        self.busy.setFixedHeight(_BUSY_HEIGHT)
        self.budget = label(self, "", "muted", "small")
        self.missing = label(self, "")
        self.hold = QPushButton(self)
        self.answer = QPushButton(self)
        self.stop = QPushButton(self)
        column = vbox(self, spacing=6, margins=(14, 10, 14, 10))
        for widget in (self.state, self.busy, self.budget, self.missing):
            column.addWidget(widget)
        row = WrappingRow()
        for button in (self.hold, self.answer, self.stop):
            button.setAutoDefault(False)
            row.addWidget(button)
        column.addLayout(row)
        self.hold.clicked.connect(self._on_hold_clicked)
        self.answer.clicked.connect(self._on_answer_clicked)
        self.stop.clicked.connect(self.stop_asked)
        self._retranslate()
        self.hide()

    def show_state(self, message: Message | None, labels: Labels) -> None:
        """Show where an answer is; hidden for one that has ended, unless it is a research."""
        is_live = message is not None and message.status is MessageStatus.STREAMING
        procedure = message.procedure if message is not None else None
        self._research = research = procedure if isinstance(procedure, Research) else None
        words = research_labels(labels)
        is_paused = research is not None and research.phase is Phase.PAUSED
        self.hold.setText(words.resume if is_paused else words.pause)
        self.answer.setText(words.answer)
        self.setVisible(is_live or research is not None)
        self.busy.setVisible(is_live and (research is None or research.phase not in _WAITS))
        if message is None:
            return
        self.state.setText(
            _research_state(research, labels, is_live=is_live) if research else _now(message, labels)
        )
        self.budget.setText(self._format_budget(research, is_live=is_live) if research else "")
        self.budget.setVisible(bool(self.budget.text()))
        missing = _still_missing(research) if research is not None else ""
        self.missing.setText(words.missing.format(missing=missing) if missing else "")
        self.missing.setVisible(bool(missing))
        is_steered = is_live and research is not None and research.phase in _STEERED
        self.hold.setVisible(is_steered)
        self.answer.setVisible(is_steered)
        self.stop.setVisible(is_live)

    def _format_budget(self, research: Research, *, is_live: bool) -> str:
        spent, budget = research.spent, research.budget
        pages = self.tr("{done} of {most} pages").format(done=spent.pages, most=budget.pages)
        left = max(0, round(budget.minutes - spent.seconds / 60))
        if is_live and research.phase in _HAS_TIME_LEFT:
            remaining = self.tr("at most %n minute(s) left", None, left)
            return f"{pages} · {remaining}"
        if is_live:
            return pages
        seconds = round(spent.seconds)
        took = (
            self.tr("took %n second(s)", None, max(1, seconds))
            if seconds < _MINUTE_S
            else self.tr("took %n minute(s)", None, round(seconds / _MINUTE_S))
        )
        return f"{pages} · {took}" if spent.seconds else pages

    def _retranslate(self) -> None:
        self.stop.setText(self.tr("Stop"))

    @Slot()
    def _on_hold_clicked(self) -> None:
        is_paused = self._research is not None and self._research.phase is Phase.PAUSED
        self.steered.emit(Resume() if is_paused else Pause())

    @Slot()
    def _on_answer_clicked(self) -> None:
        self.steered.emit(AnswerNow())


def _now(message: Message, labels: Labels) -> str:
    """Return what an answer is doing: its last step that runs, else that it is being written."""
    running = [step for step in message.steps if step.status is StepStatus.RUNNING]
    if not running:
        return labels.steps[StepKind.ANSWER]
    return name_step(running[-1], labels)


def _still_missing(research: Research) -> str:
    """Return what the last round that was judged lacked; a round under way has no verdict yet."""
    verdicts = [done.verdict for done in research.rounds if done.verdict.is_enough or done.verdict.missing]
    return verdicts[-1].missing if verdicts and not verdicts[-1].is_enough else ""


def _research_state(research: Research, labels: Labels, *, is_live: bool) -> str:
    words = research_labels(labels)
    title, rounds = words.titles[research.depth], len(research.rounds)
    if research.phase is Phase.DONE or (is_live and research.phase not in words.phases):
        sources = {number for done in research.rounds for number in done.sources}
        state = words.done.format(
            rounds=pluralize(words.rounds, rounds),
            sources=pluralize(words.sources_found, len(sources)),
            findings=pluralize(words.findings_made, len(research.findings)),
        )
    elif not is_live:
        state = words.broken_off
    else:
        state = words.phases[research.phase].format(round=max(1, rounds), rounds=research.budget.rounds)
    return f"{title} · {state}"
