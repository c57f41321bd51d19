"""All engines that are read through their result pages."""

from collections.abc import Mapping
from types import MappingProxyType

from desktop.search.engines.bing import BING, BING_CN
from desktop.search.engines.duckduckgo import DUCKDUCKGO, DUCKDUCKGO_LITE
from desktop.search.engines.model import SerpEngine

ENGINES: Mapping[str, SerpEngine] = MappingProxyType(
    {engine.id: engine for engine in (DUCKDUCKGO, DUCKDUCKGO_LITE, BING, BING_CN)}
)
