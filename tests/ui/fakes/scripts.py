"""Scripts for single methods of real services: what they return, yield or raise, and where they wait."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

from desktop.errors import AppError


class Calls(list[tuple[Any, ...]]):
    """The arguments of all calls of a method."""

    cancelled = 0
    """How many of them were cancelled."""


def script_steps(service: object, method: str, *steps: object) -> Calls:
    """Have a method yield `steps` from now on: an event is waited for, an error raised, a function called."""
    calls = Calls()

    async def work(*arguments: Any, **named: Any) -> AsyncIterator[object]:
        calls.append((*arguments, *named.values()))
        try:
            for step in steps:
                if isinstance(step, asyncio.Event):
                    await step.wait()
                elif isinstance(step, AppError):
                    raise step
                elif callable(step):
                    step()
                else:
                    yield step
        except (asyncio.CancelledError, GeneratorExit):
            calls.cancelled += 1
            raise

    vars(service)[method] = work
    return calls


def script_result(service: object, method: str, *steps: object) -> Calls:
    """Have a method return the last of `steps` from now on, which are those of `yielding`."""
    calls = script_steps(service, method, *steps)
    work = vars(service)[method]

    async def answer(*arguments: Any, **named: Any) -> object:
        result = None
        async for step in work(*arguments, **named):
            result = step
        return result

    vars(service)[method] = answer
    return calls


def record_calls(service: object, method: str) -> Calls:
    """Return the arguments of all calls of a method from now on; it works as before."""
    calls = Calls()
    work = getattr(service, method)

    def note(*arguments: Any, **named: Any) -> Any:
        calls.append((*arguments, *named.values()))
        return work(*arguments, **named)

    vars(service)[method] = note
    return calls
