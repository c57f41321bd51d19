"""Public and private network addresses, and paths as text.

Public addresses follow the IANA special-purpose registries as `ipaddress` knows them. IPv6 forms that carry an
IPv4 address are unwrapped first (RFC 4291, 6052).
"""

import ipaddress
import re
from pathlib import Path
from urllib.parse import urlsplit

Address = ipaddress.IPv4Address | ipaddress.IPv6Address

_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")
_NEVER_PUBLIC = tuple(
    ipaddress.ip_network(network)
    for network in (
        "100.64.0.0/10",  # carrier-grade NAT
        "168.63.129.16/32",  # looks public, but is a metadata service inside Azure
        "192.0.0.0/24",  # protocol assignments; a metadata service inside Oracle's cloud
        "192.88.99.0/24",  # 6to4 relays
        "198.18.0.0/15",  # benchmarks, and what Fake-IP proxies answer with
        "2001::/23",  # protocol assignments, Teredo among them
        "2001:db8::/32",
        "2002::/16",  # 6to4 carries any IPv4 address
        "3fff::/20",
    )
)
"""Networks listed here because the answer of `is_global` for them differs between releases of Python."""
_NAT64 = ipaddress.IPv6Network("64:ff9b::/96")


def is_public(address: Address) -> bool:
    """Say whether `address` belongs to the public internet."""
    if isinstance(address, ipaddress.IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address in _NAT64:
            return is_public(ipaddress.IPv4Address(int(address) & 0xFFFF_FFFF))
        if address not in _GLOBAL_UNICAST:
            return False
    if any(address in network for network in _NEVER_PUBLIC):
        return False
    return address.is_global and not (address.is_multicast or address.is_reserved)


def leads_to_a_server(address: str) -> bool:
    """Say whether an address given by the user can be requested: http or https, a host and a valid port.

    HTTP clients and their network layers fail in unexpected ways with some invalid addresses.
    """
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
        host.encode("idna")
        return parts.scheme in {"http", "https"} and bool(host) and parts.port != 0
    except ValueError:
        return False


_HOST = re.compile(r"[\w-]+(?:\.[\w-]+)*\.?")


def names_private_hosts(entry: str) -> bool:
    """Say whether an entry names hosts for `search.guard`: a host, `host:port`, an address or a network."""
    try:
        ipaddress.ip_network(entry, strict=False)
    except ValueError:
        pass
    else:
        return True
    try:
        parts = urlsplit(f"//{entry}")
        host, has_port = parts.hostname or "", parts.port != 0
    except ValueError:
        return False
    is_address = host and entry.startswith("[")
    return (
        has_port and parts.netloc == entry and "@" not in entry and bool(is_address or _HOST.fullmatch(host))
    )


_MARK = "\ufffd"
"""The replacement character for undecodable bytes; it is doubled where the name itself contains it."""
_ODD = re.compile(f"{_MARK}|[\ud800-\udfff]")
_WRITTEN = re.compile(f"{_MARK}(?:({_MARK})|([89a-f][0-9a-f])|u(d[89a-f][0-9a-f]{{2}}))")
_ESCAPED = range(0x80, 0x100)
_BYTES = 0xDC00
"""Python represents an undecodable byte of a file name as this code point plus the byte (PEP 383)."""


def path_text(path: Path) -> str:
    """Return a path as text. Bytes of a name that cannot be decoded on this system are written as hex digits."""
    return _ODD.sub(lambda found: _encode_letter(found[0]), str(path))


def path_of(text: str) -> Path:
    """Return the path from which `path_text` made `text`."""
    return Path(_WRITTEN.sub(_read, text))


def _encode_letter(letter: str) -> str:
    if letter == _MARK:
        return _MARK * 2
    byte = ord(letter) - _BYTES
    return f"{_MARK}{byte:02x}" if byte in _ESCAPED else f"{_MARK}u{ord(letter):04x}"


def _read(found: re.Match[str]) -> str:
    if found[1]:
        return _MARK
    return chr(_BYTES + int(found[2], 16) if found[2] else int(found[3], 16))
