"""What keeps a search, or a picture, from being had at all."""

from desktop.errors.base import AppError


class SearchError(AppError):
    """A search cannot even be started. Searches that fail are a `SearchOutcome`."""


class UnknownEngine(SearchError):
    """No engine of this name."""

    template = "There is no search engine “{engine}”. Known: {known}."


class NowhereToLook(SearchError):
    """Web and bases are switched off."""

    template = "Research needs somewhere to look. Switch on web search or a knowledge base."


class BrowserMissing(SearchError):
    """No browser was found."""

    template = "No Chromium, Chrome or Edge was found. {advice}"


class LookupStopped(SearchError):
    """The answer that looked up for all beside it was stopped."""

    template = "The answer that looked up for all was stopped before this one could begin. Ask again."


class PictureUnavailable(SearchError):
    """A picture of an answer could not be had."""

    template = "The picture could not be loaded. {detail}"
