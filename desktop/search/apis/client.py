"""Call a service with an API. Only this module knows HTTP and turns its failures into values."""

import asyncio
import json
import re
from collections.abc import Callable
from dataclasses import dataclass

import httpx

from desktop.domain.search import SearchOutcome, SearchStatus
from desktop.errors import plain_reason
from desktop.phrases import IN_SETTINGS, translatable
from desktop.search.apis.model import ApiRequest, Meant, SearchApi, StatusOverride, get_path, text
from desktop.search.engines.document import WORDS, ResultDocument, decode_page, is_too_deep, obstacle_on
from desktop.search.engines.model import SearchOptions
from desktop.settings.secrets import LIMITED_REST_S, REFUSED_REST_S, KeyCooldown, keys_of
from desktop.text.stream_limits import retry_after_s

MAX_ANSWER_BYTES = 20 * 1024 * 1024

_TOO_MANY = 429
_KEY_REFUSED = frozenset({401, 403})
_LIMITED = frozenset({402, _TOO_MANY, 432, 433})
"""432 and 433 are specific to Tavily: the limits of a plan and of pay-as-you-go."""
_NOTHING_THERE = 204
_SERVER_FAILED = 500
_CLIENT_FAILED = 400
_FAILURE = re.compile(r"[45]\d\d")
"""A status in a body that says that a request failed."""
_DETAIL_CHARS = 200

_NO_KEY = translatable("{api} needs an API key. Add one {in_settings}.")
_BAD_KEY = translatable("{api} did not accept the API key. Check it {in_settings}. {detail}")
_NOT_LET_IN = translatable("{api} blocks requests from programs (HTTP {code}). {detail}")
_NO_CREDIT = translatable("The request limit of your {api} key is reached. {detail}")
_NOT_NOW = translatable("{api} is not accepting more requests right now. {detail}")
_BUSY = translatable("{api} is not accepting more requests right now. Try again in {seconds} s. {detail}")
_FAILING = translatable("{api} has an error (HTTP {code}). {detail}")
_REFUSED = translatable("{api} refused the request (HTTP {code}). {detail}")
_GARBAGE = translatable("{api} sent a reply that Footnote can’t read. Check its address {in_settings}.")
_CHANGED = translatable("{api} has changed its replies, so Footnote can no longer read them.")
_TOO_LONG = translatable("{api} sent a result that is too long.")
_SLOW = translatable("{api} did not respond in time.")
_UNREACHABLE = translatable("{api} can’t be reached. Check its address and your connection.")
_PROXY = "{error}"
_NOTHING = translatable("{api} found nothing.")


@dataclass(frozen=True)
class ApiAccess:
    """How to reach a service.

    `client` carries the proxy settings. `secret` holds one or more keys: when a key is refused or used up, the
    next one is used and the first one is paused. `base` replaces the service's own address.
    """

    client: httpx.AsyncClient
    secret: str = ""
    base: str = ""
    timeout_s: float = 15.0
    rests: KeyCooldown | None = None


@dataclass(frozen=True)
class ApiService:
    """A service to call; `make` builds the request for a key."""

    id: str
    name: str
    base: str
    needs_key: bool
    make: Callable[[str], ApiRequest]
    meant: Meant | None = None


@dataclass(frozen=True)
class ServiceFailed:
    """Why a call failed; `error` is a text for the user. `rest_s` is how many seconds to pause the key."""

    status: SearchStatus
    error: str
    rest_s: float = 0.0


async def call_api(api: SearchApi, query: str, options: SearchOptions, access: ApiAccess) -> SearchOutcome:
    """Search with `api` for the unchanged `query`."""
    service = ApiService(
        api.id,
        api.name,
        api.address(query, options),
        api.needs_key,
        lambda key: api.request(query, options, key),
        api.meant,
    )
    answer = await call_service(service, access)
    if isinstance(answer, ServiceFailed):
        return SearchOutcome(answer.status, api.id, query, error=answer.error)
    results = api.read(answer)
    if not results and api.listed and api.listed not in answer:
        words = _CHANGED.format(api=api.name)
        return SearchOutcome(SearchStatus.LAYOUT_CHANGED, api.id, query, error=words)
    if not results:
        words = _NOTHING.format(api=api.name)
        return SearchOutcome(SearchStatus.NOTHING_FOUND, api.id, query, error=words)
    return SearchOutcome(SearchStatus.RESULTS, api.id, query, results)


async def call_service(service: ApiService, access: ApiAccess) -> dict[str, object] | ServiceFailed:
    """Return the JSON object with which `service` responds, trying one key after another."""
    rests = access.rests or KeyCooldown()
    keys = keys_of(access.secret)
    if service.needs_key and not keys:
        return ServiceFailed(SearchStatus.BLOCKED, _NO_KEY.format(api=service.name, **IN_SETTINGS))
    answer: dict[str, object] | ServiceFailed | None = None
    for key in rests.order(service.id, keys) or ("",):
        answer = await _ask(service, key, access)
        if not isinstance(answer, ServiceFailed):
            rests.wake(service.id, key)
            return answer
        if not answer.rest_s:
            return answer
        rests.rest(service.id, key, answer.rest_s)
    assert answer is not None
    return answer


