"""Baidu."""

import time
from collections.abc import Mapping

from desktop.search.engines.model import Layout, Obstacle, ObstaclePattern, SearchOptions, SerpEngine

_DAY_S = 86_400
_RANGES_S = {"day": _DAY_S, "week": 7 * _DAY_S, "month": 31 * _DAY_S, "year": 365 * _DAY_S}


def _parameters(query: str, options: SearchOptions) -> Mapping[str, str]:
    return {
        "wd": query,
        "ie": "utf-8",
        "rn": options.extra_count(50),
        "pn": str(options.offset) if options.page > 1 else "",
        "gpc": _range(options.time_range),
    }


def _range(time_range: str) -> str:
    length = _RANGES_S.get(time_range)
    if length is None:
        return ""
    now = int(time.time())
    return f"stf={now - length},{now}|stftype=1"


BAIDU = SerpEngine(
    id="baidu",
    name="Baidu 百度",
    home="https://www.baidu.com/",
    address="https://www.baidu.com/s",
    parameters=_parameters,
    layouts=(
        Layout(
            seen="2026-05",
            result="#content_left > .c-container, #content_left > .result, #content_left > .result-op",
            link="h3 a[href]",
            title="h3",
            snippet=".c-abstract, [class*='content-right'], [class*='summary-text'], .c-span-last [class*='text']",
            address=("mu",),
        ),
    ),
    cut=(
        "#content_left > [cmatchid], #content_left > .ec_tuiguang_container, .ec_wise_ad, [data-tuiguang],"
        " #content_left [id^='300'], #content_left .result-op[tpl='recommend_list'], .c-tools"
    ),
    signs=(
        ObstaclePattern(
            Obstacle.CAPTCHA,
            selector=".passMod_dialog, #passMod, .vcode-spin, [class*='passMod'], form[action*='wappass']",
        ),
        ObstaclePattern(Obstacle.CAPTCHA, text=r"百度安全验证|网络不给力，请稍后重试"),
    ),
    empty="#content_left .nors, .content_none .nors, .content_none",
    empty_text=r"抱歉.{0,4}(没有找到|未找到).{0,40}(相关|网页)",
)
