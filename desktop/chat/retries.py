"""Retries a model request after a temporary server error: before the first word, with a countdown.

Only errors marked as temporary (`ProviderError.may_retry`) are retried, at most `MAX_RETRIES` times and with at
most `MAX_WAIT_S` of waiting in total; if a server asks for a longer wait, the request fails at once with the
server's message. Requests whose waits the user does not see (titles, checks, search queries) wait for
`MAX_UNSEEN_WAIT_S` at most.
"""

import asyncio
import math
import uuid
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass

from desktop.domain.models import Model, ModelEvent, ModelRequest, RetryWaits, UsageReported, WishesLeftOut
from desktop.errors.servers import ProviderError

MAX_RETRIES = 3
MAX_WAIT_S = 60.0
"""Limit for the sum of all waits of one request."""

MAX_UNSEEN_WAIT_S = 3.0
"""The same limit if no step shows the waits: enough for two retries if the server gives no time."""

FIRST_WAIT_S = 1.0
"""First wait if the server gives no time; doubled with each retry."""

_TICK_S = 1.0


class Retries:
    """The current waits, so that the user can end one early."""

    def __init__(self) -> None:
        self._waiting: dict[str, asyncio.Event] = {}

    def skip(self, wait_id: str) -> None:
        """End a wait now; one that is already over is ignored."""
        if wait_id in self._waiting:
            self._waiting[wait_id].set()

    async def countdown(self, wait_id: str, seconds: float) -> AsyncGenerator[int, None]:
        """Yield the remaining whole seconds, about once a second, until they are over or `skip` is called."""
        loop = asyncio.get_running_loop()
        end = loop.time() + seconds
        is_skipped = self._waiting[wait_id] = asyncio.Event()
        try:
            while (left := end - loop.time()) > 0 and not is_skipped.is_set():
                yield math.ceil(left)
                try:
                    async with asyncio.timeout(min(left, _TICK_S)):
                        await is_skipped.wait()
                except TimeoutError:
                    continue
        finally:
            del self._waiting[wait_id]


@dataclass(frozen=True)
class RetryingModel:
    """A model that retries requests; used like any other, see `domain.models.Model`."""

    model: Model
    retries: Retries

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Yield the events of the answer, preceded by a `RetryWaits` for every second of waiting."""
        waited_s = 0.0
        max_wait_s = MAX_WAIT_S if request.shows_waits else MAX_UNSEEN_WAIT_S
        for attempt in range(MAX_RETRIES + 1):
            has_begun = False
            try:
                async with aclosing(self.model.stream(request)) as events:
                    async for event in events:
                        has_begun = has_begun or not isinstance(event, WishesLeftOut | UsageReported)
                        yield event
            except ProviderError as error:
                wait_s = _wait_for(error, attempt)
                if has_begun or not error.may_retry or attempt == MAX_RETRIES:
                    raise
                if waited_s + wait_s > max_wait_s:
                    raise
                waited_s += wait_s
                reason = str(error)
            else:
                return
            wait_id = uuid.uuid4().hex
            async with aclosing(self.retries.countdown(wait_id, wait_s)) as countdown:
                async for left in countdown:
                    yield RetryWaits(wait_id, attempt + 1, MAX_RETRIES, left, reason)
            yield RetryWaits(wait_id, attempt + 1, MAX_RETRIES, 0, reason)


def _wait_for(error: ProviderError, attempt: int) -> float:
    """Return the seconds to wait: the server's value, or twice as long with each attempt."""
    if error.retry_after_s is not None:
        return max(0.0, error.retry_after_s)
    return FIRST_WAIT_S * 2.0**attempt
