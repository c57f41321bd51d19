"""Brave: https://api-dashboard.search.brave.com/app/documentation/web-search/get-started."""

from desktop.domain.search import SearchResult
from desktop.search.apis.model import ApiRequest, SearchApi, StatusOverride, get_path, results, text
from desktop.search.engines.model import SearchOptions

_MOST_RESULTS = 20
_RANGES = {"day": "pd", "week": "pw", "month": "pm", "year": "py"}
_UNAUTHORISED = 401
_NO_KEY = frozenset({"SUBSCRIPTION_TOKEN_INVALID", "SUBSCRIPTION_TOKEN_MISSING"})
_LONGEST_QUERY_CHARS, _MOST_WORDS = 400, 50
_CHINESE = {"TW": "zh-hant", "HK": "zh-hant", "MO": "zh-hant"}
_OWN_NAMES = {"ja": "jp", "no": "nb", "nn": "nb"}
_COUNTRIES = frozenset(
    {
        "AR", "AU", "AT", "BE", "BR", "CA", "CL", "DK", "FI", "FR", "DE", "GR", "HK", "IN", "ID", "IT", "JP", "KR",
        "MY", "MX", "NL", "NZ", "NO", "CN", "PL", "PT", "PH", "RU", "SA", "ZA", "ES", "SE", "CH", "TW", "TR", "GB",
        "US",
    }
)  # fmt: skip
"""The only countries Brave accepts; it rejects any other, as it rejects a query that is too long."""


def _request(query: str, options: SearchOptions, key: str) -> ApiRequest:
    given = {
        "q": " ".join(query.split()[:_MOST_WORDS])[:_LONGEST_QUERY_CHARS],
        "count": str(min(options.count, _MOST_RESULTS)),
        "offset": str(options.page - 1) if options.page > 1 else "",
        "country": options.country if options.country in _COUNTRIES else "",
        "search_lang": _language(options),
        "freshness": _RANGES.get(options.time_range, ""),
        "safesearch": options.safe,
        "text_decorations": "false",
    }
    parameters = {name: value for name, value in given.items() if value}
    return ApiRequest("/res/v1/web/search", "GET", parameters, {"X-Subscription-Token": key})


def _language(options: SearchOptions) -> str:
    language = options.primary_language
    if language == "zh":
        return _CHINESE.get(options.country, "zh-hans")
    if language == "pt":
        return "pt-br" if options.country == "BR" else "pt-pt"
    return _OWN_NAMES.get(language, language)


def _read(payload: object) -> tuple[SearchResult, ...]:
    return results(payload, "web", "results", snippet=("description",), published=("page_age", "age"))


def _interpret(_code: int, payload: object) -> StatusOverride | None:
    """Brave reports a wrong key as an unprocessable request (422)."""
    return StatusOverride(_UNAUTHORISED) if text(get_path(payload, "error"), "code") in _NO_KEY else None


BRAVE_API = SearchApi(
    id="brave-api",
    name="Brave API",
    home="https://brave.com/search/api/",
    base="https://api.search.brave.com",
    needs_key=True,
    request=_request,
    read=_read,
    meant=_interpret,
)
