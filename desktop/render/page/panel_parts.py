"""What the panels of all procedures share: a header, pieces and control buttons.

Each piece has a stamp of its content: the page replaces those that have changed and keeps the others, in
which the user may be reading or typing.
"""

import zlib
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from desktop.domain.messages import MessageStatus
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
from desktop.phrases import localize
from desktop.render.labels import Labels
from desktop.render.procedure_labels import research_labels
from desktop.text.html_element import Html, button, element, fragment, icon

OVER = frozenset({Phase.WRITING, Phase.CHECKING, Phase.DONE})
_WAITS = frozenset({Phase.PLANNED, Phase.PAUSED})
_State = TypeVar("_State", bound=Procedure)
_Words = TypeVar("_Words")

_CROSS = icon("M6 6l12 12M18 6L6 18")


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


@dataclass(frozen=True)
class PanelView(Generic[_State, _Words]):
    """What a panel shows; `known` are the numbers that have a source."""

    state: _State
    is_live: bool
    known: Collection[int]
    wishes: PendingCommands
    labels: Labels
    words: _Words


@dataclass(frozen=True)
class PanelKind(Generic[_State, _Words]):
    """What differs between the panels of procedures.

    Attributes:
        words: returns the texts of this kind in the language of the page.
        head: returns what the panel says while it is folded.
        pieces: yields its pieces.
        over: phases in which what comes next is shown below it, so that the panel is folded.
        is_result: the panel shows the result, and is never folded.
    """

    words: Callable[[Labels], _Words]
    head: Callable[[PanelView[_State, _Words]], str]
    pieces: Callable[[PanelView[_State, _Words]], Iterable[Html]]
    over: frozenset[Phase] = OVER
    is_result: bool = False


def panel_html(
    kind: PanelKind[_State, _Words],
    state: _State,
    status: MessageStatus,
    *,
    known: Collection[int],
    labels: Labels,
    wishes: PendingCommands,
) -> Html:
    """Return the panel of a procedure, open while it runs."""
    is_live, is_over = status is MessageStatus.STREAMING, state.phase in kind.over
    is_busy = is_live and not is_over and state.phase not in _WAITS
    is_folded = (is_over or not is_live) and not kind.is_result
    view = PanelView(state, is_live, known, wishes, labels, kind.words(labels))
    spinner = element("span", class_="spinner", aria_hidden="true")
    return element(
        "details",
        element("summary", spinner, element("span", kind.head(view), class_="board-name")),
        element("div", *kind.pieces(view), class_="pieces"),
        class_=f"board{' live' if is_busy else ''}",
        data_folded=int(is_folded),
        open=not is_folded,
    )


def piece(name: str, html: Html) -> Html:
    """Return a piece of a panel; its class is the part of the name before `-`."""
    stamp = zlib.crc32(html.encode("utf-8", "surrogatepass"))
    kind = f"piece {name.partition('-')[0]}"
    return element("div", html, class_=kind, data_piece=name, data_stamp=stamp)


def make_collapsible(summary: str, body: Html, *, is_folded: bool) -> Html:
    """Return a piece's content that the user can collapse."""
    return element(
        "details", element("summary", summary), body, data_folded=int(is_folded), open=not is_folded
    )


def marks(numbers: Sequence[int], known: Collection[int], labels: Labels) -> Html:
    """Return the marks of sources; a number without a source becomes no mark."""
    return fragment(*(_mark(number, labels) for number in numbers if number in known))


def _mark(number: int, labels: Labels) -> Html:
    link = element(
        "a",
        number,
        class_="citation",
        data_source=number,
        href=f"#source-{number}",
        role="doc-noteref",
        aria_label=f"{labels.source} {number}",
    )
    return element("sup", link)


def bar(name: str, spent: float, most: float, told: str) -> Html:
    """Return a progress bar with a label for screen readers."""
    progress = element(
        "progress", max=most, value=f"{min(spent, most):.2f}", aria_label=name, aria_valuetext=told
    )
    return element("div", element("span", name), progress, element("span", told), class_="bar")


def text_field(kind: str, most: int, placeholder: str, name: str, value: str | None = None) -> Html:
    """Return a field for at most `most` characters; `name` is what screen readers say."""
    return element(
        "input",
        type="text",
        class_=kind,
        dir="auto",
        maxlength=most,
        value=value,
        placeholder=placeholder,
        aria_label=name,
    )


def editor_buttons(start: str, add: str, *, is_off: bool) -> Html:
    """Return the buttons below rows that can be edited: one that goes on with them, and one that adds a row."""
    return element(
        "div",
        button(start, class_="way main", data_research="start", disabled=is_off),
        button(add, class_="way", data_research="add", disabled=is_off),
        class_="board-ways",
    )


def remove_button(name: str) -> Html:
    """Return the button that removes a row from an editable list."""
    return button(_CROSS, class_="action", data_research="remove", title=name)


def progress_piece(name: str, done: int, count: int, told: str) -> Html:
    """Return the piece that shows how much is done."""
    return piece("spent", element("div", bar(name, done, count, told), class_="bars"))


def notes_piece(notes: Iterable[str], labels: Labels) -> Iterable[Html]:
    """Yield the piece that says why a procedure ended early, and other notes; none without any."""
    told = [element("p", localize(note, labels.language)) for note in notes if note]
    if told:
        yield piece("ended", fragment(*told))


def hold_piece(view: PanelView[_State, _Words], working: Phase) -> Iterable[Html]:
    """Yield the buttons that pause, resume and finish a procedure, while it works or is paused."""
    if view.is_live and view.state.phase in {working, Phase.PAUSED}:
        yield piece("buttons", _hold_buttons(view.state.phase, view.wishes, view.labels))


def _hold_buttons(phase: Phase, wishes: PendingCommands, labels: Labels) -> Html:
    words = research_labels(labels)
    is_paused = phase is Phase.PAUSED
    wants_pause = is_paused if wishes.pauses is None else wishes.pauses
    kind, name = ("resume", words.resume) if wants_pause else ("pause", words.pause)
    note = ""
    if wishes.answers:
        note = words.answering
    elif wishes.pauses is not None:
        note = words.pausing if wishes.pauses else words.resuming
    off = wishes.answers
    return element(
        "div",
        button(name, class_="way", data_research=kind, data_focus="hold", disabled=off),
        button(words.answer, class_="way", data_research="answer", data_focus="answer", disabled=off),
        element("span", note, class_="note", role="status"),
        class_="board-ways",
    )