async def _ask(service: ApiService, key: str, access: ApiAccess) -> dict[str, object] | ServiceFailed:
    request = service.make(key)
    address = (access.base or service.base).rstrip("/") + request.path
    try:
        async with (
            asyncio.timeout(access.timeout_s),
            access.client.stream(
                request.method,
                address,
                params=dict(request.parameters) or None,
                headers={"Accept": "application/json", **request.headers},
                json=request.body,
                timeout=access.timeout_s,
            ) as response,
        ):
            body = await _receive(response)
    except tuple(_NETWORK) as error:
        status, words = next(found for kind, found in _NETWORK.items() if isinstance(error, kind))
        return ServiceFailed(status, words.format(api=service.name, error=plain_reason(error)))
    if body is None:
        return ServiceFailed(SearchStatus.LAYOUT_CHANGED, _TOO_LONG.format(api=service.name))
    return _judge(service, response, body, key)


async def _receive(response: httpx.Response) -> bytes | None:
    """Return the whole body, or None if it exceeds the limit."""
    body = bytearray()
    async for piece in response.aiter_bytes():
        body += piece
        if len(body) > MAX_ANSWER_BYTES:
            return None
    return bytes(body)


_NETWORK: dict[type[Exception], tuple[SearchStatus, str]] = {
    TimeoutError: (SearchStatus.TIMED_OUT, _SLOW),
    httpx.TimeoutException: (SearchStatus.TIMED_OUT, _SLOW),
    httpx.ProxyError: (SearchStatus.OFFLINE, _PROXY),
    httpx.HTTPError: (SearchStatus.OFFLINE, _UNREACHABLE),
    httpx.InvalidURL: (SearchStatus.OFFLINE, _UNREACHABLE),
    UnicodeError: (SearchStatus.OFFLINE, _UNREACHABLE),  # an invalid host name
}
"""Maps exceptions to statuses; the first match counts."""


def _judge(
    service: ApiService, response: httpx.Response, body: bytes, key: str
) -> dict[str, object] | ServiceFailed:
    try:
        payload: object = json.loads(body)
    except (ValueError, RecursionError):
        payload = None
    if payload is None and (wall := _wall(service, response.status_code, body)) is not None:
        return wall
    meaning = _meaning(service, response.status_code, payload, key)
    if meaning.code >= _CLIENT_FAILED:
        return _fail(service, meaning, response.headers, has_key=bool(key))
    if meaning.code == _NOTHING_THERE:
        return {}
    if not isinstance(payload, dict):
        return ServiceFailed(SearchStatus.LAYOUT_CHANGED, _GARBAGE.format(api=service.name, **IN_SETTINGS))
    return payload


def _wall(service: ApiService, code: int, body: bytes) -> ServiceFailed | None:
    """Return the barrier if the response is a page, such as a captcha or browser check, and not JSON."""
    if b"<" not in body or (service.meant is not None and service.meant(code, None) is not None):
        return None
    page = decode_page(body)
    obstacle = None if is_too_deep(page) else obstacle_on(ResultDocument(page), ())
    if obstacle is None:
        return None
    return ServiceFailed(SearchStatus.BLOCKED, WORDS[obstacle].format(engine=service.name))


def _meaning(service: ApiService, code: int, payload: object, key: str) -> StatusOverride:
    """Return the meaning of a response by the service's own rules, the HTTP status, or a status in the body."""
    own = service.meant(code, payload) if service.meant is not None else None
    inner = str(get_path(payload, "code"))
    is_failure = _FAILURE.fullmatch(inner) is not None
    if own is None:
        own = StatusOverride(int(inner) if code < _CLIENT_FAILED and is_failure else code)
    return own if own.detail else StatusOverride(own.code, _detail(payload, key))


def _fail(
    service: ApiService, meaning: StatusOverride, headers: httpx.Headers, *, has_key: bool
) -> ServiceFailed:
    code = meaning.code
    fields = {"api": service.name, "code": code, "detail": meaning.detail}
    waiting_s = retry_after_s(headers.get("retry-after", ""))
    if code == _TOO_MANY and waiting_s is not None:
        words = _BUSY.format(seconds=round(waiting_s), **fields)
        return ServiceFailed(SearchStatus.BLOCKED, words, waiting_s or 1.0)
    if code in _KEY_REFUSED:
        words = _BAD_KEY.format(**fields, **IN_SETTINGS) if has_key else _NOT_LET_IN.format(**fields)
        return ServiceFailed(SearchStatus.BLOCKED, words, REFUSED_REST_S)
    if code in _LIMITED:
        words = _NO_CREDIT if has_key and code != _TOO_MANY else _NOT_NOW
        rest_s = LIMITED_REST_S if code == _TOO_MANY else REFUSED_REST_S
        return ServiceFailed(SearchStatus.BLOCKED, words.format(**fields), rest_s)
    if code >= _SERVER_FAILED:
        return ServiceFailed(SearchStatus.OFFLINE, _FAILING.format(**fields))
    return ServiceFailed(SearchStatus.LAYOUT_CHANGED, _REFUSED.format(**fields))


def _detail(payload: object, key: str) -> str:
    """Return the service's own error message without the key, which some services repeat."""
    for holder in (payload, get_path(payload, "detail"), get_path(payload, "error")):
        if found := text(holder, "message", "msg", "error_msg", "err_msg", "error", "detail", "info"):
            shown = found.replace(key, "…") if key else found
            return shown[:_DETAIL_CHARS]
    return ""
