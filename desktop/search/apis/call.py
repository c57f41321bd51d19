"""Ask a search API: the one place that knows HTTP and turns its failures into outcomes."""

import httpx

from desktop.domain.search import SearchOutcome, SearchStatus
from desktop.phrases import phrase
from desktop.search.apis.model import SearchApi
from desktop.search.apis.payload import at, text
from desktop.search.engines.model import SearchOptions

_KEY_REFUSED = frozenset({401, 403})
_LIMITED = frozenset({402, 429, 432, 433})
_SERVER_FAILED = 500
_CLIENT_FAILED = 400
_DETAIL_CHARS = 200

_NO_KEY = phrase("{api} needs an API key. Add one in Settings.")
_BAD_KEY = phrase("{api} refused the API key. Check it in Settings. {detail}")
_NO_CREDIT = phrase("{api} takes no more requests for this key: its limit is reached. {detail}")
_FAILING = phrase("{api} is failing (HTTP {code}). {detail}")
_REFUSED = phrase("{api} refused the request (HTTP {code}). {detail}")
_GARBAGE = phrase("{api} sent something that is not an answer. Is the address right?")
_SLOW = phrase("{api} did not answer in time.")
_UNREACHABLE = phrase("{api} cannot be reached. Check the address and the network.")
_NOTHING = phrase("{api} found nothing.")


async def call_api(
    api: SearchApi,
    query: str,
    options: SearchOptions,
    *,
    client: httpx.AsyncClient,
    secret: str = "",
    base: str = "",
    timeout_s: float = 15.0,
) -> SearchOutcome:
    """Search with `api`.

    Args:
        api: the service.
        query: what is searched, as it is.
        options: language, region, count, range.
        client: used for the request, with its proxy settings.
        secret: one key, or several parted by commas or spaces: the next one is used when one is refused.
        base: replaces the service's own address.
        timeout_s: for the whole request.
    """
    keys = secret.replace(",", " ").split() or [""]
    if api.needs_key and not keys[0]:
        return _failed(api, query, SearchStatus.BLOCKED, _NO_KEY)
    outcome = await _call(api, query, options, client, (keys[0], base, timeout_s))
    for key in keys[1:]:
        if outcome.status is not SearchStatus.BLOCKED:
            break
        outcome = await _call(api, query, options, client, (key, base, timeout_s))
    return outcome


async def _call(
    api: SearchApi,
    query: str,
    options: SearchOptions,
    client: httpx.AsyncClient,
    access: tuple[str, str, float],
) -> SearchOutcome:
    key, base, timeout_s = access
    request = api.request(query, options, key)
    address = (base or api.address(query, options)).rstrip("/") + request.path
    try:
        response = await client.request(
            request.method,
            address,
            params=dict(request.parameters) or None,
            headers={"Accept": "application/json", **request.headers},
            json=request.body,
            timeout=timeout_s,
        )
    except httpx.TimeoutException:
        return _failed(api, query, SearchStatus.TIMED_OUT, _SLOW)
    except (httpx.HTTPError, httpx.InvalidURL):
        return _failed(api, query, SearchStatus.OFFLINE, _UNREACHABLE)
    return _judged(api, query, response, key)


def _judged(api: SearchApi, query: str, response: httpx.Response, key: str) -> SearchOutcome:
    """Turn a response into an outcome."""
    try:
        payload: object = response.json()
    except ValueError:
        payload = None
    code = _code(response.status_code, payload)
    if code >= _CLIENT_FAILED:
        status, words = _by_code(code)
        return _failed(api, query, status, words, code=code, detail=_detail(payload, key))
    if not isinstance(payload, dict):
        return _failed(api, query, SearchStatus.LAYOUT_CHANGED, _GARBAGE)
    results = api.read(payload)
    if not results:
        return _failed(api, query, SearchStatus.NOTHING_FOUND, _NOTHING)
    return SearchOutcome(SearchStatus.RESULTS, api.id, query, results)


def _code(code: int, payload: object) -> int:
    """Return the HTTP status, or the one that some services put inside a 200 instead."""
    inner = str(at(payload, "code"))
    is_failure = len(inner) == 3 and inner.isdigit() and inner[0] in "45"  # noqa: PLR2004 - a status has three digits
    return int(inner) if code < _CLIENT_FAILED and is_failure else code


def _by_code(code: int) -> tuple[SearchStatus, str]:
    if code in _KEY_REFUSED:
        return SearchStatus.BLOCKED, _BAD_KEY
    if code in _LIMITED:
        return SearchStatus.BLOCKED, _NO_CREDIT
    if code >= _SERVER_FAILED:
        return SearchStatus.OFFLINE, _FAILING
    return SearchStatus.LAYOUT_CHANGED, _REFUSED


def _detail(payload: object, key: str) -> str:
    """Return what the service itself says, without the key that some repeat."""
    for holder in (payload, at(payload, "detail"), at(payload, "error")):
        if found := text(holder, "message", "msg", "error", "detail"):
            shown = found.replace(key, "…") if key else found
            return shown[:_DETAIL_CHARS]
    return ""


def _failed(api: SearchApi, query: str, status: SearchStatus, words: str, **fields: object) -> SearchOutcome:
    return SearchOutcome(status, api.id, query, error=words.format(api=api.name, **fields).strip())
