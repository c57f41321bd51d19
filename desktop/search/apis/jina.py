"""Jina: https://jina.ai/reader/ (s.jina.ai searches, r.jina.ai reads)."""

from desktop.domain.search import SearchResult
from desktop.search.apis.model import ApiRequest, PageApi, SearchApi, StatusOverride, get_path, results
from desktop.search.engines.model import SearchOptions

_NO_RESULTS = 42206
_NO_CONTENT = 204


def _request(query: str, options: SearchOptions, key: str) -> ApiRequest:
    given = {
        "q": query,
        "num": str(options.count),
        "page": str(options.page) if options.page > 1 else "",
        "gl": options.country,
        "hl": options.primary_language,
    }
    parameters = {name: value for name, value in given.items() if value}
    headers = {"Authorization": f"Bearer {key}", "X-Respond-With": "no-content"}
    return ApiRequest("/", "GET", parameters, headers)


def _read(payload: object) -> tuple[SearchResult, ...]:
    return results(payload, "data", snippet=("description",), published=("date",), body=("content",))


def _interpret(_code: int, payload: object) -> StatusOverride | None:
    """Jina reports an empty result as an unprocessable request (422)."""
    return StatusOverride(_NO_CONTENT) if get_path(payload, "status") == _NO_RESULTS else None


JINA = SearchApi(
    id="jina",
    name="Jina",
    home="https://jina.ai/",
    base="https://s.jina.ai",
    needs_key=True,
    request=_request,
    read=_read,
    meant=_interpret,
)


def _reading(url: str, key: str) -> ApiRequest:
    headers = {"X-Retain-Images": "none", "X-Retain-Links": "text"}
    if key:  # also works without a key, but more slowly
        headers["Authorization"] = f"Bearer {key}"
    return ApiRequest("/", headers=headers, body={"url": url})


def _read_page(payload: object) -> SearchResult | None:
    page = get_path(payload, "data")
    return next(iter(results([page], published=("publishedTime",), body=("content",))), None)


JINA_READER = PageApi(
    id="jina",
    name="Jina",
    base="https://r.jina.ai",
    needs_key=False,
    request=_reading,
    read=_read_page,
)
