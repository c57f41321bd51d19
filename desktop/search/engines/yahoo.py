"""Yahoo."""

from collections.abc import Mapping

from desktop.search.engines.model import Layout, Obstacle, ObstaclePattern, SearchOptions, SerpEngine

_RANGES = {"day": "1d", "week": "1w", "month": "1m"}


def _parameters(query: str, options: SearchOptions) -> Mapping[str, str]:
    span = _RANGES.get(options.time_range, "")
    return {
        "p": query,
        "ei": "UTF-8",
        "n": options.extra_count(),
        "b": str(options.offset + 1) if options.page > 1 else "",
        "btf": span[1:],
        "age": span,
        "vl": f"lang_{options.primary_language}" if options.primary_language else "",
        "vm": {"strict": "r", "off": "p"}.get(options.safe, ""),
    }


YAHOO = SerpEngine(
    id="yahoo",
    name="Yahoo",
    home="https://search.yahoo.com/",
    address="https://search.yahoo.com/search",
    parameters=_parameters,
    layouts=(
        Layout(
            seen="2022-07",
            result="#web .algo, .searchCenterMiddle .algo, #web li .relsrch",
            link="h3 a[href], .compTitle a[href]",
            title="h3",
            snippet=".compText, .compTextList",
        ),
    ),
    cut=(
        ".ads, .adsMr, .searchCenterTopAds, .searchCenterBottomAds, .searchRightTopAds, ol.searchRightBottom,"
        " .compTitle h3 > a > span, .compTitle > a > h3 > span.d-ib"
    ),
    signs=(
        ObstaclePattern(
            Obstacle.CONSENT, selector="form.consent-form, form[action*='consent'], #consent-page"
        ),
        ObstaclePattern(Obstacle.RATE_LIMIT, text=r"error 999|unable to process this request at this time"),
    ),
    empty=".compNoResult, #web .zrp, .searchCenterMiddle .zrp",
    empty_text=r"we did not find results for|no se han encontrado resultados|keine ergebnisse für",
    reject=("button[name=reject]", "button.reject-all"),
)
