"""How many tokens a text is worth, near enough for budgets; no tokenizer is downloaded."""

import re

_PIECE = re.compile(
    r"(?P<wide>[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef])"
    r"|(?P<latin>[A-Za-z]+)"
    r"|(?P<digits>[0-9]+)"
    r"|(?P<letters>[^\W\d_]+)"
    r"|(?P<mark>\S)"
    r"|(?P<lines>\n+)"
)
_CHARS_PER_TOKEN = {"wide": 1.0, "latin": 6.0, "digits": 3.0, "letters": 2.0, "mark": 1.0}


def estimate_tokens(text: str) -> int:
    """Return about how many tokens a language model counts for `text`, rather too many than too few.

    One per Chinese character or punctuation mark, one per six Latin letters or part of them, one per
    three digits, one per two letters of other scripts.
    """
    return sum(map(_cost, _PIECE.finditer(text)))


def within_tokens(text: str, limit: int) -> str:
    """Return the longest beginning of `text` that is worth at most `limit` tokens."""
    left = limit
    for match in _PIECE.finditer(text):
        cost = _cost(match)
        if cost > left:
            per_token = int(_CHARS_PER_TOKEN.get(match.lastgroup or "mark", 0))
            return text[: match.start() + left * per_token]
        left -= cost
    return text


def _cost(match: re.Match[str]) -> int:
    kind = match.lastgroup or "mark"
    return 1 if kind == "lines" else -int(-len(match.group()) // _CHARS_PER_TOKEN[kind])
