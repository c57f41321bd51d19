"""What the panels of all procedures share: a header, pieces and control buttons.

Each piece has a stamp of its content: the page replaces those that have changed and keeps the others, in
which the user may be reading or typing.
"""

import zlib
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape

from desktop.domain.procedures import (
    AnswerNow,
    Pause,
    Phase,
    Procedure,
    ProcedureCommand,
    Research,
    Resume,
    StartOutline,
    StartPlan,
    UserNote,
)
from desktop.render.labels import Labels
from desktop.render.procedure_labels import research_labels

OVER = frozenset({Phase.WRITING, Phase.CHECKING, Phase.DONE})

_CROSS = '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6 6l12 12M18 6L6 18"/></svg>'


@dataclass(frozen=True)
class PendingCommands:
    """Commands of the user that a procedure has not confirmed yet."""

    is_started: bool = False
    pauses: bool | None = None
    answers: bool = False
    remarks: tuple[str, ...] = ()

    def with_command(self, wish: ProcedureCommand) -> "PendingCommands":
        """Return the pending commands with `wish` added."""
        match wish:
            case StartPlan() | StartOutline():
                return replace(self, is_started=True)
            case Pause():
                return replace(self, pauses=True)
            case Resume():
                return replace(self, pauses=False)
            case AnswerNow():
                return replace(self, answers=True, pauses=None)
            case UserNote(text):
                return replace(self, remarks=(*self.remarks, text))

    def after(self, procedure: Procedure) -> "PendingCommands":
        """Return the commands that are still pending in this state of a procedure."""
        known = procedure.asides if isinstance(procedure, Research) else ()
        is_paused = procedure.phase is Phase.PAUSED
        return PendingCommands(
            is_started=self.is_started and procedure.phase is Phase.PLANNED,
            pauses=None if self.pauses is is_paused else self.pauses,
            answers=self.answers and procedure.phase not in OVER,
            remarks=tuple(text for text in self.remarks if text not in known),
        )


NO_WISHES = PendingCommands()


def panel_html(name: str, pieces: Iterable[str], *, is_busy: bool, is_folded: bool) -> str:
    """Return a panel, open unless it `is_folded`."""
    return (
        f'<details class="board{" live" if is_busy else ""}" data-folded="{int(is_folded)}"'
        f'{"" if is_folded else " open"}><summary><span class="spinner" aria-hidden="true"></span>'
        f'<span class="board-name">{escape(name)}</span></summary>'
        f'<div class="pieces">{"".join(pieces)}</div></details>'
    )


def piece(name: str, html: str) -> str:
    """Return a piece of a panel; its class is the part of the name before `-`."""
    stamp = zlib.crc32(html.encode("utf-8", "surrogatepass"))
    return (
        f'<div class="piece {name.partition("-")[0]}" data-piece="{name}" data-stamp="{stamp}">{html}</div>'
    )


def folding(summary: str, body: str, *, is_folded: bool) -> str:
    """Return a piece's content that the user can collapse."""
    return (
        f'<details data-folded="{int(is_folded)}"{"" if is_folded else " open"}>'
        f"<summary>{escape(summary)}</summary>{body}</details>"
    )


def marks(numbers: Sequence[int], known: Collection[int], labels: Labels) -> str:
    """Return the marks of sources; a number without a source becomes no mark."""
    name = escape(labels.source)
    return "".join(
        f'<sup><a class="citation" data-source="{number}" href="#source-{number}" role="doc-noteref" '
        f'aria-label="{name} {number}">{number}</a></sup>'
        for number in numbers
        if number in known
    )


def bar(name: str, spent: float, most: float, told: str) -> str:
    """Return a progress bar with a label for screen readers."""
    return (
        f'<div class="bar"><span>{escape(name)}</span><progress max="{most}" value="{min(spent, most):.2f}" '
        f'aria-label="{escape(name)}" aria-valuetext="{escape(told)}"></progress><span>{escape(told)}</span></div>'
    )


def remove_button(name: str) -> str:
    """Return the button that removes a row from an editable list."""
    return (
        f'<button type="button" class="action" data-research="remove" title="{escape(name)}">'
        f"{_CROSS}</button>"
    )


def hold_buttons(phase: Phase, wishes: PendingCommands, labels: Labels) -> str:
    """Return the buttons that pause, resume and finish a procedure."""
    words = research_labels(labels)
    is_paused = phase is Phase.PAUSED
    wants_pause = is_paused if wishes.pauses is None else wishes.pauses
    kind, name = ("resume", words.resume) if wants_pause else ("pause", words.pause)
    note = ""
    if wishes.answers:
        note = words.answering
    elif wishes.pauses is not None:
        note = words.pausing if wishes.pauses else words.resuming
    off = " disabled" if wishes.answers else ""
    return (
        f'<div class="board-ways"><button type="button" class="way" data-research="{kind}" data-focus="hold"{off}>'
        f'{escape(name)}</button><button type="button" class="way" data-research="answer" data-focus="answer"{off}>'
        f'{escape(words.answer)}</button><span class="note" role="status">{escape(note)}</span></div>'
    )
