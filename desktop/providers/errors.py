"""Maps failures of servers and networks to `ProviderError`s.

Both protocols share this, because servers of one protocol often use the error format of the other.
"""

import html
import json
import re
import ssl
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from http import HTTPStatus
from typing import Any

import httpx2
from httpx2 import codes

from desktop.errors import plain_reason
from desktop.errors.servers import (
    AuthFailed,
    ContextTooLong,
    ModelNotFound,
    ProviderDown,
    ProviderError,
    ProviderFailing,
    ProviderGarbage,
    ProviderNotRunning,
    ProviderTimedOut,
    QuotaExceeded,
    RateLimited,
    RequestRejected,
    ServiceOverloaded,
    StreamBroken,
    ToolsRefused,
)
from desktop.phrases import TranslatableMessage, sentences, translatable
from desktop.settings.redaction import MASK, Redactor
from desktop.text.stream_limits import retry_after_s

_WEB_PAGE = translatable("It sent a web page: {title}.")
_DETAIL_CHARS = 300
_MIN_SECRET_CHARS = 4
"""A shorter key could be part of ordinary words; no service issues one."""

_STATUS_OF_TYPE = {
    "authentication_error": 401,
    "permission_error": 403,
    "billing_error": 402,
    "insufficient_quota": 402,
    "exceeded_current_quota_error": 402,
    "not_found_error": 404,
    "model_not_found": 404,
    "request_too_large": 413,
    "context_length_exceeded": 413,
    "exceed_context_size_error": 413,
    "rate_limit_error": 429,
    "rate_limit_exceeded": 429,
    "rate_limit_reached_error": 429,
    "engine_overloaded_error": 503,
    "overloaded_error": 529,
    "invalid_request_error": 400,
    "timeout_error": 408,
    "api_error": 500,
    "server_error": 500,
    "internal_server_error": 500,
}
"""The HTTP status for `error.type` or `error.code` of an error inside a stream, which has no HTTP status."""

_NO_CREDIT = re.compile(
    r"insufficient[_ ](?:quota|balance|credit|fund)|balance is (?:too low|insufficient)|credit balance|余额不足|欠费"
    r"|exceeded_current_quota_error|arrearage|out of credits?\b|not enough credits?|any credits yet"
    r"|requires more credits|billing_hard_limit|good standing",
    re.IGNORECASE,
)
_TOO_LONG = re.compile(
    r"context[_ ](?:length|window|size|limit)|context the overflows|maximum (?:prompt|context|sequence) length"
    r"|(?:prompt|input|request|messages?|conversation)\b.{0,40}\btoo (?:long|large|many tokens)|too many (?:input )?tokens"
    r"|exceeds? the (?:maximum|max|model).{0,40}\btokens?\b|token count.{0,40}exceeds|model token limit"
    r"|range of input length|max_seq_len|max_new_tokens`? must be <=|reduce the length|exceed_context_size"
    r"|reduce your (?:message|prompt)|(?:上下文|输入|prompt|内容).{0,12}(?:超长|过长|超过|超出)|model_context_window_exceeded",
    re.IGNORECASE | re.DOTALL,
)
_NO_MODEL = re.compile(
    r"model[_ ]not[_ ](?:found|exist)|\bmodel\b.{0,80}\b(?:does not exist|doesn't exist|not found|not exist|is not available)"
    r"|not a valid model|(?:invalid|unknown|no such|unsupported) model\b|model identifier is invalid|invalid_model"
    r"|模型不存在|模型.{0,20}不存在|unexpected endpoint|invalid url \(|no route|try pulling it",
    re.IGNORECASE | re.DOTALL,
)
_BAD_KEY = re.compile(
    r"(?:invalid|incorrect|wrong|expired|missing|no valid|not a valid)[\w ]{0,12} api[_ -]?key"
    r"|api[_ -]?key.{0,20}(?:not valid|invalid|incorrect|expired|missing|not found)"
    r"|invalid_api_key|令牌.{0,10}(?:无效|过期)|无效的令牌",
    re.IGNORECASE,
)
_NO_TOOLS = re.compile(
    r"(?:not|n't|no endpoints found that) support(?:ed)?\b.{0,30}\b(?:tools?|functions?)\b"
    r"|\b(?:tools?|tool[ _](?:use|calls?|calling|choice)|functions?|function[ _]call(?:s|ing)?)\b.{0,20}"
    r"(?:not|n't) (?:be )?(?:support|enabl|allow|available)"
    r"|--jinja|enable-auto-tool-choice|不支持.{0,8}(?:工具|函数|tool|function)",
    re.IGNORECASE,
)
"""Messages of Ollama, OpenRouter, vLLM, llama.cpp, SiliconFlow and others for models without tool calls."""
_NO_SERVICE_HERE = re.compile(r"unsupported_country|country, region|region is not supported", re.IGNORECASE)
_WAIT = re.compile(
    r"(?:try again|retry)\D{0,12}?(?:(\d+)m(?!s))?\s?(\d+(?:\.\d+)?)\s?(ms|s)\b", re.IGNORECASE
)
_TITLE = re.compile(r"<title[^<>]{0,200}>([^<]{0,500})</title", re.IGNORECASE)


