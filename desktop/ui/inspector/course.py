"""The course of an answer: its steps while it runs, and the plan and the rounds of a research."""

from collections.abc import Iterable, Mapping

from PySide6.QtCore import QCoreApplication, Signal, Slot
from PySide6.QtWidgets import QFrame, QProgressBar, QPushButton, QWidget

from desktop.domain.messages import Message, MessageStatus, Step, StepKind, StepStatus
from desktop.domain.procedures import AnswerNow, Pause, Phase, Query, Research, Resume, Round
from desktop.domain.sources import Source
from desktop.phrases import localize, pluralize
from desktop.render.labels import Labels
from desktop.render.page.article import name_step
from desktop.render.procedure_labels import ResearchLabels, research_labels
from desktop.ui.i18n import Retranslated
from desktop.ui.inspector.rows import Emphasis, InspectorRow
from desktop.ui.widgets.layout import label, vbox
from desktop.ui.widgets.wrapping_row import WrappingRow

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
        queries = (_query_row(query, words) for query in research.plan.queries)
        yield InspectorRow(words.plan, tone=Emphasis.HEADING, children=(*needs, *queries))
    for number, done in enumerate(research.rounds, 1):
        facts = ""
        if done.is_searched:
            found = pluralize(words.sources_found, len(done.sources))
            facts = f"{found}, {pluralize(words.findings_made, len(done.findings))}"
        rows = tuple(_round_rows(done, sources, labels, words))
        yield InspectorRow(words.round.format(number=number), facts, tone=Emphasis.HEADING, children=rows)


def _query_row(query: Query, words: ResearchLabels) -> InspectorRow:
    return InspectorRow(f"“{query.text}”", words.places[query.place], tone=Emphasis.MUTED)


def _round_rows(
    done: Round, sources: Mapping[int, Source], labels: Labels, words: ResearchLabels
) -> Iterable[InspectorRow]:
    for query in done.queries:
        yield _query_row(query, words)
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
