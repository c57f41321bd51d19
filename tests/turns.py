"""Runs turns and their parts, and yields the events that they emit."""

from dataclasses import replace
from functools import partial

from desktop.chat.emit import stream


async def discard(_event):
    """A sink for events that a test does not look at."""


def ask(runner, question):
    """Yield the events of a question."""
    return stream(partial(runner.run, question))


def go_on(runner, *answer, **fields):
    """Yield the events of an answer that is continued."""
    return stream(partial(runner.go_on, *answer, **fields))


def answer_with_models(runner, *answer):
    """Yield the events of further answers."""
    return stream(partial(runner.answer_with_models, *answer))


def check(runner, *answer, by_words=False):
    """Yield the events of a citation check."""
    return stream(partial(runner.checks().check, *answer, by_words=by_words))


def run_with(context, work, *arguments):
    """Yield what a procedure or a tool loop emits into the sink of its context."""
    return stream(lambda emit: work(*arguments, replace(context, emit=emit)))


def emitting(events):
    """Return work that emits what an iterator yields."""

    async def work(emit):
        async for event in events:
            await emit(event)

    return work
