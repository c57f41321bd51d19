"""The session bus of a Linux desktop: calls and signals."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

from desktop.errors import plain_reason

_ANSWER_S: Final = 5.0


class BusError(Exception):
    """The bus is missing, closed or silent, or the service refuses or is missing."""


@dataclass(frozen=True)
class BusInterface:
    """An interface of an object of a service."""

    service: str
    path: str
    name: str


class SessionBus:
    """A connection to the bus. A variant is a tuple of its signature and its value."""

    def __init__(self, router: Any) -> None:
        """`router` is jeepney's; jeepney is installed on Linux only and has no types, so it is imported by name."""
        self._router = router

    @property
    def name(self) -> str:
        """The unique name of this connection."""
        return str(self._router.unique_name)

    async def call(
        self, interface: BusInterface, member: str, signature: str | None = None, *arguments: object
    ) -> tuple[Any, ...]:
        """Call a method and return its results."""
        jeepney = import_module("jeepney")
        address = jeepney.DBusAddress(interface.path, bus_name=interface.service, interface=interface.name)
        return await self._send(jeepney.new_method_call(address, member, signature, arguments))

    @asynccontextmanager
    async def listen(self, interface: BusInterface, signals: asyncio.Queue[Any]) -> AsyncIterator[None]:
        """Put the signals of an interface into a queue: pairs of a name and arguments."""
        jeepney = import_module("jeepney")
        rule = jeepney.MatchRule(type="signal", interface=interface.name, path=interface.path)
        member = jeepney.HeaderFields.member
        with self._router.filter(rule, queue=_Signals(member, signals)):
            await self._send(jeepney.message_bus.AddMatch(rule))
            yield

    async def _send(self, message: object) -> tuple[Any, ...]:
        with _foreign_errors():
            async with asyncio.timeout(_ANSWER_S):
                answer = await self._router.send_and_get_reply(message)
            results: tuple[Any, ...] = import_module("jeepney.wrappers").unwrap_msg(answer)
        return results


@dataclass(frozen=True)
class _Signals:
    """Receives jeepney's messages in place of a queue."""

    member: Any
    signals: asyncio.Queue[Any]

    def put_nowait(self, message: Any) -> None:
        self.signals.put_nowait((message.header.fields[self.member], message.body))


@asynccontextmanager
async def session_bus() -> AsyncIterator[SessionBus]:
    """Connect to the bus; raises BusError."""
    with _foreign_errors():
        opening = import_module("jeepney.io.asyncio").open_dbus_router()
        async with asyncio.timeout(_ANSWER_S):
            router = await opening.__aenter__()
        try:
            yield SessionBus(router)
        finally:
            await opening.__aexit__(None, None, None)


@contextmanager
def _foreign_errors() -> Iterator[None]:
    """Convert errors: no address, no socket, access denied, disconnected, silent, no such service, a refusal."""
    wrappers, auth = import_module("jeepney.wrappers"), import_module("jeepney.auth")
    closed = import_module("jeepney.io.common").RouterClosed
    refused = (wrappers.DBusErrorResponse, auth.AuthenticationError, closed)
    try:
        yield
    # A response that arrives after its request was abandoned makes jeepney raise InvalidStateError.
    except (
        OSError,
        EOFError,
        LookupError,
        ValueError,
        RuntimeError,
        asyncio.InvalidStateError,
        *refused,
    ) as error:
        raise BusError(plain_reason(error)) from error
