"""A text written from the person's bases: its outline, and every chapter as far as it is written."""

from dataclasses import dataclass, replace

from desktop.domain.research import Phase

MOST_CHAPTERS = 20
TITLE_CHARS = 200
NOT_WRITTEN = -1
"""In place of the origin of a heading whose chapter is to be written."""


@dataclass(frozen=True)
class Chapter:
    """A chapter: `text` is Markdown without its heading, `numbers` the sources that it was given."""

    title: str
    text: str = ""
    numbers: tuple[int, ...] = ()
    is_written: bool = False


@dataclass(frozen=True)
class Heading:
    """A line of an outline that a person has edited.

    `origin` is the place, from 0, of the chapter whose text stays under it, or `NOT_WRITTEN`.
    """

    title: str
    origin: int = NOT_WRITTEN


@dataclass(frozen=True)
class StartOutline:
    """Write a text by its outline as the person left it."""

    headings: tuple[Heading, ...]


@dataclass(frozen=True)
class Writing:
    """A text as it stands. `bases` are the keys of what may be looked into; with `confirms` the person starts it."""

    topic: str
    bases: tuple[str, ...] = ()
    phase: Phase = Phase.PLANNING
    chapters: tuple[Chapter, ...] = ()
    confirms: bool = True
    language: str = ""
    ended_by: str = ""

    @property
    def text(self) -> str:
        """The chapters that are written, as one Markdown text."""
        return "".join(
            f"{head(chapter)}{chapter.text}\n\n" for chapter in self.chapters if chapter.is_written
        )

    @property
    def written_count(self) -> int:
        """How many chapters are written."""
        return sum(chapter.is_written for chapter in self.chapters)

    @property
    def current(self) -> int | None:
        """The place of the chapter that is written next."""
        places = (place for place, chapter in enumerate(self.chapters) if not chapter.is_written)
        return next(places, None)


def head(chapter: Chapter) -> str:
    """Return the heading of a chapter as Markdown."""
    return f"## {chapter.title}\n\n"


def outlined(writing: Writing, headings: tuple[Heading, ...]) -> Writing:
    """Return a text with another outline; chapters whose heading names them keep what is written."""
    kept = writing.chapters
    chapters = tuple(
        replace(kept[heading.origin], title=heading.title)
        if 0 <= heading.origin < len(kept)
        else Chapter(heading.title)
        for heading in headings[:MOST_CHAPTERS]
        if heading.title.strip()
    )
    return replace(writing, chapters=chapters or kept)
