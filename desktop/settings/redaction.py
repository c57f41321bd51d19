"""Takes secrets out of texts by value: plain, in addresses, in base64."""

import base64
import logging
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import quote, quote_plus

MASK = "•••"

_MIN_CHARS = 6
"""Shorter values are words such as `none` that local servers are given; masking them would say more."""


class Redactor:
    """Knows secrets and masks them; may be used from any thread."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._forms: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        self._lock = threading.Lock()
        for secret in secrets:
            self.add(secret)

    def add(self, secret: str) -> None:
        """Mask `secret` from now on."""
        if len(secret) < _MIN_CHARS:
            return
        with self._lock:
            self._forms.update(_forms(secret))
            # The longest first: a form may begin with another one.
            longest_first = sorted(self._forms, key=len, reverse=True)
            self._pattern = re.compile("|".join(map(re.escape, longest_first)))

    def redact(self, text: str) -> str:
        """Return `text` with every secret masked."""
        pattern = self._pattern
        return pattern.sub(MASK, text) if pattern else text


_LOGIN = re.compile(r"""(://[^\s/"'\\:]*:)[^\s/"'\\]*(?=@)""")


def without_logins(text: str) -> str:
    """Return `text` with the passwords masked that stand in its addresses, such as https://me:secret@example.org."""
    return _LOGIN.sub(rf"\1{MASK}", text)


class RedactingFormatter(logging.Formatter):
    """Formats as another formatter does, and masks the result: message, arguments and traceback, logins in addresses."""

    def __init__(self, formatter: logging.Formatter, redact: Callable[[str], str]) -> None:
        super().__init__()
        self._formatter = formatter
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        """Return the line without secrets."""
        return without_logins(self._redact(self._formatter.format(record)))


def _forms(secret: str) -> Iterator[str]:
    yield secret
    yield quote(secret, safe="", errors="surrogatepass")
    yield quote_plus(secret, errors="surrogatepass")
    yield repr(secret)[1:-1]
    yield from _base64_forms(secret.encode("utf-8", "surrogatepass"))


def _base64_forms(secret: bytes) -> Iterator[str]:
    """Yield what base64 makes of `secret` inside of a longer text, for each of its three alignments."""
    for before in range(3):
        padded = b"\0" * before + secret
        # Characters that also hold bits of what stands around the secret are left out.
        first = -(-before * 8 // 6)
        last = len(padded) * 8 // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield encode(padded).decode("ascii")[first:last]
