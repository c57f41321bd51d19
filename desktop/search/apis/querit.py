"""Querit: https://www.querit.ai/en/docs."""

from desktop.domain.search import SearchResult
from desktop.search.apis.model import ApiRequest, SearchApi, StatusOverride, get_path, results
from desktop.search.engines.model import SearchOptions

_MOST_RESULTS = 100
_CLIENT_FAILED, _LAST_STATUS = 400, 599
_RANGES = {"day": "d1", "week": "w1", "month": "m1", "year": "y1"}


def _request(query: str, options: SearchOptions, key: str) -> ApiRequest:
    body: dict[str, object] = {"query": query, "count": min(options.count, _MOST_RESULTS)}
    if span := _RANGES.get(options.time_range):
        body["filters"] = {"timeRange": {"date": span}}
    return ApiRequest("/v1/search", headers={"Authorization": f"Bearer {key}"}, body=body)


def _read(payload: object) -> tuple[SearchResult, ...]:
    return results(payload, "results", "result", snippet=("snippet", "sentence"), published=("page_age",))


def _interpret(_code: int, payload: object) -> StatusOverride | None:
    """Querit may report a failure with HTTP status 200 and its own status in the body."""
    inner = str(get_path(payload, "error_code"))
    is_failure = inner.isdecimal() and _CLIENT_FAILED <= int(inner) <= _LAST_STATUS
    return StatusOverride(int(inner)) if is_failure else None


QUERIT = SearchApi(
    id="querit",
    name="Querit",
    home="https://www.querit.ai/",
    base="https://api.querit.ai",
    needs_key=True,
    request=_request,
    read=_read,
    meant=_interpret,
    listed="results",
)
