"""Keeps page reading out of the user's own network.

A page, a redirect or a model can name any address, so the address actually used is checked before every
connection: `SsrfGuard.addresses` resolves a host and checks every result, and `GuardedBackend` connects only to
the checked addresses. A name that resolves differently a moment later (DNS rebinding) therefore has no effect.
TLS still verifies the host's own name.

A proxy chosen by the user makes the connections itself and resolves names in its own network. The host is still
checked first (`check_for_proxy`): by its text, and by what this machine knows about the name. If a name
resolves differently here and at the proxy, only the proxy can protect against it.

`desktop.domain.addresses` defines which addresses are public.
"""

import asyncio
import contextlib
import ipaddress
import re
import socket
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field

import httpcore
import httpx

from desktop.domain.addresses import Address, is_public
from desktop.phrases import translatable

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
Resolver = Callable[[str, int], Awaitable[Sequence[str]]]
SocketOption = tuple[int, int, int] | tuple[int, int, bytes | bytearray] | tuple[int, int, None, int]

MAX_URL_CHARS = 8_000
_HIGHEST_PORT = 65_535
_LOOK_UP_S = 3.0
"""The timeout for a local look-up of a name that a proxy will resolve as well."""

_LOCAL_NAMES = ("localhost", "localdomain", "local", "internal", "intranet", "home.arpa", "lan")
_NUMERIC_LABEL = re.compile(r"^(\d+|0[xX][0-9a-fA-F]*)$")
_HOST_NAME = re.compile(r"^[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)+$")
_UNSAFE_CHARACTERS = re.compile(r"[\x00-\x20\x7f\\]")

_NO_ADDRESS = translatable("No address was found for {host}.")
_LEADS_INSIDE = translatable("{host} is in a private network.")
_INSIDE = translatable("{host} is an address of a private network.")
_DISGUISED = translatable("{host} is a disguised address.")
_NO_SITE = translatable("{host} is not the name of a public site.")
_LOCAL = translatable("{host} is a name of a private network.")


class AddressRefused(Exception):
    """The address must not be connected to; `str()` gives the reason. Stays inside `search`."""


class HostUnknown(Exception):
    """A host has no known address, or the network is down. Stays inside `search`."""


async def system_resolver(host: str, port: int) -> Sequence[str]:
    """Ask the operating system for the addresses of `host`."""
    loop = asyncio.get_running_loop()
    found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return [str(entry[4][0]) for entry in found]


