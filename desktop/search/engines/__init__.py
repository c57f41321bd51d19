"""All engines that are read through their result pages, including those that the user adds as an address with `%s`.

Addresses and selectors are data of the modules below; one pure parser reads the pages.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from urllib.parse import quote_plus, urlsplit, urlunsplit

from desktop.search.engines.baidu import BAIDU
from desktop.search.engines.bing import BING, BING_CN
from desktop.search.engines.brave import BRAVE
from desktop.search.engines.duckduckgo import DUCKDUCKGO, DUCKDUCKGO_LITE
from desktop.search.engines.ecosia import ECOSIA
from desktop.search.engines.google import GOOGLE
from desktop.search.engines.model import SearchOptions, SerpEngine
from desktop.search.engines.mojeek import MOJEEK
from desktop.search.engines.qwant import QWANT
from desktop.search.engines.so360 import SO360
from desktop.search.engines.sogou import SOGOU
from desktop.search.engines.startpage import STARTPAGE
from desktop.search.engines.yahoo import YAHOO
from desktop.search.engines.yandex import YANDEX


def search_within(engine: SerpEngine, engine_id: str, name: str, site: str) -> SerpEngine:
    """Return an engine that searches `site` through `engine` and drops results of other hosts.

    `name` is extended by the name of `engine`, which receives the query and may refuse it.
    """

    def parameters(query: str, options: SearchOptions) -> Mapping[str, str]:
        return engine.parameters(f"site:{site} {query}", options)

    return replace(
        engine,
        id=engine_id,
        name=f"{name} ({engine.name})",
        home=f"https://{site}/",
        parameters=parameters,
        site=site,
    )


ZHIHU = search_within(BING, "zhihu", "Zhihu 知乎", "zhihu.com")
"""Zhihu's own search requires a login."""
LINUX_DO = search_within(BRAVE, "linux-do", "linux.do", "linux.do")
"""The forum's own search is behind a browser check; Brave indexes more of it than other engines."""


_ALL = (
    DUCKDUCKGO,
    DUCKDUCKGO_LITE,
    BING,
    BING_CN,
    GOOGLE,
    BRAVE,
    STARTPAGE,
    MOJEEK,
    YAHOO,
    ECOSIA,
    QWANT,
    YANDEX,
    BAIDU,
    SOGOU,
    SO360,
    ZHIHU,
    LINUX_DO,
)
ENGINES: Mapping[str, SerpEngine] = MappingProxyType({engine.id: engine for engine in _ALL})


PLACEHOLDER = "%s"


@dataclass(frozen=True)
class TemplateEngine(SerpEngine):
    """An engine known only by its address; its pages are parsed by structure."""

    template: str = ""

    def search_url(self, query: str, options: SearchOptions | None = None, *, base: str = "") -> str:
        """Return the address with the query inserted; a template does not support `options`."""
        del options
        parts = urlsplit(self.template.replace(PLACEHOLDER, quote_plus(query)))
        origin = urlsplit(base) if base else parts
        return urlunsplit((origin.scheme, origin.netloc, parts.path, parts.query, ""))


def _nothing(_query: str, _options: SearchOptions) -> Mapping[str, str]:
    return {}


def is_template(engine_id: str) -> bool:
    """Say whether `engine_id` is an address with a placeholder for the query."""
    return PLACEHOLDER in engine_id and engine_id.startswith(("http://", "https://"))


def engine_for(engine_id: str) -> SerpEngine:
    """Return a known engine, one made from a template, or an empty one with only the name."""
    known = ENGINES.get(engine_id)
    if known is not None:
        return known
    if not is_template(engine_id):
        return SerpEngine(engine_id, engine_id or "?", home="", address="", parameters=_nothing)
    parts = urlsplit(engine_id)
    home = urlunsplit((parts.scheme, parts.netloc, "/", "", ""))
    return TemplateEngine(engine_id, parts.hostname or "", home, engine_id, _nothing, template=engine_id)
