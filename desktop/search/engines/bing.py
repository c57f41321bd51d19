"""Bing, worldwide and in China."""

from collections.abc import Mapping
from datetime import UTC, datetime

from desktop.search.engines.model import Layout, Obstacle, ObstaclePattern, SearchOptions, SerpEngine

_CHINESE = {"CN": "zh-hans", "SG": "zh-hans", "TW": "zh-hant", "HK": "zh-hant", "MO": "zh-hant"}
_RANGES = {"day": 'ex1:"ez1"', "week": 'ex1:"ez2"', "month": 'ex1:"ez3"'}
_YEAR_DAYS = 365


def _parameters(query: str, options: SearchOptions) -> Mapping[str, str]:
    language = options.primary_language
    if language == "zh":
        language = _CHINESE.get(options.country, "zh-hans")
    return {
        "q": query,
        "count": options.extra_count(),
        "first": str(options.offset + 1) if options.page > 1 else "",
        "setlang": language,
        "cc": options.country,
        "filters": _range(options.time_range),
        "adlt": "" if options.safe == "moderate" else options.safe,
    }


def _range(time_range: str) -> str:
    if time_range != "year":
        return _RANGES.get(time_range, "")
    today = (datetime.now(UTC) - datetime(1970, 1, 1, tzinfo=UTC)).days
    return f'ex1:"ez5_{today - _YEAR_DAYS}_{today}"'


_LAYOUTS = (
    Layout(
        seen="2026-05",
        result="#b_results li.b_algo",
        link="h2 > a[href], .b_title a[href], h2 a[href], a.tilk[href]",
        title="h2",
        snippet=".b_caption p, .b_lineclamp2, .b_lineclamp3, .b_lineclamp4, .b_algoSlug, .b_snippet, p",
    ),
)
_CUT = ".algoSlug_icon, li.b_ad, .b_adSlug, .b_adLastChild, li.b_msg, #b_context, .b_rs, #b_pole"
_SIGNS = (
    ObstaclePattern(
        Obstacle.CAPTCHA, selector=".captcha, .captcha_header, #b_captcha, script[src*='turnstile'], #captcha"
    ),
    ObstaclePattern(
        Obstacle.CAPTCHA, text=r"solve the challenge below|请完成以下验证|One last step|最后一步"
    ),
)
_REJECT = ("#bnp_btn_reject", "button#bnp_btn_reject a")

BING = SerpEngine(
    id="bing",
    name="Bing",
    home="https://www.bing.com/",
    address="https://www.bing.com/search",
    parameters=_parameters,
    layouts=_LAYOUTS,
    cut=_CUT,
    signs=_SIGNS,
    empty="#b_results > li.b_no",
    reject=_REJECT,
)
BING_CN = SerpEngine(
    id="bing-cn",
    name="Bing 必应",
    home="https://cn.bing.com/",
    address="https://cn.bing.com/search",
    parameters=_parameters,
    layouts=_LAYOUTS,
    cut=_CUT,
    signs=_SIGNS,
    empty="#b_results > li.b_no",
    reject=_REJECT,
)
