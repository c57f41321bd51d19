"""What is said of a request before it is sent."""

from collections.abc import Iterator, Sequence

from desktop.chat.prompt import Prompt
from desktop.chat.steps import StepLog
from desktop.domain.events import TurnEvent
from desktop.domain.messages import StepKind, StepStatus
from desktop.domain.sources import Source
from desktop.phrases import phrase

_PINNED = phrase("Sources that you keep for further questions: {count}.")
_TURNS_LEFT_OUT = phrase("Earlier questions left out: {count}.")
_SOURCES_LEFT_OUT = phrase("Sources left out: {count}.")
SHOWN = phrase("Pages of sources that the model sees as pictures: {count}.")


def notes(
    problems: Sequence[str], pinned: Sequence[Source], prompt: Prompt, log: StepLog
) -> Iterator[TurnEvent]:
    """Say as steps what the model does not see, what is kept for it or shown to it, and what did not fit its window."""
    for problem in problems:
        yield log.report(StepKind.READ, StepStatus.DEGRADED, problem)
    if pinned:
        yield log.report(StepKind.CONTEXT, StepStatus.DONE, _PINNED.format(count=len(pinned)))
    if prompt.pages_shown:
        yield log.report(StepKind.CONTEXT, StepStatus.DONE, SHOWN.format(count=prompt.pages_shown))
    words = []
    if prompt.dropped_turns:
        words.append(_TURNS_LEFT_OUT.format(count=prompt.dropped_turns))
    if prompt.dropped_sources:
        words.append(_SOURCES_LEFT_OUT.format(count=len(prompt.dropped_sources)))
    if words:
        started = log.start(StepKind.CONTEXT)
        yield started
        yield log.finish(started, status=StepStatus.DEGRADED, detail=" ".join(words))