@dataclass(frozen=True)
class ErrorMapper:
    """Creates errors that name `provider` and never show `key`; a provider that `is_here` runs on this computer."""

    provider: str
    key: str = ""
    is_here: bool = False

    @cached_property
    def redactor(self) -> Redactor:
        """Return a redactor that masks the key in every form in which a server may repeat it."""
        return Redactor((self.key,))

    def of_answer(self, status: int, body: object, headers: Mapping[str, str] | None = None) -> ProviderError:
        """Return the error for an error response.

        Args:
            status: the HTTP status; 200 for errors inside a stream.
            body: the decoded JSON, the text, or the part of it that an SDK took for the error.
            headers: the response headers, read for Retry-After.
        """
        message = _message_of(body)
        everything = f"{message}\n{_as_text(body)}"
        status = _status_in(body) if codes.is_success(status) else status
        target = (headers or {}).get("location", "")
        where = f"{target} (HTTP {status})".strip() if status else ""
        is_ours = isinstance(message, TranslatableMessage)
        detail = sentences((message, where)) if is_ours else f"{message} {where}".rstrip()
        wait_s = _wait_of(headers or {}, everything)
        if status == HTTPStatus.TOO_MANY_REQUESTS and not _NO_CREDIT.search(everything):
            return self._rate_limited(detail, wait_s)
        kind = _by_words(status, everything) or _by_status(status)
        error = self._make(_OVERLOADED.get(status, kind) if kind is ProviderFailing else kind, detail)
        error.may_retry = isinstance(error, ProviderDown | ServiceOverloaded)
        error.retry_after_s = wait_s
        return error

    def of_network(self, error: BaseException, *, has_begun: bool) -> ProviderError:
        """Return the error for a request without a response, or with an incomplete one if it `has_begun`."""
        words = _deepest_words(error)
        if isinstance(error, httpx2.TimeoutException | TimeoutError):
            return self._make(ProviderTimedOut, words)
        if isinstance(error, httpx2.UnsupportedProtocol | httpx2.InvalidURL):
            return self._make(ModelNotFound, words)
        if isinstance(error, UnicodeEncodeError):
            return self._make(
                RequestRejected, translatable("The text contains characters that can’t be sent.")
            )
        if isinstance(error, httpx2.DecodingError | ValueError | RecursionError):
            return self.garbage(words)
        is_stopped = self.is_here and isinstance(error, httpx2.ConnectError) and not _is_tls(error)
        absent = ProviderNotRunning if is_stopped else ProviderDown
        failure = self._make(StreamBroken if has_begun else absent, words)
        failure.may_retry = not isinstance(error, _NOT_REACHED)
        return failure

    @contextmanager
    def while_opening(self) -> Iterator[None]:
        """Translate errors in the address or in a system proxy that the HTTP client reports.

        Raises:
            ModelNotFound: the address or the proxy cannot be used at all.
        """
        try:
            yield
        except (httpx2.InvalidURL, ValueError, ImportError) as error:
            raise self._make(ModelNotFound, plain_reason(error)) from None

    def check_key(self) -> None:
        """Check that the key can be sent in an HTTP header.

        Raises:
            AuthFailed: the key contains something other than visible ASCII.
        """
        if not (self.key.isascii() and self.key.isprintable()):
            raise AuthFailed(
                provider=self.provider,
                detail=translatable("It contains characters that are not allowed in a key."),
            )

    def garbage(self, detail: str) -> ProviderError:
        """Return the error for a response that does not follow the protocol."""
        return self._make(ProviderGarbage, detail)

    def broken(self, detail: str) -> ProviderError:
        """Return the error for a response that stops without an end."""
        failure = self._make(StreamBroken, detail)
        failure.may_retry = True
        return failure

    def _rate_limited(self, detail: str, retry_after_s: float | None) -> ProviderError:
        error = RateLimited(provider=self.provider, retry_after_s=retry_after_s, detail=self._clean(detail))
        error.may_retry = True
        return error

    def _make(self, error: type[ProviderError], detail: str) -> ProviderError:
        return error(provider=self.provider, detail=self._clean(detail))

    def _clean(self, detail: str) -> str:
        if isinstance(detail, TranslatableMessage):
            return detail.map_texts(self._clean)
        detail = self.redactor.redact(detail)
        if len(self.key) >= _MIN_SECRET_CHARS:
            detail = detail.replace(self.key, MASK)
        detail = " ".join(detail.split())
        return detail if len(detail) <= _DETAIL_CHARS else detail[: _DETAIL_CHARS - 1] + "…"