@dataclass(frozen=True)
class SsrfGuard:
    """Decides which addresses may be connected to.

    `allowed` holds the exceptions of the user: a host, `host:port`, or a network such as 198.18.0.0/15, which
    some proxies return for every name (Fake-IP).
    """

    allowed: Sequence[str] = ()
    resolve: Resolver = system_resolver
    _hosts: frozenset[str] = field(init=False)
    _networks: tuple[Network, ...] = field(init=False)

    def __post_init__(self) -> None:
        networks = {entry: network for entry in self.allowed if (network := _network(entry)) is not None}
        hosts = (entry.strip().lower().rstrip(".") for entry in self.allowed if entry not in networks)
        object.__setattr__(self, "_hosts", frozenset(hosts))
        object.__setattr__(self, "_networks", tuple(networks.values()))

    def check_url(self, url: str) -> httpx.URL:
        """Return `url` parsed and checked by its text alone; its host has not been resolved yet.

        Raises:
            AddressRefused: not http(s), a disguised address, or a name inside the own network.
        """
        if len(url) > MAX_URL_CHARS:
            raise AddressRefused(translatable("The address is too long."))
        if _UNSAFE_CHARACTERS.search(url):
            raise AddressRefused(translatable("The address contains characters that are not allowed."))
        try:
            parsed = httpx.URL(url)
        except (httpx.InvalidURL, ValueError, TypeError) as error:
            raise AddressRefused(translatable("This is not a valid address.")) from error
        if parsed.scheme not in {"http", "https"}:
            raise AddressRefused(translatable("Only http and https addresses are supported."))
        if parsed.userinfo:
            raise AddressRefused(translatable("Addresses with a user name are not supported."))
        host = _ascii_host(parsed)
        if not host or _port(parsed) > _HIGHEST_PORT:
            raise AddressRefused(translatable("The address has no valid host name."))
        if not self._is_named(host, _port(parsed)):
            self._check_host(host)
        return parsed

    async def addresses(self, host: str, port: int) -> tuple[str, ...]:
        """Return the addresses of `host` that may be connected to, IPv4 first.

        A single private address refuses the host, because a mixed result is typical of DNS rebinding.

        Raises:
            AddressRefused: the host is, or resolves to, something that is not public.
            HostUnknown: the host does not resolve.
        """
        host = host.lower().strip("[]")
        is_named = self._is_named(host, port)
        literal = _literal(host) if is_named else self._check_host(host)
        if literal is not None:
            return (str(literal),)
        try:
            found = await self.resolve(host, port)
            answers = [ipaddress.ip_address(answer.partition("%")[0]) for answer in found]
        except (OSError, UnicodeError, ValueError) as error:
            raise HostUnknown(_NO_ADDRESS.format(host=host)) from error
        if not answers:
            raise HostUnknown(_NO_ADDRESS.format(host=host))
        if not is_named and not all(self._may_connect(answer) for answer in answers):
            raise AddressRefused(_LEADS_INSIDE.format(host=host))
        return tuple(str(answer) for answer in sorted(dict.fromkeys(answers), key=lambda ip: ip.version))

    async def check_for_proxy(self, host: str, port: int) -> None:
        """Check a host whose name a proxy will resolve.

        The name is checked as usual if this machine can resolve it. A name unknown here, for example because of
        a poisoned or missing DNS, is left to the proxy.

        Raises:
            AddressRefused: as from `addresses`.
        """
        with contextlib.suppress(HostUnknown, TimeoutError):
            async with asyncio.timeout(_LOOK_UP_S):
                await self.addresses(host, port)

    async def may_request(self, url: str) -> bool:
        """Say whether a browser may request `url` now.

        A host without an address may be requested: there is nothing to connect to, and the browser then reports
        the actual problem, which is the network and not the address.
        """
        try:
            parsed = self.check_url(url)
            await self.addresses(_ascii_host(parsed), _port(parsed))
        except AddressRefused:
            return False
        except HostUnknown:
            return True
        return True

    def _check_host(self, host: str) -> Address | None:
        """Check a host name, and return the IP address that it contains literally, if any."""
        literal = _literal(host)
        if literal is not None:
            if not self._may_connect(literal):
                raise AddressRefused(_INSIDE.format(host=host))
            return literal
        name = host.removesuffix(".")
        if _NUMERIC_LABEL.match(
            name.rpartition(".")[2]
        ):  # 0x7f.1, 2130706433: resolvers accept these as addresses
            raise AddressRefused(_DISGUISED.format(host=host))
        if not _HOST_NAME.match(name):  # a name without a dot is resolved in the own network
            raise AddressRefused(_NO_SITE.format(host=host))
        if any(name == local or name.endswith(f".{local}") for local in _LOCAL_NAMES):
            raise AddressRefused(_LOCAL.format(host=host))
        return None

    def _is_named(self, host: str, port: int) -> bool:
        bare = host.rstrip(".")
        shown = f"[{bare}]" if ":" in bare else bare
        return not self._hosts.isdisjoint({bare, shown, f"{shown}:{port}"})

    def _may_connect(self, address: Address) -> bool:
        return is_public(address) or any(address in network for network in self._networks)


class GuardedBackend(httpcore.AsyncNetworkBackend):
    """Opens connections for httpcore, only to addresses that the guard has just checked."""

    def __init__(self, guard: SsrfGuard) -> None:
        self._guard = guard
        self._network = httpcore.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's interface
        local_address: str | None = None,
        socket_options: Iterable[SocketOption] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to the first checked address that responds; each gets an equal share of `timeout`."""
        addresses = await self._guard.addresses(host, port)
        share = None if timeout is None else timeout / len(addresses)
        last: Exception | None = None
        for address in addresses:
            try:
                return await self._network.connect_tcp(address, port, share, local_address, socket_options)
            except (httpcore.ConnectError, httpcore.ConnectTimeout) as error:
                last = error
        assert last is not None
        raise last

    async def sleep(self, seconds: float) -> None:
        """Wait between httpcore's own retries."""
        await self._network.sleep(seconds)


def _port(url: httpx.URL) -> int:
    return url.port or (443 if url.scheme == "https" else 80)


def _ascii_host(url: httpx.URL) -> str:
    return url.raw_host.decode("ascii", "replace").strip("[]").lower()


def _literal(host: str) -> Address | None:
    """Return the IP address if `host` is one in canonical form; an IPv6 zone is never public."""
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return None
    if isinstance(address, ipaddress.IPv6Address) and address.scope_id:
        return ipaddress.IPv6Address("::1")
    return address


def _network(entry: str) -> Network | None:
    try:
        return ipaddress.ip_network(entry.strip()) if "/" in entry else None
    except ValueError:
        return None
