"""Serper: https://serper.dev/playground."""

from desktop.domain.search import SearchResult
from desktop.search.apis.model import ApiRequest, SearchApi, StatusOverride, results, text
from desktop.search.engines.model import SearchOptions

_BAD_REQUEST, _PAYMENT_REQUIRED = 400, 402
_RANGES = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}


def _request(query: str, options: SearchOptions, key: str) -> ApiRequest:
    given: dict[str, object] = {
        "q": query,
        "num": options.count,
        "page": options.page,
        "gl": options.country.lower(),
        "hl": options.language.lower(),
        "tbs": _RANGES.get(options.time_range, ""),
    }
    body = {name: value for name, value in given.items() if value}
    return ApiRequest("/search", headers={"X-API-KEY": key}, body=body)


def _read(payload: object) -> tuple[SearchResult, ...]:
    return results(payload, "organic", url="link", snippet=("snippet",), published=("date",))


def _interpret(code: int, payload: object) -> StatusOverride | None:
    """Serper reports an empty account as a bad request (400)."""
    is_spent = code == _BAD_REQUEST and "credits" in text(payload, "message")
    return StatusOverride(_PAYMENT_REQUIRED) if is_spent else None


SERPER = SearchApi(
    id="serper",
    name="Serper",
    home="https://serper.dev/",
    base="https://google.serper.dev",
    needs_key=True,
    request=_request,
    read=_read,
    meant=_interpret,
)
