"""Search engines read through their result pages: addresses and selectors as data, and one pure parser."""

from desktop.search.engines.model import Obstacle, SearchOptions, SerpEngine
from desktop.search.engines.registry import ENGINES, engine_for, is_template

__all__ = ["ENGINES", "Obstacle", "SearchOptions", "SerpEngine", "engine_for", "is_template"]
