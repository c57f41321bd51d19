"""Juejin (掘金), without a key: https://juejin.cn/search. Uses the undocumented address of its own page."""

from datetime import UTC, datetime

from desktop.domain.search import SearchResult
from desktop.search.apis.model import ApiRequest, SearchApi, StatusOverride, get_path, results, rows, text
from desktop.search.engines.model import SearchOptions

_MOST_RESULTS = 20
_UNAVAILABLE = 503
_WEB_CLIENT = "2608"
"""The `aid` that Juejin's own page sends."""


def _request(query: str, options: SearchOptions, _key: str) -> ApiRequest:
    parameters = {
        "aid": _WEB_CLIENT,
        "query": query,
        "id_type": "0",
        "search_type": "0",
        "sort_type": "0",
        "cursor": str(options.offset),
        "limit": str(min(options.count, _MOST_RESULTS)),
    }
    return ApiRequest("/search_api/v1/search", "GET", parameters)


def _read(payload: object) -> tuple[SearchResult, ...]:
    """Return the articles; tags, authors and courses are skipped because only articles can be read."""
    found = (row for row in rows(payload, "data") if text(get_path(row, "result_model"), "article_id"))
    return results([_flat(row) for row in found], snippet=("snippet",), published=("published",))


def _flat(row: object) -> dict[str, object]:
    article = get_path(row, "result_model", "article_info")
    return {
        "title": text(row, "title_highlight") or text(article, "title"),
        "url": f"https://juejin.cn/post/{get_path(row, 'result_model', 'article_id')}",
        "snippet": text(row, "content_highlight") or text(article, "brief_content"),
        "published": _day(text(article, "ctime")),
    }


def _day(seconds: str) -> str:
    """Return the date of a Unix time in seconds, or an empty string if it is invalid."""
    try:
        return datetime.fromtimestamp(int(seconds), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def _interpret(_code: int, payload: object) -> StatusOverride | None:
    """Juejin reports failures with HTTP status 200 and an error number of its own."""
    return StatusOverride(_UNAVAILABLE) if get_path(payload, "err_no") not in {None, 0} else None


JUEJIN = SearchApi(
    id="juejin",
    name="Juejin 掘金",
    home="https://juejin.cn/",
    base="https://api.juejin.cn",
    needs_key=False,
    request=_request,
    read=_read,
    meant=_interpret,
    listed="data",
)
