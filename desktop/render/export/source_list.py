"""Formats sources for other programs: Markdown, plain text, BibTeX."""

import re
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Final

from desktop.domain.sources import Source
from desktop.render.export.common_parts import bibtex_text, clean, markdown_address, markdown_line, one_line
from desktop.render.labels import Labels
from desktop.render.page.source_cards import dates_of, host_or_file, localize_section, source_list_title
from desktop.render.page.source_cards import web_address as address_of

_KEY_CHARS: Final = 40
_NOT_IN_KEY = re.compile(r"[^a-z0-9]+")
_DATE = re.compile(r"(\d{4})(?:-(\d{2}))?(?:-(\d{2}))?(?!\d)")
_IN_BIBTEX_ADDRESS = {"{": "%7B", "}": "%7D", "\\": "%5C", " ": "%20"}


class ListFormat(StrEnum):
    """The formats in which sources can be copied."""

    MARKDOWN = "markdown"
    PLAIN = "plain"
    BIBTEX = "bibtex"


def format_source_list(sources: Sequence[Source], kind: ListFormat, labels: Labels) -> str:
    """Return sources as text, each with its number."""
    return _LISTS[kind](sources, labels)


def title_line(source: Source, labels: Labels) -> str:
    """Return the title of a source on one line."""
    return one_line(source_list_title(source, labels))


def web_address(source: Source) -> str:
    """Return the address of a web page, cleaned for export; empty for other sources."""
    return clean(address_of(source))


def facts_of(source: Source, labels: Labels) -> str:
    """Return origin and date of a source: `example.org · page 7 · read 2026-01-02`."""
    where = _where(source, labels)
    facts = ["" if where == title_line(source, labels) else where, *_format_position(source, labels)]
    facts.extend(map(one_line, dates_of(source, labels)))
    return " · ".join(filter(None, facts))


def _where(source: Source, labels: Labels) -> str:
    return one_line(host_or_file(source)) or labels.kinds[source.kind]


def _format_position(source: Source, labels: Labels) -> tuple[str, ...]:
    """Return the position of the text in its source, as far as it is known."""
    page = source.locator.page
    number = "" if page is None else labels.page_number.format(page=page)
    return tuple(filter(None, (number, one_line(localize_section(source.locator.section, labels.language)))))


def markdown_entry(source: Source, labels: Labels) -> str:
    """Return a source as one line of Markdown, without its number."""
    title, address = markdown_line(title_line(source, labels)), web_address(source)
    linked = f"[{title}]({markdown_address(address)})" if address else title
    return f"{linked} · {markdown_line(facts_of(source, labels))}"


def markdown_list(sources: Sequence[Source], labels: Labels) -> str:
    """Return sources as a Markdown list with their numbers, which need not be consecutive."""
    return "\n".join(
        f"- {markdown_line(f'[{source.number}]')} {markdown_entry(source, labels)}" for source in sources
    )


def plain_list(sources: Sequence[Source], labels: Labels) -> str:
    """Return sources as plain text, one line each."""
    return "\n".join(
        " ".join(
            filter(
                None,
                (
                    f"[{source.number}] {title_line(source, labels)} · {facts_of(source, labels)}",
                    web_address(source),
                ),
            )
        )
        for source in sources
    )


def bibtex_list(sources: Sequence[Source], labels: Labels) -> str:
    """Return sources as `@misc` entries, which both BibTeX and biblatex can read."""
    return "\n\n".join(_bibtex_entry(source, labels) for source in sources)


def _bibtex_entry(source: Source, labels: Labels) -> str:
    address = "".join(_IN_BIBTEX_ADDRESS.get(char, char) for char in web_address(source))
    published = _DATE.match(source.published)
    dates = (
        () if address else map(one_line, dates_of(source, labels))
    )  # web pages have separate fields for them
    fields = {
        # Inner braces preserve the capitals of the title.
        "title": f"{{{bibtex_text(title_line(source, labels))}}}",
        "howpublished": bibtex_text(_where(source, labels)),
        "year": published[1] if published else "",
        "date": "-".join(filter(None, published.groups())) if published else "",
        "url": address,
        "urldate": source.read_at.astimezone().date().isoformat() if address else "",
        "note": bibtex_text(" · ".join((*_format_position(source, labels), *dates))),
    }
    lines = "".join(f"  {name} = {{{value}}},\n" for name, value in fields.items() if value)
    return f"@misc{{{_key(source)},\n{lines}}}"


def _key(source: Source) -> str:
    """Return a key that is unique in the conversation, as it ends with the source number."""
    name = _NOT_IN_KEY.sub("-", host_or_file(source).lower())[:_KEY_CHARS].strip("-")
    return f"{name or source.kind.value}-{source.number}"


_LISTS: dict[ListFormat, Callable[[Sequence[Source], Labels], str]] = {
    ListFormat.MARKDOWN: markdown_list,
    ListFormat.PLAIN: plain_list,
    ListFormat.BIBTEX: bibtex_list,
}
