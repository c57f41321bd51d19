"""Bocha (博查): https://open.bochaai.com/."""

from desktop.domain.search import SearchResult
from desktop.search.apis.model import ApiRequest, SearchApi
from desktop.search.apis.payload import results
from desktop.search.engines.model import SearchOptions

_MOST_RESULTS = 50
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


BOCHA = SearchApi(
    id="bocha",
    name="Bocha 博查",
    home="https://bochaai.com/",
    base="https://api.bochaai.com",
    needs_key=True,
    request=_request,
    read=_read,
)
