"""The search engines that are available, and their health, which is kept between runs."""

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path
from statistics import median
from threading import Lock

import msgspec

from desktop.domain.search import EngineHealth, EngineInfo, Obstacle, SearchOutcome, SearchStatus
from desktop.search.apis import APIS
from desktop.search.engines import ENGINES, engine_for, is_template
from desktop.search.engines.model import SerpEngine
from desktop.settings.model import SearchSettings
from desktop.text.message_codec import decode_json, encode_json

SecretLookup = Callable[[str], Awaitable[str]]
"""Returns the secret with a name such as `search/tavily`, or an empty string."""


async def available_engines(settings: SearchSettings, secret: SecretLookup) -> tuple[EngineInfo, ...]:
    """Return all engines: those without a key first, each group in the user's order."""
    order = {engine: rank for rank, engine in enumerate(settings.engine_order)}
    own = (serp_of(engine, settings) for engine in _own_engines(settings))
    serps = [
        EngineInfo(engine.id, engine.name, needs_key=False, is_ready=True, home=engine.home)
        for engine in (*ENGINES.values(), *own)
    ]
    apis = [
        EngineInfo(api.id, api.name, api.needs_key, await is_ready(api.id, settings, secret), api.home)
        for api in APIS.values()
    ]
    return tuple(sorted((*serps, *apis), key=lambda info: (info.needs_key, order.get(info.id, len(order)))))


async def is_ready(api_id: str, settings: SearchSettings, secret: SecretLookup) -> bool:
    """Say whether an API has all the settings it needs."""
    api = APIS[api_id]
    has_address = bool(api.base or api.base_for or dict(settings.engine_addresses).get(api_id))
    return has_address and (not api.needs_key or bool(await secret(f"search/{api_id}")))


def serp_of(engine_id: str, settings: SearchSettings) -> SerpEngine:
    """Return an engine with a result page; a user-defined engine has the name that the user gave it."""
    engine = engine_for(engine_id)
    named = {own.address: own.name for own in settings.own_engines}
    return replace(engine, name=named[engine_id]) if named.get(engine_id) else engine


def _own_engines(settings: SearchSettings) -> tuple[str, ...]:
    """Return the ids of the user-defined engines, enabled ones first."""
    added = (engine.address for engine in settings.own_engines)
    return tuple(filter(is_template, dict.fromkeys((*settings.engine_order, *added))))


Clock = Callable[[], float]

_LONGEST_PAUSE_S = 600.0
_REMEMBERED_TIMES = 20


@dataclass(frozen=True)
class _BackoffPolicy:
    """The number of consecutive failures after which an engine is paused, and the length of the first pause."""

    failures: int
    pause_s: float


_PATIENCE = {
    SearchStatus.BLOCKED: _BackoffPolicy(failures=1, pause_s=60.0),
    SearchStatus.LAYOUT_CHANGED: _BackoffPolicy(failures=2, pause_s=60.0),
    SearchStatus.TIMED_OUT: _BackoffPolicy(failures=2, pause_s=15.0),
    SearchStatus.OFFLINE: _BackoffPolicy(failures=3, pause_s=5.0),
}


@dataclass
class _Record:
    last: SearchStatus | None = None
    error: str = ""
    failures: int = 0
    resumes_at: float = 0.0
    times_s: tuple[float, ...] = ()
    obstacle: Obstacle | None = None
    query: str = ""
    setup: str = ""


def fingerprint(*parts: str) -> str:
    """Return a digest that changes with key, address and options, and reveals none of them."""
    return blake2b("\0".join(parts).encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


class EngineHealthStore:
    """A circuit breaker per engine: the pause doubles with every further failure, up to ten minutes."""

    def __init__(self, clock: Clock = time.time, file: Path | None = None) -> None:
        """Create the store; `clock` returns the time of day in seconds; `file` keeps the data between runs."""
        self._clock = clock
        self._file = file
        self._saving = Lock()
        self._records: defaultdict[str, _Record] = defaultdict(_Record, _read(file))

    def save(self) -> None:
        """Save the data. It is not essential, so a write error is ignored."""
        if self._file is None:
            return
        with self._saving, suppress(OSError):
            self._file.parent.mkdir(parents=True, exist_ok=True)
            draft = self._file.with_suffix(".new")
            draft.write_bytes(encode_json(dict(self._records)))
            draft.replace(self._file)

    def forget_if_changed(self, engine: str, setup: str) -> bool:
        """Compare the setup of `engine` with the last one, and forget its health if they differ.

        `setup` is the `fingerprint` of its key, address and options. Returns whether it has changed.
        """
        record = self._records[engine]
        is_other = bool(record.setup) and record.setup != setup
        if is_other:
            self.forgive(engine)
        self._records[engine].setup = setup
        return is_other

    def note(self, outcome: SearchOutcome, took_s: float, setup: str = "") -> None:
        """Record the result of a search unless `setup` has changed since it started."""
        record = self._records[outcome.engine]
        if setup and record.setup and setup != record.setup:
            return
        record.last, record.error, record.obstacle = outcome.status, outcome.error, outcome.obstacle
        record.query = outcome.query if outcome.obstacle is not None else ""
        patience = _PATIENCE.get(outcome.status)
        if patience is None:
            record.failures, record.resumes_at = 0, 0.0
            record.times_s = (*record.times_s, took_s)[-_REMEMBERED_TIMES:]
            return
        record.failures += 1
        excess = record.failures - patience.failures
        if excess >= 0:
            pause = min(patience.pause_s * 2.0 ** min(excess, 10), _LONGEST_PAUSE_S)
            record.resumes_at = self._clock() + pause

    def forgive(self, engine: str) -> None:
        """End the pause of an engine, after the user has solved its check."""
        self._records.pop(engine, None)

    def pause_s(self, engine: str) -> float:
        """Return how many seconds `engine` is still paused; 0 if it is available."""
        left_s = self._records[engine].resumes_at - self._clock()
        return min(max(left_s, 0.0), _LONGEST_PAUSE_S)  # the clock may have been set back

    def of(self, engine: str, name: str) -> EngineHealth:
        """Return the health of an engine."""
        record = self._records[engine]
        return EngineHealth(
            engine=engine,
            name=name,
            last=record.last,
            error=record.error,
            failures=record.failures,
            paused_s=self.pause_s(engine),
            typical_s=median(record.times_s) if record.times_s else 0.0,
            obstacle=record.obstacle,
            query=record.query,
        )


def _read(file: Path | None) -> dict[str, _Record]:
    """Return the stored data; a damaged file counts as empty."""
    try:
        return {} if file is None else decode_json(file.read_bytes(), dict[str, _Record])
    except (OSError, msgspec.MsgspecError):
        return {}


class RequestSpacing:
    """Spaces out the searches of one host, in the order of the calls.

    A few at once are allowed, as when a user opens several tabs; later ones keep the interval on average.
    """

    def __init__(self, interval_s: float, clock: Clock = time.monotonic, burst: int = 3) -> None:
        """Limit a host to one search per `interval_s` after a first `burst`."""
        self._interval_s = interval_s
        self._clock = clock
        self._lead_s = (burst - 1) * interval_s
        self._next: dict[str, float] = {}

    async def wait(self, host: str) -> None:
        """Wait until `host` may be requested."""
        now = self._clock()
        turn = max(self._next.get(host, now - self._lead_s), now - self._lead_s)
        self._next[host] = turn + self._interval_s
        if turn > now:
            await asyncio.sleep(turn - now)
