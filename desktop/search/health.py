"""How engines have been doing: who is left alone for a while, and whose turn it is."""

import asyncio
import time
from collections import defaultdict, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import median

from desktop.domain.search import EngineHealth, SearchOutcome, SearchStatus

Clock = Callable[[], float]

_LONGEST_PAUSE_S = 600.0
_REMEMBERED_TIMES = 20


@dataclass(frozen=True)
class _Patience:
    """After how many failures in a row an engine is left alone, and for how long at first."""

    failures: int
    pause_s: float


_PATIENCE = {
    SearchStatus.BLOCKED: _Patience(failures=1, pause_s=60.0),
    SearchStatus.LAYOUT_CHANGED: _Patience(failures=2, pause_s=60.0),
    SearchStatus.TIMED_OUT: _Patience(failures=2, pause_s=15.0),
    SearchStatus.OFFLINE: _Patience(failures=3, pause_s=5.0),
}


@dataclass
class _Record:
    last: SearchStatus | None = None
    error: str = ""
    failures: int = 0
    resumes_at: float = 0.0
    times_s: deque[float] = field(default_factory=lambda: deque(maxlen=_REMEMBERED_TIMES))


class HealthBook:
    """A circuit breaker per engine: the pause doubles with every further failure, up to ten minutes."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        """`clock` counts seconds."""
        self._clock = clock
        self._records: defaultdict[str, _Record] = defaultdict(_Record)

    def note(self, outcome: SearchOutcome, took_s: float) -> None:
        """Write down how a search went."""
        record = self._records[outcome.engine]
        record.last, record.error = outcome.status, outcome.error
        patience = _PATIENCE.get(outcome.status)
        if patience is None:
            record.failures, record.resumes_at = 0, 0.0
            record.times_s.append(took_s)
            return
        record.failures += 1
        excess = record.failures - patience.failures
        if excess >= 0:
            pause = min(patience.pause_s * 2.0 ** min(excess, 10), _LONGEST_PAUSE_S)
            record.resumes_at = self._clock() + pause

    def forgive(self, engine: str) -> None:
        """Take an engine back at once: the person has solved what stood in its way."""
        self._records.pop(engine, None)

    def pause_s(self, engine: str) -> float:
        """Return how long `engine` is still left alone; 0 when it may be asked."""
        return max(self._records[engine].resumes_at - self._clock(), 0.0)

    def of(self, engine: str, name: str) -> EngineHealth:
        """Return what is known of an engine."""
        record = self._records[engine]
        return EngineHealth(
            engine=engine,
            name=name,
            last=record.last,
            error=record.error,
            failures=record.failures,
            paused_s=self.pause_s(engine),
            typical_s=median(record.times_s) if record.times_s else 0.0,
        )


class Pace:
    """Keeps searches of one host apart in time, in the order in which they asked."""

    def __init__(self, interval_s: float, clock: Clock = time.monotonic) -> None:
        """`interval_s` lies between the starts of two searches."""
        self._interval_s = interval_s
        self._clock = clock
        self._next: dict[str, float] = {}

    async def wait(self, host: str) -> None:
        """Return when `host` may be asked."""
        now = self._clock()
        turn = max(self._next.get(host, now), now)
        self._next[host] = turn + self._interval_s
        if turn > now:
            await asyncio.sleep(turn - now)
