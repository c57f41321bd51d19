"""Selects the proxy of a connection: the system's, none, or one set by the user."""

import ipaddress
from dataclasses import dataclass, field
from urllib.parse import quote, unquote, urlsplit

from desktop.errors import ProxyUnusable
from desktop.phrases import translatable
from desktop.settings.model import NO_PROXY, PROXY_OF_SYSTEM

SCHEMES = ("http", "https", "socks5", "socks5h")
_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}

_NO_SCHEME = translatable("it must begin with http://, https:// or socks5://")
_NO_HOST = translatable("it has no host name")
_BAD_PORT = translatable("its port must be a number from 1 to 65535")


@dataclass(frozen=True)
class Proxy:
    """A proxy. Host names are resolved by the proxy, not by this machine."""

    scheme: str
    host: str
    port: int
    username: str = ""
    password: str = field(default="", repr=False)

    @property
    def address(self) -> str:
        """The address for display, without name and password."""
        shown = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{shown}:{self.port}"

    @property
    def url(self) -> str:
        """The address with name and password, for HTTP clients."""
        if not self.username:
            return self.address
        login = f"{quote(self.username, safe='')}:{quote(self.password, safe='')}"
        return self.address.replace("://", f"://{login}@", 1)

    @property
    def is_socks(self) -> bool:
        """Whether it speaks SOCKS (RFC 1928) rather than HTTP."""
        return self.scheme.startswith("socks")


@dataclass(frozen=True)
class ProxyChoice:
    """The user's choice: `system`, `none` or an address; `login` is `name:password`, a secret."""

    address: str = PROXY_OF_SYSTEM
    login: str = field(default="", repr=False)

    def proxy_for(self, url: str) -> Proxy | None:
        """Return the proxy for `url`; None means a direct connection, always used for this machine.

        Raises:
            ProxyUnusable: the chosen address, or the system's, is not that of a proxy.
        """
        if self.address == NO_PROXY or is_loopback(url):
            return None
        if self.address == PROXY_OF_SYSTEM:
            return _of_the_system(url)
        return parse_proxy(self.address, self.login)


def parse_proxy(address: str, login: str = "") -> Proxy:
    """Return the proxy at `address`; a name and password in the address take precedence over `login`.

    Raises:
        ProxyUnusable: the address is invalid; the error never contains a password.
    """
    text = address.strip()
    try:
        parts = urlsplit(text)
        host, port = parts.hostname or "", parts.port
    except ValueError as error:
        raise ProxyUnusable(address=_hide_login(text), detail=_BAD_PORT) from error
    if parts.scheme not in SCHEMES:
        raise ProxyUnusable(address=_hide_login(text), detail=_NO_SCHEME)
    if not host:
        raise ProxyUnusable(address=_hide_login(text), detail=_NO_HOST)
    if port == 0:
        raise ProxyUnusable(address=_hide_login(text), detail=_BAD_PORT)
    username, _, password = login.partition(":")
    if parts.username is not None:
        username, password = unquote(parts.username), unquote(parts.password or "")
    return Proxy(parts.scheme, host, port or _PORTS[parts.scheme], username, password)


def split_login(address: str) -> tuple[str, str]:
    """Return `address` without its name and password, and these separately."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return address.strip(), ""
    login, found, place = parts.netloc.rpartition("@")
    return parts._replace(netloc=place).geturl(), unquote(login) if found else ""


def is_loopback(url: str) -> bool:
    """Say whether `url` points at this machine."""
    try:
        host = urlsplit(url).hostname or ""
        address = ipaddress.ip_address(host)
    except ValueError:
        return _is_local_name(url)
    mapped = getattr(address, "ipv4_mapped", None) or address
    return bool(mapped.is_loopback or mapped.is_unspecified)


def _is_local_name(url: str) -> bool:
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return False
    return host == "localhost" or host.endswith(".localhost")


def _of_the_system(url: str) -> Proxy | None:
    """Return the system's proxy from the environment or the system settings, including exceptions."""
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - loads HTTP and TLS, which no window needs to be drawn

    parts = urlsplit(url)
    known = getproxies()
    address = known.get(parts.scheme) or known.get("all") or known.get("socks", "")
    if not address or (parts.hostname and proxy_bypass(parts.hostname)):
        return None
    if "://" not in address:
        address = f"http://{address}"
    return parse_proxy(address.replace("socks://", "socks5://", 1))


def _hide_login(address: str) -> str:
    """Return an address without name and password, even if it is malformed."""
    scheme, separator, rest = address.rpartition("://")
    return scheme + separator + rest.rpartition("@")[2]
