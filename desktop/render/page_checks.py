"""What reading a cited page again showed, in words; `desktop.phrases.localize` translates them."""

from dataclasses import replace
from typing import Final

from desktop.domain.sources import PageCheck, PageState
from desktop.phrases import translatable
from desktop.text.sentences import split_sentences

_STOPS = " .!?。！？"

_SAME = translatable("The page is unchanged.")
_MOVED = translatable("The page has moved to {address}. Its text is unchanged.")
_MOVED_CHANGED = translatable(
    "The page has moved to {address}. Its text has changed, but not the cited passage."
)
_MOVED_AWAY = translatable(
    "The page has moved to {address}, where the cited passage is different or missing."
)
_CHANGED = translatable("The page has changed, but not the cited passage.")
_PASSAGE_CHANGED = translatable("The page has changed, including the cited passage.")
_GONE = translatable("The page no longer exists. {detail}")
_UNREACHED = translatable("The page couldn’t be read now. {detail}")

_NAMES: Final = {
    PageState.SAME: translatable("page unchanged"),
    PageState.MOVED: translatable("page moved"),
    PageState.CHANGED: translatable("page changed"),
    PageState.GONE: translatable("page gone"),
    PageState.UNREACHED: translatable("page unreachable"),
}
_PASSAGE_NAME = translatable("cited passage changed")

SIGNS: Final = {
    PageState.SAME: "=",
    PageState.MOVED: "→",
    PageState.CHANGED: "Δ",
    PageState.GONE: "×",
    PageState.UNREACHED: "?",
}
"""Signs before the names, so that colour is not all that tells them apart."""


def check_of_words(check: PageCheck, words: str) -> PageCheck:
    """Return a result as it is for some words of the cited passage: a change may be in other words of it.

    Without words, and where it is not known what was changed, it holds for all of the passage.
    """
    if check.has_passage or not words or not all(check.removed):
        return check
    wanted = _bare(words)
    is_other = any(
        part in wanted or wanted in part
        for removed in check.removed
        for part in (
            _bare(removed),
            *(_bare(removed[span.start : span.end]) for span in split_sentences(removed)),
        )
        if part
    )
    return check if is_other or not check.removed else replace(check, has_passage=True)


def _bare(text: str) -> str:
    return " ".join(text.split()).casefold().strip(_STOPS)


def name_page_check(check: PageCheck) -> str:
    """Return a result in two or three words."""
    is_other = check.state is PageState.CHANGED and not check.has_passage
    return _PASSAGE_NAME if is_other else _NAMES[check.state]


def describe_page_check(check: PageCheck) -> str:
    """Return a result in one or two sentences."""
    match check.state:
        case PageState.SAME:
            return _SAME
        case PageState.MOVED if not check.has_passage:
            return _MOVED_AWAY.format(address=check.address)
        case PageState.MOVED:
            return (_MOVED_CHANGED if check.changes else _MOVED).format(address=check.address)
        case PageState.CHANGED:
            return _CHANGED if check.has_passage else _PASSAGE_CHANGED
        case PageState.GONE:
            return _GONE.format(detail=check.detail)
        case _:
            return _UNREACHED.format(detail=check.detail)
