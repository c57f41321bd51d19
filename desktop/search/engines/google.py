"""Google, with and without scripts, on large and small screens."""

from collections.abc import Mapping

from desktop.search.engines.model import Layout, Obstacle, ObstaclePattern, SearchOptions, SerpEngine

_RANGES = {"day": "qdr:d", "week": "qdr:w", "month": "qdr:m", "year": "qdr:y"}
_SAFE = {"strict": "active", "off": "off"}


def _parameters(query: str, options: SearchOptions) -> Mapping[str, str]:
    return {
        "q": query,
        "hl": options.language,
        "gl": options.country.lower(),
        "num": options.extra_count(),
        "start": str(options.offset) if options.page > 1 else "",
        "tbs": _RANGES.get(options.time_range, ""),
        "safe": _SAFE.get(options.safe, ""),
    }


GOOGLE = SerpEngine(
    id="google",
    name="Google",
    home="https://www.google.com/",
    address="https://www.google.com/search",
    parameters=_parameters,
    layouts=(
        # Class names change every few weeks; a link around a heading has marked results since 2018.
        Layout(
            seen="2026-04 (large screens; without scripts)",
            result="a[href]:has(h3), h3 > a[href]",
            title="h3",
        ),
        Layout(
            seen="2023-05 (small screens)",
            result="a[role=presentation][href]:has([role=heading]), a.C8nzq[href]:has([role=heading])",
            title="[role=heading]",
        ),
    ),
    cut=(
        "#tads, #tadsb, #bottomads, #tvcap, [data-text-ad], .uEierd, .commercial-unit-desktop-top,"
        " .commercial-unit-desktop-rhs, .related-question-pair, g-scrolling-carousel, #taw [data-pla],"
        " .yStFkb, [data-initq], #botstuff [data-abe]"
    ),
    signs=(
        ObstaclePattern(Obstacle.CAPTCHA, selector="form#captcha-form, form[action*='/sorry/'], #recaptcha"),
        ObstaclePattern(
            Obstacle.CONSENT, selector="form[action*='consent.google'], form[action*='consent.youtube']"
        ),
        ObstaclePattern(
            Obstacle.SCRIPT, selector="noscript [src*='enablejs'], noscript [content*='enablejs'], #yvlrue"
        ),
        ObstaclePattern(Obstacle.SCRIPT, text=r"having trouble accessing Google Search"),
    ),
    empty_text=(
        r"did not match any (documents|image results|news results)|no results found for"
        r"|找不到和您查询的|未找到符合|找不到符合搜尋字詞|與您的搜尋字詞.{0,30}不符"
        r"|ne correspond à aucun document|keine mit deiner suchanfrage|no ha coincidido|no coincide con ning"
        r"|não encontrou nenhum documento|non ha prodotto risultati|ничего не найдено|一致する情報は見つかりません"
    ),
    reject=(
        "form[action*='/save'] [aria-label*='Reject' i]",
        "form[action*='/save'] input[value*='Reject' i]",
        "button#W0wltc",
        "form[action*='/save'] button",
    ),
)
