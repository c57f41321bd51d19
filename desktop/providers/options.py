"""Options of a request that some models refuse and an answer does not depend on."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

_OTHER_NAME = {"max_tokens": "max_completion_tokens"}
"""OpenAI's reasoning models know the limit by the second name only, most other servers by the first only."""

_OPTIONAL = ("stream_options", "temperature", "thinking", *_OTHER_NAME)


def refused_option(arguments: Mapping[str, Any], said: str) -> str | None:
    """Return the option among `arguments` that a refusal names, if an answer can be had without it.

    What is in `extra_body` is optional by its nature.
    """
    extra = arguments.get("extra_body", {})
    sent = [name for name in _OPTIONAL if name in arguments]
    return next((name for name in (*sent, *extra) if re.search(rf"\b{name}\b", said)), None)


def without_options(arguments: Mapping[str, Any], options: Iterable[str]) -> dict[str, Any]:
    """Return `arguments` without `options`, or with the other names that they go by."""
    left = dict(arguments)
    extra = dict(left.pop("extra_body", {}))
    for option in options:
        extra.pop(option, None)
        if option in left and option in _OTHER_NAME:
            left[_OTHER_NAME[option]] = left[option]
        left.pop(option, None)
    return left | {"extra_body": extra} if extra else left