_OVERLOADED = {529: ServiceOverloaded}
"""Statuses that only Anthropic uses."""

_NOT_REACHED = (httpx2.ConnectError, httpx2.ProxyError, httpx2.LocalProtocolError, OSError)
"""The server cannot be reached: a wrong address or a stopped server. Rarely resolved within a minute."""

_VAGUE = frozenset({0, HTTPStatus.BAD_REQUEST, HTTPStatus.UNPROCESSABLE_ENTITY})
"""Statuses that servers also use for errors that have a more specific status."""


def _by_words(status: int, said: str) -> type[ProviderError] | None:
    if status == HTTPStatus.UNAUTHORIZED:
        return AuthFailed  # this status is unambiguous, whatever the text says
    meanings: list[tuple[re.Pattern[str], type[ProviderError]]] = [
        (_NO_CREDIT, QuotaExceeded),
        (_NO_SERVICE_HERE, RequestRejected),
        (_NO_TOOLS, ToolsRefused),
        (_TOO_LONG, ContextTooLong),
    ]
    if status in _VAGUE:
        meanings += [(_BAD_KEY, AuthFailed), (_NO_MODEL, ModelNotFound)]
    return next((error for words, error in meanings if words.search(said)), None)


def _by_status(status: int) -> type[ProviderError]:
    known: dict[int, type[ProviderError]] = {
        HTTPStatus.PAYMENT_REQUIRED: QuotaExceeded,
        HTTPStatus.FORBIDDEN: AuthFailed,
        HTTPStatus.NOT_FOUND: ModelNotFound,
        HTTPStatus.METHOD_NOT_ALLOWED: ModelNotFound,
        HTTPStatus.REQUEST_TIMEOUT: ProviderTimedOut,
        HTTPStatus.REQUEST_ENTITY_TOO_LARGE: ContextTooLong,
    }
    if codes.is_redirect(status):
        return ModelNotFound  # the address in the settings is not that of the server itself
    return known.get(status, RequestRejected if codes.is_client_error(status) else ProviderFailing)


def _status_in(body: object) -> int:
    """Return the HTTP status that corresponds to an error inside a stream, or 0."""
    for part in _dicts_of(body):
        for name in ("status_code", "code", "type", "status"):
            value = part.get(name)
            word = str(value).lower()
            status = int(word) if word.isdecimal() else _STATUS_OF_TYPE.get(word, 0)
            if codes.is_error(status):
                return status
    return 0


def _dicts_of(body: object) -> list[Mapping[str, Any]]:
    """Return the error object and the response around it, innermost first."""
    if isinstance(body, list) and body:
        return _dicts_of(body[0])
    if not isinstance(body, Mapping):
        return []
    return [*_dicts_of(body.get("error")), body]


def _message_of(body: object) -> str:
    for part in _dicts_of(body):
        for name in ("message", "msg", "detail", "error", "error_msg", "error_message"):
            value = part.get(name)
            if isinstance(value, str) and value.strip():
                return value
            if value and isinstance(value, list):
                return _as_text(value)
    text = _as_text(body)
    if text.lstrip()[:1] == "<":
        title = _TITLE.search(text)
        return (
            _WEB_PAGE.format(title=html.unescape(title.group(1)).strip())
            if title
            else translatable("It sent a web page.")
        )
    return text


def _as_text(body: object) -> str:
    if body is None:
        return ""
    return body if isinstance(body, str) else json.dumps(body, ensure_ascii=False, default=str)


def _wait_of(headers: Mapping[str, str], text: str) -> float | None:
    """Return the seconds to wait that the server gave in a header or in the text."""
    if (given_ms := retry_after_s(headers.get("retry-after-ms", ""))) is not None:
        return given_ms / 1000
    if given := headers.get("retry-after", "").strip():
        return retry_after_s(given)
    said = _WAIT.search(text)
    if said is None:
        return None
    minutes, amount, unit = said.groups()
    return int(minutes or 0) * 60 + float(amount) / (1000 if unit.lower() == "ms" else 1)


def _is_tls(error: BaseException | None) -> bool:
    """Whether a server was reached, but does not speak TLS, or not as expected."""
    return error is not None and (
        isinstance(error, ssl.SSLError) or _is_tls(error.__cause__ or error.__context__)
    )


def _deepest_words(error: BaseException) -> str:
    """Return the message of the operating system below all wrapping errors, or the best message available."""
    words = plain_reason(error)
    cause = error.__cause__ or error.__context__
    return words if cause is None or not str(cause) else _deepest_words(cause)
