"""A text without a model: an outline of the headings that passages stand under, chapters of their sentences."""

from collections.abc import Collection, Sequence

from desktop.chat.procedures.quoting import bare, quoted_line
from desktop.domain.sources import Source
from desktop.domain.writing import TITLE_CHARS, Chapter
from desktop.knowledge.loaders.document import SECTION_JOIN
from desktop.providers.candidates import Quote
from desktop.providers.extraction import best_sentences
from desktop.providers.gist import central_sentences

_MOST_CHAPTERS = 6


def quoted_outline(topic: str, sources: Sequence[Source]) -> tuple[Chapter, ...]:
    """Return a chapter for each heading that the passages stand under, else for each document."""
    headings = [source.locator.section.split(SECTION_JOIN)[-1] for source in sources]
    titles = list(dict.fromkeys(filter(None, headings)))
    titles = titles or list(dict.fromkeys(source.title for source in sources)) or [topic]
    return tuple(Chapter(title[:TITLE_CHARS]) for title in titles[:_MOST_CHAPTERS])


def quoted_chapter(title: str, topic: str, sources: Sequence[Source], said: Collection[str]) -> list[str]:
    """Return the sentences for a chapter as Markdown, each with its marks; none that was `said` before."""
    of_title = [source for source in sources if source.locator.section.split(SECTION_JOIN)[-1] == title]
    found = (
        central_sentences(of_title),
        best_sentences(title, sources),
        best_sentences(f"{topic} {title}", sources),
        central_sentences(sources),
    )
    rows = ([row for quote in quotes if (row := _row(quote)) not in said] for quotes in map(_spoken, found))
    return next(filter(None, rows), [])


def _spoken(quotes: Sequence[Quote]) -> list[Quote]:
    """Return what is neither a heading nor a row of a table."""
    return [quote for quote in quotes if not quote.text.startswith(("#", "|"))]


def _row(quote: Quote) -> str:
    return f"- {quoted_line(bare(quote.text), quote.numbers)}"
