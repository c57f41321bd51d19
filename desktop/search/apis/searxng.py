"""SearXNG, on a server of the user's choice: https://docs.searxng.org/dev/search_api.html."""

from desktop.domain.search import SearchResult
from desktop.phrases import translatable
from desktop.search.apis.model import ApiRequest, SearchApi, StatusOverride, get_path, results
from desktop.search.engines.model import SearchOptions

_FORBIDDEN, _TOO_MANY = 403, 429
_DETAIL_CHARS = 200
_NO_JSON = translatable("Add json to search.formats in settings.yml on its server.")
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


def _interpret(code: int, payload: object) -> StatusOverride | None:
    """If there are no results and some engines did not respond, report that as the reason."""
    if code == _FORBIDDEN:
        return StatusOverride(_FORBIDDEN, _NO_JSON)
    silent = get_path(payload, "unresponsive_engines")
    if not isinstance(silent, list) or not silent or _read(payload):
        return None
    words = ", ".join(": ".join(map(str, row)) if isinstance(row, list) else str(row) for row in silent)
    return StatusOverride(_TOO_MANY, words[:_DETAIL_CHARS])


SEARXNG = SearchApi(
    id="searxng",
    name="SearXNG",
    home="https://docs.searxng.org/",
    base="",
    needs_key=False,
    request=_request,
    read=_read,
    meant=_interpret,
)
