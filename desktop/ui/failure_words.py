"""Failures in the person's language: errors as they happen, and their English words as they were saved."""

import re
from collections.abc import Iterator
from functools import cache

from PySide6.QtCore import QCoreApplication

from desktop.errors import AppError, RateLimited

_FIELD = re.compile(r"\\\{(\w+)\\\}")


def describe(error: Exception) -> str:
    """Return what went wrong, fit for the person.

    The templates of `errors` are translated in `errors_zh_CN.ts`, in the context "errors".
    """
    if not isinstance(error, AppError):
        return QCoreApplication.translate(
            "failure_words", "Something went wrong inside Footnote: {detail}"
        ).format(detail=f"{type(error).__name__}: {error}")
    fields = dict(error.fields)
    if isinstance(error, RateLimited):
        fields["advice"] = _when_to_retry(error.retry_after_s)
    return _translated(type(error), fields)


def localized(saved: str) -> str:
    """Return the words of an error that were saved in English in the language of now.

    Words that no error's template gives come back as they are.
    """
    for kind, pattern in _patterns():
        if match := pattern.fullmatch(saved):
            return _translated(kind, match.groupdict(default=""))
    return saved


def template_errors(root: type[AppError] = AppError) -> Iterator[type[AppError]]:
    """Yield every error with words of its own; families only pass on what they are told."""
    for kind in root.__subclasses__():
        if kind.template != AppError.template:
            yield kind
        yield from template_errors(kind)


def _translated(kind: type[AppError], fields: dict[str, object]) -> str:
    return QCoreApplication.translate("errors", kind.template).format(**fields).strip()


@cache
def _patterns() -> tuple[tuple[type[AppError], re.Pattern[str]], ...]:
    # The one that says most itself first: another one's field would swallow its words.
    kinds = sorted(template_errors(), key=lambda kind: len(_FIELD.sub("", kind.template)), reverse=True)
    return tuple((kind, _pattern(kind.template)) for kind in kinds)


def _pattern(template: str) -> re.Pattern[str]:
    # Fields at the end may be empty, and the space before them is gone then.
    words = re.sub(r"(\\ )(\\\{\w+\\\})(?=(?:\\ \\\{\w+\\\})*$)", r"(?:\1\2)?", re.escape(template))
    return re.compile(_FIELD.sub(r"(?P<\1>.*?)", words), re.DOTALL)


def _when_to_retry(seconds: float | None) -> str:
    if seconds is None:
        return QCoreApplication.translate("failure_words", "Try again later.")
    return QCoreApplication.translate("failure_words", "Try again in {seconds} s.").format(
        seconds=round(seconds)
    )
