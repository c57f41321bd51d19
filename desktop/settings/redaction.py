"""Removes secrets from texts by value: plain, in addresses, in base64, percent-encoded, in hexadecimal."""

import base64
import logging
import re
import threading
from collections.abc import Callable, Iterable, Iterator
from urllib.parse import quote, quote_plus

from desktop.phrases import TranslatableMessage

MASK = "•••"

_MIN_CHARS = 6
"""Shorter values are words such as `none` that local servers are given; masking these would garble normal text."""

_BEGIN = "(?<![0-9A-Za-z])"
_END = "(?![0-9A-Za-z])"
_NEXT = "(?=[^0-9A-Za-z])"


class Redactor:
    """Knows secrets and masks them; may be used from any thread.

    Secrets of fewer than `token_chars` characters are masked only where they are not part of a longer word or
    number. Their base64 and hexadecimal forms, which no normal word resembles, are masked everywhere.
    """

    def __init__(self, secrets: Iterable[str] = (), *, token_chars: int = 0) -> None:
        self._token_chars = token_chars
        self._forms: set[str] = set()
        self._tokens: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        self._pattern_within: re.Pattern[str] | None = None
        self._lock = threading.Lock()
        for secret in secrets:
            self.add(secret)

    def add(self, secret: str) -> None:
        """Mask `secret` from now on."""
        if len(secret) < _MIN_CHARS:
            return
        with self._lock:
            # The base64 form of a short secret looks like an ordinary word.
            encoded = {form for form in _list_encodings(secret) if len(form) >= _MIN_CHARS}
            readable = set(_readable_forms(secret)) - encoded
            self._forms |= encoded
            (self._tokens if len(secret) < self._token_chars else self._forms).update(readable)
            self._tokens -= self._forms
            # The longest first: one form may be a prefix of another.
            longest_first = sorted(self._forms | self._tokens, key=len, reverse=True)
            self._pattern = re.compile("|".join(map(self._alternative, longest_first)))
            self._pattern_within = re.compile(
                "|".join(self._alternative(form, end=_NEXT) for form in longest_first)
            )

    def redact(self, text: str, *, is_more_to_come: bool = False) -> str:
        """Return `text` with every secret masked; with `is_more_to_come` the last word may be incomplete."""
        if isinstance(text, TranslatableMessage):
            return text.map_texts(self.redact)
        pattern = self._pattern_within if is_more_to_come else self._pattern
        return pattern.sub(MASK, text) if pattern else text

    def find_unfinished(self, text: str) -> int:
        """Return the start of a suffix of `text` that may begin a secret; the length of `text` if there is none."""
        starts = [_find_start(text, form, len(form) - 1) for form in tuple(self._forms)]
        # Whether a complete secret stands alone depends on the next character.
        starts += [_find_start(text, form, len(form)) for form in tuple(self._tokens)]
        return min(starts, default=len(text))

    def _alternative(self, form: str, end: str = _END) -> str:
        return f"{_BEGIN}{re.escape(form)}{end}" if form in self._tokens else re.escape(form)


class StreamRedactor:
    """Masks secrets in streamed text; a possible beginning of a secret is held back until it is decided."""

    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor
        self._held = ""
        self._before = ""
        """The character before the text held back."""

    def feed(self, piece: str) -> str:
        """Return the text that is final after a piece."""
        before = self._before
        text = self._redactor.redact(before + self._held + piece, is_more_to_come=True)[len(before) :]
        end = self._redactor.find_unfinished(text)
        self._held = text[end:]
        self._before = text[end - 1] if end else before
        return text[:end]

    def finish(self) -> str:
        """Return the text held back; the next piece starts a new text."""
        before, held = self._before, self._held
        self._before = self._held = ""
        return self._redactor.redact(before + held)[len(before) :]


def _find_start(text: str, form: str, most_chars: int) -> int:
    """Return the start of a suffix of `text`, at most `most_chars` long, that is a prefix of `form`.

    Return the length of `text` if there is none.
    """
    at = text.find(form[0], max(0, len(text) - most_chars))
    while at >= 0:
        if form.startswith(text[at:]):
            return at
        at = text.find(form[0], at + 1)
    return len(text)


_LOGIN = re.compile(r"""(://[^\s/"'\\:]*:)[^\s/"'\\]*(?=@)""")


def without_logins(text: str) -> str:
    """Return `text` with passwords in addresses masked, such as in https://me:secret@example.org."""
    return _LOGIN.sub(rf"\1{MASK}", text)


class RedactingFormatter(logging.Formatter):
    """Formats like another formatter and masks secrets and logins in message, arguments and traceback."""

    def __init__(self, formatter: logging.Formatter, redact: Callable[[str], str]) -> None:
        super().__init__()
        self._formatter = formatter
        self._redact = redact

    def format(self, record: logging.LogRecord) -> str:
        """Return the line without secrets."""
        return without_logins(self._redact(self._formatter.format(record)))


def _readable_forms(secret: str) -> Iterator[str]:
    yield secret
    yield quote(secret, safe="", errors="surrogatepass")
    yield quote_plus(secret, errors="surrogatepass")
    yield repr(secret)[1:-1]


def _list_encodings(secret: str) -> Iterator[str]:
    data = secret.encode("utf-8", "surrogatepass")
    for digits in (data.hex(), data.hex().upper()):
        pairs = [digits[at : at + 2] for at in range(0, len(digits), 2)]
        yield digits
        yield "%" + "%".join(pairs)
        yield ":".join(pairs)
    yield from _base64_forms(secret.encode("utf-8", "surrogatepass"))


def _base64_forms(secret: bytes) -> Iterator[str]:
    """Yield the base64 forms of `secret` inside a longer text, one for each of the three alignments."""
    for before in range(3):
        padded = b"\0" * before + secret
        # Characters that also contain bits of the surrounding text are left out.
        first = -(-before * 8 // 6)
        last = len(padded) * 8 // 6
        for encode in (base64.b64encode, base64.urlsafe_b64encode):
            yield encode(padded).decode("ascii")[first:last]
