"""The egress policy: every connection to another machine is checked here first, for all parts of Footnote.

An `EgressContext` tells for which conversation work is done. It is inherited by the task and all tasks that it
starts (PEP 567), without being passed as an argument. Anything that outlives it, such as a shared connection,
is started with `make_detached_context()`. The knowledge worker receives it with each call
(`wire.Request.stays_here`).
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import Context, ContextVar, copy_context
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from desktop.domain.privacy import Channel, EgressEvent
from desktop.errors import StaysHere
from desktop.settings.proxies import is_loopback


def discard_event(_egress_event: EgressEvent) -> None:
    """Discard an egress event."""


@dataclass(frozen=True)
class EgressContext:
    """Whether data may leave the machine, the callback that records egress events, and the one that takes one back."""

    stays_here: bool = False
    note: Callable[[EgressEvent], None] = discard_event
    withdraw: Callable[[EgressEvent], None] = discard_event


_DETACHED = EgressContext()
_egress_context: ContextVar[EgressContext] = ContextVar("egress", default=_DETACHED)


def require_egress(address: str, channel: Channel, sent_bytes: int = 0) -> None:
    """Check and record a request to `address`; must be called before anything is sent there.

    Raises:
        StaysHere: the conversation that this is done for must not leave the machine.
    """
    if is_loopback(address):
        return
    egress_context = _egress_context.get()
    host = _host(address)
    if egress_context.stays_here:
        raise StaysHere(host=host)
    egress_context.note(EgressEvent(host, channel, sent_bytes))


def withdraw_egress(address: str, channel: Channel, sent_bytes: int = 0) -> None:
    """Take back what `require_egress` recorded, as no connection to the host was made.

    An answer does not name a host that it did not reach. The log of a conversation keeps the attempt.
    """
    if not is_loopback(address):
        _egress_context.get().withdraw(EgressEvent(_host(address), channel, sent_bytes))


def check_egress(address: str) -> None:
    """Check like `require_egress`, but record nothing; raises StaysHere."""
    if _egress_context.get().stays_here and not is_loopback(address):
        raise StaysHere(host=_host(address))


def check_program(name: str) -> None:
    """Refuse data for an external program, which may send it on; raises StaysHere."""
    if _egress_context.get().stays_here:
        raise StaysHere(host=name)


def current() -> EgressContext:
    """Return the current egress context."""
    return _egress_context.get()


@contextmanager
def on(egress_context: EgressContext) -> Iterator[None]:
    """Run the block in an egress context; the block must not contain a `yield`."""
    token = _egress_context.set(egress_context)
    try:
        yield
    finally:
        _egress_context.reset(token)


@contextmanager
def collect(sent: list[EgressEvent]) -> Iterator[None]:
    """Run the block, and add to `sent` what is sent in it, which is recorded as before, too. See `on`."""
    outer = _egress_context.get()

    def note(egress_event: EgressEvent) -> None:
        sent.append(egress_event)
        outer.note(egress_event)

    def withdraw(egress_event: EgressEvent) -> None:
        if egress_event in sent:
            sent.remove(egress_event)
        outer.withdraw(egress_event)

    with on(replace(outer, note=note, withdraw=withdraw)):
        yield


def make_detached_context() -> Context:
    """Return a context for a shared task that outlives the current egress context."""
    context = copy_context()
    context.run(_egress_context.set, _DETACHED)
    return context


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or address
    except ValueError:
        return address
