"""The headings that a part of a document stands under, from the outermost to the nearest."""

from desktop.domain.sources import SECTION_JOIN

HeadingPath = tuple[tuple[int, str], ...]
"""Level and words of each."""


def under(path: HeadingPath, level: int, words: str) -> HeadingPath:
    """Return the path below another heading: it ends those of its own level and of deeper ones."""
    return (*(heading for heading in path if heading[0] < level), (level, words))


def section_of(path: HeadingPath) -> str:
    """Return a path as the section of a part."""
    return SECTION_JOIN.join(words for _, words in path if words)
