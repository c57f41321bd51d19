"""Sentences of sources as lines of an answer, for procedures that have no model."""

from collections.abc import Sequence

from desktop.providers.quotes import as_text

_SIGNS = "-*+•·▪●–# "
"""What begins a line of a list or a heading; the sentence begins behind it."""


def bare(sentence: str) -> str:
    """Return a sentence without the sign of the list or heading that it stands in."""
    return sentence.lstrip(_SIGNS)


def quoted_line(sentence: str, numbers: Sequence[int]) -> str:
    """Return a sentence as Markdown that shows just that, with its marks."""
    return as_text(sentence) + " " + "".join(f"[{number}]" for number in numbers)
