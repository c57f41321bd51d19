"""Secrets: in the keyring of the operating system, or in memory for this run; never on disk.

A service may have several keys: `KeyCooldown` tracks which of them are paused because they were refused or are
used up.
"""

import asyncio
import logging
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from itertools import islice
from typing import TYPE_CHECKING, Protocol, TypeVar

from desktop.errors import KeyringUnavailable, plain_reason
from desktop.phrases import translatable
from desktop.settings.environment_keys import KEY_VARIABLES
from desktop.settings.redaction import Redactor

if TYPE_CHECKING:
    from keyring.backend import KeyringBackend

REFUSED_REST_S = 3_600.0
"""How long a key is not used after it was refused or its account is empty, in seconds."""
LIMITED_REST_S = 60.0
"""How long a key is paused after too many requests if the service does not say, in seconds."""
_LONGEST_REST_S = 86_400.0

Clock = Callable[[], float]

_T = TypeVar("_T")
SERVICE = "footnote"
"""The service name of secrets in the keyring."""
TIME_LIMIT_S = 20.0
"""Timeout in seconds: a locked keyring asks the user for its password, but must not block work forever."""
_UNUSABLE = ("keyring.backends.fail", "keyring.backends.null", "keyrings.alt")
"""Back ends that store nothing, or store it in files."""
_MIN_PRIORITY = 1
"""The minimum priority that `keyring` itself recommends."""
_ONLY = translatable("only “{name}” was found")
_log = logging.getLogger(__name__)


MOST_KEYS = 20
"""Keys of one secret that are used: a text that was pasted by mistake must not become thousands of requests."""


def keys_of(secret: str) -> tuple[str, ...]:
    """Return the distinct keys in a secret, separated by lines, commas or spaces; at most `MOST_KEYS`."""
    return tuple(islice(_distinct_keys(secret), MOST_KEYS))


def has_unused_keys(secret: str) -> bool:
    """Return whether a secret contains more keys than are used."""
    return len(_distinct_keys(secret)) > MOST_KEYS


def _distinct_keys(secret: str) -> dict[str, None]:
    return dict.fromkeys(secret.replace(",", " ").split())


