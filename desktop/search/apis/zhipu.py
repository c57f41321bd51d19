"""Zhipu (智谱): https://docs.bigmodel.cn/api-reference/工具-api/网络搜索."""

from desktop.domain.search import SearchResult
from desktop.search.apis.model import ApiRequest, SearchApi, StatusOverride, get_path, results
from desktop.search.engines.model import SearchOptions

_MOST_RESULTS = 50
_LONGEST_QUERY_CHARS = 70
_PAYMENT_REQUIRED = 402
_EMPTY_ACCOUNT = "1113"
_RANGES = {"day": "oneDay", "week": "oneWeek", "month": "oneMonth", "year": "oneYear"}


def _request(query: str, options: SearchOptions, key: str) -> ApiRequest:
    body = {
        "search_query": query[:_LONGEST_QUERY_CHARS],
        "search_engine": "search_std",
        "search_intent": False,
        "count": min(options.count, _MOST_RESULTS),
        "search_recency_filter": _RANGES.get(options.time_range, "noLimit"),
    }
    return ApiRequest("/web_search", headers={"Authorization": f"Bearer {key}"}, body=body)


def _read(payload: object) -> tuple[SearchResult, ...]:
    return results(payload, "search_result", url="link", snippet=("content",), published=("publish_date",))


def _interpret(_code: int, payload: object) -> StatusOverride | None:
    """Zhipu reports an empty account as too many requests (429)."""
    return StatusOverride(_PAYMENT_REQUIRED) if get_path(payload, "error", "code") == _EMPTY_ACCOUNT else None


ZHIPU = SearchApi(
    id="zhipu",
    name="Zhipu 智谱",
    home="https://open.bigmodel.cn/",
    base="https://open.bigmodel.cn/api/paas/v4",
    needs_key=True,
    request=_request,
    read=_read,
    meant=_interpret,
)
