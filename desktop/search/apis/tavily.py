"""Tavily: https://docs.tavily.com/documentation/api-reference/endpoint/search and …/extract."""

from desktop.domain.search import SearchResult
from desktop.search.apis.model import ApiRequest, PageApi, SearchApi, results
from desktop.search.engines.model import SearchOptions

_MOST_RESULTS = 20


def _request(query: str, options: SearchOptions, key: str) -> ApiRequest:
    body: dict[str, object] = {
        "query": query,
        "max_results": min(options.count, _MOST_RESULTS),
        "search_depth": "basic",
        "include_raw_content": "text",
    }
    if options.time_range:
        body["time_range"] = options.time_range
    return ApiRequest("/search", headers={"Authorization": f"Bearer {key}"}, body=body)


def _read(payload: object) -> tuple[SearchResult, ...]:
    return results(
        payload, "results", snippet=("content",), published=("published_date",), body=("raw_content",)
    )


TAVILY = SearchApi(
    id="tavily",
    name="Tavily",
    home="https://tavily.com/",
    base="https://api.tavily.com",
    needs_key=True,
    request=_request,
    read=_read,
)


def _extract(url: str, key: str) -> ApiRequest:
    body = {"urls": [url], "extract_depth": "basic", "format": "text"}
    return ApiRequest("/extract", headers={"Authorization": f"Bearer {key}"}, body=body)


def _read_result(payload: object) -> SearchResult | None:
    return next(iter(results(payload, "results", body=("raw_content",))), None)


TAVILY_EXTRACT = PageApi(
    id="tavily",
    name="Tavily",
    base="https://api.tavily.com",
    needs_key=True,
    request=_extract,
    read=_read_result,
)
