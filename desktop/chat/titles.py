"""The title of a conversation until a person gives it one."""

import re

_MAX_CHARS = 48
_SOFT_ENDS = re.compile(r"[\s，。,.;；:：!?！？]+$")


def title_of(question: str) -> str:
    """Return the first line of `question`, cut at a word where it is long."""
    line = next((line.strip() for line in question.splitlines() if line.strip()), "")
    if len(line) <= _MAX_CHARS:
        return line
    cut = line[:_MAX_CHARS]
    word_end = cut.rfind(" ")
    if word_end > _MAX_CHARS // 2:
        cut = cut[:word_end]
    return _SOFT_ENDS.sub("", cut) + "…"
