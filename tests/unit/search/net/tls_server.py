"""A site over TLS on loopback, with certificates made for each test by an authority of its own."""

import asyncio
import contextlib
import datetime
import ipaddress
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from tests.serving import serve_connections

_BODY = b"<html><body><p>hello</p></body></html>"
_ANSWER = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
    % len(_BODY)
)


@dataclass(frozen=True)
class Authority:
    """Signs certificates; `file` is what SSL_CERT_FILE may name."""

    folder: Path

    def __post_init__(self) -> None:
        key = ec.generate_private_key(ec.SECP256R1())
        object.__setattr__(self, "_key", key)
        object.__setattr__(
            self, "_name", x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "Test authority")])
        )
        self.file.write_bytes(self._signed("Test authority", key, 1, is_authority=True))

    @property
    def file(self) -> Path:
        """The certificate of the authority."""
        return self.folder / "authority.pem"

    def context(self, host: str, *, days: int = 1) -> ssl.SSLContext:
        """Return what a server for `host` needs; with negative `days` its certificate has expired."""
        key = ec.generate_private_key(ec.SECP256R1())
        secret = key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
        )
        file = self.folder / f"{host}{days}.pem"
        file.write_bytes(secret + self._signed(host, key, days))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context

    def _signed(self, name, key, days, *, is_authority=False):
        now = datetime.datetime.now(datetime.UTC)
        try:
            subject: x509.GeneralName = x509.IPAddress(ipaddress.ip_address(name))
        except ValueError:
            subject = x509.DNSName(name.replace(" ", "-"))
        certificate = (
            x509.CertificateBuilder()
            .subject_name(x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)]))
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=30))
            .not_valid_after(now + datetime.timedelta(days=days))
            .add_extension(x509.SubjectAlternativeName([subject]), critical=False)
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
            .sign(self._key, hashes.SHA256())
        )
        return certificate.public_bytes(serialization.Encoding.PEM)


@asynccontextmanager
async def serving_tls(context: ssl.SSLContext | None) -> AsyncIterator[int]:
    """Answer every request over TLS, or hang up in the middle of the handshake where there is no `context`."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, asyncio.IncompleteReadError):
            if context is not None:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(_ANSWER + _BODY)
                await writer.drain()
            else:
                await reader.read(10)

    async with serve_connections(answer, context) as port:
        yield port
