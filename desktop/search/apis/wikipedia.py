"""Wikipedia, without a key: https://www.mediawiki.org/wiki/API:Search."""

from desktop.domain.search import SearchResult
from desktop.search.apis.model import ApiRequest, SearchApi, StatusOverride, get_path, results, rows, text
from desktop.search.engines.model import SearchOptions
from desktop.text.language import language_of

_MOST_RESULTS = 20
_TOO_MANY, _UNAVAILABLE = 429, 503
_LIMITS = frozenset({"ratelimited", "maxlag", "cirrussearch-too-busy-error"})
_AGENT = "Footnote (desktop chat client; https://www.mediawiki.org/wiki/API:Etiquette)"


def _request(query: str, options: SearchOptions, _key: str) -> ApiRequest:
    parameters = {
        "action": "query",
        "format": "json",
        "formatversion": "2",
        "generator": "search",
        "gsrsearch": query,
        "gsrlimit": str(min(options.count, _MOST_RESULTS)),
        "gsroffset": str(options.offset),
        "prop": "extracts|info",
        "inprop": "url",
        "exintro": "1",
        "explaintext": "1",
        "exlimit": "max",
        "redirects": "1",
    }
    if language_of(query) == "zh":
        parameters["variant"] = "zh-tw" if options.country in {"TW", "HK", "MO"} else "zh-cn"
    return ApiRequest("/w/api.php", "GET", parameters, {"User-Agent": _AGENT})


def _read(payload: object) -> tuple[SearchResult, ...]:
    found = sorted(rows(payload, "query", "pages"), key=_rank)
    return results(found, url="fullurl", snippet=("extract",))


def _rank(page: object) -> int:
    """Return the search rank of a page; the API sorts pages by id."""
    index = get_path(page, "index")
    return index if isinstance(index, int) else _MOST_RESULTS


def _base(query: str, _options: SearchOptions) -> str:
    return f"https://{language_of(query)}.wikipedia.org"


def _interpret(_code: int, payload: object) -> StatusOverride | None:
    """Wikipedia reports failures with status 200: https://www.mediawiki.org/wiki/API:Errors_and_warnings."""
    error = get_path(payload, "error")
    if error is None:
        return None
    return StatusOverride(_TOO_MANY if text(error, "code") in _LIMITS else _UNAVAILABLE)


WIKIPEDIA = SearchApi(
    id="wikipedia",
    name="Wikipedia",
    home="https://www.wikipedia.org/",
    base="",
    needs_key=False,
    request=_request,
    read=_read,
    base_for=_base,
    meant=_interpret,
)
