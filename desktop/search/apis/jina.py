"""Jina: https://jina.ai/reader/ (s.jina.ai)."""

from desktop.domain.search import SearchResult
from desktop.search.apis.model import ApiRequest, SearchApi
from desktop.search.apis.payload import results
from desktop.search.engines.model import SearchOptions


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


JINA = SearchApi(
    id="jina",
    name="Jina",
    home="https://jina.ai/",
    base="https://s.jina.ai",
    needs_key=True,
    request=_request,
    read=_read,
)
