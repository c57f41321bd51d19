"""All search APIs."""

from collections.abc import Mapping
from types import MappingProxyType

from desktop.search.apis.model import SearchApi
from desktop.search.apis.tavily import TAVILY

APIS: Mapping[str, SearchApi] = MappingProxyType({api.id: api for api in (TAVILY,)})
