"""Bocha (博查): https://open.bochaai.com/."""

from desktop.domain.search import SearchResult
from desktop.search.apis.model import ApiRequest, SearchApi, StatusOverride, results, text
from desktop.search.engines.model import SearchOptions

_MOST_RESULTS = 50
_FORBIDDEN, _PAYMENT_REQUIRED = 403, 402
_RANGES = {"day": "oneDay", "week": "oneWeek", "month": "oneMonth", "year": "oneYear"}


def _request(query: str, options: SearchOptions, key: str) -> ApiRequest:
    body = {
        "query": query,
        "count": min(options.count, _MOST_RESULTS),
        "freshness": _RANGES.get(options.time_range, "noLimit"),
        "summary": True,
    }
    return ApiRequest("/v1/web-search", headers={"Authorization": f"Bearer {key}"}, body=body)


def _read(payload: object) -> tuple[SearchResult, ...]:
    return results(
        payload,
        "data",
        "webPages",
        "value",
        title="name",
        snippet=("summary", "snippet"),
        published=("datePublished",),
    )


def _interpret(code: int, payload: object) -> StatusOverride | None:
    """Return 403 for an empty account, which Bocha reports differently; a wrong key is 401."""
    is_forbidden = _FORBIDDEN in {code, _own_code(payload)}
    return StatusOverride(_PAYMENT_REQUIRED) if is_forbidden and "money" in text(payload, "message") else None


def _own_code(payload: object) -> int:
    written = text(payload, "code")
    return int(written) if written.isdecimal() else 0


BOCHA = SearchApi(
    id="bocha",
    name="Bocha 博查",
    home="https://bochaai.com/",
    base="https://api.bochaai.com",
    needs_key=True,
    request=_request,
    read=_read,
    meant=_interpret,
)