class KeyCooldown:
    """Tracks which keys are paused, in memory only. A newly set key is another key and not paused."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        """`clock` counts seconds."""
        self._clock = clock
        self._until: dict[tuple[str, str], float] = {}

    def order(self, service: str, keys: Sequence[str]) -> tuple[str, ...]:
        """Return the keys to try, in order: those not paused, else the one whose pause ends first.

        If all are paused, one is used anyway, so that the user sees the error of the service itself.
        """
        now = self._clock()
        ends = {key: self._until.get((service, key), 0.0) for key in keys}
        awake = tuple(key for key in keys if ends[key] <= now)
        return awake or tuple(sorted(keys, key=ends.__getitem__)[:1])

    def rest(self, service: str, key: str, seconds: float) -> None:
        """Pause `key` for a while."""
        self._until[service, key] = self._clock() + min(max(seconds, 0.0), _LONGEST_REST_S)

    def forget(self, service: str) -> None:
        """Resume all keys of `service`, because its configuration has changed."""
        self._until = {place: until for place, until in self._until.items() if place[0] != service}

    def wake(self, service: str, key: str) -> None:
        """Resume `key`, which was just accepted."""
        self._until.pop((service, key), None)


class SecretStore(Protocol):
    """Reads and stores secrets, as `Preferences` does in the keyring, and applies what it has stored."""

    async def secret(self, name: str) -> str:
        """Return a secret, or an empty text."""
        ...

    async def set_secret(self, name: str, value: str) -> None:
        """Store a secret; an empty value deletes it."""
        ...


class Secrets:
    """Reads and stores secrets by names such as `provider/openai`. Belongs to the asyncio thread.

    If the keyring fails, `problem` says why, and secrets set afterwards are lost at the end of this run.
    """

    def __init__(
        self,
        find_keyring: "Callable[[], KeyringBackend] | None" = None,
        environment: Mapping[str, str] = os.environ,
        time_limit_s: float = TIME_LIMIT_S,
    ) -> None:
        self._find_keyring = find_keyring or _system_keyring
        self._environment = environment
        self._time_limit_s = time_limit_s
        self._keyring: KeyringBackend | None = None
        self._problem: KeyringUnavailable | None = None
        self._memory: dict[str, str] = {}
        self._lock = asyncio.Lock()
        given = [environment[name] for name in KEY_VARIABLES.values() if name in environment]
        self._redactor = Redactor(key for secret in given for key in _forms(secret))

    @property
    def problem(self) -> str:
        """Why secrets cannot be stored beyond this run; empty while no problem is known."""
        return str(self._problem or "")

    async def probe(self) -> str:
        """Look for the keyring, so that `problem` is known before the first secret is needed."""
        async with self._lock:
            await self._usable_keyring()
        return self.problem

    async def get(self, name: str) -> str:
        """Return a stored secret, else the one from the environment, else an empty text."""
        async with self._lock:
            if name not in self._memory:
                self._remember(name, await self._read(name))
            return self._memory[name] or self._environment.get(KEY_VARIABLES.get(name, ""), "")

    async def has(self, name: str) -> bool:
        """Say whether a secret is there."""
        return bool(await self.get(name))

    async def set(self, name: str, value: str) -> None:
        """Store a secret; an empty value deletes it. If the keyring fails, see `problem`."""
        value = value.strip()
        async with self._lock:
            self._remember(name, value)
            keyring = await self._usable_keyring()
            if keyring is None:
                return
            if value:
                await self._ask(lambda: keyring.set_password(SERVICE, name, value))
            else:
                await self._ask(lambda: _forget(keyring, name))

    def redact(self, text: str) -> str:
        """Return `text` without any secret known so far, in any encoding. May be called from any thread."""
        return self._redactor.redact(text)

    def _remember(self, name: str, value: str) -> None:
        self._memory[name] = value
        for form in _forms(value):
            self._redactor.add(form)

    async def _read(self, name: str) -> str:
        keyring = await self._usable_keyring()
        if keyring is None:
            return ""
        return await self._ask(lambda: keyring.get_password(SERVICE, name)) or ""

    async def _usable_keyring(self) -> "KeyringBackend | None":
        if self._problem is None and self._keyring is None:
            self._keyring = await self._ask(lambda: _usable(self._find_keyring()))
        return None if self._problem else self._keyring

    async def _ask(self, question: Callable[[], _T]) -> _T | None:
        """Call the keyring in a thread; after an error or timeout it is not called again in this run."""
        try:
            return await asyncio.wait_for(asyncio.wrap_future(_in_thread(question)), self._time_limit_s)
        except TimeoutError:
            detail: str = translatable("it does not respond")
        except KeyringUnavailable as error:
            detail = str(error.fields["detail"])
        self._problem = KeyringUnavailable(detail=self.redact(detail))
        _log.warning("%s", self._problem)
        return None


def _forms(secret: str) -> tuple[str, ...]:
    """Return the whole secret, and each of the keys in it."""
    return (secret, *keys_of(secret))


def _in_thread(question: Callable[[], _T]) -> Future[_T]:
    """Run a function in a daemon thread, so that a hanging keyring cannot keep the program from ending."""
    future: Future[_T] = Future()

    def answer() -> None:
        future.set_running_or_notify_cancel()
        try:
            future.set_result(question())
        except KeyringUnavailable as error:
            future.set_exception(error)
        except Exception as error:  # noqa: BLE001 - back ends raise arbitrary system errors
            failure = KeyringUnavailable(detail=f"{type(error).__name__}: {plain_reason(error)}")
            failure.__cause__ = error
            future.set_exception(failure)

    threading.Thread(target=answer, name="keyring", daemon=True).start()
    return future


def _system_keyring() -> "KeyringBackend":
    import keyring  # noqa: PLC0415 - its back ends take 0.1 s to import, which would delay the window

    return keyring.get_keyring()


def _usable(found: "KeyringBackend") -> "KeyringBackend":
    """Return the keyring, or the first usable one of a chain.

    Raises:
        KeyringUnavailable: there is none.
    """
    # The chain as a whole would fall back to its next part, perhaps a file, when the first one refuses.
    for keyring in getattr(found, "backends", [found]):
        is_unusable = type(keyring).__module__.startswith(_UNUSABLE) or "plaintext" in keyring.name.lower()
        if not is_unusable and keyring.priority >= _MIN_PRIORITY:
            usable: KeyringBackend = keyring
            return usable
    raise KeyringUnavailable(detail=_ONLY.format(name=found.name))


def _forget(keyring: "KeyringBackend", name: str) -> None:
    # Deleting a missing secret is an error in some back ends and none in others.
    if keyring.get_password(SERVICE, name) is not None:
        keyring.delete_password(SERVICE, name)
