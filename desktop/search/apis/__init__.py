"""Search services with an API: each has a request and a reader; `client` calls them and maps all errors."""

from collections.abc import Mapping
from types import MappingProxyType

from desktop.search.apis.bocha import BOCHA
from desktop.search.apis.brave import BRAVE_API
from desktop.search.apis.csdn import CSDN
from desktop.search.apis.exa import EXA
from desktop.search.apis.jina import JINA, JINA_READER
from desktop.search.apis.juejin import JUEJIN
from desktop.search.apis.model import PageApi, SearchApi
from desktop.search.apis.querit import QUERIT
from desktop.search.apis.searxng import SEARXNG
from desktop.search.apis.serper import SERPER
from desktop.search.apis.tavily import TAVILY, TAVILY_EXTRACT
from desktop.search.apis.wikipedia import WIKIPEDIA
from desktop.search.apis.zhipu import ZHIPU

_ALL = (WIKIPEDIA, CSDN, JUEJIN, SEARXNG, TAVILY, BRAVE_API, EXA, SERPER, JINA, BOCHA, ZHIPU, QUERIT)
APIS: Mapping[str, SearchApi] = MappingProxyType({api.id: api for api in _ALL})

PAGE_SERVICES: Mapping[str, PageApi] = MappingProxyType(
    {service.id: service for service in (TAVILY_EXTRACT, JINA_READER)}
)
"""In order of preference."""
