"""SearXNG, on a server of the person's choice: https://docs.searxng.org/dev/search_api.html."""

from desktop.domain.search import SearchResult
from desktop.search.apis.model import ApiRequest, SearchApi
from desktop.search.apis.payload import results
from desktop.search.engines.model import SearchOptions

_SAFE = {"off": "0", "moderate": "1", "strict": "2"}


def _request(query: str, options: SearchOptions, _key: str) -> ApiRequest:
    parameters = {
        "q": query,
        "format": "json",
        "language": options.language or "all",
        "safesearch": _SAFE[options.safe],
        "pageno": str(options.page),
    }
    if options.time_range:
        parameters["time_range"] = options.time_range
    return ApiRequest("/search", "GET", parameters)


def _read(payload: object) -> tuple[SearchResult, ...]:
    return results(payload, "results", snippet=("content",), published=("publishedDate",))


SEARXNG = SearchApi(
    id="searxng",
    name="SearXNG",
    home="https://docs.searxng.org/",
    base="",
    needs_key=False,
    request=_request,
    read=_read,
)
